"""P-PR: push–relabel on several threads.

An active row, which is an unmatched one, takes its neighbour of least label: a push. If that column
was matched, its row loses it and becomes active instead, and the column's label rises. A phase is a
global relabelling, which makes labels exact by breadth-first search from the free columns and lists
the active rows that can reach one, and then rounds, in each of which every active row pushes once,
until there were enough pushes. Threads take active rows from the list of the round, up to
``queue_limit`` at a time, and collect as many for that of the next before they write them there.
The end is a global relabelling that reaches no active row: then no augmenting path is left,
whatever the threads have done before.

``relabel_frequency`` is the number of global relabellings in n_rows + n_cols pushes. 0 stands for
2 on one thread, twice the threads on several, at most 16: the figures of Azad, Buluç, Pothen 2015
for one thread and 40. (Papers also give its inverse, k; 1/2 is the best k of Deveci et al. 2013.)

Work O(nnz) a phase besides the pushes, O(n · nnz) in all. Memory: one index a row, two a column,
two an unmatched row, the transpose, and some private queues a thread.

- ``col_label[y]``: at most the number of matched edges on any alternating path from y to a free
  column: 0 if y is free, ``far`` if there is no path.
- ``row_label[x]``: at most the least label of the neighbours of x; where one has this, looking
  stops. If odd, x reads its edges from their end (fairness).
- ``columns``: the columns reached by relabelling, level by level; the frontier is
  ``columns[LO:HI]``. Free columns are level 0.
- ``active``: two lists of active rows: this round's, and the next one's. A push takes a row away
  and adds one at most.

Relabelling stops early when as many unmatched rows were reached as can be matched at all; what was
not reached gets the label of the next level, a lower bound that will do. If it comes to its end, no
matching has more edges than now plus one for each row reached: the other unmatched rows, with all
rows that they reach, have too few neighbours between them to be matched any better.

Papers → here (theirs push from columns; here, as everywhere in berge, rows look for columns)
    columns v, w         rows x, ``mate``
    row u                column y
    ψ(u), ψ(v)           2 · ``col_label[y]``, 2 · ``row_label[x]`` + 1
    m + n, as a label    ``far`` = min(n_rows, n_cols), as labels count matched edges only

Why threads do no harm to each other
    - A row belongs to the thread that took it from the list, or took its column. The thread writes
      all that belongs to x, then hands x over by compare-and-swap of ``col_match[y]`` from the old
      mate to x. By the same instruction it becomes the owner of that mate, with all that others
      have written of it, and unmatches it. So ``row_match`` and ``col_match`` always agree but for
      rows that are being handled, and agree on all when the threads have come to their end.
    - ``col_label`` is read and written without care: of two that take y one shortly after the
      other, the label that stays may be the first one's. A wrong label may cause pushes in vain, or
      let a row be given up in this phase. Global relabelling sets both right.
    - That could go on forever, so a phase without gain is followed by one on a single thread, where
      labels are true bounds all the time. Such a phase does not end before it has matched a row,
      and one can be matched, as all active rows were reached. Hence the algorithm ends.

A level of few columns, or a round of few rows, is done by one thread. To wake the others takes as
long as reading ``SERIAL_STEP`` edges, and there may be many such steps: on meshes, with few rows
left, hundreds of levels a phase.

References: J. Langguth, A. Azad, M. Halappanavar, F. Manne, "On parallel push–relabel based
algorithms for bipartite maximum matching", Parallel Computing 40, 2014; K. Kaya et al., Computers &
Operations Research 40, 2013; M. Deveci et al., ICPP 2013.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import fetch_add, flush, kernel, next_chunk, prefetch, share_out, take
from ...results.run import Run
from ...tuning import CHUNK, EDGES_PER_CALL, PUSH_AHEAD, PUSH_NEAR, SERIAL_STEP
from ..counters import EDGES, edges_traversed, new_tally, report
from ..levels import LevelLog
from ..sides import both_sides

# Entries of `state`: bounds of the frontier and end of the next one in `columns`, label of the
# frontier; number of active rows, which half of `active` lists them, and how many the other half
# has; the largest label; rows that can be matched at most; the step being done, its next item to
# hand out, and how many at a time; pushes and edges gained in this phase.
LO, HI, TAIL, DEPTH, ACTIVE, HALF, LISTED, FAR, WANTED, STEP, CURSOR, BATCH = range(12)
PUSHES, GAINED = 12, 13

RELABEL, PUSH = range(2)  # the steps that are shared out among threads


class Arrays(NamedTuple):
    """What both steps work on; the names are explained above."""

    indptr: Any
    indices: Any
    row_match: Any
    t_indptr: Any
    t_indices: Any
    col_match: Any
    row_label: Any
    col_label: Any
    columns: Any
    active: Any
    private: Any  # two queues a thread
    state: Any
    tally: Any


def p_push_relabel(run: Run, *, relabel_frequency: float = 0.0, queue_limit: int = 500) -> None:
    """Make the matching maximum."""
    rows, cols = both_sides(run)
    graph, threads, index = run.graph, run.threads, run.graph.indices.dtype
    limit = max(1, min(queue_limit, graph.n_rows))
    a = Arrays(
        *rows,
        *cols,
        row_label=run.empty(graph.n_rows, index),
        col_label=run.empty(graph.n_cols, index),
        columns=run.empty(graph.n_cols, index),
        active=run.empty((2, run.unmatched_rows().size), index),
        private=run.empty((threads, 2, limit), index),
        state=np.zeros(16, np.int64),
        tally=new_tally(threads),
    )
    state = a.state
    enough = sum(graph.shape) / (relabel_frequency or min(2 * threads, 16))
    log = LevelLog(run.stats)
    alone = threads == 1
    try:
        while not run.done:
            global_relabel(run, a, log)
            reached = state[ACTIVE]
            # Alone, one thread goes on until it has matched a row.
            while state[ACTIVE] > 0 and (state[PUSHES] < enough or (alone and state[GAINED] == 0)):
                with run.timed("push"):
                    push_rounds(a, threads, limit, enough, alone, EDGES_PER_CALL)
                run.pause()
            run.end_phase(int(state[GAINED]))
            if reached == 0:
                break
            alone = threads == 1 or state[GAINED] == 0
    finally:
        report(run, a.tally)


def global_relabel(run: Run, a: Arrays, log: LevelLog) -> None:
    """Make labels exact, and list the unmatched rows that can reach a free column."""
    state, far = a.state, min(run.graph.shape)
    with run.timed("relabel"):
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


@kernel
def relabel_levels(a: Any, threads: int, sizes: Any, budget: int) -> None:
    """Relabel level by level, until some `budget` edges were traversed or enough rows reached."""
    state = a.state
    stop, degree = edges_traversed(a.tally) + budget, a.indices.size / a.col_match.size
    while state[LO] < state[HI] and state[ACTIVE] < state[WANTED]:
        state[STEP], state[CURSOR], state[BATCH] = RELABEL, state[LO], CHUNK
        do_step(threads if (state[HI] - state[LO]) * degree >= SERIAL_STEP else 1, a)
        state[LO], state[HI] = state[HI], state[TAIL]
        state[DEPTH] += 1
        if state[HI] > state[LO]:
            if sizes[0] + 1 < sizes.size:
                sizes[sizes[0] + 1] = state[HI] - state[LO]
            sizes[0] += 1
        if edges_traversed(a.tally) >= stop:
            break


@kernel
def push_rounds(a: Any, threads: int, limit: int, enough: float, alone: bool, budget: int) -> None:
    """Let every active row push once, again and again, until there were enough pushes."""
    state = a.state
    stop, degree = edges_traversed(a.tally) + budget, a.indices.size / a.row_match.size
    while state[ACTIVE] > 0 and (state[PUSHES] < enough or (alone and state[GAINED] == 0)):
        state[STEP], state[CURSOR], state[LISTED] = PUSH, 0, 0
        # At the limit, or so few at a time that there are some for every thread.
        state[BATCH] = min(limit, 1 + state[ACTIVE] // (4 * threads))
        do_step(1 if alone or state[ACTIVE] * degree < SERIAL_STEP else threads, a)
        state[HALF], state[ACTIVE] = 1 - state[HALF], state[LISTED]
        if state[GAINED] >= state[WANTED]:
            state[ACTIVE] = 0
        if edges_traversed(a.tally) >= stop:
            break


@share_out
def do_step(t: int, shared: bool, a: Any) -> None:
    """Thread t's share of ``state[STEP]``."""
    if a.state[STEP] == RELABEL:
        relabel(a, t, shared)
    else:
        push(a, t, shared)


