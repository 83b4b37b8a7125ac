"""MS-BFS-Graft: breadth-first search from all unmatched rows at once, keeping trees by grafting.

A phase (Algorithm 3) grows a forest of alternating trees, one from each unmatched row, level by
level until no level is left. A tree in which a free column is found stops growing: it is
*renewable*; the others are *active*. Then all paths found are augmented at once. Where plain MS-BFS
would throw all trees away, *grafting* keeps the active ones, and hangs columns of renewable trees
on them where there is an edge; these columns' mates are the next phase's first frontier. A phase
without an augmenting path is the last.

A level goes *top-down* (rows of the frontier look for unvisited columns) or, when the frontier is
large against what is unvisited, *bottom-up* (unvisited columns look for a row in an active tree).

Work O(nnz) a phase, O(n · nnz) in all; in practice a few passes over the edges. Memory: 21 bytes a
column, 20 a row and 8 an unmatched row with 32-bit indices, besides graph, transpose and matching.

Paper → here
    mate[x], mate[y]   ``row_match[x]``, ``col_match[y]``
    visited[y]         ``visited[y]``: 1 if y is in the forest
    parent[y]          ``parent[y]``: the row that y hangs on; only means something if visited
    root[x]            ``root[x]``: root of the tree of x, or −1
    root[y]            ``root[parent[y]]``: not stored
    leaf[x]            ``leaf[x]``: a free column in the tree of root x, or −1: the tree is active
    F, Q               mates of ``forest[LO:HI]`` and ``forest[HI:TAIL]``; free columns, of which
                       there are ``state[ENDED]`` in F's part, have none
    R                  ``columns``: the unvisited columns, or those of renewable trees

Slips and changes
    - Algorithm 6 sets the root of a new row in the same pass. Here that comes after it, or few
      trees would take long chains in one level; ``as_printed`` does as printed.
    - The search ends, and there is no graft, once the cardinality is known to be the most possible.
    - Algorithm 2 (MS-MATCH) is `ms_bfs`: the same without grafting, always top-down.
    - Line 15 of Algorithm 7 says root[y], meaning x.

``forest`` lists the forest in the order it grew: a column y stands for itself and its mate, a root
x is written ~x. Each vertex is in it at most once, so n_rows + n_cols places are enough.

Races, on several threads, and why they do no harm
    - Top-down, threads claim a column by compare-and-swap on ``visited``; the winner alone writes
      ``parent[y]`` and ``root[mate]``. Bottom-up a column is handled by one thread: no atomics.
    - ``leaf[r]`` is read while others write it. A stale −1 only lets a tree grow a little after it
      became renewable. Of several free columns found in one tree the last written one is its leaf;
      all of them are in ``forest`` under a renewable tree, so grafting makes them available again.
    - ``root[x]`` is written by one thread, and read at later levels only: top-down by the one that
      claimed the mate of x, bottom-up after the level, in `set_roots`. As printed it may be read in
      the same pass; −1 or a renewable root, read too early, only lets a column pass x over.
    - A root that has been matched never is a root again, so its ``leaf`` may stay as it is.

Reference: A. Azad, A. Buluç, A. Pothen, "A parallel tree grafting algorithm for maximum cardinality
matching in bipartite graphs", IPDPS 2015.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import (
    claim,
    enqueue,
    fetch_add,
    flush,
    helper,
    kernel,
    next_chunk,
    share_out,
    ticks,
)
from ...graphs.graph import unsigned
from ...results.run import Run
from ...tuning import CHUNK, EDGES_PER_CALL, LIGHT, PRIVATE, SERIAL
from ..counters import (
    EDGES,
    ENDS,
    count_path,
    counted,
    edges_traversed,
    new_tally,
    paths_found,
    report,
)
from ..levels import LevelLog, log_level
from ..phases import graph_and_matching

# Entries of `state`: bounds of the frontier and the next one in `forest`; number of columns not
# visited; which half of `forest` and of `columns` is in use; size of `columns`, −1: not listed yet;
# size of its other half, being filled; the step being done and its next item to hand out;
# nanoseconds spent top-down and bottom-up; the free columns among ``forest[LO:HI]``; whether roots
# are set in the same pass bottom-up; columns grafted; which half of `roots` is in use, its size,
# and that of the other one, being filled.
LO, HI, TAIL, UNVISITED, FOREST, COLUMNS, LISTED, LISTED_NEXT, STEP, CURSOR, DOWN, UP = range(12)
ENDED, AT_ONCE, GRAFTED, HALF, ROOTS, KEPT = range(12, 18)

# The steps that threads share; the last three are light.
TOP_DOWN, BOTTOM_UP, SET_ROOTS, AUGMENT, SORT_OUT, PLANT, LIST, FELL = range(8)


class Arrays(NamedTuple):
    """What all steps work on; the names are explained above.

    Loops take their arrays out of it first: numba counts a reference at every ``a.name``.
    """

    indptr: Any
    indices: Any
    row_match: Any
    col_match: Any
    t_indptr: Any
    t_indices: Any
    visited: Any
    parent: Any
    root: Any
    leaf: Any
    forest: Any  # two halves: one in use, one for grafting to write the next forest to
    columns: Any  # two halves: one in use, one for what a bottom-up step leaves unvisited
    roots: Any  # the unmatched rows, two halves: one in use, one for those that stay unmatched
    private: Any  # two queues a thread
    state: Any
    tally: Any


def ms_bfs_graft(
    run: Run,
    *,
    alpha: float = 5.0,
    direction_optimising: bool = True,
    grafting: bool = True,
    as_printed: bool = False,
) -> None:
    """Make the matching maximum (Algorithm 3)."""
    bottom_up_from = alpha if direction_optimising else 0.0
    graft_from = alpha if grafting else 0.0
    graph, transpose = run.graph, run.transpose()
    index = graph.indices.dtype
    unmatched = run.unmatched_rows()
    a = Arrays(
        *graph_and_matching(run),
        t_indptr=unsigned(transpose.indptr),
        t_indices=unsigned(transpose.indices),
        visited=np.zeros(graph.n_cols, np.uint8),
        parent=np.empty(graph.n_cols, index),
        root=np.full(graph.n_rows, -1, index),
        leaf=np.full(graph.n_rows, -1, index),
        forest=np.empty((2, graph.n_rows + graph.n_cols), index),
        columns=np.empty((2, graph.n_cols), index),
        roots=np.stack([unmatched, unmatched]),
        private=np.empty((run.threads, 2, PRIVATE), index),
        state=np.zeros(32, np.int64),
        tally=new_tally(run.threads),
    )
    state = a.state
    state[UNVISITED] = np.count_nonzero(transpose.row_degrees)
    state[AT_ONCE], state[ROOTS] = as_printed, unmatched.size
    log = LevelLog(run.stats)
    plant(a, run.threads)
    try:
        while not run.done:
            # Step 1: construct the alternating forest.
            log.begin_phase(int(state[HI] - state[LO] - state[ENDED]))
            while state[LO] < state[HI]:
                state[DOWN] = state[UP] = 0
                grow_forest(a, run.threads, bottom_up_from, log.sizes, EDGES_PER_CALL)
                run.spent("top-down", state[DOWN] / 1e9)
                run.spent("bottom-up", state[UP] / 1e9)
                run.pause()
            log.end_phase()
            # Step 2: augment the matching.
            found = paths_found(a.tally)
            with run.timed("augment"):
                augment_matching(a, run.threads)
            gained = paths_found(a.tally) - found
            run.end_phase(gained)
            if gained == 0 or run.done:
                break
            # Step 3: construct the frontier for the next phase.
            with run.timed("graft"):
                graft(a, run.threads, graft_from)
            if grafting:
                run.stats.grafts.append(int(state[GRAFTED]))
    finally:
        report(run, a.tally)


@kernel
def plant(a: Any, threads: int) -> None:
    """Begin a forest of single rows: the roots."""
    state = a.state
    state[LO] = state[ENDED] = 0
    state[HI] = state[TAIL] = state[ROOTS]
    state[STEP], state[CURSOR] = PLANT, 0
    do_step(a, state[ROOTS], threads)


@kernel
def plant_roots(a: Any, t: int, shared: bool) -> None:
    """Thread t's share of the roots, each of which is a tree of its own."""
    root, state, roots, forest = a.root, a.state, a.roots[a.state[HALF]], a.forest[a.state[FOREST]]
    n_roots = state[ROOTS]
    lo, last = next_chunk(state, CURSOR, n_roots, CHUNK, shared)
    while lo < last:
        for i in range(lo, last):
            root[roots[i]] = roots[i]
            forest[i] = ~roots[i]
        lo, last = next_chunk(state, CURSOR, n_roots, CHUNK, shared)


