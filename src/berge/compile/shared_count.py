"""A count that the items of per-item kernels share: many counters, whose sum it is.

Items add to one of them by their number, so that threads seldom meet at one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..tuning import COUNTERS
from .atomics import fetch_add
from .kernel import helper

if TYPE_CHECKING:
    from .device import Device

__all__ = ["add", "counts", "new_count", "total"]

STRIDE = 8  # entries from one to the next: a cache line


def counts(statistics: str, device: Device) -> bool:
    """Whether to count: "on", "off", or "auto", which on a GPU saves the atomic operations."""
    return statistics == "on" or (statistics == "auto" and device.name == "cpu")


def new_count(device: Device) -> Any:
    """Return counters at zero."""
    return device.full(COUNTERS * STRIDE, 0, np.int64)


@helper
def add(counters: Any, item: int, amount: int) -> None:
    """Add to the count."""
    fetch_add(counters, (item % COUNTERS) * STRIDE, np.int64(amount))


def total(device: Device, counters: Any) -> int:
    """Return the count."""
    return int(device.download(counters).sum())
