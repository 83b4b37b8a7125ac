"""Graphs without an odd cycle, seen as rows and columns; see `sides_of`.

Where one side has the lower numbers, rows and columns are runs of vertices. The entries are then
those of the graph itself, unless these columns are more. Else those of one side are copied, with
the columns' numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compile import kernel
from .graph import BipartiteGraph, Graph, IndexArray, unsigned
from .owned import settle
from .symmetry import two_colour

__all__ = ["Sides", "sides_of"]


class Sides(NamedTuple):
    """A graph of two sides, the smaller one as rows; which vertex is each row, and each column."""

    graph: BipartiteGraph
    rows: IndexArray
    cols: IndexArray

    def mates(self, row_match: IndexArray, col_match: IndexArray) -> IndexArray:
        """Return the mates of the vertices, from those of rows and columns."""
        mate = np.empty(row_match.size + col_match.size, self.rows.dtype)
        name_mates(row_match, self.rows, self.cols, mate)
        name_mates(col_match, self.cols, self.rows, mate)
        return mate


def sides_of(graph: Graph) -> Sides | None:
    """Return the sides of a graph, which keeps them; None if it has an odd cycle."""
    kept = graph._values
    if "sides" not in kept:
        settle(graph, "sides", _found(graph))
    sides: Sides | None = kept["sides"]
    return sides


def _found(graph: Graph) -> Sides | None:
    """Look for the sides; an odd cycle ends the search."""
    n, indptr, indices = graph.n_vertices, graph.indptr, graph.indices
    vertices = np.arange(n, dtype=indices.dtype)
    k = first_below(unsigned(indptr), unsigned(indices))
    cut = indptr[k]
    if indices.size == 2 * cut:  # rows are sorted: no edge joins vertices below k, so none others
        if k < n - k:
            half = BipartiteGraph._trusted(indptr[: k + 1], indices[:cut] - k, (k, n - k))
            return Sides(half, vertices[:k], vertices[k:])
        half = BipartiteGraph._trusted(indptr[k:] - cut, indices[cut:], (n - k, k))
        return Sides(half, vertices[k:], vertices[:k])
    rows = unsigned(indptr), unsigned(indices)
    colour, place = np.full(n, -1, np.int8), np.empty_like(vertices)
    if not colour_in_order(*rows, colour):
        colour.fill(-1)
        if not two_colour(*rows, colour, place, True)[1]:
            return None
    ones = int(np.count_nonzero(colour))
    size, side = min((ones, 1), (n - ones, 0))
    x, y = vertices[:size], np.empty(n - size, indices.dtype)
    half_indptr = np.zeros(size + 1, indptr.dtype)
    split(indptr, colour, side, x, y, place, half_indptr)
    half_indices = np.empty(indices.size // 2, indices.dtype)
    take_rows(*rows, x, place, half_indptr, half_indices)
    half = BipartiteGraph._trusted(half_indptr, half_indices, (size, n - size))
    return Sides(half, x, y)


@kernel
def first_below(indptr: Any, indices: Any) -> Any:
    """Return the first vertex whose first neighbour has a lower number."""
    n = indptr.size - 1
    for v in range(n):
        if indptr[v] < indptr[v + 1] and indices[indptr[v]] < v:
            return v
    return n


@kernel
def colour_in_order(indptr: Any, indices: Any, colour: Any) -> bool:
    """Colour vertices (−1 on entry) and their neighbours in the order of their numbers.

    That works for graphs whose parts are numbered from neighbour to neighbour. Return False at the
    first edge of one colour: it may be an odd cycle.
    """
    for v in range(colour.size):
        for k in range(indptr[v], indptr[v + 1]):
            if colour[v] >= 0:
                break
            if colour[indices[k]] >= 0:
                colour[v] = 1 - colour[indices[k]]
        colour[v] = abs(colour[v])
        for k in range(indptr[v], indptr[v + 1]):
            if colour[indices[k]] == colour[v]:
                return False
            colour[indices[k]] = 1 - colour[v]
    return True


@kernel
def split(
    indptr: Any, colour: Any, side: int, rows: Any, cols: Any, place: Any, half_indptr: Any
) -> None:
    """List the vertices of that colour as rows, with where their entries will begin."""
    i = j = 0
    for v in range(colour.size):
        if colour[v] == side:
            rows[i] = v
            half_indptr[i + 1] = half_indptr[i] + indptr[v + 1] - indptr[v]
            i += 1
        else:
            cols[j], place[v] = v, j
            j += 1


@kernel
def take_rows(
    indptr: Any, indices: Any, rows: Any, place: Any, half_indptr: Any, half_indices: Any
) -> None:
    """Copy the neighbours of the rows, by their places among the columns."""
    for i in range(rows.size):
        first = np.int64(indptr[rows[i]]) - half_indptr[i]
        for k in range(half_indptr[i], half_indptr[i + 1]):
            half_indices[k] = place[indices[k + first]]


@kernel
def name_mates(match: Any, own: Any, other: Any, mate: Any) -> None:
    """Fill in the mates of one side."""
    for i in range(own.size):
        j = match[i]
        mate[own[i]] = other[j] if j >= 0 else j
