"""The pipeline for any graph by weight: graph → prices → search → `WeightedMatching`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidGraphError, OptionError
from ..graphs.graph import Graph
from ..hints import with_hints
from ..ingest.signed import as_signed_graph
from ..methods.registry import check_numbers
from ..results.matching import SolveStats
from ..results.under_way import PhaseReport, Stop
from ..results.weighted_matching import (
    WeightedMatching,
    prices_of_forest,
    tolerance_of,
    weight_of_pairs,
)
from ..settings import GeneralWeightedName
from ..wording import plural
from . import default
from .general import match_general

if TYPE_CHECKING:
    from ..results.general_matching import GeneralMatching
    from ..results.weighted_run import WeightedRun

__all__ = ["maximum_weight_matching"]

LARGEST = 2**56  # of sums of whole weights, so that prices fit in 64 bits and can be checked


@with_hints
def maximum_weight_matching(
    graph: Any,
    weights: Any = None,
    *,
    maxcardinality: bool = False,
    perfect: bool = False,
    minimise: bool = False,
    algorithm: GeneralWeightedName = "auto",
    time_limit: float | None = None,
    progress: bool = False,
    on_phase: Callable[[PhaseReport], object] | None = None,
) -> WeightedMatching:
    """Find the heaviest matching of any graph, or the lightest one, with prices that prove it.

    Parameters
    ----------
    graph
        Anything that `as_graph` takes; also ``(ends, others, weights)``. Self-loops are ignored; of
        parallel edges the best is kept.
    weights
        None or True for those of the source: networkx and igraph graphs have them in ``"weight"``.
        Else the name of an attribute of edges, or an array with one for each stored entry or edge.
        Any finite numbers: whole ones are solved exactly. Those of a matrix or a file are its
        values, with their sign.
    maxcardinality
        Only matchings with as many pairs as there can be compete.
    perfect
        Only matchings of all vertices compete; if there is none, an error says why.
    minimise
        Find the lightest one that competes.
    algorithm
        A name from ``berge.algorithms("general-weighted")``.
    time_limit
        Seconds after which the matching so far is returned, with a bound on what the best weighs.
    progress
        Show the matching grow on standard error.
    on_phase
        Called with a `PhaseReport` now and then.

    Returns
    -------
    WeightedMatching
        After Ctrl-C or the time limit: the valid matching so far, with the reason in
        ``stats.stopped``, and a bound in ``weight_bound``.

    Raises
    ------
    InvalidGraphError
        If the graph is not one, a weight is no finite number, whole weights are so large that sums
        do not fit in 64 bits, or no matching is perfect and it was asked for.

    Examples
    --------
    >>> import berge
    >>> path = ([0, 1, 2], [1, 2, 3], [2, 5, 2])
    >>> berge.maximum_weight_matching(path)
    WeightedMatching(1 pair of 4 vertices, weight 5, heaviest)
    >>> berge.maximum_weight_matching(path, perfect=True).pairs().tolist()
    [[0, 1], [2, 3]]
    >>> berge.maximum_weight_matching(path, maxcardinality=True, minimise=True).weight
    4

    Notes
    -----
    O(n·(m log n + n·d)) for n vertices, m edges and odd sets nested d deep; on sparse graphs with
    weights of all kinds about linear. Memory besides the graph: 180 bytes a vertex and 24 an edge,
    half as much again for counts beyond 2³¹. One thread; the result is the same each time.
    """
    started = time.perf_counter()
    check_numbers(0, time_limit)
    exact = default.choose_weighted(algorithm)
    if perfect and maxcardinality:
        raise OptionError("perfect matchings are maximum ones: give perfect or maxcardinality")
    signed = as_signed_graph(graph, weights, minimise)
    _check_size(signed, perfect or maxcardinality)
    from ..results.weighted_run import WeightedRun  # numba is imported here

    first = None
    if perfect and (signed.n_vertices % 2 or (signed.degrees == 0).any()):
        raise InvalidGraphError(_why_not_perfect(signed))
    if maxcardinality:
        first = match_general(signed, time_limit=time_limit, started=started)
    run = WeightedRun(
        graph=signed,
        mate=np.full(signed.n_vertices, -1, signed.indices.dtype),
        cardinality=0,
        threads=1,
        seed=0,
        stats=SolveStats(exact.name, "fractional"),
        perfect=perfect or (first is not None and first.is_perfect),
        goal=None if first is None else first.cardinality,
    )
    run.started, run.time_limit, run.on_phase = started, time_limit, on_phase
    with run.running(progress):
        if first is not None and first.stats is not None and first.stats.stopped:
            run.mate[:] = first.mate
            raise Stop(first.stats.stopped)
        run.pause()
        exact.load()(run)
    if run.infeasible:
        raise InvalidGraphError(_why_not_perfect(signed))
    matching = _result(run, first, perfect, minimise)
    matching._weights = weights
    return matching


def _result(
    run: WeightedRun, first: GeneralMatching | None, perfect: bool, minimise: bool
) -> WeightedMatching:
    """Weigh what was found, and what may be missing."""
    graph, mate = run.graph, run.mate
    given: Any = graph.weights
    largest = given.max(initial=0).item()
    with run.timed("weigh"):
        weight = weight_of_pairs(graph, mate)
        prices, bound = None, largest * (mate.size // 2)
        if run.forest is not None:
            prices = prices_of_forest(run.forest)
            pairs = int(np.count_nonzero(mate >= 0)) // 2
            most = mate.size // 2 if perfect else pairs if first is None else first.cardinality
            bound = prices.bound(most)
    run.stats.stopped = run.stopped
    tolerance = tolerance_of(graph)
    sign = -1 if minimise else 1
    matching = WeightedMatching(
        mate,
        weight=sign * weight,
        weight_bound=sign * (bound if run.stopped or tolerance else weight),
        upper_bound=mate.size // 2 if first is None else first.upper_bound,
        competes_with="perfect" if perfect else "all" if first is None else "maximum",
        minimise=minimise,
        tolerance=tolerance,
        prices=prices,
        stats=run.stats,
        labels=graph.labels,
    )
    matching._proof = None if first is None else first._proof
    run.seconds["total"] = run.elapsed
    return matching


def _check_size(graph: Graph, by_number: bool) -> None:
    """Refuse weights whose sums would overflow."""
    given: Any = graph.weights
    largest = max(abs(given.max(initial=0).item()), abs(given.min(initial=0).item()))
    if given.dtype.kind == "f" and largest >= 2.0**800:
        raise InvalidGraphError(f"an edge weighs {largest}: too large")
    most = LARGEST // (max(graph.n_vertices, 1) if by_number else 2)
    if given.dtype.kind == "i" and largest > most:
        raise InvalidGraphError(
            f"an edge weighs {largest}, and whole weights may be {most} here, so that "
            "prices fit in 64 bits: divide them, or pass floating-point numbers"
        )


def _why_not_perfect(graph: Graph) -> str:
    """Say which part of the graph cannot be matched."""
    from ..results.tutte_berge import find_barrier

    n = graph.n_vertices
    if n % 2:
        return f"no matching is perfect: {n} is an odd number of vertices"
    alone = np.flatnonzero(graph.degrees == 0)
    if alone.size:
        name = alone[0] if graph.labels is None else repr(graph.labels[alone[0]])
        return f"no matching is perfect: vertex {name} has no edge"
    barrier = find_barrier(graph, match_general(graph).mate)
    removed = plural(barrier.size, "vertex", "vertices")
    return (
        f"no matching is perfect: without {removed} the graph has {barrier.odd_parts} parts of an "
        f"odd number of vertices, so that {plural(barrier.unmatched, 'vertex', 'vertices')} must "
        "stay unmatched (Tutte; berge.maximum_matching proves it)"
    )
