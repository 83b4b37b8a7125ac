"""The array form of Matrix Market: all values of a matrix, column after column.

Of a symmetric matrix there is the lower triangle only, of a skew-symmetric one without the
diagonal. Values that are not zero are edges. A value is a number, or two of them if it is complex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graphs.graph import IndexArray
from ..graphs.memory import solve_bytes
from .lines import Lines
from .text import check_claim, mirrored, numbers


def read_array(
    lines: Lines, head: Any, *, weighted: bool = False
) -> tuple[IndexArray, IndexArray, Any]:
    """Return rows and columns of the values that are not zero; `lines` is past the head.

    If they are to be weights, their absolute values follow, and they are not mirrored. Else None.

    Work O(values); memory 1 byte a number while reading, 8 if they are weights.
    """
    n_rows, n_cols = head.shape
    skip = 1 if head.symmetry == "skew-symmetric" else 0
    triangle = n_rows * (n_rows + 1 - 2 * skip) // 2
    size = triangle if head.mirror else n_rows * n_cols
    width = 2 if head.field == "complex" else 1
    check_claim(lines, size * width, "numbers", 2)
    kind = np.dtype(np.float64 if weighted else np.bool_)
    needed = solve_bytes(head.shape, 0) + size * width * kind.itemsize
    lines.limits.check(head.shape, 0, lines.path, lines.line, needed=needed)
    chunks = numbers(lines, head.first, size * width, finite=weighted)
    parts = [np.zeros(0, kind), *(values.astype(kind, copy=False) for values in chunks)]
    values = np.concatenate(parts).reshape(-1, width)
    places = np.flatnonzero(values.any(axis=1))
    lines.limits.check(head.shape, places.size, lines.path, lines.line)
    weights = None
    if weighted:
        found = values[places].T
        weights = np.hypot(*found) if width == 2 else np.abs(found[0])
    if not head.mirror:
        cols, rows = np.divmod(places, max(n_rows, 1))
        return rows, cols, weights
    # Column j begins at row j + skip; starts[j] is the place of its first value.
    starts = np.concatenate([[0], np.cumsum(np.arange(n_rows - skip, 0, -1))])
    cols = np.searchsorted(starts, places, side="right") - 1
    rows = places - starts[cols] + cols + skip
    return (rows, cols, weights) if weighted else (*mirrored(rows, cols), None)
