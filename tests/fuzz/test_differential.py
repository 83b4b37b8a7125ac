"""A few graphs and forged proofs of the long runs, and that what they compare with is right."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from numpy.random import default_rng

import berge
from berge import BipartiteGraph, Matching

from ..conftest import COMPILED
from ..corpus import SMALL
from . import forged_files, graphs, tally
from .differential import EXACT, SHARED, SHARING, check, solve_large, solve_small
from .forged import forge, is_right
from .supervise import Outcome

pytestmark = pytest.mark.skipif(not COMPILED, reason="too many graphs for uncompiled kernels")


def test_small_graphs():
    assert sum(map(solve_small, range(10 * len(EXACT)))) > 20 * len(EXACT)


def test_large_graphs(monkeypatch):
    for module, name in SHARING:  # so that they are put back
        monkeypatch.setattr(module, name, getattr(module, name))
    assert sum(map(solve_large, (1, 2))) == 5


def test_forged_proofs():
    assert sum(map(forge, range(400))) > 300


@pytest.mark.filterwarnings("ignore:with match='any'")
def test_forged_files():
    assert sum(map(forged_files.forge, range(240))) > 100


def test_reference_on_known_graphs():
    for make, expected in SMALL.values():
        graph = make()
        found = graphs.reference(graph.indptr, graph.indices, graph.n_cols)
        assert expected in (None, found)


def test_reference_against_all_subsets():
    """By trying every set of edges, where there are few."""
    rng = default_rng(5)
    for _ in range(100):
        rows, cols = rng.integers(0, 4, (2, 7))
        graph = BipartiteGraph.from_edges(rows, cols, (4, 4))
        edges = set(zip(rows.tolist(), cols.tolist(), strict=True))
        disjoint = (
            k for k in range(5) for some in combinations(edges, k)
            if len({i for i, _ in some}) == len({j for _, j in some}) == k
        )  # fmt: skip
        assert graphs.reference(graph.indptr, graph.indices, 4) == max(disjoint)


def test_wrong_answers_are_noticed():
    graph = berge.generate.chain(3)
    right = berge.maximum_matching(graph)
    check(graph, right, 3)
    for wrong in (
        Matching([0, 1, -1], [0, 1, -1], upper_bound=2),  # not maximum
        Matching([0, 1, 2], [0, 2, 1], upper_bound=3),  # not the same both ways
        Matching([2, 1, 0], [2, 1, 0], upper_bound=3),  # no edge
        Matching([0, 1, 3], [0, 1, 2], upper_bound=3),  # no column
        Matching(right.row_match, right.col_match, upper_bound=4),
    ):
        with pytest.raises(AssertionError):
            check(graph, wrong, 3)


def test_the_judge_of_forgeries():
    graph = BipartiteGraph.from_edges([0, 1], [0, 0], (2, 1))
    judge = partial(is_right, graph)
    mates, none, both = np.array([0, -1]), np.array([False]), np.array([True, True])
    assert judge(mates, np.array([0]), ~both, ~none)
    assert not judge(mates, np.array([1]), ~both, ~none)
    assert not judge(mates, np.array([0]), both, none)
    assert not judge(mates, np.array([0]), np.array([True, False]), none)
    assert not judge(np.array([0, 0]), np.array([0]), ~both, ~none)


def test_large_graphs_are_above_the_thresholds():
    sizes = [graphs.large(default_rng([seed, 1]), seed)[0].nnz for seed in (0, 3, 47)]
    assert all(size > least for size, least in zip(sizes, SHARED.values(), strict=True))


def test_runs_add_up(tmp_path):
    place = tmp_path / "trust" / "tried.json"
    assert tally.first("readers", place) == 0
    for start in (0, 7):
        outcome = Outcome(start + 7, tried=7, accepted=3)
        outcome.note("KeyError", 2, "")
        tally.add("readers", outcome, place=place)
    line = tally.read(place)["readers"]
    assert tally.first("readers", place) == line["next"] == line["tried"] == 14
    assert (line["accepted"], line["findings"]) == (6, 2)
