"""Depth-first search from an unmatched row: the one that all algorithms here share.

A search goes down from a row through a column to the column's mate, a row again, and back up where
it can go no further. It ends at a free column. What tells the algorithms apart is which columns a
search may visit, and that is written in ``level``: a search at depth d may visit y if ``level[y]``
is more than d, and leaves d there.

===============  ==========================  ===============================  ==================
algorithm        depth of a search           level of a column not visited    visited again
===============  ==========================  ===============================  ==================
Pothen–Fan       0, however long the path    1                                in the next phase
Hopcroft–Karp    rows on the path above it   that of breadth-first search     in the next phase
single source    number of roots left        number of roots, or less         by the next search
===============  ==========================  ===============================  ==================

In Hopcroft–Karp a row at depth d has no neighbour of a level above d + 1, so that a search goes
down one level at every step. At the depth `deepest`, where free columns are, it visits nothing but
these. In the other algorithms `deepest` is ``ANY``: a path may be as long as it likes.

Lookahead: on arrival at a row, look for a free column among its neighbours before going deeper. A
column once matched stays matched, so the place where looking stopped is kept for good.

Work O(nnz) for all searches over columns that are visited once. Memory: three indices a row, with
lookahead, and a level a column; in Pothen–Fan that is a byte.

- ``level[y]``: as above; written by compare-and-swap if threads share the roots.
- ``ahead[x]``: edges of x that lookahead has passed; their columns are matched, or will be before
  the phase ends, and stay so.
- ``tried[x]``: edges of x that the search under way has tried.
- ``above[x]``: the row that the search came to x from, or −1 at a root; once x is given up, the row
  given up before it, or −1. Searches do not share rows, so these links are the stacks of all
  threads.

Why threads do no harm to each other
    As `roots` says. Besides, ``col_match`` of columns of others is read, by lookahead and at the
    depth `deepest`. Once not −1 it never is again, so a column seen as matched is matched for good.
    One seen as free is claimed first: if that succeeds, nobody has written its ``col_match`` in
    this phase, and it is free indeed. If it fails, some search has just ended there, and will match
    it.

The indices of the graph may be the caller's, who may change them meanwhile (`BorrowedGraph`): they
are compared where they are used.

References: A. Pothen, C.-J. Fan, ACM TOMS 16, 1990; the explicit stack after I. S. Duff,
"Algorithm 575: permutations for a zero-free diagonal" (MC21), ACM TOMS 7, 1981.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import helper, share_out, take
from ...results.run import Run
from ...tuning import PRIVATE
from ..counters import EDGES, count_path, new_tally
from ..phases import graph_and_matching
from .roots import augment, next_roots

ANY = -1  # as `deepest`: depth does not matter


class Arrays(NamedTuple):
    """What the search works on; the names are explained above."""

    indptr: Any
    indices: Any
    row_match: Any
    col_match: Any
    level: Any
    ahead: Any
    tried: Any
    above: Any
    private: Any  # a queue a thread, for breadth-first search
    state: Any
    tally: Any


def prepare(run: Run, threads: int, level: Any, *, lookahead: bool, queues: bool = False) -> Arrays:
    """Return what searches on so many threads need; `level` is the type of levels."""
    graph = run.graph
    index = graph.indices.dtype
    ahead = run.empty(graph.n_rows if lookahead else 0, index)
    ahead.fill(0)
    return Arrays(
        *graph_and_matching(run),
        level=run.empty(graph.n_cols, level),
        ahead=ahead,
        tried=run.empty(graph.n_rows, index),
        above=run.empty(graph.n_rows, index),
        private=np.empty((threads, PRIVATE if queues else 0), index),
        state=np.zeros(8, np.int64),
        tally=new_tally(threads),
    )


@share_out
def search_and_augment(
    t: int,
    shared: bool,
    a: Any,
    roots: Any,
    deepest: int,
    lookahead: bool,
    backwards: bool,
    budget: int,
) -> None:
    """Thread t's share of the roots, until it has read some `budget` edges."""
    edges = 0
    lo, last = next_roots(a.state, roots.size, shared)
    while lo < last:
        for i in range(lo, last):
            read, x, free, _ = search(
                a, roots[i], np.int64(0), deepest, lookahead, backwards, shared
            )
            edges += read
            if free >= 0:
                count_path(a.tally, t, augment(a.row_match, a.col_match, a.above, x, free))
        if edges >= budget:
            break
        lo, last = next_roots(a.state, roots.size, shared)
    a.tally[t, EDGES] += edges


@helper
def search(
    a: Any,
    root: int,
    depth: int,
    deepest: int,
    lookahead: bool,
    backwards: bool,
    shared: bool,
) -> tuple[int, int, int, int]:
    """Search from a root that is at a depth; `backwards`, adjacency lists are read from their end.

    Returns the edges read; the row before the free column, and that column, −1 if there is none;
    and the last row that was given up.
    """
    indptr, indices, col_match = a.indptr, a.indices, a.col_match
    level, ahead, tried, above = a.level, a.ahead, a.tried, a.above
    n_cols = np.uint64(col_match.size)
    down = 0 if deepest == ANY else 1
    x: Any = np.int64(root)
    above[x] = -1
    tried[x] = 0
    edges = 0
    free = -1  # the free column that ends an augmenting path
    given_up = -1
    while x >= 0:
        begin, degree = np.int64(indptr[x]), np.int64(indptr[x + 1] - indptr[x])
        # Arriving at x: look ahead.
        if lookahead and tried[x] == 0:
            k = np.int64(ahead[x])
            while k < degree and free < 0:
                y = indices[begin + k]
                k += 1
                if y < n_cols and col_match[y] < 0 and visit(level, y, depth, shared):
                    free = np.int64(y)
            edges += k - ahead[x]
            ahead[x] = k
            if free >= 0:
                break
        # Go down to the mate of the next column that may be visited, or back.
        k = np.int64(tried[x])
        before = k
        below = -1
        while k < degree:
            y = indices[begin + (degree - 1 - k if backwards else k)]
            k += 1
            if y >= n_cols or (depth == deepest and col_match[y] >= 0):
                continue
            if visit(level, y, depth, shared):
                below = np.int64(col_match[y])
                if below < 0:
                    free = np.int64(y)  # without lookahead, free columns turn up here
                break
        edges += k - before
        tried[x] = k
        if free >= 0:
            break
        if below >= 0:
            above[below] = x
            tried[below] = 0
            x = below
            depth += down
        else:
            up = np.int64(above[x])
            above[x] = given_up
            given_up = x
            x = up
            depth -= down
    return edges, x, free, given_up


@helper
def visit(level: Any, y: int, depth: int, shared: bool) -> bool:
    """Claim a column, if it may be visited from that depth and no other thread is faster."""
    seen = level[y]
    return seen > depth and take(level, y, seen, depth, shared)
