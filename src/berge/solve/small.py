"""Small graphs: the first steps of the default, in one compiled call.

A matrix of 100 rows is matched in a few microseconds; every step of the pipeline that is called
from Python takes as long. So the first steps are one kernel here, on one thread: validation, the
cheap start, and searches with limits. The searches stop when they have read as many edges as the
graph has, or so many that other threads should help. The pairs are the same as the pipeline's own.
Few small graphs need more: for these the pipeline goes on from where the kernel stopped.

Arrays of scipy's are the caller's, who may change them meanwhile. So `indptr` is copied, and all
steps here compare every index where they use it (`BorrowedGraph`).

Where searches are to look ahead, the kernel stops after the start, since compiling such searches
too would take 5 s more. Where the graph is of another kind, or wrong, the kernel does nothing; the
pipeline begins anew, and says what is wrong.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .. import tuning
from ..compile import (
    asleep,
    in_rows,
    kernel,
    most_threads,
    read_only,
    thread_count,
    threads_of,
    ticks,
)
from ..graphs.graph import BipartiteGraph, BorrowedGraph, is_whole, unsigned
from ..graphs.memory import solve_bytes
from ..graphs.owned import sealed
from ..graphs.passes import (
    FILL,
    LARGEST,
    LINE,
    PAIR_UP,
    RISES,
    copy_rising,
    list_unmatched,
    sweep_block,
)
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
    hidden,
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
        parts = graph._values  # `fixed` would make views, and kernels alone get these
        indptr, indices, shape = parts["indptr"], parts["indices"], parts["shape"]
    elif getattr(graph, "format", None) == "csr":
        indptr, indices, shape = graph.indptr, graph.indices, graph.shape
    else:
        return None
    if not own and asleep():
        indptr, indices = _narrowed(indptr), _narrowed(indices)
    if not (_is_plain(indptr) and _is_plain(indices) and len(shape) == 2):
        return None
    (n_rows, n_cols), edges = shape, indices.size
    if indptr.size != n_rows + 1 or max(n_rows, n_cols, edges) > tuning.SMALL_GRAPH:
        return None
    if n_rows > n_cols:
        little = edges <= tuning.LITTLE_MEMORY or asleep()
        return _from_columns(graph, threads, seed, started) if little else None
    if asleep() and threads is None:
        threads = 1  # to wake the compiler and other threads would take longer
    most = many = most_threads() if threads is None else threads_of(threads)
    # From rows with many edges there are few searches here, or none.
    few = edges < tuning.SHARED_SEARCHES or edges >= tuning.DENSE * n_rows
    many = 1 if few else min(many, tuning.MOST_THREADS)
    if most > 1 and edges >= tuning.SHARED_PHASES and n_rows >= tuning.ROWS_SHARED_PHASES:
        return None
    worth = n_cols + tuning.WAKING if many > 1 else 1 << 60  # edges for which to wake the others
    size = many * (2 * n_cols + 3 * n_rows) + n_rows + 1
    if not own:
        size += n_rows + 1  # for a copy of indptr
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
        if left and numbers[STATE_AT + ROOTS] == 0:
            cols = block[: 2 * n_cols].reshape((1, 2 * n_cols))
            matching._reached = hidden(cols, numbers[STATE_AT:]), False
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
    begin = time.perf_counter()
    graph = source if type(source) is BipartiteGraph else BorrowedGraph.of(source)
    transpose = graph._transposed(1)
    seconds = time.perf_counter() - begin
    matching = match_small(transpose, threads, seed, started)
    if matching is not None:
        assert matching.stats is not None
        matching.stats.seconds["transpose"] = seconds
        matching.row_match, matching.col_match = matching.col_match, matching.row_match
        matching.row_labels, matching.col_labels = matching.col_labels, matching.row_labels
        if matching._reached is not None:
            reached, turned = matching._reached
            matching._reached = reached, not turned
        matching.source = graph.source
    return matching


def _narrowed(array: Any) -> Any:
    """Return a small array of 64-bit numbers as one of 32 bits, if that changes none."""
    if type(array) is not np.ndarray or array.dtype != np.int64 or array.size > tuning.SMALL_GRAPH:
        return array
    narrow = array.astype(_INT32)
    return narrow if np.array_equal(narrow, array) else array


def _is_plain(array: Any) -> bool:
    """Whether this is an array of the kind that kernels are compiled for."""
    plain = type(array) is np.ndarray and array.ndim == 1 and array.dtype == _INT32
    return plain and is_whole(array)


def _go_on(
    source: Any,
    nonempty: int,
    cardinality: int,
    stats: SolveStats,
    arrays: Any,
    space: Workspace | None,
) -> Matching:
    """Go on from there with `mixed`, unless stopped."""
    _, indices, row_match, col_match, block, numbers, _ = arrays
    graph = source
    if type(source) is not BipartiteGraph:
        shape = row_match.size, col_match.size
        copy = sealed(block[block.size - row_match.size - 1 :])
        graph = BorrowedGraph(copy, nonempty, indices, shape)
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

    A graph of ours was checked when it was made. Of others the end of `block` gets a copy of
    `indptr`.
    """
    indptr, indices, row_match, col_match, block, numbers, _ = arrays
    n_rows, n_cols, t = row_match.size, col_match.size, np.int64(0)
    begins, found = read_only(indptr).view(np.uint32), numbers[SWEEP_AT:OWN_AT].view(np.uint64)
    found = in_rows(found, 1)
    nowhere = block[:0].view(np.uint32)
    numbers[OUTCOME] = WRONG
    if ours:
        sweep_block(t, np.int64(RISES), begins, nowhere, found)
    else:
        copy = block[block.size - begins.size :].view(np.uint32)
        copy_rising(begins, copy, found)
        begins = read_only(copy)
    numbers[NONEMPTY] = found[0, 0]
    nnz = np.int64(begins[n_rows])
    if begins[0] != 0 or found[0, 1] > 0 or nnz > indices.size:
        return
    cols = read_only(indices).view(np.uint32)[:nnz]
    if not ours:
        sweep_block(t, np.int64(LARGEST), cols, nowhere, found)
        if found[0, 0] >= n_cols and nnz > 0:
            return
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
        through = search_some(begins, cols, arrays, found, worth, most, bound)
        numbers[SEARCH_NS] = ticks() - middle
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
        in_rows(block[:a], many),
        in_rows(block[a : a + n].view(np.uint32), many),
        in_rows(block[a + n : a + 2 * n], many),
        in_rows(block[a + 2 * n : a + 3 * n], many),
        None,
        block[a + 3 * n : a + 3 * n + numbers[LEFT]],
        numbers[STATE_AT:TALLY_AT],
        in_rows(numbers[OWN_AT:STATE_AT], 1),
        in_rows(numbers[TALLY_AT:], 1),
    )


laid_out = kernel(lay_out)  # for kernels; to make a tuple of its own, Python needs none


@kernel
def search_some(
    begins: Any, cols: Any, arrays: Any, found: Any, worth: int, most: int, bound: int
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
    state, own = numbers[STATE_AT:TALLY_AT], in_rows(numbers[OWN_AT:STATE_AT], 1)
    begin_rounds(state, own, numbers[LEFT], np.int64(cols.size), block.itemsize)
    mine = laid_out((begins, cols, row_match, col_match, block, numbers, many))
    if many > 1:
        begin_alone(mine, worth, most + 1)
    else:
        free = np.int64(n_cols - numbers[STARTED])
        size = (np.int64(left), free, numbers[NONEMPTY], np.int64(cols.size))
        for look, share in tuning.LOOKS:
            begin_alone(mine, worth, np.int64(look * most) + 1 - state[READ])
            if mixed.outlook(state, own, mine.tally, size, share) != mixed.SEARCH:
                break
    return bool(state[ROOTS] == 0 or numbers[STARTED] + state[FOUND] == bound)
