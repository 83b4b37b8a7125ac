"""P-PFP: Pothen–Fan on several threads, depth-first searches over disjoint parts of the graph.

A phase searches depth-first from every unmatched row, over columns that no search of this phase
has visited, and augments along each path as soon as it is found. Threads take roots a few at a
time and claim every column they visit, free ones too. A phase without a path is the last.

Lookahead and fairness as in `pothen_fan`; on one thread the two do the same, step by step.

Work O(nnz) a phase, O(n · nnz) in all; over all phases lookahead reads every edge once. Memory:
three indices a row and one byte a column, however many threads there are.

- ``visited[y]``: 1 if a search of this phase has claimed y.
- ``ahead[x]``: edges of x that lookahead has passed; their columns are matched, or will be before
  the phase ends, and stay so.
- ``tried[x]``: edges of x that the search of this phase has tried.
- ``above[x]``: the row that the search came to x from, or −1 at a root. Searches are disjoint, so
  these links are the stacks of all threads.
- ``roots``: the unmatched rows.

Why threads do no harm to each other
    - A thread owns the columns that it has claimed in this phase by compare-and-swap on
      ``visited``, and the rows it came to: its roots, and the mates that those columns had when
      they were claimed. Nobody else can come to such a row: its column is claimed. After
      augmenting, the rows of the path are matched to columns of the same owner. So paths of one
      phase are disjoint, and an owner alone reads and writes what belongs to its rows, and alone
      writes ``col_match`` of its columns.
    - Lookahead reads ``col_match`` of columns of others. Once not −1 it never is again, so a
      column seen as matched is matched for good. One seen as free is claimed first: if that
      succeeds, nobody has written its ``col_match`` in this phase, and it is free indeed. If it
      fails, some search has just ended there, and will match it.
Why a phase without a path is conclusive
    All its searches failed, so each row that was come to had all its edges tried, by one thread or
    another: every neighbour of such a row was claimed, by whomever, and was not free, and its mate
    was come to. The rows come to therefore are all that alternating paths from unmatched rows
    reach, and no free column is next to them. By Berge's theorem the matching is maximum.

References: A. Azad, M. Halappanavar, S. Rajamanickam, E. G. Boman, A. Khan, A. Pothen,
"Multithreaded algorithms for maximum matching in bipartite graphs", IPDPS 2012; A. Pothen,
C.-J. Fan, ACM TOMS 16, 1990; fairness: I. S. Duff, K. Kaya, B. Uçar, ACM TOMS 38(2), 2011.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import claim, helper, next_chunk, share_out
from ...compile.tuning import CHUNK_OF_ROOTS, EDGES_PER_CALL, SERIAL_EDGES
from ...graphs.graph import unsigned
from ...results.run import Run
from ..counters import EDGES, count_path, new_tally, paths_found, report

NEXT, BATCH = 0, 1  # entries of `state`: the next root to search from, roots to hand out at a time


class Arrays(NamedTuple):
    """What the search works on; the names are explained above."""

    indptr: Any
    indices: Any
    row_match: Any
    col_match: Any
    visited: Any
    ahead: Any
    tried: Any
    above: Any
    state: Any
    tally: Any


def p_pothen_fan(run: Run, *, lookahead: bool = True, fairness: bool = True) -> None:
    """Make the matching maximum."""
    search_in_phases(run, 0.0, lookahead, fairness)


def search_in_phases(run: Run, least: float, lookahead: bool = True, fairness: bool = True) -> bool:
    """Search until the matching is maximum, which True says.

    Or until a phase has found paths from less than a `least` part of its roots.
    """
    graph = run.graph
    index = graph.indices.dtype
    a = Arrays(
        indptr=unsigned(graph.indptr),
        indices=unsigned(graph.indices),
        row_match=run.row_match,
        col_match=run.col_match,
        visited=run.empty(graph.n_cols, np.uint8),
        ahead=run.empty(graph.n_rows, index),
        tried=run.empty(graph.n_rows, index),
        above=run.empty(graph.n_rows, index),
        state=np.zeros(8, np.int64),
        tally=new_tally(run.threads),
    )
    a.ahead.fill(0)
    roots = run.unmatched_rows()
    work = graph.nnz
    try:
        while not run.done:
            found, traversed = paths_found(a.tally), int(a.tally[:, EDGES].sum())
            backwards = fairness and run.stats.phases % 2 == 1
            a.visited.fill(0)
            threads = hand_out_roots(a.state, roots.size, run.threads, work)
            while a.state[NEXT] < roots.size:
                with run.timed("search"):
                    search_and_augment(threads, a, roots, lookahead, backwards, EDGES_PER_CALL)
                run.pause()
            work = int(a.tally[:, EDGES].sum()) - traversed
            gained = paths_found(a.tally) - found
            run.end_phase(gained)
            if gained == 0:
                break
            if gained < least * roots.size and not run.done:
                return False
            roots = roots[run.row_match[roots] < 0]
    finally:
        report(run, a.tally)
    return True


def hand_out_roots(state: Any, n_roots: int, threads: int, work: int) -> int:
    """Begin with the first root; return how many threads are to share the roots.

    Several do if the phase before this one traversed enough edges for it, the best guess there is.
    """
    state[NEXT] = 0
    state[BATCH] = max(1, min(CHUNK_OF_ROOTS, n_roots // (4 * threads)))
    return threads if n_roots > 1 and work >= SERIAL_EDGES else 1


@share_out
def search_and_augment(
    t: int, shared: bool, a: Any, roots: Any, lookahead: bool, backwards: bool, budget: int
) -> None:
    """Thread t's share of the roots, until it has read some `budget` edges."""
    indptr, indices, row_match, col_match = a.indptr, a.indices, a.row_match, a.col_match
    visited, ahead, tried, above = a.visited, a.ahead, a.tried, a.above
    edges = 0
    lo, last = next_roots(a.state, roots.size, shared)
    while lo < last:
        for i in range(lo, last):
            x = np.int64(roots[i])
            above[x] = -1
            tried[x] = 0
            free = -1  # the free column that ends an augmenting path
            while x >= 0:
                begin, degree = np.int64(indptr[x]), np.int64(indptr[x + 1] - indptr[x])
                # Arriving at x: look ahead.
                if lookahead and tried[x] == 0:
                    k = np.int64(ahead[x])
                    while k < degree and free < 0:
                        y = indices[begin + k]
                        k += 1
                        if col_match[y] < 0 and visited[y] == 0 and claim(visited, y, shared):
                            free = np.int64(y)
                    edges += k - ahead[x]
                    ahead[x] = k
                    if free >= 0:
                        break
                # Go down to the mate of the next column not visited, or back.
                k = np.int64(tried[x])
                before = k
                below = -1
                while k < degree:
                    y = indices[begin + (degree - 1 - k if backwards else k)]
                    k += 1
                    if visited[y] == 0 and claim(visited, y, shared):
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
                else:
                    x = np.int64(above[x])
            if free >= 0:
                count_path(a.tally, t, augment_upwards(row_match, col_match, above, x, free))
        if edges >= budget:
            break
        lo, last = next_roots(a.state, roots.size, shared)
    a.tally[t, EDGES] += edges


@helper
def next_roots(state: Any, n_roots: int, shared: bool) -> tuple[int, int]:
    """Take the next few roots; an empty range when there are none left."""
    end = n_roots if shared else min(state[NEXT] + state[BATCH], n_roots)
    return next_chunk(state, NEXT, end, state[BATCH], shared)


@helper
def augment_upwards(row_match: Any, col_match: Any, above: Any, x: int, free: int) -> int:
    """Match the rows from x up to its root along the path, and return its length in edges."""
    y = free
    edges = -1
    while x >= 0:
        y_before = row_match[x]
        row_match[x] = y
        col_match[y] = x
        y = y_before
        x = above[x]
        edges += 2
    return edges
