"""NumPy archives: ours with ``indptr, indices, shape``, and those of ``scipy.sparse.save_npz``.

Stored entries are edges, whatever their value; of scipy's formats only ``dia`` has no stored
entries, so there the values that are not zero are the edges, as in scipy itself.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import FormatError, InvalidGraphError
from ..graphs.graph import BipartiteGraph, Graph, not_square
from .archive import Archive
from .files import PathName, replacing
from .limits import Limits
from .text import WeightedEdges


def read(path: PathName, *, limits: Limits | None = None) -> BipartiteGraph:
    """Read an archive as a graph; see `berge.read`."""
    with Archive(path, limits) as archive:
        shape = _shape(archive, limits)
        kind = _kind(archive) or "csr"
        try:
            if kind == "csr":
                return BipartiteGraph._adopted(*_indices(archive), shape)
            if kind == "csc":
                return BipartiteGraph._adopted(*_indices(archive), shape[::-1]).turned()
            if kind == "coo":
                return BipartiteGraph.from_edges(*_indices(archive, "row", "col"), shape)
            if kind == "bsr":
                return _read_blocks(archive, shape)
            if kind == "dia":
                return _read_diagonals(archive, shape)
        except InvalidGraphError as error:
            raise FormatError(str(error), path) from error
        raise FormatError(f"format {kind!r} is not one of scipy.sparse's", path)


def read_graph(path: PathName, *, weights: Any = True, limits: Limits | None = None) -> Graph:
    """Read an archive; `weights` is True for its `data`, of rows, columns, or indices."""
    if weights is not True:
        return Graph.from_bipartite(read(path, limits=limits), weights)
    with Archive(path, limits) as archive:
        shape = _shape(archive, limits)
        kind = _kind(archive)
        if kind not in ("", "csr", "csc", "coo") or "data" not in archive:
            raise FormatError(f"no weights: {kind or 'the archive'} has no values per entry", path)
        values = np.abs(archive.array("data", "biufc", 1))
        if shape[0] != shape[1]:
            raise not_square(shape)
        if kind == "coo":
            return Graph.from_edges(*_indices(archive, "row", "col"), shape[0], values)
        # Rows or columns: either is the adjacency of an undirected graph.
        return Graph.from_bipartite(BipartiteGraph._adopted(*_indices(archive), shape), values)


def read_weighted(path: PathName, *, limits: Limits | None = None) -> WeightedEdges:
    """Read an archive of csr, csc or coo with its `data`."""
    with Archive(path, limits) as archive:
        shape, kind = _shape(archive, limits), _kind(archive)
        if kind not in ("", "csr", "csc", "coo") or "data" not in archive:
            raise FormatError(f"no weights: {kind or 'the archive'} has no values per entry", path)
        values = archive.array("data", "biufc", 1)
        try:
            if kind == "coo":
                return *_indices(archive, "row", "col"), values, shape
            across = shape[::-1] if kind == "csc" else shape
            graph = BipartiteGraph._adopted(*_indices(archive), across)
        except InvalidGraphError as error:
            raise FormatError(str(error), path) from error
    ends = np.repeat(np.arange(graph.n_rows), graph.row_degrees), graph.indices
    return *(ends[::-1] if kind == "csc" else ends), values, shape


def write(graph: BipartiteGraph, path: PathName) -> None:
    """Write a graph as ``indptr, indices, shape``; see `berge.write`."""
    shape = np.array(graph.shape, np.int64)
    with replacing(path) as file:
        np.savez_compressed(file, indptr=graph.indptr, indices=graph.indices, shape=shape)


def _indices(archive: Archive, first: str = "indptr", second: str = "indices") -> tuple[Any, Any]:
    return archive.array(first, "iu", 1), archive.array(second, "iu", 1)


def _kind(archive: Archive) -> str:
    """Return the name of scipy's format; ours has none."""
    return archive.text("format") if "format" in archive else ""


def _shape(archive: Archive, limits: Limits | None) -> tuple[int, int]:
    sizes = archive.array("shape", "iu", 1)[:3].tolist()
    if len(sizes) != 2 or min(sizes) < 0:
        raise FormatError(f"'shape' must be two whole numbers ≥ 0, not {sizes}", archive.path)
    held = [archive.shape(name) for name in ("indices", "row", "data") if name in archive]
    edges = max(map(math.prod, held), default=0)
    (limits or Limits()).check((sizes[0], sizes[1]), edges, archive.path)
    return sizes[0], sizes[1]


def _read_blocks(archive: Archive, shape: tuple[int, int]) -> BipartiteGraph:
    """Read bsr: `indptr` and `indices` are of blocks, all entries of a block are stored."""
    indptr, indices = _indices(archive)
    block = archive.shape("data")
    if len(block) != 3 or block[0] != indices.size or 0 in block[1:]:
        raise FormatError(f"'data' of {indices.size} blocks has shape {block}", archive.path)
    height, width = block[1:]
    if shape[0] % height or shape[1] % width:
        raise FormatError(f"{shape} cannot be cut into blocks of {(height, width)}", archive.path)
    blocks = BipartiteGraph(indptr, indices, (shape[0] // height, shape[1] // width))
    if indices.size == 0:  # a block that is not there has no size
        return BipartiteGraph.from_edges(indices, indices, shape)
    tops = np.repeat(np.arange(blocks.n_rows) * height, blocks.row_degrees)
    lefts = blocks.indices.astype(np.int64) * width
    places = np.arange(height * width)
    rows = tops[:, None] + places // width
    cols = lefts[:, None] + places % width
    return BipartiteGraph.from_edges(rows.ravel(), cols.ravel(), shape)


def _read_diagonals(archive: Archive, shape: tuple[int, int]) -> BipartiteGraph:
    """Read dia: ``data[k, j]`` is in column j and row ``j - offsets[k]``, where there is one."""
    offsets = archive.array("offsets", "i", 1).astype(np.int64)
    data = archive.array("data", "biufc", 2)
    if data.shape[0] != offsets.size:
        raise FormatError(f"{offsets.size} offsets for {data.shape[0]} diagonals", archive.path)
    diagonals, cols = np.nonzero(data[:, : shape[1]])
    rows = cols - offsets[diagonals]
    inside = (rows >= 0) & (rows < shape[0])
    return BipartiteGraph.from_edges(rows[inside], cols[inside], shape)
