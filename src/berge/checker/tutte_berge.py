"""The checker of maximum matchings in graphs that need not be bipartite. Plain Python and numpy.

Given are
  n    a whole number: vertices are 0 … n − 1
  E    `edges`, in pieces (u, v, weights): all edges {u[k], v[k]} of all pieces, in either order
  m    `mate`: n whole numbers
  c    `part`: n whole numbers; where there is a proof that M below is maximum
Let M = {{v, m[v]} : m[v] ≠ −1}, A = {v : c[v] = −1}, and Cᵢ = {v : c[v] = i} for i ≥ 0. A is the
Tutte–Berge set, and the Cᵢ are the parts into which the rest falls. `check_cardinality` returns |M|
if (1) to (3) of the checker `general` hold, so that M is a matching of E, and if, with a proof,
  (4)  ∀ v:  −1 ≤ c[v] < n
  (5)  ∀ {u, v} ∈ E:  u = v  or  u ∈ A  or  v ∈ A  or  c[u] = c[v]
  (6)  |A| + Σᵢ ⌊|Cᵢ| / 2⌋ = |M|

Why M is maximum. Let N ⊆ E be any matching. By (5) each of its edges has an end in A, or both ends
in one Cᵢ. No two share an end, so at most |A| are of the first kind, and at most ⌊|Cᵢ| / 2⌋ of the
second have their ends in Cᵢ. So |N| ≤ |M| by (6).

It is the theorem of Tutte and Berge: (6) says that n − 2 |M| vertices are unmatched, as many as
there are odd Cᵢ, less |A|. Each Cᵢ is a union of components of the graph without A, so there are at
least as many odd components as odd Cᵢ. Such a set exists for every maximum M (Berge 1958): what is
right can be proved. The odd Cᵢ with A are the odd-set cover of Edmonds (1965).

As in `check`, every array is copied once before it is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..errors import ProofError
from .check import copy_of, ends_of
from .general import check_general


def check_cardinality(n: int, edges: Iterable[Any], mate: Any, part: Any = None) -> int:
    """Return the number of pairs if (1) to (3) hold, with a proof also (4) to (6); else raise."""
    if part is None:
        return check_general(n, edges, mate)[0]
    c = copy_of("part", part, "i")
    if c.size != n:
        raise ProofError(f"the proof is for {c.size} vertices, the graph has {n}")
    if (wrong := (c < -1) | (c >= n)).any():
        raise ProofError(f"vertex {wrong.argmax()} is in part {c[wrong][0]}: out of range")
    size, _, _ = check_general(n, _between_parts(edges, c), mate)
    inside = c[c >= 0]
    bound = n - inside.size + int((np.bincount(inside) // 2).sum())
    if bound != size:
        raise ProofError(
            f"the Tutte–Berge set allows {bound} pairs, and the matching has {size}: "
            "not a proof that it is maximum"
        )
    return size


def _between_parts(edges: Iterable[Any], c: Any) -> Iterator[Any]:
    """Hand on the pieces, as copies; each is checked for (5) before."""
    for piece in edges:
        u = ends_of("vertex", piece[0], c.size)
        v = ends_of("vertex", piece[1], c.size, u.size)
        of_u, of_v = c.take(u), c.take(v)
        wrong = np.flatnonzero(of_u != of_v)
        wrong = wrong[(of_u[wrong] >= 0) & (of_v[wrong] >= 0)]
        if wrong.size:
            k = wrong[0]
            raise ProofError(f"the edge of {u[k]} and {v[k]} joins two parts")
        yield u, v, piece[2]
