"""Random numbers that do not depend on who draws them, so threads may share a loop in any way.

Every number is a hash of (key, counter): splitmix64 read at place `counter` of the sequence that
starts at `key`. Nothing is carried from one number to the next.

All arithmetic is on unsigned 64-bit integers and wraps, on purpose; with ``NUMBA_DISABLE_JIT=1``
it is done by numpy, which would warn, hence `wrapping` around what draws.

Reference: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
OOPSLA 2014 (splitmix64).
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from .kernel import helper

__all__ = ["draw", "draw_unit", "key_of", "wrapping"]

_ONE = np.uint64(1)
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTOR_1 = np.uint64(0xBF58476D1CE4E5B9)
_FACTOR_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)
_DROP_TO_53_BITS = np.uint64(11)

wrapping = np.errstate(over="ignore")


def key_of(seed: int, stream: int) -> np.uint64:
    """Return the key of a sequence: each seed and each stream of a seed has its own."""
    digest = blake2b(f"{seed} {stream}".encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


@helper
def draw(key: Any, counter: Any) -> Any:
    """Return 64 random bits, number `counter` of the sequence of `key`."""
    x = key + (np.uint64(counter) + _ONE) * _STEP
    x = (x ^ (x >> _SHIFT_1)) * _FACTOR_1
    x = (x ^ (x >> _SHIFT_2)) * _FACTOR_2
    return x ^ (x >> _SHIFT_3)


@helper
def draw_unit(key: Any, counter: Any) -> Any:
    """Return a random number from [0, 1), number `counter` of the sequence of `key`."""
    return np.float64(draw(key, counter) >> _DROP_TO_53_BITS) * 2.0**-53
