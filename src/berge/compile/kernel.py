"""What kernels are marked by. The compiler is not imported before it is needed.

``@kernel`` marks a function that drivers call: compiled on first use, cached on disk, releasing the
GIL. ``@helper`` marks what kernels call: always inlined, since a call that is not passes every
array as seven words. With ``NUMBA_DISABLE_JIT=1`` both leave the Python function as it is.

To import numba takes longer than a first answer. So where kernels of such answers came compiled
(`first`), numba sleeps: a marked function is a `Sleeping` one, which calls what came compiled. The
first call of anything else wakes numba, and from then on all are numba's own, in every module.
"""

from __future__ import annotations

import gc
import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, update_wrapper
from typing import Any, TypeVar, overload

from . import first
from .held import held
from .sources import note

__all__ = ["Sleeping", "asleep", "helper", "kernel", "prange", "wake", "write_loop"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_lock = threading.RLock()
_sleepers: list[Sleeping] = []
_compiler: Any = None


class _PlainRange:
    """A loop over numbers that threads share out, until numba's own takes its place."""

    def __call__(self, *bounds: int) -> range:
        return range(*bounds)


prange = _PlainRange()


class Sleeping:
    """A marked function for as long as numba sleeps; later it hands over to numba's."""

    def __init__(self, function: Callable[..., Any], marked: str):
        update_wrapper(self, function)
        self.py_func = function
        self.marked = marked
        self.known: dict[str, Any] = {}  # for `first`
        self._awake: Any = None
        _sleepers.append(self)

    def __call__(self, *args: Any) -> Any:
        """Call what came compiled, or wake numba."""
        if asleep():
            answer = first.call(self, args)
            if answer is not NotImplemented:
                return answer
        return self.awake(*args)

    @property
    def awake(self) -> Any:
        """What numba makes of it."""
        wake()
        with _lock:
            if self._awake is None:
                names = self.py_func.__globals__
                if type(names.get("prange")) is _PlainRange:
                    names["prange"] = _compiler.prange
                self._awake = _made(self.py_func, self.marked)
        return self._awake

    @property
    def _numba_type_(self) -> Any:
        return self.awake._numba_type_

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.awake, name)


def _made(function: Callable[..., Any], marked: str) -> Any:
    if marked == "helper":
        return _compiler.compiled_helper(function)
    on_threads = marked == "parallel" and first.recording is None
    return _compiler.compiled_kernel(function, on_threads)


def asleep() -> bool:
    """Whether numba sleeps, and shall go on to do so; not if others have imported it meanwhile."""
    if first.recording is not None:
        return True
    return _compiler is None and "numba" not in sys.modules


def wake() -> None:
    """Import numba, and put what it makes of marked functions in their place, in every module."""
    global _compiler
    if _compiler is not None:
        return
    with _lock, held:
        if _compiler is not None:
            return
        with _no_looks_for_garbage():
            from . import compiler
        _compiler = compiler
        if first.recording is None:
            _replace_all()


@contextmanager
def _no_looks_for_garbage() -> Iterator[None]:
    """Import numba with this: it makes hundreds of thousands of objects, and none is garbage.

    Not to look for garbage meanwhile, and not to go through all of them soon after, saves a fifth
    of the first answer that takes numba.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
            if gc.get_freeze_count() == 0:  # else somebody wants it otherwise
                gc.freeze()  # and back: so they count as old, and are not gone through at once
                gc.unfreeze()


def _replace_all() -> None:
    ours = [module for name, module in list(sys.modules.items()) if name.startswith("berge.")]
    places = {id(vars(module)): vars(module) for module in ours if module is not None}
    places |= {id(s.py_func.__globals__): s.py_func.__globals__ for s in _sleepers}
    for names in places.values():
        for name, value in list(names.items()):
            if type(value) is Sleeping:
                names[name] = value.awake
            elif type(value) is _PlainRange:
                names[name] = _compiler.prange
    _sleepers.clear()


@overload
def kernel(function: _Function) -> _Function: ...
@overload
def kernel(*, parallel: bool = False) -> Callable[[_Function], _Function]: ...
def kernel(function: Any = None, *, parallel: bool = False) -> Any:
    """Compile a function that drivers call, with ``prange`` loops on threads if `parallel`."""
    if function is None:
        return partial(kernel, parallel=parallel)
    return _marked(function, "parallel" if parallel else "kernel")


def helper(function: _Function) -> _Function:
    """Compile a function that kernels call, always inlined.

    It may allocate nothing. Without numba's reference counts a call costs nothing; with them each
    call counts every array up and down, by atomic operations that are not always optimised away
    (some 10 ns a call).
    """
    return _marked(function, "helper")  # type: ignore[no-any-return]


def _marked(function: Callable[..., Any], marked: str) -> Any:
    note(function)
    with _lock:
        sleeps = _compiler is None or first.recording is not None
        return Sleeping(function, marked) if sleeps else _made(function, marked)


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


if not first.fits():
    wake()
