"""Whether a square pattern is symmetric, and how to colour a graph of two sides; one pass each."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import tuning
from ..compile import kernel, threads_for
from .graph import BipartiteGraph, equal_shares, unsigned
from .undirected import FINGERPRINT, Rows, inspect

__all__ = ["is_symmetric", "two_colour"]


def is_symmetric(graph: BipartiteGraph) -> bool:
    """Tell whether every entry is there in both directions, by a fingerprint; see `undirected`."""
    if graph.n_rows != graph.n_cols:
        return False
    threads = threads_for(graph.nnz, tuning.SHARED_SORT)
    blocks = equal_shares(graph.indptr, 4 * threads)
    found = np.zeros((blocks.size - 1, 3), np.uint64)
    with np.errstate(over="ignore"):  # sums of hashes wrap
        rows = Rows(graph.indptr, unsigned(graph.indices), np.zeros(0))
        inspect(blocks.size - 1, rows, blocks, found)
        return not found[:, FINGERPRINT].sum()


@kernel
def two_colour(indptr: Any, indices: Any, colour: Any, queue: Any, stop: bool) -> tuple[int, bool]:
    """Colour the ends of every edge 0 and 1; return the number of components, and if it worked.

    ``colour`` (−1 on entry) is 1 for the first vertex of each component; ``queue`` has a place for
    every vertex. With `stop`, it ends at the first edge that has one colour.
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
                    if stop:
                        return components, bipartite
    return components, bipartite
