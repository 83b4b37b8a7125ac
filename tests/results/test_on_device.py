"""Graphs that lie on a device: taken in, validated, transposed and solved there.

There is no GPU here: kernels run on CPU threads, whole solves in numba's simulator, where arrays of
other libraries are stood in for by something with ``__cuda_array_interface__``.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import berge
from berge import BipartiteGraph, InvalidGraphError, InvalidMatchingError, generate
from berge.compile.device import CpuDevice
from berge.ingest.dlpack import from_dlpack, is_on_cuda
from berge.methods.starts.cheap import cheap
from berge.results import on_device as cuda
from berge.results.on_device import DeviceGraph, as_device_graph, lies_on_device
from berge.results.run import Run

from ..conftest import in_simulator, simulator
from ..corpus import SMALL

kernels = pytest.mark.kernels
indices = pytest.mark.parametrize("index", [np.int32, np.int64])


def same_edges(graph: BipartiteGraph, other: BipartiteGraph) -> bool:
    """Whether two graphs have the same edges, in whatever order."""
    tidy = [g.without_duplicates() for g in (graph, other)]
    return graph.nnz == other.nnz and (
        np.array_equal(tidy[0].indptr, tidy[1].indptr)
        and np.array_equal(tidy[0].indices, tidy[1].indices)
    )


@kernels
@indices
def test_taken_in_and_transposed(index):
    device = CpuDevice(2, serial=0)
    for name, (make, _) in SMALL.items():
        graph = make()
        arrays = graph.indptr.astype(index), graph.indices.astype(index)
        there = DeviceGraph(*arrays, graph.shape, device=device)
        assert there.nnz == graph.nnz, name
        assert there.nonempty_rows == graph.nonempty_rows, name
        assert there.nonempty_cols == graph.nonempty_cols, name
        assert same_edges(there.T.to_host(), graph.T), name
        assert there.T.T is there
        assert np.array_equal(there.row_degrees, graph.row_degrees)
        rows = np.repeat(np.arange(graph.n_rows, dtype=index), graph.row_degrees)
        for shape in (graph.shape, None):
            built = DeviceGraph.from_edges(rows, arrays[1], shape, device=device)
            largest = [int(a.max(initial=-1)) + 1 for a in (rows, graph.indices)]
            assert built.shape == (shape or tuple(largest)), name
            if shape:
                assert same_edges(built.to_host(), graph), name
    assert repr(there) == f"DeviceGraph({graph.n_rows} × {graph.n_cols}, {graph.nnz} edges)"


@kernels
@pytest.mark.parametrize(
    ("indptr", "indices", "message"),
    [
        ([0, 2, 1, 3], [0, 1, 2], "indptr is wrong at row 2: it must rise from 0 to 3"),
        ([1, 2, 2, 3], [0, 1, 2], "indptr is wrong at row 0"),
        ([0, 2, 2, 2], [0, 1, 2], "indptr is wrong at row 3"),
        ([0, 9, 2, 3], [0, 1, 2], "indptr is wrong at row [12]"),
        ([0, 2, 3], [0, 1, 2], "n_rows \\+ 1 = 4 entries, not 3"),
        ([0, 1, 2, 3], [0, 7, 2], "column index 7 is outside 0 … 4"),
        ([0, 1, 2, 3], [0, -2, 2], "column index -2 is outside 0 … 4"),
        ([0, 1, 2, 3], [0.5, 1, 2], "indices must be a one-dimensional array of int32 or int64"),
        ([0, 1, 2, 3], [[0, 1, 2]], "not 2-dimensional of int64"),
    ],
)
def test_refused(indptr, indices, message):
    with pytest.raises(InvalidGraphError, match=message):
        DeviceGraph(np.array(indptr), np.array(indices), (3, 5), device=CpuDevice(1))


@kernels
def test_edges_refused():
    device, ones = CpuDevice(1), np.ones(3, np.int32)
    with pytest.raises(InvalidGraphError, match="3 row indices but 2 column indices"):
        DeviceGraph.from_edges(ones, ones[:2], None, device=device)
    with pytest.raises(InvalidGraphError, match="row index 1 is outside 0 … 0"):
        DeviceGraph.from_edges(ones, ones, (1, 2), device=device)
    strided = SimpleNamespace(upload=lambda array: array)
    with pytest.raises(InvalidGraphError, match="row indices must be contiguous"):
        DeviceGraph.from_edges(np.ones(6, np.int32)[::2], ones, None, device=strided)


def start(there: DeviceGraph) -> Run:
    """The cheap start of a graph on a device that is CPU threads."""
    arrays = there.first(None)
    run = Run(there, *arrays, threads=2, seed=0, stats=berge.SolveStats())
    cheap(run)
    return run


@kernels
def test_cheap_start_where_the_graph_lies():
    for name, (make, _) in SMALL.items():
        graph = make()
        run = start(DeviceGraph(graph.indptr, graph.indices, graph.shape, device=CpuDevice(2)))
        matching = berge.Matching(run.row_match, run.col_match, upper_bound=min(graph.shape))
        berge.verify(graph, matching)
        assert matching.cardinality == run.cardinality
        assert run.unmatched_rows().size == np.count_nonzero(
            (run.row_match < 0) & (graph.row_degrees > 0)
        )
        rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
        both_free = (run.row_match[rows] < 0) & (run.col_match[graph.indices] < 0)
        assert not both_free.any(), name


def launch_all(graph: BipartiteGraph) -> None:
    """Launch every kernel that takes a graph in."""
    there = DeviceGraph(graph.indptr, graph.indices, graph.shape, device=CpuDevice(2))
    rows = np.repeat(np.arange(graph.n_rows, dtype=graph.indices.dtype), graph.row_degrees)
    DeviceGraph.from_edges(rows, graph.indices, graph.shape, device=there.device)
    run = start(there)
    there.first(there.result(run.row_match, run.col_match, 0, run.stats))
    assert there.nonempty_rows == graph.nonempty_rows
    assert there.T.nnz == graph.nnz


@kernels
def test_begins_with_a_matching_only_if_it_is_one():
    graph = generate.erdos_renyi(30, 25, 90, seed=1)
    there = DeviceGraph(graph.indptr, graph.indices, graph.shape, device=CpuDevice(2, serial=0))
    best = berge.maximum_matching(graph)
    row_match, col_match, cardinality = there.first(best)
    assert np.array_equal(row_match, best.row_match)
    assert np.array_equal(col_match, best.col_match)
    assert cardinality == best.cardinality
    assert there.first(None)[2] == 0
    with pytest.raises(InvalidMatchingError, match="must be a Matching, not int"):
        there.first(5)
    with pytest.raises(InvalidMatchingError, match="for 2 × 2 vertices, the graph has 30 × 25"):
        there.first(berge.maximum_matching(generate.chain(2)))
    row = int(np.flatnonzero(best.row_match >= 0)[0])
    for change in (0, 1):
        arrays = best.row_match.copy(), best.col_match.copy()
        if change:  # the column says otherwise
            arrays[1][arrays[0][row]] = -1
        else:  # not an edge
            arrays[0][row] = np.setdiff1d(
                np.arange(25), graph.indices[graph.indptr[row] : graph.indptr[row + 1]]
            )[0]
        wrong = berge.Matching(*arrays, upper_bound=30)
        with pytest.raises(InvalidMatchingError, match="not a matching of the graph: see row"):
            there.first(wrong)


class OnDevice:
    """An array of another library on a device; in the simulator that is the host's memory."""

    def __init__(self, array):
        self.array = np.ascontiguousarray(array)
        self.__cuda_array_interface__ = dict(self.array.__array_interface__)


