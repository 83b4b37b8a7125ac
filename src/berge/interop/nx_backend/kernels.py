"""Compiled loops over the arrays of a `BergeGraph`. All are O(vertices + edges).

``indptr, indices`` hold every edge from both ends; ``mate[v]`` is the vertex matched to v or −1.
"""

from __future__ import annotations

from typing import Any

from ...compile import kernel

__all__ = ["greedy", "has_free_edge", "match_edges"]


@kernel
def greedy(indptr: Any, indices: Any, mate: Any) -> None:
    """Match every vertex in turn to its first free neighbour; ``mate`` is −1 on entry.

    This takes the same edges as going through the edges in networkx's order: those to an earlier
    vertex were seen from there, and left only if one end was matched.
    """
    for u in range(mate.size):
        if mate[u] >= 0:
            continue
        for k in range(indptr[u], indptr[u + 1]):
            v = indices[k]
            if v != u and mate[v] < 0:
                mate[u] = v
                mate[v] = u
                break


@kernel
def match_edges(indptr: Any, indices: Any, ends: Any, others: Any, mate: Any) -> bool:
    """Match ``ends[i]`` with ``others[i]`` for all i; return False at the first that is not free.

    A self-loop, or a pair that is no edge, is not free either. ``mate`` is −1 on entry.
    """
    for i in range(ends.size):
        u, v = ends[i], others[i]
        if u == v or mate[u] >= 0 or mate[v] >= 0:
            return False
        if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
            u, v = v, u
        for k in range(indptr[u], indptr[u + 1]):
            if indices[k] == v:
                mate[u] = v
                mate[v] = u
                break
        if mate[u] < 0:
            return False
    return True


@kernel
def has_free_edge(indptr: Any, indices: Any, mate: Any) -> bool:
    """Whether an edge, not a self-loop, has both ends unmatched."""
    for u in range(mate.size):
        if mate[u] < 0:
            for k in range(indptr[u], indptr[u + 1]):
                v = indices[k]
                if v != u and mate[v] < 0:
                    return True
    return False
