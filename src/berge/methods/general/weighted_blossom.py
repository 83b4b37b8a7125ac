"""Maximum weight matching in any graph: one search tree after the other, with prices.

Each vertex v has a price y(v), each blossom B a price z(B) ≥ 0, such that for every edge
    slack(u, v) = y(u) + y(v) + Σ {z(B): B has u and v} − w(u, v) ≥ 0,   = 0 if matched,
and y ≥ 0. Then the matching is a heaviest one once y = 0 for all free vertices (Edmonds).

`fractional` finds prices and most of the matching. From each free vertex that still pays, a tree of
alternating paths grows along edges of slack 0. Time t runs from 0. Vertices of outer nodes, at even
distance from the root, pay t less since they became outer; those of inner nodes pay t more. So four
things become due, in the order of a heap:
    grow      an edge from an outer vertex to a node not in the tree has no slack left
    shrink    an edge between two outer nodes has none left: the cycle is shrunk to an outer blossom
    expand    the price of an inner blossom is 0
    end       an outer vertex pays 0, and stays free; or an edge to a free node has no slack left.
              In both cases the path from there to the root is turned over.
Only vertices of the tree pay other prices after it: searches stay where they are. Nothing needs to
be looked at that is due after the earliest end known (`limit`).

Prices in a search are those at time 0 for nodes that left it (`blossoms` has the arrays):
    key[v]       least of y(u) + (time u became outer) − w(u, v) over outer vertices u
    origin[v]    that u
so that the edge to v is due at key[v] + y(v), and stays to be known while v is in an inner blossom.

With even integer weights all times are integers: vertices of a tree have prices of one parity.

Work O(n·(m log n + n·d)), where d is how deeply blossoms are nested; memory O(n + m). Serial. A
kernel returns after a search once it has looked at EDGES_PER_CALL edges.

References: J. Edmonds, "Maximum matching and a polyhedron with 0,1-vertices", 1965; Z. Galil,
S. Micali, H. Gabow, SIAM J. Comput. 15, 1986 (S-, T-vertices → outer, inner; their four kinds of
events); M. Ball, U. Derigs, Networks 13, 1983 (one tree after the other; u, y → y, z); W. Cook,
A. Rohe, INFORMS J. Comput. 11, 1999 (why one tree, after a fractional start).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import helper, kernel
from ...compile.halve import halve
from ...graphs.graph import unsigned
from ...graphs.undirected import Rows
from ...results.weighted_run import WeightedRun
from ...tuning import EDGES_PER_CALL
from ..heaps import drop_first, drop_first_edge, put, put_edge
from .blossoms import (
    COUNTS,
    INNER,
    NEW,
    OUTER,
    QUEUE,
    SEARCHES,
    SEEN,
    SPARE,
    TOUCHED,
    Forest,
    become_outer,
    expand,
    find,
    match_ring,
    shrink,
    touch,
    turn,
)
from .fractional import cheap_prices, fractional, round_cycles

NOTHING, ZERO, REACH = 0, 1, 2


class Queues(NamedTuple):
    """Heaps of things that are due and of edges that become tight, and what is due when."""

    key: Any
    origin: Any
    heap: Any
    place: Any
    due: Any
    times: Any
    ends: Any
    others: Any
    keyed: Any


def weighted_blossom(run: WeightedRun) -> None:
    """Find the matching and its prices; with a goal, go on until it has so many pairs.

    To get more pairs the floor is lowered, below which no price may be: free vertices then pay more
    than they must, and are searched from again. A matching of all vertices has no floor.
    """
    graph, weights = run.graph, run.doubled
    n, index, kind = graph.n_vertices, graph.indices.dtype, weights.dtype
    rows = Rows(unsigned(graph.indptr), unsigned(graph.indices), weights)
    far = kind.type(2**61 if kind.kind == "i" else np.inf)
    floor = -far if run.perfect else kind.type(0)
    f = make_forest(n, index, kind)
    q = make_queues(n, graph.n_edges, index, kind, far)
    cycle = np.full(n, -1, index)
    try:
        with run.timed("init"):
            cheap_prices(rows, f.y, f.mate, floor)
            run.forest, first = f, 0
            while 0 <= first < n:
                run.pause()
                first = fractional(rows, f, q, cycle, floor, far, first, EDGES_PER_CALL)
            round_cycles(f.mate, cycle, f.y)
        run.step, run.stats.start_cardinality = "search", run.count()
        while first >= 0:
            first = 0
            with run.timed("search"):
                while 0 <= first < n:
                    run.pause()
                    first = search(rows, f, q, floor, far, first, EDGES_PER_CALL)
            if first < 0 or run.goal is None or run.count() >= run.goal:
                break
            floor = run.lower(floor)
        run.infeasible = first < 0
    finally:
        round_cycles(f.mate, cycle, f.y)  # if it was stopped before there were none left
        match_inside(f, run.mate)
        run.stats.phases = int(f.count[SEARCHES])
        run.stats.traversed_edges = int(f.count[SEEN])


def make_forest(n: int, index: Any, kind: Any) -> Forest:
    """Return the arrays for n vertices, all of them free."""
    nodes = n + n // 2 + 1

    def numbered() -> Any:
        return np.arange(nodes, dtype=index)

    def none(size: int = nodes) -> Any:
        return np.full(size, -1, index)

    spare = numbered()[: n - 1 : -1].copy()
    count = np.zeros(COUNTS, np.int64)
    count[SPARE] = spare.size
    return Forest(
        y=np.zeros(n, kind), top=numbered()[:n], following=none(n), up=numbered(), parent=none(),
        port=numbered(), mate=none(), state=np.zeros(nodes, np.int8), since=np.zeros(nodes, kind),
        from_=none(), to=none(), z=np.zeros(nodes, kind), base=none(), first=numbered(),
        last=numbered(), after=none(), before=none(), here=none(), there=none(), spare=spare,
        mark=np.zeros(nodes, np.int64), queue=none(2 * nodes), touched=none(2 * nodes), count=count,
    )  # fmt: skip


def make_queues(n: int, m: int, index: Any, kind: Any, far: Any) -> Queues:
    """Return the arrays for n vertices and m edges, where nothing is due."""
    nodes = n + n // 2 + 1
    return Queues(
        key=np.full(n, far, kind), origin=np.empty(n, index), heap=np.empty(nodes, index),
        place=np.full(nodes, -1, index), due=np.empty(nodes, kind), times=np.empty(m, kind),
        ends=np.empty(m, index), others=np.empty(m, index), keyed=np.empty(n, index),
    )  # fmt: skip


@kernel
def search(rows: Any, f: Any, q: Any, floor: Any, far: Any, first: int, budget: int) -> Any:
    """Search from free vertices from `first` on; return the next one when the budget is spent.

    Returns −1 if a tree cannot end: no matching is perfect.
    """
    indptr, indices, weights = rows
    y, z, port, mate, state, since = f.y, f.z, f.port, f.mate, f.state, f.since
    key, origin, heap, place, due = q.key, q.origin, q.heap, q.place, q.due
    count, n = f.count, f.top.size
    for root in range(first, n):
        b = f.top[root]
        if mate[b] >= 0 or port[b] != root or y[root] == floor:
            continue
        if budget < 0:
            return root
        time = y[root] - y[root]
        limit, ending, end, other = far, NOTHING, root, root
        waiting, edges, keyed, done, seen = 0, 0, 0, 0, 0
        count[SEARCHES] += 1
        count[QUEUE] = count[TOUCHED] = 0
        become_outer(f, b, time)
        while True:
            while done < count[QUEUE]:
                c = f.queue[done]
                done += 1
                own = find(f, f.first[c])
                state[own] = OUTER
                more = time + (time - since[c])
                u = f.first[c]
                while True:
                    y[u] += more
                    pays = y[u]
                    if floor > -far and pays - floor < limit:
                        limit, ending, end = pays - floor, ZERO, u
                    seen += indptr[u + 1] - indptr[u]
                    for k in range(indptr[u], indptr[u + 1]):
                        v = np.int64(indices[k])
                        d = find(f, v)
                        if d == own:
                            continue
                        pull = pays - weights[k]
                        if state[d] == OUTER:
                            at = halve(pull + y[v])
                            if at < limit:
                                edges = put_edge(q.times, q.ends, q.others, edges, at, u, v)
                        elif mate[d] < 0:
                            if pull + y[v] < limit:
                                limit, ending, end, other = pull + y[v], REACH, u, v
                        elif pull < key[v] and (d >= n or state[d] == NEW):
                            if key[v] == far:
                                q.keyed[keyed] = v
                                keyed += 1
                            key[v], origin[v] = pull, u
                            if state[d] == NEW and pull + y[v] < limit:
                                waiting = put(heap, place, due, waiting, v, pull + y[v])
                    if u == f.last[c]:
                        break
                    u = f.following[u]
            at = due[heap[0]] if waiting > 0 else far
            if edges > 0 and q.times[0] <= at:
                if q.times[0] >= limit:
                    break
                u, v = q.ends[0], q.others[0]
                time = max(time, q.times[0])
                edges = drop_first_edge(q.times, q.ends, q.others, edges)
                if find(f, u) != find(f, v):
                    shrink(f, u, v, time)
                continue
            if at >= limit:
                break
            x = heap[0]
            waiting = drop_first(heap, place, due, waiting)
            if x >= n:
                if f.up[x] == x and state[x] == INNER:
                    time = max(time, at)
                    b = x
                    ring = f.base[b]
                    expand(f, b, time)
                    c = ring
                    while True:
                        if state[c] == INNER and c >= n:
                            waiting = put(heap, place, due, waiting, c, time + halve(z[c]))
                        elif state[c] == NEW:
                            v = f.first[c]
                            while True:
                                if key[v] != far and key[v] + y[v] < limit:
                                    waiting = put(heap, place, due, waiting, v, key[v] + y[v])
                                if v == f.last[c]:
                                    break
                                v = f.following[v]
                        c = f.after[c]
                        if c == ring:
                            break
                continue
            b = find(f, x)
            if state[b] != NEW:
                continue
            if key[x] + y[x] > at:  # it was in an inner blossom meanwhile
                if key[x] + y[x] < limit:
                    waiting = put(heap, place, due, waiting, x, key[x] + y[x])
                continue
            time = max(time, at)
            f.from_[b], f.to[b], since[b], state[b] = origin[x], x, time, INNER
            touch(f, b)
            if b >= n:
                waiting = put(heap, place, due, waiting, b, time + halve(z[b]))
            become_outer(f, find(f, mate[b]), time)
        budget -= seen
        count[SEEN] += seen
        for i in range(waiting):
            place[heap[i]] = -1
        for i in range(keyed):
            key[q.keyed[i]] = far
        if ending == NOTHING:
            return -1
        for i in range(count[TOUCHED]):
            leave(f, f.touched[i], limit)
        if ending == ZERO:
            y[end] = floor
            turn(f, end, -1)
        else:
            turn(f, end, other)
            b = f.top[other]
            port[b], mate[b] = other, end
    return n


@helper
def leave(f: Any, b: int, time: Any) -> None:
    """Give a node of the tree, and its vertices, the prices of this time."""
    y, top = f.y, f.top
    state = f.state[b]
    f.state[b] = NEW
    if state == NEW or f.up[b] != b:
        return
    # Rounding must not make the time before `since`, nor prices lower than the floor.
    more = -time if state == OUTER else max(time - f.since[b], time - time)
    f.z[b] -= 2 * more
    v = f.first[b]
    while True:
        y[v] += more
        top[v] = b
        if v == f.last[b]:
            break
        v = f.following[v]


@kernel
def match_inside(f: Any, mates: Any) -> None:
    """Settle the matching in all blossoms, from the outermost to the innermost.

    ``mates[v]`` becomes the mate of vertex v. Blossoms stay as they are. Work O(n).
    """
    n = f.top.size
    for v in range(n):
        b = f.top[v]
        if b < n or f.first[b] != v:
            continue
        size = 1
        f.queue[0] = b
        while size > 0:
            size -= 1
            c = f.queue[size]
            length, start = 0, f.port[c]
            while start != c:  # all blossoms on the way down to it have the port of c
                f.touched[length] = start
                length += 1
                start = f.parent[start]
            while length > 0:
                length -= 1
                start = f.touched[length]
                match_ring(f, c, start, -1)
                d = f.after[start]
                while d != start:
                    if d >= n:
                        f.queue[size] = d
                        size += 1
                    d = f.after[d]
                c = start
    for v in range(n):
        mates[v] = f.mate[v]
