"""Coarsening: nothing is lost, nothing stalls, and threads change nothing."""

from __future__ import annotations

import json
import runpy
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import berge
from berge import (
    FormatError,
    Graph,
    Hierarchy,
    InvalidGraphError,
    OptionError,
    ProofError,
    generate,
)
from berge.analysis.coarsening.coarsen import SLOWEST
from berge.analysis.coarsening.contract import contract, exact_weights, number
from berge.analysis.coarsening.nets import Hypergraph
from berge.files import metis
from berge.graphs.owned import settle

from ..cli.invoke import run
from ..conftest import COMPILED, DATA

THREADS = (1, 2, 4)
WHOLE = st.integers(0, 9).map(float)
ANY = st.floats(0, 1e6, allow_subnormal=False)


def star(leaves: int) -> Graph:
    return Graph.from_edges(np.zeros(leaves, int), np.arange(1, leaves + 1))


def same(a: Hierarchy, b: Hierarchy) -> bool:
    """Whether two hierarchies agree bit for bit."""
    return len(a) == len(b) and all(
        np.array_equal(x, y)
        for p, q in zip(a, b, strict=True)
        for x, y in (
            (p.graph.indptr, q.graph.indptr),
            (p.graph.indices, q.graph.indices),
            (p.graph.to_scipy().data, q.graph.to_scipy().data),
            (p.graph.vertex_weights, q.graph.vertex_weights),
            (p.coarse, q.coarse),
        )
        if x is not None or y is not None
    )


@st.composite
def graphs(draw, weights=WHOLE):
    n = draw(st.integers(1, 40))
    ends = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(ends, ends, weights), max_size=80))
    u, v, w = ([e[i] for e in edges] for i in range(3))
    graph = Graph.from_edges(u, v, n, w) if draw(st.booleans()) else Graph.from_edges(u, v, n)
    heavy = draw(st.lists(weights, min_size=n, max_size=n)) if draw(st.booleans()) else None
    return Graph(graph.indptr, graph.indices, graph.weights, heavy)


@pytest.mark.kernels
@settings(max_examples=30 if COMPILED else 10, deadline=None)
@given(graphs(), st.integers(1, 20), st.sampled_from([None, 1.0, 2.0, 3.0]))
def test_no_weight_is_lost(graph, until, balance):
    h = berge.coarsen(graph, until=until, balance=balance)
    h.check()
    vertex_weight = graph.n_vertices if graph.vertex_weights is None else graph.vertex_weights.sum()
    for fine, coarse in pairwise(h):
        inside = fine.coarse[np.repeat(np.arange(fine.graph.n_vertices), fine.graph.degrees)]
        inside = fine.graph.to_scipy().data[inside == fine.coarse[fine.graph.indices]].sum() / 2
        assert coarse.graph.total_weight + inside == fine.graph.total_weight
        assert coarse.graph.vertex_weights.sum() == vertex_weight
        # The class's own checks find nothing to put right.
        again = Graph(coarse.graph.indptr, coarse.graph.indices, coarse.graph.weights)
        assert np.array_equal(again.indices, coarse.graph.indices)
        assert np.array_equal(again.weights, coarse.graph.weights)


@settings(max_examples=30, deadline=None)
@given(graphs(ANY))
def test_weights_that_are_not_whole_add_up_all_the_same(graph):
    h = berge.coarsen(graph, until=1)
    h.check()
    for level in h.levels[1:]:
        adjacency = level.graph.to_scipy()
        assert abs(adjacency - adjacency.T).max() == 0  # bit for bit, in both directions


@settings(max_examples=30, deadline=None)
@given(graphs())
def test_what_is_connected_or_not_ends_as_one_vertex(graph):
    h = berge.coarsen(graph, until=1)
    assert h.coarsest.n_vertices == 1
    assert h.reason == "no more than 1 vertex left"


