"""The Karp–Sipser start on several threads.

The rules are those of ``karp-sipser``: a vertex of degree one, row or column, is matched to its
only free neighbour; when there is none, a row in random order to a random free neighbour. Here each
thread goes by what it sees. First the threads share out the vertices that have degree one to begin
with, then the rows in random order; after every edge a thread goes on with the vertices that this
edge has left with degree one, before it takes a new one. So a thread may guess while another has
vertices of degree one left, which ``karp-sipser`` never does.

The loss is small: on 40 random graphs of each of nine kinds (those of tests/test_starts.py), 2, 3
and 4 threads never were more than 0.4 % below ``karp-sipser``, and on average equal to it. On
``generate.karp_sipser_hard``, where one guess sets off a long chain and the next had better wait
for its end, they lose 10 % on average, and 16 % at worst.

Random order here means blocks of neighbouring rows in random order, up to 256 of them in a block
when there are many: a large graph is then read three to five times as fast as row by row.

Work O(n + nnz), shared out. Memory: two places for every vertex, besides the transpose.

Vertices are numbered through: row x is x, column y is n_rows + y.

- ``row_match[x]``, ``col_match[y]``: the mate, or FREE. While a thread tries to match x, it is
  TAKEN; never when no kernel runs.
- ``degree[v]``: number of edges from v to vertices that are not matched, while v is not matched.
- ``below[v]``: each thread has a stack of vertices whose degree came down to one, and ``below[v]``
  is the one under v. It is lowered to one by one thread only, so v is on one stack at most, and
  the stacks need no more room than this.
- ``desk[t]``: what thread t is at, kept from call to call: the top of its stack (−1: empty), the
  items it has taken but not done, edges added.

Races, on several threads, and why they do no harm
    - An edge is claimed by compare-and-swap, first its row (FREE → TAKEN), then its column (FREE →
      x). If the column is lost the row is FREE again. Nobody waits, so there is no deadlock; both
      ends were FREE and change once, so the result is a matching.
    - Whoever meets a TAKEN row passes it over, though it may become FREE again. What is missed in
      this way is found by a last sweep: every row that is FREE tries its columns. There a row is
      tried by one thread, so none is TAKEN, and a column seen matched stays so: maximal.
    - Degrees fall by atomic decrements, each matched vertex counted once, so they are right once
      all are done. Read too early, one is too high: a vertex of degree one is found later, by the
      thread that lowers it. One that reads 1 while its last neighbour is being matched finds none.

Reference: A. Azad, M. Halappanavar, S. Rajamanickam, E. G. Boman, A. Khan, A. Pothen,
"Multithreaded algorithms for maximum matching in bipartite graphs", IPDPS 2012. (There only rows
follow the rule of degree one.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import compare_and_swap, fetch_add, helper, kernel, next_chunk, share_out
from ...compile.random import draw, key_of, wrapping
from ...compile.tuning import CHUNK, EDGES_PER_CALL, LARGEST_BLOCK, RANDOM_BLOCKS, SERIAL
from ...graphs.graph import unsigned
from ...results.run import Run

FREE, TAKEN = -1, -2

# Entries of `state`: the step, its next item to hand out, how many items, rows in a block.
STEP, CURSOR, ITEMS, BLOCK = range(4)
TOP, NEXT, LAST, MATCHED = 0, 1, 2, 3  # entries of a desk; a cache line wide, so none is shared
DESK = 8

COUNT, ONES, REST, SWEEP = range(4)  # the steps


class Arrays(NamedTuple):
    """What all steps work on; the names are explained above."""

    indptr: Any
    indices: Any
    t_indptr: Any
    t_indices: Any
    row_match: Any
    col_match: Any
    degree: Any
    below: Any
    blocks: Any
    desk: Any
    state: Any


@wrapping
def p_karp_sipser(run: Run) -> None:
    """Extend the matching by the degree-one rule and random choices, on all threads."""
    graph, transpose = run.graph, run.transpose()
    n_rows, n_vertices = graph.n_rows, graph.n_rows + graph.n_cols
    index = np.promote_types(graph.indices.dtype, np.min_scalar_type(-n_vertices - 1))
    block = min(max(n_rows // RANDOM_BLOCKS, 1), LARGEST_BLOCK)
    rng = np.random.default_rng(run.seed)
    a = Arrays(
        indptr=unsigned(graph.indptr),
        indices=unsigned(graph.indices),
        t_indptr=unsigned(transpose.indptr),
        t_indices=unsigned(transpose.indices),
        row_match=run.row_match,
        col_match=run.col_match,
        degree=np.empty(n_vertices, index),
        below=np.empty(n_vertices, index),
        blocks=rng.permutation(-(-n_rows // block)),
        desk=np.zeros((run.threads, DESK), np.int64),
        state=np.array([0, 0, 0, block]),
    )
    a.desk[:, TOP] = -1
    key = key_of(run.seed, 0)
    steps = [(ONES, n_vertices), (REST, a.blocks.size * block)]
    if run.cardinality > 0:
        steps.insert(0, (COUNT, n_vertices))
    else:
        a.degree[:n_rows], a.degree[n_rows:] = graph.row_degrees, transpose.row_degrees
    if run.threads > 1:  # alone, nothing is missed
        steps.append((SWEEP, n_rows))
    for step, items in steps:
        threads = run.threads if items >= SERIAL else 1
        a.state[STEP], a.state[CURSOR], a.state[ITEMS] = step, 0, items
        while unfinished(a):
            before = a.desk[:, MATCHED].sum()
            do_step(threads, a, key, EDGES_PER_CALL)
            run.cardinality += int(a.desk[:, MATCHED].sum() - before)
            run.pause()


def unfinished(a: Arrays) -> bool:
    """Tell whether a step has items left, or a thread has."""
    at_a_desk = (a.desk[:, TOP] >= 0) | (a.desk[:, NEXT] < a.desk[:, LAST])
    return bool(a.state[CURSOR] < a.state[ITEMS] or at_a_desk.any())


@share_out
def do_step(t: int, shared: bool, a: Any, key: Any, budget: int) -> None:
    """Thread t's share of ``state[STEP]``, until it has read some `budget` edges."""
    step = a.state[STEP]
    if step == COUNT:
        count_degrees(a, t, shared, budget)
    elif step == SWEEP:
        sweep(a, t, shared, budget)
    else:
        match_by_degree(a, t, shared, key, budget)


