"""Starts by scaling: every vertex picks a neighbour at random, with well chosen probabilities.

The pattern of the matrix is scaled towards row and column sums of one (Sinkhorn–Knopp): entry
(x, y) becomes r[x] · c[y]. If every edge is in some perfect matching this converges, and entry
(x, y) then says how much of the whole the edge is worth; edges in no perfect matching go to zero.

- ``one-sided``: every row picks a column, entry by entry with its scaled value as probability; a
  column that several have picked keeps the first of them. At least 1 − 1/e ≈ 0.632 of a perfect
  matching is expected.
- ``two-sided``: columns pick rows in the same way. The graph of all picks has at most one cycle in
  a component, and Karp–Sipser finds its maximum matching in O(n). About 0.866 of a perfect matching
  is expected (a conjecture: 2 (1 − ρ) with ρ · e^ρ = 1).

Both numbers are for matrices in which every edge is in a perfect matching, and do not depend on
the order of rows and columns. What is left is filled by ``cheap``, since a start has to be maximal;
this is the only serial part. Of a matching passed in nothing changes: all is done on the free part.

Work O(iterations · nnz + n), shared out by rows and by columns. Memory: 12 bytes a vertex with
32-bit indices, for ``two-sided`` 16, besides the transpose.

Paper → here
    d_r[i], d_c[j]   ``scale``: r[x] and c[y]; 0 if the vertex is matched or has no free neighbour.
                     Others are kept from 10⁻¹⁰⁰ to 10¹⁰⁰: without a perfect matching they may grow
                     and shrink without end
    choice[u]        ``choice``: the neighbour that the vertex picked, or −1
    deg[u]           ``picks``: 1 for the vertex's own pick, and 1 for every unmatched vertex that
                     has picked it, its own pick left out
    match[u]         ``match``

Random numbers are hashes of seed and vertex, sums are added up in the order of the entries, and of
several rows the one with the lowest number wins: so ``one-sided`` has one result on any number of
threads. ``two-sided`` has one set of picks, and one number of edges before ``cheap``.

Races, on several threads, and why they do no harm
    - Scaling and picking: each vertex is written by one thread, and reads the other side only.
    - ``one-sided``: a column is lowered to the lowest row by compare-and-swap.
    - ``two-sided``: leaves of one side at a time claim their choices by compare-and-swap, so a
      leaf's own match is written by who claimed for it. That two threads are at one leaf happens;
      they claim the same vertex, and one gets it. On cycles no two columns choose the same row.

Reference: F. Dufossé, K. Kaya, B. Uçar, "Two approximation algorithms for bipartite matching on
multicore architectures", J. Parallel and Distributed Computing 85, 2015.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import compare_and_swap, fetch_add, helper, kernel, next_chunk, share_out
from ...compile.random import draw_unit, key_of, wrapping
from ...results.run import Run
from ...tuning import CHUNK, EDGES_PER_CALL, SERIAL
from ..sides import both_sides
from .cheap import cheap

FREE = -1
LEAST, MOST = 1e-100, 1e100  # scale factors

STEP, CURSOR = 0, 1  # entries of `state`: the step being done, and its next vertex to hand out

SCALE, PICK, COMPETE, SETTLE, COUNT, LEAVES, CYCLES = range(7)  # the steps


class Side(NamedTuple):
    """The rows or the columns; the names are explained above."""

    indptr: Any
    indices: Any
    match: Any
    scale: Any
    choice: Any
    picks: Any


def one_sided(run: Run, *, scaling_iterations: int = 5) -> None:
    """Extend the matching by rows that pick columns, then by first free columns."""
    one_sided_match(run, scaling_iterations)
    cheap(run)


def two_sided(run: Run, *, scaling_iterations: int = 5) -> None:
    """Extend the matching by rows and columns that pick each other, then by first free columns."""
    two_sided_match(run, scaling_iterations)
    cheap(run)


def one_sided_match(run: Run, scaling_iterations: int) -> None:
    """Extend the matching by rows that pick columns (Algorithm OneSidedMatch).

    Every column that has been picked is matched to the first row that picked it.
    """
    rows, cols = scaled_sides(run, scaling_iterations)
    do_steps(run, (PICK, rows, cols), (COMPETE, rows, cols), (SETTLE, cols, rows))


def two_sided_match(run: Run, scaling_iterations: int) -> tuple[Side, Side]:
    """Extend the matching by rows and columns that pick each other (Algorithm TwoSidedMatch).

    A maximum matching of the graph of picks is found by Algorithm KarpSipserMT. A vertex that
    nobody but its choice has picked is of degree one, and is matched to its choice. That goes on
    along the choices; when no such vertex is left, cycles are, on which every column takes its
    choice.
    """
    rows, cols = scaled_sides(run, scaling_iterations)
    do_steps(run, (PICK, rows, cols), (PICK, cols, rows))
    rows.picks[:], cols.picks[:] = rows.choice >= 0, cols.choice >= 0
    do_steps(
        run,
        (COUNT, rows, cols),
        (COUNT, cols, rows),
        (LEAVES, rows, cols),
        (LEAVES, cols, rows),
        (CYCLES, cols, rows),
    )
    return rows, cols


def scaled_sides(run: Run, iterations: int) -> tuple[Side, Side]:
    """Return rows and columns after so many iterations (Algorithm ScaleSK)."""
    rows, cols = (
        Side(
            *side,
            scale=(side.match < 0).astype(np.float64),
            choice=np.full_like(side.match, -1),
            picks=np.empty_like(side.match),
        )
        for side in both_sides(run)
    )
    do_steps(run, *[(SCALE, cols, rows), (SCALE, rows, cols)] * iterations)
    return rows, cols


@wrapping
def do_steps(run: Run, *steps: tuple[int, Side, Side]) -> None:
    """Do steps for one side or the other, in portions; picks are drawn from the side's own stream.

    Between portions the run may stop, unless the matching is half made.
    """
    for step, side, other in steps:
        state, key = np.array([step, 0]), key_of(run.seed, int(side.match is run.col_match))
        threads = run.threads if side.match.size >= SERIAL else 1
        while state[CURSOR] < side.match.size:
            do_step(threads, side, other, state, key, EDGES_PER_CALL)
            if step <= PICK:
                run.pause()
    run.cardinality = int(np.count_nonzero(run.row_match >= 0))
    run.pause()


@share_out
def do_step(t: int, shared: bool, side: Any, other: Any, state: Any, key: Any, budget: int) -> None:
    """One thread's share of ``state[STEP]`` for one side, until it has read some `budget` edges."""
    step, n = state[STEP], side.match.size
    v, last = next_chunk(state, CURSOR, n, CHUNK, True)
    while v < last:
        if step == SCALE:
            scale_chunk(side, other, v, last)
        elif step == PICK:
            pick_chunk(side, other, key, v, last)
        elif step == COMPETE:
            compete(side, other, v, last)
        elif step == SETTLE:
            settle(side, other, v, last)
        elif step == COUNT:
            count_picks(side, other, v, last)
        elif step == LEAVES:
            match_leaves(side, other, v, last)
        else:
            match_cycles(side, other, v, last)
        budget -= np.int64(side.indptr[last] - side.indptr[v])
        if budget <= 0:
            break
        v, last = next_chunk(state, CURSOR, n, CHUNK, True)