class ByDLPack:
    """An array of a library that speaks DLPack only."""

    def __init__(self, array):
        self.array = np.array(array)

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, stream):
        assert stream == 1
        return self.array.__dlpack__()


def sparse(layout, first, second, shape):
    names = {"csr": ("indptr", "indices"), "csc": ("indptr", "indices"), "coo": ("row", "col")}
    return SimpleNamespace(
        format=layout, shape=shape, **dict(zip(names[layout], (first, second), strict=True))
    )


def forms_of(graph: BipartiteGraph, wrap):
    """The same graph in all forms that may lie on a device."""
    rows = np.repeat(np.arange(graph.n_rows, dtype=np.int32), graph.row_degrees)
    cols = graph.indices
    yield sparse("csr", wrap(graph.indptr), wrap(graph.indices), graph.shape)
    yield sparse("csc", wrap(graph.T.indptr), wrap(graph.T.indices), graph.shape)
    yield sparse("coo", wrap(rows), wrap(cols), graph.shape)
    yield wrap(rows), wrap(cols), graph.shape
    yield wrap(rows.astype(np.int64)), wrap(cols.astype(np.int64)), graph.shape


@kernels
@pytest.mark.parametrize("wrap", [OnDevice, ByDLPack])
def test_recognised(wrap):
    graph = generate.chain(4)
    assert all(map(lies_on_device, forms_of(graph, wrap)))
    host = forms_of(graph, np.asarray)
    assert not any(map(lies_on_device, host))
    for other in (graph, graph.to_scipy(), "a.mtx", ([0], [0]), np.eye(2), None):
        assert not lies_on_device(other)
    there = DeviceGraph(graph.indptr, graph.indices, graph.shape, device=CpuDevice(1))
    assert lies_on_device(there)
    assert as_device_graph(there) is there


