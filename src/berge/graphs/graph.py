"""Graphs as berge holds them: compressed rows, validated once.

`BipartiteGraph` is what the exact algorithms take, `Graph` what greedy matching of general graphs
takes. Both are plain CSR: ``indices[indptr[i]:indptr[i + 1]]`` are the neighbours of i; a `Graph`
may have weights. Making one from something else is `berge.as_bipartite` and `berge.as_graph`. Both
own what they have validated, see `owned`: it cannot be changed any more.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self
from weakref import ref

import numpy as np
import numpy.typing as npt

from .. import tuning
from ..errors import InvalidGraphError, OptionError
from ..shown import Shown, bars
from ..tuning import LARGE
from ..wording import plural
from .memory import solve_bytes
from .owned import OwnClasses, Owner, fixed, is_sealed, sealed, settle
from .workspace import Empty, Workspace

__all__ = ["BipartiteGraph", "Graph", "IndexArray"]

IndexArray = npt.NDArray[np.signedinteger[Any]]
Weights = npt.NDArray[np.float64]


class SignedWeights(NamedTuple):
    """Weights of any sign in a contiguous array that nobody else has: int64, or finite float64."""

    values: npt.NDArray[Any]


_INT32_MAX = np.iinfo(np.int32).max


class TwoSided(Owner, ABC, Shown):
    """A graph that keeps its transpose once that is built.

    The transpose has only a weak reference to the graph, so that memory is freed as soon as nobody
    holds the graph. If the transpose outlives the graph, its `T` is built anew.
    """

    __slots__ = ("_origin", "_space", "_transpose")

    shape = fixed[tuple[int, int]]()
    is_borrowed = False  # whether others may change the indices
    _space: Workspace | None  # with which a run goes on
    _transpose: Any
    _origin: Any  # weak

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Begin with no values, and no transpose."""
        graph = object.__new__(cls)
        graph._values = {}
        graph._transpose = graph._origin = graph._space = None
        return graph

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.shape[0]

    @property
    def n_cols(self) -> int:
        """Number of columns."""
        return self.shape[1]

    def check(self) -> None:
        """Raise if an index is out of range: what is our own was checked when it was made."""

    @abstractmethod
    def _transposed(self, threads: int | None) -> Any:
        """Build the transpose, `_keep` and return it."""

    @property
    def has_transpose(self) -> bool:
        """Whether `T` is at hand."""
        return self._kept() is not None

    def _kept(self) -> Any:
        return (self._origin and self._origin()) or self._transpose

    def _keep(self, transpose: Any) -> None:
        """Keep this as `T`."""
        self._transpose, transpose._origin = transpose, ref(self)

    def turned(self) -> Self:
        """Return the transpose, which from now on keeps this graph, and not this graph it."""
        transpose: Self = self._transposed(None)
        self._transpose = transpose._origin = None
        transpose._keep(self)
        return transpose


