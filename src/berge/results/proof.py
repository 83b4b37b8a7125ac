"""Certificates and their checkers.

A certificate is a vertex cover of the matching's size: no matching is larger than a cover, so equal
sizes prove both to be best possible (Kőnig 1931). What is right is for `berge.checker` to say, in
numpy alone, whatever compiled code did. `verify` hands it the arrays of the graph.

`koenig_cover` finds the cover: from the unmatched rows follow any edge to a column and the matching
edge back to a row. The cover is every row not reached and every column reached. It is as large as
the matching. A matched pair is reached whole or not at all, so it gives one vertex to the cover.
Unmatched rows are reached and give none. Unmatched columns are not reached, since one would end an
augmenting path, and give none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..checker.check import (
    check_matching,
    check_mates,
    check_sizes,
    copy_of,
    edges_of_rows,
    ends_of,
)
from ..checker.general import check_general
from ..errors import InvalidMatchingError, ProofError
from ..graphs.graph import BipartiteGraph, Graph, IndexArray
from ..graphs.names import named

if TYPE_CHECKING:
    from .greedy_matching import GreedyMatching
    from .matching import Matching

__all__ = ["Certificate", "chunks", "is_maximal", "koenig_cover", "verify", "verify_greedy"]

_CHUNK = 1 << 20  # edges checked at a time, so that the checker's memory stays small
_REACHED, _DONE = 1, 2  # a row of which edges are to be followed, and where they have been


@dataclass(frozen=True)
class Certificate:
    """A vertex cover as large as a matching: the proof that the matching is maximum.

    Attributes
    ----------
    rows, cols
        Boolean masks: which rows and which columns are in the cover.
    row_labels, col_labels
        Names of all rows and columns, where `minimum_vertex_cover` got any.
    """

    rows: npt.NDArray[np.bool_]
    cols: npt.NDArray[np.bool_]
    row_labels: Sequence[Any] | None = None
    col_labels: Sequence[Any] | None = None

    def named(self) -> tuple[list[Any], list[Any]]:
        """Return the names of the rows and of the columns; numbers where there are none."""
        return named(self.row_labels, self.rows), named(self.col_labels, self.cols)

    @property
    def size(self) -> int:
        """Number of vertices in the cover."""
        return int(np.count_nonzero(self.rows) + np.count_nonzero(self.cols))

    def __repr__(self) -> str:
        rows, cols = int(np.count_nonzero(self.rows)), int(np.count_nonzero(self.cols))
        return f"Certificate(a vertex cover of size {rows + cols}: {rows} rows, {cols} columns)"


def verify(
    graph: Any, matching: Matching | GreedyMatching, certificate: Certificate | None = None
) -> None:
    """Check a matching, and with a certificate that it is maximum; return only if all is right.

    Checks that both arrays agree (so the edges are disjoint), that every pair is an edge of the
    graph, that the cover touches every edge, and that it is as large as the matching, whose edges
    it counts. For a `GreedyMatching` it checks that mates are neighbours, that size and weight are
    right, and that it is maximal if it says so. The graph is then taken as an undirected one, and
    must have the weights that were matched by. O(vertices + edges).

    All this is done in numpy, on copies (``berge/checker/check.py``, which is short, says what it
    checks). It is done on the arrays of a `BipartiteGraph` or a `Graph`. If the graph is anything
    but ready-made CSR, the code that makes it one is shared with the solvers, and is compiled:
    ``berge verify --independent`` shares nothing, from the file on.

    Raises
    ------
    ProofError
        Names the first thing that is wrong.
    InvalidMatchingError
        If it is no `Matching` and no `GreedyMatching`.

    Examples
    --------
    >>> import berge
    >>> A = berge.generate.chain(5)
    >>> m = berge.maximum_matching(A)
    >>> berge.verify(A, m, m.prove(A))
    """
    from ..ingest import as_bipartite, as_graph
    from .greedy_matching import GreedyMatching

    if isinstance(matching, GreedyMatching):
        if certificate is not None:
            raise ProofError("a vertex cover proves matchings of bipartite graphs only")
        verify_greedy(as_graph(graph), matching)
        return
    if not hasattr(matching, "row_match"):
        raise InvalidMatchingError(
            f"verify takes a Matching or a GreedyMatching, not {type(matching).__name__}"
        )
    graph, matching = as_bipartite(graph), matching.to_host()
    edges = edges_of_rows(graph.indptr, graph.window)
    cover = None if certificate is None else (certificate.rows, certificate.cols)
    size = check_matching(graph.shape, edges, matching.row_match, matching.col_match, cover)
    if matching.cardinality != size:
        raise ProofError(f"the matching has {size} edges, and says it has {matching.cardinality}")


def verify_greedy(graph: Graph, matching: GreedyMatching) -> bool:
    """Check a matching of a general graph, see `verify`; return whether it is maximal."""
    edges = edges_of_rows(graph.indptr, lambda lo, hi: graph.indices[lo:hi], graph.weights)
    size, weight, maximal = check_general(graph.n_vertices, edges, matching.mate)
    if matching.size != size:
        raise ProofError(f"the matching has {size} pairs, and says it has {matching.size}")
    if not np.isclose(weight, matching.weight, rtol=1e-9, atol=0):
        hint = ""
        if graph.weights is None:
            hint = (
                ": the graph has no weights; as_graph(graph, weights=True) has those of its source"
            )
        raise ProofError(f"the matching weighs {weight}, not {matching.weight}{hint}")
    if matching.is_maximal and not maximal:
        raise ProofError("not maximal: an edge has two unmatched ends")
    return maximal


def is_maximal(graph: Graph, mate: IndexArray) -> bool:
    """Tell whether no edge has two unmatched ends; only rows of unmatched vertices are read."""
    unmatched = mate < 0
    vertices = np.flatnonzero(unmatched)
    starts, ends = graph.indptr[vertices].astype(np.int64), graph.indptr[vertices + 1]
    sizes = ends - starts
    # The entries of these rows, one row after the other.
    before = np.concatenate([[0], np.cumsum(sizes)])
    for first, last in chunks(before):
        entries = np.repeat(starts[first:last] - before[first:last], sizes[first:last])
        entries += np.arange(before[first], before[last])
        if unmatched[graph.indices[entries]].any():
            return False
    return True


def koenig_cover(graph: BipartiteGraph, matching: Matching) -> Certificate:
    """Find the cover that proves a maximum matching; for any other matching, raise ProofError."""
    # Compiled code follows these: copies that nobody changes.
    row_match = copy_of("row_match", matching.row_match, "i")
    col_match = copy_of("col_match", matching.col_match, "i")
    check_sizes("the matching", row_match, col_match, graph.shape)
    check_mates("row", "column", row_match, col_match)
    check_mates("column", "row", col_match, row_match)
    col_match = col_match.astype(graph.indices.dtype, copy=False)
    rows = (row_match < 0).astype(np.uint8)
    cols = np.zeros(graph.n_cols, np.bool_)
    runs = chunks(graph.indptr) if graph.on_disk else [(0, graph.n_rows)]
    queue = np.empty(max((last - first for first, last in runs), default=0), graph.indptr.dtype)
    while waiting := [run for run in runs if np.any(rows[slice(*run)] == _REACHED)]:
        for first, last in waiting:
            window = graph.window(int(graph.indptr[first]), int(graph.indptr[last]))
            if graph.on_disk:  # where it may have changed since it was checked
                ends_of("column", window, graph.n_cols)
            end = _reach(graph.indptr, window, first, last, col_match, rows, cols, queue)
            if end >= 0:
                raise ProofError(
                    f"not maximum: an augmenting path leads from an unmatched row to column {end}"
                )
    return Certificate(rows=rows == 0, cols=cols)


def chunks(indptr: npt.NDArray[Any]) -> list[tuple[int, int]]:
    """Cut rows into runs of about _CHUNK entries."""
    n = indptr.size - 1
    cuts = np.searchsorted(indptr, np.arange(0, int(indptr[-1]), _CHUNK), side="left")
    bounds = np.unique(np.concatenate([[0], cuts, [n]]))
    return [(int(a), int(b)) for a, b in pairwise(bounds)]


def _reach(*arrays: Any) -> int:
    """Compile the search below and call it; `verify` must not need the compiler, so only here."""
    global _compiled_reach
    if _compiled_reach is None:
        from ..compile import kernel

        _compiled_reach = kernel(_reach_in_run)
    return int(_compiled_reach(*arrays))


_compiled_reach: Any = None


def _reach_in_run(
    indptr: Any,
    window: Any,
    first: int,
    last: int,
    col_match: Any,
    rows: Any,
    cols: Any,
    queue: Any,
) -> int:
    """Mark what alternating paths reach from rows of a run; return an unmatched column or −1.

    Rows that are reached in another run are left for its turn.
    """
    base = indptr[first]
    head = 0
    tail = 0
    for row in range(first, last):
        if rows[row] == _REACHED:
            queue[tail] = row
            tail += 1
    while head < tail:
        row = queue[head]
        head += 1
        rows[row] = _DONE
        for k in range(indptr[row] - base, indptr[row + 1] - base):
            col = window[k]
            if not cols[col]:
                cols[col] = True
                mate = col_match[col]
                if mate < 0:
                    return int(col)
                if rows[mate] == 0:
                    rows[mate] = _REACHED
                    if mate >= first and mate < last:
                        queue[tail] = mate
                        tail += 1
    return -1
