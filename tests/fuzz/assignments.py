"""Small assignments of every kind, each against all sets of edges, and each proved.

    python -m tests.fuzz.assignments one|many [--go-on] [--seconds N] [--first SEED]

With `many`, a seed is up to 200 cases that ask for the same, side by side in one graph: each is
compared by itself, and calls take less of the time.

A case draws a graph of up to nine edges, weights of one kind (integers small, equal and large;
floating-point numbers even, of huge ranges, equal, subnormal), and how to call `berge.assign`:
objective, match, what leaving costs, capacities, lower bounds, algorithm, pairs and prices to begin
with, form of the source. The best total over all sets of edges must lie in the interval that is
proved, and be met.
"""

from __future__ import annotations

import math
import sys
import warnings
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from scipy.sparse import coo_array

import berge

from .differential import long_run, one_of

ALGORITHMS = ("auto", *(a.name for a in berge.algorithms("assign")))
WITH_CAPACITIES = ("auto", *(a.name for a in berge.algorithms("assign") if a.several))
SETS = {m: (np.arange(2**m)[:, None] >> np.arange(m)) & 1 for m in range(10)}
TOLERANCE = 1e-9  # of the sum of all absolute weights


def weights_of(rng: Generator, kind: str, size: int) -> Any:
    """Draw weights of a kind."""
    if kind == "small":
        return rng.integers(-3, 8, size)
    if kind == "equal":
        return rng.integers(0, 2, size)
    if kind == "large":
        return rng.integers(-(2**45), 2**45, size)
    if kind == "even":
        return rng.random(size)
    if kind == "single":
        return rng.normal(size=size).astype(np.float32)
    if kind == "ties":
        return rng.integers(0, 3, size) * 0.1 + rng.integers(0, 2, size) * 0.2
    if kind == "subnormal":
        return rng.integers(-4, 9, size) * 5e-324
    signs = rng.choice([-1.0, 1.0], size)
    return signs * rng.random(size) * 10.0 ** rng.integers(-280, 280, size)


MANY = 200  # cases side by side
SHAPES = ((1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 3))
MATCHES = ("full", "maximum", "any")
KINDS = ("small", "equal", "large", "even", "single", "ties", "subnormal", "huge")


def units(rng: Generator, size: int, least: int, most: int) -> Any:
    """Draw one number, or one for each vertex."""
    return int(rng.integers(least, most)) if rng.random() < 0.5 else rng.integers(least, most, size)


Case = tuple[Any, Any, Any, tuple[int, int], dict[str, Any]]


def drawn(rng: Generator) -> Case:
    """Draw rows, columns, weights, shape, and what to ask for."""
    shape = int(rng.integers(1, 5)), int(rng.integers(1, 5))
    size = int(rng.integers(0, min(9, shape[0] * shape[1] + 2) + 1))
    rows, cols = (rng.integers(0, n, size) for n in shape)
    kind = one_of(rng, KINDS)
    weights = weights_of(rng, kind, size)
    asked: dict[str, Any] = {
        "objective": one_of(rng, ("min", "max", "min", "max", "product", "bottleneck"))
    }
    asked["match"] = one_of(rng, MATCHES)
    asked["algorithm"] = one_of(rng, ALGORITHMS)
    if asked["objective"] == "bottleneck":
        asked["match"] = one_of(rng, ("full", "maximum"))
        return rows, cols, weights, shape, asked
    if asked["objective"] != "product" and rng.random() < 0.4:

        def cost() -> Any:
            if rng.random() < 0.3:
                return None
            drawn = weights_of(rng, kind, shape[len(given)])
            return drawn if rng.random() < 0.5 else drawn[0]

        given: list[Any] = []
        for _ in range(2):
            given.append(cost())
        asked["unmatched_cost"] = tuple(given)
    if rng.random() < 0.5:
        asked["algorithm"] = one_of(rng, WITH_CAPACITIES)
        for side, n in zip(("left", "right"), shape, strict=True):
            asked[f"capacity_{side}"] = units(rng, n, 0 if rng.random() < 0.2 else 1, 4)
            if rng.random() < 0.4:
                asked[f"at_least_{side}"] = np.minimum(
                    units(rng, n, 0, 3), asked[f"capacity_{side}"]
                )
    return rows, cols, weights, shape, asked


