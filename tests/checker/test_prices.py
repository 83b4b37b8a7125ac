"""The checker of prices: by its specification, in exact fractions, case by case."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.random import default_rng

import berge
from berge.checker.prices import (
    MOST_UNITS,
    REQUIRED,
    Side,
    check_assignment,
    floor_of_difference,
    products,
    sum_of,
)
from berge.errors import ProofError

from .test_check import Agrees, ints, mask

KINDS = {"i": np.int64, "f": np.float64}

# Rows 0 and 1, columns 0 to 2; row 0 takes column 1 and row 1 takes 0. Columns may stay free.
EDGES = [(ints(0, 0), ints(0, 1), ints(4, 1), mask(2, 1)),
         (ints(1, 1), ints(0, 2), ints(2, 3), mask(2, 0))]  # fmt: skip
MUST = REQUIRED["i"]
ROWS = Side(ints(1, 1), ints(0, 0), ints(MUST, MUST), ints(1, 2))
COLS = Side(ints(1, 1, 1), ints(0, 0, 0), ints(0, 0, 0), ints(0, 0, 0))


def checked(edges=EDGES, rows=ROWS, cols=COLS, kind="i", **options):
    return check_assignment((2, 3), iter(edges), rows, cols, kind, **options)


def test_bounds():
    assert checked() == (3, 3)
    assert checked(rows=ROWS._replace(prices=ints(1, 1))) == (2, 3)
    assert checked(rows=ROWS._replace(prices=ints(2, 2))) == (3, 3)
    assert checked(rows=ROWS._replace(leave=ints(5, 5))) == (3, 3)
    assert checked(rows=ROWS._replace(leave=ints(0, 1))) == (1, 3)
    assert checked(cols=COLS._replace(leave=ints(0, 0, 7))) == (3, 10)
    assert checked(cols=COLS._replace(capacity=ints(1, 1, 3), leave=ints(0, 0, 7))) == (3, 24)
    none = Side(ints(), ints(), ints(), ints())
    assert check_assignment((0, 0), [], none, none, "i") == (0, 0)


def test_with_a_cover_only_largest_choices_count():
    """Two columns are wanted by both rows, and a third by nobody: all edges have one end in S."""
    rows = Side(ints(1, 1), ints(0, 0), ints(0, 0), ints(9, 9), mask(2, 0, 1))
    cols = COLS._replace(cover=mask(3))
    assert checked(rows=rows, cols=cols) == (18 - 5 - 8 - 7 - 6, 3)
    assert checked(rows=rows._replace(prices=ints(1, 2)), cols=cols) == (3, 3)
    all_in = Side(ints(2, 2), ints(0, 0), ints(0, 0), ints(1, 2), mask(2))
    every = [(*piece[:3], mask(2, 0, 1)) for piece in EDGES]
    wide = Side(ints(2, 2, 2), ints(0, 0, 0), ints(0, 0, 0), ints(0, 0, 0), mask(3))
    assert checked(every, all_in, wide) == (10, 10)
    with pytest.raises(ProofError, match="2 pairs are chosen, and the cover allows 4: no proof"):
        checked(rows=all_in, cols=wide)
    assert checked(rows=all_in, cols=wide, only_low=True)[0] == 10
    both = rows._replace(prices=ints(-9, -9)), cols._replace(cover=mask(3, 0, 1, 2))
    assert checked(rows=both[0], cols=both[1], only_low=True)[0] == -18  # no edge adds anything


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edges": EDGES[:1]}, "row 1 is in 0 chosen pairs, and must be in 1 to 1"),
        ({"edges": [*EDGES, EDGES[0]]}, "column 1 is in 2 chosen pairs, and must be in 0 to 1"),
        ({"cols": COLS._replace(least=ints(0, 0, 1))},
         "column 2 is in 0 chosen pairs, and must be in 1 to 1"),
        ({"rows": ROWS._replace(capacity=ints(1, 2))},
         "row 1 is in 1 chosen pairs, and must be in 2 to 2"),
        ({"rows": ROWS._replace(capacity=ints(0, 1))},
         "row 0 is in 1 chosen pairs, and must be in 0 to 0"),
        ({"rows": ROWS._replace(least=ints(0, 2))}, "units of rows must be 0 ≤ least ≤ .*"),
        ({"rows": ROWS._replace(least=ints(-1, 0))}, "units of rows must be 0 ≤ least ≤ .*"),
        ({"cols": COLS._replace(capacity=ints(1, 1, MOST_UNITS))}, "units of columns must be .*"),
        ({"rows": ROWS._replace(capacity=ints(1))}, "units of rows has 1 entries, not 2"),
        ({"rows": ROWS._replace(least=ints(1))}, "units of rows has 1 entries, not 2"),
        ({"rows": ROWS._replace(leave=ints(1))}, "leave of rows has 1 entries, not 2"),
        ({"rows": ROWS._replace(leave=None)}, "leave of rows must be a numpy array, .*"),
        ({"rows": ROWS._replace(leave=ints(0, 2**61))}, "leave of rows must be .* below .*"),
        ({"rows": ROWS._replace(prices=ints(0, 2**61))}, "prices of rows must be .* below .*"),
        ({"cols": COLS._replace(prices=ints(0, 0, MUST))}, "prices of columns must be .* below .*"),
        ({"cols": COLS._replace(prices=ints(0, 0, -(2**61)))}, "prices of columns must be .*"),
        ({"cols": ROWS}, "the assignment is for 2 × 2 vertices, the graph has 2 × 3"),
        ({"cols": COLS._replace(prices=np.zeros(3))}, "prices of columns must be .* integers, .*"),
        ({"rows": ROWS._replace(cover=mask(2))}, "cover of columns must be a numpy array, .*"),
        ({"cols": COLS._replace(cover=mask(3))}, "cover of rows must be a numpy array, .*"),
        ({"rows": ROWS._replace(cover=ints(0, 0)), "cols": COLS._replace(cover=mask(3))},
         "cover of rows must be a .* truth values, not .*"),
        ({"edges": [(ints(2), ints(0), ints(1), mask(1))]}, "an edge has row 2: out of range"),
        ({"edges": [(ints(0), ints(3), ints(1), mask(1))]}, "an edge has column 3: out of range"),
        ({"edges": [(ints(0, 0), ints(0), ints(1), mask(1))]}, "edges has 1 entries, not 2"),
        ({"edges": [(ints(0), ints(0), ints(1, 1), mask(1))]}, "costs has 2 entries, not 1"),
        ({"edges": [(ints(0), ints(0), ints(1), mask(2))]}, "chosen has 2 entries, not 1"),
        ({"edges": [(ints(0), ints(0), ints(1), ints(1))]}, "chosen must be .* truth values, .*"),
        ({"edges": [(ints(0), ints(0), ints(2**61), mask(1))]}, "costs must be .* below .*"),
        ({"edges": [(ints(0), ints(0), ints(-(2**63)), mask(1))]}, "costs must be .* below .*"),
        ({"edges": [(ints(0), ints(0), np.ones(1), mask(1))]}, "costs must be .* integers, .*"),
    ],
)  # fmt: skip
def test_refuses_what_is_wrong(changes, message):
    with pytest.raises(ProofError, match=f"^{message}$"):
        checked(**changes)


@pytest.mark.parametrize("number", [math.nan, -math.inf, 2.0**970, -(2.0**970), math.inf])
def test_refuses_what_is_no_number(number):
    for where in ("costs", "prices", "leave"):
        c, p, a = (
            np.array([number if where == name else 0.0]) for name in ("costs", "prices", "leave")
        )
        side = Side(ints(1), ints(0), a, p)
        edge = ints(0), ints(0), c, mask(1)
        if where == "leave" and number == math.inf:  # it is required
            continue
        with pytest.raises(ProofError, match=f"{where}.* must be numbers of 64 bits, below"):
            check_assignment((1, 1), [edge], side, side, "f")


@pytest.mark.parametrize("dtype", [np.int8, np.int16, ">i4", np.int64])
def test_numbers_are_not_cut_off(dtype):
    """The difference of 100, −100 and −100 is more than eight bits hold."""
    hundred, one = np.array([100], dtype), ints(1).astype(dtype)
    edge = 0 * one, 0 * one, hundred, mask(1, 0)
    side = Side(one, one, 0 * one, -hundred)
    assert check_assignment((1, 1), [edge], side, side, "i") == (-200, 100)


def test_subclasses_do_not_compare_for_themselves():
    with pytest.raises(ProofError, match="row 0 is in 1 chosen pairs, and must be in 0 to 0"):
        checked(rows=ROWS._replace(capacity=ints(0, 0).view(Agrees)))


def exactly(edges, sides, covered):
    """The specification in the head of prices.py, word by word: (low, high, whether x is a choice).

    Edges are (i, j, c, x); of a side there is (k, l, a, p, S) for each vertex, a None if required.
    """
    low = high = Fraction(0)
    degrees, forced = ([[0] * len(side) for side in sides] for _ in range(2))
    both = len(edges)
    for i, j, c, x in edges:
        r = c - sides[0][i][3] - sides[1][j][3]
        ends = sides[0][i][4] + sides[1][j][4] if covered else 1
        low += [r, min(0, r), 0][ends]
        high += c * x
        for side, end in enumerate((i, j)):
            degrees[side][end] += x
            forced[side][end] += ends == 0
        both -= ends > 0
    right, most = True, both
    for side, used, u in zip(sides, degrees, forced, strict=True):
        for (k, least, a, p, s), d, f in zip(side, used, u, strict=True):
            must = a is None or (covered and s)
            if covered:
                most += k * s
                least = min(max(least, f), k)
            low += p * k if must else min(p * n + a * (k - n) for n in (k, least))
            high += 0 if a is None else a * max(k - d, 0)
            right &= (k if must else least) <= d <= k
    return low, high, right and (not covered or sum(degrees[0]) == most)


def choices(edges, sides, covered):
    """Yield what each choice costs; with a cover, of those that have as many edges as it allows."""
    most = sum(not (sides[0][i][4] or sides[1][j][4]) for i, j, _, _ in edges)
    most += sum(k for side in sides for k, _, _, _, s in side if s)
    for y in product([0, 1], repeat=len(edges)):
        cost = sum((c * taken for (_, _, c, _), taken in zip(edges, y, strict=True)), Fraction(0))
        if covered and sum(y) != most:
            continue
        for end, side in enumerate(sides):
            for w, (k, least, a, _, _) in enumerate(side):
                d = sum(taken for e, taken in zip(edges, y, strict=True) if e[end] == w)
                if not (k if a is None else least) <= d <= k:
                    break
                cost += 0 if a is None else a * (k - d)
            else:
                continue
            break
        else:
            yield cost


def as_side(side, kind, covered):
    k, least, a, p, s = zip(*side, strict=True)
    a = [REQUIRED[kind] if x is None else x for x in a]
    numbers = np.array(a, KINDS[kind]), np.array(p, KINDS[kind])
    return Side(ints(*k), ints(*least), *numbers, np.array(s) if covered else None)


@pytest.mark.parametrize("covered", [False, True])
@pytest.mark.parametrize("digits", ["i", "few", "many"])
@pytest.mark.parametrize("seed", range(8))
def test_is_the_specification(covered, digits, seed):
    """Bounds are right for all choices, exact where they can be, else rounded outwards."""
    rng = default_rng([seed, covered])
    kind = "i" if digits == "i" else "f"

    def number():
        if digits == "many":
            return rng.normal() * 10.0 ** rng.integers(-18, 18 if seed % 2 else -16)
        value = rng.integers(-9, 9).item()
        return value if kind == "i" else value / 8

    right = 0
    for _ in range(15):
        shape = rng.integers(1, 4, 2).tolist()
        chance = rng.integers(1, 4)
        edges = [(*(rng.integers(0, n).item() for n in shape), number(), rng.integers(3) < chance)
                 for _ in range(rng.integers(0, 6))]  # fmt: skip
        sides = []
        for end, n in enumerate(shape):
            side = []
            for w in range(n):
                d = sum(int(e[3]) for e in edges if e[end] == w)
                k = d + int(rng.integers(0, 2)) * int(rng.integers(0, 3))
                least = int(rng.integers(0, k + 1)) if rng.integers(3) == 0 else 0
                a = None if rng.integers(3) == 0 else number()
                side.append((k, least, a, number(), bool(rng.integers(2))))
            sides.append(side)
        cut = len(edges) // 2
        pieces = []
        for part in (edges[:cut], edges[cut:]):
            i, j, c, x = zip(*part, strict=True) if part else ((), (), (), ())
            pieces.append((ints(*i), ints(*j), np.array(c, KINDS[kind]), np.array(x, bool)))
        given = [as_side(side, kind, covered) for side in sides]
        exact = [(i, j, Fraction(c), int(x)) for i, j, c, x in edges]
        fractions = [[(k, least, None if a is None else Fraction(a), Fraction(p), s)
                      for k, least, a, p, s in side] for side in sides]  # fmt: skip
        low, high, choice = exactly(exact, fractions, covered)
        assert all(low <= cost for cost in choices(exact, fractions, covered))
        found = check_assignment(tuple(shape), pieces, *given, kind, only_low=True)
        if not choice:
            high = Fraction(found[1])  # which means nothing
            with pytest.raises(ProofError):
                check_assignment(tuple(shape), pieces, *given, kind)
        else:
            assert check_assignment(tuple(shape), pieces, *given, kind) == found
            right += 1
        if digits != "many":
            assert found == (low, high)
            continue
        assert Fraction(found[0]) <= low
        assert Fraction(found[1]) >= high
        scale = sum(abs(c) for _, _, c, _ in exact)
        scale += sum(
            (abs(a or 0) + abs(p)) * (k + 9) for side in fractions for k, _, a, p, _ in side
        )
        assert low - Fraction(found[0]) <= scale * Fraction(2) ** -50
        assert Fraction(found[1]) - high <= scale * Fraction(2) ** -50
    assert right > 0


@pytest.mark.parametrize("seed", range(20))
def test_differences_products_and_sums(seed):
    """What is rounded goes to the side that is asked for, and to the next number."""
    rng = default_rng(seed)
    c, u, v = (rng.normal(size=200) * 10.0 ** rng.integers(-25, 25, 200) for _ in range(3))
    v[:50], u[50:100] = (c - u)[:50], 0.0
    for x, y, z, low in zip(c, u, v, floor_of_difference(c, u, v).tolist(), strict=True):
        exact = Fraction(x) - Fraction(y) - Fraction(z)
        assert Fraction(low) <= exact
        assert Fraction(math.nextafter(math.nextafter(low, math.inf), math.inf)) >= exact
        if y == 0 and Fraction(float(exact)) == exact:
            assert Fraction(low) == exact
    assert floor_of_difference(c, u).tolist() == floor_of_difference(c, u, 0 * c).tolist()
    units = rng.integers(0, MOST_UNITS, 200)
    both = sum(map(Fraction, products(c, units)))
    assert both == sum(Fraction(x) * n for x, n in zip(c.tolist(), units.tolist(), strict=True))
    numbers = [*c.tolist(), *u.tolist()]
    exact = sum(map(Fraction, numbers))
    low, high = sum_of(numbers, "f", -math.inf), sum_of(numbers, "f", math.inf)
    assert Fraction(low) <= exact <= Fraction(high)
    assert high in (low, math.nextafter(low, math.inf))
    assert {sum_of([0.5, 0.25], "f", side) for side in (-math.inf, math.inf)} == {0.75}
    assert sum_of([2**62, 2**62], "i", math.inf) == 2**63


def test_forged_plans_are_refused():
    costs = default_rng(0).integers(0, 50, (6, 8))
    plan = berge.assign(costs)
    plan.prove(costs)
    swapped = plan.cols.copy()
    swapped[:2] = swapped[1::-1]
    with pytest.raises(ProofError, match="another weight"):
        replace(plan, cols=swapped).prove(costs)
    with pytest.raises(ProofError, match="leave room"):
        replace(plan, cols=swapped, pair_weights=costs[plan.rows, swapped]).prove(costs)
    with pytest.raises(ProofError, match="5 pairs have 6 weights"):
        replace(plan, rows=plan.rows[1:], cols=plan.cols[1:]).prove(costs)
    with pytest.raises(ProofError, match="is 'full', and 5 pairs of 6"):
        replace(plan, rows=plan.rows[1:], cols=plan.cols[1:]).prove()
    twice = np.where(plan.rows == 1, plan.cols[0], plan.cols)
    with pytest.raises(ProofError, match="in 2 chosen pairs"):
        replace(plan, cols=twice, pair_weights=costs[plan.rows, twice]).prove()
    higher = plan.col_side._replace(prices=plan.col_side.prices + 1)
    with pytest.raises(ProofError, match="leave room"):
        replace(plan, col_side=higher).prove(costs)
    mask = np.zeros(costs.shape, bool)
    mask[plan.rows[0], plan.cols[0]] = True
    with pytest.raises(ProofError, match="not an edge"):
        plan.prove(np.ma.MaskedArray(costs, mask=mask))


def test_forged_bottlenecks_are_refused():
    costs = default_rng(0).integers(0, 50, (6, 8))
    plan = berge.assign(costs, objective="bottleneck")
    plan.prove()
    assert plan.above is not None
    with pytest.raises(ProofError, match="another weight"):
        replace(plan, pair_weights=plan.pair_weights + 9).prove()
    few = plan.above[0][:3], plan.above[1]
    with pytest.raises(ProofError, match="cover of better pairs has 3 entries, not 6"):
        replace(plan, above=few).prove()
    with pytest.raises(ProofError, match="a better pair is not covered"):
        replace(plan, above=tuple(0 * part > 1 for part in plan.above)).prove()


def test_forged_covers_are_refused():
    wishes = [("a", "x", 1), ("b", "x", 2), ("c", "y", 1), ("c", "z", 5)]
    plan = berge.assign(wishes, match="maximum")
    plan.prove()
    more = plan.row_side._replace(cover=np.ones(3, bool))
    with pytest.raises(ProofError):
        replace(plan, row_side=more).prove()