@kernel
def scale_chunk(side: Any, other: Any, begin: int, end: int) -> None:
    """Make the scaled entries of each vertex add up to one."""
    indptr, indices, scale, other_scale = side.indptr, side.indices, side.scale, other.scale
    for v in range(begin, end):
        if scale[v] > 0.0:
            total = entries(indptr, indices, v, other_scale)
            scale[v] = min(max(1.0 / total, LEAST), MOST) if total > 0.0 else 0.0


@helper
def entries(indptr: Any, indices: Any, v: int, other_scale: Any) -> float:
    """Add up the entries of v, without the factor of v itself."""
    total = 0.0
    for k in range(indptr[v], indptr[v + 1]):
        total += other_scale[indices[k]]
    return total


@kernel
def pick_chunk(side: Any, other: Any, key: Any, begin: int, end: int) -> None:
    """Let each vertex pick a neighbour, with its entries as probabilities."""
    indptr, indices, scale, choice = side.indptr, side.indices, side.scale, side.choice
    other_scale = other.scale
    for v in range(begin, end):
        if scale[v] == 0.0:
            continue
        left = draw_unit(key, v) * entries(indptr, indices, v, other_scale)
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            if other_scale[u] > 0.0:
                choice[v] = u  # the last one, should rounding leave anything over
                left -= other_scale[u]
                if left < 0.0:
                    break


@kernel
def compete(rows: Any, cols: Any, begin: int, end: int) -> None:
    """Give each column that rows have picked to the row with the lowest number."""
    choice, col_match = rows.choice, cols.match
    for x in range(begin, end):
        y = choice[x]
        while y >= 0:
            holder = col_match[y]
            if FREE < holder < x or compare_and_swap(col_match, y, holder, x):
                break


@kernel
def settle(cols: Any, rows: Any, begin: int, end: int) -> None:
    """Tell the rows that have got their column."""
    row_match, col_match = rows.match, cols.match
    for y in range(begin, end):
        x = col_match[y]
        if x >= 0:
            row_match[x] = y


@kernel
def count_picks(side: Any, other: Any, begin: int, end: int) -> None:
    """Count each vertex's pick at its choice, unless that has picked the vertex in turn."""
    choice, other_choice, other_picks = side.choice, other.choice, other.picks
    for v in range(begin, end):
        u = choice[v]
        if u >= 0 and other_choice[u] != v:
            fetch_add(other_picks, u, 1)


@kernel
def match_leaves(side: Any, other: Any, begin: int, end: int) -> None:
    """Match vertices of degree one to their choice, and go on along the choices."""
    match, choice, picks = side.match, side.choice, side.picks
    other_match, other_choice = other.match, other.choice
    for v in range(begin, end):
        leaf = np.int64(v)
        while picks[leaf] == 1 and match[leaf] == FREE:
            u = np.int64(choice[leaf])
            if not compare_and_swap(other_match, u, FREE, leaf):
                break
            match[leaf] = u
            # The choice of u loses one of its edges, perhaps its last but one.
            leaf = np.int64(other_choice[u])
            if match[leaf] != FREE or fetch_add(picks, leaf, -1) != 2:
                break


@kernel
def match_cycles(cols: Any, rows: Any, begin: int, end: int) -> None:
    """Match each column that is still free to its choice, if that is."""
    row_match, col_match, choice = rows.match, cols.match, cols.choice
    for y in range(begin, end):
        x = choice[y]
        if x >= 0 and col_match[y] == FREE and row_match[x] == FREE:
            row_match[x] = y
            col_match[y] = x
