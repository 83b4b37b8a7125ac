"""SS-BFS on rations: every unmatched row gets a short search first, and only then longer ones.

Breadth-first search from one unmatched row after the other finds most paths at once, but has two
bad habits. On meshes it takes the free columns near the first rows, so that the last ones have to
go far; and it may spend much on one row while others are a step away from a free column. So a
search is broken off after ``RATION`` edges and its row postponed to the next round, where the
ration is ``GROWTH`` times as large: short paths are found first, as by Hopcroft and Karp, without
levels of the whole graph.

Rations alone are bad at regions that have no free column left: every row in there would use up its
ration, and only a search that comes to its end can hide the region from all others, as in SS-BFS.
So a search may go on without limit whenever the edges of such searches so far are under ``FAVOUR``
times those of the broken-off ones, less a ``START`` of all. That costs a constant factor at most.

Work O(nnz) a search, O(n · nnz) in all. Memory: two indices a row and three a column. A phase, in
the stats, is a round.

- ``cols[2 · y]``: number of the last search that visited column y, or ``state[HIDDEN]``;
  ``cols[2 · y + 1]``: its match. Side by side, since both are read together: that saves half of the
  waiting. ``col_match`` is written when a kernel has come to its end.
- ``queue``: the rows of the tree, level by level, the root first; at most n_rows.
- ``parent[i]``: the place in the queue of the row from which row ``queue[i]`` was reached.
- ``roots``: the unmatched rows; those postponed in a round are moved to the front for the next.

One thread: sharing the searches out was tried, see docs/performance.md.

References: SS-MATCH in A. Azad, A. Buluç, A. Pothen, IPDPS 2015; the rations are our own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..graph import unsigned
from ..run import EDGES_PER_CALL, Run
from ..spmd import helper, kernel, prefetch
from .tally import EDGES, count_path, new_tally, paths_found

RATION = 256  # edges of a search in the first round
GROWTH = 4
LARGEST = 1 << 50  # no search has so many edges
FAVOUR = 4
START = 1 / 50  # of all edges
NEAR, AHEAD = 2, 4  # places ahead in the queue for whose edges, or their place, memory is asked

# Entries of `state`: the next root, number of roots, and how many are postponed; the ration; edges
# of searches broken off, of those without limit, and how many more the first may be; searches and
# rounds done; the number that stands for hidden, which no search may have.
NEXT, ROOTS, KEPT, RATION_NOW, BROKEN_OFF, UNLIMITED, FREE, SEARCHES, ROUNDS, HIDDEN = range(10)

BROKEN, ENDED = -1, 0  # outcomes of a search; others are the edges of the path that it found


class Arrays(NamedTuple):
    """What the search works on; the names are explained above."""

    indptr: Any
    indices: Any
    row_match: Any
    cols: Any
    queue: Any
    parent: Any
    roots: Any
    state: Any
    tally: Any


def prepare(run: Run) -> Arrays:
    """Return what a search from the unmatched rows needs."""
    graph = run.graph
    index = graph.indices.dtype
    roots = run.unmatched_rows()
    free, most = int(START * graph.nnz), np.iinfo(index).max
    cols = np.zeros(2 * graph.n_cols, index)
    cols[1::2] = run.col_match
    return Arrays(
        indptr=unsigned(graph.indptr),
        indices=unsigned(graph.indices),
        row_match=run.row_match,
        cols=cols,
        queue=np.empty(graph.n_rows, unsigned(graph.indices).dtype),
        parent=np.empty(graph.n_rows, index),
        roots=roots,
        state=np.array([0, roots.size, 0, RATION, 0, 0, free, 0, 0, most], np.int64),
        tally=new_tally(1),
    )


def roots_left(a: Arrays) -> int:
    """Return the number of rows that are neither matched nor known to be unmatchable."""
    return int(a.state[ROOTS] - a.state[NEXT] + a.state[KEPT])


def search_on_rations(run: Run, a: Arrays, most_edges: float) -> bool:
    """Search until the matching is maximum, which True says, or some `most_edges` edges were read.

    May be called again to go on; edges are counted from the beginning.
    """
    state, tally = a.state, a.tally
    while state[ROOTS] > 0 and not run.done:
        found, before = paths_found(tally), state[ROUNDS]
        left = most_edges - int(tally[0, EDGES])
        if left <= 0 or state[SEARCHES] + state[ROOTS] >= state[HIDDEN]:
            return False
        with run.timed("search"):
            search_round(a, int(min(EDGES_PER_CALL, left)) + 1)
            run.col_match[:] = a.cols[1::2]
        run.cardinality += paths_found(tally) - found
        run.stats.phases += int(state[ROUNDS] - before)
        run.pause()
    return True


@kernel
def search_round(a: Any, budget: int) -> None:
    """Search from the roots that are left, until some `budget` edges were traversed."""
    state, roots, tally = a.state, a.roots, a.tally
    while state[NEXT] < state[ROOTS] and budget > 0:
        root = roots[state[NEXT]]
        state[NEXT] += 1
        state[SEARCHES] += 1
        a.queue[0] = root
        ration = state[RATION_NOW]
        unlimited = FAVOUR * state[BROKEN_OFF] > state[UNLIMITED] + state[FREE]
        edges, outcome = search(a, state[SEARCHES], max(budget, ration) if unlimited else ration)
        budget -= edges
        tally[0, EDGES] += edges
        if outcome > 0:
            count_path(tally, 0, outcome)
        elif outcome == BROKEN:
            roots[state[KEPT]] = root
            state[KEPT] += 1
        if unlimited and edges > ration:
            state[UNLIMITED] += edges
        elif outcome == BROKEN:
            state[BROKEN_OFF] += edges
    if state[NEXT] == state[ROOTS]:
        state[ROOTS], state[KEPT], state[NEXT] = state[KEPT], 0, 0
        state[RATION_NOW] = min(state[RATION_NOW] * GROWTH, LARGEST)
        state[ROUNDS] += 1


@helper
def search(a: Any, number: int, limit: int) -> tuple[int, int]:
    """Search from ``queue[0]`` and augment; return the edges traversed and the outcome."""
    indptr, indices, row_match, cols = a.indptr, a.indices, a.row_match, a.cols
    queue, parent, hidden = a.queue, a.parent, a.state[HIDDEN]
    head, tail = 0, 1
    edges = 0
    while head < tail and edges < limit:
        x = queue[head]
        if head + AHEAD < tail:
            prefetch(indptr, np.int64(queue[head + AHEAD]))
        if head + NEAR < tail:
            prefetch(indices, np.int64(indptr[queue[head + NEAR]]))
        for k in range(indptr[x], indptr[x + 1]):
            edges += 1
            y = np.int64(indices[k])
            if cols[2 * y] < number:
                cols[2 * y] = number
                below = cols[2 * y + 1]
                if below < 0:
                    return edges, augment(row_match, cols, queue, parent, head, y)
                prefetch(indptr, np.int64(below))
                queue[tail] = below
                parent[tail] = head
                tail += 1
        head += 1
    if head < tail:
        return edges, BROKEN
    for i in range(1, tail):  # the root has no match
        cols[2 * np.int64(row_match[queue[i]])] = hidden
    return edges, ENDED


@helper
def augment(row_match: Any, cols: Any, queue: Any, parent: Any, place: int, free: int) -> int:
    """Match the rows of the path, from the one in front of the free column back to the root.

    Returns the number of edges of the path.
    """
    y = free
    edges = 1
    while True:
        x = queue[place]
        before = np.int64(row_match[x])
        row_match[x] = y
        cols[2 * y + 1] = x
        if place == 0:
            return edges
        y = before
        place = parent[place]
        edges += 2
