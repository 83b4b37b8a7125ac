"""A part of a bipartite graph: a block of rows with their edges, and a block of columns.

Rows are cut into one block a part, of about as many rows and edges each. Columns are cut at the
same fractions, so that what lies near the diagonal is local. The owner of a row holds its edges and
its mate, the owner of a column its mate. Vertex numbers are global: entry i of a local array is of
vertex ``bounds[rank] + i``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from ..compile import kernel
from ..compile.random import draw
from ..errors import InvalidGraphError
from ..graphs.csr import edges_to_csr
from ..graphs.graph import BipartiteGraph, Graph, IndexArray, Weights, index_type, unsigned
from ..results.proof import chunks
from .communicator import Array, Communicator
from .messages import by_owner


@dataclass(eq=False)
class Part:
    """What one peer holds of a graph.

    Attributes
    ----------
    rank, size
        Number of this part, and how many there are.
    n_rows, n_cols
        Of the whole graph.
    row_bounds, col_bounds
        Part p owns rows ``row_bounds[p]`` to ``row_bounds[p + 1]``, and columns likewise.
    indptr, indices
        Compressed rows of this part; the indices are columns of the whole graph.
    weights
        A weight for every entry of `indices`, or None; all parts have them, or none does.

    Examples
    --------
    >>> import berge
    >>> from berge.distributed.part import Part
    >>> part = Part.from_graph(berge.generate.chain(6), rank=1, size=2)
    >>> part
    Part(1 of 2: rows 3–5, columns 3–5, 5 edges)
    >>> part.indices
    array([3, 4, 4, 5, 0], dtype=int32)
    """

    rank: int
    size: int
    n_rows: int
    n_cols: int
    row_bounds: Array
    col_bounds: Array
    indptr: IndexArray
    indices: IndexArray
    weights: Weights | None = None

    @classmethod
    def from_graph(cls, graph: BipartiteGraph | Graph, rank: int, size: int) -> Part:
        """Cut a part out of a graph that is in memory."""
        n = graph.indptr.size - 1
        shape = graph.shape if isinstance(graph, BipartiteGraph) else (n, n)
        bounds = _balanced(n, size, lambda row: int(graph.indptr[row]))
        first, last = bounds[rank : rank + 2]
        indptr = graph.indptr[first : last + 1]
        entries = slice(indptr[0], indptr[-1])
        weights = getattr(graph, "weights", None)
        weights = None if weights is None else weights[entries]
        indices = graph.indices[entries].copy()
        return cls._block(shape, bounds, rank, indptr - indptr[0], indices, weights)

    @classmethod
    def from_folder(cls, path: str | PathLike[str], rank: int, size: int) -> Part:
        """Read this part's slice of a ``.berge`` folder, and nothing else of its edges."""
        from ..files.folder import Folder, FolderElsewhere
        from ..files.remote import is_url

        folder = FolderElsewhere(str(path)) if is_url(path) else Folder(path)
        bounds = _balanced(folder.n_rows, size, lambda row: int(folder.indptr(row, row + 1)[0]))
        indptr, indices = folder.slice(int(bounds[rank]), int(bounds[rank + 1]))
        return cls._block(folder.shape, bounds, rank, indptr, indices)

    @classmethod
    def scattered(cls, graph: BipartiteGraph | Graph | None, comm: Communicator) -> Part:
        """Share out a graph that peer 0 has, and the others pass None for. One exchange."""
        messages = [np.empty(0, np.int64)] * comm.size
        if graph is not None:
            for rank in range(comm.size):
                part = cls.from_graph(graph, rank, comm.size)
                weighted = part.weights is not None
                values = np.empty(0) if part.weights is None else part.weights
                numbers = [part.row_bounds, part.indptr, part.indices, values.view(np.int64)]
                messages[rank] = np.concatenate([[part.n_rows, part.n_cols, weighted], *numbers])
        received, _ = comm.exchange(messages)
        head, row_bounds, rest = np.split(received[0], [3, comm.size + 4])
        n_rows, n_cols, weighted = head.tolist()
        first, last = row_bounds[comm.rank : comm.rank + 2]
        indptr, rest = np.split(rest, [last - first + 1])
        cols, bits = np.split(rest, [indptr[-1]])
        indices = cols.astype(index_type(n_rows, n_cols))
        weights = bits.view(np.float64) if weighted else None
        return cls._block((n_rows, n_cols), row_bounds, comm.rank, indptr, indices, weights)

    @classmethod
    def from_edges(cls, rows: Any, cols: Any, n_rows: int, n_cols: int, comm: Communicator) -> Part:
        """Send edges, which may be of any rows, to the owners of their rows. One exchange."""
        rows, cols = np.asarray(rows, np.int64), np.asarray(cols, np.int64)
        if rows.shape != cols.shape or rows.ndim != 1:
            raise InvalidGraphError(f"{rows.shape} row indices but {cols.shape} column indices")
        for name, values, n in (("row", rows, n_rows), ("column", cols, n_cols)):
            if values.size and (values.min() < 0 or values.max() >= n):
                bad = values[(values < 0) | (values >= n)][0]
                raise InvalidGraphError(f"{name} index {bad} is not in 0 … {n - 1}")
        row_bounds = _even(n_rows, comm.size)
        edges, _ = comm.exchange(by_owner(row_bounds, np.column_stack([rows, cols])))
        received = np.concatenate(edges).reshape(-1, 2)
        mine = row_bounds[comm.rank], row_bounds[comm.rank + 1]
        indptr = np.zeros(mine[1] - mine[0] + 1, index_type(len(received)))
        indices = np.empty(len(received), index_type(n_rows, n_cols))
        edges_to_csr(received[:, 0] - mine[0], received[:, 1].copy(), indptr, indices)
        col_bounds = _even(n_cols, comm.size)
        return cls(comm.rank, comm.size, n_rows, n_cols, row_bounds, col_bounds, indptr, indices)

    @classmethod
    def _block(
        cls,
        shape: tuple[int, int],
        row_bounds: Array,
        rank: int,
        indptr: Any,
        indices: Any,
        weights: Weights | None = None,
    ) -> Part:
        """Make a part of a block of rows; columns are cut at the same fractions."""
        n_rows, n_cols = shape
        size = row_bounds.size - 1
        col_bounds = row_bounds * n_cols // n_rows if n_rows else _even(n_cols, size)
        indptr = indptr.astype(index_type(indices.size), copy=False)
        return cls(rank, size, n_rows, n_cols, row_bounds, col_bounds, indptr, indices, weights)

    @property
    def rows(self) -> range:
        """The rows of this part."""
        return range(int(self.row_bounds[self.rank]), int(self.row_bounds[self.rank + 1]))

    @property
    def cols(self) -> range:
        """The columns of this part."""
        return range(int(self.col_bounds[self.rank]), int(self.col_bounds[self.rank + 1]))

    @property
    def nnz(self) -> int:
        """Number of edges of the rows of this part."""
        return int(self.indptr[-1])

    def entries(self) -> Iterator[tuple[slice, Array]]:
        """Cut the entries into pieces that fit in memory many times; yield each with its rows."""
        for first, last in chunks(self.indptr):
            rows = np.repeat(np.arange(first, last), np.diff(self.indptr[first : last + 1]))
            yield slice(int(self.indptr[first]), int(self.indptr[last])), rows

    @cached_property
    def fingerprint(self) -> int:
        """A number whose sum over all parts, mod 2⁶⁴, tells graphs apart, however they are cut."""
        total = np.zeros(1, np.uint64)
        with np.errstate(over="ignore"):  # sums of hashes wrap
            add_hashes(
                unsigned(self.indptr), unsigned(self.indices), np.uint64(self.rows.start), total
            )
        return int(total[0])

    def __repr__(self) -> str:
        rows, cols = self.rows, self.cols
        return (
            f"Part({self.rank} of {self.size}: rows {rows.start}–{rows.stop - 1}, "
            f"columns {cols.start}–{cols.stop - 1}, {self.nnz:,} edges)"
        )


