"""Codes of edges: in every, some or no maximum matching."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..shown import Shown

__all__ = ["EVERY", "NONE", "SOME", "Codes"]

NONE, SOME, EVERY = 0, 1, 2


@dataclass(frozen=True, repr=False)
class Codes(Shown):
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

    def _counts(self) -> list[int]:
        """Return how many edges are in none, some and every maximum matching."""
        counts: list[int] = np.bincount(self.codes, minlength=3).tolist()
        return [count // self.entries_of_an_edge for count in counts]

    def _facts(self) -> Iterator[tuple[str, str]]:
        none, some, every = self._counts()
        yield "edges in every maximum matching", f"{every:,}"
        yield "in some", f"{some:,}"
        yield "in none", f"{none:,}"

    def __repr__(self) -> str:
        none, some, every = self._counts()
        return f"EdgeRoles({every:,} in every maximum matching, {some:,} in some, {none:,} in none)"
