"""Heaviest matchings of any graph: against all matchings of small ones, and by their proofs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.random import default_rng

import berge
from berge.errors import BergeError, FormatError, InvalidGraphError, OptionError, ProofError
from berge.results.weighted_matching import OddSetPrices, verify_weight

from ...fuzz import weighted as fuzz

# Known to break blossom codes, from the tests of Joris van Rantwijk's mwmatching: edges of vertices
# that count from 1.
CLASSIC = {
    "none": [],
    "one": [(1, 2, 1)],
    "two": [(1, 2, 10), (2, 3, 11)],
    "three": [(1, 2, 5), (2, 3, 11), (3, 4, 5)],
    "fractions": [(1, 2, math.pi), (2, 3, math.e), (1, 3, 3.0), (1, 4, math.sqrt(2))],
    "negative": [(1, 2, 2), (1, 3, -2), (2, 3, 1), (2, 4, -1), (3, 4, -6)],
    "S": [(1, 2, 8), (1, 3, 9), (2, 3, 10), (3, 4, 7)],
    "S, augmented": [(1, 2, 8), (1, 3, 9), (2, 3, 10), (3, 4, 7), (1, 6, 5), (4, 5, 6)],
    "T, 1": [(1, 2, 9), (1, 3, 8), (2, 3, 10), (1, 4, 5), (4, 5, 4), (1, 6, 3)],
    "T, 2": [(1, 2, 9), (1, 3, 8), (2, 3, 10), (1, 4, 5), (4, 5, 3), (1, 6, 4)],
    "T, 3": [(1, 2, 9), (1, 3, 8), (2, 3, 10), (1, 4, 5), (4, 5, 3), (3, 6, 4)],
    "nested S": [(1, 2, 9), (1, 3, 9), (2, 3, 10), (2, 4, 8), (3, 5, 8), (4, 5, 10), (5, 6, 6)],
    "relabelled, nested": [
        (1, 2, 10), (1, 7, 10), (2, 3, 12), (3, 4, 20), (3, 5, 20), (4, 5, 25), (5, 6, 10),
        (6, 7, 10), (7, 8, 8),
    ],
    "nested S, expanded": [
        (1, 2, 8), (1, 3, 8), (2, 3, 10), (2, 4, 12), (3, 5, 12), (4, 5, 14), (4, 6, 12),
        (5, 7, 12), (6, 7, 14), (7, 8, 12),
    ],
    "S to T, expanded": [
        (1, 2, 23), (1, 5, 22), (1, 6, 15), (2, 3, 25), (3, 4, 22), (4, 5, 25), (4, 8, 14),
        (5, 7, 13),
    ],
    "nested S to T, expanded": [
        (1, 2, 19), (1, 3, 20), (1, 8, 8), (2, 3, 25), (2, 4, 18), (3, 5, 18), (4, 5, 13),
        (4, 7, 7), (5, 6, 7),
    ],
    "T expanded, more than one": [
        (1, 2, 45), (1, 5, 45), (2, 3, 50), (3, 4, 45), (4, 5, 50), (1, 6, 30), (3, 9, 35),
        (4, 8, 35), (5, 7, 26), (9, 10, 5),
    ],
    "T expanded, the other way": [
        (1, 2, 45), (1, 5, 45), (2, 3, 50), (3, 4, 45), (4, 5, 50), (1, 6, 30), (3, 9, 35),
        (4, 8, 26), (5, 7, 40), (9, 10, 5),
    ],
    "T expanded, least slack": [
        (1, 2, 45), (1, 5, 45), (2, 3, 50), (3, 4, 45), (4, 5, 50), (1, 6, 30), (3, 9, 35),
        (4, 8, 28), (5, 7, 26), (9, 10, 5),
    ],
    "nested T, expanded": [
        (1, 2, 45), (1, 7, 45), (2, 3, 50), (3, 4, 45), (4, 5, 95), (4, 6, 94), (5, 6, 94),
        (6, 7, 50), (1, 8, 30), (3, 11, 35), (5, 9, 36), (7, 10, 26), (11, 12, 5),
    ],
    "nested, relabelled, expanded": [
        (1, 2, 40), (1, 3, 40), (2, 3, 60), (2, 4, 55), (3, 5, 55), (4, 5, 50), (1, 8, 15),
        (5, 7, 30), (7, 6, 10), (8, 10, 10), (4, 9, 30),
    ],
}  # fmt: skip


def arrays(edges):
    """Return (ends, others), weights of edges that count from 1."""
    ends, others, weights = (np.array(part) for part in zip(*edges, strict=True))
    return (ends - 1, others - 1), weights


@pytest.mark.kernels
@pytest.mark.parametrize("minimise", [False, True])
@pytest.mark.parametrize("mode", ["all", "maximum"])
@pytest.mark.parametrize("name", [name for name in CLASSIC if name != "none"])
def test_classic_cases(name, mode, minimise):
    (ends, others), weights = arrays(CLASSIC[name])
    n = int(max(ends.max(), others.max())) + 1
    weight, there = np.zeros((n, n), weights.dtype), np.zeros((n, n), bool)
    for u, v in ((ends, others), (others, ends)):
        weight[u, v], there[u, v] = -weights if minimise else weights, True
    wanted = fuzz.best_of_all(n, weight, there)[mode == "maximum"]
    found = fuzz.solve((ends, others), weights, mode, minimise)
    assert found.weight == pytest.approx(-wanted if minimise else wanted, abs=1e-12)


@pytest.mark.parametrize("seed", range(16))
def test_small_and_larger_graphs(seed):
    assert fuzz.attempt(10**9 + seed) > 0


@pytest.mark.kernels
def test_blossoms_in_blossoms():
    """Few values on a random graph make blossoms of all kinds: shrunk, nested, expanded."""
    rng = default_rng(5)
    for _ in range(12):
        n = 40
        ends, others = rng.integers(0, n, (2, 3 * n))
        for weights in (rng.integers(20, 40, ends.size), rng.random(ends.size)):
            for mode in ("all", "maximum"):
                fuzz.solve((ends, others), weights, mode, bool(rng.integers(2)))


@pytest.mark.kernels
def test_a_ring_of_odd_rings():
    """Perfect matchings that must go through each of many odd cycles, at prices that differ."""
    k, rng = 12, default_rng(1)
    ends, others = [], []
    for i in range(k):
        a = 5 * i
        ends += [a, a + 1, a + 2, a + 3, a + 4, a + 2]
        others += [a + 1, a + 2, a + 3, a + 4, a, (a + 5) % (5 * k)]
    weights = rng.integers(1, 50, len(ends))
    m = fuzz.solve((ends, others), weights, "perfect", True)
    assert m.is_perfect
    assert m.prices.n_sets > 0
    for j in range(m.prices.n_sets):
        inside = m.prices.vertices(j)
        assert inside.size % 2 == 1
        assert np.isin(m.mate[inside], inside).sum() == inside.size - 1


def test_graphs_of_all_kinds():
    import networkx as nx
    from scipy.sparse import csr_array

    edges = [("a", "b", 4), ("b", "c", 5), ("c", "d", 4), ("a", "a", 99)]
    named = nx.Graph()
    named.add_weighted_edges_from(edges)
    m = berge.maximum_weight_matching(named)
    assert m.as_dict() == {"a": "b", "b": "a", "c": "d", "d": "c"}
    assert (m.weight, m.weight_bound, type(m.weight)) == (8, 8, int)
    m.prove(named)
    matrix = csr_array(([4, 5, 4], ([0, 2, 2], [1, 1, 3])), shape=(4, 4))
    dense = matrix.toarray()
    graph = berge.Graph.from_edges([0, 1, 2], [1, 2, 3], weights=[4, 5, 4])
    pairs = ([0, 1, 2], [1, 2, 3], [4.0, 5.0, 4.0])
    for source in (matrix, matrix.tocsc(), matrix.tocoo(), dense, graph, pairs):
        found = berge.maximum_weight_matching(source)
        assert found.weight == 8
        assert found.prove(source).low == 8
    # An array of weights is for the entries as they are stored.
    assert berge.maximum_weight_matching(matrix, [4, 20, 4]).weight == 20
    assert berge.maximum_weight_matching(named, "weight").weight == 8
    lightest = berge.maximum_weight_matching(-matrix, minimise=True)
    assert (lightest.weight, lightest.is_optimal) == (-8, True)
    assert "lightest" in repr(lightest)
    # Of parallel edges the best is kept.
    both = ([0, 0], [1, 1], [3, 7])
    assert berge.maximum_weight_matching(both).weight == 7
    assert berge.maximum_weight_matching(both, perfect=True, minimise=True).weight == 3


def test_huge_and_tiny_weights_are_exact():
    big = 2**52 + 1
    m = berge.maximum_weight_matching(([0, 1, 2], [1, 2, 0]), np.array([big, big - 1, big + 1]))
    assert m.weight == big + 1
    with pytest.raises(InvalidGraphError, match="divide them"):
        berge.maximum_weight_matching(([0], [1]), [2**60])
    with pytest.raises(InvalidGraphError, match="too large"):
        berge.maximum_weight_matching(([0], [1]), [1e300])
    m = berge.maximum_weight_matching(([0, 1], [1, 2]), [1e-300, 2e-300])
    assert m.weight == 2e-300


@pytest.mark.parametrize(
    ("source", "weights", "message"),
    [
        (([0, 1], [1, 2]), [1.0, math.inf], r"weights\[1\] weighs inf: not a finite"),
        (([0, 1], [1, 2]), [math.nan, 1.0], r"weights\[0\] weighs nan"),
        (([0, 1], [1, 2]), [1.0], "must be 2 numbers"),
        (([0, 1], [1, 2]), ["x", "y"], "must be numbers"),
        (([0, 1], [1, 2]), [1, 2**70], "does not fit in 64 bits"),
        (([0, 1], [1, 2]), [1, None], "not a number"),
        (([0, 1], [1, 2]), None, "has no weights"),
        (([0, 1], [1, 2]), "length", "has no attributes"),
        (([0, 1], [1, 2]), False, "every edge is as good"),
        (berge.Graph.from_edges([0], [1]), None, "has no weights"),
    ],
)
def test_errors(source, weights, message):
    with pytest.raises(InvalidGraphError, match=message):
        berge.maximum_weight_matching(source, weights)


def test_no_matching_is_perfect():
    star = ([0, 0, 0], [1, 2, 3], [1, 1, 1])
    with pytest.raises(InvalidGraphError, match="without 1 vertex the graph has 3 parts"):
        berge.maximum_weight_matching(star, perfect=True)
    with pytest.raises(InvalidGraphError, match="3 is an odd number"):
        berge.maximum_weight_matching(([0, 1], [1, 2], [1, 1]), perfect=True)
    alone = berge.Graph([0, 1, 2, 2, 2], [1, 0], [1, 1])
    with pytest.raises(InvalidGraphError, match="vertex 2 has no edge"):
        berge.maximum_weight_matching(alone, perfect=True)
    with pytest.raises(OptionError, match="give perfect or maxcardinality"):
        berge.maximum_weight_matching(star, perfect=True, maxcardinality=True)


def test_stopped_early():
    rng = default_rng(3)
    n = 3000
    cycle = np.arange(n), np.arange(1, n + 1) % n
    ends, others = np.concatenate([rng.integers(0, n, (2, 3 * n)), cycle], axis=1)
    source = (ends, others, rng.integers(1, 1000, 4 * n))
    best = berge.maximum_weight_matching(source)
    for mode in ({}, {"maxcardinality": True}, {"perfect": True}, {"minimise": True}):
        m = berge.maximum_weight_matching(source, time_limit=0, **mode)
        assert m.stats.stopped == "time limit"
        assert m.weight_bound * (-1 if m.minimise else 1) >= 0
        assert not m.is_optimal
        assert m.cardinality == 0

    class Interrupted:
        """Ctrl-C after some reports."""

        calls = 0

        def __call__(self, report):
            self.calls += 1
            if self.calls == 3:
                raise KeyboardInterrupt

    from berge.methods.general import weighted_blossom

    before = weighted_blossom.EDGES_PER_CALL
    weighted_blossom.EDGES_PER_CALL = 1000
    try:
        for after in (3, 40):
            Interrupted.calls = 3 - after
            m = berge.maximum_weight_matching(source, on_phase=Interrupted())
            assert m.stats.stopped == "interrupted"
            assert 0 < m.weight <= best.weight <= m.weight_bound
            assert not m.is_optimal
            with pytest.raises(ProofError, match="the prices allow"):
                m.prove(source)
    finally:
        weighted_blossom.EDGES_PER_CALL = before


def test_stopped_while_pairs_are_counted(monkeypatch):
    from berge.solve import weighted

    source = ([0, 1, 2], [1, 2, 3], [2, 5, 2])
    before = weighted.match_general

    def interrupted(graph, **settings):
        found = before(graph)
        found.stats.stopped = "interrupted"
        return found

    monkeypatch.setattr(weighted, "match_general", interrupted)
    m = berge.maximum_weight_matching(source, maxcardinality=True)
    assert (m.stats.stopped, m.weight, m.weight_bound, m.is_optimal) == (
        "interrupted",
        4,
        10,
        False,
    )


@pytest.mark.parametrize("asked", [{}, {"minimise": True}, {"maxcardinality": True},
                                   {"maxcardinality": True, "minimise": True}])  # fmt: skip
def test_what_is_saved_is_proved_again(asked, tmp_path):
    rng = default_rng(11)
    for kind in (np.int64, np.float64):
        n = 40
        source = (*rng.integers(0, n, (2, 100)), (100 * rng.standard_normal(100)).astype(kind))
        m = berge.maximum_weight_matching(source, **asked)
        m.save(tmp_path / "m.npz")
        again = berge.WeightedMatching.load(tmp_path / "m.npz")
        assert (again.weight, again.competes_with) == (m.weight, m.competes_with)
        assert (repr(again), again.mate.tolist()) == (repr(m), m.mate.tolist())
        assert repr(again.prove(source)) == repr(m.prove(source))
        other = (*source[:2], source[2] + (-9 if asked.get("minimise") else 9))
        with pytest.raises(ProofError):
            again.prove(other)
        m.save(tmp_path / "m.txt")
        assert berge.GeneralMatching.load(tmp_path / "m.txt").mate.tolist() == m.mate.tolist()
        with pytest.raises(FormatError, match=r"kept in \.npz"):
            berge.WeightedMatching.load(tmp_path / "m.txt")


def test_a_file_with_an_unknown_claim_is_refused(tmp_path):
    berge.maximum_weight_matching(([0], [1], [1])).save(tmp_path / "m.npz")
    arrays = dict(np.load(tmp_path / "m.npz")) | {"competes_with": np.array("some")}
    np.savez(tmp_path / "m.npz", **arrays)
    with pytest.raises(FormatError, match="competes_with is 'some'"):
        berge.WeightedMatching.load(tmp_path / "m.npz")


def test_forged_proofs_are_refused():
    rng = default_rng(4)
    n = 63
    ends, others = rng.integers(0, 60, (2, 120))
    triangle = [60, 61, 62], [61, 62, 60]  # on which a set must pay
    ends, others = np.concatenate([[ends, others], triangle], axis=1)
    source = (ends, others, rng.integers(20, 40, ends.size))
    m = berge.maximum_weight_matching(source)
    graph = berge.Graph.from_edges(*source[:2], n, source[2])
    whole = berge.Graph._trusted(graph.indptr, graph.indices, graph.weights.astype(np.int64))
    p = m.prices
    assert verify_weight(whole, m.mate, p) == (m.weight, m.weight)
    assert p.n_sets > 0

    def forged(**changes):
        fields = {"prices": p.prices, "parent": p.parent, "set_prices": p.set_prices,
                  "floor": p.floor} | changes  # fmt: skip
        return OddSetPrices(**fields)

    lower = p.prices.copy()
    lower[np.argmax(lower)] -= 2
    with pytest.raises(ProofError, match="too low"):
        verify_weight(whole, m.mate, forged(prices=lower))
    higher = p.prices.copy()
    higher[0] += 2
    assert verify_weight(whole, m.mate, forged(prices=higher))[1] > m.weight
    with pytest.raises(ProofError, match="too low"):
        verify_weight(whole, m.mate, forged(set_prices=p.set_prices * 0))
    with pytest.raises(ProofError, match="below 0"):
        verify_weight(whole, m.mate, forged(set_prices=p.set_prices - 1000))
    even = p.parent.copy()
    even[np.flatnonzero(even[:n] >= 0)[0]] = -1
    with pytest.raises(ProofError, match="even number"):
        verify_weight(whole, m.mate, forged(parent=even))
    looped = p.parent.copy()
    looped[n] = n
    with pytest.raises(ProofError, match="cannot be in set"):
        verify_weight(whole, m.mate, forged(parent=looped))
    with pytest.raises(ProofError, match="below the floor"):
        verify_weight(whole, m.mate, forged(floor=p.prices.min() + 1))
    with pytest.raises(ProofError, match="must be numbers of 64 bits, below"):
        verify_weight(whole, m.mate, forged(prices=p.prices + 2**60))
    other = np.array(m.mate)
    u, v = m.pairs()[0]
    other[[u, v]] = -1
    low, high = verify_weight(whole, other, p)
    assert low < high == m.weight
    with pytest.raises(ProofError, match="no prices"):
        berge.WeightedMatching(m.mate, weight=3, weight_bound=3, upper_bound=n).prove(source)
    wrong = berge.WeightedMatching(
        m.mate, weight=m.weight + 1, weight_bound=m.weight + 1, upper_bound=n, prices=p
    )
    with pytest.raises(ProofError, match="says it weighs"):
        wrong.prove(source)


@pytest.mark.parametrize("tolerance", [np.inf, np.nan, 1e300, -1.0, 5.0])
def test_a_tolerance_that_a_file_claims_proves_nothing_more(tmp_path, tolerance):
    """With an endless one, any matching was proved to be the heaviest."""
    path = ([0, 1, 2], [1, 2, 3], [2.5, 5.5, 2.5])
    berge.maximum_weight_matching(path).save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz") as file:
        content = dict(file)
    content |= {"mate": np.full(4, -1), "weight": 0.0, "tolerance": tolerance}
    np.savez(tmp_path / "m.npz", **content)
    if not 0 <= tolerance < np.inf:
        with pytest.raises(berge.FormatError, match="tolerance is"):
            berge.WeightedMatching.load(tmp_path / "m.npz")
        return
    with pytest.raises(ProofError, match="the prices allow"):
        berge.WeightedMatching.load(tmp_path / "m.npz").prove(path)


def test_empty_graphs():
    for mode in ({}, {"perfect": True}, {"maxcardinality": True}):
        m = berge.maximum_weight_matching(([], [], []), **mode)
        assert (m.weight, m.cardinality, m.is_optimal) == (0, 0, True)
        m.prove(([], [], []))
    m = berge.maximum_weight_matching(([0], [0], [5]))
    assert (m.weight, m.mate.tolist()) == (0, [-1])


def test_long_and_nested():
    """Hard families: a long chain of triangles, blossoms nested 20 000 deep, a large odd cycle."""
    k = 20_000
    v = 3 * np.arange(k)
    ends = np.concatenate([v, v + 1, v + 2, v[:-1] + 2])
    others = np.concatenate([v + 1, v + 2, v, v[1:]])
    fuzz.solve((ends, others), default_rng(0).integers(90, 110, ends.size), "all", False)
    fuzz.solve((ends, others), np.full(ends.size, 7), "maximum", True)
    n = 20_001
    cycle = (np.arange(n), (np.arange(n) + 1) % n)
    m = fuzz.solve(cycle, default_rng(0).random(n), "maximum", False)
    assert m.cardinality == n // 2
    # A cycle of 3, around which each edge pair closes a larger odd cycle, ever lighter.
    depth = 20_000
    a = np.arange(1, 2 * depth, 2)
    ends = np.concatenate([[0, 0], np.arange(1, 2 * depth - 1), a])
    others = np.concatenate([[1, 2], np.arange(3, 2 * depth + 1), a + 1])
    weights = np.concatenate(
        [[4 * depth] * 2, 4 * depth - np.arange(1, 2 * depth - 1), 4 * depth - a]
    )
    fuzz.solve((ends, others), weights, "all", False)
    fuzz.solve((ends, others), weights, "maximum", True)


def test_berge_errors_only():
    """Whatever the weights are, answers or errors of our own."""
    for weights in ([1e-320], [True], np.array([3], np.uint64), np.array([2.5], np.float32)):
        assert berge.maximum_weight_matching(([0], [1]), weights).cardinality == 1
    for weights in ([1j], [[1]], {"a": 1}, np.array([2**63], np.uint64)):
        with pytest.raises(BergeError):
            berge.maximum_weight_matching(([0], [1]), weights)
