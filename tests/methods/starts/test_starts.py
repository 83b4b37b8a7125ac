"""What each start promises: guarantees, distances, determinism, and that it extends a matching."""

from __future__ import annotations

import numpy as np
import pytest

import berge
from berge import BipartiteGraph, Matching, generate
from berge.compile import thread_count
from berge.methods.registry import find
from berge.methods.starts import karp_sipser, scaling

from ...conftest import COMPILED
from ...corpus import SMALL
from ..runs import new_run

STARTS = [a.name for a in berge.algorithms("start")][1:]
compiled = pytest.mark.skipif(not COMPILED, reason="too large for uncompiled kernels")


def start(graph, init, threads=1, seed=0, initial=None, **options):
    """Run one start alone; the result is checked to be a matching, and maximal."""
    run = new_run(graph, threads, seed, initial)
    with thread_count(threads):
        find("start", init).load()(run, **options)
    result = Matching(run.row_match, run.col_match, upper_bound=min(graph.shape))
    berge.verify(graph, result)
    assert result.cardinality == run.cardinality
    assert run.row_match.min(initial=-1) == run.col_match.min(initial=-1) == -1
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    assert not ((run.row_match[rows] < 0) & (run.col_match[graph.indices] < 0)).any()
    return result


def cycle(n):
    """Two perfect matchings and nothing else."""
    rows = np.arange(n)
    graph = BipartiteGraph.from_edges(np.tile(rows, 2), np.concatenate([rows, (rows + 1) % n]))
    return generate.permute(graph)


# Every edge of these is in a perfect matching.
TOTAL_SUPPORT = {
    "complete": lambda: generate.complete(700, 700),
    "cycle": lambda: cycle(2000),
    "grid": lambda: generate.permute(generate.grid(45, 44)),
}


@compiled
@pytest.mark.parametrize("name", TOTAL_SUPPORT)
@pytest.mark.parametrize(
    ("match", "guarantee"),
    [(scaling.one_sided_match, 1 - 1 / np.e), (scaling.two_sided_match, 0.866)],
)
def test_guarantees_of_scaling(name, match, guarantee):
    """On average, and before what `cheap` adds."""
    graph = TOTAL_SUPPORT[name]()
    shares = []
    for seed in range(20):
        run = new_run(graph, seed=seed)
        match(run, 5)
        shares.append(run.cardinality / graph.n_rows)
    assert np.mean(shares) > guarantee - 0.01
    assert np.std(shares) < 0.02


@compiled
def test_scaling_finds_the_edges_that_count():
    """Picks by chance alone miss the diagonals next to a full block; scaled ones do not."""
    graph = generate.karp_sipser_hard(400, 8)
    for match, least in ((scaling.one_sided_match, 0.85), (scaling.two_sided_match, 0.95)):
        found = {}
        for iterations in (0, 5):
            run = new_run(graph)
            match(run, iterations)
            found[iterations] = run.cardinality / 400
        assert found[0] < 0.55
        assert found[5] > least


