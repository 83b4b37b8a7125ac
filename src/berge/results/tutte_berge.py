"""Tutte–Berge sets: how they are found, and handed to their checker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..checker.check import check_mates, copy_of, edges_of_rows
from ..checker.tutte_berge import check_cardinality
from ..errors import ProofError
from ..graphs.graph import Graph, IndexArray
from ..settings import Checker
from ..shown import Shown
from ..tuning import EDGES_PER_CALL
from ..wording import plural

if TYPE_CHECKING:
    from .general_matching import GeneralMatching

__all__ = ["TutteBerge", "find_barrier", "grown_forest", "verify_general"]

BARRIER = -1


@dataclass(frozen=True)
class TutteBerge(Shown):
    """A set of vertices whose removal leaves many odd parts: proof that a matching is maximum.

    Attributes
    ----------
    part
        −1 for the vertices of the set; for every other vertex the number of a part of the rest. No
        edge joins two parts. In an odd part one vertex at least is matched into the set, or
        unmatched.

    Examples
    --------
    >>> import berge
    >>> triangle = berge.Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> proof = berge.maximum_matching(triangle).prove(triangle)
    >>> proof.size, proof.odd_parts, proof.unmatched
    (0, 1, 1)
    """

    part: IndexArray

    @property
    def barrier(self) -> npt.NDArray[np.bool_]:
        """Mask of the set."""
        return np.equal(self.part, BARRIER)

    @property
    def size(self) -> int:
        """Number of vertices in the set."""
        return int(np.count_nonzero(self.barrier))

    @property
    def odd_parts(self) -> int:
        """Number of parts that have an odd number of vertices."""
        return int(np.count_nonzero(np.bincount(self.part[~self.barrier], minlength=1) % 2))

    @property
    def unmatched(self) -> int:
        """Number of vertices that every matching leaves out at least: odd parts less the set."""
        return max(self.odd_parts - self.size, 0)

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "proof", repr(self)[len("TutteBerge(") : -1]

    def __repr__(self) -> str:
        size, odd = (plural(k, "vertex", "vertices") for k in (self.size, self.unmatched))
        stays = "stays" if self.unmatched == 1 else "stay"
        parts = plural(self.odd_parts, "part")
        are = "is" if self.odd_parts == 1 else "are"
        return f"TutteBerge({size}, without which {parts} {are} odd: {odd} {stays} unmatched)"


def verify_general(
    graph: Graph,
    matching: GeneralMatching,
    certificate: TutteBerge | None = None,
    check: Checker = "compiled",
) -> None:
    """Check a matching of a general graph, and with a Tutte–Berge set that it is maximum.

    See `berge.verify` for `check`; what is not right beyond doubt, numpy decides.
    """
    part = None if certificate is None else certificate.part
    size = None
    if check == "compiled":
        from .compiled_general import size_if_right

        size = size_if_right(graph, matching.mate, part)
    if size is None:
        edges = edges_of_rows(graph.indptr, lambda lo, hi: graph.indices[lo:hi])
        size = check_cardinality(graph.n_vertices, edges, matching.mate, part)
    if matching.cardinality != size:
        raise ProofError(f"the matching has {size} pairs, and says it has {matching.cardinality}")


def find_barrier(graph: Graph, mate: IndexArray) -> TutteBerge:
    """Find the set that proves a maximum matching; for any other matching, raise ProofError."""
    from .forest import INNER, OUTER

    kind, base = grown_forest(graph, mate)
    # All that no tree reaches is one part, which is matched within itself.
    rest = int(np.argmax(kind != OUTER)) if kind.size else 0
    return TutteBerge(np.where(kind == OUTER, base, np.where(kind == INNER, BARRIER, rest)))


def grown_forest(graph: Graph, mate: IndexArray) -> tuple[Any, Any]:
    """Return of all vertices the kind, and the base of the outer ones; see `berge.results.forest`.

    Raises ProofError if an augmenting path shows that the matching is not maximum.
    """
    from .forest import FIRST_END, MORE, NOT_MAXIMUM, OTHER_END, Forest, grow

    mate = copy_of("mate", mate, "i", graph.n_vertices)  # compiled code follows it
    check_mates("vertex", "vertex", mate, mate)
    forest = Forest.of(graph, mate)
    while (found := grow(forest, EDGES_PER_CALL)) == MORE:
        pass
    if found == NOT_MAXIMUM:
        v, w = forest.state[[FIRST_END, OTHER_END]].tolist()
        raise ProofError(f"not maximum: an augmenting path leads through the edge of {v} and {w}")
    base = forest.base
    while (base[base] != base).any():
        base = base[base]
    return forest.kind, base
