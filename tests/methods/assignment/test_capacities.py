"""Assignment with capacities: small problems, checked by prices and linear programs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array

from berge.methods.registry import find
from berge.results.assignment_run import AssignmentRun

from ...conftest import COMPILED
from .capacities import ALGORITHMS, bounds, random_problem, solve, total_of

pytestmark = pytest.mark.kernels


def least_total(problem) -> float:
    """Return the least total by a linear program, whose best corner is whole; or infinity."""
    graph = problem.graph
    n_rows, n = graph.n_rows, sum(graph.shape)
    low, high, low_cols, high_cols = bounds(problem)
    rows = np.repeat(np.arange(n_rows), graph.row_degrees)
    vertices, edges = np.concatenate([rows, n_rows + graph.indices]), np.arange(graph.nnz)
    incidence = coo_array((np.ones(2 * graph.nnz), (vertices, np.tile(edges, 2))), (n, graph.nnz))
    low, high = np.concatenate([low, low_cols]), np.concatenate([high, high_cols])
    if graph.nnz == 0:
        found, total = not low.any(), 0.0
    leave = np.concatenate([problem.row_leave, problem.col_leave]).astype(float)
    leave[low == high] = 0
    if graph.nnz > 0:
        costs = problem.costs - incidence.T @ leave
        both = np.concatenate([incidence.toarray(), -incidence.toarray()])
        found = linprog(costs, both, np.concatenate([high, -low]), bounds=(0, 1))
        found, total = found.success, found.fun
    return total + leave @ high if found else np.inf


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_small(algorithm):
    """Right on small problems of all kinds; some begin with prices."""
    rng = np.random.default_rng(1)
    impossible = 0
    for number in range(1500 if COMPILED else 300):
        run = solve(rng, algorithm)
        total = total_of(run)
        impossible += run.infeasible
        if run.infeasible or number % 5 == 0:
            assert total == pytest.approx(least_total(run.problem), abs=1e-6)
    assert impossible > 20


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_larger(algorithm):
    """Right where searches are long, and rows have many units."""
    rng = np.random.default_rng(2)
    for _ in range(20 if COMPILED else 3):
        run = AssignmentRun(random_problem(rng, 60 if COMPILED else 25))
        find("assign", algorithm).load()(run)
        assert total_of(run) == pytest.approx(least_total(run.problem), abs=1e-6)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_time_limit(algorithm):
    """A run that is stopped has chosen no edge too many."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        run = AssignmentRun(random_problem(rng), time_limit=0)
        with run.running():
            find("assign", algorithm).load()(run)
        assert run.stopped
        total_of(run)
