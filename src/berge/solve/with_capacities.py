"""The pipeline with capacities: graph → units → algorithm → `CapacityMatching`.

`maximum_matching` comes here if any capacity or lower bound is given. Reads top to bottom.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph
from ..graphs.names import named
from ..ingest import as_bipartite
from ..methods.registry import check_numbers
from ..results.capacity_matching import CapacityMatching
from ..results.capacity_run import CapacityRun
from ..results.under_way import PhaseReport
from ..wording import in_words
from . import default
from .assign_problem import units_of

__all__ = ["match_with_capacities"]

SHOWN = 5  # names on either side in a message


def match_with_capacities(
    source: Any,
    capacities: tuple[Any, Any],
    leasts: tuple[Any, Any],
    *,
    algorithm: str = "auto",
    time_limit: float | None = None,
    progress: bool = False,
    on_phase: Callable[[PhaseReport], object] | None = None,
    started: float | None = None,
) -> CapacityMatching:
    """Find as many pairs as capacities allow, see `berge.maximum_matching`."""
    check_numbers(0, time_limit)
    entry = default.choose_capacity(algorithm)
    given = as_bipartite(source)
    graph = given.without_duplicates() if _has_duplicates(given) else given
    labels = given.row_labels, given.col_labels
    (row_most, row_least), (col_most, col_least) = (
        units_of(side, 1 if most is None else most, 0 if least is None else least, n, names)
        for side, most, least, n, names in zip(
            ("left", "right"), capacities, leasts, graph.shape, labels, strict=True
        )
    )
    chosen = np.zeros(graph.nnz, np.bool_)
    run = CapacityRun(
        graph=graph, row_capacity=row_most, col_capacity=col_most, row_least=row_least,
        col_least=col_least, chosen=chosen, time_limit=time_limit, on_phase=on_phase,
    )  # fmt: skip
    run.started = time.perf_counter() if started is None else started
    run.stats.algorithm = entry.name
    with run.running(progress):
        run.pause()
        entry.load()(run)
    if run.short is not None:
        raise InvalidGraphError(_why_short(run, *run.short))
    run.stats.stopped, run.seconds["total"] = run.stopped, run.elapsed
    edges = np.flatnonzero(chosen)
    rows = np.searchsorted(graph.indptr, edges, side="right") - 1
    return CapacityMatching(
        rows.astype(graph.indices.dtype),
        graph.indices[edges],
        graph.shape,
        (row_least, row_most),
        (col_least, col_most),
        run.upper_bound,
        None if run.stopped else run.cover,
        *labels,
        stats=run.stats,
    )


def _has_duplicates(graph: BipartiteGraph) -> bool:
    """Tell whether a pair is there twice, or may be: whether a row is not sorted."""
    rises = np.ones(graph.nnz, np.bool_)
    np.greater(graph.indices[1:], graph.indices[:-1], out=rises[1:])
    rises[graph.indptr[:-1][graph.row_degrees > 0]] = True
    return not bool(rises.all())


def _why_short(run: CapacityRun, side: str, members: Any, choices: Any) -> str:
    """Say who needs more than all that they are joined to can give."""
    graph, least, most, nouns = run.graph, run.row_least, run.col_capacity, ("row", "column")
    if side == "right":
        graph, least, most, nouns = graph.T, run.col_least, run.row_capacity, nouns[::-1]
    who, whom = (
        in_words(named(labels, mask), SHOWN, noun if labels is None else "")
        for mask, labels, noun in zip(
            (members, choices), (graph.row_labels, graph.col_labels), nouns, strict=True
        )
    )
    room = int(most[choices].sum())
    others = int((~choices[graph.indices[np.repeat(members, graph.row_degrees)]]).sum())
    parts = [f"{room:,} with {whom}"] if choices.any() else []
    parts += [f"{others:,} with others"] if others else []
    need = "needs" if members.sum() == 1 else "need"
    return (
        f"at_least_{side}: {who} {need} {int(least[members].sum()):,} pairs, and at most "
        f"{room + others:,} can be: {', '.join(parts) or 'none'}"
    )
