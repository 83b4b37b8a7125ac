"""METIS graphs: line i has the neighbours of vertex i, so every edge is there twice.

The header is ``n m [fmt [ncon]]``; the digits of fmt tell whether a line has the vertex's size,
its ncon weights, and a weight after every neighbour. `read` passes over all of these: what comes
back is the adjacency, as a square biadjacency. `read_graph` and `write_graph` keep the weights of
edges, and those of vertices where there is one each.

Reference: Karypis, "METIS, version 5.1.0: manual", 2013, section 4.1.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph, Graph, IndexArray
from .digits import write_rows
from .files import PathName, replacing
from .limits import Limits
from .lines import Lines
from .text import check_claim, first_bytes, rows, shown, whole_numbers

_FIRST = first_bytes(comments=b"%")


def read(path: PathName, *, limits: Limits | None = None) -> BipartiteGraph:
    """Read a METIS file as the adjacency of its vertices; see `berge.read`."""
    indptr, neighbours, _, _ = _read(path, limits, False, False)
    return BipartiteGraph._adopted(indptr, neighbours, (indptr.size - 1,) * 2)


def read_graph(path: PathName, *, weights: Any = True, limits: Limits | None = None) -> Graph:
    """Read a METIS file with its weights of vertices, and those of edges if `weights` is True.

    Raises
    ------
    FormatError
        The file does not follow its format; names the line.
    """
    indptr, neighbours, vertex_weights, own = _read(path, limits, True, weights is True)
    return Graph(indptr, neighbours, own if weights is True else weights, vertex_weights)


def _read(
    path: PathName, limits: Limits | None, of_vertices: bool, of_edges: bool
) -> tuple[Any, Any, Any, Any]:
    """Return compressed rows, and the weights that are wanted and there."""
    with Lines(path, limits=limits) as lines:
        n, m, lead, stride, weighs = _header(lines)
        wanted = of_vertices and weighs, of_edges and stride > 1
        found = rows(lines, _FIRST, lead=lead, stride=stride, high=n, limit=n, weighs=wanted)
        parts = list(found) or [(np.zeros(0, np.int32),) * 4]
        neighbours, degrees, leads, between = map(np.concatenate, zip(*parts, strict=True))
        if degrees.size != n:
            raise lines.error(f"file ends after {degrees.size} of {n} vertices")
        if neighbours.size != 2 * m:
            raise lines.error(f"{neighbours.size} neighbours, but {m} edges have {2 * m} ends")
    indptr = np.concatenate([[0], np.cumsum(degrees, dtype=np.int64)])
    return indptr, neighbours, leads if wanted[0] else None, between if wanted[1] else None


def write(graph: BipartiteGraph, path: PathName) -> None:
    """Write a square graph with a symmetric pattern; see `berge.write`.

    Entries that are there more than once are written once: METIS has no parallel edges.

    Raises
    ------
    InvalidGraphError
        The graph is not square, not symmetric, or has a self-loop.
    """
    if graph.n_rows != graph.n_cols:
        raise InvalidGraphError(
            f"METIS has square graphs only, not {graph.n_rows} × {graph.n_cols}"
        )
    once = graph.without_duplicates()
    ends = np.repeat(np.arange(once.n_rows), once.row_degrees)
    loops = np.flatnonzero(once.indices == ends)
    if loops.size:
        raise InvalidGraphError(f"METIS has no self-loops, but vertex {ends[loops[0]]} has one")
    if not np.array_equal(once.indptr, once.T.indptr) or not np.array_equal(
        once.indices, once.T.indices
    ):
        there = ends * once.n_cols + once.indices
        back = once.indices.astype(np.int64) * once.n_cols + ends
        i, j = divmod(int(there[~np.isin(there, back)][0]), once.n_cols)
        raise InvalidGraphError(
            f"METIS has undirected graphs only: there is an entry ({i}, {j}) but none ({j}, {i})"
        )
    with replacing(path) as file:
        file.write(b"%d %d\n" % (once.n_rows, once.nnz // 2))
        write_rows(file, once.indptr, once.indices, base=1)


def write_graph(graph: Graph, path: PathName, *, scale: float = 1.0) -> None:
    """Write a graph with the weights that it has; see `Hierarchy.save` for `scale`.

    Raises
    ------
    InvalidGraphError
        A weight is not a whole number, or one of an edge not above 0; names it.
    """
    weights = written_weights("edge weight", graph.weights, 1, scale)
    vertex_weights = written_weights("vertex weight", graph.vertex_weights, 0, scale)
    digits = f" {int(vertex_weights is not None)}{int(weights is not None)}"
    with replacing(path) as file:
        file.write(b"%d %d" % (graph.n_vertices, graph.n_edges))
        file.write(b"\n" if digits == " 00" else f"{digits}\n".encode())
        write_rows(file, *woven(graph.indptr, graph.indices, vertex_weights, weights))


def written_weights(name: str, weights: Any, least: int, scale: float) -> IndexArray | None:
    """Return weights as whole numbers, rounded if they are scaled."""
    if weights is None:
        return None
    values = np.asarray(weights, np.float64) * scale
    whole = np.rint(values)
    bad = (whole < least) | (whole >= 2**53) | ((values != whole) if scale == 1 else False)
    if bad.any():
        k = int(np.argmax(bad))
        raise InvalidGraphError(
            f"{name} {values[k]:g} (number {k}) cannot be written: METIS has whole numbers from "
            f"{least} on; scale= multiplies weights and rounds them"
        )
    return whole.astype(np.int64)


def woven(
    indptr: IndexArray, indices: IndexArray, leads: IndexArray | None, between: IndexArray | None
) -> tuple[IndexArray, IndexArray]:
    """Return rows counted from 1, with a number before each row and one after each entry."""
    lead, stride = int(leads is not None), 1 + int(between is not None)
    begins = indptr.astype(np.int64) * stride + lead * np.arange(indptr.size)
    values = np.empty(int(begins[-1]), np.int64)
    gaps = np.repeat(begins[:-1] + lead - stride * indptr[:-1].astype(np.int64), np.diff(indptr))
    places = gaps + stride * np.arange(indices.size)
    values[places] = indices + np.int64(1)
    if leads is not None:
        values[begins[:-1]] = leads
    if between is not None:
        values[places + 1] = between
    return begins, values


def _header(lines: Lines) -> tuple[int, int, int, int, bool]:
    """Return vertices, edges, integers before the neighbours, and integers for each of them.

    The last value tells whether the last integer before the neighbours is the vertex's weight.
    """
    line = lines.heading(b"%", "the header")
    numbers = whole_numbers(line)
    if not 2 <= len(numbers) <= 4:
        raise lines.error(f"expected vertices, edges [, fmt [, ncon]], found {shown(line)}")
    n, m, fmt, ncon = numbers + [0, 1][len(numbers) - 2 :]
    if fmt not in (0, 1, 10, 11, 100, 101, 110, 111):
        raise lines.error(f"fmt {fmt} must be up to three digits 0 or 1")
    if not 0 <= ncon < 2**31:
        raise lines.error(f"{ncon} weights of a vertex")
    # A vertex takes a line feed; an edge twice a digit and what separates it from the next.
    check_claim(lines, n, "vertices", 1)
    check_claim(lines, m, "edges", 4)
    lines.limits.check((n, n), 2 * m, lines.path, lines.line)
    weighs = fmt // 10 % 10 == 1
    lead = fmt // 100 + (ncon if weighs else 0)
    return n, m, lead, 1 + fmt % 10, weighs and ncon == 1
