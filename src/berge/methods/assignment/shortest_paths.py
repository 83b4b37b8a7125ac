"""Shortest augmenting paths: the cheapest way to use one vertex after the other.

From an unused row whose price is below that of leaving, Dijkstra's algorithm finds the cheapest
alternating path, by reduced costs, to one of three ends: a free column; a used row that leaves, at
what leaving costs more than its price; or the row itself, which leaves. Then the path is turned
over. The price of each column at distance d, out of D to the end, falls by D − d, and that of the
row that has the column rises by as much. So all reduced costs on the path are 0, and none is
negative. When all rows are done, columns that are unused below their price of leaving search in
the same way, from the other side of the problem.

The search ends as soon as no distance below that of the best end is left, and looks at nothing
that is no nearer. Columns at the distance of the row that is looked at need no heap.

- ``dist[j]``: the shortest distance found to column j; ``pred[j]``: the row it was reached from.
- ``place[j]``: UNSEEN; the place of j in the heap; or DONE: its distance is final.
- ``heap, keys``: columns and their distances, a binary heap; at most all columns.
- ``order``: the columns whose distances are final, by distance.

Work O(m·log n) a search, O(n·m·log n) in all. Memory: the costs in the order of columns, if
columns search, and 4 indices and 2 numbers a column.

Reference: R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse
linear assignment problems", Computing 38 (1987); for sparse ones, with a heap: I. S. Duff,
J. Koster, "On algorithms for permuting large entries to the diagonal of a sparse matrix", SIAM J.
Matrix Anal. Appl. 22 (2001). (d_j → dist, lsp → best, Q1 → order, Q2 → heap.)
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...compile import helper, kernel
from ...results.assignment_run import AssignmentRun
from ...tuning import BIDS_PER_ROW, EDGES_PER_CALL, FEW_LEFT, MANY_READ, RISE
from .reductions import BIDS, EDGES, bid, take_tight
from .side import Arrays, Side, settle_prices

UNSEEN, DONE = -1, -2


class Buffers(NamedTuple):
    """What a search works on; the names are explained above."""

    dist: Any
    pred: Any
    place: Any
    heap: Any
    keys: Any
    order: Any


def shortest_paths(run: AssignmentRun) -> None:
    """Choose the cheapest edges."""
    run.stats.algorithm = "shortest-paths"
    with run.timed("start"):
        side = Side.of(run)
    finish(run, side)


def finish(run: AssignmentRun, side: Side) -> None:
    """Make a choice the cheapest one, beginning with feasible prices."""
    try:
        search_all(run, side)
        if not run.infeasible and np.any(_waiting(side.arrays.col_match, *_cols(side))):
            search_all(run, side.turned())
    finally:
        settle_prices(side.arrays)


def search_all(run: AssignmentRun, side: Side, most: float = math.inf) -> bool:
    """Let every row that waits search; return whether all did before `most` edges were read.

    With such a limit it also ends early if paths are long: if the first sixteenth of the searches
    reads more than all edges, or the second quarter much more than the first.
    """
    a = side.arrays
    n_rows, n_cols = side.graph.shape
    index = side.graph.indices.dtype
    tally = np.zeros(2, np.int64)
    with run.timed("start"):
        rows = np.empty(n_rows, index)
        count = take_tight(a, rows)
        count = bid(a, rows, count, BIDS_PER_ROW * min(n_rows, FEW_LEFT * count), tally)
    run.stats.bids += int(tally[BIDS])
    run.pause(n_rows - count)
    buffers = Buffers(
        np.empty(n_cols, a.costs.dtype),
        np.empty(n_cols, index),
        np.full(n_cols, UNSEEN, index),
        np.empty(n_cols, index),
        np.empty(n_cols, a.costs.dtype),
        np.empty(n_cols, index),
    )
    done = 0
    first = int(tally[EDGES])
    budget = int(min(EDGES_PER_CALL, most / 4 + 1))
    spent = []
    try:
        with run.timed("search"):
            for end in (count // 16, count // 4, count // 2, count):
                while done < end and not run.infeasible and tally[EDGES] < first + most:
                    done = search(a, buffers, rows[:end], done, budget, tally)
                    if done < 0:
                        done = -1 - done
                        run.infeasible = True
                    run.pause(n_rows - count + done)
                spent.append(int(tally[EDGES]) - first)
                if (
                    most < math.inf
                    and spent[-1] > MANY_READ
                    and (
                        (len(spent) == 1 and spent[0] > a.costs.size)
                        or (len(spent) == 3 and spent[2] > RISE * spent[1])
                    )
                ):
                    break
    finally:
        run.stats.searches += done
        run.stats.edges += int(tally[EDGES])
    return run.infeasible or done == count


def _cols(side: Side) -> tuple[Any, Any]:
    return side.arrays.col_price, side.arrays.col_leave


def _waiting(match: Any, price: Any, leave: Any) -> Any:
    """Tell which vertices are unused below their price of leaving."""
    return (match < 0) & (price < leave)


@kernel
def search(a: Arrays, b: Buffers, roots: Any, at: int, budget: int, tally: Any) -> int:
    """Search from the roots from number `at` on; return the number of the next one.

    Comes back after some `budget` edges; with −1 − number if that root cannot be used.
    """
    stop = tally[EDGES] + budget
    while at < roots.size and tally[EDGES] < stop:
        if not search_from(a, b, roots[at], tally):
            return -1 - at
        at += 1
    return at


@helper
def search_from(a: Arrays, b: Buffers, root: int, tally: Any) -> bool:
    """Find the cheapest path from a row, and turn it over; return whether there is one."""
    indptr, indices, costs, never = a.indptr, a.indices, a.costs, a.never
    dist, pred, place, order = b.dist, b.pred, b.place, b.order
    best, end_row, end_col = never, np.int64(-1), np.int64(-1)
    size = head = tail = edges = 0
    d, i = a.row_price[root] - a.row_price[root], np.int64(root)  # 0 of the type of costs
    while True:
        base = d - a.row_price[i]
        if a.row_leave[i] < never and base + a.row_leave[i] < best:
            best, end_row, end_col = max(d, base + a.row_leave[i]), i, np.int64(-1)
        begin, end = indptr[i], indptr[i + 1]
        edges += end - begin
        for k in range(begin, end):
            j = indices[k]
            new = base + costs[k] - a.col_price[j]
            if new < best and place[j] != DONE:
                new = max(new, d)
                if a.col_match[j] < 0:
                    best, end_col, pred[j] = new, np.int64(j), i
                elif place[j] == UNSEEN:
                    dist[j], pred[j] = new, i
                    if new <= d:
                        place[j] = DONE
                        order[tail] = j
                        tail += 1
                    else:
                        size += 1
                        rise(b, size - 1, j, new)
                elif new < dist[j]:
                    dist[j], pred[j] = new, i
                    rise(b, place[j], j, new)
        if best <= d:
            break
        if head == tail:
            if size == 0 or b.keys[0] >= best:
                break
            d = b.keys[0]
            j = b.heap[0]
            place[j] = DONE
            order[tail] = j
            tail += 1
            size -= 1
            if size > 0:
                sink(b, size, b.heap[size], b.keys[size])
        i = np.int64(a.col_match[order[head]])
        head += 1
    tally[EDGES] += edges
    if best < never:
        for q in range(tail):
            j = order[q]
            if dist[j] < best:
                a.col_price[j] -= best - dist[j]
                a.row_price[a.col_match[j]] += best - dist[j]
        a.row_price[root] += best
        turn_over(a, pred, np.int64(root), end_row, end_col)
    for q in range(tail):
        place[order[q]] = UNSEEN
    for q in range(size):
        place[b.heap[q]] = UNSEEN
    return bool(best < never)


@helper
def turn_over(a: Arrays, pred: Any, root: int, end_row: int, end_col: int) -> None:
    """Turn the path over that leads from a row to the end that was found."""
    j = end_col
    if j < 0:
        a.row_price[end_row] = a.row_leave[end_row]
        if end_row == root:
            return
        j = np.int64(a.row_match[end_row])
        a.row_match[end_row] = -1
    while True:
        i = np.int64(pred[j])
        before = np.int64(a.row_match[i])
        a.row_match[i], a.col_match[j] = j, i
        if i == root:
            break
        j = before


@helper
def rise(b: Buffers, at: int, j: int, key: Any) -> None:
    """Put a column into the heap at a place, or higher."""
    heap, keys, place = b.heap, b.keys, b.place
    k = np.int64(at)
    while k > 0:
        up = (k - 1) >> 1
        if keys[up] <= key:
            break
        heap[k], keys[k] = heap[up], keys[up]
        place[heap[k]] = k
        k = up
    heap[k], keys[k], place[j] = j, key, k


@helper
def sink(b: Buffers, size: int, j: int, key: Any) -> None:
    """Put a column into the heap at its top, or lower."""
    heap, keys, place = b.heap, b.keys, b.place
    k = 0
    while True:
        down = 2 * k + 1
        if down >= size:
            break
        if down + 1 < size and keys[down + 1] < keys[down]:
            down += 1
        if keys[down] >= key:
            break
        heap[k], keys[k] = heap[down], keys[down]
        place[heap[k]] = k
        k = down
    heap[k], keys[k], place[j] = j, key, k
