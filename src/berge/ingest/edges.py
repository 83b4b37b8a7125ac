"""Edges of other libraries' graphs: their two sides and their weights; errors name the edge."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph

__all__ = ["Edges", "checked_weights", "two_sided"]

# The number of vertices, both ends of every edge, and an attribute of them, or None.
Edges = tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[Any] | None]


def two_sided(edges: Edges, is_col: list[Any], labels: list[Any]) -> BipartiteGraph:
    """Return the graph whose vertices are rows and columns as said, in the order they are in."""
    col = np.array(is_col, bool)
    _, ends, others, _ = edges
    same = np.flatnonzero(col[ends] == col[others])
    if same.size:
        u, v = (labels[side[same[0]]] for side in (ends, others))
        side = "columns" if col[ends[same[0]]] else "rows"
        raise InvalidGraphError(f"the edge ({u!r}, {v!r}) joins two {side}: not bipartite")
    place = np.where(col, np.cumsum(col), np.cumsum(~col)) - 1  # within its side
    rows, cols = np.where(col[ends], others, ends), np.where(col[ends], ends, others)
    sides = [[labels[v] for v in np.flatnonzero(side)] for side in (~col, col)]
    return BipartiteGraph.from_edges(
        place[rows],
        place[cols],
        (len(sides[0]), len(sides[1])),
        row_labels=sides[0],
        col_labels=sides[1],
    )


def checked_weights(
    values: list[Any], edges: Iterable[tuple[Any, Any]], attribute: str
) -> npt.NDArray[np.float64]:
    """Return the values of an attribute, in the order of the edges, if all of them are weights."""
    if values and all(value is None for value in values):
        raise InvalidGraphError(f"the edges of the graph have no attribute {attribute!r}")
    for (u, v, *_), value in zip(edges, values, strict=True):
        if not isinstance(value, (Real, np.bool_)) or not 0 <= float(value) < math.inf:
            raise InvalidGraphError(
                f"the edge ({u!r}, {v!r}) has {attribute}={value!r}, not a finite number ≥ 0"
            )
    return np.array(values, np.float64)
