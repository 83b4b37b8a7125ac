"""One part solves all there is, by the default of one machine: a single part, or part 0 of several.

A single part has nobody to talk to, and so no use for ghosts and messages. Of several parts, part 0
gathers the graph and goes on from the matching so far, where that is less than to search on: many
exchanges are behind (``GATHER_AFTER``), and many phases are to come (``GATHER_PHASES``), or the
graph is small (``GATHER_AT_ONCE``), or very many are behind (``GATHER_ANYWAY``). On graphs
that no order makes local, each phase takes dozens of exchanges. How many there will be is told by
how much fewer paths each phase finds than the one before. It is done only if part 0 has the memory
that a solve on one machine takes, and the graph has at most ``GATHERED`` edges.

The others wait in exchanges that part 0 calls now and then (``ASK``), so that any part can still
stop all of them, and the loss of one is noticed. In the end part 0 sends everybody its share of the
matching and of the cover.

Work and memory are those of the default on one machine. Three exchanges, and one every ``ASK``
seconds.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np

from ..graphs.graph import BipartiteGraph, index_type
from ..graphs.memory import available, solve_bytes
from ..results.matching import Matching
from ..results.proof import Certificate, cover_of_reached, find_cover
from ..results.run import PhaseReport
from ..solve.maximum import maximum_matching
from ..tuning import (
    ASK,
    GATHER_AFTER,
    GATHER_ANYWAY,
    GATHER_AT_ONCE,
    GATHER_PHASES,
    GATHERED,
)
from .communicator import Array
from .messages import deliver, nothing
from .part import Part
from .part_run import PartRun

# The notes of part 0: whether it is through, and what it found.
WISH, DONE, START, SIZE, BOUND, PHASES, EDGES, COMPLETE = range(8)

EDGE = 24  # bytes for each: as it comes, as it is kept, and its transpose


class Found(NamedTuple):
    """A part's share of a matching, and of the cover if it is complete; numbers of the whole."""

    row_match: Array
    col_match: Array
    row_cover: Any
    col_cover: Any
    start_cardinality: int
    cardinality: int
    upper_bound: int
    phases: int
    traversed_edges: int
    complete: bool


