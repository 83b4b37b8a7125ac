"""What networkx is told when it is imported. Only the standard library, and little of that."""

from __future__ import annotations

from typing import Any

__all__ = ["get_info"]

_MAXIMUM = (
    "Runs berge's default algorithm on all threads. The matching is as large as networkx's; where\n"
    "several are, it may be another one. Long augmenting paths do not raise RecursionError."
)
_CHECK = (
    "For a graph that berge has converted before: a conversion costs more than networkx's check."
)

_BY_WEIGHT = (
    "The matching weighs as much as networkx's; where several do, it may be another one. Whole\n"
    "weights are exact. Weights other than int and float are left to networkx."
)

# Name in networkx's dispatch -> what to add to its docstring. `bipartite.maximum_matching` is
# networkx's second name for `hopcroft_karp_matching` and dispatches under that one.
_DOCS = {
    "hopcroft_karp_matching": _MAXIMUM,
    "eppstein_matching": _MAXIMUM,
    "to_vertex_cover": (
        "Linear time. Raises NetworkXError if `matching` is not a maximum matching of `G`."
    ),
    "maximal_matching": "The same edges as networkx's.",
    "is_matching": _CHECK,
    "is_maximal_matching": _CHECK,
    "is_perfect_matching": _CHECK,
    "min_edge_cover": "Only without `matching_algorithm`.",
    "max_weight_matching": _BY_WEIGHT,
    "min_weight_matching": _BY_WEIGHT,
    "minimum_weight_full_matching": "Graphs without parallel edges. Never builds a dense matrix.",
    "bipartite_min_edge_cover": "Only without `matching_algorithm`.",
}


def get_info() -> dict[str, Any]:
    """Return the metadata of the backend."""
    return {
        "backend_name": "berge",
        "project": "berge",
        "package": "berge",
        "short_summary": "Matchings in graphs: fast, multicore, and proved.",
        "functions": {name: {"additional_docs": text} for name, text in _DOCS.items()},
    }
