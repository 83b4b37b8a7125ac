"""How threads share work: a loop over threads, items by chunks, results by private queues.

``@share_out`` makes a kernel that does a step on threads of a function that does one thread's share
of it. The other functions are for use in such shares. All take `shared`: False when one thread
works alone, which then needs no atomics. `state` is an int64 array; its entries named by an index
are counters that the threads share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .atomics import compare_and_swap, fetch_add
from .kernel import helper, kernel, prange, write_loop

_ON_THREADS = """
def {name}(threads, {args}):
    shared = threads > 1
    if shared:
        for t in prange(threads):
            share(int64(t), shared, {args})
    else:
        share(int64(0), shared, {args})
"""


def share_out(share: Callable[..., None]) -> Callable[..., None]:
    """Make a kernel ``(threads, *arguments)`` of a thread's share ``(t, shared, *arguments)``.

    The kernel does the shares of all threads. On one thread it does share 0 itself, and wakes
    nobody; `shared` then is False. A parallel loop takes seconds to compile: a file that has
    several steps had better have one share that tells them apart.
    """
    loop = write_loop(_ON_THREADS, share, 2, prange=prange, int64=np.int64, share=kernel(share))
    return kernel(parallel=True)(loop)  # type: ignore[no-any-return]


@helper
def next_chunk(state: Any, cursor: int, end: int, chunk: int, shared: bool) -> tuple[int, int]:
    """Take the next items, ``state[cursor]`` to `end`, some at a time; an empty range at the end.

    Small chunks share skewed work out evenly; a thread that works alone takes everything at once.
    """
    if not shared:
        lo, state[cursor] = state[cursor], end
        return lo, end
    lo = min(fetch_add(state, cursor, chunk), end)
    return lo, min(lo + chunk, end)


@helper
def claim(flags: Any, i: int, shared: bool) -> bool:
    """Set a byte that was seen as 0 to 1; among several threads only one gets True."""
    if shared:
        return compare_and_swap(flags, i, np.uint8(0), np.uint8(1))
    flags[i] = 1
    return True


@helper
def take(array: Any, i: int, seen: int, new: int, shared: bool) -> bool:
    """Replace what was seen in an array; among several threads only one gets True."""
    if shared:
        return compare_and_swap(array, i, seen, new)
    array[i] = new
    return True


@helper
def enqueue(item: int, queue: Any, size: int, to: Any, state: Any, tail: int, shared: bool) -> int:
    """Put an item into a private queue, which is flushed when full; return how many are in it."""
    if size == queue.size:
        size = flush(queue, size, to, state, tail, shared)
    queue[size] = item
    return size + 1


@helper
def flush(queue: Any, size: int, to: Any, state: Any, tail: int, shared: bool) -> int:
    """Append a private queue to a shared list, whose size is ``state[tail]``; return 0."""
    if shared:
        place = fetch_add(state, tail, size)
    else:
        place = state[tail]
        state[tail] += size
    for i in range(size):
        to[place + i] = queue[i]
    return 0
