"""Graph after graph through all that solves, each answer against a search of the tests' own.

    python -m tests.fuzz.differential small|large [--go-on] [--seconds N] [--first SEED]

Each small graph is solved by the default and by one setting, drawn from all exact algorithms,
starts, options, sides and 1, 2 and 4 threads. On every fourth there is a turn for greedy methods,
coarsening, decomposition, or another form of the graph. Large graphs are above the thresholds from
which threads share the work, some of which are lower here (`SHARED`): the default on 2 and on 4
threads, and on every second graph a further algorithm. `tests.fuzz.lowered` has threads share the
work on small graphs, too.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("NUMBA_NUM_THREADS", "4")

import numpy as np
from numpy.random import Generator, default_rng

import berge
from berge import BipartiteGraph, Graph, Matching, tuning
from berge.methods.combined import mixed
from berge.methods.registry import Algorithm, find, variants
from berge.methods.starts import cheap

from . import graphs, tally
from .supervise import supervise

EXACT = variants("exact")
STARTS = tuple(a.name for a in berge.algorithms("start"))
GREEDY = tuple(a.name for a in berge.algorithms("greedy"))
THREADS = (1, 2, 4)
# These look at all rows in every level: quadratic work where paths are long.
SCANNING = {a.name for a in EXACT if "cuda" in a.devices} - {"apfb-queue", "apfb-split"}
MEMORY = 1 << 33  # address space; threads have stacks and arenas of their own
PATIENCE = 120.0  # seconds for one graph, however large
ROUND = 120.0  # seconds before what was tried is noted
SHARED = {"SHARED_SEARCHES": 300_000, "SHARED_START": 500_000, "SHARED_PUSHES": 1_000_000}
SHARING = [(m, name) for m in (tuning, mixed, cheap) for name in SHARED if hasattr(m, name)]


def check(graph: BipartiteGraph, matching: Matching, size: int, **settings: Any) -> None:
    """Compare an answer: a matching of the graph, which is maximum and says so."""
    found = graphs.pairs(graph.indptr, graph.indices, matching.row_match, matching.col_match)
    assert found == matching.cardinality == matching.upper_bound == size, (
        f"{settings}: {found} pairs, says {matching}; the maximum is {size}"
    )


def one_of(rng: Generator, items: Any) -> Any:
    """Draw an item."""
    return items[int(rng.integers(len(items)))]


def drawn(rng: Generator, a: Algorithm) -> dict[str, Any]:
    """Draw how to call an algorithm: start, side, threads, seed, options."""
    settings: dict[str, Any] = {"algorithm": a.name, "init": one_of(rng, STARTS)}
    settings["side"] = one_of(rng, ("auto", "rows", "cols"))
    settings["threads"] = one_of(rng, THREADS)
    settings["seed"] = int(rng.integers(1000))
    if a.name == "out-of-core":
        settings |= {"window": one_of(rng, (0, 1, 7)), "kept": one_of(rng, (0, 1, 9))}
        return settings
    for option in (*a.options, *find("start", settings["init"]).options):
        if isinstance(option.default, bool):
            settings[option.name] = bool(rng.integers(2))
        elif option.choices:
            settings[option.name] = one_of(rng, option.choices)
        elif isinstance(option.default, float):
            settings[option.name] = max(option.low, option.default * one_of(rng, (0.1, 1, 3)))
        else:
            settings[option.name] = one_of(rng, (1, 2, option.default))
    return settings


def solve_small(seed: int) -> int:
    """Try a small graph; return the number of solves."""
    rng = default_rng(seed)
    graph = graphs.small(rng)
    size = graphs.reference(graph.indptr, graph.indices, graph.n_cols)
    check(graph, berge.maximum_matching(graph), size)
    settings = drawn(rng, EXACT[seed % len(EXACT)])
    matching = berge.maximum_matching(graph, **settings)
    check(graph, matching, size, **settings)
    match seed % 16:
        case 0 | 4:
            greedy(rng, undirected(rng, graph), seed // 4)
        case 8:
            decompose(graph, size)
        case 12:
            berge.verify(graph, matching, matching.prove(graph))
            form = one_of(rng, ("csr", "csc", "coo"))
            check(graph, berge.maximum_matching(graph.to_scipy().asformat(form)), size)
        case 14 if seed % 5 == 0:
            coarsen(rng, undirected(rng, graph))
        case _:
            return 2
    return 3


def undirected(rng: Generator, graph: BipartiteGraph) -> Graph:
    """Return an undirected graph of these edges: a row and a column may be the same vertex."""
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    apart = graph.n_rows if rng.random() < 0.3 else 0
    n = graph.n_rows + graph.n_cols if apart else max(graph.shape)
    weights = None
    if rng.random() < 0.6:  # equal ones too
        weights = rng.integers(0, one_of(rng, (2, 9, 10**6)), rows.size).astype(np.float64)
    return Graph.from_edges(rows, graph.indices + apart, n, weights)


def greedy(rng: Generator, graph: Graph, number: int) -> None:
    """Match by one method; those that are to find the matching of `sorted` do."""
    method, threads = GREEDY[number % len(GREEDY)], one_of(rng, THREADS)
    matching = berge.greedy_matching(graph, method=method, threads=threads, seed=number % 7)
    berge.verify(graph, matching)
    assert matching.is_maximal, f"{method} on {threads} threads: not maximal"
    if method in ("suitor", "locally-dominant"):
        other = berge.greedy_matching(graph, method="sorted", threads=1)
        assert np.isclose(matching.weight, other.weight), f"{method}: another weight than sorted"


def coarsen(rng: Generator, graph: Graph) -> None:
    """Coarsen, and add every level up anew."""
    until = int(rng.integers(1, 20))
    berge.coarsen(
        graph, until=until, seed=int(rng.integers(9)), threads=one_of(rng, THREADS)
    ).check()


def decompose(graph: BipartiteGraph, size: int) -> None:
    """Decompose, and compare with what the parts must be."""
    dm = berge.dulmage_mendelsohn(graph)
    assert dm.structural_rank == size
    under, square, over = dm.underdetermined, dm.square, dm.overdetermined
    assert under.rows.size + square.rows.size + over.cols.size == size
    assert square.rows.size == square.cols.size == sum(p.rows.size for p in dm.square_blocks)
    # Nothing leads from the over- or the square part to columns before it.
    row_part, col_part = np.empty(graph.n_rows, int), np.empty(graph.n_cols, int)
    for number, part in enumerate((under, *dm.square_blocks, over)):
        row_part[part.rows], col_part[part.cols] = number, number
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    assert (col_part[graph.indices] >= row_part[rows]).all(), "an entry below the blocks"
    assert berge.minimum_vertex_cover(graph).size == size
    free = berge.maximum_independent_set(graph)
    assert free.rows.size + free.cols.size == sum(graph.shape) - size


def solve_large(seed: int) -> int:
    """Try a large graph; return the number of solves."""
    rng = default_rng([seed, 1])
    graph, short = graphs.large(rng, seed)
    for module, name in SHARING:
        setattr(module, name, SHARED[name])  # compiled code has none of them
    first = berge.maximum_matching(graph, threads=2)
    size = berge.verify(graph, first, first.prove(graph)) or first.cardinality
    calls = [{"threads": 4}] + [drawn_large(rng, seed // 2, short)] * (seed % 2)
    for settings in calls:
        matching = berge.maximum_matching(graph, **settings)
        check(graph, matching, size, **settings)
    return 1 + len(calls)


def drawn_large(rng: Generator, seed: int, short: bool) -> dict[str, Any]:
    """Draw one more algorithm on threads, of those that are quick enough."""
    names = [a.name for a in EXACT if a.threads and (short or a.name not in SCANNING)]
    init = one_of(rng, ("cheap", "p-karp-sipser", "one-sided", "two-sided"))
    return {"algorithm": names[seed % len(names)], "init": init, "threads": 2 + 2 * (seed % 2),
            "side": one_of(rng, ("rows", "cols")), "seed": seed % 1000}  # fmt: skip


KINDS: dict[str, Callable[[int], int]] = {"small": solve_small, "large": solve_large}


def long_run(line: str, attempt: Callable[[int], int], came_to: str) -> int:
    """Try seeds as the command line says; print what was found, and return 1 if anything was."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=10**12, help="seeds at most")
    parser.add_argument("--go-on", action="store_true", help="after the last seed; note it")
    given = parser.parse_args()
    first = tally.first(line) if given.go_on else given.first
    found, last, until = 0, first + given.count, time.monotonic() + given.seconds
    while first < last and (now := time.monotonic()) < until:
        outcome = supervise(attempt, range(first, last), until=min(until, now + ROUND),
                            patience=PATIENCE, memory=MEMORY)  # fmt: skip
        first = outcome.next
        if given.go_on:
            tally.add(line, outcome, came_to)
        print(f"{line}: {outcome.tried:,} tried, {outcome.accepted:,} {came_to}", flush=True)
        for kind, (seed, text, times) in outcome.found.items():
            found += 1
            print(f"  {times} × {kind}; seed {seed}: {text}", flush=True)
    return int(found > 0)


if __name__ == "__main__":
    kind = sys.argv.pop(1)
    sys.exit(long_run(f"graphs-{kind}", KINDS[kind], "solves"))