@pytest.mark.kernels
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda: generate.delaunay(600),
        lambda: generate.rmat(9, 6),
        lambda: star(300).to_scipy(),
    ],
    ids=["mesh", "power law", "star"],
)
def test_threads_change_nothing(make, weighted):
    graph = berge.as_graph(make())
    if weighted:
        rng = np.random.default_rng(1)
        adjacency = graph.to_scipy().tocoo()
        up = adjacency.row < adjacency.col
        graph = Graph.from_edges(
            adjacency.row[up], adjacency.col[up], graph.n_vertices, rng.uniform(0, 1, up.sum())
        )
    first, *others = (berge.coarsen(graph, until=30, threads=t) for t in THREADS)
    assert first.coarsest.n_vertices <= 30
    assert all(same(first, other) for other in others)
    assert same(first, berge.coarsen(graph, until=30))
    # The seed chooses among equal weights, and without these there is nothing to choose.
    assert same(first, berge.coarsen(graph, until=30, seed=1)) == weighted


@pytest.mark.kernels
def test_wide_indices_give_the_same():
    graph = berge.as_graph(generate.delaunay(300))
    wide = Graph._trusted(graph.indptr.astype(np.int64), graph.indices.astype(np.int64))
    assert same(berge.coarsen(graph, until=30), berge.coarsen(wide, until=30))


@pytest.mark.kernels
def test_contraction_against_networkx():
    graph = nx.gnm_random_graph(60, 200, seed=3)
    rng = np.random.default_rng(0)
    head = rng.integers(0, 12, 60).astype(np.int32)
    head[:12] = np.arange(12)
    coarse, n = number(head)
    expected = nx.quotient_graph(graph, [set(np.flatnonzero(coarse == c)) for c in range(n)])
    ours = contract(berge.as_graph(graph), coarse, n, 2).to_scipy()
    names = {block: min(coarse[list(block)]) for block in expected}
    assert ours.nnz == 2 * expected.number_of_edges()
    for a, b in expected.edges:
        between = sum(graph.has_edge(u, v) for u in a for v in b)
        assert ours[names[a], names[b]] == ours[names[b], names[a]] == between


@pytest.mark.kernels
@pytest.mark.parametrize("size", [0, 1, 2, 9, 200, 3000])
def test_long_rows_are_sorted(size):
    """A hub whose neighbours come in any order."""
    rng = np.random.default_rng(size)
    names = rng.permutation(size + 1).astype(np.int32)
    graph = Graph.from_edges(np.zeros(size, int), np.arange(1, size + 1), size + 1)
    hub = contract(graph, names, size + 1, 1)
    row = hub.indices[hub.indptr[names[0]] : hub.indptr[names[0] + 1]]
    assert np.array_equal(row, np.delete(np.arange(size + 1), names[0]))


def test_exact_weights():
    whole = np.arange(1000.0)
    assert np.array_equal(exact_weights(whole), whole)
    assert np.array_equal(exact_weights(np.zeros(3)), np.zeros(3))
    rounded = exact_weights(np.random.default_rng(0).uniform(0, 1, 5000))
    assert rounded.sum() == rounded[::-1].sum() == sum(rounded.tolist())


# Whatever its shape, a graph gets small.


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("graph", "until"),
    [
        (star(500), 20),
        (Graph.from_edges(*np.divmod(np.arange(10 * 60), 60)[::-1], 60), 5),
        (berge.as_graph(nx.complete_graph(50)), 4),
        (berge.as_graph(nx.complete_bipartite_graph(3, 200)), 10),
        (berge.as_graph(nx.path_graph(300)), 10),
        (berge.as_graph(nx.disjoint_union_all([nx.path_graph(3)] * 60)), 10),
        (berge.as_graph(nx.disjoint_union_all([nx.star_graph(9)] * 20)), 10),
        (berge.as_graph(nx.balanced_tree(5, 4)), 20),
        (Graph([0] * 401, []), 10),
        (berge.as_graph(generate.rmat(9, 3)), 20),
        (berge.as_graph(generate.power_law(500, 500, 3)), 20),
        (berge.as_graph(generate.road(15, 15)), 20),
    ],
    ids=["star", "dense", "complete", "complete bipartite", "path", "paths of three", "stars",
         "tree", "no edges", "rmat", "power law", "road"],
)  # fmt: skip
@pytest.mark.parametrize("balance", [2.0, 3.0, None])
def test_nothing_stalls(graph, until, balance):
    h = berge.coarsen(graph, until=until, balance=balance)
    h.check()
    assert h.coarsest.n_vertices <= until, h
    if balance is not None:
        heaviest = max(1.0, balance * graph.n_vertices / until)
        assert h.coarsest.vertex_weights.max() <= heaviest


