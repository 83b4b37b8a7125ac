"""METIS graphs: line i has the neighbours of vertex i, so every edge is there twice.

The header is ``n m [fmt [ncon]]``; the digits of fmt tell whether a line has the vertex's size,
its ncon weights, and a weight after every neighbour. All of these are passed over: what comes
back is the adjacency, as a square biadjacency.

Reference: Karypis, "METIS, version 5.1.0: manual", 2013, section 4.1.1.
"""

from __future__ import annotations

import numpy as np

from ..errors import InvalidGraphError
from ..graph import BipartiteGraph
from .digits import write_rows
from .files import PathName, check_memory, replacing
from .lines import Lines
from .text import check_claim, first_bytes, join, rows, shown, whole_numbers

__all__ = ["read", "write"]

_FIRST = first_bytes(comments=b"%")


def read(path: PathName) -> BipartiteGraph:
    """Read a METIS file as the adjacency of its vertices; see `berge.read`."""
    with Lines(path) as lines:
        n, m, lead, stride = _header(lines)
        neighbours, degrees = join(rows(lines, _FIRST, lead=lead, stride=stride, high=n, limit=n))
        if degrees.size != n:
            raise lines.error(f"file ends after {degrees.size} of {n} vertices")
        if neighbours.size != 2 * m:
            raise lines.error(f"{neighbours.size} neighbours, but {m} edges have {2 * m} ends")
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(degrees, out=indptr[1:])
    return BipartiteGraph(indptr, neighbours, (n, n))


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


def _header(lines: Lines) -> tuple[int, int, int, int]:
    """Return vertices, edges, integers before the neighbours, and integers for each of them."""
    line = lines.heading(b"%", "the header")
    numbers = whole_numbers(line)
    if not 2 <= len(numbers) <= 4:
        raise lines.error(f"expected vertices, edges [, fmt [, ncon]], found {shown(line)}")
    n, m, fmt, ncon = numbers + [0, 1][len(numbers) - 2 :]
    if fmt not in (0, 1, 10, 11, 100, 101, 110, 111):
        raise lines.error(f"fmt {fmt} must be up to three digits 0 or 1")
    if ncon < 0:
        raise lines.error(f"{ncon} weights")
    # A vertex takes a line feed; an edge twice a digit and what separates it from the next.
    check_claim(lines, n, "vertices", 1)
    check_claim(lines, m, "edges", 4)
    check_memory((n, n), lines.path, lines.line)
    lead = fmt // 100 + (ncon if fmt // 10 % 10 else 0)
    return n, m, lead, 1 + fmt % 10
