"""Algorithm 3 over parts: blue vertices propose to red neighbours, red ones respond.

As in `berge.methods.greedy.proposals`. The colour of a vertex in a round is a hash of its number,
so every part knows all colours. It is splitmix64 (`berge.compile.random`), not the paper's MD5. A
blue vertex selects a red neighbour: the heaviest, or, without weights, the first from a random
place in its row on. A red vertex selects the heaviest proposal, of
equal ones that of the lowest vertex. A round is two exchanges:

- *proposals* (w, v, weight) of blue v to red w, and who is *gone* since the last exchange;
- *agreements* (v, w), and *gone* (v): vertex v, which you have as a ghost, is matched.

A vertex without a free neighbour is dead. When all are matched or dead the matching is maximal.

Work O(n + m) a round, some log n rounds as a rule. Memory besides the part and its halo: 33 bytes a
vertex, 1 a ghost.

Reference: B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
Facing the Multicore-Challenge II, 2012.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compile import helper, kernel
from ..compile.random import draw, draw_unit, key_of
from ..graphs.graph import index_type
from .communicator import Array
from .halo import Halo
from .lists import drain, find, push
from .messages import by_owner, deliver
from .part_run import PartRun

LEFT, PROPOSED, MATCHED, AGREED = range(4)  # entries of `state`: sizes of lists


class Arrays(NamedTuple):
    """What the kernels work on."""

    graph: Any  # a `LocalGraph`
    weights: Any
    mate: Any
    gone: Any  # by local number: matched
    left: Any  # vertices that are neither matched nor dead
    selected: Any  # the ghost's local number that a vertex proposes to
    selected_weight: Any
    suitor: Any  # best proposal to a vertex, by global number, or −1
    suitor_weight: Any
    proposed: Any  # vertices that propose to a ghost
    matched: Any  # vertices matched since others were told
    agreed: Any  # vertices matched to one of another part
    first: Any
    state: Any


def proposals(
    halo: Halo,
    run: PartRun,
    weights: Any,
    mate: Array,
    *,
    heaviest: bool,
    p: float,
    seed: int,
) -> None:
    """Match until all are matched or dead, or all parts stop."""
    n, part = halo.n_own, halo.part
    index = index_type(n + halo.ghosts.size)
    a = Arrays(
        halo.graph,
        weights,
        mate,
        gone=np.zeros(n + halo.ghosts.size, np.uint8),
        left=np.arange(n, dtype=index),
        selected=np.empty(n, index),
        selected_weight=np.empty(n, np.float64),
        suitor=np.full(n, -1, np.int64),
        suitor_weight=np.empty(n, np.float64),
        proposed=np.empty(n, index),
        matched=np.empty(n, index),
        agreed=np.empty(n, index),
        first=np.int64(part.rows.start),
        state=np.array([n, 0, 0, 0], np.int64),
    )
    state, matched, rounds = a.state, 0, 0
    with np.errstate(over="ignore"):  # hashes wrap
        while True:
            propose(a, key_of(seed, rounds), float(p), heaviest)
            rows = drain(a.proposed, state, PROPOSED)
            wanted = a.selected[rows].astype(np.int64) - n
            values = a.selected_weight[rows].view(np.int64)
            gone = drain(a.matched, state, MATCHED)
            matched += gone.size
            messages = [halo.to_owners(wanted, rows + a.first, values), halo.to_holders(gone)]
            kinds, notes, left = deliver(run, messages, [run.wish, matched], int(state[LEFT]))
            stopping = rounds > 0 and run.end_round(notes, part.n_rows)
            if stopping or not left:
                return
            rounds += 1
            consider(a, *(np.concatenate(kind) for kind in kinds))
            respond(a)
            agreed = drain(a.agreed, state, AGREED)
            gone = drain(a.matched, state, MATCHED)
            matched += gone.size
            pairs = np.column_stack([a.mate[agreed], agreed + a.first])
            messages = [by_owner(part.row_bounds, pairs), halo.to_holders(gone)]
            accept(a, *(np.concatenate(kind) for kind in deliver(run, messages)[0]))


@kernel
def propose(a: Any, key: Any, p: float, heaviest: bool) -> None:
    """Let blue vertices select a red neighbour; drop who is matched or dead from the list."""
    indptr, indices, gone, state = a.graph.indptr, a.graph.indices, a.gone, a.state
    n = a.mate.size
    left = 0
    for i in range(state[LEFT]):
        v = np.int64(a.left[i])
        if gone[v] != 0:
            continue
        blue = draw_unit(key, v + a.first) < p
        alive = False
        best, weight = np.int64(-1), -1.0
        begin, size = np.int64(indptr[v]), np.int64(indptr[v + 1]) - np.int64(indptr[v])
        # From a random place on, and round to it again.
        turn = np.int64(0)
        if size > 0:
            turn = np.int64(draw(~key, v + a.first) % np.uint64(size))
        for j in range(size):
            k = begin + (turn + j) % size
            w = np.int64(indices[k])
            if gone[w] != 0:
                continue
            alive = True
            if not blue:
                break
            vertex = w + a.first if w < n else a.graph.ghosts[w - n]
            if draw_unit(key, vertex) >= p and (a.weights[k] if heaviest else 0.0) > weight:
                best, weight = w, a.weights[k] if heaviest else 0.0
                if not heaviest:
                    break
        if not alive:
            continue
        a.left[left] = v
        left += 1
        if best >= n:
            a.selected[v], a.selected_weight[v] = best, weight
            push(a.proposed, state, PROPOSED, v)
        elif best >= 0:
            court(a, best, v + a.first, weight)
    state[LEFT] = left


@helper
def court(a: Any, w: int, v: int, weight: float) -> None:
    """Keep the proposal of v, by global number, to w if it is the best so far."""
    if (
        a.suitor[w] < 0
        or weight > a.suitor_weight[w]
        or (weight == a.suitor_weight[w] and v < a.suitor[w])
    ):
        a.suitor[w], a.suitor_weight[w] = v, weight


@kernel
def consider(a: Any, received: Any, gone: Any) -> None:
    """Take in proposals of other parts."""
    weights = received.view(np.float64)
    for i in range(0, received.size, 3):
        w = received[i] - a.first
        if a.gone[w] == 0:
            court(a, w, received[i + 1], weights[i + 2])
    forget(a, gone)


@helper
def forget(a: Any, gone: Any) -> None:
    """Mark ghosts that are gone."""
    for i in range(gone.size):
        a.gone[find(a.graph.ghosts, gone[i]) + a.mate.size] = 1


@kernel
def respond(a: Any) -> None:
    """Match red vertices to the best of their suitors."""
    n = a.mate.size
    for i in range(a.state[LEFT]):
        w = np.int64(a.left[i])
        v = np.int64(a.suitor[w])
        if v < 0:
            continue
        a.suitor[w] = -1
        a.mate[w] = v
        withdraw(a, w)
        own = v - a.first
        if 0 <= own < n:
            a.mate[own] = w + a.first
            withdraw(a, own)
        else:
            push(a.agreed, a.state, AGREED, w)


@helper
def withdraw(a: Any, v: int) -> None:
    """Mark a vertex as matched, and list it for its holders."""
    a.gone[v] = 1
    push(a.matched, a.state, MATCHED, v)


@kernel
def accept(a: Any, agreements: Any, gone: Any) -> None:
    """Match blue vertices whose proposals were taken elsewhere."""
    for i in range(0, agreements.size, 2):
        v = agreements[i] - a.first
        a.mate[v] = agreements[i + 1]
        withdraw(a, v)
    forget(a, gone)
