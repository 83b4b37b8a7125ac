"""The compiler and the threads: the only module that decides how numba is used.

``@kernel`` marks a function that drivers call: compiled on first use, cached on disk, releasing the
GIL. ``@helper`` marks what kernels call: always inlined, since a call that is not passes every
array as seven words. With ``NUMBA_DISABLE_JIT=1`` both leave the Python function as it is.
"""

from __future__ import annotations

import ctypes
import inspect
import logging
import site
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
from numba import prange
from numba.core import event
from numba.np.ufunc import parallel as _threads

from ..errors import OptionError
from .cache import KernelCache
from .held import held
from .sources import note

__all__ = [
    "helper",
    "kernel",
    "most_threads",
    "prange",
    "side_by_side",
    "thread_count",
    "threads_of",
    "write_loop",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_log = logging.getLogger("berge")


@overload
def kernel(function: _Function) -> _Function: ...
@overload
def kernel(*, parallel: bool = False) -> Callable[[_Function], _Function]: ...
def kernel(function: Any = None, *, parallel: bool = False) -> Any:
    """Compile a function that drivers call, with ``prange`` loops on threads if `parallel`."""
    if function is None:
        return partial(kernel, parallel=parallel)
    compiled = numba.njit(nogil=True, parallel=parallel)(function)
    if compiled is not function:
        compiled._cache = KernelCache(function)
    return compiled


def helper(function: _Function) -> _Function:
    """Compile a function that kernels call, always inlined.

    It may allocate nothing. Without numba's reference counts a call costs nothing; with them each
    call counts every array up and down, by atomic operations that are not always optimised away
    (some 10 ns a call).
    """
    note(function)
    compiled: Any = numba.njit(nogil=True, forceinline=True, _nrt=False)(function)
    return compiled  # type: ignore[no-any-return]


def write_loop(template: str, body: Callable[..., Any], own: int = 1, /, **names: Any) -> Any:
    """Write a loop over items around a body, with as many arguments as the body takes.

    The first `own` arguments of the body are the loop's own.

    Written out, since numba can neither cache nor compile for CUDA what ``*args`` hides. The loop
    stands under the body's file and line: that is how numba's cache tells it from others, and
    whether it is out of date.
    """
    count = len(inspect.signature(body).parameters) - own
    name = f"{body.__name__}_of_items"
    source = template.format(name=name, args=", ".join(f"a{k}" for k in range(count)))
    scope = {"__name__": body.__module__, **names}
    exec(compile(source, body.__code__.co_filename, "exec"), scope)
    loop: Any = scope[name]
    loop.__code__ = loop.__code__.replace(co_firstlineno=body.__code__.co_firstlineno)
    return loop


def threads_of(threads: int | None) -> int:
    """Return the number of threads to use: the caller's numba setting, or what was asked for."""
    if threads is None:
        return threads_set()
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise OptionError(f"threads must be a whole number from 1 on, not {threads!r}")
    most = most_threads()
    if threads > most:
        warnings.warn(
            f"threads={threads}, but numba was started with {most}: using {most} "
            "(set NUMBA_NUM_THREADS before starting Python for more)",
            RuntimeWarning,
            stacklevel=3,
        )
    return min(threads, most)


def most_threads() -> int:
    """Return how many threads there can be; to say how many are set, numba would start them."""
    return int(numba.config.NUMBA_NUM_THREADS)


def side_by_side() -> bool:
    """Whether two Python threads may be in parallel kernels at a time; numba's workqueue aborts.

    Known once a parallel kernel has run.
    """
    try:
        return bool(numba.threading_layer() != "workqueue")
    except ValueError:
        return bool(numba.config.DISABLE_JIT)


@contextmanager
def thread_count(threads: int) -> Iterator[None]:
    """Run parallel kernels on so many threads, and give the caller's setting back afterwards."""
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
    if not _threads._is_initialized:
        with held:
            numba.get_num_threads()
    return int(_threads._get_num_threads())


def set_threads(threads: int) -> None:
    """Run parallel kernels on so many threads from now on."""
    if threads != threads_set():  # which has them started: no lock is taken from here on
        _threads._set_num_threads(threads)


class _CompileNotice(event.Listener):
    """Says on a terminal that kernels are being compiled, so that a first call is no mystery."""

    def __init__(self) -> None:
        self.depth = 0
        self.announced = False

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        self.depth += 1
        if not _is_ours(function):
            return
        held.__enter__()
        if self.depth > 1:
            return
        name = f"{function.__module__.removeprefix('berge.')}.{function.__name__}"
        _log.info("compiling %s", name)
        if not self.announced and sys.stderr.isatty():
            print(
                "berge: compiling kernels for this machine (some seconds, once; "
                "later runs load them from numba's cache)",
                file=sys.stderr,
            )
        self.announced = True

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if _is_ours(event.data["dispatcher"].py_func):
            held.__exit__()


def _is_ours(function: Any) -> bool:
    return str(function.__module__).startswith("berge.")  # functions of others may have none


def _find_tbb() -> None:
    """Load the tbb that pip installed, so that numba finds it by name.

    numba prefers tbb but looks for it only where the system's loader does, which in a virtual
    environment is not where pip puts it.
    """
    for prefix in (sys.prefix, site.getuserbase()):
        library = Path(prefix, "lib", "libtbb.so.12")
        if library.exists():
            ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
            return


if sys.platform == "linux":
    _find_tbb()
event.register("numba:compile", _CompileNotice())
