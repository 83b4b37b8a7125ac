"""Graphs with odd cycles: what they promise, and that searches come through them."""

from __future__ import annotations

import pytest

import berge
from berge.generate import nested_blossoms, odd_chain, triangle_chain


@pytest.mark.kernels
@pytest.mark.parametrize("algorithm", [a.name for a in berge.algorithms("general")])
@pytest.mark.parametrize("init", ["none", "first-free", "degree-one"])
def test_small(algorithm, init):
    for size in range(1, 8):
        for make in (nested_blossoms, triangle_chain, odd_chain):
            graph = berge.as_graph(make(size))
            matching = berge.maximum_matching(graph, algorithm=algorithm, init=init)
            assert matching.cardinality == graph.n_vertices // 2
            matching.prove(graph, check="numpy")
    assert nested_blossoms(0).shape == (2, 2)
    assert triangle_chain(0).shape == (0, 0)
    assert odd_chain(0).shape == (4, 4)


@pytest.mark.parametrize("algorithm", [a.name for a in berge.algorithms("general")])
def test_no_search_recurses(algorithm):
    """One path through all blossoms, and one through all vertices."""
    for make in (nested_blossoms, odd_chain):
        graph = berge.as_graph(make(100_000))
        matching = berge.maximum_matching(graph, algorithm=algorithm, init="first-free")
        assert matching.is_perfect
        assert matching.stats is not None
        assert matching.stats.longest_path == graph.n_vertices - 1
        matching.prove(graph)
