"""Working memory that one solve leaves to the next.

A system hands new memory out page by page, each filled with zeros at its first use. For large
graphs that may take as long as the matching. So the arrays that a solve works on, but not those
that it returns, lie in one block that is kept. Only pages of it that were used take memory. Within
the block one step's arrays come after another's, and nothing is given back before the end. A second
solve at the same time gets new memory, and so do arrays that no longer fit in the block.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..tuning import MOST_KEPT

__all__ = ["Empty", "Workspace", "release"]

Empty = Callable[..., npt.NDArray[Any]]  # makes an array, like `np.empty`

_LINE = 128  # bytes to which sizes are rounded: threads do not share cache lines then

_kept: list[npt.NDArray[np.uint8]] = []  # the block, unless a solve has it


class Workspace:
    """Some `size` bytes that `empty` gives out in the manner of `np.empty`, until it is closed."""

    def __init__(self, size: int):
        try:
            block = _kept.pop()
        except IndexError:
            block = np.empty(0, np.uint8)
        if block.size < min(size, MOST_KEPT):
            block = np.empty(min(size, MOST_KEPT), np.uint8)
        self._block, self._used = block, 0

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return an array; one of new memory if the block is used up."""
        entries = shape if isinstance(shape, int) else math.prod(shape)
        end = self._used + entries * np.dtype(dtype).itemsize
        if end > self._block.size:
            return np.empty(shape, dtype)
        array = self._block[self._used : end].view(dtype)
        self._used = -(-end // _LINE) * _LINE
        return array if isinstance(shape, int) else array.reshape(shape)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the block to the next solve."""
        _kept[:] = [self._block]


def release() -> None:
    """Give the block back to the system."""
    _kept.clear()
