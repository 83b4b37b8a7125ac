"""How kernels are compiled and run: the compiler wrapper, threads, atomics, a clock, sorting.

Algorithms import from here and never from numba, so what a kernel may use is what this package
offers.
"""

from .atomics import compare_and_swap, fetch_add
from .clock import ticks
from .compile import helper, kernel, prange, thread_count, threads_of

__all__ = [
    "compare_and_swap",
    "fetch_add",
    "helper",
    "kernel",
    "prange",
    "thread_count",
    "threads_of",
    "ticks",
]
