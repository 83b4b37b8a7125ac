"""How many pairs there can be, with the cover that proves it: what `assign` must know first.

With one unit a vertex it is `maximum_matching` that tells. With capacities it is the assignment
where every pair costs −1: vertices with a price below 0 are the cover.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph
from ..methods.algorithm import load
from ..methods.assignment.problem import Problem
from ..methods.catalogue import REASONS
from ..results.assignment_run import AssignmentRun
from ..results.proof import koenig_cover
from ..results.under_way import Stop
from ..wording import in_words
from . import default
from .maximum import maximum_matching

__all__ = ["Largest", "check_needs", "largest"]

Values = npt.NDArray[Any]
SHOWN = 3  # reasons in a message


class Largest(NamedTuple):
    """The largest number of pairs, and which rows and columns a smallest cover has."""

    size: int
    rows: Values
    cols: Values
    matching: Any = None


def largest(graph: BipartiteGraph, rows: Values, cols: Values, run: AssignmentRun) -> Largest:
    """Return the largest choice with so many units of rows and columns, in the time of a run."""
    ones = np.ones(graph.nnz, np.int64)
    if (rows == 1).all() and (cols == 1).all():
        limit = None if run.time_limit is None else max(run.left, 0.0)
        matching = maximum_matching(graph, threads=run.threads, time_limit=limit)
        if not matching.is_maximum:
            assert matching.stats is not None
            raise (
                KeyboardInterrupt if matching.stats.stopped == "interrupted" else Stop("time limit")
            )
        if matching.cardinality == graph.n_rows:
            return Largest(matching.cardinality, rows == 1, cols == 0, matching)
        if matching.cardinality == graph.n_cols:
            return Largest(matching.cardinality, rows == 0, cols == 1, matching)
        cover = koenig_cover(graph, matching)
        return Largest(matching.cardinality, cover.rows, cover.cols, matching)
    free_rows, free_cols = (np.zeros(n, np.int64) for n in graph.shape)
    problem = Problem(graph, -ones, free_rows, free_cols, rows, cols)
    inner = AssignmentRun(problem=problem, threads=run.threads)
    inner.started, inner.time_limit = run.started, run.time_limit
    default.choose_assign("auto", problem).load()(inner)
    assert inner.chosen is not None
    assert inner.row_price is not None
    assert inner.col_price is not None
    return Largest(int(inner.chosen.sum()), inner.row_price < 0, inner.col_price < 0)


def check_needs(
    graph: BipartiteGraph, needs: Values, room: Values, side: str, why: str, run: AssignmentRun
) -> None:
    """Raise, with who competes for what, if rows cannot be in as many pairs as they need to be."""
    rows = np.flatnonzero(needs)
    if not rows.size:
        return
    if rows.size < graph.n_rows:
        labels = graph.row_labels
        own = rows.tolist() if labels is None else [labels[k] for k in rows.tolist()]
        indptr = np.concatenate([[0], np.cumsum(graph.row_degrees[rows])])
        inside = np.repeat(needs > 0, graph.row_degrees)
        graph = BipartiteGraph._trusted(
            indptr.astype(graph.indptr.dtype), graph.indices[inside], (rows.size, graph.n_cols),
            (own, graph.col_labels),
        )  # fmt: skip
        needs = needs[rows]
    found = largest(graph, needs, room, run)
    missing = int(needs.sum()) - found.size
    if not missing:
        return
    if found.matching is not None:
        turned = graph, found.matching
        if side == "right":
            turned = graph.T, found.matching.turned()
        reasons = load(REASONS)(*turned, side)
        more = f"; and {len(reasons) - SHOWN} more" if len(reasons) > SHOWN else ""
        raise InvalidGraphError(f"{why}, but {'; '.join(map(str, reasons[:SHOWN]))}{more}")
    who, whom = np.flatnonzero(~found.rows).tolist(), np.flatnonzero(found.cols).tolist()
    names, others = (
        range(n) if labels is None else labels
        for n, labels in zip(graph.shape, (graph.row_labels, graph.col_labels), strict=True)
    )
    # Edges that no vertex of the cover is an end of can be chosen, each once.
    edges = int((np.repeat(~found.rows, graph.row_degrees) & ~found.cols[graph.indices]).sum())
    places = int(room[whom].sum())
    at = f", {places:,} of them at {in_words([others[k] for k in whom], 5)}" if whom else ""
    raise InvalidGraphError(
        f"{why}, but {in_words([names[k] for k in who], 5)} need {int(needs[who].sum()):,} and can "
        f"have {edges + places:,}, each pair once{at}"
    )
