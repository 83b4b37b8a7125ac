"""Prefix sums and stream compaction out of per-item kernels, for any device.

A prefix sum on CPU threads: an item is a block of entries; blocks are summed, the sums are summed
up by one thread, and the blocks are gone through again. CUDA has a way of its own. Work O(n) in
all, one sum a block in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..tuning import BLOCKS_TO_SUM, SMALLEST_TO_SUM
from .device import per_item, summed

if TYPE_CHECKING:
    from .device import Device

__all__ = ["compact", "count", "prefix_sum"]


def _blocks(size: int) -> tuple[int, np.int64]:
    """Return the number of blocks of so many entries, and how many each has."""
    width = max(SMALLEST_TO_SUM, -(-size // BLOCKS_TO_SUM))
    return -(-size // width), np.int64(width)


def prefix_sum(device: Device, array: Any) -> int:
    """Replace every entry by the sum of those before it; return the sum of all."""
    if array.size == 0:
        return 0
    if (total := device.own_prefix_sum(array)) is not None:
        return total
    blocks, width = _blocks(array.size)
    sums = device.empty(blocks + 1, array.dtype)
    device.launch(sum_block, blocks, array, sums, width)
    device.launch(sum_sums, 1, sums)
    device.launch(spread_block, blocks, array, sums, width)
    return device.read(sums, blocks)


def compact(device: Device, source: Any, size: int, places: Any, to: Any) -> int:
    """Write the entries ≥ 0 of ``source[:size]`` into `to`, in order; return how many there are.

    `places` is room for one index an entry.
    """
    if size == 0:
        return 0
    device.launch(mark, size, source, places)
    count = prefix_sum(device, places[:size])
    device.launch(move, size, source, places, to)
    return count


def count(device: Device, array: Any) -> int:
    """Return how many entries are ≥ 0."""
    return device.sum(is_there, array.size, array)


@summed
def is_there(i: int, array: Any) -> Any:
    """Count an entry ≥ 0."""
    return np.int64(array[i] >= 0)


@per_item
def sum_block(b: int, array: Any, sums: Any, width: int) -> None:
    """Add up block b."""
    total = array[b * width]
    for k in range(b * width + 1, min((b + 1) * width, array.size)):
        total += array[k]
    sums[b] = total


@per_item
def sum_sums(_: int, sums: Any) -> None:
    """Replace the sums of the blocks by what comes before each; the last one becomes the total."""
    before = sums[0]
    sums[0] = 0
    for b in range(1, sums.size):
        total = sums[b]
        sums[b] = before
        before += total


@per_item
def spread_block(b: int, array: Any, sums: Any, width: int) -> None:
    """Replace the entries of block b by what comes before each."""
    before = sums[b]
    for k in range(b * width, min((b + 1) * width, array.size)):
        value = array[k]
        array[k] = before
        before += value


@per_item
def mark(i: int, source: Any, places: Any) -> None:
    """Count an entry that stays."""
    places[i] = 1 if source[i] >= 0 else 0


@per_item
def move(i: int, source: Any, places: Any, to: Any) -> None:
    """Put an entry that stays in its place."""
    if source[i] >= 0:
        to[places[i]] = source[i]
