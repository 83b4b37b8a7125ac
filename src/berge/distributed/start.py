"""Starts over parts: proposals that are accepted or not, and the degree-one rule of Karp–Sipser.

Rows match themselves with columns of their own part at once. To a column of another part a row
*proposes*, and waits. The owner takes the first proposal to a free column, and tells all holders of
the column that it is *taken*. For rows that still wait for it, this is the answer no.

By the degree-one rule (see `berge.methods.starts.karp_sipser`), a vertex with one free neighbour is
matched to it, since some maximum matching has that edge. Each part exhausts the rule before an
exchange. Where the rule finds little, rows in random order choose a free neighbour at random. A
share of the rows does so every round, so that the rule gets to work in between. Degrees are exact
but for what is under way: owners are told how many edges a column has *lost* with rows matched
elsewhere, and holders are told of a column with one edge left that it is *single*.

The greedy start is the same without degrees.

Work O(n + nnz) over all parts; some 10 exchanges on meshes, 20 to 65 on random graphs. Memory
besides the part and its halo, while it runs: 21 bytes a vertex with 32-bit indices, 13 a ghost.

- ``taken[c]``: whether an own column or ghost is matched.
- ``row_degree``, ``col_degree``: edges to free vertices, in the whole graph.
- ``waiting[x]``: the ghost that row x has proposed to, or −1.
- ``stack``: vertices whose degree came down to one, rows as x, columns as ~c.
- ``line``: a ring of the rows that are still to choose, each at most once (``in_line``).

Reference: R. M. Karp, M. Sipser, "Maximum matching in sparse random graphs", FOCS 1981; A. Azad, A.
Buluç, "A matrix-algebraic formulation of distributed-memory maximal cardinality matching algorithms
in bipartite graphs", Parallel Computing 58, 2016.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compile import helper, kernel
from ..compile.random import draw, key_of
from ..graphs.graph import index_type
from ..tuning import EDGES_PER_CALL
from .communicator import Array
from .halo import Halo
from .lists import drain, find, push
from .messages import by_owner, count, deliver
from .part_run import PartRun

# Entries of `state`: size of the stack; first of the ring and how many are in it; rows that may
# choose this round; sizes of the lists to send; numbers drawn;
# vertices that the rule has dealt with.
STACKED, FIRST, LEFT, MAY, PROPOSED, TAKEN, ACCEPTED, LOST, SINGLE, DRAWN, RULED = range(11)

ROUNDS = 16  # to let all rows choose in
ROUNDS_LOCAL = 4  # where most edges are within parts
BUSY = 0.01  # of the rows dealt with by the rule in a round: none chooses in the next
LIMIT = 64  # rounds in all, and
LAST = 6  # of them in which all may choose


class Arrays(NamedTuple):
    """What the kernels work on; the names are explained above."""

    graph: Any  # a `LocalGraph`
    row_match: Any
    col_match: Any
    row_degree: Any
    col_degree: Any
    taken: Any
    waiting: Any
    stack: Any
    line: Any
    in_line: Any
    proposed: Any  # rows
    newly_taken: Any  # own columns
    accepted: Any  # own columns
    lost: Any  # ghosts
    lost_edges: Any  # how many, by ghost
    single: Any  # own columns
    bounds: Any  # first row, first column
    state: Any


def make_start(
    halo: Halo,
    run: PartRun,
    row_match: Array,
    col_match: Array,
    *,
    by_degree: bool,
    seed: int = 0,
    local: bool = False,
) -> None:
    """Extend a matching; by the degree-one rule, or greedily. Valid when it returns.

    `local` says that most edges are within parts: fewer rounds then.
    """
    part = halo.part
    rounds = 1 if run.size == 1 else ROUNDS_LOCAL if local else ROUNDS
    a = _arrays(halo, row_match, col_match, seed)
    state = a.state
    _degrees(a, halo, run)
    key = key_of(seed, run.rank)
    done, busy = 0, part.n_rows if by_degree else 0
    while True:
        last = done >= LIMIT
        share = rounds if done < LIMIT - LAST else 1
        state[MAY] = -(-a.row_match.size // share) if busy <= BUSY * part.n_rows else 0
        state[RULED] = 0
        with np.errstate(over="ignore"):  # random numbers wrap
            while not last and match_locally(a, key, by_degree, EDGES_PER_CALL):
                if run.wish:
                    break
        rows, accepted = drain(a.proposed, state, PROPOSED), drain(a.accepted, state, ACCEPTED)
        lost = drain(a.lost, state, LOST)
        pairs = np.column_stack([a.col_match[accepted], accepted + part.cols.start])
        messages = [
            halo.to_owners(a.waiting[rows].astype(np.int64), rows + part.rows.start),
            by_owner(part.row_bounds, pairs),
            halo.to_holders(drain(a.newly_taken, state, TAKEN)),
            halo.to_owners(lost, a.lost_edges[lost]),
            halo.to_holders(drain(a.single, state, SINGLE)),
        ]
        a.lost_edges[lost] = 0
        # What is lost or single matters only to those who may still choose.
        pending = count(messages[:2]) if last else count(messages) + int(state[LEFT])
        kinds, notes, pending = deliver(run, messages, [run.wish, state[RULED]], pending)
        if not pending:
            break
        busy = int(notes[:, 1].sum()) if done < LIMIT - LAST else 0
        done = LIMIT if run.heed(notes[:, 0]) else done + 1
        if done >= LIMIT:
            kinds[4] = [np.empty(0, np.int64)]  # nobody is to propose any more
        receive(a, by_degree, *(np.concatenate(kind) for kind in kinds))


def _arrays(halo: Halo, row_match: Array, col_match: Array, seed: int) -> Arrays:
    part = halo.part
    n_rows, n_own, n_ghosts = row_match.size, halo.n_own, halo.ghosts.size
    index = index_type(n_rows + n_own + n_ghosts)
    line = np.random.default_rng([seed, part.rank]).permutation(np.arange(n_rows, dtype=index))
    state = np.zeros(11, np.int64)
    state[LEFT] = n_rows
    return Arrays(
        graph=halo.graph,
        row_match=row_match,
        col_match=col_match,
        row_degree=np.empty(n_rows, index),
        col_degree=np.empty(n_own + n_ghosts, index),
        taken=np.concatenate([col_match >= 0, np.zeros(n_ghosts, np.bool_)]).view(np.uint8),
        waiting=np.full(n_rows, -1, index),
        stack=np.empty(n_rows + n_own, index),
        line=line,
        in_line=np.ones(n_rows, np.uint8),
        proposed=np.empty(n_rows, index),
        newly_taken=np.empty(n_own, index),
        accepted=np.empty(n_own, index),
        lost=np.empty(n_ghosts, index),
        lost_edges=np.zeros(n_ghosts, index),
        single=np.empty(n_own, index),
        bounds=np.array([part.rows.start, part.cols.start], np.int64),
        state=state,
    )


def _degrees(a: Arrays, halo: Halo, run: PartRun) -> None:
    """Learn which ghosts are taken, and how many free rows columns have. One exchange."""
    free_rows(a)
    messages = [
        halo.to_holders(np.flatnonzero(a.col_match >= 0)),
        halo.to_owners(np.arange(halo.ghosts.size), a.col_degree[halo.n_own :]),
    ]
    (taken, degrees), _, _ = deliver(run, messages)
    a.taken[halo.n_own + np.searchsorted(halo.ghosts, np.concatenate(taken))] = 1
    for degree in degrees:
        cols, counts = degree.reshape(-1, 2).T
        a.col_degree[cols - halo.part.cols.start] += counts.astype(a.col_degree.dtype)
    free_columns(a)


@kernel
def free_rows(a: Any) -> None:
    """Count the free rows of this part at each column and ghost."""
    t_indptr, t_indices = a.graph.t_indptr, a.graph.t_indices
    row_match, degree = a.row_match, a.col_degree
    for col in range(degree.size):
        count = 0
        for k in range(t_indptr[col], t_indptr[col + 1]):
            if row_match[t_indices[k]] < 0:
                count += 1
        degree[col] = count


@kernel
def free_columns(a: Any) -> None:
    """Count the free columns at each row, and stack vertices of degree one."""
    indptr, indices = a.graph.indptr, a.graph.indices
    taken, stack, state = a.taken, a.stack, a.state
    for x in range(a.row_match.size):
        count = 0
        for k in range(indptr[x], indptr[x + 1]):
            if taken[indices[k]] == 0:
                count += 1
        a.row_degree[x] = count
        if count == 1 and a.row_match[x] < 0:
            push(stack, state, STACKED, x)
    for col in range(a.col_match.size):
        if a.col_degree[col] == 1 and taken[col] == 0:
            push(stack, state, STACKED, ~col)


@kernel
def match_locally(a: Any, key: Any, by_degree: bool, budget: int) -> bool:
    """Exhaust the degree-one rule, and let rows choose while they may.

    Returns True if it comes back before that, after some `budget` edges.
    """
    stack, line, state = a.stack, a.line, a.state
    row_match, row_degree, waiting = a.row_match, a.row_degree, a.waiting
    while budget > 0:
        if by_degree and state[STACKED] > 0:
            state[STACKED] -= 1
            state[RULED] += 1
            v = np.int64(stack[state[STACKED]])
            if v < 0:
                budget -= np.int64(a.graph.t_indptr[~v + 1]) - np.int64(a.graph.t_indptr[~v])
                marry_column(a, ~v, by_degree)
                continue
            x, nth = v, np.int64(0)
            if row_match[x] >= 0 or waiting[x] >= 0 or row_degree[x] == 0:
                continue
        elif state[LEFT] > 0 and state[MAY] > 0:
            x = np.int64(line[state[FIRST]])
            state[FIRST] = (state[FIRST] + 1) % line.size
            state[LEFT] -= 1
            state[MAY] -= 1
            a.in_line[x] = 0
            if row_match[x] >= 0 or waiting[x] >= 0 or row_degree[x] == 0:
                continue
            state[DRAWN] += 1
            nth = np.int64(draw(key, state[DRAWN]) % np.uint64(row_degree[x]))
        else:
            return False
        budget -= np.int64(a.graph.indptr[x + 1]) - np.int64(a.graph.indptr[x])
        col = nth_free(a, x, nth)
        if col < 0:
            continue
        if col < a.col_match.size:
            marry(a, x, col, by_degree)
        else:
            waiting[x] = col - a.col_match.size
            push(a.proposed, state, PROPOSED, x)
    return True


@helper
def nth_free(a: Any, x: int, nth: int) -> Any:
    """Return free column or ghost number `nth` of row x, or the last there is; −1 if none."""
    indptr, indices, taken = a.graph.indptr, a.graph.indices, a.taken
    found = np.int64(-1)
    for k in range(indptr[x], indptr[x + 1]):
        if taken[indices[k]] == 0:
            found = np.int64(indices[k])
            if nth == 0:
                break
            nth -= 1
    return found


@helper
def marry_column(a: Any, col: int, by_degree: bool) -> None:
    """Match a column with one edge left to its row, if that is here; else tell its holders."""
    if a.taken[col] != 0 or a.col_degree[col] <= 0:
        return
    x = free_row(a, col)
    if x >= 0:
        marry(a, x, col, by_degree)
    else:
        push(a.single, a.state, SINGLE, col)


@helper
def free_row(a: Any, col: int) -> Any:
    """Return a free row of this part at a column or ghost, that does not wait; −1 if none."""
    t_indptr, t_indices = a.graph.t_indptr, a.graph.t_indices
    found = np.int64(-1)
    for k in range(t_indptr[col], t_indptr[col + 1]):
        x = t_indices[k]
        if a.row_match[x] < 0 and a.waiting[x] < 0:
            found = np.int64(x)
            break
    return found


@helper
def marry(a: Any, x: int, col: int, by_degree: bool) -> None:
    """Match a row and a column of this part."""
    a.row_match[x] = col + a.bounds[1]
    a.col_match[col] = x + a.bounds[0]
    push(a.newly_taken, a.state, TAKEN, col)
    a.taken[col] = 1
    if by_degree:
        lose_column(a, col)
        lose_row(a, x)


@helper
def lose_column(a: Any, col: int) -> None:
    """Take a column or ghost from its free rows."""
    t_indptr, t_indices = a.graph.t_indptr, a.graph.t_indices
    row_degree, state = a.row_degree, a.state
    for k in range(t_indptr[col], t_indptr[col + 1]):
        x = t_indices[k]
        row_degree[x] -= 1
        if row_degree[x] == 1 and a.row_match[x] < 0:
            push(a.stack, state, STACKED, x)


@helper
def lose_row(a: Any, x: int) -> None:
    """Take a row from its free columns, and note it for the owners of its ghosts."""
    indptr, indices, col_degree, state = a.graph.indptr, a.graph.indices, a.col_degree, a.state
    for k in range(indptr[x], indptr[x + 1]):
        col = indices[k]
        if a.taken[col] != 0:
            continue
        if col < a.col_match.size:
            col_degree[col] -= 1
            if col_degree[col] == 1:
                push(a.stack, state, STACKED, ~np.int64(col))
        else:
            ghost = np.int64(col) - a.col_match.size
            if a.lost_edges[ghost] == 0:
                push(a.lost, state, LOST, ghost)
            a.lost_edges[ghost] += 1


@kernel
def receive(
    a: Any, by_degree: bool, proposals: Any, accepted: Any, taken: Any, lost: Any, single: Any
) -> None:
    """Do what the messages of other parts ask for."""
    state, n_own = a.state, a.col_match.size
    first_row, first_col = a.bounds[0], a.bounds[1]
    for i in range(0, proposals.size, 2):
        col = proposals[i] - first_col
        if a.taken[col] == 0:
            a.taken[col] = 1
            a.col_match[col] = proposals[i + 1]
            push(a.accepted, state, ACCEPTED, col)
            push(a.newly_taken, state, TAKEN, col)
            if by_degree:
                lose_column(a, col)
    for i in range(0, accepted.size, 2):
        x = accepted[i] - first_row
        a.row_match[x] = accepted[i + 1]
        a.waiting[x] = -1
        if by_degree:
            lose_row(a, x)
    for i in range(taken.size):
        col = find(a.graph.ghosts, taken[i]) + n_own
        a.taken[col] = 1
        if by_degree:
            lose_column(a, col)
        for k in range(a.graph.t_indptr[col], a.graph.t_indptr[col + 1]):
            x = a.graph.t_indices[k]
            if a.waiting[x] == col - n_own:  # the answer is no
                a.waiting[x] = -1
                if a.in_line[x] != 0:
                    continue
                a.in_line[x] = 1
                a.line[(state[FIRST] + state[LEFT]) % a.line.size] = x
                state[LEFT] += 1
    for i in range(0, lost.size, 2):
        col = lost[i] - first_col
        before = np.int64(a.col_degree[col])
        a.col_degree[col] = before - lost[i + 1]
        if before > 1 and a.col_degree[col] == 1 and a.taken[col] == 0:
            push(a.stack, state, STACKED, ~col)
    for i in range(single.size):
        col = find(a.graph.ghosts, single[i]) + n_own
        if a.taken[col] == 0:
            x = free_row(a, col)
            if x >= 0:
                a.waiting[x] = col - n_own
                push(a.proposed, state, PROPOSED, x)
