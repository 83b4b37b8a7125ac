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
Left are the vertices that stay free and have neighbours in other ranges. In an order without such
ranges that would be one more pass over the graph; so some vertices are asked first.

Races: plain reads of `mate` may be out of date. A vertex seen FREE or LOCKED is claimed by
compare-and-swap, which tells the truth; a vertex seen matched stays so.

One thread gives the matching of vertices in order, on several the matching depends on who is first.

Work O(n + m); memory besides the graph two indices a vertex.

Reference: after the lock-free maximal matchings of G. E. Blelloch, J. T. Fineman, J. Shun, "Greedy
sequential maximal independent set and matching are parallel on average", SPAA 2012, which this does
without rounds and without their order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import compare_and_swap, fetch_add, helper, kernel, share_out, thread_count
from ...compile.device import MT, per_item
from ...graphs.graph import equal_shares
from ...results.greedy_run import FREE, GreedyRun
from ...tuning import ASKED, WITHIN

LOCKED = -2


class Arrays(NamedTuple):
    """What the kernels work on; `missed` lists as many vertices as ``count[0]`` says."""

    indptr: Any
    indices: Any
    mate: Any
    missed: Any
    count: Any


def single_pass(run: GreedyRun) -> None:
    """Match every vertex to its first free neighbour, on all threads."""
    device = run.device
    run.require(*run.rows, per_vertex=2 * run.mate.itemsize)
    indptr, indices, mate = map(device.upload, (*run.rows, run.mate))
    a = Arrays(
        indptr,
        indices,
        mate,
        missed=device.empty(run.graph.n_vertices, run.mate.dtype),
        count=device.full(1, 0, np.int64),
    )
    try:
        bounds = equal_shares(run.graph.indptr, run.threads)
        if device.name == "cpu" and run.threads > 1 and _stay_within(run, bounds):
            left = _match_ranges(run, bounds, a)
            run.pause()
            device.launch(match_left, left.size, a, left, shape=MT)
        else:
            run.each_vertex(match_vertex, a, run.shared)
    finally:
        run.mate[:] = device.download(a.mate)
        missed, count = device.download(a.missed), device.download(a.count)
        match_missed(Arrays(*run.rows, run.mate, missed, count))


def _stay_within(run: GreedyRun, bounds: Any) -> bool:
    """Whether most edges lie within a range, going by some vertices and a neighbour of each."""
    indptr, indices = run.graph.indptr, run.graph.indices
    step = max(1, run.graph.n_vertices // ASKED)
    middle = (indptr[:-1:step].astype(np.int64) + indptr[1::step]) // 2
    vertices = np.arange(0, run.graph.n_vertices, step)[middle < indptr[1::step]]
    neighbours = indices[middle[middle < indptr[1::step]]]
    sides = (np.searchsorted(bounds, ends, "right") for ends in (vertices, neighbours))
    return bool(np.mean(np.equal(*sides)) > WITHIN) if vertices.size else True


def _match_ranges(run: GreedyRun, bounds: Any, a: Arrays) -> Any:
    """Match within the ranges; return the vertices that are left."""
    ends = np.empty(run.threads, np.int64)
    with thread_count(run.threads):
        match_ranges(run.threads, a, bounds, ends)
    # Listed where those that are missed will be.
    return np.concatenate([a.missed[i:j] for i, j in zip(bounds[:-1], ends, strict=True)])


@share_out
def match_ranges(t: int, shared: bool, a: Any, bounds: Any, ends: Any) -> None:
    """Match the vertices of range t to their first free neighbours in the range.

    ``missed[bounds[t]:ends[t]]`` are those that stay free and have neighbours elsewhere.
    """
    indptr, indices, mate, left, _ = a
    first, last = bounds[t], bounds[t + 1]
    end = first
    for v in range(first, last):
        if mate[v] != FREE:
            continue
        outside = False
        for k in range(indptr[v], indptr[v + 1]):
            w = np.int64(indices[k])
            if w < first or w >= last:
                outside = True
            elif mate[w] == FREE:
                mate[v] = w
                mate[w] = v
                outside = False
                break
        if outside:
            left[end] = v
            end += 1
    ends[t] = end


@per_item
def match_vertex(i: int, first: int, a: Any, shared: bool) -> None:
    """Match vertex ``first + i`` to its first free neighbour."""
    match_one(first + i, a, shared)


@per_item
def match_left(i: int, a: Any, left: Any) -> None:
    """Match one of the vertices that are left to its first free neighbour."""
    match_one(np.int64(left[i]), a, True)


@helper
def match_one(v: int, a: Any, shared: bool) -> None:
    """Match a vertex, if it is free, to its first free neighbour."""
    indptr, indices, mate = a.indptr, a.indices, a.mate
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
        a.missed[fetch_add(a.count, 0, 1)] = v


@kernel
def match_missed(a: Any) -> None:
    """Match the vertices on the list that are still free, alone."""
    for i in range(a.count[0]):
        match_one(np.int64(a.missed[i]), a, False)
