"""The pipeline: weights → costs → what must be used → algorithm → `Assignment`.

Reads top to bottom.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InvalidMatchingError, OptionError, ProofError
from ..hints import with_hints
from ..ingest.weighted import as_weighted
from ..methods.assignment.problem import required
from ..methods.registry import check_numbers, find
from ..results.assignment import Assignment
from ..results.assignment_run import AssignmentRun
from ..results.objective import chosen_places, priced
from ..results.under_way import PhaseReport
from ..settings import AssignName, Match, Objective
from . import default
from .assign_problem import Asked, asked, ends_of, reduced
from .bottleneck import bottleneck
from .largest import check_needs, largest

__all__ = ["assign"]

PRICES = {"i": 2**60, "f": 2.0**960}  # to begin with; no good ones are larger
FAR = 1024  # so many times the largest cost: beyond it prices would swallow digits of costs


@with_hints
def assign(
    graph: Any,
    weights: Any = None,
    *,
    objective: Objective = "min",
    match: Match = "full",
    unmatched_cost: Any = None,
    capacity_left: Any = 1,
    capacity_right: Any = 1,
    at_least_left: Any = 0,
    at_least_right: Any = 0,
    left: Any = None,
    right: Any = None,
    algorithm: AssignName = "auto",
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    on_phase: Callable[[PhaseReport], object] | None = None,
    initial: Any = None,
) -> Assignment:
    """Find the best assignment of rows to columns by weight, with prices that prove it.

    Parameters
    ----------
    graph
        A dense array of costs, every entry of which is an edge; a scipy sparse array, whose stored
        entries are edges, zeros too; ``(rows, cols, weights)``; tuples ``(left, right, weight)`` or
        a mapping ``{left: {right: weight}}`` of labels; a frame with a column of scores; a networkx
        or igraph graph; the path of a Matrix Market, .npz, Parquet or edge list file; a
        `BipartiteGraph`, or index arrays, with `weights`.
    weights
        An array with one number for every entry, in the order of the source; the name of a column
        of a frame, or of an attribute of edges. By default the source's own. Integers are exact.
        Negative ones and zeros are weights like others. Infinite ones say that a pair is
        forbidden: +inf with ``"min"``, −inf with ``"max"``; zeros do with ``"product"``. Of
        several entries of one pair the best counts.
    objective
        ``"min"``: the least sum; ``"max"``: the largest sum; ``"product"``: the largest product of
        absolute values; ``"bottleneck"``: the largest smallest weight.
    match
        ``"full"``: all of the side that has fewer must be matched; it is an error if that cannot
        be. ``"maximum"``: as many pairs as can be, and the best such choice. ``"any"``: whatever is
        best; nobody must be matched.
    unmatched_cost
        What it costs to leave a vertex unmatched where that is allowed. One number is for every
        vertex on either side. In (left, right) each is a number, one for each vertex, a mapping by
        label, or None. It is added to the total with ``"min"``, and taken from it with ``"max"``.
    capacity_left, capacity_right
        How many pairs a vertex may be in: a number, one for each vertex, or a mapping by label
        (1 for others). Each unit that is left costs `unmatched_cost`.
    at_least_left, at_least_right
        How many pairs a vertex must be in, in the same forms (0 for others in a mapping).
    left, right
        Names of the columns with labels, for frames; by default the first ones.
    algorithm
        A name from ``berge.algorithms("assign")``.
    threads
        Number of threads, for algorithms that use several; by default all cores.
    time_limit
        Seconds after which the assignment so far is returned, with a bound on the total.
    progress, on_phase
        Show the solve on standard error; call this with a `PhaseReport` now and then.
    initial
        An `Assignment`; prices of the columns; or (matching, prices), the first a `Matching` or
        the column of each row, −1 for none. The solve begins with the prices, and with the pairs
        that are right for them. Good after a small change of weights. Whatever it is, the result
        is the best.

    Returns
    -------
    Assignment
        The pairs and the total. `Assignment.prove` checks that no assignment is better,
        `Assignment.explain` says why a pair is in or out.

    Raises
    ------
    InvalidGraphError
        A weight is not a number, there are too few or too many, integers are so large that sums
        would overflow, or not all can be matched that must be. Each names the place.
    OptionError
        Another argument is wrong.

    Examples
    --------
    >>> import berge
    >>> berge.assign([[4, 1], [2, 3]])
    Assignment(2 pairs, total 3, best)
    >>> scores = {"ann": {"cook": 5, "drive": 4}, "bob": {"cook": 3}, "cid": {"cook": 4}}
    >>> plan = berge.assign(scores, objective="max", capacity_right={"cook": 2}, match="any")
    >>> plan.as_dict(), plan.total
    ({'ann': 'drive', 'bob': 'cook', 'cid': 'cook'}, 11)
    >>> berge.assign({"ann": {"cook": 5}, "bob": {"cook": 3}, "cid": {"drive": 4, "sew": 2}})
    Traceback (most recent call last):
        ...
    berge.errors.InvalidGraphError: match='full', but ann and bob want only cook: 2 for 1

    Notes
    -----
    O(n·m·log n) in the worst case for n vertices and m edges, and far less on most graphs. Memory
    besides the graph: 8 bytes an edge for the costs, and the transpose where it is needed.
    """
    started = time.perf_counter()
    check_numbers(0, time_limit)
    if algorithm != "auto":
        find("assign", algorithm)  # before a large file is read
    edges = priced(as_weighted(graph, weights, left=left, right=right), objective)
    capacity, least = (capacity_left, capacity_right), (at_least_left, at_least_right)
    found = asked(edges, match, unmatched_cost, capacity, least, objective)
    _warn_of_nothing(found, match)
    from ..compile import thread_count, threads_of  # numba is imported here

    threads = threads_of(threads)
    run = AssignmentRun(problem=found.problem(), threads=threads)
    run.started, run.time_limit, run.on_phase = started, time_limit, on_phase
    run.spent("read", run.elapsed)
    if objective == "bottleneck":
        with thread_count(threads):
            return bottleneck(found, match, run, progress)
    places = forced = np.zeros(0, np.int64)
    with thread_count(threads), run.running(progress):
        run.pause()
        with run.timed("size"):
            found = _sized(found, match, run)
        run.problem, places, forced = reduced(found)
        run.first, run.col_price = _first(initial, found, objective)
        entry = default.choose_assign(algorithm, run.problem)
        if run.problem.row_capacity is not None and not entry.several:
            raise OptionError(f"{entry.name} is for one pair a vertex, without at_least")
        entry.load()(run)
        if run.infeasible:
            raise ProofError(f"{entry.name} found no assignment where there must be one")
    return _result(run, found, match, objective, places, forced)


def _warn_of_nothing(found: Asked, match: str) -> None:
    """Say that the best is to choose nothing, where that is seen at once."""
    sides = (found.rows, found.cols)
    free = not any(side.leave.any() or side.least.any() for side in sides)
    if match == "any" and free and found.costs.size and found.costs.min() >= 0:
        warnings.warn(
            "with match='any' and these weights it is best to choose no pair: give unmatched_cost, "
            "or another match or objective",
            RuntimeWarning,
            stacklevel=3,
        )


def _sized(found: Asked, match: str, run: AssignmentRun) -> Asked:
    """Check that all can be matched that must be; find what all largest choices have in common."""
    graph = found.edges.graph
    must = required(found.costs.dtype)
    for side, own, other in (("left", found.rows, found.cols), ("right", found.cols, found.rows)):
        needs = np.where(own.leave == must, own.capacity, own.least)
        units = found.rows.capacity.sum()
        if side == "right" and match == "full" and needs.sum() == units == own.capacity.sum():
            break  # the left side uses all of them
        why = "match='full'" if match == "full" else f"at_least_{side}"
        seen = graph if side == "left" else graph.T if needs.any() else graph
        check_needs(seen, needs, other.capacity, side, why, run)
    if match != "maximum":
        return found
    most = largest(graph, found.rows.capacity, found.cols.capacity, run)
    return replace(
        found,
        rows=found.rows._replace(cover=most.rows),
        cols=found.cols._replace(cover=most.cols),
    )


def _first(initial: Any, found: Asked, objective: str) -> tuple[Any, Any]:
    """Return the columns of rows and the prices of columns to begin with; None for none."""
    if initial is None:
        return None, None
    (n_rows, n_cols), kind = found.edges.graph.shape, found.costs.dtype
    pairs, prices = None, initial
    if isinstance(initial, Assignment):
        prices = initial.col_prices
        if initial.row_side.capacity.max(initial=0) <= 1:
            pairs = initial.row_match
    elif isinstance(initial, tuple):
        if len(initial) != 2:
            raise InvalidMatchingError("initial must be (matching, prices), or one of the two")
        pairs, prices = initial
        pairs = np.array(getattr(pairs, "row_match", pairs), subok=False)  # which may be changing
    prices = np.array(prices, subok=False)
    if prices.shape != (n_cols,) or prices.dtype.kind not in "iuf":
        raise InvalidMatchingError(
            f"initial must be an Assignment, or prices of {n_cols} columns, or (matching, prices); "
            f"the prices are {prices.dtype} of shape {prices.shape}"
        )
    if not np.isfinite(prices).all() or np.abs(prices).max(initial=0) > PRICES[kind.kind]:
        raise InvalidMatchingError("initial has a price that is infinite, not a number, or huge")
    if pairs is not None and (pairs.shape != (n_rows,) or pairs.dtype.kind not in "iu"):
        raise InvalidMatchingError(
            f"initial: the matching must have the columns of {n_rows} rows, not {pairs.dtype} of "
            f"shape {pairs.shape}"
        )
    if objective == "max":
        prices = -prices.astype(kind)
    if kind.kind == "i":
        return pairs, np.rint(prices).astype(kind)
    numbers = [found.costs, *(side.leave[side.leave < np.inf] for side in (found.rows, found.cols))]
    most = FAR * max(float(np.abs(values).max(initial=0)) for values in numbers)
    return pairs, prices.astype(kind).clip(-most, most)


def _result(
    run: AssignmentRun, found: Asked, match: str, objective: str, places: Any, forced: Any
) -> Assignment:
    """Return what was chosen, in the places of the whole graph."""
    graph, weights, costs = found.edges
    run.stats.stopped, chosen, inner = run.stopped, run.chosen, run.problem.graph
    edges: Any = np.zeros(0, np.int64)
    if chosen is None:
        pass
    elif chosen.dtype.kind == "b":
        edges = np.flatnonzero(chosen)
    else:
        rows = np.flatnonzero(chosen >= 0)
        edges = chosen_places(inner, rows, chosen[rows])
    if inner is not graph:
        edges = places[edges]
    if forced.size:
        edges = np.sort(np.concatenate([edges, forced]))
    rows, cols = ends_of(graph, edges)
    sides = []
    complete = True
    prices = run.row_price, run.col_price
    for side, ends, price in zip((found.rows, found.cols), (rows, cols), prices, strict=True):
        used = np.bincount(ends, minlength=side.capacity.size)
        must = side.leave == required(costs.dtype)
        must |= False if side.cover is None else side.cover
        complete &= bool((used >= np.where(must, side.capacity, side.least)).all())
        if price is not None and costs.dtype.kind == "f":  # no pair may seem to gain by rounding
            price = np.where(side.capacity > 0, price, price - np.abs(price) * 2.0**-40)
        sides.append(side if price is None else side._replace(prices=price))
    run.spent("total", run.elapsed)
    return Assignment(
        rows=rows, cols=cols, pair_weights=weights[edges], objective=objective, match=match,
        row_side=sides[0], col_side=sides[1], is_optimal=run.stopped is None,
        is_complete=complete, stats=run.stats, graph=graph, weights=weights, costs=costs,
    )  # fmt: skip
