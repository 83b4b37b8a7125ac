"""Graphs as berge holds them: compressed rows, validated once.

`BipartiteGraph` is what the exact algorithms take, `Graph` what greedy matching of general graphs
takes. Both are plain CSR without values: ``indices[indptr[i]:indptr[i + 1]]`` are the neighbours
of i. Making one from something else is `berge.as_bipartite` and `berge.as_graph`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import InvalidGraphError

__all__ = ["BipartiteGraph", "Graph", "IndexArray"]

IndexArray = npt.NDArray[np.signedinteger[Any]]

_INT32_MAX = np.iinfo(np.int32).max


class BipartiteGraph:
    """A bipartite graph: rows X, columns Y, and an edge for every stored entry.

    Arrays of the right type are used without a copy; int64 arrays are narrowed to int32 where
    the sizes allow it, which halves the memory traffic of everything after. Duplicate entries and
    unsorted indices are all right.

    Parameters
    ----------
    indptr, indices
        Compressed rows, as in ``scipy.sparse.csr_array``.
    shape
        Number of rows and columns.
    row_labels, col_labels
        Names of the rows and columns, where the source had any.

    Raises
    ------
    InvalidGraphError
        Names the first place that is wrong.

    Examples
    --------
    >>> import berge
    >>> g = berge.BipartiteGraph([0, 2, 3], [0, 1, 1], shape=(2, 2))
    >>> g
    BipartiteGraph(2 × 2, 3 edges)
    >>> g.T.indices
    array([0, 0, 1], dtype=int32)

    Notes
    -----
    Validation is O(rows + edges). Memory: 4 bytes an edge and 4 a row (8 where counts pass 2³¹),
    and as much again for the transpose once something asks for it.
    """

    def __init__(
        self,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        shape: tuple[int, int],
        *,
        row_labels: Sequence[Any] | None = None,
        col_labels: Sequence[Any] | None = None,
    ):
        self.shape = _check_shape(shape)
        self.indptr, self.indices = _check_csr(indptr, indices, *self.shape)
        self.row_labels = _check_labels("row_labels", row_labels, self.shape[0])
        self.col_labels = _check_labels("col_labels", col_labels, self.shape[1])

    @classmethod
    def from_edges(
        cls,
        rows: npt.ArrayLike,
        cols: npt.ArrayLike,
        shape: tuple[int, int] | None = None,
        *,
        row_labels: Sequence[Any] | None = None,
        col_labels: Sequence[Any] | None = None,
    ) -> BipartiteGraph:
        """Build a graph from edge k = (``rows[k]``, ``cols[k]``); the shape may be left out.

        Examples
        --------
        >>> import berge
        >>> berge.BipartiteGraph.from_edges([0, 1, 1], [0, 0, 2])
        BipartiteGraph(2 × 3, 3 edges)
        """
        from .spmd.sort import edges_to_csr

        rows, cols = _integers("row indices", rows), _integers("column indices", cols)
        if rows.size != cols.size:
            raise InvalidGraphError(f"{rows.size} row indices but {cols.size} column indices")
        if shape is None:
            shape = (int(rows.max(initial=-1)) + 1, int(cols.max(initial=-1)) + 1)
        n_rows, n_cols = _check_shape(shape)
        _check_range("row indices", rows, n_rows)
        _check_range("column indices", cols, n_cols)
        indptr = np.zeros(n_rows + 1, _index_type(rows.size))
        indices = np.empty(rows.size, _index_type(n_rows, n_cols))
        edges_to_csr(rows, cols, indptr, indices)
        graph = cls._trusted(indptr, indices, (n_rows, n_cols))
        graph.row_labels = _check_labels("row_labels", row_labels, n_rows)
        graph.col_labels = _check_labels("col_labels", col_labels, n_cols)
        return graph

    @classmethod
    def _trusted(
        cls, indptr: IndexArray, indices: IndexArray, shape: tuple[int, int]
    ) -> BipartiteGraph:
        """Wrap arrays that are known to be right."""
        graph = cls.__new__(cls)
        graph.indptr, graph.indices, graph.shape = indptr, indices, shape
        graph.row_labels = graph.col_labels = None
        return graph

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.shape[0]

    @property
    def n_cols(self) -> int:
        """Number of columns."""
        return self.shape[1]

    @property
    def nnz(self) -> int:
        """Number of edges, duplicates counted."""
        return int(self.indptr[-1])

    @cached_property
    def row_degrees(self) -> IndexArray:
        """Number of entries of each row."""
        return np.diff(self.indptr)

    @cached_property
    def col_degrees(self) -> IndexArray:
        """Number of entries of each column, without building the transpose."""
        if "T" in self.__dict__:
            return self.T.row_degrees
        return np.bincount(self.indices, minlength=self.n_cols).astype(self.indptr.dtype)

    @cached_property
    def T(self) -> BipartiteGraph:  # noqa: N802 (the name it has everywhere)
        """The transpose: columns become rows. Built on first use by all threads, then kept."""
        return self.transposed(None)

    def transposed(self, threads: int | None) -> BipartiteGraph:
        """Build the transpose on so many threads, and keep it as `T`."""
        if "T" in self.__dict__:
            return self.T
        from .spmd import thread_count, threads_of
        from .spmd.sort import transpose_csr

        threads = threads_of(threads)
        # Below this the launch costs more than a second thread saves; with few rows an edge's
        # worth of counters per thread costs more than it saves too.
        blocks = 1 if self.nnz < 50_000 or threads * self.n_cols > 2 * self.nnz else threads
        counts = np.zeros((blocks, self.n_cols), self.indptr.dtype)
        bounds = np.searchsorted(self.indptr, np.linspace(0, self.nnz, blocks + 1)).astype(np.intp)
        bounds[0], bounds[-1] = 0, self.n_rows
        indptr = np.empty(self.n_cols + 1, self.indptr.dtype)
        indices = np.empty(self.nnz, self.indices.dtype)
        with thread_count(threads):
            transpose_csr(
                unsigned(self.indptr), unsigned(self.indices), bounds, counts, indptr, indices
            )
        transpose = BipartiteGraph._trusted(indptr, indices, (self.n_cols, self.n_rows))
        transpose.row_labels, transpose.col_labels = self.col_labels, self.row_labels
        transpose.__dict__["T"] = self
        self.__dict__["T"] = transpose
        return transpose

    def without_duplicates(self) -> BipartiteGraph:
        """Return the same graph with sorted indices and each edge once."""
        from .spmd.sort import drop_duplicates

        # The transpose of the transpose has sorted indices.
        twice = BipartiteGraph._trusted(self.T.indptr, self.T.indices, self.T.shape).T
        indptr = np.empty_like(twice.indptr)
        size = drop_duplicates(unsigned(twice.indptr), twice.indices, indptr)
        graph = BipartiteGraph._trusted(indptr, twice.indices[:size].copy(), self.shape)
        graph.row_labels, graph.col_labels = self.row_labels, self.col_labels
        return graph

    def to_scipy(self) -> Any:
        """Return a ``scipy.sparse.csr_array`` of ones that shares the index arrays."""
        from scipy.sparse import csr_array

        ones = np.ones(self.nnz, np.int8)
        return csr_array((ones, self.indices, self.indptr), shape=self.shape)

    def __repr__(self) -> str:
        return f"BipartiteGraph({self.n_rows:,} × {self.n_cols:,}, {self.nnz:,} edges)"


class Graph:
    """An undirected graph: every edge stored at both ends, no self-loops, no parallel edges.

    Examples
    --------
    >>> import berge
    >>> berge.Graph.from_edges([0, 1, 1], [1, 2, 2])
    Graph(3 vertices, 2 edges)
    """

    def __init__(self, indptr: IndexArray, indices: IndexArray):
        self.indptr, self.indices = indptr, indices

    @classmethod
    def from_edges(
        cls, ends: npt.ArrayLike, others: npt.ArrayLike, n_vertices: int | None = None
    ) -> Graph:
        """Build a graph from pairs of ends; self-loops and repeats are dropped."""
        ends, others = _integers("vertex indices", ends), _integers("vertex indices", others)
        if n_vertices is None:
            n_vertices = int(max(ends.max(initial=-1), others.max(initial=-1))) + 1
        once = BipartiteGraph.from_edges(ends, others, (n_vertices, n_vertices))
        return cls.from_bipartite(once)

    @classmethod
    def from_bipartite(cls, adjacency: BipartiteGraph) -> Graph:
        """Take a square biadjacency as the adjacency of its vertices, made symmetric."""
        if adjacency.n_rows != adjacency.n_cols:
            raise InvalidGraphError(
                f"an undirected graph needs a square adjacency, not {adjacency.shape}"
            )
        n = adjacency.n_rows
        ends = np.repeat(np.arange(n), adjacency.row_degrees)
        others = adjacency.indices.astype(np.intp)
        ends, others = ends[ends != others], others[ends != others]
        both = BipartiteGraph.from_edges(
            np.concatenate([ends, others]), np.concatenate([others, ends]), (n, n)
        ).without_duplicates()
        return cls(both.indptr, both.indices)

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return self.indptr.size - 1

    @property
    def n_edges(self) -> int:
        """Number of edges, each counted once."""
        return self.indices.size // 2

    def __repr__(self) -> str:
        return f"Graph({self.n_vertices:,} vertices, {self.n_edges:,} edges)"


def unsigned(indices: IndexArray) -> npt.NDArray[np.unsignedinteger[Any]]:
    """View index arrays as unsigned: compiled code then needs no check for negative indices."""
    return indices.view(np.uint32 if indices.dtype.itemsize == 4 else np.uint64)


def _index_type(*sizes: int) -> type[np.signedinteger[Any]]:
    return np.int32 if max(sizes) <= _INT32_MAX else np.int64


def _check_shape(shape: Any) -> tuple[int, int]:
    try:
        n_rows, n_cols = shape
    except (TypeError, ValueError):
        raise InvalidGraphError(f"shape must be (rows, columns), not {shape!r}") from None
    sizes = []
    for name, size in (("rows", n_rows), ("columns", n_cols)):
        # `not >=` also catches NaN.
        if isinstance(size, bool) or not isinstance(size, (int, float, np.number)):
            raise InvalidGraphError(f"number of {name} must be a whole number, not {size!r}")
        if not size >= 0 or math.isinf(size) or size != int(size):
            raise InvalidGraphError(f"number of {name} must be a whole number ≥ 0, not {size!r}")
        sizes.append(int(size))
    return sizes[0], sizes[1]


def _integers(name: str, values: Any) -> IndexArray:
    """Return a one-dimensional array of signed integers, without a copy where it is one."""
    array = np.asarray(values)
    if array.size == 0 and array.ndim == 1:
        return np.zeros(0, np.int64) if array.dtype.kind != "i" else array
    if array.ndim != 1:
        raise InvalidGraphError(f"{name} must be one-dimensional, not of shape {array.shape}")
    if array.dtype.kind == "u":
        too_big = np.flatnonzero(array > np.iinfo(np.int64).max)
        if too_big.size:
            raise InvalidGraphError(f"{name}[{too_big[0]}] = {array[too_big[0]]} is too large")
        return array.astype(np.int64)
    if array.dtype.kind != "i":
        raise InvalidGraphError(f"{name} must be integers, not {array.dtype}")
    return array


def _check_range(name: str, indices: IndexArray, size: int) -> None:
    """Raise if an index is not in ``range(size)``; seen unsigned, one comparison finds both."""
    if indices.dtype.itemsize < 4:
        indices = indices.astype(np.int32)
    if indices.size and int(unsigned(indices).max()) >= size:
        k = int(np.flatnonzero((indices < 0) | (indices >= size))[0])
        raise InvalidGraphError(f"{name}[{k}] = {indices[k]} is not in 0 … {size - 1}")


def _check_csr(
    indptr: Any, indices: Any, n_rows: int, n_cols: int
) -> tuple[IndexArray, IndexArray]:
    indptr, indices = _integers("indptr", indptr), _integers("indices", indices)
    if indptr.size != n_rows + 1:
        raise InvalidGraphError(
            f"indptr has {indptr.size} entries; {n_rows} rows need {n_rows + 1}"
        )
    if indptr[0] != 0:
        raise InvalidGraphError(f"indptr[0] = {indptr[0]}, must be 0")
    if np.any(indptr[1:] < indptr[:-1]):
        i = int(np.flatnonzero(indptr[1:] < indptr[:-1])[0])
        raise InvalidGraphError(
            f"indptr falls from {indptr[i]} to {indptr[i + 1]} at row {i}; it must never fall"
        )
    if indptr[-1] > indices.size:
        raise InvalidGraphError(
            f"indptr ends at {indptr[-1]}, but there are {indices.size} indices"
        )
    indices = indices[: indptr[-1]]
    _check_range("indices", indices, n_cols)
    return (
        np.ascontiguousarray(indptr, _index_type(indices.size)),
        np.ascontiguousarray(indices, _index_type(n_rows, n_cols)),
    )


def _check_labels(name: str, labels: Sequence[Any] | None, size: int) -> Sequence[Any] | None:
    if labels is not None and len(labels) != size:
        raise InvalidGraphError(f"{len(labels)} {name} for {size} vertices")
    return labels