@kernel
def relabel(a: Any, t: int, shared: bool) -> None:
    """Thread t's share of a level: its columns claim rows, which stand for their columns."""
    t_indptr, t_indices, row_match, state = a.t_indptr, a.t_indices, a.row_match, a.state
    row_label, col_label, columns, active = a.row_label, a.col_label, a.columns, a.active[0]
    mine, mine_active = a.private[t, 0], a.private[t, 1]
    hi, depth, far, batch = state[HI], state[DEPTH], state[FAR], state[BATCH]
    edges = 0
    waiting = 0  # columns in the one private queue
    waiting_active = 0  # rows in the other
    lo, last = next_chunk(state, CURSOR, hi, batch, shared)
    while lo < last:
        for i in range(lo, last):
            y = columns[i]
            if i + PUSH_AHEAD < last:
                prefetch(t_indptr, np.int64(columns[i + PUSH_AHEAD]))
                prefetch(t_indices, np.int64(t_indptr[columns[i + PUSH_NEAR]]))
            for k in range(t_indptr[y], t_indptr[y + 1]):
                edges += 1
                x = t_indices[k]
                if row_label[x] != far or not take(row_label, x, far, depth, shared):
                    continue
                above = row_match[x]
                if above < 0:
                    if waiting_active == mine_active.size:
                        waiting_active = flush(
                            mine_active, waiting_active, active, state, ACTIVE, shared
                        )
                    mine_active[waiting_active] = x
                    waiting_active += 1
                else:
                    col_label[above] = depth + 1
                    if waiting == mine.size:
                        waiting = flush(mine, waiting, columns, state, TAIL, shared)
                    mine[waiting] = above
                    waiting += 1
        lo, last = next_chunk(state, CURSOR, hi, batch, shared)
    flush(mine, waiting, columns, state, TAIL, shared)
    flush(mine_active, waiting_active, active, state, ACTIVE, shared)
    a.tally[t, EDGES] += edges


