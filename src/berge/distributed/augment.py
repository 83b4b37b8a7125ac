"""Augmenting paths that cross parts: all walk at once, from their free column back to their root.

A path under way is a pair (x, y): row x takes column y, and the path goes on at the column that x
had before. A pair (−1, y) stands at column y, whose parent takes it next. A path walks as long as
it stays in the part; then it is sent to the owner of the next vertex. Trees are disjoint, so no
path meets another, nor a tree that still grows. So pairs share the exchanges of the search.

A path of k edges that crosses between parts c times takes k steps in all and c exchanges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compile import kernel
from .communicator import Array
from .messages import Messages, by_owner
from .part import Part, owners


@kernel
def advance(
    pairs: Any,
    parent: Any,
    row_match: Any,
    col_match: Any,
    first_row: int,
    first_col: int,
) -> int:
    """Walk every pair to where it leaves the part; pack those that do to the front.

    Returns their number; all others have ended at their root.
    """
    left = 0
    for i in range(pairs.shape[0]):
        x, y = pairs[i, 0], pairs[i, 1]
        while True:
            if x < 0:
                col = np.uint64(y - first_col)
                if col >= np.uint64(col_match.size):
                    break  # another part's column
                x = np.int64(parent[col])
                col_match[col] = x
            row = np.uint64(x - first_row)
            if row >= np.uint64(row_match.size):
                break  # another part's row
            before = row_match[row]
            row_match[row] = y
            x, y = np.int64(-1), before
            if y < 0:
                break  # the root
        if x >= 0 or y >= 0:
            pairs[left, 0], pairs[left, 1] = x, y
            left += 1
    return left


def to_next(part: Part, pairs: Array) -> Messages:
    """Address pairs to the owners of the vertices where they stand."""
    x, y = pairs[:, 0], pairs[:, 1]
    to = np.where(x >= 0, owners(part.row_bounds, x), owners(part.col_bounds, y))
    return by_owner(np.arange(part.size + 1), pairs, to)
