"""SS-BFS with limits: every unmatched row gets a short search first, and only then longer ones.

Breadth-first search from one unmatched row after the other finds most paths at once, but has two
bad habits. On meshes it takes the free columns near the first rows, so that the last ones have to
go far; and it may spend much on one row while others are a step away from a free column. So a
search is broken off after ``SEARCH_LIMIT`` edges, and its row is postponed to the next round, in
which the limit is ``GROWTH`` times as large. Short paths are then found first, as by Hopcroft and
Karp, without levels of the whole graph.

Limits alone are bad at regions that have no free column left. Every row in there would spend its
limit, and only a search that comes to its end can hide the region from all others, as in SS-BFS.
So some searches have no limit. One may begin while the edges of such searches so far are under
``FAVOUR`` times the edges of those broken off, less a ``HEAD_START`` part of all edges. That costs
a constant factor at most.

Where rows have ``DENSE`` edges and more, reading all edges of a row takes long. There searches from
more than ``FEW_ROOTS`` roots look ahead: before they go on from any row, they look for a free
column next to each row that they have come to.

Work O(nnz) a search, O(n · nnz) in all. Memory, for each thread: three indices a row and two a
column; to look ahead, one a row more, or two. A phase, in the stats, is a round.

Several threads share the roots out, two and two. One takes them from the front of a stretch, the
other from its back, until they meet. The one at the back also reads the edges of a row backwards.
So each goes through the graph like a thread alone, for which the free columns often come in the
right order, and what does not come out even lies where they meet. Each searches on its own, with
marks and a copy of the matches of its own, so that reading an edge costs no more than on one
thread. Only who has found a path, or come to an end, takes the lock, looks whether the matches that
the search went along still hold, and then augments, or hides the region. If they do not, or the
lock is taken for long, the root is postponed. On one thread the result depends on the graph alone.

- ``cols[t, 2 · y]``: number of thread t's last search that visited column y, or ``HIDDEN``;
  ``cols[t, 2 · y + 1]``: its match. Side by side, since both are read together: that saves half of
  the waiting.
- ``queue[t]``: the rows of the tree, level by level, the root first; at most n_rows.
- ``via[t, i]``: the column through which row ``queue[t, i]`` was reached, and ``parent[t, i]`` the
  place in the queue of the row from which.
- ``ahead[0, x]``: edges of row x that looking ahead has passed: their columns are matched, and stay
  so. ``ahead[1, x]``: the same from the other end. None where searches do not look ahead.
- ``roots``: the unmatched rows; −1 in the place of those dealt with, until the round is over.

Races that do no harm: a search reads matches that another thread is changing, and may then see rows
twice or miss some. Nothing comes of it unless it holds when looked at under the lock. Each matched
column is visited once a search, so that the queue cannot overflow. The mark of a hidden region may
be lost to that of another search: the region is then searched once more. A region that was closed
under the lock stays so, since no path that leads into it leads out again. Threads that read in the
same direction share ``ahead``: of two numbers the smaller may stay, and edges are looked at again.

The indices of the graph may be the caller's (`BorrowedGraph`), who may change them meanwhile. So
every index is compared where it is used. Whatever the graph becomes, a column is visited once a
search, and what is matched was an edge when it was read.

References: SS-MATCH in A. Azad, A. Buluç, A. Pothen, IPDPS 2015; the limits are our own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...compile import compare_and_swap, fetch_add, helper, kernel, prefetch, share_out
from ...graphs.graph import unsigned
from ...graphs.passes import pair_up
from ...results.run import Run
from ...tuning import (
    DENSE,
    EDGES_PER_CALL,
    FAVOUR,
    FEW_ROOTS,
    FEWEST_ROOTS,
    GROWTH,
    HEAD_START,
    MOST_THREADS,
    PATIENCE,
    ROOTS_AT_A_TIME,
    SEARCH_AHEAD,
    SEARCH_LIMIT,
    SEARCH_NEAR,
    SOLO_PARTS,
)
from ..counters import EDGES, PATHS, count_path, new_tally

LARGEST = 1 << 50  # no search has so many edges

# Entries of `state`: number of roots, the limit of this round, rounds done; edges read, paths
# found, and the largest number of a search so far; the number that stands for hidden, which no
# search may have.
# Apart from them, the lock; the edges that threads have read since they were called; and for every
# pair of threads how many roots of its stretch are taken.
ROOTS, LIMIT, ROUNDS, READ, FOUND, NUMBER, HIDDEN = range(7)
LOCK, SPENT, TAKEN, LINE = 16, 32, 48, 16
STATE = TAKEN + LINE  # of one thread

# Entries of `own[t]`: edges of searches broken off and of those without limit, how many more the
# first may be; searches done; roots of this round that the thread is through with, those among them
# that are dealt with, and how many more it has taken.
BROKEN_OFF, UNLIMITED, FREE, SEARCHES, PASSED, DEALT_WITH, BATCH_LEFT, OWN = *range(7), 16

BROKEN, ENDED = -1, 0  # outcomes of a search; others are the edges of the path that it found


class Arrays(NamedTuple):
    """What the search works on; the names are explained above."""

    indptr: Any
    indices: Any
    row_match: Any
    col_match: Any
    cols: Any
    queue: Any
    via: Any
    parent: Any
    ahead: Any
    roots: Any
    state: Any
    own: Any
    tally: Any


def prepare(run: Run, threads: int) -> Arrays:
    """Return what a search from the unmatched rows on one thread needs.

    `shared` may go on from there with so many; what they need besides is not touched before.
    """
    graph = run.graph
    index = graph.indices.dtype
    threads = min(threads, MOST_THREADS)
    roots = run.unmatched_rows()
    own, state = np.zeros((1, OWN), np.int64), np.zeros(STATE, np.int64)
    begin_rounds(state, own, roots.size, graph.nnz, index.itemsize)
    cols = run.empty((threads, 2 * graph.n_cols), index)
    pair_up(run.col_match, cols[0])
    ahead = None
    if graph.nnz >= DENSE * graph.n_rows and roots.size > FEW_ROOTS:
        ahead = run.empty((min(threads, 2), graph.n_rows), index)
        ahead.fill(0)
    return Arrays(
        indptr=unsigned(graph.indptr),
        indices=unsigned(graph.indices),
        row_match=run.row_match,
        col_match=run.col_match,
        cols=cols,
        queue=run.empty((threads, graph.n_rows), unsigned(graph.indices).dtype),
        via=run.empty((threads, graph.n_rows), index),
        parent=run.empty((threads, graph.n_rows), index),
        ahead=ahead,
        roots=roots,
        state=state,
        own=own,
        tally=new_tally(1),
    )


@kernel
def begin_rounds(state: Any, own: Any, n_roots: int, nnz: Any, itemsize: int) -> None:
    """Set the numbers with which one thread begins; the size of an index tells which stand free."""
    own[0, FREE] = int(HEAD_START * nnz)
    state[ROOTS], state[HIDDEN] = n_roots, (1 << (8 * itemsize - 1)) - 1
    state[LIMIT] = SEARCH_LIMIT if n_roots > FEW_ROOTS else LARGEST


def shared(a: Arrays) -> Arrays:
    """Return what several threads need to go on from there; one, if there is not enough to do."""
    roots = a.roots[: a.state[ROOTS]]
    roots = roots[roots >= 0]
    threads = min(a.cols.shape[0], 1 + roots.size // FEWEST_ROOTS)
    if threads == 1:
        return a
    own, tally = np.zeros((threads, OWN), np.int64), new_tally(threads)
    own[0], tally[0] = a.own[0], a.tally[0]
    own[:, FREE] = a.own[0, FREE] // threads
    own[:, PASSED : BATCH_LEFT + 1] = 0
    state = np.concatenate([a.state[:TAKEN], np.zeros(LINE * threads, np.int64)])
    state[ROOTS] = roots.size
    b = a._replace(state=state, own=own, tally=tally, roots=roots)
    share_roots(b, 0)
    return b


def roots_left(a: Arrays) -> int:
    """Return the number of rows that are neither matched nor known to be unmatchable."""
    return int(a.state[ROOTS] - a.own[:, DEALT_WITH].sum())


def search_with_limits(run: Run, a: Arrays, most_edges: float) -> bool:
    """Search until the matching is maximum, which True says, or some `most_edges` edges were read.

    May be called again to go on; edges are counted from the beginning.
    """
    while a.state[ROOTS] > 0 and not run.done:
        left = most_edges - int(a.state[READ])
        if left <= 0 or a.state[NUMBER] + a.state[ROOTS] >= a.state[HIDDEN]:
            return False
        budget = int(min(EDGES_PER_CALL, left)) + 1
        _search(run, a, share_roots if a.own.shape[0] > 1 else search_alone, budget)
    if not run.done:
        run.reached = hidden(a.cols[: a.own.shape[0]], a.state)
    return True


def hidden(cols: Any, state: Any) -> Any:
    """Return which columns are hidden; a mark that one thread has lost is still another's."""
    found = cols[0, ::2] == state[HIDDEN]
    for others in cols[1:]:
        found |= others[::2] == state[HIDDEN]
    return found


