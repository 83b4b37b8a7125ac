"""A vector as a matrix, inside kernels.

numba's own way calls a function of numba's, which kernels that run without numba do not have.
"""

from __future__ import annotations

from typing import Any


def in_rows(array: Any, rows: int) -> Any:
    """Return a view of a vector, one row of a matrix after another; `rows` is at least 1."""
    return array.reshape((rows, array.size // rows))
