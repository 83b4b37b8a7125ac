"""The greedy start for any graph: every vertex, by number, takes its first free neighbour.

Work O(n + m), and as a rule much less than m.
"""

from __future__ import annotations

from typing import Any

from ...compile import kernel
from ...results.general_run import GeneralRun
from ...tuning import EDGES_PER_CALL


def first_free(run: GeneralRun) -> None:
    """Extend the matching until no edge has two free ends."""
    first, rows = 0, run.rows
    while first < run.mate.size:
        first, matched = match_some(*rows, run.mate, first, EDGES_PER_CALL)
        run.cardinality += matched
        run.pause()


@kernel
def match_some(indptr: Any, indices: Any, mate: Any, first: int, budget: int) -> tuple[int, int]:
    """Match from a vertex on, for some `budget` edges; return the next one, and how many pairs."""
    matched = 0
    while first < mate.size and budget > 0:
        if mate[first] < 0:
            for k in range(indptr[first], indptr[first + 1]):
                budget -= 1
                w = indices[k]
                if mate[w] < 0:
                    mate[first], mate[w] = w, first
                    matched += 1
                    break
        first += 1
        budget -= 1
    return first, matched
