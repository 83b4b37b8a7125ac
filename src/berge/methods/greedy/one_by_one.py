"""Algorithm 1: one vertex after the other, in random order, takes a free neighbour.

`select` is "the first available neighbour" (`random`), or the heaviest (`weighted`), of equal ones
the first. The graph is put in random order first, with shuffled rows (`permute`), the same order
and rows that `proposals` gets with the same seed. With ``permute=False`` vertices are taken by
their numbers, and rows as they are.

Work O(n + m); memory besides the graph a copy of it and three indices a vertex, or, not permuted,
one.

Slips and changes
    - Rows are shuffled too, which the paper does not say: the first available neighbour is a random
      one.

The paper's π(v) = min{v, w}, ∞ → ``mate[v]`` = w, −1.

Reference: B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
Facing the Multicore-Challenge II, 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import kernel
from ...compile.devices import open_device
from ...graphs.graph import unsigned
from ...results.greedy_run import FREE, GreedyRun
from .permute import permuted


def random(run: GreedyRun, *, permute: bool = True) -> None:
    """Let every vertex take its first free neighbour."""
    _take(run, permute, take_first)


def weighted(run: GreedyRun, *, permute: bool = True) -> None:
    """Let every vertex take its heaviest free neighbour."""
    _take(run, permute, take_heaviest)


def _take(run: GreedyRun, permute: bool, take: Any) -> None:
    graph, order, mate = run.graph, np.arange(run.graph.n_vertices), run.mate
    if permute:
        with run.timed("permute"):
            graph, order = permuted(graph, run.seed, open_device("cpu", run.threads))
            mate = np.full_like(run.mate, FREE)
    weights = np.zeros(0) if graph.weights is None else graph.weights
    try:
        for first, last in run.slices():
            take(unsigned(graph.indptr), unsigned(graph.indices), weights, mate, first, last)
    finally:
        if permute:
            matched = np.flatnonzero(mate >= 0)
            run.mate[order[matched]] = order[mate[matched]]


@kernel
def take_first(indptr: Any, indices: Any, weights: Any, mate: Any, first: int, last: int) -> None:
    """Match vertices `first` to `last` to their first free neighbour."""
    for v in range(first, last):
        if mate[v] < 0:
            for k in range(indptr[v], indptr[v + 1]):
                w = indices[k]
                if mate[w] < 0:
                    mate[v] = w
                    mate[w] = v
                    break


@kernel
def take_heaviest(
    indptr: Any, indices: Any, weights: Any, mate: Any, first: int, last: int
) -> None:
    """Match vertices `first` to `last` to their heaviest free neighbour; none weighs as all do."""
    for v in range(first, last):
        if mate[v] >= 0:
            continue
        best, heaviest = np.int64(-1), -1.0
        for k in range(indptr[v], indptr[v + 1]):
            w = indices[k]
            weight = weights[k] if weights.size > 0 else 1.0
            if weight > heaviest and mate[w] < 0:
                best, heaviest = np.int64(w), weight
        if best >= 0:
            mate[v] = best
            mate[best] = v
