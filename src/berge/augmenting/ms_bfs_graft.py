"""MS-BFS-Graft: breadth-first search from all unmatched rows at once, keeping trees by grafting.

A phase (Algorithm 3) grows a forest of alternating trees, one from each unmatched row, level by
level until no level is left. A tree in which a free column is found stops growing: it is
*renewable*; the others are *active*. Then all paths found are augmented at once. Where plain MS-BFS
would throw all trees away, *grafting* keeps the active ones, and hangs columns of renewable trees
on them where there is an edge; these columns' mates are the next phase's first frontier. A phase
without an augmenting path is the last.

A level goes *top-down* (rows of the frontier look for unvisited columns) or, when the frontier is
large against what is unvisited, *bottom-up* (unvisited columns look for a row in an active tree).

Work O(nnz) a phase, O(n · nnz) in all; in practice a few passes over the edges. Memory: one byte
and five indices a column, four indices a row (`mate` apart).

Paper → here
    mate[x], mate[y]   ``row_match[x]``, ``col_match[y]``
    visited[y]         ``visited[y]``: 1 if y is in the forest
    parent[y]          ``parent[y]``: the row that y hangs on; only means something if visited
    root[x]            ``root[x]``: root of the tree of x, or −1
    root[y]            ``root[parent[y]]``: not stored
    leaf[x]            ``leaf[x]``: a free column in the tree of root x, or −1: the tree is active
    F, Q               ``forest[lo:hi]``, ``forest[hi:]``: frontier and next frontier
    unvisited Y (R)    ``unvisited``: columns that were not visited at the last bottom-up step

``forest`` lists the forest in the order it grew: a column y stands for itself and its mate, a root x
is written ~x. Each vertex is in it at most once, so n_rows + n_cols places are enough.

Races, on several threads, and why they do no harm
    - Top-down, threads claim a column by compare-and-swap on ``visited``; the winner alone writes
      ``parent[y]`` and ``root[mate]``. Bottom-up a column is handled by one thread: no atomics.
    - ``leaf[r]`` is read while others write it. A stale −1 only lets a tree grow a little after it
      became renewable. Of several free columns found in one tree the last written one is its leaf;
      all of them are in ``forest`` under a renewable tree, so grafting makes them available again.
    - ``root[x]`` is read bottom-up while others write it. It goes from "no active tree" to an
      active one, once a level; read late, y is claimed at the next level instead.
    - A root that has been matched never is a root again, so its ``leaf`` may stay as it is.

Reference: A. Azad, A. Buluç, A. Pothen, "A parallel tree grafting algorithm for maximum cardinality
matching in bipartite graphs", IPDPS 2015. (Line 15 of its Algorithm 7 says root[y], meaning x.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import unsigned
from ..run import EDGES_PER_CALL, Run
from ..spmd import compare_and_swap, fetch_add, helper, kernel, prange, ticks
from .levels import LevelLog
from .tally import EDGES, count_path, edges_traversed, new_tally, paths_found, report

ALPHA = 5.0  # top-down while the frontier is smaller than 1/α of what is unvisited

# A thread collects this many vertices in a queue of its own before it writes to the shared one.
PRIVATE = 1024
# A thread takes this many items of a level at a time, so that skewed degrees are shared out.
CHUNK = 256
# Levels with fewer items are done by one thread: starting the others would take longer.
SERIAL = 1024

# Entries of `state`. The frontier is forest[LO:HI], the next one forest[HI:TAIL]. N_LISTED entries
# of `unvisited` are in use, −1: not listed yet in this phase. N_UNVISITED columns are unvisited.
# CURSOR: the next item to hand out; LISTED: entries of the next `unvisited` so far.
# DOWN, UP: nanoseconds spent top-down and bottom-up.
LO, HI, TAIL, N_LISTED, N_UNVISITED, CURSOR, LISTED, DOWN, UP = range(9)


def ms_bfs_graft(run: Run) -> None:
    """Make the matching maximum (Algorithm 3)."""
    graph, transpose, threads = run.graph, run.transpose(), run.threads
    n_rows, n_cols = graph.shape
    index = graph.indices.dtype
    rows_csr = unsigned(graph.indptr), unsigned(graph.indices)
    cols_csr = unsigned(transpose.indptr), unsigned(transpose.indices)
    visited = np.zeros(n_cols, np.uint8)
    parent = np.empty(n_cols, index)
    root = np.full(n_rows, -1, index)
    leaf = np.full(n_rows, -1, index)
    trees = run.row_match, run.col_match, visited, parent, root, leaf
    forest, spare = np.empty(n_rows + n_cols, index), np.empty(n_rows + n_cols, index)
    unvisited, unvisited_next = np.empty(n_cols, index), np.empty(n_cols, index)
    private = np.empty((threads, 2, PRIVATE), index)
    state = np.zeros(16, np.int64)
    tally = new_tally(threads)
    log = LevelLog(run.stats)

    roots = run.unmatched_rows()
    plant(roots, root, forest, state)
    state[N_UNVISITED] = np.count_nonzero(transpose.row_degrees)
    try:
        while not run.done:
            # Step 1: construct the alternating forest.
            log.begin_phase(int(state[HI] - state[LO]))
            state[N_LISTED] = -1
            while state[LO] < state[HI]:
                state[DOWN] = state[UP] = 0
                grow_forest(
                    *rows_csr, *cols_csr, *trees, forest, unvisited, unvisited_next, private,
                    threads, ALPHA, log.sizes, state, tally, EDGES_PER_CALL,
                )  # fmt: skip
                run.spent("top-down", state[DOWN] / 1e9)
                run.spent("bottom-up", state[UP] / 1e9)
                run.pause()
            log.end_phase()
            # Step 2: augment the matching.
            found = paths_found(tally)
            with run.timed("augment"):
                left = augment_paths(
                    run.row_match, run.col_match, parent, leaf, roots, threads, state, tally
                )
                roots = roots[:left]
            gained = paths_found(tally) - found
            run.end_phase(gained)
            if gained == 0:
                break
            # Step 3: construct the frontier for the next phase.
            with run.timed("graft"):
                graft(
                    *cols_csr, *trees, roots, forest, spare, unvisited, private, threads, ALPHA,
                    state, tally,
                )  # fmt: skip
            forest, spare = spare, forest
    finally:
        report(run, tally)


@kernel(parallel=True)
def grow_forest(
    indptr: Any,
    indices: Any,
    t_indptr: Any,
    t_indices: Any,
    row_match: Any,
    col_match: Any,
    visited: Any,
    parent: Any,
    root: Any,
    leaf: Any,
    forest: Any,
    unvisited: Any,
    unvisited_next: Any,
    private: Any,
    threads: int,
    alpha: float,
    sizes: Any,
    state: Any,
    tally: Any,
    budget: int,
) -> None:
    """Grow the forest level by level until the frontier is empty (Algorithm 3, lines 8–13).

    Returns early after some `budget` edges; called again, it goes on.
    """
    stop = edges_traversed(tally) + budget
    begin = ticks()
    while state[LO] < state[HI] and edges_traversed(tally) < stop:
        frontier = state[HI] - state[LO]
        if frontier < state[N_UNVISITED] / alpha:
            state[CURSOR] = state[LO]
            if threads == 1 or frontier < SERIAL:
                top_down(
                    0, False, indptr, indices, col_match, visited, parent, root, leaf, forest,
                    private, state, tally,
                )  # fmt: skip
            else:
                for t in prange(threads):
                    top_down(
                        t, True, indptr, indices, col_match, visited, parent, root, leaf, forest,
                        private, state, tally,
                    )  # fmt: skip
            now = ticks()
            state[DOWN] += now - begin
        else:
            if state[N_LISTED] < 0:
                list_unvisited(t_indptr, visited, unvisited, state)
            state[CURSOR] = 0
            state[LISTED] = 0
            if threads == 1 or state[N_LISTED] < SERIAL:
                bottom_up(
                    0, False, t_indptr, t_indices, col_match, visited, parent, root, leaf,
                    unvisited, state[N_LISTED], unvisited_next, forest, private, state, tally,
                )  # fmt: skip
            else:
                for t in prange(threads):
                    bottom_up(
                        t, True, t_indptr, t_indices, col_match, visited, parent, root, leaf,
                        unvisited, state[N_LISTED], unvisited_next, forest, private, state, tally,
                    )  # fmt: skip
            state[N_LISTED] = state[LISTED]
            unvisited, unvisited_next = unvisited_next, unvisited
            now = ticks()
            state[UP] += now - begin
        begin = now
        state[LO] = state[HI]
        state[HI] = state[TAIL]
        state[N_UNVISITED] -= state[HI] - state[LO]
        if state[HI] > state[LO]:
            if sizes[0] + 1 < sizes.size:
                sizes[sizes[0] + 1] = state[HI] - state[LO]
            sizes[0] += 1
    state[N_LISTED] = -1  # the two lists may have changed places


@kernel
def top_down(
    t: int,
    shared: bool,
    indptr: Any,
    indices: Any,
    col_match: Any,
    visited: Any,
    parent: Any,
    root: Any,
    leaf: Any,
    forest: Any,
    private: Any,
    state: Any,
    tally: Any,
) -> None:
    """Thread t's share of a level: rows of the frontier claim unvisited columns (Algorithm 4)."""
    hi = state[HI]
    edges = 0
    waiting = 0  # columns in the private queue
    lo, last = next_chunk(shared, state, hi)
    while lo < last:
        for i in range(lo, last):
            entry = np.int64(forest[i])
            x = ~entry if entry < 0 else np.int64(col_match[entry])
            if x < 0 or leaf[root[x]] >= 0:
                continue  # a free column, or a tree that has become renewable
            for k in range(indptr[x], indptr[x + 1]):
                edges += 1
                y = indices[k]
                if visited[y] == 0 and claim(shared, visited, y):
                    if waiting == PRIVATE:
                        flush(shared, private[t, 0], waiting, forest, state, TAIL)
                        waiting = 0
                    private[t, 0, waiting] = y
                    waiting += 1
                    if adopt(x, y, col_match, parent, root, leaf):
                        break
        lo, last = next_chunk(shared, state, hi)
    flush(shared, private[t, 0], waiting, forest, state, TAIL)
    tally[t, EDGES] += edges


