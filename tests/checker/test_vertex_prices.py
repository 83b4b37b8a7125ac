"""Prices that bound what any matching weighs: what is right passes, and nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest

import berge
from berge.checker.vertex_prices import ROUNDING, bound_of, check_vertex_prices
from berge.errors import ProofError
from berge.results.vertex_prices import VertexPrices

U, V, W = np.array([0, 1, 2, 2]), np.array([1, 2, 0, 2]), np.array([2.0, 3.0, 4.0, 99.0])


def check(prices, u=U, v=V, w=W):
    return check_vertex_prices(3, [(u, v, w)], np.array(prices))


def test_what_is_right():
    """A loop is in no matching."""
    assert check([1.5, 0.5, 2.5]) == bound_of(4.5)
    assert 4.5 < bound_of(4.5) <= 4.5 * (1 + 3 * ROUNDING)
    assert check_vertex_prices(0, [], np.zeros(0)) == math.nextafter(0.0, 1.0)
    assert check([0.5, 0.5, 0.5], w=None) == bound_of(1.5)
    assert check([0.5, 0.5, 0.5], w=np.array([1 + ROUNDING, 1.0, 1.0, 9.0])) == bound_of(1.5)
    assert check([1.5 * (1 - ROUNDING / 4), 0.5, 2.5]) < 4.5 + 1e-9


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        ([1.5, 0.4, 2.5], "prices of vertices 0 and 1 are below 2.0"),
        ([1.4, 0.6, 2.5], "prices of vertices 2 and 0 are below 4.0"),
        ([1.5, 0.5, 2.5 - 1e-9], "are below"),
        ([5.0, 5.0, -0.1], "not a finite number"),
        ([5.0, 5.0, np.inf], "not a finite number"),
        ([5.0, 5.0, np.nan], "not a finite number"),
        ([5.0, 5.0], "has 2 entries, not 3"),
        ([5, 5, 5], "floating-point"),
    ],
)
def test_what_is_wrong(prices, message):
    with pytest.raises(ProofError, match=message):
        check(prices)


def test_edges_that_are_none():
    with pytest.raises(ProofError, match="out of range"):
        check([5.0, 5.0, 5.0], v=np.array([1, 3, 0, 2]))
    with pytest.raises(ProofError, match="out of range"):
        check([5.0, 5.0, 5.0], u=np.array([-1, 1, 2, 2]))
    for weight in (-1.0, np.inf, np.nan):
        with pytest.raises(ProofError, match="not a finite number"):
            check([5.0, 5.0, 5.0], w=np.array([2.0, weight, 4.0, 1.0]))


def test_verify_asks_it():
    graph = berge.as_graph(([0, 1, 2], [1, 2, 3], [4.0, 5.0, 4.0]))
    m = berge.greedy_matching(graph)
    proof = m.prove(graph)
    berge.verify(graph, m, proof)
    assert m.upper_bound == proof.upper_bound >= 8
    assert m.of_best == m.weight / proof.upper_bound
    assert "no matching weighs more than" in repr(proof)
    with pytest.raises(ProofError, match="the prices bound it by"):
        berge.verify(graph, m, VertexPrices(proof.prices, proof.upper_bound - 1))
    with pytest.raises(ProofError, match="are below"):
        berge.verify(graph, m, VertexPrices(proof.prices / 2, proof.upper_bound))
    heavier = berge.as_graph(([0, 1, 2], [1, 2, 3], [4.0, 6.0, 4.0]))
    with pytest.raises(ProofError):
        m.prove(heavier)
    nothing = berge.greedy_matching(berge.Graph.from_edges([], [], 3), prove=True)
    assert nothing.of_best == 0.0 or nothing.upper_bound < 1e-300


def test_prices_whose_sum_is_too_large_bound_nothing():
    ends = np.array([0]), np.array([1]), np.array([1.0])
    with np.errstate(over="ignore"):
        assert check_vertex_prices(2, [ends], np.full(2, 1.5e308)) == math.inf


@pytest.mark.parametrize("bound", [math.nan, -1.0, 2.0])
def test_a_bound_below_the_prices_is_refused(bound):
    graph = berge.Graph.from_edges([0, 1], [1, 2], weights=[2, 3])
    found = berge.greedy_matching(graph, prove=True)
    berge.verify(graph, found, found.certificate)
    with pytest.raises(berge.ProofError, match="the prices bound it by"):
        berge.verify(graph, found, VertexPrices(found.certificate.prices, bound))


@pytest.mark.parametrize("bound", [math.nan, 3.0, True, "3"])
def test_a_bound_of_a_cover_is_a_whole_number(bound):
    graph = berge.generate.chain(3)
    found = berge.maximum_matching(graph)
    with pytest.raises(berge.OptionError, match="bound must be a whole number"):
        berge.verify(graph, found, found.prove(graph), bound=bound)


def test_weights_too_small_to_be_halved_are_bounded_too():
    ends, others = [0, 0, 1, 1, 2, 2, 3], [1, 2, 2, 3, 3, 4, 4]
    weights = np.array([5.627, 5.89, 10.015, 0.98, 18.37, 2.683, 10.746]) * 1e-321
    found = berge.greedy_matching((ends, others), weights=weights, prove=True)
    assert found.weight <= found.upper_bound <= 1e-319
