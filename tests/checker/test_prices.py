"""The checker of prices: nothing forged passes, and its interval is never wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from numpy.random import default_rng

import berge
from berge import ProofError
from berge.checker.prices import Side, bounds, check_assignment


def sides(n, kind, prices):
    ones = np.ones(n, np.int64)
    leave = np.zeros(n, np.int64 if kind == "i" else float)
    return Side(ones, 0 * ones, leave, np.asarray(prices, leave.dtype))


@pytest.mark.parametrize("kind", ["i", "f"])
@pytest.mark.parametrize("seed", range(60))
def test_low_is_never_too_large(kind, seed):
    """With any prices, against all choices, in exact fractions."""
    rng = default_rng(seed)
    rows, cols = rng.integers(0, 3, (2, 5))
    if kind == "i":
        costs, u, v = (rng.integers(-9, 9, n) for n in (5, 3, 3))
    else:
        costs, u, v = (rng.normal(size=n) * 10.0 ** rng.integers(-20, 20, n) for n in (5, 3, 3))
    piece = rows, cols, costs, np.zeros(5, bool)
    low = bounds((3, 3), [piece], sides(3, kind, u), sides(3, kind, v), kind).low
    totals = [
        sum((Fraction(costs[k].item()) for k in some), Fraction(0))
        for n in range(4)
        for some in combinations(range(5), n)
        if len(set(rows[list(some)])) == len(set(cols[list(some)])) == n
    ]
    assert Fraction(low) <= min(totals)


def test_forged_plans_are_refused():
    costs = default_rng(0).integers(0, 50, (6, 8))
    plan = berge.assign(costs)
    plan.prove(costs)
    swapped = plan.cols.copy()
    swapped[:2] = swapped[1::-1]
    with pytest.raises(ProofError, match="leave room"):
        replace(plan, cols=swapped).prove(costs)
    with pytest.raises(ProofError, match="must be in 1 to 1"):
        replace(plan, rows=plan.rows[1:], cols=plan.cols[1:]).prove(costs)
    with pytest.raises(ProofError, match="in 2 chosen pairs"):
        replace(plan, cols=np.where(plan.rows == 1, plan.cols[0], plan.cols)).prove(costs)
    higher = plan.col_side._replace(prices=plan.col_side.prices + 1)
    with pytest.raises(ProofError, match="leave room"):
        replace(plan, col_side=higher).prove(costs)
    mask = np.zeros(costs.shape, bool)
    mask[plan.rows[0], plan.cols[0]] = True
    with pytest.raises(ProofError, match="not an edge"):
        plan.prove(np.ma.MaskedArray(costs, mask=mask))


def test_forged_covers_are_refused():
    wishes = [("a", "x", 1), ("b", "x", 2), ("c", "y", 1), ("c", "z", 5)]
    plan = berge.assign(wishes, match="maximum")
    plan.prove()
    more = plan.row_side._replace(cover=np.ones(3, bool))
    with pytest.raises(ProofError):
        replace(plan, row_side=more).prove()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"costs": np.array([np.nan])}, "numbers below"),
        ({"costs": np.array([1])}, "floating-point"),
        ({"chosen": np.array([1])}, "truth values"),
        ({"rows": np.array([3])}, "out of range"),
    ],
)
def test_what_is_no_input(change, says):
    piece = {"rows": np.array([0]), "cols": np.array([0]), "costs": np.array([1.0]),
             "chosen": np.array([True])} | change  # fmt: skip
    with pytest.raises(ProofError, match=says):
        check_assignment(
            (1, 1), [tuple(piece.values())], sides(1, "f", [0]), sides(1, "f", [0]), "f"
        )
