"""The global paths algorithm (GPA): paths and even cycles of heavy edges, each matched best.

Edges are looked at by decreasing weight. One is applicable if it joins the ends of two different
paths, a vertex without edges being a path too, or closes a path of odd length to an even cycle; all
applicable edges are taken. Then the heaviest matching on every path and cycle is found by dynamic
programming: of the edges e₁ … eₖ of a path, ``best[i]`` = max(``best[i − 1]``, ``best[i − 2]`` +
w(eᵢ)); of a cycle, the better one of the paths without its first and without its last edge. Edges
whose ends both stay free make the graph of another round, until there are none: the matching is
then maximal.

It is at least half as heavy as any matching, like the greedy one, but in practice far nearer to it.

What is kept of a vertex is

- ``state[v]``: how many path edges v has, 0, 1 or 2; on an end of a path of odd length, ODD too;
- ``end[v]``: for an end of a path, the other end;
- ``link[2·v], link[2·v + 1]``, ``cost``: the neighbours of v on its path, and the edges' weights.

Growing and matching are done by one thread, the sort by all. Work O(n + m) a round; there are few
rounds, and each leaves fewer edges. Memory besides the
graph 32 bytes an edge and 50 a vertex.

Reference: J. Maue, P. Sanders, "Engineering algorithms for approximate weighted matching",
WEA 2007.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import helper, kernel
from ...results.greedy_run import GreedyRun
from .edges import edges_by_weight, ends, in_portions

ODD, DONE = 4, 8
COUNT = 3  # the bits of a state that count edges


def global_paths(run: GreedyRun) -> None:
    """Grow paths, match each best, and again on what is left."""
    n, index = run.graph.n_vertices, run.mate.dtype
    state, end = np.empty(n, np.uint8), np.empty(n, index)
    link, cost = np.empty(2 * n, index), np.empty(2 * n)
    path, path_cost, best = np.empty(n + 1, index), np.empty(n + 1), np.empty(n + 2)
    pairs, weights = edges_by_weight(run)
    while pairs.size > 0:
        state[:] = 0
        end[:] = np.arange(n)
        for some in in_portions(run, pairs):
            grow(pairs[some], weights[some], state, end, link, cost)
        match_paths(state, link, cost, path, path_cost, best, run.mate)
        run.end_round(int(np.count_nonzero(run.mate >= 0)))
        left = keep_free(pairs, weights, run.mate)
        pairs, weights = pairs[:left], weights[:left]


@kernel
def grow(pairs: Any, weights: Any, state: Any, end: Any, link: Any, cost: Any) -> None:
    """Take all applicable edges, in order."""
    for k in range(pairs.size):
        v, w = ends(pairs[k])
        v_state, w_state = state[v], state[w]
        if v_state & COUNT == 2 or w_state & COUNT == 2:
            continue
        a, b = end[v], end[w]
        if np.uint64(a) == w:
            if not v_state & ODD:
                continue  # an odd cycle, which has no perfect matching
        else:
            # The path from a to b is as long as both together and this edge.
            odd = (v_state ^ w_state ^ ODD) & ODD
            end[a], end[b] = b, a
            state[a] = state[a] & COUNT | odd
            state[b] = state[b] & COUNT | odd
        slot, other = v + v + np.uint64(state[v] & COUNT), w + w + np.uint64(state[w] & COUNT)
        link[slot], link[other] = w, v
        cost[slot] = cost[other] = weights[k]
        state[v] += 1
        state[w] += 1


@kernel
def match_paths(
    state: Any, link: Any, cost: Any, path: Any, path_cost: Any, best: Any, mate: Any
) -> None:
    """Match every path, beginning at its ends, then every cycle, beginning anywhere."""
    for wanted in (1, 2):
        for v in range(state.size):
            if state[v] & DONE or state[v] & COUNT != wanted:
                continue
            size = walk(v, state, link, cost, path, path_cost)
            if wanted == 1:
                weigh(path_cost, 0, size, best)
                take(path, path_cost, 0, size, best, mate)
            else:
                without_first = weigh(path_cost, 1, size, best)
                first = 0 if weigh(path_cost, 0, size - 1, best) >= without_first else 1
                weigh(path_cost, first, size - 1 + first, best)
                take(path, path_cost, first, size - 1 + first, best, mate)


@helper
def walk(start: int, state: Any, link: Any, cost: Any, path: Any, path_cost: Any) -> int:
    """Put a path's vertices into `path`, a cycle's first one twice; return its number of edges."""
    size = 0
    v = np.int64(start)
    before = np.int64(-1)
    path[0] = v
    while True:
        state[v] |= DONE
        slot = 2 * v
        if np.int64(link[slot]) == before:
            slot += 1
        if slot == 2 * v + np.int64(state[v] & COUNT):
            return size  # the other end: no second edge
        before, v = v, np.int64(link[slot])
        path_cost[size] = cost[slot]
        size += 1
        path[size] = v
        if v == start:
            return size


@helper
def weigh(path_cost: Any, first: int, last: int, best: Any) -> float:
    """Fill ``best[i + 1]`` with the heaviest matching of edges `first` to i; return the last."""
    before, now = 0.0, 0.0
    for i in range(first, last):
        before, now = now, max(now, before + path_cost[i])
        best[i + 1] = now
    return now


@helper
def take(path: Any, path_cost: Any, first: int, last: int, best: Any, mate: Any) -> None:
    """Match the edges of the heaviest matching, from the last one back."""
    i = last - 1
    while i >= first:
        before = best[i] if i > first else 0.0
        if path_cost[i] + (best[i - 1] if i > first + 1 else 0.0) >= before:
            v, w = path[i], path[i + 1]
            mate[v] = w
            mate[w] = v
            i -= 1
        i -= 1


@kernel
def keep_free(pairs: Any, weights: Any, mate: Any) -> int:
    """Keep the edges whose ends are both free, in place; return how many there are."""
    size = 0
    for k in range(pairs.size):
        v, w = ends(pairs[k])
        if mate[v] < 0 and mate[w] < 0:
            pairs[size] = pairs[k]
            weights[size] = weights[k]
            size += 1
    return size
