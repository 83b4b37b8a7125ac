"""The start within parts: what the default does on one machine, on the edges within each part.

A part's own rows and columns, in their order, are a graph of their own. The default's own start and
searches run on it (`berge.methods.starts.cheap`, `berge.methods.combined.budgeted`), on as many
threads as the part has. Columns are numbered from the part's first one on, and these kernels pass
over numbers that are no column. So no ghosts are needed and no transpose, and nothing is exchanged.
Push-relabel, which the default may go on with, is left out: what is hard within a part may be easy
with the edges between parts.

Work O(nnz), by the limit of the searches. Memory, while it runs: an index an edge, but in part 0;
three a row and two an own column, for each thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compile import kernel
from ..graphs.graph import BorrowedGraph
from ..methods.combined.budgeted import (
    prepare,
    search_before_others,
    search_with_limits,
    shared,
)
from ..methods.starts.cheap import cheap
from ..results.matching import SolveStats
from ..results.run import Run, Stop
from ..tuning import EFFORT, SHARED_SEARCHES, WAKING
from .communicator import Array
from .part import Part
from .part_run import PartRun


@dataclass
class _Within(Run):
    """A run that ends when the parts are to stop."""

    parts: PartRun | None = None

    def pause(self) -> None:
        if self.parts is not None and self.parts.wish:
            raise Stop("as the parts are to")


def start_within(
    part: Part, nonempty: int, parts: PartRun, row_match: Array, col_match: Array, threads: int
) -> None:
    """Match rows of this part, of which so many have an edge, with its columns; none is matched."""
    n_rows, n_own = row_match.size, col_match.size
    if n_rows == 0 or n_own == 0:
        return
    first = part.indices.dtype.type(part.cols.start)
    indices = part.indices - first if first else part.indices
    graph = BorrowedGraph(part.indptr[:], nonempty, indices, (n_rows, n_own))
    rows, cols = (np.full(n, -1, indices.dtype) for n in (n_rows, n_own))
    stats = SolveStats("mixed", "cheap", "cpu", threads, 0)
    run = _Within(graph, rows, cols, 0, threads, 0, stats, parts=parts)
    with run.running(), run.workspace(owns_graph=False):
        cheap(run)
        if not run.done:
            _search(run, threads if graph.nnz >= SHARED_SEARCHES else 1)
    bounds = part.rows.start, part.cols.start
    number_mates(run.row_match, run.col_match, *bounds, row_match, col_match)


def _search(run: Run, threads: int) -> None:
    most = EFFORT * run.graph.nnz
    search = prepare(run, threads)
    if threads > 1:
        if search_before_others(run, search, run.graph.n_cols + WAKING, most):
            return
        search = shared(search)
    search_with_limits(run, search, most)


@kernel
def number_mates(
    rows: Any, cols: Any, first_row: int, first_col: int, row_match: Any, col_match: Any
) -> None:
    """Write mates by local numbers as global ones."""
    for x in range(rows.size):
        if rows[x] >= 0:
            row_match[x] = first_col + np.int64(rows[x])
    for y in range(cols.size):
        if cols[y] >= 0:
            col_match[y] = first_row + np.int64(cols[y])
