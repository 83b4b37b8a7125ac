"""How kernels are compiled and run: the compiler wrapper, threads, atomics, a clock, sorting.

Algorithms import from here and never from numba, so what a kernel may use is what this package
offers.
"""

from .atomics import compare_and_swap, fetch_add, load_acquire, store_release
from .clock import ticks
from .kernel import asleep, helper, kernel, prange
from .prefetch import prefetch
from .read_only import read_only
from .rows import in_rows
from .share import claim, enqueue, flush, next_chunk, share_out, take
from .threads import most_threads, thread_count, threads_for, threads_of

__all__ = [
    "asleep",
    "claim",
    "compare_and_swap",
    "enqueue",
    "fetch_add",
    "flush",
    "helper",
    "in_rows",
    "kernel",
    "load_acquire",
    "most_threads",
    "next_chunk",
    "prange",
    "prefetch",
    "read_only",
    "share_out",
    "store_release",
    "take",
    "thread_count",
    "threads_for",
    "threads_of",
    "ticks",
]
