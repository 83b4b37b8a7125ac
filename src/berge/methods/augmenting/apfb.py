"""APFB and APsB: augmenting paths by breadth-first search on a GPU, or on CPU threads.

An iteration searches from all unmatched rows at once, a kernel launch a level, then turns over the
paths that were found, all at the same time and with no regard to each other, and repairs what that
has spoilt. APsB stops at the first level with an augmenting path and so finds shortest ones; APFB
goes on until nothing new is reached. With GPUBFS-WR (with roots) a tree stops growing once it has
found a path. No kernel needs an atomic operation, but to count the edges that were looked at, which
the option ``statistics`` says: rows and columns are written by whoever comes, and whatever value
stays will do.

A level looks at all rows for those of its number, so that an iteration is O(n · levels + nnz) work;
there are at most as many iterations as augmenting paths, O(n · (n · levels + nnz)) in all. Two
paths turned over at a time may spoil each other, so that Hopcroft and Karp's bound on the number of
iterations does not carry over to APsB. Memory: an index a column and one a row, two with roots.

Papers → here: the paper searches from columns along their lists of rows, and its rows are ours
Y, its columns ours X, as everywhere in berge: ``cxadj, cadj`` → `indptr`, `indices`;
``cmatch, rmatch`` → `row_match`, `col_match`; ``vertex_inserted, augmenting_path_found`` → entries
of `state`; CT and MT are launch shapes (`berge.compile.device`), by the option ``launch``, where CT
has as many threads as the device has at a time, and ``256x256`` as many as the paper says. APsB is
the option ``shortest``; GPUBFS and GPUBFS-WR are values of the option ``kernel``.

Slips and changes
    - ALTERNATE, line 8, looks at predecessor[matched_row], also where there is none: −1 is looked
      at first, here. FIXMATCHING also frees columns that are still −2.
    - Flags hold the level that set them, and are never reset in an iteration. So several levels are
      launched before they are read (`Device.ahead`); those past the last one find nothing to do.
    - Matched roots are counted to know the gain, which the paper has no need of.

- ``bfs_array[x]``: level of row x; `L0` − 1 if not reached, `L0` at roots. With roots, a root whose
  tree has found a path gets less than `L0` − 1: `L0` − 2 in APFB, and in APsB −y, where y is
  the column at the end of the path, so that ALTERNATE takes one path a root. (`L0` is 2: so −y is
  below `L0` − 1 for column 0, too.)
- ``predecessor[y]``: the row that column y was reached from.
- ``root[x]``: the root of row x's tree.
- ``col_match[y]`` = −2: an unmatched column that was reached.

Why threads do no harm to each other
    *In a level*, several threads may reach one row or column. They all write the same level, −2 or
    1; of `predecessor` and `root` one value stays, from any of them. All of them are rows of the
    level before, so each is right: going up by `predecessor` and `row_match` from any column that
    was reached, levels fall by one a step down to a root. `predecessor[y]` and `root` of y's row
    may come from different threads. Then a tree is given a path that ends at another one's root,
    and trees may stop growing that found none; but only where a path was found.
    *In ALTERNATE* `predecessor` does not change. It is never cleared: a value from an earlier
    iteration stands only at columns that this one has not reached, and no walk starts at or comes
    to one, as old mates are looked at only of rows that were reached, by their columns. A walk is
    at column y; let x be its predecessor.
    ``row_match[x]`` either is what it was before (an old mate, or −1 at a root), or was written by
    a walk, and then is a column whose predecessor is x; an old mate's never is, as a row is not
    reached from itself. So a walk can tell, and breaks off where another one has been, and every
    walk that writes at x goes on from x's old mate, to a row one level up. Hence
    (1) a walk ends after at most as many steps as there are levels;
    (2) ``row_match[x]`` = y was written along with ``col_match[y]`` = x, and all walks write the
    same to ``col_match[y]``. So a matched row stays matched: where two walks wrote to x, the one
    column that ``row_match[x]`` does not name is left over, and FIXMATCHING frees it;
    (3) where a path was found the matching grows. Take the row of the lowest level that any walk
    has come to. Somebody has written there and gone on from it; so it is a root, and now matched.
So every iteration but the last gains, and the search ends. The last one finds no path, hence no
tree stopped growing, and all that alternating paths reach was searched: the matching is maximum.
While an iteration is under way `col_match` holds −2s; whoever leaves it goes by FIXMATCHING.

Reference: M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "GPU accelerated maximum cardinality
matching algorithms for bipartite graphs", Euro-Par 2013.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...compile import helper
from ...compile.device import Shape, per_item, summed
from ...compile.shared_count import add, counts, new_count, total
from ...results.run import Run
from ..phases import finishing, search_in_phases, uploaded

L0 = 2  # the level of roots

# Entries of `state`: the last level that a row was put into, and that a path was found in.
VERTEX_INSERTED, AUGMENTING_PATH_FOUND = range(2)


class Arrays(NamedTuple):
    """What the kernels work on; `root` is empty where the search goes without roots."""

    indptr: Any
    indices: Any
    row_match: Any
    col_match: Any
    bfs_array: Any
    predecessor: Any
    root: Any
    state: Any
    edges: Any


def apfb(
    run: Run,
    *,
    shortest: bool = False,
    kernel: str = "gpubfs-wr",
    launch: str = "ct",
    statistics: str = "auto",
) -> None:
    """Make the matching maximum: Algorithm 1, APsB if `shortest`, else APFB."""
    with_roots = kernel == "gpubfs-wr"
    device = run.open_device(edges=1, rows=3 + with_roots, cols=2)
    do = partial(device.launch, shape=Shape(launch))
    counted = counts(statistics, device)
    bfs = counted_gpubfs if counted else gpubfs
    nc, nr = run.graph.shape  # in the paper's words: items are its columns, then its rows
    index = run.graph.indices.dtype
    with uploaded(run, device) as graph_and_matching:
        a = Arrays(
            *graph_and_matching,
            bfs_array=device.empty(nc, index),
            predecessor=device.empty(nr, index),
            root=device.empty(nc if with_roots else 0, index),
            state=device.empty(2, np.int64),
            edges=new_count(device),
        )

        def search() -> bool:
            """Find paths; a launch a level."""
            with run.timed("search"):
                device.fill(a.state, 0)
                do(init_bfs_array, nc, a)
            bfs_level, last, found = L0, L0, 0
            while bfs_level == last and not (shortest and found):
                with run.timed("search"):
                    for level in range(bfs_level, bfs_level + device.ahead):
                        do(bfs, nc, a, np.int64(level), np.int64(shortest))
                    inserted, found = (int(flag) for flag in device.download(a.state))
                bfs_level += device.ahead
                last = inserted
                run.pause()
            levels = (found if shortest and found else max(inserted, L0)) + 1 - L0
            run.stats.levels += levels
            run.stats.launches.append(levels)
            return found > 0

        def augment() -> int:
            """Turn the paths over, and repair."""
            if shortest and with_roots:
                do(alternate_named, nc, a)
            else:
                do(alternate, nr, a)
            do(fix_matching, nr, a)
            return device.sum(is_gained, nc, a)

        def finish() -> None:
            do(fix_matching, nr, a)
            if counted:
                run.stats.traversed_edges += total(device, a.edges)

        with finishing(finish):
            search_in_phases(run, search, augment)


@per_item
def init_bfs_array(x: int, a: Arrays) -> None:
    """INITBFSARRAY: unmatched rows are on the first level; all rows are their own roots."""
    a.bfs_array[x] = L0 - 1 if a.row_match[x] > -1 else L0
    if a.root.size > 0:
        a.root[x] = x


@per_item
def gpubfs(x: int, a: Arrays, bfs_level: int, shortest: int) -> None:
    """GPUBFS (Algorithm 2), with roots GPUBFS-WR (Algorithm 4)."""
    expand(x, a, bfs_level, shortest)


@per_item
def counted_gpubfs(x: int, a: Arrays, bfs_level: int, shortest: int) -> None:
    """GPUBFS that counts edges."""
    edges = expand(x, a, bfs_level, shortest)
    if edges > 0:
        add(a.edges, x, edges)


@helper
def expand(x: int, a: Arrays, bfs_level: int, shortest: int) -> int:
    """Put the rows behind the columns of a row of this level into the next; return its edges.

    With roots, only while the row's tree has not found a path. Where paths are to be shortest, not
    in a level behind one that has found some.
    """
    if a.bfs_array[x] != bfs_level:
        return 0
    if shortest and 0 < a.state[AUGMENTING_PATH_FOUND] < bfs_level:
        return 0
    my_root = np.int64(x)
    if a.root.size > 0:
        my_root = np.int64(a.root[x])
        if a.bfs_array[my_root] < L0 - 1:
            return 0
    for k in range(a.indptr[x], a.indptr[x + 1]):
        y = a.indices[k]
        mate = np.int64(a.col_match[y])
        if mate > -1:
            if a.bfs_array[mate] == L0 - 1:
                a.state[VERTEX_INSERTED] = bfs_level + 1
                a.bfs_array[mate] = bfs_level + 1
                if a.root.size > 0:
                    a.root[mate] = my_root
                a.predecessor[y] = x
        elif mate == -1:
            if a.root.size > 0:
                a.bfs_array[my_root] = -np.int64(y) if shortest else L0 - 2
            a.col_match[y] = -2
            a.predecessor[y] = x
            a.state[AUGMENTING_PATH_FOUND] = bfs_level
    return np.int64(a.indptr[x + 1]) - np.int64(a.indptr[x])  # type: ignore[return-value]


@per_item
def alternate(y: int, a: Arrays) -> None:
    """ALTERNATE (Algorithm 3): turn over the path that ends at an unmatched column."""
    if a.col_match[y] == -2:
        walk(y, a)


@per_item
def alternate_named(x: int, a: Arrays) -> None:
    """ALTERNATE for APsB-GPUBFS-WR: turn over the path that a root names."""
    if a.bfs_array[x] < L0 - 1:
        walk(-np.int64(a.bfs_array[x]), a)


@helper
def walk(y: int, a: Arrays) -> None:
    """Match the columns of a path with their predecessors, up to a root or another's path."""
    while y != -1:
        x = np.int64(a.predecessor[y])
        old = np.int64(a.row_match[x])
        if old != -1 and a.predecessor[old] == x:
            break
        a.row_match[x] = y
        a.col_match[y] = x
        y = old


@per_item
def fix_matching(y: int, a: Arrays) -> None:
    """FIXMATCHING: a column is unmatched if no row, or one matched elsewhere, stands there."""
    mate = np.int64(a.col_match[y])
    if mate == -2 or (mate > -1 and a.row_match[mate] != y):
        a.col_match[y] = -1


@summed
def is_gained(x: int, a: Arrays) -> Any:
    """Count a root that is matched now."""
    level = a.bfs_array[x]
    return np.int64((level == L0 or level < L0 - 1) and a.row_match[x] > -1)
