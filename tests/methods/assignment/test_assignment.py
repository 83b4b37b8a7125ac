"""Assignment by weight: every algorithm on many small problems, against scipy, with its prices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import berge
from berge import BipartiteGraph
from berge.methods.assignment.problem import Problem, required
from berge.methods.registry import find
from berge.results.assignment_run import AssignmentRun

from ...conftest import COMPILED

pytestmark = pytest.mark.kernels

# Those for vertices of one unit.
ALGORITHMS = ["shortest-paths", "cost-scaling", "paths-or-scaling", "capacity-paths"]
IMPOSSIBLE = 1e7


def leaves(rng, size, kind, high):
    """Prices of leaving: all required, all nothing, any, or some required."""
    mode = rng.integers(4)
    if mode < 2:
        return np.full(size, required(kind) if mode else 0, kind)
    prices = rng.integers(-high, 2 * high + 1, size).astype(kind)
    if mode == 3:
        prices[rng.random(size) < 0.3] = required(kind)
    return prices


def random_problem(rng, most=9) -> Problem:
    """Return a small problem: of any shape and density, with ties, of either type."""
    n_rows, n_cols = rng.integers(1, most, 2)
    mask = rng.random((n_rows, n_cols)) < rng.random()
    high = int(rng.choice([1, 3, 20, 1000]))
    kind = rng.choice(["i8", "f8"])
    costs = rng.integers(rng.choice([-high, 0]), high + 1, mask.sum()).astype(kind)
    if kind == "f8" and rng.random() < 0.5:
        costs *= 0.1
    indptr = np.concatenate([[0], np.cumsum(mask.sum(axis=1))])
    graph = BipartiteGraph(indptr, np.nonzero(mask)[1], mask.shape)
    return Problem(graph, costs, leaves(rng, n_rows, kind, high), leaves(rng, n_cols, kind, high))


def best_total(problem: Problem) -> float:
    """Return the cheapest total, by scipy on a square in which every vertex may leave."""
    n_rows, n_cols = problem.graph.shape
    square = np.full((n_rows + n_cols,) * 2, IMPOSSIBLE)
    rows = np.repeat(np.arange(n_rows), problem.graph.row_degrees)
    square[rows, problem.graph.indices] = problem.costs
    for i, price in enumerate(problem.row_leave.astype(float)):
        square[i, n_cols + i] = min(price, IMPOSSIBLE)
    for j, price in enumerate(problem.col_leave.astype(float)):
        square[n_rows + j, j] = min(price, IMPOSSIBLE)
    square[n_rows:, n_cols:] = 0
    return float(square[linear_sum_assignment(square)].sum())


def total_of(run: AssignmentRun) -> float:
    """Check choice and prices, and return the total; not all is used if the run was stopped."""
    problem = run.problem
    graph, costs = problem.graph, problem.costs
    u, v, chosen = run.row_price, run.col_price, run.chosen
    assert u.dtype == v.dtype == costs.dtype
    near = 0 if costs.dtype.kind == "i" else 1e-9 * (1 + abs(costs).max(initial=0))
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    reduced = costs - u[rows] - v[graph.indices]
    picked = graph.indices == chosen[rows]
    unused_rows, unused_cols = chosen < 0, np.ones(graph.n_cols, bool)
    unused_cols[chosen[~unused_rows]] = False
    assert picked.sum() == (~unused_rows).sum() == (~unused_cols).sum()
    assert (reduced >= -near).all()
    assert run.stopped or (abs(reduced[picked]) <= near).all()
    for price, leave in ((u, problem.row_leave), (v, problem.col_leave)):
        finite = leave < required(costs.dtype)
        assert (price[finite] <= leave[finite] + near).all()
    if run.stopped or run.infeasible:
        return np.inf
    assert np.allclose(u[unused_rows], problem.row_leave[unused_rows], rtol=0, atol=near)
    assert np.allclose(v[unused_cols], problem.col_leave[unused_cols], rtol=0, atol=near)
    total = costs[picked].sum() + problem.row_leave[unused_rows].sum()
    total += problem.col_leave[unused_cols].sum()
    assert u.sum() + v.sum() == pytest.approx(total, rel=1e-9, abs=1e-9)
    return float(total)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_small(algorithm):
    """Right on small problems, infeasible ones too; some begin with pairs and prices."""
    rng = np.random.default_rng(1)
    impossible = 0
    for _ in range(2000 if COMPILED else 300):
        run = AssignmentRun(random_problem(rng))
        if rng.random() < 0.2:
            kind = run.problem.costs.dtype
            n_rows, n_cols = run.problem.graph.shape
            run.col_price = rng.integers(-20, 21, n_cols).astype(kind)
            run.first = rng.integers(-1, n_cols + 1, n_rows)
        find("assign", algorithm).load()(run)
        total, best = total_of(run), best_total(run.problem)
        assert run.infeasible == (best > IMPOSSIBLE / 2)
        assert run.infeasible or total == pytest.approx(best, abs=1e-6)
        impossible += run.infeasible
    assert impossible > 20


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_time_limit(algorithm):
    """A run that is stopped has a matching and feasible prices."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        run = AssignmentRun(random_problem(rng), time_limit=0)
        with run.running():
            find("assign", algorithm).load()(run)
        assert run.stopped
        total_of(run)


@pytest.mark.parametrize("algorithm", [a.name for a in berge.algorithms("assign")])
def test_costs_that_prices_of_others_would_lose(algorithm):
    """Each row chooses by its own costs, however large those of others are."""
    rows, cols = [0, 0, 1, 1, 2, 2], [0, 1, 2, 3, 4, 5]
    weights = [3e34, 9.8e-70, 8e99, 7e99, 2.0, 1.0]
    plan = berge.assign((rows, cols, weights), algorithm=algorithm)
    plan.prove()
    assert plan.cols.tolist() == [1, 3, 5]
