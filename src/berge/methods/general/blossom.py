"""Blossom search with limits: breadth-first from one unmatched vertex after the other.

A search grows a tree of alternating paths from one unmatched vertex, its root. Vertices at an even
distance are *outer*: their edges are followed. Their mates, on the way to them, are *inner*. An
edge to an unmatched vertex ends an augmenting path. An edge between two outer vertices closes an
odd cycle, a blossom: an alternating path of even length leads to each of its vertices, one way
round or the other. So its inner vertices become outer too, and it stands for one vertex from then
on, its base. Bases are found by union–find. Nothing is undone after a search: vertices carry its
number.

A search that finds nothing leaves a tree that no augmenting path will ever enter: its outer
vertices have edges to its own vertices only, or to those of such trees before it. The tree stays
hidden for good. In the end the inner vertices of all hidden trees are the Tutte–Berge set, and
their blossoms the odd parts.

As in `berge.methods.combined.budgeted`, where it is explained why, a search is broken off after
``SEARCH_LIMIT`` edges, and its root is postponed to the next round, with ``GROWTH`` times the
limit; and some searches have no limit, as long as their edges are under ``FAVOUR`` times the edges
of those broken off.

Work O(m log n) a search, O(n·m log n) in all; the searches that fail read every edge once, all
together. Memory eight indices a vertex. A phase, in the stats, is a round.

- ``node[8 · v + STAMP]``: 2 · s if v is inner in search number s, 2 · s + 1 if it is outer. Hidden
  are HIDDEN (inner) and HIDDEN + 1 (outer); from the beginning those that the start has settled.
- ``node[8 · v + MATE]``: the mate of v or −1; ``run.mate`` gets it in the end.
- ``node[8 · v + LABEL]``, of outer vertices: Gabow's label. If it is x ≥ 0, a vertex label: v was
  reached from x through its mate, P(v) = v, mate(v), P(x). If it is ~x < 0, an edge label with
  ``node[8 · v + OTHER]`` = y: v became outer by the edge xy. The path P(x) leads through v; go back
  on it from v to x, then along P(y). The root has itself.
- ``node[8 · v + BASE]``, of outer vertices: leads to the base of v's blossom, which has itself. The
  path is halved on the way.
- ``node[8 · b + MARK]``: number of the last blossom in search of whose base b was passed.
- ``node[8 · v + TREE]``, ``AFTER``: for `graft`.
- ``queue``: outer vertices, as they were reached.
- ``stack``: vertices whose edge labels are half followed, while a path is augmented.
- ``roots``: the unmatched vertices that are not settled; −1 in the place of those dealt with.

Gabow's symbols: MATE → MATE, LABEL → LABEL and OTHER, FIRST → BASE (his is the first vertex
that is not outer; ours is its mate), procedure R → `rematch`, L → `shrink`.

References: J. Edmonds, "Paths, trees, and flowers", Canad. J. Math. 17, 1965; H. N. Gabow, "An
efficient implementation of Edmonds' algorithm for maximum matching on graphs", J. ACM 23, 1976.
The limits are our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ...compile import helper, kernel
from ...results.forest import OUTER
from ...results.general_run import GeneralRun
from ...results.tutte_berge import BARRIER, TutteBerge
from ...tuning import EDGES_PER_CALL, FAVOUR, FEW_ROOTS, GROWTH, HEAD_START, SEARCH_LIMIT
from ..counters import EDGES, add_up, count_path, new_tally

STAMP, MATE, LABEL, OTHER, BASE, MARK, TREE, AFTER = range(8)
LARGEST = 1 << 50  # no search has so many edges

# Entries of `state`: number of roots, and the place of the next; edges a search may read in this
# round; number of searches and of blossoms so far; the stamp of hidden trees; edges of searches
# broken off and of those without limit, how many more the first may be; rounds done; how many
# more pairs there may be.
ROOTS, NEXT, LIMIT, SEARCHES, BLOSSOMS, HIDDEN, BROKEN_OFF, UNLIMITED, FREE, ROUNDS, WANTED = range(
    11
)

BROKEN, ENDED = -1, 0  # outcomes of a search; others are the edges of the path that it found
NONE = -2  # the stamp of no tree, and not the one before 0


class Arrays(NamedTuple):
    """What the search works on; the names are explained above."""

    indptr: Any
    indices: Any
    node: Any
    queue: Any
    stack: Any
    roots: Any
    state: Any
    tally: Any


def blossom(run: GeneralRun) -> None:
    """Make the matching maximum."""
    a = prepare(run)
    with reported(run, a):
        while a.state[ROOTS] > 0 and a.state[WANTED] > 0:
            search_rounds(a, EDGES_PER_CALL)
            tell(run, a)
    run.proof = proof_of(a)


@contextmanager
def reported(run: GeneralRun, a: Arrays) -> Iterator[None]:
    """Hand over the matching and the counters after a block, whatever happens."""
    try:
        yield
    finally:
        unpack(a.node, run.mate)
        add_up(run.stats, a.tally[0].tolist())


def tell(run: GeneralRun, a: Arrays) -> None:
    """Tell the run how far the search is, and pause."""
    run.cardinality = run.upper_bound - int(a.state[WANTED])
    run.stats.phases = int(a.state[ROUNDS])
    run.pause()


def prepare(run: GeneralRun) -> Arrays:
    """Return what searches from the unmatched vertices need."""
    n, index = run.mate.size, run.mate.dtype
    node, queue, stack, roots = (run.empty(size, index) for size in (8 * n, n, n, n))
    settled = np.empty(0, np.uint8) if run.settled is None else run.settled
    state = np.zeros(WANTED + 1, np.int64)
    state[HIDDEN] = np.iinfo(index).max - 1
    state[ROOTS] = pack(run.rows[0], run.mate, settled, state[HIDDEN], node, roots)
    state[LIMIT] = LARGEST if state[ROOTS] <= FEW_ROOTS else SEARCH_LIMIT
    state[FREE] = run.graph.indices.size * HEAD_START
    state[WANTED] = run.upper_bound - run.cardinality
    roots = roots[: state[ROOTS]]
    return Arrays(*run.rows, node, queue, stack, roots, state, new_tally(1))


@kernel
def pack(indptr: Any, mate: Any, settled: Any, hidden: int, node: Any, roots: Any) -> int:
    """Begin: no vertex has been in a search. List the roots; return how many."""
    size = 0
    for v in range(mate.size):
        kind = settled[v] if settled.size else 0
        node[8 * v + STAMP] = hidden + (kind == OUTER) if kind else 0
        node[8 * v + MARK] = 0
        node[8 * v + MATE] = mate[v]
        if kind == OUTER:
            node[8 * v + BASE] = v
        elif mate[v] < 0 and indptr[v] < indptr[v + 1]:
            roots[size] = v
            size += 1
    return size


@kernel
def unpack(node: Any, mate: Any) -> None:
    """Hand over the matching."""
    for v in range(mate.size):
        mate[v] = node[8 * v + MATE]


@kernel
def search_rounds(a: Arrays, budget: int) -> None:
    """Search on, for about so many edges."""
    state, roots, tally = a.state, a.roots, a.tally
    stop = tally[0, EDGES] + budget
    while state[ROOTS] > 0 and state[WANTED] > 0 and tally[0, EDGES] < stop:
        if state[NEXT] == state[ROOTS]:
            left = 0
            for i in range(state[ROOTS]):
                if roots[i] >= 0:
                    roots[left] = roots[i]
                    left += 1
            state[ROOTS], state[NEXT] = left, 0
            state[ROUNDS] += 1
            state[LIMIT] = LARGEST if left <= FEW_ROOTS else min(state[LIMIT] * GROWTH, LARGEST)
            continue
        i = state[NEXT]
        state[NEXT] += 1
        root = np.int64(roots[i])
        if root < 0 or a.node[8 * root + MATE] >= 0:
            roots[i] = -1
            continue
        unlimited = state[UNLIMITED] + state[FREE] < FAVOUR * state[BROKEN_OFF]
        before = tally[0, EDGES]
        outcome = search(a, root, np.int64(LARGEST) if unlimited else state[LIMIT])
        spent = tally[0, EDGES] - before
        if unlimited:
            state[UNLIMITED] += spent
        if outcome == BROKEN:
            state[BROKEN_OFF] += spent
        else:
            roots[i] = -1
            if outcome > 0:
                state[WANTED] -= 1
                count_path(tally, 0, outcome)


@helper
def search(a: Arrays, root: int, limit: int) -> int:
    """Search from an unmatched vertex, and augment or hide the tree; return an outcome."""
    indptr, indices, node, queue, state = a.indptr, a.indices, a.node, a.queue, a.state
    if 2 * state[SEARCHES] + 4 >= state[HIDDEN]:
        forget(node, state)
    state[SEARCHES] += 1
    inner = 2 * state[SEARCHES]
    outer = inner + 1
    node[8 * root + STAMP], node[8 * root + LABEL] = outer, root
    node[8 * root + BASE] = root
    queue[0] = root
    head, tail = 0, 1
    edges = np.int64(0)
    while head < tail:
        if edges > limit:
            a.tally[0, EDGES] += edges
            return BROKEN
        v = np.int64(queue[head])
        head += 1
        here = base_of(node, v)
        for k in range(indptr[v], indptr[v + 1]):
            edges += 1
            w = np.int64(indices[k])
            stamp = node[8 * w + STAMP]
            if stamp < inner:
                u = np.int64(node[8 * w + MATE])
                if u < 0:
                    a.tally[0, EDGES] += edges
                    node[8 * w + MATE] = v
                    return rematch(a, v, w)
                node[8 * w + STAMP], node[8 * u + STAMP] = inner, outer
                node[8 * u + LABEL] = v
                node[8 * u + BASE] = u
                queue[tail] = u
                tail += 1
            elif stamp == outer:
                there = base_of(node, w)
                if there != here:
                    top = nearest_common_base(a, here, there, root)
                    tail = shrink(a, v, w, top, tail, outer)
                    tail = shrink(a, w, v, top, tail, outer)
                    here = top
    a.tally[0, EDGES] += edges
    hide(node, queue, tail, state[HIDDEN])
    return ENDED


@helper
def base_of(node: Any, v: int) -> int:
    """Return the base of the blossom of an outer vertex, and halve the way to it."""
    up = np.int64(node[8 * v + BASE])
    while up != v:
        over = np.int64(node[8 * up + BASE])
        node[8 * v + BASE] = over
        v = over
        up = np.int64(node[8 * v + BASE])
    return v


@helper
def nearest_common_base(a: Any, x: int, y: int, root: int) -> int:
    """Go up from two bases by turns, to where one comes that the other has been.

    Both ways together are at most twice as long as the way that becomes a blossom. A base was
    reached as an outer vertex, so it has a vertex label.
    """
    node = a.node
    a.state[BLOSSOMS] += 1
    number = a.state[BLOSSOMS]
    up = base_of(node, root)
    while True:
        if x >= 0:
            if node[8 * x + MARK] == number:
                return x
            node[8 * x + MARK] = number
            x = base_of(node, np.int64(node[8 * x + LABEL])) if x != up else np.int64(-1)
        x, y = y, x


@helper
def shrink(a: Any, x: int, y: int, top: int, tail: int, outer: int) -> int:
    """Put one side of a blossom, from x up to the base `top`, into it; return the queue's end.

    The edge xy closes the blossom. Inner vertices become outer, by the label of that edge.
    """
    node, queue = a.node, a.queue
    b = base_of(node, x)
    while b != top:
        w = np.int64(node[8 * b + MATE])
        node[8 * w + STAMP] = outer
        node[8 * w + BASE] = top
        node[8 * w + LABEL] = ~x
        node[8 * w + OTHER] = y
        queue[tail] = w
        tail += 1
        up = np.int64(node[8 * b + LABEL])
        node[8 * b + BASE] = top
        b = base_of(node, up)
    return tail


@helper
def rematch(a: Any, v: int, w: int) -> int:
    """Match v to w, which has v already, and on along P(v); return the edges of the whole path."""
    node, stack = a.node, a.stack
    depth = 0
    ends = 2
    while True:
        t = np.int64(node[8 * v + MATE])
        node[8 * v + MATE] = w
        if t >= 0 and node[8 * t + MATE] == v:
            ends += 2
            x = np.int64(node[8 * v + LABEL])
            if x >= 0:
                node[8 * t + MATE] = x
                v, w = x, t
            else:
                stack[depth] = v
                depth += 1
                v, w = ~x, np.int64(node[8 * v + OTHER])
            continue
        if depth == 0:
            return ends - 1
        depth -= 1
        z = np.int64(stack[depth])
        v, w = np.int64(node[8 * z + OTHER]), ~np.int64(node[8 * z + LABEL])


@helper
def hide(node: Any, queue: Any, tail: int, hidden: int) -> None:
    """Hide the tree of a search that found nothing, for good."""
    for i in range(tail):
        v = np.int64(queue[i])
        node[8 * v + STAMP] = hidden + 1
        w = np.int64(node[8 * v + MATE])
        if w >= 0 and node[8 * w + STAMP] < hidden:
            node[8 * w + STAMP] = hidden  # if w is outer, its own turn comes


@helper
def forget(node: Any, state: Any) -> None:
    """Begin the numbers of searches anew: the type of the stamps has no more."""
    for i in range(STAMP, node.size, 8):
        if node[i] < state[HIDDEN]:
            node[i] = 0
    state[SEARCHES] = 0


def proof_of(a: Arrays, last: int = NONE) -> TutteBerge:
    """Return the proof: inner vertices of hidden trees are the set, their blossoms are parts.

    All others are one part, which is matched within itself. Trees with the stamps `last` and the
    next number count as hidden.
    """
    part = np.empty(a.stack.size, a.stack.dtype)
    write_parts(a.indptr, a.node, a.state[HIDDEN], last, part)
    return TutteBerge(part)


@kernel
def write_parts(indptr: Any, node: Any, hidden: int, last: int, part: Any) -> None:
    """Fill `part`; vertices without an edge are parts of their own."""
    rest = np.int64(-1)
    for v in range(part.size):
        stamp = np.int64(node[8 * v + STAMP])
        if stamp == hidden + 1 or stamp == last + 1:
            part[v] = base_of(node, np.int64(v))
        elif stamp == hidden or stamp == last:
            part[v] = BARRIER
        elif indptr[v] == indptr[v + 1]:
            part[v] = v
        else:
            if rest < 0:
                rest = np.int64(v)
            part[v] = rest
