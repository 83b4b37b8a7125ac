"""The checker of assignments by weight: prices prove that no choice is cheaper. Only numpy.

Given are
  R, C    `shape`: rows are 0 … R − 1, columns 0 … C − 1
  E       `edges`, in pieces (rows, cols, costs, chosen): edge e joins row i(e) and column j(e),
          costs c(e), and x(e) is its truth value: whether it is chosen
  for rows and for columns, a number for each vertex w:
  k, l    `capacity` and `least`, whole numbers: w may be an end of l(w) to k(w) chosen edges
  a       `leave`: what each unit that stays unused costs; `REQUIRED`: there must be none
  p       `prices`, any numbers
  S       `cover`, where only largest choices count: a truth value for each vertex

A *choice* is a set y ⊆ E that every vertex w is an end of d(w) times, l(w) ≤ d(w) ≤ k(w), where
d(w) = k(w) if w is required. It costs  Σ{c(e) : e ∈ y} + Σ{a(w)·(k(w) − d(w)) : w}.
`check_assignment` returns numbers (low, high), and raises unless
  (1)  x is a choice, which costs at most high;
  (2)  no choice costs less than low; of those that count, if there is a cover.

Why (2) holds. Let r(e) = c(e) − p(i(e)) − p(j(e)). Whatever the prices are, a choice y costs
    Σ{r(e) : e ∈ y} + Σ{p(w)·d(w) + a(w)·(k(w) − d(w)) : w},
since each price is taken off and put on as often. The first sum is at least Σ{min(0, r(e)) : e}. In
the second one the term of w is linear in d(w), so it is least at one of its ends: at k(w) if w is
required or p(w) ≤ a(w), else at l(w). Both together are `low`. So x is best if low = high.

With a cover: let U be the edges with no end in S, and T those with two. An edge that is not in U
has an end in S, so no choice has more than |U| + Σ{k(w) : w ∈ S} edges, and x must have so many.
Choices with so many are those that count: with all of U, none of T, and all units of S. So e ∈ U
adds r(e) to `low`, e ∈ T nothing, S is required, and l(w) is no less than U has edges at w.

Integers must be below 2^61, so that r fits in 64 bits; sums are Python's. Floating-point numbers
stand for the fractions that they are: `low` is rounded down and `high` up, and both are exact where
no step was rounded. All is copied before it is looked at, as in `check`, which says what for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..errors import ProofError
from .check import check_sizes, copy_of, ends_of, numbers_of

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


def check_assignment(
    shape: tuple[int, int], edges: Iterable[Any], rows: Side, cols: Side, kind: str, *,
    only_low: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Return (low, high) if (1) and (2) hold; `kind` is "i" for integers and "f" for others.

    With `only_low`, (1) need not hold, and high means nothing.
    """
    covered = rows.cover is not None or cols.cover is not None
    sides = [_copied("rows", rows, kind, covered), _copied("columns", cols, kind, covered)]
    check_sizes("the assignment", sides[0].prices, sides[1].prices, shape)
    degrees, forced = ([np.zeros(size, np.int64) for size in shape] for _ in range(2))
    low, high, wrong = [], [], ""
    for piece in edges:
        i = ends_of("row", piece[0], shape[0])
        j = ends_of("column", piece[1], shape[1], i.size)
        c = numbers_of("costs", piece[2], kind, LARGEST[kind], i.size)
        x = copy_of("chosen", piece[3], "b", i.size)
        r = floor_of_difference(c, sides[0].prices[i], sides[1].prices[j])
        counted, in_all = np.minimum(r, 0), np.zeros(i.size, np.bool_)
        if covered:
            ends = sides[0].cover[i].astype(np.int8) + sides[1].cover[j]
            in_all = ends == 0
            counted = np.select([in_all, ends == 1], [r, counted], 0)
        low += counted[counted != 0].tolist()
        high += c[x].tolist()
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
        least = np.where(must, k, least)
        if (unfit := (d > k) | (d < least)).any():
            w = unfit.argmax()
            wrong = f"{name} {w} is in {d[w]} chosen pairs, and must be in {least[w]} to {k[w]}"
        used, left = np.where(p <= a, k, least), np.where(must, 0, a)
        low += [*products(p, used), *products(left, k - used)]
        high += products(left, np.maximum(k - d, 0))
    if covered and degrees[0].sum() != most:
        wrong = f"{degrees[0].sum()} pairs are chosen, and the cover allows {most}: no proof"
    if wrong and not only_low:
        raise ProofError(wrong)
    return sum_of(low, kind, -math.inf), sum_of(high, kind, math.inf)


def _copied(name: str, side: Side, kind: str, covered: bool) -> Side:
    """Copy what is known of a side, and look whether it is in range."""
    p = numbers_of(f"prices of {name}", side.prices, kind, LARGEST[kind])
    a = numbers_of(f"leave of {name}", side.leave, kind, LARGEST[kind], p.size, REQUIRED[kind])
    k, least = (copy_of(f"units of {name}", u, "i", p.size) for u in (side.capacity, side.least))
    if ((least < 0) | (least > k) | (k >= MOST_UNITS)).any():
        raise ProofError(f"units of {name} must be 0 ≤ least ≤ capacity < {MOST_UNITS}")
    cover = copy_of(f"cover of {name}", side.cover, "b", p.size) if covered else None
    return Side(k.astype(np.int64), least.astype(np.int64), a, p, cover)


def floor_of_difference(c: Any, u: Any, v: Any = 0) -> Any:
    """Return c − u − v; of floating-point numbers, where it was rounded, something less."""
    if c.dtype.kind == "i":
        return c - u - v
    total, rest = c, 0.0
    for p in (u, v):  # Knuth's two-sum: what a difference loses goes to the rest
        s = total - p
        t = s - total
        total, rest = s, rest + ((total - (s - t)) - (p + t))
    less = np.nextafter(total + np.nextafter(rest, -np.inf), -np.inf)
    return np.where(rest == 0, total, less)


def products(numbers: Any, units: Any) -> list[Any]:
    """Return numbers whose sum is numbers times units, exactly."""
    if numbers.dtype.kind == "i":
        return (numbers.astype(object) * units).tolist()  # type: ignore[no-any-return]
    upper = (numbers.view(np.int64) & -(1 << 27)).view(np.float64)
    return [*(upper * units).tolist(), *((numbers - upper) * units).tolist()]


def sum_of(numbers: list[Any], kind: str, towards: float) -> Any:
    """Return a sum; of floating-point numbers rounded down or up, if it must be."""
    if kind == "i":
        return sum(numbers)
    total = math.fsum(numbers)
    lost = math.fsum([*numbers, -total])
    return math.nextafter(total, towards) if lost * towards > 0 else total
