"""What is scheduled: every parallel algorithm, on small graphs, with the answers that it must give.

A case is a function of a number: it makes the graph from it, solves, and checks the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np

import berge
from berge.compile import thread_count
from berge.compile.device import CpuDevice
from berge.methods.algorithm import load
from berge.methods.combined import budgeted
from berge.methods.registry import algorithms, find
from berge.methods.starts import cheap
from berge.results.on_device import DeviceGraph
from berge.results.run import Run
from berge_lab.bench.stress import variants

from ..methods.runs import new_run

THREADS = 3
SIZES = 7  # vertices a side, at most
EXACT: dict[str, dict[str, Any]] = {
    "p-pothen-fan": {},
    "p-dbfs": {},
    "p-hopcroft-karp": {},
    "p-push-relabel": {"queue_limit": 2},
    "ms-bfs": {},
    "ms-bfs-graft": {},
    "ms-bfs-graft as printed": {"as_printed": True, "alpha": 1e9},
}
STARTS = ("cheap", "p-karp-sipser", "one-sided", "two-sided")
UNIQUE = ("suitor", "locally-dominant", "sorted")  # one matching, whoever is first
GREEDY = (*UNIQUE, "global-paths", "single-pass", "proposals", "weighted-proposals")


@cache
def bipartite(number: int) -> tuple[berge.BipartiteGraph, int]:
    """Return a small graph, and the size of its largest matching, by trying all of its edges."""
    rng = np.random.default_rng(number)
    n_rows, n_cols = (int(n) for n in rng.integers(2, SIZES + 1, 2))
    edges = rng.random((n_rows, n_cols)) < rng.choice((0.2, 0.35, 0.6))
    graph = berge.as_bipartite(edges)
    best = np.zeros(1 << n_cols, np.int8)  # by the columns taken: rows matched, −1 if not possible
    best[1:] = -1
    for x in range(n_rows):
        before = best.copy()
        for y in np.flatnonzero(edges[x]):
            taken = (np.arange(best.size) >> y & 1 == 0) & (before >= 0)
            masks = np.flatnonzero(taken)
            best[masks | 1 << y] = np.maximum(best[masks | 1 << y], before[masks] + 1)
    return graph, int(best.max())


@cache
def general(number: int) -> berge.Graph:
    """Return a small graph with weights, many of them equal."""
    rng = np.random.default_rng(number)
    pairs = np.array(list(combinations(range(int(rng.integers(2, SIZES + 2))), 2)))
    pairs = pairs[rng.random(len(pairs)) < rng.choice((0.3, 0.6, 0.9))]
    weights = rng.integers(1, 1 + rng.choice((1, 2, 5)), len(pairs))
    return berge.Graph.from_edges(pairs[:, 0], pairs[:, 1], weights=weights.astype(float))


def exact(name: str, options: dict[str, Any], number: int) -> None:
    """Find a maximum matching, from no other or from the cheap one."""
    graph, expected = bipartite(number % GRAPHS)
    init = ("none", "none", "cheap")[number % 3]
    if "statistics" in {option.name for option in find("exact", name).options}:
        options = options | {"statistics": ("on", "off")[number % 2]}
    matching = berge.maximum_matching(
        graph, algorithm=name, init=init, threads=THREADS, seed=number, **options
    )
    berge.verify(graph, matching)
    assert matching.cardinality == expected, f"{matching.cardinality}, not {expected}"


def searches(number: int) -> None:
    """Find a maximum matching by searches with limits, which the default makes on large graphs."""
    graph, expected = bipartite(number % GRAPHS)
    run = new_run(graph, THREADS)
    assert budgeted.search_with_limits(
        run, budgeted.shared(budgeted.prepare(run, THREADS)), math.inf
    )
    assert valid(run).cardinality == expected


def valid(run: Run) -> berge.Matching:
    """Return what a run has found."""
    bound = min(run.graph.shape)
    matching = berge.Matching(run.row_match, run.col_match, upper_bound=bound)
    berge.verify(run.graph, matching)
    assert matching.cardinality == run.cardinality
    return matching


def start(name: str, number: int) -> None:
    """Find a maximal matching."""
    graph, _ = bipartite(number % GRAPHS)
    run = new_run(graph, THREADS, seed=number)
    entry = next(a for a in algorithms("start") if a.name == name)
    load(entry.function)(run)
    check_maximal(graph, valid(run))


def check_maximal(graph: berge.BipartiteGraph, matching: berge.Matching) -> None:
    """Raise if an edge has both ends free."""
    rows = np.repeat(np.arange(graph.n_rows), np.diff(graph.indptr))
    free = (matching.row_match[rows] < 0) & (matching.col_match[graph.indices] < 0)
    assert not free.any(), "not maximal"


def greedy(name: str, number: int) -> None:
    """Find a maximal matching of any graph; where it is unique, that one."""
    graph = general(number % GRAPHS)
    matching = berge.greedy_matching(graph, method=name, threads=THREADS, seed=number)
    berge.verify(graph, matching)
    mate = matching.mate
    rows = np.repeat(np.arange(graph.n_vertices), np.diff(graph.indptr))
    assert not ((mate[rows] < 0) & (mate[graph.indices] < 0)).any(), "not maximal"
    if name in UNIQUE:
        assert np.array_equal(mate, sorted_mate(number % GRAPHS)), "not the greedy one"


def coarsen(number: int) -> None:
    """Merge as one thread does."""
    graph = general(number % GRAPHS)
    ours, alone = (berge.coarsen(graph, levels=2, threads=k, seed=3) for k in (THREADS, 1))
    ours.check()
    assert len(ours) == len(alone)
    for level, same in zip(ours, alone, strict=True):
        for name in ("indptr", "indices", "weights", "vertex_weights"):
            theirs = getattr(same.graph, name)
            assert np.array_equal(getattr(level.graph, name), theirs), name


def sides_and_checks(number: int) -> None:
    """Take arrays in, transpose them, and prove a matching, each on threads of its own."""
    graph, expected = bipartite(number % GRAPHS)
    with thread_count(THREADS):
        same = berge.BipartiteGraph(graph.indptr.copy(), graph.indices.copy(), graph.shape)
        dense = same.to_scipy().toarray()
        assert np.array_equal(same.T.to_scipy().toarray(), dense.T)
        matching = berge.maximum_matching(same, algorithm="hopcroft-karp", init="none", threads=1)
        assert matching.prove(same).size == expected
        any_graph = general(number % GRAPHS)
        again = berge.Graph(any_graph.indptr, any_graph.indices, any_graph.weights)
        found = berge.maximum_matching(again, general=True, threads=1)
        found.prove(again)


def device_graph(number: int) -> None:
    """Take edges in any order in, transpose them, and match rows with first free columns."""
    graph, _ = bipartite(number % GRAPHS)
    rows = np.repeat(np.arange(graph.n_rows, dtype=graph.indices.dtype), graph.row_degrees)
    order = np.random.default_rng(number).permutation(graph.nnz)
    device = CpuDevice(THREADS)
    there = DeviceGraph.from_edges(rows[order], graph.indices[order], graph.shape, device=device)
    for ours, theirs in ((there, graph), (there.T, graph.T)):
        assert np.array_equal(ours.indptr, theirs.indptr)
        for x in range(theirs.n_rows):
            row = slice(theirs.indptr[x], theirs.indptr[x + 1])
            assert sorted(ours.indices[row]) == sorted(theirs.indices[row])
    run = new_run(graph)
    device.launch(cheap.take_free, graph.n_rows, cheap.arrays_of(run))
    run.cardinality = int(np.count_nonzero(run.row_match >= 0))
    check_maximal(graph, valid(run))


@cache
def sorted_mate(number: int) -> Any:
    """Return the greedy matching by decreasing weight, of equal ones the lowest ends first."""
    graph = general(number)
    mate = np.full(graph.n_vertices, -1)
    rows = np.repeat(np.arange(graph.n_vertices), np.diff(graph.indptr))
    edges = sorted(
        (-w, int(v), int(u)) for v, u, w in zip(rows, graph.indices, graph.weights, strict=True)
    )
    for _, v, u in edges:
        if mate[v] < 0 and mate[u] < 0:
            mate[v], mate[u] = u, v
    return mate


GRAPHS = 200  # different ones


def cases() -> dict[str, Callable[[int], None]]:
    """Return every case by its name."""
    found: dict[str, Callable[[int], None]] = {}
    for name, options in EXACT.items():
        found[name] = partial(exact, name.split()[0], options)
    for name, (algorithm, options) in variants().items():
        if "concurrent" not in name:  # which has Python threads
            found[name] = partial(exact, algorithm.name, options)
    found |= {f"start {name}": partial(start, name) for name in STARTS}
    found |= {f"greedy {name}": partial(greedy, name) for name in GREEDY}
    found |= {"searches": searches, "coarsen": coarsen, "device graph": device_graph}
    return found | {"sides and checks": sides_and_checks}
