"""The pipeline: kind of input → route → start and search → `Matching`. Reads top to bottom."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload
from weakref import ref

from ..errors import InvalidMatchingError, OptionError, ProofError
from ..files.folder import open_if_large
from ..graphs.graph import BipartiteGraph, BorrowedGraph, Graph, index_type
from ..hints import elsewhere
from ..ingest import as_bipartite, as_graph, graph_of_library
from ..methods.algorithm import load
from ..methods.catalogue import ON_CLUSTER
from ..methods.registry import Algorithm, check_call, check_options
from ..results.general_matching import GeneralMatching
from ..results.matching import Matching, SolveStats
from ..results.run import Run
from ..results.under_way import PhaseReport
from ..settings import (
    CapacityName,
    CapacitySettings,
    ClusterSettings,
    ClusterStartName,
    DeviceName,
    ExactName,
    GeneralName,
    GeneralSettings,
    GeneralStartName,
    Settings,
    StartName,
)
from ..wording import did_you_mean
from . import default
from .general import match_general, of_two_sides

if TYPE_CHECKING:
    from ..results.capacity_matching import CapacityMatching

__all__ = ["maximum_matching"]

LEAST_WITHIN = 1e-4  # so that prices have 16 bits
NEAR = "solve.within:near"


@overload
def maximum_matching(
    graph: Graph, *, general: Literal[True] | None = None, **settings: Unpack[GeneralSettings]
) -> GeneralMatching: ...
@overload
def maximum_matching(
    graph: Any, *, general: Literal[True], **settings: Unpack[GeneralSettings]
) -> GeneralMatching: ...
@overload
def maximum_matching(
    graph: Any, *, general: Literal[False] | None = None, **settings: Unpack[Settings]
) -> Matching: ...
@overload
def maximum_matching(
    graph: Any, *, cluster: Any, **settings: Unpack[ClusterSettings]
) -> Matching: ...
@overload
def maximum_matching(graph: Any, **settings: Unpack[CapacitySettings]) -> CapacityMatching: ...
def maximum_matching(
    graph: Any,
    *,
    algorithm: ExactName | GeneralName | CapacityName = "auto",
    init: StartName | GeneralStartName | ClusterStartName = "auto",
    device: DeviceName = "cpu",
    threads: int | None = None,
    seed: int = 0,
    initial: Any = None,
    time_limit: float | None = None,
    progress: bool = False,
    on_phase: Callable[[PhaseReport], object] | None = None,
    side: Literal["auto", "rows", "cols"] = "auto",
    within: float | None = None,
    cluster: Any = None,
    general: bool | None = None,
    capacity_left: Any = None,
    capacity_right: Any = None,
    at_least_left: Any = None,
    at_least_right: Any = None,
    **options: Any,
) -> Any:
    """Find a maximum cardinality matching of a bipartite graph, or of any graph.

    Parameters
    ----------
    graph
        Anything `as_bipartite` takes: a scipy sparse array, a `BipartiteGraph`, a pair of index
        arrays, a dense array, a networkx or igraph graph, the path of a file. A ``.berge`` folder
        that does not fit in memory is solved from the disk. Or any graph, see `general`.
    general
        True: the graph is undirected, and need not be bipartite; it may be anything that `as_graph`
        takes. A square matrix is then the adjacency of one set of vertices. False: it has two
        sides; a matrix has rows and columns, whether it is symmetric or not. By default a `Graph`
        is general, and a networkx or igraph graph if it has an odd cycle; all else has two sides.
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
        A valid matching of the graph to begin with, of the kind that is returned; the start extends
        it.
    time_limit
        Seconds after which the best matching so far is returned.
    progress
        Show the cardinality climb on standard error.
    on_phase
        Called with a `PhaseReport` after every phase, and now and then in between.
    side
        Search for augmenting paths from unmatched ``"rows"`` or ``"cols"``. ``"auto"`` is the
        smaller side for the default algorithm, and rows for all others.
    within
        Stop once no matching can be larger by more than this share: 0.01 for 1 %. That takes a few
        passes over the edges, and at most so many as `berge.solve.within.most_rounds` says,
        whatever the graph. ``upper_bound`` is proved by a vertex cover: see ``Matching.prove``.
    cluster
        Solve on a Dask cluster: the address of its scheduler, a ``distributed.Client``, or
        ``"local[4]"`` for four processes here. The graph may be a ``.berge`` folder or Parquet
        files that all workers see, or a Dask dataframe of edges. Takes further options:
        ``checkpoint="folder/"``, ``resume=True``, ``output="folder/"``, ``prove=True`` and more;
        see `berge.distributed.dask.solve_on_cluster` and docs/cluster.md.
    capacity_left, capacity_right
        How many partners a row, or a column, may have, each a different one: a number, one for each
        vertex, or a mapping by label (1 for others). See docs/capacities.md.
    at_least_left, at_least_right
        How many partners it must have, in the same forms (0 for others).
    **options
        Options of the algorithm and the start, as `berge.algorithms()` lists them; for instance
        ``lookahead=False`` with Pothen–Fan.

    Returns
    -------
    Matching, GeneralMatching or CapacityMatching
        A maximum matching, of a bipartite or a general graph, or with capacities. After Ctrl-C or
        the time limit: the best valid matching so far, with ``is_maximum`` False unless it happens
        to meet its ``upper_bound``, and the reason in ``stats.stopped``.

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
    its transpose and a copy of a scipy array (4 bytes an edge each, where they are needed), at most
    24 bytes a vertex, and 12 more a vertex for each thread, up to 8 of which share the searches.
    From 2³¹ vertices on it is twice that. Up to 128 MB of it are kept for the next call.

    Another thread may change a scipy array during the call: what comes of that is a matching of
    what was read, or an error.
    """
    started = time.perf_counter()
    if (
        capacity_left is not None
        or capacity_right is not None
        or at_least_left is not None
        or at_least_right is not None
    ):
        from .with_capacities import match_with_capacities

        refused = {"init": init, "device": device, "side": side, "initial": initial}
        refused |= {"cluster": cluster, "general": general or None, "within": within, **options}
        _refuse(refused, "matchings without capacities")
        capacities, leasts = (capacity_left, capacity_right), (at_least_left, at_least_right)
        return match_with_capacities(
            graph,
            capacities,
            leasts,
            algorithm=algorithm,
            time_limit=time_limit,
            progress=progress,
            on_phase=on_phase,
            started=started,
        )
    if general:
        graph = as_graph(graph)
    if cluster is not None:
        here = {"algorithm": algorithm, "device": device, "side": side, "initial": initial}
        here["within"] = within
        there = {"init": init, "threads": threads, "seed": seed, "time_limit": time_limit}
        return _on_cluster(graph, cluster, here, there, progress, on_phase, options)
    asked = algorithm, init, device, side, initial, time_limit, on_phase, progress, options
    plain = default.is_plain(*asked) and type(seed) is int and seed >= 0 and within is None
    if plain and not general and (matching := _small()(graph, threads, seed, started)) is not None:
        return _noted(matching, graph)
    if general is None:
        graph = graph_of_library(graph)
    if isinstance(graph, Graph) and general is not False:
        not_here = {"device": device, "side": side, "cluster": cluster, "within": within}
        for name in options:
            if hint := did_you_mean(name, maximum_matching.__kwdefaults__ or ()) or elsewhere(name):
                raise OptionError(f"there is no option {name!r}{hint}")
        _refuse(not_here | dict.fromkeys(options, "given"), "bipartite graphs")
        settings: Any = {"threads": threads, "seed": seed, "progress": progress}
        settings |= {"time_limit": time_limit, "on_phase": on_phase}
        if algorithm == init == "auto" and initial is None:
            both = of_two_sides(graph, lambda half: maximum_matching(half, **settings), started)
            if both is not None:
                return both
        settings |= {"algorithm": algorithm, "init": init, "initial": initial}
        return match_general(graph, **settings, started=started)
    source, place = _locate(graph, algorithm, device)
    if within is not None:
        asked_for = {"algorithm": algorithm, "device": device, "side": side} | options
        init = _near_start(within, init, initial, asked_for)
    exact, start = default.choose(algorithm, init, device, place, initial is not None)
    exact_options, start_options = _checked(exact, start, place, side, options)
    check_call(exact, device, seed, time_limit)
    from ..compile import asleep, thread_count, threads_of

    alone = plain and threads is None and asleep()  # a small graph is not worth waking numba for
    with thread_count(1 if alone else threads_of(threads)):
        given, graph = graph, _load(source, place)
        known = plain and type(graph) is BipartiteGraph
        if known and (matching := _small()(graph, threads, seed, started)) is not None:
            return _noted(matching, given)
    threads = threads_of(threads)
    with thread_count(threads):
        turn = side == "cols" or (
            side == "auto" and not within and default.searches_columns(exact.name, graph.shape)
        )
        if start.borrows and not turn:
            graph.check()
        used = threads if exact.threads or start.threads else 1
        stats = SolveStats(exact.name, start.name, device, used, seed)
        run = Run(graph, *_first(graph, initial), threads, seed, stats, device=device)
        run.started, run.time_limit, run.on_phase = started, time_limit, on_phase
        run.within = within or 0.0
        with run.workspace(owns_graph=graph is not source):
            with run.running(progress):
                if turn:
                    run.swap_sides()
                elif not start.borrows:
                    run.own_graph()
                _make_start(run, start, start_options)
                if run.within or not exact.borrows:
                    run.own_graph()
                if run.within:
                    load(NEAR)(run)
                elif not run.done:
                    exact.load()(run, **exact_options)
            return _noted(run.result(), given)


def _near_start(within: float, init: Any, initial: Any, others: dict[str, Any]) -> Any:
    """Return the start where the matching need only be near the maximum; refuse all else."""
    given = isinstance(within, (int, float)) and not isinstance(within, bool)
    if not given or not LEAST_WITHIN <= within < 1:
        least = f"from {LEAST_WITHIN} to 1, such as 0.01"
        raise OptionError(f"within must be a number {least}, not {within!r}")
    if others.pop("algorithm") not in ("auto", default.ON_DISK):
        raise OptionError(f"within is for algorithm 'auto' and {default.ON_DISK!r}")
    for name, value in others.items():
        if value not in ("auto", "cpu"):
            raise OptionError(
                f"{name} is for matchings that are to be maximum, and within= is given"
            )
    return "none" if init == "auto" and initial is None else init


def _noted(matching: Matching, graph: Any) -> Matching:
    """Note what a square matching is of, as long as the caller has it: see `Matching.reading`."""
    if matching.row_match.size == matching.col_match.size:
        try:
            matching._graph = ref(graph)
        except TypeError:  # tuples, lists and names of files cannot be noted
            return matching
    return matching


@cache
def _small() -> Callable[..., Matching | None]:
    """Return the way for small graphs; numba is imported here, and only once looked for."""
    from .small import match_small

    return match_small


def _on_cluster(
    graph: Any,
    cluster: Any,
    here: dict[str, Any],
    there: dict[str, Any],
    progress: bool,
    on_phase: Callable[[PhaseReport], object] | None,
    options: dict[str, Any],
) -> Matching:
    """Hand over to the workers; what is for one machine only must have been left alone."""
    _refuse(here, "one machine, and cluster= is given")
    solve = load(ON_CLUSTER["exact"])
    matching: Matching = solve(
        graph, cluster, **there, progress=progress, on_phase=on_phase, **options
    )
    return matching


def _refuse(given: dict[str, Any], what: str) -> None:
    """Raise if something is asked for that there is not here."""
    for name, value in given.items():
        if value is not None and not (isinstance(value, str) and value in ("auto", "cpu")):
            raise OptionError(f"{name} is for {what}")


def _locate(graph: Any, algorithm: str, device: str) -> tuple[Any, str]:
    """Return the graph and where it lies: in memory, on the disk, or on a device."""
    if device == "cuda":
        from ..results.on_device import lies_on_device

        if lies_on_device(graph):
            return graph, "device"
    graph = open_if_large(graph, always=algorithm == default.ON_DISK)
    return graph, "disk" if getattr(graph, "on_disk", False) else "memory"


def _checked(
    exact: Algorithm, start: Algorithm, place: str, side: str, options: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of the algorithm and of its start, if they and the side are right."""
    for name in ("checkpoint", "resume", "output", "prove"):
        if name in options:
            raise OptionError(f"{name} is for solves on a cluster: say which, by cluster=")
    if side not in ("auto", "rows", "cols"):
        raise OptionError(f"side must be 'auto', 'rows' or 'cols', not {side!r}")
    if side == "cols" and place == "disk":
        raise OptionError("side='cols', but a graph on the disk is searched from its rows")
    return check_options(exact, start, options, keywords=maximum_matching.__kwdefaults__ or ())


def _load(source: Any, place: str) -> Any:
    """Return the graph, on the device if it lies there; that of a scipy array is borrowed."""
    library = type(source).__module__.partition(".")[0]
    if library == "scipy" and source.format == "csr" and len(source.shape) == 2:
        return BorrowedGraph.of(source, kept=True)
    if place != "device":
        return as_bipartite(source)
    from ..results.on_device import as_device_graph

    return as_device_graph(source)


def _make_start(run: Run, start: Algorithm, options: dict[str, Any]) -> None:
    """Extend the matching by the start; a transpose that this asks for is a step of its own."""
    run.pause()
    apart = run.seconds.get("transpose", 0.0)
    begin = time.perf_counter()
    try:
        if not run.done:
            start.load()(run, **options)
    finally:
        apart = run.seconds.get("transpose", 0.0) - apart
        run.spent("init", time.perf_counter() - begin - apart)
        run.stats.start_cardinality = run.cardinality
    run.step = "search"
    run.pause()


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
    initial = Matching.settled(initial)  # not what a subclass makes of it
    try:
        verify(graph, initial)
    except ProofError as error:
        raise InvalidMatchingError(f"initial is not a matching of the graph: {error}") from None
    return initial
