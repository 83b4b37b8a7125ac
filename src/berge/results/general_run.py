"""What an algorithm for general graphs works on: the graph, the matching so far, when to stop.

As in `berge.results.run`, the matching is valid whenever no kernel is running.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graphs.graph import Graph, IndexArray, unsigned
from ..graphs.owned import sealed
from ..graphs.workspace import Empty
from .general_matching import GeneralMatching
from .matching import SolveStats
from .tutte_berge import TutteBerge
from .under_way import UnderWay

__all__ = ["GeneralRun"]


@dataclass
class GeneralRun(UnderWay):
    """One exact solve of a general graph under way.

    Attributes
    ----------
    graph, mate, cardinality
        The problem and the matching so far; algorithms change all but the graph in place.
    upper_bound
        No matching is larger: an algorithm may stop as soon as it is reached.
    settled
        Of each vertex 0, or what a start has found out: no augmenting path leads through those that
        are INNER, in the Tutte–Berge set, or OUTER, parts of their own.
    proof
        A Tutte–Berge set that the algorithm came upon.
    empty
        Makes arrays to work on, like `np.empty`; they are gone when the run is over.
    """

    graph: Graph
    mate: IndexArray
    cardinality: int
    threads: int
    seed: int
    stats: SolveStats
    step: str = "init"
    upper_bound: int = 0
    settled: Any = None
    proof: TutteBerge | None = None
    empty: Empty = np.empty

    def __post_init__(self) -> None:
        self.seconds = self.stats.seconds
        indptr = self.graph.indptr
        self.upper_bound = int(np.count_nonzero(indptr[1:] != indptr[:-1])) // 2

    @property
    def done(self) -> bool:
        """Whether the matching is as large as any can be."""
        return self.cardinality == self.upper_bound

    @property
    def rows(self) -> tuple[Any, Any]:
        """``indptr, indices`` as kernels take them."""
        return unsigned(self.graph.indptr), unsigned(self.graph.indices)

    def pause(self) -> None:
        """Report progress, and stop if time is up. Called between kernels."""
        self.tell(self.step, self.stats.phases, self.cardinality, self.upper_bound)
        super().pause()

    def result(self) -> GeneralMatching:
        """Return the matching, with an upper bound if it was stopped."""
        self.stats.stopped = self.stopped
        self.cardinality = int(np.count_nonzero(self.mate >= 0)) // 2
        bound = self.upper_bound if self.stopped else self.cardinality
        matching = GeneralMatching(
            sealed(self.mate), upper_bound=bound, stats=self.stats, labels=self.graph.labels
        )
        matching._proof = self.proof
        self.seconds["total"] = self.elapsed
        return matching