def source_of(
    rng: Generator, rows: Any, cols: Any, weights: Any, shape: Any, objective: str
) -> Any:
    """Return the same edges in one of the forms that `assign` takes."""
    form = one_of(rng, ("coo", "csr", "csc", "triples", "dense", "apart"))
    pairs = set(zip(rows.tolist(), cols.tolist(), strict=True))
    once = len(pairs) == rows.size
    if form in ("csr", "csc") and once:
        return coo_array((weights, (rows, cols)), shape=shape).asformat(form)
    if form == "dense" and once and weights.dtype.kind == "f" and objective != "product":
        dense = np.full(shape, np.inf if objective == "min" else -np.inf)
        dense[rows, cols] = weights
        return dense
    if form == "triples":
        return rows, cols, weights.tolist(), shape
    return (
        coo_array((weights, (rows, cols)), shape=shape)
        if form != "apart"
        else (rows, cols, weights, shape)
    )


class Brute:
    """All that can be chosen of a case, by trying every set of edges."""

    def __init__(self, rows: Any, cols: Any, weights: Any, shape: Any, asked: dict[str, Any]):
        objective = asked["objective"]
        better = max if objective != "min" else min
        worth: dict[tuple[int, int], Any] = {}
        for i, j, w in zip(rows.tolist(), cols.tolist(), weights.tolist(), strict=True):
            w = abs(float(w)) if objective == "product" else w
            if objective == "product" and w == 0:
                continue
            worth[i, j] = better(worth[i, j], w) if (i, j) in worth else w
        self.objective, self.worth = objective, worth
        m = len(worth)
        chosen = SETS[m]
        ends = np.array(list(worth), int).reshape(-1, 2)
        fits = np.ones(2**m, bool)
        self.paid: list[tuple[Any, Any]] = []
        capacities = []
        degrees = []
        for side, n, k in zip(("left", "right"), shape, (0, 1), strict=True):
            incidence = (ends[:, k][:, None] == np.arange(n)).astype(int)
            degree = chosen @ incidence
            capacity = np.broadcast_to(asked.get(f"capacity_{side}", 1), n)
            least = np.broadcast_to(asked.get(f"at_least_{side}", 0), n)
            fits &= ((degree <= capacity) & (degree >= least)).all(axis=1)
            capacities.append(capacity), degrees.append(degree)
        left, right = (int(c.sum()) for c in capacities)
        for k, fewer in enumerate((left <= right, right <= left)):
            full = asked["match"] == "full" and fewer
            if full:
                fits &= (degrees[k] == capacities[k]).all(axis=1)
            cost = asked.get("unmatched_cost", (None, None))[k]
            cost = np.broadcast_to(0 if cost is None else cost, shape[k])
            self.paid.append((capacities[k] - degrees[k], cost))
        sizes = chosen.sum(axis=1)
        if asked["match"] == "maximum" and fits.any():
            fits &= sizes == sizes[fits].max()
        self.sets = np.flatnonzero(fits)
        self.chosen = chosen

    def total(self, k: int) -> Any:
        """Return what a set of edges comes to."""
        values = [w for w, x in zip(self.worth.values(), self.chosen[k], strict=True) if x]
        if self.objective == "product":
            return math.fsum(map(math.log, values))
        if self.objective == "bottleneck":
            return min(values, default=math.inf)
        sign = 1 if self.objective == "min" else -1
        for unused, cost in self.paid:
            for n, c in zip(unused[k], cost.tolist(), strict=True):
                values += [sign * c] * int(n)  # a product would be rounded
        if all(isinstance(v, int) for v in values):
            return sum(values)
        return math.fsum(values)

    def totals(self) -> Any:
        """Return what all sets that are allowed come to, up to rounding."""
        weights = np.array(list(self.worth.values()), None if self.worth else float)
        if self.objective == "product":
            weights = np.log(weights)
        found = self.chosen[self.sets] @ weights
        sign = -1 if self.objective == "max" else 1
        for unused, cost in self.paid:
            found = found + sign * (unused[self.sets] @ cost)
        return found

    def best(self) -> Any:
        """Return the best total."""
        totals = map(self.total, self.sets.tolist())
        return min(totals) if self.objective == "min" else max(totals)


