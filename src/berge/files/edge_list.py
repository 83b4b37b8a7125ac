"""Edge lists: a row and a column on each line; what follows is ignored, or a weight.

Numbers are separated by spaces, tabs, commas or semicolons; lines that begin with # or % are
comments. A first line of words, as CSV files have it, is passed over. The largest numbers give the
shape, unless a comment before the first edge says ``rows R cols C entries E``. Our own files do, so
that empty rows and columns at the end are not lost.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..graphs.graph import BipartiteGraph, Graph, not_square
from .blocks import graph_of, weighted_edges
from .digits import write_pairs
from .files import PathName, replacing, split_suffix
from .limits import Limits
from .lines import Lines
from .text import Head, WeightedEdges, check_claim, first_bytes
from .tokens import AS_IS

_FIRST = first_bytes(comments=b"#%")
_SIZES = re.compile(rb"[#%]\s*rows\s+(\d{1,30})\s+cols\s+(\d{1,30})\s+entries\s+(\d{1,30})")
_SEPARATORS = {".csv": b",", ".tsv": b"\t"}


def read(path: PathName, *, base: int = 0, limits: Limits | None = None) -> BipartiteGraph:
    """Read an edge list whose first row and column have the number `base`; see `berge.read`."""
    with Lines(path, limits=limits) as lines:
        return graph_of(lines, read_head(lines, base))


def read_graph(
    path: PathName, *, base: int = 0, weights: Any = True, limits: Limits | None = None
) -> Graph:
    """Read the edges of a graph; `weights` is True for those in the third column."""
    with Lines(path, limits=limits) as lines:
        head = replace(read_head(lines, base), width=1 if weights is True else 0)
        if head.shape is not None and head.shape[0] != head.shape[1]:
            raise not_square(head.shape)
        rows, cols, shape, own = weighted_edges(lines, head)
    return Graph.from_edges(rows, cols, max(shape), own if weights is True else weights)


def read_weighted(path: PathName, *, base: int = 0, limits: Limits | None = None) -> WeightedEdges:
    """Read the edges with the numbers in the third column."""
    with Lines(path, limits=limits) as lines:
        head = replace(read_head(lines, base), width=1, signed=AS_IS)
        rows, cols, shape, values = weighted_edges(lines, head)
    return rows, cols, values, shape


def write(graph: BipartiteGraph, path: PathName) -> None:
    """Write a graph as an edge list from 0, with its sizes first; see `berge.write`."""
    with replacing(path) as file:
        file.write(b"# rows %d cols %d entries %d\n" % (graph.n_rows, graph.n_cols, graph.nnz))
        separator = _SEPARATORS.get(split_suffix(path)[0], b" ")
        write_pairs(file, graph.indptr, graph.indices, between=separator)


def read_head(lines: Lines, base: int) -> Head:
    """Go past comments and a line of words; a comment may have rows, columns and entries."""
    head = Head(_FIRST, base)
    words_at = 0
    while lines.skip_blank() and (line := lines.peek()) is not None:
        text = line.strip()
        is_comment = text[:1] in (b"#", b"%")
        if not is_comment:
            if not _is_words(text):
                return head
            if words_at:
                break
            words_at = lines.line + 1
        lines.skip()
        if is_comment and (match := _SIZES.fullmatch(text)):
            n_rows, n_cols, entries = map(int, match.groups())
            check_claim(lines, entries, "entries", 4)
            head = Head(_FIRST, base, (n_rows, n_cols), entries)
    if words_at:
        raise lines.error("neither an edge nor a comment", words_at)
    return head


def _is_words(text: bytes) -> bool:
    """Tell whether no field of a line begins as a number does."""
    return not any(field[:1] in b"+-0123456789" for field in re.split(rb"[ \t,;]+", text) if field)