@kernel
def grow_forest(a: Any, threads: int, alpha: float, sizes: Any, budget: int) -> None:
    """Grow the forest level by level until the frontier is empty (Algorithm 3, lines 8–13).

    Goes top-down while α · frontier < unvisited, and always if α is 0. Returns early after some
    `budget` edges; called again, it goes on.
    """
    state = a.state
    state[LISTED] = -1
    stop = edges_traversed(a.tally) + budget
    begin = ticks()
    while state[LO] < state[HI] and edges_traversed(a.tally) < stop:
        frontier = state[HI] - state[LO] - state[ENDED]
        ended = counted(a.tally, ENDS)
        if alpha * frontier < state[UNVISITED] or alpha == 0.0:
            state[STEP], state[CURSOR] = TOP_DOWN, state[LO]
            do_step(a, state[HI] - state[LO], threads)
            state[DOWN] += ticks() - begin
        else:
            if state[LISTED] < 0:
                state[STEP], state[CURSOR], state[LISTED_NEXT] = LIST, 0, 0
                do_step(a, a.visited.size, threads)
                take_listed(state)
            go_bottom_up(a, threads)
            state[UP] += ticks() - begin
        begin = ticks()
        state[LO], state[HI] = state[HI], state[TAIL]
        state[UNVISITED] -= state[HI] - state[LO]
        state[ENDED] = counted(a.tally, ENDS) - ended
        if state[HI] - state[LO] > state[ENDED]:
            log_level(sizes, state[HI] - state[LO] - state[ENDED])
        else:
            state[LO] = state[HI]