@pytest.mark.kernels
def test_leaves_pair_up_with_leaves():
    """Two stars with a common edge: no leaf may go to the other star's centre or leaves."""
    a, b = np.arange(2, 12), np.arange(12, 22)
    graph = Graph.from_edges(np.r_[0, np.zeros(10, int), np.ones(10, int)], np.r_[1, a, b])
    coarse = berge.coarsen(graph, levels=1).map()
    for leaves, others in ((a, b), (b, a)):
        assert not set(coarse[leaves]) & set(coarse[others])
        assert len(set(coarse[leaves])) < len(leaves)


@pytest.mark.kernels
def test_a_limit_that_stops_everything():
    h = berge.coarsen(nx.complete_graph(10), until=9, balance=1.5)
    assert len(h) == 1
    assert h.reason == "stalled: the next level would still have 10 vertices"
    heavy = Graph(*nx_arrays(nx.star_graph(9)), vertex_weights=[1000] + [1] * 9)
    h = berge.coarsen(heavy, until=2, balance=1.5)
    h.check()
    assert h.coarsest.vertex_weights.max() == 1000  # nobody joins the centre


def nx_arrays(graph):
    adjacency = nx.to_scipy_sparse_array(graph, format="csr")
    return adjacency.indptr, adjacency.indices


def test_meshes_shrink_fast():
    for graph in (generate.grid(150, 150), generate.delaunay(20_000), generate.mesh3(20_000)):
        h = berge.coarsen(graph, until=500)
        h.check()
        assert min(level.reduction for level in h.levels[1:]) > 1.8


@pytest.mark.data
@pytest.mark.parametrize("name", ["ecology1", "soc-Slashdot0902", "as-22july06"])
def test_real_graphs(name):
    path = DATA / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    h = berge.coarsen(path)
    h.check()
    assert h.coarsest.n_vertices <= 1000
    assert h.coarsest.vertex_weights.sum() == h.finest.n_vertices
    least = 1.8 if name == "ecology1" else 1 / SLOWEST
    assert min(level.reduction for level in h.levels[1:]) > least


# Vectors between levels.


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 3), st.integers(0, 3), st.integers(1, 3))
def test_project_and_restrict(i, j, columns):
    h = berge.coarsen(generate.grid(20, 15), levels=3)
    fine, coarse = min(i, j), max(i, j)
    rng = np.random.default_rng(i)
    x = rng.integers(-9, 9, (h[coarse].graph.n_vertices, columns)).squeeze()
    there = h.project(x, coarse, fine)
    assert len(there) == h[fine].graph.n_vertices
    for op in ("mean", "max"):
        assert np.array_equal(h.restrict(there, fine, coarse, op), x)
    y = rng.integers(-9, 9, there.shape)
    map_ = h.map(fine, coarse)
    for op, by in (("sum", np.sum), ("mean", np.mean), ("max", np.max)):
        expected = [by(y[map_ == c], axis=0) for c in range(len(x))]
        assert np.allclose(h.restrict(y, fine, coarse, op), expected)


def test_restricting_counts_what_is_true():
    h = berge.coarsen(generate.grid(10, 10), until=30)
    assert np.array_equal(h.restrict(np.ones(100, bool)), h.coarsest.vertex_weights)
    assert h.restrict(np.ones(100, bool), op="max").all()


def test_a_cut_weighs_the_same_on_every_level():
    h = berge.coarsen(generate.delaunay(400), until=40)
    side = np.arange(h.coarsest.n_vertices) % 2
    cuts = set()
    for i, level in enumerate(h):
        edges = level.graph.to_scipy().tocoo()
        part = h.project(side, to=i)
        cuts.add(float(edges.data[part[edges.row] != part[edges.col]].astype(float).sum()))
    assert len(cuts) == 1


# What the checker finds.


