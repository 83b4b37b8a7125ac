"""The Karp–Sipser start: match vertices of degree one first, random ones only when none is left.

A vertex whose only free neighbour is v can be matched to v without loss: some maximum matching has
that edge. Matching removes both ends, which makes new vertices of degree one, and so on. Only when
there are none is a row taken in random order and matched to a random free neighbour. Every loss is
due to these random choices; on sparse random graphs almost nothing is lost.

``p-karp-sipser`` does this on several threads, each of which goes by what it sees. First the
threads share out the vertices that have degree one to begin with, then the rows in random order;
after every edge a thread goes on with the vertices that this edge has left with degree one, before
it takes a new one. So a thread may guess while another has vertices of degree one left, which
``karp-sipser`` never does.

The loss is small: on 40 random graphs of each of nine kinds (those of ``test_starts.py``)
2, 3 and 4 threads never were more than 0.4 % below ``karp-sipser``, and on average equal to it. On
``generate.karp_sipser_hard``, where one guess sets off a long chain and the next had better wait
for its end, they lose 10 % on average, and 16 % at worst.

Random order in ``p-karp-sipser`` means blocks of neighbouring rows in random order, up to 256 of
them in a block when there are many: a large graph is then read three to five times as fast as row
by row.

Work O(n + nnz), shared out. Memory: two places for every vertex, an order of the blocks, and the
transpose.

Vertices are numbered through: row x is x, column y is n_rows + y.

- ``match``: the mate, or FREE. While a thread tries to match a vertex, that is TAKEN; never when no
  kernel runs.
- ``degree[v]``: number of edges from v to vertices that are not matched, while v is not matched.
- ``below[v]``: each thread has a stack of vertices whose degree came down to one, and ``below[v]``
  is the one under v. It is lowered to one by one thread only, so v is on one stack at most, and
  the stacks need no more room than this.
- ``desk[t]``: what thread t is at, kept from call to call: the top of its stack (−1: empty), the
  items it has taken but not done, edges added.

Races, on several threads, and why they do no harm
    - An edge is claimed by compare-and-swap, first the end that looks for a mate (FREE → TAKEN),
      then the other (FREE → its mate). If that is lost the first is FREE again. Nobody waits, so
      there is no deadlock; both ends were FREE and change once, so the result is a matching.
    - Whoever meets a TAKEN vertex passes it over, though it may become FREE again. What is missed
      in this way is found by a last sweep: every row that is FREE tries its columns. There only
      rows try, each by one thread, so no column is TAKEN, and one seen matched stays so: maximal.
    - Degrees fall by atomic decrements, each matched vertex counted once, so they are right once
      all are done. Read too early, one is too high: a vertex of degree one is found later, by the
      thread that lowers it. One that reads 1 while its last neighbour is being matched finds none.

References: R. M. Karp, M. Sipser, "Maximum matching in sparse random graphs", FOCS 1981; A. Azad,
M. Halappanavar, S. Rajamanickam, E. G. Boman, A. Khan, A. Pothen, "Multithreaded algorithms for
maximum matching in bipartite graphs", IPDPS 2012. There only rows follow the rule of degree one;
so they do here with ``rows_only``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import compare_and_swap, fetch_add, helper, next_chunk, share_out
from ...compile.random import draw, key_of, wrapping
from ...results.run import Run
from ...tuning import CHUNK, EDGES_PER_CALL, LARGEST_BLOCK, RANDOM_BLOCKS, SERIAL
from ..sides import both_sides, free_degrees

FREE, TAKEN = -1, -2

# Entries of `state`: the step, its next item to hand out, how many items, rows in a block (as a
# power of two), whether only rows follow the rule of degree one.
STEP, CURSOR, ITEMS, BITS, ROWS_ONLY = range(5)
TOP, NEXT, LAST, MATCHED = 0, 1, 2, 3  # entries of a desk; a cache line wide, so none is shared
DESK = 8

# The steps. Their items are all vertices, of which those of degree one count; rows in random order;
# rows that are still free, which take their first free column.
ONES, REST, SWEEP = range(3)


class Arrays(NamedTuple):
    """What all steps work on, besides the two sides; the names are explained above."""

    degree: Any
    below: Any
    blocks: Any
    desk: Any
    state: Any


def karp_sipser(run: Run, *, rows_only: bool = False) -> None:
    """Extend the matching by the degree-one rule and random choices."""
    match_all(run, 1, 0, rows_only)


def p_karp_sipser(run: Run, *, rows_only: bool = False) -> None:
    """Extend the matching by the degree-one rule and random choices, on all threads."""
    block = min(max(run.graph.n_rows // RANDOM_BLOCKS, 1), LARGEST_BLOCK)
    match_all(run, run.threads, block.bit_length() - 1, rows_only)


@wrapping
def match_all(run: Run, most: int, bits: int, rows_only: bool) -> None:
    """Do all steps, on so many threads at most, with 2**bits rows in a block."""
    n_rows, (rows, cols) = run.graph.n_rows, both_sides(run)
    degree = free_degrees(run, rows, cols)
    a = Arrays(
        degree=degree,
        below=np.empty_like(degree),
        blocks=np.random.default_rng(run.seed).permutation(-(-n_rows >> bits)),
        desk=np.zeros((most, DESK), np.int64),
        state=np.array([0, 0, 0, bits, rows_only]),
    )
    a.desk[:, TOP] = -1
    key = key_of(run.seed, 0)
    steps = [(ONES, n_rows if rows_only else degree.size), (REST, a.blocks.size << bits)]
    if most > 1:  # alone, nothing is missed
        steps.append((SWEEP, n_rows))
    for step, items in steps:
        threads = most if items >= SERIAL else 1
        a.state[STEP], a.state[CURSOR], a.state[ITEMS] = step, 0, items
        while unfinished(a):
            before = a.desk[:, MATCHED].sum()
            match_share(threads, rows, cols, a, key, EDGES_PER_CALL)
            run.cardinality += int(a.desk[:, MATCHED].sum() - before)
            run.pause()


def unfinished(a: Arrays) -> bool:
    """Tell whether a step has items left, or a thread has."""
    at_a_desk = (a.desk[:, TOP] >= 0) | (a.desk[:, NEXT] < a.desk[:, LAST])
    return bool(a.state[CURSOR] < a.state[ITEMS] or at_a_desk.any())


@share_out
def match_share(t: int, shared: bool, rows: Any, cols: Any, a: Any, key: Any, budget: int) -> None:
    """Thread t's share of ``state[STEP]``, until it has read some `budget` edges.

    What is on its stack comes first, then the next item.
    """
    degree, below, blocks, state = a.degree, a.below, a.blocks, a.state
    n_rows = np.int64(rows.match.size)
    step, bits = state[STEP], state[BITS]
    top, i, last = a.desk[t, TOP], a.desk[t, NEXT], a.desk[t, LAST]
    matched = 0
    while budget > 0:
        budget -= 1
        skip = np.int64(0)  # free neighbours to pass over
        if top >= 0:
            v = top
            top = np.int64(below[v])
        else:
            if i == last:
                i, last = next_chunk(state, CURSOR, state[ITEMS], CHUNK, shared)
                if i == last:
                    break
            v = i
            i += 1
            if step == ONES:
                if degree[v] != 1:
                    continue
            elif step == REST:
                v = (blocks[v >> bits] << bits) + (v & ((1 << bits) - 1))
                if v >= n_rows:
                    continue
                left = np.int64(degree[v])  # read once: it may come down to 0 meanwhile
                if left <= 0:
                    continue
                skip = np.int64(draw(key, v) % np.uint64(left))
        if degree[v] <= 0:
            continue
        if v < n_rows:
            x = v
            y = claim_neighbour(rows, cols, x, skip, shared)
        else:
            y = v - n_rows
            x = claim_neighbour(cols, rows, y, skip, shared)
        if x < 0 or y < 0:
            continue
        matched += 1
        if step != SWEEP:
            top = lower(a, cols, rows, np.int64(0), y, top, shared)
            if state[ROWS_ONLY] == 0:
                top = lower(a, rows, cols, n_rows, x, top, shared)
        budget -= np.int64(rows.indptr[x + 1] - rows.indptr[x])
        budget -= np.int64(cols.indptr[y + 1] - cols.indptr[y])
    a.desk[t, TOP], a.desk[t, NEXT], a.desk[t, LAST] = top, i, last
    a.desk[t, MATCHED] += matched


@helper
def claim_neighbour(side: Any, other: Any, v: int, skip: int, shared: bool) -> int:
    """Match v, if it is FREE, to such a neighbour, after `skip` others; return that, or −1."""
    if side.match[v] == FREE:
        for _ in range(2):  # those passed over come last
            for k in range(side.indptr[v], side.indptr[v + 1]):
                u = np.int64(side.indices[k])
                if other.match[u] == FREE:
                    if skip > 0:
                        skip -= 1
                    elif claim_edge(side.match, other.match, v, u, shared):
                        return u  # type: ignore[return-value]
            skip = 0
    return -1


@helper
def claim_edge(match: Any, other_match: Any, v: int, u: int, shared: bool) -> bool:
    """Match v and u, both just seen FREE; tell whether both still were."""
    if shared:
        if not compare_and_swap(match, v, FREE, TAKEN):
            return False
        if not compare_and_swap(other_match, u, FREE, v):
            match[v] = FREE
            return False
    else:
        other_match[u] = v
    match[v] = u
    return True


@helper
def lower(a: Any, side: Any, other: Any, offset: int, v: int, top: int, shared: bool) -> int:
    """Take v from its neighbours that are not matched; stack those left with one; return the top.

    The other side's vertices are numbered from `offset` on.
    """
    for k in range(side.indptr[v], side.indptr[v + 1]):
        u = np.int64(side.indices[k])
        if other.match[u] < 0:
            u += offset
            if shared:
                before = np.int64(fetch_add(a.degree, u, -1))
            else:
                before = np.int64(a.degree[u])
                a.degree[u] = before - 1
            if before == 2:
                a.below[u] = top
                top = u
    return top
