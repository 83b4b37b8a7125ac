"""The cheap start: every row in turn takes its first free column.

Maximal, so at least half as large as a maximum matching. Work O(n + nnz), no extra memory; on
several threads, one index a row. Where the graph lies on a GPU all rows look at once, and claim
columns by compare-and-swap.

Several threads look first at some rows before a cut in the middle, and at the columns that these
would take.

- More than a ``MANY_BEHIND`` part of them lies behind the cut: the order of the rows means nothing.
  Threads take stretches of rows in turn.
- Otherwise rows are cut into blocks, one a thread, and rows of a block take no column from before
  its cut, as long as they meet free ones there: these are for the block before. So rows in the
  order of a mesh find the columns that they would have found on one thread, but for few near a
  cut. Rows that saw free columns before the cut only are done by one thread in the end.
- Some lie behind it, and yet nearly all rows find one: both would spoil what the order is good for,
  and one thread does it all.

A race that does no harm: two rows may take the same column at the same time, and one of the two
writes stays. Then fewer columns than rows are matched. Rows whose column has another match are
looked for only if these counts differ; they try again, on one thread.

``cheap-random`` takes the rows in random order, which an order of the rows is kept for. Where
neighbours in the file are neighbours in the graph it loses much of what ``cheap`` owes to the
order; it tells how good the rule is without that luck.

Reference: I. S. Duff, K. Kaya, B. Uçar, "Design, implementation, and analysis of maximum
transversal algorithms", ACM TOMS 38(2), 2011.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import compare_and_swap, helper, kernel, share_out
from ...compile.device import open_device, per_item
from ...compile.scan import count
from ...compile.tuning import (
    EDGES_PER_CALL,
    FAR_FROM_CUT,
    FEW_BEHIND,
    FIRST_SAMPLE,
    MANY_BEHIND,
    MOST_LEFT,
    NEARLY_ALL,
    ROWS_IN_TURN,
    SAMPLE,
    SAMPLE_PART,
    SHARED_START,
    SHARED_VERTICES,
)
from ...graphs.graph import unsigned
from ...results.run import Run

RACE, BLOCKS, COUNT, CHECK = range(4)  # what threads do
LEFT, ROWS, COLS, LINE = *range(3), 16  # ``done[t]``: rows left; matched rows and columns

NEXT, MATCHED = 0, 1  # entries of `state`: the next place in the order; edges added


def cheap(run: Run) -> None:
    """Extend the matching by first free columns."""
    if run.on_device:
        cheap_on_device(run)
        return
    indptr, indices = unsigned(run.graph.indptr), unsigned(run.graph.indices)
    graph = (indptr, indices, run.row_match, run.col_match)
    if (
        run.threads > 1
        and run.graph.nnz >= SHARED_START
        and min(run.graph.shape) >= SHARED_VERTICES
    ):
        tried = np.empty(max(run.graph.n_rows // SAMPLE_PART, SAMPLE), np.int64)
        behind, _ = try_rows(*graph, run.threads, tried[:FIRST_SAMPLE])
        race = behind > MANY_BEHIND
        if not race:
            behind, found = try_rows(*graph, run.threads, tried)
        if race or behind <= FEW_BEHIND or found < NEARLY_ALL:
            left = run.empty(run.graph.n_rows, run.graph.indices.dtype)
            done = np.zeros((run.threads, LINE), np.int64)
            run.cardinality = match_on_threads(*graph, race, done, left)
            return
    lo, n_rows = 0, run.graph.n_rows
    while lo < n_rows:
        hi = n_rows
        if run.graph.nnz > EDGES_PER_CALL:
            enough = min(int(run.graph.indptr[lo]) + EDGES_PER_CALL, run.graph.nnz)
            hi = int(np.searchsorted(run.graph.indptr, run.graph.indptr.dtype.type(enough)))
            hi = min(max(hi, lo + 1), n_rows)
        run.cardinality += match_rows(*graph, lo, hi)
        lo = hi
        run.pause()


def cheap_on_device(run: Run) -> None:
    """Extend a matching that lies on a device: all rows look for a free column at once."""
    device = open_device(run.device, run.threads)
    device.launch(
        take_free,
        run.graph.n_rows,
        run.graph.indptr,
        run.graph.indices,
        run.row_match,
        run.col_match,
    )
    run.cardinality = count(device, run.row_match)
    run.pause()


@per_item
def take_free(x: int, indptr: Any, indices: Any, row_match: Any, col_match: Any) -> None:
    """Match a row with its first free column; of several rows one gets it, by compare-and-swap."""
    if row_match[x] < 0:
        claim_first_free(indptr, indices, x, row_match, col_match)


def cheap_random(run: Run) -> None:
    """Extend the matching by first free columns, the rows in random order."""
    rng = np.random.default_rng(run.seed)
    order = rng.permutation(np.arange(run.graph.n_rows, dtype=run.graph.indices.dtype))
    state = np.zeros(2, np.int64)
    while state[NEXT] < order.size:
        before = state[MATCHED]
        match_in_order(
            unsigned(run.graph.indptr),
            unsigned(run.graph.indices),
            run.row_match,
            run.col_match,
            order,
            state,
            EDGES_PER_CALL,
        )
        run.cardinality += int(state[MATCHED] - before)
        run.pause()


@kernel
def match_rows(indptr: Any, indices: Any, row_match: Any, col_match: Any, lo: int, hi: int) -> int:
    """Match rows from `lo` to `hi`; return how many."""
    matched = 0
    end = np.int64(indptr[lo])
    for x in range(lo, hi):
        begin, end = end, np.int64(indptr[x + 1])
        if row_match[x] < 0:
            for k in range(begin, end):
                y = indices[np.uint64(k)]
                if col_match[y] < 0:
                    row_match[x] = y
                    col_match[y] = x
                    matched += 1
                    break
    return matched


@kernel
def match_in_order(
    indptr: Any, indices: Any, row_match: Any, col_match: Any, order: Any, state: Any, budget: int
) -> None:
    """Match rows in their order from ``state[NEXT]`` on, until some `budget` edges were seen."""
    place, matched = state[NEXT], state[MATCHED]
    while place < order.size and budget > 0:
        x = np.int64(order[place])
        if row_match[x] < 0:
            budget -= np.int64(indptr[x + 1] - indptr[x])
            matched += match_rows(indptr, indices, row_match, col_match, x, x + 1)
        place += 1
    state[NEXT], state[MATCHED] = place, matched


@kernel
def try_rows(
    indptr: Any, indices: Any, row_match: Any, col_match: Any, blocks: int, tried: Any
) -> tuple[float, float]:
    """Try the last rows before a cut: which part would take columns behind it, and which any."""
    n_rows, n_cols = row_match.size, col_match.size
    t = blocks // 2
    end, cut = n_rows * t // blocks, n_cols * t // blocks
    first = max(end - tried.size, 0)
    lo, count, behind = n_cols * first // n_rows, 0, 0
    for x in range(first, end):
        if row_match[x] < 0:
            match_behind(indptr, indices, x, row_match, col_match, lo)
            if row_match[x] >= 0:
                tried[count] = x
                count += 1
                behind += row_match[x] >= cut
    for i in range(count):
        x = tried[i]
        col_match[row_match[x]] = -1
        row_match[x] = -1
    return behind / max(count, 1), count / max(end - first, 1)


@kernel
def match_on_threads(
    indptr: Any, indices: Any, row_match: Any, col_match: Any, race: bool, done: Any, left: Any
) -> int:
    """Match all rows, in blocks or as a race; return how many are matched.

    The rows of block t that are left are in `left`, from the block's first on.
    """
    graph, threads = (indptr, indices, row_match, col_match), done.shape[0]
    # With plain COUNT and CHECK numba would compile what is called for these numbers, too.
    do_job(threads, RACE if race else BLOCKS, graph, done, left)
    do_job(threads, np.int64(COUNT), graph, done, left)
    matched: int = done[:, COLS].sum()
    if matched < done[:, ROWS].sum():
        do_job(threads, np.int64(CHECK), graph, done, left)
    for t in range(done.shape[0]):
        first = row_match.size * t // done.shape[0]
        for i in range(first, first + done[t, LEFT]):
            x = np.int64(left[i])
            matched += match_rows(indptr, indices, row_match, col_match, x, x + 1)
    return matched


@share_out
def do_job(t: int, shared: bool, job: int, graph: Any, done: Any, left: Any) -> None:
    """Thread t's share of a job."""
    indptr, indices, row_match, col_match = graph
    threads, n_rows, n_cols = done.shape[0], row_match.size, col_match.size
    first, last = n_rows * t // threads, n_rows * (t + 1) // threads
    lo, hi = n_cols * t // threads, n_cols * (t + 1) // threads
    if job == RACE:
        for x in range(t * ROWS_IN_TURN, n_rows, ROWS_IN_TURN * threads):
            match_rows(indptr, indices, row_match, col_match, x, min(x + ROWS_IN_TURN, n_rows))
    elif job == BLOCKS:
        done[t, LEFT] = match_block(indptr, indices, row_match, col_match, first, last, lo, left)
    elif job == COUNT:
        done[t, ROWS] = count_matched(row_match[first:last])
        done[t, COLS] = count_matched(col_match[lo:hi])
    else:
        for x in range(first, last):
            if row_match[x] >= 0 and col_match[row_match[x]] != x:
                row_match[x] = -1
                left[first + done[t, LEFT]] = x
                done[t, LEFT] += 1


