"""All edges by decreasing weight, those of equal weight by their ends: a radix sort on all threads.

Weights are not negative, so their bits, read as integers, are in the same order; with all bits
turned round, rising keys are falling weights. Digits of 11 bits are sorted by counting from the
last to the first, and a digit in which all keys agree is passed over: weights that were single
precision, or whole numbers, need about half of the six passes. Counting sorts are stable, and the
edges come in the order of their lower and then their higher ends.

An edge is one 64-bit word, its lower end above its higher end: 2³² vertices at most.

Work O(n + m); memory 32 bytes an edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...compile import helper, kernel, share_out, thread_count
from ...errors import OptionError
from ...results.greedy_run import GreedyRun
from ...tuning import DIGIT, EDGES_PER_CALL, SHARED_SORT

__all__ = ["edges_by_weight", "ends", "in_portions"]

SIGN = np.uint64(1 << 63)
_32, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


def edges_by_weight(run: GreedyRun) -> tuple[Any, Any]:
    """Return the edges, packed, by decreasing weight, and their weights."""
    graph, m = run.graph, run.graph.n_edges
    if graph.n_vertices > 1 << 32:
        raise OptionError("edges are sorted in graphs of up to 2³² vertices only")
    keys, pairs = np.empty(m, np.uint64), np.empty(m, np.uint64)
    varying = np.uint64(list_edges(*run.rows, run.weights.view(np.uint64), keys, pairs))
    run.pause()
    others = np.empty_like(keys), np.empty_like(pairs)
    threads = 1 if m < SHARED_SORT else run.threads
    counts = np.empty((threads, 1 << DIGIT), np.int64)
    mask = np.uint64((1 << DIGIT) - 1)
    with thread_count(run.threads):
        for shift in map(np.uint64, range(0, 64, DIGIT)):
            if varying >> shift & mask:
                counts[:] = 0
                sort_digit(keys, pairs, shift, mask, counts, *others)
                (keys, pairs), others = others, (keys, pairs)
                run.pause()
    return pairs, np.invert(keys, out=keys).view(np.float64)


def in_portions(run: GreedyRun, pairs: Any) -> Iterator[slice]:
    """Yield slices of the edges, as many as a kernel does at a time, and pause after each."""
    for first in range(0, pairs.size, EDGES_PER_CALL):
        yield slice(first, first + EDGES_PER_CALL)
        run.pause()


@helper
def ends(pair: Any) -> tuple[Any, Any]:
    """Return the lower and the higher end of an edge."""
    return pair >> _32, pair & _LOW


@kernel
def list_edges(indptr: Any, indices: Any, bits: Any, keys: Any, pairs: Any) -> Any:
    """Fill `keys` and `pairs` with every edge once; return in which bits the keys differ."""
    count = 0
    varying = np.uint64(0)
    for v in range(indptr.size - 1):
        for k in range(indptr[v], indptr[v + 1]):
            if indices[k] > v:
                key = ~(bits[k] & ~SIGN)  # a negative zero is a zero
                keys[count] = key
                pairs[count] = np.uint64(v) << _32 | np.uint64(indices[k])
                varying |= key ^ keys[0]
                count += 1
    return varying


@kernel
def sort_digit(
    keys: Any, pairs: Any, shift: Any, mask: Any, counts: Any, new_keys: Any, new_pairs: Any
) -> None:
    """Sort by one digit, stably; ``counts`` are zeros on entry, a row for each thread."""
    threads, digits = counts.shape
    old, new = (keys, pairs), (new_keys, new_pairs)
    count_or_place(threads, old, new, shift, mask, counts, False)
    total = 0
    for d in range(digits):
        for t in range(threads):
            count = counts[t, d]
            counts[t, d] = total
            total += count
    count_or_place(threads, old, new, shift, mask, counts, True)


@share_out
def count_or_place(
    t: int, shared: bool, old: Any, new: Any, shift: Any, mask: Any, counts: Any, place: bool
) -> None:
    """Count the digits of thread t's edges, or put the edges in their places."""
    (keys, pairs), (new_keys, new_pairs) = old, new
    mine, share = counts[t], -(-keys.size // counts.shape[0])
    for k in range(t * share, min((t + 1) * share, keys.size)):
        d = keys[k] >> shift & mask
        if place:
            new_keys[mine[d]] = keys[k]
            new_pairs[mine[d]] = pairs[k]
        mine[d] += 1
