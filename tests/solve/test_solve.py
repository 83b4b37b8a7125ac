"""The pipeline: options, warm starts, limits, callbacks, stats."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
import pytest

import berge
from berge import (
    DeviceError,
    InvalidGraphError,
    InvalidMatchingError,
    Matching,
    OptionError,
    generate,
)
from berge.methods import registry

EXACT = [a.name for a in registry.variants("exact")]
# Push-relabel has no augmenting paths, and "mixed" may end with it.
WITHOUT = ("push-relabel", "p-push-relabel", "mixed", "g-pr-first", "g-pr-noshr", "g-pr-shr")
WITH_PATHS = [name for name in EXACT if name not in WITHOUT]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"algorithm": "hopcroft-carp"}, OptionError, "did you mean 'hopcroft-karp'"),
        ({"algorithm": "cheap"}, OptionError, "algorithm 'cheap' is not one of auto, ss-dfs"),
        ({"init": "karp-sipsr"}, OptionError, "did you mean 'karp-sipser'"),
        ({"device": "tpu"}, DeviceError, "one of cpu, cuda, not 'tpu'"),
        ({"threads": 0}, OptionError, "threads must be a whole number from 1 on, not 0"),
        ({"threads": 1.5}, OptionError, "not 1.5"),
        ({"threads": True}, OptionError, "not True"),
        ({"time_limit": -1}, OptionError, "time_limit must be a number of seconds ≥ 0"),
        ({"time_limit": float("nan")}, OptionError, "not nan"),
        ({"seed": -1}, OptionError, "seed must be a whole number ≥ 0, not -1"),
        ({"seed": "a"}, OptionError, "seed must be a whole number"),
        ({"initial": 5}, InvalidMatchingError, "initial must be a Matching, not int"),
    ],
)
def test_refuses(options, error, message):
    with pytest.raises(error, match=message):
        berge.maximum_matching(generate.chain(4), **options)


def test_errors_leave_the_thread_count_alone():
    import numba

    numba.set_num_threads(3)
    try:
        with pytest.raises(InvalidGraphError):
            berge.maximum_matching(7, threads=1)
        with pytest.raises(ZeroDivisionError):
            berge.maximum_matching(generate.chain(4), threads=1, on_phase=lambda _: 1 / 0)
        berge.maximum_matching(generate.chain(4), threads=2)
        assert numba.get_num_threads() == 3
    finally:
        numba.set_num_threads(4)


def test_more_threads_than_numba_has():
    with pytest.warns(RuntimeWarning, match="NUMBA_NUM_THREADS"):
        matching = berge.maximum_matching(generate.chain(4), algorithm="ms-bfs", threads=999)
    assert matching.stats.threads == 4


@pytest.mark.kernels
@pytest.mark.parametrize("algorithm", EXACT)
@pytest.mark.parametrize("init", ["auto", "none", "cheap", "karp-sipser"])
def test_warm_start(algorithm, init):
    graph = generate.erdos_renyi(60, 60, 200, seed=4)
    best = berge.maximum_matching(graph)
    half = best.row_match.copy()
    half[::2] = -1
    cols = np.full(graph.n_cols, -1, np.int32)
    cols[half[half >= 0]] = np.flatnonzero(half >= 0)
    initial = Matching(half, cols, upper_bound=60)
    again = berge.maximum_matching(graph, algorithm=algorithm, init=init, initial=initial)
    again.prove(graph)
    assert again.stats.start_cardinality >= initial.cardinality
    assert initial.row_match.tolist() == half.tolist()
    from_best = berge.maximum_matching(graph, algorithm=algorithm, init=init, initial=best)
    assert np.array_equal(from_best.row_match, best.row_match)


def test_wrong_warm_start():
    graph = generate.chain(3)
    wrong = Matching(np.array([2, -1, -1]), np.array([-1, -1, 0]), upper_bound=3)
    with pytest.raises(InvalidMatchingError, match="row 0 is matched to column 2, not a neighbour"):
        berge.maximum_matching(graph, initial=wrong)
    with pytest.raises(InvalidMatchingError, match="for 2 × 2 vertices"):
        berge.maximum_matching(graph, initial=berge.maximum_matching(generate.chain(2)))


@pytest.mark.parametrize("algorithm", EXACT)
def test_time_limit_of_nothing_gives_a_valid_matching(algorithm):
    graph = generate.grid(40, 40)
    matching = berge.maximum_matching(graph, algorithm=algorithm, init="none", time_limit=0)
    assert matching.stats.stopped == "time limit"
    assert not matching.is_maximum
    assert matching.upper_bound == 1600
    berge.verify(graph, matching)


@pytest.mark.parametrize("algorithm", EXACT)
def test_interrupt_returns_the_best_so_far(algorithm):
    """Ctrl-C comes as KeyboardInterrupt between two kernels; every phase is tried."""
    n = 4000 if algorithm in ("mixed", "out-of-core") else 400  # small ones are one phase
    graph = generate.erdos_renyi(n, n * 19 // 20, n * 5 // 2, seed=1)
    phases = berge.maximum_matching(graph, algorithm=algorithm, init="none").stats.phases
    assert phases >= 2
    last = 0
    for stop in range(phases):

        def interrupt(report, stop=stop):
            if report.step == "search" and report.phase > stop:
                raise KeyboardInterrupt

        matching = berge.maximum_matching(
            graph, algorithm=algorithm, init="none", on_phase=interrupt
        )
        assert matching.stats.stopped == "interrupted"
        assert matching.cardinality <= matching.upper_bound <= graph.n_cols
        assert matching.cardinality >= last
        berge.verify(graph, matching)
        last = matching.cardinality
    assert last > 0


def test_bound_without_a_transpose_counts_columns_that_have_an_edge():
    graph = berge.BipartiteGraph.from_edges([0, 1, 2], [1, 1, 1], (3, 50))
    matching = berge.maximum_matching(graph, algorithm="pothen-fan", init="none", time_limit=0)
    assert matching.upper_bound == 1


def test_on_phase_sees_the_matching_grow():
    reports = []
    graph = generate.permute(generate.grid(30, 30))
    matching = berge.maximum_matching(graph, init="cheap", on_phase=reports.append)
    cardinalities = [r.cardinality for r in reports]
    assert cardinalities == sorted(cardinalities)
    assert cardinalities[-1] == matching.cardinality
    assert reports[0].step == "init"
    assert reports[-1].step == "search"
    assert all(r.upper_bound >= matching.cardinality and r.seconds >= 0 for r in reports)


@pytest.mark.kernels
@pytest.mark.parametrize("algorithm", EXACT)
def test_stats_add_up(algorithm):
    graph = generate.permute(generate.grid(12, 12), seed=3)
    matching = berge.maximum_matching(graph, algorithm=algorithm, init="cheap", threads=1)
    stats = matching.stats
    assert stats.algorithm == algorithm
    assert stats.init == "cheap"
    assert stats.start_cardinality < matching.cardinality == 144
    if algorithm.startswith("ap"):  # counts paths, not their lengths
        assert stats.start_cardinality + stats.augmenting_paths == matching.cardinality
        assert len(stats.launches) == stats.phases
    elif algorithm in WITH_PATHS:
        assert stats.start_cardinality + stats.augmenting_paths == matching.cardinality
        assert stats.augmenting_paths == sum(stats.path_lengths) > 0
        assert 1 <= stats.average_path <= stats.longest_path
        assert stats.longest_path % 2 == 1
        assert stats.path_edges >= stats.augmenting_paths
    elif algorithm != "mixed":
        assert stats.augmenting_paths == 0
    assert stats.longest_path.bit_length() == len(stats.path_lengths)
    assert stats.traversed_edges > 0
    assert stats.phases >= 1
    assert stats.seconds["total"] >= stats.seconds["init"]
    assert sum(s for k, s in stats.seconds.items() if k != "total") <= stats.seconds["total"]
    if algorithm in ("hopcroft-karp", "ms-bfs-graft"):
        assert stats.levels == sum(len(f) for f in stats.frontiers)
        assert stats.frontiers[0][0] == 144 - stats.start_cardinality
    json.dumps(stats.as_dict())


@pytest.mark.kernels
def test_one_long_path_is_counted():
    matching = berge.maximum_matching(
        generate.chain(300), algorithm="ms-bfs-graft", init="cheap", threads=1
    )
    stats = matching.stats
    assert (stats.augmenting_paths, stats.longest_path, stats.average_path) == (1, 599, 599.0)
    assert stats.path_lengths == [0] * 9 + [1]


def test_hopcroft_karp_finds_shorter_paths_than_single_sources_and_depth_first():
    graph = generate.permute(generate.grid(25, 25), seed=1)
    average = {
        name: berge.maximum_matching(
            graph, algorithm=name, init="cheap", threads=1
        ).stats.average_path
        for name in ("hopcroft-karp", "p-hopcroft-karp", "ss-dfs", "ss-bfs", "pothen-fan")
    }
    assert average["hopcroft-karp"] == average["p-hopcroft-karp"]
    assert average["hopcroft-karp"] == min(average.values()) < average["ss-bfs"]


def test_levels_past_what_is_kept_are_still_counted():
    settings = {"algorithm": "ms-bfs-graft", "init": "cheap"}
    stats = berge.maximum_matching(generate.chain(12_000), **settings).stats
    assert stats.levels > 10_000
    assert sum(len(f) for f in stats.frontiers) == 10_000


@pytest.mark.kernels
@pytest.mark.parametrize("algorithm", EXACT)
def test_work_in_small_portions(algorithm, monkeypatch):
    """A kernel that returns after every few edges and is called again finds the same matching."""
    graph = generate.permute(generate.grid(12, 11), seed=1)
    options = {"algorithm": algorithm, "threads": 1, "seed": 2}
    for init in ("cheap", "karp-sipser"):
        whole = berge.maximum_matching(graph, init=init, **options)
        for name, module in list(sys.modules.items()):
            if name.startswith("berge.") and hasattr(module, "EDGES_PER_CALL"):
                monkeypatch.setattr(module, "EDGES_PER_CALL", 5)
        portions = berge.maximum_matching(graph, init=init, **options)
        monkeypatch.undo()
        portions.prove(graph)
        assert np.array_equal(whole.row_match, portions.row_match)
        assert whole.stats.traversed_edges == portions.stats.traversed_edges


def test_progress_shows_something_on_a_terminal_only_while_it_runs(capsys):
    berge.maximum_matching(generate.grid(20, 20), progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""


@pytest.mark.parametrize("layer", ["tbb", "omp", "workqueue"])
def test_threading_layers(layer):
    code = (
        "import berge, numba\n"
        "g = berge.generate.erdos_renyi(9000, 9000, 25000)\n"
        "m = berge.maximum_matching(g, init='none', threads=3)\n"
        "m.prove(g)\n"
        "print(numba.threading_layer())\n"
    )
    import os

    environment = os.environ | {"NUMBA_THREADING_LAYER": layer, "NUMBA_NUM_THREADS": "4"}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    if "No threading layer could be loaded" in result.stderr:
        pytest.skip(f"{layer} is not installed")
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == layer


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("shape", [(60_000, 50_000), (10_000, 90_000), (90_000, 10_000)])
def test_memory_is_what_the_documentation_says(shape, threads, monkeypatch):
    """Besides the graph: its transpose, 24 bytes a vertex, and 12 more for each thread."""
    import tracemalloc

    from berge import tuning
    from berge.methods.combined import mixed

    monkeypatch.setattr(mixed, "SHARED_PUSHES", 0)
    for module in (mixed, tuning):
        monkeypatch.setattr(module, "SHARED_SEARCHES", 0)
        monkeypatch.setattr(module, "WAKING", -(10**9))
    # New memory, as from the second solve beside.
    monkeypatch.setattr(berge.results.run, "LARGE", 10**9)
    graph = generate.erdos_renyi(*shape, 200_000)
    for init in ("none", "cheap", "karp-sipser"):
        berge.maximum_matching(graph, init=init, threads=threads)  # compile first
        fresh = berge.BipartiteGraph(graph.indptr, graph.indices, graph.shape)
        tracemalloc.start()
        berge.maximum_matching(fresh, init=init, threads=threads)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 4 * graph.nnz + (24 + 12 * threads) * sum(shape) + 200_000


def test_solving_twice_at_once_from_two_threads():
    from concurrent.futures import ThreadPoolExecutor

    graphs = [generate.erdos_renyi(3000, 3000, 9000, seed=s) for s in range(6)]
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda g: berge.maximum_matching(g, threads=1), graphs))
    for graph, matching in zip(graphs, found, strict=True):
        matching.prove(graph)


def test_seconds_cover_the_call():
    begin = time.perf_counter()
    stats = berge.maximum_matching(generate.grid(50, 50)).stats
    assert 0 < stats.seconds["total"] <= time.perf_counter() - begin


@pytest.mark.kernels
@pytest.mark.parametrize("algorithm", EXACT)
@pytest.mark.parametrize("init", ["none", "cheap", "karp-sipser"])
def test_search_from_columns(algorithm, init):
    for graph in (generate.erdos_renyi(50, 90, 160), generate.power_law(70, 40)):
        matching = berge.maximum_matching(graph, algorithm=algorithm, init=init, side="cols")
        assert matching.row_match.size == graph.n_rows
        matching.prove(graph)


@pytest.mark.kernels
@pytest.mark.parametrize(
    "entry", berge.algorithms("start") + berge.algorithms("exact"), ids=lambda a: a.name
)
def test_every_option_works_and_is_checked(entry):
    """Each switch, both ways or at several values, gives a proved maximum."""
    import inspect

    keywords = inspect.signature(entry.load()).parameters
    declared = {name: p.default for name, p in keywords.items() if p.kind is p.KEYWORD_ONLY}
    assert declared == {option.name: option.default for option in entry.options}
    graph = generate.power_law(80, 60, 3, seed=5)
    chosen = {"algorithm" if entry.kind == "exact" else "init": entry.name}
    expected = berge.maximum_matching(graph).cardinality
    for option in entry.options:
        if option.choices:
            values = list(option.choices)
        elif isinstance(option.default, bool):
            values = [True, False, "true", "false"]
        else:
            values = [option.default, max(option.low, 1), option.low + 7, str(option.default)]
        for value in values:
            for init in ("none", "cheap") if entry.kind == "exact" else (entry.name,):
                given = chosen | {"init": init, option.name: value}
                assert berge.maximum_matching(graph, **given).prove(graph).size == expected
        for wrong in (None, "nonsense", float("nan"), [], 10**400):
            with pytest.raises(OptionError, match=f"{option.name} must be "):
                berge.maximum_matching(graph, **chosen, **{option.name: wrong})


def test_unknown_options_are_named():
    with pytest.raises(OptionError, match=r"there is no option 'alfa'; did you mean 'alpha'\?"):
        berge.maximum_matching(generate.chain(3), algorithm="ms-bfs-graft", alfa=3)
    with pytest.raises(OptionError, match="has no option 'alpha'; it has none"):
        berge.maximum_matching(generate.chain(3), algorithm="hopcroft-karp", init="none", alpha=3)
    with pytest.raises(OptionError, match=r"there is no option 'thread'; did you mean 'threads'\?"):
        berge.maximum_matching(generate.chain(3), thread=1)
    with pytest.raises(OptionError, match="side must be"):
        berge.maximum_matching(generate.chain(3), side="left")


@pytest.mark.kernels
def test_mixed_goes_over_to_push_relabel_and_back_to_nothing():
    graph = generate.permute(generate.grid(14, 14), seed=2)
    options = {"algorithm": "mixed", "init": "none"}
    patient = berge.maximum_matching(graph, **options, effort=1000)
    hasty = berge.maximum_matching(graph, **options, effort=0)
    for matching in (patient, hasty):
        assert matching.prove(graph).size == 196
    assert "push" not in patient.stats.seconds
    assert "push" in hasty.stats.seconds
    assert hasty.stats.augmenting_paths == 0
    assert patient.stats.augmenting_paths == 196
