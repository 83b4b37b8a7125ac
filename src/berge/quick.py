"""A matching that is certainly maximum, on one thread, found by as little work as it takes.

Most matrices are easy: after the cheap start, a breadth-first search from each row left over looks
at less than twice the edges in all, and needs no transpose, which by itself takes as long. Only if
there are more rows than columns is it better to search from the columns, since the searches that
must fail anyway are then fewer. Where the search has not come to its end after a few times the
edges, the matrix is not of the easy kind, and push-relabel goes on from there. All of it is
sequential, so the same graph gives the same matching, bit for bit.

Work O(n · nnz) in the worst case, that of push-relabel; the search before it adds O(n + nnz).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .errors import ProofError
from .graph import BipartiteGraph, unsigned
from .matching import Matching, SolveStats
from .run import Run
from .solve import maximum_matching

__all__ = ["certain_matching"]

# Edges that the quick search may look at, as a multiple of the edges there are. Of 54 real graphs
# 44 need less, and the others at least 6 times as many.
_EFFORT = 4


def certain_matching(graph: BipartiteGraph, options: dict[str, Any]) -> Matching:
    """Return a maximum matching: by `maximum_matching` if there are options; raise if stopped."""
    if not options:
        return _quick_matching(graph)
    matching = maximum_matching(graph, **options)
    if not matching.is_maximum:
        assert matching.stats is not None
        raise ProofError(
            f"the matching was stopped before it was maximum: {matching.stats.stopped}"
        )
    return matching


def _quick_matching(graph: BipartiteGraph) -> Matching:
    from .initial.cheap import cheap
    from .push_relabel.push_relabel import push_relabel
    from .spmd import threads_of

    started = time.perf_counter()
    first = Matching.empty(graph)
    stats = SolveStats("ss-bfs", "cheap")
    row_match, col_match = first.row_match.copy(), first.col_match.copy()
    # The threads are for the transpose, which does not depend on their number.
    run = Run(graph, row_match, col_match, 0, threads_of(None), 0, stats)
    if graph.n_cols < graph.n_rows:
        run.swap_sides()
    cheap(run)
    stats.start_cardinality = run.cardinality
    if not run.done and not _search_a_while(run):
        stats.algorithm = "push-relabel"
        push_relabel(run)
    stats.seconds["total"] = time.perf_counter() - started
    return Matching(
        row_match,
        col_match,
        upper_bound=run.cardinality,
        stats=stats,
        row_labels=graph.row_labels,
        col_labels=graph.col_labels,
    )


def _search_a_while(run: Run) -> bool:
    """Search from one unmatched row after the other; return whether all were done in time."""
    from .augmenting.levels import LevelLog
    from .augmenting.ss_bfs import search_one_by_one
    from .augmenting.tally import new_tally, paths_found, report

    graph, index = run.graph, run.graph.indices.dtype
    roots, tally = run.unmatched_rows(), new_tally(1)
    run.stats.phases = search_one_by_one(
        unsigned(graph.indptr),
        unsigned(graph.indices),
        run.row_match,
        run.col_match,
        np.full(graph.n_cols, -1, index),
        np.empty(graph.n_rows, index),
        np.empty(graph.n_rows, index),
        roots,
        0,
        run.upper_bound - run.cardinality,
        LevelLog(run.stats).sizes,
        tally,
        _EFFORT * graph.nnz,
    )
    run.cardinality += paths_found(tally)
    report(run, tally)
    return run.done or run.stats.phases == roots.size
