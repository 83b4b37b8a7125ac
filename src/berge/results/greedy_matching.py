"""What comes out of a greedy matching: `GreedyMatching`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from ..graphs.graph import Graph, IndexArray
from ..wording import in_seconds, plural
from .mates import Mates
from .vertex_prices import VertexPrices

__all__ = ["GreedyMatching"]


@dataclass(frozen=True, repr=False, eq=False)
class GreedyMatching(Mates):
    """A matching of a general graph.

    Attributes
    ----------
    mate
        ``mate[v]`` is the vertex that v is matched to, or −1. Read-only.
    size
        Number of matched pairs.
    weight
        The sum of the weights of their edges; their number if the graph has no weights.
    is_maximal
        Whether no edge has two unmatched ends: looked up after the run, edge by edge, by code that
        the methods do not share. False only if the run was stopped early.
    matched_fraction
        The fraction of vertices that are matched after every round; methods without rounds have
        one.
    method, device, threads, seed
        How it was found.
    seconds
        Seconds by step: ``permute``, ``match``, ``check`` and ``total``.
    stopped
        None, ``"interrupted"`` or ``"time limit"``.
    labels
        Names of the vertices, where the graph had any; `named` returns the pairs by them.
    upper_bound, certificate
        What no matching weighs more than, and the `VertexPrices` that prove it, where they were
        asked for: by ``prove=True``, or by `prove`.

    Examples
    --------
    >>> import berge
    >>> m = berge.greedy_matching(([0, 1, 2], [1, 2, 3]), weights=[1, 5, 1])
    >>> m
    GreedyMatching(1 pair of 4 vertices, weight 5, maximal; by suitor)
    >>> m.pairs().tolist(), m.unmatched.tolist()
    ([[1, 2]], [0, 3])
    """

    mate: IndexArray
    size: int
    weight: float
    is_maximal: bool
    matched_fraction: tuple[float, ...]
    method: str
    device: str = "cpu"
    threads: int = 1
    seed: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    stopped: str | None = None
    labels: Sequence[Any] | None = None
    upper_bound: float | None = None
    certificate: VertexPrices | None = None

    @property
    def of_best(self) -> float | None:
        """The share of the heaviest matching's weight that this one has at least; None: unknown."""
        if self.upper_bound is None:
            return None
        return self.weight / self.upper_bound if self.upper_bound else 1.0

    def prove(self, graph: Any) -> VertexPrices:
        """Bound by prices what any matching of the graph weighs, and check the prices.

        Parameters
        ----------
        graph
            What was matched, with the weights that it was matched by: as for `as_graph`.

        Raises
        ------
        ProofError
            If it is not a matching of the graph, or a price fails the check, which shares no code
            with what has found it.

        Examples
        --------
        >>> import berge
        >>> graph = berge.as_graph(([0, 1, 2], [1, 2, 3], [4, 5, 4]), weights=True)
        >>> m = berge.greedy_matching(graph)
        >>> m.prove(graph)
        VertexPrices(no matching weighs more than 8.0078125)
        >>> round(m.of_best, 3)
        0.624

        Notes
        -----
        O(vertices + edges): some 25 passes over the edges.
        """
        from ..ingest import as_graph
        from .proof import verify

        graph = as_graph(graph)
        verify(graph, self)
        return self._bounded(graph)

    def _bounded(self, graph: Graph) -> VertexPrices:
        """Find prices, and check them."""
        from .lowest_prices import vertex_prices
        from .proof import check_prices

        prices = vertex_prices(graph, self.mate)
        bound = check_prices(graph, prices)
        certificate = VertexPrices(prices, bound)
        object.__setattr__(self, "certificate", certificate)
        object.__setattr__(self, "upper_bound", bound)
        return certificate

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return len(self.matched_fraction)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the matching: to ``.npz`` as `mate`, to any other file as a pair on each line.

        With it go its weight, whether it is maximal, and the method. Tables (``.csv``, ``.tsv`` and
        ``.parquet``) have the pairs alone, by name where the graph had labels.

        Examples
        --------
        >>> import berge, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     berge.greedy_matching(([0], [1])).save(f"{folder}/pairs.npz")
        ...     berge.GreedyMatching.load(f"{folder}/pairs.npz")
        GreedyMatching(1 pair of 2 vertices, maximal; by single-pass)
        """
        from ..files.matchings import VertexFacts, write_vertex_matching

        if self._is_table(path):
            return
        facts = VertexFacts(float(self.weight), self.is_maximal, self.method)
        write_vertex_matching(path, self.mate, facts)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> GreedyMatching:
        """Read what `save` wrote; `berge.verify` tells whether it fits a graph.

        Raises
        ------
        FormatError
            The file is not of that form, or what it has is not a matching.
        """
        from ..files.matchings import read_vertex_matching

        mate, facts = read_vertex_matching(path)
        mate.flags.writeable = False
        matched = int(np.count_nonzero(mate >= 0))
        return cls(
            mate=mate,
            size=matched // 2,
            weight=float(matched // 2) if facts.weight is None else facts.weight,
            is_maximal=bool(facts.is_maximal),
            matched_fraction=(matched / max(mate.size, 1),),
            method=facts.method or "unknown",
        )

    def as_dict(self) -> dict[str, Any]:
        """Return all but `mate` as plain Python values, fit for JSON."""
        names = ("size", "weight", "is_maximal", "rounds", "method", "device", "threads", "seed",
                 "seconds", "stopped", "upper_bound")  # fmt: skip
        return {name: getattr(self, name) for name in names} | {
            "matched_fraction": list(self.matched_fraction)
        }

    def _facts(self) -> Iterator[tuple[str, str]]:
        kind = "maximal" if self.is_maximal else "not maximal"
        yield "matched", f"{plural(self.size, 'pair')}: {kind}"
        share = "" if self.of_best is None else f", at least {self.of_best:.1%} of the heaviest"
        yield "weight", f"{self.weight:,.10g}{share}"
        yield "unmatched", f"{self.mate.size - 2 * self.size:,} of {self.mate.size:,} vertices"
        yield "found", f"by {self.method} in {in_seconds(self.seconds.get('total', 0.0))}"

    def __repr__(self) -> str:
        pairs = plural(self.size, "pair")
        if self.mate.size or not self.size:  # else the mates are not here
            pairs += f" of {plural(self.mate.size, 'vertex', 'vertices')}"
        weight = f", weight {self.weight:.10g}" if self.weight != self.size else ""
        if self.of_best is not None:
            weight += f", at least {self.of_best:.1%} of the heaviest"
        state = "maximal" if self.is_maximal else "not maximal"
        state += f" ({self.stopped})" if self.stopped else ""
        return f"GreedyMatching({pairs}{weight}, {state}; by {self.method})"
