"""The cheap start: every row in turn takes its first free column.

Maximal, so at least half as large as a maximum matching. Work O(n + nnz), no extra memory. Where
the graph lies on a GPU all rows look at once, and claim columns by compare-and-swap.

``cheap-random`` takes the rows in random order, which an order of the rows is kept for. Where
neighbours in the file are neighbours in the graph it loses much of what ``cheap`` owes to the
order; it tells how good the rule is without that luck.

Reference: I. S. Duff, K. Kaya, B. Uçar, "Design, implementation, and analysis of maximum
transversal algorithms", ACM TOMS 38(2), 2011.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import unsigned
from ..run import EDGES_PER_CALL, Run
from ..spmd import compare_and_swap, helper, kernel
from ..spmd.device import open_device, per_item
from ..spmd.scan import count

NEXT, MATCHED = 0, 1  # entries of `state`: the next row, or place in the order; edges added


def cheap(run: Run) -> None:
    """Extend the matching by first free columns."""
    if run.on_device:
        cheap_on_device(run)
        return
    state = np.zeros(2, np.int64)
    while state[NEXT] < run.graph.n_rows:
        before = state[MATCHED]
        match_rows(
            unsigned(run.graph.indptr),
            unsigned(run.graph.indices),
            run.row_match,
            run.col_match,
            state,
            EDGES_PER_CALL,
        )
        run.cardinality += int(state[MATCHED] - before)
        run.pause()


def cheap_on_device(run: Run) -> None:
    """Extend a matching that lies on a device: all rows look for a free column at once."""
    device = open_device(run.device, run.threads)
    device.launch(
        take_free,
        run.graph.n_rows,
        run.graph.indptr,
        run.graph.indices,
        run.row_match,
        run.col_match,
    )
    run.cardinality = count(device, run.row_match)
    run.pause()


@per_item
def take_free(x: int, indptr: Any, indices: Any, row_match: Any, col_match: Any) -> None:
    """Match a row with its first free column; of several rows one gets it, by compare-and-swap."""
    if row_match[x] < 0:
        for k in range(indptr[x], indptr[x + 1]):
            y = indices[k]
            if col_match[y] < 0 and compare_and_swap(col_match, y, -1, x):
                row_match[x] = y
                break


def cheap_random(run: Run) -> None:
    """Extend the matching by first free columns, the rows in random order."""
    rng = np.random.default_rng(run.seed)
    order = rng.permutation(np.arange(run.graph.n_rows, dtype=run.graph.indices.dtype))
    state = np.zeros(2, np.int64)
    while state[NEXT] < order.size:
        before = state[MATCHED]
        match_in_order(
            unsigned(run.graph.indptr),
            unsigned(run.graph.indices),
            run.row_match,
            run.col_match,
            order,
            state,
            EDGES_PER_CALL,
        )
        run.cardinality += int(state[MATCHED] - before)
        run.pause()


@kernel
def match_rows(
    indptr: Any, indices: Any, row_match: Any, col_match: Any, state: Any, budget: int
) -> None:
    """Match rows from ``state[NEXT]`` on, until some `budget` edges have been looked at."""
    x, matched = state[NEXT], state[MATCHED]
    while x < row_match.size and budget > 0:
        if row_match[x] < 0:
            budget -= np.int64(indptr[x + 1] - indptr[x])
            matched += match_first_free(indptr, indices, x, row_match, col_match)
        x += 1
    state[NEXT], state[MATCHED] = x, matched


@kernel
def match_in_order(
    indptr: Any, indices: Any, row_match: Any, col_match: Any, order: Any, state: Any, budget: int
) -> None:
    """Match the rows in their order from place ``state[NEXT]`` on, likewise."""
    place, matched = state[NEXT], state[MATCHED]
    while place < order.size and budget > 0:
        x = np.int64(order[place])
        if row_match[x] < 0:
            budget -= np.int64(indptr[x + 1] - indptr[x])
            matched += match_first_free(indptr, indices, x, row_match, col_match)
        place += 1
    state[NEXT], state[MATCHED] = place, matched


@helper
def match_first_free(indptr: Any, indices: Any, x: int, row_match: Any, col_match: Any) -> int:
    """Match x to its first free column; return whether there was one, as a number."""
    for k in range(indptr[x], indptr[x + 1]):
        y = indices[k]
        if col_match[y] < 0:
            row_match[x] = y
            col_match[y] = x
            return 1
    return 0
