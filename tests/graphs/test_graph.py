"""BipartiteGraph and Graph: what they accept, what they refuse and what they say."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import berge
from berge import BipartiteGraph, Graph, InvalidGraphError
from berge.graphs import csr as csr_module
from berge.graphs.graph import BorrowedGraph

from ..conftest import COMPILED


def csr(**changes):
    arguments = {"indptr": [0, 2, 3], "indices": [0, 2, 1], "shape": (2, 3)} | changes
    return BipartiteGraph(**arguments)


@pytest.mark.skipif(not COMPILED, reason="passes over large arrays are compiled ones")
@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, ">i4", ">i8"])
def test_large_arrays_are_checked_too(dtype):
    """Those that threads share: of any type, one wrong entry is found and named."""
    n = 200_000
    indices = np.arange(n) % 1000
    indptr = np.arange(n + 1) if np.dtype(dtype).itemsize > 2 else np.minimum(np.arange(n + 1), 999)
    good = BipartiteGraph(indptr.astype(dtype), indices.astype(dtype), (n, 1000))
    assert good.nnz == good.nonempty_rows == indptr[-1]
    for wrong in (-1, 1000):
        bad = indices.copy()
        bad[500] = wrong
        with pytest.raises(InvalidGraphError, match=rf"indices\[500\] = {wrong} is not in 0 … 999"):
            BipartiteGraph(indptr.astype(dtype), bad.astype(dtype), (n, 1000))
    bad = indptr.copy()
    bad[300] = 250
    with pytest.raises(InvalidGraphError, match="indptr falls from 299 to 250 at row 299"):
        BipartiteGraph(bad.astype(dtype), indices.astype(dtype), (n, 1000))


@pytest.mark.parametrize("n", [1000, 200_000 if COMPILED else 2000])
def test_read_only_arrays_will_do(n):
    """Those of a mapped file, for instance."""
    matrix = sp.csr_array(sp.diags_array([np.ones(n), np.ones(n - 1)], offsets=[0, 1]))
    matrix.indptr.flags.writeable = matrix.indices.flags.writeable = False
    matching = berge.maximum_matching(matrix)
    assert matching.prove(matrix).size == n


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"indptr": [0, 2]}, "indptr has 2 entries; 2 rows need 3"),
        ({"indptr": [1, 2, 3]}, r"indptr\[0\] = 1"),
        ({"indptr": [0, 3, 2]}, "falls from 3 to 2 at row 1"),
        ({"indptr": [0, 2, 9]}, "ends at 9, but there are 3 indices"),
        ({"indptr": [0.0, 2.0, 3.0]}, "indptr must be integers, not float64"),
        ({"indices": [0, 3, 1]}, r"indices\[1\] = 3 is not in 0 … 2"),
        ({"indices": [0, 2, -1]}, r"indices\[2\] = -1 is not in 0 … 2"),
        ({"indices": [[0, 2, 1]]}, "one-dimensional"),
        ({"shape": (-1, 3)}, "number of rows must be a whole number ≥ 0, not -1"),
        ({"shape": (2, float("nan"))}, "number of columns .* not nan"),
        ({"shape": (2, float("inf"))}, "number of columns .* not inf"),
        ({"shape": (2, 2.5)}, "number of columns .* not 2.5"),
        ({"shape": ("2", 3)}, "number of rows must be a whole number"),
        ({"shape": 3}, "shape must be"),
        ({"row_labels": ["a"]}, "1 row_labels for 2 vertices"),
    ],
)
def test_refuses(changes, message):
    with pytest.raises(InvalidGraphError, match=message):
        csr(**changes)


def test_errors_are_value_errors_and_berge_errors():
    with pytest.raises(ValueError, match="shape"):
        csr(shape=None)
    assert issubclass(InvalidGraphError, berge.BergeError)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.uint32, np.uint64])
def test_other_integers_are_narrowed(dtype):
    graph = csr(indptr=np.array([0, 2, 3], dtype), indices=np.array([0, 2, 1], dtype))
    assert graph.indptr.dtype == graph.indices.dtype == np.int32
    assert graph.indices.tolist() == [0, 2, 1]


def test_huge_unsigned_index_is_not_taken_for_negative():
    with pytest.raises(InvalidGraphError, match="too large"):
        csr(indices=np.array([0, 2**64 - 1, 1], np.uint64))


def test_room_at_the_end_of_indices_is_ignored():
    graph = csr(indices=[0, 2, 1, 99, 99])
    assert graph.nnz == graph.indices.size == 3


@pytest.mark.parametrize("name", ["row", "column"])
def test_edges_out_of_range(name):
    edges = [[0, 1], [0, 5]] if name == "column" else [[0, 5], [0, 1]]
    with pytest.raises(InvalidGraphError, match=rf"{name} indices\[1\] = 5 is not in 0 … 2"):
        BipartiteGraph.from_edges(*edges, (3, 3))


def test_edges_of_unequal_number():
    with pytest.raises(InvalidGraphError, match="2 row indices but 1 column"):
        BipartiteGraph.from_edges([0, 1], [0])


@pytest.mark.kernels
@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize(("n_rows", "n_cols", "n_edges"), [(0, 5, 0), (30, 20, 90), (200, 3, 500)])
def test_transpose_is_a_stable_sort(n_rows, n_cols, n_edges, threads, monkeypatch):
    monkeypatch.setattr("berge.tuning.SHARED_TRANSPOSE", 0)
    rng = np.random.default_rng(0)
    rows, cols = rng.integers(0, max(n_rows, 1), n_edges), rng.integers(0, n_cols, n_edges)
    graph = BipartiteGraph.from_edges(rows, cols, (n_rows, n_cols))
    order = np.lexsort((np.arange(n_edges), rows, cols))
    transpose = graph._transposed(threads)
    assert transpose.shape == (n_cols, n_rows)
    assert transpose.indices.tolist() == rows[order].tolist()
    assert np.array_equal(transpose.row_degrees, np.bincount(cols, minlength=n_cols))
    assert graph.T is transpose
    assert transpose.T is graph


@pytest.mark.skipif(not COMPILED, reason="too large for uncompiled kernels")
@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_transpose_on_threads(threads, monkeypatch):
    """Blocks of rows are counted by several threads."""
    graph = berge.generate.rmat(14, 16, duplicates=True)
    monkeypatch.setattr("berge.tuning.SHARED_TRANSPOSE", graph.nnz)
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    counts = np.bincount(graph.indices, minlength=graph.n_cols)
    transpose = graph._transposed(threads)
    assert np.array_equal(transpose.indptr, np.append(0, np.cumsum(counts)))
    assert np.array_equal(transpose.indices, rows[np.argsort(graph.indices, kind="stable")])


@pytest.mark.kernels
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_transpose_of_what_others_may_change(threads, monkeypatch):
    """It is right, or an index is named, or it is said that others changed some."""
    monkeypatch.setattr("berge.tuning.SHARED_TRANSPOSE", 0)
    rng = np.random.default_rng(1)
    graph = BipartiteGraph.from_edges(*rng.integers(0, 40, (2, 300)), (50, 40))
    matrix = graph.to_scipy()
    transpose = BorrowedGraph.of(matrix)._transposed(threads)
    assert np.array_equal(transpose.indptr, graph.T.indptr)
    assert np.array_equal(transpose.indices, graph.T.indices)
    assert not transpose.has_transpose
    right = matrix.indices.copy()
    for wild in (40, -1, 2**31 - 1):
        matrix.indices[7] = wild
        with pytest.raises(InvalidGraphError, match=rf"indices\[7\] = {wild} is not in 0 … 39"):
            BorrowedGraph.of(matrix)._transposed(threads)
    both_passes, changes = csr_module.count_or_place, []

    def change(*arguments):
        both_passes(*arguments)
        if not arguments[-1]:  # all are counted
            matrix.indices[:] = changes[-1]

    if not COMPILED:
        monkeypatch.setattr(csr_module, "count_or_place", change)
        for changed in (-1, 39, 0, np.where(np.arange(300) < 9, 0, right)):
            matrix.indices[:] = right
            changes.append(changed)
            with pytest.raises(InvalidGraphError, match=r"is not in|changed by others"):
                BorrowedGraph.of(matrix)._transposed(threads)


@pytest.mark.kernels
def test_without_duplicates():
    graph = BipartiteGraph.from_edges([0, 0, 1, 0, 1], [2, 1, 0, 2, 0], (3, 3))
    once = graph.without_duplicates()
    assert once.indptr.tolist() == [0, 2, 3, 3]
    assert once.indices.tolist() == [1, 2, 0]
    assert graph.nnz == 5


def test_to_scipy_round_trip():
    graph = berge.generate.erdos_renyi(20, 30, 60)
    again = berge.as_bipartite(graph.to_scipy())
    assert np.array_equal(again.indices, graph.indices)
    assert again.shape == graph.shape


def test_undirected_graph_is_symmetric_without_loops_and_repeats():
    graph = Graph.from_edges([0, 1, 1, 2, 2], [1, 0, 2, 2, 1], 4)
    assert graph.n_vertices == 4
    assert graph.n_edges == 2
    assert graph.indices.tolist() == [1, 0, 2, 1]


def test_as_graph_takes_what_it_says():
    nx = pytest.importorskip("networkx")
    expected = Graph.from_edges([0, 1], [1, 2])
    for source in (
        expected,
        ([0, 1], [1, 2]),
        np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]),
        nx.path_graph(3),
    ):
        graph = berge.as_graph(source)
        assert graph.indices.tolist() == expected.indices.tolist()
    with pytest.raises(InvalidGraphError, match="square"):
        berge.as_graph(np.ones((2, 3)))


def test_what_is_no_order_is_refused():
    """It led to places that nothing had been written to."""
    graph = berge.generate.grid(3, 3)
    right = np.arange(9)
    for rows, cols in (((right * 0), right), (right, np.minimum(right, 7))):
        with pytest.raises(InvalidGraphError, match="-1 is not in 0"):
            graph.reordered(rows, cols)
    assert graph.reordered(right, right).indices.tolist() == graph.indices.tolist()


@pytest.mark.kernels
def test_passes_that_large_graphs_take(monkeypatch):
    """Indices are copied and the largest is found, −1 is filled in, in one pass each."""
    from berge.graphs import passes

    values = np.array([3, 1, 7, 0, 5] * 9, np.int32)
    to = np.empty_like(values)
    assert passes.copied(values, to) == 7
    assert np.array_equal(to, values)
    assert passes.largest(np.array([1, -1], np.int32)) > 7
    monkeypatch.setattr(passes, "SHARED_WRITES", 4)
    assert (passes.unmatched(40, np.int32) == -1).all()
    with pytest.raises(InvalidGraphError, match="do not fit in memory"):
        passes.unmatched(1 << 60, np.int32)
