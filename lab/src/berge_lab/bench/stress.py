"""A search for races: all algorithms for GPUs, on CPU threads, on many small random graphs.

    python -m berge_lab.bench.stress --graphs 10000 --threads 4

However few items a launch has, they are shared out among all threads, so that threads meet on
graphs of a few dozen vertices. Every answer is compared with that of a sequential algorithm and
proved. A search that takes more steps than there can be, or a kernel that does not return, ends the
run. Graphs are made from their number, so that one can be tried again (`--first`).
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from berge.methods.registry import Algorithm
from berge.methods.registry import variants as every_variant

if TYPE_CHECKING:
    from berge.graphs.graph import BipartiteGraph
    from berge.results.run import PhaseReport
    from berge.settings import ExactName, StartName

__all__ = ["random_graph", "stress", "variants"]

REFEREE: ExactName = "hopcroft-karp"
STARTS: tuple[StartName, ...] = ("none", "cheap", "none")
PATIENCE = 60  # seconds that one graph may take; the compiler has had its time before


def variants() -> dict[str, tuple[Algorithm, dict[str, Any]]]:
    """Return what is tried: all algorithms for GPUs, also with their yes-no options reversed."""
    found: dict[str, tuple[Algorithm, dict[str, Any]]] = {}
    for a in every_variant("exact"):
        if "cuda" in a.devices:
            found[a.name] = a, {}
            for option in a.options:
                if isinstance(option.default, bool):
                    value = not option.default
                    found[f"{a.name}:{option.name}={value}".lower()] = a, {option.name: value}
    return found


def random_graph(number: int) -> BipartiteGraph:
    """Return a small graph of one of several kinds; the same number gives the same graph."""
    from berge import generate
    from berge.graphs.graph import BipartiteGraph

    rng = np.random.default_rng(number)
    n_rows, n_cols = (int(n) for n in rng.integers(1, 60, 2))
    kind = number % 6
    if kind == 0:
        return generate.permute(generate.chain(n_rows), seed=number)
    if kind == 1:
        return generate.permute(generate.layered(n_rows // 6 + 1), seed=number)
    if kind == 2:
        return generate.permute(generate.hidden_perfect(n_rows, 2, seed=number), seed=number)
    if kind == 3:  # few columns that many want
        n_cols = n_cols // 8 + 1
    n_edges = int(rng.integers(0, 3 * max(n_rows, n_cols)))
    rows, cols = rng.integers(0, n_rows, n_edges), rng.integers(0, n_cols, n_edges)
    return BipartiteGraph.from_edges(rows, cols, (n_rows, n_cols))


def stress(
    graphs: int, threads: int, *, first: int = 0, say: Callable[[str], object] = lambda text: None
) -> dict[str, int]:
    """Solve so many graphs by every variant; return how many phases each took in all.

    Raises
    ------
    AssertionError
        At the first wrong answer, or search without an end; names the variant and the graph.
    """
    from berge.solve.maximum import maximum_matching

    tried = variants()
    phases = dict.fromkeys(tried, 0)
    began = time.perf_counter()
    with _threads_that_meet():
        for number in range(first, first + graphs):
            graph = random_graph(number)
            expected = maximum_matching(graph, algorithm=REFEREE, threads=1).cardinality
            for name, (algorithm, options) in tried.items():
                where = f"{name} on graph {number} with {threads} threads"
                if number > first:
                    faulthandler.dump_traceback_later(PATIENCE, exit=True)
                matching = maximum_matching(
                    graph,
                    algorithm=cast("ExactName", algorithm.name),
                    init=STARTS[number % len(STARTS)],
                    threads=threads,
                    on_phase=_step_bound(graph, where),
                    **options,
                )
                faulthandler.cancel_dump_traceback_later()
                if matching.cardinality != expected:
                    raise AssertionError(f"{where}: {matching.cardinality}, not {expected}")
                matching.prove(graph)
                phases[name] += matching.stats.phases if matching.stats else 0
            if (number - first + 1) % 500 == 0:
                say(f"{number - first + 1} graphs, {time.perf_counter() - began:.0f} s")
    return phases


def _step_bound(graph: BipartiteGraph, where: str) -> Callable[[PhaseReport], None]:
    """Return a callback that counts the pauses of a solve and fails when they are too many.

    Searches pause once a level, push-relabel once a launch. Of n vertices, at most n are matched,
    each after at most some n levels or launches.
    """
    size = sum(graph.shape)
    most = 1000 + 10 * size * size
    pauses = 0

    def count(report: PhaseReport) -> None:
        nonlocal pauses
        pauses += 1
        if pauses > most:
            raise AssertionError(f"{where}: more than {most} steps")

    return count


@contextmanager
def _threads_that_meet() -> Iterator[None]:
    """Let all threads take part in launches of any size."""
    from berge.compile import device

    before, device.SERIAL_ITEMS = device.SERIAL_ITEMS, 0
    try:
        yield
    finally:
        device.SERIAL_ITEMS = before


def main() -> None:
    """Read the command line and say what happened."""
    parser = argparse.ArgumentParser(
        prog="python -m berge_lab.bench.stress", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--graphs", type=int, default=10_000, help="default: %(default)s")
    parser.add_argument("--threads", type=int, default=4, help="default: %(default)s")
    parser.add_argument("--first", type=int, default=0, help="number of the first graph")
    options = parser.parse_args()
    os.environ.setdefault("NUMBA_NUM_THREADS", str(options.threads))  # before numba is imported
    began = time.perf_counter()
    phases = stress(
        options.graphs,
        options.threads,
        first=options.first,
        say=lambda text: print(text, file=sys.stderr, flush=True),
    )
    for name, count in phases.items():
        print(f"{name:28} {options.graphs} graphs right, {count} phases")
    print(f"{options.threads} threads, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
