"""What comes out of a matching by weight in any graph: `WeightedMatching`, and its prices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..checker.check import edges_of_rows
from ..checker.odd_sets import check_weight
from ..errors import ProofError
from ..graphs.graph import Graph, IndexArray
from ..settings import Checker
from ..shown import Shown
from ..wording import plural
from .general_matching import GeneralMatching
from .matching import SolveStats

__all__ = ["OddSetPrices", "WeightedMatching", "prices_of_forest", "verify_weight"]

CLAIM = ("weight_bound", "tolerance", "competes_with", "minimise")  # what the prices are to prove
TOLERANCE = 1e-9  # of floating-point weights: as a share of the heaviest edge times the pairs


@dataclass(frozen=True)
class OddSetPrices(Shown):
    """Prices of vertices and of odd sets: proof that a matching is as heavy as it can be.

    The two ends of an edge, and the sets that have both, pay at least its weight together. Weights
    are taken times −1 where the lightest matching was looked for. Prices are doubled, so that whole
    weights have whole prices. `berge.checker.odd_sets` says why that is a proof.

    Attributes
    ----------
    prices
        Twice the price of each vertex.
    parent
        The smallest set that has each vertex, then each set, as n + its number, or −1: sets are
        nested or disjoint.
    set_prices
        Twice the price of each set, all of them above 0.
    floor
        No price is lower, and unmatched vertices pay so much. Below 0 where the number of pairs
        came before their weight.
    low, high
        What the matching weighs, and what none can exceed, as `prove` has found; None before.

    Examples
    --------
    >>> import berge
    >>> triangle = ([0, 1, 2], [1, 2, 0], [5, 5, 5])
    >>> proof = berge.maximum_weight_matching(triangle).prove(triangle)
    >>> proof.n_sets, proof.vertices(0).tolist()
    (1, [0, 1, 2])
    """

    prices: npt.NDArray[Any]
    parent: IndexArray
    set_prices: npt.NDArray[Any]
    floor: Any
    low: Any = None
    high: Any = None

    @property
    def n_sets(self) -> int:
        """Number of odd sets that have a price."""
        return int(self.set_prices.size)

    def bound(self, pairs: int) -> Any:
        """Return what no matching of so many pairs can exceed; of any number, if the floor is 0."""
        n, sizes = self.prices.size, [0] * self.n_sets
        inside = np.bincount(self.parent[:n] + 1, minlength=n + 1)[n + 1 :]
        sizes = inside.tolist() + [0] * (self.n_sets - inside.size)
        for j, around in enumerate(self.parent[n:].tolist()):
            if around >= 0:
                sizes[around - n] += sizes[j]
        doubled = _sum(self.prices - self.floor) + 2 * self.floor.item() * pairs
        whole = self.set_prices.dtype.kind == "i"
        for price, size in zip(self.set_prices.tolist(), sizes, strict=True):
            doubled += price * (size // 2)
        return doubled // 2 if whole else doubled / 2

    def vertices(self, j: int) -> IndexArray:
        """Return the vertices of set j."""
        n = self.prices.size
        inside = np.zeros(n + self.n_sets + 1, np.bool_)
        inside[n + j] = True
        for i in range(n + j - 1, n - 1, -1):  # sets in sets have lower numbers
            inside[i] = inside[self.parent[i]]
        return np.flatnonzero(inside[self.parent[:n]])

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "proof", repr(self)[len("OddSetPrices(") : -1]

    def __repr__(self) -> str:
        pay = plural(int(np.count_nonzero(self.prices)), "vertex", "vertices")
        gap = 0 if self.low is None else abs(self.high - self.low)
        within = f", within {gap:.2g}" if gap else ""
        return f"OddSetPrices({pay} and {plural(self.n_sets, 'odd set')} pay{within})"


class WeightedMatching(GeneralMatching):
    """A heaviest matching of any graph, or a lightest one.

    All that a `GeneralMatching` has, and:

    Attributes
    ----------
    weight
        The sum of the weights of its edges: an int if all weights are whole numbers.
    weight_bound
        No matching it competes with weighs more, or less where the lightest was looked for. Equal
        to `weight` once a solve has run to its end, up to rounding of floating-point weights.
    competes_with
        ``"all"`` matchings, the ``"maximum"`` ones, or the ``"perfect"`` ones.
    minimise
        Whether the lightest matching was looked for.
    is_optimal
        Whether none it competes with is better, as the solver says; `prove` proves it.
    certificate
        What the last successful `prove` has proved it with: `OddSetPrices`.

    Examples
    --------
    >>> import berge
    >>> path = ([0, 1, 2, 3], [1, 2, 3, 4], [3, 5, 3, 4])
    >>> m = berge.maximum_weight_matching(path)
    >>> m
    WeightedMatching(2 pairs of 5 vertices, weight 9, heaviest)
    >>> m.pairs().tolist(), m.prove(path)
    ([[1, 2], [3, 4]], OddSetPrices(4 vertices and 0 odd sets pay))
    """

    certificate: Any = None

    def __init__(
        self,
        mate: npt.ArrayLike,
        *,
        weight: Any,
        weight_bound: Any,
        upper_bound: int,
        competes_with: str = "all",
        minimise: bool = False,
        tolerance: float = 0.0,
        prices: OddSetPrices | None = None,
        weights: Any = None,
        stats: SolveStats | None = None,
        labels: Sequence[Any] | None = None,
    ):
        super().__init__(mate, upper_bound=upper_bound, weight=weight, stats=stats, labels=labels)
        self.weight_bound = weight_bound
        self.competes_with = competes_with
        self.minimise = minimise
        self.tolerance = tolerance
        self.prices = prices
        self._weights = weights

    @property
    def is_optimal(self) -> bool:
        """Whether no matching that it competes with is better, as the solver says."""
        stopped = self.stats is not None and self.stats.stopped is not None
        enough = self.competes_with == "all" or self.is_maximum
        close = abs(self.weight_bound - (self.weight or 0)) <= self.tolerance
        return close and enough and not stopped

    def prove(self, graph: Any, weights: Any = None, *, check: Checker = "compiled") -> Any:
        """Prove that no matching it competes with is better, by prices of vertices and odd sets.

        `weights` are those of the call that found it, unless others are given. Where only maximum
        matchings count, that this is one is proved by a Tutte–Berge set beside. The prices that
        come back have what the matching weighs, and what no other can exceed (`low` and `high`).
        `check` is for the Tutte–Berge set, as in `berge.verify`; prices are checked in numpy.
        O(edges + Σ of what edges within odd sets have to climb).

        Raises
        ------
        ProofError
            If it is not a matching of the graph, or not proved to be the best one.
        """
        from ..ingest.signed import as_signed_graph

        given = self._weights if weights is None else weights
        signed = as_signed_graph(graph, given, self.minimise)
        if self.prices is None:
            raise ProofError("no prices: the matching was read from a file, or stopped early")
        if self.competes_with not in ("all", "maximum", "perfect"):
            raise ProofError(f"it competes with {self.competes_with!r}: nothing to prove")
        if self.competes_with == "maximum":
            super().prove(signed, check=check)
            self.certificate = None  # until the rest is proved
        elif self.competes_with == "perfect":
            if not self.is_perfect:
                raise ProofError("the matching is not perfect")
            self.upper_bound = self.cardinality
        elif self.competes_with == "all" and self.prices.floor != 0:
            raise ProofError("the prices have a floor: they prove less than is claimed")
        low, high = verify_weight(signed, self.mate, self.prices)
        tolerance = min(self.tolerance, tolerance_of(signed))  # what is said may be anything
        found = self.weight or 0
        if self.minimise:
            found = -found
        if not low - tolerance <= found <= high + tolerance:
            raise ProofError(f"the matching weighs {low}, and says it weighs {found}")
        if high - low > tolerance:
            raise ProofError(f"the matching weighs {low}, and the prices allow {high}")
        p = self.prices
        if self.minimise:
            low, high = -high, -low
        self.weight_bound = low if self.minimise else high
        self.certificate = OddSetPrices(p.prices, p.parent, p.set_prices, p.floor, low, high)
        return self.certificate

    def _kept(self) -> dict[str, Any]:
        """Return the prices, and what they are to prove."""
        if (p := self.prices) is None:
            return {}
        prices = {"prices": p.prices, "parent": p.parent, "set_prices": p.set_prices}
        claim = {name: getattr(self, name) for name in CLAIM}
        return {**prices, "floor": p.floor, **claim}

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what `save` wrote to ``.npz``, with the prices: `prove` proves it again.

        The pairs in a text file are read by ``GeneralMatching.load``.

        Raises
        ------
        FormatError
            The file is not of that form, or what it has is not a matching.

        Examples
        --------
        >>> import berge, tempfile
        >>> path = ([0, 1, 2], [1, 2, 3], [2, 5, 2])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     berge.maximum_weight_matching(path).save(f"{folder}/m.npz")
        ...     m = berge.WeightedMatching.load(f"{folder}/m.npz")
        >>> m.prove(path)
        OddSetPrices(2 vertices and 0 odd sets pay)
        """
        from ..files.matchings import read_odd_set_proof, read_vertex_matching

        mate, facts = read_vertex_matching(path)
        kept = read_odd_set_proof(path)
        prices = OddSetPrices(*(kept.pop(k) for k in ("prices", "parent", "set_prices", "floor")))
        bound = mate.size // 2 if facts.upper_bound is None else facts.upper_bound
        return cls(mate, upper_bound=bound, prices=prices, **kept)

    def __repr__(self) -> str:
        vertices = plural(self.n_vertices, "vertex", "vertices")
        state = "lightest" if self.minimise else "heaviest"
        state += {"all": "", "maximum": " maximum one", "perfect": " perfect one"}[
            self.competes_with
        ]
        if not self.is_optimal:
            state = f"weight_bound={self.weight_bound:.10g}"
        pairs = plural(self.cardinality, "pair")
        return f"WeightedMatching({pairs} of {vertices}, weight {self.weight:.10g}, {state})"


