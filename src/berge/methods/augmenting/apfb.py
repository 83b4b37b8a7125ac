"""APFB and APsB: augmenting paths by breadth-first search on a GPU, or on CPU threads.

An iteration searches from all unmatched rows at once, a kernel launch a level, then turns over the
paths that were found, all at the same time and with no regard to each other, and repairs what that
has spoilt. APsB stops at the first level with an augmenting path and so finds shortest ones; APFB
goes on until nothing new is reached. With GPUBFS-WR (with roots) a tree stops growing once it has
found a path. No kernel needs an atomic operation but to count: rows and columns are written by
whoever comes, and whatever value stays will do.

A level looks at all rows for those of its number, so that an iteration is O(n · levels + nnz) work;
there are at most as many iterations as augmenting paths, O(n · (n · levels + nnz)) in all. Two
paths turned over at a time may spoil each other, so that Hopcroft and Karp's bound on the number of
iterations does not carry over to APsB. Memory: an index a column and one a row, two with roots.

Papers → here: the paper searches from columns along their lists of rows, and its rows are ours
Y, its columns ours X, as everywhere in berge: ``cxadj, cadj`` → `indptr`, `indices`;
``cmatch, rmatch`` → `row_match`, `col_match`; ``vertex_inserted, augmenting_path_found`` → entries
of `state`; CT and MT are launch shapes (`berge.compile.device`).

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
    *In ALTERNATE* `predecessor` does not change. A walk is at column y; let x be its predecessor.
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

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...compile import fetch_add, helper
from ...compile.device import CT, MT, Shape, per_item
from ...compile.shared_count import add, new_stripes, total
from ...graphs.graph import unsigned
from ...results.run import Run

L0 = 2  # the level of roots

# Entries of `state`: the last level that a row was put into, whether a path was found, and by how
# much the matching grew.
VERTEX_INSERTED, AUGMENTING_PATH_FOUND, GAINED = range(3)


def search(run: Run, shortest: bool, with_roots: bool, shape: Shape) -> None:
    """Make the matching maximum: Algorithm 1, APsB if `shortest`, else APFB."""
    device = run.open_device(edges=1, rows=3 + with_roots, cols=2)
    launch = partial(device.launch, shape=shape)
    nc, nr = run.graph.shape  # in the paper's words: items are its columns, then its rows
    index = run.graph.indices.dtype
    indptr = device.upload(unsigned(run.graph.indptr))
    indices = device.upload(unsigned(run.graph.indices))
    row_match, col_match = device.upload(run.row_match), device.upload(run.col_match)
    bfs_array, predecessor = device.empty(nc, index), device.empty(nr, index)
    root = device.empty(nc if with_roots else 0, index)
    state, edges = device.empty(3, np.int64), new_stripes(device)
    name_the_path = np.int64(shortest)
    found = True
    try:
        while found and not run.done:
            device.fill(state, 0)
            bfs_level, launches = L0, 0
            with run.timed("search"):
                launch(init_bfs_array, nc, row_match, bfs_array)
                if with_roots:
                    launch(init_root, nc, row_match, root)
            vertex_inserted = True
            while vertex_inserted:
                arguments = (
                    np.int64(bfs_level),
                    *(bfs_array, indptr, indices, col_match, predecessor, state, edges),
                )
                with run.timed("search"):
                    if with_roots:
                        launch(gpubfs_wr, nc, *arguments, root, name_the_path)
                    else:
                        launch(gpubfs, nc, *arguments)
                    flags = device.download(state)
                launches += 1
                found = bool(flags[AUGMENTING_PATH_FOUND])
                if shortest and found:
                    break
                bfs_level += 1
                vertex_inserted = flags[VERTEX_INSERTED] == bfs_level
                run.pause()
            run.stats.levels += launches
            run.stats.launches.append(launches)
            with run.timed("augment"):
                if shortest and with_roots:
                    launch(alternate_named, nc, bfs_array, row_match, col_match, predecessor)
                else:
                    launch(alternate, nr, row_match, col_match, predecessor)
                launch(fix_matching, nr, row_match, col_match)
                launch(count_gained, nc, row_match, bfs_array, state)
                gained = device.read(state, GAINED)
            run.stats.augmenting_paths += gained
            run.end_phase(gained)
    finally:
        launch(fix_matching, nr, row_match, col_match)
        device.hand_back(row_match, run.row_match)
        device.hand_back(col_match, run.col_match)
        run.stats.traversed_edges += total(device, edges)


def variant(shortest: bool, with_roots: bool, shape: Shape) -> Callable[[Run], None]:
    """Return one of the eight forms."""

    def solve(run: Run) -> None:
        """Make the matching maximum."""
        search(run, shortest, with_roots, shape)

    return solve


apfb_gpubfs_ct = variant(False, False, CT)
apfb_gpubfs_mt = variant(False, False, MT)
apfb_gpubfs_wr_ct = variant(False, True, CT)
apfb_gpubfs_wr_mt = variant(False, True, MT)
apsb_gpubfs_ct = variant(True, False, CT)
apsb_gpubfs_mt = variant(True, False, MT)
apsb_gpubfs_wr_ct = variant(True, True, CT)
apsb_gpubfs_wr_mt = variant(True, True, MT)


@per_item
def init_bfs_array(x: int, row_match: Any, bfs_array: Any) -> None:
    """INITBFSARRAY: unmatched rows are on the first level."""
    bfs_array[x] = L0 - 1 if row_match[x] > -1 else L0


@per_item
def init_root(x: int, row_match: Any, root: Any) -> None:
    """INITBFSARRAY for GPUBFS-WR: unmatched rows are roots."""
    root[x] = 0 if row_match[x] > -1 else x


@per_item
def gpubfs(
    x: int,
    bfs_level: int,
    bfs_array: Any,
    indptr: Any,
    indices: Any,
    col_match: Any,
    predecessor: Any,
    state: Any,
    edges: Any,
) -> None:
    """GPUBFS (Algorithm 2): a row of this level puts those behind its columns into the next."""
    if bfs_array[x] == bfs_level:
        add(edges, x, indptr[x + 1] - indptr[x])
        for k in range(indptr[x], indptr[x + 1]):
            y = indices[k]
            mate = np.int64(col_match[y])
            if mate > -1:
                if bfs_array[mate] == L0 - 1:
                    state[VERTEX_INSERTED] = bfs_level + 1
                    bfs_array[mate] = bfs_level + 1
                    predecessor[y] = x
            elif mate == -1:
                col_match[y] = -2
                predecessor[y] = x
                state[AUGMENTING_PATH_FOUND] = 1


@per_item
def gpubfs_wr(
    x: int,
    bfs_level: int,
    bfs_array: Any,
    indptr: Any,
    indices: Any,
    col_match: Any,
    predecessor: Any,
    state: Any,
    edges: Any,
    root: Any,
    name_the_path: int,
) -> None:
    """GPUBFS-WR (Algorithm 4): the same, for rows whose tree has not found a path yet."""
    if bfs_array[x] == bfs_level:
        my_root = np.int64(root[x])
        if bfs_array[my_root] < L0 - 1:
            return
        add(edges, x, indptr[x + 1] - indptr[x])
        for k in range(indptr[x], indptr[x + 1]):
            y = indices[k]
            mate = np.int64(col_match[y])
            if mate > -1:
                if bfs_array[mate] == L0 - 1:
                    state[VERTEX_INSERTED] = bfs_level + 1
                    bfs_array[mate] = bfs_level + 1
                    root[mate] = my_root
                    predecessor[y] = x
            elif mate == -1:
                bfs_array[my_root] = -np.int64(y) if name_the_path else L0 - 2
                col_match[y] = -2
                predecessor[y] = x
                state[AUGMENTING_PATH_FOUND] = 1


@per_item
def alternate(y: int, row_match: Any, col_match: Any, predecessor: Any) -> None:
    """ALTERNATE (Algorithm 3): turn over the path that ends at an unmatched column."""
    if col_match[y] == -2:
        walk(y, row_match, col_match, predecessor)


@per_item
def alternate_named(
    x: int, bfs_array: Any, row_match: Any, col_match: Any, predecessor: Any
) -> None:
    """ALTERNATE for APsB-GPUBFS-WR: turn over the path that a root names."""
    if bfs_array[x] < L0 - 1:
        walk(-np.int64(bfs_array[x]), row_match, col_match, predecessor)


@helper
def walk(y: int, row_match: Any, col_match: Any, predecessor: Any) -> None:
    """Match the columns of a path with their predecessors, up to a root or another's path."""
    while y != -1:
        x = np.int64(predecessor[y])
        old = np.int64(row_match[x])
        if old != -1 and predecessor[old] == x:
            break
        row_match[x] = y
        col_match[y] = x
        y = old


@per_item
def fix_matching(y: int, row_match: Any, col_match: Any) -> None:
    """FIXMATCHING: a column is unmatched if no row, or one matched elsewhere, stands there."""
    mate = np.int64(col_match[y])
    if mate == -2 or (mate > -1 and row_match[mate] != y):
        col_match[y] = -1


@per_item
def count_gained(x: int, row_match: Any, bfs_array: Any, state: Any) -> None:
    """Count the roots that are matched now."""
    level = bfs_array[x]
    if (level == L0 or level < L0 - 1) and row_match[x] > -1:
        fetch_add(state, GAINED, 1)