def search_before_others(run: Run, a: Arrays, worth: int, most_edges: float) -> bool:
    """Begin on one thread, as long as it does not pay to wake others; else as above.

    If nothing is worth waking them it has begun, and said that others should help.
    """
    if worth > 0:
        _search(run, a, begin_alone, min(worth, EDGES_PER_CALL), int(min(most_edges, LARGEST)))
    return search_with_limits(run, a, 0)


def _search(run: Run, a: Arrays, search: Callable[..., None], *edges: int) -> None:
    """Call a kernel that searches, and count what it did."""
    found, rounds = a.state[FOUND], a.state[ROUNDS]
    with run.timed("search"):
        search(a, *edges)
    run.cardinality += int(a.state[FOUND] - found)
    run.stats.phases += int(a.state[ROUNDS] - rounds)
    run.pause()


@kernel
def share_roots(a: Any, budget: int) -> None:
    """Search on all threads, which share a budget of edges; without one, make ready for it."""
    a.state[SPENT] = 0
    search_beside(a.own.shape[0], a, budget)
    end_round(a)


@share_out
def search_beside(t: int, shared: bool, a: Any, budget: int) -> None:
    """Search beside other threads, or make ready for it."""
    if budget > 0:
        search_roots(a, t, budget, True)
    else:
        copy_cols(a, t)


