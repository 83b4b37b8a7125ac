"""Counting sorts: from edges to CSR, and from CSR to the CSR of the transpose.

Both are stable: what has the same key keeps its order, so the transpose has sorted indices and
does not depend on the number of threads.

Work O(n + nnz); the transpose needs one counter per column and thread besides the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compile import helper, kernel, share_out


@kernel
def transpose_csr(
    indptr: Any, indices: Any, blocks: Any, counts: Any, cuts: Any, t_indptr: Any, t_indices: Any
) -> bool:
    """Fill ``t_indptr, t_indices`` with the transpose of ``indptr, indices``.

    Thread t takes rows ``blocks[t]`` to ``blocks[t + 1]``; ``counts[t]`` (zeros on entry) counts
    its entries per column and then becomes the place where its next entry of the column goes.
    ``cuts[t]`` notes where the next thread's begin.

    Return whether every place has got its entry. Not if an index was out of range, or another one
    when it was read again. Nothing is read or written out of bounds then.
    """
    threads, n_cols = counts.shape
    count_or_place(threads, indptr, indices, blocks, counts, t_indices, False)
    total = np.int64(0)
    for c in range(n_cols):
        t_indptr[c] = total
        for t in range(threads):
            count = counts[t, c]
            counts[t, c] = total
            total += np.int64(count)
    t_indptr[n_cols] = total
    if total < t_indices.size:
        return False
    for t in range(threads - 1):
        cut, begin = cuts[t], counts[t + 1]
        for c in range(n_cols):
            cut[c] = begin[c]
    count_or_place(threads, indptr, indices, blocks, counts, t_indices, True)
    wrong = np.uint64(0)
    for t in range(threads):
        last, ends = counts[t], t_indptr[1:]
        for c in range(n_cols):
            end = ends[c] if t == threads - 1 else cuts[t, c]
            wrong |= np.uint64(last[c]) ^ np.uint64(end)
    return bool(wrong == 0)


@share_out
def count_or_place(
    t: int,
    shared: bool,
    indptr: Any,
    indices: Any,
    blocks: Any,
    counts: Any,
    t_indices: Any,
    place: bool,
) -> None:
    """Count the entries of each column in thread t's rows, or put them in their places."""
    if place:
        place_entries(indptr, indices, blocks, counts, t_indices, t)
    else:
        count_entries(indptr, indices, blocks, counts, t)


@kernel
def count_entries(indptr: Any, indices: Any, blocks: Any, counts: Any, t: Any) -> None:
    """Count the entries of each column in thread t's rows."""
    mine, n_cols = counts[t], np.uint64(counts.shape[1])
    for k in range(indptr[blocks[t]], indptr[blocks[t + 1]]):
        c = indices[k]
        if c < n_cols:
            mine[c] += 1


@kernel
def place_entries(
    indptr: Any, indices: Any, blocks: Any, counts: Any, t_indices: Any, t: Any
) -> None:
    """Put the entries of thread t's rows in their places.

    One loop over all entries, as processors predict the ends of short loops badly.
    """
    mine, n_cols, nnz = counts[t], np.uint64(counts.shape[1]), np.uint64(t_indices.size)
    begin, last = np.int64(indptr[blocks[t]]), np.int64(indptr[blocks[t + 1]])
    r, end = blocks[t] - 1, begin
    for k in range(begin, last):
        while k >= end:
            r += 1
            end = np.int64(indptr[r + 1])
        c = indices[np.uint64(k)]
        if c < n_cols:
            place = mine[c]
            if place < nnz:
                t_indices[place] = r
                mine[c] += 1


@kernel
def edges_to_csr(rows: Any, cols: Any, indptr: Any, indices: Any) -> None:
    """Fill ``indptr`` (zeros on entry) and ``indices`` from edges ``rows[k], cols[k]``."""
    for k in range(rows.size):
        indptr[rows[k] + 1] += 1
    for r in range(indptr.size - 1):
        indptr[r + 1] += indptr[r]
    # indptr[r] walks from the row's first place to the next row's first, then shifts back by one.
    for k in range(rows.size):
        r = rows[k]
        indices[indptr[r]] = cols[k]
        indptr[r] += 1
    shift_back(indptr)


@helper
def shift_back(indptr: Any) -> None:
    """Let rows begin where they did before their entries were placed."""
    for r in range(indptr.size - 1, 0, -1):
        indptr[r] = indptr[r - 1]
    if indptr.size > 1:
        indptr[0] = 0


@kernel
def drop_duplicates(indptr: Any, indices: Any, new_indptr: Any) -> int:
    """Drop repeats from rows with sorted indices, in place; fill new_indptr; return the size."""
    size = 0
    for r in range(indptr.size - 1):
        new_indptr[r] = size
        for k in range(indptr[r], indptr[r + 1]):
            if k == indptr[r] or indices[k] != indices[k - 1]:
                indices[size] = indices[k]
                size += 1
    new_indptr[indptr.size - 1] = size
    return size