@kernel
def bottom_up(
    t: int,
    shared: bool,
    t_indptr: Any,
    t_indices: Any,
    col_match: Any,
    visited: Any,
    parent: Any,
    root: Any,
    leaf: Any,
    columns: Any,
    n_columns: int,
    left_over: Any,
    forest: Any,
    private: Any,
    state: Any,
    tally: Any,
) -> None:
    """Thread t's share of Algorithm 6: columns look for a row in an active tree.

    Those that find none are put in `left_over`.
    """
    edges = 0
    waiting = 0
    waiting_left = 0
    lo, last = next_chunk(shared, state, n_columns)
    while lo < last:
        for i in range(lo, last):
            y = np.uint64(columns[i])
            if visited[y] != 0:
                continue
            for k in range(t_indptr[y], t_indptr[y + np.uint64(1)]):
                edges += 1
                x = t_indices[k]
                r = root[x]
                if r >= 0 and leaf[r] < 0:
                    visited[y] = 1
                    if waiting == PRIVATE:
                        flush(shared, private[t, 0], waiting, forest, state, TAIL)
                        waiting = 0
                    private[t, 0, waiting] = y
                    waiting += 1
                    adopt(x, y, col_match, parent, root, leaf)
                    break
            if visited[y] == 0:
                if waiting_left == PRIVATE:
                    flush(shared, private[t, 1], waiting_left, left_over, state, LISTED)
                    waiting_left = 0
                private[t, 1, waiting_left] = y
                waiting_left += 1
        lo, last = next_chunk(shared, state, n_columns)
    flush(shared, private[t, 0], waiting, forest, state, TAIL)
    flush(shared, private[t, 1], waiting_left, left_over, state, LISTED)
    tally[t, EDGES] += edges


