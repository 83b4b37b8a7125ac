"""Out of core: edges stay on the disk; those that matter are kept, and rows are read when needed.

In memory are the vertices and a subgraph S, as large as there is room for. The first pass reads all
rows in order. It fills S with a sample, some edges of every row and of every column, and matches
every row to its first free column on the way; a row with no other column takes it from a row that
has others. It also counts the rows of every column, and adds their numbers up by exclusive or.

Then columns with one row left are matched off, since some maximum matching has that edge. The sum
tells which row it is. The row is read, and taken from its columns, some of which then have one row
left. What is matched off is never looked at again: only rows that are matched off have an edge to
such a column. From then on, in turns:

    solve    make the matching maximum in S, by the default algorithm;
    mark     grow trees of alternating paths in S from all unmatched rows, breadth first;
    phase    go on from the rows of the trees, with their edges on the disk, level by level: an edge
             to a column in no tree is what S lacks. It goes to S, its column and the column's mate
             go to the tree, and the mate is read in the next level. A tree that has got to a free
             column reads no further.

A phase that finds no free column is the last: all neighbours of rows in trees are in trees and
matched, so there is no augmenting path. The rows in no tree and the columns in one are a vertex
cover as large as the matching (Kőnig), which `Matching.prove` only has to check.

While a phase goes on, its columns in trees and the rows that it has not read are a cover too, since
all neighbours of a row that was read are in trees. So the upper bound falls before the solve ends.

A phase reads a row once at most, and a free column found means a larger matching. So there are at
most as many phases as the first pass left rows unmatched; in practice there is a handful.

The rows of a level are read in order. Those less than `GAP` bytes apart are read together, with
what lies between. `Stats.bytes_needed` is what was looked at, of `Stats.bytes_read`. The system is
told of all reads of a batch before the first, so that a disk can do several at a time, and one
thread reads a batch while another works on the last. To match columns off reads a row once at most.

When S is full, a quarter of it is dropped. The edges of the matching and of the trees stay; of the
others some stay, at even distances in the order they came. (To drop the oldest was as good.) If
others take memory while a solve goes on, S does not grow into the reserve.

Memory, with 32-bit indices: 60 bytes a vertex, 16 an edge of S, and two buffers, each of which
holds at least the longest row. S has four edges for each vertex at least, and as many as there is
memory for, but for a reserve (`graphs.memory`).

The columns of all that is read are compared with the number of columns (`Folder.pieces`): a file
that is changed while a solve goes on leads to an error or to another matching, never out of an
array.

References: R. M. Karp, M. Sipser, "Maximum matching in sparse random graphs", FOCS 1981, for
columns with one row left. Vertices in memory and edges on disk is the semi-external model of J.
Abello, A. L. Buchsbaum, J. R. Westbrook, "A functional approach to external graph algorithms",
Algorithmica 32, 2002. To solve on a part, and add what its dual solution violates, is constraint
generation.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..compile import helper, kernel
from ..files.folder import FolderGraph
from ..files.manifest import Checksums
from ..graphs.csr import edges_to_csr
from ..graphs.graph import BipartiteGraph, IndexArray, index_type, unsigned
from ..graphs.memory import kept_edges, more_edges, window_edges
from ..graphs.owned import settle
from ..results.proof import Certificate
from ..results.run import Run
from ..tuning import GAP, PER_COL, PER_FREE_COL, ROWS
from .default import search

SPREAD = 2_654_435_761  # so that rows with equal columns begin their samples at other places

# Entries of `state`: edges in S, those it has room for, rows matched, edges read, rows queued, and
# the size of a vertex cover as it is after this batch: columns in trees, and rows not yet read.
SIZE, ROOM, GAINED, EDGES, TAIL, COVER = range(6)


def out_of_core(run: Run, *, window: int = 0, kept: int = 0) -> None:
    """Make the matching maximum; `window` and `kept` are edges, 0 stands for what memory allows."""
    graph = run.graph
    index = np.dtype(index_type(*graph.shape))
    s = _Subgraph(run, kept or kept_edges(graph.shape, graph.nnz))
    with _Reader(run, window or window_edges(index.itemsize)) as reader:
        _sample(run, s, reader)
        perfect = run.upper_bound
        if perfect > run.cardinality and s.size < graph.nnz:
            _match_off(run, s, reader)
        while True:
            s.solve()
            s.mark()
            if perfect == run.cardinality or s.size == graph.nnz or not _phase(run, s, reader):
                break
    if isinstance(graph, FolderGraph):
        run.cover = s.cover()


class Arrays(NamedTuple):
    """What kernels work on: the edges of S, in no order, the matching, and the trees."""

    kept_rows: Any
    kept_cols: Any
    row_match: Any
    col_match: Any
    rows: Any  # 1: in a tree
    cols: Any
    seen: Any  # edges of each column in the sample
    fresh: Any  # edges of each column that this phase added
    parent: Any  # the row that a column was marked from; at first, its rows by exclusive or
    root: Any  # the unmatched row whose tree a column is in; at first, how many rows it has left
    found: Any  # 1: the tree of this unmatched row has a free column
    queue: Any  # rows to read, and rows that they lead to
    state: Any


class Batch(NamedTuple):
    """Rows, and where in `indices` the neighbours of each begin."""

    rows: Any
    starts: Any
    indices: Any


class _Subgraph:
    """S, the trees, and what is known of columns; the arrays that kernels work on."""

    def __init__(self, run: Run, capacity: int):
        self.run, graph = run, run.graph
        n_rows, n_cols = graph.shape
        self.least = min(graph.shape) + n_cols + 16  # what may have to stay, and something more
        self.capacity = max(min(capacity, graph.nnz), self.least)
        index = index_type(n_rows, n_cols)
        kept_rows, kept_cols = np.empty((2, self.capacity), index)
        self.arrays = Arrays(
            kept_rows,
            kept_cols,
            run.row_match,
            run.col_match,
            rows=np.zeros(n_rows, np.uint8),
            cols=np.zeros(n_cols, np.uint8),
            seen=np.zeros(n_cols, np.uint8),
            fresh=np.empty(n_cols, np.uint8),
            parent=np.zeros(n_cols, index),
            root=np.zeros(n_cols, index),
            found=np.empty(n_rows, np.uint8),
            queue=np.empty(n_rows, index),
            state=np.array([0, self.capacity, 0, 0, 0, 0]),
        )
        self.state = self.arrays.state

    @property
    def size(self) -> int:
        return int(self.state[SIZE])

    @property
    def per_col(self) -> int:
        """Edges to a newly marked column that there is room for."""
        return max(1, min((int(self.state[ROOM]) - self.size) // self.run.graph.n_cols, PER_COL))

    def build(self) -> None:
        """Sort S by rows."""
        rows, cols = (ends[: self.size] for ends in self.arrays[:2])
        shape = self.run.graph.shape
        indptr = np.zeros(shape[0] + 1, index_type(self.size))
        indices = np.empty_like(cols)
        edges_to_csr(unsigned(rows), unsigned(cols), indptr, indices)
        self.graph = BipartiteGraph._trusted(indptr, indices, shape)

    def solve(self) -> None:
        """Make the matching maximum in S."""
        run = self.run
        with run.timed("mark"):
            self.build()
        part = replace(run, graph=self.graph, step="search")
        try:
            search(part)
        finally:
            run.cardinality = part.cardinality

    def mark(self) -> None:
        """Begin with trees anew: mark what S leads to from unmatched rows."""
        with self.run.timed("mark"):
            indptr, indices = unsigned(self.graph.indptr), unsigned(self.graph.indices)
            mark_from(indptr, indices, self.arrays)

    def measure(self) -> None:
        """Leave to others what memory they have taken since."""
        room = min(self.capacity, self.size + more_edges(self.run.graph.shape))
        self.state[ROOM] = max(self.least, room)

    def make_room(self) -> None:
        """Drop edges of S until a quarter is free, or all that are left have to stay."""
        drop(self.arrays, np.zeros_like(self.arrays.cols), 3 * int(self.state[ROOM]) // 4)

    def leave_room(self, edges: int) -> None:
        """Drop edges of S until there is room for so many, before there are trees."""
        room = int(self.state[ROOM]) - edges
        if self.size > room:
            none = self.arrays._replace(parent=np.full_like(self.arrays.parent, -1))
            drop(none, np.zeros_like(self.arrays.cols), room)

    def cover(self) -> Certificate:
        """Return the vertex cover that proves the matching, if it is maximum."""
        rows, cols, nonempty = self.arrays.rows, self.arrays.cols, self.arrays.seen > 0
        if self.run.cardinality == np.count_nonzero(nonempty):
            return Certificate(rows=np.zeros(rows.size, np.bool_), cols=nonempty)
        return Certificate(rows=rows == 0, cols=cols == 1)


class _Reader:
    """Reads rows: those that lie close together at once, and a batch while another is used."""

    def __init__(self, run: Run, edges: int):
        self.run, self.graph = run, run.graph
        self.sums: Checksums | None = None  # of what is read, where that is asked for
        self.buffers: list[IndexArray] = []
        if isinstance(self.graph, FolderGraph):
            size = max(min(edges, self.graph.nnz), int(self.graph.row_degrees.max()), 1)
            self.buffers = list(np.empty((2, size), self.graph.folder.index))

    def __enter__(self) -> _Reader:
        self.ahead = ThreadPoolExecutor(1)
        return self

    def __exit__(self, *_: object) -> None:
        self.ahead.shutdown()

    def read(self, rows: IndexArray) -> Iterator[Batch]:
        """Yield batches of the rows, which ascend."""
        done, batch, turn = 0, self._batch(rows, 0), 0
        while True:
            done += batch.rows.size
            more = done < rows.size
            coming = self.ahead.submit(self._batch, rows[done:], 1 - turn) if more else None
            yield batch
            self.run.pause()
            if coming is None:
                break
            batch, turn = coming.result(), 1 - turn

    def _batch(self, rows: IndexArray, turn: int) -> Batch:
        """Read the first of the rows, as many as there is room for, into one of the buffers."""
        graph, rows = self.graph, rows[:ROWS]
        if not isinstance(graph, FolderGraph):
            return Batch(unsigned(rows), graph.indptr[rows], unsigned(graph.indices))
        buffer = self.buffers[turn]
        starts, bounds = np.empty(rows.size, np.int64), np.empty((2, rows.size), np.int64)
        most, gap = buffer.size, GAP // buffer.itemsize
        indptr, stats = unsigned(graph.indptr), self.run.stats
        size, pieces, edges = lay_out(indptr, unsigned(rows), gap, most, starts, bounds)
        lows, highs = bounds[:, :pieces]
        content = graph.folder.pieces(lows, highs, buffer)
        if self.sums is not None:
            self.sums.add(content)
        stats.bytes_read += content.nbytes
        stats.bytes_needed += int(edges) * content.itemsize
        return Batch(unsigned(rows[:size]), starts[:size], unsigned(content))


def _sample(run: Run, s: _Subgraph, reader: _Reader) -> None:
    """Fill three quarters of S with edges of every row and every column, and match what is free."""
    run.stats.passes += 1
    state, graph = s.state, run.graph
    # All rows are read, in order; the thread that reads them ahead sums them up.
    folder = graph.folder if isinstance(graph, FolderGraph) else None
    reader.sums = None if folder is None else Checksums()
    least = min(graph.shape)  # places that the matching's edges may need
    if graph.nnz <= s.capacity:
        share, most = graph.nnz, s.capacity
    else:
        share, most = max(1, (3 * s.capacity // 4 - least) // sum(graph.shape)), s.capacity - least
    with run.timed("init"):
        for first in range(0, graph.n_rows, ROWS):
            rows = np.arange(first, min(first + ROWS, graph.n_rows), dtype=s.arrays.queue.dtype)
            for batch in reader.read(rows):
                before = int(state[GAINED])
                sample(batch, unsigned(graph.indptr), s.arrays, share, min(share, 255), most)
                run.cardinality += int(state[GAINED]) - before
                if run.stats.init == "none":
                    run.stats.start_cardinality = run.cardinality
    if folder is not None and reader.sums is not None:
        folder.compare("indices", reader.sums)
        reader.sums = None
    nonempty = int(np.count_nonzero(s.arrays.seen))
    run.upper_bound = min(run.upper_bound, nonempty)
    settle(graph, "nonempty_cols", nonempty)


def _match_off(run: Run, s: _Subgraph, reader: _Reader) -> None:
    """Match columns with one row left, until there is none. No matched row becomes free."""
    arrays, state, indptr = s.arrays, s.state, unsigned(run.graph.indptr)
    with run.timed("match off"):
        s.leave_room(min(run.graph.shape))  # for the edges of the matching
        state[TAIL] = state[GAINED] = 0
        begin_with_single(arrays)
        while state[TAIL]:
            rows = np.sort(arrays.queue[: state[TAIL]])
            state[TAIL] = 0
            for batch in reader.read(rows):
                run.cardinality += int(state[GAINED])
                state[GAINED] = 0
                take_away(batch, indptr, arrays)
        run.cardinality += int(state[GAINED])
    run.stats.traversed_edges += int(state[EDGES])
    state[EDGES] = 0
    if run.stats.init == "none":
        run.stats.start_cardinality = run.cardinality


def _phase(run: Run, s: _Subgraph, reader: _Reader) -> bool:
    """Grow the trees by what S lacks, until each has a free column or cannot grow.

    Return whether there was a free column.
    """
    run.stats.passes += 1
    s.measure()
    arrays, state = s.arrays, s.state
    indptr = unsigned(run.graph.indptr)
    rows = np.flatnonzero(arrays.rows).astype(arrays.queue.dtype)
    state[COVER] = run.graph.nonempty_rows + np.count_nonzero(arrays.cols)
    with run.timed("pass"):
        while rows.size:
            state[TAIL] = 0
            for batch in reader.read(rows):
                done = 0
                while (done := collect(batch, indptr, arrays, s.per_col, done)) < batch.rows.size:
                    s.make_room()
                run.upper_bound = min(run.upper_bound, int(state[COVER]))
            rows = arrays.queue[: state[TAIL]]
            trees = arrays.root[arrays.row_match[rows]]
            rows = np.sort(rows[arrays.found[trees] == 0])
    run.stats.traversed_edges += int(state[EDGES])
    state[EDGES] = 0
    return bool(arrays.found.any())


@kernel
def lay_out(indptr: Any, rows: Any, gap: int, most: int, starts: Any, bounds: Any) -> Any:
    """Join rows that lie close together to pieces of the file, up to `most` places in all.

    Write where each row will begin, and the bounds of the pieces; return how many rows, pieces, and
    edges of rows there are.
    """
    pieces, size, end, edges = 0, np.int64(0), np.int64(0), np.int64(0)
    for i in range(rows.size):
        x = np.int64(rows[i])
        lo, hi = np.int64(indptr[x]), np.int64(indptr[x + 1])
        joined = pieces > 0 and lo - end <= gap
        begin = size + lo - end if joined else size
        size = begin + hi - lo
        if size > most:
            return i, pieces, edges
        if not joined:
            bounds[0, pieces] = lo
            pieces += 1
        starts[i], bounds[1, pieces - 1] = begin, hi
        end = hi
        edges += hi - lo
    return rows.size, pieces, edges


@kernel
def sample(batch: Any, indptr: Any, s: Any, per_row: int, per_col: int, most: int) -> None:
    """Match the rows of a batch to free columns, and keep some of their edges.

    Those are `per_row` at even distances and the first `per_col` of each column, up to `most` in
    all; and the matched ones.
    """
    indices, seen, state = batch.indices, s.seen, s.state
    row_match, col_match, left, rows = s.row_match, s.col_match, s.root, s.parent
    size, gained = state[SIZE], state[GAINED]
    for i in range(batch.rows.size):
        x = np.int64(batch.rows[i])
        degree = np.int64(indptr[x + 1]) - np.int64(indptr[x])
        lo = np.int64(batch.starts[i])
        hi = lo + degree
        mate = np.int64(row_match[x])
        wanted = mate >= 0  # the edge of the matching is not kept yet
        turn = x * SPREAD % max(degree, np.int64(1))
        for k in range(lo, hi):
            y = np.int64(indices[k])
            left[y] += 1
            rows[y] ^= x
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
            elif mate < 0 and degree == 1 and has_others(col_match[y], indptr):
                row_match[col_match[y]] = -1
                row_match[x], col_match[y] = y, x
                mate, wanted = y, True
            if y == mate and wanted:
                keep, wanted = True, False
            if keep:
                s.kept_rows[size], s.kept_cols[size] = x, y
                size += 1
    state[SIZE], state[GAINED] = size, gained


@helper
def has_others(x: Any, indptr: Any) -> bool:
    """Tell whether a row has more than one edge."""
    x = np.int64(x)
    return bool(np.int64(indptr[x + 1]) - np.int64(indptr[x]) > 1)


@helper
def match_single(y: int, s: Any) -> None:
    """Match a column with the one row that it has left, and have that read.

    The column is free, or that row's. The sum is compared, as the file may have been changed.
    """
    state, row_match, col_match = s.state, s.row_match, s.col_match
    x = np.int64(s.parent[y])
    if 0 <= x < row_match.size and s.rows[x] == 0:  # not matched off with another column
        before = np.int64(row_match[x])
        if before != y and col_match[y] < 0:
            if before >= 0:
                col_match[before] = -1
            else:
                state[GAINED] += 1
            row_match[x], col_match[y] = y, x
            s.kept_rows[state[SIZE]], s.kept_cols[state[SIZE]] = x, y
            state[SIZE] += 1
        s.rows[x] = 1
        s.queue[state[TAIL]] = x
        state[TAIL] += 1


@kernel
def begin_with_single(s: Any) -> None:
    """Match columns that have one row."""
    for y in range(s.cols.size):
        if s.root[y] == 1:
            match_single(y, s)


@kernel
def take_away(batch: Any, indptr: Any, s: Any) -> None:
    """Take rows of a batch from their columns, and match those with one row left."""
    left, rows = s.root, s.parent
    for i in range(batch.rows.size):
        x = np.int64(batch.rows[i])
        lo = np.int64(batch.starts[i])
        hi = lo + np.int64(indptr[x + 1]) - np.int64(indptr[x])
        for k in range(lo, hi):
            y = np.int64(batch.indices[k])
            left[y] -= 1
            rows[y] ^= x
            if left[y] == 1:
                match_single(y, s)
        s.state[EDGES] += hi - lo


@helper
def tree_of(x: int, s: Any) -> int:
    """Return the unmatched row whose tree a row is in."""
    mate = s.row_match[x]
    return int(s.root[mate]) if mate >= 0 else int(x)


@kernel
def collect(batch: Any, indptr: Any, s: Any, per_col: int, first: int) -> int:
    """Let rows of a batch mark columns, and keep the edges; return the first that has no room."""
    indices, col_match, cols, fresh, state = batch.indices, s.col_match, s.cols, s.fresh, s.state
    size, edges, tail, cover = state[SIZE], state[EDGES], state[TAIL], state[COVER]
    done = np.int64(first)
    for i in range(first, batch.rows.size):
        x = np.int64(batch.rows[i])
        tree = tree_of(x, s)
        lo = np.int64(batch.starts[i])
        hi = lo + np.int64(indptr[x + 1]) - np.int64(indptr[x])
        full = False
        for k in range(lo, hi):
            y = np.int64(indices[k])
            free = col_match[y] < 0
            most = PER_FREE_COL if free else per_col
            if cols[y] != 0 and (fresh[y] == 0 or fresh[y] >= most):
                continue
            full = size >= state[ROOM]
            if full:
                break
            s.kept_rows[size], s.kept_cols[size] = x, y
            size += 1
            fresh[y] += 1
            if cols[y] == 0:
                cols[y], s.parent[y], s.root[y] = 1, x, tree
                cover += 1
                if free:
                    s.found[tree] = 1
                else:
                    mate = np.int64(col_match[y])
                    s.rows[mate] = 1
                    s.queue[tail] = mate
                    tail += 1
        if full:
            break
        if hi > lo:
            cover -= 1
        edges += hi - lo
        done += 1
    state[SIZE], state[EDGES], state[TAIL], state[COVER] = size, edges, tail, cover
    return int(done)


@kernel
def mark_from(indptr: Any, indices: Any, s: Any) -> None:
    """Mark what S leads to from unmatched rows; no column of it is free."""
    s.parent[:] = -1
    s.cols[:] = 0
    s.rows[:] = 0
    s.found[:] = 0
    s.fresh[:] = 0
    head, tail = 0, 0
    for x in range(s.rows.size):
        if s.row_match[x] < 0:
            s.rows[x] = 1
            s.queue[tail] = x
            tail += 1
    while head < tail:
        x = np.int64(s.queue[head])
        head += 1
        tree = tree_of(x, s)
        for k in range(indptr[x], indptr[x + 1]):
            y = indices[k]
            if s.cols[y] == 0:
                s.cols[y], s.parent[y], s.root[y] = 1, x, tree
                mate = np.int64(s.col_match[y])
                s.rows[mate] = 1
                s.queue[tail] = mate
                tail += 1


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
