"""A compiled kernel as what can be stored, and back again without waking the compiler.

Before numba links stored code, it reads all that it could compile, which takes longer than the
rest. Code does not need that, but for some functions outside of it that are known only then. So the
names of those go with the code. Only if one of them is not known is the compiler woken. If that
does not help, the code cannot be used: a call of a function that is not there ends the process.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core.caching import CompileResultCacheImpl
from numba.core.compiler import CompileResult
from numba.core.runtime import _nrt_python

__all__ = ["StoredForm", "restore", "store"]

_STARTERS = 7  # where among numba's parts the functions are that must be called first


def store(compiled: Any) -> tuple[list[str], Any]:
    """Return what can be pickled of a compiled kernel."""
    module = compiled.library._final_module
    outside = [item.name for item in module.functions if item.is_declaration]
    outside += [item.name for item in module.global_variables if item.is_declaration]
    known = ("llvm.", "_ZN08NumbaEnv")  # of the compiler itself; numba sets the latter at once
    return [name for name in outside if not name.startswith(known)], compiled._reduce()


def restore(target: Any, stored: tuple[list[str], Any]) -> Any:
    """Return the compiled kernel, linked to this process; raise ImportError if it cannot be."""
    outside, parts = stored
    for start in parts[_STARTERS]:  # of threads
        start()
    for name, address in _nrt_python.c_helpers.items():  # numba's own functions for memory
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    missing = _missing(outside)
    if missing:
        target.refresh()
        missing = _missing(outside)
    if missing:
        raise ImportError(f"nobody here has {', '.join(missing)}")
    return CompileResult._rebuild(target, *parts)


def _missing(names: list[str]) -> list[str]:
    return [name for name in names if binding.address_of_symbol(name) is None]


class StoredForm(CompileResultCacheImpl):
    """What numba's cache is to put on the disk."""

    def reduce(self, cres: Any) -> Any:
        """Return what can be pickled of a compiled kernel."""
        return store(cres)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return the compiled kernel, linked to this process."""
        return restore(target_context, payload)
