"""Compressed rows out of edges that come in pieces, on threads: a counting sort, as in `csr`.

Each thread takes pieces that follow each other. It counts their edges by row, and these counts then
become the places where its next edge of the row goes. So edges of a row keep their order. The
pieces need not be joined first, which would take as much memory again.

- ``counts[t, r]``: edges of row r in thread t's pieces, and then the place of the next of them.

Work O(rows + edges); memory: the result, and a counter a row for each thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .. import tuning
from ..compile import kernel, threads_for
from .graph import BipartiteGraph, IndexArray, index_type, unsigned

__all__ = ["graph_of_pieces"]

Piece = tuple[IndexArray, IndexArray]


def graph_of_pieces(
    pieces: Sequence[Piece], shape: tuple[int, int], *, mirror: bool = False
) -> BipartiteGraph:
    """Build the graph of edges ``(rows[k], cols[k])`` of all pieces, which must be in the shape.

    With `mirror`, an edge (i, j) is also one (j, i); these come last in their rows.
    """
    size = sum(piece[0].size for piece in pieces)
    threads = threads_for(size, tuning.SHARED_TRANSPOSE)
    if threads * shape[0] > 2 * size:
        threads = 1
    shares = _shares(pieces, size, threads)
    jobs = [(share, False) for share in shares]
    if mirror:
        jobs += [(share, True) for share in shares]
    counts = np.zeros((len(jobs), shape[0]), unsigned(np.zeros(0, index_type(2 * size))).dtype)

    def in_all(do: Callable[..., None], *to: Any) -> None:
        def one(job: int) -> None:
            share, turned = jobs[job]
            for piece in share:
                keys, others = (unsigned(side) for side in (piece[::-1] if turned else piece))
                do(keys, others, turned, counts[job], *to)

        if threads == 1:
            for job in range(len(jobs)):
                one(job)
        else:
            list(pool.map(one, range(len(jobs))))

    with ThreadPoolExecutor(threads) as pool:
        in_all(count_piece)
        indptr = np.empty(shape[0] + 1, index_type(2 * size))
        add_up(counts, indptr)
        indices = np.empty(int(indptr[-1]), index_type(*shape))
        in_all(place_piece, unsigned(indices))
    indptr = indptr.astype(index_type(indices.size), copy=False)
    return BipartiteGraph._trusted(indptr, indices, shape)


def _shares(pieces: Sequence[Piece], size: int, threads: int) -> list[list[Piece]]:
    """Cut pieces into shares of about as many edges, one a thread."""
    shares: list[list[Piece]] = [[] for _ in range(threads)]
    before = 0
    for piece in pieces:
        shares[min(before * threads // max(size, 1), threads - 1)].append(piece)
        before += piece[0].size
    return shares


@kernel
def count_piece(keys: Any, others: Any, turned: bool, counts: Any) -> None:
    """Count the edges of each row; of those that are turned, loops are left out."""
    for k in range(keys.size):
        if not turned or keys[k] != others[k]:
            counts[keys[k]] += 1


@kernel
def place_piece(keys: Any, others: Any, turned: bool, places: Any, indices: Any) -> None:
    """Put the same edges in their places."""
    for k in range(keys.size):
        if not turned or keys[k] != others[k]:
            indices[places[keys[k]]] = others[k]
            places[keys[k]] += 1


@kernel
def add_up(counts: Any, indptr: Any) -> None:
    """Make places of counts, and fill `indptr`."""
    total = np.int64(0)
    for r in range(counts.shape[1]):
        indptr[r] = total
        for t in range(counts.shape[0]):
            count = counts[t, r]
            counts[t, r] = total
            total += np.int64(count)
    indptr[counts.shape[1]] = total
