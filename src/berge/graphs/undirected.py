"""Undirected graphs in CSR: is an adjacency one already, and if not, make it one.

`inspect` tells in one pass whether rows are strictly sorted, how many self-loops there are, and
whether every entry is there in both directions with the same weight. The last is found by a
fingerprint. It adds up a 64-bit hash of (lower end, higher end, weight) over the entries above the
diagonal, and subtracts that of the entries below. A symmetric graph has fingerprint 0; any other
graph has it by one chance in 2⁶⁴.

`both_ways`, `sort_rows` and `merge_parallel`, one after the other, make a graph of any list of
edges by counting sorts.

Work O(vertices + edges) each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compile import kernel, share_out
from ..compile.random import draw
from .csr import shift_back

LOOPS, UNSORTED, FINGERPRINT = 0, 1, 2
KEY, FACTOR = np.uint64(0x243F6A8885A308D3), np.uint64(0xD6E8FEB86659FD93)


class Rows(NamedTuple):
    """An adjacency in compressed rows; no weights where every edge weighs 1."""

    indptr: Any
    indices: Any
    weights: Any


@share_out
def inspect(t: int, shared: bool, rows: Any, blocks: Any, found: Any) -> None:
    """Count what is wrong with rows ``blocks[t]`` to ``blocks[t + 1]`` in ``found[t]``.

    The fingerprints of all blocks add up to 0.
    """
    bits = rows.weights.view(np.uint64)
    loops, unsorted = np.uint64(0), np.uint64(0)
    fingerprint = np.uint64(0)
    for v in range(blocks[t], blocks[t + 1]):
        last = np.int64(-1)
        for k in range(rows.indptr[v], rows.indptr[v + 1]):
            w = np.int64(rows.indices[k])
            if w <= last:
                unsorted += np.uint64(1)
            last = w
            if w == v:
                loops += np.uint64(1)
                continue
            low, high = (v, w) if v < w else (w, v)
            mark = draw(KEY ^ (np.uint64(low) * FACTOR), high)
            if bits.size > 0:
                mark = draw(mark, bits[k])
            if v < w:
                fingerprint += mark
            else:
                fingerprint -= mark
    found[t, LOOPS], found[t, UNSORTED], found[t, FINGERPRINT] = loops, unsorted, fingerprint


@kernel
def drop_loops(rows: Any, new: Any) -> None:
    """Copy a graph without its self-loops."""
    indptr, indices, weights = rows
    size = 0
    for v in range(indptr.size - 1):
        new.indptr[v] = size
        for k in range(indptr[v], indptr[v + 1]):
            if indices[k] != v:
                new.indices[size] = indices[k]
                if weights.size > 0:
                    new.weights[size] = weights[k]
                size += 1
    new.indptr[indptr.size - 1] = size


@kernel
def both_ways(ends: Any, others: Any, values: Any, rows: Any) -> None:
    """Fill unsorted rows, whose ``indptr`` is zeros, with each edge at both of its ends."""
    indptr, indices, weights = rows
    for k in range(ends.size):
        if ends[k] != others[k]:
            indptr[ends[k] + 1] += 1
            indptr[others[k] + 1] += 1
    for v in range(indptr.size - 1):
        indptr[v + 1] += indptr[v]
    # indptr[v] walks from the row's first place to the next row's first, then shifts back by one.
    for k in range(ends.size):
        v, w = ends[k], others[k]
        if v != w:
            indices[indptr[v]], indices[indptr[w]] = w, v
            if values.size > 0:
                weights[indptr[v]] = weights[indptr[w]] = values[k]
            indptr[v] += 1
            indptr[w] += 1
    shift_back(indptr)


@kernel
def sort_rows(rows: Any, place: Any, new: Any) -> None:
    """Sort the rows of a symmetric graph: its transpose, which has sorted rows, is itself."""
    indptr, indices, weights = rows
    for v in range(place.size):
        place[v] = indptr[v]
    for v in range(place.size):
        for k in range(indptr[v], indptr[v + 1]):
            w = indices[k]
            new.indices[place[w]] = v
            if weights.size > 0:
                new.weights[place[w]] = weights[k]
            place[w] += 1


@kernel
def merge_parallel(rows: Any, new_indptr: Any) -> int:
    """Keep the heaviest of parallel edges, in place, rows being sorted; return the new size."""
    indptr, indices, weights = rows
    size = 0
    for v in range(indptr.size - 1):
        new_indptr[v] = size
        for k in range(indptr[v], indptr[v + 1]):
            if k > indptr[v] and indices[k] == indices[size - 1]:
                if weights.size > 0:
                    weights[size - 1] = max(weights[size - 1], weights[k])
                continue
            indices[size] = indices[k]
            if weights.size > 0:
                weights[size] = weights[k]
            size += 1
    new_indptr[indptr.size - 1] = size
    return size
