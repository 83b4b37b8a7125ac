"""Graphs that lie on a CUDA device, and matchings that stay there.

With ``device="cuda"`` a graph whose index arrays are on the device is solved where it is. What
comes to the host are flags and counters, at most 4 KB at a time. Arrays are recognised by
``__cuda_array_interface__`` or DLPack, so they may be of CuPy, numba, torch, JAX and others. A
graph may be a ``cupyx.scipy.sparse`` matrix or a torch tensor in CSR, CSC or COO, a dense one, or
``(row_indices, col_indices[, shape])``. Index arrays are copied there. The result is a
`DeviceMatching`, with arrays of CuPy or torch if the graph was of these, else numba's.

None of this imports CUDA before a graph is known to lie there. It has been run in numba's simulator
and, kernel by kernel, on CPU threads, and compiled for GPUs; it has not been run on one.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compile import fetch_add
from ..compile.device import Device, per_item
from ..compile.devices import open_device
from ..compile.scan import count, prefix_sum
from ..errors import InvalidGraphError, InvalidMatchingError
from ..graphs.graph import BipartiteGraph, TwoSided, _check_shape
from ..graphs.owned import fixed
from .matching import UNMATCHED, Matching, SolveStats

if TYPE_CHECKING:
    from .proof import Certificate

__all__ = ["DeviceGraph", "DeviceMatching", "as_device_graph", "lies_on_device"]

BLOCKS = 256  # shares of an array, each looked through by one thread


class DeviceGraph(TwoSided):
    """A bipartite graph in compressed rows on a device, validated there.

    What solvers use of a `BipartiteGraph`, with arrays of the device.
    """

    row_labels = col_labels = None
    on_disk = False

    def __init__(
        self,
        indptr: Any,
        indices: Any,
        shape: tuple[int, int],
        *,
        device: Device | None = None,
        library: str = "",
    ):
        self.device = open_device("cuda") if device is None else device
        self.shape = _check_shape(shape)
        self.library = library
        self.indptr = _index_array("indptr", indptr, self.device)
        self.indices = _index_array("indices", indices, self.device)
        if self.indptr.size != self.n_rows + 1:
            raise InvalidGraphError(
                f"indptr must have n_rows + 1 = {self.n_rows + 1} entries, not {self.indptr.size}"
            )
        wrong = self.device.full(1, -1, np.int64)
        self.device.launch(check_indptr, self.indptr.size, self.indptr, np.int64(self.nnz), wrong)
        row = self.device.read(wrong)
        if row >= 0:
            raise InvalidGraphError(
                f"indptr is wrong at row {row}: it must rise from 0 to {self.nnz}, the number of "
                "indices"
            )
        _check_range("column", self.indices, self.n_cols, self.device)

    @classmethod
    def from_edges(
        cls,
        rows: Any,
        cols: Any,
        shape: tuple[int, int] | None,
        *,
        device: Device | None = None,
        library: str = "",
    ) -> DeviceGraph:
        """Build a graph on the device from edge k = (``rows[k]``, ``cols[k]``)."""
        device = open_device("cuda") if device is None else device
        rows = _index_array("row indices", rows, device)
        cols = _index_array("column indices", cols, device)
        if rows.size != cols.size:
            raise InvalidGraphError(f"{rows.size} row indices but {cols.size} column indices")
        if shape is None:
            shape = _extent(rows, device)[1] + 1, _extent(cols, device)[1] + 1
        n_rows, _ = _check_shape(shape)
        _check_range("row", rows, n_rows, device)
        indptr, cursor = _offsets(rows, n_rows, device)
        indices = device.empty(cols.size, cols.dtype)
        device.launch(place_edge, rows.size, rows, cols, cursor, indices)
        return cls(indptr, indices, shape, device=device, library=library)

    @property
    def nnz(self) -> int:
        """Number of edges, duplicates counted."""
        return int(self.indices.size)

    @fixed
    def row_degrees(self) -> Any:
        """Number of entries of each row, on the host."""
        return np.diff(self.device.download(self.indptr))

    @fixed
    def nonempty_rows(self) -> int:
        """Number of rows that have an edge."""
        degrees = self.device.empty(self.n_rows, self.indptr.dtype)
        self.device.launch(degree_less_one, self.n_rows, self.indptr, degrees)
        return count(self.device, degrees)

    @property
    def nonempty_cols(self) -> int:
        """Number of columns that have an edge."""
        return self.T.nonempty_rows

    @property
    def T(self) -> DeviceGraph:  # noqa: N802 (the name it has everywhere)
        """The transpose, built on the device."""
        return self._transposed(None)

    def _transposed(self, threads: int | None) -> DeviceGraph:
        """Build the transpose, and keep it as `T`."""
        del threads  # the device's own
        kept: DeviceGraph | None = self._kept()
        if kept is not None:
            return kept
        device = self.device
        indptr, cursor = _offsets(self.indices, self.n_cols, device)
        indices = device.empty(self.nnz, self.indices.dtype)
        device.launch(place_row, self.n_rows, self.indptr, self.indices, cursor, indices)
        transpose = DeviceGraph.__new__(DeviceGraph)
        transpose.device, transpose.library = device, self.library
        transpose.shape = self.shape[::-1]
        transpose.indptr, transpose.indices = indptr, indices
        self._keep(transpose)
        return transpose

    def to_host(self) -> BipartiteGraph:
        """Copy the graph to the host."""
        download = self.device.download
        return BipartiteGraph._adopted(download(self.indptr), download(self.indices), self.shape)

    def first(self, initial: Matching | None) -> tuple[Any, Any, int]:
        """Return the arrays of a matching to begin with, and its cardinality."""
        device, index = self.device, self.indices.dtype
        if initial is None:
            return (*(device.full(n, UNMATCHED, index) for n in self.shape), 0)
        if not isinstance(initial, Matching):
            raise InvalidMatchingError(f"initial must be a Matching, not {type(initial).__name__}")
        if (initial.n_rows, initial.n_cols) != self.shape:
            raise InvalidMatchingError(
                f"initial is for {initial.n_rows} × {initial.n_cols} vertices, "
                f"the graph has {self.n_rows} × {self.n_cols}"
            )
        row_match = device.empty(self.n_rows, index)
        col_match = device.full(self.n_cols, UNMATCHED, index)
        wrong = device.full(1, -1, np.int64)
        given = map(device.upload, (initial.row_match, initial.col_match))
        device.launch(
            take_pair, self.n_rows, *given, self.indptr, self.indices, row_match, col_match, wrong
        )
        row = device.read(wrong)
        if row >= 0:
            raise InvalidMatchingError(f"initial is not a matching of the graph: see row {row}")
        return row_match, col_match, initial.cardinality

    def result(
        self, row_match: Any, col_match: Any, upper_bound: int, stats: SolveStats
    ) -> DeviceMatching:
        """Return a matching, in arrays of the library that the graph came in."""
        cardinality = count(self.device, row_match)
        return DeviceMatching(
            _in_library(row_match, self.library),
            _in_library(col_match, self.library),
            cardinality=cardinality,
            upper_bound=max(upper_bound, cardinality),
            stats=stats,
            device=self.device,
        )

    def __repr__(self) -> str:
        return f"DeviceGraph({self.n_rows:,} × {self.n_cols:,}, {self.nnz:,} edges)"


class DeviceMatching(Matching):
    """A matching whose ``row_match`` and ``col_match`` lie on a device.

    `to_host` gives the same matching with numpy arrays. Everything that needs those (pairs, proofs,
    files) asks for it, the first time by a copy.
    """

    def __init__(
        self,
        row_match: Any,
        col_match: Any,
        *,
        cardinality: int,
        upper_bound: int,
        stats: SolveStats | None,
        device: Device,
    ):
        self.row_match, self.col_match = row_match, col_match
        self.cardinality, self.upper_bound = cardinality, upper_bound
        self.stats = stats
        self.certificate: Certificate | None = None
        self.row_labels = self.col_labels = None
        self._device = device

    def to_host(self) -> Matching:
        """Return the same matching with numpy arrays."""
        return self._on_host

    @cached_property
    def _on_host(self) -> Matching:
        arrays = map(self._device.upload, (self.row_match, self.col_match))
        copies = map(self._device.download, arrays)
        return Matching(*copies, upper_bound=self.upper_bound, stats=self.stats)


def lies_on_device(source: Any) -> bool:
    """Whether the index arrays of a graph lie on a CUDA device."""
    if isinstance(source, DeviceGraph):
        return True
    arrays = _parts(source)[1]
    return len(arrays) > 0 and all(map(_is_on_device, arrays))


def as_device_graph(source: Any) -> DeviceGraph:
    """Make a graph of one whose index arrays lie on a CUDA device, without a trip to the host."""
    if isinstance(source, DeviceGraph):
        return source
    layout, (first, second), shape = _parts(source)
    library, device = _library_of(first), open_device("cuda", number=_number_of(first))
    if layout == "coo":
        return DeviceGraph.from_edges(first, second, shape, device=device, library=library)
    if layout == "csc":
        return DeviceGraph(first, second, shape[::-1], device=device, library=library).turned()
    return DeviceGraph(first, second, shape, device=device, library=library)


def _number_of(array: Any) -> int | None:
    """Return which device an array lies on, where it says so."""
    where = getattr(array, "__dlpack_device__", None)
    return None if where is None else int(where()[1])


def _library_of(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def _parts(source: Any) -> tuple[str, tuple[Any, ...], Any]:
    """Return the layout, the two index arrays and the shape of a graph, or no arrays."""
    if isinstance(source, tuple) and len(source) in (2, 3):
        return "coo", source[:2], source[2] if source[2:] else None
    shape: Any = getattr(source, "shape", None)
    if len(shape or ()) != 2:
        return "", (), None
    if _library_of(source) == "torch":
        from ..ingest.tensors import index_arrays

        return (*index_arrays(source), tuple(shape)) if source.is_cuda else ("", (), None)
    layout = getattr(source, "format", "csr")
    if layout in ("csr", "csc") and hasattr(source, "indptr"):
        return layout, (source.indptr, source.indices), shape
    if layout == "coo":
        return layout, (source.row, source.col), shape
    if _library_of(source) == "cupy":
        return "coo", source.nonzero(), shape
    if _library_of(source) == "cupyx":
        return _parts(source.tocsr())
    return "", (), None


def _is_on_device(array: Any) -> bool:
    from ..ingest.dlpack import is_on_cuda

    marks = ("__cuda_array_interface__", "__cuda_ndarray__")  # the latter in numba's simulator
    return any(hasattr(array, mark) for mark in marks) or is_on_cuda(array)


def _index_array(name: str, array: Any, device: Device) -> Any:
    """Return a copy on the device: what was given others may change after it was looked at."""
    from ..ingest.dlpack import from_dlpack, is_on_cuda

    if is_on_cuda(array) and not hasattr(array, "__cuda_array_interface__"):
        array = from_dlpack(array)
    array = device.upload(array)
    if array.ndim != 1 or array.dtype not in (np.int32, np.int64):
        raise InvalidGraphError(
            f"{name} must be a one-dimensional array of int32 or int64, "
            f"not {array.ndim}-dimensional of {array.dtype}"
        )
    if array.size > 1 and array.strides[0] != array.dtype.itemsize:
        raise InvalidGraphError(f"{name} must be contiguous: take a copy")
    own = device.empty(array.size, array.dtype)
    device.launch(copy, array.size, array, own)
    return own


def _in_library(array: Any, library: str) -> Any:
    """Return an array of the device as one of CuPy or torch, without a copy."""
    if library in ("cupy", "cupyx"):
        return sys.modules["cupy"].asarray(array)
    if library == "torch":
        return sys.modules["torch"].as_tensor(array, device="cuda")
    return array


def _offsets(keys: Any, n: int, device: Device) -> tuple[Any, Any]:
    """Return where the edges of each of n vertices begin, twice: to keep, and to count up."""
    index = np.int32 if keys.size < 2**31 else np.int64
    indptr, cursor = device.full(n + 1, 0, index), device.empty(n + 1, index)
    device.launch(count_key, keys.size, keys, indptr)
    prefix_sum(device, indptr)
    device.launch(copy, n + 1, indptr, cursor)
    return indptr, cursor


def _extent(array: Any, device: Device) -> tuple[int, int]:
    """Return the least and the largest entry; (0, −1) if there is none."""
    if array.size == 0:
        return 0, -1
    width = -(-array.size // BLOCKS)
    blocks = -(-array.size // width)
    ends = device.empty(2 * blocks, np.int64)
    device.launch(extent_of_block, blocks, array, np.int64(width), ends)
    ends = device.download(ends)
    return int(ends[::2].min()), int(ends[1::2].max())


def _check_range(name: str, array: Any, size: int, device: Device) -> None:
    least, largest = _extent(array, device)
    if least < 0 or largest >= size:
        wrong = least if least < 0 else largest
        raise InvalidGraphError(f"{name} index {wrong} is outside 0 … {size - 1}")


@per_item
def check_indptr(i: int, indptr: Any, nnz: int, wrong: Any) -> None:
    """Note a row whose edges do not begin where they can."""
    here = np.int64(indptr[i])
    before = np.int64(indptr[i - 1]) if i > 0 else np.int64(0)
    last = i == indptr.size - 1
    if here < before or here > nnz or (i == 0 and here != 0) or (last and here != nnz):
        wrong[0] = i


@per_item
def extent_of_block(b: int, array: Any, width: int, ends: Any) -> None:
    """Find the least and the largest entry of block b."""
    least = largest = np.int64(array[b * width])
    for k in range(b * width, min((b + 1) * width, array.size)):
        least = min(least, np.int64(array[k]))
        largest = max(largest, np.int64(array[k]))
    ends[2 * b] = least
    ends[2 * b + 1] = largest


@per_item
def degree_less_one(x: int, indptr: Any, degrees: Any) -> None:
    """Say how many edges a row has besides one."""
    degrees[x] = indptr[x + 1] - indptr[x] - 1


@per_item
def count_key(k: int, keys: Any, counts: Any) -> None:
    """Count an edge of vertex ``keys[k]``."""
    fetch_add(counts, keys[k], 1)


@per_item
def copy(i: int, source: Any, to: Any) -> None:
    """Copy an entry."""
    to[i] = source[i]


@per_item
def place_edge(k: int, rows: Any, cols: Any, cursor: Any, indices: Any) -> None:
    """Put an edge among those of its row; in which order is open."""
    indices[fetch_add(cursor, rows[k], 1)] = cols[k]


@per_item
def place_row(x: int, indptr: Any, indices: Any, cursor: Any, t_indices: Any) -> None:
    """Put the edges of a row among those of its columns; in which order is open."""
    for k in range(indptr[x], indptr[x + 1]):
        t_indices[fetch_add(cursor, indices[k], 1)] = x


@per_item
def take_pair(
    x: int,
    from_rows: Any,
    from_cols: Any,
    indptr: Any,
    indices: Any,
    row_match: Any,
    col_match: Any,
    wrong: Any,
) -> None:
    """Take over the column of a row, if it is one of its neighbours and names the row."""
    y = np.int64(from_rows[x])
    row_match[x] = y
    if y >= 0:
        known = False
        for k in range(indptr[x], indptr[x + 1]):
            known = known or indices[k] == y
        if known and from_cols[y] == x:
            col_match[y] = x
        else:
            wrong[0] = x