def spoil_array(graph, name, k, value):
    array = np.array(getattr(graph, name))
    array[k] = value
    settle(graph, name, array)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda g, c: spoil_array(g, "weights", 0, g.weights[0] + 1),
            "level 1: the edge of 0 and 1 is said to",
        ),
        (
            lambda g, c: spoil_array(g, "vertex_weights", 3, 9),
            "level 1: vertex 3 is said to weigh 9",
        ),
        (lambda g, c: c.__setitem__(0, -1), "leads out of 0"),
        (lambda g, c: c.__setitem__(c == 2, 0), "nothing is mapped to vertex 2"),
        (lambda g, c: spoil_array(g, "indices", 0, 40), "the edge of 0 and .* weigh 0.0, but"),
    ],
)
def test_the_checker_notices(spoil, message):
    """Arrays of graphs cannot be written to, so others take their place."""
    h = berge.coarsen(generate.grid(10, 10), levels=1)
    spoil(h[1].graph, h[0].coarse)
    with pytest.raises(ProofError, match=message):
        h.check()


def test_the_checker_knows_the_limit():
    h = berge.coarsen(generate.grid(10, 10), levels=2)
    with pytest.raises(ProofError, match=r"more than the limit 1\.5"):
        Hierarchy(h.levels, h.reason, 1.5).check()
    with pytest.raises(ProofError, match="the map must have 100 entries"):
        Hierarchy((replace(h[0], coarse=h[1].coarse), h[2]), "").check()


# Stopping.


def test_levels_until_and_reasons():
    grid = generate.grid(40, 40)
    assert len(berge.coarsen(grid, levels=2)) == 3
    assert berge.coarsen(grid, levels=0).reason == "0 levels made"
    assert len(berge.coarsen(generate.grid(10, 10))) == 1  # 100 vertices are few enough
    assert berge.coarsen(grid, levels=2, until=700).reason == "no more than 700 vertices left"
    assert berge.coarsen(grid, time_limit=0).reason == "time limit"
    empty = berge.coarsen(Graph([0], []))
    assert len(empty) == 1
    assert empty.restrict([]).size == 0
    empty.check()


def test_ctrl_c_keeps_the_levels_made():
    def stop(level):
        if level.graph.n_vertices < 300:
            raise KeyboardInterrupt

    h = berge.coarsen(generate.grid(40, 40), until=10, on_level=stop)
    assert h.reason == "interrupted"
    assert 150 < h.coarsest.n_vertices < 300
    h.check()


def test_a_matching_that_was_interrupted_makes_no_level(monkeypatch, tmp_path):
    path = tmp_path / "grid.mtx"
    berge.write(generate.grid(40, 40), path)
    matched = berge.greedy_matching

    def interrupted(graph, **options):
        found = matched(graph, **options)
        return found if graph.n_vertices == 1600 else replace(found, stopped="interrupted")

    monkeypatch.setattr("berge.solve.greedy.greedy_matching", interrupted)
    h = berge.coarsen(path, until=10)
    assert (len(h), h.reason) == (2, "interrupted")
    assert "the levels made before" in run("coarsen", path, "--until", 10, code=4).stderr


