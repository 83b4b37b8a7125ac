"""Forged proofs: right matchings and covers, changed, against the checkers.

    python -m tests.fuzz.forged [--go-on] [--seconds N]

Each forgery goes to `berge.verify` with both of its checks, to the checker itself, and to the
compiled check alone. A judge here says whether what was
made is right after all, since two changes may undo each other: plain Python, by the definitions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

import berge
from berge import BergeError, BipartiteGraph, Certificate, Graph, Matching
from berge.checker.check import check_matching, edges_of_rows
from berge.checker.general import check_general
from berge.results.compiled_check import size_if_right

from . import graphs
from .differential import long_run, one_of, undirected

Arrays = dict[str, Any]
WRONG = (np.float64, np.uint8, np.uint64, np.bool_, np.complex128, object, "U3")


def _swap(rng: Generator, array: Any) -> Any:
    i, j = rng.integers(0, array.size, 2)
    array[[i, j]] = array[[j, i]]
    return array


def _set(rng: Generator, array: Any) -> Any:
    """Drop a mate, or give one: a number in range, just out of it, or far away."""
    size = array.size
    wrong = (-2, -1, -1, 0, 1, size - 1, size, -size, 2**31 - 1, -(2**31))
    array[rng.integers(0, size)] = one_of(rng, wrong) if array.dtype.kind == "i" else True
    return array


def _copy(rng: Generator, array: Any) -> Any:
    i, j = rng.integers(0, array.size, 2)
    array[i] = array[j]
    return array


def _turn(rng: Generator, array: Any) -> Any:
    i = rng.integers(0, array.size)
    array[i] = not array[i] if array.dtype.kind == "b" else ~array[i]
    return array


def _shift(rng: Generator, array: Any) -> Any:
    return np.roll(array, 1)


CHANGES: tuple[Callable[[Generator, Any], Any], ...] = (_swap, _set, _copy, _turn, _shift)
# Whatever the numbers are, these are refused.
FORMS: tuple[Callable[[Generator, Any], Any], ...] = (
    lambda rng, array: array[:-1],
    lambda rng, array: np.append(array, array[:1]),
    lambda rng, array: array.reshape(1, -1),
    lambda rng, array: array.tolist(),
    lambda rng, array: None,
    lambda rng, array: np.ma.masked_array(array, array == array[0]),
    lambda rng, array: array.astype(one_of(rng, [k for k in WRONG if np.dtype(k) != array.dtype])),
)


def is_right(graph: BipartiteGraph, r: Any, c: Any, rows: Any, cols: Any) -> bool:
    """Judge a matching and its cover, edge by edge."""
    edges = set()
    for i in range(graph.n_rows):
        for k in range(graph.indptr[i], graph.indptr[i + 1]):
            edges.add((i, int(graph.indices[k])))
    pairs = {(i, j) for i, j in enumerate(r.tolist()) if j != -1}
    back = {(i, j) for j, i in enumerate(c.tolist()) if i != -1}
    covered = all(rows[i] or cols[j] for i, j in edges)
    return pairs == back and pairs <= edges and covered and sum(rows) + sum(cols) == len(pairs)


def refused(call: Callable[..., Any], *arguments: Any) -> bool:
    """Tell whether a call raises one of berge's errors; any other goes through."""
    try:
        call(*arguments)
    except BergeError:
        return True
    return False


def forge(seed: int) -> int:
    """Forge one proof of a small graph; return whether it was forged, and refused."""
    rng = default_rng([seed, 2])
    graph = graphs.small(rng)
    if not all(graph.shape):
        return 0
    if seed % 8 == 7:
        return forge_greedy(rng, undirected(rng, graph))
    found = berge.maximum_matching(graph)
    cover = found.prove(graph)
    arrays = {"r": found.row_match, "c": found.col_match, "rows": cover.rows, "cols": cover.cols}
    arrays = {name: array.copy() for name, array in arrays.items()}
    formed, lie = False, 0
    for _ in range(int(rng.integers(1, 4))):
        name = one_of(rng, tuple(arrays))
        arrays[name] = one_of(rng, CHANGES)(rng, arrays[name])
    match int(rng.integers(6)):
        case 0:
            name, formed = one_of(rng, tuple(arrays)), True
            arrays[name] = one_of(rng, FORMS)(rng, arrays[name])
        case 1:
            lie = one_of(rng, (-1, 1, 2**40))
        case 2:  # the matching and the cover both lose one, so that their sizes agree
            arrays["r"][:1], arrays["c"][found.row_match[:1]] = -1, -1
            arrays["rows"][np.flatnonzero(arrays["rows"])[:1]] = False
    right = not formed and is_right(graph, *arrays.values())
    edges = edges_of_rows(graph.indptr, graph.window)
    by_checker = refused(check_matching, graph.shape, edges, *list(arrays.values())[:2],
                         (arrays["rows"], arrays["cols"]))  # fmt: skip
    assert by_checker != right, f"the checker: {arrays}"
    forged = Matching.__new__(Matching)  # past all that its makers would notice
    forged.row_match, forged.col_match = arrays["r"], arrays["c"]
    size = found.cardinality if formed else int((arrays["r"] >= 0).sum())
    forged.cardinality = forged.upper_bound = size + lie
    cover = Certificate(arrays["rows"], arrays["cols"])
    for check in ("compiled", "numpy"):
        by_verify = refused(partial(berge.verify, check=check), graph, forged, cover)
        assert by_verify == (not right or lie != 0), f"{check}: {arrays}, which says {size + lie}"
    runs = [(0, graph.n_rows)]
    if size_if_right(graph, arrays["r"], arrays["c"], (cover.rows, cover.cols), runs) is None:
        assert not right or not graph.nnz, f"the compiled check refuses what is right: {arrays}"
    else:
        assert right, f"the compiled check accepts {arrays}"
    return int(by_verify)


def forge_greedy(rng: Generator, graph: Graph) -> int:
    """Forge a matching of a general graph, its weight, or its claim to be maximal."""
    found = berge.greedy_matching(graph, threads=1)
    mate, weight, maximal = found.mate.copy(), found.weight, found.is_maximal
    match int(rng.integers(4)):
        case 0:
            mate = one_of(rng, FORMS)(rng, mate)
            assert refused(_general, graph, mate)
        case 1:
            weight += one_of(rng, (1.0, -1.0, float("nan"), float("inf")))
        case 2:  # one pair less
            v = int(np.argmax(mate))
            mate[[v, mate[v]]] = -1
        case _:
            mate = one_of(rng, CHANGES)(rng, mate)
    if isinstance(mate, np.ndarray) and np.array_equal(mate, found.mate) and weight == found.weight:
        return 0
    forged = object.__new__(berge.GreedyMatching)
    facts = {"mate": mate, "size": found.size, "weight": weight, "is_maximal": maximal}
    for name, value in facts.items():
        object.__setattr__(forged, name, value)
    assert refused(berge.verify, graph, forged), f"verify: {facts}"
    return 1


def _general(graph: Graph, mate: Any) -> None:
    edges = edges_of_rows(graph.indptr, lambda lo, hi: graph.indices[lo:hi], graph.weights)
    check_general(graph.n_vertices, edges, mate)


if __name__ == "__main__":
    sys.exit(long_run("forged", forge, "refused"))