def owners(bounds: Array, vertices: Any) -> Array:
    """Return the part that owns each vertex."""
    parts: Array = np.searchsorted(bounds, vertices, side="right") - 1
    return parts


def not_neighbours(part: Part, row_match: Array) -> Array:
    """Return the local rows whose mate is not one of their columns. In numpy alone."""
    found = row_match < 0
    for entries, rows in part.entries():
        found[rows[part.indices[entries] == row_match[rows]]] = True
    return np.flatnonzero(~found)


def _balanced(n_rows: int, size: int, start: Callable[[int], int]) -> Array:
    """Cut rows so that parts have about as many rows and edges; row i begins at ``start(i)``."""
    total = start(n_rows) + n_rows
    cuts = [
        bisect_left(range(n_rows), total * p // size, key=lambda row: start(row) + row)
        for p in range(size)
    ]
    return np.array([*cuts, n_rows], np.int64)


def _even(n: int, size: int) -> Array:
    return np.arange(size + 1, dtype=np.int64) * n // size


@kernel
def add_hashes(indptr: Any, indices: Any, first: Any, total: Any) -> None:
    """Add a hash of (row, column) for every edge to ``total[0]``."""
    added = np.uint64(0)
    for x in range(indptr.size - 1):
        key = draw(first + np.uint64(x), np.uint64(0))
        for k in range(indptr[x], indptr[x + 1]):
            added += draw(key, indices[k])
    total[0] += added
