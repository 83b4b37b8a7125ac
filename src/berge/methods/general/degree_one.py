"""The Karp–Sipser start for any graph, with least degrees where its rule gives out.

A vertex with one free neighbour is matched to it: some maximum matching has that edge. When there
is no such vertex, the next vertex, by number, takes its free neighbour with fewest free neighbours.
Vertices come in order of their degree at the beginning, those with few neighbours first: later they
would find none.

Before the first guess, vertices are tried in the order of their numbers, and in that from the last
to the first: each takes its first free neighbour, or its last. Many graphs come in an order that
leaves nearly none over so, and those it leaves are near each other. Else it is undone.

What the rule takes away before the first guess is settled: nobody need search there. For let the
neighbours that were taken be the Tutte–Berge set. Without them, each vertex that took one is a part
of its own, and so is each that lost its last free neighbour. No edge leads from these to the rest.

Work O(n + m). Memory three indices and a byte a vertex.

- ``degree[v]``: number of free neighbours of v; less n once v is matched, so at most 0.
- ``stack``: vertices that have come to degree one and were not looked at since.
- ``order``: what the rule has left, by degree at the beginning.
- ``settled[v]``: INNER if v is in the Tutte–Berge set, OUTER if it is a part of its own, else 0.

Reference: R. M. Karp, M. Sipser, "Maximum matchings in sparse random graphs", FOCS 1981.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import kernel, prefetch
from ...results.forest import INNER, OUTER
from ...results.general_run import GeneralRun
from ...tuning import EDGES_PER_CALL, LEFT_IN_ORDER, START_AHEAD

# Entries of `state`: the next vertex in order, of how many; how many wait; pairs; whether nothing
# was guessed so far; settled pairs; how many vertices with an edge are not settled.
NEXT, ORDERED, WAITING, MATCHED, CERTAIN, PAIRS, CORE = range(7)
CLASSES = 63  # of degrees; the last has all that are larger; guess


class Arrays(NamedTuple):
    """What the start works on; the names are explained above."""

    indptr: Any
    indices: Any
    mate: Any
    degree: Any
    stack: Any
    order: Any
    settled: Any
    state: Any


def degree_one(run: GeneralRun) -> None:
    """Extend the matching by vertices of degree one, then by those of least degree."""
    n, index = run.mate.size, run.mate.dtype
    degree, stack, order = (run.empty(n, index) for _ in range(3))
    run.settled, state = run.empty(n, np.uint8), np.zeros(CORE + 1, np.int64)
    a = Arrays(*run.rows, run.mate, degree, stack, order, run.settled, state)
    count_degrees(a)
    match_all(run, a)
    if state[CERTAIN]:
        run.upper_bound = min(run.upper_bound, int(state[PAIRS] + state[CORE] // 2))
        state[CERTAIN] = 0
        before = state[MATCHED]
        if state[CORE] == 0 or take_in_order(a, False) or take_in_order(a, True):
            run.cardinality += int(state[MATCHED] - before)
            return
    sort_by_degree(a)
    match_all(run, a)


def match_all(run: GeneralRun, a: Arrays) -> None:
    """Match what waits, and all that is in order."""
    state = a.state
    while state[WAITING] > 0 or state[NEXT] < state[ORDERED]:
        before = state[MATCHED]
        match_on(a, EDGES_PER_CALL)
        run.cardinality += int(state[MATCHED] - before)
        run.pause()


@kernel
def count_degrees(a: Any) -> None:
    """Count free neighbours, and list the vertices that have one."""
    indptr, mate, degree, state = a.indptr, a.mate, a.degree, a.state
    n = degree.size
    begun, core = False, np.int64(n)
    for v in range(n):
        d = np.int64(indptr[v + 1] - indptr[v])
        degree[v] = d
        a.settled[v] = 0
        core -= d == 0
        begun |= mate[v] >= 0
    state[CERTAIN], state[CORE] = not begun, core
    if begun:
        for v in range(n):
            if mate[v] >= 0:
                degree[v] -= n
                for k in range(indptr[v], indptr[v + 1]):
                    degree[a.indices[k]] -= 1
    for v in range(n):
        if degree[v] == 1:
            a.stack[state[WAITING]] = v
            state[WAITING] += 1


@kernel
def sort_by_degree(a: Any) -> None:
    """List the vertices that have free neighbours, by their degree at the beginning."""
    indptr, degree = a.indptr, a.degree
    first = np.zeros(CLASSES + 2, np.int64)
    for v in range(degree.size):
        if degree[v] > 0:
            d = np.int64(indptr[v + 1] - indptr[v])
            first[(d if d < CLASSES else CLASSES) + 1] += 1
    for d in range(1, CLASSES + 2):
        first[d] += first[d - 1]
    a.state[ORDERED] = first[CLASSES + 1]
    for v in range(degree.size):
        if degree[v] > 0:
            d = np.int64(indptr[v + 1] - indptr[v])
            low = d if d < CLASSES else CLASSES
            a.order[first[low]] = v
            first[low] += 1


@kernel
def match_on(a: Any, budget: int) -> None:
    """Match on, for some `budget` edges."""
    indptr, indices, mate, degree = a.indptr, a.indices, a.mate, a.degree
    stack, order, settled, state = a.stack, a.order, a.settled, a.state
    n, ordered = order.size, state[ORDERED]
    waiting, matched, at = state[WAITING], state[MATCHED], state[NEXT]
    certain, core = state[CERTAIN] != 0, state[CORE]
    while (waiting > 0 or at < ordered) and budget > 0:
        w = np.int64(-1)
        if waiting > 0:
            waiting -= 1
            v = np.int64(stack[waiting])
            if degree[v] <= 0:
                continue
            for k in range(indptr[v], indptr[v + 1]):
                if degree[indices[k]] > 0:
                    w = np.int64(indices[k])
                    break
            if certain:
                settled[v], settled[w] = OUTER, INNER
                core -= 2
        else:
            v = np.int64(order[at])
            at += 1
            if at + START_AHEAD < ordered:
                prefetch(degree, np.int64(order[at + START_AHEAD]))
                prefetch(indptr, np.int64(order[at + START_AHEAD]))
            if degree[v] <= 0:
                continue
            least = np.int64(n)
            for k in range(indptr[v], indptr[v + 1]):
                u = np.int64(indices[k])
                d = np.int64(degree[u])
                if d > 0 and d < least:
                    w = u
                    least = d
        mate[v] = w
        mate[w] = v
        matched += 1
        degree[v] -= n
        degree[w] -= n
        for end in (v, w):
            lo, hi = indptr[end], indptr[end + 1]
            budget -= np.int64(hi - lo)
            for k in range(lo, hi):
                u = indices[k]
                d = np.int64(degree[u]) - 1
                degree[u] = d
                if d == 1:
                    stack[waiting] = u
                    waiting += 1
                elif d == 0 and certain:
                    settled[u] = OUTER
                    core -= 1
    if certain:
        state[PAIRS], state[CORE] = matched, core
    state[WAITING], state[MATCHED], state[NEXT] = waiting, matched, at


@kernel
def take_in_order(a: Any, backwards: bool) -> bool:
    """Match what is not settled in order; undo it and return False if too many are left over."""
    indptr, indices, mate, settled, state = a.indptr, a.indices, a.mate, a.settled, a.state
    n = mate.size
    most = np.int64(state[CORE] * LEFT_IN_ORDER)
    pairs = left = 0
    for i in range(n):
        v = n - 1 - i if backwards else i
        if mate[v] >= 0 or settled[v] != 0:
            continue
        lo, hi = np.int64(indptr[v]), np.int64(indptr[v + 1])
        k = hi - 1 if backwards else lo
        while lo <= k < hi and mate[indices[k]] >= 0:
            k += -1 if backwards else 1
        if lo <= k < hi:
            w = np.int64(indices[k])
            mate[v], mate[w] = w, v
            pairs += 1
        elif lo < hi:
            left += 1
            if left > most:
                break
    if left <= most:
        state[MATCHED] += pairs
        return True
    for v in range(n):
        if settled[v] == 0:
            mate[v] = -1
    return False
