"""What the pattern of a matrix says about its rank: structural rank, transversal, singularity.

The structural rank is the size of a maximum matching of rows and columns. A matrix that falls short
of full rank has a set of rows with entries in fewer columns (P. Hall, "On representatives of
subsets", J. London Math. Soc. 10, 1935); the rows that alternating paths reach from an unmatched
one are such a set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from ..errors import ProofError
from ..graphs.graph import BipartiteGraph, IndexArray
from ..graphs.names import named
from ..ingest import as_bipartite
from ..results.matching import Matching
from ..results.proof import koenig_cover
from ..settings import Settings
from ..shown import Shown
from ..solve.maximum import maximum_matching
from ..wording import in_words, plural

__all__ = [
    "Singularity",
    "certain_matching",
    "is_structurally_singular",
    "maximum_transversal",
    "structural_rank",
]


def certain_matching(graph: BipartiteGraph, options: Settings) -> Matching:
    """Return a maximum matching, or raise ProofError if it was stopped before.

    It runs on one thread unless the options say otherwise, so the same graph gives the same
    matching.
    """
    options.setdefault("threads", 1)
    matching = maximum_matching(graph, **options)
    if not matching.is_maximum:
        assert matching.stats is not None
        raise ProofError(f"stopped before the matching was maximum: {matching.stats.stopped}")
    return matching


def structural_rank(graph: Any, **options: Unpack[Settings]) -> int:
    """Return the largest rank that a matrix of this pattern can have.

    Parameters
    ----------
    graph
        Anything `as_bipartite` takes.
    **options
        For `maximum_matching`; by default on one thread.

    Raises
    ------
    ProofError
        If a time limit or Ctrl-C stopped the matching before it was maximum.

    Examples
    --------
    >>> import berge, numpy as np
    >>> berge.structural_rank(np.array([[1, 1], [0, 0]]))
    1

    Notes
    -----
    As `maximum_matching`: about O(edges) on most matrices.
    """
    return certain_matching(as_bipartite(graph), options).cardinality


def maximum_transversal(graph: Any, **options: Unpack[Settings]) -> IndexArray:
    """Return the column of each row on a transversal as long as can be, −1 for rows left out.

    Arguments and errors as for `structural_rank`. About O(edges) on most matrices.

    Examples
    --------
    >>> import berge, numpy as np
    >>> berge.maximum_transversal(np.array([[1, 1], [1, 0]])).tolist()
    [1, 0]
    """
    return certain_matching(as_bipartite(graph), options).row_match


@dataclass(frozen=True, repr=False)
class Singularity(Shown):
    """Whether a matrix is structurally singular, and why: false, or a set that proves it.

    Attributes
    ----------
    side
        ``"rows"``, ``"columns"`` or None if it is not singular.
    vertices, neighbours
        A Hall violator: rows (or columns), and the fewer columns (or rows) that they have entries
        in. No choice of values can make them independent.
    graph
        Of which this is said: names come from there.

    Examples
    --------
    >>> import berge
    >>> model = berge.as_bipartite(
    ...     ([0, 0, 1, 2], [0, 1, 0, 0]), row_labels=["a", "b", "c"], col_labels=["x", "y", "z"]
    ... )
    >>> found = berge.is_structurally_singular(model)
    >>> found.named()
    (['b', 'c'], ['x'])
    >>> found.reason
    '2 rows (b and c) have entries in only 1 column (x); column z has no entry'
    """

    side: str | None
    vertices: IndexArray
    neighbours: IndexArray
    graph: BipartiteGraph | None = field(default=None, repr=False)

    def named(self) -> tuple[list[Any], list[Any]]:
        """Return the names of `vertices` and `neighbours`; numbers where there are none."""
        own, theirs = self._labels()
        return named(own, self.vertices), named(theirs, self.neighbours)

    def _labels(self) -> tuple[Any, Any]:
        graph = self.graph
        labels = (graph.row_labels, graph.col_labels) if graph is not None else (None, None)
        return labels if self.side == "rows" else labels[::-1]

    def __bool__(self) -> bool:
        return self.side is not None

    @property
    def reason(self) -> str:
        """The proof in words, with names where there are any; what is empty is said besides."""
        if self.side is None:
            left = 0 if self.graph is None else self.graph.n_rows - self.graph.n_cols
            over = plural(abs(left), "row" if left > 0 else "column")
            return "not structurally singular: the smaller side can be matched whole" + (
                f", with {over} too many" if left else ""
            )
        nouns = ("row", "column") if self.side == "rows" else ("column", "row")
        sizes = (self.vertices.size, self.neighbours.size)
        who, whom = (
            plural(size, noun) + (f" ({in_words(names, 5)})" if labels and names else "")
            for size, noun, names, labels in zip(
                sizes, nouns, self.named(), self._labels(), strict=True
            )
        )
        have = "has" if sizes[0] == 1 else "have"
        reason = f"{who} {have} entries in only {whom}" if sizes[1] else f"{who} {have} no entry"
        empty = self._empty()
        if not empty:
            return reason
        noun = nouns[1] + ("s" if empty[1:] else "")
        return f"{reason}; {noun} {in_words(empty, 5)} {'have' if empty[1:] else 'has'} no entry"

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "structurally singular", "yes" if self else "no"
        yield "why", self.reason

    def __repr__(self) -> str:
        return f"Singularity({self.reason})"

    def _empty(self) -> list[Any]:
        """Return what has no entry on the other side."""
        if self.graph is None or not self.graph.nnz:
            return []
        graph = self.graph
        degrees = graph.col_degrees if self.side == "rows" else graph.row_degrees
        return named(self._labels()[1], np.flatnonzero(degrees == 0))


def is_structurally_singular(graph: Any, **options: Unpack[Settings]) -> Singularity:
    """Tell whether no values can give a matrix full rank, with a Hall violator as the proof.

    A matrix that is not square counts as singular if its smaller side cannot be matched whole.
    Arguments and errors as for `structural_rank`. About O(edges) on most matrices.

    Examples
    --------
    >>> import berge, numpy as np
    >>> found = berge.is_structurally_singular(np.array([[1, 1, 1], [0, 0, 1], [0, 0, 1]]))
    >>> bool(found), found.reason
    (True, '2 rows have entries in only 1 column')
    >>> found.vertices.tolist(), found.neighbours.tolist()
    ([1, 2], [2])
    """
    graph = as_bipartite(graph)
    matching = certain_matching(graph, options)
    if matching.cardinality == min(graph.shape):
        nothing: npt.NDArray[np.intp] = np.zeros(0, np.intp)
        return Singularity(None, nothing, nothing, graph)
    side, searched = "rows", graph
    if graph.n_rows > graph.n_cols:
        side, searched, matching = "columns", graph.T, matching.turned()
    cover = koenig_cover(searched, matching)
    return Singularity(side, np.flatnonzero(~cover.rows), np.flatnonzero(cover.cols), graph)
