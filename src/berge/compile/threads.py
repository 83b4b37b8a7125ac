"""How many threads kernels run on. To know how many there are, numba is woken."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from ..errors import OptionError
from ..tuning import ASLEEP
from .held import held
from .kernel import asleep, wake

__all__ = [
    "most_threads", "set_threads", "side_by_side", "thread_count", "threads_for", "threads_of",
    "threads_set",
]  # fmt: skip


def threads_of(threads: int | None) -> int:
    """Return the number of threads to use: the caller's numba setting, or what was asked for."""
    if threads is None:
        return threads_set()
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise OptionError(f"threads must be a whole number from 1 on, not {threads!r}")
    if threads == 1:
        return 1
    most = most_threads()
    if threads > most:
        warnings.warn(
            f"threads={threads}, but numba was started with {most}: using {most} "
            "(set NUMBA_NUM_THREADS before starting Python for more)",
            RuntimeWarning,
            stacklevel=3,
        )
    return min(threads, most)


def threads_for(size: int, worth: int) -> int:
    """Return one thread for less than is worth waking others for, and all for more.

    While numba sleeps, what is to be done has to be worth waking numba too.
    """
    return threads_of(None) if size >= (max(worth, ASLEEP) if asleep() else worth) else 1


def most_threads() -> int:
    """Return how many threads there can be; to say how many are set, numba would start them."""
    return int(_numba().config.NUMBA_NUM_THREADS)


def side_by_side() -> bool:
    """Whether two Python threads may be in parallel kernels at a time; numba's workqueue aborts.

    Known once a parallel kernel has run.
    """
    try:
        return bool(_numba().threading_layer() != "workqueue")
    except ValueError:
        return bool(_numba().config.DISABLE_JIT)


@contextmanager
def thread_count(threads: int) -> Iterator[None]:
    """Run parallel kernels on so many threads, and give the caller's setting back afterwards."""
    if threads == 1 and asleep():  # there are no others
        yield
        return
    before = threads_set()
    try:
        set_threads(threads)
        yield
    finally:
        try:
            set_threads(before)
        except KeyboardInterrupt:
            set_threads(before)
            raise


def threads_set() -> int:
    """Return how many threads parallel kernels run on.

    numba takes a lock to see whether they have been started. If Ctrl-C came just then, the lock
    would be taken for good. So it is asked once.
    """
    numba = _numba()
    layer = numba.np.ufunc.parallel
    if not layer._is_initialized:
        with held:
            numba.get_num_threads()
    return int(layer._get_num_threads())


def set_threads(threads: int) -> None:
    """Run parallel kernels on so many threads from now on."""
    if threads != threads_set():  # which has them started: no lock is taken from here on
        _numba().np.ufunc.parallel._set_num_threads(threads)


@cache
def _numba() -> Any:
    wake()
    import numba.np.ufunc.parallel

    return numba
