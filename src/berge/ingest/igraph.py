"""igraph graphs to berge's. Vertices become indices in the graph's own order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph
from .edge_weights import checked_weights

__all__ = ["edges_of", "from_igraph"]


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
            raise InvalidGraphError("the graph has an odd cycle: it is not bipartite")
    is_col = np.array(types, bool)
    # Place of every vertex within its side.
    place = np.where(is_col, np.cumsum(is_col), np.cumsum(~is_col)) - 1
    edges = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
    ends, others = edges[:, 0], edges[:, 1]
    same = np.flatnonzero(is_col[ends] == is_col[others])
    if same.size:
        u, v = edges[same[0]]
        raise InvalidGraphError(f"the edge ({u}, {v}) joins two vertices of one type")
    rows = np.where(is_col[ends], others, ends)
    cols = np.where(is_col[ends], ends, others)
    names = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
    labels = list(names)
    return BipartiteGraph.from_edges(
        place[rows],
        place[cols],
        (int((~is_col).sum()), int(is_col.sum())),
        row_labels=[labels[v] for v in np.flatnonzero(~is_col)],
        col_labels=[labels[v] for v in np.flatnonzero(is_col)],
    )


def edges_of(
    graph: Any, attribute: str | None = None
) -> tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[Any] | None]:
    """Return the number of vertices, the ends of all edges, and an attribute of them, or None."""
    pairs = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
    values = None
    if attribute is not None:
        if attribute not in graph.es.attributes():
            raise InvalidGraphError(f"the edges of the graph have no attribute {attribute!r}")
        names = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
        edges = ((names[u], names[v]) for u, v in pairs.tolist())
        values = checked_weights(graph.es[attribute], edges, attribute)
    return graph.vcount(), pairs[:, 0], pairs[:, 1], values
