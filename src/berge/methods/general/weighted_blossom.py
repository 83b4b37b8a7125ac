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

from typing import Any

from ...compile import helper, kernel
from ...compile.halve import halve
from .blossoms import (
    INNER,
    NEW,
    OUTER,
    QUEUE,
    TOUCHED,
    become_outer,
    expand,
    find,
    match_ring,
    release,
    shrink,
    touch,
    turn,
)
from .heaps import drop_first, drop_first_edge, put, put_edge

NOTHING, ZERO, REACH = 0, 1, 2


@kernel
def search(rows: Any, f: Any, q: Any, floor: Any, far: Any, first: int, budget: int) -> int:
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
        waiting, edges, keyed, done = 0, 0, 0, 0
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
                    if floor == 0 and pays < limit:
                        limit, ending, end = pays, ZERO, u
                    budget -= indptr[u + 1] - indptr[u]
                    for k in range(indptr[u], indptr[u + 1]):
                        v = indices[k]
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
    more = -time if state == OUTER else time - f.since[b]
    f.z[b] -= 2 * more
    v = f.first[b]
    while True:
        y[v] += more
        top[v] = b
        if v == f.last[b]:
            break
        v = f.following[v]


@kernel
def match_inside(f: Any, inside: Any) -> None:
    """Settle the matching in all blossoms, from the outermost to the innermost.

    ``inside[v]`` becomes the mate of vertex v. Blossoms stay as they are.
    """
    parent, n = f.parent, f.top.size
    port, mate = f.port, f.mate
    for v in range(n):
        # Blossoms around v that are settled need not be so again.
        inside[v] = -1
    for v in range(n):
        b = f.top[v]
        if b < n or f.first[b] != v:
            continue
        size = 1
        f.queue[0] = b
        while size > 0:
            size -= 1
            c = f.queue[size]
            match_ring(f, c, -1)
            d = f.base[c]
            while True:
                if d >= n:
                    f.queue[size] = d
                    size += 1
                d = f.after[d]
                if d == f.base[c]:
                    break
    for v in range(n):
        inside[v] = mate[v]
