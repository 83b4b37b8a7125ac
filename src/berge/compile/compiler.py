"""The compiler: the only module that decides how numba is used. `kernel.wake` imports it."""

from __future__ import annotations

import ctypes
import logging
import site
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import prange
from numba.core import event

from . import forms  # noqa: F401
from .cache import KernelCache
from .held import held

__all__ = ["compiled_helper", "compiled_kernel", "prange"]

_log = logging.getLogger("berge")


def compiled_kernel(function: Callable[..., Any], parallel: bool) -> Any:
    """Return what compiles a kernel when it is called, or finds it compiled."""
    compiled = numba.njit(nogil=True, parallel=parallel)(function)
    if compiled is not function:
        compiled._cache = KernelCache(function)
    return compiled


def compiled_helper(function: Callable[..., Any]) -> Any:
    """Return what is compiled as part of the kernels that call it."""
    return numba.njit(nogil=True, forceinline=True, _nrt=False)(function)


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
