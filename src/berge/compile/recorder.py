"""Which functions of berge the compiler had to compile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import event

__all__ = ["count_compiled"]


def count_compiled(use_kernels: Callable[[], object]) -> int:
    """Call a function; return how many of ours were compiled meanwhile, not found in the cache."""
    # numba records a compilation only where its cache had nothing.
    with event.install_recorder("numba:compile") as recorder:
        use_kernels()
    names = {_name(entry) for _, entry in recorder.buffer if entry.is_start}
    return sum(name.startswith("berge.") for name in names)


def _name(entry: Any) -> str:
    function = entry.data["dispatcher"].py_func
    return f"{function.__module__}.{function.__qualname__}"
