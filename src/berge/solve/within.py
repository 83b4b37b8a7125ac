"""Near the maximum, and proved to be near, after a number of rounds that is stated beforehand.

Unmatched rows bid for columns, which have prices: whole numbers from 0 to `top` = ⌈2/ε⌉. In a
round each unmatched row looks at its columns, takes the cheapest, if that is below the top, and the
row that had it is unmatched. Prices never fall:

    a free column    costs nothing, and goes on costing nothing;
    one of a row     costs one more than the second cheapest that the bidder saw, `top` at most;
    a row all of whose columns cost `top` does not bid again.

So (1) a column without a row costs nothing, and (2) a matched row pays at most one more than its
cheapest column costs: true of any matching as long as all is free, hence at the beginning, and kept
by every bid. For a price t from 1 to `top` let the cover be

    the columns that cost t or more,
    the rows that pay t or less,
    the unmatched rows that did not see all their columns cost t or more.

Every edge has an end in it, by (2). Columns that cost t or more are matched, by (1), and their rows
are in it too only if they pay exactly t. So it has as many vertices as the matching has edges, and
one for each column that costs exactly t, and for each unmatched row of the third kind. The smallest
of these covers bounds all matchings (Kőnig).

Bound: say k is the largest size of a matching, and M the present one, at least k/2 since the start
is maximal. A bid raises a price, or takes a free column: there are at most (top + 1)·k. Each row
that bids in a round, from the second on, was driven out by a bid of the round before. While more
than ε/2·|M| rows bid there are so at most `most_rounds(ε)` = 1 + (top + 1)·4/ε rounds. With fewer
the cover by the rarest price, of which there are at most |M|/top ≤ ε/2·|M| columns, is no larger
than (1 + ε)·|M|. A row is read once for each bid: at most rows + (top + 1)·k are read in all. On
all graphs that were tried it was a few rounds (docs/out-of-core.md).

Memory: 2 bytes a row and a column, and an index for each row. Nothing runs in parallel.

Reference: S. Assadi, S. C. Liu, R. E. Tarjan, "An auction algorithm for bipartite matching in
streaming and massively parallel computation models", SOSA 2021, who show O(1/ε²) passes. There bids
of a round are one maximal matching; here they come one after the other, as in G. Demange, D. Gale,
M. Sotomayor, "Multi-item auctions", 1986. The bound by the rarest price is that of J. E. Hopcroft,
R. M. Karp, 1973, for levels.

=========  ======================
reference  here
=========  ======================
p_j        ``price[j]``, in units of ε/2
u_i        ``low[i]``, the cheapest column when row i last looked
=========  ======================
"""

from __future__ import annotations

from math import ceil
from typing import Any, NamedTuple

import numpy as np

from ..compile import helper, kernel
from ..graphs.graph import index_type, unsigned
from ..graphs.memory import window_edges
from ..results.proof import Certificate
from ..results.run import Run
from .out_of_core import _Reader

GAINED, DRIVEN = range(2)  # entries of `state`: rows matched, rows driven out


def most_rounds(within: float) -> int:
    """Return how many rounds it takes at most, whatever the graph.

    Examples
    --------
    >>> from berge.solve.within import most_rounds
    >>> most_rounds(0.01)
    80401
    """
    return 1 + ceil((_top(within) + 1) * 4 / within)


def _top(within: float) -> int:
    return ceil(2 / within)


class Arrays(NamedTuple):
    """What the kernel works on; `price` and `low` are explained above."""

    row_match: Any
    col_match: Any
    price: Any
    low: Any
    costing: Any  # matched columns by price
    looking: Any  # unmatched rows by `low`
    queue: Any  # rows driven out in this round
    state: Any


