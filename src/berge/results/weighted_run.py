"""What an algorithm for general graphs by weight works on: a `GeneralRun` with prices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .general_run import GeneralRun

__all__ = ["WeightedRun"]


@dataclass(kw_only=True)
class WeightedRun(GeneralRun):
    """One solve by weight under way; the graph has the weights, which are to be large.

    Attributes
    ----------
    perfect
        Whether all vertices must be matched.
    goal
        How many pairs there must be, if that matters.
    forest
        Prices and blossoms, as `berge.methods.general.blossoms` has them.
    infeasible
        Whether no matching is perfect.
    """

    perfect: bool = False
    goal: int | None = None
    forest: Any = None
    infeasible: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        weights: Any = self.graph.weights
        self.doubled = 2 * weights  # so that half of one is whole

    def lower(self, floor: Any) -> Any:
        """Return a lower floor for prices: at first twice the heaviest edge, then four times."""
        largest = np.abs(self.doubled).max(initial=1)
        return self.doubled.dtype.type(4 * floor if floor else -2 * largest)

    def count(self) -> int:
        """Count the pairs so far: in a blossom, all vertices but one are matched to each other."""
        f, n = self.forest, self.graph.n_vertices
        if f is None:  # there is nothing yet
            return 0
        outermost = f.top[f.first[f.top] == np.arange(n)]
        self.cardinality = (n - int(np.count_nonzero(f.mate[outermost] < 0))) // 2
        return self.cardinality

    def pause(self) -> None:
        """Count the pairs, report progress, and stop if time is up."""
        if self.on_phase is not None:
            self.count()
        super().pause()
