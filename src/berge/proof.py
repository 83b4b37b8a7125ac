"""Certificates and their checkers.

This module imports nothing from the solvers, and `verify` uses numpy alone: what it accepts is
true whatever the compiled code did. A certificate is a vertex cover of the matching's size. Any
cover needs a vertex of its own for every matching edge, so no matching is larger than a cover, and
equal sizes prove both to be best possible (Kőnig 1931).

`koenig_cover` finds the cover: from the unmatched rows follow any edge to a column and the matching
edge back to a row. The cover is every row not reached and every column reached. (A matched pair is
reached whole or not at all, so it gives one vertex to the cover; unmatched rows are reached and
give none; an unmatched column that is reached would end an augmenting path.)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import ProofError
from .graph import BipartiteGraph
from .matching import Matching

__all__ = ["Certificate", "koenig_cover", "verify"]

_CHUNK = 1 << 20  # edges checked at a time, so that the checker's memory stays small


@dataclass(frozen=True)
class Certificate:
    """A vertex cover as large as a matching: the proof that the matching is maximum.

    Attributes
    ----------
    rows, cols
        Boolean masks: which rows and which columns are in the cover.
    """

    rows: npt.NDArray[np.bool_]
    cols: npt.NDArray[np.bool_]

    @property
    def size(self) -> int:
        """Number of vertices in the cover."""
        return int(np.count_nonzero(self.rows) + np.count_nonzero(self.cols))

    def __repr__(self) -> str:
        rows, cols = int(np.count_nonzero(self.rows)), int(np.count_nonzero(self.cols))
        return f"Certificate(a vertex cover of size {rows + cols}: {rows} rows, {cols} columns)"


def verify(graph: Any, matching: Matching, certificate: Certificate | None = None) -> None:
    """Check a matching, and with a certificate that it is maximum; return only if all is right.

    Checks that both arrays agree (so the edges are disjoint), that every pair is an edge of the
    graph, that the cover touches every edge, and that it is as large as the matching. O(vertices +
    edges), in numpy alone.

    Raises
    ------
    ProofError
        Names the first thing that is wrong.

    Examples
    --------
    >>> import berge
    >>> A = berge.generate.chain(5)
    >>> m = berge.maximum_matching(A)
    >>> berge.verify(A, m, m.prove(A))
    """
    from .ingest import as_bipartite

    graph = as_bipartite(graph)
    _check_pairs(graph, matching)
    if certificate is not None and (certificate.rows.size, certificate.cols.size) != graph.shape:
        raise ProofError(
            f"the cover is for {certificate.rows.size} × {certificate.cols.size} vertices, "
            f"the graph has {graph.n_rows} × {graph.n_cols}"
        )
    has_edge = np.zeros(graph.n_rows, np.bool_)
    for first, last in _row_chunks(graph):
        entries = slice(graph.indptr[first], graph.indptr[last])
        cols = graph.indices[entries]
        rows = np.repeat(np.arange(first, last), np.diff(graph.indptr[first : last + 1]))
        has_edge[rows[cols == matching.row_match[rows]]] = True
        if certificate is not None:
            covered = certificate.rows[rows] | certificate.cols[cols]
            if not covered.all():
                k = int(np.argmin(covered))
                raise ProofError(f"the edge of row {rows[k]} and column {cols[k]} is not covered")
    missing = np.flatnonzero((matching.row_match >= 0) & ~has_edge)
    if missing.size:
        i = int(missing[0])
        raise ProofError(f"row {i} is matched to column {matching.row_match[i]}, not a neighbour")
    if certificate is not None and certificate.size != matching.cardinality:
        raise ProofError(
            f"the cover has {certificate.size} vertices and the matching "
            f"{matching.cardinality} edges: not a proof that it is maximum"
        )


def koenig_cover(graph: BipartiteGraph, matching: Matching) -> Certificate:
    """Find the cover that proves a maximum matching; for any other matching, raise ProofError."""
    _check_pairs(graph, matching)
    rows = np.zeros(graph.n_rows, np.bool_)
    cols = np.zeros(graph.n_cols, np.bool_)
    queue = np.empty(graph.n_rows, graph.indices.dtype)
    unmatched = matching.unmatched_rows
    queue[: unmatched.size] = unmatched
    rows[unmatched] = True
    end = _reach(graph.indptr, graph.indices, matching.col_match, rows, cols, queue, unmatched.size)
    if end >= 0:
        raise ProofError(
            f"not maximum: an augmenting path leads from an unmatched row to column {end}"
        )
    return Certificate(rows=~rows, cols=cols)


def _check_pairs(graph: BipartiteGraph, matching: Matching) -> None:
    """Check sizes and ranges, and that the two arrays are inverse to each other."""
    if (matching.n_rows, matching.n_cols) != graph.shape:
        raise ProofError(
            f"the matching is for {matching.n_rows} × {matching.n_cols} vertices, "
            f"the graph has {graph.n_rows} × {graph.n_cols}"
        )
    sides = (
        ("row", "column", matching.row_match, matching.col_match),
        ("column", "row", matching.col_match, matching.row_match),
    )
    for side, other, match, back in sides:
        bad = np.flatnonzero((match < -1) | (match >= back.size))
        if bad.size:
            raise ProofError(f"{side} {bad[0]} is matched to {other} {match[bad[0]]}: out of range")
        matched = np.flatnonzero(match >= 0)
        bad = matched[back[match[matched]] != matched]
        if bad.size:
            i = int(bad[0])
            raise ProofError(
                f"{side} {i} is matched to {other} {match[i]}, which is matched to {back[match[i]]}"
            )


def _row_chunks(graph: BipartiteGraph) -> list[tuple[int, int]]:
    """Cut the rows into runs of about _CHUNK edges."""
    cuts = np.searchsorted(graph.indptr, np.arange(0, graph.nnz, _CHUNK), side="left")
    bounds = np.unique(np.concatenate([[0], cuts, [graph.n_rows]]))
    return [(int(a), int(b)) for a, b in pairwise(bounds)]


def _reach(*arrays: Any) -> int:
    """Compile the search below and call it; `verify` must not need the compiler, so only here."""
    global _compiled_reach
    if _compiled_reach is None:
        from .spmd import kernel

        _compiled_reach = kernel(_reach_from_queue)
    return int(_compiled_reach(*arrays))


_compiled_reach: Any = None


def _reach_from_queue(
    indptr: Any, indices: Any, col_match: Any, rows: Any, cols: Any, queue: Any, tail: int
) -> int:
    """Mark what alternating paths reach from the queued rows; return an unmatched column or −1."""
    head = 0
    while head < tail:
        row = queue[head]
        head += 1
        for k in range(indptr[row], indptr[row + 1]):
            col = indices[k]
            if not cols[col]:
                cols[col] = True
                mate = col_match[col]
                if mate < 0:
                    return int(col)
                rows[mate] = True
                queue[tail] = mate
                tail += 1
    return -1
