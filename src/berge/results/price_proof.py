"""How an `Assignment` is proved to be the best: its prices, for `berge.checker.prices` to check."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..checker.check import check_matching, copy_of, edges_of_rows
from ..checker.prices import REQUIRED, check_assignment
from ..errors import ProofError
from ..shown import Shown

if TYPE_CHECKING:
    from .assignment import Assignment

__all__ = ["PriceProof", "bounds_of", "check_choice", "in_digits", "is_required", "price_proof"]

TOLERANCE = 2.0**-36  # of floating-point sums: what prices may leave open, of all that is added up
SIDES = ("row", "col")
Values = npt.NDArray[Any]


@dataclass(frozen=True)
class PriceProof(Shown):
    """Prices that prove an assignment to be the best, as `berge.checker.prices` has checked.

    Attributes
    ----------
    row_prices, col_prices
        What each row and column is worth; see `Assignment.row_prices`.
    best, worst
        The best total of any assignment lies between these. With objective ``"min"`` none is below
        `best`, and this one is not above `worst`; with ``"max"`` it is the other way round.
    is_exact
        Whether both are the same. So it is with integers; with floating-point numbers they may be
        2⁻³⁶ of all that is added up apart.

    Examples
    --------
    >>> import berge
    >>> proof = berge.assign([[4, 1], [2, 3]]).prove()
    >>> proof.best, proof.is_exact
    (3, True)
    """

    row_prices: Values
    col_prices: Values
    best: Any
    worst: Any

    @property
    def is_exact(self) -> bool:
        """Whether the total is proved to the last digit."""
        return bool(self.best == self.worst)

    @property
    def apart(self) -> Any:
        """How far from each other both are."""
        if isinstance(self.best, type(self.worst)):
            return abs(self.best - self.worst)
        return abs(Decimal(self.best) - Decimal(self.worst))

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "proof", repr(self)[len("PriceProof(") : -1]

    def __repr__(self) -> str:
        if self.is_exact:
            return f"PriceProof(no assignment is better than {in_digits(self.best)})"
        said = in_digits(self.best)
        return f"PriceProof(no assignment is better than {said}, {self.apart:.2g} away)"


def price_proof(plan: Assignment) -> PriceProof:
    """Return the proof that no assignment is better; see `Assignment.prove`."""
    _check_asked(plan)
    plan._check_weights(plan._known()[0], plan.weights)
    if plan.total != (total := plan._added_up()):
        raise ProofError(f"the total is {in_digits(total)}, and the assignment says {plan.total}")
    if plan.objective == "bottleneck":
        best = worst = _bottleneck(plan)
    else:
        low, high = bounds_of(plan)
        best, worst = plan._in_weights(low), plan._in_weights(high)
        if high - low > TOLERANCE * _magnitude(plan, high):
            raise ProofError(
                f"the prices leave room: the best total is between {in_digits(best)} and "
                f"{in_digits(worst)}"
            )
    return PriceProof(plan.row_prices, plan.col_prices, best, worst)


def bounds_of(plan: Assignment, only_low: bool = False) -> tuple[Any, Any]:
    """Return what the checker makes of the edges, the choice and the prices."""
    graph, costs = plan._known()
    kind = "i" if costs.dtype.kind == "i" else "f"
    chosen = np.zeros(graph.nnz, np.bool_)
    chosen[plan._places(graph)] = True

    def pieces() -> Iterator[Any]:
        at = 0
        for rows, cols, _ in edges_of_rows(graph.indptr, graph.window):
            until = at + rows.size
            yield rows, cols, costs[at:until], chosen[at:until]
            at = until

    sides = plan.row_side, plan.col_side
    return check_assignment(graph.shape, pieces(), *sides, kind, only_low=only_low)


def check_choice(plan: Assignment) -> None:
    """Check that the pairs are a choice of what was asked for, the best one or not."""
    sides = {f"{side}_side": getattr(plan, f"{side}_side")._replace(cover=None) for side in SIDES}
    bounds_of(replace(plan, **sides))


def is_required(leave: Values) -> Values:
    """Tell for which vertices the price of leaving says that they must not."""
    same: Values = leave == REQUIRED[leave.dtype.kind]
    return same


def in_digits(total: Any) -> str:
    """Return a total in words."""
    return f"{total:,}" if isinstance(total, int) else f"{total:.10g}"


def _check_asked(plan: Assignment) -> None:
    """Check that the units and prices of leaving are such that `match` is what they say."""
    if plan.match == "full":
        most = min(int(side.capacity.sum()) for side in (plan.row_side, plan.col_side))
        if plan.size != most:
            raise ProofError(f"match is 'full', and {plan.size} pairs of {most} are chosen")
    elif plan.match == "maximum" and plan.row_side.cover is None:
        raise ProofError("match is 'maximum', and there is no cover that proves it")


def _magnitude(plan: Assignment, high: Any) -> float:
    """Return the sum of the absolute values of all that is added up; 0 for integers.

    A price counts for no more than the largest cost: others could be as large as a forger likes.
    """
    if isinstance(high, int):
        return 0.0
    graph, costs = plan._known()
    added = float(np.abs(costs[plan._places(graph)]).sum())
    sides = (plan.row_side, plan.col_side)
    paid = [np.where(is_required(side.leave), 0, np.abs(side.leave)) for side in sides]
    most = max(float(values.max(initial=0)) for values in (np.abs(costs), *paid))
    degrees, ends = (graph.row_degrees, graph.col_degrees), (plan.rows, plan.cols)
    for side, leave, degree, chosen in zip(sides, paid, degrees, ends, strict=True):
        unused = side.capacity - np.bincount(chosen, minlength=side.capacity.size)
        largest = np.minimum(np.maximum(leave, np.abs(side.prices)), most)
        added += float((largest * np.minimum(side.capacity, degree) + leave * unused).sum())
    return added


def _bottleneck(plan: Assignment) -> Any:
    """Check by covers that as many pairs cannot all be better."""
    graph, costs = plan._known()
    for side in (plan.row_side, plan.col_side):
        paid = np.where(is_required(side.leave) & (plan.match == "full"), 0, side.leave)
        if (side.capacity != 1).any() or side.least.any() or paid.any() or plan.match == "any":
            raise ProofError("a bottleneck is of one pair a vertex, and of as many as can be")
    places = plan._places(graph)
    worst = max(costs[places].tolist(), default=-math.inf)
    edges = list(edges_of_rows(graph.indptr, graph.window, costs))
    size = check_matching(plan.shape, edges, plan.row_match, plan.col_match)
    cover = plan.row_side.cover, plan.col_side.cover
    if cover[0] is not None:
        check_matching(plan.shape, edges, plan.row_match, plan.col_match, cover)
    elif size < min(plan.shape):
        raise ProofError(f"{size} pairs are chosen, and {min(plan.shape)} must be")
    if size and plan.above is not None:
        sizes = zip(plan.above, plan.shape, strict=True)
        left, right = (copy_of("cover of better pairs", part, "b", n) for part, n in sizes)
        if not int(left.sum() + right.sum()) < size:
            raise ProofError("the cover of better pairs is not smaller than the assignment")
        for rows, cols, cost in edges:
            if not (left[rows] | right[cols] | (cost >= worst)).all():
                raise ProofError("a better pair is not covered")
    elif size and (costs < worst).any():
        raise ProofError("there are better pairs, and no cover of them")
    return plan.total
