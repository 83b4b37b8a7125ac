"""What the pattern of a matrix says about its rank: structural rank, transversal, singularity.

The structural rank is the size of a maximum matching of rows and columns. A matrix that falls short
of full rank has a set of rows with entries in fewer columns (P. Hall, "On representatives of
subsets", J. London Math. Soc. 10, 1935); the rows that alternating paths reach from an unmatched
one are such a set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ProofError
from ..graphs.graph import BipartiteGraph, IndexArray
from ..ingest import as_bipartite
from ..results.matching import Matching
from ..results.proof import koenig_cover
from ..solve.maximum import maximum_matching
from ..wording import plural

__all__ = [
    "Singularity",
    "certain_matching",
    "is_structurally_singular",
    "maximum_transversal",
    "structural_rank",
]


def certain_matching(graph: BipartiteGraph, options: dict[str, Any]) -> Matching:
    """Return a maximum matching, or raise ProofError if it was stopped before.

    It runs on one thread unless the options say otherwise, so the same graph gives the same
    matching.
    """
    matching: Matching = maximum_matching(graph, **{"threads": 1, **options})
    if not matching.is_maximum:
        assert matching.stats is not None
        raise ProofError(f"stopped before the matching was maximum: {matching.stats.stopped}")
    return matching


def structural_rank(graph: Any, **options: Any) -> int:
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


def maximum_transversal(graph: Any, **options: Any) -> IndexArray:
    """Return the column of each row on a transversal as long as can be, −1 for rows left out.

    Arguments and errors as for `structural_rank`. About O(edges) on most matrices.

    Examples
    --------
    >>> import berge, numpy as np
    >>> berge.maximum_transversal(np.array([[1, 1], [1, 0]])).tolist()
    [1, 0]
    """
    return certain_matching(as_bipartite(graph), options).row_match


@dataclass(frozen=True)
class Singularity:
    """Whether a matrix is structurally singular, and why: false, or a set that proves it.

    Attributes
    ----------
    side
        ``"rows"``, ``"columns"`` or None if it is not singular.
    vertices, neighbours
        A Hall violator: rows (or columns), and the fewer columns (or rows) that they have entries
        in. No choice of values can make them independent.
    """

    side: str | None
    vertices: IndexArray
    neighbours: IndexArray

    def __bool__(self) -> bool:
        return self.side is not None

    @property
    def reason(self) -> str:
        """The proof in words."""
        if self.side is None:
            return "not structurally singular: the smaller side can be matched whole"
        names = ("row", "column") if self.side == "rows" else ("column", "row")
        have = "has" if self.vertices.size == 1 else "have"
        entries = f"{have} entries in only {plural(self.neighbours.size, names[1])}"
        if not self.neighbours.size:
            entries = f"{have} no entry"
        return f"{plural(self.vertices.size, names[0])} {entries}"


def is_structurally_singular(graph: Any, **options: Any) -> Singularity:
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
        return Singularity(None, nothing, nothing)
    side = "rows"
    if graph.n_rows > graph.n_cols:
        side, graph, matching = "columns", graph.T, matching.turned()
    cover = koenig_cover(graph, matching)
    return Singularity(side, np.flatnonzero(~cover.rows), np.flatnonzero(cover.cols))
