"""How kernels are compiled and run: the compiler wrapper, threads, atomics, a clock, sorting.

Algorithms import from here and never from numba, so what a kernel may use is what this package
offers.
"""

from . import start  # isort: split  # noqa: F401
from .atomics import compare_and_swap, fetch_add, load_acquire, store_release
from .clock import ticks
from .kernel import helper, kernel, most_threads, prange, thread_count, threads_of
from .prefetch import prefetch
from .read_only import read_only
from .share import claim, enqueue, flush, next_chunk, share_out, take

__all__ = [
    "claim",
    "compare_and_swap",
    "enqueue",
    "fetch_add",
    "flush",
    "helper",
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
    "threads_of",
    "ticks",
]
