"""The one problem that every mode of `assign` is turned into, and every algorithm here solves.

Choose edges so that Σ cost of chosen edges + Σ leave of units that stay unused is least, where
vertex v is an end of at least `least` and at most `capacity` chosen edges, and each edge is chosen
at most once.

Its dual has a price for each vertex, u for rows and v for columns. With capacities of one:

    cost(i, j) − u(i) − v(j) ≥ 0 for every edge, = 0 for chosen ones
    u(i) ≤ leave(i), = if row i stays unused; the same for columns

Then Σ cost + Σ leave = Σ u + Σ v, and no choice is cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...graphs.graph import BipartiteGraph, IndexArray

__all__ = ["Problem", "required"]


@dataclass(frozen=True)
class Problem:
    """What is to be chosen from, and what it costs.

    Attributes
    ----------
    graph
        Rows and columns; no pair is there twice.
    costs
        ``costs[k]`` is that of edge ``graph.indices[k]``: int64 or float64, all finite.
    row_leave, col_leave
        What one unit of a vertex costs if it stays unused; `required` if it must be used.
    row_capacity, col_capacity
        Units of each vertex; None where all have one.
    row_least, col_least
        So many of its first units are required whatever `leave` says; None for none.
    """

    graph: BipartiteGraph
    costs: npt.NDArray[Any]
    row_leave: npt.NDArray[Any]
    col_leave: npt.NDArray[Any]
    row_capacity: IndexArray | None = None
    col_capacity: IndexArray | None = None
    row_least: IndexArray | None = None
    col_least: IndexArray | None = None


def required(dtype: npt.DTypeLike) -> Any:
    """Return the price that says: this unit must be used.

    Examples
    --------
    >>> from berge.methods.assignment.problem import required
    >>> required("float64")
    inf
    """
    if np.dtype(dtype).kind == "f":
        return float("inf")
    return int(np.iinfo(np.int64).max)
