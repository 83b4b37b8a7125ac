"""The checker of matchings of any graph: what it accepts, by its specification and case by case."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from berge.checker.general import check_general
from berge.errors import ProofError

from .test_check import Agrees, ints, subsets

# A path of 5 vertices, whose edges weigh 0, 2, 0.5 and 4; (1, 2) is there again, and lighter.
PATH = [
    (ints(0, 2), ints(1, 1), np.array([0.0, 2.0])),
    (ints(), ints(), np.zeros(0)),
    (ints(1, 2, 3), ints(2, 3, 4), np.array([1.0, 0.5, 4.0])),
]
MATE = ints(-1, 2, 1, 4, 3)


def checked(mate=MATE, edges=PATH, n=5):
    return check_general(n, iter(edges), mate)


def test_counts_weighs_and_tells_whether_it_is_maximal():
    assert checked() == (2, 6.0, True)
    assert checked(ints(1, 0, -1, 4, 3)) == (2, 4.0, True)
    assert checked(ints(-1, -1, -1, 4, 3)) == (1, 4.0, False)
    assert checked(ints(1, 0, -1, -1, -1)) == (1, 0.0, False)
    assert checked(ints(-1, 2, 1, -1, -1)) == (1, 2.0, False)
    assert checked(edges=[(u, v, None) for u, v, _ in PATH]) == (2, 2.0, True)
    assert checked(ints(), [], 0) == (0, 0.0, True)


def test_a_loop_is_no_edge_that_could_be_matched():
    loop = ints(0), ints(0), None
    assert checked(ints(-1), [loop], 1) == (0, 0.0, True)
    with pytest.raises(ProofError, match=r"^vertex 0 is matched to itself$"):
        checked(ints(0), [loop], 1)
    with pytest.raises(ProofError, match=r"^vertex 1 is matched to itself$"):
        checked(ints(-1, 1), [loop], 2)


@pytest.mark.parametrize(
    ("mate", "message"),
    [
        (ints(2, -1, 0, 4, 3), "vertex 0 is matched to vertex 2, not a neighbour"),
        (ints(-1, -1, 4, -1, 2), "vertex 2 is matched to vertex 4, not a neighbour"),
        (ints(1, 0, -1, 4, 5), "vertex 4 is matched to vertex 5: out of range"),
        (ints(1, 0, -1, 4, -2), "vertex 4 is matched to vertex -2: out of range"),
        (ints(1, 0, -1, 4, -1), "vertex 3 is matched to vertex 4, which is matched to -1"),
        (ints(-1, -1), "the matching is for 2 vertices, the graph has 5"),
        (ints(-1, 2, 1, 4, 3).tolist(), "mate must be a numpy array, not a list"),
    ],
)
def test_refuses_what_is_not_a_matching(mate, message):
    with pytest.raises(ProofError, match=f"^{message}$"):
        checked(mate)


@pytest.mark.parametrize(
    ("piece", "message"),
    [
        ((ints(5), ints(0), None), "an edge has vertex 5: out of range"),
        ((ints(0), ints(5), None), "an edge has vertex 5: out of range"),
        ((ints(0, 1), ints(0), None), "edges has 1 entries, not 2"),
        ((ints(0), ints(2), np.zeros(2)), "weights has 2 entries, not 1"),
        ((ints(0), ints(2), ints(1)), "weights must be a one-dimensional array of floating.*"),
        *(
            ((ints(0, 0), ints(2, 2), np.array([1, w])), "the weight of an edge is not a finite.*")
            for w in (-1e-300, np.nan, np.inf)
        ),
    ],
)
def test_refuses_edges_that_are_none(piece, message):
    with pytest.raises(ProofError, match=f"^{message}$"):
        checked(edges=[*PATH, piece])


def test_subclasses_do_not_compare_for_themselves():
    with pytest.raises(ProofError, match="not a neighbour"):
        checked(ints(2, -1, 0).view(Agrees), [(ints(0), ints(1), None)], 3)


def specified(n, edges, m):
    """The specification in the head of general.py, word by word; `edges` has {u, v}: weight."""
    vertices = range(n)
    if not all(
        m[v] == -1 or (0 <= m[v] < n and m[m[v]] == v and m[v] != v) for v in vertices
    ) or not all(m[v] == -1 or frozenset((v, m[v])) in edges for v in vertices):
        return None
    matched = {frozenset((v, m[v])) for v in vertices if m[v] != -1}
    maximal = all(len(edge) == 1 or any(m[v] != -1 for v in edge) for edge in edges)
    return len(matched), sum(edges[pair] for pair in matched), maximal


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_is_the_specification(n):
    for edges in subsets(list(combinations_with_replacement(range(n), 2))):
        weights = np.arange(len(edges)) % 3 / 2
        ends = [ints(*(edge[side] for edge in edges)) for side in (1, 0)]
        weighed = {frozenset(e): w for e, w in zip(edges, weights.tolist(), strict=True)}
        for m in product(range(-2, n + 1), repeat=n):
            try:
                found = check_general(n, [(*ends, weights)], ints(*m))
            except ProofError:
                found = None
            assert found == specified(n, weighed, m)
