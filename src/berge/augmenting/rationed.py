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

Work O(nnz) a search, O(n · nnz) in all. Memory: two indices a row, three a column, and half a
megabyte a thread. A phase, in the stats, is a round.

- ``cols[2 · y]``: stamp of the last search that visited column y, or ``state[HIDDEN]``;
  ``cols[2 · y + 1]``: its match. Side by side, since both are read together: that saves half of the
  waiting. ``col_match`` is written when the threads have come to their end.
- ``queue``: the rows of the tree, level by level, the root first; ``parent[i]``: the place in the
  queue of the row from which row ``queue[i]`` was reached. Thread 0, which alone makes searches
  without limit, has n_rows places; the others have ``CAPACITY`` each, and no ration is larger while
  threads share a round.
- ``roots``: two lists, the rows of this round and those of the next.
- ``searches[LINE · t]``: number of searches that thread t has made.
- ``current[LINE · t]``: stamp of the search that thread t is making.

Why threads do no harm to each other
    - A stamp is the number of a search and the thread that makes it. A column belongs to the search
      whose stamp it bears, as long as that is current. A thread takes a column whose stamp is not
      current by compare-and-swap. One that is somebody else's is left out of the search, which
      then counts as broken off if it finds no path. So the trees of current searches are disjoint,
      and their matches are read and written by one thread.
    - ``current`` changes by an atomic operation after all writes of the search before, and a taker
      swaps after it has read that the stamp is not current any more: it sees all that was written.
    - A region is hidden by a search that tried every edge of every row it reached and found all
      columns its own or hidden: then no alternating path leads out of it, whatever others do
      elsewhere, and by Berge's theorem no later matching changes that.

References: SS-MATCH in A. Azad, A. Buluç, A. Pothen, IPDPS 2015; the rations are our own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..graph import unsigned
from ..run import EDGES_PER_CALL, Run
from ..spmd import compare_and_swap, fetch_add, helper, kernel, prange, prefetch
from .tally import EDGES, count_path, edges_traversed, new_tally, paths_found

RATION = 256  # edges of a search in the first round
GROWTH = 4
LARGEST = 1 << 50  # no search has so many edges
FAVOUR = 4
START = 1 / 50  # of all edges
CAPACITY = 1 << 16
SERIAL = 256  # fewer rows are searched from by one thread
LINE = 16  # places between what different threads write
BATCH = 32  # rows that a thread takes at a time
NEAR, AHEAD = (
    2,
    4,
)  # places ahead in the queue for which memory is asked for edges and for their place

# Entries of `state`: the next root, number of roots, which list they are in, and how many the other
# has; the ration; edges of searches broken off, of those without limit, and how many more the first
# may be; the stamp of columns that are hidden, and whether the others have run out; rounds done.
NEXT, ROOTS, HALF, KEPT, RATION_NOW, BROKEN_OFF, UNLIMITED, FREE, HIDDEN = range(9)
OUT_OF_STAMPS, ROUNDS = 9, 10

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
    current: Any
    searches: Any
    state: Any
    tally: Any


def prepare(run: Run) -> Arrays:
    """Return what a search from the unmatched rows needs."""
    graph, threads = run.graph, run.threads
    index = graph.indices.dtype
    roots = run.unmatched_rows()
    places = graph.n_rows + (threads - 1 if roots.size >= SERIAL else 0) * CAPACITY
    free, most = int(START * graph.nnz), np.iinfo(index).max
    cols = np.zeros(2 * graph.n_cols, index)
    cols[1::2] = run.col_match
    return Arrays(
        indptr=unsigned(graph.indptr),
        indices=unsigned(graph.indices),
        row_match=run.row_match,
        cols=cols,
        queue=np.empty(places, unsigned(graph.indices).dtype),
        parent=np.empty(places, index),
        roots=np.array([roots, roots]),
        current=np.zeros(LINE * threads, index),
        searches=np.zeros(LINE * threads, np.int64),
        state=np.array([0, roots.size, 0, 0, RATION, 0, 0, free, most, 0, 0], np.int64),
        tally=new_tally(threads),
    )


def roots_left(a: Arrays) -> int:
    """Return the number of rows that are neither matched nor known to be unmatchable."""
    return int(a.state[ROOTS] - min(a.state[NEXT], a.state[ROOTS]) + a.state[KEPT])


def search_on_rations(run: Run, a: Arrays, most_edges: float) -> bool:
    """Search until the matching is maximum, which True says, or some `most_edges` edges were read.

    May be called again to go on; edges are counted from the beginning.
    """
    state, tally = a.state, a.tally
    bits = (run.threads - 1).bit_length()
    while state[ROOTS] > 0 and not run.done:
        found, before = paths_found(tally), state[ROUNDS]
        left = most_edges - int(tally[:, EDGES].sum())
        if left <= 0 or state[OUT_OF_STAMPS]:
            return False
        with run.timed("search"):
            search_rounds(a, run.threads, bits, int(min(EDGES_PER_CALL, left)) + 1)
            run.col_match[:] = a.cols[1::2]
        run.cardinality += paths_found(tally) - found
        run.stats.phases += int(state[ROUNDS] - before)
        run.pause()
    return True


