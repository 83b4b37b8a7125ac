"""The checker of matchings with capacities: a cover proves that none has more edges. Only numpy.

Given are
  R, C    `shape`, two whole numbers: rows are 0 … R − 1, columns 0 … C − 1
  E       `edges`, in pieces (rows, cols): the set of all pairs (rows[k], cols[k]) of all pieces
  x, y    `rows` and `cols`, as many whole numbers: M = {(x[k], y[k])}
  a, b    `row_units` and `col_units`: (least, most), each R, or C, whole numbers
  P, Q    `cover`, where there is one: R and C truth values
Let d(v) be the number of pairs of M that vertex v is in. `check_capacities` returns |M| if all of
this holds, and else raises:
  (1)  ∀ (i, j) ∈ E:  0 ≤ i < R  and  0 ≤ j < C
  (2)  no pair is twice in M, and  M ⊆ E
  (3)  ∀ i:  a.least[i] ≤ d(i) ≤ a.most[i],  and the same for columns and b
and where there is a cover, with  U = {(i, j) ∈ E : not P[i] and not Q[j]}
  (4)  Σ{a.most[i] : P[i]} + Σ{b.most[j] : Q[j]} + |U| = |M|

Why that is enough: let N ⊆ E be any choice with no more than `most` edges at each vertex. An edge
of N is in U, or it has an end in P or Q. There are at most |U| of the first kind, since each edge
is chosen at most once, and of the second no more than the vertices of P and Q may have. So |N| is
at most the left side of (4), which is |M|. (Such a cover exists for every M that is as large as can
be: a smallest cut, Ford and Fulkerson 1956. With one unit a vertex it is Kőnig's cover.)

Lower bounds are checked for M. That a matching which also meets them is no smaller than others is
what (4) says. Every array is copied once, before it is looked at, as in `check`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import ProofError
from .check import check_sizes, copy_of, ends_of


def check_capacities(
    shape: tuple[int, int], edges: Iterable[Any], rows: Any, cols: Any, row_units: Any,
    col_units: Any, cover: Any = None,
) -> int:  # fmt: skip
    """Return the number of pairs if (1) to (3) hold, with a cover also (4); else raise."""
    n_rows, n_cols = shape
    x, y = copy_of("rows", rows, "i"), copy_of("cols", cols, "i")
    if x.size != y.size:
        raise ProofError(f"{x.size} rows and {y.size} columns are no pairs")
    a_most = _check_units("row", x, n_rows, row_units)
    b_most = _check_units("column", y, n_cols, col_units)
    pairs = np.sort(_number(x, y, n_cols))
    twice = np.flatnonzero(pairs[1:] == pairs[:-1])
    if twice.size:
        i, j = divmod(int(pairs[twice[0]]), n_cols)
        raise ProofError(f"the pair of row {i} and column {j} is there twice")
    is_edge = np.zeros(pairs.size, np.bool_)
    uncovered = [np.zeros(0, np.int64)]
    if cover is not None:
        p, q = copy_of("cover of rows", cover[0], "b"), copy_of("cover of columns", cover[1], "b")
        check_sizes("the cover", p, q, shape)
    for piece in edges:
        i = ends_of("row", piece[0], n_rows)
        j = ends_of("column", piece[1], n_cols, i.size)
        numbers = _number(i, j, n_cols)
        if pairs.size:
            places = np.minimum(np.searchsorted(pairs, numbers), pairs.size - 1)
            is_edge[places[pairs[places] == numbers]] = True
        if cover is not None:
            uncovered.append(numbers[~(p.take(i) | q.take(j))])
    if not is_edge.all():
        i, j = divmod(int(pairs[is_edge.argmin()]), n_cols)
        raise ProofError(f"row {i} is matched to column {j}, not a neighbour")
    if cover is not None:
        size = sum(a_most[p].tolist()) + sum(b_most[q].tolist())
        size += np.unique(np.concatenate(uncovered)).size
        if size != pairs.size:
            raise ProofError(
                f"the cover allows {size} edges and the matching has {pairs.size}: "
                "not a proof that it is maximum"
            )
    return int(pairs.size)


def _number(rows: Any, cols: Any, n_cols: int) -> Any:
    """Return a number for each pair, different ones for different pairs."""
    if rows.size and (int(rows.max()) + 1) * n_cols >= 2**63:
        raise ProofError("the graph is too large: rows × columns must be below 2^63")
    return rows.astype(np.int64) * n_cols + cols


def _check_units(side: str, ends: Any, n: int, units: Any) -> Any:
    """Check (3), and that the ends are vertices; return a copy of `most`."""
    least, most = (copy_of(f"units of each {side}", values, "i", n) for values in units)
    if ends.size and (ends.min() < 0 or ends.max() >= n):
        wrong = ends[(ends < 0) | (ends >= n)][0]
        raise ProofError(f"a pair has {side} {wrong}: out of range")
    degree = np.bincount(ends, minlength=n)
    wrong = np.flatnonzero((degree < least) | (degree > most))
    if wrong.size:
        v = wrong[0]
        raise ProofError(
            f"{side} {v} is in {degree[v]} pairs, and must be in {least[v]} to {most[v]}"
        )
    return most
