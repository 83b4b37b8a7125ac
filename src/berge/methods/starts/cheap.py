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

The indices may be the caller's (`BorrowedGraph`), who may change them meanwhile. Then one thread,
and several threads always, compare every index where they use it (`match_lent`). That takes up to a
twentieth of the start.

Reference: I. S. Duff, K. Kaya, B. Uçar, "Design, implementation, and analysis of maximum
transversal algorithms", ACM TOMS 38(2), 2011.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...compile import compare_and_swap, helper, kernel, share_out
from ...compile.device import per_item
from ...compile.devices import open_device
from ...compile.scan import count
from ...graphs.graph import equal_shares, unsigned
from ...results.run import Run
from ...tuning import (
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

RACE, BLOCKS, COUNT, CHECK = range(4)  # what threads do
LEFT, ROWS, COLS, LINE = *range(3), 16  # ``done[t]``: rows left; matched rows and columns


class Arrays(NamedTuple):
    """The graph and the matching."""

    indptr: Any
    indices: Any
    row_match: Any
    col_match: Any


def cheap(run: Run) -> None:
    """Extend the matching by first free columns."""
    graph, threads = run.graph, run.threads
    if run.on_device:
        device = open_device(run.device, threads)
        a = Arrays(graph.indptr, graph.indices, run.row_match, run.col_match)
        device.launch(take_free, graph.n_rows, a)
        run.cardinality = count(device, run.row_match)
        run.pause()
        return
    shared = threads > 1 and graph.nnz >= SHARED_START and min(graph.shape) >= SHARED_VERTICES
    a = arrays_of(run)
    if shared:
        tried = np.empty(max(graph.n_rows // SAMPLE_PART, SAMPLE), np.int64)
        behind, _ = try_rows(a, threads, tried[:FIRST_SAMPLE])
        race = behind > MANY_BEHIND
        if not race:
            behind, found = try_rows(a, threads, tried)
        if race or behind <= FEW_BEHIND or found < NEARLY_ALL:
            left = run.empty(graph.n_rows, graph.indices.dtype)
            done = np.zeros((threads, LINE), np.int64)
            run.cardinality = match_on_threads(a, race, done, left)
            return
    for lo, hi in pairwise(equal_shares(graph.indptr, 1 + graph.nnz // EDGES_PER_CALL)):
        match = match_lent if graph.is_borrowed else match_rows
        run.cardinality += match(a, lo, hi)
        run.pause()


def cheap_random(run: Run) -> None:
    """Extend the matching by first free columns, the rows in random order."""
    n_rows, index = run.graph.n_rows, run.graph.indices.dtype
    order = np.random.default_rng(run.seed).permutation(np.arange(n_rows, dtype=index))
    for some in np.array_split(order, 1 + run.graph.nnz // EDGES_PER_CALL):
        run.cardinality += match_in_order(arrays_of(run), some)
        run.pause()


def arrays_of(run: Run) -> Arrays:
    """Return the graph and the matching as kernels take them."""
    indptr, indices = unsigned(run.graph.indptr), unsigned(run.graph.indices)
    return Arrays(indptr, indices, run.row_match, run.col_match)


@per_item
def take_free(x: int, a: Any) -> None:
    """Match a row with its first free column; of several rows one gets it, by compare-and-swap."""
    if a.row_match[x] < 0:
        for k in range(a.indptr[x], a.indptr[x + 1]):
            y = a.indices[k]
            if a.col_match[y] < 0 and compare_and_swap(a.col_match, y, -1, x):
                a.row_match[x] = y
                break


@kernel
def match_rows(a: Any, lo: int, hi: int) -> int:
    """Match rows from `lo` to `hi`; return how many."""
    return match_some(a, lo, hi, True)


@kernel
def match_lent(a: Any, lo: int, hi: int) -> int:
    """Match rows from `lo` to `hi`, whose indices others may change; return how many."""
    return match_some(a, lo, hi, False)


@helper
def match_some(a: Any, lo: int, hi: int, ours: bool) -> int:
    """Match rows; indices are compared where they are used, unless they are ours.

    The compiler makes two functions of it.
    """
    indptr, indices = a.indptr, a.indices
    row_match, col_match = a.row_match, a.col_match
    n_cols = np.uint64(col_match.size)
    matched = 0
    end = np.int64(indptr[lo])
    for x in range(lo, hi):
        begin, end = end, np.int64(indptr[x + 1])
        if row_match[x] < 0:
            for k in range(begin, end):
                y = indices[np.uint64(k)]
                if (ours or y < n_cols) and col_match[y] < 0:
                    row_match[x] = y
                    col_match[y] = x
                    matched += 1
                    break
    return matched


@kernel
def match_in_order(a: Any, order: Any) -> int:
    """Match rows in their order; return how many."""
    matched = 0
    for i in range(order.size):
        matched += match_lent(a, np.int64(order[i]), np.int64(order[i]) + 1)
    return matched


@kernel
def try_rows(a: Any, blocks: int, tried: Any) -> tuple[float, float]:
    """Try the last rows before a cut: which part would take columns behind it, and which any."""
    row_match, col_match = a.row_match, a.col_match
    n_rows, n_cols = row_match.size, col_match.size
    t = blocks // 2
    end, cut = n_rows * t // blocks, n_cols * t // blocks
    first = max(end - tried.size, 0)
    lo, count, behind = n_cols * first // n_rows, 0, 0
    for x in range(first, end):
        if row_match[x] < 0:
            match_behind(a, x, lo)
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
def match_on_threads(a: Any, race: bool, done: Any, left: Any) -> int:
    """Match all rows, in blocks or as a race; return how many are matched.

    The rows of block t that are left are in `left`, from the block's first on.
    """
    threads = done.shape[0]
    # With plain COUNT and CHECK numba would compile what is called for these numbers, too.
    do_job(threads, RACE if race else BLOCKS, a, done, left)
    do_job(threads, np.int64(COUNT), a, done, left)
    matched: int = done[:, COLS].sum()
    if matched < done[:, ROWS].sum():
        do_job(threads, np.int64(CHECK), a, done, left)
    for t in range(threads):
        first = a.row_match.size * t // threads
        matched += match_in_order(a, left[first : first + done[t, LEFT]])
    return matched


@share_out
def do_job(t: int, shared: bool, job: int, a: Any, done: Any, left: Any) -> None:
    """Thread t's share of a job."""
    row_match, col_match = a.row_match, a.col_match
    threads, n_rows, n_cols = done.shape[0], row_match.size, col_match.size
    first, last = n_rows * t // threads, n_rows * (t + 1) // threads
    lo, hi = n_cols * t // threads, n_cols * (t + 1) // threads
    if job == RACE:
        for x in range(t * ROWS_IN_TURN, n_rows, ROWS_IN_TURN * threads):
            match_lent(a, x, min(x + ROWS_IN_TURN, n_rows))
    elif job == BLOCKS:
        done[t, LEFT] = match_block(a, first, last, lo, left)
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
def match_block(a: Any, first: int, last: int, cut: int, left: Any) -> int:
    """Match rows with columns behind a cut; return how many saw free ones before it only.

    Once there are too many of these, or free columns before the cut are far away, rows take any.
    """
    size, met = 0, first
    x = first
    while x < last and cut > 0 and size < MOST_LEFT and x < met + FAR_FROM_CUT:
        if a.row_match[x] < 0 and match_behind(a, x, cut):
            met = x
            if a.row_match[x] < 0:
                left[first + size] = x
                size += 1
        x += 1
    match_lent(a, x, last)
    return size


@helper
def match_behind(a: Any, x: int, cut: int) -> bool:
    """Match x to its first free column behind a cut; return whether it met free ones before it."""
    met = False
    for k in range(np.int64(a.indptr[x]), np.int64(a.indptr[x + 1])):
        y = a.indices[np.uint64(k)]
        if y < np.uint64(a.col_match.size) and a.col_match[y] < 0:
            if np.int64(y) >= cut:
                a.row_match[x] = y
                a.col_match[y] = x
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
