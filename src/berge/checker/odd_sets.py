"""The checker of heaviest matchings: prices of vertices and of odd sets. Plain Python and numpy.

Given are
  n, E, m   as for the checker `general`, but that edges may weigh any finite numbers w(e), all of
            them integers, or all floating-point numbers
  y         `prices`: n numbers, twice the price of each vertex
  z         `set_prices`: k numbers, twice the price of each of k sets
  p         `parent`: n + k whole numbers. Node v < n is vertex v, node n + j is set j, and p[i] is
            the smallest set that has node i, or −1
  s         `floor`: a number
Let Bⱼ be the vertices from which node n + j is reached by following p, and M = {{v, m[v]}}.
`check_weight` returns (|M|, low, high) if (1) to (3) of `general` hold, so that M is a matching of
E, and if
  (4)  ∀ i:  p[i] = −1  or  (n ≤ p[i] < n + k  and  p[i] > i)
  (5)  ∀ j:  |Bⱼ| is odd,  and  z[j] ≥ 0
  (6)  ∀ v:  y[v] ≥ s,  and  s ≤ 0
  (7)  ∀ {u, v} ∈ E, u ≠ v:  y[u] + y[v] + Σ {z[j] : u, v ∈ Bⱼ} + ε ≥ 2 w(u, v)
with ε = 0 for integers, and for floating-point numbers the least that does, which makes up for
rounding. Here w(M) = low, and
       high = ½ (Σᵥ (y[v] − s) + 2 s |M| + Σⱼ z[j] (|Bⱼ| − 1) / 2 + ε ⌊n / 2⌋).

Why no matching N ⊆ E of at least |M| pairs weighs more than high; if s = 0, no matching at all. Add
(7) up over the edges of N. Each vertex has one of them at most, and Bⱼ has (|Bⱼ| − 1) / 2 at most,
for it is odd. So 2 w(N) ≤ Σ {y[v] : v in a pair of N} + Σⱼ z[j] (|Bⱼ| − 1) / 2 + ε |N|. The first
sum is Σ {y[v] − s : v in a pair} + 2 s |N| ≤ Σᵥ (y[v] − s) + 2 s |M| by (6), since s |N| ≤ s |M|.
(So M is heaviest if low = high. Such prices exist for every heaviest M: Edmonds 1965.)

Integers are exact: they must be below 2⁵⁸, so that (7) fits in 64 bits, and sums are Python's. For
floating-point numbers, low and high are rounded outwards, and the left side of (7) down; all are
exact where nothing was rounded.
As in `check`, every array is copied once before it is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..errors import ProofError
from .check import copy_of, ends_of, numbers_of
from .general import check_general
from .prices import MOST_UNITS, floor_of_difference, products, sum_of

LARGEST = {"i": 2**58, "f": 2.0**900}


class Dual:
    """The prices, checked for (4) to (6), and what (7) comes to while edges pass."""

    def __init__(self, n: int, kind: str, prices: Any, parent: Any, set_prices: Any, floor: Any):
        self.kind, self.n = kind, n
        self.y = numbers_of("prices", prices, kind, LARGEST[kind], n)
        self.z = numbers_of("set_prices", set_prices, kind, LARGEST[kind])
        self.s = numbers_of("floor", np.array([floor]), kind, LARGEST[kind], 1)
        k = self.z.size
        self.p = copy_of("parent", parent, "i", n + k).astype(np.int64)
        above = np.arange(n + k)
        if (wrong := (self.p != -1) & ((self.p < n) | (self.p >= n + k) | (self.p <= above))).any():
            raise ProofError(f"node {wrong.argmax()} cannot be in set {self.p[wrong][0] - n}")
        sizes, inside = [1] * n + [0] * k, [0] * n + self.z.tolist() + [0]
        parents = self.p.tolist()
        for i, j in enumerate(parents):
            if j != -1:
                sizes[j] += sizes[i]
        for i in range(n + k - 2, n - 1, -1):  # Σ of a set and all around it; 0 for that of −1
            inside[i] = sum_of([inside[i], inside[parents[i]]], kind, -math.inf)
        self.sizes = np.array(sizes[n:], np.int64)
        if (self.sizes % 2 == 0).any() or (self.z < 0).any():
            raise ProofError("a set has an even number of vertices, or a price below 0")
        if max(inside) >= LARGEST[kind]:
            raise ProofError(f"sums of set_prices must be below {LARGEST[kind]:.3g}")
        self.inside = np.array(inside, self.y.dtype)
        if (self.y < self.s).any() or self.s[0] > 0:
            raise ProofError(f"a price is below the floor {self.s[0]}, or this is above 0")
        self.p = np.append(self.p, n + k)  # that of −1: where all ways end
        self.lacking = np.zeros(1, self.y.dtype)  # ε
        self.weight = np.full(n, -LARGEST[kind], self.y.dtype)  # of the edge to the mate

    def edges(self, edges: Iterable[Any], m: Any) -> Iterator[Any]:
        """Hand on the ends of edges, as copies; each is checked for (7) before."""
        for piece in edges:
            u = ends_of("vertex", piece[0], self.n)
            v = ends_of("vertex", piece[1], self.n, u.size)
            w = numbers_of("weights", piece[2], self.kind, LARGEST[self.kind], u.size)
            slack = floor_of_difference(self.y[u], -self.y[v], 2 * w)
            short = np.flatnonzero((slack < 0) & (u != v))
            a, b = u[short].astype(np.int64), v[short].astype(np.int64)
            while (apart := np.flatnonzero(a != b)).size:  # the lower of two nodes is in a set
                lower = a[apart] < b[apart]
                a[apart[lower]] = self.p[a[apart[lower]]]
                b[apart[~lower]] = self.p[b[apart[~lower]]]
            left = floor_of_difference(slack[short], -self.inside[a])
            if (left < 0).any():
                k = left.argmin()
                if self.kind == "i":
                    raise ProofError(f"the prices of {u[short[k]]} and {v[short[k]]} are too low")
                self.lacking = np.maximum(self.lacking, -left[k])
            pairs = np.flatnonzero(m[u] == v)
            for end in (u, v):
                np.maximum.at(self.weight, end[pairs], w[pairs])
            yield u, v, None


def check_weight(
    n: int, edges: Iterable[Any], mate: Any, prices: Any, parent: Any, set_prices: Any, floor: Any
) -> tuple[int, Any, Any]:
    """Return (|M|, low, high) if (1) to (7) hold; else raise."""
    m = copy_of("mate", mate, "i", n)
    if n >= MOST_UNITS:
        raise ProofError(f"a proof by prices is for less than {MOST_UNITS} vertices")
    kind = "i" if np.asarray(prices).dtype.kind == "i" else "f"
    dual = Dual(n, kind, prices, parent, set_prices, floor)
    size, _, _ = check_general(n, dual.edges(edges, m), m)
    parts = [*dual.y.tolist(), *products(dual.z, dual.sizes // 2)]
    parts += [*products(-dual.s, n - 2 * size), *products(dual.lacking, n // 2)]
    weights = dual.weight[np.arange(n) < m].tolist()
    low, twice = sum_of(weights, kind, -math.inf), sum_of(parts, kind, math.inf)
    if kind == "i":
        return size, low, -(-twice // 2)
    return size, low, twice / 2 if twice / 2 * 2 >= twice else math.nextafter(twice / 2, math.inf)
