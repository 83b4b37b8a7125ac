"""The weight of a matching: every matched vertex looks its mate up in its row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile.device import CpuDevice, per_item
from ...graphs.graph import Graph, IndexArray, unsigned

__all__ = ["weight_of"]

BLOCK = 1 << 14  # vertices whose weights are added up by one thread: the sum is always the same


def weight_of(graph: Graph, mate: IndexArray, threads: int) -> float:
    """Return the sum of the weights of the edges (v, mate[v]); their number if there are none."""
    if graph.weights is None:
        return float(np.count_nonzero(mate >= 0) // 2)
    sums = np.zeros(-(-mate.size // BLOCK))
    rows = unsigned(graph.indptr), unsigned(graph.indices), graph.weights
    CpuDevice(threads, serial=2).launch(weigh_block, sums.size, *rows, mate, sums)
    return float(sums.sum())


@per_item
def weigh_block(b: int, indptr: Any, indices: Any, weights: Any, mate: Any, sums: Any) -> None:
    """Add up the weights of the edges whose lower end is in block b."""
    total = 0.0
    for v in range(b * BLOCK, min((b + 1) * BLOCK, mate.size)):
        w = mate[v]
        if w > v:
            for k in range(indptr[v], indptr[v + 1]):
                if np.int64(indices[k]) == w:
                    total += weights[k]
                    break
    sums[b] = total
