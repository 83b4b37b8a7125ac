"""What an algorithm works on: the graph, the matching so far, and when to stop.

The matching in a `Run` is valid whenever no kernel is running, so a run may stop between any two
kernels. Kernels therefore return after a stated number of edges (`EDGES_PER_CALL` in
`berge.tuning`) and are called again. Time limits and Ctrl-C take effect in `Run.pause`, between
the calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from ..graphs.graph import BipartiteGraph, IndexArray, unsigned
from ..graphs.memory import solve_bytes
from ..graphs.owned import sealed
from ..graphs.workspace import Empty, Workspace
from ..tuning import LARGE
from .matching import Matching, SolveStats
from .under_way import PhaseReport, Stop, UnderWay

if TYPE_CHECKING:
    from ..compile.device import Device
    from .proof import Certificate

__all__ = ["PhaseReport", "Run", "Stop"]


@dataclass
class Run(UnderWay):
    """One exact solve under way.

    Attributes
    ----------
    graph, row_match, col_match, cardinality
        The problem and the matching so far; algorithms change all but the graph in place.
    upper_bound
        No matching is larger: an algorithm may stop as soon as it is reached.
    device
        Name of the device for algorithms that run on more than one.
    cover
        A vertex cover that the algorithm came upon, where finding it again takes long.
    reached
        Flags of the columns that searches from unmatched rows reached in vain, if that is all that
        can be reached from them.
    empty
        Makes arrays to work on, like `np.empty`; they are gone when the run is over.
    owns_graph
        Whether the graph and its transpose are gone then too.
    within
        The share that the upper bound may be above the matching, if that is enough; else 0.
    """

    graph: BipartiteGraph
    row_match: IndexArray
    col_match: IndexArray
    cardinality: int
    threads: int
    seed: int
    stats: SolveStats
    step: str = "init"
    upper_bound: int = 0
    device: str = "cpu"
    cover: Certificate | None = None
    reached: npt.NDArray[np.bool_] | None = None
    empty: Empty = np.empty
    owns_graph: bool = False
    within: float = 0.0

    def __post_init__(self) -> None:
        self._given = self.graph, self.row_match, self.col_match
        self.seconds = self.stats.seconds
        self.upper_bound = min(self.graph.nonempty_rows, self.graph.n_cols)

    @property
    def done(self) -> bool:
        """Whether the matching is as large as any can be."""
        return self.cardinality == self.upper_bound

    def own_graph(self) -> None:
        """Copy the graph if it is the caller's; kernels that trust indices come next."""
        if self.graph.is_borrowed:
            with self.timed("copy"):
                self.graph = self.graph.owned(self.empty)

    def transpose(self) -> BipartiteGraph:
        """Return the transposed graph; the first call builds it and may lower the upper bound."""
        graph, empty = self.graph, (self.empty,) if self.owns_graph else ()
        if graph.has_transpose:
            transpose = graph.T
        else:
            with self.timed("transpose"):
                transpose = graph._transposed(self.threads, *empty)
        self.upper_bound = min(self.upper_bound, transpose.nonempty_rows)
        return transpose

    def open_device(self, *, edges: int, rows: int, cols: int, more: int = 0) -> Device:
        """Open the device, which needs room for so many indices an edge, row and column.

        The graph and the matching are among them; `more` is in bytes.
        """
        from ..compile.devices import open_device

        if self.on_device:  # graph and matching lie there already
            device: Device = cast("Any", self.graph).device
            edges, rows, cols = edges - 1, rows - 2, cols - 1
        else:
            device = open_device(self.device, self.threads)
        n_rows, n_cols = self.graph.shape
        index, pointer = self.graph.indices.dtype.itemsize, self.graph.indptr.dtype.itemsize
        indices = edges * self.graph.nnz + rows * n_rows + cols * n_cols
        device.require(indices * index + edges * n_rows * (pointer - index) + more)
        return device

    @contextmanager
    def workspace(self, *, owns_graph: bool) -> Iterator[None]:
        """Work in memory that is kept for the next call, if the graph is large enough for that.

        The transpose goes there too, if the graph is the run's own.
        """
        graph = self.graph
        space = graph._space
        if space is None:
            if graph.nnz < LARGE or self.on_device or graph.on_disk:
                yield
                return
            space = Workspace(solve_bytes(graph.shape, graph.nnz))
        with space:
            self.empty, self.owns_graph = space.empty, owns_graph
            yield

    def swap_sides(self) -> None:
        """Make rows columns and columns rows: the search then begins at unmatched columns."""
        self.graph = self.transpose()
        self.row_match, self.col_match = self.col_match, self.row_match

    def pause(self) -> None:
        """Report progress, and stop if time is up. Called between kernels."""
        self.tell(self.step, self.stats.phases, self.cardinality, self.upper_bound)
        super().pause()

    def end_phase(self, gained: int) -> None:
        """Count a phase and what it added to the matching, then pause."""
        self.stats.phases += 1
        self.cardinality += gained
        self.pause()

    @property
    def on_device(self) -> bool:
        """Whether graph and matching are arrays of a device (`berge.results.on_device`)."""
        return not isinstance(self.graph, BipartiteGraph)

    def unmatched_rows(self) -> Any:
        """Return the unmatched rows that have an edge, as a new array."""
        from ..graphs.passes import list_unmatched

        graph: Any = self.graph
        row_match, indptr = self.row_match, graph.indptr
        if self.on_device:
            row_match, indptr = (graph.device.download(array) for array in (row_match, indptr))
        rows = self.empty(row_match.size + 1, graph.indices.dtype)
        return rows[: list_unmatched(unsigned(indptr), row_match, rows)].copy()

    def result(self) -> Matching:
        """Return the matching, with an upper bound: what either side allows, if it was stopped."""
        graph: Any
        graph, row_match, col_match = self._given
        self.stats.stopped = self.stopped
        bound = min(self.upper_bound, self.graph.nonempty_cols) if self.stopped else 0
        if self.within and self.cover is not None:
            bound = self.cover.size
        if self.on_device:
            matching: Matching = graph.result(row_match, col_match, bound, self.stats)
        else:
            matching = Matching(
                sealed(row_match),
                sealed(col_match),
                upper_bound=min(graph.shape),  # until its edges are counted
                stats=self.stats,
                row_labels=graph.row_labels,
                col_labels=graph.col_labels,
            )
            matching.upper_bound = max(bound, matching.cardinality)
            matching._cover = self.cover
            if self.reached is not None:
                matching._reached = self.reached, self.row_match is col_match
            matching.source = getattr(graph, "source", None)
        self.seconds["total"] = self.elapsed
        return matching
