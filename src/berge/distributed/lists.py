"""Lists of the kernels: arrays whose sizes are entries of a `state`, and ascending arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compile import helper
from .communicator import Array


@helper
def push(items: Any, state: Any, size: int, value: Any) -> None:
    """Append a value to a list whose size is ``state[size]``."""
    items[state[size]] = value
    state[size] += 1


def drain(items: Any, state: Any, size: int) -> Array:
    """Return what is in such a list, and empty it. Not for kernels."""
    found: Array = items[: state[size]].astype(np.int64)
    state[size] = 0
    return found


@helper
def find(values: Any, value: int) -> Any:
    """Return the place of a value in an ascending array that has it."""
    low, high = np.int64(0), np.int64(values.size - 1)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