@kernel
def list_unvisited(a: Any, t: int, shared: bool) -> None:
    """List, of thread t's share of the columns, those that are not visited and have an edge."""
    visited, t_indptr, state = a.visited, a.t_indptr, a.state
    columns, mine = a.columns[1 - state[COLUMNS]], a.private[t, 0]
    waiting = 0
    lo, last = next_chunk(state, CURSOR, visited.size, CHUNK, shared)
    while lo < last:
        for y in range(lo, last):
            if visited[y] == 0 and t_indptr[y] != t_indptr[y + 1]:
                waiting = enqueue(y, mine, waiting, columns, state, LISTED_NEXT, shared)
        lo, last = next_chunk(state, CURSOR, visited.size, CHUNK, shared)
    flush(mine, waiting, columns, state, LISTED_NEXT, shared)


@kernel
def top_down(a: Any, t: int, shared: bool) -> None:
    """Thread t's share of a level: rows of the frontier claim unvisited columns (Algorithm 4)."""
    indptr, indices, col_match, state = a.indptr, a.indices, a.col_match, a.state
    visited, parent, root, leaf = a.visited, a.parent, a.root, a.leaf
    forest, mine = a.forest[state[FOREST]], a.private[t, 0]
    hi = state[HI]
    edges = 0
    ends = 0  # free columns found
    waiting = 0  # columns in the private queue
    lo, last = next_chunk(state, CURSOR, hi, CHUNK, shared)
    while lo < last:
        for i in range(lo, last):
            entry = np.int64(forest[i])
            x = ~entry if entry < 0 else np.int64(col_match[entry])
            if x < 0 or leaf[root[x]] >= 0:
                continue  # a free column, or a tree that has become renewable
            for k in range(indptr[x], indptr[x + 1]):
                edges += 1
                y = indices[k]
                if visited[y] == 0 and claim(visited, y, shared):
                    waiting = enqueue(y, mine, waiting, forest, state, TAIL, shared)
                    if adopt(x, y, root[x], True, col_match, parent, root, leaf):
                        ends += 1
                        break
        lo, last = next_chunk(state, CURSOR, hi, CHUNK, shared)
    flush(mine, waiting, forest, state, TAIL, shared)
    a.tally[t, EDGES] += edges
    a.tally[t, ENDS] += ends


@kernel
def go_bottom_up(a: Any, threads: int) -> None:
    """Let the listed columns look for parents, then give the new rows their roots.

    In one step (`as_printed`), rows are found that are new themselves: a level holds long chains,
    and few trees take everything. (On cnr-2000 that makes 44 phases of 16.)
    """
    state = a.state
    state[STEP], state[CURSOR] = BOTTOM_UP, 0
    state[LISTED_NEXT] = 0
    do_step(a, state[LISTED], threads)
    take_listed(state)
    if state[AT_ONCE] == 0:
        state[STEP], state[CURSOR] = SET_ROOTS, state[HI]
        do_step(a, state[TAIL] - state[HI], threads)