def solve(seed: int) -> int:
    """Try a case; return 1."""
    rng = default_rng(seed)
    rows, cols, weights, shape, asked = drawn(rng)
    brute = Brute(rows, cols, weights, shape, asked)
    source = source_of(rng, rows, cols, weights, shape, asked["objective"])
    told = {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in asked.items()}
    case = f"{rows.tolist()}, {cols.tolist()}, {weights.tolist()}, {shape}, {told}"
    error = plan = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            plan = berge.assign(source, **asked)
        except berge.InvalidGraphError as found:
            error = found
    if plan is None:
        assert not brute.sets.size, f"{error}, but it can be: {case}"
        return 1
    assert brute.sets.size, f"{plan}, but nothing is allowed: {case}"
    proof = plan.prove()
    best = brute.best()
    chosen = {(i, j) for i, j in plan.pairs().tolist()}
    mask = sum(1 << k for k, pair in enumerate(brute.worth) if pair in chosen)
    assert mask in brute.sets, f"{sorted(chosen)} is not allowed: {case}"
    total, found = plan.total, (proof.best, proof.worst)
    if asked["objective"] == "product":
        total = brute.total(mask)
        assert abs(total - best) <= TOLERANCE * (1 + abs(best)), f"{total} for {best}: {case}"
        return 1
    assert total == brute.total(mask), f"says {total}, is {brute.total(mask)}: {case}"
    if weights.dtype.kind == "i" or asked["objective"] == "bottleneck":
        assert total == best == found[0] == found[1], f"{total}, proved {found}, for {best}: {case}"
        return 1
    scale = math.fsum(map(abs, weights.tolist())) + sum(
        float((np.abs(cost) * unused.max(initial=0)).sum()) for unused, cost in brute.paid
    )
    assert abs(total - best) <= TOLERANCE * scale, f"{total} for {best}: {case}"
    assert min(found) <= best <= max(found), f"{best} is not in {found}: {case}"
    return 1