def test_progress_is_told(capsys):
    seen = []
    h = berge.coarsen(generate.grid(40, 40), levels=2, progress=True, on_level=seen.append)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(seen) == 2
    assert said[1] == f"berge: level 2: {h[2]}"
    assert [level.graph for level in seen] == [level.graph for level in h.levels[1:]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": -1}, "levels must be a whole number from 0 on, not -1"),
        ({"until": 0}, "until must be a whole number from 1 on, not 0"),
        ({"until": 2.5}, "until must be a whole number"),
        ({"balance": 0.5}, "balance must be a number from 1 on, not 0.5"),
        ({"balance": float("nan")}, "balance must be"),
        ({"method": "best"}, "method 'best' is not one of auto"),
        ({"threads": 0}, "threads must be"),
        ({"time_limit": -1}, "time_limit must be a number of seconds"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(OptionError, match=message):
        berge.coarsen(generate.grid(40, 40), **options)


def test_vectors_are_checked():
    h = berge.coarsen(generate.grid(10, 10), levels=1)
    for call in (
        lambda: h.project([1, 2]),
        lambda: h.restrict(3),
        lambda: h.restrict(np.ones(100), op="min"),
        lambda: h.to_scipy(2),
        lambda: h.map(1, 0),
    ):
        with pytest.raises(OptionError):
            call()


@pytest.mark.parametrize("method", ["random", "sorted", "proposals", "global-paths", "suitor"])
def test_methods(method):
    h = berge.coarsen(generate.delaunay(500), until=50, method=method)
    h.check()
    assert h.coarsest.n_vertices <= 50


def test_repr():
    h = berge.coarsen(star(9), levels=1)
    n = h.coarsest.n_vertices
    assert repr(h) == f"Hierarchy(10 → {n} vertices in 1 step: 1 level made)"
    assert repr(h[0]) == "Level(10 vertices, 9 edges, 1.00× fewer, 100.0% of the weight)"


# Files.


@pytest.mark.kernels
def test_saved_levels_come_back(tmp_path):
    h = berge.coarsen(generate.grid(12, 12), until=20)
    files = h.save(tmp_path / "levels")
    assert {f.name for f in files} == {f.name for f in (tmp_path / "levels").iterdir()}
    for i, level in enumerate(h):
        graph = metis.read_graph(tmp_path / "levels" / f"level-{i}.graph")
        assert (graph.to_scipy() != level.graph.to_scipy()).nnz == 0
        if i:
            assert np.array_equal(graph.vertex_weights, level.graph.vertex_weights)
    maps = [np.load(tmp_path / "levels" / f"map-{i}.npy") for i in range(len(h) - 1)]
    assert all(np.array_equal(a, b.coarse) for a, b in zip(maps, h, strict=False))
    told = json.loads((tmp_path / "levels" / "levels.json").read_text())
    assert told == {"reason": h.reason, "limit": h.limit, "levels": h.facts()}
    again = Hierarchy.load(tmp_path / "levels")
    again.check()
    assert (again.reason, again.limit, again.facts()) == (h.reason, h.limit, h.facts())
    assert np.array_equal(again.map(), h.map())
    assert (again.to_scipy() != h.to_scipy()).nnz == 0


def test_saving_again_leaves_no_old_levels(tmp_path):
    berge.coarsen(generate.grid(12, 12), until=20).save(tmp_path)
    (tmp_path / "level-x.graph").write_text("not ours")
    files = berge.coarsen(generate.grid(12, 12), levels=1, balance=None).save(tmp_path)
    there = {f.name for f in tmp_path.iterdir()}
    assert there == {f.name for f in files} | {"level-x.graph"}
    assert Hierarchy.load(tmp_path).limit == float("inf")


def test_where_nothing_can_be_saved_or_loaded(tmp_path):
    h = berge.coarsen(generate.grid(2, 2), levels=0)
    (tmp_path / "levels.json").write_text("[]")
    with pytest.raises(OptionError, match="is a file, not a folder"):
        h.save(tmp_path / "levels.json")
    with pytest.raises(FormatError, match=r"levels\.json: not what Hierarchy\.save writes"):
        Hierarchy.load(tmp_path)


def test_no_such_level():
    with pytest.raises(IndexError, match="there is no level 99 among 1"):
        berge.coarsen(generate.grid(2, 2), levels=0)[99]


def test_fractions_are_not_written_unless_scaled(tmp_path):
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], weights=[1, 0.5, 0.125])
    h = berge.coarsen(graph, levels=0)
    with pytest.raises(InvalidGraphError, match=r"edge weight 0.5 \(number 2\).*scale="):
        h.save(tmp_path)
    with pytest.raises(InvalidGraphError, match="whole numbers from 1 on"):
        h.save(tmp_path, scale=2)
    h.save(tmp_path, scale=8)
    again = metis.read_graph(tmp_path / "level-0.graph")
    assert np.array_equal(again.weights, 8 * graph.weights)


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("text", "weights", "vertex_weights"),
    [
        ("3 2\n2\n1 3\n2\n", None, None),
        ("3 2 1\n2 5\n1 5 3 7\n2 7\n", [5, 5, 7, 7], None),
        ("3 2 11\n4 2 5\n0 1 5 3 7\n9 2 7\n", [5, 5, 7, 7], [4, 0, 9]),
        ("3 2 110\n8 4 2\n8 5 1 3\n8 6 2\n", None, [4, 5, 6]),
        ("3 2 11 2\n1 2 2 5\n3 4 1 5 3 7\n5 6 2 7\n", [5, 5, 7, 7], None),
    ],
)
def test_reading_weights(tmp_path, text, weights, vertex_weights):
    path = tmp_path / "a.graph"
    path.write_text(text)
    graph = metis.read_graph(path)
    assert graph.indices.tolist() == [1, 0, 2, 1]
    for found, expected in ((graph.weights, weights), (graph.vertex_weights, vertex_weights)):
        assert (None if found is None else found.tolist()) == expected


