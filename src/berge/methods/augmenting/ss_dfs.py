"""Single-source depth-first search: one unmatched row after the other, each searched from once.

A search goes depth-first over columns it has not visited yet and augments along the first path it
finds. If it finds none, nothing that its tree reaches will ever lie on an augmenting path: the tree
stays hidden from all later searches. A search that succeeds leaves nothing behind.

With lookahead (look for a free column among the neighbours of a row before going deeper; a column
once matched stays matched, so the place where looking stopped is kept for good) this is Duff's
MC21.

Work O(nnz) a search, O(n · nnz) in all; the searches that fail read every edge once, all together.
Memory: three indices a row and one a column. A phase, in the stats, is one search.

- ``visited[y]``: the last search that visited y, counted from 0; −1: none yet; n_rows, which is
  more than any search has: hidden.
- ``ahead[x]``: edges of x that lookahead has passed; their columns are matched for good.
- ``tried[x]``: edges of x that this search has tried.
- ``stack``: from the front, the rows on the path; from the back, the rows that this search has
  given up. No row is in both, so n_rows places are enough.

References: SS-MATCH of A. Azad, A. Buluç, A. Pothen, IPDPS 2015; I. S. Duff, "On algorithms for
obtaining a maximum transversal" and "Algorithm 575: permutations for a zero-free diagonal" (MC21),
ACM TOMS 7, 1981.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import kernel
from ...compile.tuning import EDGES_PER_CALL
from ...graphs.graph import unsigned
from ...results.run import Run
from ..counters import EDGES, PATHS, count_path, new_tally, paths_found, report
from .pothen_fan import augment


def ss_dfs(run: Run, *, lookahead: bool = False) -> None:
    """Make the matching maximum."""
    graph = run.graph
    index = graph.indices.dtype
    visited = np.full(graph.n_cols, -1, index)
    ahead = np.zeros(graph.n_rows, index)
    tried = np.empty(graph.n_rows, index)
    stack = np.empty(graph.n_rows, index)
    roots = run.unmatched_rows()
    tally = new_tally(1)
    searches = 0
    try:
        while searches < roots.size and not run.done:
            found = paths_found(tally)
            with run.timed("search"):
                done = search_one_by_one(
                    unsigned(graph.indptr),
                    unsigned(graph.indices),
                    run.row_match,
                    run.col_match,
                    visited,
                    ahead,
                    tried,
                    stack,
                    roots,
                    searches,
                    lookahead,
                    run.upper_bound - run.cardinality,
                    tally,
                    EDGES_PER_CALL,
                )
            run.stats.phases += done - searches
            run.cardinality += paths_found(tally) - found
            searches = done
            run.pause()
    finally:
        report(run, tally)


@kernel
def search_one_by_one(
    indptr: Any,
    indices: Any,
    row_match: Any,
    col_match: Any,
    visited: Any,
    ahead: Any,
    tried: Any,
    stack: Any,
    roots: Any,
    search: int,
    lookahead: bool,
    wanted: int,
    tally: Any,
    budget: int,
) -> int:
    """Search from the roots from number `search` on; return the number of the next one.

    Comes back after some `budget` edges, or as soon as `wanted` more paths are found.
    """
    stop, goal = tally[0, EDGES] + budget, tally[0, PATHS] + wanted
    while search < roots.size and tally[0, EDGES] < stop and tally[0, PATHS] < goal:
        root = roots[search]
        depth = 0
        stack[0] = root
        tried[root] = 0
        given_up = stack.size  # where the rows given up begin
        edges = 0
        free = -1  # the free column that ends an augmenting path
        while depth >= 0:
            x = stack[depth]
            begin, degree = np.int64(indptr[x]), np.int64(indptr[x + 1] - indptr[x])
            # Arriving at x: look ahead.
            if lookahead and tried[x] == 0:
                k = np.int64(ahead[x])
                while k < degree:
                    y = indices[begin + k]
                    k += 1
                    if col_match[y] < 0:
                        free = np.int64(y)
                        break
                edges += k - ahead[x]
                ahead[x] = k
                if free >= 0:
                    break
            # Go down to the mate of the next column that is neither visited nor hidden, or back.
            k = np.int64(tried[x])
            before = k
            below = -1
            while k < degree:
                y = indices[begin + k]
                k += 1
                if visited[y] < search:
                    visited[y] = search
                    below = np.int64(col_match[y])
                    if below < 0:
                        free = np.int64(y)  # without lookahead, free columns turn up here
                    break
            edges += k - before
            tried[x] = k
            if free >= 0:
                break
            if below >= 0:
                depth += 1
                stack[depth] = below
                tried[below] = 0
            else:
                depth -= 1
                given_up -= 1
                stack[given_up] = x
        tally[0, EDGES] += edges
        if free >= 0:
            augment(row_match, col_match, stack, depth, free)
            count_path(tally, 0, 2 * depth + 1)
        else:
            # Hide the tree: every row of it was given up, last of all the root, which has no mate.
            for i in range(given_up + 1, stack.size):
                visited[row_match[stack[i]]] = stack.size
        search += 1
    return search