def weight_of_pairs(graph: Graph, mate: Any) -> Any:
    """Return the sum of the weights of a matching's edges, of integers exactly."""
    given: Any = graph.weights
    lower = np.repeat(np.arange(mate.size), graph.degrees)
    return _sum(given[(mate[lower] == graph.indices) & (lower < graph.indices)])


def _sum(numbers: Any) -> Any:
    """Return a sum, of integers exactly, whatever its size."""
    if numbers.dtype.kind == "f":
        return float(numbers.sum())
    return (int((numbers >> 32).sum()) << 32) + int((numbers & 0xFFFFFFFF).sum())


def tolerance_of(graph: Graph) -> float:
    """Return by how much prices may miss the weight of a matching: nothing for whole weights."""
    given: Any = graph.weights
    if given.dtype.kind != "f":
        return 0.0
    largest = float(np.abs(given).max(initial=0.0))
    return TOLERANCE * largest * max(graph.n_vertices // 2, 1)


def verify_weight(graph: Graph, mate: Any, prices: OddSetPrices) -> tuple[Any, Any]:
    """Check a matching and its prices; return what it weighs, and what none can exceed."""
    edges = edges_of_rows(graph.indptr, lambda lo, hi: graph.indices[lo:hi], graph.weights)
    p = prices
    _, low, high = check_weight(
        graph.n_vertices, edges, mate, p.prices, p.parent, p.set_prices, p.floor
    )
    return low, high


def prices_of_forest(forest: Any) -> OddSetPrices:
    """Take the prices of vertices and blossoms; blossoms without a price are left out."""
    f, n = forest, forest.y.size
    seen = np.zeros(f.parent.size + 1, np.bool_)
    seen[f.parent[:n]] = True  # and that of −1, at the end
    outer, z = f.parent[n:].tolist(), f.z[n:].tolist()
    paying, depth = {-1: -1}, {-1: 0}  # from a blossom outwards: the first that pays; how many do
    for b in np.flatnonzero(seen[:-1]).tolist():
        chain = []
        while b not in paying:
            chain.append(b)
            b = outer[b - n]
        for c in reversed(chain):
            around, pays = outer[c - n], z[c - n] > 0
            paying[c] = c if pays else paying[around]
            depth[c] = depth[around] + pays
    sets = sorted((b for b in paying if b >= 0 and paying[b] == b), key=lambda b: -depth[b])
    place = {b: n + j for j, b in enumerate(sets)} | {-1: -1}
    number = np.full(seen.size, -1, np.int64)
    number[list(paying)] = [place[b] for b in paying.values()]
    around_sets = [place[paying[outer[b - n]]] for b in sets]
    parent = np.concatenate([number[f.parent[:n]], np.array(around_sets, np.int64)])
    floor = min(f.y.min(initial=0), f.y.dtype.type(0))  # but for rounding, that of the search
    return OddSetPrices(f.y.copy(), parent, f.z[np.array(sets, np.int64)], floor)
