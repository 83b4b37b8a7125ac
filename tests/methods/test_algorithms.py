"""Every algorithm on the whole corpus, with every start and every number of threads, each proved.

All combinations are too many to wait for (``pytest --sweep`` runs them). What is run by default is
chosen so that for each algorithm no graph, no start and no number of threads is left out:
``covering`` deals starts and numbers of threads out in turn, and a test of its own counts them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import groupby, product

import numpy as np
import pytest

import berge
from berge import BipartiteGraph, generate
from berge.graphs import workspace
from berge.methods.registry import Algorithm, find, variants
from berge.results.run import Run

from ..conftest import COMPILED
from ..corpus import LARGE, SMALL

ALGORITHMS = list(variants("exact"))
EXACT = [a.name for a in ALGORITHMS]
STARTS = [a.name for a in berge.algorithms("start")]
THREADS = [1, 2, 4]


def settings_of(a: Algorithm) -> tuple[list[str], list[int]]:
    """Return the starts and numbers of threads to try an algorithm with.

    Those made for GPUs are many, share their kernels, and have tests of their own: the start that
    leaves everything to do and one that leaves long paths will do.
    """
    if "cuda" in a.devices:
        return ["none", "cheap"], [2, 4] if COMPILED else [1]
    return STARTS, THREADS if a.threads else THREADS[:1]


def every_setting(sweep: bool) -> Iterator[tuple[str, str, int]]:
    """Yield algorithm, start, threads; without `sweep` one number of threads a start, in turn."""
    for number, a in enumerate(ALGORITHMS):
        starts, threads = settings_of(a)
        if sweep:
            yield from ((a.name, *both) for both in product(starts, threads))
        else:
            turns = (threads[(i + number) % len(threads)] for i in range(len(starts)))
            yield from ((a.name, *both) for both in zip(starts, turns, strict=True))


def covering(sweep: bool) -> Iterator[tuple[str, str, str, int]]:
    """Yield graph, algorithm, start, threads; without `sweep` one start and threads a graph.

    Both are dealt out in turn. The number of threads moves on by one more after each round of
    starts, so that a start is not always tried with the same.
    """
    if sweep:
        yield from ((name, *each) for name, each in product(LARGE, every_setting(True)))
        return
    for (number, a), (turn, name) in product(enumerate(ALGORITHMS), enumerate(LARGE)):
        starts, threads = settings_of(a)
        rounds, i = divmod(turn + number, len(starts))
        yield name, a.name, starts[i], threads[(rounds + i) % len(threads)]


def one_setting_each() -> Iterator[tuple[str, str, int]]:
    """Yield algorithm, start, threads: one start an algorithm, in turn."""
    chosen = groupby(every_setting(False), key=lambda setting: setting[0])
    for number, (_, settings) in enumerate(chosen):
        settings = list(settings)
        yield settings[number % len(settings)]


def pytest_generate_tests(metafunc):
    sweep = metafunc.config.getoption("--sweep")
    if metafunc.function is test_large_corpus:
        metafunc.parametrize(("name", "algorithm", "init", "threads"), list(covering(sweep)))
    elif metafunc.function is test_64_bit_indptr_alone and not sweep:
        metafunc.parametrize(("algorithm", "init", "threads"), list(one_setting_each()))
    elif {"algorithm", "init", "threads"} <= set(metafunc.fixturenames):
        metafunc.parametrize(("algorithm", "init", "threads"), list(every_setting(sweep)))


@pytest.mark.parametrize("choose", [every_setting, covering])
def test_the_selection_leaves_nothing_out(choose):
    """For each algorithm: every graph, every start, every number of threads."""

    def pairs(cases):
        return {(a, what) for *graph, a, init, t in cases for what in (*graph, init, t)}

    chosen, swept = list(choose(False)), list(choose(True))
    assert pairs(chosen) == pairs(swept)
    assert set(chosen) < set(swept)
    assert len(chosen) == len(set(chosen))


# These look at all rows in every level, and a chain has as many levels as rows: quadratic work.
SCANNING = [a.name for a in ALGORITHMS if "cuda" in a.devices]
SCANNING = [name for name in SCANNING if name not in ("apfb-queue", "apfb-split")]
SHORTER = {"chain of 10⁵ links": (lambda: generate.chain(2000), 2000)}


@cache
def small(name: str) -> BipartiteGraph:
    return SMALL[name][0]()


@cache
def large(name: str, shorter: bool) -> tuple[BipartiteGraph, int | None]:
    make, expected = (SHORTER if shorter else {}).get(name, LARGE[name])
    return make(), expected


def check(graph: BipartiteGraph, expected: int | None, **settings: object) -> berge.Matching:
    matching = berge.maximum_matching(graph, **settings)  # type: ignore[arg-type]
    assert matching.is_maximum
    certificate = matching.prove(graph)
    assert certificate.size == matching.cardinality
    if expected is not None:
        assert matching.cardinality == expected
    return matching


def start_only(graph: BipartiteGraph, init: str, seed: int = 0) -> berge.Matching:
    empty = berge.Matching.empty(graph)
    run = Run(graph, empty.row_match.copy(), empty.col_match.copy(), 0, 1, seed, berge.SolveStats())
    find("start", init).load()(run)
    start = berge.Matching(run.row_match, run.col_match, upper_bound=min(graph.shape))
    assert start.cardinality == run.cardinality
    return start


@pytest.mark.kernels
def test_small_corpus(algorithm, init, threads):
    for name, (_, expected) in SMALL.items():
        check(small(name), expected, algorithm=algorithm, init=init, threads=threads)


@pytest.mark.skipif(not COMPILED, reason="too large for uncompiled kernels")
def test_large_corpus(name, algorithm, init, threads):
    graph, expected = large(name, algorithm in SCANNING)
    check(graph, expected, algorithm=algorithm, init=init, threads=threads)


@pytest.mark.kernels
@pytest.mark.parametrize("algorithm", EXACT)
def test_many_random_graphs(algorithm):
    rng = np.random.default_rng(7)
    threads = 4 if COMPILED else 1
    for trial in range(150):
        n_rows, n_cols = rng.integers(1, 30, 2)
        n_edges = int(rng.integers(0, 3 * max(n_rows, n_cols)))
        rows, cols = rng.integers(0, n_rows, n_edges), rng.integers(0, n_cols, n_edges)
        graph = BipartiteGraph.from_edges(rows, cols, (n_rows, n_cols))
        init = STARTS[trial % len(STARTS)]
        check(graph, None, algorithm=algorithm, init=init, seed=trial, threads=threads)


@pytest.mark.kernels
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("algorithm", EXACT)
def test_memory_that_others_have_used(algorithm, threads, monkeypatch):
    """What solves leave in working memory is nothing to rely on, and results are not in there."""
    monkeypatch.setattr(berge.results.run, "LARGE", 0)
    for rubbish in (0, 1, 255):
        for name, (_, expected) in SMALL.items():
            with workspace.Workspace(1 << 20) as space:
                space.empty(1 << 20, np.uint8).fill(rubbish)
            graph = small(name)
            graph = BipartiteGraph(graph.indptr, graph.indices, graph.shape)  # without a transpose
            matching = berge.maximum_matching(
                graph.to_scipy(), algorithm=algorithm, threads=threads
            )
            with workspace.Workspace(1 << 20) as space:
                space.empty(1 << 20, np.uint8).fill(77)
            assert matching.prove(graph).size == matching.cardinality
            assert expected in (None, matching.cardinality)


@pytest.mark.skipif(not COMPILED, reason="races need threads")
def test_races_on_many_threads():
    """Levels of thousands of items, on more threads than cores, from the worst of starts."""
    for seed in range(40):
        graph = berge.generate.erdos_renyi(6000, 5500, 13_000, seed=seed)
        expected = berge.maximum_matching(graph, algorithm="pothen-fan", threads=1).cardinality
        check(graph, expected, algorithm="ms-bfs-graft", init="none", threads=4)
        check(graph, expected, algorithm="ms-bfs-graft", init="cheap", threads=3)
        check(graph, expected, algorithm="ms-bfs-graft", init="none", threads=4, as_printed=True)


@pytest.mark.kernels
@pytest.mark.skipif(COMPILED, reason="compiled code has its constants built in")
def test_sharing_out_with_tiny_queues_and_chunks(monkeypatch):
    """What threads do on large levels, seen by coverage on small graphs."""
    from berge.methods.augmenting import ms_bfs_graft

    monkeypatch.setattr(ms_bfs_graft, "SERIAL", 0)
    monkeypatch.setattr(ms_bfs_graft, "PRIVATE", 2)
    monkeypatch.setattr(ms_bfs_graft, "CHUNK", 3)
    for name, (_, expected) in SMALL.items():
        for init in STARTS:
            for threads in (1, 2, 4):
                settings = {"algorithm": "ms-bfs-graft", "init": init, "threads": threads}
                check(small(name), expected, **settings, as_printed=threads > 1)


@pytest.mark.kernels
@pytest.mark.parametrize("algorithm", ["ms-bfs-do", "ms-bfs-graft"])
def test_bottom_up_as_printed(algorithm):
    """Algorithm 6 of the paper to the letter: as large, by fewer and longer levels."""
    levels = {True: 0, False: 0}
    for seed in range(12 if COMPILED else 3):
        graph = berge.generate.permute(berge.generate.grid(15, 15), seed=seed)
        for as_printed in levels:
            settings = {"algorithm": algorithm, "init": "cheap", "alpha": 500.0, "threads": 1}
            found = berge.maximum_matching(graph, **settings, as_printed=as_printed)
            assert found.prove(graph).size == found.cardinality
            levels[as_printed] += len(found.stats.frontiers[0])
    assert levels[True] < levels[False]


@pytest.mark.kernels
@pytest.mark.kernels
def test_grafts_are_noted():
    """One entry for every phase but the first: what it begins with, or 0 for unmatched rows."""
    graph = generate.permute(generate.karp_sipser_hard(60, 4), seed=1)
    settings = {"algorithm": "ms-bfs-graft", "init": "none", "threads": 1}
    found = berge.maximum_matching(graph, **settings, alpha=1e9).stats
    assert all(found.grafts)
    assert [sum(size) > 0 for size in found.frontiers[1:]] == [True] * (len(found.frontiers) - 1)
    assert len(found.grafts) in (found.phases - 1, found.phases)
    assert berge.maximum_matching(graph, **settings, grafting=False).stats.grafts == []


def test_frontiers_are_rows():
    """A level's free columns end paths, and are not searched from."""
    graph = berge.generate.complete(4, 9)
    settings = {"algorithm": "ms-bfs-graft", "init": "none", "threads": 1}
    for direction_optimising in (True, False):
        found = berge.maximum_matching(graph, **settings, direction_optimising=direction_optimising)
        assert found.stats.frontiers == [[4]]  # each row takes a free column at once
    chain = berge.maximum_matching(
        berge.generate.chain(4), **(settings | {"init": "cheap"}), grafting=False
    )
    assert chain.stats.frontiers == [[1] * 4]


