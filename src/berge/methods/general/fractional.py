"""Prices and a fractional matching to begin with: odd cycles need not be shrunk yet.

A fractional matching takes edges wholly, or the edges of disjoint odd cycles by halves. The
heaviest one is found as in bipartite graphs, without blossoms, and its prices are good ones for
matchings. Three steps:
  `cheap_prices`   every vertex pays half of its heaviest edge; then, one after the other, as little
                   as its edges allow; a tight edge to a free vertex is taken
  `fractional`     one search tree from each free vertex, with Dijkstra's queue. Time t runs from 0:
                   outer vertices, whose distance from the root is even, pay t less since they were
                   reached, inner ones t more. A tree ends at the first of: an outer vertex pays no
                   more than the floor, and may stay free; an edge to a free vertex or a half cycle
                   is tight, and is taken; an edge between outer vertices is tight, and closes a new
                   half cycle.
  `round_cycles`   of each half cycle one vertex becomes free, every other edge is taken wholly

Prices y hold after each step: y(u) + y(v) ≥ w(u, v), = for edges taken; and y is at least the
floor, which is 0, or −far where all are to be matched.

Arrays, for vertices:
  mate      the vertex matched to it, or −1
  cycle     the next vertex on its half cycle, or −1
  state     NEW, OUTER or INNER: in the tree or not; NEW for all between searches
  y         the price; for outer vertices in a search, y + the time at which it became outer
  due       for inner vertices, when the tree reached it; for those in the heap, when it will
  origin    the outer vertex from which an inner one was reached
  mark      0 between searches
  queue     the outer vertices of the tree

Work O(n·m log n), memory O(n). Serial. A kernel returns after a search once it has looked at as
many edges as the budget has.

References: D. Applegate, W. Cook, "Solving large-scale matching problems", DIMACS 12, 1993;
V. Kolmogorov, "Blossom V", Math. Prog. Comp. 1, 2009 (its greedy start → `cheap_prices`, ε → t).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import helper, kernel
from ...compile.halve import halve
from ..heaps import drop_first, put
from .blossoms import INNER, NEW, OUTER, SEARCHES, SEEN

NOTHING, ZERO, REACH, ODD = 0, 1, 2, 3


@kernel
def cheap_prices(rows: Any, y: Any, mate: Any, floor: Any) -> None:
    """Set prices and match along tight edges; no price is below `floor`.

    Weights are even, so that half of one is a price.
    """
    indptr, indices, weights = rows
    for v in range(y.size):
        y[v] = floor
        for k in range(indptr[v], indptr[v + 1]):
            y[v] = max(y[v], halve(weights[k]))
    for v in range(y.size):
        if mate[v] >= 0:
            continue
        least = floor
        best = np.int64(-1)
        for k in range(indptr[v], indptr[v + 1]):
            w = np.int64(indices[k])
            needed = weights[k] - y[w]
            if needed > least or (needed == least and mate[w] < 0):
                least = needed
                best = w if mate[w] < 0 else np.int64(-1)
        y[v] = least
        if best >= 0:
            mate[v], mate[best] = best, v


@kernel
def fractional(
    rows: Any, f: Any, q: Any, cycle: Any, floor: Any, far: Any, first: int, budget: int
) -> Any:
    """Search from free vertices from `first` on; return the next one when the budget is spent.

    Returns −1 if a vertex can neither be matched nor stay free: no matching is perfect.
    """
    indptr, indices, weights = rows
    y, mate, state, mark, tree = f.y, f.mate, f.state, f.mark, f.queue
    due, origin, heap, place = q.due, q.origin, q.heap, q.place
    for root in range(first, y.size):
        if mate[root] >= 0 or cycle[root] >= 0 or y[root] == floor:
            continue
        if budget < 0:
            return root
        f.count[SEARCHES] += 1
        waiting, size, seen = 0, 1, 0
        tree[0] = root
        state[root] = OUTER
        limit, ending = far, NOTHING
        u = root
        end, other = root, root
        while True:
            pays = y[u]
            if floor > -far and pays - floor < limit:
                limit, ending, end = pays - floor, ZERO, u
            seen += indptr[u + 1] - indptr[u]
            for k in range(indptr[u], indptr[u + 1]):
                v = np.int64(indices[k])
                if state[v] == INNER:
                    continue
                time = pays - weights[k] + y[v]
                if state[v] == OUTER:
                    time = halve(time)
                    if time < limit:
                        limit, ending, end, other = time, ODD, u, v
                elif time < limit:
                    if mate[v] < 0:
                        limit, ending, end, other = time, REACH, u, v
                    elif place[v] < 0 or time < due[v]:
                        origin[v] = u
                        waiting = put(heap, place, due, waiting, v, time)
            if waiting == 0 or due[heap[0]] >= limit:
                break
            v = heap[0]
            waiting = drop_first(heap, place, due, waiting)
            state[v] = INNER
            u = mate[v]
            state[u] = OUTER
            y[u] += due[v]
            tree[size] = u
            size += 1
        budget -= seen
        f.count[SEEN] += seen
        for i in range(waiting):
            place[heap[i]] = -1
        if ending == NOTHING:
            return -1
        for i in range(size):
            u = tree[i]
            y[u] -= limit
            state[u] = NEW
            if i > 0:
                v = mate[u]
                y[v] += max(limit - due[v], time - time)  # never below 0 by rounding
                state[v] = NEW
        if ending == ZERO:
            y[end] = floor
            turn(mate, origin, end, -1)
        elif ending == REACH:
            if cycle[other] >= 0:
                open_cycle(mate, cycle, other)
            turn(mate, origin, end, other)
        else:
            close_cycle(mate, origin, cycle, mark, end, other)
    return y.size


@helper
def turn(mate: Any, origin: Any, u: int, v: int) -> None:
    """Match the outer vertex u to v, or to none, and turn the path to the root over."""
    while True:
        before = mate[u]
        mate[u] = v
        if v >= 0:
            mate[v] = u
        if before < 0:
            return
        v = before
        u = origin[v]


@helper
def open_cycle(mate: Any, cycle: Any, v: int) -> None:
    """Match all of the half cycle of v but v."""
    u = cycle[v]
    cycle[v] = -1
    while u != v:
        w = cycle[u]
        after = cycle[w]
        mate[u], mate[w] = w, u
        cycle[u] = cycle[w] = -1
        u = after


@helper
def mark_path(mate: Any, origin: Any, mark: Any, x: int, number: int) -> None:
    """Mark the outer vertices from x to the root with a number."""
    while True:
        mark[x] = number
        if mate[x] < 0:
            break
        x = origin[mate[x]]


@helper
def close_cycle(mate: Any, origin: Any, cycle: Any, mark: Any, u: int, v: int) -> None:
    """Make a half cycle of the outer vertices u and v, and their paths to where these meet.

    The path from there to the root is turned over.
    """
    mark_path(mate, origin, mark, u, 1)
    meet = v
    while mark[meet] == 0:
        meet = origin[mate[meet]]
    mark_path(mate, origin, mark, u, 0)
    x = u
    while x != meet:
        inner = mate[x]
        cycle[x] = inner
        x = origin[inner]
        cycle[inner] = x
    x = v
    while x != meet:
        inner = mate[x]
        cycle[inner] = x
        x = origin[inner]
        cycle[x] = inner
    cycle[v] = u
    turn(mate, origin, meet, -1)
    x = u
    while True:
        mate[x] = -1
        x = cycle[x]
        if x == u:
            break


@kernel
def round_cycles(mate: Any, cycle: Any, y: Any) -> None:
    """Of each half cycle leave the vertex free that pays least; match the others in pairs."""
    for v in range(y.size):
        if cycle[v] < 0:
            continue
        least = v
        u = cycle[v]
        while u != v:
            if y[u] < y[least]:
                least = u
            u = cycle[u]
        open_cycle(mate, cycle, least)
