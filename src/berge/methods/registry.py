"""The one list of algorithms; the pipeline, the command line, the tests and the docs iterate it.

An entry names its function as ``module:function`` and imports it when first used, so that listing
costs nothing. The function takes a `Run` and changes its matching in place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from numbers import Integral
from typing import Any, Literal

from ..errors import DeviceError, OptionError
from ..wording import did_you_mean

__all__ = ["Algorithm", "Option", "algorithms", "check_call", "check_options", "find"]

_DEVICES = ("cpu", "cuda")

Kind = Literal["start", "exact", "greedy"]


@dataclass(frozen=True)
class Option:
    """A switch of an algorithm: a keyword of its function, with the default that stands there too.

    The type is that of the default; numbers lie from `low` to `high`.
    """

    name: str
    default: bool | int | float | str
    summary: str
    low: float = 0
    high: float = math.inf
    choices: tuple[str, ...] = ()

    @property
    def values(self) -> str:
        """What may be given, in words."""
        if self.choices:
            return " or ".join(self.choices)
        if isinstance(self.default, bool):
            return "true or false"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        return f"{kind} from {self.low:g}" + (f" to {self.high:g}" if self.high < math.inf else "")

    def check(self, value: Any) -> bool | int | float | str:
        """Return a value as the function takes it; text, as a command line has it, is read."""
        try:
            return self._read(value)
        except (KeyError, OverflowError, TypeError, ValueError):
            raise OptionError(f"{self.name} must be {self.values}, not {value!r}") from None

    def _read(self, value: Any) -> bool | int | float | str:
        if self.choices:
            if value not in self.choices:
                raise ValueError
            return str(value)
        if isinstance(self.default, bool):
            words = {"true": True, "yes": True, "false": False, "no": False}
            return words[value] if isinstance(value, str) else {True: True, False: False}[value]
        if isinstance(value, bool):
            raise TypeError
        number = float(value)
        if not self.low <= number <= self.high:
            raise ValueError
        if isinstance(self.default, int):
            if number != int(number):
                raise ValueError
            return int(number)
        return number


@dataclass(frozen=True)
class Algorithm:
    """One algorithm.

    Attributes
    ----------
    name
        What users pass as ``algorithm``, ``init`` or ``method``.
    kind
        ``"start"`` (a maximal matching to begin with) or ``"exact"`` (a maximum matching), both of
        bipartite graphs; or ``"greedy"`` (a maximal matching of any graph).
    summary
        How it works, in one line.
    bound
        Worst-case work, for n vertices and m edges.
    threads
        Whether it runs on more than one thread.
    deterministic
        Whether one seed gives one result on any number of threads. On one thread all do.
    paper
        Where it comes from.
    devices
        Where it runs.
    options
        Its switches.
    """

    name: str
    kind: Kind
    function: str
    summary: str
    bound: str
    threads: bool
    deterministic: bool
    paper: str
    devices: tuple[str, ...] = ("cpu",)
    options: tuple[Option, ...] = ()

    def load(self) -> Callable[..., None]:
        """Import the function."""
        module, function = self.function.split(":")
        loaded: Callable[..., None] = getattr(import_module(f"berge.{module}"), function)
        return loaded


_ALPHA = Option("alpha", 5.0, "go top-down while the frontier is under 1/α of the unvisited", 1.0)
_LOOKAHEAD = Option("lookahead", True, "look for a free column before going deeper")
_FAIRNESS = Option("fairness", True, "read adjacency lists from their end in every other phase")
_ON_GPU = "Deveci, Kaya, Uçar, Çatalyürek 2013 (Euro-Par)"
_G_PR = (
    Option("strategy", "adaptive", "what k counts", choices=("adaptive", "fix")),
    Option(
        "k",
        0.7,
        "iterations between global relabels: k × levels of the last one (adaptive), or k (fix)",
    ),
    Option("concurrent", False, "run global relabels beside the pushes"),
)
_SCALING = Option("scaling_iterations", 5, "how often rows and columns are scaled to sums of one")

_PERMUTE = Option("permute", True, "take vertices in random order")
_P = Option("p", 0.53406, "probability of a vertex to be blue in a round", 0.01, 0.99)
_GREEDY = "Fagginger Auer, Bisseling 2012"

_ALGORITHMS = (
    Algorithm(
        name="none",
        kind="start",
        function="methods.starts.none:none",
        summary="begin with the empty matching, or the one passed as initial",
        bound="O(1)",
        threads=False,
        deterministic=True,
        paper="",
        devices=("cpu", "cuda"),
    ),
    Algorithm(
        name="cheap",
        kind="start",
        function="methods.starts.cheap:cheap",
        summary="every row takes its first free column",
        bound="O(n + m)",
        threads=True,
        deterministic=False,
        paper="Duff, Kaya, Uçar 2011",
        devices=("cpu", "cuda"),
    ),
    Algorithm(
        name="karp-sipser",
        kind="start",
        function="methods.starts.karp_sipser:karp_sipser",
        summary="vertices of degree one first, random ones only when none is left",
        bound="O(n + m)",
        threads=False,
        deterministic=True,
        paper="Karp, Sipser 1981",
    ),
    Algorithm(
        name="cheap-random",
        kind="start",
        function="methods.starts.cheap:cheap_random",
        summary="every row, in random order, takes its first free column",
        bound="O(n + m)",
        threads=False,
        deterministic=True,
        paper="Duff, Kaya, Uçar 2011",
    ),
    Algorithm(
        name="min-degree",
        kind="start",
        function="methods.starts.min_degree:min_degree",
        summary="the vertex with fewest free neighbours takes the neighbour with fewest",
        bound="O(n + m)",
        threads=False,
        deterministic=True,
        paper="Langguth, Manne, Sanders 2010",
    ),
    Algorithm(
        name="p-karp-sipser",
        kind="start",
        function="methods.starts.p_karp_sipser:p_karp_sipser",
        summary="Karp–Sipser on all threads, each by the degrees that it sees",
        bound="O(n + m)",
        threads=True,
        deterministic=False,
        paper="Azad, Halappanavar, Rajamanickam, Boman, Khan, Pothen 2012",
    ),
    Algorithm(
        name="one-sided",
        kind="start",
        function="methods.starts.scaling:one_sided",
        summary="rows pick columns at random by the scaled matrix, then cheap",
        bound="O(n + m)",
        threads=True,
        deterministic=True,
        paper="Dufossé, Kaya, Uçar 2015",
        options=(_SCALING,),
    ),
    Algorithm(
        name="two-sided",
        kind="start",
        function="methods.starts.scaling:two_sided",
        summary="rows and columns pick each other at random by the scaled matrix, then cheap",
        bound="O(n + m)",
        threads=True,
        deterministic=False,
        paper="Dufossé, Kaya, Uçar 2015",
        options=(_SCALING,),
    ),
    Algorithm(
        name="ss-dfs",
        kind="exact",
        function="methods.augmenting.ss_dfs:ss_dfs",
        summary="depth-first search from one unmatched row after the other",
        bound="O(n·m)",
        threads=False,
        deterministic=True,
        paper="Duff 1981 (MC21); Azad, Buluç, Pothen 2015",
        options=(
            Option("lookahead", False, "look for a free column before going deeper, as MC21 does"),
        ),
    ),
    Algorithm(
        name="ss-bfs",
        kind="exact",
        function="methods.augmenting.ss_bfs:ss_bfs",
        summary="breadth-first search from one unmatched row after the other",
        bound="O(n·m)",
        threads=False,
        deterministic=True,
        paper="Azad, Buluç, Pothen 2015",
    ),
    Algorithm(
        name="pothen-fan",
        kind="exact",
        function="methods.augmenting.pothen_fan:pothen_fan",
        summary="depth-first search from all unmatched rows, with lookahead and fairness",
        bound="O(n·m)",
        threads=False,
        deterministic=True,
        paper="Pothen, Fan 1990; Duff, Kaya, Uçar 2011",
        options=(_LOOKAHEAD, _FAIRNESS),
    ),
    Algorithm(
        name="hopcroft-karp",
        kind="exact",
        function="methods.augmenting.hopcroft_karp:hopcroft_karp",
        summary="a maximal set of shortest augmenting paths in every phase",
        bound="O(√n·m)",
        threads=False,
        deterministic=True,
        paper="Hopcroft, Karp 1973",
    ),
    Algorithm(
        name="hkdw",
        kind="exact",
        function="methods.augmenting.hkdw:hkdw",
        summary="Hopcroft–Karp with a depth-first search over all edges after each phase",
        bound="O(n·m)",
        threads=False,
        deterministic=True,
        paper="Duff, Wiberg 1988; Duff, Kaya, Uçar 2011",
    ),
    Algorithm(
        name="p-pothen-fan",
        kind="exact",
        function="methods.augmenting.p_pothen_fan:p_pothen_fan",
        summary="Pothen–Fan whose threads search disjoint parts of the graph",
        bound="O(n·m)",
        threads=True,
        deterministic=False,
        paper="Azad, Halappanavar, Rajamanickam, Boman, Khan, Pothen 2012",
        options=(_LOOKAHEAD, _FAIRNESS),
    ),
    Algorithm(
        name="p-dbfs",
        kind="exact",
        function="methods.augmenting.p_dbfs:p_dbfs",
        summary="disjoint breadth-first searches, each from one unmatched row",
        bound="O(n·m)",
        threads=True,
        deterministic=False,
        paper="Azad, Halappanavar, Rajamanickam, Boman, Khan, Pothen 2012",
    ),
    Algorithm(
        name="p-hopcroft-karp",
        kind="exact",
        function="methods.augmenting.p_hopcroft_karp:p_hopcroft_karp",
        summary="Hopcroft–Karp whose threads share levels, and claim the rows of their paths",
        bound="O(√n·m)",
        threads=True,
        deterministic=False,
        paper="Azad, Halappanavar, Rajamanickam, Boman, Khan, Pothen 2012",
    ),
    Algorithm(
        name="p-push-relabel",
        kind="exact",
        function="methods.push_relabel.p_push_relabel:p_push_relabel",
        summary="push–relabel by threads with queues of their own",
        bound="O(n·m)",
        threads=True,
        deterministic=False,
        paper="Langguth, Azad, Halappanavar, Manne 2014",
        options=(
            Option(
                "relabel_frequency",
                0.0,
                "global relabels in as many pushes as there are vertices; 0: 2 a thread, up to 16",
            ),
            Option("queue_limit", 500, "active rows that a thread takes at a time", 1),
        ),
    ),
    Algorithm(
        name="ms-bfs",
        kind="exact",
        function="methods.augmenting.ms_bfs_graft:ms_bfs",
        summary="breadth-first search from all unmatched rows at once",
        bound="O(n·m)",
        threads=True,
        deterministic=False,
        paper="Azad, Buluç, Pothen 2015",
    ),
    Algorithm(
        name="ms-bfs-do",
        kind="exact",
        function="methods.augmenting.ms_bfs_graft:ms_bfs_do",
        summary="MS-BFS that goes bottom-up where the frontier is large",
        bound="O(n·m)",
        threads=True,
        deterministic=False,
        paper="Azad, Buluç, Pothen 2015",
        options=(_ALPHA,),
    ),
    Algorithm(
        name="ms-bfs-graft",
        kind="exact",
        function="methods.augmenting.ms_bfs_graft:ms_bfs_graft",
        summary="breadth-first search from all unmatched rows that keeps its trees by grafting",
        bound="O(n·m)",
        threads=True,
        deterministic=False,
        paper="Azad, Buluç, Pothen 2015",
        options=(
            _ALPHA,
            Option("direction_optimising", True, "go bottom-up where the frontier is large"),
            Option("grafting", True, "keep active trees from phase to phase"),
        ),
    ),
    Algorithm(
        name="push-relabel",
        kind="exact",
        function="methods.push_relabel.push_relabel:push_relabel",
        summary="unmatched rows take columns from others, led by labels; no augmenting paths",
        bound="O(n·m)",
        threads=False,
        deterministic=True,
        paper="Deveci, Kaya, Uçar, Çatalyürek 2013; Cherkassky et al. 1998",
        options=(
            Option("relabel_every", 0.5, "pushes between global relabels, per vertex", 0.001),
            Option("gap_relabelling", True, "give up columns above a label that has died out"),
        ),
    ),
    Algorithm(
        name="mixed",
        kind="exact",
        function="methods.combined.mixed:mixed",
        summary="SS-BFS, short searches first, on a budget; then Pothen–Fan or push-relabel",
        bound="O(n·m)",
        threads=True,
        deterministic=False,
        paper="Azad, Buluç, Pothen 2015; Deveci, Kaya, Uçar, Çatalyürek 2013",
        options=(Option("effort", 3.0, "edges that SS-BFS may look at, times those there are"),),
    ),
    Algorithm(
        name="out-of-core",
        kind="exact",
        function="solve.out_of_core:out_of_core",
        summary="edges read from disk in order; those that a search lacked are kept in memory",
        bound="O(n²·m)",
        threads=True,
        deterministic=False,
        paper="after Abello, Buchsbaum, Westbrook 2002",
        options=(
            Option("window", 0, "edges read at a time; 0: 32 MiB of them"),
            Option("kept", 0, "edges kept in memory, in all; 0: by half of what is free"),
        ),
    ),
    *(
        Algorithm(
            name=f"{driver}-{bfs}-{shape}",
            kind="exact",
            function=f"methods.augmenting.apfb:{driver}_{bfs.replace('-', '_')}_{shape}",
            summary=f"{what}{roots}; {threads}",
            bound="O(n³ + n·m)",
            threads=True,
            deterministic=False,
            paper=_ON_GPU,
            devices=("cpu", "cuda"),
        )
        for driver, what in (
            ("apfb", "paths of all lengths, turned over at once and repaired"),
            ("apsb", "shortest paths, turned over at once and repaired"),
        )
        for bfs, roots in (("gpubfs", ""), ("gpubfs-wr", ", a tree stops at its first"))
        for shape, threads in (("ct", "threads that stride"), ("mt", "a thread a row"))
    ),
    *(
        Algorithm(
            name=f"apfb-{form}",
            kind="exact",
            function=f"methods.augmenting.apfb_queue:apfb_{form}",
            summary=f"APFB whose levels are queues and whose trees are disjoint{more}",
            bound="O(n·m)",
            threads=True,
            deterministic=False,
            paper=f"after {_ON_GPU}",
            devices=("cpu", "cuda"),
        )
        for form, more in (("queue", ""), ("split", "; long rows are shared out"))
    ),
    *(
        Algorithm(
            name=f"g-pr-{form}",
            kind="exact",
            function=f"methods.push_relabel.g_pr:g_pr_{form}",
            summary=f"push–relabel without atomics: {what}",
            bound="O(n²·m)",
            threads=True,
            deterministic=False,
            paper="Deveci, Kaya, Uçar, Çatalyürek 2013 (ICPP)",
            devices=("cpu", "cuda"),
            options=_G_PR,
        )
        for form, what in (
            ("first", "a launch goes over all rows"),
            ("noshr", "a launch goes over a list of active rows"),
            ("shr", "the list is made dense now and then"),
        )
    ),
    Algorithm(
        name="single-pass",
        kind="greedy",
        function="methods.greedy.single_pass:single_pass",
        summary="every vertex claims its first free neighbour by compare-and-swap",
        bound="O(n + m)",
        threads=True,
        deterministic=False,
        paper="after Blelloch, Fineman, Shun 2012",
        devices=("cpu", "cuda"),
    ),
    Algorithm(
        name="random",
        kind="greedy",
        function="methods.greedy.one_by_one:random",
        summary="every vertex, in random order, takes a random free neighbour (Algorithm 1)",
        bound="O(n + m)",
        threads=False,
        deterministic=True,
        paper=_GREEDY,
        options=(_PERMUTE,),
    ),
    Algorithm(
        name="weighted",
        kind="greedy",
        function="methods.greedy.one_by_one:weighted",
        summary="every vertex, in random order, takes its heaviest free neighbour (Algorithm 1)",
        bound="O(n + m)",
        threads=False,
        deterministic=True,
        paper=_GREEDY,
        options=(_PERMUTE,),
    ),
    Algorithm(
        name="sorted",
        kind="greedy",
        function="methods.greedy.sorted_edges:sorted_edges",
        summary="edges by decreasing weight, each whose ends are free; ½-approximate (Algorithm 2)",
        bound="O(n + m)",
        threads=True,
        deterministic=True,
        paper=_GREEDY,
    ),
    Algorithm(
        name="proposals",
        kind="greedy",
        function="methods.greedy.proposals:proposals",
        summary="blue vertices propose to red ones, which respond, in rounds (Algorithm 3)",
        bound="O(m·log n)",
        threads=True,
        deterministic=True,
        paper=_GREEDY,
        devices=("cpu", "cuda"),
        options=(_PERMUTE, _P),
    ),
    Algorithm(
        name="weighted-proposals",
        kind="greedy",
        function="methods.greedy.proposals:weighted_proposals",
        summary="proposals to the heaviest neighbour, and the heaviest proposal is taken",
        bound="O(m·log n)",
        threads=True,
        deterministic=True,
        paper=_GREEDY,
        devices=("cpu", "cuda"),
        options=(_PERMUTE, _P),
    ),
    Algorithm(
        name="suitor",
        kind="greedy",
        function="methods.greedy.suitor:suitor",
        summary="vertices propose and are dislodged by heavier proposals; the matching of sorted",
        bound="O(Δ·m)",
        threads=True,
        deterministic=True,
        paper="Manne, Halappanavar 2014",
        devices=("cpu", "cuda"),
    ),
    Algorithm(
        name="locally-dominant",
        kind="greedy",
        function="methods.greedy.locally_dominant:locally_dominant",
        summary="edges that are the heaviest at both ends, until none is left; as sorted",
        bound="O(Δ·m)",
        threads=True,
        deterministic=True,
        paper="Preis 1999; Manne, Bisseling 2007",
        devices=("cpu", "cuda"),
    ),
    Algorithm(
        name="global-paths",
        kind="greedy",
        function="methods.greedy.global_paths:global_paths",
        summary="grow paths and even cycles by decreasing weight, then match each best",
        bound="O(n + m)",
        threads=True,
        deterministic=True,
        paper="Maue, Sanders 2007",
    ),
)


@cache
def algorithms(kind: Kind | None = None) -> tuple[Algorithm, ...]:
    """List the algorithms, or those of one kind.

    Examples
    --------
    >>> import berge
    >>> [a.name for a in berge.algorithms("start")][:4]
    ['none', 'cheap', 'karp-sipser', 'cheap-random']
    """
    return tuple(a for a in _ALGORITHMS if kind is None or a.kind == kind)


@cache
def _by_name(kind: Kind) -> dict[str, Algorithm]:
    return {a.name: a for a in algorithms(kind)}


def find(kind: Kind, name: Any) -> Algorithm:
    """Return the algorithm of that kind and name."""
    choice = _by_name(kind)
    if name in choice:
        return choice[name]
    argument = {"start": "init", "exact": "algorithm", "greedy": "method"}[kind]
    hint = did_you_mean(name, choice)
    raise OptionError(f"{argument} {name!r} is not one of auto, {', '.join(choice)}{hint}")


def check_call(algorithm: Algorithm, device: Any, seed: Any, time_limit: Any) -> None:
    """Check what every pipeline is called with; a device that is asked for must be there."""
    if device not in _DEVICES:
        raise DeviceError(f"device must be one of {', '.join(_DEVICES)}, not {device!r}")
    if device not in algorithm.devices:
        raise DeviceError(
            f"device {device!r}: {algorithm.name} runs on {', '.join(algorithm.devices)} only"
        )
    if device != "cpu":
        from ..compile.device import open_device

        open_device(device)
    check_numbers(seed, time_limit)


def check_numbers(seed: Any, time_limit: Any) -> None:
    """Check the numbers that every pipeline takes."""
    if time_limit is not None and not time_limit >= 0:
        raise OptionError(f"time_limit must be a number of seconds ≥ 0, not {time_limit!r}")
    if not isinstance(seed, Integral) or seed < 0:
        raise OptionError(f"seed must be a whole number ≥ 0, not {seed!r}")


def check_options(
    exact: Algorithm, start: Algorithm, given: Mapping[str, Any], keywords: Iterable[str] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Sort options out between an exact algorithm and its start, each checked.

    Where one is not known, a similar one is named; the caller's own `keywords` are looked at too.
    """
    checked: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for name, value in given.items():
        for algorithm, options in zip((exact, start), checked, strict=True):
            for option in algorithm.options:
                if option.name == name:
                    options[name] = option.check(value)
        if not any(name in options for options in checked):
            known = [option.name for a in (exact, start) for option in a.options]
            hint = did_you_mean(name, [*known, *keywords])
            raise OptionError(
                f"{exact.name} with start {start.name} has no option {name!r}; "
                f"it has {', '.join(known) or 'none'}{hint}"
            )
    return checked
