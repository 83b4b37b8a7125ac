"""igraph graphs to berge's. Vertices become indices in the graph's own order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph
from ..graphs.owned import settle
from .edges import Edges, NotBipartiteError, checked_weights, two_sided


def from_igraph(graph: Any) -> BipartiteGraph:
    """Take vertices of type False as rows; without the attribute ``type``, one colour of two."""
    if "type" in graph.vs.attributes():
        types = graph.vs["type"]
        wrong = [v for v, value in enumerate(types) if value not in (0, 1)]
        if wrong:
            raise InvalidGraphError(f"vertex {wrong[0]} has type {types[wrong[0]]!r}, not a bool")
    else:
        bipartite, types = graph.is_bipartite(return_types=True)
        if not bipartite:
            raise NotBipartiteError
    rows, cols = ([v for v, value in enumerate(types) if value == side] for side in (0, 1))
    made = two_sided(graph.get_edgelist(), rows, cols, _names(graph))
    if "type" not in graph.vs.attributes():
        settle(made, "source", "rows are one of two colours: vertices lack the attribute type")
    return made


def edges_of(graph: Any, attribute: str | None = None) -> Edges:
    """Return the edges in the graph's own order."""
    pairs = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
    names, values = _names(graph), None
    if attribute is not None:
        if attribute not in graph.es.attributes():
            raise InvalidGraphError(f"the edges of the graph have no attribute {attribute!r}")
        edges = ((names[u], names[v]) for u, v in pairs.tolist())
        values = checked_weights(graph.es[attribute], edges, attribute)
    return names, pairs[:, 0], pairs[:, 1], values


def _names(graph: Any) -> list[Any]:
    return list(graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount()))
