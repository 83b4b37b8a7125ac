"""networkx graphs to berge's. Nodes become indices in the graph's own order; labels are kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph
from .edge_weights import checked_weights

__all__ = ["edges_of", "from_networkx"]


def from_networkx(graph: Any, top_nodes: Iterable[Any] | None = None) -> BipartiteGraph:
    """Take `top_nodes`, else nodes with ``bipartite=0``, else one colour of two, as rows."""
    rows, cols = _sides(graph, top_nodes)
    row_of = {node: i for i, node in enumerate(rows)}
    col_of = {node: j for j, node in enumerate(cols)}
    edges = []
    for u, v in graph.edges():
        if u in row_of and v in col_of:
            edges.append((row_of[u], col_of[v]))
        elif v in row_of and u in col_of:
            edges.append((row_of[v], col_of[u]))
        else:
            side = "rows" if u in row_of else "columns"
            raise InvalidGraphError(f"the edge ({u!r}, {v!r}) joins two {side}: not bipartite")
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    return BipartiteGraph.from_edges(
        pairs[:, 0], pairs[:, 1], (len(rows), len(cols)), row_labels=rows, col_labels=cols
    )


def edges_of(
    graph: Any, attribute: str | None = None
) -> tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[Any] | None]:
    """Return the number of nodes, the ends of all edges by node order, and an attribute, or None.

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


def _sides(graph: Any, top_nodes: Iterable[Any] | None) -> tuple[list[Any], list[Any]]:
    if top_nodes is not None:
        top = set(top_nodes)
        unknown = [node for node in top if node not in graph]
        if unknown:
            raise InvalidGraphError(f"top_nodes has {unknown[0]!r}, which is not in the graph")
        return [node for node in graph if node in top], [node for node in graph if node not in top]
    colour = {node: data.get("bipartite") for node, data in graph.nodes(data=True)}
    if any(value is None for value in colour.values()):
        from networkx import NetworkXError
        from networkx.algorithms.bipartite import color

        try:
            colour = color(graph.to_undirected(as_view=True))
        except NetworkXError:
            raise InvalidGraphError("the graph has an odd cycle: it is not bipartite") from None
        # networkx gives 1 to the first node of every component; the first node is a row here.
        colour = {node: 1 - value for node, value in colour.items()}
    wrong = [(node, value) for node, value in colour.items() if value not in (0, 1)]
    if wrong:
        raise InvalidGraphError(f"node {wrong[0][0]!r} has bipartite={wrong[0][1]!r}, not 0 or 1")
    return [n for n, c in colour.items() if c == 0], [n for n, c in colour.items() if c == 1]
