"""The pipeline for any graph: graph → start → search → `GeneralMatching`. Reads top to bottom."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InvalidMatchingError, ProofError
from ..graphs.graph import Graph
from ..methods.registry import check_numbers
from ..results.general_matching import GeneralMatching
from ..results.matching import SolveStats
from ..results.under_way import PhaseReport

__all__ = ["match_general"]


def match_general(
    graph: Graph,
    *,
    threads: int | None = None,
    seed: int = 0,
    initial: GeneralMatching | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    on_phase: Callable[[PhaseReport], object] | None = None,
    started: float | None = None,
) -> GeneralMatching:
    """Find a maximum matching of a graph, see `berge.maximum_matching`."""
    check_numbers(seed, time_limit)
    from ..methods.general.blossom import blossom
    from ..methods.general.degree_one import degree_one
    from ..results.general_run import GeneralRun

    stats = SolveStats("blossom", "degree-one", "cpu", 1, seed)
    run = GeneralRun(
        graph=graph, mate=_first(graph, initial), cardinality=0, threads=1, seed=seed, stats=stats
    )
    run.started = time.perf_counter() if started is None else started
    run.time_limit, run.on_phase = time_limit, on_phase
    run.cardinality = 0 if initial is None else initial.cardinality
    with run.running(progress):
        run.pause()
        with run.timed("init"):
            degree_one(run)
        stats.start_cardinality, run.step = run.cardinality, "search"
        run.pause()
        with run.timed("search"):
            blossom(run)
    return run.result()


def _first(graph: Graph, initial: GeneralMatching | None) -> Any:
    """Return the mates to begin with."""
    index = graph.indices.dtype
    if initial is None:
        return np.full(graph.n_vertices, -1, index)
    if not isinstance(initial, GeneralMatching):
        kind = type(initial).__name__
        raise InvalidMatchingError(f"initial must be a GeneralMatching, not {kind}")
    from ..results.tutte_berge import verify_general

    try:
        verify_general(graph, initial)
    except ProofError as error:
        raise InvalidMatchingError(f"initial is not a matching of the graph: {error}") from None
    return initial.mate.astype(index)
