"""Names for rows and columns, also of those that no edge mentions."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph
from ..graphs.owned import settle


def with_labels(
    graph: BipartiteGraph,
    row_labels: Iterable[Any] | None = None,
    col_labels: Iterable[Any] | None = None,
) -> BipartiteGraph:
    """Return the graph with these rows and columns, where they are given.

    Where a side has labels already, all of them must be among the new ones, and it gets their
    order: what the new ones have besides is there without edges. Where it has none, the new ones
    name its rows or columns one by one.

    Examples
    --------
    >>> import berge
    >>> from berge.ingest.named import with_labels
    >>> graph = berge.BipartiteGraph.from_edges([0, 1], [0, 0], row_labels=["a", "b"])
    >>> with_labels(graph, row_labels=["c", "b", "a"], col_labels=["x"]).row_degrees.tolist()
    [0, 1, 1]
    """
    if row_labels is None and col_labels is None:
        return graph
    rows = _side("row_labels", graph.row_labels, row_labels)
    cols = _side("col_labels", graph.col_labels, col_labels)
    ends: list[Any] = [np.repeat(np.arange(graph.n_rows), graph.row_degrees), graph.indices]
    sizes = list(graph.shape)
    for side, (labels, places) in enumerate((rows, cols)):
        if places is not None:
            ends[side], sizes[side] = places[ends[side]], len(labels or ())
    made = BipartiteGraph.from_edges(
        ends[0], ends[1], (sizes[0], sizes[1]), row_labels=rows[0], col_labels=cols[0]
    )
    settle(made, "source", graph.source)
    return made


def _side(
    name: str, known: Sequence[Any] | None, given: Iterable[Any] | None
) -> tuple[Sequence[Any] | None, npt.NDArray[np.int64] | None]:
    """Return the labels of a side, and the new place of each old one if they move."""
    if given is None:
        return known, None
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InvalidGraphError(f"{name} must be a list of labels, not {reprlib.repr(given)}")
    labels = list(given)
    try:
        place_of = {label: place for place, label in enumerate(labels)}
    except TypeError as error:
        raise InvalidGraphError(f"{name} has something that cannot be a label: {error}") from None
    if len(place_of) < len(labels):
        twice = next(label for place, label in enumerate(labels) if place_of[label] != place)
        raise InvalidGraphError(f"{name} has {twice!r} twice")
    if known is None:
        return labels, None
    try:
        return labels, np.array([place_of[label] for label in known], np.int64)
    except KeyError as error:
        raise InvalidGraphError(f"{name} lacks {error.args[0]!r}, which an edge has") from None
