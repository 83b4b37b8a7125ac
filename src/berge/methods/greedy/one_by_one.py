"""Algorithm 1: one vertex after the other, in random order, takes a free neighbour.

`select` is "the first available neighbour" (`random`), by the same random order, or the heaviest
(`weighted`), of equal ones the first. With ``permute=False`` vertices are taken by their numbers.
The graph is not copied into the random order: ``order[i]`` is the vertex at place i, ``place[v]``
the place of vertex v, and the first neighbour is the one with the lowest place.

Slips and changes
    - The graph is not permuted, as said above: one pass with jumps, in place of a copy of it.

Work O(n + m); memory besides the graph two indices a vertex.

The paper's π(v) = min{v, w}, ∞ → ``mate[v]`` = w, −1.

Reference: B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
Facing the Multicore-Challenge II, 2012.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import kernel
from ...graphs.graph import unsigned
from ...results.greedy_run import GreedyRun
from .permute import random_order


class Arrays(NamedTuple):
    """What the kernel works on: the graph, the vertex at each place, the place of each, mates."""

    indptr: Any
    indices: Any
    weights: Any
    order: Any
    place: Any
    mate: Any


def random(run: GreedyRun, *, permute: bool = True) -> None:
    """Let every vertex take its first free neighbour."""
    _take(run, permute, np.zeros(0))


def weighted(run: GreedyRun, *, permute: bool = True) -> None:
    """Let every vertex take its heaviest free neighbour."""
    _take(run, permute, run.weights)


def _take(run: GreedyRun, permute: bool, weights: Any) -> None:
    order, place = random_order(run.mate, run.seed if permute else None)
    arrays = Arrays(*run.rows, weights, unsigned(order), unsigned(place), run.mate)
    for first, last in run.slices():
        take_free(arrays, first, last)


@kernel
def take_free(a: Any, first: int, last: int) -> None:
    """Match the vertices at places `first` to `last`; no weights are equal weights."""
    indptr, indices, weights, order, place, mate = a
    for i in range(first, last):
        v = order[i]
        if mate[v] >= 0:
            continue
        best, heaviest = np.int64(-1), -1.0
        for k in range(indptr[v], indptr[v + 1]):
            w = indices[k]
            if mate[w] >= 0:
                continue
            weight = weights[k] if weights.size > 0 else 1.0
            if weight > heaviest or (weight == heaviest and place[w] < place[best]):
                best, heaviest = np.int64(w), weight
        if best >= 0:
            mate[v] = best
            mate[best] = v
