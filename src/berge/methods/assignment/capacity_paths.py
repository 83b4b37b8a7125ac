"""Shortest augmenting paths with capacities: the cheapest way for one open unit after the other.

First, rows take their cheapest edges as long as the columns of these have units to spare. Then each
row with open units searches. A search follows edges that are not chosen to columns, and chosen ones
back to rows, by Dijkstra's algorithm: reduced costs, negative ones of chosen edges taken backwards,
are lengths ≥ 0. It ends where a unit is cheapest: at a column with an open unit, at a column that
gives up a parked one, or at a row that parks one. Then the edges of the path are chosen, and those
chosen before are not. One unit of the first row is no longer open, and no other is opened. When all
rows are done, columns that have open units search in the same way, from the other side.

The search stops as soon as no vertex is nearer than the best end, at distance D. Then the price of
a row at distance d < D rises by D − d, and that of such a column falls by as much. So what `units`
says of prices remains true, and the path has length 0. Vertices at the distance of the one that is
looked at need no heap.

- ``dist[x]``: the shortest distance found to x, or `never`; ``done[x]``: whether it is final.
- ``via[x]``: for a column, the edge that it was reached by; for a row, the slot. ``above[y]``: the
  row that column y was reached from.
- ``heap``: vertices, see `heaps`; ``place[x]``: where x is in it, or −1. One whose distance
  became final meanwhile is passed over when it is on top.
- ``queue``: vertices whose distance is final, by distance; ``touched``: all that have one.

Work O(m·log n) a search, and a search a unit at most. Memory, besides that of `units`: 6 words a
vertex.

References: R. Busacker, P. Gowen 1960; J. Edmonds, R. Karp, "Theoretical improvements in
algorithmic efficiency for network flow problems", JACM 19 (1972), for the prices; and as for
`shortest_paths`, which this is with more than one unit a vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import helper, kernel
from ...results.assignment_run import AssignmentRun
from ...tuning import EDGES_PER_CALL
from ..heaps import drop_first, put
from .units import Arrays, Units, add

EDGES, SEARCHES, STUCK = range(3)  # in a tally
MANY = 8  # open units from which a row puts its edges into the heap: guess


class Buffers(NamedTuple):
    """What a search works on; the names are explained above."""

    dist: Any
    done: Any
    via: Any
    above: Any
    heap: Any
    place: Any
    queue: Any
    touched: Any


def capacity_paths(run: AssignmentRun) -> None:
    """Choose the cheapest edges."""
    run.stats.algorithm = "capacity-paths"
    first, side = sides(run)
    try:
        finish(run, side)
    finally:
        report(run, first, side)


def sides(run: AssignmentRun) -> tuple[Units, Units]:
    """Return the rows' side, and the side with fewer units, with first prices."""
    with run.timed("start"):
        first = side = Units.of(run.problem)
        n_rows = first.graph.n_rows
        degrees = np.concatenate([first.graph.row_degrees, first.graph.col_degrees])
        usable = np.minimum(first.arrays.open_units, degrees)
        prices = run.col_price
        if usable[:n_rows].sum() > usable[n_rows:].sum():
            side, prices = first.turned(), run.row_price
        kind = run.problem.costs.dtype
        given = np.zeros(side.graph.n_cols, kind) if prices is None else prices.astype(kind)
        price_columns(side.arrays, given, prices is not None)
    return first, side


def finish(run: AssignmentRun, side: Units) -> None:
    """Decide on all open units, beginning with any prices of columns."""
    search_all(run, side)
    if not run.infeasible and side.arrays.open_units.any():
        with run.timed("start"):
            other = side.turned()
        try:
            search_all(run, other)
        finally:
            side.bring_back(other)


def report(run: AssignmentRun, first: Units, side: Units) -> None:
    """Give the run what was found from a side."""
    if side is not first:
        first.bring_back(side)
    first.report(run)


