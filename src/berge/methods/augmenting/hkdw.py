"""HKDW: Hopcroft–Karp with the extra searches of Duff and Wiberg.

A phase begins as in Hopcroft–Karp: levels by breadth-first search, then a maximal set of disjoint
shortest augmenting paths. Rows that are still unmatched then search once more, depth-first over all
edges whatever the level, as in a phase of Pothen–Fan: with lookahead and fairness, and no column is
visited twice. So longer paths are found at once that Hopcroft–Karp would need later phases for.

Work O(nnz) a phase, O(n · nnz) in all. The literature gives Hopcroft–Karp's O(√n · nnz); but that
rests on paths growing longer from phase to phase, and an extra path that goes back over levels can
make the next phase's shorter. In practice there are far fewer phases than without. Memory: four
indices a row and one a column.

- ``level[y]``: as in Hopcroft–Karp, then as in Pothen–Fan.
- ``ahead``, ``tried``, ``above``: as in `depth_first`.
- ``roots``: the unmatched rows.

References: I. S. Duff, T. Wiberg, "Remarks on implementation of O(n^{1/2}τ) assignment algorithms",
ACM TOMS 14, 1988; I. S. Duff, K. Kaya, B. Uçar, ACM TOMS 38(2), 2011.
"""

from __future__ import annotations

from typing import Any

from ...results.run import Run
from ..levels import LevelLog
from .depth_first import ANY, prepare, search_and_augment
from .hopcroft_karp import augment_shortest, build_levels
from .roots import repeat_phases, search_from


def hkdw(run: Run) -> None:
    """Make the matching maximum."""
    a = prepare(run, 1, run.graph.indices.dtype, lookahead=True, queues=True)
    log = LevelLog(run.stats)

    def search(roots: Any, work: int) -> None:
        # Levels.
        if not build_levels(run, 1, a, roots, log):
            return
        # Shortest paths.
        augment_shortest(run, 1, a, roots, work)
        # Other paths.
        left = roots[run.row_match[roots] < 0]
        if run.cardinality + roots.size - left.size < run.upper_bound:
            a.level.fill(1)
            how = ANY, True, run.stats.phases % 2 == 1
            search_from(run, 1, a, left, work, search_and_augment, *how, step="extra")

    repeat_phases(run, a.tally, search)
