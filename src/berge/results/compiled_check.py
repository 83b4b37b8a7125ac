"""The compiled check: what `checker/check.py` specifies, in one pass over the edges, on threads.

It may only say yes. `size_if_right` returns the number of pairs if the matching, and the cover if
there is one, are right beyond doubt; else None, and numpy's check is to say what is wrong. It has
nothing in common with the solvers but the compiler.

By the names of the specification: thread t takes the rows from ``cuts[0, t]`` to
``cuts[0, t + 1]``, and the columns from ``cuts[1, t]`` on.
  rows     r[i] = −1, or (0 ≤ r[i] < C, c[r[i]] = i and r[i] is in row i): (2), (4)
           P[i], or Q[j] for every j in row i: (5)
  columns  only counted: c[j] ≠ −1, and the vertices of the cover
By (2) no two rows have the same column, and c names a row for each of these columns. So if c names
no more rows than there are pairs, (3) holds too. (6) compares counts.

A row in the cover is read up to its mate: what else it has is covered, whatever that is. (1) holds
for graphs since they were made: `graphs.graph` checks indices, and `graphs.owned` says why they
stay so. Still every number is compared with its bound before it is used as an index, and read
once. So whoever changes arrays meanwhile gets a verdict on nothing, but nothing worse.

Work O(rows + columns + edges); memory: a few numbers a thread.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compile import helper, kernel, read_only, share_out, threads_for
from ..graphs.graph import equal_shares, is_whole, unsigned
from ..tuning import SHARED_CHECK

__all__ = ["size_if_right"]

NONE = np.uint64(0xFFFF_FFFF_FFFF_FFFF)  # −1
PAIRS, BACK, COVER, WRONG, LINE = 0, 1, 2, 3, 16  # what a thread finds; two cache lines


class Given(NamedTuple):
    """What is checked: a run of rows with the columns of their edges, and the rest as above."""

    indptr: Any
    indices: Any
    row_match: Any
    col_match: Any
    rows: Any
    cols: Any
    covered: bool  # whether there is a cover


def size_if_right(
    graph: Any,
    row_match: Any,
    col_match: Any,
    cover: Any,
    runs: list[tuple[int, int]],
    bound: int | None = None,
) -> int | None:
    """Return the number of pairs; None if there is any doubt. Rows are read in these `runs`."""
    index = graph.indptr.dtype if graph.on_disk else graph.indices.dtype
    match = [_exactly(array, index) for array in (row_match, col_match)]
    parts = [np.zeros(0, np.bool_)] * 2 if cover is None else cover
    for arrays, kind in ((match, index), (parts, np.dtype(np.bool_))):
        sizes = (0, 0) if arrays is parts and cover is None else graph.shape
        if not all(_is_plain(*given, kind) for given in zip(arrays, sizes, strict=True)):
            return None
    indptr = graph.indptr
    if indptr.size != graph.n_rows + 1 or indptr[0] != 0 or graph.nnz == 0:
        return None
    open_rows = 0 if cover is None else graph.n_rows - np.count_nonzero(parts[0])
    work = 2 * graph.n_rows + graph.n_cols // 8 + graph.nnz * open_rows // graph.n_rows
    threads = threads_for(work, SHARED_CHECK)
    r, c, p, q = (read_only(array) for array in (*match, *(a.view(np.uint8) for a in parts)))
    found = np.zeros((threads, LINE), np.int64)
    for first, last in runs:
        base, end = int(indptr[first]), int(indptr[last])
        window = graph.window(base, end)
        if type(window) is not np.ndarray or window.size != end - base or not is_whole(window):
            return None
        shares: Any = [first, last]
        if threads > 1:
            places = indptr[first : last + 1]
            shares = equal_shares(places - places[0] if first else places, threads) + first
        n_cols = graph.n_cols if last == graph.n_rows else 0  # counted once
        cuts = np.array([shares, np.arange(threads + 1) * n_cols // threads])
        given = Given(
            unsigned(read_only(indptr)), unsigned(read_only(window)), r, c, p, q, cover is not None
        )
        if threads > 1:
            check_on_threads(threads, given, cuts, base, found)
        else:
            check_share(0, given, cuts, base, found)
    pairs, back, size, wrong = found.sum(axis=0)[: WRONG + 1].tolist()
    right = wrong == 0 and back == pairs
    right &= cover is None or pairs <= size <= (pairs if bound is None else bound)
    return int(pairs) if right else None


def _exactly(array: Any, index: Any) -> Any:
    """Return an array of integers as one of this type, if that changes none; else None."""
    if type(array) is not np.ndarray or array.dtype.kind != "i" or array.dtype == index:
        return array
    other = array.astype(index)
    return other if np.array_equal(other, array) else None


def _is_plain(array: Any, size: int, kind: Any) -> bool:
    """Whether kernels take this array as it is."""
    plain = type(array) is np.ndarray and array.ndim == 1 and array.size == size
    return plain and array.dtype == kind and is_whole(array)


@share_out
def check_on_threads(t: int, shared: bool, a: Any, cuts: Any, base: int, found: Any) -> None:
    """Do all shares, one a thread."""
    check_share(t, a, cuts, base, found)


@kernel
def check_share(t: int, a: Any, cuts: Any, base: int, found: Any) -> None:
    """Check the rows of a share, and count in its columns."""
    col_match, in_rows, in_cols, covered = a.col_match, a.rows, a.cols, a.covered
    lo, hi = cuts[0, t], cuts[0, t + 1]
    pairs = check_rows(
        lo, hi, a.indptr, base, a.indices, a.row_match, col_match, in_rows, in_cols, covered
    )
    back, size = count_others(col_match, -1, cuts[1, t], cuts[1, t + 1]), 0
    if covered:
        size += count_others(in_rows, 0, lo, hi)
        size += count_others(in_cols, 0, cuts[1, t], cuts[1, t + 1])
    found[t, PAIRS] += pairs
    found[t, BACK] += back
    found[t, COVER] += size
    if pairs < 0:
        found[t, WRONG] += 1


@helper
def count_others(array: Any, value: int, first: int, last: int) -> int:
    """Count the entries that are not of this value; a slice, so that the compiler makes vectors."""
    part, count = array[first:last], 0
    for i in range(part.size):
        count += part[i] != value
    return count


@kernel
def check_rows(
    first: int,
    last: int,
    indptr: Any,
    base: int,
    indices: Any,
    row_match: Any,
    col_match: Any,
    in_rows: Any,
    in_cols: Any,
    covered: bool,
) -> int:
    """Return the number of pairs of some rows; −1 if a mate is wrong, or an edge is not covered."""
    n_cols, size, pairs, right = np.uint64(col_match.size), indices.size, 0, True
    hi = np.int64(indptr[np.uint64(first)]) - base
    for i in range(first, last):
        lo = hi
        hi = np.int64(indptr[np.uint64(i + 1)]) - base
        if lo < 0 or hi > size:
            return -1
        mate = np.uint64(row_match[np.uint64(i)])  # −1 is the largest number then
        is_edge = mate == NONE
        pairs += not is_edge
        col = min(mate, n_cols - np.uint64(1))
        right &= is_edge | ((col == mate) & (np.int64(col_match[col]) == i))
        bare = covered and in_rows[np.uint64(i)] == 0
        if hi - lo <= 4 and lo + 4 <= size:
            # Four edges without a branch, the last of which may be of other rows.
            a, b = np.uint64(indices[np.uint64(lo)]), np.uint64(indices[np.uint64(lo + 1)])
            c, d = np.uint64(indices[np.uint64(lo + 2)]), np.uint64(indices[np.uint64(lo + 3)])
            one, two, three, four = hi > lo, hi > lo + 1, hi > lo + 2, hi > lo + 3
            is_edge |= (one & (a == mate)) | (two & (b == mate))
            is_edge |= (three & (c == mate)) | (four & (d == mate))
            if bare:
                if max(max(a, b), max(c, d)) >= n_cols:
                    return -1
                right &= not ((one & (in_cols[a] == 0)) | (two & (in_cols[b] == 0)))
                right &= not ((three & (in_cols[c] == 0)) | (four & (in_cols[d] == 0)))
        elif bare:
            for k in range(lo, hi):
                a = np.uint64(indices[np.uint64(k)])
                if a >= n_cols or in_cols[a] == 0:
                    return -1
                is_edge |= a == mate
        elif not is_edge:
            for k in range(lo, hi):
                if np.uint64(indices[np.uint64(k)]) == mate:
                    is_edge = True
                    break
        right &= is_edge
    return pairs if right else -1
