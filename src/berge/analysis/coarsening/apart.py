"""Vertices that must not be merged: of different blocks, or fixed to different parts.

A block is a part of a partition that is there already: vertices are merged within one only. A fixed
vertex belongs to a part beforehand (−1: it is free); a free one may be merged with any, and its
cluster then is fixed as well. So partitions of a coarse level that respect the blocks and the fixed
vertices are those of the graph itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import OptionError
from ...graphs.graph import IndexArray

__all__ = ["Apart"]


@dataclass(frozen=True)
class Apart:
    """The block of each vertex, and the part that it is fixed to, or −1."""

    blocks: IndexArray
    fixed: IndexArray

    @classmethod
    def of(cls, blocks: Any, fixed: Any, n: int) -> Apart | None:
        """Check what the caller gave; None if there is nothing to keep apart."""
        if blocks is None and fixed is None:
            return None
        return cls(_labels("blocks", blocks, n, 0), _labels("fixed", fixed, n, -1))

    def may_merge(self, u: IndexArray, v: IndexArray) -> npt.NDArray[np.bool_]:
        """Tell for pairs of vertices whether they may be merged."""
        a, b = self.fixed[u], self.fixed[v]
        allowed: npt.NDArray[np.bool_] = (a < 0) | (b < 0) | (a == b)
        allowed &= self.blocks[u] == self.blocks[v]
        return allowed

    def coarser(self, coarse: IndexArray, n_coarse: int) -> Apart:
        """Return the same for the clusters."""
        blocks, fixed = np.zeros(n_coarse, np.int64), np.full(n_coarse, -1)
        blocks[coarse] = self.blocks
        np.maximum.at(fixed, coarse, self.fixed)
        return Apart(blocks, fixed)


def _labels(name: str, labels: Any, n: int, default: int) -> IndexArray:
    """Return a whole number for each vertex, the default if there are none."""
    if labels is None:
        return np.full(n, default)
    found = np.asarray(labels)
    if found.shape != (n,) or not np.issubdtype(found.dtype, np.integer):
        raise OptionError(
            f"{name} must be a whole number for each of {n} vertices, "
            f"not {found.dtype} of shape {found.shape}"
        )
    if name == "fixed" and found.size and found.min() < -1:
        raise OptionError(f"fixed must be −1 or a part from 0 on, not {found.min()}")
    return found.astype(np.int64)
