"""Asking the memory for an array element some steps before it is needed.

Searches wait for memory more than they compute; where the next vertices are known, as in a queue,
asking early hides much of the wait. It never changes a result. Without the compiler nothing
happens.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from .atomics import element_pointer

__all__ = ["prefetch"]


def prefetch(array: Any, index: int) -> None:
    """Ask for ``array[index]``, which must exist, and do not wait."""


@intrinsic
def _prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = element_pointer(context, builder, array, args[0], args[1])
        byte_pointer, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte_pointer, i32, i32, i32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        read, keep, data = i32(0), i32(3), i32(1)
        builder.call(function, [builder.bitcast(pointer, byte_pointer), read, keep, data])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


@overload(prefetch, inline="always")
def _compile_prefetch(array: Any, index: int) -> Any:
    def implementation(array: Any, index: int) -> Any:
        _prefetch(array, index)

    return implementation
