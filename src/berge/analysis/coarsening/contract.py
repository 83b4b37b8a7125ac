"""Contraction: the graph whose vertices are the clusters of a finer one.

Weights of vertices add up; edges between the same two clusters become one, whose weight is their
sum; edges inside a cluster disappear.

Rows of the coarse graph are handed out to threads by chunks. For a row the thread goes through the
entries of all members. ``marks[t, d]`` is the place where thread t last put an entry for cluster d:
if that lies in the row under way, the weight is added there, else a new entry begins. A thread gets
ascending rows, and each row a stretch of a buffer as long as the degrees of its members, so places
only grow, and marks need never be reset.

Rows are sorted by a counting sort to the transpose, which has sorted rows and is the same graph,
since that is symmetric. Each thread counts the entries of a block of rows by column, and then puts
them there. In this step ``marks[t, d]`` is where its next entry of column d goes.

It does not matter which thread makes a row. But sums of floating-point numbers depend on their
order, which differs between the two directions of an edge. So `exact_weights` rounds the finest
weights once, and every later sum is exact.

Work O(n + m). Memory: 12 bytes an entry for the buffer, 4 bytes a coarse vertex and thread for the
marks (more where counts pass 2³¹).

Races: none. Threads write to places of their own.

Reference: G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for partitioning
irregular graphs", SIAM J. Sci. Comput. 20, 1998, section 3.1.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...compile import helper, kernel, next_chunk, share_out
from ...graphs.csr import edges_to_csr
from ...graphs.graph import Graph, IndexArray, Weights, equal_shares, unsigned
from ...tuning import CHUNK, EDGES_PER_CALL

__all__ = ["contract", "exact_weights", "number"]

# Entries of `state`: the step, the next row to hand out, and from AT on the row of each thread.
STEP, CURSOR, AT = 0, 1, 2
MERGE, COUNT, SPREAD = range(3)  # the steps


class Work(NamedTuple):
    """What the kernel works on; the buffers are explained above."""

    indptr: Any
    indices: Any
    weights: Any  # empty if all are one
    coarse: Any  # cluster of each vertex
    members: Any  # vertices by cluster, and where each cluster begins
    begins: Any
    places: Any  # where each row of the buffer begins, and how long it is
    lengths: Any
    row_indices: Any
    row_weights: Any
    marks: Any
    blocks: Any  # where each thread's block of rows begins, to be sorted
    new_indices: Any
    new_weights: Any


def exact_weights(weights: Weights) -> Weights:
    """Round weights to a multiple of a power of two so small that sums of them are exact.

    Whole numbers with a sum below 2⁵⁰ stay as they are. Any other weight loses at most 2⁻⁵⁰ of the
    sum of all.
    """
    total = float(weights.sum())
    if total == 0 or not math.isfinite(total):
        return weights
    unit = 2.0 ** (math.frexp(total)[1] - 51)
    return np.rint(weights / unit) * unit


def number(head: IndexArray) -> tuple[IndexArray, int]:
    """Give the clusters, each named by one of its vertices, numbers in the order of these.

    Examples
    --------
    >>> import numpy as np
    >>> from berge.analysis.coarsening.contract import number
    >>> number(np.array([0, 1, 1, 0, 4], np.int32))
    (array([0, 1, 1, 0, 2], dtype=int32), 3)
    """
    heads = head == np.arange(head.size, dtype=head.dtype)
    rank = np.cumsum(heads, dtype=head.dtype)
    return rank[head] - head.dtype.type(1), int(rank[-1]) if rank.size else 0


def contract(graph: Graph, coarse: IndexArray, n_coarse: int, threads: int) -> Graph:
    """Return the graph of the clusters; the caller adds up the weights of the vertices."""
    n, index, place = graph.n_vertices, graph.indices.dtype, graph.indptr.dtype
    begins, members = np.zeros(n_coarse + 1, index), np.empty(n, index)
    edges_to_csr(unsigned(coarse), np.arange(n, dtype=index), begins, members)
    places = np.zeros(n_coarse + 1, place)
    np.cumsum(np.bincount(coarse, graph.degrees, n_coarse), out=places[1:], dtype=place)
    work = Work(
        indptr=unsigned(graph.indptr),
        indices=unsigned(graph.indices),
        weights=np.empty(0) if graph.weights is None else graph.weights,
        coarse=unsigned(coarse),
        members=unsigned(members),
        begins=unsigned(begins),
        places=unsigned(places),
        lengths=np.empty(n_coarse, place),
        row_indices=unsigned(np.empty(graph.indices.size, index)),
        row_weights=np.empty(graph.indices.size),
        marks=np.full((threads, n_coarse), -1, place),
        blocks=np.zeros(threads + 1, np.int64),
        new_indices=np.empty(0, index),
        new_weights=np.empty(0),
    )
    state = np.zeros(AT + threads, np.int64)
    while state[CURSOR] < n_coarse:
        do_step(threads, work, state, EDGES_PER_CALL)

    indptr = np.zeros(n_coarse + 1, place)
    np.cumsum(work.lengths, out=indptr[1:])
    size, marks, blocks = int(indptr[-1]), work.marks, work.blocks
    blocks[:] = equal_shares(indptr, threads)
    marks[:] = 0
    if threads > 1:
        _in_order(COUNT, work, state)
        marks[1:] = np.cumsum(marks[:-1], axis=0)
        marks[0] = 0
    marks += indptr[:-1]
    work = work._replace(new_indices=np.empty(size, index), new_weights=np.empty(size))
    _in_order(SPREAD, work, state)
    return Graph._trusted(indptr, work.new_indices, work.new_weights)


def _in_order(step: int, work: Work, state: Any) -> None:
    """Do a step for all rows, each thread its block."""
    state[STEP], state[AT:] = step, work.blocks[:-1]
    while np.any(state[AT:] < work.blocks[1:]):
        do_step(work.marks.shape[0], work, state, EDGES_PER_CALL)


@share_out
def do_step(t: int, shared: bool, work: Any, state: Any, budget: int) -> None:
    """Do thread t's share of a step, until it has spent its budget of entries."""
    if state[STEP] == MERGE:
        merge(work, state, work.marks[t], budget)
    else:
        sort(work, state, work.marks[t], t, budget)


