"""`Assignment.price_range` against all assignments of small matrices, with every weight tried."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import berge

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