def search_all(run: AssignmentRun, units: Units, most: int | None = None) -> bool:
    """Let rows with open units search, over so many edges; return whether none is left."""
    a, n_rows = units.arrays, units.graph.n_rows
    n, vertex = a.price.size, a.slot_row.dtype
    b = Buffers(
        dist=np.full(n, a.never),
        done=np.zeros(n, np.bool_),
        via=np.empty(n, a.slot_edge.dtype),
        above=np.empty(units.graph.n_cols, vertex),
        heap=np.empty(n, vertex),
        place=np.full(n, -1, vertex),
        queue=np.empty(n, vertex),
        touched=np.empty(n, vertex),
    )
    tally = np.zeros(3, np.int64)
    with run.timed("start"):
        choose_by_prices(a, b)
    run.pause(np.count_nonzero(a.chosen))
    x = 0
    try:
        with run.timed("search"):
            while x < n_rows and (most is None or tally[EDGES] < most):
                budget = EDGES_PER_CALL if most is None else min(EDGES_PER_CALL, most)
                x = search_from_rows(a, b, x, budget, tally)
                run.pause(np.count_nonzero(a.chosen))
    finally:
        run.stats.searches += int(tally[SEARCHES])
        run.stats.edges += int(tally[EDGES])
        run.infeasible |= bool(tally[STUCK])
    return x == n_rows


@kernel
def price_columns(a: Arrays, prices: Any, given: bool) -> None:
    """Give columns their first prices, and park the units that are not required.

    A price is what is given, or `leave`; or, with all units required, the least cost of an edge.
    """
    n_rows = a.indptr.size - 1
    seen = np.zeros(prices.size, np.bool_)
    for k in range(a.indices.size):
        j = a.indices[k]
        if not given and (not seen[j] or a.costs[k] < prices[j]):
            seen[j] = True
            prices[j] = a.costs[k]
    for j in range(prices.size):
        y = n_rows + j
        a.price[y] = prices[j] if given or a.room[y] == 0 else a.leave[y]
        if a.price[y] >= a.leave[y]:
            a.parked[y] = a.room[y]
            a.open_units[y] -= a.room[y]


@kernel
def choose_by_prices(a: Arrays, b: Buffers) -> None:
    """Let rows take their cheapest edges, as long as the columns of these have units to spare."""
    n_rows = a.indptr.size - 1
    for x in range(n_rows):
        many = a.open_units[x] > MANY
        size = 0
        if many:
            for k in range(a.indptr[x], a.indptr[x + 1]):
                if not a.chosen[k]:
                    y = n_rows + np.int64(a.indices[k])
                    b.dist[y] = a.costs[k] - a.price[y]
                    b.via[y] = k
                    size = put(b.heap, b.place, b.dist, size, y, b.dist[y])
        while True:
            best = -1  # the cheapest edge that is not chosen
            least = a.price[x]
            if many and size > 0:
                least = b.dist[b.heap[0]]
                best = np.int64(b.via[b.heap[0]])
            elif not many:
                for k in range(a.indptr[x], a.indptr[x + 1]):
                    if not a.chosen[k]:
                        cost = a.costs[k] - a.price[n_rows + a.indices[k]]
                        if best < 0 or cost < least:
                            best, least = np.int64(k), cost
            may_park = a.parked[x] < a.room[x]
            if may_park and (best < 0 or a.leave[x] <= least):
                a.price[x] = a.leave[x]
                park(a, x, a.open_units[x])
                if a.open_units[x] == 0:
                    break
                continue
            if best < 0:
                break  # more units are required than there are edges
            a.price[x] = least
            if a.open_units[x] == 0:
                break
            y = n_rows + np.int64(a.indices[best])
            if a.open_units[y] > 0:
                a.open_units[y] -= 1
            elif a.parked[y] > 0 and a.price[y] <= a.leave[y]:
                a.parked[y] -= 1
            else:
                break
            add(a, y - n_rows, best, x)
            a.open_units[x] -= 1
            if many:
                size = drop_first(b.heap, b.place, b.dist, size)
        for i in range(size):
            b.place[b.heap[i]] = -1
        if many:
            for k in range(a.indptr[x], a.indptr[x + 1]):
                b.dist[n_rows + np.int64(a.indices[k])] = a.never


@helper
def park(a: Arrays, x: int, most: int) -> None:
    """Park open units of a vertex, at most so many, as far as there is room."""
    units = min(most, a.room[x] - a.parked[x])
    a.parked[x] += units
    a.open_units[x] -= units


@kernel
def search_from_rows(a: Arrays, b: Buffers, x: int, budget: int, tally: Any) -> int:
    """Decide on the open units of rows from x on; return the row to go on with.

    Comes back after some `budget` edges.
    """
    n_rows = a.indptr.size - 1
    stop = tally[EDGES] + budget
    while x < n_rows and tally[EDGES] < stop:
        if a.open_units[x] == 0:
            x += 1
        elif search(a, b, x, tally):
            tally[SEARCHES] += 1
        else:
            tally[STUCK] += 1
            x += 1
    return x