@helper
def adopt(x: int, y: int, col_match: Any, parent: Any, root: Any, leaf: Any) -> bool:
    """Hang y on x (Algorithm 5); return whether that ends an augmenting path."""
    parent[y] = x
    mate = col_match[y]
    if mate < 0:
        leaf[root[x]] = y
        return True
    root[mate] = root[x]
    return False


@helper
def claim(shared: bool, visited: Any, y: int) -> bool:
    """Mark an unvisited column; among several threads only one gets True."""
    if shared:
        return compare_and_swap(visited, y, np.uint8(0), np.uint8(1))
    visited[y] = 1
    return True


@helper
def next_chunk(shared: bool, state: Any, end: int) -> tuple[int, int]:
    """Take the next items of a level; an empty range when there are none."""
    if not shared:
        lo, state[CURSOR] = state[CURSOR], end
        return lo, end
    lo = min(fetch_add(state, CURSOR, CHUNK), end)
    return lo, min(lo + CHUNK, end)


@helper
def flush(shared: bool, queue: Any, size: int, to: Any, state: Any, tail: int) -> None:
    """Append a private queue to a shared one, whose size is ``state[tail]``."""
    if shared:
        place = fetch_add(state, tail, size)
    else:
        place = state[tail]
        state[tail] += size
    for i in range(size):
        to[place + i] = queue[i]


