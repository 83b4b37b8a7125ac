"""P-PR: push–relabel on several threads.

An active row, which is an unmatched one, takes its neighbour of least label: a push. If that column
was matched, its row loses it and becomes active instead, and the column's label rises. A phase is a
global relabelling, which makes labels exact by breadth-first search from the free columns and lists
the active rows that can reach one, and a round of pushes by threads that take active rows from the
list, up to ``queue_limit`` at a time, into queues of their own. The end is a global relabelling
that reaches no active row: then no augmenting path is left, whatever the threads have done.

``relabel_frequency`` is the number of global relabellings in n_rows + n_cols pushes. 0 stands for
2 on one thread, twice the threads on several, at most 16: the figures of Azad, Buluç, Pothen 2015
for one thread and 40. (Papers also give its inverse, k; 1/2 is the best k of Deveci et al. 2013.)

Work O(nnz) a phase besides the pushes, O(n · nnz) in all. Memory: two indices a row and two a
column, the transpose, and some private queues a thread.

- ``col_label[y]``: at most the number of matched edges on any alternating path from y to a free
  column: 0 if y is free, ``far`` if there is no path.
- ``row_label[x]``: at most the least label of the neighbours of x; where one has this, looking
  stops. Odd: x reads its edges from their end (fairness).
- ``columns``: the columns reached by relabelling, level by level; the frontier is
  ``columns[LO:HI]``. Free columns are level 0.
- ``active``: the unmatched rows that were reached, ``state[ACTIVE]`` of them.
- ``rings[t]``: queue of thread t, first in, first out. A push takes a row out and puts one back at
  most, so it never holds more than were taken from ``active`` at once.

Relabelling stops early when as many unmatched rows were reached as can be matched at all; what was
not reached gets the label of the next level, a lower bound that will do. If it comes to its end, no
matching has more edges than now plus one for each row reached: the other unmatched rows, with all
rows that they reach, have too few neighbours between them to be matched any better.

Papers → here (theirs push from columns; here, as everywhere in berge, rows look for columns)
    columns v, w         rows x, ``mate``
    row u                column y
    ψ(u), ψ(v)           2 · ``col_label[y]``, 2 · ``row_label[x]`` + 1
    m + n, as a label    ``far`` = min(n_rows, n_cols), as labels count matched edges only
    queues, their limit  ``rings``, ``queue_limit``

Why threads do no harm to each other
    - A row belongs to the thread in whose ring it is. The thread writes all that belongs to x, then
      hands x over by compare-and-swap of ``col_match[y]`` from the old mate to x. By the same
      instruction it becomes the owner of that mate, with all that others have written of it, and
      unmatches it. So ``row_match`` and ``col_match`` always agree but for rows that are being
      handled, and they agree on all when the threads have come to their end.
    - ``col_label`` is read and written without care: of two that take y one shortly after the
      other, the label that stays may be the first one's. A wrong label may cause pushes in vain, or
      let a row be given up for this round. Global relabelling sets both right.
    - That could go on forever, so a round without gain is followed by one on a single thread, where
      labels are true bounds all the time. Such a round does not end before it has matched a row,
      and one can be matched, as all active rows were reached. Hence the algorithm ends.

References: J. Langguth, A. Azad, M. Halappanavar, F. Manne, "On parallel push–relabel based
algorithms for bipartite maximum matching", Parallel Computing 40, 2014; K. Kaya et al., Computers &
Operations Research 40, 2013; M. Deveci et al., ICPP 2013.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..augmenting.levels import LevelLog
from ..augmenting.p_hopcroft_karp import take
from ..augmenting.tally import EDGES, edges_traversed, new_tally, report
from ..graph import unsigned
from ..run import EDGES_PER_CALL, Run
from ..spmd import flush, kernel, next_chunk, prange

PRIVATE = 1024  # a thread collects so many vertices before it writes to a shared list
CHUNK = 256  # a thread takes so many columns of a level at a time
SERIAL = 1024  # levels with fewer columns are done by one thread: starting others takes longer
SERIAL_ROWS = 256  # the same for active rows, each of which means many pushes

# Entries of `state`. Relabelling: bounds of the frontier and end of the next one in `columns`,
# label of the frontier. Both: the next item to hand out, active rows, the largest label, the step
# being done. Pushing: rows to hand out at a time, pushes that a thread may do, rows that can be
# matched at most.
LO, HI, TAIL, DEPTH, CURSOR, ACTIVE, FAR, STEP, BATCH, ENOUGH, WANTED = range(11)

RELABEL, PUSH = range(2)  # the steps that are shared out among threads

# Entries of `own[t]`: head and size of the thread's ring, its pushes in this round, edges it has
# added to the matching, whether it stopped only because its portion was done.
HEAD, SIZE, PUSHES, GAINED, MORE = range(5)


class Arrays(NamedTuple):
    """What both steps work on; the names are explained above."""

    indptr: Any
    indices: Any
    t_indptr: Any
    t_indices: Any
    row_match: Any
    col_match: Any
    row_label: Any
    col_label: Any
    columns: Any
    active: Any
    private: Any  # two queues a thread, for relabelling
    rings: Any
    own: Any  # a cache line a thread
    state: Any
    tally: Any


def p_push_relabel(run: Run, *, relabel_frequency: float = 0.0, queue_limit: int = 500) -> None:
    """Make the matching maximum."""
    graph, transpose, threads = run.graph, run.transpose(), run.threads
    index = graph.indices.dtype
    limit = max(1, min(queue_limit, graph.n_rows))
    a = Arrays(
        indptr=unsigned(graph.indptr),
        indices=unsigned(graph.indices),
        t_indptr=unsigned(transpose.indptr),
        t_indices=unsigned(transpose.indices),
        row_match=run.row_match,
        col_match=run.col_match,
        row_label=np.empty(graph.n_rows, index),
        col_label=np.empty(graph.n_cols, index),
        columns=np.empty(graph.n_cols, index),
        active=np.empty(graph.n_rows, index),
        private=np.empty((threads, 2, PRIVATE), index),
        rings=np.empty((threads, limit), index),
        own=np.zeros((threads, 8), np.int64),
        state=np.zeros(16, np.int64),
        tally=new_tally(threads),
    )
    state = a.state
    pushes = sum(graph.shape) / (relabel_frequency or min(2 * threads, 16))
    log = LevelLog(run.stats)
    gained = 1
    try:
        while not run.done:
            global_relabel(run, a, log)
            if state[ACTIVE] > 0:
                # After a round in vain, one thread alone: see above.
                shared = threads > 1 and state[ACTIVE] >= SERIAL_ROWS and gained > 0
                share = -(-int(state[ACTIVE]) // threads)
                state[BATCH] = min(limit, share) if shared else limit
                state[ENOUGH] = max(1, int(min(pushes, 1 << 60)) // (threads if shared else 1))
                gained = push_round(run, a, shared)
            else:
                gained = 0
            run.end_phase(gained)
            if state[ACTIVE] == 0:
                break
    finally:
        report(run, a.tally)


def global_relabel(run: Run, a: Arrays, log: LevelLog) -> None:
    """Make labels exact, and list the unmatched rows that can reach a free column."""
    state = a.state
    with run.timed("relabel"):
        far = min(run.graph.shape)
        free = np.flatnonzero(run.col_match < 0)
        a.row_label.fill(far)
        a.col_label.fill(far)
        a.col_label[free] = 0
        a.columns[: free.size] = free
        state[:] = 0
        state[HI] = state[TAIL] = free.size
        state[FAR] = far
        state[WANTED] = run.upper_bound - run.cardinality
    log.begin_phase(free.size)
    while state[LO] < state[HI] and state[ACTIVE] < state[WANTED]:
        with run.timed("relabel"):
            relabel_levels(a, run.threads, log.sizes, EDGES_PER_CALL)
        run.pause()
    log.end_phase()
    if state[LO] < state[HI]:
        np.minimum(a.row_label, state[DEPTH], out=a.row_label)
        np.minimum(a.col_label, state[DEPTH] + 1, out=a.col_label)
    else:
        run.upper_bound = min(run.upper_bound, run.cardinality + int(state[ACTIVE]))


def push_round(run: Run, a: Arrays, shared: bool) -> int:
    """Let active rows push until there were enough pushes; return the edges gained."""
    a.own.fill(0)
    a.own[:, MORE] = 1
    a.state[STEP], a.state[CURSOR] = PUSH, 0
    while a.own[:, MORE].any():
        a.own[:, MORE] = 0
        with run.timed("push"):
            share_out(a, run.threads, EDGES_PER_CALL, shared)
        run.pause()
    return int(a.own[:, GAINED].sum())


@kernel
def relabel_levels(a: Any, threads: int, sizes: Any, budget: int) -> None:
    """Relabel level by level, until some `budget` edges were traversed or enough rows reached."""
    state = a.state
    stop = edges_traversed(a.tally) + budget
    while (
        state[LO] < state[HI] and state[ACTIVE] < state[WANTED] and edges_traversed(a.tally) < stop
    ):
        state[STEP], state[CURSOR] = RELABEL, state[LO]
        shared = threads > 1 and state[HI] - state[LO] >= SERIAL
        share_out(a, threads, budget, shared)
        state[LO], state[HI] = state[HI], state[TAIL]
        state[DEPTH] += 1
        if state[HI] > state[LO]:
            if sizes[0] + 1 < sizes.size:
                sizes[sizes[0] + 1] = state[HI] - state[LO]
            sizes[0] += 1


@kernel
def share_out(a: Any, threads: int, budget: int, shared: bool) -> None:
    """Do ``state[STEP]`` on all threads, or on this one alone."""
    if shared:
        on_threads(a, threads, budget, shared)
    else:
        do_share(a, np.int64(0), budget, shared)


@kernel(parallel=True)
def on_threads(a: Any, threads: int, budget: int, shared: bool) -> None:
    """Do a step on all threads: the file's one parallel loop, as each takes seconds to compile."""
    for t in prange(threads):
        do_share(a, np.int64(t), budget, shared)