@kernel
def search_alone(a: Any, budget: int) -> None:
    """Search on one thread."""
    end = a.state[READ] + budget
    while a.state[ROOTS] > 0 and a.state[READ] < end and a.state[NUMBER] < a.state[HIDDEN]:
        search_roots(a, 0, end - a.state[READ], False)
        end_round(a)


@kernel
def begin_alone(a: Any, worth: int, most: int) -> None:
    """Search on one thread until some `most` edges were read, or it shows that others should help.

    Waking them and making ready for them takes as long as reading `worth` edges. So this thread
    reads ``SOLO_PARTS`` of that, one after the other. It stops after a part whose rate says that
    even the largest part would not do.
    """
    left, read = a.state[ROOTS], 0
    for part in SOLO_PARTS:
        search_alone(a, min(int(part * worth), most) - read)
        before, left = left, a.state[ROOTS] - a.own[0, DEALT_WITH]
        each = (a.state[READ] - read) / max(before - left, 1)
        read = a.state[READ]
        if part > SOLO_PARTS[0] and read + each * left > SOLO_PARTS[-1] * worth:
            break


@helper
def search_roots(a: Any, t: int, budget: int, beside: bool) -> None:
    """Search from roots that no other thread takes, until all have read some `budget` edges.

    `beside` says whether there are others; the compiler makes two functions of it.
    """
    threads, state, own = a.own.shape[0], a.state, a.own[t]
    pair, pairs, back = t >> 1, (threads + 1) >> 1, t & 1
    lo, hi = state[ROOTS] * pair // pairs, state[ROOTS] * (pair + 1) // pairs
    roots, usual = a.roots, state[LIMIT]
    batch = min(ROOTS_AT_A_TIME, 1 + (hi - lo) // (4 * ROOTS_AT_A_TIME))
    whole, spent = budget, 0
    while budget > 0:
        if own[BATCH_LEFT] == 0:
            if beside:
                budget = whole - spent - fetch_add(state, SPENT, spent)
                spent = 0
            before = fetch_add(state, TAKEN + LINE * pair, batch)
            own[BATCH_LEFT] = min(max(hi - lo - before, 0), batch)
            if own[BATCH_LEFT] == 0:
                break
        i = hi - 1 - own[PASSED] if back else lo + own[PASSED]
        own[PASSED] += 1
        own[BATCH_LEFT] -= 1
        own[SEARCHES] += 1
        unlimited = FAVOUR * own[BROKEN_OFF] > own[UNLIMITED] + own[FREE]
        limit = max(budget, usual) if unlimited else usual
        edges, outcome = search(a, t, beside, roots[i], own[SEARCHES], limit)
        budget -= edges
        spent += edges
        a.tally[t, EDGES] += edges
        if unlimited and edges > usual:
            own[UNLIMITED] += edges
        elif outcome == BROKEN:
            own[BROKEN_OFF] += edges
        if outcome > 0:
            count_path(a.tally, t, outcome)
        if outcome != BROKEN:
            roots[i] = -1
            own[DEALT_WITH] += 1


@helper
def end_round(a: Any) -> None:
    """Add up what the threads did; once they are through, postponed roots make up a new round."""
    state = a.state
    state[READ] = state[FOUND] = passed = 0
    for t in range(a.own.shape[0]):
        state[READ] += a.tally[t, EDGES]
        state[FOUND] += a.tally[t, PATHS]
        state[NUMBER] = max(state[NUMBER], a.own[t, SEARCHES])
        passed += a.own[t, PASSED]
    if passed == state[ROOTS]:
        size = 0
        for i in range(passed):
            if a.roots[i] >= 0:
                a.roots[size] = a.roots[i]
                size += 1
        state[ROOTS] = size
        state[LIMIT] = min(state[LIMIT] * GROWTH, LARGEST) if size > FEW_ROOTS else LARGEST
        state[ROUNDS] += 1
        for t in range(a.own.shape[0]):
            state[TAKEN + LINE * t] = a.own[t, PASSED] = a.own[t, DEALT_WITH] = 0


@helper
def copy_cols(a: Any, t: int) -> None:
    """Copy thread t's share of the first thread's matches to all others, with hidden marks alone.

    The searches of the others are numbered from 1 on.
    """
    threads, hidden, source = a.own.shape[0], a.state[HIDDEN], a.cols[0]
    n_cols = source.size // 2
    for other in range(1, threads):
        cols = a.cols[other]
        for i in range(2 * (n_cols * t // threads), 2 * (n_cols * (t + 1) // threads), 2):
            cols[i] = hidden if source[i] == hidden else 0
            cols[i + 1] = source[i + 1]


@helper
def search(a: Any, t: int, beside: bool, root: int, number: int, limit: int) -> tuple[int, int]:
    """Search from a root and augment; return the edges traversed and the outcome."""
    indptr, indices, cols = a.indptr, a.indices, a.cols[t]
    queue, via, parent = a.queue[t], a.via[t], a.parent[t]
    n_cols = np.uint64(a.col_match.size)
    back = beside and t & 1 == 1  # every other thread
    queue[0] = root
    # With plain 0 and 1 numba would compile what is called below for these numbers, too.
    head: Any = np.int64(0)
    tail: Any = np.int64(1)
    look: Any = np.int64(1)
    edges = 0
    while head < tail and edges < limit:
        look, looked, free = look_ahead(a, a.ahead, cols, queue, back, look, tail)
        edges += looked
        if free >= 0:
            return edges, augment(a, t, beside, look, free)
        x = queue[head]
        if head + SEARCH_AHEAD < tail:
            prefetch(indptr, np.int64(queue[head + SEARCH_AHEAD]))
        if head + SEARCH_NEAR < tail:
            prefetch(indices, np.int64(indptr[queue[head + SEARCH_NEAR]]))
        lo, hi = np.int64(indptr[x]), np.int64(indptr[x + 1])
        for k in range(lo, hi):
            edges += 1
            column = indices[np.uint64(lo + hi - 1 - k if back else k)]
            y = np.int64(column)
            if column < n_cols and cols[2 * y] < number:
                cols[2 * y] = number
                below = cols[2 * y + 1]
                if below < 0:
                    return edges, augment(a, t, beside, head, y)
                prefetch(indptr, np.int64(below))
                queue[tail] = below
                if beside:
                    via[tail] = y
                parent[tail] = head
                tail += 1
        head += 1
    if head < tail:
        return edges, BROKEN
    return edges, hide(a, t, beside, tail)


@helper
def look_ahead(
    a: Any, ahead: Any, cols: Any, queue: Any, back: bool, look: int, tail: int
) -> tuple[int, int, int]:
    """Look for a free column next to the rows from a place in the queue on.

    Returns the place come to, the edges read, and the column or −1.
    """
    edges: Any = np.int64(0)
    none: Any = np.int64(-1)
    if ahead is not None:
        indptr, indices, mine = a.indptr, a.indices, ahead[1 if back else 0]
        n_cols = np.uint64(a.col_match.size)
        while look < tail:
            x = queue[look]
            lo, hi = np.int64(indptr[x]), np.int64(indptr[x + 1])
            first = lo + np.int64(mine[x])
            for k in range(first, hi):
                column = indices[np.uint64(lo + hi - 1 - k if back else k)]
                y: Any = np.int64(column)
                if column < n_cols and cols[2 * y + 1] < 0:
                    mine[x] = k - lo
                    return look, edges + k + 1 - first, y
            mine[x] = hi - lo
            edges += hi - first
            look += 1
    return look, edges, none


@helper
def augment(a: Any, t: int, beside: bool, place: int, free: int) -> int:
    """Match the rows of the path, from the one in front of the free column back to the root.

    Returns the number of edges of the path; `BROKEN` if another thread has changed it.
    """
    row_match, col_match, cols = a.row_match, a.col_match, a.cols
    queue, via, parent = a.queue[t], a.via[t], a.parent[t]
    if beside:
        if not acquire(a.state):
            return BROKEN
        holds = cols[t, 2 * free + 1] < 0
        i = place
        while holds and i > 0:
            holds = row_match[queue[i]] == via[i]
            i = parent[i]
        if not holds:
            release(a.state)
            return BROKEN
    y = free
    edges = 1
    while True:
        x = queue[place]
        before = np.int64(row_match[x])
        row_match[x] = y
        col_match[y] = x
        for other in range(a.own.shape[0]):
            cols[other, 2 * y + 1] = x
        if place == 0:
            break
        y = before
        place = parent[place]
        edges += 2
    if beside:
        release(a.state)
    return edges


@helper
def hide(a: Any, t: int, beside: bool, size: int) -> int:
    """Hide the columns of a search that came to its end, unless another thread has changed it."""
    cols, queue, via = a.cols, a.queue[t], a.via[t]
    if beside and size > 1:
        if not acquire(a.state):
            return BROKEN
        holds = True
        for i in range(1, size):
            holds &= a.row_match[queue[i]] == via[i]
        release(a.state)
        if not holds:
            return BROKEN
    for i in range(1, size):  # the root has no match
        for other in range(a.own.shape[0]):
            cols[other, 2 * np.int64(a.row_match[queue[i]])] = a.state[HIDDEN]
    return ENDED


@helper
def acquire(state: Any) -> bool:
    """Try to get the lock for a while."""
    for _ in range(PATIENCE):
        if compare_and_swap(state, LOCK, 0, 1):
            return True
    return False


@helper
def release(state: Any) -> None:
    """Give the lock back."""
    compare_and_swap(state, LOCK, 1, 0)
