"""APFB with queues: what a GPU need not look at is not looked at, and long lists are shared out.

`apfb` looks at all rows in every level and lets threads overwrite each other. Here a level is a
queue of rows, each column is claimed by one thread, and the trees are disjoint, so that their paths
can be turned over side by side with nothing to repair. Trees stop at their first path, as in
GPUBFS-WR. With ``split`` there are three queues by degree: a row is done by 1 lane, by 32 or by
1024, each of which takes a part of the row's edges, so that one long row does not keep all others
waiting. On a GPU lanes read neighbouring entries; on a CPU each has a range of its own. Runs of
levels too small for many threads are done by one, in one launch.

Work O(nnz) an iteration, O(n · nnz) in all. Memory: an index a column and three a row, and three a
row that was unmatched at the start.

- ``predecessor[y]``: the row that column y was reached from, or −1.
- ``root[x]``: the root of row x's tree; ``leaf[x]``: the unmatched column that the tree of root x
  has found, or −1.
- ``queue``: the rows reached; one part for every class of degrees, as long as there are rows of it.
- ``roots``: the unmatched rows.
- ``long``, ``longest``: rows of more edges than this are in the second class, and in the third.

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

from typing import Any, NamedTuple

import numpy as np

from ...compile import compare_and_swap, fetch_add, helper
from ...compile.device import CT, MT, ONE, Device, per_item, summed
from ...compile.scan import compact
from ...compile.shared_count import add, counts, new_count, total
from ...results.run import Run
from ...tuning import LANES, SPLIT
from ..phases import finishing, list_unmatched, search_in_phases, uploaded

NEVER = (1 << 62, 1 << 62)

# Entries of `state`: the ends of the three queues; paths found; where a run of small levels ended,
# and how many it did.
TAIL, FOUND, NEXT, LEVELS = 0, 3, 4, 5


class Arrays(NamedTuple):
    """What the kernels work on, and the degrees that tell the classes of rows apart."""

    indptr: Any
    indices: Any
    row_match: Any
    col_match: Any
    predecessor: Any
    root: Any
    leaf: Any
    queue: Any
    state: Any
    edges: Any
    long: np.int64
    longest: np.int64


def apfb_queue(run: Run, *, split: bool = False, statistics: str = "auto") -> None:
    """Make the matching maximum. A row is the work of one lane; if `split`, long ones of many."""
    degrees = SPLIT if split else NEVER
    (n_rows, n_cols), index = run.graph.shape, run.graph.indices.dtype
    room = 3 * (n_rows - run.cardinality) * index.itemsize
    device = run.open_device(edges=1, rows=5, cols=2, more=room)
    counted = counts(statistics, device)
    with uploaded(run, device) as graph_and_matching:
        indptr, _, row_match, _ = graph_and_matching
        above = [device.sum(is_above, n_rows, indptr, np.int64(d)) if split else 0 for d in degrees]
        heads = np.array([0, n_rows - above[0], n_rows - above[1], 0, 0, 0], np.int64)
        a = Arrays(
            *graph_and_matching,
            predecessor=device.empty(n_cols, index),
            root=device.empty(n_rows, index),
            leaf=device.empty(n_rows, index),
            queue=device.empty(n_rows, index),
            state=device.upload(heads.copy()),
            edges=new_count(device),
            long=np.int64(degrees[0]),
            longest=np.int64(degrees[1]),
        )
        roots, left, places = (device.empty(n_rows - run.cardinality, index) for _ in range(3))
        n_roots, found = list_unmatched(device, row_match, roots), 0

        def search() -> bool:
            """Grow trees from the roots."""
            nonlocal a, found
            with run.timed("search"):
                a = a._replace(state=device.upload(heads.copy()))
                device.fill(a.predecessor, -1)
                device.launch(plant, n_roots, a, roots)
            found = grow(run, device, a, heads[:3], counted)
            return found > 0

        def augment() -> int:
            """Turn the paths over, and list the roots that are left."""
            nonlocal roots, left, n_roots
            device.launch(alternate, n_roots, a, roots)
            n_roots = compact(device, roots, n_roots, places, left)
            roots, left = left, roots
            return found

        def finish() -> None:
            if counted:
                run.stats.traversed_edges += total(device, a.edges)

        with finishing(finish):
            search_in_phases(run, search, augment)


def grow(run: Run, device: Device, a: Arrays, lo: Any, counted: bool) -> int:
    """Grow the trees level by level, from places `lo` of the queues on; return the paths found."""
    state = device.download(a.state).copy()
    launches = 0
    while (rows := int((state[:3] - lo).sum())) > 0:
        hi = state[:3]
        with run.timed("search"):
            few = rows < device.serial and hi[0] - lo[0] == rows
            if few:
                kernel = counted_expand_few if counted else expand_few
                limits = np.int64(device.serial), np.int64(device.alone)
                device.launch(kernel, 1, a, *limits, lo[0], shape=ONE)
                launches += 1
            else:
                launches += expand_level(device, a, lo, hi, counted)
            state = device.download(a.state).copy()
        lo = np.array([state[NEXT], *hi[1:]]) if few else hi
        run.stats.levels += int(state[LEVELS]) if few else 1
        run.pause()
    run.stats.launches.append(launches)
    return int(state[FOUND])


def expand_level(device: Device, a: Arrays, lo: Any, hi: Any, counted: bool) -> int:
    """Expand the rows from `lo` to `hi` of each queue; return how many launches that took."""
    side_by_side = np.int64(device.name == "cuda")
    for c, lanes in enumerate(LANES):
        shape = CT if lanes == 1 else MT
        settings = lo[c], np.int64(lanes), side_by_side
        kernel = counted_expand if counted else expand
        device.launch(kernel, int(hi[c] - lo[c]) * lanes, a, *settings, shape=shape)
    return int(np.count_nonzero(hi > lo))


@per_item
def plant(i: int, a: Arrays, roots: Any) -> None:
    """Begin a tree."""
    x = np.int64(roots[i])
    a.root[x] = x
    a.leaf[x] = -1
    append(x, a)


@summed
def is_above(x: int, indptr: Any, degree: int) -> Any:
    """Count a row of more edges than that."""
    return np.int64(np.int64(indptr[x + 1]) - np.int64(indptr[x]) > degree)


@per_item
def expand(item: int, a: Arrays, lo: int, lanes: int, side_by_side: int) -> None:
    """One lane's part of a row of the queue."""
    expand_part(item, a, lo, lanes, side_by_side)


