"""Hopcroft–Karp: in every phase a maximal set of vertex-disjoint shortest augmenting paths.

A phase has two steps. Breadth-first search from all unmatched rows gives every column its level,
and stops at the level at which a free column is seen. Depth-first search from the unmatched rows,
only from a level to the next, then finds a maximal set of disjoint paths and augments. Paths grow
longer from phase to phase, which bounds the number of phases by O(√n).

P-HK is the same on several threads, which share each level of the first step, and in the second
take roots a few at a time and claim every column they come to. On one thread the two do the same,
step by step.

Work O(nnz) a phase, O(√n · nnz) in all. Memory: three indices a row, one a column, and a private
queue a thread.

- ``level[y]``: of column y in this phase: 1 if it is next to a root, d + 1 if it is next to a row
  that is matched to a column of level d and to none above; n_rows, which is more, if it was not
  reached. What the second step writes there is said in `depth_first`.
- ``above``: in the first step a queue of the rows reached, level by level; the frontier is
  ``above[LO:HI]``. In the second step as in `depth_first`, as is ``tried``.
- ``roots``: the unmatched rows.

Why threads do no harm to each other
    - Breadth-first, a column is claimed by compare-and-swap on its ``level``, and the winner alone
      puts its mate into the queue. That a free column was seen is only ever written as 1; seen
      late, some more columns get a level, which is one too deep to matter.
    - Depth-first, as is said in `depth_first`.
Why the set of paths is maximal, so that the bound on the number of phases holds
    Suppose a shortest path was left over that shares no vertex with those found. Its first row, a
    root, failed, so the column after it was claimed by some search, which then came to the second
    row. That one is not on a path found, so it failed as well, so the column after it was claimed,
    and so on; the last row failed next to a free column.
    So the phase is conclusive too: if a free column was seen, a path is found; if none was, every
    row that alternating paths reach was searched from, and the matching is maximum.

References: J. E. Hopcroft, R. M. Karp, "An n^{5/2} algorithm for maximum matchings in bipartite
graphs", SIAM J. Comput. 2, 1973; P-HK: A. Azad, M. Halappanavar, S. Rajamanickam, E. G. Boman,
A. Khan, A. Pothen, "Multithreaded algorithms for maximum matching in bipartite graphs", IPDPS 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import enqueue, flush, kernel, next_chunk, share_out, take
from ...results.run import Run
from ...tuning import CHUNK, EDGES_PER_CALL, SERIAL
from ..counters import EDGES, edges_traversed
from ..levels import LevelLog, log_level
from .depth_first import Arrays, prepare, search_and_augment
from .roots import repeat_phases, search_from

# Entries of `state` besides those of `roots`: bounds of the frontier and end of the next one in the
# queue; the next row to hand out; depth of the frontier; whether a free column was seen.
LO, HI, TAIL, CURSOR, DEPTH, FOUND = range(2, 8)


def hopcroft_karp(run: Run) -> None:
    """Make the matching maximum, on one thread."""
    match_by_levels(run, 1)


def p_hopcroft_karp(run: Run) -> None:
    """Make the matching maximum."""
    match_by_levels(run, run.threads)


def match_by_levels(run: Run, threads: int) -> None:
    """Make the matching maximum on so many threads."""
    a = prepare(run, threads, run.graph.indices.dtype, lookahead=False, queues=True)
    log = LevelLog(run.stats)

    def search(roots: Any, work: int) -> None:
        if build_levels(run, threads, a, roots, log):
            augment_shortest(run, threads, a, roots, work)

    repeat_phases(run, a.tally, search)


def build_levels(run: Run, threads: int, a: Arrays, roots: Any, log: LevelLog) -> bool:
    """Give columns their level; tell whether a free one was seen."""
    state = a.state
    state[:] = 0
    state[HI] = state[TAIL] = roots.size
    a.level.fill(run.graph.n_rows)
    a.above[: roots.size] = roots
    log.begin_phase(roots.size)
    while state[LO] < state[HI] and not state[FOUND]:
        with run.timed("search"):
            go_deeper(a, threads, log.sizes, EDGES_PER_CALL)
        run.pause()
    log.end_phase()
    return bool(state[FOUND])


def augment_shortest(run: Run, threads: int, a: Arrays, roots: Any, work: int) -> None:
    """Augment along disjoint paths that go down a level at every step."""
    how = int(a.state[DEPTH]), False, False
    search_from(run, threads, a, roots, work, search_and_augment, *how, step="augment")


@kernel
def go_deeper(a: Any, threads: int, sizes: Any, budget: int) -> None:
    """Go from level to level, until some `budget` edges were traversed or the search is over."""
    state = a.state
    stop = edges_traversed(a.tally) + budget
    while state[LO] < state[HI] and edges_traversed(a.tally) < stop:
        state[CURSOR] = state[LO]
        go_down(threads if state[HI] - state[LO] >= SERIAL else 1, a)
        if state[FOUND]:
            break
        state[LO], state[HI] = state[HI], state[TAIL]
        state[DEPTH] += 1
        if state[HI] > state[LO]:
            log_level(sizes, state[HI] - state[LO])


@share_out
def go_down(t: int, shared: bool, a: Any) -> None:
    """Thread t's share of a level: rows of the frontier claim columns of the next level."""
    indptr, indices, col_match, state = a.indptr, a.indices, a.col_match, a.state
    level, queue, mine = a.level, a.above, a.private[t]
    hi, depth, not_reached = state[HI], state[DEPTH] + 1, queue.size
    edges = 0
    waiting = 0  # rows in the private queue
    lo, last = next_chunk(state, CURSOR, hi, CHUNK, shared)
    while lo < last and state[FOUND] == 0:
        for i in range(lo, last):
            x = queue[i]
            for k in range(indptr[x], indptr[x + 1]):
                edges += 1
                y = indices[k]
                if level[y] == not_reached:
                    below = np.int64(col_match[y])
                    if below < 0:
                        state[FOUND] = 1  # this level is the last one
                        break
                    if take(level, y, not_reached, depth, shared):
                        waiting = enqueue(below, mine, waiting, queue, state, TAIL, shared)
            if state[FOUND]:
                break
        lo, last = next_chunk(state, CURSOR, hi, CHUNK, shared)
    flush(mine, waiting, queue, state, TAIL, shared)
    a.tally[t, EDGES] += edges