def solve_many(seed: int) -> int:
    """Try cases of one shape that ask for the same, side by side in one graph; return how many."""
    rng = default_rng([seed, 1])
    objective, match = one_of(rng, ("min", "max", "product")), one_of(rng, MATCHES)
    kind, several, paid = one_of(rng, KINDS), rng.random() < 0.5, rng.random() < 0.5
    n_rows, n_cols = shape = one_of(rng, SHAPES)
    pairs, (rows, cols) = n_rows * n_cols, np.divmod(np.arange(n_rows * n_cols), n_cols)
    sets = SETS[pairs].astype(bool)
    weights = weights_of(rng, kind, MANY * pairs).reshape(MANY, pairs)
    there = rng.random((MANY, pairs)) < one_of(rng, (0.4, 0.7, 1.0))
    worth = weights
    if objective == "product":
        there &= weights != 0
        worth = -np.log(np.abs(np.where(there, weights, 1)).astype(float))
    sign = -1 if objective == "max" else 1
    allowed = ~(~there[:, None, :] & sets).any(axis=2)  # of each case, by set
    totals = np.where(there, sign * worth, 0) @ sets.T
    asked: dict[str, Any] = {"objective": objective, "match": match}
    units, costs = [], []
    for side, ends, n in (("left", rows, n_rows), ("right", cols, n_cols)):
        degrees = sets.astype(int) @ (ends[:, None] == np.arange(n))
        capacity, least = np.ones((MANY, n), int), np.zeros((MANY, n), int)
        if several:
            capacity = rng.integers(0, 4, (MANY, n))
            least = np.minimum(rng.integers(0, 3, (MANY, n)), capacity) * (rng.random() < 0.4)
            if side == "right":  # or the left side would not be the one with fewer units
                capacity[:, 0] += np.maximum(0, units[0].sum(axis=1) - capacity.sum(axis=1)) + 1
            asked |= {f"capacity_{side}": capacity, f"at_least_{side}": least}
        allowed &= (degrees <= capacity[:, None]).all(axis=2)
        allowed &= (degrees >= least[:, None]).all(axis=2)
        if match == "full" and side == "left":
            allowed &= (degrees == capacity[:, None]).all(axis=2)
        cost = weights_of(rng, kind, MANY * n).reshape(MANY, n)
        if paid and objective != "product":
            costs.append(cost)
            unused = capacity[:, None] - degrees
            totals = totals + (unused * cost[:, None]).sum(axis=2)
            worth = np.concatenate([worth, 4 * cost], axis=1)
        units.append(capacity)
    sizes = sets.sum(axis=1)
    if match == "maximum":
        allowed &= sizes == np.where(allowed, sizes, -1).max(axis=1)[:, None]
    kept = np.flatnonzero(allowed.any(axis=1))  # the others are for `solve`
    if costs:
        asked["unmatched_cost"] = tuple(cost[kept].ravel() for cost in costs)
    asked |= {
        name: v[kept].ravel() for name, v in asked.items() if name.endswith(("left", "right"))
    }
    algorithm = one_of(rng, WITH_CAPACITIES if several else ALGORITHMS)
    if kind not in ("huge", "subnormal") and rng.random() < 0.3:
        ends = rng.integers(-1, kept.size * n_cols + 1, kept.size * n_rows)
        asked["initial"] = ends, weights_of(rng, kind, kept.size * n_cols)
    case, edge = np.nonzero(there[kept])
    source = case * n_rows + rows[edge], case * n_cols + cols[edge], weights[kept][case, edge]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        plan = berge.assign(
            (*source, (kept.size * n_rows, kept.size * n_cols)), algorithm=algorithm, **asked
        )
    plan.prove()
    case, row = np.divmod(plan.rows.astype(int), n_rows)
    assert (case == plan.cols // n_cols).all()
    bits = np.zeros(kept.size, int)
    np.add.at(bits, case, 1 << (row * n_cols + plan.cols % n_cols))
    totals, allowed = totals[kept], allowed[kept]
    by_case = np.arange(kept.size)
    best = np.where(allowed, totals, np.inf).min(axis=1)
    room = np.zeros(kept.size)
    if totals.dtype.kind == "i":
        best = np.where(allowed, totals, np.iinfo(np.int64).max).min(axis=1)
    else:
        room = TOLERANCE * ((objective == "product") + np.abs(worth[kept]).sum(axis=1))
    right = allowed[by_case, bits] & (np.abs(totals[by_case, bits] - best) <= room)
    if not right.all():
        k = int(np.argmin(right))
        told = {name: v for name, v in asked.items() if isinstance(v, str)}
        raise AssertionError(
            f"{algorithm}, {told}: case {k} of {shape}: chosen {bits[k]:b} comes to "
            f"{totals[k, bits[k]]}, best {best[k]}; weights {weights[kept[k]].tolist()}"
        )
    return int(kept.size)


ATTEMPTS = {"one": solve, "many": solve_many}

if __name__ == "__main__":
    kind = sys.argv.pop(1)
    sys.exit(long_run(f"assignments-{kind}", ATTEMPTS[kind], "solves"))
