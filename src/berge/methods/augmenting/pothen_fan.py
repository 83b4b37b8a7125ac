"""Pothen–Fan: depth-first search from all unmatched rows, with lookahead and fairness.

A phase searches depth-first from every unmatched row in turn, over columns that no search of this
phase has visited, and augments along each path as soon as it is found. A phase that finds none
ends the algorithm: its searches together visited all that alternating paths can reach.

Lookahead: on arrival at a row, look for a free column among its neighbours before going deeper. A
column once matched stays matched, so the place where looking stopped is kept for good.
Fairness: every other phase reads adjacency lists from their end.

Work O(nnz) a phase, O(n · nnz) in all; over all phases lookahead reads every edge once. Memory:
three indices a row and one a column.

- ``visited[y]``: the last phase in which y was visited.
- ``ahead[x]``: edges of x that lookahead has passed; their columns are matched for good.
- ``tried[x]``: edges of x that the search of this phase has tried.
- ``stack``: the rows on the path; at most n_rows. The column between two rows of the stack is the
  match of the upper one.
- ``roots``: the unmatched rows; what a phase could not match is moved to the front for the next.

References: A. Pothen, C.-J. Fan, "Computing the block triangular form of a sparse matrix", ACM TOMS
16, 1990; fairness: I. S. Duff, K. Kaya, B. Uçar, ACM TOMS 38(2), 2011.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import helper, kernel
from ...compile.tuning import EDGES_PER_CALL
from ...graphs.graph import unsigned
from ...results.run import Run
from ..counters import EDGES, count_path, new_tally, paths_found, report

NEXT, KEPT = 0, 1  # entries of `state`: the next root to search from, roots kept for the next phase


def pothen_fan(run: Run, *, lookahead: bool = True, fairness: bool = True) -> None:
    """Make the matching maximum."""
    graph = run.graph
    index = graph.indices.dtype
    visited = np.zeros(graph.n_cols, index)
    ahead = np.zeros(graph.n_rows, index)
    tried = np.zeros(graph.n_rows, index)
    stack = np.empty(graph.n_rows, index)
    roots = run.unmatched_rows()
    tally = new_tally(1)
    state = np.zeros(2, np.int64)
    try:
        while not run.done:
            found = paths_found(tally)
            state[:] = 0
            while state[NEXT] < roots.size:
                with run.timed("search"):
                    search_and_augment(
                        unsigned(graph.indptr),
                        unsigned(graph.indices),
                        run.row_match,
                        run.col_match,
                        visited,
                        ahead,
                        tried,
                        stack,
                        roots,
                        run.stats.phases + 1,
                        lookahead,
                        fairness and run.stats.phases % 2 == 1,
                        state,
                        tally,
                        EDGES_PER_CALL,
                    )
                run.pause()
            roots = roots[: state[KEPT]]
            gained = paths_found(tally) - found
            run.end_phase(gained)
            if gained == 0:
                break
    finally:
        report(run, tally)


@kernel
def search_and_augment(
    indptr: Any,
    indices: Any,
    row_match: Any,
    col_match: Any,
    visited: Any,
    ahead: Any,
    tried: Any,
    stack: Any,
    roots: Any,
    phase: int,
    lookahead: bool,
    backwards: bool,
    state: Any,
    tally: Any,
    budget: int,
) -> None:
    """Search from the roots from ``state[NEXT]`` on, until some `budget` edges were traversed."""
    stop = tally[0, EDGES] + budget
    while state[NEXT] < roots.size and tally[0, EDGES] < stop:
        root = roots[state[NEXT]]
        state[NEXT] += 1
        depth = 0
        stack[0] = root
        tried[root] = 0
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
                    visited[free] = phase
                    break
            # Go down to the mate of the next column not visited, or back.
            k = np.int64(tried[x])
            before = k
            below = -1
            while k < degree:
                y = indices[begin + (degree - 1 - k if backwards else k)]
                k += 1
                if visited[y] != phase:
                    visited[y] = phase
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
        tally[0, EDGES] += edges
        if free >= 0:
            augment(row_match, col_match, stack, depth, free)
            count_path(tally, 0, 2 * depth + 1)
        else:
            roots[state[KEPT]] = root
            state[KEPT] += 1


@helper
def augment(row_match: Any, col_match: Any, stack: Any, depth: int, free: int) -> None:
    """Match the rows of the stack along the path, from the free column back to the root."""
    y = free
    while depth >= 0:
        x = stack[depth]
        y_before = row_match[x]
        row_match[x] = y
        col_match[y] = x
        y = y_before
        depth -= 1
