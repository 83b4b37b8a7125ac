"""The cheap start: every row in turn takes its first free column.

Maximal, so at least half as large as a maximum matching. Work O(n + nnz), no extra memory. Where
the graph lies on a GPU all rows look at once, and claim columns by compare-and-swap.

Several threads look first at the rows before a cut in the middle, and at the columns that these
would take.

- Few lie behind the cut: rows and columns are cut into blocks, one a thread; a row takes a column
  of its own block only, and rows that saw free ones elsewhere are then done by one thread. So rows
  in the order of a mesh find the columns that they would have found on one thread, but for few near
  a cut. The result depends on the number of threads, but not on which is faster: a column of
  another block may be seen as free or taken, but what is seen as taken remains so.
- More than half lie behind it: the order of the rows means nothing. Threads take stretches of rows
  in turn, and claim columns by compare-and-swap.
- Otherwise both would spoil what the order is good for, and one thread does it all.

``cheap-random`` takes the rows in random order, which an order of the rows is kept for. Where
neighbours in the file are neighbours in the graph it loses much of what ``cheap`` owes to the
order; it tells how good the rule is without that luck.

Reference: I. S. Duff, K. Kaya, B. Uçar, "Design, implementation, and analysis of maximum
transversal algorithms", ACM TOMS 38(2), 2011.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import unsigned
from ..run import EDGES_PER_CALL, Run
from ..spmd import compare_and_swap, helper, kernel, prange
from ..spmd.device import open_device, per_item
from ..spmd.scan import count

# Edges, and vertices of each side, from which threads share the work.
SHARED, SHARED_VERTICES = 1_000_000, 30_000
FIRST_SAMPLE, SAMPLE = 1 << 8, 1 << 12  # rows before a cut that are tried
MANY, FEW = 1 / 2, 1 / 32  # of them take columns behind the cut
STRETCH = 1 << 11  # rows that a thread takes at a time

LINE = 16  # numbers from one thread's to the next one's
NEXT, MATCHED = 0, 1  # entries of `state`: the next place in the order; edges added


def cheap(run: Run) -> None:
    """Extend the matching by first free columns."""
    if run.on_device:
        cheap_on_device(run)
        return
    indptr, indices = unsigned(run.graph.indptr), unsigned(run.graph.indices)
    graph = (indptr, indices, run.row_match, run.col_match)
    if run.threads > 1 and run.graph.nnz >= SHARED and min(run.graph.shape) >= SHARED_VERTICES:
        tried = np.empty(SAMPLE, np.int64)
        race = part_behind(*graph, run.threads, tried[:FIRST_SAMPLE]) > MANY
        if race or part_behind(*graph, run.threads, tried) <= FEW:
            left = run.empty(run.graph.n_rows, run.graph.indices.dtype)
            done = np.zeros((run.threads, LINE), np.int64)
            run.cardinality += match_on_threads(*graph, race, done, left)
            return
    lo, n_rows = 0, run.graph.n_rows
    while lo < n_rows:
        hi = n_rows
        if run.graph.nnz > EDGES_PER_CALL:
            enough = min(int(run.graph.indptr[lo]) + EDGES_PER_CALL, run.graph.nnz)
            hi = min(max(int(np.searchsorted(run.graph.indptr, enough)), lo + 1), n_rows)
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
            matched += match_first_free(indptr, indices, x, row_match, col_match)
        place += 1
    state[NEXT], state[MATCHED] = place, matched


@kernel
def part_behind(
    indptr: Any, indices: Any, row_match: Any, col_match: Any, blocks: int, tried: Any
) -> float:
    """Return what part of the last rows before a cut would take columns behind it: by trying."""
    n_rows, n_cols = row_match.size, col_match.size
    t = blocks // 2
    end, cut = n_rows * t // blocks, n_cols * t // blocks
    first = max(end - tried.size, 0)
    lo, count, behind = n_cols * first // n_rows, 0, 0
    for x in range(first, end):
        if row_match[x] >= 0:
            continue
        if match_within(indptr, indices, x, row_match, col_match, lo, n_cols) > 0:
            tried[count] = x
            count += 1
            behind += row_match[x] >= cut
    for i in range(count):
        x = tried[i]
        col_match[row_match[x]] = -1
        row_match[x] = -1
    return behind / max(count, 1)


@kernel
def match_on_threads(
    indptr: Any, indices: Any, row_match: Any, col_match: Any, race: bool, done: Any, left: Any
) -> int:
    """Match the rows of each block with columns of the same block, then the rest; or race for them.

    Returns how many. ``done[t]`` are the rows that thread t has matched, and those of its block
    that are in `left`, from the block's first on.
    """
    on_threads(indptr, indices, row_match, col_match, race, done, left)
    blocks = done.shape[0]
    matched = 0
    for t in range(blocks):
        matched += done[t, 0]
        first = row_match.size * t // blocks
        for i in range(first, first + done[t, 1]):
            matched += match_first_free(indptr, indices, np.int64(left[i]), row_match, col_match)
    return matched


@kernel(parallel=True)
def on_threads(
    indptr: Any, indices: Any, row_match: Any, col_match: Any, race: bool, done: Any, left: Any
) -> None:
    """Do the share of each thread."""
    for t in prange(done.shape[0]):
        if race:
            race_for_columns(indptr, indices, row_match, col_match, np.int64(t), done)
        else:
            match_block(indptr, indices, row_match, col_match, np.int64(t), done, left)


@kernel
def race_for_columns(
    indptr: Any, indices: Any, row_match: Any, col_match: Any, t: int, done: Any
) -> None:
    """Match every so many stretches of rows with columns that no other thread takes."""
    n_rows, matched = row_match.size, 0
    for first in range(t * STRETCH, n_rows, STRETCH * done.shape[0]):
        for x in range(first, min(first + STRETCH, n_rows)):
            if row_match[x] < 0:
                matched += claim_first_free(indptr, indices, x, row_match, col_match)
    done[t, 0] = matched


@kernel
def match_block(
    indptr: Any, indices: Any, row_match: Any, col_match: Any, t: int, done: Any, left: Any
) -> None:
    """Match the rows of block t with columns of block t."""
    n_rows, n_cols, blocks = row_match.size, col_match.size, done.shape[0]
    first, lo, hi = n_rows * t // blocks, n_cols * t // blocks, n_cols * (t + 1) // blocks
    matched, size = 0, 0
    for x in range(first, n_rows * (t + 1) // blocks):
        if row_match[x] < 0:
            outcome = match_within(indptr, indices, x, row_match, col_match, lo, hi)
            if outcome > 0:
                matched += 1
            elif outcome < 0:
                left[first + size] = x
                size += 1
    done[t, 0], done[t, 1] = matched, size


@helper
def match_within(
    indptr: Any, indices: Any, x: int, row_match: Any, col_match: Any, lo: int, hi: int
) -> int:
    """Match x to its first free column in a range; return 1, or -1 if there are some elsewhere."""
    outcome = 0
    for k in range(indptr[x], indptr[x + 1]):
        y = np.int64(indices[k])
        if col_match[y] < 0:
            if lo <= y < hi:
                row_match[x] = y
                col_match[y] = x
                return 1
            outcome = -1
    return outcome


@helper
def match_first_free(indptr: Any, indices: Any, x: int, row_match: Any, col_match: Any) -> int:
    """Match x to its first free column; return whether there was one, as a number."""
    for k in range(indptr[x], indptr[x + 1]):
        y = indices[k]
        if col_match[y] < 0:
            row_match[x] = y
            col_match[y] = x
            return 1
    return 0


@helper
def claim_first_free(indptr: Any, indices: Any, x: int, row_match: Any, col_match: Any) -> int:
    """Match x to its first free column, beside others: of several rows one gets it."""
    for k in range(indptr[x], indptr[x + 1]):
        y = indices[k]
        if col_match[y] < 0 and compare_and_swap(col_match, y, -1, x):
            row_match[x] = y
            return 1
    return 0