@helper
def search(a: Arrays, b: Buffers, root: int, tally: Any) -> bool:
    """Find the cheapest path from a row, and change its edges; return whether there is one."""
    indptr, indices, costs = a.indptr, a.indices, a.costs
    price, leave, open_units, parked, never = a.price, a.leave, a.open_units, a.parked, a.never
    dist, done, via, heap, queue, touched = b.dist, b.done, b.via, b.heap, b.queue, b.touched
    n_rows = indptr.size - 1
    best, goal = never, -1
    d = price[root] - price[root]  # 0 of the type of costs
    dist[root] = d
    done[root] = True
    queue[0] = touched[0] = root
    head, tail, reached, size = 0, 1, 1, 0
    edges = 0
    while d < best:
        if head == tail:  # no vertex is left at this distance
            while size > 0 and done[heap[0]]:
                size = drop_first(heap, b.place, dist, size)
            if size == 0 or dist[heap[0]] >= best:
                break
            x = np.int64(heap[0])
            size = drop_first(heap, b.place, dist, size)
            d = dist[x]
            done[x] = True
            queue[tail] = x
            tail += 1
        x = np.int64(queue[head])
        head += 1
        if x < n_rows:
            if parked[x] < a.room[x]:
                to = d + max(leave[x] - price[x], 0)
                if to < best:
                    best, goal = to, x
            for k in range(indptr[x], indptr[x + 1]):
                if a.chosen[k]:
                    continue
                y = n_rows + np.int64(indices[k])
                to = d + max(costs[k] - price[x] - price[y], 0)
                if to >= best or to >= dist[y]:
                    continue
                if dist[y] == never:
                    touched[reached] = y
                    reached += 1
                dist[y] = to
                via[y] = k
                b.above[y - n_rows] = x
                if open_units[y] > 0:
                    best, goal = to, y
                    continue
                if parked[y] > 0:
                    freed = to + max(price[y] - leave[y], 0)
                    if freed < best:
                        best, goal = freed, y
                    if freed == to:
                        continue
                if to == d:
                    done[y] = True
                    queue[tail] = y
                    tail += 1
                if to > d or b.place[y] >= 0:
                    size = put(heap, b.place, dist, size, y, to)
            edges += indptr[x + 1] - indptr[x]
        else:
            j = x - n_rows
            for s in range(a.slots[j], a.slots[j] + a.used[j]):
                z = np.int64(a.slot_row[s])
                to = d + max(price[z] + price[x] - costs[a.slot_edge[s]], 0)
                if to >= best or to >= dist[z]:
                    continue
                if dist[z] == never:
                    touched[reached] = z
                    reached += 1
                dist[z] = to
                via[z] = s
                if to == d:
                    done[z] = True
                    queue[tail] = z
                    tail += 1
                if to > d or b.place[z] >= 0:
                    size = put(heap, b.place, dist, size, z, to)
            edges += a.used[j]
    if goal >= 0:
        for i in range(tail):
            x = queue[i]
            if x < n_rows:
                price[x] += best - dist[x]
            else:
                price[x] -= best - dist[x]
        change(a, b, root, goal)
    for i in range(reached):
        x = touched[i]
        dist[x] = never
        done[x] = False
        b.place[x] = -1
    tally[EDGES] += edges
    return goal >= 0


@helper
def change(a: Arrays, b: Buffers, root: int, goal: int) -> None:
    """Change the edges of the path from the root to where it ends."""
    n_rows = a.indptr.size - 1
    if goal == root:
        park(a, root, a.open_units[root])
        return
    a.open_units[root] -= 1
    x = np.int64(goal)
    if goal < n_rows:
        a.parked[goal] += 1
    else:
        if a.open_units[goal] > 0:
            a.open_units[goal] -= 1
        else:
            a.parked[goal] -= 1
        x = np.int64(b.above[goal - n_rows])
        add(a, goal - n_rows, np.int64(b.via[goal]), x)
    while x != root:  # the column above x takes another row in its place
        s = b.via[x]
        k = a.slot_edge[s]
        a.chosen[k] = False
        j = np.int64(a.indices[k])
        x = np.int64(b.above[j])
        k = b.via[n_rows + j]
        a.chosen[k] = True
        a.slot_edge[s] = k
        a.slot_row[s] = x