class BipartiteGraph(TwoSided, OwnClasses):
    """A bipartite graph: rows X, columns Y, and an edge for every stored entry.

    The graph has arrays of its own: read-only copies, since others could change those given after
    they were looked at. int64 arrays are narrowed to int32 where the sizes allow it, which halves
    the memory traffic of everything after. Duplicate entries and unsorted indices are all right.

    Parameters
    ----------
    indptr, indices
        Compressed rows, as in ``scipy.sparse.csr_array``.
    shape
        Number of rows and columns.
    row_labels, col_labels
        Names of the rows and columns, where the source had any.

    Attributes
    ----------
    source
        How the input was read where it did not say so itself, in words; else None.

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

    __slots__ = ()

    on_disk = False  # whether `window` reads from a file
    indptr = fixed[IndexArray]()
    indices = fixed[IndexArray]()
    row_labels = fixed[Sequence[Any] | None]()
    col_labels = fixed[Sequence[Any] | None]()

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
        csr = _check_csr(indptr, indices, *self.shape)
        self.indptr, self.indices, nonempty = csr
        settle(self, "nonempty_rows", nonempty)
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
        from .csr import edges_to_csr

        rows, cols = _own("row indices", rows), _own("column indices", cols)
        if rows.size != cols.size:
            raise InvalidGraphError(f"{rows.size} row indices but {cols.size} column indices")
        if shape is None:
            shape = (int(rows.max(initial=-1)) + 1, int(cols.max(initial=-1)) + 1)
        n_rows, n_cols = _check_shape(shape)
        _check_range("row indices", rows, n_rows)
        _check_range("column indices", cols, n_cols)
        indptr = _zeros("rows", n_rows, index_type(rows.size))
        indices = np.empty(rows.size, index_type(n_rows, n_cols))
        edges_to_csr(rows, cols, indptr, indices)
        labels = (
            _check_labels("row_labels", row_labels, n_rows),
            _check_labels("col_labels", col_labels, n_cols),
        )
        return cls._trusted(indptr, indices, (n_rows, n_cols), labels)

    @classmethod
    def _trusted(
        cls,
        indptr: IndexArray,
        indices: IndexArray,
        shape: tuple[int, int],
        labels: tuple[Sequence[Any] | None, Sequence[Any] | None] = (None, None),
    ) -> BipartiteGraph:
        """Wrap arrays that are known to be right, and that nobody else has."""
        graph = cls.__new__(cls)
        graph.indptr, graph.indices, graph.shape = indptr, indices, shape
        graph.row_labels, graph.col_labels = labels
        return graph

    @classmethod
    def _adopted(
        cls, indptr: IndexArray, indices: IndexArray, shape: tuple[int, int]
    ) -> BipartiteGraph:
        """Check arrays that nobody else has, and take them without a copy."""
        return cls(sealed(indptr), sealed(indices), shape)

    def __reduce__(self) -> Any:
        labels = {"row_labels": self.row_labels, "col_labels": self.col_labels}
        return _made_anew, (type(self), (self.indptr, self.indices, self.shape), labels)

    @property
    def nnz(self) -> int:
        """Number of edges, duplicates counted."""
        return int(self.indptr[-1])

    def window(self, lo: int, hi: int, out: IndexArray | None = None) -> IndexArray:
        """Return ``indices[lo:hi]``; graphs on the disk read them, into `out` if that is given."""
        return self.indices[lo:hi]

    def owned(self, empty: Empty = np.empty) -> BipartiteGraph:
        """Return a graph that nobody else can change: this one."""
        del empty  # makes arrays, where a copy is needed
        return self

    @fixed
    def source(self) -> str | None:
        """How the input was read, where it did not say so itself."""
        return None

    @fixed
    def row_degrees(self) -> IndexArray:
        """Number of entries of each row."""
        return np.diff(self.indptr)

    @fixed
    def col_degrees(self) -> IndexArray:
        """Number of entries of each column, without building the transpose."""
        if self.has_transpose:
            return self.T.row_degrees
        return np.bincount(self.indices, minlength=self.n_cols).astype(self.indptr.dtype)

    @fixed
    def nonempty_rows(self) -> int:
        """Number of rows that have an edge."""
        return _rises_and_falls(self.indptr)[0]

    @fixed
    def nonempty_cols(self) -> int:
        """Number of columns that have an edge."""
        return int(np.count_nonzero(self.col_degrees))

    @property
    def T(self) -> BipartiteGraph:  # noqa: N802 (the name it has everywhere)
        """The transpose: columns become rows. Built on first use by all threads, then kept."""
        return self._transposed(None)

    def _transposed(self, threads: int | None, empty: Empty = np.empty) -> BipartiteGraph:
        """Build the transpose on so many threads, in arrays that `empty` makes; keep it as `T`."""
        kept: BipartiteGraph | None = self._kept()
        if kept is not None:
            return kept
        from ..compile import thread_count, threads_of
        from .csr import transpose_csr

        threads = threads_of(threads)
        # Counters for each thread cost more than they save where columns have few edges.
        alone = self.nnz < tuning.SHARED_TRANSPOSE or threads * self.n_cols > 2 * self.nnz
        blocks = 1 if alone else threads
        counts = empty((blocks, self.n_cols), unsigned(self.indptr).dtype)
        counts.fill(0)
        bounds = equal_shares(self.indptr, blocks)
        cuts = empty((blocks - 1, self.n_cols), counts.dtype)
        indptr = empty(self.n_cols + 1, self.indptr.dtype)
        indices = empty(self.nnz, self.indices.dtype)
        given = unsigned(self.indptr), unsigned(self.indices)
        with thread_count(threads):
            right = transpose_csr(*given, bounds, counts, cuts, indptr, indices)
        if not right:
            raise _out_of_range("indices", self.indices, self.n_cols)
        labels = self.col_labels, self.row_labels
        transpose = BipartiteGraph._trusted(indptr, indices, self.shape[::-1], labels)
        self._keep(transpose)
        return transpose

    def reordered(self, row_order: IndexArray, col_order: IndexArray) -> BipartiteGraph:
        """Return the graph with row ``row_order[i]`` at i and column ``col_order[j]`` at j.

        Labels move with their vertices. Indices are sorted.
        """
        # What is no order leaves −1 somewhere, which is no index.
        row_place, col_place = (np.full(n, -1, self.indices.dtype) for n in self.shape)
        row_place[row_order], col_place[col_order] = map(np.arange, self.shape)
        rows = np.repeat(row_place, self.row_degrees)
        # By columns first: the transpose of anything has sorted rows.
        labels = {
            "row_labels": _in_order(self.col_labels, col_order),
            "col_labels": _in_order(self.row_labels, row_order),
        }
        return BipartiteGraph.from_edges(
            col_place[self.indices], rows, self.shape[::-1], **labels
        ).T

    def without_duplicates(self) -> BipartiteGraph:
        """Return the same graph with sorted indices and each edge once."""
        from .csr import drop_duplicates

        # The transpose of the transpose has sorted indices.
        twice = BipartiteGraph._trusted(self.T.indptr, self.T.indices, self.T.shape).T
        indptr, indices = np.empty_like(twice.indptr), np.array(twice.indices)
        size = drop_duplicates(twice.indptr, indices, indptr)
        labels = self.row_labels, self.col_labels
        return BipartiteGraph._trusted(indptr, indices[:size].copy(), self.shape, labels)

    def to_scipy(self) -> Any:
        """Return a ``scipy.sparse.csr_array`` of ones, with arrays of its own."""
        from scipy.sparse import csr_array

        ones = np.ones(self.nnz, np.int8)
        arrays = ones, np.array(self.indices), np.array(self.indptr)
        return csr_array(arrays, shape=self.shape)

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "rows", _degrees_in_words(self.row_degrees)
        yield "columns", _degrees_in_words(self.col_degrees)
        yield "edges", f"{self.nnz:,}"
        if self.source:
            yield "read as", self.source

    def _picture(self) -> str:
        return _histogram(self.row_degrees, "rows by degree")

    def __repr__(self) -> str:
        return f"BipartiteGraph({self.n_rows:,} × {self.n_cols:,}, {self.nnz:,} edges)"


class BorrowedGraph(BipartiteGraph):
    """A graph whose indices are the caller's, for one call.

    To copy them first, and then to match, takes long beside matching an easy graph. But others may
    change them at any time. So only what `borrows`, in the catalogue, reads them after a `check`,
    and the transpose: kernels that compare every index where they use it. All other kernels take
    what is `owned`.
    """

    __slots__ = ()

    is_borrowed = True

    def __init__(
        self, indptr: IndexArray, nonempty: int, indices: IndexArray, shape: tuple[int, int]
    ):
        """Borrow indices; the rest is right, and nobody else has it."""
        from ..compile import read_only

        self.indptr, self.shape = indptr, shape
        self.row_labels = self.col_labels = None
        settle(self, "nonempty_rows", nonempty)
        # Not by `fixed`, which would seal what is not ours.
        self._values["indices"] = read_only(indices[: self.nnz])

    @classmethod
    def of(cls, matrix: Any, kept: bool = False) -> BipartiteGraph:
        """Borrow the indices of a CSR matrix; copy them if kernels do not take them as they are.

        With `kept`, a large graph begins with a `space` for what is worked on.
        """
        indptr, indices, shape = matrix.indptr, matrix.indices, _check_shape(matrix.shape)
        plain = type(indices) is np.ndarray and indices.ndim == 1 and is_whole(indices)
        if not plain or indices.dtype != index_type(*shape):
            return BipartiteGraph(indptr, indices, shape)
        large = kept and indices.size >= LARGE
        space = Workspace(solve_bytes(shape, indices.size)) if large else None
        indptr = _integers("indptr", indptr)
        indptr, _ = _copied(indptr, indptr.dtype, space.empty if space else np.empty)
        graph = cls(*check_indptr(indptr, shape[0], indices.size), indices, shape)
        graph._space = space
        return graph

    def check(self) -> None:
        """Raise if an index is out of range."""
        _check_range("indices", self.indices, self.n_cols)

    def owned(self, empty: Empty = np.empty) -> BipartiteGraph:
        """Copy the indices to an array that `empty` makes; raise if one is out of range."""
        indices, largest = _copied(self.indices, self.indices.dtype, empty)
        if largest >= self.n_cols:
            _check_range("indices", indices, self.n_cols)
        graph = BipartiteGraph._trusted(self.indptr, indices, self.shape)
        settle(graph, "nonempty_rows", self.nonempty_rows)
        return graph

    @fixed
    def col_degrees(self) -> IndexArray:
        """Number of entries of each column."""
        return self.owned().col_degrees

    def _keep(self, transpose: Any) -> None:
        """Keep nothing: others may change the indices, and the transpose is to stay right."""


class Graph(Owner, Shown, OwnClasses):
    """An undirected graph: every edge stored at both ends, no self-loops, no parallel edges.

    An entry (v, w) is an edge between v and w, self-loops are dropped, and of parallel edges the
    heaviest is kept. Sorted rows with every edge in both directions need no more than a copy, and
    one parallel pass over them. The arrays of the graph are its own, and read-only.

    Parameters
    ----------
    indptr, indices
        Compressed rows: ``indices[indptr[v]:indptr[v + 1]]`` are the neighbours of v.
    weights
        A weight ≥ 0 for every entry of `indices`; None if every edge weighs 1.
    vertex_weights
        A weight ≥ 0 for every vertex; None if every vertex weighs 1.
    labels
        Names of the vertices, where the source had any.

    Raises
    ------
    InvalidGraphError
        Names the first place that is wrong: an index out of range, or a weight that is negative,
        infinite or not a number.

    Examples
    --------
    >>> import berge
    >>> g = berge.Graph.from_edges([0, 1, 1], [1, 2, 2], weights=[5, 1, 3])
    >>> g
    Graph(3 vertices, 2 edges, weighted)
    >>> g.indices, g.weights
    (array([1, 0, 2, 1], dtype=int32), array([5., 5., 3., 3.]))

    Notes
    -----
    Memory: 8 bytes an edge and 4 a vertex (16 and 8 where counts pass 2³¹), and 16 bytes an edge
    for weights.
    """

    __slots__ = ()

    indptr = fixed[IndexArray]()
    indices = fixed[IndexArray]()
    weights = fixed[Weights | None]()
    vertex_weights = fixed[npt.NDArray[Any] | None]()

    def __init__(
        self,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        vertex_weights: npt.ArrayLike | None = None,
        labels: Sequence[Any] | None = None,
    ):
        n = max(np.size(indptr) - 1, 0)
        indptr, indices, _ = _check_csr(indptr, indices, n, n)
        checked = _check_weights("weights", weights, indices.size)
        fit = _made_undirected(indptr, indices, checked)
        self.indptr, self.indices, self.weights = fit
        self.vertex_weights = _check_vertex_weights(vertex_weights, n)
        settle(self, "labels", _check_labels("labels", labels, n))

    @classmethod
    def from_edges(
        cls,
        ends: npt.ArrayLike,
        others: npt.ArrayLike,
        n_vertices: int | None = None,
        weights: npt.ArrayLike | None = None,
        labels: Sequence[Any] | None = None,
        *,
        vertex_weights: npt.ArrayLike | None = None,
        parallel: Literal["max", "sum"] = "max",
    ) -> Graph:
        """Build a graph from pairs of ends, with a weight for each pair or without.

        Self-loops are dropped. Of parallel edges the heaviest is kept, or, as partitioners expect
        it, one that weighs as much as all of them (``parallel="sum"``; without weights, their
        number).

        Examples
        --------
        >>> import berge
        >>> berge.Graph.from_edges([0, 1, 2], [1, 0, 2], n_vertices=4)
        Graph(4 vertices, 1 edge)
        >>> berge.Graph.from_edges([0, 1], [1, 0], weights=[2, 3], parallel="sum").weights
        array([5., 5.])
        """
        if parallel not in ("max", "sum"):
            raise OptionError(f"parallel must be 'max' or 'sum', not {parallel!r}")
        ends, others = _own("vertex indices", ends), _own("vertex indices", others)
        if ends.size != others.size:
            raise InvalidGraphError(f"{ends.size} ends of edges, but {others.size} other ends")
        if n_vertices is None:
            n_vertices = int(max(ends.max(initial=-1), others.max(initial=-1))) + 1
        n, _ = _check_shape((n_vertices, n_vertices))
        _zeros("vertices", n, np.int64)  # before much work
        _check_range("vertex indices", ends, n)
        _check_range("vertex indices", others, n)
        checked = _check_weights("weights", weights, ends.size)
        if parallel == "sum":
            ends, others, checked = _added_up(ends, others, n, checked)
        of_vertices = _check_vertex_weights(vertex_weights, n)
        graph = cls._trusted(*_undirected(ends, others, n, checked), of_vertices)
        settle(graph, "labels", _check_labels("labels", labels, n))
        return graph

    @classmethod
    def from_bipartite(
        cls, adjacency: BipartiteGraph, weights: npt.ArrayLike | None = None
    ) -> Graph:
        """Take a square biadjacency as the adjacency of its vertices, made symmetric.

        There may be a weight for every entry.
        """
        if adjacency.n_rows != adjacency.n_cols:
            raise not_square(adjacency.shape)
        checked = _check_weights("weights", weights, adjacency.nnz)
        return cls._trusted(*_made_undirected(adjacency.indptr, adjacency.indices, checked))

    @classmethod
    def _trusted(
        cls,
        indptr: IndexArray,
        indices: IndexArray,
        weights: Weights | None = None,
        vertex_weights: npt.NDArray[Any] | None = None,
    ) -> Graph:
        """Wrap arrays that are known to be right, and that nobody else has."""
        graph = cls.__new__(cls)
        graph.indptr, graph.indices, graph.weights = indptr, indices, weights
        graph.vertex_weights = vertex_weights
        return graph

    def __reduce__(self) -> Any:
        parts = self.indptr, self.indices, self.weights, self.vertex_weights, self.labels
        return Graph, parts

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return self.indptr.size - 1

    @property
    def n_edges(self) -> int:
        """Number of edges, each counted once."""
        return self.indices.size // 2

    @property
    def total_weight(self) -> float:
        """Sum of the weights of all edges, each counted once."""
        return float(self.n_edges) if self.weights is None else float(self.weights.sum()) / 2

    def weighing(self, vertex_weights: npt.ArrayLike) -> Graph:
        """Return the same graph with these weights of vertices."""
        checked = _check_vertex_weights(vertex_weights, self.n_vertices)
        graph = Graph._trusted(self.indptr, self.indices, self.weights, checked)
        settle(graph, "labels", self.labels)
        return graph

    @fixed
    def labels(self) -> Sequence[Any] | None:
        """Names of the vertices, where the source had any."""
        return None

    @fixed
    def degrees(self) -> IndexArray:
        """Number of neighbours of each vertex."""
        return np.diff(self.indptr)

    def to_scipy(self) -> Any:
        """Return the adjacency as a ``scipy.sparse.csr_array`` with arrays of its own.

        Its values are the weights, or ones.
        """
        from scipy.sparse import csr_array

        values = np.ones(self.indices.size, np.int8) if self.weights is None else self.weights
        arrays = tuple(map(np.array, (values, self.indices, self.indptr)))
        return csr_array(arrays, shape=(self.n_vertices,) * 2)

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "vertices", _degrees_in_words(self.degrees)
        yield "edges", f"{self.n_edges:,}" + (", weighted" if self.weights is not None else "")

    def _picture(self) -> str:
        return _histogram(self.degrees, "vertices by degree")

    def __repr__(self) -> str:
        vertices = plural(self.n_vertices, "vertex", "vertices")
        edges = plural(self.n_edges, "edge")
        return f"Graph({vertices}, {edges}{', weighted' if self.weights is not None else ''})"


def _degrees_in_words(degrees: IndexArray) -> str:
    if not degrees.size:
        return "0"
    return f"{degrees.size:,} of degree {degrees.min():,} to {degrees.max():,}"


def _histogram(degrees: IndexArray, title: str) -> str:
    """Draw how many have degree 0, 1, 2–3, 4–7, and so on."""
    logs = np.frexp(degrees)[1]
    counts = np.bincount(logs).tolist()
    names = ["0", "1"] + [f"{2**k}–{2 ** (k + 1) - 1}" for k in range(1, len(counts))]
    return bars(counts, names[: len(counts)], title) if counts else ""


def unsigned(indices: IndexArray) -> npt.NDArray[np.unsignedinteger[Any]]:
    """View index arrays as unsigned: compiled code then needs no check for negative indices."""
    return indices.view(np.uint32 if indices.dtype.itemsize == 4 else np.uint64)


def equal_shares(indptr: IndexArray, parts: int) -> npt.NDArray[np.intp]:
    """Cut the rows into parts that have about as many edges each; return where they begin and end.

    Places are searched for in the type of `indptr`: else all of it would be converted first.
    """
    if parts == 1:
        return np.array([0, indptr.size - 1])
    places = int(indptr[-1]) * np.arange(1, parts) // parts
    cuts = np.searchsorted(indptr, places.astype(indptr.dtype))
    return np.concatenate([[0], cuts, [indptr.size - 1]])


def not_square(shape: tuple[int, ...]) -> InvalidGraphError:
    """Return the error of an adjacency that cannot be one."""
    hint = "for edges between rows and columns pass (ends, others), columns numbered after rows"
    if len(shape) == 2 and shape[1] == 2:
        hint = "edges are passed as (ends, others), two arrays, not as pairs"
    return InvalidGraphError(f"an undirected graph needs a square adjacency, not {shape}; {hint}")


def index_type(*sizes: int) -> type[np.signedinteger[Any]]:
    """Return int32 where no number up to these sizes needs more, else int64."""
    return np.int32 if max(sizes) <= _INT32_MAX else np.int64


def _check_shape(shape: Any) -> tuple[int, int]:
    try:
        n_rows, n_cols = shape
    except (TypeError, ValueError):
        raise InvalidGraphError(f"shape must be (rows, columns), not {shape!r}") from None
    sizes = []
    for name, size in (("rows", n_rows), ("columns", n_cols)):
        # `not >=` also catches NaN.
        if isinstance(size, bool) or not isinstance(size, (int, float, np.integer, np.floating)):
            raise InvalidGraphError(f"number of {name} must be a whole number, not {size!r}")
        if not size >= 0 or math.isinf(size) or size != int(size):
            raise InvalidGraphError(f"number of {name} must be a whole number ≥ 0, not {size!r}")
        sizes.append(int(size))
    return sizes[0], sizes[1]


def _zeros(name: str, size: int, kind: Any) -> Any:
    """Return a zero for each row, and one more, if there is memory for so many."""
    try:
        return np.zeros(size + 1, kind)
    except (MemoryError, ValueError, OverflowError):
        raise InvalidGraphError(f"{size:,} {name} do not fit in memory") from None


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
    native = np.int64 if array.dtype.itemsize == 8 else np.int32
    return array.astype(native, copy=False)


def is_whole(array: npt.NDArray[Any]) -> bool:
    """Whether an array is laid out as kernels take it."""
    flags = array.flags
    return flags.c_contiguous and flags.aligned


def _own(name: str, values: Any) -> IndexArray:
    """Return integers in an array of their own: others may be changing what was given."""
    array = _integers(name, values)
    own = is_sealed(array) or type(values) in (list, tuple, range)
    return array if own else np.array(array, subok=False)


def _check_range(name: str, indices: IndexArray, size: int) -> None:
    """Raise if an index is not in ``range(size)``; seen unsigned, one comparison finds both."""
    if indices.size and _largest(indices) >= size:
        raise _out_of_range(name, indices, size)


def _out_of_range(name: str, indices: IndexArray, size: int) -> InvalidGraphError:
    """Return the error of an index that was not in ``range(size)``; it may be by now."""
    for k in np.flatnonzero((indices < 0) | (indices >= size)):
        return InvalidGraphError(f"{name}[{k}] = {indices[k]} is not in 0 … {size - 1}")
    return InvalidGraphError(f"{name} were changed by others during the call")


def _check_csr(
    indptr: Any, indices: Any, n_rows: int, n_cols: int
) -> tuple[IndexArray, IndexArray, int]:
    """Check compressed rows; return copies, and how many rows have an entry.

    What is checked is the copy: others may be changing what was given.
    """
    indices = _integers("indices", indices)
    indptr, nonempty = check_indptr(_own("indptr", indptr), n_rows, indices.size)
    indices = indices[: indptr[-1]]
    kind = index_type(n_rows, n_cols)
    own = is_sealed(indices) and indices.flags.c_contiguous
    if own or indices.dtype != kind:  # before large ones are cut off
        _check_range("indices", indices, n_cols)
    if not own or indices.dtype != kind:
        indices, largest = _copied(indices, kind)
        if largest >= n_cols:
            _check_range("indices", indices, n_cols)
    return np.ascontiguousarray(indptr, index_type(indices.size)), indices, nonempty


def _copied(indices: IndexArray, kind: Any, empty: Empty = np.empty) -> tuple[IndexArray, int]:
    """Return a copy of indices, and its largest entry; a negative one counts as larger."""
    if indices.size < LARGE or indices.dtype != kind or not indices.flags.c_contiguous:
        copy = np.array(indices, kind, order="C", subok=False)
        return copy, _largest(copy) if copy.size else -1
    from .passes import copied

    copy = empty(indices.size, kind)
    return copy, copied(indices, copy)


def _largest(indices: IndexArray) -> int:
    """Return the largest entry; a negative one counts as larger than any other."""
    if indices.size < LARGE:
        return int(unsigned(indices).max())
    from .passes import largest

    return largest(indices)


def _rises_and_falls(indptr: IndexArray) -> tuple[int, int]:
    """Return how many entries are more than the one before, and how many are less."""
    if indptr.size < LARGE:
        before, after = indptr[:-1], indptr[1:]
        return int(np.count_nonzero(before < after)), int(np.count_nonzero(before > after))
    from .passes import count_rises

    return count_rises(indptr)


def check_indptr(indptr: Any, n_rows: int, n_indices: int) -> tuple[IndexArray, int]:
    """Check the places where rows begin; return them, and how many rows have an entry.

    The places are narrowed where counts allow it.
    """
    indptr = _integers("indptr", indptr)
    if indptr.size != n_rows + 1:
        raise InvalidGraphError(
            f"indptr has {indptr.size} entries; {n_rows} rows need {n_rows + 1}"
        )
    if indptr[0] != 0:
        raise InvalidGraphError(f"indptr[0] = {indptr[0]}, must be 0")
    rises, falls = _rises_and_falls(indptr)
    if falls:
        i = int(np.flatnonzero(indptr[1:] < indptr[:-1])[0])
        raise InvalidGraphError(
            f"indptr falls from {indptr[i]} to {indptr[i + 1]} at row {i}; it must never fall"
        )
    if indptr[-1] > n_indices:
        raise InvalidGraphError(f"indptr ends at {indptr[-1]}, but there are {n_indices} indices")
    return np.ascontiguousarray(indptr, index_type(n_indices)), rises


def _check_labels(name: str, labels: Sequence[Any] | None, size: int) -> Sequence[Any] | None:
    """Return labels of their own: a tuple, or an array."""
    if labels is None:
        return None
    labels = np.array(labels) if isinstance(labels, np.ndarray) else tuple(labels)
    if len(labels) != size:
        raise InvalidGraphError(f"{len(labels)} {name} for {size} vertices")
    return labels


def _made_anew(kind: type[BipartiteGraph], arrays: Any, labels: Any) -> BipartiteGraph:
    """Make a graph of what a pickle has; it is checked like any other."""
    return kind(*arrays, **labels)


def _in_order(labels: Sequence[Any] | None, order: IndexArray) -> Sequence[Any] | None:
    if labels is None:
        return None
    return labels[order] if isinstance(labels, np.ndarray) else [labels[k] for k in order]


def _added_up(
    ends: IndexArray, others: IndexArray, n: int, weights: Weights | None
) -> tuple[IndexArray, IndexArray, Weights]:
    """Make one of parallel edges, which weighs as much as all."""
    low, high = np.minimum(ends, others).astype(np.int64), np.maximum(ends, others)
    pairs, place = np.unique(low * max(n, 1) + high, return_inverse=True)
    first, second = np.divmod(pairs, max(n, 1))
    index = ends.dtype
    return first.astype(index), second.astype(index), np.bincount(place, weights).astype(float)


def _check_weights(name: str, weights: Any, size: int) -> Weights | None:
    """Return a copy of weights as float64; each must be finite and ≥ 0, unless they are signed."""
    if weights is None:
        return None
    values = np.asarray(weights.values if isinstance(weights, SignedWeights) else weights)
    if values.ndim != 1 or values.size != size:
        raise InvalidGraphError(f"{name} must be {size} numbers, not of shape {values.shape}")
    if isinstance(weights, SignedWeights):
        return values
    if values.size and values.dtype.kind not in "biuf":
        raise InvalidGraphError(f"{name} must be real numbers, not {values.dtype}")
    if not is_sealed(values) or values.dtype != np.float64:
        with np.errstate(all="ignore"):  # a signalling NaN is looked for below
            values = np.array(values, np.float64, order="C", subok=False)
    # `not >=` also catches NaN, which a minimum hands on.
    if values.size and not (values.min() >= 0 and values.max() < np.inf):
        k = int(np.flatnonzero(~((values >= 0) & (values < np.inf)))[0])
        raise InvalidGraphError(f"{name}[{k}] = {values[k]} must be a finite number ≥ 0")
    return values


def _check_vertex_weights(weights: Any, n: int) -> npt.NDArray[Any] | None:
    """Return vertex weights as they are if int64 or float64, integers as int64."""
    checked = _check_weights("vertex_weights", weights, n)
    if checked is None or np.asarray(weights).dtype.kind == "f":
        return checked
    return np.array(weights, np.int64, order="C", subok=False)


def _made_undirected(
    indptr: IndexArray, indices: IndexArray, weights: Weights | None
) -> tuple[IndexArray, IndexArray, Weights | None]:
    """Return the arrays of an undirected graph: those given, if they are of one already."""
    from ..compile import threads_for
    from .undirected import Rows, drop_loops, inspect

    values = np.zeros(0) if weights is None else weights
    threads = threads_for(indices.size, tuning.SHARED_SORT)
    blocks = equal_shares(indptr, 4 * threads)
    found = np.zeros((blocks.size - 1, 3), np.uint64)
    with np.errstate(over="ignore"):  # sums of hashes wrap
        inspect(blocks.size - 1, Rows(indptr, unsigned(indices), values), blocks, found)
        loops, unsorted, fingerprint = found.sum(axis=0)
    if unsorted or fingerprint:
        ends = np.repeat(np.arange(indptr.size - 1, dtype=indices.dtype), np.diff(indptr))
        return _undirected(ends, indices, indptr.size - 1, weights)
    if not loops:
        return indptr, indices, weights
    new = _room(indptr.size, indices.size - int(loops), values, indptr.dtype, indices.dtype)
    drop_loops(Rows(indptr, indices, values), new)
    return new.indptr, new.indices, None if weights is None else new.weights


def _undirected(
    ends: IndexArray, others: IndexArray, n: int, weights: Weights | None
) -> tuple[IndexArray, IndexArray, Weights | None]:
    """Return the arrays of the undirected graph with these edges."""
    from .undirected import both_ways, merge_parallel, sort_rows

    values = np.zeros(0) if weights is None else weights
    size = 2 * ends.size
    unsorted, rows = (_room(n + 1, size, values, index_type(size), index_type(n)) for _ in range(2))
    unsorted.indptr[:] = 0
    both_ways(ends, others, values, unsorted)
    sort_rows(unsorted, np.empty_like(unsorted.indptr[:n]), rows)
    rows = rows._replace(indptr=unsorted.indptr)
    indptr = np.empty_like(rows.indptr)
    size = merge_parallel(rows, indptr)
    indices, values = rows.indices, rows.weights
    if size < indices.size:
        indices, values = indices[:size].copy(), values[:size].copy()
    return indptr, indices, None if weights is None else values


def _room(n: int, size: int, values: Weights, place: Any, index: Any) -> Any:
    """Return empty arrays for rows, with weights if there are values."""
    from .undirected import Rows

    weights = np.empty(size if values.size else 0, values.dtype)
    return Rows(np.empty(n, place), np.empty(size, index), weights)
