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
floating-point numbers, low and high are rounded outwards, and ε also covers the rounding of (7).
As in `check`, every array is copied once before it is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..errors import ProofError
from .check import copy_of, ends_of
from .general import check_general

LARGEST = {"i": 2**58, "f": 2.0**900}


class Dual:
    """The prices, checked for (4) to (6), and what (7) comes to while edges pass."""

    def __init__(self, n: int, kind: str, prices: Any, parent: Any, set_prices: Any, floor: Any):
        self.kind, self.n = kind, n
        self.y, self.z = copy_of("prices", prices, kind, n), copy_of("set_prices", set_prices, kind)
        k = self.z.size
        self.p = copy_of("parent", parent, "i", n + k).astype(np.int64)
        self.s = copy_of("floor", np.array([floor]), kind, 1)
        for name, numbers in (("prices", self.y), ("set_prices", self.z), ("floor", self.s)):
            in_range(name, numbers, kind)
        above = np.arange(n + k)
        if (wrong := (self.p != -1) & ((self.p < n) | (self.p >= n + k) | (self.p <= above))).any():
            raise ProofError(f"node {wrong.argmax()} cannot be in set {self.p[wrong][0] - n}")
        sizes, inside = [1] * n + [0] * k, [0] * n + self.z.tolist() + [0]
        parents = self.p.tolist()
        for i, j in enumerate(parents):
            if j >= 0:
                sizes[j] += sizes[i]
        for i in range(n + k - 1, n - 1, -1):  # Σ of a set and all around it; 0 for that of −1
            inside[i] += inside[parents[i]]
        self.inside = np.array(inside, self.y.dtype)
        in_range("sums of set_prices", self.inside, kind)
        self.sizes = sizes[n:]
        if any(size % 2 == 0 for size in self.sizes) or (self.z < 0).any():
            raise ProofError("a set has an even number of vertices, or a price below 0")
        if (self.y < self.s).any() or self.s[0] > 0:
            raise ProofError(f"a price is below the floor {self.s[0]}, or this is above 0")
        self.p[self.p == -1] = n + k  # where all ways end
        self.p = np.append(self.p, n + k)
        self.lacking = 0 if kind == "i" else 0.0  # ε
        self.weight = np.full(n, -LARGEST[kind], self.y.dtype)  # of the edge to the mate

    def edges(self, edges: Iterable[Any], m: Any) -> Iterator[Any]:
        """Hand on the ends of edges, as copies; each is checked for (7) before."""
        for piece in edges:
            u = ends_of("vertex", piece[0], self.n)
            v = ends_of("vertex", piece[1], self.n, u.size)
            w = copy_of("weights", piece[2], self.kind, u.size)
            in_range("weights", w, self.kind)
            slack = self.y[u] + self.y[v] - 2 * w
            if self.kind == "f":
                slack -= 2.0**-50 * (np.abs(self.y[u]) + np.abs(self.y[v]) + 2 * np.abs(w))
            short = np.flatnonzero((slack < 0) & (u != v))
            a, b = u[short], v[short]
            while (apart := np.flatnonzero(a != b)).size:  # the lower of two nodes is in a set
                lower = a[apart] < b[apart]
                a[apart[lower]] = self.p[a[apart[lower]]]
                b[apart[~lower]] = self.p[b[apart[~lower]]]
            left = slack[short] + self.inside[a] * (1 - (0.0 if self.kind == "i" else 2.0**-50))
            if (left < 0).any():
                k = left.argmin()
                if self.kind == "i":
                    raise ProofError(f"the prices of {u[short[k]]} and {v[short[k]]} are too low")
                self.lacking = max(self.lacking, float(-left[k]))
            pairs = np.flatnonzero(m[u] == v)
            for end in (u, v):
                np.maximum.at(self.weight, end[pairs], w[pairs])
            yield u, v, None


def check_weight(
    n: int, edges: Iterable[Any], mate: Any, prices: Any, parent: Any, set_prices: Any, floor: Any
) -> tuple[int, Any, Any]:
    """Return (|M|, low, high) if (1) to (7) hold; else raise."""
    m = copy_of("mate", mate, "i", n)
    kind = copy_of("prices", prices, np.asarray(prices).dtype.kind).dtype.kind
    if kind not in LARGEST:
        raise ProofError(f"prices must be integers or floating-point numbers, not {prices.dtype}")
    dual = Dual(n, kind, prices, parent, set_prices, floor)
    size, _, _ = check_general(n, dual.edges(edges, m), m)
    parts = [*(dual.y - dual.s).tolist(), 2 * dual.s[0].item() * size]
    parts += [z * (b - 1) // 2 if kind == "i" else z * (b - 1) / 2
              for z, b in zip(dual.z.tolist(), dual.sizes, strict=True)]  # fmt: skip
    weights = dual.weight[(m >= 0) & (np.arange(n) < m)].tolist()
    if kind == "i":
        return size, sum(weights), -(-sum(parts) // 2)
    parts += [2.0**-51 * math.fsum(map(abs, parts)), dual.lacking * (n // 2)]
    low, high = math.fsum(weights), math.fsum(parts) / 2
    return size, math.nextafter(low, -math.inf), math.nextafter(high, math.inf)


def in_range(name: str, numbers: Any, kind: str) -> None:
    """Raise if a number is too large, or is none."""
    if not ((numbers < LARGEST[kind]) & (numbers > -LARGEST[kind])).all():
        raise ProofError(f"{name} must be numbers below {LARGEST[kind]:.3g}")
