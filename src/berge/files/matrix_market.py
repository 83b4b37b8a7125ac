"""Matrix Market: a header, a line of sizes, then an entry a line (or a value, in an array).

Every stored entry is an edge, also if its value is zero. Of a symmetric matrix only one triangle
is stored: its entries are mirrored, those of the diagonal are not. In the array format there are
no stored entries, so there the values that are not zero are the edges.

Weights are the absolute values, to the nearest floating-point number: whole numbers above 2^53 are
rounded too. What may stand in a file does not depend on whether they are wanted. But entries are
read without a look at their values where they are not.

Reference: Boisvert, Pozo, Remington, "The Matrix Market exchange formats", NISTIR 5935, 1996.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..graphs.graph import BipartiteGraph, Graph, not_square
from .blocks import graph_of, weighted_edges
from .dense import read_array
from .digits import write_pairs
from .files import PathName, replacing
from .limits import Limits
from .lines import Lines
from .text import (
    Head,
    WeightedEdges,
    check_claim,
    first_bytes,
    mirrored,
    pairs,
    shown,
    whole_numbers,
)
from .tokens import ABSOLUTE, AS_IS

_FIRST = first_bytes(comments=b"%")
_FIELDS = ("real", "integer", "complex", "pattern", "double", "unsigned-integer")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


@dataclass(frozen=True)
class MatrixHead(Head):
    """What the head of a file says; an array has no `entries`."""

    shape: tuple[int, int] = (0, 0)
    field: str = ""
    symmetry: str = ""


def read(path: PathName, *, limits: Limits | None = None) -> BipartiteGraph:
    """Read a Matrix Market file as a graph; see `berge.read`."""
    with Lines(path, limits=limits) as lines:
        head = read_head(lines)
        if head.entries is not None:
            return graph_of(lines, head)
        rows, cols, _ = read_array(lines, head)
    return BipartiteGraph.from_edges(rows, cols, head.shape)


def read_graph(path: PathName, *, weights: Any = True, limits: Limits | None = None) -> Graph:
    """Read a square matrix; `weights` is True for the absolute values of its entries."""
    if weights is not True:
        return Graph.from_bipartite(read(path, limits=limits), weights)
    with Lines(path, limits=limits) as lines:
        head = read_head(lines)
        if head.field == "pattern":
            raise lines.error("a pattern has no values to be weights", 1)
        if head.entries is None:
            rows, cols, own = read_array(lines, head, weighted=True)
        else:
            weighing = replace(head, width=2 if head.field == "complex" else 1, signed=ABSOLUTE)
            rows, cols, _, own = weighted_edges(lines, weighing)
    if head.shape[0] != head.shape[1]:
        raise not_square(head.shape)
    return Graph.from_edges(rows, cols, head.shape[0], own)


def read_weighted(path: PathName, *, limits: Limits | None = None) -> WeightedEdges:
    """Read the entries with their values; of complex ones with the absolute values."""
    with Lines(path, limits=limits) as lines:
        head = read_head(lines)
        if head.field == "pattern":
            raise lines.error("a pattern has no values to be weights", 1)
        if head.entries is None:
            raise lines.error("an array is dense: pass it as one, or write its entries", 1)
        weighing = replace(head, width=2 if head.field == "complex" else 1, signed=AS_IS)
        rows, cols, shape, values = weighted_edges(lines, weighing)
    if head.mirror:
        off = rows != cols
        sign = -1.0 if head.symmetry == "skew-symmetric" and head.field != "complex" else 1.0
        values = np.concatenate([values, sign * values[off]])
        rows, cols = mirrored(rows, cols)
    return rows, cols, values, shape


def check(path: PathName, limits: Limits | None = None) -> MatrixHead:
    """Go through a coordinate file without keeping it, for its errors and its sizes."""
    with Lines(path, limits=limits) as lines:
        head = read_head(lines)
        if head.entries is not None:
            deque(pairs(lines, head), maxlen=0)
    return head


def write(graph: BipartiteGraph, path: PathName) -> None:
    """Write a graph as ``coordinate pattern general``; see `berge.write`."""
    with replacing(path) as file:
        file.write(b"%%MatrixMarket matrix coordinate pattern general\n")
        file.write(b"%d %d %d\n" % (graph.n_rows, graph.n_cols, graph.nnz))
        write_pairs(file, graph.indptr, graph.indices, base=1)


def read_head(lines: Lines) -> MatrixHead:
    """Go past the head of a file, and return what it says."""
    kind, field, symmetry = _banner(lines)
    line = lines.heading(b"%", "the line of sizes")
    words = ("rows", "columns", "entries") if kind == "coordinate" else ("rows", "columns")
    sizes = whole_numbers(line)
    if len(sizes) != len(words):
        raise lines.error(f"expected {', '.join(words)}, found {shown(line)}")
    for size, word in zip(sizes, words, strict=True):
        if size < 0:
            raise lines.error(f"{size} {word}")
    shape, entries = (sizes[0], sizes[1]), sizes[2] if kind == "coordinate" else None
    if symmetry != "general" and shape[0] != shape[1]:
        raise lines.error(f"a {symmetry} matrix cannot be {shape[0]} × {shape[1]}")
    if entries is not None:
        check_claim(lines, entries, "entries", 4)
    mirror = symmetry != "general"
    return MatrixHead(_FIRST, 1, shape, entries, mirror, field=field, symmetry=symmetry)


def _banner(lines: Lines) -> tuple[str, str, str]:
    line = lines.peek()
    if line is None:
        raise lines.error("file is empty", 1)
    lines.skip()
    words = line[:200].decode("utf-8", "replace").lower().split()
    if not words or words[0] != "%%matrixmarket":
        raise lines.error("a Matrix Market file begins with %%MatrixMarket")
    if len(words) != 5:
        raise lines.error(
            "expected %%MatrixMarket matrix, format, field, symmetry; "
            f"found {len(words)} words, not 5"
        )
    for word, name, known in (
        (words[1], "object", ("matrix",)),
        (words[2], "format", ("coordinate", "array")),
        (words[3], "field", _FIELDS),
        (words[4], "symmetry", _SYMMETRIES),
    ):
        if word not in known:
            raise lines.error(f"{name} {word!r}, must be {' or '.join(known)}")
    if words[2] == "array" and words[3] == "pattern":
        raise lines.error("an array has values, so its field cannot be pattern")
    return words[2], words[3], words[4]