@pytest.mark.kernels
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_picks_are_matched_as_well_as_can_be(threads):
    for seed in range(40 if COMPILED else 4):
        n = 300 if seed % 2 or not COMPILED else 4000
        graph = generate.erdos_renyi(n, n - n // 10, 3 * n, seed=seed)
        run = new_run(graph, threads, seed)
        with thread_count(threads):
            rows, cols = scaling.two_sided_match(run, 3)
        x, y = np.flatnonzero(rows.choice >= 0), np.flatnonzero(cols.choice >= 0)
        picks = BipartiteGraph.from_edges(
            np.concatenate([x, cols.choice[y]]), np.concatenate([rows.choice[x], y]), graph.shape
        )
        berge.verify(picks, Matching(run.row_match, run.col_match, upper_bound=n))
        assert run.cardinality == berge.maximum_matching(picks).cardinality


@pytest.mark.kernels
@pytest.mark.parametrize("iterations", [0, 1, 400])
def test_scale_factors_stay_finite(iterations):
    """Also where rows and columns can never all add up to one."""
    graphs = [make() for make, _ in SMALL.values()]
    stars = generate.star(30).to_scipy(), generate.star(30, transpose=True).to_scipy()
    from scipy.sparse import block_diag

    graphs.append(berge.as_bipartite(block_diag(stars).tocsr()))
    for graph in graphs if iterations < 100 or COMPILED else graphs[-1:]:
        rows, cols = scaling.scaled_sides(new_run(graph), iterations)
        for side in (rows, cols):
            assert np.isfinite(side.scale).all()
            assert (side.scale >= 0).all()
            assert (side.scale[np.diff(side.indptr.astype(np.int64)) > 0] > 0).all()
        start(graph, "one-sided", scaling_iterations=iterations)
        start(graph, "two-sided", scaling_iterations=iterations)


@compiled
def test_scaled_rows_and_columns_add_up_to_one():
    graph = generate.permute(generate.grid(20, 20))
    rows, cols = scaling.scaled_sides(new_run(graph), 300)
    scaled = graph.to_scipy().multiply(rows.scale[:, None]).multiply(cols.scale[None, :])
    assert np.allclose(scaled.sum(axis=0), 1, atol=1e-3)
    assert np.allclose(scaled.sum(axis=1), 1, atol=1e-3)


RANDOM = {
    "uniform": lambda seed: generate.erdos_renyi(3000, 3000, 8000, seed=seed),
    "uniform, dense": lambda seed: generate.erdos_renyi(3000, 3000, 30_000, seed=seed),
    "uniform, tall": lambda seed: generate.erdos_renyi(6000, 5000, 13_000, seed=seed),
    "power law": lambda seed: generate.power_law(6000, 5000, 4, seed=seed),
    "rmat": lambda seed: generate.rmat(12, 4, seed=seed),
    "road": lambda seed: generate.road(50, 50, seed=seed),
    "hidden perfect": lambda seed: generate.permute(generate.hidden_perfect(5000, 2, seed=seed)),
    "grid": lambda seed: generate.permute(generate.grid(60, 60), seed=seed),
    "mesh": lambda seed: generate.mesh3(5000, seed=seed),
}


@pytest.mark.kernels
@pytest.mark.parametrize("init", ["karp-sipser", "p-karp-sipser"])
def test_karp_sipser_whose_rule_is_for_rows(init):
    """Column 2 is of degree one. Without its rule, row 2 may take column 0 from rows 0 and 1."""
    edges = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 2]])
    graph = BipartiteGraph.from_edges(*np.concatenate([edges + 3 * k for k in range(20)]).T)
    assert start(graph, "karp-sipser").cardinality == 60
    found = [start(graph, init, seed=k, rows_only=True).cardinality for k in range(8)]
    assert 40 <= min(found) < 60
    rows_of_one = generate.star(30, transpose=True), generate.star(30)
    assert [start(star, init, rows_only=True).cardinality for star in rows_of_one] == [1, 1]
    comb = BipartiteGraph.from_edges([0, 1, 1, 2, 2, 3, 3], [0, 0, 1, 1, 2, 2, 3])
    for seed in range(10):  # row 0 has one neighbour, then row 1, …
        assert start(comb, init, seed=seed, rows_only=True).cardinality == 4


@compiled
@pytest.mark.parametrize("name", RANDOM)
def test_distance_of_parallel_karp_sipser(name):
    """Threads that guess too early cost next to nothing: 0.4 % was the most ever seen."""
    for seed in range(6):
        graph = RANDOM[name](seed)
        serial = start(graph, "karp-sipser", seed=seed).cardinality
        for threads in (1, 2, 3, 4):
            parallel = start(graph, "p-karp-sipser", threads, seed).cardinality
            assert parallel > 0.98 * serial