@pytest.mark.kernels
def test_reading_a_bad_weight(tmp_path):
    path = tmp_path / "a.graph"
    path.write_text("2 1 1\n2 5\n1 -5\n")
    with pytest.raises(berge.FormatError, match="line 3: weight -5 is below 0"):
        metis.read_graph(path)
    assert metis.read(path).nnz == 2  # where weights are passed over they may be anything


# Hypergraphs.


@pytest.mark.kernels
@settings(max_examples=20 if COMPILED else 5, deadline=None)
@given(
    st.lists(st.sets(st.integers(0, 19), max_size=6), min_size=1, max_size=40),
    st.integers(1, 8),
    st.booleans(),
)
def test_hypergraphs(nets, until, weighted):
    rows = [i for i, net in enumerate(nets) for _ in net]
    cols = [v for net in nets for v in net]
    incidence = berge.BipartiteGraph.from_edges(rows, cols, (len(nets), 20))
    rng = np.random.default_rng(len(rows))
    weights = rng.integers(1, 9, len(nets)) if weighted else None
    vertex_weights = rng.integers(0, 5, 20) if weighted else None
    h = berge.coarsen_hypergraph(
        incidence, until=until, net_weights=weights, vertex_weights=vertex_weights
    )
    h.check()
    assert h.coarsest.n_vertices <= until
    # Nets of the coarsest level by hand.
    expected: dict[frozenset, float] = {}
    for i, net in enumerate(nets):
        pins = frozenset(h.map()[list(net)].tolist())
        if len(pins) > 1:
            expected[pins] = expected.get(pins, 0) + (1 if weights is None else weights[i])
    if len(h) > 1:
        found = h.coarsest.incidence
        names = [frozenset(found.indices[a:b].tolist())
                 for a, b in zip(found.indptr, found.indptr[1:], strict=False)]  # fmt: skip
        assert dict(zip(names, h.coarsest.weights, strict=True)) == expected
        assert len(names) == len(expected)


def test_vertices_with_more_and_smaller_nets_in_common_go_together():
    nets = [{0, 1}, {0, 1, 2, 3}, {2, 3}, {1, 2, 4, 5}, {4, 5}]
    rows = [i for i, net in enumerate(nets) for _ in net]
    incidence = (rows, [v for net in nets for v in net])
    h = berge.coarsen_hypergraph(incidence, levels=1)
    assert h.map().tolist() == [0, 0, 1, 1, 2, 2]
    assert h.coarsest.incidence.indices.tolist() == [0, 1, 0, 1, 2]  # {0, 1} and {0, 1, 2}
    assert repr(h.coarsest) == "Hypergraph(3 vertices, 2 nets, 5 pins)"
    assert h.to_scipy().toarray().tolist() == [[1, 1, 0], [1, 1, 1]]


def test_nets_too_large_to_count_still_hold_vertices_together():
    one_net = berge.BipartiteGraph.from_edges(np.zeros(100, int), np.arange(100), (1, 100))
    h = berge.coarsen_hypergraph(one_net, until=10, largest_net=3)
    h.check()
    assert h.coarsest.n_vertices <= 10
    with pytest.raises(OptionError, match="largest_net must be"):
        berge.coarsen_hypergraph(one_net, largest_net=1)


