"""Depth-first searches on trial: what they say, and that they leave no trace."""

from __future__ import annotations

import numpy as np
import pytest

import berge
from berge import BipartiteGraph, generate
from berge.methods.combined import budgeted, mixed, trial
from berge.methods.starts.cheap import cheap

from ...conftest import COMPILED
from ...corpus import SMALL
from ..runs import new_run

pytestmark = pytest.mark.kernels
EVERY = {"SMALL_GRAPH": 0, "TRIED_ROOTS": 0, "SHARED_PHASES": 0, "ROWS_SHARED_PHASES": 0}


def tune(monkeypatch, **numbers):
    for name, value in numbers.items():
        monkeypatch.setattr(trial, name, value)


def started(graph: BipartiteGraph, threads: int = 1):
    """Return a run after the cheap start, and searches that have not begun."""
    run = new_run(graph, threads)
    cheap(run)
    return run, budgeted.prepare(run, 1)


def all_but_last(n: int) -> BipartiteGraph:
    """n rows of which the cheap start matches one half to what the other half needs.

    Row i and row n + i share column i; row i alone has another, the last that it looks at. A
    path is one step down for depth-first search with lookahead, in the order of rows.
    """
    rows = np.concatenate([np.arange(n), np.arange(n), np.arange(n, 2 * n)])
    cols = np.concatenate([np.arange(n), np.arange(n, 2 * n), np.arange(n)])
    return BipartiteGraph.from_edges(rows, cols, (2 * n, 2 * n))


def test_too_small_or_nearly_done(monkeypatch):
    run, search = started(all_but_last(50), 2)
    for numbers in (
        {},
        EVERY | {"TRIED_ROOTS": 0.6},
        EVERY | {"SMALL_GRAPH": 150, "SHARED_PHASES": 151},
        EVERY | {"SMALL_GRAPH": 150, "ROWS_SHARED_PHASES": 101},
    ):
        tune(monkeypatch, **numbers)
        assert trial.try_depth_first(run, search) == 0
    run.threads = 1
    tune(monkeypatch, **EVERY | {"SMALL_GRAPH": 150})
    assert trial.try_depth_first(run, search) == 0
    assert search.state[budgeted.READ] == run.stats.traversed_edges == 0


@pytest.mark.parametrize(
    ("threads", "deeper", "mesh", "expected"),
    [(1, 9, 9, 0), (1, 0, 9, 1), (2, 9, 9, 2), (2, 9, 0, 0), (2, 0, 0, 1)],
)
def test_what_it_says(threads, deeper, mesh, expected, monkeypatch):
    """Which kind reads more edges a path, and whether the graph is a mesh, decide."""
    tune(monkeypatch, **EVERY, DEEPER=deeper, MESH_NEWS=mesh, TRIED_LEAST=60)
    run, search = started(all_but_last(50), threads)
    before = run.row_match.copy(), run.col_match.copy(), run.cardinality
    assert trial.try_depth_first(run, search) == expected
    read, found = search.state[budgeted.READ], search.state[budgeted.FOUND]
    assert run.stats.traversed_edges >= 60
    assert (read > 0) == (expected < 2)
    if expected:
        assert np.array_equal(run.row_match, before[0])
        assert np.array_equal(run.col_match, before[1])
        assert run.cardinality == before[2]
    else:
        assert run.cardinality == before[2] + found > before[2]
        assert run.cardinality == np.count_nonzero(run.row_match >= 0)


def test_searches_in_vain_end_it(monkeypatch):
    """Rows that all want few columns: nothing is tried but depth-first search."""
    tune(monkeypatch, **EVERY)
    run, search = started(generate.complete(30, 5), 2)
    assert trial.try_depth_first(run, search) == 0
    assert search.state[budgeted.READ] == 0
    assert run.cardinality == np.count_nonzero(run.row_match >= 0) == 5


def test_degrees_too_large_for_threads(monkeypatch):
    tune(monkeypatch, **EVERY, MESH_DEGREE=1.4, MESH_NEWS=9, DEEPER=9, TRIED_LEAST=1)
    run, search = started(all_but_last(50), 2)  # 1.5 edges a row
    assert trial.try_depth_first(run, search) == 0
    tune(monkeypatch, MESH_DEGREE=1.5)
    assert trial.try_depth_first(*started(all_but_last(50), 2)) == 2


def test_news_on_trees_and_on_squares():
    """Of a chain all edges are new but those that lead back up; of a full square few are."""
    for graph, least, most in (
        (generate.complete(20, 20), 1 / 20, 1 / 10),
        (generate.chain(300), 0.99, 1.0),
    ):
        run, search = started(graph)
        before = run.row_match.copy(), run.col_match.copy(), search.state.copy()
        assert least <= trial.news(search) <= most
        assert np.array_equal(run.row_match, before[0])
        assert np.array_equal(run.col_match, before[1])
        assert np.array_equal(search.state, before[2])
        search.state[budgeted.NUMBER] = search.state[budgeted.HIDDEN] - 1  # none left for marks
        assert trial.news(search) == 1.0


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize(
    "numbers",
    [
        {"DEEPER": 0},
        {"DEEPER": 1e9, "MESH_NEWS": 0},
        {"MESH_NEWS": 9, "MESH_DEGREE": 1e9},
        {"ALL_FOUND": 0, "DEEPER": 1e9, "MESH_NEWS": 0, "TRIED_LEAST": 1 << 20},
    ],
)
def test_every_outcome_on_small_graphs(threads, own, numbers, monkeypatch):
    tune(monkeypatch, **EVERY | {"ALL_FOUND": 0, "TRIED_LEAST": 20} | numbers)
    for make, expected in SMALL.values():
        graph = make()
        for init in ("none", "cheap"):
            settings = {"init": init, "algorithm": "mixed", "threads": threads}
            matching = berge.maximum_matching(graph if own else graph.to_scipy(), **settings)
            assert matching.prove(graph).size == matching.cardinality
            assert expected is None or matching.cardinality == expected


@pytest.mark.skipif(not COMPILED, reason="large graphs")
@pytest.mark.parametrize("threads", [1, 2])
def test_meshes_and_random_graphs(threads):
    """On threads Pothen–Fan begins on meshes; on one thread, and elsewhere, it does not."""
    mesh = generate.permute(generate.delaunay(140_000))
    random = generate.erdos_renyi(140_000, 140_000, 900_000, seed=1)
    for graph in (mesh, random):
        matching = berge.maximum_matching(graph.to_scipy(), threads=threads)
        assert matching.prove(graph).size == matching.cardinality
        phases = graph is mesh and threads == 2
        assert ("push" not in matching.stats.seconds) == phases


@pytest.mark.parametrize("threads", [1, 2])
def test_pothen_fan_on_graphs_that_others_may_change(threads):
    """Columns that do not exist are passed over."""
    graph = all_but_last(50)
    run = new_run(graph, threads)
    indices = graph.indices.copy()
    indices[::7] = 2**31 - 1
    run.graph = graph_of(graph, indices)
    mixed.match_in_phases(run, threads)
    assert run.col_match.size == 100
    matched = run.row_match[run.row_match >= 0]
    assert matched.size == np.unique(matched).size > 60
    assert matched.max() < 100


def graph_of(graph: BipartiteGraph, indices):
    from berge.graphs.graph import BorrowedGraph

    return BorrowedGraph(graph.indptr, graph.n_rows, indices, graph.shape)