@kernels
def test_dlpack():
    """What a capsule holds, read from numpy's own: the same structure, but for the device."""
    for dtype in (np.int32, np.int64, np.uint32, np.float64):
        source = np.arange(10, dtype=dtype)
        for array in (source, source[3:7], source[::2]):
            assert not is_on_cuda(array)
            described = from_dlpack(array, stream=None)
            interface = described.__cuda_array_interface__
            again = np.asarray(SimpleNamespace(__array_interface__=interface))
            assert again.dtype == dtype
            assert np.array_equal(again, array)
            assert np.shares_memory(again, source)


def of_library(library: str, **attributes):
    """A value whose class comes from a library that is not there."""
    return type("Value", (), {"__module__": library, **attributes})()


@kernels
def test_tensors_and_matrices_of_other_libraries():
    first, second = OnDevice([0, 1, 2]), OnDevice([1, 0])
    pair = {"is_cuda": True, "shape": (2, 2)}
    ways = {
        "csr": of_library(
            "torch", **pair, layout="torch.sparse_csr",
            crow_indices=lambda self: first, col_indices=lambda self: second,
        ),
        "csc": of_library(
            "torch", **pair, layout="torch.sparse_csc",
            ccol_indices=lambda self: first, row_indices=lambda self: second,
        ),
        "strided": of_library(
            "torch", **pair, layout="torch.strided",
            nonzero=lambda self, as_tuple: (first, second) if as_tuple else None,
        ),
        "coo": of_library(
            "torch", **pair, layout="torch.sparse_coo", to_sparse_coo=lambda self: self,
            coalesce=lambda self: self, indices=lambda self: [first, second],
        ),
        "dense": of_library("cupy", shape=(2, 2), nonzero=lambda self: (first, second)),
        "dia": of_library(
            "cupyx.scipy.sparse", shape=(2, 2), format="dia",
            tocsr=lambda self: sparse("csr", first, second, (2, 2)),
        ),
    }  # fmt: skip
    for name, value in ways.items():
        layout, arrays, shape = cuda._parts(value)
        assert layout == {"csr": "csr", "csc": "csc", "dia": "csr"}.get(name, "coo")
        assert tuple(arrays) == (first, second)
        assert shape == (2, 2)
        assert lies_on_device(value)
    for value in (
        of_library("torch", layout="torch.sparse_csr", is_cuda=False, shape=(2, 2)),
        of_library("torch", layout="torch.strided", is_cuda=True, shape=(2, 2, 2)),
        of_library("cupy", shape=(2,)),
    ):
        assert not lies_on_device(value)


