"""Locally dominant edges: two vertices that are each other's heaviest free neighbour are matched.

``candidate[v]`` is the heaviest free neighbour of v, of equal ones the lowest. `point` finds it for
all vertices; `dominate` then looks at one vertex after the other: if v and its candidate point at
each other, they are matched, and the free vertices that pointed at either of them point anew, which
may make further edges dominant. These vertices are stacked, linked through ``below``, and are
LOOKING until their turn comes. An edge that is dominant stays so until it is matched, since free
neighbours only ever become fewer. So the order in which edges are matched makes no difference. The
result is that of the greedy algorithm by decreasing weight (`sorted_edges`).

Races: whoever wins the compare-and-swap on the lower end's `mate` matches an edge. Whoever turns a
vertex that points at one just taken to LOOKING, by another one, has it on its stack, and no other
thread has. It points anew by `store_release`: who turns it to LOOKING next writes its ``below``
after this thread did. The higher end's `mate` is set after the lower end's, so for a moment it
looks free: it may be pointed at, and its candidate is seen as taken, but taken by itself. A vertex
may point at one that another thread matches at the same time, and two vertices may come to point at
each other without either thread seeing both; so `dominate` is repeated, pointing anew where a
candidate is taken, until nothing changes: twice, as a rule.

Work O(n + m) for random weights, O(Δ·m) at worst; memory besides the graph two indices a vertex.

Reference: R. Preis, "Linear time 1/2-approximation algorithm for maximum weighted matching in
general graphs", STACS 1999; F. Manne, R. H. Bisseling, "A parallel approximation algorithm for the
weighted maximum matching problem", PPAM 2007.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import compare_and_swap, helper, store_release
from ...compile.device import per_item
from ...results.greedy_run import FREE, GreedyRun

LOOKING = -2


class Arrays(NamedTuple):
    """What the kernels work on; `changed` tells whether a round did anything."""

    indptr: Any
    indices: Any
    weights: Any
    mate: Any
    candidate: Any
    below: Any
    changed: Any


def locally_dominant(run: GreedyRun) -> None:
    """Point at the heaviest neighbours, then match dominant edges until there are none."""
    device, n = run.device, run.graph.n_vertices
    run.require(*run.rows, run.weights, per_vertex=3 * run.mate.itemsize)
    indptr, indices, weights, mate = map(device.upload, (*run.rows, run.weights, run.mate))
    a = Arrays(
        indptr,
        indices,
        weights,
        mate,
        candidate=device.full(n, FREE, run.mate.dtype),
        below=device.empty(n, run.mate.dtype),
        changed=device.full(1, 1, np.int64),
    )
    try:
        run.each_vertex(point, a)
        while device.read(a.changed):
            device.fill(a.changed, 0)
            run.each_vertex(dominate, a)
            run.end_round(int(np.count_nonzero(device.download(a.mate) >= 0)))
    finally:
        run.mate[:] = device.download(a.mate)


@per_item
def point(i: int, first: int, a: Any) -> None:
    """Point vertex ``first + i`` at its heaviest neighbour."""
    a.candidate[first + i] = heaviest(first + i, a)


@helper
def heaviest(v: int, a: Any) -> int:
    """Return the heaviest free neighbour, of equal ones the lowest; −1 if there is none."""
    best, weight = np.int64(-1), -1.0
    for k in range(a.indptr[v], a.indptr[v + 1]):
        if a.weights[k] > weight and a.mate[a.indices[k]] < 0:
            best, weight = np.int64(a.indices[k]), a.weights[k]
    return best  # type: ignore[return-value]


@per_item
def dominate(i: int, first: int, a: Any) -> None:
    """Match vertex ``first + i`` if its edge is dominant, then those that become so by that."""
    indptr, indices, mate, candidate = a.indptr, a.indices, a.mate, a.candidate
    v = np.int64(first + i)
    if mate[v] >= 0 or candidate[v] < 0:
        return
    w = np.int64(candidate[v])
    other = mate[w] if w >= 0 else FREE  # read once: twice it might be two values
    if other >= 0:  # missed by another thread, or just being matched to v
        if other == v or not compare_and_swap(candidate, v, w, LOOKING):
            return
        store_release(candidate, v, heaviest(v, a))
        a.changed[0] = 1
    top = np.int64(-1)
    while True:
        w = np.int64(candidate[v])
        if w >= 0 and candidate[w] == v and compare_and_swap(mate, min(v, w), FREE, max(v, w)):
            mate[max(v, w)] = min(v, w)
            a.changed[0] = 1
            for x in (v, w):
                for k in range(indptr[x], indptr[x + 1]):
                    u = np.int64(indices[k])
                    if candidate[u] == x and mate[u] < 0:
                        if compare_and_swap(candidate, u, x, LOOKING):
                            a.below[u] = top
                            top = u
        if top < 0:
            return
        v = top
        top = np.int64(a.below[v])
        store_release(candidate, v, heaviest(v, a))