@helper
def match_block(
    indptr: Any,
    indices: Any,
    row_match: Any,
    col_match: Any,
    first: int,
    last: int,
    cut: int,
    left: Any,
) -> int:
    """Match rows with columns behind a cut; return how many saw free ones before it only.

    Once there are too many of these, or free columns before the cut are far away, rows take any.
    """
    size, met = 0, first
    x = first
    while x < last and cut > 0 and size < MOST_LEFT and x < met + FAR_FROM_CUT:
        if row_match[x] < 0 and match_behind(indptr, indices, x, row_match, col_match, cut):
            met = x
            if row_match[x] < 0:
                left[first + size] = x
                size += 1
        x += 1
    match_rows(indptr, indices, row_match, col_match, x, last)
    return size


@helper
def match_behind(
    indptr: Any, indices: Any, x: int, row_match: Any, col_match: Any, cut: int
) -> bool:
    """Match x to its first free column behind a cut; return whether it met free ones before it."""
    met = False
    for k in range(np.int64(indptr[x]), np.int64(indptr[x + 1])):
        y = np.int64(indices[np.uint64(k)])
        if col_match[y] < 0:
            if y >= cut:
                row_match[x] = y
                col_match[y] = x
                break
            met = True
    return met


@helper
def count_matched(match: Any) -> Any:
    """Count what is matched, by a loop that the compiler makes vectors of."""
    kind = match.dtype.type  # the sum is made so wide and no wider: more fit in a vector
    matched = kind(0)
    for i in range(match.size):
        matched = kind(matched + kind(match[i] >= 0))
    return np.int64(matched)


@helper
def claim_first_free(indptr: Any, indices: Any, x: int, row_match: Any, col_match: Any) -> int:
    """Match x to its first free column, beside others: of several rows one gets it."""
    for k in range(indptr[x], indptr[x + 1]):
        y = indices[k]
        if col_match[y] < 0 and compare_and_swap(col_match, y, -1, x):
            row_match[x] = y
            return 1
    return 0
