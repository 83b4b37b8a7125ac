"""Prices of vertices: what no matching weighs more than, and so how far a heavy one is from that.

If the prices of the two ends of every edge add up to its weight at least, and none is below 0, then
no matching weighs more than all prices together: its edges have ends of their own. Two such prices
are known at once:

    what the pair of a vertex weighs: if no edge is heavier than both pairs at its ends, as it is in
    greedy matchings, these are prices, twice the weight of the matching in all;
    half of the heaviest edge at a vertex.

Either is lowered in rounds. In each, every vertex lowers its price by half of the least that an
edge at it is overpaid by. If both ends of an edge do so, it is paid for still. So all can do it at
once, and parts of a graph on many machines too. After some ten rounds little changes. The lower of
the two is kept.

Any prices bound any matching, so nobody has to believe where they come from: `berge.checker` checks
them edge by edge. They are within a few percent of the best ones there are for a graph with two
sides, which weigh as much as the best matching (J. Egerváry, 1931). In others odd cycles may keep
them higher, by half of what is best at most.

Work O(rounds · (n + m)); two numbers a vertex.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checker.vertex_prices import ROUNDING
from ..compile import kernel
from ..graphs.graph import Graph, IndexArray, unsigned

Prices = npt.NDArray[np.float64]
Tell = Callable[[Any, bool, float], tuple[bool, float]]

ROUNDS = 12
ENOUGH = 1e-3  # a round that lowers the sum by a smaller share is the last


class Rows(NamedTuple):
    """Rows of vertices from `first` on, whose columns have numbers of their own in a part."""

    indptr: Any
    indices: Any
    weights: Any


def vertex_prices(graph: Graph, mate: IndexArray) -> Prices:
    """Return prices for a graph in memory."""
    weights = np.ones(graph.indices.size) if graph.weights is None else graph.weights
    rows = Rows(unsigned(graph.indptr), unsigned(graph.indices), weights)
    columns = unsigned(graph.indices)
    return lowest(rows, columns, mate, lambda _, paid, total: (paid, total), graph.n_vertices)


def lowest(rows: Rows, columns: Any, mate: Any, tell: Tell, size: int) -> Prices:
    """Return the lower of both prices of the rows.

    `columns` are those of the entries as `mate` has them, and `size` is how many vertices they have
    numbers for. `tell` is called after every round with
    the prices, whether they pay for all edges, and their sum; for a part of a graph it completes
    the prices by those of other parts, and returns what holds of the whole.
    """
    n = rows.indptr.size - 1
    matched, heaviest = np.zeros((2, n))
    weigh(rows, columns, mate, matched, heaviest)
    best: Prices = heaviest
    least, prices = np.inf, np.zeros(size)  # which always pay for all edges
    for own in (matched, heaviest / 2):
        prices[:n] = own
        tell(prices, True, 0.0)
        before, lowered = np.inf, np.empty(n)
        for _ in range(ROUNDS):
            paid = bool(lower(rows, prices, lowered))
            prices[:n] = lowered
            paid, total = tell(prices, paid, float(lowered.sum()))
            if not paid or total >= (1 - ENOUGH) * before:
                break
            before = total
        if paid and total < least:
            best, least = prices[:n].copy(), total
    return best


@kernel
def weigh(rows: Any, columns: Any, mate: Any, matched: Any, heaviest: Any) -> None:
    """Find the weight of the edge to the mate, and of the heaviest edge, at every vertex."""
    for v in range(matched.size):
        for k in range(rows.indptr[v], rows.indptr[v + 1]):
            weight = rows.weights[k]
            heaviest[v] = max(heaviest[v], weight)
            if np.int64(columns[k]) == mate[v]:
                matched[v] = weight


@kernel
def lower(rows: Any, prices: Any, lowered: Any) -> bool:
    """Lower every price by half of what an edge is overpaid by; tell whether all were paid for."""
    paid = True
    for v in range(lowered.size):
        price = prices[v]
        room = price
        for k in range(rows.indptr[v], rows.indptr[v + 1]):
            weight = rows.weights[k]
            over = price + prices[rows.indices[k]] - weight
            room = min(room, over / 2)
            paid = paid and over >= -weight * ROUNDING
        lowered[v] = price - max(room, 0.0)
    return paid
