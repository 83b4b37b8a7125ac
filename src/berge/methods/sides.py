"""The two sides of a graph as kernels take them, for algorithms that go both ways."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compile import kernel
from ..graphs.graph import BipartiteGraph, IndexArray, unsigned
from ..results.run import Run

__all__ = ["Side", "both_sides", "free_degrees"]


class Side(NamedTuple):
    """The rows or the columns: the neighbours of each, and its match."""

    indptr: Any
    indices: Any
    match: Any


def both_sides(run: Run) -> tuple[Side, Side]:
    """Return the rows and the columns of a run; builds the transpose."""
    return _side(run.graph, run.row_match), _side(run.transpose(), run.col_match)


def _side(graph: BipartiteGraph, match: IndexArray) -> Side:
    return Side(unsigned(graph.indptr), unsigned(graph.indices), match)


def free_degrees(run: Run, rows: Side, cols: Side) -> IndexArray:
    """Return how many free neighbours each vertex has, rows first, then columns; matched ones 0.

    The type is one that has room for the number of every vertex, and its negative.
    """
    n_rows, n_vertices = run.graph.n_rows, sum(run.graph.shape)
    index = np.promote_types(run.graph.indices.dtype, np.min_scalar_type(-n_vertices - 1))
    degree = np.empty(n_vertices, index)
    for side, other, its_degree in ((rows, cols, degree[:n_rows]), (cols, rows, degree[n_rows:])):
        if run.cardinality > 0:
            count_free(side, other, its_degree)
        else:
            its_degree[:] = np.diff(side.indptr)
    return degree


@kernel
def count_free(side: Any, other: Any, degree: Any) -> None:
    """Count the free neighbours of one side's free vertices."""
    indptr, indices, match, other_match = side.indptr, side.indices, side.match, other.match
    for v in range(match.size):
        count = 0
        if match[v] < 0:
            for k in range(indptr[v], indptr[v + 1]):
                count += other_match[indices[k]] < 0
        degree[v] = count
