"""What a kernel is made of: its own file, the files of all it calls, and the constants it uses.

numba's cache looks at the file of a kernel alone. A kernel also has the code of helpers of other
files in it, and the values of global names, frozen. `stamp_of` follows the names in its code, so
that a change in any of them makes another stamp.

Files count as a whole: which line of them matters is not asked. Followed are functions of the same
top-level package as the kernel and of berge, through any number of calls.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

__all__ = ["note", "stamp_of"]

_PACKAGE = __name__.partition(".")[0]
# What stands for functions of this folder in compiled code: no kernel names it.
_FORMS = ("berge.compile.forms", str(Path(__file__).with_name("forms.py")))
_noted: dict[str, str | None] = {}  # by path


def note(function: Callable[..., Any]) -> None:
    """Take note of the file of a kernel or a helper as it is now, when it is loaded.

    Whoever changes it while this process runs does not change what runs here.
    """
    path = function.__code__.co_filename
    _noted[path] = _file_hash(path)


def stamp_of(kernel: Callable[..., Any]) -> str:
    """Return a hash of all source that a kernel is made of, the same wherever that is installed."""
    packages = {_PACKAGE, _root(kernel)}
    files = {(_FORMS[0], str(_file_hash(_FORMS[1])))}
    constants: set[tuple[str, str, str]] = set()
    waiting: list[Any] = [kernel]
    met: set[int] = set()
    while waiting:
        value = waiting.pop()
        if id(value) in met or _root(value) not in packages:
            continue
        met.add(id(value))
        if isinstance(value, FunctionType):
            path = value.__code__.co_filename
            content = _noted.get(path) or _file_hash(path)
            files.add((str(value.__module__), content or value.__code__.co_code.hex()))
            for name, used in _names(value):
                made_of = _function_of(used)
                if made_of is not None:
                    waiting.append(made_of)
                elif isinstance(used, (bool, int, float, str, np.generic)):
                    plain = used.item() if isinstance(used, np.generic) else used
                    constants.add((name, type(used).__name__, repr(plain)))
    return hashlib.blake2b(repr((sorted(files), sorted(constants))).encode()).hexdigest()[:32]


def _names(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield what the global names in the code of a function stand for, and its closure."""
    names = _names_in(function.__code__)
    for name in names:
        if name in function.__globals__:
            value = function.__globals__[name]
            yield name, value
            if isinstance(value, ModuleType):  # any of the names may be an attribute of it
                yield from (
                    (inner, getattr(value, inner)) for inner in names if hasattr(value, inner)
                )
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


def _names_in(code: CodeType) -> set[str]:
    """Return the names in the code of a function and of those defined inside it."""
    inner = (_names_in(const) for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*inner)


def _function_of(value: Any) -> FunctionType | None:
    """Return the Python function of a function, of a compiled one or of an intrinsic."""
    for name in ("py_func", "_defn"):
        value = value.__dict__.get(name, value) if hasattr(value, "__dict__") else value
    return value if isinstance(value, FunctionType) else None


def _root(value: Any) -> str:
    """Return the top-level package that something was defined in."""
    return str(getattr(value, "__module__", "")).partition(".")[0]


def _file_hash(path: str) -> str | None:
    try:
        about = os.stat(path)
    except OSError:
        return None
    return _hash(path, about.st_mtime_ns, about.st_size)


@cache
def _hash(path: str, changed: int, size: int) -> str:
    with open(path, "rb") as file:
        return hashlib.blake2b(file.read(), digest_size=16).hexdigest()
