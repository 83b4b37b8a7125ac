"""What a greedy method works on: the graph, the matching so far, and when to stop.

``mate[v]`` is the vertex that v is matched to, or −1. As in `berge.results.run`, the matching is
valid whenever no kernel is running, and methods pause between kernels, which work on slices of the
vertices with some `EDGES_PER_CALL` entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..compile.device import MT, Device, ItemKernel
from ..graphs.graph import Graph, IndexArray, Weights, equal_shares, unsigned
from ..tuning import EDGES_PER_CALL
from .under_way import UnderWay

__all__ = ["FREE", "GreedyRun"]

FREE = -1


@dataclass
class GreedyRun(UnderWay):
    """One greedy matching under way.

    Attributes
    ----------
    graph, mate
        The graph and the matching so far, which methods change in place.
    device
        Where per-item kernels run.
    fractions
        The fraction of vertices that are matched after every round.
    """

    graph: Graph
    mate: IndexArray
    device: Device
    threads: int
    seed: int
    fractions: list[float] = field(default_factory=list)

    @cached_property
    def weights(self) -> Weights:
        """The weight of every entry; ones where the graph has none."""
        weights = self.graph.weights
        return np.ones(self.graph.indices.size) if weights is None else weights

    @property
    def shared(self) -> np.bool_:
        """Whether several threads work at the same time, so that kernels need atomics."""
        return np.bool_(self.threads > 1 or self.device.name != "cpu")

    @cached_property
    def rows(self) -> tuple[Any, Any]:
        """``indptr, indices`` as kernels take them."""
        return unsigned(self.graph.indptr), unsigned(self.graph.indices)

    def require(self, *arrays: Any, per_vertex: int) -> None:
        """Make sure that the device has room for these arrays and so many bytes a vertex."""
        needed = sum(array.nbytes for array in arrays) + per_vertex * self.graph.n_vertices
        self.device.require(needed)

    def slices(self) -> Iterator[tuple[np.int64, np.int64]]:
        """Cut the vertices into ranges of about EDGES_PER_CALL entries, and pause after each."""
        indptr = self.graph.indptr
        for first, last in pairwise(equal_shares(indptr, 1 + int(indptr[-1]) // EDGES_PER_CALL)):
            if first < last:
                yield first, last
                self.pause()

    def each_vertex(self, kernel: ItemKernel, *arguments: Any) -> None:
        """Do a per-item kernel, whose arguments begin with the item and the first vertex."""
        for first, last in self.slices():
            self.device.launch(kernel, int(last - first), first, *arguments, shape=MT)

    def end_round(self, matched: int) -> None:
        """Note how many vertices are matched, then pause."""
        self.fractions.append(matched / max(self.graph.n_vertices, 1))
        self.pause()

    def pause(self) -> None:
        """Report progress, and stop if time is up. Called between kernels."""
        n = self.graph.n_vertices
        matched = round(self.fractions[-1] * n) // 2 if self.fractions else 0
        self.tell("greedy", len(self.fractions), matched, n // 2)
        super().pause()
