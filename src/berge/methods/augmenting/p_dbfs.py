"""P-DBFS: breadth-first searches over disjoint parts of the graph, each from one unmatched row.

A phase searches breadth-first from every unmatched row, over columns that no search of this phase
has visited. A search ends at the first free column it sees, and augments at once. Threads take
roots a few at a time and claim every column they visit. A phase without a path is the last.

Work O(nnz) a phase, O(n · nnz) in all. Memory: two indices a row and one byte a column, however
many threads there are.

- ``visited[y]``: 1 if a search of this phase has claimed y.
- ``above[x]``: as in `roots`.
- ``after[x]``: the row that was come to next after x in the same search, or −1. Searches are
  disjoint, so these links are the queues of all threads.
- ``roots``: the unmatched rows.

Why threads do no harm to each other, and why a phase without a path is conclusive, is said in
`roots`; ``visited`` is the one thing that threads share. A search that succeeds leaves columns
claimed behind whose mates were never searched from; but a phase without a path has only searches
that failed.

Reference: A. Azad, M. Halappanavar, S. Rajamanickam, E. G. Boman, A. Khan, A. Pothen,
"Multithreaded algorithms for maximum matching in bipartite graphs", IPDPS 2012.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import claim, share_out
from ...results.run import Run
from ..counters import EDGES, count_path, new_tally
from ..phases import graph_and_matching
from .roots import augment, next_roots, repeat_phases, search_from


class Arrays(NamedTuple):
    """What the search works on; the names are explained above."""

    indptr: Any
    indices: Any
    row_match: Any
    col_match: Any
    visited: Any
    above: Any
    after: Any
    state: Any
    tally: Any


def p_dbfs(run: Run) -> None:
    """Make the matching maximum."""
    graph = run.graph
    index = graph.indices.dtype
    a = Arrays(
        *graph_and_matching(run),
        visited=np.empty(graph.n_cols, np.uint8),
        above=np.empty(graph.n_rows, index),
        after=np.empty(graph.n_rows, index),
        state=np.zeros(8, np.int64),
        tally=new_tally(run.threads),
    )

    def search(roots: Any, work: int) -> None:
        a.visited.fill(0)
        search_from(run, run.threads, a, roots, work, search_and_augment)

    repeat_phases(run, a.tally, search)


@share_out
def search_and_augment(t: int, shared: bool, a: Any, roots: Any, budget: int) -> None:
    """Thread t's share of the roots, until it has read some `budget` edges."""
    indptr, indices, row_match, col_match = a.indptr, a.indices, a.row_match, a.col_match
    visited, above, after = a.visited, a.above, a.after
    edges = 0
    lo, last = next_roots(a.state, roots.size, shared)
    while lo < last:
        for i in range(lo, last):
            x = np.int64(roots[i])
            above[x] = after[x] = -1
            tail = x
            free = -1  # the free column that ends an augmenting path
            while x >= 0:
                for k in range(indptr[x], indptr[x + 1]):
                    edges += 1
                    y = indices[k]
                    if visited[y] == 0 and claim(visited, y, shared):
                        below = np.int64(col_match[y])
                        if below < 0:
                            free = np.int64(y)
                            break
                        above[below] = x
                        after[below] = -1
                        after[tail] = below
                        tail = below
                if free >= 0:
                    break
                x = np.int64(after[x])
            if free >= 0:
                count_path(a.tally, t, augment(row_match, col_match, above, x, free))
        if edges >= budget:
            break
        lo, last = next_roots(a.state, roots.size, shared)
    a.tally[t, EDGES] += edges
