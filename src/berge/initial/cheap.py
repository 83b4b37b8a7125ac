"""The cheap start: every row in turn takes its first free column.

Maximal, so at least half as large as a maximum matching. Work O(n + nnz), no extra memory.

Reference: I. S. Duff, K. Kaya, B. Uçar, "Design, implementation, and analysis of maximum
transversal algorithms", ACM TOMS 38(2), 2011.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import unsigned
from ..run import EDGES_PER_CALL, Run
from ..spmd import kernel

FIRST, MATCHED = 0, 1  # entries of `state`: the next row to look at, edges added


def cheap(run: Run) -> None:
    """Extend the matching by first free columns."""
    state = np.zeros(2, np.int64)
    while state[FIRST] < run.graph.n_rows:
        before = state[MATCHED]
        match_first_free(
            unsigned(run.graph.indptr),
            unsigned(run.graph.indices),
            run.row_match,
            run.col_match,
            state,
            EDGES_PER_CALL,
        )
        run.cardinality += int(state[MATCHED] - before)
        run.pause()


@kernel
def match_first_free(
    indptr: Any, indices: Any, row_match: Any, col_match: Any, state: Any, budget: int
) -> None:
    """Match rows from ``state[FIRST]`` on, until some `budget` edges have been looked at."""
    n_rows = row_match.size
    x = state[FIRST]
    while x < n_rows and budget > 0:
        if row_match[x] < 0:
            budget -= np.int64(indptr[x + 1] - indptr[x])
            for k in range(indptr[x], indptr[x + 1]):
                y = indices[k]
                if col_match[y] < 0:
                    row_match[x] = y
                    col_match[y] = x
                    state[MATCHED] += 1
                    break
        x += 1
    state[FIRST] = x
