"""scipy's matching functions, call for call: change the import and nothing else.

``from berge.interop.scipy import maximum_bipartite_matching, structural_rank`` takes the place of
the same names from ``scipy.sparse.csgraph``: same arguments, same arrays back, same errors. Where
a graph has several maximum matchings the pairs may differ from scipy's, as they do between
versions of scipy; the number of pairs never does. What scipy gets wrong is right here: duplicate
entries corrupt its memory, and layered matrices take it time that doubles with every layer.

By weight, ``min_weight_full_bipartite_matching`` takes the place of the one in the same module, and
``linear_sum_assignment`` that of ``scipy.optimize``'s. This also takes sparse arrays, where missing
entries are forbidden pairs, and hands a small dense matrix to scipy, which is faster there.

All run on one thread, so that one matrix gives one result, as people are used to from scipy. For
all cores, limits and proofs call `berge.maximum_matching` and `berge.assign`.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment as _theirs
from scipy.sparse import SparseEfficiencyWarning, issparse

from ..errors import InvalidGraphError
from ..graphs.graph import IndexArray
from ..ingest.own import own_csr
from ..results.matching import Matching
from ..solve.assign import assign
from ..solve.maximum import maximum_matching

__all__ = [
    "linear_sum_assignment",
    "maximum_bipartite_matching",
    "min_weight_full_bipartite_matching",
    "structural_rank",
]

_FORMATS = ("csr", "csc", "coo")
# From here on berge is faster on dense matrices, where both sides are as large (docs/scipy.md).
_DENSE = 500
Ends = tuple[IndexArray, IndexArray]


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


def min_weight_full_bipartite_matching(biadjacency: Any, maximize: bool = False) -> Ends:
    """Match all of the smaller side at the least total weight.

    Takes the place of ``scipy.sparse.csgraph.min_weight_full_bipartite_matching``.

    Parameters
    ----------
    biadjacency
        A sparse array or matrix in CSR, CSC or COO format. Explicit zeros are removed with a
        warning, as in scipy; for `berge.assign` they are edges.
    maximize
        Find the largest total.

    Returns
    -------
    row_ind, col_ind : ndarray
        The rows, in order, and the column of each.

    Raises
    ------
    ValueError
        If there is no full matching, or the values are no numbers.
    TypeError
        If it is not sparse, or in another format.

    Examples
    --------
    >>> from berge.interop.scipy import min_weight_full_bipartite_matching
    >>> from scipy.sparse import csr_array
    >>> row_ind, col_ind = min_weight_full_bipartite_matching(csr_array([[4, 1], [2, 3]]))
    >>> col_ind
    array([1, 0])
    """
    biadjacency = _sparse(biadjacency, "graph must be sparse")
    if biadjacency.format not in _FORMATS:
        raise TypeError("graph must be in CSC, CSR, or COO format.")
    if biadjacency.dtype.kind not in "biuf":
        raise ValueError(f"expected a matrix containing numerical entries, got {biadjacency.dtype}")
    csr = own_csr(biadjacency).astype(np.float64)
    csr.sum_duplicates()
    if not np.all(csr.data):
        warnings.warn(
            "explicit zero weights are removed before matching", UserWarning, stacklevel=2
        )
        csr.eliminate_zeros()
    return _assigned(csr, csr.data, maximize, "no full matching exists")


def linear_sum_assignment(cost_matrix: Any, maximize: bool = False) -> Ends:
    """Match all of the smaller side at the least total cost.

    Takes the place of ``scipy.optimize.linear_sum_assignment``, and takes sparse arrays too.

    Parameters
    ----------
    cost_matrix
        A dense matrix, where infinite costs are forbidden pairs; or a sparse one, where pairs
        without a stored entry are forbidden and zeros are costs.
    maximize
        Find the largest total.

    Returns
    -------
    row_ind, col_ind : ndarray
        The rows, in order, and the column of each.

    Raises
    ------
    ValueError
        If there is no full matching, or a cost is not a number.

    Examples
    --------
    >>> from berge.interop.scipy import linear_sum_assignment
    >>> linear_sum_assignment([[4, 1], [2, 3]])
    (array([0, 1]), array([1, 0]))
    """
    sparse: Any = cost_matrix
    if issparse(cost_matrix):
        if sparse.format != "csr":
            sparse = own_csr(sparse)
            sparse.sum_duplicates()
        return _assigned(sparse, sparse.data, maximize, "cost matrix is infeasible")
    matrix = np.asarray(cost_matrix)
    large = matrix.ndim == 2 and min(matrix.shape) >= max(_DENSE, max(matrix.shape) // 2)
    if not large or matrix.dtype.kind not in "biuf":
        found: Ends = _theirs(cost_matrix, maximize)
        return found
    return _assigned(matrix, matrix, maximize, "cost matrix is infeasible")


def _assigned(matrix: Any, values: Any, maximize: bool, complaint: str) -> Ends:
    wanted = np.inf if maximize else -np.inf
    if values.dtype.kind == "f" and (np.isnan(values) | (values == wanted)).any():
        raise ValueError("matrix contains invalid numeric entries")
    try:
        plan = assign(matrix, objective="max" if maximize else "min", threads=1)
    except InvalidGraphError as error:
        raise ValueError(f"{complaint}: {error}") from None
    if plan.stopped:
        raise KeyboardInterrupt
    return plan.rows.astype(np.int64), plan.cols.astype(np.int64)


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
