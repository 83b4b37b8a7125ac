"""Large entries to the diagonal, and all others no larger: what sparse direct solvers want first.

With costs −log|a(i, j)| the best assignment has the largest product of entries. Its prices u, v
satisfy u(i) + v(j) ≤ −log|a(i, j)|, with = for chosen entries. So if rows are multiplied by exp(u),
and columns by exp(v), chosen entries have absolute value 1 and all others at most 1. Rows are
permuted so that the chosen entries are on the diagonal.

Scales are computed in logarithms. Prices of a connected part may be moved from rows to columns;
they are, so that both sides' scales are as near to each other as can be. Then each column's scale
is corrected so that its diagonal entry is 1 up to two roundings.

Reference: I. S. Duff, J. Koster, "On algorithms for permuting large entries to the diagonal of a
sparse matrix", SIAM J. Matrix Anal. Appl. 22 (2001): MC64, job 5, and job 3 for the bottleneck.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np
import numpy.typing as npt

from ..errors import InvalidGraphError, OptionError
from ..graphs.graph import IndexArray
from ..ingest.own import own_csr
from ..results.assignment import Assignment
from ..settings import AssignSettings
from ..shown import Shown
from ..solve.assign import assign
from .structure import is_structurally_singular

__all__ = ["ScaledPermutation", "scale_and_permute"]

LARGEST = 690.0  # of a scale's logarithm, so that products of two do not overflow on the way
Values = npt.NDArray[Any]


@dataclass(frozen=True, repr=False)
class ScaledPermutation(Shown):
    """A matrix with large entries on its diagonal, and how it was made.

    Attributes
    ----------
    matrix
        ``(diag(row_scale) @ A @ diag(col_scale))[row_order]``, a scipy CSR array.
    row_order
        Row i of `matrix` is row ``row_order[i]`` of A.
    row_scale, col_scale
        What the rows and columns of A were multiplied by; ones for the bottleneck.
    assignment
        The `Assignment` of rows to columns, which can be proved.

    Examples
    --------
    To solve A x = b with it: ``y = solve(matrix, (row_scale * b)[row_order])`` and then
    ``x = col_scale * y``.

    >>> import berge, numpy as np
    >>> A, b = np.array([[1e-9, 2.0], [4.0, 1e3]]), np.array([1.0, 2.0])
    >>> s = berge.scale_and_permute(A)
    >>> y = np.linalg.solve(s.matrix.toarray(), (s.row_scale * b)[s.row_order])
    >>> bool(np.allclose(A @ (s.col_scale * y), b))
    True
    """

    matrix: Any
    row_order: IndexArray
    row_scale: Values
    col_scale: Values
    assignment: Assignment

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "matrix", repr(self)[len("ScaledPermutation(") : -1]
        yield "rows times", _range(self.row_scale)
        yield "columns times", _range(self.col_scale)

    def __repr__(self) -> str:
        n = self.row_order.size
        smallest = np.abs(self.matrix.diagonal()).min(initial=np.inf)
        return f"ScaledPermutation({n:,} × {n:,}, smallest entry on the diagonal {smallest:.6g})"


def _range(scale: Values) -> str:
    return f"{scale.min(initial=1):.3g} to {scale.max(initial=0):.3g}" if scale.size else "nothing"


def scale_and_permute(
    matrix: Any,
    objective: Literal["product", "bottleneck"] = "product",
    **options: Unpack[AssignSettings],
) -> ScaledPermutation:
    """Permute rows and scale a square matrix so that its diagonal is large (MC64).

    Parameters
    ----------
    matrix
        A square scipy sparse array or matrix, or a dense array; real or complex. Entries of one
        place are added up. Zeros, stored or not, cannot be on the diagonal.
    objective
        ``"product"``: the product of absolute values on the diagonal is largest. Scaled, they are 1
        and all others at most 1. ``"bottleneck"``: the smallest on the diagonal is as large as can
        be; nothing is scaled.
    **options
        For `berge.assign`: ``threads``, ``time_limit`` …

    Returns
    -------
    ScaledPermutation

    Raises
    ------
    InvalidGraphError
        If the matrix is not square, has an entry that is infinite or not a number, or is
        structurally singular: no permutation has a diagonal without zeros. The message says which
        rows have entries in too few columns.

    Examples
    --------
    >>> import berge, numpy as np
    >>> s = berge.scale_and_permute(np.array([[1e-9, 2.0], [4.0, 1e3]]))
    >>> s.row_order.tolist(), np.abs(s.matrix.toarray()).round(6).tolist()
    ([1, 0], [[1.0, 1.0], [0.0, 1.0]])
    >>> berge.scale_and_permute(np.array([[1, 2], [0, 0]]))
    Traceback (most recent call last):
        ...
    berge.errors.InvalidGraphError: structurally singular: 1 row has no entry

    Notes
    -----
    As `assign`; besides that O(entries), and memory for three copies of them.
    """
    from scipy.sparse import csr_array, issparse

    if objective not in ("product", "bottleneck"):
        raise OptionError(f"objective must be product or bottleneck, not {objective!r}")
    given, sparse = matrix, issparse(matrix)
    a: Any = own_csr(given) if sparse and len(given.shape) == 2 else csr_array(given)
    if a.shape[0] != a.shape[1]:
        raise InvalidGraphError(f"the matrix must be square, not {a.shape}")
    a = a.astype(np.result_type(a.dtype, np.float64))  # a copy
    a.sum_duplicates()
    n = a.shape[0]
    rows = np.repeat(np.arange(n), np.diff(a.indptr))
    wrong = np.flatnonzero(~np.isfinite(a.data))
    if wrong.size:
        k = wrong[0]
        place = f"row {rows[k]} and column {a.indices[k]}"
        raise InvalidGraphError(f"the entry of {place} is {a.data[k]}")
    sizes = np.abs(a.data)
    kept = np.flatnonzero(sizes)
    entries = csr_array((sizes[kept], (rows[kept], a.indices[kept])), shape=a.shape)
    try:
        plan = assign(entries, objective=objective, **options)
    except InvalidGraphError:
        if singular := is_structurally_singular(entries):
            raise InvalidGraphError(f"structurally singular: {singular.reason}") from None
        raise
    if not plan.is_complete:
        raise InvalidGraphError(f"stopped before there was a permutation: {plan.stopped}")
    row_scale, col_scale = np.ones(n), np.ones(n)
    if objective == "product":
        row_scale, col_scale = _scales(plan, entries)
        # In this order nothing overflows, since a scaled entry is at most 1.
        a.data = a.data * row_scale[rows] * col_scale[a.indices]
    order = plan.col_match
    return ScaledPermutation(a[order], order, row_scale, col_scale, plan)


def _scales(plan: Assignment, entries: Any) -> tuple[Values, Values]:
    """Return what rows and columns are to be multiplied by."""
    from scipy.sparse import block_array
    from scipy.sparse.csgraph import connected_components

    u, v = plan.row_prices, plan.col_prices
    n = u.size
    if not n:
        return u, v
    parts = connected_components(block_array([[None, entries], [entries.T, None]]))[1]
    size = np.bincount(parts[:n])  # as many columns
    middle = (np.bincount(parts[n:], v) - np.bincount(parts[:n], u)) / (2 * size)
    u, v = u + middle[parts[:n]], v - middle[parts[n:]]
    if max(np.abs(u).max(), np.abs(v).max()) > LARGEST:
        raise InvalidGraphError(
            "entries differ by so much that the scales would be beyond 1e±300: "
            "objective='bottleneck' permutes without them"
        )
    row_scale = np.exp(u)
    col_scale = np.empty(n)
    col_scale[plan.cols] = 1 / (plan.pair_weights * row_scale[plan.rows])
    return row_scale, col_scale
