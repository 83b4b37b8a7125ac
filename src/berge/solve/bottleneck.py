"""The bottleneck assignment: the smallest weight of the pairs is as large as can be.

Binary search over the distinct weights: with only the edges from a weight on, is there as large a
matching as with all? `maximum_matching` tells. The proof is a vertex cover of all better edges that
is smaller than the matching.

Work O(log m) maximum matchings. Reference: O. Gross, "The bottleneck assignment problem", RAND
P-1630, 1959; I. S. Duff, J. Koster 1999 for matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import OptionError
from ..results.assignment import Assignment
from ..results.assignment_run import AssignmentRun
from ..results.objective import chosen_places, kept_edges
from .assign_problem import Asked, ends_of
from .largest import Largest, check_needs, largest

__all__ = ["bottleneck"]


def bottleneck(found: Asked, match: str, run: AssignmentRun, progress: bool = False) -> Assignment:
    """Return the assignment whose smallest weight is largest."""
    if match == "any":
        raise OptionError("objective='bottleneck' needs match='full' or 'maximum': no pair is best")
    if found.has_capacities:
        raise OptionError("objective='bottleneck' is for one pair a vertex, without at_least")
    graph, weights, costs = found.edges
    rows, cols = found.rows, found.cols
    above = edges = None
    with run.running(progress):
        if match == "full":
            few = graph if graph.n_rows <= graph.n_cols else graph.T
            needs, room = (np.ones(n, np.int64) for n in few.shape)
            check_needs(few, needs, room, "left" if few is graph else "right", "match='full'", run)
        best = all_of = largest(graph, rows.capacity, cols.capacity, run)
        edges = _places(graph, best)
        if match == "maximum":
            rows, cols = rows._replace(cover=all_of.rows), cols._replace(cover=all_of.cols)
        levels = np.unique(weights)
        low, high = 0, levels.size  # what can be; what cannot be
        while high - low > 1:
            middle = (low + high) // 2
            keep = weights >= levels[middle]
            smaller, _ = kept_edges(graph, keep, weights)
            best = largest(smaller, rows.capacity, cols.capacity, run)
            run.stats.phases += 1
            if best.size == all_of.size:
                low, edges = middle, np.flatnonzero(keep)[_places(smaller, best)]
            else:
                high, above = middle, (best.rows, best.cols)
            run.tell("search", run.stats.phases, best.size, all_of.size)
    run.stats.stopped, run.stats.algorithm = run.stopped, "bottleneck"
    places: Any = np.zeros(0, np.int64) if edges is None else edges
    ends = ends_of(graph, places)
    run.spent("total", run.elapsed)
    return Assignment(
        rows=ends[0], cols=ends[1], pair_weights=weights[places], objective="bottleneck",
        match=match, row_side=rows, col_side=cols, is_optimal=run.stopped is None,
        is_complete=edges is not None, stats=run.stats, graph=graph, weights=weights, costs=costs,
        above=above,
    )  # fmt: skip


def _places(graph: Any, found: Largest) -> Any:
    """Return where the pairs of a matching are among the edges."""
    row_match = found.matching.row_match
    rows = np.flatnonzero(row_match >= 0)
    return chosen_places(graph, rows, row_match[rows])
