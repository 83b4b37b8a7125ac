"""Depth-first searches on trial: before anything else, whether Pothen–Fan had better begin.

Some graphs are made for depth-first search with lookahead: on optimisation problems in the order in
which a program wrote them, one phase finds all paths. Searches with limits find them too, but
destroy the order that makes it so: after 1/512 of a pass over the edges, Pothen–Fan takes four
phases more. So it must be tried first. It searches from the first unmatched rows until a
``TRIED_PART`` of the edges were read, and what it has matched is taken back.

If some of its searches were in vain, that is all. Else, on several threads, it begins if the graph
is a mesh of small degree: its edges soon lead back to columns that were seen (`news`). Threads
share that well, where they hardly share anything else. Otherwise as many edges are read by searches
with limits. If these take ``DEEPER`` times as many edges a path, they are taken back too, and
Pothen–Fan begins, on one thread, to keep the order. If not, they go on as if nothing had been.

Work: a ``TRIED_PART`` of a pass for each kind, but that a depth-first search goes on to its end;
filling an index a row and a byte a column; a copy of the matching, if both kinds are tried. Memory:
that.

The indices of the graph may be the caller's, who may change them meanwhile (`BorrowedGraph`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import kernel
from ...results.run import Run
from ...tuning import (
    ALL_FOUND,
    CHUNK_OF_ROOTS,
    DEEPER,
    MESH_DEGREE,
    MESH_NEWS,
    PROBE_EDGES,
    PROBES,
    ROWS_SHARED_PHASES,
    SHARED_PHASES,
    SMALL_GRAPH,
    TRIED_LEAST,
    TRIED_PART,
    TRIED_ROOTS,
)
from ..augmenting import depth_first
from ..augmenting.roots import BATCH, NEXT
from ..counters import EDGES, PATHS, new_tally
from .budgeted import FOUND, HIDDEN, NUMBER, READ, SEARCHES, Arrays, search_with_limits

__all__ = ["try_depth_first"]


def try_depth_first(run: Run, search: Arrays) -> int:
    """Return on how many threads Pothen–Fan is to begin; 0 if searches with limits are to go on.

    These have not begun. The matching is as it was, or as they have left it.
    """
    (n_rows, n_cols), edges = run.graph.shape, run.graph.nnz
    few = run.threads == 1 or edges < SHARED_PHASES or n_rows < ROWS_SHARED_PHASES
    if few and max(n_rows, n_cols, edges) <= SMALL_GRAPH:
        return 0  # as in the one compiled call for small graphs
    if search.roots.size < max(1, TRIED_ROOTS * n_rows):
        return 0
    part = max(int(TRIED_PART * edges), TRIED_LEAST)
    with run.timed("search"):
        read, found, tried = search_depth_first(run, search, part)
        take_back(search.roots[:tried], search.cols[0], run.row_match, run.col_match)
    run.stats.traversed_edges += read
    if found < ALL_FOUND * tried:
        return 0
    if not few and edges <= MESH_DEGREE * n_rows and news(search) < MESH_NEWS:
        return run.threads
    before = run.empty(n_rows, run.row_match.dtype), run.empty(n_cols, run.col_match.dtype)
    put_back(run.row_match, run.col_match, *before)
    begun = run.cardinality
    if search_with_limits(run, search, part):
        return 0
    if search.state[READ] * found < DEEPER * read * search.state[FOUND]:
        return 0
    put_back(*before, run.row_match, run.col_match)
    run.cardinality = begun
    return 1


def search_depth_first(run: Run, search: Arrays, part: int) -> tuple[int, int, int]:
    """Search until a part of the edges was read; return these, the paths found, the roots tried.

    Works in memory that the other searches have not come to use yet.
    """
    level = run.empty(run.graph.n_cols, np.uint8)
    level.fill(1)
    search.parent[0].fill(0)
    a = depth_first.Arrays(
        search.indptr,
        search.indices,
        run.row_match,
        run.col_match,
        level=level,
        ahead=search.parent[0],
        tried=search.via[0],
        above=search.queue[0].view(search.parent.dtype),
        private=np.empty((1, 0), search.parent.dtype),
        state=np.zeros(8, np.int64),
        tally=new_tally(1),
    )
    a.state[BATCH] = CHUNK_OF_ROOTS
    while a.state[NEXT] < search.roots.size and a.tally[0, EDGES] < part:
        depth_first.search_and_augment(
            1, a, search.roots, depth_first.ANY, True, False, part - int(a.tally[0, EDGES])
        )
    return int(a.tally[0, EDGES]), int(a.tally[0, PATHS]), int(a.state[NEXT])


@kernel
def take_back(roots: Any, cols: Any, row_match: Any, col_match: Any) -> None:
    """Undo the paths from some roots, which have no vertex in common, as `cols` has it.

    In one call: Ctrl-C comes before it or after it.
    """
    for root in roots:
        y = np.int64(row_match[root])
        row_match[root] = -1
        while y >= 0:
            x = np.int64(cols[2 * y + 1])
            col_match[y] = x
            if x < 0:
                break  # the free column at the end
            below = np.int64(row_match[x])
            row_match[x] = y
            y = below


@kernel
def put_back(rows: Any, cols: Any, row_match: Any, col_match: Any) -> None:
    """Copy a matching, in one call for the same reason."""
    row_match[:] = rows
    col_match[:] = cols


@kernel
def news(a: Any) -> float:
    """Return which part of the edges read from some rows on lead to columns not seen before.

    Nearly all do in random graphs, two thirds of them or fewer in meshes. Each of the searches from
    some ``PROBES`` rows, matched or not, reads up to ``PROBE_EDGES`` edges. They have numbers of
    their own, and change nothing but marks.
    """
    indptr, indices, row_match = a.indptr, a.indices, a.row_match
    cols, queue = a.cols[0], a.queue[0]
    n_rows, n_cols = row_match.size, np.uint64(a.col_match.size)
    edges = new = 0
    if a.state[NUMBER] + PROBES >= a.state[HIDDEN]:
        return 1.0  # there are no numbers left
    for probe in range(PROBES):
        a.own[0, SEARCHES] += 1
        number = a.own[0, SEARCHES]
        queue[0] = first = n_rows * probe // PROBES
        if row_match[first] >= 0:
            cols[2 * np.int64(row_match[first])] = number  # so that no row comes twice
        head: Any = np.int64(0)
        tail: Any = np.int64(1)
        read = 0
        while head < tail and read < PROBE_EDGES:
            x = queue[head]
            head += 1
            for k in range(np.int64(indptr[x]), np.int64(indptr[x + 1])):
                column = indices[np.uint64(k)]
                y = np.int64(column)
                if column >= n_cols or y == row_match[x]:
                    continue
                read += 1
                if cols[2 * y] < number:
                    cols[2 * y] = number
                    new += 1
                    if cols[2 * y + 1] >= 0:
                        queue[tail] = cols[2 * y + 1]
                        tail += 1
        edges += read
    return new / max(edges, 1)
