"""Out of core: edges stay on the disk and are read in order; those that matter are kept.

In memory are the vertices and a subgraph S, as large as there is room for. One pass over the file
fills S with a sample, some edges of every row and of every column, and matches every row to its
first free column on the way. From then on, in turns:

    mark     the rows and columns that alternating paths in S lead to from unmatched rows;
    solve    if a free column is among them: make the matching maximum in S, by the default
             algorithm, and mark anew;
    pass     read the marked rows. An edge from one of them to an unmarked column is what S lacks:
             it goes to S, and its column and that column's mate are marked. The mate is read
             in the same pass if its edges are in the same window or come later in the file.

A pass that adds nothing is the last. All neighbours of marked rows are then marked and matched, so
there is no augmenting path. The rows without a mark and the columns with one are a vertex cover as
large as the matching (Kőnig), which `Matching.prove` only has to check. Rows that have been read
need not be read again until the matching changes, and windows without a row to read are skipped.

When S is full, the edges of the matching stay, an edge to every marked column, and some others.
What was marked stays marked, so every pass makes progress: there are at most n passes until the
matching grows. In practice there is a handful of passes in all, for most of what a search needs is
in S. Memory, with 32-bit indices: 60 bytes a vertex, 16 an edge of S, and two windows, each of
which holds at least the longest row. S has four edges for each vertex at least, and up to 16 if
half of the free memory holds them.

One thread works on a window while another reads the next one. The columns of every window are
compared with the number of columns as they are read (`Folder.indices`): a file that is changed
while a solve goes on leads to an error or to another matching, never out of an array.

Reference: vertices in memory and edges on disk is the semi-external model of J. Abello, A. L.
Buchsbaum, J. R. Westbrook, "A functional approach to external graph algorithms", Algorithmica 32,
2002. To solve on a part, and add what its dual solution violates, is constraint generation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..compile import helper, kernel
from ..files.folder import FolderGraph
from ..files.manifest import Checksums
from ..graphs.csr import edges_to_csr
from ..graphs.graph import BipartiteGraph, IndexArray, index_type, unsigned
from ..graphs.memory import kept_edges, window_edges
from ..graphs.owned import settle
from ..results.proof import Certificate
from ..results.run import Run
from ..tuning import PER_COL, PER_FREE_COL, ROWS
from .default import search

SPREAD = 2_654_435_761  # so that rows with equal columns begin their samples at other places

UNMARKED, MARKED, READ = range(3)  # what a row is
# Entries of `state`: edges in S, rows matched, edges looked at, and whether S is full.
SIZE, GAINED, EDGES, FULL = range(4)


def out_of_core(run: Run, *, window: int = 0, kept: int = 0) -> None:
    """Make the matching maximum; `window` and `kept` are edges, 0 stands for what memory allows."""
    graph = run.graph
    index = np.dtype(index_type(*graph.shape))
    s = _Subgraph(run, kept or kept_edges(graph.shape, graph.nnz))
    with _Windows(run, window or window_edges(index.itemsize)) as windows:
        _sample(run, s, windows)
        s.unmark()
        while True:
            with run.timed("mark"):
                s.build()
                reached = s.mark()
            if reached:
                s.solve()
                with run.timed("mark"):
                    s.unmark()
                    s.mark()
            if run.done or s.size == graph.nnz:
                break
            if s.room < s.capacity // 8:
                s.make_room()
            if not _pass(run, s, windows):
                break
    if isinstance(graph, FolderGraph):
        run.cover = s.cover()


class Arrays(NamedTuple):
    """What kernels work on: the edges of S, in no order, the matching, and the marks."""

    kept_rows: Any
    kept_cols: Any
    row_match: Any
    col_match: Any
    rows: Any  # UNMARKED, MARKED or READ
    cols: Any  # 1: marked
    seen: Any  # edges of each column in the sample
    parent: Any  # the row that a column was marked from, in S
    state: Any


class Window(NamedTuple):
    """The neighbours of rows `first` to `last`, and where in the file each row's begin."""

    indptr: Any
    indices: Any
    first: int
    last: int


