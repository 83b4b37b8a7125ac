"""What a measurement was made on: processor, memory, versions."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["machine"]

_PACKAGES = ("berge", "numpy", "scipy", "numba", "llvmlite", "tbb", "igraph", "networkx", "ortools")
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


@cache
def machine() -> dict[str, Any]:
    """Return processor, cores, caches, memory, system and versions; None where they don't tell."""
    return {
        "cpu": _cpu(),
        "cores": _cores(),
        "caches": _caches(),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "versions": {"python": platform.python_version(), **_versions()},
    }


def _cpu() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or None
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or None)


def _cores() -> int | None:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count()


def _caches() -> dict[str, str] | None:
    """Return the sizes of the first core's caches: ``{"L1d": "32K", …}``."""
    found = {}
    try:
        for folder in sorted(_CACHES.glob("index*")):
            level, kind, size = (
                (folder / name).read_text(encoding="utf-8").strip()
                for name in ("level", "type", "size")
            )
            found[f"L{level}" + {"Data": "d", "Instruction": "i"}.get(kind, "")] = size
    except OSError:
        pass
    return found or None


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on Windows
        return None


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
