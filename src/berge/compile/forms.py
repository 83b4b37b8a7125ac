"""What compiled code does in place of the functions in Python that stand for it.

LLVM has instructions that numba does not offer: atomic operations, asking for memory ahead, the
system's clock. Each is an intrinsic here. `@overload` puts it where a kernel calls the function
that it stands for, which says what it does: in `atomics`, `prefetch`, `clock`, `read_only`, `rows`,
`eight` and `halve`. CUDA has forms of its own, in `cuda`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, overload

from .atomics import compare_and_swap, fetch_add, load_acquire, store_release
from .clock import ticks
from .eight import eight_digits
from .halve import halve
from .prefetch import prefetch
from .read_only import read_only
from .rows import in_rows

_CLOCK_MONOTONIC = 6 if sys.platform == "darwin" else 1


def _element_pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Return the address of an element."""
    view = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(
        context, builder, array_type, view, [index], wraparound=False, boundscheck=False
    )


@intrinsic
def _cas(typingctx: Any, array: Any, index: Any, expected: Any, new: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _element_pointer(context, builder, array, args[0], args[1])
        result = builder.cmpxchg(pointer, args[2], args[3], "acq_rel", "acquire")
        return builder.zext(builder.extract_value(result, 1), ir.IntType(8))

    return types.uint8(array, types.intp, array.dtype, array.dtype), codegen


@intrinsic
def _fetch_add(typingctx: Any, array: Any, index: Any, amount: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _element_pointer(context, builder, array, args[0], args[1])
        return builder.atomic_rmw("add", pointer, args[2], "acq_rel")

    return array.dtype(array, types.intp, array.dtype), codegen


@intrinsic
def _load_acquire(typingctx: Any, array: Any, index: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _element_pointer(context, builder, array, args[0], args[1])
        return builder.load_atomic(pointer, "acquire", array.dtype.bitwidth // 8)

    return array.dtype(array, types.intp), codegen


@intrinsic
def _store_release(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _element_pointer(context, builder, array, args[0], args[1])
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


@intrinsic
def _prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _element_pointer(context, builder, array, args[0], args[1])
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


@intrinsic
def _ticks(typingctx: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i64 = ir.IntType(64)
        if sys.platform == "win32":
            return i64(0)
        timespec = ir.LiteralStructType([i64, i64])
        spec = cgutils.alloca_once(builder, timespec)
        signature_ = ir.FunctionType(ir.IntType(32), [ir.IntType(32), timespec.as_pointer()])
        function = cgutils.get_or_insert_function(builder.module, signature_, "clock_gettime")
        builder.call(function, [ir.IntType(32)(_CLOCK_MONOTONIC), spec])
        seconds = builder.load(cgutils.gep_inbounds(builder, spec, 0, 0))
        nanoseconds = builder.load(cgutils.gep_inbounds(builder, spec, 0, 1))
        return builder.add(builder.mul(seconds, i64(1_000_000_000)), nanoseconds)

    return types.int64(), codegen


@overload(ticks, inline="always")
def _compile_ticks() -> Any:
    def implementation() -> Any:
        return _ticks()

    return implementation


@intrinsic
def _typed(typingctx: Any, array: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return impl_ret_borrowed(context, builder, signature.return_type, args[0])

    return array.copy(readonly=True)(array), codegen


@overload(read_only, inline="always")
def _compile_read_only(array: Any) -> Any:
    def implementation(array: Any) -> Any:
        return _typed(array)

    return implementation


@overload(halve, inline="always")
def _compile_halve(number: Any) -> Any:
    def whole(number: Any) -> Any:
        return number >> 1

    def fraction(number: Any) -> Any:
        return number * 0.5

    return whole if isinstance(number, types.Integer) else fraction


@intrinsic
def _load(typingctx: Any, data: Any, at: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.gep(array.data, [args[1]])
        word = builder.bitcast(place, ir.IntType(64).as_pointer())
        return builder.load(word, align=1)

    return types.uint64(data, types.int64), codegen


@intrinsic
def _zeros(typingctx: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.false_bit)

    return types.uint64(types.uint64), codegen


LOWER, TOO_MUCH, UPPER = (np.uint64(k * 0x0101010101010101) for k in (0x30, 0x76, 0x80))
PAIRS, FOURS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
BY_10, BY_100, BY_10000 = (
    np.uint64(k) for k in (1 + (10 << 8), 1 + (100 << 16), 1 + (10000 << 32))
)
ONE, THREE, EIGHT, ALL = (np.uint64(k) for k in (1, 3, 8, 64))
HALF, WHOLE = np.uint64(16), np.uint64(32)


@overload(eight_digits, inline="always")
def _compile_eight_digits(data: Any, at: Any) -> Any:
    def implementation(data: Any, at: Any) -> Any:
        word = _load(data, np.int64(at)) ^ LOWER
        ends = ((word + TOO_MUCH) | word) & UPPER
        bits = _zeros(ends) & ~np.uint64(7)  # of the digits: 64 if none ends them
        # Two shifts, since one by 64 is none.
        rest = (ALL - bits) >> ONE
        word = (word << rest) << (ALL - bits - rest)
        word = (word * BY_10) >> EIGHT
        word = ((word & PAIRS) * BY_100) >> HALF
        word = ((word & FOURS) * BY_10000) >> WHOLE
        return np.int64(word), np.int64(bits >> THREE)

    return implementation


@intrinsic
def _in_rows(typingctx: Any, array: Any, rows: Any) -> Any:
    matrix = array.copy(ndim=2)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        one = context.make_array(array)(context, builder, args[0])
        two = context.make_array(matrix)(context, builder)
        size = one.itemsize
        columns = builder.sdiv(one.nitems, args[1])
        context_of = {name: getattr(one, name) for name in ("data", "meminfo", "parent")}
        for name, value in context_of.items():
            setattr(two, name, value)
        two.nitems, two.itemsize = builder.mul(args[1], columns), size
        two.shape = cgutils.pack_array(builder, [args[1], columns])
        two.strides = cgutils.pack_array(builder, [builder.mul(columns, size), size])
        return impl_ret_borrowed(context, builder, matrix, two._getvalue())

    return matrix(array, types.intp), codegen


@overload(in_rows, inline="always")
def _compile_in_rows(array: Any, rows: Any) -> Any:
    def implementation(array: Any, rows: Any) -> Any:
        return _in_rows(array, rows)

    return implementation