class _Subgraph:
    """S, the marks, and what is known of columns; the arrays that kernels work on."""

    def __init__(self, run: Run, capacity: int):
        self.run, graph = run, run.graph
        n_rows, n_cols = graph.shape
        # At least what may have to stay, and something more.
        self.capacity = max(min(capacity, graph.nnz), min(graph.shape) + n_cols + 16)
        self.empty = np.flatnonzero(graph.row_degrees == 0)
        index = index_type(n_rows, n_cols)
        kept_rows, kept_cols = np.empty((2, self.capacity), index)
        rows, cols, seen = (np.zeros(size, np.uint8) for size in (n_rows, n_cols, n_cols))
        parent, state = np.empty(n_cols, index), np.zeros(4, np.int64)
        self.arrays = Arrays(
            kept_rows, kept_cols, run.row_match, run.col_match, rows, cols, seen, parent, state
        )
        self.rows, self.cols, self.seen, self.state = rows, cols, seen, state

    @property
    def size(self) -> int:
        return int(self.state[SIZE])

    @property
    def room(self) -> int:
        return self.capacity - self.size

    def build(self) -> None:
        """Sort S by rows."""
        rows, cols = (ends[: self.size] for ends in self.arrays[:2])
        shape = self.run.graph.shape
        indptr = np.zeros(shape[0] + 1, index_type(self.size))
        indices = np.empty_like(cols)
        edges_to_csr(unsigned(rows), unsigned(cols), indptr, indices)
        self.graph = BipartiteGraph._trusted(indptr, indices, shape)

    def unmark(self) -> None:
        """Take all marks away but those of the unmatched rows."""
        self.rows[:] = self.run.row_match < 0
        self.rows[self.empty] = READ
        self.cols[:] = 0

    def mark(self) -> bool:
        """Mark what S leads to from unmatched rows; return whether a free column is among it."""
        roots = np.flatnonzero(self.run.row_match < 0)
        queue = np.empty(self.rows.size, self.graph.indices.dtype)
        queue[: roots.size] = roots
        self.arrays.parent[:] = -1
        indptr, indices = unsigned(self.graph.indptr), unsigned(self.graph.indices)
        return bool(mark_from(indptr, indices, self.arrays, queue, roots.size))

    def solve(self) -> None:
        """Make the matching maximum in S."""
        run = self.run
        part = replace(run, graph=self.graph, step="search")
        try:
            search(part)
        finally:
            run.cardinality = part.cardinality

    def make_room(self) -> None:
        """Drop edges of S until a quarter is free, or all that are left have to stay."""
        drop(self.arrays, np.zeros_like(self.cols), 3 * self.capacity // 4)

    def cover(self) -> Certificate:
        """Return the vertex cover that proves the matching, if it is maximum."""
        nonempty = self.seen > 0
        if self.run.cardinality == np.count_nonzero(nonempty):
            return Certificate(rows=np.zeros(self.rows.size, np.bool_), cols=nonempty)
        return Certificate(rows=self.rows == UNMARKED, cols=self.cols > 0)


class _Windows:
    """The file, cut into runs of rows; the next one is read while a kernel works on one."""

    def __init__(self, run: Run, edges: int):
        self.run, self.graph = run, run.graph
        indptr = self.graph.indptr
        bounds = [0]
        while bounds[-1] < self.graph.n_rows:
            lo = bounds[-1]
            hi = int(np.searchsorted(indptr, int(indptr[lo]) + edges, side="right")) - 1
            bounds.append(min(max(hi, lo + 1), lo + ROWS, self.graph.n_rows))
        self.bounds = bounds
        self.sums: Checksums | None = None  # of what is read, where that is asked for
        self.buffers: list[IndexArray | None] = [None, None]
        if isinstance(self.graph, FolderGraph) and len(bounds) > 1:
            longest = int(np.diff(indptr[bounds]).max())
            self.buffers = list(np.empty((2, longest), self.graph.folder.index))

    def __enter__(self) -> _Windows:
        self.thread = ThreadPoolExecutor(1)
        return self

    def __exit__(self, *_: object) -> None:
        self.thread.shutdown()

    def read(self, wanted: Callable[[int, int], bool]) -> Iterator[Window]:
        """Yield each window that is wanted.

        What is wanted may change while a window is being worked on.
        """
        ahead: tuple[int, Future[IndexArray]] | None = None
        buffer = 0  # the one in use; what is being read ahead goes to the other
        i = self._next(0, wanted)
        while i is not None:
            if ahead is not None and ahead[0] == i:
                indices, ahead, buffer = ahead[1].result(), None, 1 - buffer
            else:  # not what was foreseen: that is used when its turn comes
                indices = self._read(i, buffer)
            j = self._next(i + 1, wanted)
            if ahead is None and j is not None:
                ahead = j, self.thread.submit(self._read, j, 1 - buffer)
            yield Window(unsigned(self.graph.indptr), unsigned(indices), *self.bounds[i : i + 2])
            if isinstance(self.graph, FolderGraph):
                self.run.stats.bytes_read += indices.nbytes
            self.run.pause()
            i = self._next(i + 1, wanted)

    def _next(self, i: int, wanted: Callable[[int, int], bool]) -> int | None:
        """Return the first window from i on that is wanted."""
        bounds = self.bounds
        return next((k for k in range(i, len(bounds) - 1) if wanted(*bounds[k : k + 2])), None)

    def _read(self, i: int, buffer: int) -> IndexArray:
        lo, hi = (int(place) for place in self.graph.indptr[self.bounds[i : i + 2]])
        indices = self.graph.window(lo, hi, self.buffers[buffer])
        if self.sums is not None:
            self.sums.add(indices)
        return indices


def _sample(run: Run, s: _Subgraph, windows: _Windows) -> None:
    """Fill three quarters of S with edges of every row and every column, and match what is free."""
    run.stats.passes += 1
    state, graph = s.state, run.graph
    # All windows are read, in order; the thread that reads them ahead sums them up.
    folder = graph.folder if isinstance(graph, FolderGraph) else None
    windows.sums = None if folder is None else Checksums()
    least = min(graph.shape)  # places that the matching's edges may need
    if graph.nnz <= s.capacity:
        share, most = graph.nnz, s.capacity
    else:
        share, most = max(1, (3 * s.capacity // 4 - least) // sum(graph.shape)), s.capacity - least
    with run.timed("init"):
        for window in windows.read(lambda first, last: True):
            before = int(state[GAINED])
            sample(window, s.arrays, share, min(share, 255), most)
            run.cardinality += int(state[GAINED]) - before
            if run.stats.init == "none":
                run.stats.start_cardinality = run.cardinality
    if folder is not None and windows.sums is not None:
        folder.compare("indices", windows.sums)
        windows.sums = None
    nonempty = int(np.count_nonzero(s.seen))
    run.upper_bound = min(run.upper_bound, nonempty)
    settle(graph, "nonempty_cols", nonempty)


def _pass(run: Run, s: _Subgraph, windows: _Windows) -> bool:
    """Read the marked rows, and add what S lacks; return whether there was anything."""
    run.stats.passes += 1
    before = s.size
    s.state[FULL] = 0
    fresh = np.zeros(s.cols.size, np.uint8)  # edges that this pass added at a column
    per_col = max(1, min(s.room // s.cols.size, PER_COL))
    queue = np.empty(ROWS, np.int64)

    def wanted(first: int, last: int) -> bool:
        return bool(np.any(s.rows[first:last] == MARKED))

    with run.timed("pass"):
        for window in windows.read(wanted):
            collect(window, s.arrays, fresh, per_col, queue)
            if s.state[FULL]:
                break
    run.stats.traversed_edges += int(s.state[EDGES])
    s.state[EDGES] = 0
    return s.size > before or bool(s.state[FULL])


@kernel
def sample(window: Any, s: Any, per_row: int, per_col: int, most: int) -> None:
    """Match the rows of a window to free columns, and keep some of their edges.

    Those are `per_row` at even distances and the first `per_col` of each column, up to `most` in
    all; and the matched ones.
    """
    indptr, indices, seen, state = window.indptr, window.indices, s.seen, s.state
    row_match, col_match = s.row_match, s.col_match
    size, gained = state[SIZE], state[GAINED]
    base = np.int64(indptr[window.first])
    for x in range(window.first, window.last):
        lo, hi = np.int64(indptr[x]) - base, np.int64(indptr[x + 1]) - base
        degree = hi - lo
        mate = np.int64(row_match[x])
        wanted = mate >= 0  # the edge of the matching is not kept yet
        turn = x * SPREAD % max(degree, np.int64(1))
        for k in range(lo, hi):
            y = np.int64(indices[k])
            turn += per_row
            keep = turn >= degree
            if keep:
                turn -= degree
            if seen[y] < per_col:
                seen[y] += 1
                keep = True
            keep = keep and size < most
            if mate < 0 and col_match[y] < 0:
                row_match[x], col_match[y] = y, x
                gained += 1
                mate, wanted = y, True
            if y == mate and wanted:
                keep, wanted = True, False
            if keep:
                s.kept_rows[size], s.kept_cols[size] = x, y
                size += 1
    state[SIZE], state[GAINED] = size, gained


@kernel
def collect(window: Any, s: Any, fresh: Any, per_col: int, queue: Any) -> None:
    """Read the marked rows of a window, and keep their edges to columns without a mark."""
    indptr, indices, first, last = window
    col_match, rows, cols, state = s.col_match, s.rows, s.cols, s.state
    size, edges = state[SIZE], state[EDGES]
    base = np.int64(indptr[first])
    following, head, tail = first, np.int64(0), np.int64(0)
    while following < last or head < tail:
        if following < last:
            x = following
            following += 1
        else:
            x = queue[head]
            head += 1
        if rows[x] != MARKED:
            continue
        lo, hi = np.int64(indptr[x]) - base, np.int64(indptr[x + 1]) - base
        edges += hi - lo
        for k in range(lo, hi):
            y = indices[k]
            most = PER_FREE_COL if col_match[y] < 0 else per_col
            if cols[y] != 0 and (fresh[y] == 0 or fresh[y] >= most):
                continue
            if size == s.kept_rows.size:
                # The row stays marked, and is read again.
                state[SIZE], state[EDGES], state[FULL] = size, edges, 1
                return
            s.kept_rows[size], s.kept_cols[size] = x, y
            size += 1
            fresh[y] += 1
            if cols[y] == 0:
                cols[y] = 1
                mate = np.int64(col_match[y])
                if mate >= 0 and rows[mate] == UNMARKED:
                    rows[mate] = MARKED
                    if first <= mate < following:
                        queue[tail] = mate
                        tail += 1
        rows[x] = READ
    state[SIZE], state[EDGES] = size, edges


@kernel
def mark_from(indptr: Any, indices: Any, s: Any, queue: Any, tail: int) -> int:
    """Mark what S leads to from the queued rows; return how many columns of it are free."""
    head, free = 0, 0
    while head < tail:
        x = np.int64(queue[head])
        head += 1
        for k in range(indptr[x], indptr[x + 1]):
            y = indices[k]
            if s.parent[y] < 0:
                s.parent[y] = x
                s.cols[y] = 1
                mate = np.int64(s.col_match[y])
                if mate < 0:
                    free += 1
                    continue
                queue[tail] = mate
                tail += 1
                if s.rows[mate] == UNMARKED:
                    s.rows[mate] = MARKED
    return free


@helper
def stays(x: int, y: int, s: Any, there: Any) -> bool:
    """Tell whether an edge has to stay; of each, one copy (bits of ``there[y]``) does."""
    bits = (1 if s.row_match[x] == y else 0) | (2 if s.parent[y] == x else 0)
    new = bits & ~there[y]
    there[y] |= bits
    return bool(new != 0)


@kernel
def drop(s: Any, there: Any, target: int) -> None:
    """Drop edges until `target` are left, or none but those that have to stay."""
    total, must = s.state[SIZE], np.int64(0)
    for k in range(total):
        if stays(s.kept_rows[k], s.kept_cols[k], s, there):
            must += 1
    there[:] = 0
    others, chosen = total - must, max(target - must, np.int64(0))
    size, turn = np.int64(0), np.int64(0)
    for k in range(total):
        x, y = s.kept_rows[k], s.kept_cols[k]
        keep = stays(x, y, s, there)
        if not keep:
            turn += chosen
            keep = turn >= others
            if keep:
                turn -= others
        if keep:
            s.kept_rows[size], s.kept_cols[size] = x, y
            size += 1
    s.state[SIZE] = size
