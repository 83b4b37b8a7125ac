"""Algorithms whose threads claim vertices from each other: races, portions, threading layers."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import berge
from berge.methods.augmenting import depth_first, hopcroft_karp, roots
from berge.methods.push_relabel import p_push_relabel

from ..conftest import COMPILED
from ..corpus import SMALL
from .runs import random_graphs, solve

AUGMENTING = ["p-pothen-fan", "p-dbfs", "p-hopcroft-karp"]
ALGORITHMS = [*AUGMENTING, "p-push-relabel"]
MODULES = depth_first, hopcroft_karp, p_push_relabel, roots  # those that have numbers to turn
SERIAL_TWIN = {"p-pothen-fan": "pothen-fan", "p-hopcroft-karp": "hopcroft-karp"}

compiled = pytest.mark.skipif(not COMPILED, reason="races need threads")
on_many_threads = pytest.mark.parametrize("threads", [2, 3, 4])
every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)


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
    tiny = {"SERIAL": 0, "SERIAL_STEP": 0, "PRIVATE": 2, "CHUNK": 3}
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
