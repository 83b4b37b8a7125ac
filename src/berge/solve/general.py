"""The pipeline for any graph: graph → start → search → `GeneralMatching`. Reads top to bottom."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InvalidMatchingError, ProofError
from ..graphs.graph import BipartiteGraph, Graph
from ..graphs.owned import sealed
from ..graphs.workspace import Workspace
from ..methods.registry import check_call
from ..results.general_matching import GeneralMatching
from ..results.matching import Matching, SolveStats
from ..results.under_way import PhaseReport
from . import default

__all__ = ["match_general", "of_two_sides"]


def match_general(
    graph: Graph,
    *,
    algorithm: str = "auto",
    init: str = "auto",
    threads: int | None = None,
    seed: int = 0,
    initial: GeneralMatching | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    on_phase: Callable[[PhaseReport], object] | None = None,
    started: float | None = None,
) -> GeneralMatching:
    """Find a maximum matching of a graph, see `berge.maximum_matching`."""
    exact, start = default.choose_general(algorithm, init)
    check_call(exact, "cpu", seed, time_limit)
    from ..compile import threads_of  # numba is imported here
    from ..results.general_run import GeneralRun

    threads_of(threads)  # complains of what is no number of threads
    started = time.perf_counter() if started is None else started
    stats = SolveStats(exact.name, start.name if start else "none", "cpu", 1, seed)
    mate = _first(graph, initial)
    run = GeneralRun(graph=graph, mate=mate, cardinality=0, threads=1, seed=seed, stats=stats)
    run.started, run.time_limit, run.on_phase = started, time_limit, on_phase
    run.cardinality = 0 if initial is None else int(np.count_nonzero(mate >= 0)) // 2
    with Workspace(50 * run.mate.nbytes) as space, run.running(progress):
        run.empty = space.empty
        run.pause()
        with run.timed("init"):
            if start is not None:
                start.load()(run)
        stats.start_cardinality, run.step = run.cardinality, "search"
        run.pause()
        with run.timed("search"):
            exact.load()(run)
    return run.result()


def of_two_sides(
    graph: Graph, solve: Callable[[BipartiteGraph], Matching], started: float
) -> GeneralMatching | None:
    """Match a graph that has no odd cycle as one of two sides; return None for any other."""
    from ..graphs.sides import sides_of

    if (sides := sides_of(graph)) is None:
        return None
    found = solve(sides.graph)
    mate = sealed(sides.mates(found.row_match, found.col_match))
    stats: Any = found.stats
    stats.seconds["total"] = time.perf_counter() - started
    bound = found.upper_bound
    matching = GeneralMatching(mate, upper_bound=bound, stats=stats, labels=graph.labels)
    matching._half = found
    return matching


def _first(graph: Graph, initial: GeneralMatching | None) -> Any:
    """Return the mates to begin with."""
    index = graph.indices.dtype
    if initial is None:
        return np.full(graph.n_vertices, -1, index)
    if not isinstance(initial, GeneralMatching):
        kind = type(initial).__name__
        raise InvalidMatchingError(f"initial must be a GeneralMatching, not {kind}")
    from ..results.tutte_berge import verify_general

    mate = np.array(initial.mate)  # which others may be changing
    try:
        verify_general(graph, GeneralMatching(mate, upper_bound=mate.size))
    except ProofError as error:
        raise InvalidMatchingError(f"initial is not a matching of the graph: {error}") from None
    return mate.astype(index)
