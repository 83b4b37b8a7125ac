"""The dynamic minimum degree start: always match a vertex that has fewest free neighbours left.

The vertex may be a row or a column; its mate is the free neighbour with fewest free neighbours.
Degrees are kept up to date, so a vertex of degree one comes before all others: this is Karp–Sipser
with a better guess where that rule gives out. The guess costs a queue of all vertices by degree.
Vertices of equal degree come in the order in which they got it, at first by number.

Work O(n + nnz): each edge lowers at most two degrees, and a degree falls by one in O(1). Memory:
three places for every vertex, and one for every degree.

Vertices are numbered through: row x is x, column y is n_rows + y.

- ``degree[v]``: number of edges from v to free vertices, while v is free.
- ``queue``: all vertices, by degree from ``state[HEAD]`` on. What has been matched meanwhile stays
  where it is, and is passed over.
- ``place[v]``: where v is in the queue.
- ``first[d]``: where vertices of degree d and more begin; what is before the head counts as head.
  A vertex changes places with the first of its degree, which then belongs to the degree below.

Reference: J. Langguth, F. Manne, P. Sanders, "Heuristic initialization for bipartite matching
problems", ACM JEA 15, 2010 (dynamic mindegree). The queue by exchange is that of V. Batagelj,
M. Zaveršnik, "An O(m) algorithm for cores decomposition of networks", 2003.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import helper, kernel
from ...compile.tuning import EDGES_PER_CALL
from ...graphs.graph import unsigned
from ...results.run import Run

HEAD, MATCHED = 0, 1  # entries of `state`: how much of the queue is done, edges added


def min_degree(run: Run) -> None:
    """Extend the matching by vertices of least degree."""
    graph, transpose = run.graph, run.transpose()
    rows_csr = unsigned(graph.indptr), unsigned(graph.indices)
    cols_csr = unsigned(transpose.indptr), unsigned(transpose.indices)
    n_vertices = graph.n_rows + graph.n_cols
    index = np.promote_types(graph.indices.dtype, np.min_scalar_type(-n_vertices - 1))
    degree = np.empty(n_vertices, index)
    free_degrees(*rows_csr, run.row_match, run.col_match, degree[: graph.n_rows])
    free_degrees(*cols_csr, run.col_match, run.row_match, degree[graph.n_rows :])
    first = np.zeros(degree.max(initial=0) + 2, index)
    queue, place = np.empty((2, n_vertices), index)
    sort_by_degree(degree, first, queue, place)
    state = np.zeros(2, np.int64)
    while state[HEAD] < n_vertices:
        before = state[MATCHED]
        match_least(
            *rows_csr,
            *cols_csr,
            run.row_match,
            run.col_match,
            degree,
            first,
            queue,
            place,
            state,
            EDGES_PER_CALL,
        )
        run.cardinality += int(state[MATCHED] - before)
        run.pause()


@kernel
def free_degrees(indptr: Any, indices: Any, match: Any, other_match: Any, degree: Any) -> None:
    """Count the free neighbours of one side's free vertices; matched ones get 0."""
    for v in range(match.size):
        degree[v] = 0
        if match[v] < 0:
            for k in range(indptr[v], indptr[v + 1]):
                if other_match[indices[k]] < 0:
                    degree[v] += 1


@kernel
def sort_by_degree(degree: Any, first: Any, queue: Any, place: Any) -> None:
    """Fill the queue; `first` comes as zeros."""
    for v in range(degree.size):
        first[degree[v] + 1] += 1
    for d in range(1, first.size):
        first[d] += first[d - 1]
    # first[d] walks to where degree d ends, which is where d + 1 begins; then all shift by one.
    for v in range(degree.size):
        place[v] = first[degree[v]]
        queue[place[v]] = v
        first[degree[v]] += 1
    for d in range(first.size - 1, 0, -1):
        first[d] = first[d - 1]
    first[0] = 0


@kernel
def match_least(
    indptr: Any,
    indices: Any,
    t_indptr: Any,
    t_indices: Any,
    row_match: Any,
    col_match: Any,
    degree: Any,
    first: Any,
    queue: Any,
    place: Any,
    state: Any,
    budget: int,
) -> None:
    """Match from the head of the queue on, until some `budget` edges have been looked at."""
    n_rows = np.int64(row_match.size)
    head, matched = state[HEAD], state[MATCHED]
    while head < queue.size and budget > 0:
        v = np.int64(queue[head])
        head += 1
        budget -= 1
        if degree[v] == 0:
            continue
        if v < n_rows:
            x = v
            if row_match[x] >= 0:
                continue
            y = least_free(indptr, indices, x, col_match, degree, n_rows)
        else:
            y = v - n_rows
            if col_match[y] >= 0:
                continue
            x = least_free(t_indptr, t_indices, y, row_match, degree, np.int64(0))
        row_match[x] = y
        col_match[y] = x
        matched += 1
        lower_degrees(indptr, indices, x, col_match, n_rows, degree, first, queue, place, head)
        lower_degrees(
            t_indptr, t_indices, y, row_match, np.int64(0), degree, first, queue, place, head
        )
        budget -= np.int64(indptr[x + 1] - indptr[x]) + np.int64(t_indptr[y + 1] - t_indptr[y])
    state[HEAD], state[MATCHED] = head, matched


@helper
def least_free(
    indptr: Any, indices: Any, v: int, other_match: Any, degree: Any, offset: int
) -> int:
    """Return the free neighbour of v that has the least degree, the first of several.

    The other side's vertices are numbered from `offset` on. The caller knows that there is one.
    """
    least = np.int64(-1)
    least_degree = np.int64(0)
    for k in range(indptr[v], indptr[v + 1]):
        u = np.int64(indices[k])
        if other_match[u] < 0:
            d = np.int64(degree[offset + u])
            if least < 0 or d < least_degree:
                least = u
                least_degree = d
    return least  # type: ignore[return-value]


@helper
def lower_degrees(
    indptr: Any,
    indices: Any,
    v: int,
    other_match: Any,
    offset: int,
    degree: Any,
    first: Any,
    queue: Any,
    place: Any,
    head: int,
) -> None:
    """Take v from its free neighbours, and move them up in the queue."""
    for k in range(indptr[v], indptr[v + 1]):
        u = np.int64(indices[k])
        if other_match[u] >= 0:
            continue
        u += offset
        d = degree[u]
        degree[u] = d - 1
        here = place[u]
        there = max(first[d], head)
        ahead = queue[there]
        queue[there], queue[here] = u, ahead
        place[u], place[ahead] = there, here
        first[d] = there + 1
