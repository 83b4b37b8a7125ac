"""The pipeline: input → graph → start → exact algorithm → `Matching`. Reads top to bottom."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from typing import Any

from ..errors import InvalidMatchingError, OptionError, ProofError
from ..files.folder import open_if_large
from ..graphs.graph import LARGE, BipartiteGraph, index_type
from ..graphs.memory import solve_bytes
from ..graphs.workspace import Workspace
from ..ingest import as_bipartite
from ..methods.registry import Algorithm, algorithms, check_call, check_options, find
from ..results.matching import Matching, SolveStats
from ..results.run import PhaseReport, Run, Stop

__all__ = ["maximum_matching"]

# What "auto" stands for.
DEFAULT_ALGORITHM = "mixed"
DEFAULT_ON_CUDA = "g-pr-shr"
OUT_OF_CORE = "out-of-core"
DEFAULT_INIT = "karp-sipser"
_ALL_AUTO = ("auto", "auto", "cpu", "auto")  # algorithm, init, device, side: see `at_once`
DEFAULT_CHEAP_INIT = "cheap"  # for "mixed", and where little is left to do


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
    cluster: Any = None,
    **options: Any,
) -> Matching:
    """Find a maximum cardinality matching of a bipartite graph.

    Parameters
    ----------
    graph
        Anything `as_bipartite` takes: a scipy sparse array, a `BipartiteGraph`, a pair of index
        arrays, a dense array, a networkx or igraph graph, the path of a file. A ``.berge`` folder
        that does not fit in memory is solved from the disk.
    algorithm, init
        Names from `berge.algorithms()`: the exact algorithm, and the start that it begins with.
    device
        ``"cpu"``, or ``"cuda"`` for the algorithms that run there. A graph that lies on the GPU
        (CuPy, torch, index arrays) is left there then, and so is the matching; see
        ``Matching.to_host``.
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
        Search for augmenting paths from unmatched ``"rows"`` or ``"cols"``. ``"auto"`` is the
        smaller side for the default algorithm, and rows for all others.
    cluster
        Solve on a Dask cluster: the address of its scheduler, a ``distributed.Client``, or
        ``"local[4]"`` for four processes here. The graph may be a ``.berge`` folder or Parquet
        files that all workers see, or a Dask dataframe of edges. Takes further options:
        ``checkpoint="folder/"``, ``resume=True``, ``output="folder/"``, ``prove=True`` and more;
        see `berge.distributed.dask.solve_on_cluster` and docs/cluster.md.
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
    its transpose (4 bytes an edge, where it is needed), at most 24 bytes a vertex, and 12 more for
    each thread, of which up to 8 share the searches; twice that from 2³¹ vertices on. Up to 128 MB
    of it are kept for the next call.
    """
    started = time.perf_counter()
    if cluster is not None:
        return _on_cluster(
            graph,
            cluster,
            {"algorithm": algorithm, "device": device, "side": side, "initial": initial},
            init=init,
            threads=threads,
            seed=seed,
            time_limit=time_limit,
            progress=progress,
            on_phase=on_phase,
            **options,
        )
    for name in ("checkpoint", "resume", "output", "prove"):
        if name in options:
            raise OptionError(f"{name} is for solves on a cluster: say which, by cluster=")
    plain = initial is None and time_limit is None and on_phase is None
    plain = plain and not (progress or options) and type(seed) is int and seed >= 0
    if plain and (algorithm, init, device, side) == _ALL_AUTO:
        matching = _at_once()(graph, threads, seed, started)
        if matching is not None:
            return matching
    on_device = device == "cuda" and _lies_on_device(graph)
    graph = open_if_large(graph, always=algorithm == OUT_OF_CORE)
    if algorithm == "auto" and getattr(graph, "on_disk", False):
        algorithm = OUT_OF_CORE
    exact, start = _choose(algorithm, init, initial, device, on_device)
    exact_options, start_options = check_options(
        exact, start, options, keywords=maximum_matching.__kwdefaults__ or ()
    )
    check_call(exact, device, seed, time_limit)
    if side not in ("auto", "rows", "cols"):
        raise OptionError(f"side must be 'auto', 'rows' or 'cols', not {side!r}")
    from ..compile import thread_count, threads_of  # numba is imported here

    threads = threads_of(threads)
    with ExitStack() as stack:
        stack.enter_context(thread_count(threads))
        source, graph = graph, _load(graph, on_device)
        row_match, col_match, cardinality = _first(graph, initial)
        used = threads if exact.threads or start.threads else 1
        stats = SolveStats(exact.name, start.name, device, used, seed)
        run = Run(
            graph=graph,
            row_match=row_match,
            col_match=col_match,
            cardinality=cardinality,
            threads=threads,
            seed=seed,
            stats=stats,
            deadline=started + time_limit if time_limit is not None else float("inf"),
            on_phase=on_phase,
            started=started,
            device=device,
        )
        if graph.nnz >= LARGE and not run.on_device and not graph.on_disk:
            space = stack.enter_context(Workspace(solve_bytes(graph.shape, graph.nnz)))
            run.empty, run.owns_graph = space.empty, graph is not source
        if progress:
            from .progress import ProgressLine

            run.on_phase = stack.enter_context(ProgressLine(on_phase))
        try:
            smaller = exact.name == DEFAULT_ALGORITHM and graph.n_cols < graph.n_rows
            if side == "cols" and graph.on_disk:
                raise OptionError("side='cols', but a graph on the disk is searched from its rows")
            if side == "cols" or (side == "auto" and smaller):
                run.swap_sides()
            _start_then_search(run, start, start_options, exact, exact_options)
        except Stop as stop:
            stats.stopped = str(stop)
        except KeyboardInterrupt:
            stats.stopped = "interrupted"
        result = run.result()
    if graph is not source:
        # It and its transpose hold each other: memory would wait for the garbage collector.
        graph.__dict__.pop("T", None)
    stats.seconds["total"] = time.perf_counter() - started
    return result


@cache
def _at_once() -> Callable[..., Matching | None]:
    """Return the way for small graphs; numba is imported here, and only once looked for."""
    from .small import match_at_once

    return match_at_once


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


def _on_cluster(graph: Any, cluster: Any, here: dict[str, Any], **settings: Any) -> Matching:
    """Hand over to the workers; what is for one machine only must have been left alone."""
    for name, value in here.items():
        if value not in ("auto", "cpu", None):
            raise OptionError(f"{name} is for one machine, and cluster= is given")
    workers: Any = import_module("berge.distributed.dask")  # by name: that room is above this one
    matching: Matching = workers.solve_on_cluster(graph, cluster, **settings)
    return matching


def _lies_on_device(graph: Any) -> bool:
    from ..results.on_device import lies_on_device

    return lies_on_device(graph)


def _choose(
    algorithm: str, init: str, initial: Matching | None, device: str, on_device: bool
) -> tuple[Algorithm, Algorithm]:
    if algorithm == "auto":
        algorithm = DEFAULT_ON_CUDA if device == "cuda" else DEFAULT_ALGORITHM
    if init == "auto":
        little = on_device or initial is not None or algorithm == DEFAULT_ALGORITHM
        init = DEFAULT_CHEAP_INIT if little else DEFAULT_INIT
        if algorithm == OUT_OF_CORE:
            init = "none"  # its first pass makes one
    exact, start = find("exact", algorithm), find("start", init)
    if on_device and "cuda" not in start.devices:
        there = ", ".join(a.name for a in algorithms("start") if "cuda" in a.devices)
        raise OptionError(
            f"init {start.name!r} runs on the host, and the graph lies on the device: "
            f"copy it to the host first, or begin with one of {there}"
        )
    return exact, start


def _load(graph: Any, on_device: bool) -> Any:
    """Return the graph, on the device if it lies there."""
    if not on_device:
        return as_bipartite(graph)
    from ..results.on_device import as_device_graph

    return as_device_graph(graph)


def _first(graph: Any, initial: Matching | None) -> tuple[Any, Any, int]:
    """Return the arrays of the matching to begin with, and its cardinality."""
    if not isinstance(graph, BipartiteGraph):
        first: tuple[Any, Any, int] = graph.first(initial)
        return first
    from ..graphs.passes import unmatched

    index = index_type(*graph.shape) if graph.on_disk else graph.indices.dtype
    if initial is None:
        return unmatched(graph.n_rows, index), unmatched(graph.n_cols, index), 0
    matching = _check_initial(graph, initial)
    return (
        matching.row_match.astype(index),
        matching.col_match.astype(index),
        matching.cardinality,
    )


def _check_initial(graph: BipartiteGraph, initial: Matching) -> Matching:
    from ..results.proof import verify

    if not isinstance(initial, Matching):
        raise InvalidMatchingError(f"initial must be a Matching, not {type(initial).__name__}")
    initial = initial.to_host()
    try:
        verify(graph, initial)
    except ProofError as error:
        raise InvalidMatchingError(f"initial is not a matching of the graph: {error}") from None
    return initial
