"""Hopcroft–Karp with capacities: a maximal set of shortest augmenting paths in every phase.

A start lets each row take its first edges to columns with units to spare. Then, in phases,
breadth-first search finds the level of every vertex from the rows with units to spare: it follows
edges that are not chosen to columns, and chosen ones back to rows, and stops at the first level
with an end, a column with a unit to spare. Depth-first searches down the levels find paths until
none is left, and change their edges. If no end is reached, the choice is as large as can be: the
rows that were not reached and the columns that were are the cover that proves it.

Lower bounds come last. A row that has fewer edges than it must searches for a row that has more, in
the same phases. That leaves the use of columns as it is, so columns that have too few can search in
the same way, from the other side. A matching that serves all rows and one that serves all columns
can be joined (Mendelsohn, Dulmage), so nothing is lost. If a search does not reach an end, the rows
reached have all that the columns reached can give, and all other edges that they have: too few.

- ``wants[x]``: units for which row x searches; ``spare[y]``: units of column y that are not in use;
  ``extra[x]``: units that row x can give up.
- ``slot_edge, slot_row``: the chosen edges of column y and their rows, see `units`.
- ``row_level[x]``, ``col_level[y]``: rows on the shortest path to it, or −1. A row at level d looks
  for columns at level d, and these for rows at level d + 1.
- ``tried[x]``, ``tried_slot[y]``: edges, and slots, that searches of the phase have done with.
- ``via[y]``, ``above[y]``: the edge and the row that a search came to column y by; ``back[x]``: the
  slot that it came to row x by. ``queue``: rows, by level.

Work O(m) a phase, of which there are O(min(√m, n^⅔)). Memory: a byte an edge, two indices a slot
and 8 words a vertex.

References: J. Hopcroft, R. Karp, SIAM J. Comput. 2 (1973); S. Even, R. Tarjan, "Network flow and
testing graph connectivity", SIAM J. Comput. 4 (1975); N. Mendelsohn, A. Dulmage, "Some
generalizations of the problem of distinct representatives", Canad. J. Math. 10 (1958).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import helper, kernel
from ...graphs.graph import BipartiteGraph, index_type, unsigned
from ...results.capacity_run import CapacityRun
from ...tuning import EDGES_PER_CALL
from ..assignment.units import add, fill_slots, find_places

EDGES, PATHS = range(2)  # in a tally


class Arrays(NamedTuple):
    """What the search works on; the names are explained above."""

    indptr: Any
    indices: Any
    chosen: Any
    wants: Any
    spare: Any
    extra: Any
    slots: Any
    used: Any
    slot_edge: Any
    slot_row: Any
    row_level: Any
    col_level: Any
    tried: Any
    tried_slot: Any
    via: Any
    above: Any
    back: Any
    queue: Any
    tally: Any


def capacity_phases(run: CapacityRun) -> None:
    """Choose as many edges as can be, with as many at each vertex as must be."""
    a = _arrays(run.graph, run.chosen, run.row_capacity, run.col_capacity)
    with run.timed("init"):
        take_first(a)
        run.cardinality = run.stats.start_cardinality = int(a.used.sum())
    run.pause()
    with run.timed("search"):
        _search(run, a)
    run.upper_bound = run.cardinality
    run.cover = a.row_level < 0, a.col_level >= 0
    with run.timed("least"):
        if run.row_least.any():
            _share(run, a, run.row_capacity - a.wants, run.row_least, "left")
        if run.short is None and run.col_least.any():
            graph = run.graph.T
            places = np.empty(graph.nnz, np.int64)
            taken = np.zeros(graph.n_rows, np.int64)
            find_places(unsigned(graph.indptr), a.indices, taken, places)
            b = _arrays(graph, run.chosen[places], run.col_capacity, run.row_capacity)
            try:
                _share(run, b, run.col_capacity - b.wants, run.col_least, "right")
            finally:
                run.chosen[places] = b.chosen


def _arrays(graph: BipartiteGraph, chosen: Any, rows: Any, cols: Any) -> Arrays:
    """Return the arrays of a side: rows want all units that they do not use."""
    n_rows, n_cols = graph.shape
    slots = np.zeros(n_cols + 1, np.int64)
    np.cumsum(np.minimum(graph.col_degrees, cols), out=slots[1:])
    edge, index = index_type(graph.nnz), graph.indices.dtype
    picked = np.flatnonzero(chosen)
    ends = np.searchsorted(graph.indptr, picked, side="right") - 1
    a = Arrays(
        unsigned(graph.indptr),
        unsigned(graph.indices),
        chosen,
        wants=rows - np.bincount(ends, minlength=n_rows),
        spare=cols - np.bincount(graph.indices[picked], minlength=n_cols),
        extra=np.zeros(n_rows, np.int64),
        slots=slots,
        used=np.zeros(n_cols, np.int64),
        slot_edge=np.empty(slots[-1], edge),
        slot_row=np.empty(slots[-1], index),
        row_level=np.empty(n_rows, index),
        col_level=np.empty(n_cols, index),
        tried=np.empty(n_rows, np.int64),
        tried_slot=np.empty(n_cols, np.int64),
        via=np.empty(n_cols, edge),
        above=np.empty(n_cols, index),
        back=np.empty(n_rows, np.int64),
        queue=np.empty(n_rows, index),
        tally=np.zeros(2, np.int64),
    )
    fill_slots(a)
    return a


def _search(run: CapacityRun, a: Arrays) -> None:
    """Do phases until no end is reached."""
    stats, begun = run.stats, run.cardinality - int(a.used.sum())
    try:
        while set_levels(a):
            stats.phases += 1
            row = 0
            while row < a.wants.size:
                row = search_from_rows(a, row, EDGES_PER_CALL)
                run.cardinality = begun + int(a.used.sum())
                run.pause()
    finally:
        stats.edges += int(a.tally[EDGES])
        stats.paths += int(a.tally[PATHS])
        a.tally[:] = 0


def _share(run: CapacityRun, a: Arrays, used: Any, least: Any, side: str) -> None:
    """Move edges from rows that have more than they must to rows that have fewer."""
    a.wants[:] = np.maximum(least - used, 0)
    a.extra[:] = np.maximum(used - least, 0)
    a.spare[:] = 0
    _search(run, a)
    if a.wants.any():
        run.short = side, a.row_level >= 0, a.col_level >= 0


@kernel
def take_first(a: Arrays) -> None:
    """Let rows take their first edges to columns with units to spare."""
    for x in range(a.wants.size):
        for k in range(a.indptr[x], a.indptr[x + 1]):
            if a.wants[x] == 0:
                break
            y = np.int64(a.indices[k])
            if a.spare[y] > 0:
                a.spare[y] -= 1
                a.wants[x] -= 1
                add(a, y, np.int64(k), x)


@kernel
def set_levels(a: Arrays) -> bool:
    """Set levels up to the first with an end; return whether there is one."""
    row_level, col_level, queue = a.row_level, a.col_level, a.queue
    col_level[:] = -1
    head = tail = edges = 0
    for x in range(row_level.size):
        row_level[x] = -1
        a.tried[x] = a.indptr[x]
        if a.wants[x] > 0:
            row_level[x] = 0
            queue[tail] = x
            tail += 1
    for y in range(col_level.size):
        a.tried_slot[y] = a.slots[y]
    deepest = a.queue.size
    at_column = False
    while head < tail and row_level[queue[head]] <= deepest:
        x = np.int64(queue[head])
        head += 1
        level = np.int64(row_level[x])
        for k in range(a.indptr[x], a.indptr[x + 1]):
            y = a.indices[k]
            if col_level[y] >= 0 or a.chosen[k]:
                continue
            col_level[y] = level
            if a.spare[y] > 0:
                deepest = level
                at_column = True
            if at_column:
                continue  # rows that are reached from here are too deep
            for s in range(a.slots[y], a.slots[y] + a.used[y]):
                z = np.int64(a.slot_row[s])
                if row_level[z] < 0:
                    row_level[z] = level + 1
                    queue[tail] = z
                    tail += 1
                    if a.extra[z] > 0:
                        deepest = level
            edges += a.used[y]
        edges += a.indptr[x + 1] - a.indptr[x]
    a.tally[EDGES] += edges
    return bool(deepest < a.queue.size)


@kernel
def search_from_rows(a: Arrays, x: int, budget: int) -> int:
    """Search from rows from x on, and augment; return the row to go on with.

    Comes back after some `budget` edges.
    """
    stop = a.tally[EDGES] + budget
    while x < a.wants.size and a.tally[EDGES] < stop:
        if a.wants[x] > 0 and search(a, x):
            a.wants[x] -= 1
            a.tally[PATHS] += 1
        else:
            x += 1
    return x


@helper
def search(a: Arrays, root: int) -> bool:
    """Find a path down the levels, and change its edges; return whether there is one."""
    indptr, indices, chosen, tried, tried_slot = (
        a.indptr,
        a.indices,
        a.chosen,
        a.tried,
        a.tried_slot,
    )
    x = np.int64(root)
    edges = 0
    end_row = end_col = np.int64(-1)
    while True:
        level = np.int64(a.row_level[x])
        below = np.int64(-1)
        k = np.int64(tried[x])
        last = np.int64(indptr[x + 1])
        while k < last:
            y = np.int64(indices[k])
            edges += 1
            if a.col_level[y] == level and not chosen[k]:
                a.via[y] = k
                a.above[y] = x
                if a.spare[y] > 0:
                    end_col = y
                    break
                s = np.int64(tried_slot[y])
                full = a.slots[y] + a.used[y]
                while s < full and a.row_level[a.slot_row[s]] != level + 1:
                    s += 1
                edges += s - tried_slot[y]
                tried_slot[y] = s
                if s < full:
                    below = np.int64(a.slot_row[s])
                    a.back[below] = s
                    break
            k += 1
        tried[x] = k
        if end_col >= 0:
            break
        if below >= 0:
            x = below
            if a.extra[x] > 0:
                end_row = x
                break
        elif x == root:
            break
        else:  # give the row up, and go on with the next slot of the column above it
            y = np.int64(indices[a.slot_edge[a.back[x]]])
            tried_slot[y] += 1
            x = np.int64(a.above[y])
    a.tally[EDGES] += edges
    if end_col >= 0:
        a.spare[end_col] -= 1
        x = np.int64(a.above[end_col])
        add(a, end_col, np.int64(a.via[end_col]), x)
    elif end_row >= 0:
        a.extra[end_row] -= 1
    else:
        return False
    while x != root:  # the column above x takes another row in its place
        s = a.back[x]
        k = np.int64(a.slot_edge[s])
        chosen[k] = False
        y = np.int64(indices[k])
        x = np.int64(a.above[y])
        k = np.int64(a.via[y])
        chosen[k] = True
        a.slot_edge[s] = k
        a.slot_row[s] = x
    return True
