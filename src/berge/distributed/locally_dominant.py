"""Locally dominant edges over parts: who points at each other is matched.

As in `berge.methods.greedy.locally_dominant`: every free vertex points at its heaviest free
neighbour, of equal ones the lowest; two that point at each other are matched, and those that
pointed at either of them point anew. Within a part that goes on to the end before each exchange,
which carries

- *requests* (w, v): vertex v points at w of your part,
- *gone* (v): vertex v, which you have as a ghost, is matched.

A vertex that points at another does so until that one is gone. So where two vertices of different
parts point at each other, the owner of each sees it by itself, and no answer is needed. The edges
have a total order, by weight and then by their ends, so there always is a dominant one. The result
is that of the greedy algorithm by decreasing weight, on any number of parts.

Work O(n + m) for random weights, O(Δ·m) at worst. Memory besides the part and its halo: 17 bytes a
vertex with 32-bit indices, 5 a ghost. Exchanges: as many as dependent edges cross between parts.

- ``candidate[v]``: local number of the vertex or ghost that v points at; NOBODY, or LOOKING:
  stacked.
- ``points_at[g]``: the vertex of this part that ghost g was last heard to point at, or NOBODY.
- ``gone[v]``: whether a vertex or ghost is matched.

Reference: F. Manne, R. H. Bisseling, "A parallel approximation algorithm for the weighted maximum
matching problem", PPAM 2007.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compile import helper, kernel
from ..graphs.graph import index_type
from .communicator import Array
from .halo import Halo
from .lists import drain, find, push
from .messages import count, deliver
from .part_run import PartRun

NOBODY, LOOKING = -1, -2
STACKED, ASKED, MATCHED = range(3)  # entries of `state`: sizes of lists


class Arrays(NamedTuple):
    """What the kernels work on; the names are explained above."""

    graph: Any  # a `LocalGraph`
    weights: Any
    mate: Any
    candidate: Any
    points_at: Any
    gone: Any
    stack: Any
    asked: Any  # vertices that point at a ghost since the last exchange
    is_asked: Any
    matched: Any  # vertices matched since the last exchange
    first: Any  # the part's first vertex
    state: Any


def locally_dominant(halo: Halo, run: PartRun, weights: Any, mate: Array) -> None:
    """Match until no two free vertices are neighbours, or all parts stop."""
    n, n_ghosts = halo.n_own, halo.ghosts.size
    index = index_type(n + n_ghosts)
    a = Arrays(
        halo.graph,
        weights,
        mate,
        candidate=np.full(n, LOOKING, index),
        points_at=np.full(n_ghosts, NOBODY, index),
        gone=np.zeros(n + n_ghosts, np.uint8),
        stack=np.arange(n, dtype=index),
        asked=np.empty(n, index),
        is_asked=np.zeros(n, np.uint8),
        matched=np.empty(n, index),
        first=np.int64(halo.part.rows.start),
        state=np.array([n, 0, 0], np.int64),
    )
    matched = 0
    while True:
        dominate(a)
        asked = drain(a.asked, a.state, ASKED)
        a.is_asked[asked] = 0
        asked = asked[a.candidate[asked] >= n]  # some have turned to their own part since
        gone = drain(a.matched, a.state, MATCHED)
        matched += gone.size
        messages = [
            halo.to_owners(a.candidate[asked].astype(np.int64) - n, asked + a.first),
            halo.to_holders(gone),
        ]
        kinds, notes, pending = deliver(run, messages, [run.wish, matched], count(messages))
        stopping = run.end_round(notes, halo.part.n_rows)
        receive(a, *(np.concatenate(kind) for kind in kinds))  # both ends of a pair know it then
        if stopping or not pending:
            return


@kernel
def dominate(a: Any) -> None:
    """Let stacked vertices point, and match, until the stack is empty."""
    state, candidate, gone, n = a.state, a.candidate, a.gone, a.candidate.size
    while state[STACKED] > 0:
        state[STACKED] -= 1
        v = np.int64(a.stack[state[STACKED]])
        if gone[v] != 0:
            continue
        w = heaviest(a, v)
        candidate[v] = w
        if w < 0:
            continue
        if w < n:
            if candidate[w] == v:
                a.mate[v], a.mate[w] = w + a.first, v + a.first
                gone[w] = 1
                leave(a, v, True)
                leave(a, w, True)
            continue
        if a.is_asked[v] == 0:
            a.is_asked[v] = 1
            push(a.asked, state, ASKED, v)
        if a.points_at[w - n] == v:
            wed_ghost(a, v, w)


@helper
def heaviest(a: Any, v: int) -> Any:
    """Return the heaviest free neighbour, of equal ones the lowest; NOBODY if there is none."""
    indptr, indices, weights, gone = a.graph.indptr, a.graph.indices, a.weights, a.gone
    best, weight = np.int64(NOBODY), -1.0
    for k in range(indptr[v], indptr[v + 1]):
        if weights[k] > weight and gone[indices[k]] == 0:
            best, weight = np.int64(indices[k]), weights[k]
    return best


@helper
def wed_ghost(a: Any, v: int, w: int) -> None:
    """Match a vertex of this part to a ghost."""
    a.mate[v] = a.graph.ghosts[w - a.candidate.size]
    leave(a, v, True)
    leave(a, w, False)


@helper
def leave(a: Any, v: int, own: bool) -> None:
    """Take a vertex or ghost away from those of this part that point at it."""
    t_indptr, t_indices, state = a.graph.t_indptr, a.graph.t_indices, a.state
    a.gone[v] = 1
    if own:
        push(a.matched, state, MATCHED, v)
    for k in range(t_indptr[v], t_indptr[v + 1]):
        u = t_indices[k]
        if a.candidate[u] == v and a.gone[u] == 0:
            a.candidate[u] = LOOKING
            push(a.stack, state, STACKED, u)


@kernel
def receive(a: Any, requests: Any, gone: Any) -> None:
    """Do what the messages of other parts say."""
    n = a.candidate.size
    for i in range(0, requests.size, 2):
        v = requests[i] - a.first
        w = find(a.graph.ghosts, requests[i + 1]) + n
        a.points_at[w - n] = v
        if a.candidate[v] == w and a.gone[v] == 0:
            wed_ghost(a, v, w)
    for i in range(gone.size):
        w = find(a.graph.ghosts, gone[i]) + n
        if a.gone[w] == 0:
            leave(a, w, False)
