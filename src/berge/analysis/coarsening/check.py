"""The checker of hierarchies: every level is added up anew, by scipy and numpy alone."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import ProofError
from ...graphs.graph import Graph

__all__ = ["check_level"]

_ROUNDING = 1e-12  # of the sum of all; whole numbers are added up exactly


def check_level(fine: Any, coarse_of: Any, coarse: Any, name: str, limit: float) -> None:
    """Check that a level is what its map makes of the finer one."""
    n, n_coarse = fine.n_vertices, coarse.n_vertices
    if coarse_of is None or coarse_of.shape != (n,):
        raise ProofError(f"{name}: the map must have {n} entries")
    if n and not (coarse_of.min() >= 0 and coarse_of.max() < n_coarse):
        raise ProofError(f"{name}: the map leads out of 0 … {n_coarse - 1}")
    counts = np.bincount(coarse_of, minlength=n_coarse)
    if not counts.all():
        raise ProofError(f"{name}: nothing is mapped to vertex {int(np.argmin(counts))}")
    before, after = _vertex_weights(fine), _vertex_weights(coarse)
    sums = np.bincount(coarse_of, before, n_coarse)
    _compare(sums, after, f"{name}: vertex", "its vertices weigh")
    over = np.flatnonzero((after > limit * (1 + _ROUNDING)) & (counts > 1))
    if over.size:
        c = int(over[0])
        raise ProofError(f"{name}: vertex {c} weighs {after[c]}, more than the limit {limit}")
    if isinstance(fine, Graph):
        _check_edges(fine.to_scipy(), coarse_of, coarse.to_scipy(), name)
    else:
        _check_nets(fine.to_scipy(), coarse_of, coarse.to_scipy(), name)


def _vertex_weights(graph: Any) -> npt.NDArray[np.float64]:
    if graph.vertex_weights is None:
        return np.ones(graph.n_vertices)
    return np.asarray(graph.vertex_weights, np.float64)


def _compare(sums: Any, claimed: Any, what: str, said: str) -> None:
    off = np.abs(sums - claimed) > _ROUNDING * sums.sum()
    if off.any():
        i = int(np.argmax(off))
        raise ProofError(f"{what} {i} is said to weigh {claimed[i]}, but {said} {sums[i]}")


def _check_edges(fine: Any, coarse_of: Any, coarse: Any, name: str) -> None:
    """Compare a graph with Pᵀ A P off the diagonal."""
    from scipy.sparse import csr_array, diags_array

    n, size = coarse_of.size, coarse.shape[0]
    merging = csr_array((np.ones(n), coarse_of, np.arange(n + 1)), shape=(n, size))
    fine = fine.astype(np.float64)
    sums = merging.T @ fine @ merging
    sums = sums - diags_array(sums.diagonal())
    off = (sums - coarse).tocoo()
    wrong = np.flatnonzero(np.abs(off.data) > _ROUNDING * fine.data.sum())
    if wrong.size:
        i, j = off.row[wrong[0]], off.col[wrong[0]]
        raise ProofError(
            f"{name}: the edge of {i} and {j} is said to weigh {coarse[i, j]}, but the edges that "
            f"it stands for weigh {sums[i, j]}"
        )


def _check_nets(fine: Any, coarse_of: Any, coarse: Any, name: str) -> None:
    """Compare nets with those of the finer level, pins renamed; each set of pins is one net."""
    expected = _weights_of_nets(fine, coarse_of)
    found = _weights_of_nets(coarse, np.arange(coarse.shape[1]))
    if expected.keys() != found.keys() or len(found) != coarse.shape[0]:
        raise ProofError(f"{name}: its nets are not those of the level before")
    sums = np.array([expected[pins] for pins in found])
    said = np.array(list(found.values()))
    _compare(sums, said, f"{name}: net", "the nets that it stands for weigh")


def _weights_of_nets(nets: Any, names: Any) -> dict[frozenset[int], float]:
    """Return the weight of each set of two or more pins that is a net."""
    weights: dict[frozenset[int], float] = {}
    for begin, end in pairwise(nets.indptr.tolist()):
        pins = frozenset(names[nets.indices[begin:end]].tolist())
        if len(pins) > 1:
            weights[pins] = weights.get(pins, 0.0) + float(nets.data[begin])
    return weights
