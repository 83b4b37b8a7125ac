"""scipy's matching functions, call for call: change the import and nothing else.

``from berge.interop.scipy import maximum_bipartite_matching, structural_rank`` takes the place of
the same names from ``scipy.sparse.csgraph``: same arguments, same arrays back, same errors. Where
a graph has several maximum matchings the pairs may differ from scipy's, as they do between
versions of scipy; the number of pairs never does. What scipy gets wrong is right here: duplicate
entries corrupt its memory, and layered matrices take it time that doubles with every layer.

Both run on one thread, so that one matrix gives one result, as people are used to from scipy. For
all cores, limits and proofs call `berge.maximum_matching`.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from scipy.sparse import SparseEfficiencyWarning, issparse

from ..graphs.graph import IndexArray
from ..results.matching import Matching
from ..solve.maximum import maximum_matching

__all__ = ["maximum_bipartite_matching", "structural_rank"]

_FORMATS = ("csr", "csc", "coo")


def maximum_bipartite_matching(graph: Any, perm_type: str = "row") -> IndexArray:
    """Match rows and columns of a sparse matrix, as many as can be.

    Takes the place of ``scipy.sparse.csgraph.maximum_bipartite_matching``.

    Parameters
    ----------
    graph
        A sparse array or matrix in CSR, CSC or COO format. Every stored entry joins its row and
        its column, also one whose value is zero.
    perm_type
        ``"row"``: return the row of each column. ``"column"``: return the column of each row.
        Anything else counts as ``"row"``, since it does in scipy.

    Returns
    -------
    perm : ndarray
        int32 (int64 from 2³¹ rows or columns on, where scipy gives up); −1 stands for unmatched.

    Raises
    ------
    TypeError
        If the graph is not sparse, or in another format.
    InvalidGraphError
        A ValueError: if it has other than two dimensions, or indices that are out of range.

    Examples
    --------
    Three people and what they can do; nobody has to do two things:

    >>> from berge.interop.scipy import maximum_bipartite_matching
    >>> from scipy.sparse import csr_array
    >>> can = csr_array([[1, 1, 0], [1, 0, 0], [0, 1, 1]])
    >>> maximum_bipartite_matching(can, perm_type="column")
    array([1, 0, 2], dtype=int32)

    A matrix with its rows in that order has no zero on the diagonal:

    >>> order = maximum_bipartite_matching(can)
    >>> can[order].diagonal()
    array([1, 1, 1])

    Notes
    -----
    berge's default (`maximum_matching`): O(n·m) in the worst case, about O(m) on most graphs.
    """
    graph = _sparse(graph, "graph must be sparse")
    if graph.format not in _FORMATS:
        raise TypeError("graph must be in CSC, CSR, or COO format.")
    matching = _match(graph)
    # Copies, since a Matching's arrays are read-only and scipy's are not.
    return np.array(matching.row_match if perm_type == "column" else matching.col_match)


def structural_rank(graph: Any) -> np.int64:
    """Return the largest rank that a matrix with entries in these places can have.

    Takes the place of ``scipy.sparse.csgraph.structural_rank``.

    Parameters
    ----------
    graph
        A sparse array or matrix. As in scipy, other formats than CSR, CSC and COO bring a
        ``SparseEfficiencyWarning``.

    Raises
    ------
    TypeError
        If the graph is not sparse.

    Examples
    --------
    Two of the three rows have entries in the last column alone, so one of them is too many:

    >>> from berge.interop.scipy import structural_rank
    >>> from scipy.sparse import csr_array
    >>> int(structural_rank(csr_array([[1, 1, 1], [0, 0, 1], [0, 0, 1]])))
    2
    """
    graph = _sparse(graph, "Input must be sparse")
    if graph.format not in _FORMATS:
        warnings.warn(
            "Input matrix should be in CSC, CSR, or COO matrix format",
            SparseEfficiencyWarning,
            stacklevel=2,
        )
    return np.int64(_match(graph).cardinality)


def _match(graph: Any) -> Matching:
    matching: Matching = maximum_matching(graph, threads=1)
    if not matching.is_maximum:
        raise KeyboardInterrupt  # what alone stops a solve without a limit; half is no answer here
    return matching


def _sparse(graph: Any, complaint: str) -> Any:
    """Return a sparse matrix of scipy's; the package ``sparse`` has some that scipy takes too."""
    pydata: Any = getattr(sys.modules.get("sparse"), "SparseArray", ())
    if isinstance(graph, pydata):
        return graph.to_scipy_sparse()
    if not issparse(graph):
        raise TypeError(complaint)
    return graph
