"""Cost scaling: rows bid for columns, by steps that become ever smaller; then shortest paths.

An unmatched row takes the column that is cheapest for it. It lowers the column's price by what the
second cheapest costs more, and ε besides; whoever had the column bids anew. So prices move by at
least ε, and no matched row could gain more than ε elsewhere. This is what a double push does, too:
the row pushes to its best column, which pushes back whom it had.

A phase ends when all rows but a few have a column or leave. Then ε becomes a tenth. Matched rows
that could gain more than that by another column are unmatched, and bid again. The first phases move
prices far at little work, the last ones make the matching the cheapest, or nearly.

At last prices are made exact. A column's price must not be above what a row that would gain by it
pays elsewhere: it falls, with it rises the price of the row that has the column, and so on. That
ends if no other matching is cheaper. If not, it ends by a budget, and rows that would still gain
are unmatched. What is unmatched then, and columns that are free below their price of leaving, are
left to shortest paths.

Phases work in floats whatever the costs are, since only the end must be exact. Floats so small
beside the others that prices would lose them are left to shortest paths as well, all of them.

- ``queue``: the rows that are unmatched, in a ring; ``state[HEAD]`` and ``state[COUNT]``: where it
  begins, and how many there are.
- ``queued[i]``: whether row i is in the queue.

Of the matching, bids keep ``col_match`` alone. Work O(m) and the edges of a row for each bid; for
integers up to C, O(n·m·log(n·C)) bids' edges if phases are not cut short. Memory: an index and a
byte a row; for integers floats for costs and prices.

One thread does it all. Of the bids 39 to 69 % are made while fewer than 256 rows wait (random
graphs of 20k to 300k rows, wave, kkt-opf, ecology1). Tried were two threads, each with a ring of
rows, and a lock for each column: 1.2 to 1.9 times as long on five of these, and 0.92 on ecology1,
where the other order took 23 % fewer bids.

Reference: D. P. Bertsekas, "The auction algorithm: a distributed relaxation method for the
assignment problem", Annals of Operations Research 14 (1988); A. V. Goldberg, R. Kennedy, "An
efficient cost scaling algorithm for the assignment problem", Mathematical Programming 71 (1995):
double pushes, and the end of a phase by price refinement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import helper, kernel, prefetch
from ...results.assignment_run import AssignmentRun
from ...tuning import EDGES_PER_CALL, FIRST_STEP, LAST_STEP, MOST_BIDS, REPAIRS, STEP, WAITING
from .reductions import BIDS, EDGES
from .shortest_paths import finish
from .side import Arrays, Side, lower_to_feasible

HEAD, COUNT = 0, 1


def cost_scaling(run: AssignmentRun) -> None:
    """Choose the cheapest edges."""
    with run.timed("start"):
        side = Side.of(run)
    scale(run, side)
    finish(run, side)


def scale(run: AssignmentRun, side: Side) -> None:
    """Bid in phases, beginning with feasible prices; leave a matching and prices that prove it.

    The matching need not be whole. Stopped early, its edges may be of reduced costs above 0.
    """
    run.stats.algorithm = "cost-scaling"
    a = side.arrays
    n_rows = side.graph.n_rows
    floats = in_floats(a)
    queue, tally = np.empty(n_rows, side.graph.indices.dtype), np.zeros(2, np.int64)
    spread = float(np.ptp(floats.costs)) if a.costs.size else 0.0
    if floats is a and below_rounding(a, spread):
        return
    try:
        with run.timed("scaling"):
            step = FIRST_STEP * spread
            while spread > 0 and step > LAST_STEP * spread:
                run.stats.phases += 1
                if not bid_all(run, floats, queue, step, spread, tally):
                    break
                step *= STEP
        with run.timed("repair"):
            if floats is not a:
                a.col_price[:] = np.floor(floats.col_price)
            sync(a)
            lower_to_feasible(a)
            noise = spread * 1e-16 if floats is a else 0
            repair(a, queue, np.ones(n_rows, np.uint8), REPAIRS * n_rows, a.never.dtype.type(noise))
    except BaseException:
        if floats is not a:
            a.col_price[:] = np.floor(floats.col_price)
        sync(a)
        lower_to_feasible(a)
        raise
    finally:
        run.stats.bids += int(tally[BIDS])
        run.stats.edges += int(tally[EDGES])


def below_rounding(a: Arrays, spread: float) -> bool:
    """Whether some costs would be lost in prices that move by the spread of costs."""
    for numbers in (a.costs, a.row_leave, a.col_leave):
        sizes = np.abs(numbers)
        sizes[sizes == 0] = np.inf
        if sizes.min(initial=np.inf) < spread * 2.0**-52:
            return True
    return False


def in_floats(a: Arrays) -> Arrays:
    """Return the arrays with floats for costs and prices; the matching is the same."""
    if a.costs.dtype.kind == "f":
        return a
    leaves = (np.where(leave < a.never, leave, np.inf) for leave in (a.row_leave, a.col_leave))
    row_leave, col_leave = leaves
    return a._replace(
        costs=a.costs.astype(np.float64),
        row_leave=row_leave,
        col_leave=col_leave,
        row_price=a.row_price.astype(np.float64),
        col_price=a.col_price.astype(np.float64),
        never=np.float64(np.inf),
    )


def bid_all(
    run: AssignmentRun, a: Arrays, queue: Any, step: float, spread: float, tally: Any
) -> bool:
    """Do a phase: let rows bid until few are unmatched; return whether they came to an end."""
    state = np.zeros(2, np.int64)
    state[COUNT] = list_bidders(a, queue, step)
    few, most = int(WAITING * queue.size), tally[BIDS] + MOST_BIDS * queue.size
    while state[COUNT] > few and tally[BIDS] < most:
        stop = tally[EDGES] + min(EDGES_PER_CALL, 16 * queue.size)
        auction(a, queue, state, few, step, spread, stop, tally)
        run.pause(queue.size - int(state[COUNT]))
    sync(a)
    return bool(state[COUNT] <= few)


@kernel
def list_bidders(a: Arrays, queue: Any, step: float) -> int:
    """Unmatch rows that gain more than a step elsewhere; list all that bid, return how many."""
    indptr, indices, costs, col_price = a.indptr, a.indices, a.costs, a.col_price
    count = 0
    for i in range(a.row_match.size):
        least, own, match = a.row_leave[i], a.never, np.int64(a.row_match[i])
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            cost = costs[k] - col_price[j]
            if j == match:
                own = cost
            least = min(least, cost)
        if match >= 0 and own > least + step:
            a.col_match[match] = a.row_match[i] = match = -1
        if match < 0 and least < a.row_leave[i]:
            queue[count] = i
            count += 1
    return count


@kernel
def auction(
    a: Arrays,
    queue: Any,
    state: Any,
    few: int,
    step: float,
    spread: float,
    stop: int,
    tally: Any,
) -> None:
    """Let rows of the queue bid until only a few are left, or so many edges were looked at.

    A row that has no choice lowers the price of its column by the spread of costs.
    """
    indptr, indices, costs, never = a.indptr, a.indices, a.costs, a.never
    col_match, col_price = a.col_match, a.col_price
    size = queue.size
    head, count, bids, edges = state[HEAD], state[COUNT], 0, tally[EDGES]
    while count > few and edges < stop:
        i = np.int64(queue[head])
        if count > 8:  # what is bid for soon
            prefetch(indptr, queue[after(head, 8, size)])
            k = min(np.int64(indptr[queue[after(head, 4, size)]]), np.int64(indices.size - 1))
            prefetch(indices, k)
            prefetch(costs, k)
            prefetch(costs, min(k + 8, np.int64(indices.size - 1)))
        head = after(head, 1, size)
        count -= 1
        bids += 1
        least, second, best = never, a.row_leave[i], np.int64(-1)
        begin, end = indptr[i], indptr[i + 1]
        edges += end - begin + 1
        for k in range(begin, end):
            j = indices[k]
            cost = costs[k] - col_price[j]
            if cost < second:
                if cost < least:
                    if best >= 0:
                        second = least
                    least, best = cost, np.int64(j)
                else:
                    second = cost
        if best < 0:  # leaving is as cheap, or there is no edge
            continue
        if second == never:
            second = least + spread
        col_price[best] -= min(second + step, a.row_leave[i]) - least
        before = col_match[best]
        col_match[best] = i
        if before >= 0:
            queue[after(head, count, size)] = before
            count += 1
    state[HEAD], state[COUNT] = head, count
    tally[EDGES] = edges
    tally[BIDS] += bids


@helper
def after(place: int, more: int, size: int) -> Any:
    """Return the place in the ring so many further on."""
    place += more
    return place - size if place >= size else place


@kernel
def sync(a: Arrays) -> None:
    """Let rows know which columns have them."""
    a.row_match[:] = -1
    for j in range(a.col_match.size):
        if a.col_match[j] >= 0:
            a.row_match[a.col_match[j]] = j


@kernel
def repair(a: Arrays, queue: Any, queued: Any, budget: int, noise: Any) -> None:
    """Lower prices until no matched row gains by another column; begins with feasible prices.

    All rows are to be `queued`. Less than `noise` is none. Rows for which the budget was too small
    are unmatched.
    """
    indptr, indices, costs, col_price = a.indptr, a.indices, a.costs, a.col_price
    size = queue.size
    head = count = 0
    for i in range(size):
        queued[i] = a.row_match[i] >= 0
        if queued[i]:
            queue[count] = i
            count += 1
    while count > 0:
        i = np.int64(queue[head])
        head = after(head, 1, size)
        count -= 1
        queued[i] = 0
        j = np.int64(a.row_match[i])
        own = np.int64(indptr[i])
        while indices[own] != j:
            own += 1
        price = costs[own] - col_price[j]
        if price <= a.row_price[i] + noise:  # nothing is cheaper
            a.row_price[i] = price
            continue
        if budget <= 0 or price > a.row_leave[i]:
            a.col_match[j] = a.row_match[i] = -1
            continue
        budget -= 1
        a.row_price[i] = price
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            most = costs[k] - price
            if most < col_price[j] - noise:
                col_price[j] = most
                other = a.col_match[j]
                if other >= 0 and queued[other] == 0:
                    queued[other] = 1
                    queue[after(head, count, size)] = other
                    count += 1
