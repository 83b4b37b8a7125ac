"""networkx graphs to berge's. Nodes become indices in the graph's own order; labels are kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph
from .edges import Edges, checked_weights, two_sided

__all__ = ["edges_of", "from_networkx"]


def from_networkx(graph: Any, top_nodes: Iterable[Any] | None = None) -> BipartiteGraph:
    """Take `top_nodes`, else nodes with ``bipartite=0``, else one colour of two, as rows."""
    colour = _colours(graph, top_nodes)
    return two_sided(edges_of(graph), [colour[node] for node in graph], list(graph))


def edges_of(graph: Any, attribute: str | None = None) -> Edges:
    """Return the edges, nodes numbered in the graph's own order.

    An edge without the attribute has 1, as everywhere in networkx; one at least must have it.
    """
    index = {node: i for i, node in enumerate(graph)}
    pairs = np.array([(index[u], index[v]) for u, v in graph.edges()], np.int64).reshape(-1, 2)
    values = None
    if attribute is not None:
        found = [value for *_, value in graph.edges(data=attribute)]
        some = any(value is not None for value in found)
        found = [1 if value is None and some else value for value in found]
        values = checked_weights(found, graph.edges(), attribute)
    return len(index), pairs[:, 0], pairs[:, 1], values


def _colours(graph: Any, top_nodes: Iterable[Any] | None) -> dict[Any, Any]:
    """Return 0 for rows and 1 for columns."""
    if top_nodes is not None:
        top = set(top_nodes)
        unknown = [node for node in top if node not in graph]
        if unknown:
            raise InvalidGraphError(f"top_nodes has {unknown[0]!r}, which is not in the graph")
        return {node: int(node not in top) for node in graph}
    colour = {node: data.get("bipartite") for node, data in graph.nodes(data=True)}
    if any(value is None for value in colour.values()):
        from networkx import NetworkXError
        from networkx.algorithms.bipartite import color

        try:
            found = color(graph.to_undirected(as_view=True))
        except NetworkXError:
            raise InvalidGraphError("the graph has an odd cycle: it is not bipartite") from None
        # networkx gives 1 to the first node of every component; the first node is a row here.
        return {node: 1 - value for node, value in found.items()}
    wrong = [(node, value) for node, value in colour.items() if value not in (0, 1)]
    if wrong:
        raise InvalidGraphError(f"node {wrong[0][0]!r} has bipartite={wrong[0][1]!r}, not 0 or 1")
    return colour
