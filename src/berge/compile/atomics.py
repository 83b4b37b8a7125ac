"""Atomic operations on array elements, for kernels that run on CPU threads.

numba offers none on the CPU, so each is one LLVM instruction behind an intrinsic. The Python
functions below are what runs under ``NUMBA_DISABLE_JIT=1`` (one thread, so plain reads and writes
will do); inside compiled code the overloads take their place.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload


def compare_and_swap(array: Any, index: int, expected: Any, new: Any) -> bool:
    """Set ``array[index]`` to `new` if it still is `expected`; tell whether it was."""
    if array[index] != expected:
        return False
    array[index] = new
    return True


def fetch_add(array: Any, index: int, amount: Any) -> Any:
    """Add to ``array[index]`` and return what it was before."""
    before = array[index]
    array[index] = before + amount
    return before


def element_pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Return the address of an element, for intrinsics."""
    view = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(
        context, builder, array_type, view, [index], wraparound=False, boundscheck=False
    )


@intrinsic
def _cas(typingctx: Any, array: Any, index: Any, expected: Any, new: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = element_pointer(context, builder, array, args[0], args[1])
        result = builder.cmpxchg(pointer, args[2], args[3], "acq_rel", "acquire")
        return builder.zext(builder.extract_value(result, 1), ir.IntType(8))

    return types.uint8(array, types.intp, array.dtype, array.dtype), codegen


@intrinsic
def _fetch_add(typingctx: Any, array: Any, index: Any, amount: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = element_pointer(context, builder, array, args[0], args[1])
        return builder.atomic_rmw("add", pointer, args[2], "acq_rel")

    return array.dtype(array, types.intp, array.dtype), codegen


@overload(compare_and_swap, inline="always")
def _compile_compare_and_swap(array: Any, index: Any, expected: Any, new: Any) -> Any:
    def implementation(array: Any, index: Any, expected: Any, new: Any) -> Any:
        return _cas(array, index, expected, new) != 0

    return implementation


@overload(fetch_add, inline="always")
def _compile_fetch_add(array: Any, index: Any, amount: Any) -> Any:
    def implementation(array: Any, index: Any, amount: Any) -> Any:
        return _fetch_add(array, index, amount)

    return implementation
