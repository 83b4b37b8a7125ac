"""The gather pass: a unit of time that belongs to a graph, so that figures travel between machines.

One pass is a single-threaded loop that reads the column indices in their order and sums a value per
column, ``x[indices[k]]``, over the rows, and the same over the transpose. An algorithm that reads
every edge from both ends and looks at the other end's state can hardly take less.

The loop is there twice: one that the compiler makes vector instructions of, and one that it cannot.
Where processors are guarded against gather data sampling, the first takes four times as long as the
second; elsewhere it may be faster. The faster one counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from berge.compile import kernel
from berge.graphs.graph import unsigned

__all__ = ["gather", "gather_one_by_one", "gather_seconds"]

_LEAST, _MOST, _ENOUGH = 3, 1000, 0.1  # repeats, and seconds after which they are enough


@kernel
def gather(indices: npt.NDArray[Any], x: npt.NDArray[Any]) -> int:
    """Sum the values at the indices."""
    total = np.int64(0)
    for k in range(indices.size):
        total += x[indices[k]]
    return total  # type: ignore[return-value]


@kernel
def gather_one_by_one(indices: npt.NDArray[Any], x: npt.NDArray[Any]) -> int:
    """Do the same, up to the first negative value: a loop that may end early has no vectors."""
    total = np.int64(0)
    for k in range(indices.size):
        value = x[indices[k]]
        if value < 0:
            break
        total += value
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
    return min(_best_of(loop, indices, x) for loop in (gather, gather_one_by_one))


def _best_of(loop: Callable[..., int], indices: npt.NDArray[Any], x: npt.NDArray[Any]) -> float:
    loop(indices[:0], x)  # loads the kernel
    seconds: list[float] = []
    end = time.perf_counter() + _ENOUGH
    while len(seconds) < _LEAST or (time.perf_counter() < end and len(seconds) < _MOST):
        begin = time.perf_counter()
        total = loop(indices, x)
        seconds.append(time.perf_counter() - begin)
        assert total == indices.size
    return min(seconds)
