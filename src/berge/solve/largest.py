"""How many pairs there can be, with the cover that proves it: what `assign` must know first.

With one unit a vertex it is `maximum_matching` that tells, and what `maximum_matching` asks with
capacities.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph
from ..graphs.names import named
from ..methods.algorithm import load
from ..methods.catalogue import REASONS
from ..results.assignment_run import AssignmentRun
from ..results.capacity_run import CapacityRun
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
    inner = CapacityRun(
        graph=graph, row_capacity=rows, col_capacity=cols, row_least=np.zeros_like(rows),
        col_least=np.zeros_like(cols), chosen=np.zeros(graph.nnz, np.bool_),
    )  # fmt: skip
    inner.started, inner.time_limit = run.started, run.time_limit
    default.choose_capacity("auto").load()(inner)
    assert inner.cover is not None
    return Largest(inner.cardinality, *inner.cover)


def check_needs(
    graph: BipartiteGraph, needs: Values, room: Values, side: str, why: str, run: AssignmentRun
) -> None:
    """Raise, with who competes for what, if rows cannot be in as many pairs as they need to be."""
    rows = np.flatnonzero(needs)
    if not rows.size:
        return
    nouns = None
    if graph.row_labels is None and graph.col_labels is None:
        nouns = ("row", "column") if side == "left" else ("column", "row")
    if rows.size < graph.n_rows:
        indptr = np.concatenate([[0], np.cumsum(graph.row_degrees[rows])])
        inside = np.repeat(needs > 0, graph.row_degrees)
        graph = BipartiteGraph._trusted(
            indptr.astype(graph.indptr.dtype), graph.indices[inside], (rows.size, graph.n_cols),
            (named(graph.row_labels, rows), graph.col_labels),
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
        reasons = [replace(reason, nouns=nouns) for reason in load(REASONS)(*turned, side)]
        more = f"; and {len(reasons) - SHOWN} more" if len(reasons) > SHOWN else ""
        raise InvalidGraphError(f"{why}, but {'; '.join(map(str, reasons[:SHOWN]))}{more}")
    # Edges that no vertex of the cover is an end of can be chosen, each once.
    edges = int((np.repeat(~found.rows, graph.row_degrees) & ~found.cols[graph.indices]).sum())
    places = int(room[found.cols].sum())
    own, theirs = nouns or ("", "")
    who = in_words(named(graph.row_labels, ~found.rows), 5, own)
    whom = in_words(named(graph.col_labels, found.cols), 5, theirs)
    at = f", {places:,} of them at {whom}" if whom else ""
    raise InvalidGraphError(
        f"{why}, but {who} need {int(needs[~found.rows].sum()):,} and can have {edges + places:,}, "
        f"each pair once{at}"
    )