@kernel
def merge(work: Any, state: Any, mark: Any, budget: int) -> None:
    """Make one thread's share of the rows, chunk by chunk."""
    while budget > 0:
        first, last = next_chunk(state, CURSOR, work.lengths.size, CHUNK, True)
        if first >= last:
            break
        for c in range(first, last):
            merge_row(work, mark, c)
        budget -= np.int64(work.places[last] - work.places[first])


@helper
def merge_row(work: Any, mark: Any, c: int) -> None:
    """Gather the entries of a cluster's members, one for each neighbouring cluster."""
    indptr, indices, weights = work.indptr, work.indices, work.weights
    row_indices, row_weights = work.row_indices, work.row_weights
    begin = np.int64(work.places[c])
    end = begin
    for i in range(work.begins[c], work.begins[c + 1]):
        u = work.members[i]
        for k in range(indptr[u], indptr[u + 1]):
            d = work.coarse[indices[k]]
            if d == c:
                continue
            w = weights[k] if weights.size > 0 else 1.0
            at = np.int64(mark[d])
            if at >= begin:
                row_weights[at] += w
            else:
                mark[d] = end
                row_indices[end] = d
                row_weights[end] = w
                end += 1
    work.lengths[c] = end - begin


@kernel
def sort(work: Any, state: Any, mark: Any, t: int, budget: int) -> None:
    """Count the entries of the thread's rows by column, or put them there, row by row."""
    row_indices, row_weights = work.row_indices, work.row_weights
    new_indices, new_weights = work.new_indices, work.new_weights
    c = state[AT + t]
    while c < work.blocks[t + 1] and budget > 0:
        begin = np.int64(work.places[c])
        end = begin + np.int64(work.lengths[c])
        if state[STEP] == COUNT:
            for i in range(begin, end):
                mark[row_indices[i]] += 1
        else:
            for i in range(begin, end):
                d = row_indices[i]
                to = mark[d]
                mark[d] = to + 1
                new_indices[to] = c
                new_weights[to] = row_weights[i]
        budget -= end - begin
        c += 1
    state[AT + t] = c
