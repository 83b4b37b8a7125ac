"""The Karp–Sipser start: match vertices of degree one first, random ones only when none is left.

A vertex whose only free neighbour is v can be matched to v without loss: some maximum matching has
that edge. Matching removes both ends, which makes new vertices of degree one, and so on. Only when
there are none is a row taken in random order and matched to a random free neighbour. Every loss is
due to these random choices; on sparse random graphs almost nothing is lost.

Work O(n + nnz). Memory: a degree and a place on the stack for every vertex, an order of the rows.

- ``row_degree[x]``, ``col_degree[y]``: number of edges to free vertices, while x or y is free.
- ``stack``: vertices whose degree came down to one, rows as x, columns as ~y. A degree passes
  through one once, so n_rows + n_cols places are enough. What is found matched, or with no
  neighbour left, is passed over.

Reference: R. M. Karp, M. Sipser, "Maximum matching in sparse random graphs", FOCS 1981.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import helper, kernel
from ...compile.tuning import EDGES_PER_CALL
from ...graphs.graph import unsigned
from ...results.run import Run

NEXT, STACKED, MATCHED = 0, 1, 2  # entries of `state`: place in the order, size of the stack, gain


def karp_sipser(run: Run) -> None:
    """Extend the matching by the degree-one rule and random choices."""
    graph, transpose = run.graph, run.transpose()
    rows_csr = unsigned(graph.indptr), unsigned(graph.indices)
    cols_csr = unsigned(transpose.indptr), unsigned(transpose.indices)
    rng = np.random.default_rng(run.seed)
    order = rng.permutation(np.arange(graph.n_rows, dtype=graph.indices.dtype))
    random = rng.integers(1, 1 << 63, size=1, dtype=np.uint64)
    row_degree = np.empty(graph.n_rows, graph.indices.dtype)
    col_degree = np.empty(graph.n_cols, graph.indices.dtype)
    stack = np.empty(graph.n_rows + graph.n_cols, graph.indices.dtype)
    state = np.zeros(3, np.int64)
    free_degrees(*rows_csr, run.row_match, run.col_match, row_degree, stack, state, False)
    free_degrees(*cols_csr, run.col_match, run.row_match, col_degree, stack, state, True)
    while state[NEXT] < graph.n_rows or state[STACKED] > 0:
        before = state[MATCHED]
        match_by_degree(
            *rows_csr,
            *cols_csr,
            run.row_match,
            run.col_match,
            row_degree,
            col_degree,
            stack,
            order,
            random,
            state,
            EDGES_PER_CALL,
        )
        run.cardinality += int(state[MATCHED] - before)
        run.pause()


@kernel
def free_degrees(
    indptr: Any,
    indices: Any,
    match: Any,
    other_match: Any,
    degree: Any,
    stack: Any,
    state: Any,
    is_col: bool,
) -> None:
    """Count the free neighbours of one side's free vertices; stack those that have one."""
    for v in range(match.size):
        degree[v] = 0
        if match[v] < 0:
            for k in range(indptr[v], indptr[v + 1]):
                if other_match[indices[k]] < 0:
                    degree[v] += 1
        if degree[v] == 1:
            stack[state[STACKED]] = ~v if is_col else v
            state[STACKED] += 1


@kernel
def match_by_degree(
    indptr: Any,
    indices: Any,
    t_indptr: Any,
    t_indices: Any,
    row_match: Any,
    col_match: Any,
    row_degree: Any,
    col_degree: Any,
    stack: Any,
    order: Any,
    random: Any,
    state: Any,
    budget: int,
) -> None:
    """Match by the rules above, until some `budget` edges have been looked at."""
    place, tail, matched = state[NEXT], state[STACKED], state[MATCHED]
    while budget > 0:
        if tail > 0:
            tail -= 1
            v = stack[tail]
            if v >= 0:
                if row_match[v] >= 0 or row_degree[v] == 0:
                    continue
                x = np.int64(v)
                y = nth_free(indptr, indices, x, col_match, 0)
            else:
                y = np.int64(~v)
                if col_match[y] >= 0 or col_degree[y] == 0:
                    continue
                x = nth_free(t_indptr, t_indices, y, row_match, 0)
        elif place < order.size:
            x = np.int64(order[place])
            place += 1
            if row_match[x] >= 0 or row_degree[x] == 0:
                continue
            pick = next_random(random) % np.uint64(row_degree[x])
            y = nth_free(indptr, indices, x, col_match, np.int64(pick))
        else:
            break
        row_match[x] = y
        col_match[y] = x
        matched += 1
        tail = lower_degrees(t_indptr, t_indices, y, row_match, row_degree, stack, tail, False)
        tail = lower_degrees(indptr, indices, x, col_match, col_degree, stack, tail, True)
        budget -= np.int64(indptr[x + 1] - indptr[x]) + np.int64(t_indptr[y + 1] - t_indptr[y])
    state[NEXT], state[STACKED], state[MATCHED] = place, tail, matched


@helper
def nth_free(indptr: Any, indices: Any, v: int, other_match: Any, n: int) -> int:
    """Return free neighbour number n of v; the caller knows that there are so many."""
    for k in range(indptr[v], indptr[v + 1]):
        u = indices[k]
        if other_match[u] < 0:
            if n == 0:
                return np.int64(u)  # type: ignore[return-value]
            n -= 1
    return -1


@helper
def lower_degrees(
    indptr: Any, indices: Any, v: int, match: Any, degree: Any, stack: Any, tail: int, is_col: bool
) -> int:
    """Take v from its free neighbours; stack those left with one edge; return the stack's size."""
    for k in range(indptr[v], indptr[v + 1]):
        u = indices[k]
        if match[u] < 0:
            degree[u] -= 1
            if degree[u] == 1:
                stack[tail] = ~np.int64(u) if is_col else np.int64(u)
                tail += 1
    return tail


@helper
def next_random(random: Any) -> Any:
    """Step a 64-bit xorshift generator (Marsaglia's 13, 7, 17)."""
    r = random[0]
    r ^= r << np.uint64(13)
    r ^= r >> np.uint64(7)
    r ^= r << np.uint64(17)
    random[0] = r
    return r
