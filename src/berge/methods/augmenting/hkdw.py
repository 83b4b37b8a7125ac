"""HKDW: Hopcroft–Karp with the extra searches of Duff and Wiberg.

A phase begins as in Hopcroft–Karp: levels by breadth-first search, then a maximal set of disjoint
shortest augmenting paths. Rows that are still unmatched then search once more, depth-first over all
edges whatever the level, as in a phase of Pothen–Fan: with lookahead and fairness, and no column is
visited twice. So longer paths are found at once that Hopcroft–Karp would need later phases for.

Work O(nnz) a phase, O(n · nnz) in all. The literature gives Hopcroft–Karp's O(√n · nnz); but that
rests on paths growing longer from phase to phase, and an extra path that goes back over levels can
make the next phase's shorter. In practice there are far fewer phases than without. Memory: five
indices a row and one a column.

- ``level[x]``, ``queue``: as in Hopcroft–Karp.
- ``tried[x]``: edges of x that the depth-first search under way has tried.
- ``visited[y]``: the last phase in which y was visited by an extra search.
- ``ahead[x]``: edges of x that lookahead has passed; their columns are matched for good.
- ``roots``: the unmatched rows; what a step could not match is moved to the front for the next.

References: I. S. Duff, T. Wiberg, "Remarks on implementation of O(n^{1/2}τ) assignment algorithms",
ACM TOMS 14, 1988; I. S. Duff, K. Kaya, B. Uçar, ACM TOMS 38(2), 2011.
"""

from __future__ import annotations

import numpy as np

from ...compile.tuning import EDGES_PER_CALL
from ...graphs.graph import unsigned
from ...results.run import Run
from ..counters import new_tally, paths_found, report
from ..levels import LevelLog
from .hopcroft_karp import FOUND, HEAD, LEVEL_END, TAIL, augment_shortest, build_levels
from .hopcroft_karp import KEPT as KEPT_BY_SHORTEST
from .hopcroft_karp import NEXT as NEXT_OF_SHORTEST
from .pothen_fan import KEPT, NEXT, search_and_augment


def hkdw(run: Run) -> None:
    """Make the matching maximum."""
    graph = run.graph
    index = graph.indices.dtype
    csr = unsigned(graph.indptr), unsigned(graph.indices)
    level = np.empty(graph.n_rows, index)
    tried = np.empty(graph.n_rows, index)
    queue = np.empty(graph.n_rows, index)
    ahead = np.zeros(graph.n_rows, index)
    visited = np.zeros(graph.n_cols, index)
    roots = run.unmatched_rows()
    tally = new_tally(1)
    log = LevelLog(run.stats)
    try:
        while not run.done:
            # Levels.
            state = np.zeros(6, np.int64)
            level.fill(-1)
            queue[: roots.size] = roots
            level[roots] = 0
            tried[roots] = 0
            state[TAIL] = state[LEVEL_END] = roots.size
            log.begin_phase(roots.size)
            while state[HEAD] < state[TAIL]:
                with run.timed("search"):
                    build_levels(
                        *csr, run.col_match, level, tried, queue, log.sizes, state, tally,
                        EDGES_PER_CALL,
                    )  # fmt: skip
                run.pause()
            log.end_phase()
            if not state[FOUND]:
                run.end_phase(0)
                break
            # Shortest paths.
            found = paths_found(tally)
            while state[NEXT_OF_SHORTEST] < roots.size:
                with run.timed("augment"):
                    augment_shortest(
                        *csr, run.row_match, run.col_match, level, tried, queue, roots, state,
                        tally, EDGES_PER_CALL,
                    )  # fmt: skip
                run.pause()
            roots = roots[: state[KEPT_BY_SHORTEST]]
            run.cardinality += paths_found(tally) - found
            # Other paths.
            found = paths_found(tally)
            state[:] = 0
            while state[NEXT] < roots.size and not run.done:
                with run.timed("extra"):
                    search_and_augment(
                        *csr, run.row_match, run.col_match, visited, ahead, tried, queue, roots,
                        run.stats.phases + 1, True, run.stats.phases % 2 == 1, state, tally,
                        EDGES_PER_CALL,
                    )  # fmt: skip
                run.pause()
            roots = roots[: state[KEPT]]
            run.end_phase(paths_found(tally) - found)
    finally:
        report(run, tally)
