"""Blossoms in flat arrays: shrinking odd cycles, expanding them, and turning paths over.

Nodes are vertices 0 … n − 1 and blossoms from n on. A blossom is a ring of an odd number of nodes,
each tied to the next by an edge of price zero. It stands for all vertices in it, which are a linked
list. Nodes that are in no blossom are *outermost*, and form the search tree.

Matching inside of blossoms is put off: an outermost node knows the one edge that it is matched by,
from `port` (a vertex in it) to `mate` (a vertex outside). Any vertex of a ring can be the one that
is matched outside, so the rest is settled when the blossom is expanded (`match_ring`).

Arrays of `Forest`:
  top[v]       the outermost node of vertex v, followed by `up` while a search shrinks
  up[b]        b itself if outermost; else a blossom around b, as in union–find
  parent[b]    the blossom that has b in its ring, or −1
  port, mate   the edge by which an outermost node is matched; ``mate[b] = -1`` if it is free, then
               `port` is the vertex of it that is free
  state[b]     NEW, OUTER, INNER, or QUEUED: about to be outer
  since[b]     the time at which b became inner; for those queued, that of now
  from_[b], to[b]    the edge by which an inner node was reached, from an outer one
  z[b]         the price of a blossom; of outer ones in a search, less 2 t for the time t since when
  base[b]      a node of the ring of blossom b: the one where its ring began
  first, last  the first and the last vertex of a node; `following` is the next one of each vertex
  after, before      the next and the previous node of a ring
  here, there  the edge from a node to the next of its ring: the end in it, and that in the next one
  spare        names for blossoms that are not in use; ``count[SPARE]`` of them
  queue        nodes that are to be outer, ``count[QUEUE]`` of them; touched: all that have a state
  mark         nodes passed on the way to the root carry the number of that way, ``count[STAMP]``
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...compile import helper

NEW, OUTER, INNER, QUEUED = 0, 1, 2, 3
SPARE, QUEUE, TOUCHED, STAMP, SEARCHES, SEEN, SHRUNK, EXPANDED, COUNTS = range(9)


class Forest(NamedTuple):
    """What is explained above, and the prices y of vertices; `count` also has the statistics."""

    y: Any
    top: Any
    following: Any
    up: Any
    parent: Any
    port: Any
    mate: Any
    state: Any
    since: Any
    from_: Any
    to: Any
    z: Any
    base: Any
    first: Any
    last: Any
    after: Any
    before: Any
    here: Any
    there: Any
    spare: Any
    mark: Any
    queue: Any
    touched: Any
    count: Any


@helper
def find(f: Any, v: int) -> Any:
    """Return the outermost node of a vertex."""
    up = f.up
    b = f.top[v]
    while up[b] != b:
        up[b] = up[up[b]]
        b = up[b]
    return b


@helper
def tie(f: Any, b: int, c: int, u: int, v: int) -> None:
    """Make c the node after b in a ring, by the edge from u in b to v in c."""
    f.after[b], f.before[c], f.here[b], f.there[b] = c, b, u, v


@helper
def meeting(f: Any, u: int, v: int) -> Any:
    """Return the outer node where the paths from two vertices to the root meet."""
    mark, mate, from_ = f.mark, f.mate, f.from_
    f.count[STAMP] += 1
    stamp = f.count[STAMP]
    a, b = find(f, u), find(f, v)
    while True:
        if a >= 0:
            if mark[a] == stamp:
                return a
            mark[a] = stamp
            a = -1 if mate[a] < 0 else find(f, from_[find(f, mate[a])])
        a, b = b, a


@helper
def shrink(f: Any, u: int, v: int, time: Any) -> None:
    """Make an outer blossom of the cycle closed by edge {u, v}; its inner nodes are queued."""
    port, mate, from_, to = f.port, f.mate, f.from_, f.to
    meet, x, w = meeting(f, u, v), find(f, u), find(f, v)
    tie(f, x, w, u, v)
    while x != meet:
        p = find(f, mate[x])
        tie(f, p, x, mate[x], port[x])
        x = find(f, from_[p])
        tie(f, x, p, from_[p], to[p])
    while w != meet:
        p = find(f, mate[w])
        tie(f, w, p, port[w], mate[w])
        w = find(f, from_[p])
        tie(f, p, w, to[p], from_[p])
    f.count[SHRUNK] += 1
    f.count[SPARE] -= 1
    b = f.spare[f.count[SPARE]]
    f.base[b], f.port[b], f.mate[b] = meet, port[meet], mate[meet]
    f.state[b], f.z[b], f.up[b], f.parent[b] = OUTER, -2 * time, b, -1
    f.first[b] = f.first[meet]
    touch(f, b)
    c = meet
    while True:
        f.parent[c] = f.up[c] = b
        if f.state[c] == INNER:
            f.z[c] -= 2 * (time - f.since[c])
            f.queue[f.count[QUEUE]] = c
            f.count[QUEUE] += 1
        else:
            f.z[c] += 2 * time
        f.last[b] = f.last[c]
        c = f.after[c]
        if c == meet:
            break
        f.following[f.last[b]] = f.first[c]


@helper
def touch(f: Any, b: int) -> None:
    """Note that a node has a state."""
    f.touched[f.count[TOUCHED]] = b
    f.count[TOUCHED] += 1


@helper
def node_in(f: Any, b: int, v: int) -> Any:
    """Return the node of the ring of blossom b that has vertex v."""
    parent = f.parent
    while parent[v] != b:
        v = parent[v]
    return v


@helper
def match_ring(f: Any, b: int, start: int, goal: int) -> int:
    """Match the ring of blossom b, whose node `start` has the port of b; return how far `goal` is.

    Nodes at odd distances from `start` are matched to the next one.
    """
    port, mate, after, here, there = f.port, f.mate, f.after, f.here, f.there
    port[start], mate[start] = port[b], mate[b]
    c, distance, of_goal = start, 0, 0
    while True:
        c, distance = after[c], distance + 1
        if c == start:
            return of_goal
        if c == goal:
            of_goal = distance
        d = after[c]
        if d == goal:
            of_goal = distance + 1
        port[c], mate[c], port[d], mate[d] = here[c], there[c], there[c], here[c]
        c, distance = d, distance + 1


@helper
def release(f: Any, b: int, more: Any) -> None:
    """Make the nodes of the ring of b outermost ones; their vertices pay so much more."""
    y, top, following = f.y, f.top, f.following
    c = f.base[b]
    while True:
        f.parent[c], f.up[c], f.state[c] = -1, c, NEW
        v = f.first[c]
        while True:
            top[v] = c
            y[v] += more
            if v == f.last[c]:
                break
            v = following[v]
        c = f.after[c]
        if c == f.base[b]:
            break
    f.state[b] = NEW
    f.spare[f.count[SPARE]] = b
    f.count[SPARE] += 1


@helper
def expand(f: Any, b: int, time: Any) -> None:
    """Put the nodes of inner blossom b in its place in the tree: those on the even way through it.

    Every other one of them becomes inner, those between are queued; the rest leave the tree.
    """
    f.count[EXPANDED] += 1
    goal, end = node_in(f, b, f.to[b]), node_in(f, b, f.port[b])
    distance = match_ring(f, b, end, goal)
    release(f, b, time - f.since[b])
    u, v, c = f.from_[b], f.to[b], goal
    while True:
        f.from_[c], f.to[c], f.since[c], f.state[c] = u, v, time, INNER
        touch(f, c)
        if c == end:
            break
        if distance & 1:
            d = f.after[c]
            c = f.after[d]
            u, v = f.here[d], f.there[d]
        else:
            d = f.before[c]
            c = f.before[d]
            u, v = f.there[c], f.here[c]
        become_outer(f, d, time)


@helper
def become_outer(f: Any, b: int, time: Any) -> None:
    """Queue a node that is to be outer."""
    f.state[b], f.since[b] = QUEUED, time
    f.z[b] -= 2 * time
    f.queue[f.count[QUEUE]] = b
    f.count[QUEUE] += 1
    touch(f, b)


@helper
def turn(f: Any, u: int, v: int) -> None:
    """Match the outer node of u by edge {u, v}, or leave u free, and turn its path over."""
    port, mate, top, from_, to = f.port, f.mate, f.top, f.from_, f.to
    b = top[u]
    while True:
        before = mate[b]
        port[b], mate[b] = u, v
        if before < 0:
            return
        p = top[before]
        u, v = from_[p], to[p]
        port[p], mate[p] = v, u
        b = top[u]
