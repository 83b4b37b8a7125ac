"""Push–relabel for bipartite matching: first in, first out, with global and gap relabelling.

A label is a lower bound on the way from a vertex to a free column along alternating paths. An
active row, which is an unmatched one, takes its neighbour of least label: a push. If that column
was matched, its row loses it and becomes active instead. The label of the column rises, since its
way out now leads through the row that took it. A row whose neighbours all are out of reach is given
up for good. When no row is active any more the matching is maximum.

Global relabelling makes all labels exact by breadth-first search from the free columns: at the
start, and after every ``relabel_every`` · (n_rows + n_cols) pushes. Gap relabelling: once no
matched column has label d, columns with larger labels are out of reach, as on any way to a free
column labels fall by at most one a step.

Work O(n · nnz): every push raises a label, and labels are bounded. Memory: two indices a row, three
a column, and the transpose. A phase, in the stats, is a global relabelling and the pushes after it;
augmenting paths are not seen as such and not counted.

- ``col_label[y]``: no alternating path from column y to a free column has fewer matched edges. 0 if
  y is free, `far` if y is out of reach. Labels never fall, as relabelling makes bounds exact.
- ``row_label[x]``: no neighbour of row x has a smaller label. Looking stops at one that has this.
- ``count[d]``: number of matched columns with label d, for 0 < d < far.
- ``active``: from ``state[HEAD]`` to ``state[SIZE]`` the rows of this round; from the front to
  ``state[KEPT]`` those of the next. A push takes one row away and adds one at most.

In the paper columns look for rows; here, as everywhere in berge, rows look for columns.

==================  ===========================================================================
columns v, w        rows x, ``pushed_out``
row u               column y
ψ(u)                2 · ``col_label[y]``
ψ(v)                2 · ``row_label[x]`` + 1
m + n, as a label   ``far`` = min(n_rows, n_cols): labels count matched edges only
k                   ``relabel_every``
PR, GR              `push`, `relabel`
==================  ===========================================================================

References: M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "A push-relabel-based maximum cardinality
bipartite matching algorithm on GPUs", ICPP 2013, Algorithms 1 and 2; B. V. Cherkassky et al.,
"Augment or push", ACM JEA 3, 1998; K. Kaya et al., Computers & Operations Research 40, 2013.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compile import helper, kernel, prefetch
from ...results.run import Run
from ...tuning import EDGES_PER_CALL, PUSH_AHEAD, PUSH_NEAR, SWEEP_PART
from ..counters import EDGES, new_tally, report
from ..sides import both_sides

# Entries of `state`: the next place in the list of active rows and its end, the rows kept for the
# next round, the pushes since the last global relabelling, and how many there must be for a sweep;
# the next place in the queue of columns and its end.
HEAD, SIZE, KEPT, PUSHES, SWEEP, NEXT, TAIL = range(7)


class Arrays(NamedTuple):
    """What pushing and relabelling work on; the names are explained above."""

    indptr: Any
    indices: Any
    row_match: Any
    t_indptr: Any
    t_indices: Any
    col_match: Any
    row_label: Any
    col_label: Any
    count: Any
    queue: Any  # of global relabelling: the columns reached
    active: Any
    state: Any
    tally: Any


def push_relabel(run: Run, *, relabel_every: float = 0.5, gap_relabelling: bool = True) -> None:
    """Make the matching maximum."""
    rows, cols = both_sides(run)
    (n_rows, n_cols), index = run.graph.shape, run.graph.indices.dtype
    # No shortest path from an unmatched row to a free column has so many matched edges.
    far = min(n_rows, n_cols)
    a = Arrays(
        *rows,
        *cols,
        row_label=run.empty(n_rows, index),
        col_label=run.empty(n_cols, index),
        count=run.empty(far + 1, index),
        queue=run.empty(n_cols, index),
        active=run.unmatched_rows(),
        state=np.zeros(7, np.int64),
        tally=new_tally(1),
    )
    state = a.state
    state[SIZE] = a.active.size
    enough = max(1.0, relabel_every * (n_rows + n_cols))
    try:
        while state[HEAD] < state[SIZE] and not run.done:
            with run.timed("relabel"):
                free = np.flatnonzero(run.col_match < 0)
                a.row_label.fill(far)
                a.col_label.fill(far)
                a.col_label[free] = 0
                a.count.fill(0)
                a.queue[: free.size] = free
                state[PUSHES:] = 0
                state[TAIL] = free.size
            while state[NEXT] < state[TAIL]:
                with run.timed("relabel"):
                    relabel(a, far, EDGES_PER_CALL)
                run.pause()
            while state[HEAD] < state[SIZE] and state[PUSHES] < enough and not run.done:
                wanted = run.upper_bound - run.cardinality
                with run.timed("push"):
                    run.cardinality += push(a, far, enough, gap_relabelling, wanted, EDGES_PER_CALL)
                run.pause()
            run.end_phase(0)
    finally:
        report(run, a.tally)


@kernel
def relabel(a: Any, far: int, budget: int) -> None:
    """Label everything from the columns in the queue on, until some `budget` edges were read."""
    t_indptr, t_indices, row_match, queue = a.t_indptr, a.t_indices, a.row_match, a.queue
    row_label, col_label, count = a.row_label, a.col_label, a.count
    head, tail = a.state[NEXT], a.state[TAIL]
    edges = 0
    while head < tail and edges < budget:
        y = queue[head]
        if head + PUSH_AHEAD < tail:
            prefetch(t_indptr, np.int64(queue[head + PUSH_AHEAD]))
            prefetch(col_label, np.int64(queue[head + PUSH_AHEAD]))
            prefetch(t_indices, np.int64(t_indptr[queue[head + PUSH_NEAR]]))
        head += 1
        label = col_label[y]
        for k in range(t_indptr[y], t_indptr[y + 1]):
            edges += 1
            x = t_indices[k]
            if row_label[x] == far:
                row_label[x] = label
                before = row_match[x]  # the column in front of x on the way to y
                if before >= 0:
                    col_label[before] = label + 1
                    count[label + 1] += 1
                    queue[tail] = before
                    tail += 1
    a.state[NEXT], a.state[TAIL] = head, tail
    a.tally[0, EDGES] += edges


@kernel
def push(a: Any, far: int, enough: float, gap_relabelling: bool, wanted: int, budget: int) -> int:
    """Push from the active rows; return by how much the matching has grown.

    Comes back when no row is active, after `enough` pushes, after some `budget` edges, or as soon
    as the matching has grown by `wanted`.
    """
    indptr, indices, row_match, col_match = a.indptr, a.indices, a.row_match, a.col_match
    row_label, col_label, count, active, state = (
        a.row_label,
        a.col_label,
        a.count,
        a.active,
        a.state,
    )
    head, size, kept, pushes = state[HEAD], state[SIZE], state[KEPT], state[PUSHES]
    edges = 0
    gained = 0
    while head < size and pushes < enough and gained < wanted and edges < budget:
        x = active[head]
        if head + PUSH_AHEAD < size:
            prefetch(indptr, np.int64(active[head + PUSH_AHEAD]))
            prefetch(row_label, np.int64(active[head + PUSH_AHEAD]))
            prefetch(indices, np.int64(indptr[active[head + PUSH_NEAR]]))
        head += 1
        least, y = far, np.int64(-1)
        for k in range(indptr[x], indptr[x + 1]):
            edges += 1
            label = col_label[indices[k]]
            if label < least:
                least, y = label, np.int64(indices[k])
                if label == row_label[x]:
                    break
        if y >= 0:
            pushes += 1
            pushed_out = col_match[y]
            if pushed_out < 0:
                gained += 1
            else:
                row_match[pushed_out] = -1
                active[kept] = pushed_out
                kept += 1
            row_match[x] = y
            col_match[y] = x
            row_label[x] = least
            label = least + 1
            if least > 0:
                count[least] -= 1
                if gap_relabelling and count[least] == 0:
                    label = far  # y would be the first above the gap
                    if pushes >= state[SWEEP]:
                        sweep(col_label, count, least, far)
                        state[SWEEP] = pushes + col_label.size // SWEEP_PART
            col_label[y] = label
            if label < far:
                count[label] += 1
        if head == size:
            head, size, kept = 0, kept, 0
    state[HEAD], state[SIZE], state[KEPT], state[PUSHES] = head, size, kept, pushes
    a.tally[0, EDGES] += edges
    return gained


@helper
def sweep(col_label: Any, count: Any, gap: int, far: int) -> None:
    """Put the columns with labels above the gap out of reach."""
    for y in range(col_label.size):
        if gap < col_label[y] < far:
            count[col_label[y]] -= 1
            col_label[y] = far