@kernel
def search_rounds(a: Any, threads: int, bits: int, budget: int) -> None:
    """Search round by round, until some `budget` edges were traversed."""
    state = a.state
    stop = edges_traversed(a.tally) + budget
    while state[ROOTS] > 0 and edges_traversed(a.tally) < stop:
        if (a.searches.max() + state[ROOTS]) << bits >= state[HIDDEN]:
            state[OUT_OF_STAMPS] = 1
            break
        left = stop - edges_traversed(a.tally)
        if threads == 1 or state[ROOTS] < SERIAL or state[RATION_NOW] > CAPACITY:
            search_share(a, np.int64(0), bits, left, state[ROOTS], False)
        elif may_go_on(state):
            search_share(a, np.int64(0), bits, left, BATCH, False)
        else:
            on_threads(a, threads, bits, left // threads + 1)
        if state[NEXT] >= state[ROOTS]:
            state[HALF], state[ROOTS], state[KEPT], state[NEXT] = 1 - state[HALF], state[KEPT], 0, 0
            state[RATION_NOW] = min(state[RATION_NOW] * GROWTH, LARGEST)
            state[ROUNDS] += 1


@helper
def may_go_on(state: Any) -> Any:
    """Whether a search may go on without limit."""
    return FAVOUR * state[BROKEN_OFF] > state[UNLIMITED] + state[FREE]


@kernel(parallel=True)
def on_threads(a: Any, threads: int, bits: int, budget: int) -> None:
    """Share the roots out among threads, until a search without limit is due."""
    shared = threads > 1
    for t in prange(threads):
        search_share(a, np.int64(t), bits, budget, a.state[ROOTS], shared)


@kernel
def search_share(a: Any, t: int, bits: int, budget: int, most: int, shared: bool) -> None:
    """Thread t's share of a round: some of the roots, `most` at most."""
    state, searches, current, tally = a.state, a.searches, a.current, a.tally
    roots, kept = a.roots[state[HALF]], a.roots[1 - state[HALF]]
    n_roots, ration = state[ROOTS], state[RATION_NOW]
    batch = BATCH if ration * BATCH < budget else 1
    begin = a.row_match.size + (t - 1) * CAPACITY if t > 0 else 0
    end = begin + CAPACITY if t > 0 else a.row_match.size
    queue, parent = a.queue[begin:end], a.parent[begin:end]
    while budget > 0 and most > 0:
        lo = fetch_add(state, NEXT, batch) if shared else state[NEXT]
        if lo >= n_roots:
            break
        hi = min(lo + batch, n_roots)
        if not shared:
            state[NEXT] = hi
        for i in range(lo, hi):
            searches[LINE * t] += 1
            stamp = (searches[LINE * t] << bits) | t
            unlimited = not shared and may_go_on(state)
            if shared:
                fetch_add(current, LINE * t, stamp - current[LINE * t])
            queue[0] = roots[i]
            limit = max(budget, ration) if unlimited else ration
            edges, outcome = search(a, queue, parent, stamp, limit, bits, shared)
            budget -= edges
            tally[t, EDGES] += edges
            if outcome > 0:
                count_path(tally, t, outcome)
            elif outcome == BROKEN:
                kept[add(state, KEPT, 1, shared)] = roots[i]
            if unlimited and edges > ration:
                state[UNLIMITED] += edges
            elif outcome == BROKEN:
                add(state, BROKEN_OFF, edges, shared)
        most -= hi - lo
        if shared and may_go_on(state):
            break


@helper
def add(state: Any, i: int, amount: int, shared: bool) -> Any:
    """Add to an entry of the state, and return what it was before."""
    if shared:
        return fetch_add(state, i, amount)
    before = state[i]
    state[i] = before + amount
    return before


@helper
def search(
    a: Any, queue: Any, parent: Any, stamp: int, limit: int, bits: int, shared: bool
) -> tuple[int, int]:
    """Search from ``queue[0]`` and augment; return the edges traversed and the outcome."""
    indptr, indices, row_match, cols = a.indptr, a.indices, a.row_match, a.cols
    hidden = a.state[HIDDEN]
    head, tail = 0, 1
    edges = 0
    whole = True  # nothing was left out of the search
    while head < tail and edges < limit:
        x = queue[head]
        if head + AHEAD < tail:
            prefetch(indptr, np.int64(queue[head + AHEAD]))
        if head + NEAR < tail:
            prefetch(indices, np.int64(indptr[queue[head + NEAR]]))
        for k in range(indptr[x], indptr[x + 1]):
            edges += 1
            y = np.int64(indices[k])
            seen = cols[2 * y]
            if seen == stamp or seen == hidden:
                continue
            if shared:
                if a.current[LINE * (seen & ((1 << bits) - 1))] == seen:
                    whole = False
                    continue
                if not compare_and_swap(cols, 2 * y, seen, stamp):
                    whole = False
                    continue
            else:
                cols[2 * y] = stamp
            below = cols[2 * y + 1]
            if below < 0:
                return edges, augment(row_match, cols, queue, parent, head, y)
            if tail == queue.size:
                whole = False  # no place for it
                continue
            prefetch(indptr, np.int64(below))
            queue[tail] = below
            parent[tail] = head
            tail += 1
        head += 1
    if head < tail or not whole:
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
