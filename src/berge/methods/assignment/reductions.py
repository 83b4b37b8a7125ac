"""A start for shortest paths: every row that may takes a column at once, and bids for it.

A row takes a free column at reduced cost 0 if it has one. A row left bids: it takes the column that
is cheapest for it, and lowers the column's price by what the second cheapest costs more. So it
gains nothing by going elsewhere, and whoever had the column must look for another. The price of
leaving counts as a second choice, and is taken if it is the cheapest.

Prices stay feasible with every bid: no price of a column rises, and that of a row is its second
cheapest choice. A row that has no gain, since two columns are equally cheap, and none is free, is
left to the search. So is every row once the budget of bids is used up.

Work O(n + m) for the first step, and the edges of a row for a bid. Memory: an index a row.

Reference: R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse
linear assignment problems", Computing 38 (1987): column reduction, reduction transfer and
augmenting row reduction, of which this is the sparse form.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import helper, kernel
from .side import Arrays

BIDS, EDGES = 0, 1  # in a tally


@kernel
def take_tight(a: Arrays, left: Any) -> int:
    """Match rows to free columns at reduced cost 0; list the rows left, and return how many."""
    indptr, indices, costs = a.indptr, a.indices, a.costs
    count = 0
    for i in range(a.row_match.size):
        if a.row_match[i] >= 0 or a.row_price[i] == a.row_leave[i]:
            continue
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if a.col_match[j] < 0 and costs[k] - a.col_price[j] <= a.row_price[i]:
                a.row_match[i], a.col_match[j] = j, i
                break
        else:
            left[count] = i
            count += 1
    return count


@kernel
def bid(a: Arrays, rows: Any, count: int, budget: int, tally: Any) -> int:
    """Let rows bid, and those that they displace; list the rows left, and return how many.

    Those left replace the rows from the beginning of the list on.
    """
    left, at = 0, 0
    bids = 0
    while at < count:
        i = np.int64(rows[at])
        at += 1
        while i >= 0 and bids < budget:
            bids += 1
            i, again = bid_once(a, i, tally)
            if i >= 0 and not again:
                break
        if i >= 0:
            rows[left] = i
            left += 1
    tally[BIDS] += bids
    return left


@helper
def bid_once(a: Arrays, i: int, tally: Any) -> Any:
    """Let row i bid; return the row that is without a column then, and whether it may bid."""
    indices, costs, col_price, never = a.indices, a.costs, a.col_price, a.never
    least, second = never, a.row_leave[i]
    best = other = np.int64(-1)
    begin, end = a.indptr[i], a.indptr[i + 1]
    tally[EDGES] += end - begin
    for k in range(begin, end):
        j = indices[k]
        cost = costs[k] - col_price[j]
        if cost < second:
            if cost < least:
                if best >= 0:
                    second, other = least, best
                least, best = cost, np.int64(j)
            else:
                second, other = cost, np.int64(j)
    if best < 0:  # leaving is as cheap, or there is no edge
        a.row_price[i] = second if second < never else a.row_price[i]
        return i if second == never else np.int64(-1), False
    before = np.int64(a.col_match[best])
    gains = second > least and second < never
    if second == never:
        second = least
    if not gains and before >= 0:
        if other < 0 or a.col_match[other] >= 0:
            a.row_price[i] = least
            return i, False
        best, before = other, np.int64(-1)
    a.row_price[i] = second
    if gains:
        col_price[best] -= second - least
    a.row_match[i], a.col_match[best] = best, i
    if before >= 0:
        a.row_match[before] = -1
    return before, True