def room_for(part: Part, run: PartRun) -> int:
    """Return for how many edges this part has room, besides what it has; 0 in all but part 0."""
    if run.rank > 0 or run.size == 1:
        return 0
    vertices = solve_bytes((part.n_rows, part.n_cols), 0)
    return min(GATHERED, max(0, available() * 4 // 5 - vertices) // EDGE)


def worth_it(edges: int, exchanges: int, before: int, gained: int) -> bool:
    """Tell whether to gather, after so many exchanges, by the paths that the last phases found."""
    if exchanges < GATHER_AFTER or not before:
        return False
    if edges <= GATHER_AT_ONCE or exchanges >= GATHER_ANYWAY or gained >= before:
        return True
    return math.log(max(gained, 1)) / math.log(before / max(gained, 1)) >= GATHER_PHASES


def solve_alone(
    part: Part, run: PartRun, row_match: Array | None, threads: int, seed: int
) -> Found:
    """Solve a graph that is all in one part."""
    graph = BipartiteGraph._trusted(part.indptr[:], part.indices[:], (part.n_rows, part.n_cols))
    return _solve(graph, run, row_match, threads, seed, run)


def solve_gathered(part: Part, run: PartRun, row_match: Array, threads: int, seed: int) -> Found:
    """Have part 0 solve it all, from a matching; the others wait. Collective."""
    index = index_type(part.n_rows, part.n_cols)
    mine = [a.astype(index, copy=False) for a in (np.diff(part.indptr), part.indices, row_match)]
    packed = np.concatenate([_packed(array) for array in mine])
    sizes = [array.size for array in mine]
    (received,), notes, _ = deliver(run, [[packed, *nothing(run)[1:]]], sizes)
    if run.rank > 0:
        return _wait(run)
    parts = [_unpacked(*each, index) for each in zip(received, notes, strict=True)]
    degrees, indices, mates = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    del received, parts
    indptr = np.zeros(part.n_rows + 1, index_type(indices.size))
    np.cumsum(degrees, out=indptr[1:])
    graph = BipartiteGraph._trusted(indptr, indices, (part.n_rows, part.n_cols))
    found = _solve(graph, run, mates, threads, seed, _Asking(run))
    sides = [
        np.split(side.astype(np.int64), bounds[1:-1])
        for side, bounds in (
            (found.row_match, part.row_bounds),
            (found.col_match, part.col_bounds),
            (found.row_cover, part.row_bounds),
            (found.col_cover, part.col_bounds),
        )
    ]
    numbers = [int(number) for number in found[4:]]
    kinds, notes, _ = deliver(run, sides, [run.wish, 1, *numbers])
    run.heed(notes[:, WISH])
    return _share(kinds, numbers)


def _wait(run: PartRun) -> Found:
    """Take part in exchanges until part 0 is through."""
    while True:
        kinds, notes, _ = deliver(run, [nothing(run)] * 4, [run.wish, *[0] * COMPLETE])
        run.heed(notes[:, WISH])
        if notes[0, DONE]:
            return _share(kinds, notes[0, START:].tolist())


class _Asking:
    """Asks the others now and then whether to stop."""

    def __init__(self, run: PartRun):
        self.run, self.last = run, time.perf_counter()

    def tell(self, *report: Any) -> None:
        self.run.tell(*report)
        if time.perf_counter() - self.last > ASK:
            notes = deliver(self.run, [nothing(self.run)] * 4, [self.run.wish, *[0] * COMPLETE])[1]
            if self.run.heed(notes[:, WISH]):
                self.run.interrupted = True
            self.last = time.perf_counter()


def _share(kinds: list[list[Array]], numbers: list[int]) -> Found:
    rows, cols, row_cover, col_cover = (kind[0] for kind in kinds)
    *counts, complete = numbers
    covers: tuple[Any, ...] = (None, None)
    if complete:
        covers = row_cover.astype(np.bool_), col_cover.astype(np.bool_)
    return Found._make([rows.copy(), cols.copy(), *covers, *counts, bool(complete)])


def _solve(
    graph: BipartiteGraph,
    run: PartRun,
    row_match: Array | None,
    threads: int,
    seed: int,
    told: PartRun | _Asking,
) -> Found:
    """Solve by the default; `told` hears of every phase."""

    def on_phase(report: PhaseReport) -> None:
        told.tell(report.step, report.phase, report.cardinality, report.upper_bound)
        if run.interrupted:
            raise KeyboardInterrupt

    initial = None if row_match is None else _matching(graph, row_match)
    m = maximum_matching(
        graph,
        general=False,
        initial=initial,
        threads=threads,
        seed=seed,
        time_limit=None if run.time_limit is None else max(run.left, 0.0),
        on_phase=on_phase,
    )
    stats = m.stats
    assert stats is not None
    complete = not stats.stopped
    run.stopped = run.stopped or stats.stopped
    if complete:
        cover = m._cover or cover_of_reached(m)
        if cover is None or cover.size != m.cardinality:
            cover = find_cover(graph, m)
    else:
        n_rows, n_cols = graph.shape
        cover = Certificate(np.zeros(n_rows, np.bool_), np.zeros(n_cols, np.bool_))
    sides = m.row_match.astype(np.int64), m.col_match.astype(np.int64), cover.rows, cover.cols
    numbers = stats.start_cardinality, m.cardinality, m.upper_bound
    return Found(*sides, *numbers, stats.phases, stats.traversed_edges, complete)


def _matching(graph: BipartiteGraph, row_match: Array) -> Matching:
    """Return the matching of these rows."""
    index = graph.indices.dtype
    col_match = np.full(graph.n_cols, -1, index)
    rows = np.flatnonzero(row_match >= 0)
    col_match[row_match[rows]] = rows
    return Matching(row_match.astype(index), col_match, upper_bound=min(graph.shape))


def _packed(array: Any) -> Array:
    """Return an array of indices as one that may travel."""
    places = np.zeros(-(-array.nbytes // 8), np.int64)
    places.view(array.dtype)[: array.size] = array
    return places


def _unpacked(packed: Array, sizes: Array, index: Any) -> list[Any]:
    """Return the arrays, of so many indices each, that were packed one after the other."""
    arrays, begin = [], 0
    for size in sizes.tolist():
        end = begin + -(-size * np.dtype(index).itemsize // 8)
        arrays.append(packed[begin:end].view(index)[:size])
        begin = end
    return arrays
