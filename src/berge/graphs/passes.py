"""Passes over whole arrays, on threads where the arrays are large.

numpy does these as fast on one core, but on one only, and now and then in several passes. Arrays
are seen unsigned, and cut into one block a thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..compile import in_rows, kernel, share_out, threads_for
from ..errors import InvalidGraphError
from ..tuning import SHARED_READS, SHARED_WRITES, STRETCH

__all__ = ["copied", "count_rises", "largest", "list_unmatched", "pair_up", "unmatched"]

LINE = 16  # numbers from one thread's to the next one's: two cache lines

LARGEST, RISES, FILL, PAIR_UP, COPY = range(5)


def largest(indices: npt.NDArray[Any]) -> int:
    """Return the largest entry; a negative one counts as larger than any other."""
    return int(_sweep(LARGEST, indices)[:, 0].max())


def copied(indices: npt.NDArray[Any], to: npt.NDArray[Any]) -> int:
    """Copy the entries, and return the largest that was copied, as `largest` does."""
    return int(_sweep(COPY, indices, to)[:, 0].max())


def count_rises(indptr: npt.NDArray[Any]) -> tuple[int, int]:
    """Return at how many places the entries rise, and at how many they fall."""
    rises, falls = _sweep(RISES, indptr)[:, :2].sum(axis=0)
    return int(rises), int(falls)


def unmatched(size: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return so many −1."""
    if size < SHARED_WRITES:
        return np.full(size, -1, dtype)
    try:
        array = np.empty(size, dtype)
    except (MemoryError, ValueError):
        raise InvalidGraphError(f"{size:,} vertices do not fit in memory") from None
    _sweep(FILL, array, array)
    return array


def pair_up(values: npt.NDArray[Any], pairs: npt.NDArray[Any]) -> None:
    """Fill `pairs` with 0 and ``values[0]``, 0 and ``values[1]``, and so on."""
    _sweep(PAIR_UP, values.astype(pairs.dtype, copy=False), pairs)


def _sweep(job: int, array: npt.NDArray[Any], to: npt.NDArray[Any] | None = None) -> Any:
    """Do a pass over an array, and write to another; return what each thread has found."""
    enough = SHARED_WRITES if job >= FILL else SHARED_READS
    found = np.zeros((threads_for(array.size, enough), LINE), np.uint64)
    a = np.ascontiguousarray(array)
    unsigned = f"u{a.dtype.itemsize}"
    a = a.view(unsigned)
    b = np.empty(0, unsigned) if to is None else to.view(unsigned)
    if found.shape[0] > 1:
        on_threads(found.shape[0], job, a, b, found)
    else:
        sweep_block(0, job, a, b, found)
    return found


@share_out
def on_threads(t: int, shared: bool, job: int, a: Any, b: Any, found: Any) -> None:
    """Do all blocks, one a thread."""
    sweep_block(t, job, a, b, found)


@kernel
def sweep_block(t: Any, job: Any, a: Any, b: Any, found: Any) -> None:
    """Do block t of `a`, by loops over slices from 0 on: these the compiler makes vectors of."""
    blocks = found.shape[0]
    lo, hi = a.size * t // blocks, a.size * (t + 1) // blocks
    block = a[lo:hi]
    kind = block.dtype.type  # sums are made so wide and no wider: more fit in a vector
    first = second = zero = kind(0)
    if job == LARGEST:
        # Eight stretches side by side: memory is asked for in eight places at once.
        size = block.size // 8
        p = in_rows(block[: 8 * size], 8)
        p0, p1, p2, p3, p4, p5, p6, p7 = p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]
        for i in range(size):
            first = max(first, p0[i], p1[i], p2[i], p3[i], p4[i], p5[i], p6[i], p7[i])
        rest = block[8 * size :]
        for i in range(rest.size):
            first = max(first, rest[i])
    elif job == RISES:
        after = a[lo + 1 : hi + 1]
        for i in range(after.size):
            first = kind(first + kind(block[i] < after[i]))
            second = kind(second + kind(block[i] > after[i]))
    elif job == FILL:
        to = b[lo:hi]
        for i in range(to.size):
            to[i] = ~zero
    elif job == COPY:  # each entry is read once: what is looked at is what is copied
        to = b[lo:hi]
        for i in range(to.size):
            value = block[i]
            to[i] = value
            first = max(first, value)
    else:
        pairs = b[2 * lo : 2 * hi]
        for i in range(block.size):
            pairs[2 * i] = 0
            pairs[2 * i + 1] = block[i]
    found[t, 0], found[t, 1] = first, second


@kernel
def copy_rising(a: Any, to: Any, found: Any) -> None:
    """Copy `a`, and find what RISES finds in the copy: each entry is read once."""
    kind = a.dtype.type
    rises = falls = kind(0)
    to[0] = before = a[0]
    values, to = a[1:], to[1:]
    for i in range(values.size):
        value = values[i]
        to[i] = value
        rises = kind(rises + kind(before < value))
        falls = kind(falls + kind(before > value))
        before = value
    found[0, 0], found[0, 1] = rises, falls


@kernel
def list_unmatched(indptr: Any, row_match: Any, rows: Any) -> int:
    """List the unmatched rows that have an edge; return how many. `rows` has room for one more.

    Most stretches have none: the compiler looks through these with vectors.
    """
    size = 0
    kind = row_match.dtype.type
    for first in range(0, row_match.size, STRETCH):
        stretch = row_match[first : first + STRETCH]
        some = kind(0)
        for i in range(stretch.size):
            some = kind(some | stretch[i])
        if some < 0:
            begins, ends = indptr[first:], indptr[first + 1 :]
            for i in range(stretch.size):
                rows[np.uint64(size)] = first + i
                size += (stretch[i] < 0) & (begins[i] < ends[i])
    return size
