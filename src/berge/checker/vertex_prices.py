"""The checker of prices of vertices: no matching weighs more than all of them. Plain numpy.

Given are
  n    a whole number: vertices are 0 … n − 1
  E    `edges`, in pieces (u, v, weights): all edges {u[k], v[k]} of all pieces, in either order;
       each weighs weights[k], or 1 where weights are None
  y    `prices`: n numbers
`check_vertex_prices` returns a number B if all of this holds, and else raises:
  (1)  ∀ {u, v} ∈ E:  0 ≤ u, v < n,  and it weighs a finite number ≥ 0
  (2)  ∀ v:  y[v] is a finite number ≥ 0
  (3)  ∀ {u, v} ∈ E, u ≠ v:  (y[u] + y[v])·(1 + r) ≥ its weight,  where r = 2⁻⁴⁰
  (4)  B ≥ Σ{y[v]}·(1 + 2r)

Why no matching weighs more than B: its edges share no ends. By (3) they weigh at most the sum of
(y[u] + y[v])·(1 + r) over them, where rounding is less than one more part in 2⁵⁰; by (2) that is at
most B. (Such prices always exist. Those of a graph with two sides may be as low as the weight of
the best matching: J. Egerváry 1931. With odd cycles there may be a gap.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import ProofError
from .check import copy_of, ends_of

ROUNDING = 2.0**-40


def check_vertex_prices(n: int, edges: Iterable[Any], prices: Any) -> float:
    """Return what no matching weighs more than, if (1) to (3) hold."""
    y = prices_of(prices, n)
    for piece in edges:
        u = ends_of("vertex", piece[0], y.size)
        v = ends_of("vertex", piece[1], y.size, u.size)
        w = np.ones(u.size) if piece[2] is None else copy_of("weights", piece[2], "f", u.size)
        k = unpaid(y.take(u), y.take(v), w, u == v)
        if k is not None:
            raise ProofError(f"the prices of vertices {u[k]} and {v[k]} are below {w[k]}")
    try:
        return bound_of(math.fsum(y))
    except OverflowError:  # so much that it bounds nothing
        return math.inf


def prices_of(prices: Any, n: int) -> Any:
    """Copy prices that are numbers from 0 on: (2)."""
    y = copy_of("prices", prices, "f", n)
    if not (y.min(initial=0.0) >= 0 and y.max(initial=0.0) < np.inf):
        raise ProofError("a price is not a finite number ≥ 0")
    return y


def unpaid(one: Any, other: Any, weights: Any, loops: Any) -> Any:
    """Return the place of an edge that two prices do not pay for, None if there is none: (3)."""
    if not (weights.min(initial=0.0) >= 0 and weights.max(initial=0.0) < np.inf):
        raise ProofError("the weight of an edge is not a finite number ≥ 0")
    short = ((one + other) * (1 + ROUNDING) < weights) & ~loops
    return int(short.argmax()) if short.any() else None


def bound_of(total: float) -> float:
    """Return the least number that (4) permits, rounded up."""
    return math.nextafter(total * (1 + 2 * ROUNDING), math.inf)
