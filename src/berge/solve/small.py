"""Small graphs: the first steps of the default, in one compiled call.

A matrix of 100 rows is matched in a few microseconds; every step of the pipeline that is called
from Python takes as long. So the first steps are one kernel here, on one thread: validation, the
cheap start, and searches with limits. The searches stop when they have read as many edges as the
graph has, or so many that other threads should help. The pairs are the same as the pipeline's own.
Few small graphs need more: for these the pipeline goes on from where the kernel stopped.

Arrays of scipy's are the caller's, who may change them meanwhile. So all steps here compare every
index where they use it (`BorrowedGraph`). For what comes after them indices are copied.

Where searches are to look ahead, the kernel stops after the start, since compiling such searches
too would take 5 s more. Where the graph is of another kind, or wrong, the kernel does nothing; the
pipeline begins anew, and says what is wrong.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .. import tuning
from ..compile import kernel, most_threads, read_only, thread_count, threads_of, ticks
from ..graphs.graph import BipartiteGraph, is_whole, unsigned
from ..graphs.memory import solve_bytes
from ..graphs.owned import settle
from ..graphs.passes import COPY, FILL, LARGEST, LINE, PAIR_UP, RISES, list_unmatched, sweep_block
from ..graphs.workspace import Workspace
from ..methods.combined import mixed
from ..methods.combined.budgeted import (
    FOUND,
    OWN,
    READ,
    ROOTS,
    ROUNDS,
    STATE,
    Arrays,
    begin_alone,
    begin_rounds,
)
from ..methods.counters import TALLY, add_up
from ..methods.starts import cheap
from ..results.matching import Matching, SolveStats
from ..results.run import Run
from . import default

__all__ = ["match_small"]

# Entries of `numbers`: the outcome; rows that have an edge, edges of the start, rows left by it;
# nanoseconds of the start and of the searches. Then what a sweep finds, and what `budgeted` keeps.
OUTCOME, NONEMPTY, STARTED, LEFT, START_NS, SEARCH_NS, HEAD = range(7)
SWEEP_AT = LINE
OWN_AT = SWEEP_AT + LINE
STATE_AT = OWN_AT + OWN
TALLY_AT = STATE_AT + STATE

NOT_RUN, WRONG, BEGUN, MAXIMUM = range(4)  # outcomes; wrong are arrays that are no graph

_INT32 = np.dtype(np.int32)


def match_small(graph: Any, threads: int | None, seed: int, started: float) -> Matching | None:
    """Match a small graph as `maximum_matching` does by default; it was called at `started`.

    Return None if nothing was done: the graph is of another kind, or wrong.
    """
    own = type(graph) is BipartiteGraph
    if own:
        parts = vars(graph)  # `fixed` would make views, and kernels alone get these
        indptr, indices, shape = parts["indptr"], parts["indices"], parts["shape"]
    elif getattr(graph, "format", None) == "csr":
        indptr, indices, shape = graph.indptr, graph.indices, graph.shape
    else:
        return None
    if not (_is_plain(indptr) and _is_plain(indices) and len(shape) == 2):
        return None
    (n_rows, n_cols), edges = shape, indices.size
    if indptr.size != n_rows + 1 or max(n_rows, n_cols, edges) > tuning.SMALL_GRAPH:
        return None
    if n_rows > n_cols:
        little = edges <= tuning.LITTLE_MEMORY
        return _from_columns(graph, threads, seed, started) if little else None
    many = most_threads() if threads is None else threads_of(threads)
    # From rows with many edges there are few searches here, or none.
    few = edges < tuning.SHARED_SEARCHES or edges >= tuning.DENSE * n_rows
    many = 1 if few else min(many, tuning.MOST_THREADS)
    if many > 1 and edges >= tuning.SHARED_START and n_rows >= tuning.ROWS_SHARED_START:
        return None
    worth = n_cols + tuning.WAKING if many > 1 else 1 << 60  # edges for which to wake the others
    size = many * (2 * n_cols + 3 * n_rows) + n_rows + 1
    if not own:  # room for a copy
        indptr, indices = read_only(indptr), read_only(indices)
        size += n_rows + 1 + edges
    space = Workspace(solve_bytes(shape, edges)) if size > tuning.LITTLE_MEMORY else None
    block = space.empty(size, _INT32) if space else np.empty(size, _INT32)
    row_match, col_match = np.empty(n_rows, _INT32), np.empty(n_cols, _INT32)
    numbers = np.zeros(TALLY_AT + TALLY, np.int64)
    arrays = indptr, indices, row_match, col_match, block, numbers, many
    stats = SolveStats(default.EXACT, default.START, "cpu", 1, seed)
    try:
        begin_small(arrays, worth, max(edges, tuning.READ_IN_NO_TIME), own)
    except KeyboardInterrupt:
        if numbers[OUTCOME] == NOT_RUN:
            raise
        stats.stopped = "interrupted"
    outcome, nonempty, cardinality, left, start_ns, search_ns = numbers[:HEAD].tolist()
    if outcome == WRONG:
        return None
    stats.start_cardinality = cardinality
    stats.seconds["init"] = 1e-9 * start_ns
    if left:
        stats.seconds["search"] = 1e-9 * search_ns
        stats.phases = int(numbers[STATE_AT + ROUNDS])
        cardinality += int(numbers[STATE_AT + FOUND])
    if outcome == MAXIMUM:
        if left:
            add_up(stats, numbers[TALLY_AT:].tolist())
        matching = Matching._found(row_match, col_match, cardinality, stats)
        if own:
            matching.row_labels, matching.col_labels = parts["row_labels"], parts["col_labels"]
            matching.source = parts.get("source")
    else:
        stats.threads = threads_of(threads)
        matching = _go_on(graph, nonempty, cardinality, stats, arrays, space)
    if space:
        space.close()
    stats.seconds["total"] = time.perf_counter() - started
    return matching


def _from_columns(source: Any, threads: int | None, seed: int, started: float) -> Matching | None:
    """Match the transpose, and turn the matching round."""
    graph, begin = source, time.perf_counter()
    if type(source) is not BipartiteGraph:
        graph = BipartiteGraph(source.indptr, source.indices, source.shape)
    transpose = graph._transposed(1)
    seconds = time.perf_counter() - begin
    matching = match_small(transpose, threads, seed, started)
    if matching is not None:
        assert matching.stats is not None
        matching.stats.seconds["transpose"] = seconds
        matching.row_match, matching.col_match = matching.col_match, matching.row_match
        matching.row_labels, matching.col_labels = matching.col_labels, matching.row_labels
        matching.source = graph.source
    return matching


def _is_plain(array: Any) -> bool:
    """Whether this is an array of the kind that kernels are compiled for."""
    return type(array) is np.ndarray and array.dtype == _INT32 and is_whole(array)


def _go_on(
    source: Any,
    nonempty: int,
    cardinality: int,
    stats: SolveStats,
    arrays: Any,
    space: Workspace | None,
) -> Matching:
    """Go on from there with `mixed`, unless stopped."""
    _, _, row_match, col_match, block, numbers, many = arrays
    graph = source
    if type(source) is not BipartiteGraph:
        n_rows, n_cols = source.shape
        begin = many * (2 * n_cols + 3 * n_rows) + n_rows + 1
        copies = block[begin : begin + n_rows + 1], block[begin + n_rows + 1 :]
        graph = BipartiteGraph._trusted(copies[0], copies[1][: copies[0][-1]], source.shape)
        settle(graph, "nonempty_rows", nonempty)
    run = Run(graph, row_match, col_match, cardinality, stats.threads, stats.seed, stats)
    run.stopped = stats.stopped
    if space:
        run.empty, run.owns_graph = space.empty, graph is not source
    with thread_count(run.threads):
        if run.stopped is None:
            with run.running():
                if numbers[LEFT]:
                    mixed.go_on(
                        run, lay_out((unsigned(graph.indptr), unsigned(graph.indices), *arrays[2:]))
                    )
                else:
                    mixed.mixed(run)
        return run.result()


@kernel
def begin_small(arrays: Any, worth: int, most: int, ours: bool) -> None:
    """Check the graph, make the cheap start, and search as `begin_alone` does.

    A graph of ours was checked when it was made. Of others `indptr` is copied; indices are checked
    in the end, or copied if there is more to do.
    """
    indptr, indices, row_match, col_match, block, numbers, many = arrays
    n_rows, n_cols, t = row_match.size, col_match.size, np.int64(0)
    begins, found = indptr.view(np.uint32), numbers[SWEEP_AT:OWN_AT].view(np.uint64)
    found = found.reshape((1, LINE))
    roots = many * (2 * n_cols + 3 * n_rows)
    nowhere, room = block[:0].view(np.uint32), block[roots + n_rows + 1 :].view(np.uint32)
    numbers[OUTCOME] = WRONG
    if not ours:
        begins, room = copied(begins, room, found)
    sweep_block(t, np.int64(RISES), begins, nowhere, found)
    numbers[NONEMPTY] = found[0, 0]
    nnz = np.int64(begins[n_rows])
    if begins[0] != 0 or found[0, 1] > 0 or nnz > indices.size:
        return
    cols = indices.view(np.uint32)[:nnz]
    begin = ticks()
    for match in (row_match.view(np.uint32), col_match.view(np.uint32)):
        sweep_block(t, np.int64(FILL), match, match, found)
    start = cheap.Arrays(begins, cols, row_match, col_match)
    if ours:
        numbers[STARTED] = cheap.match_rows(start, 0, n_rows)
    else:
        numbers[STARTED] = cheap.match_lent(start, 0, n_rows)
    middle = ticks()
    numbers[START_NS] = middle - begin
    bound = min(numbers[NONEMPTY], n_cols)
    through = numbers[STARTED] == bound
    if not through:
        through = search_some(begins, cols, arrays, found, worth, most, bound, ours)
        numbers[SEARCH_NS] = ticks() - middle
    if not ours:
        sweep_block(t, np.int64(LARGEST if through else COPY), cols, room, found)
        if nnz > 0 and found[0, 0] >= n_cols:
            return
    numbers[OUTCOME] = MAXIMUM if through else BEGUN


def lay_out(arrays: Any) -> Arrays:
    """Return what searches on one thread, and then on many, work on: `block` and `numbers`, cut."""
    indptr, indices, row_match, col_match, block, numbers, many = arrays
    n_rows, n_cols = row_match.size, col_match.size
    a, n = 2 * many * n_cols, many * n_rows
    return Arrays(
        indptr,
        indices,
        row_match,
        col_match,
        block[:a].reshape((many, 2 * n_cols)),
        block[a : a + n].view(np.uint32).reshape((many, n_rows)),
        block[a + n : a + 2 * n].reshape((many, n_rows)),
        block[a + 2 * n : a + 3 * n].reshape((many, n_rows)),
        None,
        block[a + 3 * n : a + 3 * n + numbers[LEFT]],
        numbers[STATE_AT:TALLY_AT],
        numbers[OWN_AT:STATE_AT].reshape((1, OWN)),
        numbers[TALLY_AT:].reshape((1, TALLY)),
    )


laid_out = kernel(lay_out)  # for kernels; to make a tuple of its own, Python needs none


@kernel
def search_some(
    begins: Any,
    cols: Any,
    arrays: Any,
    found: Any,
    worth: int,
    most: int,
    bound: int,
    ours: bool,
) -> bool:
    """Search as `begin_alone` does; return whether the matching is maximum."""
    _, _, row_match, col_match, block, numbers, many = arrays
    n_rows, n_cols = row_match.size, col_match.size
    roots = many * (2 * n_cols + 3 * n_rows)
    left = list_unmatched(begins, row_match, block[roots:])
    if cols.size >= tuning.DENSE * n_rows and left > tuning.FEW_ROOTS:
        return False
    numbers[LEFT] = left
    pairs = block[: 2 * n_cols].view(np.uint32)
    sweep_block(np.int64(0), np.int64(PAIR_UP), col_match.view(np.uint32), pairs, found)
    state, own = numbers[STATE_AT:TALLY_AT], numbers[OWN_AT:STATE_AT].reshape((1, OWN))
    begin_rounds(state, own, numbers[LEFT], np.int64(cols.size), block.itemsize)
    mine = laid_out((begins, cols, row_match, col_match, block, numbers, many))
    if many > 1:
        begin_alone(mine, worth, most + 1, ours)
    else:
        free = np.int64(n_cols - numbers[STARTED])
        size = (np.int64(left), free, numbers[NONEMPTY], np.int64(cols.size))
        for look, share in tuning.LOOKS:
            begin_alone(mine, worth, np.int64(look * most) + 1 - state[READ], ours)
            if mixed.outlook(state, own, mine.tally, size, share) != mixed.SEARCH:
                break
    return bool(state[ROOTS] == 0 or numbers[STARTED] + state[FOUND] == bound)


@kernel
def copied(array: Any, room: Any, found: Any) -> tuple[Any, Any]:
    """Copy an array, and note its largest entry; return the copy, and what room is left."""
    sweep_block(np.int64(0), np.int64(COPY), array, room, found)
    return read_only(room[: array.size]), room[array.size :]
