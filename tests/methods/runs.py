"""What tests of algorithms share: runs to work on, solves that are checked, graphs for threads."""

from __future__ import annotations

from functools import cache

import numpy as np

import berge
from berge import BipartiteGraph, Matching, generate
from berge.methods.starts import cheap
from berge.results.run import Run


def new_run(graph, threads=1, seed=0, initial=None) -> Run:
    """Return a run of its own on a graph, from an empty matching or a copy of a given one."""
    first = initial or Matching.empty(graph)
    return Run(
        graph,
        first.row_match.copy(),
        first.col_match.copy(),
        first.cardinality,
        threads,
        seed,
        berge.SolveStats(),
    )


def solve(graph: BipartiteGraph, expected: int, **settings) -> berge.Matching:
    matching = berge.maximum_matching(graph, **settings)
    berge.verify(graph, matching)
    assert matching.is_maximum
    assert matching.cardinality == expected, settings
    return matching


@cache
def random_graphs(seed: int) -> list[tuple[BipartiteGraph, int]]:
    """Graphs of many shapes, of some thousand rows, so that threads do share the work."""
    rng = np.random.default_rng(seed)
    n, m = (int(k) for k in rng.integers(2000, 8000, 2))
    side = int(np.sqrt(n))
    graphs = [
        generate.erdos_renyi(n, m, int(1.2 * n), seed=seed),
        generate.erdos_renyi(n, m, int(2.5 * max(n, m)), seed=seed),
        generate.erdos_renyi(n, n, 3 * n, seed=seed),
        generate.power_law(n, m, 3, seed=seed),
        generate.rmat(12, 3, seed=seed),
        generate.permute(generate.grid(side, side + 3), seed=seed),
        generate.permute(generate.hidden_perfect(n, 2, seed=seed), seed=seed),
        generate.permute(generate.chain(n), seed=seed),
        generate.permute(generate.mesh3(n), seed=seed),
        generate.permute(generate.road(side, side, seed=seed), seed=seed),
    ]
    return [
        (g, berge.maximum_matching(g, algorithm="pothen-fan", threads=1).cardinality)
        for g in graphs
    ]


def share_cheap_starts(monkeypatch) -> None:
    """Let threads share cheap starts of small graphs too."""
    monkeypatch.setattr(cheap, "SHARED_START", 0)
    monkeypatch.setattr(cheap, "SHARED_VERTICES", 0)
