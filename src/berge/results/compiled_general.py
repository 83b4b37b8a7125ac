"""The compiled check of general graphs: what `checker/tutte_berge.py` specifies, in one pass.

As in `compiled_check`, it may only say yes: it returns the number of pairs if all is right beyond
doubt, else None, and numpy's check is to say what is wrong. By the names of the specification,
every row v of the graph is looked at once:
  m[v] = −1, or (0 ≤ m[v] < n, m[m[v]] = v, m[v] ≠ v and m[v] is in row v): (2), (3)
  −1 ≤ c[v] < n: (4)
  v ∈ A, or for every w in row v: w ∈ A or c[v] = c[w]: (5)
and the vertices of every Cᵢ are counted, by halves, for (6): the second, fourth, … of a part counts
one, which adds up to ⌊|Cᵢ| / 2⌋. (1) holds for graphs since they were made.

The rows of vertices in A are read as far as their mate. So are all rows where all vertices are one
part: then (5) holds, and the bound is ⌊n / 2⌋. Threads share the rows; counting is one thread's
work, since the numbers of parts are anywhere.

Work O(vertices + edges); memory a byte a vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compile import kernel, share_out, threads_for
from ..graphs.graph import Graph, equal_shares, unsigned
from ..tuning import SHARED_READS

__all__ = ["size_if_right"]

PAIRS, WRONG, LINE = 0, 1, 16  # what a thread finds; two cache lines


def size_if_right(graph: Graph, mate: Any, part: Any) -> int | None:
    """Return the number of pairs; None if there is any doubt. Without `part` nothing is proved."""
    n, index = graph.n_vertices, graph.indices.dtype
    given = np.empty(0, index) if part is None else part
    for array, size in ((mate, n), (given, 0 if part is None else n)):
        if type(array) is not np.ndarray or array.dtype.kind != "i" or array.shape != (size,):
            return None
    mate, given = np.array(mate, index), np.array(given, index)  # nobody else has these
    bound = None
    if given.size and 0 <= given[0] < n and (given == given[0]).all():
        given, bound = given[:0], n // 2
    threads = threads_for(graph.indices.size, SHARED_READS)
    cuts = equal_shares(graph.indptr, threads)
    found = np.zeros((threads, LINE), np.int64)
    check_rows(threads, unsigned(graph.indptr), unsigned(graph.indices), mate, given, cuts, found)
    size = int(found[:, PAIRS].sum()) // 2
    if found[:, WRONG].any():
        return None
    if part is not None:
        bound = bound_of(given, np.zeros(n, np.uint8)) if bound is None else bound
    return size if bound in (None, size) else None


@share_out
def check_rows(
    t: int,
    shared: bool,
    indptr: Any,
    indices: Any,
    mate: Any,
    part: Any,
    cuts: Any,
    found: Any,
) -> None:
    """Check the rows of thread t."""
    n = mate.size
    pairs, wrong = 0, 0
    proof = part.size > 0
    for v in range(cuts[t], cuts[t + 1]):
        m = np.int64(mate[v])
        mine = np.int64(-1)
        if proof:
            mine = np.int64(part[v])
            if mine < -1 or mine >= n:
                wrong += 1
                continue
        is_edge = m == -1
        if not is_edge:
            if m < 0 or m >= n or m == v or mate[m] != v:
                wrong += 1
                continue
            pairs += 1
        for k in range(indptr[v], indptr[v + 1]):
            w = np.int64(indices[k])
            if w == m:
                is_edge = True
                if mine < 0:
                    break
            if mine >= 0:
                other = np.int64(part[w])
                if other >= 0 and other != mine:
                    wrong += 1
        if not is_edge:
            wrong += 1
    found[t, PAIRS], found[t, WRONG] = pairs, wrong


@kernel
def bound_of(part: Any, odd: Any) -> Any:
    """Return |A| + Σᵢ ⌊|Cᵢ| / 2⌋, of parts in range; `odd` comes as zeros."""
    bound: Any = 0
    for v in range(part.size):
        i = np.int64(part[v])
        if i < 0:
            bound += 1
        else:
            bound += np.int64(odd[i])
            odd[i] = 1 - odd[i]
    return bound
