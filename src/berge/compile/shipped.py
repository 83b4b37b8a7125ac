"""Kernels that come compiled with berge, or that `berge warmup --save` has put there.

One folder beside this file holds them: an index in JSON, and one file with all code. They are
taken if this is the same Python, the same numba with the same settings, the same system, and a CPU
with all features that they were compiled for. Each goes by a hash of the kernel's source, of its
signature and of its bytecode. Otherwise nothing is taken, and nothing is said.

The code is read as pickles, which can do anything. So they are read from berge's own folder only:
who can write there could change berge itself. Nothing that a user sets leads to another one.

They are compiled for x86-64-v3, which every x86 server and desktop since some 2015 has.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import pickle
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import numba
from numba.core import config
from numba.core.serialize import dumps

from .stored import restore, store

__all__ = ["CPU", "FOLDER", "collect", "collecting", "load", "save"]

FOLDER = Path(__file__).with_name("shipped")
CPU = "x86-64-v3"
_NEEDS = (
    "cx16 sahf popcnt sse3 sse4.1 sse4.2 ssse3 avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave"
).split()
# numba's settings that change code.
_SETTINGS = (
    "OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE",
    "LLVM_REFPRUNE_PASS", "LLVM_REFPRUNE_FLAGS", "NRT_STATS", "DEBUG_NRT",
)  # fmt: skip
_INDEX, _CODE = "index.json", "code.bin"

_log = logging.getLogger("berge")
_collected: dict[str, bytes] | None = None


def load(kernel: Callable[..., Any], stamp: str, sig: Any, target: Any) -> Any:
    """Return what came compiled for a signature of a kernel, or None."""
    entries = _entries(target.codegen().magic_tuple())
    if not entries:
        return None
    place = entries.get(_key(kernel, stamp, sig))
    if place is None:
        return None
    start, size, check = place
    with open(FOLDER / _CODE, "rb") as file:
        file.seek(start)
        code = file.read(size)
    if zlib.crc32(code) != check:
        _log.info("compiling %s, since %s is damaged", kernel.__qualname__, FOLDER / _CODE)
        return None
    return restore(target, pickle.loads(code))


@cache
def _entries(codegen: tuple[str, str, str]) -> dict[str, tuple[int, int, int]]:
    """Return where the code of each key is, and its checksum; nothing if it is not for here."""
    try:
        index = json.loads((FOLDER / _INDEX).read_bytes())
        made_for, entries = index["for"], index["entries"]
        if made_for == _here(codegen[0]) and set(_NEEDS) <= _features(codegen[2]):
            return {str(key): (int(a), int(b), int(c)) for key, (a, b, c) in entries.items()}
        _log.info("kernels that came compiled are for %s", made_for)
    except FileNotFoundError:
        pass
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        _log.info("kernels that came compiled cannot be read: %r", error)
    return {}


def _here(triple: str) -> dict[str, Any]:
    """Return all that must be the same where code is made and where it is taken, but the CPU."""
    settings = {name: str(getattr(config, name, None) or 0) for name in _SETTINGS}
    return {
        "python": EXTENSION_SUFFIXES[0],
        "numba": numba.__version__,
        "system": triple,
        "settings": settings,
    }


def _features(features: str) -> set[str]:
    return {name[1:] for name in features.split(",") if name.startswith("+")}


def _key(kernel: Callable[..., Any], stamp: str, sig: Any) -> str:
    """Return what code goes by: names, source, bytecode and signature."""
    known = (kernel.__module__, kernel.__qualname__, stamp, kernel.__code__.co_code, str(sig))
    return hashlib.blake2b(repr(known).encode(), digest_size=16).hexdigest()


def collect(kernel: Callable[..., Any], stamp: str, sig: Any, compiled: Any) -> None:
    """Note what was compiled, if somebody collects it; not what has addresses of this process."""
    if _collected is not None and not (compiled.lifted or compiled.library.has_dynamic_globals):
        _collected[_key(kernel, stamp, sig)] = dumps(store(compiled))


@contextmanager
def collecting() -> Iterator[dict[str, bytes]]:
    """Collect all that is compiled meanwhile."""
    global _collected
    _collected = {}
    try:
        yield _collected
    finally:
        _collected = None


def save(collected: dict[str, bytes], folder: Path) -> int:
    """Write what was collected to a folder; return its bytes."""
    from numba.core.registry import cpu_target

    triple, cpu, _ = cpu_target.target_context.codegen().magic_tuple()
    entries, start = {}, 0
    folder.mkdir(parents=True, exist_ok=True)
    # An index never leads to other code: each part has its checksum, and the index comes last.
    with open(folder / f"{_CODE}.new", "wb") as file:
        for key, code in sorted(collected.items()):
            entries[key] = (start, len(code), zlib.crc32(code))
            start += file.write(code)
    index = {"for": _here(triple), "cpu": cpu, "entries": entries}
    (folder / f"{_INDEX}.new").write_text(json.dumps(index, indent=1))
    for name in (_CODE, _INDEX):
        os.replace(folder / f"{name}.new", folder / name)
    return start
