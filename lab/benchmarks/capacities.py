"""Assignment with capacities against OR-tools' SimpleMinCostFlow, on ten instances in turns.

    python lab/benchmarks/capacities.py [--size 20000] [--times 3] [--large]

Times are those of the solvers alone, as the processor counts them, so that other programs do not
matter: arcs are given to OR-tools before its clock starts. Both use one thread. Totals must be the
same. Each figure is the best of so many turns. `--large` is 400 000 × 400 000 with 10
candidates each, 1:2, with memory and without OR-tools.
"""

from __future__ import annotations

import argparse
import math
import resource
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from berge import BipartiteGraph
from berge.methods.assignment.problem import Problem, required
from berge.methods.registry import find
from berge.results.assignment_run import AssignmentRun

MUST = required("int64")


def random(
    n: int, m: int, degree: int, k: int, c: int, leave: int = MUST, seed: int = 0
) -> Problem:
    """Return a problem that has an answer: each row must have k columns, each column may have c."""
    rng = np.random.default_rng(seed)
    rows, cols = np.repeat(np.arange(n), degree), rng.integers(0, m, degree * n)
    units = rng.permutation(np.repeat(np.arange(m), c))[: n * k]
    numbers = np.concatenate(
        [rows * m + cols, np.repeat(np.arange(n), k)[: units.size] * m + units]
    )
    return problem(*np.divmod(np.unique(numbers), m), (n, m), k, c, leave, rng)


def problem(
    rows: Any, cols: Any, shape: tuple[int, int], k: int, c: int, leave: int, rng: Any,
    costs: Any = None,
) -> Problem:  # fmt: skip
    """Return the problem with these edges."""
    graph = BipartiteGraph.from_edges(rows, cols, shape)
    if costs is None:
        costs = rng.integers(0, 10**6, graph.nnz)
    n, m = shape
    full = MUST if leave == MUST and n * k == m * c else 0
    return Problem(graph, costs, np.full(n, leave), np.full(m, full), np.full(n, k), np.full(m, c))


def points(n: int, k: int, c: int, leave: int) -> Problem:
    """Return the ten nearest of n points to each of n others."""
    rng = np.random.default_rng(0)
    found: Any = KDTree(rng.random((n, 2))).query(rng.random((n, 2)), 10)
    far, near = found
    costs = np.rint(far.ravel() * 1e8).astype(np.int64)
    order = np.argsort(np.repeat(np.arange(n), 10) * n + near.ravel())
    return problem(
        np.repeat(np.arange(n), 10), near.ravel()[order], (n, n), k, c, leave, rng, costs[order]
    )


def instances(n: int) -> Iterator[tuple[str, Problem]]:
    """Yield ten problems."""
    yield "random, 1:2", random(n, n, 9, 1, 2)
    yield "random, 2:5", random(n, n, 8, 2, 5)
    yield "random, 1:1, all needed", random(n, n, 9, 1, 1)
    yield "random, 2:2, all needed", random(n, n, 8, 2, 2)
    yield "random, 3:2, all needed", random(n, n * 3 // 2, 7, 3, 2)
    yield "random, 3:2, 5 % to spare", random(n, n * 63 // 40, 7, 3, 2)
    yield "random, 2:2, leaving costs 300 000", random(n, n, 10, 2, 2, 300_000)
    yield "points, 1:2, leaving costs", points(n, 1, 2, 2_000_000)
    yield "points, 3:3, leaving costs", points(n, 3, 3, 2_000_000)
    yield "few columns, 1:20", random(n, n // 16, 9, 1, 20)


def by_berge(given: Problem) -> tuple[float, int]:
    """Return seconds and the total."""
    run = AssignmentRun(given)
    begin = time.process_time()
    find("assign", "capacity-auction").load()(run)
    seconds = time.process_time() - begin
    assert not run.infeasible
    chosen: Any = run.chosen
    rows = np.repeat(np.arange(given.graph.n_rows), given.graph.row_degrees)
    capacity: Any = given.row_capacity
    idle = capacity - np.bincount(rows[chosen], minlength=given.graph.n_rows)
    left = int((given.row_leave * idle)[idle > 0].sum())
    return seconds, int(given.costs[chosen].sum()) + left


def by_ortools(given: Problem) -> tuple[float, int]:
    """Return seconds and the total."""
    from ortools.graph.python import min_cost_flow

    graph = given.graph
    (n, m), k, c = graph.shape, given.row_capacity, given.col_capacity
    assert k is not None
    assert c is not None
    flow, hub = min_cost_flow.SimpleMinCostFlow(), n + m
    add = flow.add_arcs_with_capacity_and_unit_cost
    rows = np.repeat(np.arange(n), graph.row_degrees)
    add(rows, n + graph.indices.astype(np.int64), np.ones(graph.nnz, np.int64), given.costs)
    if given.row_leave[0] != MUST:
        add(np.arange(n), np.full(n, hub), k, given.row_leave)
    if given.col_leave[0] != MUST:
        add(np.full(m, hub), n + np.arange(m), c, given.col_leave)
    flow.set_nodes_supplies(np.arange(hub + 1), np.concatenate([k, -c, [c.sum() - k.sum()]]))
    begin = time.process_time()
    assert flow.solve() == flow.OPTIMAL
    return time.process_time() - begin, flow.optimal_cost()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    asked = parser.parse_args()
    by_berge(random(300, 300, 3, 1, 1))  # compiles
    find("assign", "capacity-auction").load()(AssignmentRun(random(300, 300, 3, 1, 1)), effort=0)
    if asked.large:
        seconds, _ = by_berge(random(400_000, 400_000, 9, 1, 2))
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{seconds:.2f} s, {most:.2f} GB at most, with the instance")
        return
    ratios = []
    print("| instance | edges | berge, s | OR-tools, s | times |\n|---|---|---|---|---|")
    for name, given in instances(asked.size):
        turns = [(by_berge(given), by_ortools(given)) for _ in range(asked.times)]
        assert len({total for turn in turns for _, total in turn}) == 1, name
        ours, theirs = (min(turn[k][0] for turn in turns) for k in (0, 1))
        ratios.append(theirs / ours)
        print(f"| {name} | {given.graph.nnz:,} | {ours:.3f} | {theirs:.3f} | {ratios[-1]:.1f} |",
              flush=True)  # fmt: skip
    print(f"\ngeometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.1f}")


if __name__ == "__main__":
    main()
