"""Assignment by weight beside scipy, OR-tools, lap and POT: times as ratios, and memory.

    python lab/benchmarks/assignment.py [--folder FOLDER] [--only NAME] [--repeat 3] [--limit 60]
                                        [--clock wall|cpu] [--own]

FOLDER has real graphs as .npz files. Each run is in a process of its own, and only the solver's
call is timed: what a peer takes is made beforehand. Contenders run by turns; one that is over the
limit, or takes five times as long as the fastest other, is ended or runs no more. On a machine that
others use, `cpu` counts the seconds that the process had. OR-tools takes whole numbers:
floats are rounded to a millionth of the largest, so its answer may be off by as much. All totals
are compared. Memory is the growth of the process during the call.

With `--own` the peers are the two algorithms that berge chooses between, on instances that the
choice was not made for.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from scipy.spatial import KDTree

from berge import BipartiteGraph
from berge.methods.assignment.problem import Problem, required
from berge.results.assignment_run import AssignmentRun
from berge.solve.default import choose_assign
from berge_lab.bench.loop import in_turns


class Instance(NamedTuple):
    """Costs of edges, and what a row that stays unmatched costs; None: the smaller side is full."""

    costs: Any  # csr_array, explicit zeros are edges
    price: Any = None


def random(n: int, m: int, degree: int, draw: Callable[..., Any], seed: int = 0) -> Instance:
    """Random columns for each row; in a square the identity makes a full matching sure."""
    rng = np.random.default_rng(seed)
    cols = rng.integers(0, m, (n, degree))
    if n == m:
        cols[:, 0] = rng.permutation(n)
    rows = np.repeat(np.arange(n), degree)
    return on_pattern(sparse.csr_array((np.ones(n * degree), (rows, cols.ravel())), (n, m)), draw)


def on_pattern(pattern: Any, draw: Callable[..., Any], seed: int = 1) -> Instance:
    pattern = sparse.csr_array(pattern)
    pattern.sum_duplicates()
    values = draw(np.random.default_rng(seed), pattern.nnz)
    return Instance(sparse.csr_array((values, pattern.indices, pattern.indptr), pattern.shape))


def uniform(rng: Any, size: Any) -> Any:
    return rng.random(size)


def whole(high: int) -> Callable[..., Any]:
    return lambda rng, size: rng.integers(1, high + 1, size)


def dense(n: int, m: int, draw: Callable[..., Any]) -> Instance:
    return on_pattern(np.ones((n, m)), draw)


def points(n: int, m: int, neighbours: int, price: float) -> Instance:
    """Points of a square and their nearest of others; distances in units of a typical one."""
    rng = np.random.default_rng(3)
    here, there = rng.random((n, 2)), rng.random((m, 2))
    distance, index = KDTree(there).query(here, neighbours)
    indptr = np.arange(0, n * neighbours + 1, neighbours)
    costs = sparse.csr_array((distance.ravel() * math.sqrt(m), index.ravel(), indptr), (n, m))
    costs.sort_indices()
    return Instance(costs, price)


def distances(n: int) -> Instance:
    rng = np.random.default_rng(4)
    here, there = rng.random((n, 1, 2)), rng.random((1, n, 2))
    costs = np.linalg.norm(here - there, axis=2)
    return Instance(sparse.csr_array(costs))


def products(n: int) -> Instance:
    """Costs x·y, hard for bids and for paths: each row wants the same columns."""
    rng = np.random.default_rng(5)
    return Instance(sparse.csr_array(np.outer(rng.random(n), rng.random(n))))


def real(path: Path) -> Any:
    z = np.load(path)
    data = np.asarray(z["data"] if "data" in z else np.ones(z["indices"].size), np.float64)
    return sparse.csr_array((data, z["indices"], z["indptr"]), tuple(z["shape"]))


def scaled(matrix: Any) -> Instance:
    """The objective of MC64: a product of largest entries, each relative to its column."""
    matrix = sparse.csr_array(matrix)
    matrix.eliminate_zeros()
    matrix.data = abs(matrix.data)
    most = matrix.max(axis=0).toarray().ravel()
    data = np.log(most[matrix.indices]) - np.log(matrix.data)
    return Instance(sparse.csr_array((data, matrix.indices, matrix.indptr), matrix.shape))


def heaviest(matrix: Any) -> Instance:
    """The largest sum of weights; nobody must be matched."""
    return Instance(-matrix, 0.0)


GENERATED: dict[str, Callable[[], Instance]] = {
    "random 100k × 11": lambda: random(100_000, 100_000, 11, uniform),
    "random 20k × 100": lambda: random(20_000, 20_000, 100, uniform),
    "random 300k × 4": lambda: random(300_000, 300_000, 4, uniform),
    "random 100k × 8, costs to 100": lambda: random(100_000, 100_000, 8, whole(100)),
    "random 50k × 20, costs to 10⁶": lambda: random(50_000, 50_000, 20, whole(10**6)),
    "random 50k to 200k × 10": lambda: random(50_000, 200_000, 10, uniform),
    "dense 2000²": lambda: dense(2000, 2000, uniform),
    "dense 2000², costs to 100": lambda: dense(2000, 2000, whole(100)),
    "dense 2000², distances": lambda: distances(2000),
    "dense 1000 × 4000": lambda: dense(1000, 4000, uniform),
    "points 100k to 95k, at a price": lambda: points(100_000, 95_000, 8, 2.0),
    "points 200k to 200k, at a price": lambda: points(200_000, 200_000, 10, 10.0),
}
REAL: dict[str, tuple[str, Callable[[Any], Instance]]] = {
    "bayer10, product": ("bayer10", scaled),
    "bips98_606, product": ("bips98_606", scaled),
    "lp-maros-r7, product": ("lp-maros-r7", scaled),
    "lp-dfl001, product": ("lp-dfl001", scaled),
    "lp-stocfor3, product": ("lp-stocfor3", scaled),
    "lp-nw04, own": ("lp-nw04", Instance),
    "kkt-opf, random": ("kkt-opf-SyntheticUSA", lambda a: on_pattern(a, uniform)),
    "delaunay-geonames, own": ("delaunay-geonames", Instance),
    "ecology1, random": ("ecology1", lambda a: on_pattern(a, uniform)),
    "wave, random": ("wave", lambda a: on_pattern(a, uniform)),
    "mdual, random": ("mdual", lambda a: on_pattern(a, uniform)),
    "gowalla, random": ("gowalla", lambda a: on_pattern(a, uniform)),
    "road-moscow, heaviest": ("road-moscow", heaviest),
    "cond-mat-2005, heaviest": ("cond-mat-2005", heaviest),
    "ego-Twitter, heaviest random": (
        "ego-Twitter", lambda a: heaviest(on_pattern(a, uniform).costs)),
}  # fmt: skip


# What the choice between paths and scaling is judged on: it was made for the instances above.
UNSEEN: dict[str, Callable[[], Instance]] = {
    "random 150k × 6, costs to 10": lambda: random(150_000, 150_000, 6, whole(10), 7),
    "random 30k × 6": lambda: random(30_000, 30_000, 6, uniform, 7),
    "random 40k to 44k × 8": lambda: random(40_000, 44_000, 8, uniform, 7),
    "random 10k × 40, costs to 1000": lambda: random(10_000, 10_000, 40, whole(1000), 7),
    "random 200k × 3": lambda: random(200_000, 200_000, 3, uniform, 7),
    "dense 1500², normal": lambda: dense(1500, 1500, lambda rng, size: rng.normal(size=size)),
    "dense 1200², a product": lambda: products(1200),
    "points 60k to 60k, at a price": lambda: points(60_000, 60_000, 6, 1.0),
}
UNSEEN_GRAPHS = (
    "rgg_n_2_15_s0", "delaunay_n16", "dragon-dual", "ak2010", "road-delhi", "soc-Slashdot0902",
    "blogcatalog", "hpo-term-gene", "cnr-2000", "NotreDame_actors",
)  # fmt: skip


class Given(NamedTuple):
    """A call to be timed, and how to read the total from what it returns."""

    call: Callable[[], Any]
    total: Callable[[Any], float]


def smaller_first(costs: Any) -> Any:
    return costs if costs.shape[0] <= costs.shape[1] else sparse.csr_array(costs.T)


def by_berge(instance: Instance, algorithm: str = "auto", threads: int = 2) -> Given:
    costs, price = instance
    n, m = costs.shape
    kind = np.dtype("i8" if costs.dtype.kind == "i" else "f8")
    graph = BipartiteGraph(costs.indptr, costs.indices, costs.shape)
    never = required(kind)
    leave = (never if n <= m else 0, never if m <= n else 0) if price is None else (price, 0)
    leaves = np.full(n, leave[0], kind), np.full(m, leave[1], kind)
    problem = Problem(graph, costs.data.astype(kind), *leaves)

    def call() -> Any:
        run = AssignmentRun(problem, threads=threads)
        choose_assign(algorithm, problem).load()(run)
        return run

    def total(run: Any) -> float:
        rows = np.repeat(np.arange(n), np.diff(costs.indptr))
        unused = int((run.chosen < 0).sum())
        found = costs.data[run.chosen[rows] == costs.indices].sum()
        return float(found + (unused * price if price is not None else 0))

    return Given(call, total)


def with_leaving(instance: Instance) -> Any:
    """A problem that must be full: each row may take a column of its own, at the price."""
    costs, price = instance
    if price is None:
        return smaller_first(costs)
    n = costs.shape[0]
    own = sparse.csr_array((np.full(n, float(price)), (np.arange(n), np.arange(n))), (n, n))
    return sparse.hstack([costs, own], format="csr")


def by_scipy(instance: Instance) -> Given:
    a = with_leaving(instance).astype(float)
    low = min(a.data.min(), 0) - 1  # it takes no zeros
    a.data -= low
    n = a.shape[0]
    return Given(
        lambda: min_weight_full_bipartite_matching(a),
        lambda found: float(a[found].sum() + n * low),
    )


def by_scipy_dense(instance: Instance) -> Given | None:
    a = with_leaving(instance)
    if a.nnz < a.shape[0] * a.shape[1]:
        return None
    full = a.toarray()
    return Given(lambda: linear_sum_assignment(full), lambda found: float(full[found].sum()))


def in_whole_numbers(values: Any) -> tuple[Any, float]:
    if values.dtype.kind == "i":
        return values.astype(np.int64), 1.0
    unit = max(abs(values).max(), 1e-300) / 1e6
    return np.rint(values / unit).astype(np.int64), unit


def by_ortools(instance: Instance) -> Given | None:
    from ortools.graph.python import linear_sum_assignment as ortools

    a = with_leaving(instance)
    n, m = a.shape
    if n < m:  # a second copy of the graph takes what is left over, at no cost
        back, own = sparse.csr_array(a.T), np.arange(m)
        there = np.repeat(np.arange(n), np.diff(a.indptr))
        rows = np.r_[there, n + np.repeat(own, np.diff(back.indptr)), n + own]
        cols = np.r_[a.indices, m + back.indices, own]
        values, unit = in_whole_numbers(a.data)
        values = np.r_[values, np.zeros(back.nnz + m, np.int64)]
    else:
        rows = np.repeat(np.arange(n), np.diff(a.indptr))
        cols = a.indices
        values, unit = in_whole_numbers(a.data)
    solver = ortools.SimpleLinearSumAssignment()
    solver.add_arcs_with_cost(rows.astype(np.int32), cols.astype(np.int32), values)

    def call() -> Any:
        status = solver.solve()
        if status != solver.OPTIMAL:
            raise ArithmeticError(status.name)
        return solver

    return Given(call, lambda found: found.optimal_cost() * unit)


def by_flow(instance: Instance) -> Given | None:
    from ortools.graph.python import min_cost_flow

    a = with_leaving(instance)
    n, m = a.shape
    values, unit = in_whole_numbers(a.data)
    sink = n + m + 1
    tails = np.r_[np.repeat(np.arange(n), np.diff(a.indptr)), n + np.arange(m)]
    heads = np.r_[n + a.indices, np.full(m, sink)]
    costs = np.r_[values, np.zeros(m, np.int64)]
    solver = min_cost_flow.SimpleMinCostFlow()
    ones = np.ones(tails.size, np.int64)
    solver.add_arcs_with_capacity_and_unit_cost(
        tails.astype(np.int32), heads.astype(np.int32), ones, costs
    )
    solver.set_nodes_supplies(
        np.arange(n + m + 2, dtype=np.int32),
        np.r_[np.ones(n), np.zeros(m + 1), -n].astype(np.int64),
    )

    def call() -> Any:
        status = solver.solve()
        if status != solver.OPTIMAL:
            raise ArithmeticError(status.name)
        return solver

    return Given(call, lambda found: found.optimal_cost() * unit)


def by_lapmod(instance: Instance) -> Given | None:
    import lap

    a = with_leaving(instance).astype(float)
    if a.shape[0] != a.shape[1]:
        return None  # it takes squares
    parts = a.shape[0], a.data, a.indptr.astype(np.int32), a.indices.astype(np.int32)
    return Given(lambda: lap.lapmod(*parts), lambda found: float(found[0]))


def by_pot(instance: Instance) -> Given | None:
    import ot

    a = with_leaving(instance).astype(float)
    n, m = a.shape
    if n != m:
        return None  # it takes sums that are equal
    costs = a.toarray() if a.nnz == n * m else sparse.coo_array(a)
    ones = np.ones(n)

    def call() -> Any:
        _, log = ot.emd(ones, ones, costs, numItermax=10**9, log=True)
        if log["warning"]:
            raise ArithmeticError(log["warning"])
        return log

    return Given(call, lambda log: float(log["cost"]))


CONTENDERS: dict[str, Callable[[Instance], Given | None]] = {
    "berge": by_berge,
    "OR-tools": by_ortools,
    "scipy dense": by_scipy_dense,
    "lapmod": by_lapmod,
    "scipy": by_scipy,
    "OR-tools flow": by_flow,
    "POT": by_pot,
}
OWN = {
    "berge": by_berge,
    "shortest-paths": partial(by_berge, algorithm="shortest-paths"),
    "cost-scaling": partial(by_berge, algorithm="cost-scaling"),
}
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


# Problems for warming up: both types, leaving.
WARM = (
    lambda: random(500, 500, 5, uniform),
    lambda: random(500, 500, 5, whole(1000)),
    lambda: points(300, 200, 5, 1.0),
)
SPAWN = multiprocessing.get_context("spawn")


def one_run(
    contender: Callable[[Instance], Given | None], instance: Instance, clock: str, pipe: Any
) -> None:
    """Run once in this process, and tell seconds, total and bytes of memory; or what went wrong."""
    try:
        given = contender(instance)
        if given is None:
            pipe.send(None)
            return
        for small in WARM:  # what is compiled or loaded once
            if warming := contender(small()):
                warming.call()
        timing = in_turns(
            {"it": given.call}, 1, warm_up=False, memory=True, check=given.total,
            clock=CLOCKS[clock],
        )  # fmt: skip
        pipe.send(tuple(timing["it"].runs[0]))
    except BaseException as error:
        pipe.send("".join(traceback.format_exception_only(error)).strip()[:60])


def in_process(contender: Callable[..., Any], instance: Instance, limit: float, clock: str) -> Any:
    """Run once in a process of its own, which is ended when it takes too long."""
    here, there = SPAWN.Pipe(False)
    process = SPAWN.Process(target=one_run, args=(contender, instance, clock, there))
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(limit) else f"over {limit:.0f} s"
    except EOFError:
        return "crashed"
    finally:
        process.kill()
        process.join()


def compare(
    instance: Instance, repeat: int, limit: float, peers: Any, clock: str, contenders: Any
) -> dict[str, Any]:
    """Run the contenders by turns; keep the fastest run of each, or what stopped it."""
    best: dict[str, Any] = {}
    for _ in range(repeat):
        fastest = min((run[0] for run in best.values() if isinstance(run, tuple)), default=0)
        for name, contender in contenders.items():
            if (peers and name not in peers) or isinstance(best.get(name, ()), (str, type(None))):
                continue
            if name in best and best[name][0] > 5 * fastest:
                continue
            begin = time.perf_counter()
            found = in_process(contender, instance, limit, clock)
            if isinstance(found, tuple) and name != "berge":
                limit = min(limit, max(5 * (time.perf_counter() - begin), 10))
            done = isinstance(found, tuple) and name in best
            best[name] = min(best[name], found) if done else found
    return {name: found for name, found in best.items() if found is not None}


def instances(folder: Path | None, own: bool) -> Iterator[tuple[str, Callable[[], Instance]]]:
    if own:
        yield from UNSEEN.items()
        for name in UNSEEN_GRAPHS if folder else ():
            path = Path(f"{folder}/{name}.npz")
            yield f"{name}, heaviest", lambda p=path: heaviest(on_pattern(real(p), uniform).costs)
        return
    yield from GENERATED.items()
    for name, (file, make) in REAL.items():
        if folder and (folder / f"{file}.npz").exists():
            yield name, lambda p=folder / f"{file}.npz", f=make: f(real(p))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", action="append", help="part of the name of an instance")
    parser.add_argument("--peer", action="append")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--own", action="store_true")
    options = parser.parse_args()
    columns = "instance", "berge, s", "MB", "fastest other, s", "MB", "ratio", "others"
    print(f"| {' | '.join(columns)} |\n{'|---' * 7}|")
    ratios = []
    for name, make in instances(options.folder, options.own):
        if options.only and not any(part in name for part in options.only):
            continue
        instance = make()
        found = compare(
            instance, options.repeat, options.limit, options.peer, options.clock,
            OWN if options.own else CONTENDERS,
        )  # fmt: skip
        own = found.pop("berge", None)
        done = {peer: run for peer, run in found.items() if isinstance(run, tuple)}
        fastest = min(done, key=lambda peer: done[peer][0], default=None)
        told = ", ".join(
            f"{peer} {run[0]:.3g}" if isinstance(run, tuple) else f"{peer}: {run}"
            for peer, run in found.items() if peer != fastest
        )  # fmt: skip
        line = (
            [name, f"{own[0]:.3g}", f"{own[2] / 2**20:.0f}"]
            if isinstance(own, tuple)
            else [name, str(own), ""]
        )
        if fastest and isinstance(own, tuple):
            run = done[fastest]
            ratios.append(run[0] / own[0])
            line += [f"{fastest} {run[0]:.3g}", f"{run[2] / 2**20:.0f}", f"{ratios[-1]:.2f}"]
            for peer, other in done.items():
                if not math.isclose(other[1], own[1], rel_tol=1e-5, abs_tol=1e-6):
                    told += f"; {peer} says {other[1]:.10g}, berge {own[1]:.10g}"
        print("| " + " | ".join([*line, told]) + " |", flush=True)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\n{len(ratios)} instances: geometric mean {mean:.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