@kernel
def list_unvisited(t_indptr: Any, visited: Any, unvisited: Any, state: Any) -> None:
    """List the columns that are not visited and have an edge."""
    size = 0
    for y in range(visited.size):
        if visited[y] == 0 and t_indptr[y] != t_indptr[y + 1]:
            unvisited[size] = y
            size += 1
    state[N_LISTED] = size


@kernel(parallel=True)
def augment_paths(
    row_match: Any,
    col_match: Any,
    parent: Any,
    leaf: Any,
    roots: Any,
    threads: int,
    state: Any,
    tally: Any,
) -> int:
    """Augment along the path of every renewable tree (Algorithm 3, lines 15–17).

    Moves the roots that stay unmatched to the front and returns their number.
    """
    state[CURSOR] = 0
    if threads == 1 or roots.size < SERIAL:
        augment_share(0, False, row_match, col_match, parent, leaf, roots, state, tally)
    else:
        for t in prange(threads):
            augment_share(t, True, row_match, col_match, parent, leaf, roots, state, tally)
    left = 0
    for i in range(roots.size):
        if leaf[roots[i]] < 0:
            roots[left] = roots[i]
            left += 1
    return left


@kernel
def augment_share(
    t: int,
    shared: bool,
    row_match: Any,
    col_match: Any,
    parent: Any,
    leaf: Any,
    roots: Any,
    state: Any,
    tally: Any,
) -> None:
    """Thread t's share of the trees: they are disjoint, so no path meets another."""
    lo, last = next_chunk(shared, state, roots.size)
    while lo < last:
        for i in range(lo, last):
            y = leaf[roots[i]]
            if y < 0:
                continue
            edges = 1
            while True:
                x = parent[y]
                y_before = row_match[x]
                row_match[x] = y
                col_match[y] = x
                if y_before < 0:
                    break  # x is the root
                y = y_before
                edges += 2
            count_path(tally, t, edges)
        lo, last = next_chunk(shared, state, roots.size)


