"""Atomic operations on array elements, for kernels that run on CPU threads.

numba offers none on the CPU, so each is one LLVM instruction behind an intrinsic. The Python
functions below are what runs under ``NUMBA_DISABLE_JIT=1`` (one thread, so plain reads and writes
will do); inside compiled code the overloads take their place, and on CUDA those of `cuda`.

Order. What a thread wrote before a `compare_and_swap`, a `fetch_add` or a `store_release` is there
for whoever has seen what that wrote, by any of these or by `load_acquire`. On CUDA `fetch_add` has
no such order: there it only counts, and hands out places that are read after the launch.

Plain reads and writes beside these are races. LLVM leaves their result undefined; what is relied on
is what processors do. Words are read and written as a whole, and a read gives some value that was
written there, or was there before the kernel, and not one from before the thread's own last write,
nor from before one that it has seen by the operations here. Nothing is assumed of the order in
which plain writes are seen, nor of two plain reads of one place. `tests/schedules` runs every
parallel algorithm on a memory that does no more than that. So a plain read will do where any such
value is right, or is looked at again by an atomic operation. Where a thread waits for a value, or
decides by two of them, `load_acquire` has to read them.
"""

from __future__ import annotations

from typing import Any


def compare_and_swap(array: Any, index: int, expected: Any, new: Any) -> bool:
    """Set ``array[index]`` to `new` if it still is `expected`; tell whether it was."""
    if array[index] != expected:
        return False
    array[index] = new
    return True


def fetch_add(array: Any, index: int, amount: Any) -> Any:
    """Add to ``array[index]`` and return what it was before."""
    before = array[index]
    array[index] = before + amount
    return before


def load_acquire(array: Any, index: int) -> Any:
    """Return ``array[index]``; what was written before it was, is there for the reads to come."""
    return array[index]


def store_release(array: Any, index: int, value: Any) -> None:
    """Set ``array[index]``, so that who reads it by `load_acquire` sees what was written before."""
    array[index] = value
