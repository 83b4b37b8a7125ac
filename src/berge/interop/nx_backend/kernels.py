"""Compiled loops over the arrays of a `BergeGraph`. All are O(vertices + edges).

``indptr, indices`` hold every edge from both ends; ``mate[v]`` is the vertex matched to v or −1.
"""

from __future__ import annotations

from typing import Any

from ...compile import kernel

__all__ = ["greedy", "has_free_edge", "match_edges", "two_colour"]


@kernel
def two_colour(indptr: Any, indices: Any, colour: Any, queue: Any) -> tuple[int, bool]:
    """Colour the ends of every edge 0 and 1; return the number of components, and if it worked.

    ``colour`` (−1 on entry) is 1 for the first vertex of each component; ``queue`` has a place for
    every vertex.
    """
    components = 0
    bipartite = True
    for root in range(colour.size):
        if colour[root] >= 0:
            continue
        components += 1
        colour[root] = 1
        queue[0] = root
        head, tail = 0, 1
        while head < tail:
            u = queue[head]
            head += 1
            for k in range(indptr[u], indptr[u + 1]):
                v = indices[k]
                if colour[v] < 0:
                    colour[v] = 1 - colour[u]
                    queue[tail] = v
                    tail += 1
                elif colour[v] == colour[u]:
                    bipartite = False
    return components, bipartite


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
