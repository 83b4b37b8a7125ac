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

import math
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidGraphError, OptionError
from ..graphs.graph import BipartiteGraph, IndexArray
from ..graphs.owned import settle
from ..ingest.weighted import Weighted, pair_name
from ..wording import did_you_mean

__all__ = [
    "OBJECTIVES", "Priced", "chosen_places", "exponential", "in_floats", "kept_edges", "priced",
    "product_of",
]  # fmt: skip

FLOATS_END = 700.0  # logarithms up to which floating-point numbers are normal
_DIGITS = Context(prec=22, Emax=MAX_EMAX, Emin=MIN_EMIN)
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


def in_floats(edges: Priced) -> Priced:
    """Return edges with floating-point numbers for integers, unless one would be rounded."""
    if np.abs(edges.costs).max(initial=0) > 2**53:
        return edges
    return Priced(edges.graph, edges.weights.astype(float), edges.costs.astype(float))


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


def product_of(values: list[float]) -> float | Decimal:
    """Return a product of absolute values: a float, or a decimal number where no float will do.

    Examples
    --------
    >>> from berge.results.objective import product_of
    >>> product_of([2.0, -3.0]), product_of([1e-300, 1e-300])
    (6.0, Decimal('1.000000000000000050118E-600'))
    """
    logs = np.cumsum(np.log(np.abs(np.array(values, np.float64))))
    if np.abs(logs).max(initial=0) < FLOATS_END:
        return math.prod(map(abs, values))
    with localcontext(_DIGITS):
        product = math.prod(map(Decimal, map(abs, values)), start=Decimal(1))
    return float(product) if abs(logs[-1]) < FLOATS_END else product


def exponential(x: float) -> float | Decimal:
    """Return e to the power of x: a float, or a decimal number where no float will do."""
    if abs(x) < FLOATS_END or x == math.inf:
        return math.exp(x)
    return Decimal(x).exp(_DIGITS)


def chosen_places(graph: BipartiteGraph, rows: IndexArray, cols: IndexArray) -> Values | None:
    """Return where pairs are in ``graph.indices``, whose rows are sorted; None if one is not."""
    low, end = (graph.indptr[rows + k].astype(np.int64) for k in (0, 1))
    high = end
    while (low < high).any():  # a binary search in all rows at once
        middle = (low + high) // 2
        below = (low < high) & (graph.indices[np.minimum(middle, graph.nnz - 1)] < cols)
        low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
    there = low < end
    if not there.all() or (graph.indices[low] != cols).any():
        return None
    return low
