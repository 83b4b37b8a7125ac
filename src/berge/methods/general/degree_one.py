"""The Karp–Sipser start for any graph, with least degrees where its rule gives out.

A vertex with one free neighbour is matched to it: some maximum matching has that edge. When there
is no such vertex, the next vertex, by number, takes its free neighbour with fewest free neighbours.
Vertices come in order of their degree at the beginning, those with few neighbours first: later they
would find none.

Work O(n + m). Memory three indices a vertex.

- ``degree[v]``: number of free neighbours of v, while v is free.
- ``stack``: vertices that have come to degree one and were not looked at since.
- ``order``: vertices by degree at the beginning.

Reference: R. M. Karp, M. Sipser, "Maximum matchings in sparse random graphs", FOCS 1981.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import kernel
from ...results.general_run import GeneralRun
from ...tuning import EDGES_PER_CALL


def degree_one(run: GeneralRun) -> None:
    """Extend the matching by vertices of degree one, then by those of least degree."""
    indptr, indices = run.rows
    n, index = run.mate.size, run.mate.dtype
    degree, stack, order = (np.empty(n, index) for _ in range(3))
    state = np.zeros(3, np.int64)
    sort_by_degree(indptr, indices, run.mate, degree, stack, order, state)
    while state[NEXT] < n:
        before = state[MATCHED]
        match_on(indptr, indices, run.mate, degree, stack, order, state, EDGES_PER_CALL)
        run.cardinality += int(state[MATCHED] - before)
        run.pause()


NEXT, WAITING, MATCHED = range(3)


@kernel
def sort_by_degree(
    indptr: Any, indices: Any, mate: Any, degree: Any, stack: Any, order: Any, state: Any
) -> None:
    """Count free neighbours; list the vertices by degree, up to 63, and those of degree one."""
    count = np.zeros(65, np.int64)
    n = degree.size
    for v in range(n):
        d = np.int64(indptr[v + 1] - indptr[v])
        degree[v] = d
        low = d if d < 63 else 63
        count[low + 1] += 1
    for v in range(n):
        if mate[v] >= 0:
            for k in range(indptr[v], indptr[v + 1]):
                degree[indices[k]] -= 1
    for d in range(1, 65):
        count[d] += count[d - 1]
    for v in range(n):
        d = np.int64(indptr[v + 1] - indptr[v])
        low = d if d < 63 else 63
        order[count[low]] = v
        count[low] += 1
        if degree[v] == 1 and mate[v] < 0:
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
        if waiting > 0:
            waiting -= 1
            v = np.int64(stack[waiting])
            if mate[v] >= 0 or degree[v] == 0:
                continue
            w = np.int64(-1)
            for k in range(indptr[v], indptr[v + 1]):
                budget -= 1
                if mate[indices[k]] < 0:
                    w = np.int64(indices[k])
                    break
        else:
            v = np.int64(order[at])
            at += 1
            if mate[v] >= 0 or degree[v] == 0:
                continue
            w = np.int64(-1)
            least = np.int64(0)
            for k in range(indptr[v], indptr[v + 1]):
                budget -= 1
                u = np.int64(indices[k])
                if mate[u] < 0 and (w < 0 or degree[u] < least):
                    w = u
                    least = np.int64(degree[u])
        mate[v] = w
        mate[w] = v
        matched += 1
        budget -= np.int64(indptr[w + 1] - indptr[w])
        for end in (v, w):
            for k in range(indptr[end], indptr[end + 1]):
                u = indices[k]
                degree[u] -= 1
                if degree[u] == 1 and mate[u] < 0:
                    stack[waiting] = u
                    waiting += 1
    state[WAITING], state[MATCHED], state[NEXT] = waiting, matched, at
