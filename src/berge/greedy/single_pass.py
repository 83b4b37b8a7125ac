"""A maximal matching in one pass over the vertices: each takes its first free neighbour.

``mate[v]`` is all the state there is: FREE, LOCKED while v looks for a mate, or the mate. A vertex
that sees a neighbour not matched locks itself and claims the neighbour, each by one
compare-and-swap on its `mate`. Where the claim fails, the neighbour was locked or taken at that
moment; v goes on to the next one. If v ends with no mate it is unlocked again, and since a
neighbour that was locked may have been unlocked too, v is put on the list `missed`. What is on that
list, almost never anything, is gone through by one thread at the end.

The matching is maximal: of two free neighbours, the one that was looked at later saw the other
free, and claimed it or was claimed, or not free and yet not matched, and is on the list.

Where vertices are numbered so that neighbours are near, as they are in most files, few need that:
before it, each CPU thread has a range of vertices, and matches within that, which needs no atomics.
In an order without such ranges this is one more pass over the graph, but reads nothing besides.

Races: plain reads of `mate` may be out of date. A vertex seen FREE or LOCKED is claimed by
compare-and-swap, which tells the truth; a vertex seen matched stays so.

One thread gives the matching of vertices in order, on several the matching depends on who is first.

Work O(n + m); memory besides the graph two indices a vertex.

Reference: after the lock-free maximal matchings of G. E. Blelloch, J. T. Fineman, J. Shun, "Greedy
sequential maximal independent set and matching are parallel on average", SPAA 2012, which this does
without rounds and without their order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spmd import compare_and_swap, fetch_add, kernel, prange, thread_count
from ..spmd.device import per_item
from .run import FREE, GreedyRun

LOCKED = -2


def single_pass(run: GreedyRun) -> None:
    """Match every vertex to its first free neighbour, on all threads."""
    device, (indptr, indices) = run.device, run.rows
    run.require(indptr, indices, per_vertex=2 * run.mate.itemsize)
    mate = device.upload(run.mate)
    missed = device.empty(run.graph.n_vertices, run.mate.dtype)
    count = device.full(1, 0, np.int64)
    rows = device.upload(indptr), device.upload(indices)
    try:
        if device.name == "cpu" and run.threads > 1:
            shares = np.linspace(0, indices.size, run.threads + 1)
            bounds = np.searchsorted(run.graph.indptr, shares)
            bounds[0], bounds[-1] = 0, run.graph.n_vertices
            with thread_count(run.threads):
                match_ranges(*rows, mate, bounds)
            run.pause()
        run.each_vertex(match_vertex, *rows, mate, missed, count, run.shared)
    finally:
        run.mate[:] = device.download(mate)
        match_missed(indptr, indices, run.mate, device.download(missed), device.read(count))


@kernel(parallel=True)
def match_ranges(indptr: Any, indices: Any, mate: Any, bounds: Any) -> None:
    """Match the vertices of each range to their first free neighbours in the range."""
    for t in prange(bounds.size - 1):
        first, last = bounds[t], bounds[t + 1]
        for v in range(first, last):
            if mate[v] != FREE:
                continue
            for k in range(indptr[v], indptr[v + 1]):
                w = np.int64(indices[k])
                if first <= w and w < last and mate[w] == FREE:
                    mate[v] = w
                    mate[w] = v
                    break


@per_item
def match_vertex(
    i: int,
    first: int,
    indptr: Any,
    indices: Any,
    mate: Any,
    missed: Any,
    count: Any,
    shared: bool,
) -> None:
    """Match vertex ``first + i`` to its first free neighbour."""
    v = first + i
    if mate[v] != FREE:
        return
    locked = False
    for k in range(indptr[v], indptr[v + 1]):
        w = indices[k]
        if mate[w] >= 0:
            continue
        if not shared:
            mate[v] = w
            mate[w] = v
            return
        if not locked:
            if not compare_and_swap(mate, v, FREE, LOCKED):
                return
            locked = True
        if compare_and_swap(mate, w, FREE, v):
            mate[v] = w
            return
    if locked:
        mate[v] = FREE
        missed[fetch_add(count, 0, 1)] = v


@kernel
def match_missed(indptr: Any, indices: Any, mate: Any, missed: Any, count: int) -> None:
    """Match the vertices on the list that are still free, alone."""
    for i in range(count):
        v = missed[i]
        if mate[v] != FREE:
            continue
        for k in range(indptr[v], indptr[v + 1]):
            w = indices[k]
            if mate[w] == FREE:
                mate[v] = w
                mate[w] = v
                break
