"""Edge lists: a row and a column on each line; what follows is ignored, or a weight.

Numbers are separated by spaces, tabs, commas or semicolons; lines that begin with # or % are
comments. A first line of words, as CSV files have it, is passed over. The largest numbers give the
shape, unless a comment before the first edge says ``rows R cols C entries E``. Our own files do, so
that empty rows and columns at the end are not lost.
"""

from __future__ import annotations

import re
from typing import Any

from ..graphs.graph import BipartiteGraph, Graph, IndexArray, not_square
from .digits import write_pairs
from .files import PathName, check_memory, replacing, split_suffix
from .lines import Lines
from .text import check_claim, column, first_bytes, join, pairs, shape_of

__all__ = ["read", "read_graph", "read_heading", "scan_settings", "write"]

_FIRST = first_bytes(comments=b"#%")
_SIZES = re.compile(rb"[#%]\s*rows\s+(\d{1,30})\s+cols\s+(\d{1,30})\s+entries\s+(\d{1,30})")
_SEPARATORS = {".csv": b",", ".tsv": b"\t"}


def read(path: PathName, *, base: int = 0) -> BipartiteGraph:
    """Read an edge list whose first row and column have the number `base`; see `berge.read`."""
    return BipartiteGraph.from_edges(*_read(path, base))


def read_graph(path: PathName, *, base: int = 0, weights: Any = True) -> Graph:
    """Read the edges of a graph; `weights` is True for those in the third column."""
    rows, cols, shape = _read(path, base)
    with Lines(path) as lines:
        if read_heading(lines) is not None and shape[0] != shape[1]:
            raise not_square(shape)
        if weights is True:
            weights = column(lines, 2, comments=b"#%")
    return Graph.from_edges(rows, cols, max(shape), weights)


def _read(path: PathName, base: int) -> tuple[IndexArray, IndexArray, tuple[int, int]]:
    with Lines(path) as lines:
        sizes = read_heading(lines)
        rows, cols = join(pairs(lines, **scan_settings(sizes, base)))
    if sizes is not None:
        return rows, cols, sizes[:2]
    return rows, cols, shape_of(rows, cols, path)


def scan_settings(sizes: tuple[int, int, int] | None, base: int) -> dict[str, Any]:
    """Return how `pairs` has to take the edges."""
    if sizes is None:
        return {"first": _FIRST, "low": base}
    rows, cols, entries = sizes
    bounds = {"row_high": rows - 1 + base, "col_high": cols - 1 + base, "limit": entries}
    return {"first": _FIRST, "low": base, **bounds}


def write(graph: BipartiteGraph, path: PathName) -> None:
    """Write a graph as an edge list from 0, with its sizes first; see `berge.write`."""
    with replacing(path) as file:
        file.write(b"# rows %d cols %d entries %d\n" % (graph.n_rows, graph.n_cols, graph.nnz))
        separator = _SEPARATORS.get(split_suffix(path)[0], b" ")
        write_pairs(file, graph.indptr, graph.indices, between=separator)


def read_heading(lines: Lines) -> tuple[int, int, int] | None:
    """Go past comments and a line of words; return rows, columns, entries if a comment has them."""
    sizes = None
    words_at = 0
    while (line := lines.peek()) is not None:
        text = line.strip()
        is_comment = text[:1] in (b"#", b"%")
        if text and not is_comment:
            if not _is_words(text):
                return sizes
            if words_at:
                break
            words_at = lines.line + 1
        lines.skip()
        if is_comment and (match := _SIZES.fullmatch(text)):
            sizes = int(match[1]), int(match[2]), int(match[3])
            check_memory(sizes[:2], lines.path, lines.line)
            check_claim(lines, sizes[2], "entries", 4)
    if words_at:
        raise lines.error("neither an edge nor a comment", words_at)
    return sizes


def _is_words(text: bytes) -> bool:
    """Tell whether no field of a line begins as a number does."""
    return not any(field[:1] in b"+-0123456789" for field in re.split(rb"[ \t,;]+", text) if field)
