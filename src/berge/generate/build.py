"""What the functions of `berge.generate` share: checks of arguments, edges to a graph, points."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import OptionError
from ..graphs.graph import BipartiteGraph
from ..graphs.memory import available

MOST_VERTICES = 2**31 - 1


def whole(name: str, value: Any, least: int = 0, most: int = MOST_VERTICES) -> int:
    """Return an argument as int if it is a whole number within limits."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise OptionError(f"{name} must be a whole number, not {value!r}")
    if not least <= value <= most:
        raise OptionError(f"{name} must be from {least:,} to {most:,}, not {value:,}")
    return int(value)


def seed_number(value: Any) -> int:
    """Return an argument as int if it can be a seed."""
    return whole("seed", value, 0, 2**64 - 1)


def real(name: str, value: Any, least: float, most: float = math.inf) -> float:
    """Return an argument as float if it is a finite number within limits."""
    numeric = isinstance(value, (int, float, np.integer, np.floating))
    if isinstance(value, bool) or not numeric or not abs(value) <= sys.float_info.max:
        raise OptionError(f"{name} must be a finite number, not {value!r}")
    if not least <= value <= most:
        limits = f"at least {least}" if most == math.inf else f"from {least:g} to {most:g}"
        raise OptionError(f"{name} must be {limits}, not {value!r}")
    return float(value)


def named_or_four(
    name: str, value: Any, named: Mapping[str, tuple[float, ...]]
) -> tuple[float, ...]:
    """Return four probabilities that sum to 1, given as such or by a name."""
    if isinstance(value, str):
        if value not in named:
            raise OptionError(f"{name} must be four numbers, {' or '.join(named)}, not {value!r}")
        return named[value]
    try:
        four = tuple(real(name, p, 0, 1) for p in value)
    except TypeError:
        four = ()
    if len(four) != 4 or not math.isclose(sum(four), 1, abs_tol=1e-9):
        raise OptionError(f"{name} must be four numbers that sum to 1, not {value!r}")
    return four


def check_size(side: int, n_edges: int, /, **arguments: Any) -> None:
    """Raise before anything is allocated that cannot be held; `side` is the larger one's size."""
    asked = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    if side > MOST_VERTICES:
        raise OptionError(f"{asked} asks for {side:,} vertices; {MOST_VERTICES:,} is the most")
    # Both ends of an edge, twice while they are sorted, and its entry twice.
    needed = 24 * n_edges + 16 * side
    memory = available()
    if needed > memory:
        raise OptionError(
            f"{asked} asks for about {n_edges:,} edges, which take {needed / 2**30:,.0f} GiB to "
            f"make; {memory / 2**30:,.0f} GiB are free"
        )


def graph_of(
    rows: npt.NDArray[Any],
    cols: npt.NDArray[Any],
    shape: tuple[int, int],
    *,
    mirror: bool = False,
    repeats: bool = False,
) -> BipartiteGraph:
    """Build a graph with sorted rows; add the mirror image of each edge; drop what repeats."""
    rows, cols = rows.astype(np.int32, copy=False), cols.astype(np.int32, copy=False)
    if mirror:
        rows, cols = np.concatenate([rows, cols]), np.concatenate([cols, rows])
    # By columns first: the transpose of anything has sorted rows.
    graph = BipartiteGraph.from_edges(cols, rows, shape[::-1]).T
    if not repeats:
        return graph
    from ..graphs.csr import drop_duplicates

    indptr, indices = np.empty_like(graph.indptr), np.array(graph.indices)
    size = drop_duplicates(graph.indptr, indices, indptr)
    return BipartiteGraph._trusted(indptr, indices[:size].copy(), shape)


def random_points(n: int, seed: int) -> npt.NDArray[np.float64]:
    """Return random points of the unit square, numbered along it."""
    from .kernels import key_of, uniform

    points = uniform(key_of(seed_number(seed), 0), 2 * n).reshape(n, 2)
    return points[along_strips(points)]


def along_strips(points: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Return the order of points from left to right in strips, some points wide, one by one."""
    strip = np.floor(points[:, 1] * (math.sqrt(len(points)) / 8))
    return np.lexsort((points[:, 0], strip))
