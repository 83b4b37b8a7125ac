"""Covers and independent sets by brute force, roles of edges against all maximum matchings."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import berge
from berge import BipartiteGraph, generate

from ..conftest import COMPILED
from ..corpus import LARGE, SMALL

relaxed = settings(
    deadline=None,
    max_examples=150 if COMPILED else 30,
    suppress_health_check=[HealthCheck.too_slow],
)
Edge = tuple[int, int]


def edges_of(graph: BipartiteGraph) -> list[Edge]:
    """Row and column of every stored entry, repeats too."""
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    return list(zip(rows.tolist(), graph.indices.tolist(), strict=True))


def all_matchings(edges: list[Edge]) -> list[frozenset[Edge]]:
    """Every maximum matching, by trying each edge in and out."""
    found: list[frozenset[Edge]] = [frozenset()]

    def extend(chosen: list[Edge], left: list[Edge]) -> None:
        if not left:
            if len(chosen) > len(found[0]):
                found.clear()
            if not found or len(chosen) == len(found[0]):
                found.append(frozenset(chosen))
            return
        (x, y), *rest = left
        extend([*chosen, (x, y)], [(i, j) for i, j in rest if i != x and j != y])
        extend(chosen, rest)

    extend([], sorted(set(edges)))
    return list(set(found))


def check_roles(graph: BipartiteGraph, roles: berge.EdgeRoles) -> None:
    """What is said of each entry and vertex holds for the list of all maximum matchings."""
    edges, matchings = edges_of(graph), all_matchings(edges_of(graph))
    some, every = frozenset().union(*matchings), frozenset.intersection(*matchings)
    assert roles.codes.dtype == np.uint8
    assert roles.codes.tolist() == [(e in some) + (e in every) for e in edges]
    assert roles.in_every.tolist() == [e in every for e in edges]
    assert roles.in_some.tolist() == [e in some for e in edges]
    assert roles.in_none.tolist() == [e not in some for e in edges]
    for mask, end in ((roles.rows, 0), (roles.cols, 1)):
        matched = frozenset.intersection(*(frozenset(e[end] for e in m) for m in matchings))
        assert mask.dtype == np.bool_
        assert set(np.flatnonzero(mask).tolist()) == matched


@st.composite
def graphs(draw):
    n_rows, n_cols = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    cells = st.tuples(st.integers(0, max(n_rows - 1, 0)), st.integers(0, max(n_cols - 1, 0)))
    edges = draw(st.lists(cells, max_size=13)) if n_rows and n_cols else []
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    return BipartiteGraph.from_edges(pairs[:, 0], pairs[:, 1], (n_rows, n_cols))


# Roles ---------------------------------------------------------------------------------------


@pytest.mark.kernels
def test_roles_in_random_graphs():
    rng = np.random.default_rng(0)
    seen: set[int] = set()
    for _ in range(300 if COMPILED else 80):
        graph = berge.as_bipartite(rng.random(rng.integers(1, 6, 2)) < rng.choice([0.2, 0.4, 0.6]))
        roles = berge.edge_roles(graph)
        check_roles(graph, roles)
        seen |= set(roles.codes.tolist())
    assert seen == {0, 1, 2}


@pytest.mark.kernels
@relaxed
@given(graph=graphs())
def test_roles_in_any_small_graph(graph):
    check_roles(graph, berge.edge_roles(graph))


@pytest.mark.kernels
@relaxed
@given(graph=graphs(), seed=st.integers(0, 99))
def test_roles_do_not_depend_on_the_matching(graph, seed):
    codes = berge.edge_roles(graph).codes
    options = {"algorithm": "pothen-fan", "init": "karp-sipser", "seed": seed, "threads": 1}
    assert np.array_equal(berge.edge_roles(graph, **options).codes, codes)
    matching = berge.maximum_matching(graph, **options, side="cols")
    roles = berge.edge_roles(graph, matching=matching)
    assert np.array_equal(roles.codes, codes)
    assert roles.decomposition.matching is matching


def test_roles_of_repeats_and_of_nothing():
    twice = BipartiteGraph([0, 2, 5], [0, 0, 1, 0, 1], (2, 2))
    assert berge.edge_roles(twice).codes.tolist() == [2, 2, 2, 0, 2]
    empty = berge.edge_roles(np.zeros((2, 3)))
    assert empty.codes.size == 0
    assert not empty.rows.any()
    assert not empty.cols.any()
    assert repr(empty) == "EdgeRoles(0 in every maximum matching, 0 in some, 0 in none)"


def test_one_matching_only():
    roles = berge.edge_roles(generate.chain(500))
    assert roles.in_every.sum() == 500
    assert roles.in_none.sum() == 499
    assert roles.rows.all()
    assert roles.cols.all()


@pytest.mark.skipif(not COMPILED, reason="too slow without the compiler")
@pytest.mark.parametrize("name", LARGE)
def test_matchings_keep_to_the_roles(name):
    """Matchings of other algorithms have all edges that every one has, and none that none has."""
    graph = LARGE[name][0]()
    roles = berge.edge_roles(graph)
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    for options in (
        {"algorithm": "pothen-fan", "init": "cheap"},
        {"algorithm": "ms-bfs-graft", "init": "karp-sipser", "side": "cols"},
    ):
        matching = berge.maximum_matching(graph, **options)
        chosen = matching.row_match[rows] == graph.indices
        assert chosen[roles.in_every].all()
        assert not chosen[roles.in_none].any()
        assert (matching.row_match[roles.rows] >= 0).all()
        assert (matching.col_match[roles.cols] >= 0).all()


# Covers and independent sets -----------------------------------------------------------------


def check_covers(graph: BipartiteGraph, cover: berge.Certificate, independent) -> None:
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    assert (cover.rows[rows] | cover.cols[graph.indices]).all()
    assert cover.size == berge.structural_rank(graph)
    outside = np.ones(graph.n_rows, bool), np.ones(graph.n_cols, bool)
    for mask, vertices in zip(outside, independent, strict=True):
        mask[vertices] = False
    assert (outside[0][rows] | outside[1][graph.indices]).all()
    assert sum(map(len, independent)) == sum(graph.shape) - cover.size


@pytest.mark.kernels
@pytest.mark.parametrize("name", SMALL)
def test_vertex_cover_and_independent_set(name):
    graph = SMALL[name][0]()
    cover, independent = berge.minimum_vertex_cover(graph), berge.maximum_independent_set(graph)
    check_covers(graph, cover, independent)


@relaxed
@given(graph=graphs())
def test_no_smaller_vertex_cover(graph):
    cover = berge.minimum_vertex_cover(graph)
    check_covers(graph, cover, berge.maximum_independent_set(graph, algorithm="hopcroft-karp"))
    edges = {(i, ~j) for i, j in edges_of(graph)}  # columns as negative numbers
    vertices = [*range(graph.n_rows), *range(-graph.n_cols, 0)]
    for fewer in combinations(vertices, max(cover.size - 1, 0)):
        assert not edges or any(i not in fewer and j not in fewer for i, j in edges)


@pytest.mark.kernels
def test_edge_cover():
    rng = np.random.default_rng(1)
    tried = 0
    while tried < 60:
        graph = berge.as_bipartite(rng.random(rng.integers(1, 9, 2)) < rng.choice([0.3, 0.6]))
        if not graph.row_degrees.all() or not graph.col_degrees.all():
            continue
        tried += 1
        cover = berge.minimum_edge_cover(graph)
        assert cover.shape[1] == 2
        assert set(map(tuple, cover.tolist())) <= set(edges_of(graph))
        assert sorted(map(tuple, cover.tolist())) == list(map(tuple, cover.tolist()))
        assert set(cover[:, 0].tolist()) == set(range(graph.n_rows))
        assert set(cover[:, 1].tolist()) == set(range(graph.n_cols))
        network = nx.Graph((i, ~j) for i, j in edges_of(graph))
        assert len(cover) == len(nx.min_edge_cover(network))


def test_edge_cover_of_repeats_and_of_nothing():
    assert berge.minimum_edge_cover(([0, 0, 1, 1], [0, 0, 0, 0])).tolist() == [[0, 0], [1, 0]]
    assert berge.minimum_edge_cover(np.zeros((0, 0))).shape == (0, 2)


def test_names_of_an_edge_cover():
    wishes = berge.as_bipartite({"ann": ["cook"], "bob": ["cook", "sew"]})
    cover = berge.minimum_edge_cover(wishes)
    assert cover.named() == [("ann", "cook"), ("bob", "sew")]
    assert cover[1:].named() == [("bob", "sew")]
    with pytest.raises(berge.InvalidGraphError, match="row cid has no entry"):
        berge.minimum_edge_cover({"ann": ["cook"], "cid": []})


def test_edge_cover_names_what_no_edge_covers():
    with pytest.raises(berge.InvalidGraphError, match="row 1 has no entry"):
        berge.minimum_edge_cover(np.array([[1, 0], [0, 0]]))
    with pytest.raises(berge.InvalidGraphError, match="column 2 has no entry"):
        berge.minimum_edge_cover(np.array([[1, 1, 0], [0, 1, 0]]))


def test_stopped():
    graph = generate.permute(generate.mesh3(2000))
    for function in (
        berge.minimum_vertex_cover,
        berge.maximum_independent_set,
        berge.minimum_edge_cover,
        berge.edge_roles,
    ):
        with pytest.raises(berge.ProofError, match="time limit"):
            function(graph, time_limit=0)
