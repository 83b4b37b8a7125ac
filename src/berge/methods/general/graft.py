"""Blossom search from all unmatched vertices at once, with tree grafting.

A forest of alternating trees grows from all roots, breadth first. Within a tree it is the search of
`berge.methods.general.blossom`. An edge between outer vertices of two trees ends an augmenting
path. Both trees are gone then, and their vertices, all matched, belong to no tree. Only what these
two trees had is done again: each of their vertices that has an outer neighbour in another tree is
grafted onto it, with its mate. All other trees stay as they are. When nothing is left to grow, the
inner vertices are the Tutte–Berge set.

Where many vertices will stay unmatched, trees are small, and all searches together read the edges
little more than once. Where few do, trees become large, and to cut them down and grow them again
takes longer than searches from one root at a time.

Work O(n·m log n). Memory an index and a byte a vertex besides that of the blossom search. A
phase, in the stats, is a call of the kernel.

What `blossom` explains holds here, with one search number for all trees. In addition:

- ``node[8 · v + TREE]``, of outer vertices: the root of v's tree.
- ``node[8 · v + AFTER]``, of roots and of vertices that were reached as outer ones: the next such
  vertex of the same tree, or −1. Its other vertices are the mates of these.
- ``queue``: outer vertices to be scanned, in a ring; ``waits[v]``: whether v is in it, once. It may
  be there from a tree that is gone.
- ``gone``: the vertices of two trees that are gone.

Every edge from a scanned outer vertex leads to an inner one, or to an outer one of its own tree.

References: J. Edmonds 1965 and H. N. Gabow 1976, as there; grafting is that of A. Azad, A. Buluç,
A. Pothen, "A parallel tree grafting algorithm for maximum cardinality matching in bipartite
graphs", IPDPS 2015.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import helper, kernel, prefetch
from ...results.general_run import GeneralRun
from ...tuning import EDGES_PER_CALL, FOREST_AHEAD, FOREST_FAR, FOREST_NEAR, FOREST_ROW
from ..counters import EDGES, count_path
from . import blossom as one_by_one
from .blossom import (
    AFTER,
    BASE,
    LABEL,
    MATE,
    OTHER,
    ROUNDS,
    SEARCHES,
    STAMP,
    TREE,
    WANTED,
    base_of,
    nearest_common_base,
    rematch,
)

HEAD, TAIL, WAITING = range(3)  # entries of `ring`: where the queue begins, ends; how many wait


class Trees(NamedTuple):
    """What the forest needs besides; the names are explained above."""

    waits: Any
    gone: Any
    ring: Any


def graft(run: GeneralRun) -> None:
    """Make the matching maximum."""
    a = one_by_one.prepare(run)
    with one_by_one.reported(run, a):
        last = grow_all(run, a)
    run.proof = one_by_one.proof_of(a, last)


def grow_all(run: GeneralRun, a: one_by_one.Arrays) -> int:
    """Grow a forest from all roots, until no path is left; return its stamp if it is a proof."""
    n = run.mate.size
    t = Trees(run.empty(n, np.uint8), run.empty(n, run.mate.dtype), np.zeros(3, np.int64))
    t.waits.fill(0)
    plant(a, t)
    while t.ring[WAITING] > 0 and a.state[WANTED] > 0:
        grow(a, t, EDGES_PER_CALL)
        one_by_one.tell(run, a)
    return 2 * int(a.state[SEARCHES]) if t.ring[WAITING] == 0 else one_by_one.NONE


@kernel
def plant(a: Any, t: Any) -> None:
    """Begin a tree at every root that is still unmatched."""
    a.state[SEARCHES] += 1
    a.state[ROUNDS] += 1
    outer = 2 * a.state[SEARCHES] + 1
    for i in range(a.roots.size):
        r = np.int64(a.roots[i])
        if r >= 0 and a.node[8 * r + MATE] < 0 and a.node[8 * r + STAMP] < outer:
            a.node[8 * r + STAMP], a.node[8 * r + LABEL] = outer, r
            a.node[8 * r + BASE] = a.node[8 * r + TREE] = r
            a.node[8 * r + AFTER] = -1
            enqueue(a, t, r)


@helper
def enqueue(a: Any, t: Any, v: int) -> None:
    """Have an outer vertex scanned."""
    if t.waits[v] == 0:
        t.waits[v] = 1
        tail = t.ring[TAIL]
        a.queue[tail] = v
        t.ring[TAIL] = tail + 1 if tail + 1 < a.queue.size else 0
        t.ring[WAITING] += 1


@kernel
def grow(a: Any, t: Any, budget: int) -> None:
    """Scan outer vertices, for some `budget` edges."""
    indptr, indices, node, state = a.indptr, a.indices, a.node, a.state
    inner = 2 * state[SEARCHES]
    outer = inner + 1
    stop = a.tally[0, EDGES] + budget
    while t.ring[WAITING] > 0 and a.tally[0, EDGES] < stop and state[WANTED] > 0:
        head = t.ring[HEAD]
        v = np.int64(a.queue[head])
        t.ring[HEAD] = head + 1 if head + 1 < a.queue.size else 0
        t.ring[WAITING] -= 1
        t.waits[v] = 0
        ahead(a, head, t.ring[WAITING])
        if node[8 * v + STAMP] != outer:
            continue
        r = np.int64(node[8 * v + TREE])
        here = base_of(node, v)
        a.tally[0, EDGES] += np.int64(indptr[v + 1] - indptr[v])
        for k in range(indptr[v], indptr[v + 1]):
            w = np.int64(indices[k])
            stamp = node[8 * w + STAMP]
            if stamp < inner:
                take_on(a, t, v, w, r, inner)
            elif stamp == outer:
                there = base_of(node, w)
                if there == here:
                    continue
                if node[8 * w + TREE] == r:
                    top = nearest_common_base(a, here, there, r)
                    take_in(a, t, v, w, top, outer)
                    take_in(a, t, w, v, top, outer)
                    here = top
                else:
                    s = np.int64(node[8 * w + TREE])
                    size = cut_down(a, t, r, s)
                    edges = rematch(a, v, w) + rematch(a, w, v) - 1
                    state[WANTED] -= 1
                    count_path(a.tally, 0, edges)
                    graft_on(a, t, size, inner)
                    break


@helper
def ahead(a: Any, head: int, waiting: int) -> None:
    """Ask the memory for what the next vertices of the queue need."""
    size = a.queue.size
    if waiting > FOREST_FAR and head + FOREST_FAR < size:
        prefetch(a.indptr, np.int64(a.queue[head + FOREST_FAR]))
        prefetch(a.node, 8 * np.int64(a.queue[head + FOREST_FAR]))
        w = np.int64(a.queue[head + FOREST_AHEAD])
        lo, hi = np.int64(a.indptr[w]), np.int64(a.indptr[w + 1])
        if lo < hi:
            prefetch(a.indices, lo)
        w = np.int64(a.queue[head + FOREST_NEAR])
        lo, hi = np.int64(a.indptr[w]), np.int64(a.indptr[w + 1])
        for k in range(lo, min(hi, lo + FOREST_ROW)):
            prefetch(a.node, 8 * np.int64(a.indices[k]))


@helper
def take_on(a: Any, t: Any, v: int, w: int, r: int, inner: int) -> None:
    """Add w and its mate to the tree of r, below v."""
    node = a.node
    u = np.int64(node[8 * w + MATE])
    node[8 * w + STAMP], node[8 * u + STAMP] = inner, inner + 1
    node[8 * u + LABEL], node[8 * u + BASE], node[8 * u + TREE] = v, u, r
    node[8 * u + AFTER] = node[8 * r + AFTER]
    node[8 * r + AFTER] = u
    enqueue(a, t, u)


@helper
def take_in(a: Any, t: Any, x: int, y: int, top: int, outer: int) -> None:
    """Put one side of a blossom into it: as `shrink` does, but for the ring."""
    node = a.node
    tree = node[8 * top + TREE]
    b = base_of(node, x)
    while b != top:
        w = np.int64(node[8 * b + MATE])
        node[8 * w + STAMP] = outer
        node[8 * w + BASE] = top
        node[8 * w + LABEL] = ~x
        node[8 * w + OTHER] = y
        node[8 * w + TREE] = tree
        enqueue(a, t, w)
        up = np.int64(node[8 * b + LABEL])
        node[8 * b + BASE] = top
        b = base_of(node, up)


@helper
def cut_down(a: Any, t: Any, r: int, s: int) -> int:
    """List the vertices of two trees, which belong to none any more; return how many."""
    node, gone = a.node, t.gone
    size = 0
    for root in (r, s):
        node[8 * root + STAMP] = 0
        gone[size] = root
        size += 1
        u = np.int64(node[8 * root + AFTER])
        while u >= 0:
            w = np.int64(node[8 * u + MATE])
            node[8 * u + STAMP] = node[8 * w + STAMP] = 0
            gone[size], gone[size + 1] = w, u
            size += 2
            u = np.int64(node[8 * u + AFTER])
    return size


@helper
def graft_on(a: Any, t: Any, size: int, inner: int) -> None:
    """Graft vertices of trees that are gone onto other trees that they are next to."""
    node, indptr, indices, gone = a.node, a.indptr, a.indices, t.gone
    for i in range(size):
        w = np.int64(gone[i])
        if node[8 * w + STAMP] != 0:
            continue
        for k in range(indptr[w], indptr[w + 1]):
            a.tally[0, EDGES] += 1
            v = np.int64(indices[k])
            if node[8 * v + STAMP] == inner + 1:
                take_on(a, t, v, w, np.int64(node[8 * v + TREE]), inner)
                break
