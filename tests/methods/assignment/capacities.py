"""Small problems with capacities, and what their answers are checked by.

    python -m tests.methods.assignment.capacities [--problems 1000000] [--first SEED]

solves so many problems by every algorithm for capacities. Each answer is checked by its prices, in
numpy, and compared with a minimum cost flow of OR-tools.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from berge import BipartiteGraph
from berge.methods.assignment.problem import Problem, required
from berge.methods.registry import find
from berge.results.assignment_run import AssignmentRun

ALGORITHMS = ("capacity-paths", "capacity-auction")


def random_problem(rng, most=7) -> Problem:
    """Return a small problem: any shape and density, units, lower bounds, ties, either type."""
    shape = tuple(rng.integers(1, most, 2))
    mask = rng.random(shape) < rng.random()
    high = int(rng.choice([1, 3, 20, 1000]))
    kind = rng.choice(["i8", "f8"])
    tenths = 0.1 if kind == "f8" and rng.random() < 0.5 else 1
    costs = rng.integers(rng.choice([-high, 0]), high + 1, mask.sum()).astype(kind)
    indptr = np.concatenate([[0], np.cumsum(mask.sum(axis=1))])
    graph = BipartiteGraph(indptr, np.nonzero(mask)[1], shape)
    leaves, capacities, leasts = [], [], []
    for n in shape:
        mode = rng.integers(4)
        leave = rng.integers(-high, 2 * high + 1, n) * (mode > 1)
        leave = leave.astype(kind) * tenths
        leave[rng.random(n) < (0, 1, 0, 0.3)[mode] * (rng.random() < 0.7)] = required(kind)
        leaves.append(leave.astype(kind))
        most_units = rng.integers(1, most + 1)
        capacity = rng.integers(0, most_units + 1, n) if rng.random() < 0.8 else None
        capacities.append(capacity)
        top = np.ones(n, int) if capacity is None else capacity
        leasts.append(
            rng.integers(0, top + 1) // rng.integers(1, 4) if rng.random() < 0.5 else None
        )
    costs = (costs * tenths).astype(kind)
    return Problem(graph, costs, *leaves, *capacities, *leasts)


def bounds(problem: Problem):
    """Return the fewest and the most edges of each row and of each column."""
    found = []
    for n, capacity, least, leave in (
        (problem.graph.n_rows, problem.row_capacity, problem.row_least, problem.row_leave),
        (problem.graph.n_cols, problem.col_capacity, problem.col_least, problem.col_leave),
    ):
        top = np.ones(n, np.int64) if capacity is None else np.asarray(capacity)
        bottom = np.zeros(n, np.int64) if least is None else np.asarray(least)
        found += [np.where(leave == required(leave.dtype), top, bottom), top]
    return found


def total_of(run: AssignmentRun) -> float:
    """Check the choice, and by its prices that none is cheaper; return its total.

    An edge with a reduced cost below 0 is chosen, one above 0 is not. A vertex that could use
    another unit has a price of at least `leave`, one that could use fewer of at most `leave`.
    """
    problem, u, v = run.problem, run.row_price, run.col_price
    graph, costs = problem.graph, problem.costs
    assert u.dtype == v.dtype == costs.dtype
    near = 0 if costs.dtype.kind == "i" else 1e-9 * (1 + abs(costs).max(initial=0))
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    chosen = run.chosen
    if chosen.dtype != bool:
        assert problem.row_capacity is problem.col_capacity is None
        chosen = graph.indices == chosen[rows]
    used = np.bincount(rows[chosen], minlength=graph.n_rows)
    used_cols = np.bincount(graph.indices[chosen], minlength=graph.n_cols)
    bottom, top, bottom_cols, top_cols = bounds(problem)
    assert (used <= top).all()
    assert (used_cols <= top_cols).all()
    if run.infeasible or run.stopped:
        return np.inf
    assert (used >= bottom).all()
    assert (used_cols >= bottom_cols).all()
    reduced = costs - u[rows] - v[graph.indices]
    assert (reduced[chosen] <= near).all()
    assert (reduced[~chosen] >= -near).all()
    total = costs[chosen].sum()
    for price, leave, units, low, high in (
        (u, problem.row_leave, used, bottom, top),
        (v, problem.col_leave, used_cols, bottom_cols, top_cols),
    ):
        assert (price >= leave - near)[(low < high) & (units < high)].all()
        assert (price <= leave + near)[(low < high) & (units > low)].all()
        idle = units < high
        total += (leave[idle] * (high - units)[idle]).sum()
    return float(total)


def best_total(problem: Problem) -> float:
    """Return the least total by OR-tools, infinite if there is none; costs are whole tenths."""
    from ortools.graph.python import min_cost_flow

    graph = problem.graph
    n_rows, n_cols = graph.shape
    low, high, low_cols, high_cols = bounds(problem)
    scale = 10 if problem.costs.dtype.kind == "f" else 1
    flow = min_cost_flow.SimpleMinCostFlow()
    hub = n_rows + n_cols

    def add(tails, heads, units, costs):
        costs = np.rint(np.asarray(costs, float) * scale).astype(np.int64)
        flow.add_arcs_with_capacity_and_unit_cost(tails, heads, units, costs)

    rows = np.repeat(np.arange(n_rows), graph.row_degrees)
    add(rows, n_rows + graph.indices.astype(np.int64), np.ones(graph.nnz, np.int64), problem.costs)
    add(
        np.arange(n_rows),
        np.full(n_rows, hub),
        high - low,
        np.where(high > low, problem.row_leave, 0),
    )
    add(np.full(n_cols, hub), n_rows + np.arange(n_cols), high_cols - low_cols,
        np.where(high_cols > low_cols, problem.col_leave, 0))  # fmt: skip
    supplies = np.concatenate([high, -high_cols, [high_cols.sum() - high.sum()]])
    flow.set_nodes_supplies(np.arange(hub + 1), supplies)
    if flow.solve() != flow.OPTIMAL:
        return np.inf
    return flow.optimal_cost() / scale


def solve(rng, algorithm: str) -> AssignmentRun:
    """Solve a small problem; now and then beginning with prices."""
    run = AssignmentRun(random_problem(rng))
    if rng.random() < 0.2:
        kind = run.problem.costs.dtype
        run.col_price = rng.integers(-20, 21, run.problem.graph.n_cols).astype(kind)
        run.row_price = rng.integers(-20, 21, run.problem.graph.n_rows).astype(kind)
    options = {"effort": 0} if algorithm == "capacity-auction" else {}  # bids in any case
    find("assign", algorithm).load()(run, **options)
    return run


def compare(seed: int) -> int:
    """Compare every algorithm with OR-tools on a problem; return whether it has an answer."""
    for algorithm in ALGORITHMS:
        run = solve(np.random.default_rng(seed), algorithm)
        total, best = total_of(run), best_total(run.problem)
        assert total == best or abs(total - best) < 1e-6, (seed, algorithm, total, best)
    return best < np.inf


def main() -> None:
    """Compare so many problems."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    begin, solved = time.perf_counter(), 0
    for seed in range(asked.first, asked.first + asked.problems):
        solved += compare(seed)
    seconds = time.perf_counter() - begin
    print(f"{asked.problems:,} problems, {solved:,} with an answer, none wrong, in {seconds:.0f} s")


if __name__ == "__main__":
    main()
