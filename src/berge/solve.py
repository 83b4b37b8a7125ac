"""The pipeline: input → graph → start → exact algorithm → `Matching`. Reads top to bottom."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np

from .errors import DeviceError, InvalidMatchingError, OptionError, ProofError
from .graph import BipartiteGraph
from .ingest import as_bipartite
from .matching import Matching, SolveStats
from .registry import Algorithm, check_options, find
from .run import PhaseReport, Run, Stop

__all__ = ["maximum_matching"]

# What "auto" stands for.
DEFAULT_ALGORITHM = "ms-bfs-graft"
DEFAULT_INIT = "karp-sipser"
DEFAULT_INIT_AFTER_INITIAL = "cheap"  # a warm start leaves little to do; do not pay for all edges


def maximum_matching(
    graph: Any,
    *,
    algorithm: str = "auto",
    init: str = "auto",
    device: str = "cpu",
    threads: int | None = None,
    seed: int = 0,
    initial: Matching | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    on_phase: Callable[[PhaseReport], object] | None = None,
    side: str = "auto",
    **options: Any,
) -> Matching:
    """Find a maximum cardinality matching of a bipartite graph.

    Parameters
    ----------
    graph
        Anything `as_bipartite` takes: a scipy sparse array, a `BipartiteGraph`, a pair of index
        arrays, a dense array, a networkx or igraph graph, the path of a file.
    algorithm, init
        Names from `berge.algorithms()`: the exact algorithm, and the start that it begins with.
    device
        ``"cpu"``, or ``"cuda"`` for the algorithms that run there.
    threads
        Number of threads; by default what numba is set to, which is all cores.
    seed
        For starts that make random choices. One seed on one thread gives one result, bit for bit;
        on several threads the cardinality is the same, the pairs may differ.
    initial
        A valid matching of the graph to begin with; the start extends it.
    time_limit
        Seconds after which the best matching so far is returned.
    progress
        Show the cardinality climb on standard error.
    on_phase
        Called with a `PhaseReport` after every phase, and now and then in between.
    side
        Search for augmenting paths from unmatched ``"rows"`` or ``"cols"``; ``"auto"`` is rows.
    **options
        Switches of the algorithm and the start, as `berge.algorithms()` lists them; for instance
        ``lookahead=False`` with Pothen–Fan.

    Returns
    -------
    Matching
        A maximum matching. After Ctrl-C or the time limit: the best valid matching so far, with
        ``is_maximum`` False unless it happens to meet its ``upper_bound``, and the reason in
        ``stats.stopped``.

    Examples
    --------
    >>> import berge, scipy.sparse
    >>> A = scipy.sparse.csr_array([[1, 1, 0], [1, 0, 0], [1, 0, 0]])
    >>> m = berge.maximum_matching(A)
    >>> m.cardinality, m.unmatched_cols.tolist()
    (2, [2])
    >>> m.prove(A)
    Certificate(a vertex cover of size 2: 1 rows, 1 columns)

    Notes
    -----
    O(n·m) in the worst case for the default, about O(m) on most graphs. Memory besides the graph:
    its transpose (4 bytes an edge) and at most 40 bytes a vertex; twice that from 2³¹ vertices on.
    """
    started = time.perf_counter()
    exact, start = _choose(algorithm, init, initial)
    exact_options, start_options = check_options(exact, start, options)
    _check_arguments(device, exact, time_limit, seed, side)
    from .spmd import thread_count, threads_of  # numba is imported here

    threads = threads_of(threads)
    graph = as_bipartite(graph)
    first = Matching.empty(graph) if initial is None else _check_initial(graph, initial)
    row_match = first.row_match.astype(graph.indices.dtype)
    col_match = first.col_match.astype(graph.indices.dtype)
    used = threads if exact.threads or start.threads else 1
    stats = SolveStats(exact.name, start.name, device, used, seed)
    run = Run(
        graph=graph,
        row_match=row_match,
        col_match=col_match,
        cardinality=first.cardinality,
        threads=threads,
        seed=seed,
        stats=stats,
        deadline=started + time_limit if time_limit is not None else float("inf"),
        started=started,
        device=device,
    )
    with ExitStack() as stack:
        if progress:
            from .progress import ProgressLine

            run.on_phase = stack.enter_context(ProgressLine(on_phase))
        else:
            run.on_phase = on_phase
        stack.enter_context(thread_count(threads))
        try:
            if side == "cols":
                run.swap_sides()
            _start_then_search(run, start, start_options, exact, exact_options)
        except Stop as stop:
            stats.stopped = str(stop)
        except KeyboardInterrupt:
            stats.stopped = "interrupted"
    stats.seconds["total"] = time.perf_counter() - started
    return Matching(
        row_match,
        col_match,
        upper_bound=_upper_bound(run),
        stats=stats,
        row_labels=graph.row_labels,
        col_labels=graph.col_labels,
    )


def _start_then_search(
    run: Run,
    start: Algorithm,
    start_options: dict[str, Any],
    exact: Algorithm,
    exact_options: dict[str, Any],
) -> None:
    run.pause()
    apart = run.stats.seconds.get("transpose", 0.0)
    begin = time.perf_counter()
    try:
        if not run.done:
            start.load()(run, **start_options)
    finally:
        # A transpose that the start asked for is a step of its own.
        apart = run.stats.seconds.get("transpose", 0.0) - apart
        run.spent("init", time.perf_counter() - begin - apart)
        run.stats.start_cardinality = run.cardinality
    run.step = "search"
    run.pause()
    if not run.done:
        exact.load()(run, **exact_options)


def _choose(algorithm: str, init: str, initial: Matching | None) -> tuple[Algorithm, Algorithm]:
    default_init = DEFAULT_INIT if initial is None else DEFAULT_INIT_AFTER_INITIAL
    exact = find("exact", DEFAULT_ALGORITHM if algorithm == "auto" else algorithm)
    return exact, find("start", default_init if init == "auto" else init)


def _check_arguments(
    device: str, exact: Algorithm, time_limit: float | None, seed: int, side: str
) -> None:
    if device not in exact.devices:
        raise DeviceError(
            f"device {device!r}: {exact.name} runs on {', '.join(exact.devices)} only"
        )
    if time_limit is not None and not time_limit >= 0:
        raise OptionError(f"time_limit must be a number of seconds ≥ 0, not {time_limit!r}")
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise OptionError(f"seed must be a whole number ≥ 0, not {seed!r}")
    if side not in ("auto", "rows", "cols"):
        raise OptionError(f"side must be 'auto', 'rows' or 'cols', not {side!r}")


def _check_initial(graph: BipartiteGraph, initial: Matching) -> Matching:
    from .proof import verify

    if not isinstance(initial, Matching):
        raise InvalidMatchingError(f"initial must be a Matching, not {type(initial).__name__}")
    try:
        verify(graph, initial)
    except ProofError as error:
        raise InvalidMatchingError(f"initial is not a matching of the graph: {error}") from None
    return initial


def _upper_bound(run: Run) -> int:
    """Return the cardinality if the run came to its end, else what either side allows."""
    cardinality = int(np.count_nonzero(run.row_match >= 0))
    if run.stats.stopped is None:
        return cardinality
    nonempty_cols = int(np.count_nonzero(run.graph.col_degrees))
    return max(cardinality, min(run.upper_bound, nonempty_cols))
