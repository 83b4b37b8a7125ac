"""Shortest paths on a budget of edges; then cost scaling goes on with their matching and prices.

Where structure is local, or few vertices compete, paths are short: shortest paths are done before
bids would have come near. Where many compete for few, as on random graphs, the last paths are
long: the second half of the searches takes nearly all of the work. There cost scaling goes on from
what was found. It shows early: on random graphs the first half of the searches reads more than
three times the edges that the first quarter reads; elsewhere the first paths are long already.

Reference: those of `shortest_paths` and `cost_scaling`.
"""

from __future__ import annotations

from ...results.assignment_run import AssignmentRun
from ...tuning import LEAST_READ, PATHS_EFFORT
from .cost_scaling import scale
from .shortest_paths import finish, search_all
from .side import Side


def paths_or_scaling(run: AssignmentRun, effort: float = PATHS_EFFORT) -> None:
    """Choose the cheapest edges; searches may read `effort` times the edges there are."""
    run.stats.algorithm = "shortest-paths"
    with run.timed("start"):
        side = Side.of(run)
    if not search_all(run, side, effort * side.graph.nnz + LEAST_READ):
        scale(run, side)
        run.stats.algorithm = "shortest-paths, cost-scaling"
    finish(run, side)
