"""Codes of edges: in every, some or no maximum matching."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

__all__ = ["EVERY", "NONE", "SOME", "Codes"]

NONE, SOME, EVERY = 0, 1, 2


@dataclass(frozen=True, repr=False)
class Codes:
    """A code for every stored entry of a graph."""

    codes: npt.NDArray[np.uint8]

    entries_of_an_edge: ClassVar[int] = 1

    @property
    def in_every(self) -> npt.NDArray[np.bool_]:
        """Mask of the entries that are in every maximum matching."""
        return np.equal(self.codes, EVERY)

    @property
    def in_some(self) -> npt.NDArray[np.bool_]:
        """Mask of the entries that are in at least one maximum matching."""
        return np.not_equal(self.codes, NONE)

    @property
    def in_none(self) -> npt.NDArray[np.bool_]:
        """Mask of the entries that are in no maximum matching: without them it is as large."""
        return np.equal(self.codes, NONE)

    def __repr__(self) -> str:
        counts = np.bincount(self.codes, minlength=3) // self.entries_of_an_edge
        none, some, every = counts.tolist()
        return f"EdgeRoles({every:,} in every maximum matching, {some:,} in some, {none:,} in none)"
