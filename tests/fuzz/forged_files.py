"""Forged proofs by prices, by covers of units and by odd sets, as files have them.

    python -m tests.fuzz.forged_files [--go-on] [--seconds N]

A small problem is solved, and its answer saved; some of what is in the file is changed, and it is
read again and proved. What is accepted goes to a judge, who tries all choices that there are. What
the file says was asked, such as capacities, is what it is judged by.
"""

from __future__ import annotations

import itertools
import math
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

import berge
from berge import BergeError
from berge.checker.prices import REQUIRED

from .differential import long_run, one_of
from .forged import CHANGES

NEAR = 1e-6  # of the largest weight: what may be missing with floating-point numbers
FAR = (2.0**45, -(2.0**45), 1e300, math.inf, math.nan)
IN_PLACE = tuple(change for change in CHANGES if change.__name__ in ("_swap", "_copy", "_shift"))
Content = dict[str, Any]
Edges = list[tuple[int, int, Any]]


def forge(seed: int) -> int:
    """Forge one file; return whether it was refused."""
    rng = default_rng([seed, 3])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.npz")
        return (forge_plan, forge_units, forge_odd_sets, forge_parts)[seed % 4](rng, path)


def changed(path: Path, rng: Generator, together: tuple[str, ...]) -> Content:
    """Change what a file has, and write it again; return what it has then."""
    with np.load(path) as file:
        content = dict(file)
    for _ in range(int(rng.integers(1, 4))):
        if (
            content[together[0]].size and rng.random() < 0.3
        ):  # a pair twice, another order, one less
            size = min(content[name].size for name in together)
            places = one_of(rng, ([*range(size), 0], [*range(1, size), 0], [*range(size - 1)]))
            for name in together if size else ():
                content[name] = content[name][np.array(places, np.int64)]
            continue
        name = one_of(rng, sorted(content))
        array = content[name]
        if array.dtype.kind == "U":
            continue
        if array.ndim == 0:
            content[name] = _number(rng, array)
        elif array.size and rng.random() < 0.7:
            change = one_of(rng, CHANGES if array.dtype.kind == "i" else IN_PLACE)
            content[name] = change(rng, array.copy())
        elif array.size:
            content[name] = _shifted(rng, array)
    np.savez(path, **content)
    return content


def _number(rng: Generator, array: Any) -> Any:
    if array.dtype.kind == "b":
        return np.array(not array)
    more = one_of(rng, (-1, 1, *(FAR if array.dtype.kind == "f" else (2**40,))))
    return np.array(array + more, array.dtype)


def _shifted(rng: Generator, array: Any) -> Any:
    """Return an array of which one number, or each, is more or less."""
    if array.dtype.kind == "b":
        return ~array
    by = np.array(one_of(rng, (-2, -1, 1, 2, *(FAR if array.dtype.kind == "f" else (2**20,)))))
    array = array.copy()
    with np.errstate(all="ignore"):
        array[slice(None) if rng.random() < 0.5 else int(rng.integers(array.size))] += by.astype(
            array.dtype
        )
    return array


def edges_of(rng: Generator, n: int, m: int) -> tuple[Edges, bool]:
    """Draw edges with weights; tell whether they are whole numbers."""
    whole = bool(rng.integers(2))
    edges = []
    for i, j in itertools.product(range(n), range(m)):
        if rng.random() < 0.75:
            weight = int(rng.integers(-3, 6)) if whole else float(rng.normal())
            edges.append((i, j, weight))
    return edges, whole


def columns_of(edges: Edges, whole: bool) -> tuple[Any, Any, Any]:
    """Return ends and weights as arrays."""
    rows, cols, weights = ([edge[k] for edge in edges] for k in range(3))
    kind = np.int64 if whole else np.float64
    return np.array(rows, np.int64), np.array(cols, np.int64), np.array(weights, kind)


def choices(edges: Edges) -> Iterator[Edges]:
    """Yield all subsets."""
    for size in range(len(edges) + 1):
        yield from map(list, itertools.combinations(edges, size))


def degrees(chosen: Edges, side: int, size: int) -> Any:
    """Return how many edges each vertex of a side has."""
    return np.bincount(np.array([edge[side] for edge in chosen], np.int64), minlength=size)


