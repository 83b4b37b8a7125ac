"""Edges of other libraries' graphs: their two sides and their weights; errors name the edge."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from itertools import islice
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph
from ..wording import warn

# The names of the vertices, both ends of every edge, and an attribute of them, or None.
Edges = tuple[list[Any], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[Any] | None]


class NotBipartiteError(InvalidGraphError):
    """A graph that has an odd cycle, where one with two sides was asked for."""

    def __init__(self) -> None:
        super().__init__(
            "the graph has an odd cycle: it is not bipartite; any graph is matched with "
            "general=True of berge.maximum_matching, by weight by berge.maximum_weight_matching, "
            "and decomposed by berge.gallai_edmonds"
        )


def two_sided(
    edges: Collection[tuple[Any, Any]], rows: list[Any], cols: list[Any], names: list[Any] | None
) -> BipartiteGraph:
    """Return the graph with these rows and columns; `names` are labels other than the vertices."""
    place = {vertex: i for i, vertex in enumerate(rows)}
    place |= {vertex: ~j for j, vertex in enumerate(cols)}  # below 0
    ends = np.array([place[vertex] for edge in edges for vertex in edge], np.int64).reshape(-1, 2)
    ends.sort(axis=1)  # the column before the row
    same = np.flatnonzero((ends[:, 0] >= 0) | (ends[:, 1] < 0))
    if same.size:
        u, v = _named(names, next(islice(edges, int(same[0]), None)))
        side = "columns" if ends[same[0], 1] < 0 else "rows"
        raise InvalidGraphError(f"the edge ({u!r}, {v!r}) joins two {side}: not bipartite")
    labels = {"row_labels": _named(names, rows), "col_labels": _named(names, cols)}
    return BipartiteGraph.from_edges(ends[:, 1], ~ends[:, 0], (len(rows), len(cols)), **labels)


def _named(names: list[Any] | None, vertices: Any) -> Any:
    return vertices if names is None else [names[vertex] for vertex in vertices]


def filled(values: list[Any], attribute: str) -> list[Any]:
    """Return weights with 1 for those that are missing, as networkx has it, and say so."""
    missing = sum(value is None for value in values)
    if not 0 < missing < len(values):
        return values
    warn(
        f"{missing:,} of {len(values):,} edges have no attribute {attribute!r}: they weigh 1, as "
        "everywhere in networkx"
    )
    return [1 if value is None else value for value in values]


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
