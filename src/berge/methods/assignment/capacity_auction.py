"""An auction with capacities: prices of columns by which few units are left to searches.

Shortest paths are done first, on a budget of edges: with units to spare they are short, and nothing
is faster. Where all units are needed, the last paths are long. Then everything is open again, and
rows bid for units of columns, in rounds with a smaller step each. A row bids for its cheapest edge:
the price of that column less what the second cheapest costs more, less the step. A column with
units to spare takes the bid at its price. One without takes it in place of its highest bid, whose
row has to bid again, and its price becomes the highest bid that is left. So at the end of a round
no row gains more than a step by going elsewhere. A row parks units when that is cheapest.

Columns that have units to spare after a round get their price of leaving back, since only that is
right for them at the end. After the last round, rows choose by the prices, and searches from both
sides decide on what is open (`capacity_paths`). So whatever the prices, the answer is exact, and a
round may end early: all rounds together may look at `BIDS_EFFORT` times the edges there are.

- ``v[y]``: prices of columns, as floating-point numbers, for costs of either type.
- ``bids``: in the slots of a column its bids, a heap with the highest on top.
- ``queue``: rows with open units, a ring; ``state``: where it begins, and how many there are.

Work: the edges of a row for a bid. Memory: 8 bytes a slot, and 2 words a vertex.

Reference: D. Bertsekas, D. Castañón, "The auction algorithm for the transportation problem", Annals
of Operations Research 20 (1989), with similar objects; of similar persons it makes no use.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import helper, kernel
from ...results.assignment_run import AssignmentRun
from ...tuning import EDGES_PER_CALL
from .capacity_paths import finish, report, search_all, sides
from .units import Arrays, Units

BEGIN, COUNT, READ, BIDS = range(4)  # in the state
PATHS_EFFORT, LEAST_READ = 4, 1 << 16  # edges that searches may look at: times all, and at least
BIDS_EFFORT = 100  # edges that bids may look at, times all
SPARE = 1.005  # units of columns to one of rows from which on paths alone are faster
STEPS = (0.1, 0.01, 1e-3, 1e-4)  # of the range of costs


def capacity_auction(run: AssignmentRun, effort: float = PATHS_EFFORT) -> None:
    """Choose the cheapest edges; searches may look at `effort` times the edges before bids begin.

    With an effort of 0 there are bids in any case.
    """
    run.stats.algorithm = "capacity-paths"
    first, side = sides(run)
    try:
        most = None
        if effort == 0:
            most = 0
        elif few_to_spare(side):
            most = int(effort * side.graph.nnz) + LEAST_READ
        if not search_all(run, side, most) and side.graph.nnz and not run.infeasible:
            run.stats.algorithm = "capacity-paths, capacity-auction"
            with run.timed("bid"):
                bid_down(run, side)
        finish(run, side)
    finally:
        report(run, first, side)


def few_to_spare(side: Units) -> bool:
    """Tell whether columns have hardly more units than rows: then paths are long."""
    units, n_rows = side.arrays.open_units + side.arrays.parked, side.graph.n_rows
    return bool(units[n_rows:].sum() <= SPARE * units[:n_rows].sum())


def bid_down(run: AssignmentRun, side: Units) -> None:
    """Find prices of columns by bids, and open all units."""
    a, n_rows = side.arrays, side.graph.n_rows
    price, leave = a.price[n_rows:], a.leave[n_rows:]
    capacity = a.open_units + a.parked
    capacity[n_rows:] += a.used
    capacity[:n_rows] += np.add.reduceat(np.append(a.chosen, False), side.graph.indptr[:-1]) * (
        side.graph.row_degrees > 0
    )
    v = np.where(a.room[n_rows:] > 0, leave, price).astype(np.float64)
    bids = np.empty(a.slot_edge.size)
    queue = np.empty(n_rows, a.slot_row.dtype)
    state = np.zeros(4, np.int64)
    high = float(a.costs.max()) - float(a.costs.min())
    for step in STEPS:
        open_all(a, v, capacity, queue, state)
        run.stats.phases += 1
        while state[COUNT] and state[READ] < BIDS_EFFORT * side.graph.nnz:
            bid(a, v, bids, queue, max(high * step, 1e-12), EDGES_PER_CALL, state)
            run.pause(np.count_nonzero(a.chosen))
        spare = (a.parked[n_rows:] > 0) & (v < leave)
        v[spare] = leave[spare]
    run.stats.edges += int(state[READ])
    run.stats.bids += int(state[BIDS])
    price[:] = np.rint(v) if a.costs.dtype.kind == "i" else v
    open_all(a, price, capacity, queue, state)
    a.price[:n_rows] = 0


@kernel
def open_all(a: Arrays, v: Any, capacity: Any, queue: Any, state: Any) -> None:
    """Choose nothing, park what columns need not use at their prices, and list the rows."""
    n_rows = queue.size
    a.chosen[:] = False
    a.used[:] = 0
    state[BEGIN] = state[COUNT] = 0
    for x in range(capacity.size):
        at_leave = x >= n_rows and a.room[x] > 0 and v[x - n_rows] >= a.leave[x]
        a.parked[x] = a.room[x] if at_leave else 0
        a.open_units[x] = capacity[x] - a.parked[x]
        if x < n_rows and capacity[x] > 0:
            queue[state[COUNT]] = x
            state[COUNT] += 1


@kernel
def bid(a: Arrays, v: Any, bids: Any, queue: Any, step: float, budget: int, state: Any) -> None:
    """Let rows bid until none has open units, or some `budget` edges have been looked at."""
    indptr, indices, costs, open_units, parked = (
        a.indptr,
        a.indices,
        a.costs,
        a.open_units,
        a.parked,
    )
    n_rows = queue.size
    stop = state[READ] + budget
    while state[COUNT] > 0 and state[READ] < stop:
        x = np.int64(queue[state[BEGIN]])
        state[BEGIN] = (state[BEGIN] + 1) % n_rows
        state[COUNT] -= 1
        while open_units[x] > 0:
            best = np.int64(-1)
            least = second = np.inf
            if parked[x] < a.room[x]:
                least = np.float64(a.leave[x])
            for k in range(indptr[x], indptr[x + 1]):
                if a.chosen[k]:
                    continue
                cost = np.float64(costs[k]) - v[indices[k]]
                if cost < second:
                    if cost < least:
                        second = least
                        least = cost
                        best = np.int64(k)
                    else:
                        second = cost
            state[READ] += indptr[x + 1] - indptr[x]
            if best < 0:
                units = min(open_units[x], a.room[x] - parked[x])
                parked[x] += units
                open_units[x] -= units
                if units == 0:
                    break  # it must use more units than it has edges
                continue
            state[BIDS] += 1
            y = np.int64(indices[best])
            offer = v[y] - step
            if second < np.inf:
                offer -= second - least
            z = put_in(a, v, bids, n_rows, y, best, x, offer)
            if z == x:
                break  # the column has no units at all
            if z >= 0:
                if open_units[z] == 0:
                    queue[(state[BEGIN] + state[COUNT]) % n_rows] = z
                    state[COUNT] += 1
                open_units[z] += 1


@helper
def put_in(a: Arrays, v: Any, bids: Any, n_rows: int, y: int, k: int, x: int, offer: float) -> Any:
    """Give a row a unit of column y; return the row that loses one, −1 if none, x if it cannot."""
    slots, slot_edge, slot_row = a.slots[y], a.slot_edge, a.slot_row
    size = np.int64(a.used[y])
    column = n_rows + y
    loser = np.int64(-1)
    if a.open_units[column] > 0 or a.parked[column] > 0:
        if a.open_units[column] > 0:
            a.open_units[column] -= 1
        else:
            a.parked[column] -= 1
        a.used[y] += 1
        i = size
        while i > 0:
            up = (i - 1) >> 1
            if bids[slots + up] >= offer:
                break
            move(bids, slot_edge, slot_row, slots + up, slots + i)
            i = up
    else:
        if size == 0:
            return x
        loser = np.int64(slot_row[slots])
        a.chosen[slot_edge[slots]] = False
        i = np.int64(0)
        while True:
            low = 2 * i + 1
            if low >= size:
                break
            if low + 1 < size and bids[slots + low + 1] > bids[slots + low]:
                low += 1
            if bids[slots + low] <= offer:
                break
            move(bids, slot_edge, slot_row, slots + low, slots + i)
            i = low
    bids[slots + i] = offer
    slot_edge[slots + i] = k
    slot_row[slots + i] = x
    a.chosen[k] = True
    a.open_units[x] -= 1
    if a.open_units[column] == 0 and a.parked[column] == 0:
        v[y] = min(v[y], bids[slots])
    return loser


@helper
def move(bids: Any, slot_edge: Any, slot_row: Any, i: int, j: int) -> None:
    """Move a bid from place i to place j."""
    bids[j] = bids[i]
    slot_edge[j] = slot_edge[i]
    slot_row[j] = slot_row[i]