@kernel(parallel=True)
def graft(
    t_indptr: Any,
    t_indices: Any,
    row_match: Any,
    col_match: Any,
    visited: Any,
    parent: Any,
    root: Any,
    leaf: Any,
    roots: Any,
    forest: Any,
    kept: Any,
    renewable: Any,
    private: Any,
    threads: int,
    alpha: float,
    state: Any,
    tally: Any,
) -> None:
    """Rebuild the forest and its frontier for the next phase, in `kept` (Algorithm 7)."""
    n_forest = state[TAIL]
    state[CURSOR] = 0
    state[TAIL] = 0
    state[LISTED] = 0
    if threads == 1 or n_forest < SERIAL:
        sort_out(0, False, visited, parent, root, leaf, forest, n_forest, kept, renewable,
                 private, state)  # fmt: skip
    else:
        for t in prange(threads):
            sort_out(t, True, visited, parent, root, leaf, forest, n_forest, kept, renewable,
                     private, state)  # fmt: skip
    n_active, n_renewable = state[TAIL], state[LISTED]
    state[N_UNVISITED] += n_renewable
    if n_active > n_renewable / alpha:
        # Graft. What finds no active tree stays unvisited; `forest` is free to take its list.
        state[LO] = n_active
        state[CURSOR] = 0
        state[LISTED] = 0
        if threads == 1 or n_renewable < SERIAL:
            bottom_up(
                0, False, t_indptr, t_indices, col_match, visited, parent, root, leaf, renewable,
                n_renewable, forest, kept, private, state, tally,
            )  # fmt: skip
        else:
            for t in prange(threads):
                bottom_up(
                    t, True, t_indptr, t_indices, col_match, visited, parent, root, leaf,
                    renewable, n_renewable, forest, kept, private, state, tally,
                )  # fmt: skip
        state[HI] = state[TAIL]
        state[N_UNVISITED] -= state[HI] - state[LO]
    else:
        # Regrow the active trees from their roots.
        for i in range(n_active):
            entry = np.int64(kept[i])
            if entry >= 0:
                visited[entry] = 0
                root[col_match[entry]] = -1
                state[N_UNVISITED] += 1
        plant(roots, root, kept, state)


@kernel
def sort_out(
    t: int,
    shared: bool,
    visited: Any,
    parent: Any,
    root: Any,
    leaf: Any,
    forest: Any,
    n_forest: int,
    kept: Any,
    renewable: Any,
    private: Any,
    state: Any,
) -> None:
    """Thread t's share of lines 2–7: active entries to `kept`, columns of renewable trees apart."""
    waiting = 0
    waiting_renewable = 0
    lo, last = next_chunk(shared, state, n_forest)
    while lo < last:
        for i in range(lo, last):
            entry = np.int64(forest[i])
            r = ~entry if entry < 0 else np.int64(root[parent[entry]])
            if leaf[r] < 0:
                if waiting == PRIVATE:
                    flush(shared, private[t, 0], waiting, kept, state, TAIL)
                    waiting = 0
                private[t, 0, waiting] = entry
                waiting += 1
            elif entry >= 0:
                visited[entry] = 0
                if waiting_renewable == PRIVATE:
                    flush(shared, private[t, 1], waiting_renewable, renewable, state, LISTED)
                    waiting_renewable = 0
                private[t, 1, waiting_renewable] = entry
                waiting_renewable += 1
        lo, last = next_chunk(shared, state, n_forest)
    flush(shared, private[t, 0], waiting, kept, state, TAIL)
    flush(shared, private[t, 1], waiting_renewable, renewable, state, LISTED)


@kernel
def plant(roots: Any, root: Any, forest: Any, state: Any) -> None:
    """Begin a forest of single rows: the roots."""
    for i in range(roots.size):
        x = roots[i]
        root[x] = x
        forest[i] = ~x
    state[LO] = 0
    state[HI] = state[TAIL] = roots.size
