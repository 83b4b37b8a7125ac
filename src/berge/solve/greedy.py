"""The pipeline: input → graph → random order → method → `GreedyMatching`. Reads top to bottom."""

from __future__ import annotations

import time
from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import OptionError
from ..hints import with_hints
from ..ingest import as_graph
from ..methods.algorithm import load
from ..methods.catalogue import ON_CLUSTER
from ..methods.registry import Algorithm, algorithms, check_call
from ..results.greedy_matching import GreedyMatching
from ..results.under_way import PhaseReport
from ..settings import DeviceName, GreedyName
from . import default

if TYPE_CHECKING:
    from ..results.greedy_run import GreedyRun

__all__ = ["greedy_matching", "options_of"]

BLUE = 0.53406  # the p that matches most in a first round of proposals (docs/greedy.md)


@with_hints
def greedy_matching(
    graph: Any,
    *,
    method: GreedyName = "auto",
    weights: Any = None,
    left: Any = None,
    right: Any = None,
    prove: bool = False,
    output: str | PathLike[str] | None = None,
    seed: int = 0,
    p: float = BLUE,
    permute: bool = True,
    device: DeviceName = "cpu",
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    on_phase: Callable[[PhaseReport], object] | None = None,
    cluster: Any = None,
) -> GreedyMatching:
    """Find a maximal matching of any undirected graph quickly, a heavy one if it has weights.

    Parameters
    ----------
    graph
        Anything `as_graph` takes: a `Graph`, a square scipy sparse array, a pair of index arrays, a
        networkx or igraph graph, the path of a file. An entry in either direction is an edge,
        self-loops are ignored, of parallel edges the heaviest is kept.
    method
        A name from ``berge.algorithms("greedy")``. ``"auto"`` is ``"suitor"`` for graphs with
        weights and ``"single-pass"`` for others.
    weights
        As for `as_graph`: None for no weights (a `Graph` keeps its own), True for those of the
        source, an array with one for every entry or edge, or the name of an attribute.
    left, right
        Names of two columns of a frame, or of Parquet files (a path, a pattern, a URL), with the
        labels of two lists; `weights` names a third. The vertices are the labels, those on the left
        first; ``named`` returns the pairs.
    prove
        Also bound what any matching weighs, by prices that are checked: ``upper_bound``,
        ``certificate``; see ``GreedyMatching.prove``.
    output
        With `left` and `right`: write the pairs to a ``.parquet``, ``.csv`` or ``.tsv`` file, a row
        a pair; on a cluster, to a folder of Parquet files.
    seed
        For the random order, and the colours of proposals.
    p
        Probability of a vertex to be blue in a round of proposals, from 0.01 to 0.99; only for
        ``"proposals"`` and ``"weighted-proposals"``.
    permute
        Take vertices in random order, with ``random``, ``weighted`` and both kinds of proposals.
    device
        ``"cpu"``, or ``"cuda"`` for methods that run there.
    threads
        Number of threads; by default what numba is set to, which is all cores. One seed gives one
        result on any number of threads with every method but ``"single-pass"``.
    time_limit
        Seconds after which the matching so far is returned.
    progress
        Show the matching grow on standard error.
    on_phase
        Called with a `PhaseReport` after every round, and now and then in between.
    cluster
        Match on a Dask cluster: the address of its scheduler, a ``distributed.Client``, or
        ``"local[4]"``. The graph may be a ``.berge`` folder, or a table of pairs in Parquet, that
        all workers see, or a Dask dataframe. Methods are
        ``"locally-dominant"``, by default with weights, ``"proposals"``, by default without, and
        ``"weighted-proposals"``. See `berge.distributed.dask.greedy_on_cluster`.

    Returns
    -------
    GreedyMatching
        A maximal matching. After Ctrl-C or the time limit: the valid matching so far, with the
        reason in ``stopped``.

    Raises
    ------
    InvalidGraphError
        If the graph is not one, or a weight is negative, infinite or not a number.

    Examples
    --------
    >>> import berge
    >>> path = ([0, 1, 2, 3], [1, 2, 3, 4])
    >>> berge.greedy_matching(path)
    GreedyMatching(2 pairs of 5 vertices, maximal; by single-pass)
    >>> berge.greedy_matching(path, weights=[3, 4, 3, 1], method="global-paths")
    GreedyMatching(2 pairs of 5 vertices, weight 6, maximal; by global-paths)

    Notes
    -----
    O(vertices + edges) on all but constructed graphs. Memory besides the graph: 8 bytes a vertex
    for ``"single-pass"``, 24 for ``"suitor"``; a copy of the graph where it is permuted.
    """
    started = time.perf_counter()
    if cluster is not None:
        for name, given in {"permute": not permute, "device": device != "cpu"}.items():
            if given:
                raise OptionError(f"{name} is for one machine, and cluster= is given")
        settings = {"method": method, "weights": weights, "seed": seed, "p": p, "threads": threads}
        settings |= {"time_limit": time_limit, "progress": progress, "on_phase": on_phase}
        settings |= {"left": left, "right": right, "prove": prove, "output": output}
        found: GreedyMatching = load(ON_CLUSTER["greedy"])(graph, cluster, **settings)
        return found
    default.choose_greedy(method, False)  # before a large file is read
    n_left = None
    if left is not None or right is not None:
        from ..ingest.two_lists import as_two_lists

        graph, n_left = as_two_lists(graph, weights, left, right)
    elif output is not None:
        raise OptionError("output is for pairs between two lists: name left and right")
    else:
        graph = as_graph(graph, weights=weights)
    entry = default.choose_greedy(method, graph.weights is not None)
    check_call(entry, device, seed, time_limit)
    options = options_of(entry, p, permute)
    from ..compile import threads_of  # numba is imported here
    from ..compile.devices import open_device
    from ..results.greedy_run import FREE, GreedyRun

    threads = threads_of(threads) if entry.threads else 1
    run = GreedyRun(
        graph=graph,
        mate=np.full(graph.n_vertices, FREE, graph.indices.dtype),
        device=open_device(device, threads),
        threads=threads,
        seed=seed,
        started=started,
        time_limit=time_limit,
        on_phase=on_phase,
    )
    with run.running(progress), run.timed("match"):
        run.pause()
        entry.load()(run, **options)
    found = _result(run, entry.name)
    if prove:
        with run.timed("prices"):
            found._bounded(graph)
    if output is not None and n_left is not None:
        with run.timed("write"):
            _write(output, graph, found, (left, right, weights))
    found.seconds["total"] = run.elapsed
    return found


