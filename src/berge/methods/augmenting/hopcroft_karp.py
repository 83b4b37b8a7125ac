"""Hopcroft–Karp: in every phase a maximal set of vertex-disjoint shortest augmenting paths.

A phase has two steps. Breadth-first search from all unmatched rows gives every row its level, and
stops after the first level at which a free column is seen. Depth-first search from the unmatched
rows, only from a level to the next, then finds a maximal set of disjoint paths and augments.
Paths grow longer from phase to phase, which bounds the number of phases by O(√n).

Work O(nnz) a phase, O(√n · nnz) in all. Memory: four indices a row.

- ``level[x]``: level of row x in this phase, or −1: not reached, or given up by the search.
- ``tried[x]``: edges of x that the depth-first search of this phase has tried.
- ``queue``: the rows reached, level by level, at most n_rows; then the stack of the second step.
- ``roots``: the unmatched rows; what a phase could not match is moved to the front for the next.

Reference: J. E. Hopcroft, R. M. Karp, "An n^{5/2} algorithm for maximum matchings in bipartite
graphs", SIAM J. Comput. 2, 1973.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import kernel
from ...compile.tuning import EDGES_PER_CALL
from ...graphs.graph import unsigned
from ...results.run import Run
from ..counters import EDGES, count_path, new_tally, paths_found, report
from ..levels import LevelLog
from .pothen_fan import augment

# Entries of `state`. Breadth-first: next place in the queue, its end, end of the current level,
# whether a free column was seen. Depth-first: the next root, roots kept for the next phase.
HEAD, TAIL, LEVEL_END, FOUND, NEXT, KEPT = 0, 1, 2, 3, 4, 5


def hopcroft_karp(run: Run) -> None:
    """Make the matching maximum."""
    graph = run.graph
    index = graph.indices.dtype
    csr = unsigned(graph.indptr), unsigned(graph.indices)
    level = np.empty(graph.n_rows, index)
    tried = np.empty(graph.n_rows, index)
    queue = np.empty(graph.n_rows, index)
    roots = run.unmatched_rows()
    tally = new_tally(1)
    log = LevelLog(run.stats)
    try:
        while not run.done:
            state = np.zeros(6, np.int64)
            level.fill(-1)
            queue[: roots.size] = roots
            level[roots] = 0
            tried[roots] = 0
            state[TAIL] = state[LEVEL_END] = roots.size
            log.begin_phase(roots.size)
            while state[HEAD] < state[TAIL]:
                with run.timed("search"):
                    build_levels(
                        *csr, run.col_match, level, tried, queue, log.sizes, state, tally,
                        EDGES_PER_CALL,
                    )  # fmt: skip
                run.pause()
            log.end_phase()
            found = paths_found(tally)
            while state[FOUND] and state[NEXT] < roots.size:
                with run.timed("augment"):
                    augment_shortest(
                        *csr, run.row_match, run.col_match, level, tried, queue, roots, state,
                        tally, EDGES_PER_CALL,
                    )  # fmt: skip
                run.pause()
            if state[FOUND]:
                roots = roots[: state[KEPT]]
            run.end_phase(paths_found(tally) - found)
            if not state[FOUND]:
                break
    finally:
        report(run, tally)


@kernel
def build_levels(
    indptr: Any,
    indices: Any,
    col_match: Any,
    level: Any,
    tried: Any,
    queue: Any,
    sizes: Any,
    state: Any,
    tally: Any,
    budget: int,
) -> None:
    """Give rows their level, until some `budget` edges were traversed or the search is over."""
    head, tail, level_end = state[HEAD], state[TAIL], state[LEVEL_END]
    edges = 0
    while head < tail and edges < budget:
        if head == level_end:
            if state[FOUND]:
                for i in range(head, tail):
                    level[queue[i]] = -1  # paths through deeper levels are not shortest
                tail = head
                break
            level_end = tail
            if sizes[0] + 1 < sizes.size:
                sizes[sizes[0] + 1] = tail - head
            sizes[0] += 1
        x = queue[head]
        head += 1
        for k in range(indptr[x], indptr[x + 1]):
            edges += 1
            below = col_match[indices[k]]
            if below < 0:
                state[FOUND] = 1
                break
            if level[below] < 0:
                level[below] = level[x] + 1
                tried[below] = 0
                queue[tail] = below
                tail += 1
    state[HEAD], state[TAIL], state[LEVEL_END] = head, tail, level_end
    tally[0, EDGES] += edges


@kernel
def augment_shortest(
    indptr: Any,
    indices: Any,
    row_match: Any,
    col_match: Any,
    level: Any,
    tried: Any,
    stack: Any,
    roots: Any,
    state: Any,
    tally: Any,
    budget: int,
) -> None:
    """Augment along disjoint paths that go down a level at every step, root by root."""
    stop = tally[0, EDGES] + budget
    while state[NEXT] < roots.size and tally[0, EDGES] < stop:
        root = roots[state[NEXT]]
        state[NEXT] += 1
        depth = 0
        stack[0] = root
        edges = 0
        free = -1
        while depth >= 0 and free < 0:
            x = stack[depth]
            begin, degree = np.int64(indptr[x]), np.int64(indptr[x + 1] - indptr[x])
            k = np.int64(tried[x])
            before = k
            below = -1
            while k < degree:
                y = indices[begin + k]
                k += 1
                mate = np.int64(col_match[y])
                if mate < 0:
                    free = np.int64(y)
                    break
                if level[mate] == level[x] + 1:
                    below = mate
                    break
            edges += k - before
            tried[x] = k
            if free >= 0:
                break
            if below >= 0:
                depth += 1
                stack[depth] = below
            else:
                level[x] = -1
                depth -= 1
        tally[0, EDGES] += edges
        if free >= 0:
            # The rows of the path are used up: no later path of this phase may pass them.
            for i in range(depth + 1):
                level[stack[i]] = -1
            augment(row_match, col_match, stack, depth, free)
            count_path(tally, 0, 2 * depth + 1)
        else:
            roots[state[KEPT]] = root
            state[KEPT] += 1