def near(run: Run) -> None:
    """Match until no matching is larger by more than ``run.within``; ``run.cover`` proves it."""
    graph, top = run.graph, _top(run.within)
    run.stats.algorithm, run.stats.threads = "auction-rounds", 1
    index = np.dtype(index_type(*graph.shape))
    unmatched, has_edges = run.row_match < 0, np.diff(graph.indptr) > 0
    a = Arrays(
        run.row_match,
        run.col_match,
        price=np.zeros(graph.n_cols, np.uint16),
        low=np.where(unmatched & ~has_edges, top, 0).astype(np.uint16),
        costing=np.zeros(top + 1, np.int64),
        looking=np.zeros(top + 1, np.int64),
        queue=np.empty(graph.n_rows, index),
        state=np.zeros(2, np.int64),
    )
    rows = np.flatnonzero(unmatched & has_edges).astype(index)
    a.costing[0], a.looking[0], begun = run.cardinality, rows.size, run.cardinality
    if _is_near(run, a):
        return
    with _Reader(run, window_edges(index.itemsize)) as reader, run.timed("pass"):
        near_enough = False
        while not near_enough:  # once no row is left that bids, it is
            a.state[DRIVEN] = 0
            for batch in reader.read(rows):
                before = int(a.state[GAINED])
                bid(batch, unsigned(graph.indptr), a, top)
                run.cardinality += int(a.state[GAINED]) - before
            run.stats.passes += 1
            run.stats.phases += 1
            ends = graph.indptr[rows + 1].astype(np.int64) - graph.indptr[rows]
            run.stats.traversed_edges += int(ends.sum())
            rows = np.sort(a.queue[: a.state[DRIVEN]])
            near_enough = _is_near(run, a)
        run.stats.augmenting_paths += run.cardinality - begun


def _is_near(run: Run, a: Arrays) -> bool:
    """Lower the upper bound; make the cover once it is low enough, and return whether it is."""
    more = a.costing[1:] + np.cumsum(a.looking)[:-1]
    t = 1 + int(np.argmin(more))
    size = run.cardinality + int(more[t - 1])
    one_side = run.graph.nonempty_rows
    run.upper_bound = min(run.upper_bound, size)
    if min(size, one_side) > (1 + run.within) * run.cardinality:
        return False
    if one_side <= size:
        nothing = np.zeros(run.graph.n_cols, np.bool_)
        run.cover = Certificate(rows=np.diff(run.graph.indptr) > 0, cols=nothing)
        return True
    matched = run.row_match >= 0
    rows = ~matched & (a.low < t)
    rows[matched] = a.price[run.row_match[matched]] <= t
    run.cover = Certificate(rows=rows, cols=a.price >= t)
    return True


@kernel
def bid(batch: Any, indptr: Any, a: Arrays, top: int) -> None:
    """Let the rows of a batch bid, one after the other."""
    indices, price, col_match, state = batch.indices, a.price, a.col_match, a.state
    for i in range(batch.rows.size):
        x = np.int64(batch.rows[i])
        first = np.int64(batch.starts[i])
        size = np.int64(indptr[x + 1]) - np.int64(indptr[x])
        best, least, second = np.int64(-1), np.int64(top), np.int64(top)
        for k in range(first, first + size):
            y = np.int64(indices[k])
            cost = np.int64(price[y])
            if cost < least or (cost == 0 and best >= 0 and col_match[best] >= 0 > col_match[y]):
                second = least if cost < least else cost
                best, least = y, cost
                if col_match[y] < 0:
                    break
            elif cost < second and y != best:
                second = cost
        look(x, least, a)
        if best < 0:
            continue
        a.looking[least] -= 1
        z = np.int64(col_match[best])
        if z < 0:
            state[GAINED] += 1
            a.costing[0] += 1
        else:
            a.row_match[z] = -1
            a.low[z] = max(least, np.int64(1)) - 1
            a.looking[a.low[z]] += 1
            a.queue[state[DRIVEN]] = z
            state[DRIVEN] += 1
            cost = min(second + 1, np.int64(top))
            a.costing[least] -= 1
            a.costing[cost] += 1
            price[best] = cost
        a.row_match[x], col_match[best] = best, x


@helper
def look(x: int, least: int, a: Arrays) -> None:
    """Note the cheapest column that a row has seen."""
    a.looking[a.low[x]] -= 1
    a.looking[least] += 1
    a.low[x] = least
