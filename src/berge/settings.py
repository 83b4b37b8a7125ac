"""Names and options as type checkers see them; a test holds them equal to the registry.

Nothing here is looked at when a program runs: `methods/registry.py` checks what is given.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, Literal, TypedDict

ExactName = Literal[
    "auto", "ss-dfs", "ss-bfs", "pothen-fan", "hopcroft-karp", "hkdw", "p-pothen-fan", "p-dbfs",
    "p-hopcroft-karp", "p-push-relabel", "ms-bfs", "ms-bfs-do", "ms-bfs-graft", "push-relabel",
    "mixed", "out-of-core", "apfb", "apfb-queue", "g-pr", "apfb-gpubfs-ct", "apfb-gpubfs-mt",
    "apfb-gpubfs-wr-ct", "apfb-gpubfs-wr-mt", "apsb-gpubfs-ct", "apsb-gpubfs-mt",
    "apsb-gpubfs-wr-ct", "apsb-gpubfs-wr-mt", "apfb-split", "g-pr-first", "g-pr-noshr", "g-pr-shr",
]  # fmt: skip
StartName = Literal[
    "auto", "none", "cheap", "karp-sipser", "cheap-random", "min-degree", "p-karp-sipser",
    "one-sided", "two-sided",
]  # fmt: skip
GreedyName = Literal[
    "auto", "single-pass", "random", "weighted", "sorted", "proposals", "weighted-proposals",
    "suitor", "locally-dominant", "global-paths",
]  # fmt: skip
AssignName = Literal[
    "auto", "shortest-paths", "cost-scaling", "paths-or-scaling", "capacity-paths",
    "capacity-auction",
]  # fmt: skip
CapacityName = Literal["auto", "capacity-phases"]
GeneralName = Literal["auto", "graft", "blossom"]
GeneralWeightedName = Literal["auto", "weighted-blossom"]
GeneralStartName = Literal["auto", "none", "degree-one", "first-free"]
ClusterStartName = Literal["auto", "within-parts", "karp-sipser", "greedy", "none"]
DeviceName = Literal["cpu", "cuda"]
Objective = Literal["min", "max", "product", "bottleneck"]
Match = Literal["full", "maximum", "any"]
Checker = Literal["compiled", "numpy"]
Side = Literal["left", "right"]


class Watched(TypedDict, total=False):
    """What every solve takes."""

    threads: int | None
    time_limit: float | None
    progress: bool
    on_phase: Callable[[Any], object] | None  # called with a PhaseReport


class Options(Watched, total=False):
    """Options of the exact algorithms and the starts, as `berge.algorithms` lists them."""

    alpha: float
    as_printed: bool
    concurrent: bool
    direction_optimising: bool
    effort: float
    fairness: bool
    form: Literal["first", "noshr", "shr"]
    gap_relabelling: bool
    grafting: bool
    k: float
    kept: int
    kernel: Literal["gpubfs", "gpubfs-wr"]
    launch: Literal["ct", "mt", "256x256"]
    lookahead: bool
    queue_limit: int
    relabel_every: float
    relabel_frequency: float
    rows_only: bool
    scaling_iterations: int
    shortest: bool
    split: bool
    statistics: Literal["auto", "on", "off"]
    strategy: Literal["adaptive", "fix"]
    window: int


class Settings(Options, total=False):
    """What `berge.maximum_matching` takes for a bipartite graph."""

    algorithm: ExactName
    init: StartName
    device: DeviceName
    seed: int
    initial: Any
    side: Literal["auto", "rows", "cols"]
    within: float | None


class GivenSettings(Settings, total=False):
    """What reads a decomposition takes: those, or a matching that is there already."""

    matching: Any


class GeneralSettings(Watched, total=False):
    """What it takes for a graph that need not be bipartite."""

    algorithm: GeneralName
    init: GeneralStartName
    seed: int
    initial: Any


class ClusterSettings(Watched, total=False):
    """What it takes on a cluster."""

    init: ClusterStartName
    seed: int
    checkpoint: str | PathLike[str] | None
    resume: bool
    output: str | PathLike[str] | None
    prove: bool
    workers: int
    restarts: int
    left: Any
    right: Any
    shape: tuple[int, int] | None
    exhaust: bool
    gather: bool
    alpha: float


class Units(TypedDict, total=False):
    """How many partners vertices may have, and must have."""

    capacity_left: Any
    capacity_right: Any
    at_least_left: Any
    at_least_right: Any


class CapacitySettings(Watched, Units, total=False):
    """What it takes with capacities."""

    algorithm: CapacityName
    seed: int


class PairSettings(Settings, Units, total=False):
    """What `berge.match_pairs` takes."""


class AssignSettings(Watched, total=False):
    """What `berge.scale_and_permute` hands to `berge.assign`."""

    algorithm: AssignName
    initial: Any
