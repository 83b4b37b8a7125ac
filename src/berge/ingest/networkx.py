"""networkx graphs to berge's. Nodes become indices in the graph's own order; labels are kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph
from ..graphs.owned import settle
from .edges import Edges, NotBipartiteError, checked_weights, filled, two_sided


def from_networkx(graph: Any, top_nodes: Iterable[Any] | None = None) -> BipartiteGraph:
    """Take `top_nodes`, else nodes with ``bipartite=0``, else one colour of two, as rows."""
    made = two_sided(graph.edges(), *_sides(graph, top_nodes), None)
    if top_nodes is None and not all("bipartite" in data for _, data in graph.nodes(data=True)):
        settle(made, "source", "rows are one of two colours: nodes lack the attribute bipartite")
    return made


def edges_of(graph: Any, attribute: str | None = None) -> Edges:
    """Return the edges, nodes numbered in the graph's own order.

    An edge without the attribute has 1, as everywhere in networkx, which is said; one at least must
    have it.
    """
    index = {node: i for i, node in enumerate(graph)}
    pairs = np.array([(index[u], index[v]) for u, v in graph.edges()], np.int64).reshape(-1, 2)
    values = None
    if attribute is not None:
        found = [value for *_, value in graph.edges(data=attribute)]
        values = checked_weights(filled(found, attribute), graph.edges(), attribute)
    return list(index), pairs[:, 0], pairs[:, 1], values


def _sides(graph: Any, top_nodes: Iterable[Any] | None) -> tuple[list[Any], list[Any]]:
    """Return the rows and the columns, in the graph's own order."""
    if top_nodes is not None:
        top = set(top_nodes)
        unknown = [node for node in top if node not in graph]
        if unknown:
            raise InvalidGraphError(f"top_nodes has {unknown[0]!r}, which is not in the graph")
        return [node for node in graph if node in top], [node for node in graph if node not in top]
    colour = {node: data.get("bipartite") for node, data in graph.nodes(data=True)}
    if None in colour.values():
        from networkx import NetworkXError
        from networkx.algorithms.bipartite import color

        try:
            found = color(graph.to_undirected(as_view=True))
        except NetworkXError:
            raise NotBipartiteError from None
        # networkx gives 1 to the first node of every component; the first node is a row here.
        colour = {node: 1 - found[node] for node in graph}
    wrong = [(node, value) for node, value in colour.items() if value not in (0, 1)]
    if wrong:
        raise InvalidGraphError(f"node {wrong[0][0]!r} has bipartite={wrong[0][1]!r}, not 0 or 1")
    rows, cols = ([node for node, c in colour.items() if c == side] for side in (0, 1))
    return rows, cols
