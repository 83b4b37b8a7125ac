"""The object that networkx's dispatch talks to, and when it is worth talking to."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from . import functions
from .graph import BergeGraph

__all__ = ["backend_interface"]

# Number of nodes from which berge is the faster one with the conversion counted, from stars and
# paths to complete graphs. What is not here need not repay a conversion: networkx looks at every
# edge once, or only at the matching.
_PAYS_FROM = {
    "hopcroft_karp_matching": 300,
    "eppstein_matching": 100,
    "to_vertex_cover": 20,
    "min_edge_cover": 50,
    "bipartite_min_edge_cover": 300,
    "max_weight_matching": 8,
    "min_weight_matching": 8,
    "minimum_weight_full_matching": 300,
}


def convert_from_nx(
    graph: Any, *, edge_attrs: Mapping[str, Any] | None = None, **_attributes: Any
) -> BergeGraph:
    """Return the graph as arrays, with those attributes of edges that networkx names."""
    return BergeGraph.from_networkx(graph, edge_attrs)


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Return a networkx graph for a `BergeGraph`, and any other result as it is."""
    return result.to_networkx() if isinstance(result, BergeGraph) else result


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True, or the reason why this call is networkx's."""
    if _graph(args, kwargs).is_directed():
        return "berge matches undirected graphs only"
    if name == "minimum_weight_full_matching" and _graph(args, kwargs).is_multigraph():
        return "berge does not choose between parallel edges as networkx does"
    if name.endswith("min_edge_cover"):
        algorithm = args[1] if len(args) > 1 else kwargs.get("matching_algorithm")
        return algorithm is None or "berge does not call another matching_algorithm"
    return True


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True if berge is faster here, or the reason why it is not."""
    graph = _graph(args, kwargs)
    cache = getattr(graph, "__networkx_cache__", None) or {}
    if cache.get("backends", {}).get("berge"):
        return True  # converted before
    if name not in _PAYS_FROM:
        return "converting the graph costs more than it saves"
    if len(graph) < _PAYS_FROM[name]:
        return f"networkx is faster on fewer than {_PAYS_FROM[name]} nodes"
    return True


def _graph(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args[0] if args else kwargs["G"]


backend_interface = SimpleNamespace(
    convert_from_nx=convert_from_nx,
    convert_to_nx=convert_to_nx,
    can_run=can_run,
    should_run=should_run,
    **{name: getattr(functions, name) for name in functions.__all__},
)