@kernel
def bottom_up(a: Any, t: int, shared: bool) -> None:
    """Thread t's share of Algorithm 6: the listed columns look for a row in an active tree.

    Those that find none are listed in the other half of ``columns``.
    """
    t_indptr, t_indices, col_match, state = a.t_indptr, a.t_indices, a.col_match, a.state
    visited, parent, root, leaf = a.visited, a.parent, a.root, a.leaf
    columns, left_over = a.columns[state[COLUMNS]], a.columns[1 - state[COLUMNS]]
    forest, mine, mine_left = a.forest[state[FOREST]], a.private[t, 0], a.private[t, 1]
    n_columns = state[LISTED]
    at_once = state[AT_ONCE] != 0
    edges = 0
    ends = 0
    waiting = 0
    waiting_left = 0
    lo, last = next_chunk(state, CURSOR, n_columns, CHUNK, shared)
    while lo < last:
        for i in range(lo, last):
            y = columns[i]
            if visited[y] != 0:
                continue
            for k in range(t_indptr[y], t_indptr[y + 1]):
                edges += 1
                x = t_indices[k]
                r = root[x]
                if r >= 0 and leaf[r] < 0:
                    visited[y] = 1
                    waiting = enqueue(y, mine, waiting, forest, state, TAIL, shared)
                    ends += adopt(x, y, r, at_once, col_match, parent, root, leaf)
                    break
            if visited[y] == 0:
                waiting_left = enqueue(
                    y, mine_left, waiting_left, left_over, state, LISTED_NEXT, shared
                )
        lo, last = next_chunk(state, CURSOR, n_columns, CHUNK, shared)
    flush(mine, waiting, forest, state, TAIL, shared)
    flush(mine_left, waiting_left, left_over, state, LISTED_NEXT, shared)
    a.tally[t, EDGES] += edges
    a.tally[t, ENDS] += ends


@kernel
def set_roots(a: Any, t: int, shared: bool) -> None:
    """Thread t's share of line 4 of Algorithm 5, for what a bottom-up step has added."""
    col_match, parent, root, state = a.col_match, a.parent, a.root, a.state
    forest = a.forest[state[FOREST]]
    tail = state[TAIL]
    lo, last = next_chunk(state, CURSOR, tail, CHUNK, shared)
    while lo < last:
        for i in range(lo, last):
            y = forest[i]
            mate = col_match[y]
            if mate >= 0:
                root[mate] = root[parent[y]]
        lo, last = next_chunk(state, CURSOR, tail, CHUNK, shared)


@helper
def adopt(
    x: int, y: int, r: int, now: bool, col_match: Any, parent: Any, root: Any, leaf: Any
) -> bool:
    """Hang y on x, in the tree of root r (Algorithm 5); return whether that ends a path.

    The root of y's mate may be set later.
    """
    parent[y] = x
    mate = col_match[y]
    if mate < 0:
        leaf[r] = y
        return True
    if now:
        root[mate] = r
    return False


@kernel
def augment_matching(a: Any, threads: int) -> None:
    """Augment along the path of every renewable tree (Algorithm 3, lines 15–17).

    The roots that stay unmatched become the roots of the next phase.
    """
    state = a.state
    state[KEPT] = 0
    state[STEP], state[CURSOR] = AUGMENT, 0
    do_step(a, state[ROOTS], threads)
    state[HALF], state[ROOTS] = 1 - state[HALF], state[KEPT]


@kernel
def augment(a: Any, t: int, shared: bool) -> None:
    """Thread t's share of the trees: they are disjoint, so no path meets another."""
    row_match, col_match, parent, leaf = a.row_match, a.col_match, a.parent, a.leaf
    state, mine = a.state, a.private[t, 0]
    roots, kept, n_roots = a.roots[state[HALF]], a.roots[1 - state[HALF]], state[ROOTS]
    waiting = 0
    lo, last = next_chunk(state, CURSOR, n_roots, CHUNK, shared)
    while lo < last:
        for i in range(lo, last):
            y = leaf[roots[i]]
            if y < 0:
                waiting = enqueue(roots[i], mine, waiting, kept, state, KEPT, shared)
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
            count_path(a.tally, t, edges)
        lo, last = next_chunk(state, CURSOR, n_roots, CHUNK, shared)
    flush(mine, waiting, kept, state, KEPT, shared)


