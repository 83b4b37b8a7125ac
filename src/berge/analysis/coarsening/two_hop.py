"""What a matching leaves over, merged all the same: no star may hold up the coarsening.

Of a star only one leaf is matched, and social and computer networks are full of stars. Leaves of
one centre have no edge between them, yet are alike. So if a matching leaves over more than a tenth
of the vertices, these are paired in turn:

- *twins*, vertices with the same neighbours: leaves of one centre first of all, and vertices
  without any neighbour. Found by equal fingerprints, the sum of a hash of each neighbour;
- vertices that share a neighbour, by way of the one with fewest neighbours. A vertex that finds no
  partner waits at each of its neighbours for one that comes later;
- if a tenth is still left, each joins the cluster of its best rated neighbour: clusters of three
  and more.

No cluster becomes heavier than the limit. Where partners are waiting who are too heavy for each
other, the lighter one goes on waiting.

For hypergraphs nets are in the place of neighbours; they may be shared in the same way.

Work O(n + m) and a sort of what is left over; one thread, always the same result. Memory: 20 bytes
a vertex left over, 4 bytes a vertex.

Reference: D. LaSalle, M. M. A. Patwary, N. Satish, N. Sundaram, P. Dubey, G. Karypis, "Improving
graph partitioning for modern graphs and architectures", IA³ 2015 (two-hop matching); R. Preis,
"Analyses and design of efficient graph partitioning methods", 2001, section 5.3 (stars).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import kernel
from ...compile.random import draw, key_of, wrapping
from ...graphs.graph import IndexArray, Weights, unsigned
from ...tuning import TOO_MANY

__all__ = ["join_neighbours", "pair_leftovers"]


@wrapping
def pair_leftovers(
    indptr: IndexArray,
    indices: IndexArray,
    sizes: IndexArray,
    mate: IndexArray,
    vertex_weights: Weights,
    limit: float,
) -> None:
    """Match unmatched vertices that are twins or share a neighbour, in `mate`, if there are many.

    ``indptr, indices`` tell the neighbours, or nets, of each vertex; `sizes` how many each of these
    has in turn.
    """
    rows = (unsigned(indptr), unsigned(indices))
    free = _left_over(mate)
    if free.size:
        prints = np.empty(free.size, np.uint64)
        fingerprint(*rows, free, key_of(0, 0), prints)
        order = np.argsort(prints, kind="stable")
        pair_twins(prints[order], free[order], mate, vertex_weights, limit)
    free = _left_over(mate)
    if free.size:
        waiting = np.full(sizes.size, -1, mate.dtype)
        pair_sharing(*rows, sizes, free, waiting, mate, vertex_weights, limit)


def join_neighbours(
    indptr: IndexArray,
    indices: IndexArray,
    rating: Weights,
    mate: IndexArray,
    head: IndexArray,
    vertex_weights: Weights,
    limit: float,
) -> None:
    """Put unmatched vertices into neighbours' clusters, named in `head`, if there are many."""
    free = _left_over(mate)
    if free.size:
        load = np.bincount(head, vertex_weights, head.size)
        join(unsigned(indptr), unsigned(indices), rating, free, mate, head, load, limit)


def _left_over(mate: IndexArray) -> IndexArray:
    """Return the unmatched vertices, or none if they are not too many."""
    free = np.flatnonzero(mate < 0)
    return free.astype(mate.dtype) if free.size > TOO_MANY * mate.size else free[:0]


@kernel
def fingerprint(indptr: Any, indices: Any, free: Any, key: Any, prints: Any) -> None:
    """Add up a hash of each neighbour of each free vertex: the order does not matter."""
    for i in range(free.size):
        v = free[i]
        total = np.uint64(0)
        for k in range(indptr[v], indptr[v + 1]):
            total += draw(key, indices[k])
        prints[i] = total


@kernel
def pair_twins(prints: Any, free: Any, mate: Any, weights: Any, limit: float) -> None:
    """Match neighbours in the order of fingerprints that have the same."""
    waiting = 0
    for i in range(1, free.size):
        v = free[i]
        if waiting < i and prints[waiting] == prints[i]:
            u = free[waiting]
            if weights[u] + weights[v] <= limit:
                mate[u], mate[v] = v, u
                waiting = i + 1
                continue
            if weights[u] < weights[v]:
                continue
        waiting = i


@kernel
def pair_sharing(
    indptr: Any,
    indices: Any,
    sizes: Any,
    free: Any,
    waiting: Any,
    mate: Any,
    weights: Any,
    limit: float,
) -> None:
    """Match each free vertex to one that waits at a neighbour, or have it wait at all of them."""
    for i in range(free.size):
        v = free[i]
        partner, fewest = np.int64(-1), np.int64(0)
        for k in range(indptr[v], indptr[v + 1]):
            u = waiting[indices[k]]
            if u >= 0 and mate[u] < 0 and weights[u] + weights[v] <= limit:
                size = np.int64(sizes[indices[k]])
                if partner < 0 or size < fewest:
                    partner, fewest = np.int64(u), size
        if partner >= 0:
            mate[v], mate[partner] = partner, v
            continue
        for k in range(indptr[v], indptr[v + 1]):
            u = waiting[indices[k]]
            if u < 0 or mate[u] >= 0 or weights[v] < weights[u]:
                waiting[indices[k]] = v


@kernel
def join(
    indptr: Any, indices: Any, rating: Any, free: Any, mate: Any, head: Any, load: Any, limit: float
) -> None:
    """Put each free vertex into the best rated cluster of a matched neighbour that has room."""
    for i in range(free.size):
        v = free[i]
        best, cluster = -1.0, np.int64(v)
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            if mate[u] >= 0 and rating[k] > best and load[head[u]] + load[v] <= limit:
                best, cluster = rating[k], np.int64(head[u])
        if cluster != v:
            head[v] = cluster
            load[cluster] += load[v]