@kernel
def do_share(a: Any, t: int, budget: int, shared: bool) -> None:
    """Do thread t's share of a step."""
    if a.state[STEP] == RELABEL:
        relabel(a, t, shared)
    else:
        push(a, t, budget, shared)


@kernel
def relabel(a: Any, t: int, shared: bool) -> None:
    """Thread t's share of a level: its columns claim rows, which stand for their columns."""
    t_indptr, t_indices, row_match, state = a.t_indptr, a.t_indices, a.row_match, a.state
    row_label, col_label, columns, active = a.row_label, a.col_label, a.columns, a.active
    mine, mine_active = a.private[t, 0], a.private[t, 1]
    hi, depth, far = state[HI], state[DEPTH], state[FAR]
    edges = 0
    waiting = 0  # columns in the one private queue
    waiting_active = 0  # rows in the other
    lo, last = next_chunk(state, CURSOR, hi, CHUNK, shared)
    while lo < last:
        for i in range(lo, last):
            y = columns[i]
            for k in range(t_indptr[y], t_indptr[y + 1]):
                edges += 1
                x = t_indices[k]
                if row_label[x] != far or not take(row_label, x, far, depth, shared):
                    continue
                above = row_match[x]
                if above < 0:
                    if waiting_active == PRIVATE:
                        waiting_active = flush(
                            mine_active, waiting_active, active, state, ACTIVE, shared
                        )
                    mine_active[waiting_active] = x
                    waiting_active += 1
                else:
                    col_label[above] = depth + 1
                    if waiting == PRIVATE:
                        waiting = flush(mine, waiting, columns, state, TAIL, shared)
                    mine[waiting] = above
                    waiting += 1
        lo, last = next_chunk(state, CURSOR, hi, CHUNK, shared)
    flush(mine, waiting, columns, state, TAIL, shared)
    flush(mine_active, waiting_active, active, state, ACTIVE, shared)
    a.tally[t, EDGES] += edges


