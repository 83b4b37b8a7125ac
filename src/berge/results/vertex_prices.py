"""What comes out of `GreedyMatching.prove`: `VertexPrices`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..shown import Shown

__all__ = ["VertexPrices"]


@dataclass(frozen=True, repr=False, eq=False)
class VertexPrices(Shown):
    """A price for each vertex; the two at every edge are worth its weight at least.

    So no matching weighs more than all of them: its edges have ends of their own.

    Attributes
    ----------
    prices
        Numbers from 0 on, one for each vertex.
    upper_bound
        Their sum, and a little for rounding: no matching is heavier.

    Examples
    --------
    >>> import berge
    >>> m = berge.greedy_matching(([0, 1], [1, 2]), weights=[2, 3], prove=True)
    >>> m.certificate
    VertexPrices(no matching weighs more than 3)
    """

    prices: npt.NDArray[np.float64]
    upper_bound: float

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "bound", f"no matching weighs more than {self.upper_bound:,.10g}"

    def __repr__(self) -> str:
        return f"VertexPrices(no matching weighs more than {self.upper_bound:.10g})"