@kernel
def push(a: Any, t: int, shared: bool) -> None:
    """Thread t's share of a round: active rows push once each."""
    indptr, indices, row_match, col_match = a.indptr, a.indices, a.row_match, a.col_match
    row_label, col_label, state = a.row_label, a.col_label, a.state
    active, listed, mine = a.active[state[HALF]], a.active[1 - state[HALF]], a.private[t, 0]
    n_active, far, batch = state[ACTIVE], state[FAR], state[BATCH]
    edges = pushes = gained = 0
    waiting = 0  # rows in the private queue
    lo, last = next_chunk(state, CURSOR, n_active, batch, shared)
    while lo < last:
        for i in range(lo, last):
            x = np.int64(active[i])
            if i + PUSH_AHEAD < last:
                prefetch(indptr, np.int64(active[i + PUSH_AHEAD]))
                prefetch(row_label, np.int64(active[i + PUSH_AHEAD]))
                prefetch(indices, np.int64(indptr[active[i + PUSH_NEAR]]))
            begin, degree = np.int64(indptr[x]), np.int64(indptr[x + 1] - indptr[x])
            bound = np.int64(row_label[x])
            while True:
                # The least label of the neighbours, and the least but one.
                least = second = far
                y = np.int64(-1)
                k = 0
                while k < degree:
                    next_y = np.int64(indices[begin + (degree - 1 - k if bound & 1 else k)])
                    k += 1
                    label = np.int64(col_label[next_y])
                    if label < least:
                        least, second, y = label, least, next_y
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
                raised = min(second + 1, far)  # from y the way leads through x from now on
                row_match[x] = y
                row_label[x] = raised - 1
                if take(col_match, y, mate, x, shared):
                    col_label[y] = raised
                    pushes += 1
                    if mate < 0:
                        gained += 1
                    else:
                        row_match[mate] = -1
                        if waiting == mine.size:
                            waiting = flush(mine, waiting, listed, state, LISTED, shared)
                        mine[waiting] = mate
                        waiting += 1
                    break
                row_label[x] = bound  # another thread took y: look again
        lo, last = next_chunk(state, CURSOR, n_active, batch, shared)
    flush(mine, waiting, listed, state, LISTED, shared)
    if shared:
        fetch_add(state, PUSHES, pushes)
        fetch_add(state, GAINED, gained)
    else:
        state[PUSHES] += pushes
        state[GAINED] += gained
    a.tally[t, EDGES] += edges
