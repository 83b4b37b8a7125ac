"""`Assignment.price_range` and `explain` against all assignments of small matrices."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import berge

from ..fuzz.assignments import Brute

WEIGHTS = range(-14, 15)


def all_matchings(edges):
    """Yield every set of edges no two of which share an end, as tuples of numbers of edges."""
    for chosen in product((False, True), repeat=len(edges)):
        picked = tuple(k for k, is_in in enumerate(chosen) if is_in)
        rows, cols = {edges[k][0] for k in picked}, {edges[k][1] for k in picked}
        if len(rows) == len(cols) == len(picked):
            yield picked


def candidates(edges, match, shape):
    """Return what may be chosen: all, the largest, or those that use the smaller side up."""
    found = list(all_matchings(edges))
    most = max(map(len, found))
    if match == "full" and most < min(shape):
        return []
    return [m for m in found if match == "any" or len(m) == most]


@pytest.mark.filterwarnings("ignore:with match=.any.:RuntimeWarning")
@pytest.mark.parametrize("match", ["full", "maximum", "any"])
@pytest.mark.parametrize("objective", ["min", "max"])
def test_every_weight(match, objective):
    rng = np.random.default_rng(7)
    tried = 0
    sign = 1 if objective == "min" else -1
    for _ in range(40):
        shape = tuple(rng.integers(1, 4, 2).tolist())
        edges = [e for e in np.ndindex(shape) if rng.random() < 0.8]
        choices = candidates(edges, match, shape)
        if not edges or not choices:
            continue
        weights = rng.integers(-6, 7, len(edges))
        rows, cols = (np.array(ends) for ends in zip(*edges, strict=True))
        plan = berge.assign((rows, cols, weights, shape), objective=objective, match=match)
        chosen = tuple(k for k, e in enumerate(edges) if list(e) in plan.pairs().tolist())
        for k, found in enumerate(plan.price_range(edges)):
            for weight in WEIGHTS:
                changed = weights.copy()
                changed[k] = weight
                totals = [sign * changed[list(m)].sum() for m in choices]
                is_best = sign * changed[list(chosen)].sum() == min(totals)
                assert is_best == (found.low <= weight <= found.high), (edges, weights, found)
                tried += 1
    assert tried > 2000


def drawn(rng, objective):
    """Return edges, weights, shape and what to ask for: prices of leaving, units, lower bounds."""
    shape = tuple(rng.integers(1, 4, 2).tolist())
    rows, cols = np.nonzero(rng.random(shape) < 0.8)
    weights = rng.integers(-6, 7, rows.size)
    if objective == "product":
        weights = rng.integers(1, 9, rows.size).astype(float)
    asked = {"objective": objective, "match": str(rng.choice(["full", "maximum", "any"]))}
    if objective == "bottleneck":
        asked["match"] = str(rng.choice(["full", "maximum"]))
        return (rows, cols, weights, shape), asked
    if objective in ("min", "max") and rng.random() < 0.6:
        asked["unmatched_cost"] = tuple(rng.integers(-4, 5, n) for n in shape)
    for side, n in zip(("left", "right"), shape, strict=True) if rng.random() < 0.6 else ():
        asked[f"capacity_{side}"] = rng.integers(0, 4, n)
        least = np.minimum(rng.integers(0, 2, n), asked[f"capacity_{side}"])
        asked[f"at_least_{side}"] = least
    return (rows, cols, weights, shape), asked


@pytest.mark.filterwarnings("ignore:with match=.any.:RuntimeWarning")
@pytest.mark.parametrize("objective", ["min", "max", "product", "bottleneck"])
def test_explain_says_what_it_would_cost(objective):
    """The total changes by as much as the best choice says that has the pair, or has it not."""
    rng = np.random.default_rng(8)
    better = min if objective == "min" else max
    tried = 0
    for _ in range(150):
        source, asked = drawn(rng, objective)
        brute = Brute(*source, asked)
        if not brute.sets.size:
            continue
        plan = berge.assign(source, **asked)
        totals = {k: brute.total(k) for k in brute.sets.tolist()}
        chosen = {tuple(pair) for pair in plan.pairs().tolist()}
        for k, pair in enumerate(brute.worth):
            others = [t for found, t in totals.items() if (found >> k & 1) != (pair in chosen)]
            said = plan.explain(*pair)
            change = abs(better(others) - better(totals.values())) if others else math.inf
            if change == math.inf:
                assert "no way" in said or "no largest" in said
            elif change < 1e-9:
                assert "as good" in said
            elif objective == "bottleneck":
                assert said.endswith(f"would be {better(others)}")
            else:
                assert math.isclose(float(said.rpartition(" ")[2]), change, rel_tol=1e-5)
            tried += 1
    assert tried > 200