@kernel
def count_degrees(a: Any, t: int, shared: bool, budget: int) -> None:
    """Thread t's share of counting the free neighbours of every vertex."""
    indptr, indices, t_indptr, t_indices = a.indptr, a.indices, a.t_indptr, a.t_indices
    row_match, col_match, degree, state = a.row_match, a.col_match, a.degree, a.state
    n_rows = np.int64(row_match.size)
    v, last = a.desk[t, NEXT], a.desk[t, LAST]
    while budget > 0:
        if v == last:
            v, last = next_chunk(state, CURSOR, state[ITEMS], CHUNK, shared)
            if v == last:
                break
        if v < n_rows:
            degree[v] = free_neighbours(indptr, indices, v, col_match)
        else:
            degree[v] = free_neighbours(t_indptr, t_indices, v - n_rows, row_match)
        budget -= 1 + degree[v]
        v += 1
    a.desk[t, NEXT], a.desk[t, LAST] = v, last


@helper
def free_neighbours(indptr: Any, indices: Any, v: int, other_match: Any) -> int:
    """Count the edges from v to free vertices."""
    count = 0
    for k in range(indptr[v], indptr[v + 1]):
        if other_match[indices[k]] < 0:
            count += 1
    return count


@kernel
def match_by_degree(a: Any, t: int, shared: bool, key: Any, budget: int) -> None:
    """Thread t's share of matching: its stack first, then the next item.

    Items are all vertices in step ONES, of which those of degree one count, and rows in random
    order in step REST.
    """
    indptr, indices, t_indptr, t_indices = a.indptr, a.indices, a.t_indptr, a.t_indices
    row_match, col_match, degree, below = a.row_match, a.col_match, a.degree, a.below
    blocks, state = a.blocks, a.state
    n_rows = np.int64(row_match.size)
    only_ones, block = state[STEP] == ONES, state[BLOCK]
    top, i, last = a.desk[t, TOP], a.desk[t, NEXT], a.desk[t, LAST]
    matched = 0
    while budget > 0:
        budget -= 1
        skip = np.uint64(0)  # neighbours to pass over before the search for a free one
        if top >= 0:
            v = top
            top = np.int64(below[v])
        else:
            if i == last:
                i, last = next_chunk(state, CURSOR, state[ITEMS], CHUNK, shared)
                if i == last:
                    break
            if only_ones:
                v = i
                i += 1
                if degree[v] != 1:
                    continue
            else:
                v = blocks[i // block] * block + i % block
                i += 1
                if v >= n_rows:
                    continue
                skip = draw(key, v)
        if degree[v] <= 0:
            continue
        if v < n_rows:
            x = v
            if row_match[x] != FREE:
                continue
            y = claim_col(indptr, indices, x, row_match, col_match, skip, shared)
        else:
            y = v - n_rows
            if col_match[y] != FREE:
                continue
            x = claim_row(t_indptr, t_indices, y, row_match, col_match, shared)
        if x < 0 or y < 0:
            continue
        matched += 1
        top = lower(t_indptr, t_indices, y, row_match, np.int64(0), degree, below, top, shared)
        top = lower(indptr, indices, x, col_match, n_rows, degree, below, top, shared)
        budget -= np.int64(indptr[x + 1] - indptr[x]) + np.int64(t_indptr[y + 1] - t_indptr[y])
    a.desk[t, TOP], a.desk[t, NEXT], a.desk[t, LAST] = top, i, last
    a.desk[t, MATCHED] += matched


@helper
def claim_col(
    indptr: Any, indices: Any, x: int, row_match: Any, col_match: Any, skip: Any, shared: bool
) -> int:
    """Match x to the first free column from its neighbour number `skip` on, round about.

    Returns the column, or −1.
    """
    first = np.int64(indptr[x])
    after = np.int64(indptr[x + 1])
    k = first + np.int64(skip % np.uint64(after - first))
    for _ in range(first, after):
        y = np.int64(indices[k])
        if col_match[y] == FREE and claim_edge(row_match, col_match, x, y, shared):
            return y  # type: ignore[return-value]
        k += 1
        if k == after:
            k = first
    return -1


@helper
def claim_row(
    t_indptr: Any, t_indices: Any, y: int, row_match: Any, col_match: Any, shared: bool
) -> int:
    """Match y to its first free row; return it, or −1."""
    for k in range(t_indptr[y], t_indptr[y + 1]):
        x = np.int64(t_indices[k])
        if row_match[x] == FREE and claim_edge(row_match, col_match, x, y, shared):
            return x  # type: ignore[return-value]
    return -1


@helper
def claim_edge(row_match: Any, col_match: Any, x: int, y: int, shared: bool) -> bool:
    """Match x and y, both just seen FREE; tell whether both still were."""
    if shared:
        if not compare_and_swap(row_match, x, FREE, TAKEN):
            return False
        if not compare_and_swap(col_match, y, FREE, x):
            row_match[x] = FREE
            return False
    else:
        col_match[y] = x
    row_match[x] = y
    return True


@helper
def lower(
    indptr: Any,
    indices: Any,
    v: int,
    other_match: Any,
    offset: int,
    degree: Any,
    below: Any,
    top: int,
    shared: bool,
) -> int:
    """Take v from its neighbours that are not matched; stack those left with one; return the top.

    The other side's vertices are numbered from `offset` on.
    """
    for k in range(indptr[v], indptr[v + 1]):
        u = np.int64(indices[k])
        if other_match[u] < 0:
            u += offset
            if shared:
                before = np.int64(fetch_add(degree, u, -1))
            else:
                before = np.int64(degree[u])
                degree[u] = before - 1
            if before == 2:
                below[u] = top
                top = u
    return top


@kernel
def sweep(a: Any, t: int, shared: bool, budget: int) -> None:
    """Thread t's share of the last sweep: rows that are still free take their first free column."""
    indptr, indices, row_match, col_match = a.indptr, a.indices, a.row_match, a.col_match
    x, last = a.desk[t, NEXT], a.desk[t, LAST]
    matched = 0
    while budget > 0:
        if x == last:
            x, last = next_chunk(a.state, CURSOR, a.state[ITEMS], CHUNK, shared)
            if x == last:
                break
        budget -= 1
        if row_match[x] == FREE and a.degree[x] > 0:
            budget -= np.int64(indptr[x + 1] - indptr[x])
            if claim_col(indptr, indices, x, row_match, col_match, np.uint64(0), shared) >= 0:
                matched += 1
        x += 1
    a.desk[t, NEXT], a.desk[t, LAST] = x, last
    a.desk[t, MATCHED] += matched
