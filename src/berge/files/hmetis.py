"""Hypergraphs as hMETIS has them: a line for each net with its vertices, counted from 1.

The header is ``nets vertices [fmt]``. With fmt 1 or 11 a line begins with the weight of its net.
With fmt 10 or 11 a line for each vertex with its weight follows the nets. An empty line is a net
without vertices. As a bipartite graph, nets are rows and vertices are columns.

Reference: Karypis, Kumar, "hMETIS, version 1.5.3", 1998, section 4.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import FormatError
from ..graphs.graph import BipartiteGraph, Graph, IndexArray
from .digits import write_rows
from .files import PathName, replacing
from .limits import Limits
from .lines import Lines
from .metis import woven, written_weights
from .text import check_claim, first_bytes, rows, shown, whole_numbers

_FIRST = first_bytes(comments=b"%")


def read(path: PathName, *, limits: Limits | None = None) -> BipartiteGraph:
    """Read a hypergraph as nets and their vertices; see `berge.read`."""
    return read_hypergraph(path, limits=limits)[0]


def read_graph(path: PathName, *, weights: Any = True, limits: Limits | None = None) -> Graph:
    """Refuse to: nets are no edges.

    Raises
    ------
    FormatError
        Always.
    """
    takes = "coarsen_hypergraph or coarsen --hypergraph takes them"
    raise FormatError(f"has nets of any size, not edges; {takes}", path)


def read_hypergraph(
    path: PathName, *, limits: Limits | None = None
) -> tuple[BipartiteGraph, IndexArray | None, IndexArray | None]:
    """Return nets and their vertices, the weights of the nets, and those of the vertices.

    Raises
    ------
    FormatError
        The file does not follow its format; names the line.
    """
    with Lines(path, limits=limits) as lines:
        nets, n, of_nets, of_vertices = _header(lines)
        limit = nets + n if of_vertices else nets
        # Of a line that is a vertex's weight the lead is all: so a net has one too, its weight or
        # its first vertex.
        leads = of_nets or of_vertices
        found = rows(
            lines, _FIRST, lead=int(leads), stride=1, high=n, limit=limit, weighs=(leads, False),
            name="vertex",
        )  # fmt: skip
        parts = list(found) or [(np.zeros(0, np.int32),) * 4]
        pins, sizes, lead, _ = map(np.concatenate, zip(*parts, strict=True))
        if sizes.size != limit:
            raise lines.error(f"file ends after {sizes.size} of {limit} lines of nets and vertices")
        if sizes[nets:].any():
            number = int(np.argmax(sizes[nets:] > 0)) + 1
            raise lines.error(f"more than a weight for vertex {number}")
    indptr = np.concatenate([[0], np.cumsum(sizes[:nets], dtype=np.int64)])
    if of_vertices and not of_nets:
        bad = (lead[:nets] < 1) | (lead[:nets] > n)
        if bad.any():
            k = int(np.argmax(bad))
            raise FormatError(f"net {k + 1} has vertex {lead[k]}, which is not in 1 … {n}", path)
        pins = np.insert(pins, indptr[:-1], lead[:nets].astype(pins.dtype) - 1)
        indptr += np.arange(nets + 1)
    graph = BipartiteGraph._adopted(indptr, pins, (nets, n))
    return graph, lead[:nets] if of_nets else None, lead[nets:] if of_vertices else None


def write(graph: BipartiteGraph, path: PathName) -> None:
    """Write rows as nets, columns as vertices; see `berge.write`."""
    once = graph.without_duplicates()
    with replacing(path) as file:
        file.write(b"%d %d\n" % once.shape)
        write_rows(file, once.indptr, once.indices, base=1)


def write_hypergraph(hypergraph: Any, path: PathName, *, scale: float = 1.0) -> None:
    """Write a hypergraph with its weights; see `Hierarchy.save` for `scale`."""
    nets = hypergraph.incidence
    weights = written_weights("net weight", hypergraph.weights, 1, scale)
    vertex_weights = written_weights("vertex weight", hypergraph.vertex_weights, 0, scale)
    with replacing(path) as file:
        fmt = 1 if vertex_weights is None else 11
        file.write(b"%d %d %d\n" % (nets.n_rows, nets.n_cols, fmt))
        write_rows(file, *woven(nets.indptr, nets.indices, weights, None))
        if vertex_weights is not None:
            write_rows(file, np.arange(nets.n_cols + 1), vertex_weights)


def _header(lines: Lines) -> tuple[int, int, bool, bool]:
    """Return the number of nets, of vertices, and whether each of the two have weights."""
    line = lines.heading(b"%", "the header")
    numbers = whole_numbers(line)
    if not 2 <= len(numbers) <= 3:
        raise lines.error(f"expected nets, vertices [, fmt], found {shown(line)}")
    nets, n, fmt = (*numbers, 0)[:3]
    if fmt not in (0, 1, 10, 11):
        raise lines.error(f"fmt {fmt} must be 1, 10 or 11")
    of_nets, of_vertices = fmt % 10 == 1, fmt >= 10
    # A net takes a line feed, and a weight before it; so does a vertex that has one.
    check_claim(lines, nets, "nets", 1 + of_nets)
    check_claim(lines, n, "vertices", 2 * of_vertices)
    lines.limits.check((nets, n), 0, lines.path, lines.line)
    return nets, n, of_nets, of_vertices