@pytest.mark.kernels
@pytest.mark.parametrize("init", STARTS[1:])
def test_starts_are_maximal(init):
    """No edge joins two vertices that a start left free."""
    for name in SMALL:
        graph = small(name)
        start = start_only(graph, init)
        berge.verify(graph, start)
        rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
        both_free = (start.row_match[rows] < 0) & (start.col_match[graph.indices] < 0)
        assert not both_free.any(), name


@pytest.mark.kernels
def test_karp_sipser_is_exact_on_trees():
    """The degree-one rule alone matches a forest as well as can be."""
    rng = np.random.default_rng(3)
    for seed in range(30):
        n = 40
        parent = [int(rng.integers(0, i)) for i in range(1, n)]
        depth = [0] * n
        for i in range(1, n):
            depth[i] = depth[parent[i - 1]] + 1
        edges = [(i, p) if depth[i] % 2 == 0 else (p, i) for i, p in enumerate(parent, start=1)]
        graph = BipartiteGraph.from_edges(*np.array(edges).T, (n, n))
        start = start_only(graph, "karp-sipser", seed)
        assert start.cardinality == berge.maximum_matching(graph).cardinality


@pytest.mark.kernels
@pytest.mark.parametrize("algorithm", EXACT)
@pytest.mark.parametrize("init", STARTS)
def test_same_seed_same_result(algorithm, init):
    """On one thread; on several only the cardinality is promised."""
    graph = small("power law")
    first, second = (
        berge.maximum_matching(graph, algorithm=algorithm, init=init, threads=1, seed=5)
        for _ in range(2)
    )
    assert np.array_equal(first.row_match, second.row_match)


@pytest.mark.kernels
@pytest.mark.wide
def test_64_bit_graphs(algorithm, init, threads):
    """What sizes past 2³¹ would need, tried on small graphs."""
    for name, (_, expected) in SMALL.items():
        graph = small(name)
        wide = BipartiteGraph._trusted(
            graph.indptr.astype(np.int64), graph.indices.astype(np.int64), graph.shape
        )
        matching = check(wide, expected, algorithm=algorithm, init=init, threads=threads)
        assert matching.row_match.dtype == np.int64
        narrow = berge.maximum_matching(graph, algorithm=algorithm, init=init, threads=threads)
        assert matching.cardinality == narrow.cardinality


@pytest.mark.kernels
@pytest.mark.wide
def test_64_bit_indptr_alone(algorithm, init, threads):
    """More than 2³¹ edges between fewer vertices."""
    for name in ("unsorted", "layered", "power law"):
        graph = small(name)
        wide = BipartiteGraph._trusted(graph.indptr.astype(np.int64), graph.indices, graph.shape)
        check(wide, None, algorithm=algorithm, init=init, threads=threads)
