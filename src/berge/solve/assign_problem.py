"""From what `assign` is asked to the one problem that its algorithms solve.

=========  ======================================================================================
match      becomes
=========  ======================================================================================
full       every unit of the side that has fewer must be used; both sides if they have as many
any        nothing must be used
maximum    a smallest cover of the edges says what every largest choice has in common: it uses all
           units of covered vertices, none of the edges with two covered ends, and all edges with
           none (Kőnig; the last kind is there only with capacities). So covered vertices must be
           used, and the others not, and both kinds of edges leave the problem.
=========  ======================================================================================

`unmatched_cost` is what a unit costs that need not be used and is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checker.prices import MOST_UNITS, Side
from ..errors import InvalidGraphError, OptionError
from ..graphs.graph import BipartiteGraph
from ..methods.assignment.problem import Problem, required
from ..results.objective import Priced, in_floats, kept_edges
from ..wording import did_you_mean, in_words, warn

__all__ = ["MATCHES", "Asked", "asked", "numbers_of", "reduced", "units_of"]

MATCHES = ("full", "maximum", "any")
Values = npt.NDArray[Any]
ROOM = 2**62  # what sums of integers must stay below


@dataclass(frozen=True)
class Asked:
    """What was asked: edges and costs, and for each side units and what leaving them costs."""

    edges: Priced
    rows: Side
    cols: Side

    @property
    def costs(self) -> Values:
        """The cost of every edge."""
        return self.edges.costs

    @property
    def has_capacities(self) -> bool:
        """Whether a vertex has other than one unit, or one that is required alone."""
        sides = (self.rows, self.cols)
        return any((side.capacity != 1).any() or side.least.any() for side in sides)

    def problem(self) -> Problem:
        """Return the problem with all edges."""
        graph, _, costs = self.edges
        rows, cols = self.rows, self.cols
        if not self.has_capacities:
            return Problem(graph, costs, rows.leave, cols.leave)
        return Problem(graph, costs, rows.leave, cols.leave, rows.capacity, cols.capacity,
                       rows.least, cols.least)  # fmt: skip


def asked(
    edges: Priced, match: str, unmatched_cost: Any, capacity: tuple[Any, Any],
    least: tuple[Any, Any], objective: str,
) -> Asked:  # fmt: skip
    """Check what is asked of either side, and put it in numbers."""
    if match not in MATCHES:
        wrong = f"{match!r}{did_you_mean(match, MATCHES)}"
        raise OptionError(f"match must be one of {', '.join(MATCHES)}, not {wrong}")
    graph, _, costs = edges
    paid = unmatched_cost if isinstance(unmatched_cost, tuple) else (unmatched_cost,) * 2
    if len(paid) != 2:
        raise OptionError(f"unmatched_cost must be a number or (left, right), not {paid!r}")
    if unmatched_cost is not None and objective not in ("min", "max"):
        raise OptionError(f"unmatched_cost is for objectives min and max, not {objective!r}")
    if costs.dtype.kind == "i" and any(map(_has_fractions, paid)):
        edges = in_floats(edges)
        if edges.costs is costs:
            raise OptionError("unmatched_cost must be whole with integer weights above 2^53")
        costs = edges.costs
    sides = []
    labels = graph.row_labels, graph.col_labels
    for side, n, names, c, k, m in zip(
        ("left", "right"), graph.shape, labels, paid, capacity, least, strict=True
    ):
        units, lowest = units_of(side, k, m, n, names)
        leave = numbers_of("unmatched_cost", 0 if c is None else c, n, names, costs.dtype, 0)
        sides.append(Side(units, lowest, leave, np.zeros(n, costs.dtype)))
    most = required(costs.dtype)
    left, right = (int(side.capacity.sum()) for side in sides)
    for k, fewer in enumerate((left <= right, right <= left)):
        must = sides[k].least == sides[k].capacity
        if match == "full" and fewer:
            must = np.ones_like(must)
        must &= sides[k].capacity > 0
        leave, lowest = sides[k].leave.copy(), sides[k].least.copy()
        leave[must], lowest[must] = most, 0
        sides[k] = sides[k]._replace(leave=leave, least=lowest)
    found = Asked(edges, *sides)
    if costs.dtype.kind == "i":
        _check_room(found)
    return found


def _has_fractions(paid: Any) -> bool:
    """Tell whether there is a number that is not whole among those for one side."""
    try:
        values = np.asarray(list(paid.values()) if isinstance(paid, Mapping) else paid)
    except ValueError:
        return False  # of no form that is taken, as will be said
    return values.dtype.kind == "f" and bool((values % 1 != 0).any())


def units_of(
    side: str, capacity: Any, least: Any, size: int, labels: Sequence[Any] | None
) -> tuple[Values, Values]:
    """Return how many edges each vertex of a side may have, and how many it must have."""
    units = numbers_of(f"capacity_{side}", capacity, size, labels, np.int64, 1)
    lowest = numbers_of(f"at_least_{side}", least, size, labels, np.int64, 0)
    _refuse(f"capacity_{side}", (units < 0) | (units >= MOST_UNITS), units, labels,
            f"must be from 0 to {MOST_UNITS - 1}")  # fmt: skip
    _refuse(f"at_least_{side}", (lowest < 0) | (lowest > units), lowest, labels,
            "must be from 0 to the capacity")  # fmt: skip
    return units, lowest


def numbers_of(
    name: str, given: Any, size: int, labels: Sequence[Any] | None, dtype: Any, default: Any
) -> Values:
    """Return a number for every vertex: from one, from one each, or from those by label."""
    if hasattr(given, "to_dict") and type(given.index).__name__ != "RangeIndex":  # pandas
        if not given.index.is_unique:
            raise OptionError(f"{name}: the index of the {type(given).__name__} names one twice")
        given = given.to_dict()
    if isinstance(given, Mapping):
        places = range(size) if labels is None else labels
        known = set(places)
        unknown = [label for label in given if label not in known]
        needed = name.startswith("at_least") and any(given[label] for label in unknown)
        if unknown and (needed or labels is None):
            raise OptionError(f"{name} names {unknown[0]!r}, which has no edge")
        if unknown:
            warn(f"{name} names {in_words(unknown, 3)}, which no edge has: left out")
        given = [given.get(label, default) for label in places]
    try:
        values = np.array(given, subok=False)
    except ValueError as error:
        raise OptionError(f"{name} must be a number, or one for each of {size}: {error}") from None
    if values.dtype.kind not in "biuf" or values.ndim > 1 or (values.ndim and values.size != size):
        found = f"{values.size} of them" if values.ndim == 1 else repr(given)[:60]
        raise OptionError(f"{name} must be a number, or one for each of {size}, not {found}")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise OptionError(f"{name} must be finite")
    cast = values.astype(dtype)
    if np.dtype(dtype).kind == "i" and (cast != values).any():
        raise OptionError(f"{name} must be a whole number, not {values[cast != values].flat[0]}")
    full: Values = np.full(size, cast) if cast.ndim == 0 else cast
    return full


def _refuse(name: str, wrong: Values, values: Values, labels: Any, rule: str) -> None:
    """Raise over the first number that is wrong."""
    if wrong.any():
        k = int(wrong.argmax())
        who = k if labels is None else repr(labels[k])
        raise OptionError(f"{name} of {who} is {values[k]}, and {rule}")


def _check_room(found: Asked) -> None:
    """Refuse integers whose sums along a path could leave 64 bits."""
    numbers = [found.costs]
    for side in (found.rows, found.cols):
        numbers.append(side.leave[side.leave < required(np.int64)])
    largest = max((max(abs(int(x.min())), abs(int(x.max()))) for x in numbers if x.size), default=0)
    units = sum(int(side.capacity.sum()) for side in (found.rows, found.cols))
    if 2 * largest * (units + 1) >= ROOM:
        raise InvalidGraphError(
            f"weights of up to {largest:,} for {units:,} units: exact sums of integers could pass "
            f"2^62; divide them by {2 * largest * (units + 1) // ROOM + 1:,}, or pass "
            "floating-point numbers"
        )


def reduced(found: Asked) -> tuple[Problem, Values, Values]:
    """Return the problem that is left by a cover, where its edges were, and which must be chosen.

    Without a cover: the problem, all places and no edge.
    """
    graph, _, costs = found.edges
    rows, cols = found.rows, found.cols
    nothing = np.zeros(0, np.int64)
    if rows.cover is None:
        return found.problem(), nothing, nothing
    of_edges = np.repeat(rows.cover, graph.row_degrees).astype(np.int8) + cols.cover[graph.indices]
    must = required(costs.dtype)
    rows, cols = (s._replace(leave=np.where(s.cover, must, s.leave)) for s in (rows, cols))
    if (of_edges == 1).all():
        return replace(found, rows=rows, cols=cols).problem(), nothing, nothing
    places, forced = np.flatnonzero(of_edges == 1), np.flatnonzero(of_edges == 0)
    smaller, weights, left = kept_edges(graph, of_edges == 1, found.edges.weights, costs)
    if forced.size:
        rows, cols = (_without(s, ends) for s, ends in zip((rows, cols), ends_of(graph, forced),
                                                          strict=True))  # fmt: skip
    rest = replace(found, edges=Priced(smaller, weights, left), rows=rows, cols=cols)
    return rest.problem(), places, forced


def ends_of(graph: BipartiteGraph, places: Values) -> tuple[Values, Values]:
    """Return the rows and the columns of edges."""
    rows = np.searchsorted(graph.indptr, places, side="right") - 1
    return rows.astype(graph.indices.dtype), graph.indices[places]


def _without(side: Side, ends: Values) -> Side:
    """Return a side without the units that edges which must be chosen use."""
    used = np.bincount(ends, minlength=side.capacity.size)
    return side._replace(capacity=side.capacity - used, least=np.maximum(side.least - used, 0))
