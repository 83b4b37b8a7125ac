"""Kernels of first answers, called without numba.

`berge warmup --save`, and so the wheel for a platform, makes a shared library of the kernels that
a first answer takes, beside those of `shipped`. They know nothing of Python: arrays are passed as
addresses and sizes, as numba's own compiled code passes them. So what is read here is an index in
JSON and a library of the system's own kind, of berge's own folder only.

A kernel goes by a hash of its source and bytecode, as in `shipped`, and by the kinds of its
arguments. Whatever is not there, or is for another system, processor or source, is numba's.

They are for one thread, and a call here takes some 10 µs more. So when calls have taken as long as
numba takes to wake, it is woken.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import logging
import os
import platform
import sys
import time
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .sources import stamp_of

__all__ = [
    "FOLDER", "INDEX", "LIBRARY", "NEEDS", "RESULTS", "call", "fits", "key_of", "recording",
    "words_of",
]  # fmt: skip

FOLDER = Path(__file__).with_name("shipped")
INDEX, LIBRARY = "first.json", "first.so"
WAKING = 0.2  # seconds; guess
# What x86-64-v3 has, as Linux calls it.
NEEDS = frozenset(
    "abm avx avx2 bmi1 bmi2 cx16 f16c fma lahf_lm movbe popcnt sse4_1 sse4_2 ssse3 xsave".split()
)
# What a user may set for numba that does not change code.
_NO_MATTER = {"NUMBA_NUM_THREADS", "NUMBA_CACHE_DIR", "NUMBA_THREADING_LAYER"}
# What kernels may return: nothing, a number, or some numbers of one kind.
RESULTS = ("none", "bool", "int64", "uint64")
MOST_RESULTS = 4
_ADDRESS, _WORD = ctypes.c_void_p, ctypes.c_int64

# What is called while first answers are recorded, for `first_library`; None but there.
recording: dict[Any, Any] | None = {} if "berge-record" in sys._xoptions else None
_spent = 0.0
_log = logging.getLogger("berge")


def fits() -> bool:
    """Whether numba may sleep: there is a library for this system, and nothing else is wanted."""
    return bool(recording is not None or ("numba" not in sys.modules and _library() is not None))


@cache
def _library() -> tuple[ctypes.CDLL, dict[str, tuple[str, str, int]]] | None:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return None
    if any(name.startswith("NUMBA_") and name not in _NO_MATTER for name in os.environ):
        return None
    if os.path.exists(".numba_config.yaml"):
        return None
    try:
        index = json.loads((FOLDER / INDEX).read_bytes())
        content = (FOLDER / LIBRARY).read_bytes()
        if index["check"] != zlib.crc32(content) or not NEEDS <= _features():
            return None
        kernels = {str(key): _entry(*entry) for key, entry in index["kernels"].items()}
        return ctypes.CDLL(str(FOLDER / LIBRARY)), kernels
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        _log.info("kernels of first answers cannot be read: %r", error)
        return None


def _entry(name: str, result: str, size: int) -> tuple[str, str, int]:
    if result not in RESULTS or not 0 <= int(size) <= MOST_RESULTS:
        raise ValueError(f"no kernel returns {size} of {result}")
    return str(name), result, int(size)


def _features() -> set[str]:
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("flags"):
                return set(line.split())
    return set()


def key_of(function: Callable[..., Any], kinds: str) -> str:
    """Return what a kernel goes by, called with arguments of these kinds."""
    known = (function.__module__, function.__qualname__, stamp_of(function))
    return hashlib.blake2b(
        repr((*known, function.__code__.co_code, kinds)).encode(), digest_size=16
    ).hexdigest()


def words_of(args: tuple[Any, ...], words: list[Any], types: list[Any]) -> str:
    """Return the kinds of arguments; what is passed for them, and as what, is put into the lists.

    Raises TypeError if a kernel that came compiled takes no such argument.
    """
    kinds = []
    for value in args:
        kind = type(value)
        if kind is np.ndarray:
            flags = value.flags
            if not (flags.c_contiguous and flags.aligned and value.dtype.isnative):
                raise TypeError
            code = f"{value.dtype.kind}{value.itemsize}"
            if code[0] not in "iufb":
                raise TypeError
            kinds.append(f"{code}.{value.ndim}{'w' if flags.writeable else 'r'}")
            words += 0, 0, value.size, value.itemsize, value.__array_interface__["data"][0]
            words += value.shape
            words += value.strides
            types += _ADDRESS, _ADDRESS, _WORD, _WORD, _ADDRESS
            types += (_WORD,) * (2 * value.ndim)
        elif kind is bool or kind is np.bool_:
            kinds.append("?")
            words.append(bool(value))
            types.append(ctypes.c_bool)
        elif (kind is int and -(2**63) <= value < 2**63) or kind is np.int64:
            kinds.append("q")
            words.append(int(value))
            types.append(_WORD)
        elif kind is np.uint64:
            kinds.append("Q")
            words.append(int(value))
            types.append(ctypes.c_uint64)
        elif kind is float or kind is np.float64:
            kinds.append("d")
            words.append(float(value))
            types.append(ctypes.c_double)
        elif value is None:
            kinds.append("n")
            words.append(0)
            types.append(_ADDRESS)
        elif isinstance(value, tuple):
            name = "" if kind is tuple else f"{kind.__module__}.{kind.__qualname__}"
            kinds.append(f"{name}({words_of(value, words, types)})")
        else:
            raise TypeError
    return " ".join(kinds)


def call(kernel: Any, args: tuple[Any, ...]) -> Any:
    """Call what came compiled of a kernel; NotImplemented if nothing did."""
    global _spent
    if recording is not None:
        return _record(kernel, args)
    started, found = time.perf_counter(), _library()
    if found is None or _spent > WAKING:
        return NotImplemented
    words: list[Any] = []
    types: list[Any] = []
    try:
        kinds = words_of(args, words, types)
    except TypeError:
        return NotImplemented
    if kinds not in kernel.known:
        library, kernels = found
        name, result, size = kernels.get(key_of(kernel.py_func, kinds), ("", "none", 0))
        function = getattr(library, name) if name else None
        if function is not None:
            function.argtypes = [_ADDRESS, _ADDRESS, *types]
        kernel.known[kinds] = function, result, size
    function, result, size = kernel.known[kinds]
    if function is None:
        return NotImplemented
    answer = np.zeros(MOST_RESULTS + 1, np.int64)  # the last is where numba notes what was raised
    place = answer.ctypes.data
    status = function(place, place + 8 * MOST_RESULTS, *words)
    if status not in (0, -2):  # all is well, or there is nothing to return
        raise SystemError(f"{kernel.__name__} ended with status {status}")
    _spent += time.perf_counter() - started
    if result == "none":
        return None
    numbers = answer.view(result)[: size or 1].tolist()
    return tuple(numbers) if size else numbers[0]


def _record(kernel: Any, args: tuple[Any, ...]) -> Any:
    from numba import typeof

    assert recording is not None
    compiled = kernel.awake
    answer = compiled(*args)
    try:
        kinds = words_of(args, [], [])
    except TypeError:
        return answer
    recording[kernel.py_func, kinds] = compiled.overloads[tuple(map(typeof, args))]
    return answer
