"""Small weighted graphs by the thousand, each against all of its matchings; each proof is checked.

    python -m tests.fuzz.weighted [--go-on] [--seconds N] [--first SEED]

A seed makes 400 graphs of up to 10 vertices, of all densities, with weights of one kind: few values
(ties), negative ones, zeros, whole ones from small to 10¹², fractions. A search of the tests' own
finds for each the heaviest matching and the heaviest maximum one. berge gets the graphs side by
side as one, once for each way to ask. What it finds is compared graph by graph. Then the proof is
checked, which holds for all of them only if it holds for each. Every eighth seed makes one graph of
20 to 300 vertices instead, of which the proof says enough.
"""

from __future__ import annotations

import os
import sys
from typing import Any

os.environ.setdefault("NUMBA_NUM_THREADS", "4")  # as for `differential`

import numpy as np
from numpy.random import Generator, default_rng

import berge
from berge.compile import kernel

from .differential import long_run, one_of

SIDE_BY_SIDE, MOST = 400, 10
DENSITIES = (0.2, 0.4, 0.7, 1.0)
KINDS = ("ties", "small", "signed", "zeros", "large", "tenths", "fractions", "lengths")
MODES = ("all", "maximum", "perfect")


def weigh(rng: Generator, kind: str, m: int) -> Any:
    """Draw weights of one kind."""
    if kind == "lengths":
        return np.abs(rng.standard_normal(m))
    if kind in ("tenths", "fractions"):
        return rng.integers(-5, 30, m) / 10 if kind == "tenths" else rng.standard_normal(m)
    low, high = {"ties": (1, 3), "small": (0, 20), "signed": (-20, 21), "zeros": (-1, 2),
                 "large": (-(10**12), 10**12)}[kind]  # fmt: skip
    return rng.integers(low, high, m)


@kernel
def best_of_all(n: int, weight: Any, there: Any) -> Any:
    """Return the best weight, that of the maximum matchings, and their size: by trying all.

    ``best[s]`` is the best weight within the set s of vertices, as its bits are.
    """
    best = np.zeros(1 << n, weight.dtype)
    most = np.zeros(1 << n, np.int64)
    heaviest = np.zeros(1 << n, weight.dtype)
    for s in range(1, 1 << n):
        v = 0
        while not s >> v & 1:
            v += 1
        rest = s & ~(1 << v)
        best[s], most[s], heaviest[s] = best[rest], most[rest], heaviest[rest]
        for w in range(v + 1, n):
            if s >> w & 1 and there[v, w]:
                left = rest & ~(1 << w)
                best[s] = max(best[s], best[left] + weight[v, w])
                size, weighs = most[left] + 1, heaviest[left] + weight[v, w]
                if size > most[s] or (size == most[s] and weighs > heaviest[s]):
                    most[s], heaviest[s] = size, weighs
    return best[-1], heaviest[-1], most[-1]


PAIRS = {n: np.triu_indices(n, 1) for n in range(1, MOST + 1)}


def try_small(rng: Generator) -> int:
    """Try small graphs side by side, in every way; return their number."""
    kind, minimise = one_of(rng, KINDS), bool(rng.integers(2))
    graphs = []
    for n in rng.integers(1, MOST + 1, SIDE_BY_SIDE).tolist():
        u, v = PAIRS[n]
        kept = rng.random(u.size) < rng.choice(DENSITIES)
        u, v = u[kept], v[kept]
        w = weigh(rng, kind, u.size)
        weight, there = np.zeros((n, n), w.dtype), np.zeros((n, n), np.bool_)
        weight[u, v], there[u, v] = -w if minimise else w, True
        graphs.append((n, u, v, w, *best_of_all(n, weight, there)))
    for mode in MODES:
        chosen = [g for g in graphs if mode != "perfect" or 2 * g[6] == g[0]]
        wanted = [g[4] if mode == "all" else g[5] for g in chosen]
        starts = np.concatenate([[0], np.cumsum([g[0] for g in chosen])]).astype(int)
        compare(chosen, starts, wanted, mode, minimise)
    return SIDE_BY_SIDE


def compare(graphs: Any, starts: Any, wanted: Any, mode: str, minimise: bool) -> None:
    """Solve graphs side by side, and compare the weight of each with what it should be."""
    if not graphs:
        return
    ends, others = (
        np.concatenate([g[part] + start for g, start in zip(graphs, starts, strict=False)])
        for part in (1, 2)
    )
    weights = np.concatenate([g[3] for g in graphs])
    m = solve((ends, others), weights, mode, minimise)
    weight = dict(zip(zip(ends.tolist(), others.tolist(), strict=True), weights, strict=True))
    found = np.zeros(len(graphs), weights.dtype)
    for u, v in m.pairs().tolist():
        found[np.searchsorted(starts, u, side="right") - 1] += weight[u, v]
    wrong = np.abs((-found if minimise else found) - np.array(wanted)) > (
        1e-9 if weights.dtype.kind == "f" else 0
    )
    assert not wrong.any(), f"{mode}: graph {wrong.argmax()} weighs {found[wrong.argmax()]}"


def solve(graph: Any, values: Any, mode: str, minimise: bool) -> berge.WeightedMatching:
    """Solve, and check the proof."""
    m = berge.maximum_weight_matching(
        graph, values, minimise=minimise, perfect=mode == "perfect",
        maxcardinality=mode == "maximum",
    )  # fmt: skip
    m.prove(graph)
    assert m.is_optimal
    assert m.is_perfect or mode != "perfect"
    return m


def try_large(rng: Generator) -> int:
    """Try a larger graph in every way."""
    n = int(rng.integers(20, 300))
    m = int(n * rng.choice([1.0, 1.5, 3.0, 8.0]))
    graph = berge.Graph.from_edges(rng.integers(0, n, m), rng.integers(0, n, m), n)
    rows = np.repeat(np.arange(n), graph.degrees)
    values = weigh(rng, one_of(rng, KINDS), n * n).reshape(n, n)
    values = values[np.minimum(rows, graph.indices), np.maximum(rows, graph.indices)]
    minimise = bool(rng.integers(2))
    solve(graph, values, "all", minimise)
    if solve(graph, values, "maximum", minimise).is_perfect:
        solve(graph, values, "perfect", minimise)
    return 1


def attempt(seed: int) -> int:
    """Try what a seed makes; return how many graphs that is."""
    rng = default_rng([seed, 24])
    return try_large(rng) if seed % 8 == 7 else try_small(rng)


if __name__ == "__main__":
    sys.exit(long_run("weighted", attempt, "graphs"))
