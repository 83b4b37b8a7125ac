"""The gather pass: a unit of time that belongs to a graph, so that figures travel between machines.

One pass is a single-threaded loop that reads the column indices in their order and sums a value per
column, ``x[indices[k]]``, over the rows, and the same over the transpose. An algorithm that reads
every edge from both ends and looks at the other end's state can hardly take less.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from ..graph import unsigned
from ..spmd import kernel

__all__ = ["gather", "gather_seconds"]

_LEAST, _MOST, _ENOUGH = 3, 20, 0.5  # repeats, and seconds after which they are enough


@kernel
def gather(indices: npt.NDArray[Any], x: npt.NDArray[Any]) -> int:
    """Sum the values at the indices."""
    total = np.int64(0)
    for k in range(indices.size):
        total += x[indices[k]]
    return total  # type: ignore[return-value]


def gather_seconds(matrix: Any) -> tuple[float, float]:
    """Return best times over a scipy CSR array and over its transpose; the unit is their sum."""
    transpose = matrix.tocsc()
    return (
        _best(matrix.indices, matrix.shape[1]),
        _best(transpose.indices, matrix.shape[0]),
    )


def _best(indices: npt.NDArray[Any], size: int) -> float:
    x = np.ones(size, indices.dtype)
    indices = unsigned(indices)
    gather(indices[:0], x)  # loads the kernel
    seconds: list[float] = []
    while len(seconds) < _LEAST or (sum(seconds) < _ENOUGH and len(seconds) < _MOST):
        begin = time.perf_counter()
        total = gather(indices, x)
        seconds.append(time.perf_counter() - begin)
        assert total == indices.size
    return min(seconds)