def test_hypergraphs_are_written_for_hmetis(tmp_path):
    h = berge.coarsen_hypergraph(generate.erdos_renyi(30, 20, 90), levels=1)
    h.save(tmp_path)
    header, *lines = (tmp_path / "level-1.hgr").read_text().splitlines()
    coarse = h.coarsest
    assert header == f"{coarse.n_edges} {coarse.n_vertices} 11"
    for i, line in enumerate(lines[: coarse.n_edges]):
        weight, *pins = map(int, line.split())
        begin, end = coarse.incidence.indptr[i : i + 2]
        assert weight == coarse.weights[i]
        assert pins == (coarse.incidence.indices[begin:end] + 1).tolist()
    assert list(map(int, lines[coarse.n_edges :])) == coarse.vertex_weights.tolist()


def test_hypergraphs_are_read_again(tmp_path):
    nets = generate.erdos_renyi(30, 20, 90)
    h = berge.coarsen_hypergraph(nets, levels=2, vertex_weights=1 + np.arange(20) % 3)
    h.save(tmp_path / "all")
    again = Hierarchy.load(tmp_path / "all")
    again.check()
    assert repr(again) == repr(h)
    for level, same in zip(h, again, strict=True):
        assert (level.graph.to_scipy() != same.graph.to_scipy()).nnz == 0
        if level.graph.vertex_weights is not None:
            assert np.array_equal(level.graph.vertex_weights, same.graph.vertex_weights)
    path = tmp_path / "nets.hgr"
    path.write_text("2 3 11\n5 1 2\n2 2 3\n1\n4\n0\n")
    read = berge.read_hypergraph(path)
    assert read.weights.tolist() == [5, 2]
    assert read.vertex_weights.tolist() == [1, 4, 0]
    coarse = berge.coarsen_hypergraph(read, levels=1, balance=None)
    coarse.check()
    assert coarse.finest.total_weight == 7
    given = berge.coarsen_hypergraph(read, levels=1, net_weights=[1, 1], vertex_weights=[1, 1, 1])
    assert given.finest.total_weight == 2
    assert given.finest.vertex_weights.tolist() == [1, 1, 1]


def test_the_checker_of_hypergraphs_notices():
    h = berge.coarsen_hypergraph(generate.erdos_renyi(30, 20, 90), levels=1)
    coarse: Hypergraph = h.coarsest
    coarse.weights[0] += 1
    with pytest.raises(ProofError, match="level 1: net 0 is said to weigh"):
        h.check()
    coarse.weights[0] -= 1
    spoil_array(coarse.incidence, "indices", 0, coarse.incidence.indices[1])
    with pytest.raises(ProofError, match="its nets are not those"):
        h.check()


# The example.


def test_the_example_partitions_a_mesh(tmp_path, monkeypatch, capsys):
    example = Path(__file__).parents[2] / "examples" / "partition_mesh.py"
    picture = tmp_path / "parts.png"
    monkeypatch.setattr("sys.argv", ["", "--points", "900", "--parts", "4", "--plot", str(picture)])
    names = runpy.run_path(str(example), run_name="__main__")
    assert "4 parts of" in capsys.readouterr().out
    assert picture.stat().st_size > 10_000
    _, _, graph = names["mesh"](900)
    part = names["partition"](graph, 4)
    assert np.bincount(part).max() < 1.05 * 900 / 4
    # A strip of a mesh of n points is √n wide: a cut is some √n edges, not a share of all.
    assert len(names["cut_edges"](graph, part)) < 12 * 30


def grid_and_labels(seed=0):
    graph = berge.Graph.from_bipartite(symmetric_grid(20))
    rng = np.random.default_rng(seed)
    return graph, rng.integers(0, 3, graph.n_vertices), rng.integers(-1, 4, graph.n_vertices)


def symmetric_grid(n):
    """The mesh of n × n points, as an adjacency."""
    here = np.arange(n * n).reshape(n, n)
    ends = np.concatenate([here[:, 1:].ravel(), here[1:].ravel()])
    others = np.concatenate([here[:, :-1].ravel(), here[:-1].ravel()])
    return berge.BipartiteGraph.from_edges(
        np.concatenate([ends, others]), np.concatenate([others, ends]), (n * n, n * n)
    )


