"""P-HK: Hopcroft–Karp on several threads.

A phase has two steps. Breadth-first search from all unmatched rows gives every row its level, and
stops at the level at which a free column is seen; threads share each level. Depth-first search from
the unmatched rows, only from a level to the next, then finds a maximal set of disjoint shortest
paths and augments; threads take roots a few at a time and claim every row they come to. On one
thread it finds the same paths as `hopcroft_karp`.

Work O(nnz) a phase, O(√n · nnz) in all. Memory: four indices a row, and a private queue a thread.

- ``level[x]``: level of row x in this phase, or −1: not reached, or claimed by the second step.
- ``tried[x]``: edges of x that the depth-first search has tried.
- ``queue``: the rows reached, level by level; the frontier is ``queue[LO:HI]``. In the second step
  it is called ``above``: the row that the search came to x from, or −1 at a root. Searches are
  disjoint, so these links are the stacks of all threads.
- ``roots``: the unmatched rows.

Why threads do no harm to each other
    - Breadth-first, a row is claimed by compare-and-swap on its ``level``, and the winner alone
      puts it into the queue. That a free column was seen is only ever written as 1; seen late,
      some more rows get a level, which is one too deep to matter.
    - Depth-first, a search at depth d claims a row by compare-and-swap of its ``level`` from d + 1
      to −1, so that each row belongs to one search at most, and the roots to theirs. A free column
      is claimed by compare-and-swap of its ``col_match`` from −1 to the row before it. A search
      that gets to one augments at once, over its own rows only: paths are disjoint.
    - ``col_match`` is read while others augment. All columns of their paths were and will be
      matched to rows of theirs, which are claimed: whichever is read, nobody can go there.
Why the set of paths is maximal, so that the bound on the number of phases holds
    Suppose a shortest path was left over that shares no vertex with those found. Its first row, a
    root, failed, so its second was claimed by some search. That one is not on a path found, so it
    failed as well, so its third was claimed, and so on; the last failed next to a free column.
    So the phase is conclusive too: if a free column was seen, a path is found; if none was, every
    row that alternating paths reach was searched from, and the matching is maximum.

References: A. Azad, M. Halappanavar, S. Rajamanickam, E. G. Boman, A. Khan, A. Pothen,
"Multithreaded algorithms for maximum matching in bipartite graphs", IPDPS 2012; J. E. Hopcroft,
R. M. Karp, SIAM J. Comput. 2, 1973.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import flush, kernel, next_chunk, share_out, take
from ...compile.tuning import CHUNK, EDGES_PER_CALL, PRIVATE, SERIAL
from ...graphs.graph import unsigned
from ...results.run import Run
from ..counters import EDGES, count_path, edges_traversed, new_tally, paths_found, report
from ..levels import LevelLog
from .p_pothen_fan import NEXT, augment_upwards, hand_out_roots, next_roots

# Entries of `state` besides NEXT and BATCH, which are about roots: bounds of the frontier and end
# of the next one in `queue`; the next row to hand out; depth of the frontier; whether a free column
# was seen; the step being done.
LO, HI, TAIL, CURSOR, DEPTH, FOUND, STEP = range(2, 9)

GO_DOWN, AUGMENT = range(2)  # the steps that are shared out among threads


class Arrays(NamedTuple):
    """What both steps work on; the names are explained above."""

    indptr: Any
    indices: Any
    row_match: Any
    col_match: Any
    level: Any
    tried: Any
    queue: Any
    private: Any  # a queue a thread
    state: Any
    tally: Any


def p_hopcroft_karp(run: Run) -> None:
    """Make the matching maximum."""
    graph = run.graph
    index = graph.indices.dtype
    a = Arrays(
        indptr=unsigned(graph.indptr),
        indices=unsigned(graph.indices),
        row_match=run.row_match,
        col_match=run.col_match,
        level=np.empty(graph.n_rows, index),
        tried=np.empty(graph.n_rows, index),
        queue=np.empty(graph.n_rows, index),
        private=np.empty((run.threads, PRIVATE), index),
        state=np.zeros(16, np.int64),
        tally=new_tally(run.threads),
    )
    state = a.state
    roots = run.unmatched_rows()
    log = LevelLog(run.stats)
    try:
        while not run.done:
            state[:] = 0
            a.level.fill(-1)
            a.level[roots] = 0
            a.queue[: roots.size] = roots
            state[HI] = state[TAIL] = roots.size
            log.begin_phase(roots.size)
            traversed = int(a.tally[:, EDGES].sum())
            while state[LO] < state[HI] and not state[FOUND]:
                with run.timed("search"):
                    build_levels(a, roots, run.threads, log.sizes, EDGES_PER_CALL)
                run.pause()
            log.end_phase()
            found = paths_found(a.tally)
            work = int(a.tally[:, EDGES].sum()) - traversed
            threads = hand_out_roots(state, roots.size, run.threads, work)
            state[STEP] = AUGMENT
            while state[FOUND] and state[NEXT] < roots.size:
                with run.timed("augment"):
                    do_step(threads, a, roots, EDGES_PER_CALL)
                run.pause()
            roots = roots[run.row_match[roots] < 0]
            run.end_phase(paths_found(a.tally) - found)
            if not state[FOUND]:
                break
    finally:
        report(run, a.tally)


@kernel
def build_levels(a: Any, roots: Any, threads: int, sizes: Any, budget: int) -> None:
    """Give rows their level, until some `budget` edges were traversed or the search is over."""
    state = a.state
    stop = edges_traversed(a.tally) + budget
    while state[LO] < state[HI] and edges_traversed(a.tally) < stop:
        state[STEP], state[CURSOR] = GO_DOWN, state[LO]
        do_step(threads if state[HI] - state[LO] >= SERIAL else 1, a, roots, budget)
        if state[FOUND]:
            break
        state[LO], state[HI] = state[HI], state[TAIL]
        state[DEPTH] += 1
        if state[HI] > state[LO]:
            if sizes[0] + 1 < sizes.size:
                sizes[sizes[0] + 1] = state[HI] - state[LO]
            sizes[0] += 1


@share_out
def do_step(t: int, shared: bool, a: Any, roots: Any, budget: int) -> None:
    """Thread t's share of ``state[STEP]``."""
    if a.state[STEP] == GO_DOWN:
        go_down(a, t, shared)
    else:
        search_and_augment(a, roots, t, budget, shared)