@compiled
def test_parallel_karp_sipser_under_stress():
    """Hundreds of runs on more threads than cores, many of them on few and crowded columns."""
    graphs = [
        generate.erdos_renyi(5000, 60, 20_000, seed=1),
        generate.erdos_renyi(60, 5000, 20_000, seed=2),
        generate.erdos_renyi(2500, 2500, 6000, seed=3),
        generate.chain(3000),
        generate.complete(1500, 40),
        generate.star(5000, transpose=True),
        generate.karp_sipser_hard(1200, 4),
    ]
    for seed in range(20):
        for graph in graphs:
            for threads in (2, 3, 4):
                start(graph, "p-karp-sipser", threads, seed)


@compiled
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_parallel_karp_sipser_is_exact_on_forests(threads):
    """The rule of degree one never loses, whichever thread applies it."""
    rng = np.random.default_rng(11)
    for seed in range(10):
        n = 4000
        parent = np.array([rng.integers(max(0, i - 50), i) for i in range(1, n)])
        depth = np.zeros(n, int)
        for i in range(1, n):
            depth[i] = depth[parent[i - 1]] + 1
        child = np.arange(1, n)
        even = depth[1:] % 2 == 0
        rows, cols = np.where(even, child, parent), np.where(even, parent, child)
        graph = BipartiteGraph.from_edges(rows, cols, (n, n))
        best = berge.maximum_matching(graph).cardinality
        found = start(graph, "p-karp-sipser", threads, seed).cardinality
        assert found == best if threads == 1 else found > 0.99 * best


@compiled
def test_minimum_degree_beats_cheap():
    """On average over each kind; it comes within a percent of the maximum."""
    for name, make in RANDOM.items():
        cheap = least = best = 0
        for seed in range(4):
            graph = make(seed)
            cheap += start(graph, "cheap").cardinality
            least += start(graph, "min-degree").cardinality
            best += berge.maximum_matching(graph).cardinality
        assert least >= cheap, name
        assert least > 0.99 * best, name


@pytest.mark.kernels
def test_minimum_degree_always_takes_the_least():
    """Against the rule written out plainly: no pair has an end of more than the least degree."""
    for make, _ in SMALL.values():
        graph = make()
        result = start(graph, "min-degree")
        dense = np.zeros(graph.shape, int)
        np.add.at(dense, (np.repeat(np.arange(graph.n_rows), graph.row_degrees), graph.indices), 1)
        pairs = {(x, y) for x, y in enumerate(result.row_match) if y >= 0}
        while pairs:
            by_row, by_col = dense.sum(axis=1), dense.sum(axis=0)
            least = min(d for d in (*by_row, *by_col) if d > 0)
            now = {(x, y) for x, y in pairs if least in (by_row[x], by_col[y])}
            assert now
            x, y = min(now, key=lambda pair: by_row[pair[0]] + by_col[pair[1]])
            dense[x, :] = dense[:, y] = 0
            pairs.remove((x, y))


@compiled
def test_order_on_what_is_hard_for_karp_sipser():
    """cheap < cheap-random < karp-sipser < min-degree, which is exact there."""
    graph = generate.karp_sipser_hard(600, 8)

    def average(init):
        return np.mean([start(graph, init, seed=seed).cardinality for seed in range(5)]) / 600

    shares = [average(init) for init in ("cheap", "cheap-random", "karp-sipser", "min-degree")]
    assert shares == sorted(shares)
    assert shares[0] < 0.55
    assert shares[-1] == 1
    assert average("two-sided") > 0.95
    assert abs(average("p-karp-sipser") - average("karp-sipser")) < 0.05


@pytest.mark.kernels
@pytest.mark.parametrize("init", STARTS)
def test_one_seed_one_result(init):
    """On one thread always; on several where the registry says so."""
    graph = generate.permute(generate.grid(60, 50) if COMPILED else generate.grid(12, 9), seed=2)
    first = start(graph, init, seed=3)
    entry = find("start", init)
    for threads in (1, 2, 3, 4):
        again = start(graph, init, threads, seed=3)
        if threads == 1 or entry.deterministic:
            assert np.array_equal(first.row_match, again.row_match)


@pytest.mark.kernels
@pytest.mark.parametrize("init", ["cheap-random", "p-karp-sipser", "one-sided", "two-sided"])
def test_seeds_matter(init):
    graph = generate.permute(generate.grid(12, 9))
    results = {start(graph, init, seed=seed).row_match.tobytes() for seed in range(8)}
    assert len(results) == 8


