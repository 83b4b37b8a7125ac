"""The bids of a phase of cost scaling, by several threads at once.

A thread takes waiting rows from the queue. A row bids; whoever it displaces bids next, in the same
thread, and so on until a column was free or a row leaves. A bid is computed from prices that others
may lower meanwhile. Then its column is locked, and the bid counts if that column's own price is as
it was; if not, the row looks again.

Why stale prices do no harm: prices of columns only fall in a phase, so what other columns cost only
rises. A row whose bid is based on less than they cost now lowers its column's price by less than it
might, and still gains no more than a step by going elsewhere. The price and the match of a column
are only written by who has its lock.

- ``locks[j]``: whether a thread changes column j.
- ``state[NEXT]``: the first row of the queue that no thread has taken; ``state[LEFT]``: how many
  rows are in ``left``: those that threads had not done with when they had read enough edges.

Races: ``col_price`` is read while others write it, as said; ``col_match`` under the lock alone.

Work as in `cost_scaling`. Memory: a byte a column and an index a row.

Reference: D. P. Bertsekas, D. A. Castañon, "Parallel synchronous and asynchronous implementations
of the auction algorithm", Parallel Computing 17 (1991).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import compare_and_swap, fetch_add, next_chunk, share_out, store_release
from .reductions import BIDS, EDGES
from .side import Arrays

NEXT, LEFT = 0, 1
CHUNK = 64  # rows that a thread takes at a time


@share_out
def auction_on_threads(
    t: int,
    shared: bool,
    a: Arrays,
    queue: Any,
    left: Any,
    state: Any,
    locks: Any,
    step: float,
    spread: float,
    budget: int,
    tally: Any,
) -> None:
    """Let waiting rows bid until none is left, or a thread has read so many edges."""
    indptr, indices, costs, never = a.indptr, a.indices, a.costs, a.never
    col_match, col_price = a.col_match, a.col_price
    bids = edges = np.int64(0)
    begin, end = next_chunk(state, NEXT, queue.size, CHUNK, shared)
    while begin < end:
        for q in range(begin, end):
            i = np.int64(queue[q])
            while i >= 0 and edges < budget:
                bids += 1
                least, second, best, seen = never, a.row_leave[i], np.int64(-1), never
                first, last = indptr[i], indptr[i + 1]
                edges += np.int64(last - first) + 1
                for k in range(first, last):
                    j = indices[k]
                    price = col_price[j]
                    cost = costs[k] - price
                    if cost < second:
                        if cost < least:
                            if best >= 0:
                                second = least
                            least, best, seen = cost, np.int64(j), price
                        else:
                            second = cost
                if best < 0:  # leaving is as cheap, or there is no edge
                    i = np.int64(-1)
                    break
                if second == never:
                    second = least + spread
                if shared and not compare_and_swap(locks, best, np.uint8(0), np.uint8(1)):
                    continue
                if col_price[best] == seen:
                    col_price[best] = seen - (min(second + step, a.row_leave[i]) - least)
                    before = np.int64(col_match[best])
                    col_match[best] = i
                    i = before
                if shared:
                    store_release(locks, best, np.uint8(0))
            if i >= 0:
                left[fetch_add(state, LEFT, 1)] = i
        begin, end = next_chunk(state, NEXT, queue.size, CHUNK, shared)
    fetch_add(tally, BIDS, bids)
    fetch_add(tally, EDGES, edges)
