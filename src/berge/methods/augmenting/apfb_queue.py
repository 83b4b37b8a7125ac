"""APFB with queues: what a GPU need not look at is not looked at, and long lists are shared out.

`apfb` looks at all rows in every level and lets threads overwrite each other. Here a level is a
queue of rows, each column is claimed by one thread, and the trees are disjoint, so that their paths
can be turned over side by side with nothing to repair. Trees stop at their first path, as in
GPUBFS-WR. ``apfb-split`` has three queues by degree: a row is done by 1 lane, by 32 or by 1024,
each of which takes a part of the row's edges, so that one long row does not keep all others waiting
(on a GPU lanes read neighbouring entries, on a CPU each has a range of its own). Runs of levels too
small for many threads are done by one, in one launch.

Work O(nnz) an iteration, O(n · nnz) in all. Memory: an index a column and three a row, and three a
row that was unmatched at the start.

- ``predecessor[y]``: the row that column y was reached from, or −1.
- ``root[x]``: the root of row x's tree; ``leaf[x]``: the unmatched column that the tree of root x
  has found, or −1.
- ``queue``: the rows reached; one part for every class of degrees, as long as there are rows of it.
- ``roots``: the unmatched rows.

Why threads do no harm to each other
    A column is claimed by compare-and-swap on its ``predecessor``. The row matched to it has no
    other way into a tree, so who has claimed the column alone writes the row's ``root`` and puts it
    into the queue, at a place that fetch-and-add gave. Trees are disjoint, and each has one
    ``leaf``, by compare-and-swap; paths then are disjoint as well. ``leaf`` is read while others
    write it: seen late, some more rows of the tree are searched. A free column claimed by a tree
    that just found another one is lost in this iteration, but only where a path was found. Where
    none was, no tree has stopped, and all that alternating paths reach was searched: the matching
    is maximum.
    The matching changes in one kernel only, and is valid before and after it.

Reference: after M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "GPU accelerated maximum cardinality
matching algorithms for bipartite graphs", Euro-Par 2013.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import compare_and_swap, fetch_add, helper
from ...compile.device import CT, MT, ONE, per_item
from ...compile.scan import compact
from ...compile.shared_count import add, new_stripes, total
from ...graphs.graph import unsigned
from ...results.run import Run

LANES = (1, 32, 1024)  # lanes a row, by class of its degree
SPLIT = (64, 8192)  # rows of more edges than this are in the second class, and in the third
NEVER = (1 << 62, 1 << 62)
ROWS_PER_CALL = 1 << 20  # rows that one thread does alone before the driver may pause

# Entries of `state`: the ends of the three queues; paths found; where a run of small levels ended,
# and how many it did.
TAIL, FOUND, NEXT, LEVELS = 0, 3, 4, 5


def search(run: Run, degrees: tuple[int, int]) -> None:
    """Make the matching maximum. Rows of more edges than `degrees` go to the other queues."""
    n_rows, n_cols = run.graph.shape
    unmatched = n_rows - run.cardinality
    device = run.open_device(
        edges=1, rows=5, cols=2, more=3 * unmatched * run.graph.indices.dtype.itemsize
    )
    index = run.graph.indices.dtype
    above = [int(np.count_nonzero(run.graph.row_degrees > d)) for d in degrees]
    parts = np.array([0, n_rows - above[0], n_rows - above[1], 0, 0, 0], np.int64)
    classes = (np.int64(degrees[0]), np.int64(degrees[1]))
    side_by_side = np.int64(device.name == "cuda")
    indptr = device.upload(unsigned(run.graph.indptr))
    indices = device.upload(unsigned(run.graph.indices))
    row_match, col_match = device.upload(run.row_match), device.upload(run.col_match)
    predecessor, root = device.empty(n_cols, index), device.empty(n_rows, index)
    leaf, queue = device.empty(n_rows, index), device.empty(n_rows, index)
    roots = device.upload(run.unmatched_rows())
    left, places = device.empty(roots.size, index), device.empty(roots.size, index)
    n_roots, edges = roots.size, new_stripes(device)
    found = 1
    try:
        while found and not run.done:
            state = device.upload(parts.copy())
            arguments = (indptr, indices, col_match, predecessor, root, leaf, queue, state, edges)
            launches = 0
            lo = parts[:3]
            with run.timed("search"):
                device.fill(predecessor, -1)
                device.launch(plant, n_roots, roots, indptr, root, leaf, queue, state, *classes)
                hi = device.download(state)[:3].copy()
            while (rows := int((hi - lo).sum())) > 0:
                with run.timed("search"):
                    if rows < device.serial and hi[0] - lo[0] == rows:
                        few = np.int64(device.serial)
                        device.launch(expand_few, 1, few, lo[0], *arguments, *classes, shape=ONE)
                        launches += 1
                        now = device.download(state).copy()
                        lo = np.array([now[NEXT], *hi[1:]])
                        levels = int(now[LEVELS])
                    else:
                        for c, lanes in enumerate(LANES):
                            n = int(hi[c] - lo[c]) * lanes
                            settings = (lo[c], np.int64(lanes), side_by_side)
                            shape = CT if lanes == 1 else MT
                            device.launch(expand, n, *settings, *arguments, *classes, shape=shape)
                            launches += n > 0
                        now = device.download(state).copy()
                        lo, levels = hi, 1
                    hi = now[:3]
                run.stats.levels += levels
                run.pause()
            found = int(now[FOUND])
            run.stats.launches.append(launches)
            run.stats.augmenting_paths += found
            with run.timed("augment"):
                device.launch(alternate, n_roots, roots, leaf, predecessor, row_match, col_match)
                n_roots = compact(device, roots, n_roots, places, left)
                roots, left = left, roots
            run.end_phase(found)
    finally:
        device.hand_back(row_match, run.row_match)
        device.hand_back(col_match, run.col_match)
        run.stats.traversed_edges += total(device, edges)


def apfb_queue(run: Run) -> None:
    """Make the matching maximum; a row is the work of one lane."""
    search(run, NEVER)


def apfb_split(run: Run) -> None:
    """Make the matching maximum; long rows are shared out."""
    search(run, SPLIT)


@per_item
def plant(
    i: int,
    roots: Any,
    indptr: Any,
    root: Any,
    leaf: Any,
    queue: Any,
    state: Any,
    long: int,
    longest: int,
) -> None:
    """Begin a tree."""
    x = np.int64(roots[i])
    root[x] = x
    leaf[x] = -1
    append(x, indptr, queue, state, long, longest)


@per_item
def expand(
    item: int,
    lo: int,
    lanes: int,
    side_by_side: int,
    indptr: Any,
    indices: Any,
    col_match: Any,
    predecessor: Any,
    root: Any,
    leaf: Any,
    queue: Any,
    state: Any,
    edges: Any,
    long: int,
    longest: int,
) -> None:
    """One lane's part of a row of the queue."""
    x = np.int64(queue[lo + item // lanes])
    lane = item % lanes
    first, last = np.int64(indptr[x]), np.int64(indptr[x + 1])
    step = lanes
    if side_by_side:
        first += lane
    else:
        part = (last - first + lanes - 1) // lanes
        first += lane * part
        last = min(first + part, last)
        step = np.int64(1)
    reach(
        x, first, last, step,
        indptr, indices, col_match, predecessor, root, leaf, queue, state, edges, long, longest,
    )  # fmt: skip


@per_item
def expand_few(
    _: int,
    few: int,
    lo: int,
    indptr: Any,
    indices: Any,
    col_match: Any,
    predecessor: Any,
    root: Any,
    leaf: Any,
    queue: Any,
    state: Any,
    edges: Any,
    long: int,
    longest: int,
) -> None:
    """Do levels one after the other while they have few rows, and short ones only."""
    hi = state[TAIL]
    stop = lo + ROWS_PER_CALL
    others = state[TAIL + 1] + state[TAIL + 2]
    levels = 0
    while 0 < hi - lo < few and lo < stop and state[TAIL + 1] + state[TAIL + 2] == others:
        for i in range(lo, hi):
            x = np.int64(queue[i])
            reach(
                x, np.int64(indptr[x]), np.int64(indptr[x + 1]), np.int64(1),
                indptr, indices, col_match, predecessor, root, leaf, queue, state, edges,
                long, longest,
            )  # fmt: skip
        lo = hi
        hi = state[TAIL]
        levels += 1
    state[NEXT] = lo
    state[LEVELS] = levels


@helper
def reach(
    x: int,
    first: int,
    last: int,
    step: int,
    indptr: Any,
    indices: Any,
    col_match: Any,
    predecessor: Any,
    root: Any,
    leaf: Any,
    queue: Any,
    state: Any,
    edges: Any,
    long: int,
    longest: int,
) -> None:
    """Claim the columns at some edges of a row, unless its tree has found a path."""
    my_root = np.int64(root[x])
    if leaf[my_root] >= 0:
        return
    looked_at = 0
    for k in range(first, last, step):
        looked_at += 1
        y = indices[k]
        if predecessor[y] < 0 and compare_and_swap(predecessor, y, -1, x):
            mate = np.int64(col_match[y])
            if mate < 0:
                if compare_and_swap(leaf, my_root, -1, y):
                    fetch_add(state, FOUND, 1)
                break
            root[mate] = my_root
            append(mate, indptr, queue, state, long, longest)
    add(edges, x, looked_at)


@helper
def append(x: int, indptr: Any, queue: Any, state: Any, long: int, longest: int) -> None:
    """Put a row into the queue for its degree."""
    degree = np.int64(indptr[x + 1]) - np.int64(indptr[x])
    c = TAIL
    if degree > long:
        c = TAIL + 1
    if degree > longest:
        c = TAIL + 2
    queue[fetch_add(state, c, 1)] = x


@per_item
def alternate(
    i: int, roots: Any, leaf: Any, predecessor: Any, row_match: Any, col_match: Any
) -> None:
    """Turn over the path of a tree that has found one, and strike its root off the list."""
    x = np.int64(roots[i])
    y = np.int64(leaf[x])
    if y >= 0:
        roots[i] = -1
        while y >= 0:
            x = np.int64(predecessor[y])
            old = np.int64(row_match[x])
            row_match[x] = y
            col_match[y] = x
            y = old
