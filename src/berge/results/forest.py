"""The forest of alternating trees from all unmatched vertices: what it reaches, and how.

A vertex is *outer* if an alternating path of even length leads to it from an unmatched vertex, else
*inner* if one of odd length does. Breadth-first search grows a tree from every unmatched vertex. An
edge between two outer vertices of one tree closes an odd cycle, a blossom: all its vertices are
outer, and from then on stand for one vertex, its base. An edge between outer vertices of two trees
ends an augmenting path.

If there is none, the matching is maximum. Then the inner vertices are the Tutte–Berge set, and each
blossom, or outer vertex in none, is an odd part of the rest. This is the Gallai–Edmonds
decomposition: D are the outer vertices, A the inner ones, C all others.

Work O((n + m) log n), about O(n + m) in practice. Memory four indices and a byte a vertex.

- ``kind[v]``: REST, INNER or OUTER.
- ``base[v]``, of outer vertices: leads to the base of v's blossom, where ``base[b] = b``. Paths are
  halved on the way.
- ``pred[w]``, of vertices that were reached as inner ones: the outer vertex from which.
- ``mark[b]``: number of the last blossom in search of whose base b was passed.
- ``queue``: the outer vertices, as they are reached; ``state`` says how much of it is done.

References: J. Edmonds, "Paths, trees, and flowers", Canad. J. Math. 17, 1965; H. N. Gabow, "An
efficient implementation of Edmonds' algorithm for maximum matching on graphs", J. ACM 23, 1976.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compile import helper, kernel
from ..graphs.graph import unsigned

REST, INNER, OUTER = 0, 1, 2
HEAD, TAIL, BLOSSOMS, FIRST_END, OTHER_END = range(5)
MORE, DONE, NOT_MAXIMUM = 0, 1, 2


class Forest(NamedTuple):
    """What the search works on; the names are explained above."""

    indptr: Any
    indices: Any
    mate: Any
    kind: Any
    base: Any
    pred: Any
    mark: Any
    queue: Any
    state: Any

    @classmethod
    def of(cls, graph: Any, mate: Any) -> Forest:
        """Return a forest of roots: the unmatched vertices."""
        n, index = graph.n_vertices, graph.indices.dtype
        mate = mate.astype(index, copy=False)
        roots = np.flatnonzero(mate < 0)
        kind, base, queue = np.zeros(n, np.uint8), np.arange(n, dtype=index), np.empty(n, index)
        kind[roots], queue[: roots.size] = OUTER, roots
        state = np.array([0, roots.size, 0, -1, -1])
        rows = unsigned(graph.indptr), unsigned(graph.indices)
        return cls(*rows, mate, kind, base, np.empty(n, index), np.zeros(n, index), queue, state)


@helper
def base_of(base: Any, v: int) -> int:
    """Return the base of the blossom of an outer vertex, and halve the way to it."""
    while base[v] != v:
        base[v] = base[base[v]]
        v = base[v]
    return v


@kernel
def grow(f: Forest, budget: int) -> int:
    """Search on, for some `budget` edges; tell whether there is more to do."""
    indptr, indices, mate, kind, base = f.indptr, f.indices, f.mate, f.kind, f.base
    pred, queue, state = f.pred, f.queue, f.state
    while state[HEAD] < state[TAIL]:
        if budget <= 0:
            return MORE
        v = queue[state[HEAD]]
        state[HEAD] += 1
        for k in range(indptr[v], indptr[v + 1]):
            budget -= 1
            w = indices[k]
            if kind[w] == REST:  # matched: unmatched vertices are roots
                kind[w] = INNER
                pred[w] = v
                u = mate[w]
                kind[u] = OUTER
                queue[state[TAIL]] = u
                state[TAIL] += 1
            elif kind[w] == OUTER:
                x, y = base_of(base, v), base_of(base, w)
                if x != y:
                    top = nearest_common_base(f, x, y)
                    if top < 0:
                        state[FIRST_END], state[OTHER_END] = v, w
                        return NOT_MAXIMUM
                    shrink(f, x, top)
                    shrink(f, y, top)
    return DONE


@helper
def nearest_common_base(f: Any, x: int, y: int) -> int:
    """Go up from two bases by turns, to where one comes that the other has been; −1 if nowhere.

    Both ways together are at most twice as long as the way that becomes a blossom.
    """
    f.state[BLOSSOMS] += 1
    number = f.state[BLOSSOMS]
    while True:
        if x >= 0:
            if f.mark[x] == number:
                return x
            f.mark[x] = number
            above = f.mate[x]
            x = base_of(f.base, f.pred[above]) if above >= 0 else above
        elif y < 0:
            return -1
        x, y = y, x


@helper
def shrink(f: Any, x: int, top: int) -> None:
    """Put all from base x up to the base `top` into its blossom; inner vertices become outer."""
    while x != top:
        w = f.mate[x]
        f.kind[w] = OUTER
        f.base[x] = f.base[w] = top
        f.queue[f.state[TAIL]] = w
        f.state[TAIL] += 1
        x = base_of(f.base, f.pred[w])