def _write(output: Any, graph: Any, found: GreedyMatching, names: tuple[Any, Any, Any]) -> None:
    """Write a row a pair: both labels, and the weight if there are any."""
    from ..files.assignments import write_pairs_of

    ends = found.pairs()
    columns: list[Any] = [[graph.labels[v] for v in side.tolist()] for side in ends.T]
    if graph.weights is not None:
        rows = np.repeat(np.arange(graph.n_vertices), np.diff(graph.indptr))
        chosen = found.mate[rows] == graph.indices
        heaviest = np.zeros(graph.n_vertices)
        np.maximum.at(heaviest, rows[chosen], graph.weights[chosen])
        columns.append(heaviest[ends[:, 0]].tolist())
    named = [*names[:2], names[2] if isinstance(names[2], str) else "weight"][: len(columns)]
    write_pairs_of(output, tuple(named), zip(*columns, strict=True))


def options_of(entry: Algorithm, p: float, permute: bool = True) -> dict[str, Any]:
    """Return the options that a method has, checked; `p` is refused where it would do nothing."""
    users = [a.name for a in algorithms("greedy") if any(o.name == "p" for o in a.options)]
    if p != BLUE and entry.name not in users:
        raise OptionError(f"p is for {' and '.join(users)}; {entry.name} does not use it")
    settings = {"p": p, "permute": permute}
    return {option.name: option.check(settings[option.name]) for option in entry.options}


def _result(run: GreedyRun, method: str) -> GreedyMatching:
    """Weigh and check what was found."""
    from ..methods.greedy.weigh import weight_of
    from ..results.proof import is_maximal

    mate, seconds = run.mate, run.seconds
    seconds["match"] = seconds.get("match", 0.0) - seconds.get("permute", 0.0)
    size = int(np.count_nonzero(mate >= 0)) // 2
    weight = weight_of(run.graph, mate, run.threads)
    with run.timed("check"):
        maximal = is_maximal(run.graph, mate)
    mate.flags.writeable = False
    seconds["total"] = run.elapsed
    return GreedyMatching(
        mate=mate,
        size=size,
        weight=weight,
        is_maximal=maximal,
        matched_fraction=tuple(run.fractions or [2 * size / max(mate.size, 1)]),
        method=method,
        device=run.device.name,
        threads=run.threads,
        seed=run.seed,
        seconds=seconds,
        stopped=run.stopped,
        labels=run.graph.labels,
    )
