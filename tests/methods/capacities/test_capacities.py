"""Matchings with capacities: small ones against linear programs, each with its proof."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array

import berge
from berge import BipartiteGraph, InvalidGraphError, OptionError, ProofError

from ...conftest import COMPILED

pytestmark = pytest.mark.kernels


def random_graph(rng, most):
    """Return a graph of any shape and density; now and then an edge is there twice."""
    shape = rng.integers(0 if rng.random() < 0.1 else 1, most, 2)
    size = int(rng.integers(0, 1 + shape.prod() * (1.2 if rng.random() < 0.5 else 0.3)))
    if shape.min() == 0:
        size = 0
    rows, cols = (rng.integers(0, max(n, 1), size) for n in shape)
    return BipartiteGraph.from_edges(rows, cols, tuple(shape))


def random_units(rng, n, most):
    """Return capacities and lower bounds."""
    capacity = rng.integers(0, rng.integers(1, most) + 1, n)
    least = rng.integers(0, capacity + 1) // rng.integers(1, 5)
    return capacity, least if rng.random() < 0.5 else np.zeros(n, int)


def largest(graph, low, high) -> float:
    """Return the size of the largest choice by a linear program, −inf if there is none."""
    unique = graph.without_duplicates()
    n, nnz = sum(graph.shape), unique.nnz
    rows = np.repeat(np.arange(graph.n_rows), unique.row_degrees)
    if nnz == 0:
        return -np.inf if low.any() else 0
    vertices = np.concatenate([rows, graph.n_rows + unique.indices])
    both = coo_array((np.ones(2 * nnz), (vertices, np.tile(np.arange(nnz), 2))), (n, nnz)).toarray()
    found = linprog(-np.ones(nnz), np.vstack([both, -both]), np.concatenate([high, -low]),
                    bounds=(0, 1))  # fmt: skip
    return round(-found.fun) if found.success else -np.inf


def test_small():
    """As many as a linear program finds, with a proof; or an error where there is none."""
    rng = np.random.default_rng(1)
    impossible = 0
    for number in range(400 if COMPILED else 150):
        most = 7 if number % 10 else 30
        graph = random_graph(rng, most)
        (k, low), (c, low_cols) = (random_units(rng, n, most) for n in graph.shape)
        best = largest(graph, np.concatenate([low, low_cols]), np.concatenate([k, c]))
        settings = {"capacity_left": k, "capacity_right": c}
        settings |= {"at_least_left": low, "at_least_right": low_cols}
        if best == -np.inf:
            impossible += 1
            with pytest.raises(InvalidGraphError, match=r"at_least_(left|right): "):
                berge.maximum_matching(graph, **settings)
            continue
        m = berge.maximum_matching(graph, **settings)
        assert m.is_maximum
        assert m.cardinality == best == m.prove(graph).size
    assert impossible > 10


def test_ones():
    """With ones everywhere, the size of the matching without capacities."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        graph = random_graph(rng, 40)
        m = berge.maximum_matching(graph, capacity_left=1)
        assert m.cardinality == berge.maximum_matching(graph).cardinality
        m.prove(graph)


def test_long_paths():
    """Chains need long paths; and rows that have too much hand it on along them."""
    graph = berge.generate.chain(300)
    m = berge.maximum_matching(graph, capacity_left=2, capacity_right=2)
    assert m.cardinality == graph.nnz
    n = 200  # row 0 takes both of its columns, row n must get one, and so on along the path
    rows, cols = np.repeat(np.arange(n), 2), (np.arange(2 * n) + 1) // 2
    chain = BipartiteGraph.from_edges(rows, cols)
    m = berge.maximum_matching(chain, capacity_left=2, at_least_left=[1] * n)
    assert m.cardinality == n + 1
    m.prove(chain)


def test_violators():
    """An error says who needs more than there is, with numbers that are true."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        graph = random_graph(rng, 5).without_duplicates()
        need = rng.integers(0, 3, graph.n_rows)
        room = rng.integers(0, 3, graph.n_cols)
        dense = graph.to_scipy().toarray() > 0
        fits = all(
            np.minimum(dense[list(some)].sum(axis=0), room).sum() >= need[list(some)].sum()
            for k in range(1, graph.n_rows + 1)
            for some in combinations(range(graph.n_rows), k)
        )
        settings = {"capacity_left": need, "at_least_left": need, "capacity_right": room}
        if fits:
            berge.maximum_matching(graph, **settings).prove(graph)
            continue
        with pytest.raises(InvalidGraphError, match="at most"):
            berge.maximum_matching(graph, **settings)
    pairs = [("ann", "cook"), ("bob", "cook"), ("bob", "drive")]
    with pytest.raises(InvalidGraphError) as error:
        berge.match_pairs(pairs, capacity_left=2, at_least_left=2)
    assert str(error.value) == (
        "at_least_left: ann and bob need 4 pairs, and at most 2 can be: 1 with cook, 1 with others"
    )
    with pytest.raises(InvalidGraphError) as error:
        berge.match_pairs(pairs, capacity_left=9, capacity_right=9, at_least_right={"drive": 2})
    assert str(error.value) == (
        "at_least_right: drive needs 2 pairs, and at most 1 can be: 1 with others"
    )


def test_labels():
    """By name: lists of partners, and who has room."""
    pairs = [("ann", "cook"), ("bob", "cook"), ("bob", "drive"), ("cid", "cook")]
    m = berge.match_pairs(pairs, capacity_left={"bob": 2}, capacity_right={"cook": 2})
    assert sum(map(len, m.values())) == 3
    assert m["bob"] in (["drive"], ["cook", "drive"])
    assert m.is_maximum
    assert m.prove().size == 3
    assert m.matching.free_right == {}
    assert sum(m.matching.free_left.values()) == 1
    (reason,) = m.reasons()
    assert reason.missing == 1
    assert str(reason) == (
        "ann, bob and cid could have 4 pairs, and at most 3 can be: 2 with cook, 1 with others"
    )
    assert m.reasons("right") == []


def test_stopped():
    """A solve that is stopped has a valid choice, a bound, and no proof."""
    graph = berge.generate.chain(50)
    m = berge.maximum_matching(graph, capacity_left=2, time_limit=0)
    assert m.stats.stopped == "time limit"
    assert not m.is_maximum
    assert m.upper_bound >= 50
    m.check(graph)
    with pytest.raises(ProofError, match="time limit"):
        m.prove(graph)


def test_refused():
    """Wrong units, and what is not for capacities, are errors that name the argument."""
    square = [[1, 1], [1, 1]]
    for settings, words in (
        ({"capacity_left": -1}, "capacity_left of 0 is -1"),
        ({"capacity_left": [1, 2, 3]}, "capacity_left must be a number, or one for each of 2"),
        ({"capacity_right": 1.5}, "capacity_right must be a whole number"),
        ({"at_least_right": 2}, "at_least_right of 0 is 2"),
        ({"capacity_left": 2, "side": "cols"}, "side is for"),
        ({"capacity_left": 2, "lookahead": False}, "lookahead is for"),
        ({"capacity_left": 2, "algorithm": "pothen-fan"}, "'pothen-fan' is not one of"),
    ):
        with pytest.raises(OptionError, match=words):
            berge.maximum_matching(square, **settings)
