"""Random numbers and random edges for `berge.generate`, the same on any number of threads.

Every number comes from `berge.compile.random` by its place, so loops may be cut anywhere.

Work O(1) a number, O(scale) an RMAT edge. Each kernel writes ``out[k]`` from k alone, without
races; the shuffle is serial.

References
----------
Chakrabarti, Zhan, Faloutsos: R-MAT: a recursive model for graph mining. SDM 2004.
Black, Rogaway: Ciphers with arbitrary finite domains. CT-RSA 2002 (cycle walking).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..compile import kernel, prange
from ..compile.random import draw, draw_unit, key_of, wrapping

__all__ = [
    "distinct_edges",
    "integers",
    "key_of",
    "permutation",
    "rmat_edges",
    "uniform",
]

_ONE = np.uint64(1)
_FEISTEL_ROUNDS = 6


@kernel(parallel=True)
def _fill_integers(key: Any, bound: Any, out: Any) -> None:
    for k in prange(out.size):
        out[k] = draw(key, k) % bound


@kernel(parallel=True)
def _fill_uniform(key: Any, out: Any) -> None:
    for k in prange(out.size):
        out[k] = draw_unit(key, k)


@kernel
def _shuffle(key: Any, out: Any) -> None:
    """Fisher–Yates."""
    for k in range(out.size - 1, 0, -1):
        other = np.int64(draw(key, k) % np.uint64(k + 1))
        kept = out[k]
        out[k] = out[other]
        out[other] = kept


@kernel(parallel=True)
def _fill_rmat(key: Any, scale: int, bounds: Any, scramble: Any, rows: Any, cols: Any) -> None:
    """Choose one of four quadrants `scale` times per edge, by how many `bounds` a draw reaches."""
    a, ab, abc = bounds[0], bounds[1], bounds[2]
    for k in prange(rows.size):
        edge_key = draw(key, k)
        row = 0
        col = 0
        for level in range(scale):
            bits = draw(edge_key, level)
            row = 2 * row + (bits >= ab)
            # Right half: quadrant b (past a alone) or d (past all three).
            col = 2 * col + ((bits >= a) ^ (bits >= ab) ^ (bits >= abc))
        rows[k] = scramble[row]
        cols[k] = scramble[col]


@kernel(parallel=True)
def _fill_distinct(key: Any, half: Any, n_cols: Any, cells: Any, rows: Any, cols: Any) -> None:
    """Edge k is the image of k under a random bijection of the matrix's cells, so none repeats.

    The bijection is a Feistel network on numbers of 2·`half` bits; a number past the last cell is
    sent through again until it lands on one (fewer than four times on average).
    """
    mask = (_ONE << half) - _ONE
    for k in prange(rows.size):
        cell = np.uint64(k)
        inside = False
        while not inside:
            left = cell >> half
            right = cell & mask
            for turn in range(_FEISTEL_ROUNDS):
                mixed = left ^ (draw(draw(key, turn), right) & mask)
                left = right
                right = mixed
            cell = (left << half) | right
            inside = cell < cells
        rows[k] = cell // n_cols
        cols[k] = cell % n_cols


@wrapping
def integers(key: np.uint64, bound: int, size: int) -> npt.NDArray[np.int32]:
    """Return `size` random numbers from ``range(bound)``."""
    out = np.empty(size, np.int32)
    if size:
        _fill_integers(key, np.uint64(bound), out)
    return out


@wrapping
def uniform(key: np.uint64, size: int) -> npt.NDArray[np.float64]:
    """Return `size` random numbers from [0, 1)."""
    out = np.empty(size)
    _fill_uniform(key, out)
    return out


@wrapping
def permutation(key: np.uint64, size: int) -> npt.NDArray[np.int32]:
    """Return ``range(size)`` in random order."""
    out = np.arange(size, dtype=np.int32)
    _shuffle(key, out)
    return out


@wrapping
def rmat_edges(
    seed: int, scale: int, n_edges: int, probabilities: tuple[float, ...]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the ends of RMAT edges, repeats and all, with vertices renamed at random."""
    passed = np.cumsum(probabilities)[:3]
    bounds = np.array([min(int(p * 2**64), 2**64 - 1) for p in passed], np.uint64)
    rows, cols = np.empty((2, n_edges), np.int32)
    _fill_rmat(key_of(seed, 0), scale, bounds, permutation(key_of(seed, 1), 2**scale), rows, cols)
    return rows, cols


@wrapping
def distinct_edges(
    seed: int, n_rows: int, n_cols: int, n_edges: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the ends of so many different edges, drawn from all cells of the matrix alike."""
    rows, cols = np.empty((2, n_edges), np.int32)
    half = (max(n_rows * n_cols - 1, 0).bit_length() + 1) // 2
    if n_edges:
        _fill_distinct(
            key_of(seed, 0),
            np.uint64(half),
            np.uint64(n_cols),
            np.uint64(n_rows * n_cols),
            rows,
            cols,
        )
    return rows, cols