@per_item
def counted_expand(item: int, a: Arrays, lo: int, lanes: int, side_by_side: int) -> None:
    """Do one lane's part and count its edges."""
    add(a.edges, item, expand_part(item, a, lo, lanes, side_by_side))


@helper
def expand_part(item: int, a: Arrays, lo: int, lanes: int, side_by_side: int) -> int:
    """Do one lane's part of a row of the queue; return the edges looked at."""
    x = np.int64(a.queue[lo + item // lanes])
    lane = item % lanes
    first, last = np.int64(a.indptr[x]), np.int64(a.indptr[x + 1])
    step = lanes
    if side_by_side:
        first += lane
    else:
        part = (last - first + lanes - 1) // lanes
        first += lane * part
        last = min(first + part, last)
        step = np.int64(1)
    return reach(x, a, first, last, step)


@per_item
def expand_few(_: int, a: Arrays, few: int, most: int, lo: int) -> None:
    """Do levels one after the other while they have few rows, and short ones only."""
    expand_levels(a, few, most, lo)


@per_item
def counted_expand_few(_: int, a: Arrays, few: int, most: int, lo: int) -> None:
    """Do levels and count their edges."""
    add(a.edges, 0, expand_levels(a, few, most, lo))


@helper
def expand_levels(a: Arrays, few: int, most: int, lo: int) -> int:
    """Do levels while they have few rows, some `most` rows in all; return the edges looked at."""
    hi = a.state[TAIL]
    stop = lo + most
    others = a.state[TAIL + 1] + a.state[TAIL + 2]
    levels, edges = 0, np.int64(0)
    while 0 < hi - lo < few and lo < stop and a.state[TAIL + 1] + a.state[TAIL + 2] == others:
        for i in range(lo, hi):
            x = np.int64(a.queue[i])
            edges += reach(x, a, np.int64(a.indptr[x]), np.int64(a.indptr[x + 1]), np.int64(1))
        lo = hi
        hi = a.state[TAIL]
        levels += 1
    a.state[NEXT] = lo
    a.state[LEVELS] = levels
    return edges  # type: ignore[return-value]


@helper
def reach(x: int, a: Arrays, first: int, last: int, step: int) -> int:
    """Claim the columns at some edges of a row, unless its tree has found a path.

    Returns how many edges were looked at.
    """
    my_root = np.int64(a.root[x])
    looked_at = np.int64(0)
    if a.leaf[my_root] >= 0:
        return looked_at  # type: ignore[return-value]
    for k in range(first, last, step):
        looked_at += 1
        y = a.indices[k]
        if a.predecessor[y] < 0 and compare_and_swap(a.predecessor, y, -1, x):
            mate = np.int64(a.col_match[y])
            if mate < 0:
                if compare_and_swap(a.leaf, my_root, -1, y):
                    fetch_add(a.state, FOUND, 1)
                break
            a.root[mate] = my_root
            append(mate, a)
    return looked_at  # type: ignore[return-value]


@helper
def append(x: int, a: Arrays) -> None:
    """Put a row into the queue for its degree."""
    degree = np.int64(a.indptr[x + 1]) - np.int64(a.indptr[x])
    c = TAIL
    if degree > a.long:
        c = TAIL + 1
    if degree > a.longest:
        c = TAIL + 2
    a.queue[fetch_add(a.state, c, 1)] = x


@per_item
def alternate(i: int, a: Arrays, roots: Any) -> None:
    """Turn over the path of a tree that has found one, and strike its root off the list."""
    y = np.int64(a.leaf[roots[i]])
    if y >= 0:
        roots[i] = -1
    while y >= 0:
        x = np.int64(a.predecessor[y])
        old = np.int64(a.row_match[x])
        a.row_match[x] = y
        a.col_match[y] = x
        y = old
