"""What weights mean: from a graph with weights, and an objective, to costs that are to be least.

============  ===========================================================  ==================
objective     the best choice has                                          cost of weight w
============  ===========================================================  ==================
`min`         the least sum of weights                                     w
`max`         the largest sum of weights                                   −w
`product`     the largest product of absolute values (MC64, job 5)         −log|w|
`bottleneck`  the largest smallest weight                                  −w
============  ===========================================================  ==================

An infinite weight says that a pair is forbidden: +inf with ``min``, −inf with ``max`` and
``bottleneck``; with ``product`` that is what 0 says. The other infinity is an error. Where a pair
is there more than once, its best entry counts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidGraphError, OptionError
from ..graphs.graph import BipartiteGraph, IndexArray
from ..graphs.owned import settle
from ..ingest.weighted import Weighted, pair_name
from ..wording import did_you_mean

__all__ = ["OBJECTIVES", "Priced", "chosen_places", "kept_edges", "priced"]

OBJECTIVES = ("min", "max", "product", "bottleneck")
Values = npt.NDArray[Any]


class Priced(NamedTuple):
    """A graph with sorted rows and no pair twice; the weight and the cost of every edge."""

    graph: BipartiteGraph
    weights: Values
    costs: Values


def priced(weighted: Weighted, objective: str) -> Priced:
    """Return the edges that may be chosen, with what they cost.

    Examples
    --------
    >>> from berge.ingest.weighted import as_weighted
    >>> from berge.results.objective import priced
    >>> priced(as_weighted(([0, 0, 1], [1, 1, 0], [5.0, 4.0, float("inf")])), "min").costs
    array([4.])
    """
    graph, weights = weighted
    if objective not in OBJECTIVES:
        wrong = f"{objective!r}{did_you_mean(objective, OBJECTIVES)}"
        raise OptionError(f"objective must be one of {', '.join(OBJECTIVES)}, not {wrong}")
    if objective == "product":
        weights = np.abs(weights) if weights.dtype.kind != "i" else np.abs(weights.astype(float))
    if weights.dtype.kind == "c":
        raise InvalidGraphError(f"complex weights have no order; objective={objective!r} needs one")
    if weights.dtype.kind == "i" and weights.min(initial=0) == np.iinfo(np.int64).min:
        raise InvalidGraphError(f"weight {weights.min()} does not fit in 64 bits when negated")
    forbidden = None
    if weights.dtype.kind == "f":
        never = {"min": np.inf, "product": 0.0}.get(objective, -np.inf)
        forbidden = weights == never
        endless = np.flatnonzero(np.isinf(weights) & ~forbidden)
        if endless.size:
            k = int(endless[0])
            raise InvalidGraphError(
                f"the weight of {pair_name(graph, k)} is {weights[k]}, better than any: "
                f"with objective={objective!r} only {never} has a meaning, a pair that is forbidden"
            )
    if objective == "product":
        with np.errstate(divide="ignore"):
            costs = -np.log(weights)
    else:
        costs = weights if objective == "min" else -weights
    if forbidden is not None and forbidden.any():
        graph, weights, costs = kept_edges(graph, ~forbidden, weights, costs)
    made = _merged(graph, weights, costs)
    if made.graph is not weighted.graph and weighted.graph.source:
        settle(made.graph, "source", weighted.graph.source)
    return made


def kept_edges(graph: BipartiteGraph, keep: Values, *values: Values) -> Any:
    """Return the graph of some of the edges, and what belongs to these."""
    places = np.concatenate([[0], np.cumsum(keep)])[graph.indptr].astype(graph.indptr.dtype)
    labels = graph.row_labels, graph.col_labels
    smaller = BipartiteGraph._trusted(places, graph.indices[keep], graph.shape, labels)
    return smaller, *(array[keep] for array in values)


def _merged(graph: BipartiteGraph, weights: Values, costs: Values) -> Priced:
    """Sort rows, and keep the cheapest of several entries of a pair."""
    indices, inside = graph.indices, np.ones(max(graph.nnz - 1, 0), np.bool_)
    starts = graph.indptr[1:-1]
    inside[starts[(starts > 0) & (starts < graph.nnz)] - 1] = False  # two rows meet there
    if not ((indices[1:] <= indices[:-1]) & inside).any():
        return Priced(graph, weights, costs)
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    order = np.lexsort((costs, indices, rows))
    indices, weights, costs = indices[order], weights[order], costs[order]
    first = np.concatenate([[True], (indices[1:] != indices[:-1]) | ~inside])
    labels = graph.row_labels, graph.col_labels
    graph = BipartiteGraph._trusted(graph.indptr, indices, graph.shape, labels)
    return Priced(*kept_edges(graph, first, weights, costs))


def chosen_places(graph: BipartiteGraph, rows: IndexArray, cols: IndexArray) -> Values | None:
    """Return where pairs are in ``graph.indices``, whose rows are sorted; None if one is not."""
    keys = np.repeat(np.arange(graph.n_rows, dtype=np.int64), graph.row_degrees) * graph.n_cols
    keys += graph.indices
    wanted = rows.astype(np.int64) * graph.n_cols + cols
    places = np.searchsorted(keys, wanted)
    if places.size and (places.max() >= keys.size or (keys[places] != wanted).any()):
        return None
    return places
