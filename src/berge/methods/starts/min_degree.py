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

from typing import Any, NamedTuple

import numpy as np

from ...compile import helper, kernel
from ...results.run import Run
from ...tuning import EDGES_PER_CALL
from ..sides import both_sides, free_degrees

HEAD, MATCHED = 0, 1  # entries of `state`: how much of the queue is done, edges added


class Arrays(NamedTuple):
    """What the rule works on, besides the two sides; the names are explained above."""

    degree: Any
    first: Any
    queue: Any
    place: Any
    state: Any


def min_degree(run: Run) -> None:
    """Extend the matching by vertices of least degree."""
    rows, cols = both_sides(run)
    degree = free_degrees(run, rows, cols)
    a = Arrays(
        degree=degree,
        first=np.zeros(degree.max(initial=0) + 2, degree.dtype),
        queue=np.empty_like(degree),
        place=np.empty_like(degree),
        state=np.zeros(2, np.int64),
    )
    sort_by_degree(a)
    while a.state[HEAD] < degree.size:
        before = a.state[MATCHED]
        match_least(rows, cols, a, EDGES_PER_CALL)
        run.cardinality += int(a.state[MATCHED] - before)
        run.pause()


@kernel
def sort_by_degree(a: Any) -> None:
    """Fill the queue; `first` comes as zeros."""
    degree, first, queue, place = a.degree, a.first, a.queue, a.place
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
def match_least(rows: Any, cols: Any, a: Any, budget: int) -> None:
    """Match from the head of the queue on, until some `budget` edges have been looked at."""
    degree, queue = a.degree, a.queue
    n_rows, none = np.int64(rows.match.size), np.int64(0)
    head, matched = a.state[HEAD], a.state[MATCHED]
    while head < queue.size and budget > 0:
        v = np.int64(queue[head])
        head += 1
        budget -= 1
        if degree[v] == 0:
            continue
        if v < n_rows:
            x = v
            if rows.match[x] >= 0:
                continue
            y = least_free(a, rows, cols, n_rows, x)
        else:
            y = v - n_rows
            if cols.match[y] >= 0:
                continue
            x = least_free(a, cols, rows, none, y)
        rows.match[x] = y
        cols.match[y] = x
        matched += 1
        lower_degrees(a, rows, cols, n_rows, x, head)
        lower_degrees(a, cols, rows, none, y, head)
        budget -= np.int64(rows.indptr[x + 1] - rows.indptr[x])
        budget -= np.int64(cols.indptr[y + 1] - cols.indptr[y])
    a.state[HEAD], a.state[MATCHED] = head, matched


@helper
def least_free(a: Any, side: Any, other: Any, offset: int, v: int) -> int:
    """Return the free neighbour of v that has the least degree, the first of several.

    The other side's vertices are numbered from `offset` on. The caller knows that there is one.
    """
    least = np.int64(-1)
    least_degree = np.int64(0)
    for k in range(side.indptr[v], side.indptr[v + 1]):
        u = np.int64(side.indices[k])
        if other.match[u] < 0:
            d = np.int64(a.degree[offset + u])
            if least < 0 or d < least_degree:
                least = u
                least_degree = d
    return least  # type: ignore[return-value]


@helper
def lower_degrees(a: Any, side: Any, other: Any, offset: int, v: int, head: int) -> None:
    """Take v from its free neighbours, and move them up in the queue."""
    degree, first, queue, place = a.degree, a.first, a.queue, a.place
    for k in range(side.indptr[v], side.indptr[v + 1]):
        u = np.int64(side.indices[k])
        if other.match[u] >= 0:
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
