"""The compiled check says yes to exactly what the specification of the checker accepts."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import berge
from berge import BipartiteGraph, Certificate, Matching, ProofError
from berge.compile import thread_count
from berge.methods.combined import mixed
from berge.results import compiled_check, proof
from berge.results.compiled_check import size_if_right

from ..checker.test_check import (
    COLS,
    COVER,
    NOT_MATCHINGS,
    ROWS,
    Agrees,
    ints,
    mask,
    specified,
    subsets,
)

pytestmark = pytest.mark.kernels

# That of the checker's tests: row 0 has columns 0 and 1, rows 1 and 2 have column 0.
GRAPH = BipartiteGraph([0, 2, 3, 4], [0, 1, 0, 0], (3, 3))


def size(rows=ROWS, cols=COLS, cover=COVER, graph=GRAPH, runs=None, kind=np.int32):
    rows, cols = (a.astype(kind) if type(a) is np.ndarray else a for a in (rows, cols))
    return size_if_right(graph, rows, cols, cover, runs or [(0, graph.n_rows)])


@pytest.fixture(params=[1, 2])
def threads(request, monkeypatch):
    if request.param > 1:
        monkeypatch.setattr(compiled_check, "SHARED_CHECK", 0)
    with thread_count(request.param):
        yield request.param


def test_counts_the_pairs(threads):
    assert size() == 2
    assert size(cover=None) == 2
    assert size(ints(0, -1, -1), ints(0, -1, -1), None) == 1
    none = ints(-1, -1, -1)
    assert size(none, none, None) == 0


@pytest.mark.parametrize(("rows", "cols", "message"), NOT_MATCHINGS)
def test_refuses_what_is_not_a_matching(threads, rows, cols, message):
    assert size(rows, cols, None) is None


@pytest.mark.parametrize(
    "cover",
    [
        (mask(3, 0, 1), mask(3)),
        (mask(3, 1, 2), mask(3)),
        (mask(3), mask(3, 0)),
        (mask(3, 0, 1), mask(3, 0)),
        (mask(3, 0), mask(3, 0, 2)),
        (mask(2, 0), mask(3, 0)),
        (mask(3, 0), mask(4, 0)),
    ],
)
def test_refuses_covers_that_prove_nothing(threads, cover):
    assert size(cover=cover) is None


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, ">i4"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_any_signed_integers_will_do(index, kind):
    graph = BipartiteGraph._trusted(ints(0, 2, 3, 4), ints(0, 1, 0, 0, dtype=index), (3, 3))
    assert size(graph=graph, kind=kind) == 2
    for far in (-2, 3, 2**31 - 1, -(2**31)):
        assert size(ints(far, 0, -1), ints(1, -1, -1), None, graph) is None


@pytest.mark.parametrize("far", [2**32 - 1, 2**32, 2**32 + 1, 1 - 2**32, 2**63 - 1])
def test_numbers_are_not_cut_off(far):
    for rows, cols in ((ints(far, 0, -1), COLS), (ROWS, ints(1, 0, far))):
        assert size(rows, cols, None, kind=np.int64) is None


def test_leaves_to_numpy_what_is_no_plain_array():
    wrong = [
        ROWS.tolist(),
        None,
        np.ma.array(ROWS, mask=[1, 0, 0]),
        ROWS.astype(object),
        ROWS.astype(float),
        ROWS.astype(np.uint32),
        ROWS.reshape(3, 1),
        ROWS.view(Agrees),
        np.array(3),
        ROWS[:2],
        np.append(ROWS, -1),
    ]
    for array in wrong:
        assert size_if_right(GRAPH, array, COLS, COVER, [(0, 3)]) is None
        assert size_if_right(GRAPH, ROWS, array, COVER, [(0, 3)]) is None
        assert size(cover=(array, COVER[1])) is None
        assert size(cover=(COVER[0], array)) is None
    assert size(cover=(np.repeat(COVER[0], 2)[::2], COVER[1])) is None
    assert size(graph=BipartiteGraph([0, 0], [], (1, 0)), rows=ints(-1), cols=ints()) is None


@pytest.mark.parametrize(
    ("indptr", "indices", "cover"),
    [
        ([0, 2, 3, 5], [0, 1, 0, 0], COVER),  # ends behind the last index
        ([0, 2, 3, 5], [0, 1, 0, 0], None),
        ([1, 2, 3, 4], [0, 1, 0, 0], COVER),
        ([0, 2, 3], [0, 1, 0], COVER),
        ([0, -1, 3, 4], [0, 1, 0, 0], COVER),
        ([0, 2, 3, 4], [0, 1, 0, 3], COVER),  # of rows that are not in the cover
        ([0, 2, 3, 4], [0, 1, 0, -1], COVER),
        ([0, 2, 3, 4], [0, 1, 0, 2**31 - 1], COVER),
    ],
)
def test_refuses_graphs_that_are_none(threads, indptr, indices, cover):
    graph = BipartiteGraph._trusted(
        ints(*indptr, dtype=np.int32), ints(*indices, dtype=np.int32), (3, 3)
    )
    assert size(graph=graph, cover=cover) is None


class InRuns:
    """A graph as if it were on the disk, whose windows are what `change` makes of them."""

    on_disk = True

    def __init__(self, graph, change=lambda window: window):
        self.graph, self.change = graph, change
        self.indptr, self.shape, self.nnz = graph.indptr, graph.shape, graph.nnz
        self.n_rows, self.n_cols = graph.shape

    def window(self, lo, hi):
        return self.change(self.graph.window(lo, hi))


@pytest.mark.parametrize("runs", [[(0, 1), (1, 3)], [(0, 2), (2, 3)], [(0, 1), (1, 2), (2, 3)]])
def test_rows_may_be_read_in_runs(threads, runs):
    graph = InRuns(GRAPH)
    assert size(graph=graph, runs=runs) == 2
    assert size(graph=graph, runs=runs, cover=None) == 2
    assert size(graph=graph, runs=runs, cover=(mask(3, 0, 1), mask(3))) is None
    assert size(graph=graph, runs=runs, cover=(mask(3, 0), mask(3, 0, 2))) is None
    assert size(ints(1, -1, -1), ints(-1, 0, -1), (mask(3, 0), mask(3)), graph, runs) is None
    for change in (lambda w: w[1:], lambda w: w.tolist(), lambda w: np.repeat(w, 2)[::2]):
        assert size(graph=InRuns(GRAPH, change), runs=[(0, 3)]) is None


@pytest.mark.parametrize("shape", [(0, 2), (1, 1), (1, 3), (2, 1), (2, 2)])
def test_is_the_specification(shape):
    """All graphs, all arrays, all covers; but None for graphs without edges."""
    n_rows, n_cols = shape
    for edges in subsets(list(product(range(n_rows), range(n_cols)))):
        graph = BipartiteGraph.from_edges(*np.array(edges, int).reshape(-1, 2).T, shape)
        for r in product(range(-1, n_cols + 1), repeat=n_rows):
            for c in product(range(-1, n_rows), repeat=n_cols):
                arrays = ints(*r, dtype=np.int32), ints(*c, dtype=np.int32)
                found = specified(shape, edges, r, c) if edges else None
                assert size(*arrays, None, graph) == found
                if found is None:
                    continue
                for cover in product([False, True], repeat=n_rows + n_cols):
                    parts = cover[:n_rows], cover[n_rows:]
                    masks = [np.array(part, bool) for part in parts]
                    assert size(*arrays, masks, graph) == specified(shape, edges, r, c, parts)


@pytest.mark.parametrize("degree", range(1, 7))
def test_every_edge_of_a_row_counts_and_none_of_the_next(degree):
    """Rows of the same columns, and one of five others behind them, which is in the cover."""
    cols = [*np.tile(np.arange(degree), degree), *range(degree, degree + 5)]
    indptr = [*range(0, degree * degree + 1, degree), len(cols)]
    shape = degree + 1, degree + 5
    graph = BipartiteGraph(np.array(indptr), np.array(cols, np.int32), shape)
    for shift in range(degree):
        rows = np.append((np.arange(degree) + shift) % degree, degree)
        back = np.full(shape[1], -1)
        back[rows] = np.arange(shape[0])
        cover = mask(shape[0], degree), mask(shape[1], *range(degree))
        assert size(rows, back, cover, graph) == size(rows, back, None, graph) == degree + 1
        for col in range(degree):
            cover[1][col] = False
            assert size(rows, back, cover, graph) is None
            other = np.flatnonzero(rows == col)
            assert size(np.where(rows == col, degree + 1, rows), back, None, graph) is None
            # Column `degree` + 1 is of the last row alone, which others may not take.
            taken, given = rows.copy(), back.copy()
            taken[other], given[degree + 1], given[col] = degree + 1, other[0], -1
            assert size(taken, given, None, graph) is None
            cover[1][:] = [j < degree for j in range(shape[1])]
            cover[0][other] = True  # is then not bare
            assert size(taken, given, cover, graph) is None
            cover[0][other] = False


def test_work_is_shared_out(monkeypatch):
    monkeypatch.setattr(compiled_check, "SHARED_CHECK", 0)
    graph = berge.generate.power_law(60, 40, 3, seed=2)
    found = berge.maximum_matching(graph)
    cover = proof.koenig_cover(graph, found)
    arrays = found.row_match, found.col_match
    parts = [part.copy() for part in (cover.rows, cover.cols)]
    for threads in (1, 2):
        with thread_count(threads):
            assert size_if_right(graph, *arrays, parts, [(0, 60)]) == found.cardinality
            for part in parts:
                for k in range(part.size):
                    part[k] = not part[k]
                    assert size_if_right(graph, *arrays, parts, [(0, 60)]) is None
                    part[k] = not part[k]


def test_both_checks_refuse_with_the_same_words():
    wrong = Certificate(mask(3, 0, 1), mask(3))
    found = Matching(ROWS, COLS, upper_bound=3)
    messages = []
    for check in ("compiled", "numpy"):
        with pytest.raises(ProofError) as caught:
            berge.verify(GRAPH, found, wrong, check=check)
        messages.append(str(caught.value))
        assert found.prove(GRAPH, check=check).size == 2
    assert messages[0] == messages[1]
    with pytest.raises(berge.OptionError, match="check must be"):
        berge.verify(GRAPH, found, check="fast")


@pytest.mark.parametrize("shape", [(300, 280), (280, 300)])
@pytest.mark.parametrize("threads", [1, 2])
def test_covers_are_handed_over_by_the_search(shape, threads, monkeypatch):
    monkeypatch.setattr(mixed, "SHARED_SEARCHES", 0)
    graph = berge.generate.power_law(*shape, 3, seed=5)
    for settings in ({}, {"init": "none"}, {"init": "none", "side": "cols"}):
        found = berge.maximum_matching(graph, threads=threads, **settings)
        cover = proof.cover_of_reached(found)
        berge.verify(graph, found, cover, check="numpy")
        assert cover.size == found.cardinality < graph.nonempty_rows
        flags, turned = found._reached
        found._reached = np.zeros_like(flags), turned  # of another graph, say
        assert found.prove(graph).size == found.cardinality


def test_covers_are_found_by_the_shorter_way():
    for rows, cols, shape in (
        ([0, 1, 1], [0, 0, 1], (2, 3)),  # all rows
        ([0, 1, 1], [0, 0, 1], (3, 2)),  # all columns
        ([0, 1, 2, 2], [0, 0, 0, 2], (3, 3)),  # all columns that have an edge
        ([0, 1, 2, 3, 3], [0, 0, 0, 1, 2], (4, 3)),  # neither
    ):
        graph = BipartiteGraph.from_edges(rows, cols, shape)
        for known in (False, True):
            assert not known or graph.T.shape == shape[::-1]
            found = berge.maximum_matching(graph)
            cover = proof.find_cover(graph, found)
            assert cover.size == found.cardinality
            berge.verify(graph, found, cover, check="numpy")
