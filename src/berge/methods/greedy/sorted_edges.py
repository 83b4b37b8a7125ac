"""Algorithm 2: the edges by decreasing weight; each is taken if both of its ends are free.

The matching is at least half as heavy as any. An edge of the best matching that is missing here had
an end taken by an edge at least as heavy. An edge here can stand for two such edges at most. Edges
of equal weight are taken by their ends, the lower end first, so the result is unique.

Work O(n + m), as the edges are sorted by counting; memory 32 bytes an edge.

The paper's π(v) = min{v, w}, ∞ → ``mate[v]`` = w, −1.

Reference: B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
Facing the Multicore-Challenge II, 2012; D. Avis, "A survey of heuristics for the weighted matching
problem", Networks 13, 1983.
"""

from __future__ import annotations

from typing import Any

from ...compile import kernel
from ...results.greedy_run import GreedyRun
from .edges import edges_by_weight, ends, in_portions


def sorted_edges(run: GreedyRun) -> None:
    """Sort the edges, then take each whose ends are free."""
    pairs, _ = edges_by_weight(run)
    for some in in_portions(run, pairs):
        take_edges(pairs[some], run.mate)


@kernel
def take_edges(pairs: Any, mate: Any) -> None:
    """Match the ends of every edge in turn, if they are free."""
    for k in range(pairs.size):
        v, w = ends(pairs[k])
        if mate[v] < 0 and mate[w] < 0:
            mate[v] = w
            mate[w] = v
