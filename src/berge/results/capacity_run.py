"""What an algorithm for capacities works on: the graph, the units, the choice so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..graphs.graph import BipartiteGraph, IndexArray
from .under_way import UnderWay

__all__ = ["CapacityRun", "CapacityStats"]


@dataclass
class CapacityStats:
    """What happened during a solve.

    Attributes
    ----------
    algorithm
        The algorithm that ran.
    start_cardinality
        Edges that the start chose.
    phases, paths, edges
        Rounds of searches, augmenting paths found, edges looked at.
    seconds
        Seconds by step.
    stopped
        Why it ended early, or None.
    """

    algorithm: str = ""
    start_cardinality: int = 0
    phases: int = 0
    paths: int = 0
    edges: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    stopped: str | None = None


@dataclass(kw_only=True)
class CapacityRun(UnderWay):
    """One solve with capacities under way.

    Attributes
    ----------
    graph
        Rows and columns; no pair is there twice.
    row_capacity, col_capacity, row_least, col_least
        How many edges of a vertex may be chosen, and must be.
    chosen
        For every edge, whether it is; never more of a vertex than it may have.
    cardinality
        How many are.
    upper_bound
        No choice is larger.
    cover
        Rows and columns that prove the choice to be the largest, once it is.
    short
        Rows, or columns, that cannot have as many edges as they must, and all that they are joined
        to by edges that could be chosen: (side, members, choices).
    """

    graph: BipartiteGraph
    row_capacity: IndexArray
    col_capacity: IndexArray
    row_least: IndexArray
    col_least: IndexArray
    chosen: npt.NDArray[np.bool_]
    cardinality: int = 0
    upper_bound: int = 0
    cover: tuple[Any, Any] | None = None
    short: tuple[str, Any, Any] | None = None
    stats: CapacityStats = field(default_factory=CapacityStats)

    def __post_init__(self) -> None:
        self.seconds = self.stats.seconds
        graph = self.graph
        self.upper_bound = min(
            int(np.minimum(units, degrees).sum())
            for units, degrees in (
                (self.row_capacity, graph.row_degrees),
                (self.col_capacity, graph.col_degrees),
            )
        )

    def pause(self) -> None:
        """Report progress, and stop if time is up. Called between kernels."""
        self.tell("search", self.stats.phases, self.cardinality, self.upper_bound)
        super().pause()
