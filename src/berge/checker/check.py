"""The checker: the one file to read for whoever doubts an answer. Plain Python and numpy.

Given are
  R, C    `shape`, two whole numbers: rows are 0 … R − 1, columns 0 … C − 1
  E       `edges`, in pieces (rows, cols): all pairs (rows[k], cols[k]) of all pieces
  r, c    `row_match` and `col_match`: R and C whole numbers
  P, Q    `cover`, where there is one: R and C truth values
Let M = {(i, r[i]) : r[i] ≠ −1}. `check_matching` returns |M| if all of this holds, and else raises:
  (1)  ∀ (i, j) ∈ E:  0 ≤ i < R  and  0 ≤ j < C
  (2)  ∀ i:  r[i] = −1  or  (0 ≤ r[i] < C  and  c[r[i]] = i)
  (3)  ∀ j:  c[j] = −1  or  (0 ≤ c[j] < R  and  r[c[j]] = j)
  (4)  ∀ i:  r[i] = −1  or  (i, r[i]) ∈ E
and where there is a cover
  (5)  ∀ (i, j) ∈ E:  P[i]  or  Q[j]
  (6)  |{i : P[i]}| + |{j : Q[j]}| = |M|,  or ≤ B where there is a `bound` B ≥ |M|

Why that is enough:
  M is a matching of E. M ⊆ E by (4). No column is in two pairs: r[i] = r[k] = j gives i = c[j] = k
  by (2). No row is, since r is a function.
  M is maximum. Let N ⊆ E be any matching. By (5) every edge of N has an end in the cover, and no
  two of them share an end. So |N| ≤ |P| + |Q|, which is |M| by (6). (Such a cover exists for every
  maximum M: Kőnig 1931. So what is right can be proved.) With a bound it is shown that |N| ≤ B.

Every array is copied once, before it is looked at, into a plain one of numpy. What is accepted
holds for these copies, whatever other threads or subclasses of arrays do. Nothing that a matching
or a cover says of itself is looked at: all is counted here. Graphs that are not bipartite have a
checker of their own beside this one, `general`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..errors import ProofError

KINDS = {"i": "signed integers", "b": "truth values", "f": "floating-point numbers"}
CHUNK = 1 << 17  # edges at a time, so that they stay in the processor's cache


def check_matching(
    shape: tuple[int, int], edges: Iterable[Any], row_match: Any, col_match: Any, cover: Any = None,
    bound: int | None = None,
) -> int:  # fmt: skip
    """Return the number of pairs if (1) to (4) hold, with a cover also (5) and (6); else raise."""
    r, c = copy_of("row_match", row_match, "i"), copy_of("col_match", col_match, "i")
    check_sizes("the matching", r, c, shape)
    if cover is not None:
        p, q = copy_of("cover of rows", cover[0], "b"), copy_of("cover of columns", cover[1], "b")
        check_sizes("the cover", p, q, shape)
    check_mates("row", "column", r, c)
    check_mates("column", "row", c, r)
    is_edge = r == -1  # or there is nothing that must be one
    for piece in edges:
        rows = ends_of("row", piece[0], r.size)
        cols = ends_of("column", piece[1], c.size, rows.size)
        is_edge[rows[np.flatnonzero(r.take(rows) == cols)]] = True
        if cover is not None:
            covered = p.take(rows) | q.take(cols)
            if not covered.all():
                k = covered.argmin()
                raise ProofError(f"the edge of row {rows[k]} and column {cols[k]} is not covered")
    if not is_edge.all():
        i = is_edge.argmin()
        raise ProofError(f"row {i} is matched to column {r[i]}, not a neighbour")
    size = int((r >= 0).sum())
    if cover is not None and p.sum() + q.sum() > (size if bound is None else bound):  # ≥ |M| by (5)
        sizes = f"the cover has {p.sum() + q.sum()} vertices and the matching {size} edges"
        proof = "it is maximum" if bound is None else f"{bound} are the most"
        raise ProofError(f"{sizes}: not a proof that {proof}")
    return size


def edges_of_rows(
    indptr: Any, window: Callable[[int, int], Any], weights: Any = None
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield E = {(i, indices[k]) : indptr[i] ≤ k < indptr[i + 1]} in pieces, with their weights.

    ``window(lo, hi)`` is to return ``indices[lo:hi]``.
    """
    ends = copy_of("indptr", indptr, "i")
    if ends.size == 0 or ends[0] != 0 or (ends[1:] < ends[:-1]).any():
        raise ProofError("indptr must begin with 0 and never fall")
    for lo in range(0, int(ends[-1]), CHUNK):
        hi = min(lo + CHUNK, int(ends[-1]))
        bounds = np.array([lo, hi - 1], ends.dtype)
        first, last = np.searchsorted(ends, bounds, side="right")
        degrees = np.diff(np.clip(ends[first - 1 : last + 1], lo, hi))
        rows = np.repeat(np.arange(first - 1, last), degrees)
        yield rows, window(lo, hi), None if weights is None else weights[lo:hi]


