"""Atomic operations on array elements, for kernels that run on CPU threads.

numba offers none on the CPU, so each is one LLVM instruction behind an intrinsic. The Python
functions below are what runs under ``NUMBA_DISABLE_JIT=1`` (one thread, so plain reads and writes
will do); inside compiled code the overloads take their place, and on CUDA those of `cuda`.

Order. What a thread wrote before a `compare_and_swap`, a `fetch_add` or a `store_release` is there
for whoever has seen what that wrote, by any of these or by `load_acquire`. On CUDA `fetch_add` has
no such order: there it only counts, and hands out places that are read after the launch.

Plain reads and writes beside these are races. LLVM leaves their result undefined; what is relied on
is what processors do. Words are read and written as a whole, and a read gives some value that was
written there, or was there before the kernel, and not one from before the thread's own last write,
nor from before one that it has seen by the operations here. Nothing is assumed of the order in
which plain writes are seen, nor of two plain reads of one place. `tests/schedules` runs every
parallel algorithm on a memory that does no more than that. So a plain read will do where any such
value is right, or is looked at again by an atomic operation. Where a thread waits for a value, or
decides by two of them, `load_acquire` has to read them.
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


def load_acquire(array: Any, index: int) -> Any:
    """Return ``array[index]``; what was written before it was, is there for the reads to come."""
    return array[index]


def store_release(array: Any, index: int, value: Any) -> None:
    """Set ``array[index]``, so that who reads it by `load_acquire` sees what was written before."""
    array[index] = value


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


@intrinsic
def _load_acquire(typingctx: Any, array: Any, index: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = element_pointer(context, builder, array, args[0], args[1])
        return builder.load_atomic(pointer, "acquire", array.dtype.bitwidth // 8)

    return array.dtype(array, types.intp), codegen


@intrinsic
def _store_release(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = element_pointer(context, builder, array, args[0], args[1])
        builder.store_atomic(args[2], pointer, "release", array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, array.dtype), codegen


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


@overload(load_acquire, inline="always")
def _compile_load_acquire(array: Any, index: Any) -> Any:
    def implementation(array: Any, index: Any) -> Any:
        return _load_acquire(array, index)

    return implementation


@overload(store_release, inline="always")
def _compile_store_release(array: Any, index: Any, value: Any) -> Any:
    def implementation(array: Any, index: Any, value: Any) -> Any:
        _store_release(array, index, value)

    return implementation
