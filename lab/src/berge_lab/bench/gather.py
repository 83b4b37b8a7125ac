"""The gather pass: a unit of time that belongs to a graph, so that figures travel between machines.

One pass is a single-threaded loop that reads the column indices in their order and sums a value per
column, ``x[indices[k]]``, over the rows, and the same over the transpose. An algorithm that reads
every edge from both ends and looks at the other end's state can hardly take less.

There are two forms of the loop. The compiler makes vector instructions of the first, and cannot of
the second. On processors that are guarded against gather data sampling the first takes four times
as long as the second; elsewhere it may be faster. The faster one counts.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from berge.compile import kernel
from berge.graphs.graph import unsigned

from .loop import in_turns

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
    loops = {"vectors": partial(gather, indices, x)}
    loops["one by one"] = partial(gather_one_by_one, indices, x)
    for loop in loops.values():
        loop.func(indices[:0], x)  # loads the kernel
    found = in_turns(loops, _MOST, warm_up=False, least=_LEAST, enough=_ENOUGH)
    assert all(timing.told == indices.size for timing in found.values())
    return min(timing.best for timing in found.values())