@kernel
def go_down(a: Any, t: int, shared: bool) -> None:
    """Thread t's share of a level: rows of the frontier claim those of the next level."""
    indptr, indices, col_match, state = a.indptr, a.indices, a.col_match, a.state
    level, queue, mine = a.level, a.queue, a.private[t]
    hi, depth = state[HI], state[DEPTH] + 1
    edges = 0
    waiting = 0  # rows in the private queue
    lo, last = next_chunk(state, CURSOR, hi, CHUNK, shared)
    while lo < last and state[FOUND] == 0:
        for i in range(lo, last):
            x = queue[i]
            for k in range(indptr[x], indptr[x + 1]):
                edges += 1
                below = np.int64(col_match[indices[k]])
                if below < 0:
                    state[FOUND] = 1  # this level is the last one
                    break
                if level[below] < 0 and take(level, below, -1, depth, shared):
                    if waiting == PRIVATE:
                        waiting = flush(mine, waiting, queue, state, TAIL, shared)
                    mine[waiting] = below
                    waiting += 1
            if state[FOUND]:
                break
        lo, last = next_chunk(state, CURSOR, hi, CHUNK, shared)
    flush(mine, waiting, queue, state, TAIL, shared)
    a.tally[t, EDGES] += edges


@kernel
def search_and_augment(a: Any, roots: Any, t: int, budget: int, shared: bool) -> None:
    """Thread t's share of the roots: depth-first over rows whose level is their depth."""
    indptr, indices, row_match, col_match = a.indptr, a.indices, a.row_match, a.col_match
    level, tried, above = a.level, a.tried, a.queue
    deepest = a.state[DEPTH]
    edges = 0
    lo, last = next_roots(a.state, roots.size, shared)
    while lo < last:
        for i in range(lo, last):
            x = np.int64(roots[i])
            above[x] = -1
            tried[x] = 0
            depth = 0
            free = -1  # the free column that ends an augmenting path
            while x >= 0:
                begin, degree = np.int64(indptr[x]), np.int64(indptr[x + 1] - indptr[x])
                k = np.int64(tried[x])
                before = k
                below = -1
                while k < degree:
                    y = indices[begin + k]
                    k += 1
                    mate = np.int64(col_match[y])
                    if mate < 0:
                        if take(col_match, y, -1, x, shared):
                            free = np.int64(y)
                            break
                    elif depth < deepest and level[mate] == depth + 1:
                        if take(level, mate, depth + 1, -1, shared):
                            below = mate
                            break
                edges += k - before
                tried[x] = k
                if free >= 0:
                    break
                if below >= 0:
                    above[below] = x
                    tried[below] = 0
                    x = below
                    depth += 1
                else:
                    x = np.int64(above[x])
                    depth -= 1
            if free >= 0:
                count_path(a.tally, t, augment_upwards(row_match, col_match, above, x, free))
        if edges >= budget:
            break
        lo, last = next_roots(a.state, roots.size, shared)
    a.tally[t, EDGES] += edges