def ends_of(side: str, values: Any, bound: int, size: int | None = None) -> Any:
    """Copy one end of every edge of a piece; each must be in 0 … bound − 1: (1)."""
    ends = copy_of("edges", values, "i", size)
    if ends.size and (ends.min() < 0 or ends.max() >= bound):
        wrong = ends[(ends < 0) | (ends >= bound)][0]
        raise ProofError(f"an edge has {side} {wrong}: out of range")
    return ends


def check_sizes(what: str, of_rows: Any, of_cols: Any, shape: tuple[int, int]) -> None:
    """Check that arrays have an entry for every row, and for every column."""
    if (of_rows.size, of_cols.size) != shape:
        raise ProofError(
            f"{what} is for {of_rows.size} × {of_cols.size} vertices, "
            f"the graph has {shape[0]} × {shape[1]}"
        )


def check_mates(side: str, other: str, match: Any, back: Any) -> None:
    """Check (2), or (3): mates are in range, and matched back."""
    wrong = np.flatnonzero((match < -1) | (match >= back.size))
    if wrong.size:
        i = wrong[0]
        raise ProofError(f"{side} {i} is matched to {other} {match[i]}: out of range")
    matched = np.flatnonzero(match >= 0)
    wrong = matched[back[match[matched]] != matched]
    if wrong.size:
        i, j = wrong[0], match[wrong[0]]
        raise ProofError(f"{side} {i} is matched to {other} {j}, which is matched to {back[j]}")


def copy_of(name: str, values: Any, kind: str, size: int | None = None) -> Any:
    """Return a plain array of numpy, of its own, if it is of this kind and size."""
    if not isinstance(values, np.ndarray) or isinstance(values, np.ma.MaskedArray):
        raise ProofError(f"{name} must be a numpy array, not a {type(values).__name__}")
    array = np.array(values, subok=False)
    if array.ndim != 1 or array.dtype.kind != kind:
        found = f"a {array.ndim}-dimensional one of {array.dtype}"
        raise ProofError(f"{name} must be a one-dimensional array of {KINDS[kind]}, not {found}")
    if size is not None and array.size != size:
        raise ProofError(f"{name} has {array.size} entries, not {size}")
    return array


def numbers_of(
    name: str, values: Any, kind: str, largest: Any, size: int | None = None, besides: Any = None
) -> Any:
    """Copy numbers, in 64 bits; each must be nearer to 0 than `largest`, or be `besides`."""
    array = copy_of(name, values, kind, size)
    wide = array.astype(f"{kind}8")
    if not ((wide == array) & (wide < largest) & (wide > -largest) | (wide == besides)).all():
        raise ProofError(f"{name} must be numbers of 64 bits, below {largest:.3g}")
    return wide