@kernel
def graft(a: Any, threads: int, alpha: float) -> None:
    """Rebuild the forest and its frontier for the next phase (Algorithm 7; α = 0: no grafting)."""
    state = a.state
    state[LO] = state[TAIL]  # size of the old forest
    state[TAIL] = 0
    state[STEP], state[CURSOR] = SORT_OUT, 0
    state[LISTED_NEXT] = 0
    do_step(a, state[LO], threads)
    take_listed(state)
    n_active, n_renewable = state[TAIL], state[LISTED]
    state[FOREST] = 1 - state[FOREST]
    state[UNVISITED] += n_renewable
    if alpha * n_active > n_renewable:
        # Graft columns of renewable trees onto active ones.
        state[LO] = state[HI] = n_active
        ended = counted(a.tally, ENDS)
        go_bottom_up(a, threads)
        state[HI] = state[TAIL]
        state[GRAFTED] = state[HI] - state[LO]
        state[UNVISITED] -= state[GRAFTED]
        state[ENDED] = counted(a.tally, ENDS) - ended
        if state[GRAFTED] == state[ENDED]:
            state[LO] = state[HI]
    else:
        # Regrow the active trees from their roots.
        state[GRAFTED] = 0
        state[STEP], state[CURSOR] = FELL, 0
        do_step(a, n_active, threads)
        plant(a, threads)


@kernel
def fell(a: Any, t: int, shared: bool) -> None:
    """Thread t's share of the active trees, of which only the roots stay."""
    visited, root, col_match, state = a.visited, a.root, a.col_match, a.state
    forest, n_active = a.forest[state[FOREST]], state[TAIL]
    columns = 0
    lo, last = next_chunk(state, CURSOR, n_active, CHUNK, shared)
    while lo < last:
        for i in range(lo, last):
            entry = np.int64(forest[i])
            if entry >= 0:
                visited[entry] = 0
                root[col_match[entry]] = -1
                columns += 1
        lo, last = next_chunk(state, CURSOR, n_active, CHUNK, shared)
    if shared:
        fetch_add(state, UNVISITED, columns)
    else:
        state[UNVISITED] += columns


@kernel
def sort_out(a: Any, t: int, shared: bool) -> None:
    """Thread t's share of lines 2–7: keep active trees; list the columns of renewable ones."""
    visited, parent, root, leaf, state = a.visited, a.parent, a.root, a.leaf, a.state
    forest, kept = a.forest[state[FOREST]], a.forest[1 - state[FOREST]]
    renewable = a.columns[1 - state[COLUMNS]]
    mine, mine_renewable = a.private[t, 0], a.private[t, 1]
    n_forest = state[LO]
    waiting = 0
    waiting_renewable = 0
    lo, last = next_chunk(state, CURSOR, n_forest, CHUNK, shared)
    while lo < last:
        for i in range(lo, last):
            entry = np.int64(forest[i])
            r = ~entry if entry < 0 else np.int64(root[parent[entry]])
            if leaf[r] < 0:
                waiting = enqueue(entry, mine, waiting, kept, state, TAIL, shared)
            elif entry >= 0:
                visited[entry] = 0
                waiting_renewable = enqueue(
                    entry, mine_renewable, waiting_renewable, renewable, state, LISTED_NEXT, shared
                )
        lo, last = next_chunk(state, CURSOR, n_forest, CHUNK, shared)
    flush(mine, waiting, kept, state, TAIL, shared)
    flush(mine_renewable, waiting_renewable, renewable, state, LISTED_NEXT, shared)


@kernel
def do_step(a: Any, n_items: int, threads: int) -> None:
    """Do ``state[STEP]`` on all threads, or on this one alone if there is little to do."""
    enough = SERIAL if a.state[STEP] < PLANT else SERIAL * LIGHT
    do_shares(threads if n_items >= enough else 1, a)


@helper
def take_listed(state: Any) -> None:
    """Go over to the other half of ``columns``, which a step has filled."""
    state[COLUMNS] = 1 - state[COLUMNS]
    state[LISTED] = state[LISTED_NEXT]


@share_out
def do_shares(t: int, shared: bool, a: Any) -> None:
    """Thread t's share of ``state[STEP]``."""
    step = a.state[STEP]
    if step == TOP_DOWN:
        top_down(a, t, shared)
    elif step == BOTTOM_UP:
        bottom_up(a, t, shared)
    elif step == SET_ROOTS:
        set_roots(a, t, shared)
    elif step == AUGMENT:
        augment(a, t, shared)
    elif step == SORT_OUT:
        sort_out(a, t, shared)
    elif step == PLANT:
        plant_roots(a, t, shared)
    elif step == LIST:
        list_unvisited(a, t, shared)
    else:
        fell(a, t, shared)


def ms_bfs(run: Run) -> None:
    """Plain MS-BFS: always top-down, and every phase begins anew from the unmatched rows."""
    ms_bfs_graft(run, direction_optimising=False, grafting=False)


def ms_bfs_do(run: Run, *, alpha: float = 5.0, as_printed: bool = False) -> None:
    """MS-BFS with direction optimisation: every phase begins anew from the unmatched rows."""
    ms_bfs_graft(run, alpha=alpha, grafting=False, as_printed=as_printed)
