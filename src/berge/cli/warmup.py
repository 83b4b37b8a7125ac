"""``berge warmup``: compile now, so that nothing is compiled later."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..wording import in_seconds, plural
from .display import working
from .program import command, say

if TYPE_CHECKING:
    from ..graphs.graph import BipartiteGraph


@command(
    "berge warmup",
    "berge warmup --all",
)
@click.option("--all", "everything", is_flag=True, help="Every algorithm with every start.")
def warmup(everything: bool) -> None:
    """Compile what reading, solving and proving need on this machine.

    Kernels are compiled when first used and kept on disk (by numba: beside the package, or in
    $NUMBA_CACHE_DIR). An image for containers or a batch job wants this done beforehand.
    """
    seconds, compiled = warm_up(lambda: _use_kernels(everything))
    if compiled:
        say("ready", "green", f"{plural(compiled, 'function')} compiled in {in_seconds(seconds)}")
    else:
        say("ready", "green", f"everything was in the cache; loaded in {in_seconds(seconds)}")


def warm_up(use_kernels: Callable[[], object]) -> tuple[float, int]:
    """Use kernels once; return the seconds that took and how many had to be compiled."""
    started = time.perf_counter()
    from ..compile.recorder import count_compiled

    with working("compiling"):
        compiled = count_compiled(use_kernels)
    return time.perf_counter() - started, compiled


def _use_kernels(everything: bool) -> None:
    from ..files import read, write
    from ..generate import grid, karp_sipser_hard, permute
    from ..graphs.graph import BipartiteGraph
    from ..methods.registry import algorithms, variants
    from ..results.matching import Matching
    from ..solve.maximum import maximum_matching

    # Large enough for the parallel transpose and for searches that are shared out among threads,
    # which look ahead where rows have many edges; and small enough to be done at once.
    graph, dense, small = permute(grid(500, 500)), karp_sipser_hard(2000), grid(60, 60)
    runs: list[tuple[BipartiteGraph, dict[str, Any]]] = [
        (graph, {}),
        (graph, {"algorithm": "push-relabel", "init": "cheap"}),  # what "auto" may come to
        (graph, {"algorithm": "p-push-relabel", "init": "cheap"}),
        (graph, {"init": "none"}),
        (dense, {}),
        (small, {}),
        (graph, {"init": "cheap", "initial": Matching.empty(graph)}),
    ]
    if everything:
        for exact in variants("exact"):
            for start in algorithms("start"):
                runs.append((small, {"algorithm": exact.name, "init": start.name}))  # some are slow
    for source, settings in runs:
        for threads in (1, None):
            # A graph of its own each time, or the transpose would be there already.
            fresh = BipartiteGraph(source.indptr, source.indices, source.shape)
            maximum_matching(fresh, threads=threads, **settings)
    matching = maximum_matching(graph)
    matching.prove(graph)
    graph.without_duplicates()
    with tempfile.TemporaryDirectory(prefix="berge-") as folder:
        pair = BipartiteGraph([0, 1, 2], [1, 0], (2, 2))
        for name in ("graph.mtx", "graph.csv", "graph.graph"):
            write(pair, Path(folder, name))
            read(Path(folder, name))
        for name in ("matching.txt", "matching.npz"):
            matching.save(Path(folder, name))
            Matching.load(Path(folder, name))
