"""A read-only view inside kernels, so that they are compiled for one type of arrays.

The arrays of graphs are read-only, which numba makes a type of its own. What a kernel has copied
becomes one of that type here, and goes through the same compiled code as any graph.
"""

from __future__ import annotations

from typing import Any


def read_only(array: Any) -> Any:
    """Return a view that cannot be written to."""
    view = array.view()
    view.setflags(write=False)
    return view
