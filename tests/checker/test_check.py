"""The checker of bipartite matchings: what it accepts, by its specification and case by case."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from berge.checker import check
from berge.checker.check import check_matching, edges_of_rows, numbers_of
from berge.errors import ProofError


def ints(*values, dtype=np.int64):
    return np.array(values, dtype)


def mask(size, *members):
    return np.isin(np.arange(size), members)


# 3 × 3: row 0 has columns 0 and 1, rows 1 and 2 have column 0.
EDGES = [(ints(0, 0), ints(0, 1)), (ints(), ints()), (ints(1, 2), ints(0, 0))]
ROWS, COLS = ints(1, 0, -1), ints(1, 0, -1)  # a maximum matching
COVER = (mask(3, 0), mask(3, 0))


def checked(rows=ROWS, cols=COLS, cover=None, edges=EDGES, shape=(3, 3)):
    return check_matching(shape, iter(edges), rows, cols, cover)


def test_counts_the_pairs():
    assert checked() == 2
    assert checked(cover=COVER) == 2
    assert checked(ints(0, -1, -1), ints(0, -1, -1)) == 1
    assert checked(ints(-1, -1, -1), ints(-1, -1, -1)) == 0
    assert checked(ints(), ints(), (mask(0), mask(0)), [], (0, 0)) == 0


NOT_MATCHINGS = [
    (ints(-1, 1, -1), ints(-1, 1, -1), "row 1 is matched to column 1, not a neighbour"),
    (ints(2, -1, -1), ints(-1, -1, 0), "row 0 is matched to column 2, not a neighbour"),
    (ints(0, 0, -1), ints(0, -1, -1), "row 1 is matched to column 0, which is matched to 0"),
    (ints(0, -1, -1), ints(-1, -1, -1), "row 0 is matched to column 0, which is matched to -1"),
    (ints(-1, -1, -1), ints(1, -1, -1), "column 0 is matched to row 1, which is matched to -1"),
    (ints(-1, -1, -1), ints(0, -1, -1), "column 0 is matched to row 0, which is matched to -1"),
    (ints(-1, 3, -1), ints(-1, -1, -1), "row 1 is matched to column 3: out of range"),
    (ints(-1, -2, -1), ints(-1, -1, -1), "row 1 is matched to column -2: out of range"),
    (ints(-1, -1, -1), ints(-1, -1, 3), "column 2 is matched to row 3: out of range"),
    (ints(-1, -1), ints(-1, -1, -1), "the matching is for 2 × 3 vertices, the graph has 3 × 3"),
    (ints(-1, -1, -1), ints(-1, -1), "the matching is for 3 × 2 vertices, the graph has 3 × 3"),
]


@pytest.mark.parametrize(("rows", "cols", "message"), NOT_MATCHINGS)
def test_refuses_what_is_not_a_matching(rows, cols, message):
    with pytest.raises(ProofError, match=f"^{message}$"):
        checked(rows, cols)


@pytest.mark.parametrize(
    ("cover", "message"),
    [
        ((mask(3, 0, 1), mask(3)), "the edge of row 2 and column 0 is not covered"),
        ((mask(3, 1, 2), mask(3)), "the edge of row 0 and column 0 is not covered"),
        ((mask(3), mask(3, 0)), "the edge of row 0 and column 1 is not covered"),
        ((mask(3, 0, 1), mask(3, 0)), "the cover has 3 vertices and the matching 2 edges: .*"),
        ((mask(2, 0), mask(3, 0)), "the cover is for 2 × 3 vertices, the graph has 3 × 3"),
        ((mask(3, 0), mask(4, 0)), "the cover is for 3 × 4 vertices, the graph has 3 × 3"),
    ],
)
def test_refuses_covers_that_prove_nothing(cover, message):
    with pytest.raises(ProofError, match=f"^{message}$"):
        checked(cover=cover)


def test_a_bound_for_the_cover():
    """A larger cover proves that no matching is larger than it."""
    whole = mask(3, 0, 1, 2), mask(3)
    least = int(sum(side.sum() for side in whole))
    for bound in (least, least + 1):
        assert check_matching((3, 3), EDGES, ROWS, COLS, whole, bound) == checked()
    with pytest.raises(
        ProofError, match=f"3 vertices .* not a proof that {least - 1} are the most"
    ):
        check_matching((3, 3), EDGES, ROWS, COLS, whole, least - 1)
    with pytest.raises(ProofError, match="is not covered"):
        check_matching((3, 3), EDGES, ROWS, COLS, (mask(3), mask(3)), least)


@pytest.mark.parametrize(
    ("piece", "message"),
    [
        ((ints(0, -1), ints(0, 0)), "an edge has row -1: out of range"),
        ((ints(0, 3), ints(0, 0)), "an edge has row 3: out of range"),
        ((ints(0, 1), ints(0, -2)), "an edge has column -2: out of range"),
        ((ints(1, 1, 1), ints(0, 2, 3)), "an edge has column 3: out of range"),
        ((ints(0), ints(0, 1)), "edges has 2 entries, not 1"),
        ((ints(0, 0), ints(0)), "edges has 1 entries, not 2"),
    ],
)
def test_refuses_edges_that_are_none(piece, message):
    with pytest.raises(ProofError, match=f"^{message}$"):
        checked(edges=[*EDGES, piece])


class Agrees(np.ndarray):
    """An array that says yes to everything."""

    def __eq__(self, other):
        return np.ones(self.shape, bool)

    __ne__ = __lt__ = __ge__ = lambda self, other: np.zeros(self.shape, bool)

    def __getitem__(self, key):
        return ROWS[key]

    dtype, ndim, size = np.dtype(np.int64), 1, 3


NOT_PLAIN = [
    ([1, 0, -1], "numpy array, not a list"),
    (np.ma.array(ROWS, mask=[1, 0, 0]), "numpy array, not a MaskedArray"),
    (ROWS.astype(object), "one-dimensional array of signed integers, not a 1-dimensional one of o"),
    (ROWS.astype(float), "one-dimensional array of signed integers, not a .* of float64"),
    (ROWS.astype(np.uint8), "one-dimensional array of signed integers, not a .* of uint8"),
    (ROWS.reshape(3, 1), "one-dimensional array of signed integers, not a 2-dimensional one"),
    (np.array(3), "one-dimensional array of signed integers, not a 0-dimensional one of int64"),
]


@pytest.mark.parametrize(("values", "message"), NOT_PLAIN)
def test_refuses_what_is_no_plain_array(values, message):
    for name, wrong in {
        "row_match": lambda: checked(rows=values),
        "col_match": lambda: checked(cols=values),
        "edges": lambda: checked(edges=[(values, ints(0, 1, 2))]),
    }.items():
        with pytest.raises(ProofError, match=f"^{name} must be a {message}"):
            wrong()
    with pytest.raises(ProofError, match="edges must be a "):
        checked(edges=[(ints(0, 1, 2), values)])
    for cover in ((values, COVER[1]), (COVER[0], values)):
        with pytest.raises(ProofError, match=r"^cover of (rows|columns) must be a "):
            checked(cover=cover)


def test_a_cover_of_numbers_is_none():
    with pytest.raises(ProofError, match=r"one-dimensional array of truth values, not a .* int64"):
        checked(cover=(ints(1, 0, 0), COVER[1]))


def test_subclasses_do_not_compare_for_themselves():
    with pytest.raises(ProofError, match="row 1 is matched to column 1, not a neighbour"):
        checked(ints(-1, 1, -1).view(Agrees), ints(-1, 1, -1).view(Agrees))
    assert checked(ROWS.view(Agrees), COLS.view(Agrees)) == 2


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, ">i4"])
def test_any_signed_integers_will_do(dtype):
    edges = [(rows.astype(dtype), cols.astype(dtype)) for rows, cols in EDGES]
    assert checked(ROWS.astype(dtype), COLS.astype(dtype), COVER, edges) == 2
    with pytest.raises(ProofError, match="column 2, not a neighbour"):
        checked(ints(2, -1, -1).astype(dtype), ints(-1, -1, 0).astype(dtype), edges=edges)


def test_arrays_that_change_meanwhile_change_nothing():
    """Whoever changes an array between two checks changes it too late."""
    rows, cols, p, q = (array.copy() for array in (ints(0, -1, -1), ints(0, -1, -1), *COVER))

    def edges():
        rows[:], cols[:] = ROWS, COLS  # from one pair to two, which the cover would prove
        yield from EDGES

    with pytest.raises(ProofError, match="2 vertices and the matching 1 edges"):
        check_matching((3, 3), edges(), rows, cols, (p, q))


@pytest.mark.parametrize("dtype", [np.int8, ">i4", np.int64, np.float16, np.float64])
def test_numbers_are_copied_to_64_bits(dtype):
    given = np.array([-6, 0, 6], dtype)
    kind = given.dtype.kind
    found = numbers_of("x", given, kind, 7, 3)
    assert (found.dtype, found.tolist()) == (f"{kind}8", [-6, 0, 6])
    assert not np.shares_memory(found, given)
    assert numbers_of("x", given[1:], kind, 6, besides=6).tolist() == [0, 6]
    for outside in (given[1:], given[:2], given * 2):
        with pytest.raises(ProofError, match=r"^x must be numbers of 64 bits, below 6$"):
            numbers_of("x", outside, kind, 6)
    with pytest.raises(ProofError, match="x has 3 entries, not 2"):
        numbers_of("x", given, kind, 7, 2)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant == 52, reason="a long double has 64 bits here")
def test_wider_numbers_are_refused():
    wide = np.array([1 + np.longdouble(2) ** -60])
    with pytest.raises(ProofError, match="numbers of 64 bits"):
        numbers_of("x", wide, "f", 7)


def rows_of(*degrees):
    return ints(0, *np.cumsum(degrees))


def edges_in(indptr, indices, weights=None):
    """Join the pieces of compressed rows."""
    found = []
    for rows, cols, values in edges_of_rows(indptr, lambda lo, hi: indices[lo:hi], weights):
        values = [None] * rows.size if values is None else values.tolist()
        found += zip(rows.tolist(), cols.tolist(), values, strict=True)
    return found


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_compressed_rows_are_edges(monkeypatch, chunk, dtype):
    monkeypatch.setattr(check, "CHUNK", chunk)
    for degrees in [(), (0,), (1,), (5,), (0, 0, 3, 0, 1), (2, 2, 2), (1, 0, 0, 4, 0, 0)]:
        indptr = rows_of(*degrees).astype(dtype)
        size = int(indptr[-1])
        indices, weights = ints(*range(size)), np.arange(size) / 2
        ends = [i for i, degree in enumerate(degrees) for _ in range(degree)]
        whole = list(zip(ends, range(size), weights.tolist(), strict=True))
        assert edges_in(indptr, indices, weights) == whole
        assert edges_in(indptr, indices) == [(i, j, None) for i, j, _ in whole]


def test_many_rows_of_few_edges():
    """Row numbers may be larger than the type of `indptr` can hold."""
    indptr = np.zeros(1001, np.int8)
    indptr[-1] = 1
    assert edges_in(indptr, ints(4)) == [(999, 4, None)]


def test_a_piece_has_no_more_edges_than_a_chunk():
    indptr, size = rows_of(check.CHUNK + 1, 1), check.CHUNK + 2
    pieces = list(edges_of_rows(indptr, lambda lo, hi: np.zeros(hi - lo, np.int32)))
    assert [piece[0].size for piece in pieces] == [check.CHUNK, 2]
    assert sum(piece[1].size for piece in pieces) == size


@pytest.mark.parametrize("indptr", [ints(), ints(1, 2), ints(0, 2, 1), ints(-1, 0)])
def test_refuses_rows_that_are_none(indptr):
    with pytest.raises(ProofError, match=r"^indptr must begin with 0 and never fall$"):
        edges_in(indptr, ints(0, 0))


def test_refuses_a_window_that_is_too_short():
    edges = edges_of_rows(ints(0, 1, 2, 3), lambda lo, hi: ints(0))
    with pytest.raises(ProofError, match="edges has 1 entries, not 3"):
        checked(edges=edges)
    with pytest.raises(ProofError, match="indptr must be a numpy array"):
        edges_in([0, 1], ints(0))


def accepts(shape, edges, rows, cols, cover=None):
    ends = [ints(*(edge[side] for edge in edges)) for side in (0, 1)]
    cover = None if cover is None else tuple(np.array(part, bool) for part in cover)
    try:
        return check_matching(shape, [ends], ints(*rows), ints(*cols), cover)
    except ProofError:
        return None


def specified(shape, edges, r, c, cover=None):
    """The specification in the head of check.py, word by word."""
    rows, cols = range(shape[0]), range(shape[1])
    matched = {(i, r[i]) for i in rows if r[i] != -1}
    holds = (
        all(0 <= i < shape[0] and 0 <= j < shape[1] for i, j in edges)
        and all(r[i] == -1 or (0 <= r[i] < shape[1] and c[r[i]] == i) for i in rows)
        and all(c[j] == -1 or (0 <= c[j] < shape[0] and r[c[j]] == j) for j in cols)
        and all(r[i] == -1 or (i, r[i]) in edges for i in rows)
    )
    if holds and cover is not None:
        p, q = cover
        holds = all(p[i] or q[j] for i, j in edges) and sum(p) + sum(q) == len(matched)
    return len(matched) if holds else None


def largest(edges):
    """The size of the largest set of edges without a common end."""
    return max(
        len(chosen)
        for keep in product([0, 1], repeat=len(edges))
        for chosen in [[edge for edge, kept in zip(edges, keep, strict=True) if kept]]
        if all(len({edge[side] for edge in chosen}) == len(chosen) for side in (0, 1))
    )


def subsets(items):
    for keep in product([0, 1], repeat=len(items)):
        yield [item for item, kept in zip(items, keep, strict=True) if kept]


@pytest.mark.parametrize("shape", [(0, 0), (0, 2), (1, 1), (1, 3), (2, 1), (2, 2), (2, 3)])
def test_is_the_specification(shape):
    """All graphs, all arrays, all covers: accepted is what is specified, and what is maximum."""
    n_rows, n_cols = shape
    for edges in subsets(list(product(range(n_rows), range(n_cols)))):
        valid = []
        for r in product(range(-1, n_cols + 1), repeat=n_rows):
            for c in product(range(-1, n_rows), repeat=n_cols):
                found = specified(shape, edges, r, c)
                assert accepts(shape, edges, r, c) == found
                if found is not None:
                    valid.append((r, c, found))
        best = largest(edges)
        for r, c, size in valid:
            proofs = 0
            for cover in product([False, True], repeat=n_rows + n_cols):
                parts = cover[:n_rows], cover[n_rows:]
                found = specified(shape, edges, r, c, parts)
                assert accepts(shape, edges, r, c, parts) == found
                proofs += found is not None
            assert (proofs > 0) == (size == best)
