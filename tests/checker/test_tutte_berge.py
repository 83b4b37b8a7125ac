"""The checker of maximum matchings of any graph: by its specification, and case by case."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from berge.checker.tutte_berge import check_cardinality
from berge.errors import ProofError

from .test_check import Agrees, ints, subsets
from .test_general import specified as matched

# A triangle 0, 1, 2, whose vertex 2 is joined to 3; 3 is joined to 4 and 5.
EDGES = [(ints(0, 1), ints(1, 2), None), (ints(0, 2, 3, 5), ints(2, 3, 4, 3), None)]
MATE = ints(1, 0, -1, 4, 3, -1)
SHORT = "the Tutte–Berge set allows 2 pairs, and the matching has 1: not a proof that it is maximum"


def checked(part=None, mate=MATE, edges=EDGES, n=6):
    return check_cardinality(n, iter(edges), mate, part)


def test_counts_the_pairs():
    assert repr(checked()) == "2"  # not what they weigh
    assert checked(ints(0, 0, 0, -1, 1, 2)) == 2
    assert checked(ints(3, 3, 3, -1, 5, 0)) == 2
    assert checked(ints(), ints(), [], 0) == 0


@pytest.mark.parametrize(
    ("part", "mate", "message"),
    [
        (ints(0, 0, 0, -1, 1), MATE, "the proof is for 5 vertices, the graph has 6"),
        (ints(0, 0, 0, -1, 6, 1), MATE, "vertex 4 is in part 6: out of range"),
        (ints(0, 0, -2, -1, 1, 2), MATE, "vertex 2 is in part -2: out of range"),
        (ints(0, 0, 0, 1, 1, -1), MATE, "the edge of 2 and 3 joins two parts"),
        (ints(0, 0, 0, -1, 1, 2), ints(1, 0, -1, -1, -1, -1), SHORT),
        (
            ints(0, 0, 0, -1, 1, 2),
            ints(5, -1, -1, -1, -1, 0),
            "vertex 0 is matched to vertex 5, .*",
        ),
        ([0] * 6, MATE, "part must be a numpy array, not a list"),
        (np.zeros(6), MATE, "part must be a one-dimensional array of signed integers, .* float64"),
        (None, ints(5, -1, -1, -1, -1, 0), "vertex 0 is matched to vertex 5, not a neighbour"),
    ],
)
def test_refuses_what_proves_nothing(part, mate, message):
    with pytest.raises(ProofError, match=f"^{message}$"):
        checked(part, mate)


@pytest.mark.parametrize("end", [-1, 6])
def test_refuses_edges_that_are_none(end):
    for edge in ((ints(end), ints(0), None), (ints(0), ints(end), None)):
        with pytest.raises(ProofError, match=f"an edge has vertex {end}: out of range"):
            checked(ints(0, 0, 0, -1, 1, 2), edges=[*EDGES, edge])
    with pytest.raises(ProofError, match="edges has 1 entries, not 2"):
        checked(ints(0, 0, 0, -1, 1, 2), edges=[(ints(0, 1), ints(0), None)])


def test_weights_are_checked_all_the_same():
    with pytest.raises(ProofError, match="finite number"):
        checked(ints(0, 0, 0, -1, 1, 2), edges=[*EDGES, (ints(0), ints(1), np.array([np.nan]))])


def test_subclasses_do_not_compare_for_themselves():
    with pytest.raises(ProofError, match="joins two parts"):
        check_cardinality(
            3, [(ints(0), ints(1), None)], ints(-1, -1, -1), ints(0, 1, 2).view(Agrees)
        )


def specified(n, edges, m, c):
    """The specification in the head of tutte_berge.py, word by word."""
    found = matched(n, dict.fromkeys(edges, 1), m)
    inside = [sum(part == i for part in c) // 2 for i in range(n)]
    holds = (
        found is not None
        and all(-1 <= part < n for part in c)
        and all(len({-1} & {c[v] for v in e}) or len({c[v] for v in e}) == 1 for e in edges)
        and sum(part == -1 for part in c) + sum(inside) == found[0]
    )
    return found[0] if holds else None


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_is_the_specification(n):
    """All graphs, all matchings, all proofs: what is proved is maximum, and that can be proved."""
    for pairs in subsets(list(combinations_with_replacement(range(n), 2))):
        piece = (*(ints(*(pair[side] for pair in pairs)) for side in (1, 0)), None)
        edges = [frozenset(pair) for pair in pairs]
        valid = {}
        for m in product(range(-1, n), repeat=n):
            if (found := matched(n, dict.fromkeys(edges, 1), m)) is not None:
                valid[m] = found[0]
        for m, size in valid.items():
            proofs = 0
            for c in product(range(-2, n + 1), repeat=n):
                try:
                    found = check_cardinality(n, [piece], ints(*m), ints(*c))
                except ProofError:
                    found = None
                assert found == specified(n, edges, m, c)
                proofs += found is not None
            assert (proofs > 0) == (size == max(valid.values()))
