"""A clock that compiled code can read, so that steps inside one kernel can be timed.

``ticks()`` counts nanoseconds of the system's monotonic clock; a read takes some 25 ns. On Windows
there is no ``clock_gettime``: there it returns 0 in compiled code, and times inside a kernel read
as zero.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

_CLOCK_MONOTONIC = 6 if sys.platform == "darwin" else 1


def ticks() -> int:
    """Nanoseconds since some fixed moment."""
    return time.monotonic_ns()


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