@kernel
def push(a: Any, t: int, budget: int, shared: bool) -> None:
    """Thread t's share of a round."""
    indptr, indices, row_match, col_match = a.indptr, a.indices, a.row_match, a.col_match
    row_label, col_label, active, state = a.row_label, a.col_label, a.active, a.state
    ring, own = a.rings[t], a.own[t]
    n_active, far, enough = state[ACTIVE], state[FAR], state[ENOUGH]
    head, size, pushes, gained = own[HEAD], own[SIZE], own[PUSHES], own[GAINED]
    edges = 0
    while (pushes < enough or (gained == 0 and not shared)) and gained < state[WANTED]:
        if edges >= budget:
            own[MORE] = 1
            break
        if size == 0:
            end = n_active if shared else min(state[CURSOR] + state[BATCH], n_active)
            lo, last = next_chunk(state, CURSOR, end, state[BATCH], shared)
            if lo == last:
                break
            for i in range(lo, last):
                ring[i - lo] = active[i]
            head, size = 0, last - lo
        x = np.int64(ring[head])
        head = head + 1 if head + 1 < ring.size else 0
        size -= 1
        begin, degree = np.int64(indptr[x]), np.int64(indptr[x + 1] - indptr[x])
        bound = np.int64(row_label[x])
        while True:
            # The least label of the neighbours, and the least but one.
            least = second = far
            y = -1
            k = 0
            while k < degree:
                neighbour = np.int64(indices[begin + (degree - 1 - k if bound & 1 else k)])
                k += 1
                label = np.int64(col_label[neighbour])
                if label < least:
                    least, second, y = label, least, neighbour
                    if label <= bound:
                        second = label  # not known any better: looking stops
                        break
                elif label < second:
                    second = label
            edges += k
            if least == far:
                row_match[x] = -1  # given up, until the next global relabelling
                break
            mate = np.int64(col_match[y])
            label = min(second + 1, far)  # the way out of y leads through x from now on
            row_match[x] = y
            row_label[x] = label - 1
            if take(col_match, y, mate, x, shared):
                col_label[y] = label
                pushes += 1
                if mate < 0:
                    gained += 1
                else:
                    row_match[mate] = -1
                    ring[(head + size) % ring.size] = mate
                    size += 1
                break
            row_label[x] = bound  # another thread took y: look again
    own[HEAD], own[SIZE], own[PUSHES], own[GAINED] = head, size, pushes, gained
    a.tally[t, EDGES] += edges
