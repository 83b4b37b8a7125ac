"""DIMACS graphs: ``p sp n m`` with arcs ``a u v w``, or ``p edge n m`` with edges ``e u v``.

Vertices count from 1, lines that begin with c are comments. What comes back is the adjacency as a
square biadjacency: arcs as they are, edges in both directions.

References: 9th DIMACS challenge (shortest paths), 2nd DIMACS challenge (colouring).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph, Graph
from .blocks import graph_of, weighted_edges
from .digits import write_pairs
from .files import PathName, replacing
from .limits import Limits
from .lines import Lines
from .text import Head, check_claim, first_bytes, shown, whole_numbers

# Problem -> the tag of its lines, and of lines that say nothing about edges.
_PROBLEMS = {"sp": (b"a", b"c"), "edge": (b"e", b"cn"), "col": (b"e", b"cn")}


def read(path: PathName, *, limits: Limits | None = None) -> BipartiteGraph:
    """Read a DIMACS file as the adjacency of its vertices; see `berge.read`."""
    with Lines(path, limits=limits) as lines:
        return graph_of(lines, read_head(lines))


def read_graph(path: PathName, *, weights: Any = True, limits: Limits | None = None) -> Graph:
    """Read a DIMACS file; `weights` is True for those of its arcs."""
    if weights is not True:
        return Graph.from_bipartite(read(path, limits=limits), weights)
    with Lines(path, limits=limits) as lines:
        head = replace(read_head(lines), width=1)
        if head.mirror:
            raise lines.error("a file of edges has no weights")
        rows, cols, (n, _), own = weighted_edges(lines, head)
    return Graph.from_edges(rows, cols, n, own)


def write(graph: BipartiteGraph, path: PathName) -> None:
    """Write a square graph as arcs of weight 1; see `berge.write`.

    Raises
    ------
    InvalidGraphError
        The graph is not square.
    """
    if graph.n_rows != graph.n_cols:
        raise InvalidGraphError(
            f"DIMACS has square graphs only, not {graph.n_rows} × {graph.n_cols}"
        )
    with replacing(path) as file:
        file.write(b"p sp %d %d\n" % (graph.n_rows, graph.nnz))
        write_pairs(file, graph.indptr, graph.indices, base=1, before=b"a ", after=b" 1\n")


def read_head(lines: Lines) -> Head:
    """Go past the line 'p', and return what it says."""
    line = lines.heading(b"c", "the line 'p'")
    match = re.fullmatch(rb"p\s+(\w+)\s+(.*)", line)
    numbers = whole_numbers(match[2]) if match else []
    problem = match[1].decode("ascii", "replace") if match else ""
    if problem not in _PROBLEMS or len(numbers) != 2:
        known = " or ".join(_PROBLEMS)
        raise lines.error(f"expected 'p', {known}, vertices, lines; found {shown(line)}")
    n, m = numbers
    if n < 0:
        raise lines.error(f"{n} vertices")
    check_claim(lines, m, "lines", 6)
    tag, ignored = _PROBLEMS[problem]
    words: Any = {"names": ("vertex", "vertex"), "unit": f"lines {tag.decode()!r}"}
    return Head(first_bytes(comments=ignored, tag=tag), 1, (n, n), m, tag == b"e", **words)
