"""The Suitor algorithm: every vertex proposes to the heaviest neighbour that would have it.

``suitor[w]`` is who proposes to w, the best so far. A vertex v proposes to the heaviest neighbour
whose suitor, if any, offers less; that suitor is dislodged and proposes anew. In the end two
vertices that are each other's suitor are matched. The result is the matching of the greedy
algorithm by decreasing weight (`sorted_edges`), without sorting: at least half as heavy as any.

Equal weights are told apart by the ends of the edges: the edge with the lower of the lower ends
comes first, then that with the lower of the higher ends. Of two edges at v that is the one to the
lower neighbour; so the order is total, the result is unique, and any number of threads give it.

``offer[v]`` is the weight of v's proposal, set before v becomes a suitor; so the offer made to w is
``offer[suitor[w]]``, and one compare-and-swap of ``suitor[w]`` is all the locking there is. The
suitors of w get only better, hence one that was dislodged is never back, and a swap that finds the
suitor it expects finds that suitor's offer unchanged. ``floor[w]`` is what w had been offered some
time ago, and so a bound from below: in most cases it shows by one read that a proposal is vain.

Races: `suitor`, `offer` and `floor` are read while others write them. Offers to w only rise, so an
old value makes w seem easier to get than it is, and that is looked at again before the swap. But
two values that do not go together may make it seem harder. So an offer is written before its
suitor, and the suitor before its floor, and they are read the other way round, in this order
(`store_release`, `load_acquire`): an `offer` is never too high for the suitor just seen, and of
equal offers the suitor is no older than the `floor`. Before that a plain read of `floor` passes
over most neighbours: whatever it gives is a bound.

Work O(n + m) for random weights, O(Δ·m) at worst; memory besides the graph an index and two numbers
a vertex.

Reference: F. Manne, M. Halappanavar, "New effective multithreaded matching algorithms", IPDPS 2014
(ws → offer of the suitor).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import compare_and_swap, load_acquire, store_release
from ...compile.device import per_item
from ...results.greedy_run import FREE, GreedyRun


class Arrays(NamedTuple):
    """What the kernels work on; the last three are explained above."""

    indptr: Any
    indices: Any
    weights: Any
    suitor: Any
    offer: Any
    floor: Any


def suitor(run: GreedyRun) -> None:
    """Let all vertices propose, then match those that are each other's suitor."""
    device, n = run.device, run.graph.n_vertices
    run.require(*run.rows, run.weights, per_vertex=16 + 2 * run.mate.itemsize)
    indptr, indices, weights = map(device.upload, (*run.rows, run.weights))
    a = Arrays(
        indptr,
        indices,
        weights,
        suitor=device.full(n, FREE, run.mate.dtype),
        offer=device.full(n, 0.0, np.float64),
        floor=device.full(n, -1.0, np.float64),
    )
    try:
        run.each_vertex(propose, a, run.shared)
    finally:
        mate = device.upload(run.mate)
        device.launch(match_mutual, n, a.suitor, mate)
        run.mate[:] = device.download(mate)


@per_item
def propose(i: int, first: int, a: Any, shared: bool) -> None:
    """Let vertex ``first + i`` propose, then whoever it dislodges, and so on."""
    indptr, weights, suitor, offer, floor = a.indptr, a.weights, a.suitor, a.offer, a.floor
    v = first + i
    while True:
        best, heaviest = np.int64(-1), -1.0
        for k in range(indptr[v], indptr[v + 1]):
            weight = weights[k]
            if weight > heaviest:  # rows are sorted: of equal ones the lower neighbour
                w = a.indices[k]
                if weight >= floor[w]:
                    bound = load_acquire(floor, w)
                    if weight > bound or (weight == bound and v < load_acquire(suitor, w)):
                        best, heaviest = np.int64(w), weight
        if best < 0:
            return
        before = np.int64(load_acquire(suitor, best))
        if before >= 0:
            offered = offer[before]
            if heaviest < offered or (heaviest == offered and before < v):
                store_release(floor, best, offered)
                continue
        offer[v] = heaviest
        if shared:
            if not compare_and_swap(suitor, best, before, v):
                continue
        else:
            suitor[best] = v
        store_release(floor, best, heaviest)
        if before < 0:
            return
        v = before


@per_item
def match_mutual(v: int, suitor: Any, mate: Any) -> None:
    """Match v to its suitor if v is its suitor's suitor."""
    w = suitor[v]
    if w >= 0 and suitor[w] == v:
        mate[v] = w
