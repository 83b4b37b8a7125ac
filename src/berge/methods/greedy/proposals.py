"""Algorithm 3: blue vertices propose to red neighbours, red ones respond, agreements are matched.

Every round colours the vertices that are left blue or red by a hash of their number (`colour`), so
that one seed gives one result on any number of threads and on any device. A blue vertex selects a
red neighbour and proposes to it; a red one selects among its proposals; where both agree they are
matched. A vertex with no blue or red neighbour is dead. The loop ends when all are matched or dead:
the matching is then maximal.

`select` is "the first available neighbour" (`proposals`) or the heaviest (`weighted_proposals`), of
equal ones the first. The vertices are put in random order first, with shuffled rows (`permute`), so
that the first is a random one.

With p ≈ 0.53406 the most vertices are matched in a round: in the first one of a large random graph
the fraction 2(1 − p)(1 − e^(−p/(1 − p))), see `first_round`.

Each of the paper's four loops is a per-item kernel. They go over ``left``, the vertices that are
neither matched nor dead, which is made anew after every round, in place of all of V; `done` is that
there are none. No races: a vertex writes its own entries only, and reads entries of others that
nobody writes at the time (σ of blue vertices while red ones respond).

Work O(n + m) a round, some log n rounds as a rule; memory besides the graph five indices a vertex.

Slips and changes
    - The loops go over the vertices that are left, not over all.

The paper's π(v) = blue, red, dead, min{v, w} → ``pi[v]`` = BLUE, RED, DEAD, w; σ(v) = ∞ → NOBODY.

Reference: B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
Facing the Multicore-Challenge II, 2012.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...compile import fetch_add
from ...compile.device import per_item
from ...compile.devices import open_device
from ...compile.scan import compact
from ...graphs.graph import unsigned
from ...results.greedy_run import GreedyRun
from .colour import is_blue, multiplier, threshold
from .permute import permuted

__all__ = ["first_round", "proposals", "weighted_proposals"]

BLUE, RED, DEAD = -1, -2, -3  # what pi has for vertices that are not matched
NOBODY = -1  # in sigma, besides DEAD


class Arrays(NamedTuple):
    """What the kernels work on, besides the list of vertices that are left."""

    indptr: Any
    indices: Any
    weights: Any  # none where the first neighbour will do
    pi: Any
    sigma: Any


def first_round(p: float) -> float:
    """Return the fraction of vertices that a large random graph has matched after one round.

    Examples
    --------
    >>> from berge.methods.greedy.proposals import first_round
    >>> round(first_round(0.53406), 4)
    0.6357
    """
    return 2 * (1 - p) * (1 - math.exp(-p / (1 - p)))


def proposals(run: GreedyRun, *, permute: bool = True, p: float = 0.53406) -> None:
    """Match by proposals to the first available neighbour."""
    _propose_and_respond(run, permute, p, heaviest=False)


def weighted_proposals(run: GreedyRun, *, permute: bool = True, p: float = 0.53406) -> None:
    """Match by proposals to the heaviest available neighbour."""
    _propose_and_respond(run, permute, p, heaviest=True)


def _propose_and_respond(run: GreedyRun, permute: bool, p: float, *, heaviest: bool) -> None:
    device, n, index = run.device, run.graph.n_vertices, run.mate.dtype
    graph, order = run.graph, np.arange(n)
    if permute:
        with run.timed("permute"):
            graph, order = permuted(graph, run.seed, open_device("cpu", run.threads))
    weights = np.zeros(0)
    if heaviest:
        weights = np.ones(graph.indices.size) if graph.weights is None else graph.weights
    run.require(graph.indptr, graph.indices, weights, per_vertex=5 * index.itemsize)
    a = Arrays(
        device.upload(unsigned(graph.indptr)),
        device.upload(unsigned(graph.indices)),
        device.upload(weights),
        pi=device.full(n, BLUE, index),
        sigma=device.full(n, NOBODY, index),
    )
    left, spare, places = (device.empty(n, index) for _ in range(3))
    dead = device.full(1, 0, np.int64)
    device.launch(number, n, left)
    limit, random = threshold(p), np.random.default_rng(run.seed)
    count = n
    try:
        while count > 0:
            device.launch(colour, count, a, left, multiplier(random), limit)
            device.launch(propose, count, a, left)
            device.launch(respond, count, a, left)
            device.launch(match, count, a, left, dead)
            count = compact(device, left, count, places, spare)
            left, spare = spare, left
            run.end_round(n - count - device.read(dead))
    finally:
        found = device.download(a.pi)
        matched = np.flatnonzero(found >= 0)
        run.mate[order[matched]] = order[found[matched]]


@per_item
def number(v: int, left: Any) -> None:
    """Put every vertex on the list of those left."""
    left[v] = v


@per_item
def colour(i: int, a: Any, left: Any, r: int, limit: int) -> None:
    """Assign a colour (lines 7–10)."""
    v = np.int64(left[i])
    a.pi[v] = BLUE if is_blue(v, r, limit) else RED


@per_item
def propose(i: int, a: Any, left: Any) -> None:
    """Blue vertices propose to red vertices (lines 12–19)."""
    indptr, indices, weights, pi, sigma = a.indptr, a.indices, a.weights, a.pi, a.sigma
    v = left[i]
    if pi[v] != BLUE:
        sigma[v] = NOBODY
        return
    choice, alive, heaviest = np.int64(NOBODY), False, -1.0
    for k in range(indptr[v], indptr[v + 1]):
        w = indices[k]
        if pi[w] == RED:
            if weights.size == 0:
                choice = np.int64(w)
                break
            if weights[k] > heaviest:
                choice, heaviest = np.int64(w), weights[k]
        elif pi[w] == BLUE:
            alive = True
    sigma[v] = choice if choice >= 0 or alive else DEAD


@per_item
def respond(i: int, a: Any, left: Any) -> None:
    """Red vertices respond to blue vertices (lines 21–26)."""
    indptr, indices, weights, pi, sigma = a.indptr, a.indices, a.weights, a.pi, a.sigma
    v = left[i]
    if pi[v] != RED:
        return
    choice, alive, heaviest = np.int64(NOBODY), False, -1.0
    for k in range(indptr[v], indptr[v + 1]):
        w = indices[k]
        if pi[w] == BLUE:
            alive = True
            if sigma[w] == v:
                if weights.size == 0:
                    choice = np.int64(w)
                    break
                if weights[k] > heaviest:
                    choice, heaviest = np.int64(w), weights[k]
        elif pi[w] == RED:
            alive = True
    sigma[v] = choice if alive else DEAD


@per_item
def match(i: int, a: Any, left: Any, dead: Any) -> None:
    """Match mutual proposals (lines 28–33), and take v off the list if it is settled."""
    pi, sigma = a.pi, a.sigma
    v = left[i]
    w = sigma[v]
    if w == DEAD:
        pi[v] = DEAD
        fetch_add(dead, 0, 1)
        left[i] = -1
    elif w != NOBODY and sigma[w] == v:
        pi[v] = w
        left[i] = -1
