"""The sizes of breadth-first frontiers, level by level, for the stats."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compile import helper
from ..results.matching import SolveStats

_KEPT = 10_000  # levels remembered over a whole solve; a chain of a million links has many more


class LevelLog:
    """Hands kernels an array to write frontier sizes to, and moves them into the stats.

    ``sizes[0]`` counts the levels of this phase; ``sizes[1 + i]`` is the frontier of level i, for
    as many levels as there is room for.
    """

    def __init__(self, stats: SolveStats):
        self.stats = stats
        self.sizes = np.zeros(1 + _KEPT, np.int64)

    def begin_phase(self, frontier: int) -> None:
        """Begin with a frontier of so many rows as level 0."""
        self.sizes[0] = 1
        self.sizes[1:2] = frontier

    def end_phase(self) -> None:
        """Move what was written to the stats; later phases have so much less room."""
        levels = int(self.sizes[0])
        self.stats.levels += levels
        kept = self.sizes[1 : 1 + levels].tolist()
        if kept:
            self.stats.frontiers.append(kept)
        self.sizes = self.sizes[: self.sizes.size - len(kept)]


@helper
def log_level(sizes: Any, size: int) -> None:
    """Count a level, and write its size down while there is room."""
    sizes[0] += 1
    if sizes[0] < sizes.size:
        sizes[sizes[0]] = size
