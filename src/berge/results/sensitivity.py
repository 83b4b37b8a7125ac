"""Why a pair is in or out of an assignment, and how far its weight may move.

If the cost of a pair that is out falls, it comes in once it has fallen by what it costs to have it:
its reduced cost, and the cheapest way to rearrange the others from its column back to its row. If
the cost of a pair that is in rises, it goes out once it has risen by what the cheapest way around
it costs. Both ways are shortest paths by reduced costs, none of which is below 0:

- row i → column j by a pair that is out, at r(i, j) (it comes in);
- column j → row i by a pair that is in, at −r(i, j) (it goes out);
- row i → nobody, at leave(i) − u(i), if i may leave one more unit unused; back, at the negative, if
  it has one unused. For columns the directions are the other way round.

Work O(m·log n) for each pair in the worst case, in plain Python; a search ends at its target.

Reference: R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network Flows", 1993, section 9.11.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checker.prices import REQUIRED
from ..errors import InvalidMatchingError, OptionError
from ..wording import plural

if TYPE_CHECKING:
    from .assignment import Assignment

__all__ = ["PriceRange", "explain", "price_ranges"]


@dataclass(frozen=True, repr=False)
class PriceRange:
    """Between which weights of a pair an assignment stays a best one, if nothing else changes.

    Attributes
    ----------
    left, right
        The pair.
    weight, is_chosen
        What it weighs now, and whether it is in.
    low, high
        The ends of the range, which belong to it; ±inf where there is none.

    Examples
    --------
    >>> import berge
    >>> berge.assign([[4, 1], [2, 3]]).price_range([(0, 1)])
    [PriceRange(0, 1, in at 1: up to 5)]
    """

    left: Any
    right: Any
    weight: Any
    is_chosen: bool
    low: Any
    high: Any

    def __repr__(self) -> str:
        where = "in" if self.is_chosen else "out"
        if self.low == -math.inf:
            span = "at any weight" if self.high == math.inf else f"up to {_text(self.high)}"
        elif self.high == math.inf:
            span = f"from {_text(self.low)} on"
        else:
            span = f"{_text(self.low)} to {_text(self.high)}"
        return f"PriceRange({self.left}, {self.right}, {where} at {_text(self.weight)}: {span})"


def explain(plan: Assignment, left: Any, right: Any) -> str:
    """Say why a pair is in or out; see `Assignment.explain`."""
    net = _Widest(plan) if plan.objective == "bottleneck" else _Network(plan)
    i, j = net.place(0, left), net.place(1, right)
    e = net.edge(i, j)
    if e is None:
        return f"{left} and {right} are not paired: there is no such pair to choose from"
    if net.kind(e) == 2:
        return (
            f"{left} and {right} are not paired: no largest choice of pairs can have this one, "
            "since both are needed for others"
        )
    is_in = bool(net.chosen[e])
    state, how = ("paired", "without it") if is_in else ("not paired", "with it")
    said = f"{left} and {right} are {state}"
    change = net.change(e)
    if change == math.inf:
        other = f"there is no way {'without' if is_in else 'to have'} it"
    elif not change:
        other = f"there is another assignment, as good, {how}"
    elif plan.objective == "bottleneck":
        other = f"{how} the smallest weight would be {_text(plan.total - change)}"
    else:
        which = "rise" if plan.objective != "max" else "fall"
        other = f"{how} the total would {which} by {_text(change)}"
    if plan.objective == "bottleneck":
        return f"{said}: they weigh {_text(net.weights[e])}, and {other}"
    verb = "brings" if plan.objective == "max" else "costs"
    unit = "in logarithms it " if plan.objective == "product" else ""
    w = plan._sign * net.costs[e] if not unit else net.costs[e]
    u, v = (plan._sign * p for p in (net.price[i], net.price[net.n_rows + j]))
    worth = f"{_text(u)} for {left} and {_text(v)} for {right}"
    if is_in:
        return f"{said}: {unit}{verb} {_text(w)}, at prices of {worth}, and {other}"
    less = "little" if plan.objective == "max" else "much"
    too = f", too {less}" if net.reduced(e, i) > 0 else ""
    return f"{said}: {unit}{verb} {_text(w)}{too} at prices of {worth}, and {other}"


def price_ranges(plan: Assignment, pairs: Any = None) -> list[PriceRange]:
    """Return the ranges of pairs; see `Assignment.price_range`."""
    if plan.objective == "bottleneck":
        raise OptionError("price_range is for sums and products, not for bottleneck assignments")
    net = _Network(plan)
    if pairs is None:
        pairs = [(left, right) for left, right, _ in plan.labelled_pairs()]
    return [net.range_of(left, right) for left, right in pairs]


def _text(number: Any) -> str:
    number = number.item() if hasattr(number, "item") else number
    return f"{number:,}" if isinstance(number, int) else f"{number:.6g}"


class _Network:
    """The assignment as a flow: rows, then columns, then nobody, who takes what is unused."""

    nothing: Any = 0  # the length of a path of no steps

    def __init__(self, plan: Assignment):
        if not plan.is_optimal:
            raise InvalidMatchingError("the assignment was stopped before it was the best one")
        self.plan, (graph, self.costs) = plan, plan._known()
        assert plan.weights is not None
        self.weights, self.graph, self.n_rows = plan.weights, graph, graph.n_rows
        self.nobody = sum(graph.shape)
        self.kinds = (graph.row_labels, graph.col_labels)
        self._numbers: list[dict[Any, int] | None] = [None, None]
        sides = (plan.row_side, plan.col_side)
        kind = "i" if self.costs.dtype.kind == "i" else "f"
        self.price = np.concatenate([side.prices for side in sides])
        self.leave = np.concatenate([side.leave for side in sides])
        self.cover = None
        must = self.leave == REQUIRED[kind]
        if sides[0].cover is not None:
            self.cover = np.concatenate([side.cover for side in sides])
            must |= self.cover
        capacity, least = (
            np.concatenate([getattr(side, name) for side in sides])
            for name in ("capacity", "least")
        )
        self.chosen = np.zeros(graph.nnz, np.bool_)
        self.chosen[plan._places(graph)] = True
        used = np.bincount(np.concatenate([plan.rows, plan.cols + graph.n_rows]),
                           minlength=self.nobody)  # fmt: skip
        self.may_leave = ~must & (used > least)
        self.has_unused = ~must & (used < capacity)
        self.chosen_at: dict[int, list[int]] = {}
        for e, j in zip(np.flatnonzero(self.chosen).tolist(), plan.cols.tolist(), strict=True):
            self.chosen_at.setdefault(j, []).append(e)
        self.row_of = dict(
            zip(np.flatnonzero(self.chosen).tolist(), plan.rows.tolist(), strict=True)
        )

    def place(self, side: int, label: Any) -> int:
        """Return the number of a row or column."""
        labels = self.kinds[side]
        if labels is None:
            size = self.graph.shape[side]
            if isinstance(label, (int, np.integer)) and 0 <= label < size:
                return int(label)
            raise OptionError(
                f"{label!r} is not one of {plural(size, 'row' if not side else 'column')}"
            )
        known = self._numbers[side]
        if known is None:
            known = self._numbers[side] = {name: k for k, name in enumerate(labels)}
        if label not in known:
            raise OptionError(f"there is no {label!r} on the {'right' if side else 'left'}")
        return known[label]

    def edge(self, i: int, j: int) -> int | None:
        """Return the place of a pair among the edges, None if it is none."""
        begin, end = int(self.graph.indptr[i]), int(self.graph.indptr[i + 1])
        k = begin + int(np.searchsorted(self.graph.indices[begin:end], j))
        return k if k < end and self.graph.indices[k] == j else None

    def kind(self, e: int) -> int:
        """Return how many ends of an edge a cover has; 1 where there is no cover."""
        if self.cover is None:
            return 1
        i = int(np.searchsorted(self.graph.indptr, e, side="right")) - 1
        return int(self.cover[i]) + int(self.cover[self.n_rows + int(self.graph.indices[e])])

    def reduced(self, e: int, i: int) -> Any:
        """Return the reduced cost of an edge at row i."""
        j = int(self.graph.indices[e])
        return (self.costs[e] - self.price[i] - self.price[self.n_rows + j]).item()

    def change(self, e: int) -> Any:
        """Return by how much the least cost rises if the edge must change from in to out, or back.

        An infinite one says that this cannot be.
        """
        if self.kind(e) != 1:
            return math.inf
        i = int(np.searchsorted(self.graph.indptr, e, side="right")) - 1
        j = self.n_rows + int(self.graph.indices[e])
        if self.chosen[e]:
            return max(self.distance(i, j, e) - self.reduced(e, i), 0)
        return max(self.distance(j, i, e) + self.reduced(e, i), 0)

    def distance(self, start: int, target: int, without: int) -> Any:
        """Return the length of a shortest path that does not use an edge; inf if there is none."""
        dist: dict[int, Any] = {start: self.nothing}
        heap = [(self.nothing, start)]
        done = set()
        while heap:
            d, x = heapq.heappop(heap)
            if x == target:
                return d
            if x in done:
                continue
            done.add(x)
            for y, length in self.steps(x, without):
                new = self.join(d, length)
                if new < dist.get(y, math.inf):
                    dist[y] = new
                    heapq.heappush(heap, (new, y))
        return math.inf

    @staticmethod
    def join(length: Any, step: Any) -> Any:
        """Return the length of a path with one more step."""
        return length + max(step, 0)  # below 0 by rounding only

    def steps(self, x: int, without: int) -> Iterator[tuple[int, Any]]:
        """Yield where the paths from a vertex go on, and the lengths of these steps."""
        if x == self.nobody:
            gain = self.leave - self.price
            for y in np.flatnonzero(self.has_unused[: self.n_rows]).tolist():
                yield y, -gain[y].item()
            for y in np.flatnonzero(self.may_leave[self.n_rows :]).tolist():
                yield self.n_rows + y, gain[self.n_rows + y].item()
        elif x < self.n_rows:
            if self.may_leave[x]:
                yield self.nobody, (self.leave[x] - self.price[x]).item()
            begin, end = int(self.graph.indptr[x]), int(self.graph.indptr[x + 1])
            for e in range(begin, end):
                if not self.chosen[e] and e != without and self.kind(e) == 1:
                    yield self.n_rows + int(self.graph.indices[e]), self.reduced(e, x)
        else:
            if self.has_unused[x]:
                yield self.nobody, (self.price[x] - self.leave[x]).item()
            for e in self.chosen_at.get(x - self.n_rows, ()):
                if e != without and self.kind(e) == 1:
                    yield self.row_of[e], -self.reduced(e, self.row_of[e])

    def range_of(self, left: Any, right: Any) -> PriceRange:
        """Return between which weights of a pair the assignment stays a best one."""
        i, j = self.place(0, left), self.place(1, right)
        e = self.edge(i, j)
        if e is None:
            raise OptionError(f"{left!r} and {right!r} are no pair to choose from")
        cost, change = self.costs[e].item(), self.change(e)
        low, high = -math.inf, math.inf
        if change < math.inf:
            low, high = (low, cost + change) if self.chosen[e] else (cost - change, high)
        chosen, weight = bool(self.chosen[e]), self.weights[e].item()
        if self.plan.objective == "product":
            low, high = (math.exp(-x) if x > -709 else math.inf for x in (high, low))
        elif self.plan.objective == "max":
            low, high = -high, -low
        return PriceRange(left, right, weight, chosen, low, high)


class _Widest(_Network):
    """The same where it is the smallest weight that counts: costs are weights, turned round."""

    nothing = -math.inf

    @staticmethod
    def join(length: Any, step: Any) -> Any:
        """Return the largest cost of a path with one more step."""
        return max(length, step)

    def change(self, e: int) -> Any:
        """Return by how much the smallest weight must fall if the edge changes from in to out."""
        if self.kind(e) != 1:
            return math.inf
        i = int(np.searchsorted(self.graph.indptr, e, side="right")) - 1
        j = self.n_rows + int(self.graph.indices[e])
        now = -self.plan.total
        cost = self.distance(i, j, e) if self.chosen[e] else self.distance(j, i, e)
        own = -math.inf if self.chosen[e] else self.costs[e].item()
        return max(cost, own, now) - now

    def steps(self, x: int, without: int) -> Iterator[tuple[int, Any]]:
        """Yield where the paths from a vertex go on, and the costs of the pairs that come in."""
        for y, _ in super().steps(x, without):
            e = self.edge(x, y - self.n_rows) if x < self.n_rows and y != self.nobody else None
            yield y, -math.inf if e is None else self.costs[e].item()
