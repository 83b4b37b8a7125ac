"""The compiler and the threads: the only module that decides how numba is used.

``@kernel`` marks a function that drivers call: compiled on first use, cached on disk, releasing the
GIL. ``@helper`` marks what kernels call: always inlined, since a call that is not passes every
array as seven words. With ``NUMBA_DISABLE_JIT=1`` both leave the Python function as it is.

`KernelCache` keeps compiled kernels. A file of it that is damaged, a folder that cannot be written
to or a full disk cost the time to compile, and nothing else.
"""

from __future__ import annotations

import ctypes
import hashlib
import inspect
import io
import logging
import os
import signal
import site
import sys
import threading
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from glob import escape
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
from numba import prange
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.np.ufunc import parallel as _threads

from ..errors import OptionError

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
        try:
            compiled._cache = KernelCache(function)
        except RuntimeError as error:  # no folder can be written to
            _log.info("kernels are not kept: %s", error)
    return compiled


def helper(function: _Function) -> _Function:
    """Compile a function that kernels call, always inlined.

    It may allocate nothing. Without numba's reference counts a call costs nothing; with them each
    call counts every array up and down, by atomic operations that are not always optimised away
    (some 10 ns a call).
    """
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
        set_threads(before)


def threads_set() -> int:
    """Return how many threads parallel kernels run on.

    numba takes a lock to see whether they have been started. If Ctrl-C came just then, the lock
    would be taken for good. So it is asked once.
    """
    if not _threads._is_initialized:
        with _held:
            numba.get_num_threads()
    return int(_threads._get_num_threads())


def set_threads(threads: int) -> None:
    """Run parallel kernels on so many threads from now on."""
    if threads != threads_set():
        with _held:
            numba.set_num_threads(threads)


class KernelCache(FunctionCache):
    """numba's cache of a kernel, which stands in nobody's way.

    What cannot be loaded is compiled, and what cannot be saved is compiled again the next time.
    """

    def __init__(self, function: Callable[..., Any]):
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CacheFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature, None if it was not, or is damaged."""
        try:
            with _held:
                return super().load_overload(sig, target_context)
        except Exception as error:  # unpickling raises anything
            _log.info("compiling anew, since the cache has a damaged file: %r", error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if the disk is not full."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _log.info("a kernel is not kept: %s", error)


class _CacheFiles(IndexDataCacheFile):
    """numba's files of a kernel: an index, and one with code for each signature.

    At the end of each is a checksum. Code is in its file before the index names that file, and each
    signature and state of the source has a file name of its own. So whoever is killed or works at
    the same time, the index never leads to other code.
    """

    def save(self, key: Any, data: Any) -> None:
        """Keep the code of a signature."""
        overloads = self._load_index()
        if not overloads:
            codes = escape(self._index_name.removesuffix("nbi")) + "*.nbc"
            for old in Path(self._cache_path).glob(codes):
                old.unlink(missing_ok=True)  # of another state of the source
        known_by = hashlib.blake2b(repr((key, self._source_stamp)).encode(), digest_size=8)
        overloads[key] = self._data_name(int.from_bytes(known_by.digest()))
        self._save_data(overloads[key], data)
        self._save_index(overloads)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        with super()._open_for_write(filepath) as file:
            file.write(content.getvalue() + _checksum(content.getvalue()))

    def _load_index(self) -> dict[Any, str]:
        return super()._load_index() if _is_sound(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        if not _is_sound(path := self._data_path(name)):
            raise FileNotFoundError(path)
        return super()._load_data(name)


def _is_sound(path: str) -> bool:
    """Tell whether a file of the cache is there and as it was written; remove it if it is not."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return False
    if _checksum(content[:-4]) == content[-4:]:
        return True
    _log.info("compiling anew, since a file of the cache is damaged: %s", path)
    with suppress(OSError):
        os.unlink(path)
    return False


def _checksum(content: bytes) -> bytes:
    return zlib.crc32(content, 1).to_bytes(4, "little")  # from 1: that of nothing is not 0


class _Held:
    """Lets Ctrl-C wait while numba is at work, whose tables would else stay half filled for good.

    That is a second or two for each kernel. What the handler does, it does afterwards.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.before: Any = None
        self.came = False

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # signals are the main thread's
        if self.depth == 0:
            self.came = False
            self.before = signal.getsignal(signal.SIGINT)
            if callable(self.before):  # else nobody in Python minds
                signal.signal(signal.SIGINT, self._note)
        self.depth += 1  # last: until then Ctrl-C may end this

    def _note(self, number: int, frame: object) -> None:
        self.came = True

    def __exit__(self, *_: object) -> None:
        if threading.current_thread() is not threading.main_thread() or not self.depth:
            return
        self.depth -= 1
        if self.depth == 0 and callable(self.before):
            signal.signal(signal.SIGINT, self.before)
            if self.came:
                signal.raise_signal(signal.SIGINT)


_held = _Held()


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
        _held.__enter__()
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
            _held.__exit__()


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
