"""Single-source breadth-first search: one unmatched row after the other, each searched from once.

A search goes level by level over columns it has not visited yet, stops at the first free column it
sees and augments along the path to it: a shortest one from this row. If it sees none, nothing that
its tree reaches will ever lie on an augmenting path: the tree stays hidden from all later searches.
A search that succeeds leaves nothing behind.

Work O(nnz) a search, O(n · nnz) in all; the searches that fail read every edge once, all together.
Memory: two indices a row and one a column. A phase, in the stats, is one search.

- ``visited[y]``: the last search that visited y, counted from 0; −1: none yet; n_rows, which is
  more than any search has: hidden.
- ``queue``: the rows of the tree, level by level, the root first; at most n_rows.
- ``parent[i]``: the place in the queue of the row from which row ``queue[i]`` was reached.
- ``sizes[0]``: number of levels of all searches; ``sizes[1 + i]``: size of level i, for as many as
  there is room for. Level 0 of a search is its root alone, and written as 0 to mark the beginning.

Reference: SS-MATCH of A. Azad, A. Buluç, A. Pothen, "A parallel tree grafting algorithm for maximum
cardinality matching in bipartite graphs", IPDPS 2015.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...compile import helper, kernel
from ...results.matching import SolveStats
from ...results.run import Run
from ..counters import EDGES, PATHS, count_path, new_tally
from ..levels import LevelLog, log_level
from ..phases import graph_and_matching
from .roots import search_one_by_one


class Arrays(NamedTuple):
    """What the search works on; the names are explained above."""

    indptr: Any
    indices: Any
    row_match: Any
    col_match: Any
    visited: Any
    queue: Any
    parent: Any
    sizes: Any
    tally: Any


def ss_bfs(run: Run) -> None:
    """Make the matching maximum."""
    graph = run.graph
    index = graph.indices.dtype
    a = Arrays(
        *graph_and_matching(run),
        visited=np.full(graph.n_cols, -1, index),
        queue=np.empty(graph.n_rows, index),
        parent=np.empty(graph.n_rows, index),
        sizes=LevelLog(run.stats).sizes,
        tally=new_tally(1),
    )
    try:
        search_one_by_one(run, a, run.unmatched_rows(), search_and_hide)
    finally:
        report_levels(run.stats, a.sizes)


def report_levels(stats: SolveStats, sizes: Any) -> None:
    """Write the number of levels and the frontiers of the first searches into the stats."""
    stats.levels = int(sizes[0])
    kept = sizes[1 : 1 + stats.levels]
    begins = np.flatnonzero(kept == 0)
    kept[begins] = 1
    values = kept.tolist()
    stats.frontiers = [values[a:b] for a, b in pairwise([*begins.tolist(), kept.size])]


@kernel
def search_and_hide(a: Any, roots: Any, searches: int, wanted: int, budget: int) -> int:
    """Search from the roots from number `searches` on; return the number of the next one.

    Comes back after some `budget` edges, or as soon as `wanted` more paths are found.
    """
    indptr, indices, row_match, col_match = a.indptr, a.indices, a.row_match, a.col_match
    visited, queue, parent, sizes, tally = a.visited, a.queue, a.parent, a.sizes, a.tally
    stop, goal = tally[0, EDGES] + budget, tally[0, PATHS] + wanted
    while searches < roots.size and tally[0, EDGES] < stop and tally[0, PATHS] < goal:
        queue[0] = roots[searches]
        head, tail, level_end = 0, 1, 0
        level = 0
        edges = 0
        free = -1  # the free column that ends an augmenting path
        while head < tail and free < 0:
            if head == level_end:
                log_level(sizes, tail - head if level > 0 else 0)
                level += 1
                level_end = tail
            x = queue[head]
            for k in range(indptr[x], indptr[x + 1]):
                edges += 1
                y = indices[k]
                if visited[y] < searches:
                    visited[y] = searches
                    below = col_match[y]
                    if below < 0:
                        free = np.int64(y)
                        break
                    queue[tail] = below
                    parent[tail] = head
                    tail += 1
            head += 1
        tally[0, EDGES] += edges
        if free >= 0:
            augment(row_match, col_match, queue, parent, head - 1, free)
            count_path(tally, 0, 2 * level - 1)
        else:
            for i in range(1, tail):  # hide the tree; its root has no mate
                visited[row_match[queue[i]]] = queue.size
        searches += 1
    return searches


@helper
def augment(row_match: Any, col_match: Any, queue: Any, parent: Any, place: int, free: int) -> None:
    """Match the rows of the path, from the one in front of the free column back to the root."""
    y = free
    while True:
        x = queue[place]
        y_before = row_match[x]
        row_match[x] = y
        col_match[y] = x
        if place == 0:
            break
        y = y_before
        place = parent[place]
