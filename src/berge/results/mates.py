"""What matchings of general graphs have in common: an array of mates."""

from __future__ import annotations

import numpy as np

from ..graphs.graph import IndexArray
from ..shown import Shown

__all__ = ["Mates"]


class Mates(Shown):
    """Vertices and their mates: ``mate[v]`` is the vertex that v is matched to, or −1."""

    mate: IndexArray

    @property
    def unmatched(self) -> IndexArray:
        """Vertices without a mate."""
        return np.flatnonzero(self.mate < 0)

    def pairs(self) -> IndexArray:
        """Return the matched pairs as an array of (lower, higher), by the lower."""
        lower = np.flatnonzero(self.mate > np.arange(self.mate.size)).astype(self.mate.dtype)
        return np.column_stack([lower, self.mate[lower]])
