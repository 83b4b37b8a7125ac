"""Graphs of many kinds, small and large, and what their matchings must be.

A seed says all of a graph. The maximum is found here by the simplest of searches, in code that
shares nothing with berge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.random import Generator

from berge import BipartiteGraph

Ends = tuple[Any, Any, int, int]  # rows and columns of edges, and how many there are of each
MOST = 40  # vertices of a side of small graphs, but for the longest chains
LARGE = 310_000  # edges of large ones at least


def _uniform(rng: Generator, n: int, m: int) -> Ends:
    size = int(rng.integers(0, 4 * max(n, m) + 1)) if n and m else 0
    return rng.integers(0, n or 1, size), rng.integers(0, m or 1, size), n, m


def _skewed(rng: Generator, n: int, m: int) -> Ends:
    """A few columns are wanted by most."""
    rows, _, n, m = _uniform(rng, n, m)
    return rows, (m * rng.random(rows.size) ** 3).astype(np.int64), n, m


def _chain(rng: Generator, n: int, m: int) -> Ends:
    """One long path, which a start in the wrong order leaves to one augmenting path."""
    rows = np.arange(n)
    return np.concatenate([rows, rows[1:]]), np.concatenate([rows, rows[:-1]]), n, n


def _hidden(rng: Generator, n: int, m: int) -> Ends:
    """A perfect matching, and more edges that lead away from it."""
    rows = np.repeat(np.arange(n), 3)
    cols = rng.integers(0, n or 1, rows.size)
    cols[::3] = rng.permutation(n)
    return rows, cols, n, n


def _short(rng: Generator, n: int, m: int) -> Ends:
    """Many rows that share too few columns, beside some that do not."""
    few = int(rng.integers(1, 5))
    rows = rng.integers(0, n or 1, 3 * n)
    return rows, np.where(rows < n // 2, rows % few, rng.integers(0, m or 1, rows.size) % m if m
                          else 0), n, max(m, few)  # fmt: skip


def _blocks(rng: Generator, n: int, m: int) -> Ends:
    """Complete graphs side by side."""
    sides = rng.integers(0, 5, (int(rng.integers(1, 7)), 2))
    ends = np.cumsum(sides, axis=0)
    rows, cols = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for (a, b), (i, j) in zip(sides.tolist(), ends.tolist(), strict=True):
        rows.append(np.repeat(np.arange(i - a, i), b))
        cols.append(np.tile(np.arange(j - b, j), a))
    return np.concatenate(rows), np.concatenate(cols), int(ends[-1, 0]), int(ends[-1, 1])


def _band(rng: Generator, n: int, m: int) -> Ends:
    offsets = rng.integers(-3, 4, int(rng.integers(1, 4)))
    rows = np.repeat(np.arange(n), offsets.size)
    cols = rows + np.tile(offsets, n)
    inside = (cols >= 0) & (cols < m)
    return rows[inside], cols[inside], n, m


def _tree(rng: Generator, n: int, m: int) -> Ends:
    """Each row but the first hangs on a column of a row before it, and has one of its own."""
    rows = np.arange(n)
    up = (rng.random(n) * rows).astype(np.int64)
    return np.concatenate([rows, rows]), np.concatenate([rows, up]), n, n


def _layered(rng: Generator, n: int, m: int) -> Ends:
    """Ladders that double the ways with each step."""
    rows = np.repeat(np.arange(n), 3)
    cols = np.clip(rows + np.tile([0, 1, 2], n) // 2 - int(rng.integers(0, 2)), 0, max(m, 1) - 1)
    return rows, cols, n, max(m, 1)


SMALL: tuple[Callable[[Generator, int, int], Ends], ...] = (
    _uniform, _uniform, _skewed, _chain, _hidden, _short, _blocks, _band, _tree, _layered,
)  # fmt: skip


def small(rng: Generator) -> BipartiteGraph:
    """Return a graph of a few vertices: any order of them, twice the same edge, nothing at all."""
    n, m = rng.integers(0, MOST + 1, 2).tolist()
    rows, cols, n, m = SMALL[int(rng.integers(len(SMALL)))](rng, n, m)
    how = int(rng.integers(16))
    if how & 1:
        rows, cols = rng.permutation(n)[rows], rng.permutation(m)[cols]
    if how & 2:
        rows, cols, n, m = cols, rows, m, n
    if how & 12 == 12 and rows.size:
        again = rng.integers(0, rows.size, 9)
        rows, cols = np.concatenate([rows, rows[again]]), np.concatenate([cols, cols[again]])
    order = np.argsort(rows, kind="stable")  # and columns as they come
    indptr = np.searchsorted(rows[order], np.arange(n + 1)).astype(np.int32)
    return BipartiteGraph(indptr, cols[order].astype(np.int32), (n, m))


def large(rng: Generator, number: int) -> tuple[BipartiteGraph, bool]:
    """Return a graph above the thresholds of threads, and whether its paths are short.

    Most are just above that of searches; each 8th is above that of starts as well, each 40th above
    that of pushes, and each 500th above all of them.
    """
    size = 4_100_000 if number % 500 == 7 else 1_060_000 if number % 40 == 7 else \
        520_000 if number % 8 == 3 else LARGE  # fmt: skip
    kind = int(rng.integers(8))
    degree = 2 if kind == 5 else int(rng.integers(3, 13))
    n = -(-size // degree)
    m = int(n * rng.choice((0.6, 0.9, 1.0, 1.0, 1.1, 1.8)))
    count, base = n * degree, np.arange(n, dtype=np.int32)
    if kind == 0:  # a few columns are wanted by most
        cols = (m * rng.random(count, np.float32) ** 2).astype(np.int32)
        np.minimum(cols, m - 1, out=cols)
    elif kind in (1, 2):  # near the diagonal
        m, reach = n, int(rng.choice((degree, 50, 2000)))
        cols = np.repeat(base, degree) + rng.integers(-reach, reach + 1, count, np.int32)
        np.clip(cols, 0, m - 1, out=cols)
    elif kind == 3:  # a perfect matching is hidden
        m = n
        cols = rng.integers(0, m, count, np.int32)
        cols[::degree] = rng.permutation(base)
    elif kind == 4:  # half of the rows share few columns
        cols = rng.integers(0, m, count, np.int32)
        cols[: count // 2] %= max(1, n // 3)
    elif kind == 5:  # long paths
        m, cols = n, np.repeat(base, 2)
        cols[1::2] = np.roll(base, 1)
        cols[1] = 0
        cols = (rng.permutation(base) if rng.random() < 0.5 else base[::-1])[cols]
    else:
        cols = rng.integers(0, m, count, np.int32)
    indptr = np.arange(0, count + 1, degree, dtype=np.int32)
    short = kind not in (1, 2, 5)
    graph = BipartiteGraph(indptr, cols, (n, m))
    return (graph.T if rng.random() < 0.2 else graph), short


@numba.njit(cache=True)
def reference(indptr: Any, indices: Any, n_cols: int) -> int:
    """Return the size of a maximum matching: from each row, one search after the other."""
    n_rows = indptr.size - 1
    row_match, col_match = np.full(n_rows, -1), np.full(n_cols, -1)
    by, seen = np.empty(n_cols, np.int64), np.full(n_cols, -1)
    queue = np.empty(n_rows + 1, np.int64)
    found = 0
    for root in range(n_rows):
        head, tail, end = 0, 1, -1
        queue[0] = root
        while head < tail and end < 0:
            row = queue[head]
            head += 1
            for k in range(indptr[row], indptr[row + 1]):
                col = indices[k]
                if seen[col] == root:
                    continue
                seen[col] = root
                by[col] = row
                if col_match[col] < 0:
                    end = col
                    break
                queue[tail] = col_match[col]
                tail += 1
        found += end >= 0
        while end >= 0:
            row = by[end]
            col_match[end] = row
            end, row_match[row] = row_match[row], end
    return found


@numba.njit(cache=True)
def pairs(indptr: Any, indices: Any, row_match: Any, col_match: Any) -> int:
    """Return how many pairs a matching has, −1 if it is none of the graph."""
    if row_match.size != indptr.size - 1:
        return -1
    found = 0
    for row in range(row_match.size):
        col = row_match[row]
        if col == -1:
            continue
        if col < 0 or col >= col_match.size or col_match[col] != row:
            return -1
        if not np.any(indices[indptr[row] : indptr[row + 1]] == col):
            return -1
        found += 1
    return found if found == np.sum(col_match != -1) else -1