def test_blocks_and_fixed_vertices_stay_apart():
    graph, blocks, fixed = grid_and_labels()
    star = berge.Graph.from_edges(np.zeros(60, int), np.arange(1, 61))
    for g, b, f in ((graph, blocks, fixed), (star, np.arange(61) % 2, np.arange(61) % 4 - 1)):
        h = berge.coarsen(g, until=5, balance=None, blocks=b, fixed=f)
        h.check()
        assert len(h) > 1
        coarse = h.map()
        for c in range(h.coarsest.n_vertices):
            members = np.flatnonzero(coarse == c)
            assert np.unique(b[members]).size == 1
            assert np.unique(f[members][f[members] >= 0]).size <= 1
    for wrong in ({"blocks": [1, 2]}, {"fixed": np.full(400, -2)}, {"blocks": np.zeros(400)}):
        with pytest.raises(berge.OptionError, match=next(iter(wrong))):
            berge.coarsen(graph, **wrong)


def test_ratings():
    graph, *_ = grid_and_labels()
    rng = np.random.default_rng(1)
    weights = rng.integers(1, 100, graph.n_edges)
    ends = np.repeat(np.arange(graph.n_vertices), graph.degrees)
    once = ends < graph.indices
    heavy = berge.Graph.from_edges(ends[once], graph.indices[once], weights=weights)
    kept = {}
    for rating in ("expansion", "heavy-edge", "random"):
        h = berge.coarsen(heavy, levels=1, rating=rating)
        h.check()
        kept[rating] = h[1].weight_kept
    assert kept["heavy-edge"] == kept["expansion"] < kept["random"]  # vertices weigh the same
    apart = [berge.coarsen(heavy, levels=2, rating=r, vertex_weights=1 + np.arange(400)).map()
             for r in kept]  # fmt: skip
    assert not np.array_equal(apart[0], apart[1])
    with pytest.raises(berge.OptionError, match="rating must be one of"):
        berge.coarsen(heavy, rating="best")


def test_weights_of_vertices_and_of_parallel_edges():
    ends, others, weights = [0, 1, 0, 2, 2], [1, 0, 1, 2, 0], [1.0, 2.0, 4.0, 9.0, 5.0]
    most = berge.Graph.from_edges(ends, others, weights=weights)
    total = berge.Graph.from_edges(
        ends, others, weights=weights, parallel="sum", vertex_weights=[1, 2, 3]
    )
    assert most.to_scipy().toarray().tolist() == [[0, 4, 5], [4, 0, 0], [5, 0, 0]]
    assert total.to_scipy().toarray().tolist() == [[0, 7, 5], [7, 0, 0], [5, 0, 0]]
    assert berge.Graph.from_edges(ends, others, parallel="sum").total_weight == 4
    assert total.vertex_weights.tolist() == [1, 2, 3]
    assert berge.as_graph(most, vertex_weights=[3, 2, 1]).vertex_weights.tolist() == [3, 2, 1]
    h = berge.coarsen(most, levels=1, vertex_weights=[5, 1, 1])
    h.check()
    assert h.coarsest.vertex_weights.sum() == 7
    with pytest.raises(berge.OptionError, match="parallel must be"):
        berge.Graph.from_edges(ends, others, parallel="min")
    with pytest.raises(berge.InvalidGraphError, match="vertex_weights"):
        berge.coarsen(most, vertex_weights=[1, 2])


def test_prolongation_is_project_and_restrict():
    graph, *_ = grid_and_labels()
    h = berge.coarsen(graph, until=20)
    x, y = np.arange(400.0), np.arange(float(h[2].graph.n_vertices))
    p = h.prolongation(0, 2)
    assert np.array_equal(p @ y, h.project(y, 2, 0))
    assert np.array_equal(p.T @ x, h.restrict(x, 0, 2))
    coarse = (p.T @ graph.to_scipy() @ p).toarray()
    np.fill_diagonal(coarse, 0)
    assert np.array_equal(coarse, h[2].graph.to_scipy().toarray())