@kernels
def test_torch_and_cupy_get_their_own_arrays_back(monkeypatch):
    made = []
    stand_in = SimpleNamespace(
        asarray=lambda array: made.append(("cupy", array)),
        as_tensor=lambda array, device: made.append((device, array)),
    )
    monkeypatch.setitem(sys.modules, "cupy", stand_in)
    monkeypatch.setitem(sys.modules, "torch", stand_in)
    for library in ("cupy", "torch", "numba"):
        result = cuda._in_library(7, library)
        assert result == (7 if library == "numba" else None)
    assert made == [("cupy", 7), ("cuda", 7)]


def solve_all_forms() -> None:
    """What a user with a GPU does; run in the simulator."""
    graph = generate.erdos_renyi(14, 12, 30, seed=3)
    expected = berge.maximum_matching(graph).cardinality
    assert expected < 12
    csr, *others = forms_of(graph, OnDevice)
    for form in (csr, *others, next(forms_of(graph, ByDLPack))):
        matching = berge.maximum_matching(form, device="cuda")
        check(matching, graph, expected)
        assert matching.stats.init == "cheap"
        assert matching.stats.algorithm == "g-pr-shr"
    for algorithm, side in (
        ("g-pr-first", "cols"), ("apfb-gpubfs-wr-ct", "rows"), ("apfb-split", "cols"),
    ):  # fmt: skip
        none = berge.maximum_matching(
            csr, algorithm=algorithm, init="none", device="cuda", side=side
        )
        check(none, graph, expected)
        assert none.stats.start_cardinality == 0
    again = berge.maximum_matching(csr, device="cuda", initial=none)
    check(again, graph, expected)
    assert again.stats.start_cardinality == expected
    assert again.to_host() is again.to_host()
    stopped = berge.maximum_matching(csr, device="cuda", time_limit=0)
    assert stopped.stats.stopped == "time limit"
    most = min(graph.nonempty_rows, graph.nonempty_cols)
    assert (stopped.cardinality, stopped.upper_bound) == (0, most)
    on_host = berge.maximum_matching(graph, initial=again)
    assert on_host.stats.start_cardinality == expected
    # Without a word about the device, or for a proof, a graph is copied to the host.
    for form in others[2:]:
        on_host = berge.maximum_matching(form)
        assert isinstance(on_host.row_match, np.ndarray)
        assert on_host.prove(as_device_graph(form)).size == expected
    refused = None
    try:
        berge.maximum_matching(csr, device="cuda", init="karp-sipser")
    except berge.OptionError as error:
        refused = str(error)
    assert refused is not None
    assert "begin with one of none, cheap" in refused
    print("solved")


def check(matching, graph, expected) -> None:
    for array in (matching.row_match, matching.col_match):
        assert not isinstance(array, np.ndarray)
    assert (matching.n_rows, matching.n_cols) == graph.shape
    assert matching.is_maximum
    assert matching.cardinality == expected
    assert matching.prove(graph).size == expected
    assert matching.pairs().shape == (expected, 2)
    assert len(matching.as_dict()) == expected
    assert matching.unmatched_rows.size == graph.n_rows - expected
    assert matching.unmatched_cols.size == graph.n_cols - expected
    berge.verify(graph, matching)


@kernels
@simulator
def test_solved_where_it_lies():
    pytest.importorskip("numba.cuda", reason="numba-cuda is not installed")
    said = in_simulator(
        "from tests.results.test_on_device import solve_all_forms; solve_all_forms()"
    )
    assert said.split() == ["solved"]