@pytest.mark.kernels
@pytest.mark.parametrize("init", STARTS)
@pytest.mark.parametrize("threads", [1, 4])
def test_a_matching_passed_in_is_extended(init, threads):
    sizes = [40, 3000] if COMPILED else [40]
    for n in sizes:
        graph = generate.erdos_renyi(n, n + 7, 3 * n, seed=n)
        best = berge.maximum_matching(graph)
        row_match = best.row_match.copy()
        row_match[::3] = -1
        col_match = np.full(graph.n_cols, -1, row_match.dtype)
        col_match[row_match[row_match >= 0]] = np.flatnonzero(row_match >= 0)
        initial = Matching(row_match, col_match, upper_bound=n)
        result = start(graph, init, threads, initial=initial)
        assert result.cardinality > initial.cardinality
        kept = row_match >= 0
        assert np.array_equal(result.row_match[kept], row_match[kept])
        unchanged = start(graph, init, threads, initial=best)
        assert np.array_equal(unchanged.row_match, best.row_match)


@pytest.mark.kernels
@pytest.mark.parametrize("init", STARTS)
def test_portions_of_a_few_edges(init, monkeypatch):
    """Kernels that return early and are called again find the same, and report in between."""
    import importlib

    graph = generate.permute(generate.grid(12, 11), seed=1)
    whole = start(graph, init)
    module = importlib.import_module("berge." + find("start", init).function.partition(":")[0])
    monkeypatch.setattr(module, "EDGES_PER_CALL", 5)
    run = new_run(graph)
    reports = []

    def report(phase):
        reports.append(phase.cardinality)
        berge.verify(graph, Matching(run.row_match, run.col_match, upper_bound=graph.n_rows))
        assert np.count_nonzero(run.row_match >= 0) == phase.cardinality

    run.on_phase = report
    find("start", init).load()(run)
    assert np.array_equal(run.row_match, whole.row_match)
    assert len(reports) > 2
    assert reports == sorted(reports)


@pytest.mark.kernels
@pytest.mark.skipif(COMPILED, reason="compiled code has its constants built in")
@pytest.mark.parametrize("init", ["p-karp-sipser", "one-sided", "two-sided"])
def test_sharing_out_small_graphs(init, monkeypatch):
    """What threads do on large graphs, seen by coverage on small ones."""
    for module in (karp_sipser, scaling):
        monkeypatch.setattr(module, "SERIAL", 0)
        monkeypatch.setattr(module, "CHUNK", 3)
    for make, _ in SMALL.values():
        for threads in (2, 4):
            start(make(), init, threads)


@pytest.mark.kernels
@pytest.mark.skipif(COMPILED, reason="races are staged by hand")
def test_a_lost_claim_leaves_both_ends_as_they_were():
    rows, cols = np.array([-1, -2]), np.array([7, -1])
    assert not karp_sipser.claim_edge(rows, cols, 0, 0, True)  # the column went to row 7
    assert not karp_sipser.claim_edge(rows, cols, 1, 1, True)  # the row is being matched
    assert rows.tolist() == [-1, -2]
    assert cols.tolist() == [7, -1]
    assert karp_sipser.claim_edge(rows, cols, 0, 1, True)
    assert (rows[0], cols[1]) == (1, 0)


@pytest.mark.kernels
@pytest.mark.skipif(COMPILED, reason="races are staged by hand")
def test_what_lost_claims_leave_is_swept_up(monkeypatch):
    claim_edge = karp_sipser.claim_edge
    calls = 0

    def lose_the_first(*edge):
        nonlocal calls
        calls += 1
        return calls > 150 and claim_edge(*edge)

    monkeypatch.setattr(karp_sipser, "claim_edge", lose_the_first)
    graph = generate.erdos_renyi(60, 60, 200)
    assert start(graph, "p-karp-sipser", threads=2).cardinality > 45
    assert calls > 150
