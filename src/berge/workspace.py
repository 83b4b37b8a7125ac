"""Working memory that one solve leaves to the next.

A system hands new memory out page by page, each filled with zeros at its first use. For large
graphs that may take as long as the matching. So what a solve works on, but not what it returns,
lies in one block that is kept, and of which only pages that were used take memory. Within the block
one step's arrays come after another's, and nothing is given back before the end. A second solve
beside the first, and what the block is too small for, get new memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Empty", "release", "workspace"]

Empty = Callable[..., npt.NDArray[Any]]  # makes an array, like `np.empty`

MOST = 1 << 27  # bytes that are kept
_LINE = 128  # bytes to which sizes are rounded: threads do not share cache lines then

_kept: list[npt.NDArray[np.uint8]] = []  # the block, unless a solve has it


@contextmanager
def workspace(size: int) -> Iterator[Empty]:
    """Give out some `size` bytes in the manner of `np.empty`, and take them back at the end."""
    try:
        block = _kept.pop()
    except IndexError:
        block = np.empty(0, np.uint8)
    if block.size < min(size, MOST):
        block = np.empty(min(size, MOST), np.uint8)
    used = 0

    def empty(shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        nonlocal used
        entries = shape if isinstance(shape, int) else math.prod(shape)
        end = used + entries * np.dtype(dtype).itemsize
        if end > block.size:
            return np.empty(shape, dtype)
        array = block[used:end].view(dtype).reshape(shape)
        used = -(-end // _LINE) * _LINE
        return array

    try:
        yield empty
    finally:
        _kept[:] = [block]


def release() -> None:
    """Give the block back to the system."""
    _kept.clear()
