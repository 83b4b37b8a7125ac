"""The checker of assignments by weight: prices prove that no choice is cheaper. Only numpy.

Given are
  R, C    `shape`: rows are 0 … R − 1, columns 0 … C − 1
  E       `edges`, in pieces (rows, cols, costs, chosen): edge e joins row i(e) and column j(e),
          costs c(e), and x(e) is its truth value: whether it is chosen
  for rows and for columns, a number for each vertex w:
  k, l    `capacity` and `least`, whole numbers: w may be an end of l(w) to k(w) chosen edges
  a       `leave`: what each unit that stays unused costs; None or `REQUIRED`: there must be none
  p       `prices`, any numbers
  S       `cover`, where only largest choices count: a truth value for each vertex

A *choice* is a set y ⊆ E that every vertex w is an end of d(w) times, l(w) ≤ d(w) ≤ k(w), where
d(w) = k(w) if w is required. It costs  Σ{c(e) : e ∈ y} + Σ{a(w)·(k(w) − d(w)) : w}.
`check_assignment` returns numbers (low, high) and raises unless
  (1)  x is a choice, which costs at most high;
  (2)  no choice costs less than low; of those that count, if there is a cover.

Why (2) holds. Let r(e) = c(e) − p(i(e)) − p(j(e)). Whatever the prices are, a choice y costs
    Σ{r(e) : e ∈ y} + Σ{p(w)·d(w) + a(w)·(k(w) − d(w)) : w},
since each price is taken off and put on as often. The first sum is at least Σ{min(0, r(e)) : e}. In
the second one the term of w is linear in d(w), so it is least at one of its ends: at k(w) if w is
required or p(w) ≤ a(w), else at l(w). Both together are `low`. So x is best if low = high.

With a cover: let U be the edges with no end in S, and T those with two. An edge that is not in U
has an end in S, so no choice has more than |U| + Σ{k(w) : w ∈ S} edges, and x must have so many.
Choices with so many are those that count. They have all of U, none of T, and all units of S. So
e ∈ U adds r(e) to `low` whatever its sign, e ∈ T adds nothing, w ∈ S counts as required, and l(w)
is at least the number of edges of U at w.

Integers are exact: they must be below 2^61, so r fits in 64 bits, and sums are Python's. Floating-
point numbers stand for the fractions that they are. Rounding is outwards: `low` is never too large
and `high` never too small, and both are exact where no step was rounded. Pieces are copied before
they are looked at, as in `check`, which also says what that is for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..errors import ProofError
from .check import check_sizes, copy_of, ends_of

REQUIRED = {"i": 2**63 - 1, "f": math.inf}
LARGEST = {"i": 2**61, "f": 2.0**970}  # so that nothing overflows
MOST_UNITS = 2**26  # so that units times half of the digits of a price are exact


class Side(NamedTuple):
    """What is known of the vertices of a side: k, l, a and p; S where there is a cover."""

    capacity: Any
    least: Any
    leave: Any
    prices: Any
    cover: Any = None


class Bounds(NamedTuple):
    """What `bounds` adds up: (low, high), how often each vertex is used, and what is wrong."""

    low: Any
    high: Any
    wrong: str | None


def check_assignment(
    shape: tuple[int, int], edges: Iterable[Any], rows: Side, cols: Side, kind: str
) -> tuple[Any, Any]:
    """Return (low, high) if (1) and (2) hold; `kind` is "i" for integers and "f" for others."""
    low, high, wrong = bounds(shape, edges, rows, cols, kind)
    if wrong:
        raise ProofError(wrong)
    return low, high


def bounds(
    shape: tuple[int, int], edges: Iterable[Any], rows: Side, cols: Side, kind: str
) -> Bounds:
    """Return low, for which (2) holds, high, and why (1) does not hold."""
    sides = [_copied(name, side, kind) for name, side in (("rows", rows), ("columns", cols))]
    check_sizes("the assignment", sides[0].prices, sides[1].prices, shape)
    degrees, forced = ([np.zeros(size, np.int64) for size in shape] for _ in range(2))
    low, high, wrong = [], [], None
    covered = sides[0].cover is not None
    for piece in edges:
        i = ends_of("row", piece[0], shape[0])
        j = ends_of("column", piece[1], shape[1], i.size)
        c, x = copy_of("costs", piece[2], kind, i.size), copy_of("chosen", piece[3], "b", i.size)
        _check_range("costs", c, kind)
        r = _floor_of_difference(c, sides[0].prices[i], sides[1].prices[j])
        counted, in_all = np.minimum(r, 0), np.zeros(i.size, np.bool_)
        if covered:
            ends = sides[0].cover[i].astype(np.int8) + sides[1].cover[j]
            in_all = ends == 0
            counted = np.select([in_all, ends == 1], [r, counted], 0)
        low.append(counted[counted != 0])
        high.append(c[x])
        for end, d, f in zip((i, j), degrees, forced, strict=True):
            d += np.bincount(end[x], minlength=d.size)
            f += np.bincount(end[in_all], minlength=f.size)
    most = forced[0].sum()
    for name, side, d, f in zip(("row", "column"), sides, degrees, forced, strict=True):
        k, least, a, p, cover = side
        must = a == REQUIRED[kind]
        if covered:
            most += k[cover].sum()
            must, least = must | cover, np.minimum(np.maximum(least, f), k)
        unfit = np.flatnonzero((d > k) | (d < np.where(must, k, least)))
        if unfit.size:
            w = unfit[0]
            needed = k[w] if must[w] else least[w]
            wrong = f"{name} {w} is in {d[w]} chosen pairs, and must be in {needed} to {k[w]}"
        used, left = np.where(must | (p <= a), k, least), np.where(must, 0, a)
        low += [*_products(p, used), *_products(left, k - used)]
        high += _products(left, np.maximum(k - d, 0))
    if covered and degrees[0].sum() != most:
        wrong = f"{degrees[0].sum()} pairs are chosen, and the cover allows {most}: no proof"
    return Bounds(_sum(low, kind, -1), _sum(high, kind, 1), wrong)


def _copied(name: str, side: Side, kind: str) -> Side:
    """Copy what is known of a side, and look whether it is in range."""
    p = copy_of(f"prices of {name}", side.prices, kind)
    a = copy_of(f"leave of {name}", side.leave, kind, p.size)
    k, least = (copy_of(f"units of {name}", u, "i", p.size) for u in (side.capacity, side.least))
    _check_range(f"prices of {name}", p, kind)
    _check_range(f"leave of {name}", a[a != REQUIRED[kind]], kind)
    if ((least < 0) | (least > k) | (k >= MOST_UNITS)).any():
        raise ProofError(f"units of {name} must be 0 ≤ least ≤ capacity < {MOST_UNITS}")
    cover = None if side.cover is None else copy_of(f"cover of {name}", side.cover, "b", p.size)
    return Side(k.astype(np.int64), least.astype(np.int64), a, p, cover)


def _check_range(name: str, values: Any, kind: str) -> None:
    """Raise if a number is too large, or is none."""
    if not ((values < LARGEST[kind]) & (values > -LARGEST[kind])).all():
        raise ProofError(f"{name} must be numbers below {LARGEST[kind]:.3g}")


def _floor_of_difference(c: Any, u: Any, v: Any) -> Any:
    """Return c − u − v, of floating-point numbers rounded to something that is no larger."""
    if c.dtype.kind == "i":
        return c - u - v
    first, lost = _exact_difference(c, u)
    second, more = _exact_difference(first, v)
    inexact = (lost != 0) | (more != 0)
    rest = lost + more
    total = second + rest
    # What both sums lose is at most half of the last digit, 2^-53, of each.
    slack = (np.abs(rest) + np.abs(total)) * 2.0**-51 + 2.0**-1074
    return np.where(inexact, total - slack, second)


def _exact_difference(a: Any, b: Any) -> tuple[Any, Any]:
    """Return a − b rounded, and what was lost (Knuth's two-sum)."""
    s = a - b
    t = s - a
    return s, (a - (s - t)) - (b + t)


def _products(numbers: Any, units: Any) -> list[Any]:
    """Return arrays whose sum is numbers times units, exactly."""
    if numbers.dtype.kind == "i":
        return [np.array([sum(x * n for x, n in zip(numbers.tolist(), units.tolist()))], object)]  # noqa: B905
    upper = (numbers.view(np.int64) & -(1 << 27)).view(np.float64)
    return [upper * units, (numbers - upper) * units]


def _sum(parts: list[Any], kind: str, towards: int) -> Any:
    """Return the sum of all parts; of floating-point numbers rounded down or up."""
    numbers = np.concatenate([np.zeros(0, parts[0].dtype), *parts]).tolist()
    if kind == "i":
        return sum(numbers)
    total = math.fsum(numbers)
    lost = math.fsum([*numbers, -total])
    return math.nextafter(total, towards * math.inf) if lost * towards > 0 else total
