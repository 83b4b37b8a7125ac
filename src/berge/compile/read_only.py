"""A read-only view inside kernels, so that they are compiled for one type of arrays.

The arrays of graphs are read-only, which numba makes a type of its own. What a kernel has copied
becomes one of that type here, and goes through the same compiled code as any graph.
"""

from __future__ import annotations

from typing import Any

from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, overload


def read_only(array: Any) -> Any:
    """Return a view that cannot be written to."""
    view = array.view()
    view.setflags(write=False)
    return view


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
