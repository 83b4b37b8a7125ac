"""The Karp–Sipser start for any graph, with least degrees where its rule gives out.

A vertex with one free neighbour is matched to it: some maximum matching has that edge. When there
is no such vertex, the next vertex, by number, takes its free neighbour with fewest free neighbours.
Vertices come in order of their degree at the beginning, those with few neighbours first: later they
would find none.

Work O(n + m). Memory three indices a vertex.

- ``degree[v]``: number of free neighbours of v; less n once v is matched, so at most 0.
- ``stack``: vertices that have come to degree one and were not looked at since.
- ``order``: vertices by degree at the beginning.

Reference: R. M. Karp, M. Sipser, "Maximum matchings in sparse random graphs", FOCS 1981.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import kernel, prefetch
from ...results.general_run import GeneralRun
from ...tuning import EDGES_PER_CALL, START_AHEAD

NEXT, WAITING, MATCHED = range(3)
CLASSES = 63  # of degrees; the last has all that are larger; guess


def degree_one(run: GeneralRun) -> None:
    """Extend the matching by vertices of degree one, then by those of least degree."""
    indptr, indices = run.rows
    n, index = run.mate.size, run.mate.dtype
    degree, stack, order = (run.empty(n, index) for _ in range(3))
    state = np.zeros(3, np.int64)
    sort_by_degree(indptr, indices, run.mate, degree, stack, order, state)
    while state[NEXT] < n:
        before = state[MATCHED]
        match_on(indptr, indices, run.mate, degree, stack, order, state, EDGES_PER_CALL)
        run.cardinality += int(state[MATCHED] - before)
        run.pause()


@kernel
def sort_by_degree(
    indptr: Any, indices: Any, mate: Any, degree: Any, stack: Any, order: Any, state: Any
) -> None:
    """Count free neighbours; list the vertices by degree, and those of degree one."""
    count = np.zeros(CLASSES + 2, np.int64)
    n = degree.size
    begun = False
    for v in range(n):
        d = np.int64(indptr[v + 1] - indptr[v])
        degree[v] = d
        low = d if d < CLASSES else CLASSES
        count[low + 1] += 1
        begun |= mate[v] >= 0
    if begun:
        for v in range(n):
            if mate[v] >= 0:
                degree[v] -= n
                for k in range(indptr[v], indptr[v + 1]):
                    degree[indices[k]] -= 1
    for d in range(1, CLASSES + 2):
        count[d] += count[d - 1]
    for v in range(n):
        d = np.int64(indptr[v + 1] - indptr[v])
        low = d if d < CLASSES else CLASSES
        order[count[low]] = v
        count[low] += 1
        if degree[v] == 1:
            stack[state[WAITING]] = v
            state[WAITING] += 1


@kernel
def match_on(
    indptr: Any,
    indices: Any,
    mate: Any,
    degree: Any,
    stack: Any,
    order: Any,
    state: Any,
    budget: int,
) -> None:
    """Match on, for some `budget` edges."""
    n = order.size
    waiting, matched, at = state[WAITING], state[MATCHED], state[NEXT]
    while at < n and budget > 0:
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
        else:
            v = np.int64(order[at])
            at += 1
            if at + START_AHEAD < n:
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
    state[WAITING], state[MATCHED], state[NEXT] = waiting, matched, at
