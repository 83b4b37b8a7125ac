"""The checker of matchings in graphs that need not be bipartite. Plain Python and numpy.

Given are
  n    a whole number: vertices are 0 … n − 1
  E    `edges`, in pieces (u, v, weights): all edges {u[k], v[k]} of all pieces, in either order;
       each weighs weights[k], or 1 where weights are None
  m    `mate`: n whole numbers
Let M = {{v, m[v]} : m[v] ≠ −1}. `check_general` returns three things: |M|; its weight, where a pair
weighs as much as the heaviest edge in E with its ends; and whether M is maximal, that is
       ∀ {u, v} ∈ E:  u = v  or  m[u] ≠ −1  or  m[v] ≠ −1
It does so if all of this holds, and else raises:
  (1)  ∀ {u, v} ∈ E:  0 ≤ u, v < n,  and it weighs a finite number ≥ 0
  (2)  ∀ v:  m[v] = −1  or  (0 ≤ m[v] < n  and  m[m[v]] = v  and  m[v] ≠ v)
  (3)  ∀ v:  m[v] = −1  or  {v, m[v]} ∈ E

Why M is a matching of E: M ⊆ E by (3). No vertex is in two pairs: if v is in {w, m[w]}, then v = w
or v = m[w], and by (2) the pair is {v, m[v]} either way.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import ProofError
from .check import check_mates, copy_of, ends_of


def check_general(n: int, edges: Iterable[Any], mate: Any) -> tuple[int, float, bool]:
    """Return the number of pairs, their weight, and whether it is maximal, if (1) to (3) hold."""
    m = copy_of("mate", mate, "i")
    if m.size != n:
        raise ProofError(f"the matching is for {m.size} vertices, the graph has {n}")
    check_mates("vertex", "vertex", m, m)
    if (itself := m == np.arange(m.size)).any():
        raise ProofError(f"vertex {itself.argmax()} is matched to itself")
    weight = np.where(m == -1, 0.0, -1.0)  # of the edge to m[v]; −1 until there is one
    maximal = True
    for piece in edges:
        u = ends_of("vertex", piece[0], m.size)
        v = ends_of("vertex", piece[1], m.size, u.size)
        mates = m.take(u)
        pairs = np.flatnonzero(mates == v)
        w = np.ones(pairs.size)
        if piece[2] is not None:
            given = copy_of("weights", piece[2], "f", u.size)
            if not (given.min(initial=0.0) >= 0 and given.max(initial=0.0) < np.inf):
                raise ProofError("the weight of an edge is not a finite number ≥ 0")
            w = given[pairs]
        np.maximum.at(weight, u[pairs], w)
        np.maximum.at(weight, v[pairs], w)
        free = np.flatnonzero(mates == -1)
        free = free[m.take(v[free]) == -1]
        if (u[free] != v[free]).any():
            maximal = False
    if (missing := weight < 0).any():
        i = missing.argmax()
        raise ProofError(f"vertex {i} is matched to vertex {m[i]}, not a neighbour")
    return int((m >= 0).sum()) // 2, float(weight.sum()) / 2, maximal