def forge_plan(rng: Generator, path: Path) -> int:
    """Forge an assignment."""
    n, m = (int(k) for k in rng.integers(1, 4, 2))
    edges, whole = edges_of(rng, n, m)
    source = (*columns_of(edges, whole), (n, m))
    objective = one_of(rng, ("min", "max", "min", "max", "product", "bottleneck"))
    match = one_of(rng, ("full", "maximum", "any") if objective != "bottleneck" else ("maximum",))
    asked: dict[str, Any] = {"objective": objective, "match": match}
    if objective in ("min", "max") and rng.random() < 0.4:
        asked["unmatched_cost"] = int(rng.integers(-1, 4))
    if objective != "bottleneck" and rng.random() < 0.4:
        asked["capacity_left"] = int(rng.integers(1, 3))
    try:
        plan = berge.assign(source, **asked)
    except BergeError:  # not all can be matched
        return 0
    plan.save(path)
    content = changed(path, rng, ("rows", "cols", "pair_weights"))
    try:
        plan = berge.Assignment.load(path)
        plan.prove(source)
    except BergeError:
        return 1
    pairs = list(
        zip(plan.rows.tolist(), plan.cols.tolist(), plan.pair_weights.tolist(), strict=True)
    )
    allowed = [e for e in edges if objective != "product" or e[2]]
    assert len({pair[:2] for pair in pairs}) == len(pairs), f"a pair twice: {content}"
    assert set(pairs) <= {(i, j, abs(w) if objective == "product" else w) for i, j, w in allowed}, (
        f"no edges: {content}"
    )
    values = list(_values(plan, allowed, n, m))
    own = [value for chosen, value in values if {e[:2] for e in chosen} == {p[:2] for p in pairs}]
    assert own, f"not what was asked: {content}"
    best = (min if objective == "min" else max)(value for _, value in values)
    scale = NEAR * (1 + max((abs(e[2]) for e in edges), default=0) + _paid(content))
    room = 0 if whole and objective != "product" else scale
    for value in (*own, plan.total):
        close = value == best or abs(value - best) <= room
        assert close, f"{value}, and the best is {best}: {content}, {edges}"
    return 0


def _paid(content: Content) -> float:
    """Return the largest price of leaving that counts."""
    leave = np.concatenate([content["row_leave"], content["col_leave"]])
    most = REQUIRED[leave.dtype.kind]
    return float(np.abs(leave[leave != most]).max(initial=0))


def _values(plan: Any, edges: Edges, n: int, m: int) -> Iterator[tuple[Edges, Any]]:
    """Yield all choices that count, each with its total."""
    sides = (plan.row_side, plan.col_side)
    found = []
    for chosen in choices(edges):
        total: Any = 0
        for k, (side, size) in enumerate(zip(sides, (n, m), strict=True)):
            d = degrees(chosen, k, size)
            must = side.leave == REQUIRED[side.leave.dtype.kind]
            if (d > side.capacity).any() or (d < np.where(must, side.capacity, side.least)).any():
                break
            left = zip((side.capacity - d).tolist(), side.leave.tolist(), strict=True)
            total += sum(count * price for count, price in left if count)
        else:
            weights = [edge[2] for edge in chosen]
            total = sum(weights) + (total if plan.objective == "min" else -total)
            if plan.objective == "product":
                total = math.prod(map(abs, weights))
            elif plan.objective == "bottleneck":
                total = min(weights, default=math.inf)
            found.append((chosen, total))
    size = max((len(chosen) for chosen, _ in found), default=0)
    if plan.match == "full":
        size = min(int(side.capacity.sum()) for side in sides)
    return (c for c in found if plan.match == "any" or len(c[0]) == size)


def forge_units(rng: Generator, path: Path) -> int:
    """Forge a matching with capacities."""
    n, m = (int(k) for k in rng.integers(1, 4, 2))
    edges, whole = edges_of(rng, n, m)
    rows, cols, _ = columns_of(edges, whole)
    graph = berge.BipartiteGraph.from_edges(rows, cols, (n, m))
    asked = {"capacity_left": rng.integers(0, 3, n), "capacity_right": rng.integers(0, 3, m)}
    berge.maximum_matching(graph, **asked).save(path)
    content = changed(path, rng, ("rows", "cols"))
    try:
        found = berge.CapacityMatching.load(path)
        cover = found.prove(graph)
    except BergeError:
        return 1
    pairs = found.pairs().tolist()
    assert len(set(map(tuple, pairs))) == len(pairs), f"a pair twice: {content}"
    best = 0
    for chosen in choices(edges):
        sides = ((found.row_units, n), (found.col_units, m))
        ds = [degrees(chosen, k, size) for k, (_, size) in enumerate(sides)]
        fits = all((d <= units[1]).all() for d, (units, _) in zip(ds, sides, strict=True))
        best = max(best, len(chosen)) if fits else best
        if sorted([i, j] for i, j, _ in chosen) == sorted(pairs):
            assert fits, f"too many: {content}"
            least = (d >= units[0] for d, (units, _) in zip(ds, sides, strict=True))
            assert all(enough.all() for enough in least), f"too few: {content}"
    assert len(pairs) == best == cover.size == found.upper_bound, f"best is {best}: {content}"
    return 0


