"""What comes out of a solve on any graph: `GeneralMatching`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from ..errors import InvalidMatchingError, ProofError
from ..graphs.graph import Graph, IndexArray
from ..settings import Checker
from ..wording import plural
from .matching import Matching, SolveStats, _frozen
from .mates import Mates

if TYPE_CHECKING:
    from .tutte_berge import TutteBerge

__all__ = ["GeneralMatching", "barrier_of_sides"]


class GeneralMatching(Mates):
    """A matching of a graph that need not be bipartite.

    Attributes
    ----------
    mate
        ``mate[v]`` is the vertex that v is matched to, or −1. Read-only.
    cardinality
        Number of matched pairs.
    upper_bound
        No matching of the graph has more pairs. Equal to `cardinality` once a solve by number has
        run to its end.
    weight
        The sum of the weights of its edges, where it was found by weight; else None.
    stats
        `SolveStats` of the solve, or None.
    certificate
        What the last successful `prove` has proved it with, or None.
    labels
        Names of the vertices, where the graph had any.

    Examples
    --------
    >>> import berge
    >>> triangle = berge.Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> m = berge.maximum_matching(triangle)
    >>> m
    GeneralMatching(1 pair of 3 vertices, maximum)
    >>> m.prove(triangle)
    TutteBerge(0 vertices, without which 1 part is odd: 1 vertex stays unmatched)
    """

    certificate: TutteBerge | None = None
    _proof: TutteBerge | None = None  # that the solver came upon; not checked yet
    _half: Matching | None = None  # the same matching, of rows and columns, if it was found so

    def __init__(
        self,
        mate: npt.ArrayLike,
        *,
        upper_bound: int,
        weight: float | None = None,
        stats: SolveStats | None = None,
        labels: Sequence[Any] | None = None,
    ):
        self.mate: IndexArray = _frozen("mate", mate)
        self.cardinality = int(np.count_nonzero(self.mate >= 0)) // 2
        self.upper_bound = int(upper_bound)
        self.weight = weight
        self.stats = stats
        self.labels = labels
        if self.upper_bound < self.cardinality:
            raise InvalidMatchingError(
                f"upper_bound {upper_bound} is below the cardinality {self.cardinality}"
            )

    def settled(self) -> GeneralMatching:
        """Return the same pairs in an array that nobody puts another in the place of."""
        return GeneralMatching(
            self.mate,
            upper_bound=max(self.upper_bound, np.size(self.mate) // 2),
            weight=self.weight,
            stats=self.stats,
            labels=self.labels,
        )

    @property
    def n_vertices(self) -> int:
        """Number of vertices of the graph."""
        return int(self.mate.size)

    @property
    def is_maximum(self) -> bool:
        """Whether no matching has more pairs, as the solver says; `prove` proves it."""
        return self.cardinality == self.upper_bound

    @property
    def is_perfect(self) -> bool:
        """Whether every vertex is matched."""
        return 2 * self.cardinality == self.mate.size

    def as_dict(self) -> dict[Any, Any]:
        """Return vertex → mate of all matched vertices, by label where the graph had labels.

        Both ends of a pair are keys, as in ``networkx.bipartite.maximum_matching``.
        """
        matched = np.flatnonzero(self.mate >= 0)
        pairs = zip(matched.tolist(), self.mate[matched].tolist(), strict=True)
        names = self.labels
        return dict(pairs) if names is None else {names[v]: names[w] for v, w in pairs}

    def prove(self, graph: Any, *, check: Checker = "compiled") -> TutteBerge:
        """Prove that this is a maximum matching of the graph, by a Tutte–Berge set.

        A set of vertices A whose removal leaves many odd parts: each part has a vertex that is
        matched to A or not at all. `berge.checker.tutte_berge` says why that is a proof, and checks
        it in numpy alone. O(vertices + edges).

        Parameters
        ----------
        graph
            What was matched.
        check
            What checks the matching and the set, as in `berge.verify`: ``"numpy"``, or by default a
            compiled pass that does the same in less time.

        Raises
        ------
        ProofError
            If it is not a matching of the graph, or not a maximum one.
        """
        from ..ingest import as_graph
        from .tutte_berge import find_barrier, verify_general

        graph = as_graph(graph)
        try:
            proof = self._proof if self._half is None else barrier_of_sides(graph, self._half)
            if proof is not None:
                verify_general(graph, self, proof, check)
        except ProofError:  # of another graph, perhaps
            proof = None
        if proof is None:
            proof = find_barrier(graph, self.mate)
            verify_general(graph, self, proof, check)
        self.certificate = proof
        self.upper_bound = self.cardinality
        return proof

    def save(self, path: str | PathLike[str]) -> None:
        """Write the matching: to ``.npz`` as `mate`, to any other file as a pair on each line.

        With it go the upper bound, and the weight if it has one. Tables (``.csv``, ``.tsv`` and
        ``.parquet``) have the pairs alone, by name where the graph had labels.

        Examples
        --------
        >>> import berge, tempfile
        >>> m = berge.GeneralMatching([1, 0, -1], upper_bound=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     m.save(f"{folder}/pairs.txt")
        ...     berge.GeneralMatching.load(f"{folder}/pairs.txt")
        GeneralMatching(1 pair of 3 vertices, maximum)
        """
        from ..files.matchings import VertexFacts, write_vertex_matching

        if self._is_table(path):
            return
        facts = VertexFacts(weight=self.weight, upper_bound=self.upper_bound)
        if self.stats is not None:
            facts = facts._replace(method=self.stats.algorithm)
        write_vertex_matching(path, self.mate, facts, self._kept())

    def _kept(self) -> dict[str, Any]:
        """Return what a .npz file keeps besides."""
        return {}

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what `save` wrote, or what `GreedyMatching.save` did.

        Raises
        ------
        FormatError
            The file is not of that form, or what it has is not a matching.
        """
        from ..files.matchings import read_vertex_matching

        mate, facts = read_vertex_matching(path)
        bound = mate.size // 2 if facts.upper_bound is None else facts.upper_bound
        return cls(mate, upper_bound=bound, weight=facts.weight)

    def _facts(self) -> Iterator[tuple[str, str]]:
        state = "perfect" if self.is_perfect else "maximum"
        if not self.is_maximum:
            state = f"at most {self.upper_bound:,} are possible"
        proved = ", proved" if self.certificate is not None else ""
        yield "matched", f"{plural(self.cardinality, 'pair')}: {state}{proved}"
        if self.weight is not None:
            yield "weight", f"{self.weight:,.10g}"
        yield "unmatched", f"{self.unmatched.size:,} of {self.n_vertices:,} vertices"
        if self.stats is not None:
            yield "found", self.stats.in_words()

    def __repr__(self) -> str:
        vertices = plural(self.n_vertices, "vertex", "vertices")
        weight = "" if self.weight is None else f", weight {self.weight:.10g}"
        state = "maximum" if self.is_maximum else f"upper_bound={self.upper_bound}"
        state = "perfect" if self.is_perfect else state
        return f"GeneralMatching({plural(self.cardinality, 'pair')} of {vertices}{weight}, {state})"


def barrier_of_sides(graph: Graph, half: Matching) -> TutteBerge | None:
    """Return the vertex cover of a graph's sides as a set: without it no edge is left.

    None if the graph has an odd cycle. What is returned is still to be verified.
    """
    from ..graphs.sides import sides_of
    from .proof import cover_of_reached, find_cover
    from .tutte_berge import BARRIER, TutteBerge

    n, index = graph.n_vertices, graph.indices.dtype
    if 2 * half.cardinality >= n - 1:
        return TutteBerge(np.zeros(n, index))  # all are one part
    if (sides := sides_of(graph)) is None:
        return None
    cover = half._cover or cover_of_reached(half) or find_cover(sides.graph, half)
    if (cover.rows.size, cover.cols.size) != sides.graph.shape:
        return None
    part = np.arange(n, dtype=index)
    part[sides.rows[cover.rows]] = part[sides.cols[cover.cols]] = BARRIER
    return TutteBerge(part)
