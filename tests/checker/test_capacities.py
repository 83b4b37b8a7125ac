"""The checker of matchings with capacities: by its specification, and case by case."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.random import default_rng

import berge
from berge import BipartiteGraph
from berge.checker.capacities import _number, check_capacities
from berge.errors import ProofError

from .test_check import Agrees, ints, mask

# 3 × 2: rows 0 and 1 have both columns, row 2 has column 0. Row 0 may have two, column 0 as well.
EDGES = [(ints(0, 0, 1), ints(0, 1, 0)), (ints(1, 2, 2), ints(1, 0, 0))]
ROWS, COLS = ints(0, 0, 1), ints(0, 1, 0)
UNITS = (ints(0, 0, 0), ints(2, 1, 1)), (ints(0, 0), ints(2, 1))
COVER = mask(3), mask(2, 0, 1)


def checked(rows=ROWS, cols=COLS, row_units=UNITS[0], col_units=UNITS[1], cover=COVER, edges=EDGES):
    return check_capacities((3, 2), iter(edges), rows, cols, row_units, col_units, cover)


def test_counts_the_pairs():
    assert checked() == 3
    assert checked(cover=None) == 3
    assert checked(ints(2), ints(0), cover=None) == 1
    assert checked(ints(), ints(), cover=None) == 0
    one = ints(0), ints(1)
    assert check_capacities((1, 1), [], ints(), ints(), one, one, (mask(1), mask(1))) == 0


def test_many_columns():
    """Pairs are different numbers, whatever the type of the indices."""
    units = (ints(*[0] * 100), ints(*[9] * 100))
    tiny = ints(90, 91, dtype=np.int8)
    assert check_capacities((100, 100), [(tiny, tiny)], tiny, tiny, units, units) == 2
    assert _number(ints(1), ints(0), 2**62 - 1).tolist() == [2**62 - 1]
    with pytest.raises(ProofError, match=r"too large: rows × columns must be below 2\^63"):
        _number(ints(1), ints(0), 2**62)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": ints(0, 0)}, "2 rows and 3 columns are no pairs"),
        ({"rows": ints(0, 0, 0), "cols": ints(0, 1, 0), "row_units": (UNITS[0][0], ints(9, 1, 1))},
         "the pair of row 0 and column 0 is there twice"),
        ({"rows": ints(1, 2, 1), "cols": ints(1, 0, 1), "row_units": (UNITS[0][0], ints(9, 9, 9)),
          "col_units": (UNITS[1][0], ints(9, 9))}, "the pair of row 1 and column 1 is there twice"),
        ({"rows": ints(2), "cols": ints(1)}, "row 2 is matched to column 1, not a neighbour"),
        ({"rows": ints(3), "cols": ints(0)}, "a pair has row 3: out of range"),
        ({"rows": ints(0, -1), "cols": ints(0, 0)}, "a pair has row -1: out of range"),
        ({"rows": ints(0), "cols": ints(2)}, "a pair has column 2: out of range"),
        ({"rows": ints(0), "cols": ints(-1)}, "a pair has column -1: out of range"),
        ({"row_units": (ints(0, 0, 0), ints(1, 1, 1))}, "row 0 is in 2 .* must be in 0 to 1"),
        ({"row_units": (ints(0, 0, 1), ints(2, 1, 1))}, "row 2 is in 0 .* must be in 1 to 1"),
        ({"col_units": (ints(0, 2), ints(2, 2))}, "column 1 is in 1 pairs, and must be in 2 to 2"),
        ({"row_units": (ints(0, 0), ints(2, 1, 1))}, "units of each row has 2 entries, not 3"),
        ({"col_units": (ints(0, 0), ints(2, 1, 1))}, "units of each column has 3 entries, not 2"),
        ({"cover": (mask(3), mask(2, 0))}, "the cover allows 4 edges and the matching has 3: .*"),
        ({"cover": (mask(3, 2), mask(2, 0, 1))}, "the cover allows 4 edges and .*"),
        ({"cover": (mask(3, 0), mask(2))}, "the cover allows 5 edges and .*"),
        ({"cover": (mask(2), mask(2))}, "the cover is for 2 × 2 vertices, the graph has 3 × 2"),
        ({"cover": (mask(3), mask(3))}, "the cover is for 3 × 3 vertices, the graph has 3 × 2"),
        ({"cover": (ints(0, 0, 0), mask(2))}, "cover of rows must be a .* truth values, not .*"),
        ({"cover": (mask(3), ints(1, 1))}, "cover of columns must be a .* truth values, not .*"),
        ({"rows": [0, 0, 1]}, "rows must be a numpy array, not a list"),
        ({"cols": ROWS * 1.0}, "cols must be a one-dimensional array of signed integers, .*"),
        ({"edges": [(ints(3), ints(0))]}, "an edge has row 3: out of range"),
        ({"edges": [(ints(0), ints(2))]}, "an edge has column 2: out of range"),
        ({"edges": [(ints(0, 0), ints(2))]}, "edges has 1 entries, not 2"),
        ({"edges": [], "cover": None}, "row 0 is matched to column 0, not a neighbour"),
        ({"edges": EDGES[:1], "rows": ints(0, 1), "cols": ints(1, 1), "cover": None,
          "col_units": (UNITS[1][0], ints(9, 9))}, "row 1 is matched to column 1, not a neighbour"),
    ],
)  # fmt: skip
def test_refuses_what_is_wrong(changes, message):
    with pytest.raises(ProofError, match=f"^{message}$"):
        checked(**changes)


class Few(np.ndarray):
    """Numbers that say what they are asked to, if asked for some of them."""

    def __getitem__(self, key):
        return np.zeros(1, np.int64)


def test_units_are_copied_too():
    lying = UNITS[1][0], UNITS[1][1].view(Few)
    with pytest.raises(ProofError, match="the cover allows 3 edges and the matching has 0"):
        checked(ints(), ints(), col_units=lying)
    with pytest.raises(ProofError, match="the cover allows 3 edges and the matching has 0"):
        checked(ints().view(Agrees), ints().view(Agrees), edges=[])


def specified(shape, edges, pairs, units, cover):
    """The specification in the head of capacities.py, word by word."""
    ranges = [range(n) for n in shape]
    degrees = [[sum(pair[side] == v for pair in pairs) for v in ranges[side]] for side in (0, 1)]
    holds = (
        len(set(pairs)) == len(pairs)
        and set(pairs) <= set(edges)
        and all(
            least[v] <= degrees[side][v] <= most[v]
            for side, (least, most) in enumerate(units)
            for v in ranges[side]
        )
    )
    if holds and cover is not None:
        uncovered = {(i, j) for i, j in edges if not cover[0][i] and not cover[1][j]}
        held = sum(units[side][1][v] for side in (0, 1) for v in ranges[side] if cover[side][v])
        holds = held + len(uncovered) == len(pairs)
    return len(pairs) if holds else None


@pytest.mark.parametrize("seed", range(30))
def test_is_the_specification(seed):
    """Of graphs drawn at random all choices, and some covers."""
    rng = default_rng(seed)
    shape = tuple(rng.integers(1, 4, 2).tolist())
    edges = list(zip(*(rng.integers(0, n, 5).tolist() for n in shape), strict=True))
    cut = int(rng.integers(0, 6))
    pieces = [[ints(*end) for end in zip(*part, strict=True)] or [ints(), ints()]
              for part in (edges[:cut], edges[cut:])]  # fmt: skip
    least = [rng.integers(0, 2, n) * rng.integers(0, 2) for n in shape]
    units = [(low, low + rng.integers(0, 3, n)) for low, n in zip(least, shape, strict=True)]
    every = list(product(*map(range, shape)))
    accepted = set()
    for _ in range(60):
        some = rng.integers(0, len(every), rng.integers(0, 5))
        if rng.integers(3):
            some = np.unique(some)
        pairs = [every[k] for k in some]
        for cover in (None, *(tuple(rng.integers(0, 2, n) > 0 for n in shape) for _ in range(4))):
            try:
                x, y = (ints(*(pair[side] for pair in pairs)) for side in (0, 1))
                found = check_capacities(shape, pieces, x, y, *units, cover)
            except ProofError:
                found = None
            assert found == specified(shape, edges, pairs, units, cover)
            accepted |= {(found, cover is not None)} - {(None, True), (None, False)}
    proved = {size for size, by_cover in accepted if by_cover}
    assert all(size <= best for best in proved for size, _ in accepted)


def test_what_is_found_is_proved():
    graph = BipartiteGraph.from_edges([0, 0, 1, 1, 2], [0, 1, 0, 1, 0], (3, 2))
    m = berge.maximum_matching(graph, capacity_left=[2, 1, 1], capacity_right=[2, 1])
    assert m.prove(graph).size == m.cardinality == m.check(graph) == 3
    with pytest.raises(ProofError, match="not a proof"):
        replace(m, rows=m.rows[1:], cols=m.cols[1:]).prove(graph)


def test_duplicates():
    """An edge that is there twice counts once."""
    graph = BipartiteGraph.from_edges([0, 0, 0], [0, 0, 1], (1, 2))
    m = berge.maximum_matching(graph, capacity_left=9, capacity_right=9)
    proof = m.prove(graph)
    assert proof.size == proof.edges == 2
    assert repr(proof) == (
        "CapacityCertificate(2 at most: 0 at 0 rows, 0 at 0 columns, 2 other edges)"
    )