def matchings(edges: Edges) -> Iterator[Edges]:
    """Yield all matchings of a graph."""
    for chosen in choices(edges):
        ends = [v for edge in chosen for v in edge[:2]]
        if len(set(ends)) == len(ends):
            yield chosen


def graph_of(rng: Generator) -> tuple[int, Edges, bool]:
    """Draw a small graph with weights that need not be bipartite."""
    n = int(rng.integers(2, 7))
    edges, whole = edges_of(rng, n, n)
    edges = [edge for edge in edges if edge[0] < edge[1]]
    return n, [edges[k] for k in sorted(rng.permutation(len(edges))[:9].tolist())], whole


def forge_odd_sets(rng: Generator, path: Path) -> int:
    """Forge a heaviest matching of any graph."""
    n, edges, whole = graph_of(rng)
    graph = berge.Graph.from_edges(*columns_of(edges, whole)[:2], n)
    of = {edge[:2]: edge[2] for edge in edges}
    ends = np.repeat(np.arange(n), graph.degrees).tolist()
    pairs = [(min(e), max(e)) for e in zip(ends, graph.indices.tolist(), strict=True)]
    weights = np.array([of[pair] for pair in pairs], np.int64 if whole else np.float64)
    asked = one_of(rng, ({}, {"maxcardinality": True}, {"minimise": True}, {"perfect": True}))
    try:
        berge.maximum_weight_matching(graph, weights, **asked).save(path)
    except BergeError:  # none is perfect
        return 0
    content = changed(path, rng, ("mate",))
    try:
        found = berge.WeightedMatching.load(path)
        found.prove(graph, weights)
    except BergeError:
        return 1
    own = set(map(tuple, found.pairs().tolist()))
    sign, competing = -1 if found.minimise else 1, list(matchings(edges))
    most = max(map(len, competing))
    if found.competes_with != "all":
        size = most if found.competes_with == "maximum" else n / 2
        competing = [chosen for chosen in competing if len(chosen) == size]
    sums = {frozenset(e[:2] for e in c): sum(e[2] for e in c) for c in competing}
    assert frozenset(own) in sums, f"not what competes: {content}"
    best = max(sign * weight for weight in sums.values())
    room = 0 if whole else NEAR * (1 + float(np.abs(weights).max(initial=0)))
    for weight in (sums[frozenset(own)], found.weight, found.weight_bound):
        assert abs(sign * weight - best) <= room, f"{weight}, the best is {best}: {content} {edges}"
    assert found.is_optimal, f"proved, and does not say so: {content}"
    return 0


def forge_parts(rng: Generator, path: Path) -> int:
    """Forge a Tutte–Berge set, or the matching that it is to prove."""
    n, edges, whole = graph_of(rng)
    graph = berge.Graph.from_edges(*columns_of(edges, whole)[:2], n)
    found = berge.maximum_matching(graph)
    arrays = {"mate": found.mate.copy(), "part": found.prove(graph).part.copy()}
    for _ in range(int(rng.integers(1, 4))):
        name = one_of(rng, tuple(arrays))
        arrays[name] = one_of(rng, CHANGES)(rng, arrays[name])
    forged = berge.GeneralMatching(arrays["mate"], upper_bound=n)
    size = int((arrays["mate"] >= 0).sum()) // 2
    refused = 0
    for check in ("compiled", "numpy"):
        try:
            berge.verify(graph, forged, berge.TutteBerge(arrays["part"]), check=check)
        except BergeError:
            refused += 1
            continue
        pairs = set(map(tuple, forged.pairs().tolist()))
        most = max(map(len, matchings(edges)))
        right = pairs <= {edge[:2] for edge in edges} and len(pairs) == size == most
        assert right, f"{check}: {arrays}, {edges}"
    assert refused in (0, 2), f"the checks disagree: {arrays}, {edges}"
    return refused // 2


if __name__ == "__main__":
    for before in range(-40, 0):  # loads what is compiled before the first child is forked
        forge(before + 2**32)
    sys.exit(long_run("forged-files", forge, "refused"))
