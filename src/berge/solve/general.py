"""The pipeline for any graph: graph → start → search → `GeneralMatching`. Reads top to bottom."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidMatchingError, ProofError
from ..graphs.graph import Graph
from ..graphs.owned import sealed
from ..graphs.workspace import Workspace
from ..methods.registry import check_call
from ..results.general_matching import GeneralMatching
from ..results.matching import SolveStats
from ..results.under_way import PhaseReport
from . import default

if TYPE_CHECKING:
    from ..graphs.sides import Sides

__all__ = ["match_general"]


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
    from ..graphs.sides import sides_of
    from ..results.general_run import GeneralRun

    threads_of(threads)  # complains of what is no number of threads
    started = time.perf_counter() if started is None else started
    if algorithm == init == "auto" and initial is None and (sides := sides_of(graph)) is not None:
        watched = {"time_limit": time_limit, "progress": progress, "on_phase": on_phase}
        return _match_sides(graph, sides, started, threads=threads, seed=seed, **watched)
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


def _match_sides(graph: Graph, sides: Sides, started: float, **settings: Any) -> GeneralMatching:
    """Match a graph of two sides as the default does."""
    from .maximum import maximum_matching

    found = maximum_matching(sides.graph, **settings)
    mate = sealed(sides.mates(found.row_match, graph.n_vertices))
    stats: Any = found.stats
    stats.seconds["total"] = time.perf_counter() - started
    bound = found.upper_bound
    return GeneralMatching(mate, upper_bound=bound, stats=stats, labels=graph.labels)


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
