"""Algorithms whose threads claim vertices from each other: races, portions, threading layers."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
import scipy.sparse

import berge
from berge import BipartiteGraph, generate
from berge.graphs.graph import unsigned
from berge.methods.augmenting import depth_first, hopcroft_karp, roots
from berge.methods.combined import budgeted, mixed
from berge.methods.push_relabel import p_push_relabel
from berge.methods.starts import cheap

from ..conftest import COMPILED
from ..corpus import SMALL

AUGMENTING = ["p-pothen-fan", "p-dbfs", "p-hopcroft-karp"]
ALGORITHMS = [*AUGMENTING, "p-push-relabel"]
MODULES = depth_first, hopcroft_karp, p_push_relabel, roots  # those that have numbers to turn
SERIAL_TWIN = {"p-pothen-fan": "pothen-fan", "p-hopcroft-karp": "hopcroft-karp"}

compiled = pytest.mark.skipif(not COMPILED, reason="races need threads")
on_many_threads = pytest.mark.parametrize("threads", [2, 3, 4])
every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)


def solve(graph: BipartiteGraph, expected: int, **settings) -> berge.Matching:
    matching = berge.maximum_matching(graph, **settings)
    berge.verify(graph, matching)
    assert matching.is_maximum
    assert matching.cardinality == expected, settings
    return matching


@cache
def random_graphs(seed: int) -> list[tuple[BipartiteGraph, int]]:
    """Graphs of many shapes, of some thousand rows, so that threads do share the work."""
    rng = np.random.default_rng(seed)
    n, m = (int(k) for k in rng.integers(2000, 8000, 2))
    side = int(np.sqrt(n))
    graphs = [
        generate.erdos_renyi(n, m, int(1.2 * n), seed=seed),
        generate.erdos_renyi(n, m, int(2.5 * max(n, m)), seed=seed),
        generate.erdos_renyi(n, n, 3 * n, seed=seed),
        generate.power_law(n, m, 3, seed=seed),
        generate.rmat(12, 3, seed=seed),
        generate.permute(generate.grid(side, side + 3), seed=seed),
        generate.permute(generate.hidden_perfect(n, 2, seed=seed), seed=seed),
        generate.permute(generate.chain(n), seed=seed),
        generate.permute(generate.mesh3(n), seed=seed),
        generate.permute(generate.road(side, side, seed=seed), seed=seed),
    ]
    return [
        (g, berge.maximum_matching(g, algorithm="pothen-fan", threads=1).cardinality)
        for g in graphs
    ]


@compiled
@on_many_threads
@every_algorithm
def test_races(algorithm, threads):
    """Three hundred graphs, from the worst of starts or from one that leaves long paths."""
    for seed in range(30):
        for graph, expected in random_graphs(seed):
            init = ("none", "cheap")[seed % 2]
            solve(graph, expected, algorithm=algorithm, init=init, threads=threads)


@compiled
@every_algorithm
def test_races_on_one_graph_again_and_again(algorithm):
    for graph, expected in random_graphs(1):
        for _ in range(15):
            solve(graph, expected, algorithm=algorithm, init="none", threads=4)


@compiled
@on_many_threads
@pytest.mark.parametrize("options", [{"lookahead": False}, {"fairness": False}])
def test_races_without_lookahead_or_fairness(options, threads):
    for graph, expected in random_graphs(2) + random_graphs(3):
        solve(graph, expected, algorithm="p-pothen-fan", init="none", threads=threads, **options)


@compiled
@on_many_threads
@pytest.mark.parametrize(
    "options",
    [
        {"queue_limit": 1},
        {"queue_limit": 100_000},
        {"relabel_frequency": 0.01},
        {"relabel_frequency": 1e9},  # one round of pushes a phase: many phases gain nothing
    ],
)
def test_races_of_pushes(options, threads):
    for graph, expected in random_graphs(4):
        solve(graph, expected, algorithm="p-push-relabel", init="none", threads=threads, **options)


@compiled
@on_many_threads
@every_algorithm
def test_small_portions_on_threads(algorithm, threads, monkeypatch):
    """Kernels that return early, and a run that is left at some moment between two."""
    for module in (hopcroft_karp, p_push_relabel, roots):
        monkeypatch.setattr(module, "EDGES_PER_CALL", 500)
    for graph, expected in random_graphs(5):
        settings = {"algorithm": algorithm, "init": "none", "threads": threads}
        solve(graph, expected, **settings)
        for stop in (1, 3, 7, 20):
            calls = []

            def interrupt(report, calls=calls, stop=stop):
                calls.append(report)
                if report.step == "search" and len(calls) > stop:
                    raise KeyboardInterrupt

            matching = berge.maximum_matching(graph, on_phase=interrupt, **settings)
            berge.verify(graph, matching)
            assert matching.cardinality <= expected <= matching.upper_bound


@compiled
@on_many_threads
@pytest.mark.parametrize("effort", [0.5, 1e9])
@pytest.mark.parametrize("dense", [0, budgeted.DENSE])
def test_races_of_the_default(threads, effort, dense, monkeypatch):
    """Searches side by side on graphs that one thread would do alone."""
    monkeypatch.setattr(budgeted, "DENSE", dense)
    monkeypatch.setattr(mixed, "SHARED_SEARCHES", 0)
    monkeypatch.setattr(mixed, "SHARED_PUSHES", 0)
    monkeypatch.setattr(mixed, "WAKING", -(10**9))
    monkeypatch.setattr(budgeted, "EDGES_PER_CALL", 5000)
    for init in ("none", "cheap"):
        for graph, expected in random_graphs(7):
            settings = {"init": init, "threads": threads, "effort": effort}
            stats = solve(graph, expected, algorithm="mixed", **settings).stats
            if effort > 1:
                assert stats.start_cardinality + stats.augmenting_paths == expected


@pytest.mark.kernels
@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@pytest.mark.parametrize("dense", [0, budgeted.DENSE])
def test_the_default_shared_out_on_small_graphs(threads, dense, monkeypatch):
    monkeypatch.setattr(budgeted, "DENSE", dense)
    monkeypatch.setattr(mixed, "SHARED_SEARCHES", 0)
    monkeypatch.setattr(mixed, "SHARED_PUSHES", 0)
    monkeypatch.setattr(mixed, "WAKING", -(10**9))
    share_cheap_starts(monkeypatch)
    for make, expected in SMALL.values():
        graph = make()
        for init in ("none", "cheap"):
            matching = berge.maximum_matching(graph, init=init, algorithm="mixed", threads=threads)
            assert matching.prove(graph).size == matching.cardinality
            assert expected is None or matching.cardinality == expected


@compiled
@pytest.mark.parametrize("least", [0, 10**9])
def test_push_relabel_is_shared_on_large_graphs(least, monkeypatch):
    monkeypatch.setattr(mixed, "SHARED_SEARCHES", 0)
    monkeypatch.setattr(mixed, "SHARED_PUSHES", least)
    shared, push = [], mixed.p_push_relabel
    monkeypatch.setattr(mixed, "p_push_relabel", lambda run: shared.append(1) or push(run))
    for graph, expected in random_graphs(7):
        solve(graph, expected, algorithm="mixed", init="cheap", threads=2, effort=0.5)
    assert bool(shared) == (least == 0)


@compiled
def test_a_first_round_that_goes_well_goes_on(monkeypatch):
    """Past the effort, to its end; or until it goes badly, and then Pothen–Fan takes over."""
    monkeypatch.setattr(mixed, "SLOW", 0)  # that is another rule
    in_phases = []
    search = mixed.match_in_phases
    monkeypatch.setattr(mixed, "match_in_phases", lambda *a: in_phases.append(a) or search(*a))
    # Three layers of 8 rows, each next to its own columns and those of the next layer; 8 rows more
    # have to go through all of them, so that in all each edge is read five times.
    layers = np.eye(3, 4) + np.eye(3, 4, k=1)
    through = np.kron(np.vstack([layers, np.eye(1, 4)]), np.ones((8, 8)))
    easy = scipy.sparse.block_diag([scipy.sparse.csr_array(through)] * 60, format="csr")
    hard = generate.hidden_perfect(8000, 3).to_scipy()
    both = scipy.sparse.block_diag([easy, hard], format="csr")
    n, settings = easy.shape[0], {"algorithm": "mixed", "init": "cheap", "threads": 1}
    stats = solve(berge.as_bipartite(easy), n, **settings).stats
    assert stats.phases == 1
    assert stats.traversed_edges > 4 * easy.nnz
    assert not in_phases
    solve(berge.as_bipartite(both), n + 8000, **settings)
    assert len(in_phases) == 1
    monkeypatch.setattr(mixed, "WELL", 1)  # never
    assert "push" in solve(berge.as_bipartite(easy), n, **settings).stats.seconds
    assert len(in_phases) == 1


@pytest.mark.kernels
@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("least", [0, 2])
def test_the_default_ends_with_pothen_fan(threads, least, monkeypatch):
    """Where few rows are left after long paths; if its phases find too little, not with that."""
    for name, value in {
        "READ_IN_NO_TIME": 0,
        "LONG_PATH": 0,
        "REST": 1,
        "LEAST_FOUND": least,
    }.items():
        monkeypatch.setattr(mixed, name, value)
    ended_by = set()
    for make, expected in SMALL.values():
        graph = make()
        matching = berge.maximum_matching(
            graph, init="none", algorithm="mixed", threads=threads, effort=0.1
        )
        assert matching.prove(graph).size == matching.cardinality
        assert expected is None or matching.cardinality == expected
        ended_by.add("push" in matching.stats.seconds)
    assert True in ended_by if least else ended_by == {False}


def share_cheap_starts(monkeypatch):
    """Let threads share cheap starts of small graphs too."""
    monkeypatch.setattr(cheap, "SHARED_START", 0)
    monkeypatch.setattr(cheap, "SHARED_VERTICES", 0)


def cheap_start(graph, threads):
    settings = {"init": "cheap", "algorithm": "ss-bfs", "side": "rows", "threads": threads}
    return berge.maximum_matching(graph, **settings).stats.start_cardinality


@pytest.mark.kernels
def test_the_cheap_start_in_blocks(monkeypatch):
    """Rows in the order of a mesh find on many threads what they find on one."""
    share_cheap_starts(monkeypatch)
    grid = generate.grid(60, 60)
    for threads in (2, 3, 4):
        assert cheap_start(grid, threads) == cheap_start(grid, 1) == 3600
    # A quarter of the rows before the cut take columns behind it, and all find one: done by one
    # thread.
    rows = np.arange(3000)
    shifted = BipartiteGraph.from_edges(rows, (rows + 1500 * (rows % 4 == 0)) % 3000)
    assert cheap_start(shifted, 2) == cheap_start(shifted, 1)


@pytest.mark.kernels
@pytest.mark.parametrize("threads", [2, 4])
def test_the_cheap_start_as_a_race(threads, monkeypatch):
    """Where the order of the rows means nothing, threads claim columns."""
    share_cheap_starts(monkeypatch)
    # Every row before the cut wants a column behind it, and all the same one.
    star = BipartiteGraph.from_edges(np.arange(3000), np.full(3000, 2999), (3000, 3000))
    assert cheap_start(star, threads) == 1
    shifted = BipartiteGraph.from_edges(np.arange(3000), (np.arange(3000) + 1500) % 3000)
    assert cheap_start(shifted, threads) == 3000
    for graph, expected in random_graphs(8)[: None if COMPILED else 2]:
        assert cheap_start(graph, threads) >= 0.95 * cheap_start(graph, 1)
        solve(graph, expected, algorithm="ss-bfs", init="cheap", threads=threads)


@pytest.mark.kernels
def test_the_cheap_start_in_blocks_that_lead_back(monkeypatch):
    """Rows behind the cut have columns before it only; there are too many to be left for later."""
    share_cheap_starts(monkeypatch)
    before, behind = np.arange(cheap.MOST_LEFT, 2 * cheap.MOST_LEFT), np.arange(2 * cheap.MOST_LEFT)
    rows = np.concatenate([before, behind + behind.size])
    graph = BipartiteGraph.from_edges(rows, np.concatenate([before, behind]), (4096, 4096))
    for threads in (1, 2, 4):
        assert cheap_start(graph, threads) == behind.size


@pytest.mark.kernels
def test_rows_that_lost_a_race_try_again():
    """Rows 0 and 1 have written column 0 at the same time, and one of the writes stayed."""
    graph = BipartiteGraph.from_edges([0, 0, 1, 1, 2], [0, 2, 0, 3, 1], (3, 4))
    done, left = np.zeros((2, cheap.LINE), np.int64), np.empty(3, np.int32)
    for winner in (0, 1):
        row_match = np.array([0, 0, 1], np.int32)
        col_match = np.array([winner, 2, -1, -1], np.int32)
        arrays = (unsigned(graph.indptr), unsigned(graph.indices), row_match, col_match)
        assert cheap.match_on_threads(cheap.Arrays(*arrays), True, done, left) == 3
        done[:] = 0
        assert row_match.tolist() == ([0, 3, 1] if winner == 0 else [2, 0, 1])
        assert np.array_equal(col_match[row_match], [0, 1, 2])


@compiled
@pytest.mark.parametrize("threads", [2, 4])
def test_races_for_few_columns(threads, monkeypatch):
    """All rows want the same columns at the same time."""
    share_cheap_starts(monkeypatch)
    rows = np.repeat(np.arange(20_000), 2)
    for seed in range(20):
        cols = np.random.default_rng(seed).integers(10_000, 10_050, rows.size)
        graph = BipartiteGraph.from_edges(rows, cols, (20_000, 20_000))
        solve(graph, 50, algorithm="ss-bfs", init="cheap", threads=threads)


@compiled
@pytest.mark.parametrize("algorithm", AUGMENTING)
def test_stats_of_all_threads_add_up(algorithm):
    for graph, expected in random_graphs(6):
        stats = solve(graph, expected, algorithm=algorithm, init="cheap", threads=4).stats
        assert stats.threads == 4
        assert stats.start_cardinality + stats.augmenting_paths == expected
        assert stats.augmenting_paths == sum(stats.path_lengths)


@pytest.mark.kernels
@pytest.mark.parametrize("algorithm", SERIAL_TWIN)
def test_on_one_thread_it_is_the_serial_algorithm(algorithm):
    for make, _ in SMALL.values():
        graph = make()
        ours, theirs = (
            berge.maximum_matching(graph, algorithm=name, init="cheap", threads=1)
            for name in (algorithm, SERIAL_TWIN[algorithm])
        )
        assert np.array_equal(ours.row_match, theirs.row_match)
        assert ours.stats.path_lengths == theirs.stats.path_lengths


@pytest.mark.kernels
@pytest.mark.skipif(COMPILED, reason="compiled code has its constants built in")
@every_algorithm
def test_sharing_out_with_tiny_queues_and_chunks(algorithm, monkeypatch):
    """What threads do on large graphs, seen by coverage on small ones."""
    tiny = {"SERIAL": 0, "SERIAL_ROWS": 0, "PRIVATE": 2, "CHUNK": 3}
    tiny |= {"SERIAL_EDGES": 0, "CHUNK_OF_ROOTS": 3}
    for module in MODULES:
        for name, value in tiny.items():
            if hasattr(module, name):
                monkeypatch.setattr(module, name, value)
    options = [{}]
    if algorithm == "p-push-relabel":
        options = [{"queue_limit": 2}, {"relabel_frequency": 1e9}]
    for make, _ in SMALL.values():
        graph = make()
        expected = berge.maximum_matching(graph, algorithm="pothen-fan").cardinality
        for init in ("none", "cheap"):
            for threads in (1, 2, 4):
                for option in options:
                    solve(
                        graph, expected, algorithm=algorithm, init=init, threads=threads, **option
                    )


@pytest.mark.kernels
@pytest.mark.skipif(COMPILED, reason="compiled code has the instruction built in")
def test_pushes_that_another_thread_is_faster_with(monkeypatch):
    """A compare-and-swap that fails now and then: the row looks again."""
    take = p_push_relabel.take
    for make, _ in SMALL.values():
        graph = make()
        expected = berge.maximum_matching(graph, algorithm="pothen-fan").cardinality
        tries = []
        n_cols = graph.n_cols if graph.n_cols != graph.n_rows else -1

        def slow_take(array, i, seen, new, shared, tries=tries, n_cols=n_cols):
            tries.append(i)
            if array.size == n_cols and len(tries) % 3 == 0:
                return False
            return take(array, i, seen, new, shared)

        monkeypatch.setattr(p_push_relabel, "take", slow_take)
        solve(graph, expected, algorithm="p-push-relabel", init="none", threads=2)
        monkeypatch.undo()


@compiled
@pytest.mark.parametrize("layer", ["tbb", "omp", "workqueue"])
def test_threading_layers(layer):
    code = (
        "import berge, numba, sys\n"
        "g = berge.generate.erdos_renyi(9000, 9000, 25000)\n"
        "for name in sys.argv[1:]:\n"
        "    for threads in (2, 3, 4):\n"
        "        m = berge.maximum_matching(g, algorithm=name, init='none', threads=threads)\n"
        "        m.prove(g)\n"
        "print(numba.threading_layer())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, *ALGORITHMS],
        env=os.environ | {"NUMBA_THREADING_LAYER": layer, "NUMBA_NUM_THREADS": "4"},
        capture_output=True,
        text=True,
        check=False,
    )
    if "No threading layer could be loaded" in result.stderr:
        pytest.skip(f"{layer} is not installed")
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == layer
