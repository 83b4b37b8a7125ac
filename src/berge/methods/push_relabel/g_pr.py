"""G-PR: push–relabel without atomics or locks, for a GPU or for CPU threads.

An active row, which is an unmatched one, takes its neighbour of least label: a push. If that column
was matched, its row becomes active instead, and the column's label rises. All active rows push at
the same time, once a kernel launch, with no regard to each other: of several rows that take one
column the last to write gets it, and the others notice and stay active. G-GR, global relabelling,
makes labels exact now and then, by breadth-first search from the free columns, a launch a level.

- ``g-pr-first`` (Algorithms 3 to 6): a launch goes over all rows and looks which are active.
- ``g-pr-noshr`` (Algorithms 7 to 9): it goes over a list of active rows. Where row v took a column,
  the row w that had it comes into its place; where v turns out to have lost it, v is put back.
- ``g-pr-shr``: the list is made dense after a global relabelling, while it is longer than 511.

``strategy`` and ``k`` say after how many launches labels are made exact again: k of them (fix), or
k times maxLevel, the depth in edges that the last global relabelling came to (adaptive).
``concurrent`` is the paper's future work: from the second one on, a global relabelling runs beside
the push launches.

Work O(nnz + n · levels) a global relabelling; O(n · nnz) of pushes, where every launch looks at all
rows besides (first), or at as many entries as there were unmatched rows when the list was last made
dense. Memory: the transpose, a label a vertex, and 16 bytes a row (first), or 8 bytes a row and
three indices and 16 bytes an unmatched one. ``concurrent``: another label a vertex.

Papers → here (theirs push from columns; here, as everywhere in berge, rows look for columns)
    columns v, w   rows x, `w`
    row u          column y
    μ(v), μ(u)     ``mu_row[x]``, ``mu_col[y]``: the run's ``row_match`` and ``col_match``
    ψ(v), ψ(u)     ``psi_row[x]``, ``psi_col[y]``
    m + n          `far`: the same, and one more if that is odd
    A_c, A_p, iA   `a_c`, `a_p`, `i_a`
The paper's Algorithm 6 tests μ(u) = −1 in line 3 and means μ(v).

``mu_row[x]`` = −2: x is given up. If it is ≥ 0 and ``mu_col`` agrees, x is matched, else active.
Whenever the search is left, FIXMATCHING makes both −1.

Why threads do no harm to each other
    *Matching.* One thread handles row x in a launch; it alone writes ``mu_row[x]``, and x to any
    ``mu_col[y]``. It writes x to another column only after it has seen that ``mu_col`` of the
    former one is not x any more, and then nobody will make it so again. So between launches
    ``mu_col[y]`` = x implies ``mu_row[x]`` = y: columns are right, always, and rows can tell. A
    matched column is never freed, so the matching never shrinks.
    *Lists.* They hold every active row once. A row w leaves its column y in a launch only if
    somebody takes y. All who do have read ``mu_col[y]`` before: either w, or somebody who has just
    written himself there, and is in the list already (``i_a``), and then they leave y alone. So the
    one whose y is in the end has put w into his place, and all others are put back.
    *Labels* are read and written without care. Of two who take y, one may set the label and the
    other the match, so that labels get too large, or fall. In a global relabelling all who write to
    a place write the same. One that runs beside the push launches reads ``mu`` while it changes;
    every row is reached once at most, so it ends. Its labels for rows are adopted, and columns get
    one more than their row has now. Labels only lead the way: what is said by wrong ones is
    (1) that a row may be given up. That is certain if the last global relabelling was exact and
    did not reach the row: nothing that it leads to gets a label below `far` without a push, nor a
    push without such a label. Else its own label is below `far`, since a push makes it odd. Then
    its end is in `doubt`, and after the last push all labels are made exact once more. Rows that
    were given up and are reached become active again.
    (2) that there are pushes in vain. If so many launches gained nothing as there are vertices, or
    rows had to be made active again, one thread goes on alone, from exact labels, until it has
    matched a row. Then labels are true bounds that never fall, each push adds two to one, and
    n_cols · (n_rows + n_cols) / 2 pushes are the most there can be. So the algorithm ends, and at
    the end no unmatched row can reach a free column.

Reference: M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "A push-relabel-based maximum cardinality
bipartite matching algorithm on GPUs", ICPP 2013.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import Any, NamedTuple

import numpy as np

from ...compile import helper
from ...compile.device import CT, ONE, Device, per_item
from ...compile.scan import compact, count
from ...graphs.graph import unsigned
from ...results.run import Run, Stop

SHRINK_FROM = 512  # lists shorter than this are not made dense: it takes longer than it saves
BLOCKS = 256  # shares of the vertices, each counted by one thread
KEPT = 10_000  # entries of `stats.active`

ACT_EXISTS, U_ADDED, DOUBT, REVIVED = range(4)  # entries of `flags`


class Labels(NamedTuple):
    """One labelling of all vertices, and the flags of the kernels that work on it."""

    psi_row: Any
    psi_col: Any
    flags: Any


def g_pr(run: Run, form: type[First], *, strategy: str, k: float, concurrent: bool) -> None:
    """Make the matching maximum: Algorithms 3 and 7."""
    s = Search(run, concurrent, form.bytes_needed(run))
    active = form(s)
    loop = iter_gr = 0
    act_exists = True
    try:
        while act_exists and not run.done:
            max_level = s.relabel(loop, due=loop == iter_gr)
            if max_level:
                iter_gr = get_iter_gr(strategy, k, max_level, loop)
                iter_gr = min(iter_gr, loop + s.far)  # where a lack of gain is noticed
            with run.timed("push"):
                act_exists = active.push(loop, shrink=max_level > 0)
            loop += 1
            run.stats.iterations = loop
            run.pause()
            if not act_exists and s.revive(loop):
                active = form(s)
                act_exists, iter_gr = True, loop
    finally:
        s.leave()


def get_iter_gr(strategy: str, k: float, max_level: int, loop: int) -> int:
    """GETITERGR: the iteration of the next global relabelling."""
    return loop + max(1, int(k if strategy == "fix" else k * max_level))


def g_pr_first(
    run: Run, *, strategy: str = "adaptive", k: float = 0.7, concurrent: bool = False
) -> None:
    """Make the matching maximum, going over all rows."""
    g_pr(run, First, strategy=strategy, k=k, concurrent=concurrent)


def g_pr_noshr(
    run: Run, *, strategy: str = "adaptive", k: float = 0.7, concurrent: bool = False
) -> None:
    """Make the matching maximum, with a list of active rows."""
    g_pr(run, NoShr, strategy=strategy, k=k, concurrent=concurrent)


def g_pr_shr(
    run: Run, *, strategy: str = "adaptive", k: float = 0.7, concurrent: bool = False
) -> None:
    """Make the matching maximum, with a list of active rows that is made dense."""
    g_pr(run, Shr, strategy=strategy, k=k, concurrent=concurrent)


class Search:
    """The arrays on the device, and what is done to all of them."""

    def __init__(self, run: Run, concurrent: bool, more: int):
        self.run = run
        per_vertex = 4 if concurrent else 3
        self.device = run.open_device(edges=2, rows=per_vertex, cols=per_vertex, more=more)
        self.pusher = self.device
        graph, transpose, upload = run.graph, run.transpose(), self.device.upload
        self.far = np.int64(sum(graph.shape) + sum(graph.shape) % 2)
        self.rows = upload(unsigned(graph.indptr)), upload(unsigned(graph.indices))
        self.cols = upload(unsigned(transpose.indptr)), upload(unsigned(transpose.indices))
        self.mu = upload(run.row_match), upload(run.col_match)
        self.psi = self.new_labels()
        self.counted: list[tuple[Any, Any]] = []  # pushes, and edges looked at, by item
        self.alone = False  # one thread pushes, until it has matched a row
        self.gained_at = 0  # the iteration in which the matching was last seen to grow
        self.spare = self.new_labels() if concurrent else None  # for a relabelling beside
        self.beside: Beside | None = None
        self.doubt = False  # labels may have been out of date

    def new_labels(self) -> Labels:
        """Return room for a labelling."""
        n_rows, n_cols = self.run.graph.shape
        label = np.int32 if self.far < 2**31 - 2 else np.int64
        empty = self.device.empty
        return Labels(empty(n_rows, label), empty(n_cols, label), self.device.full(4, 0, np.int32))

    def relabel(self, loop: int, due: bool) -> int:
        """Do a global relabelling if it is due, or take over what one beside has come to.

        Returns maxLevel, or 0 if labels are as they were.
        """
        aside = self.spare is not None and loop > 0 and not self.alone
        with self.run.timed("relabel"):
            if self.beside is not None:
                return self.adopt(loop) if self.beside.done else 0
            if not due or (aside and self.begin_beside()):
                return 0
            max_level = g_gr(self.device, self, self.psi, self.run.pause)
            self.take_stock(loop, max_level)
            return max_level

    def begin_beside(self) -> bool:
        """Begin a global relabelling that runs beside the push launches, if the device can."""
        pair = self.device.split()
        if pair is None:
            return False
        self.pusher, other = pair
        self.beside = Beside(other, partial(g_gr, other, self, self.spare))
        return True

    def adopt(self, loop: int) -> int:
        """Take over the labels of the global relabelling that ran beside; return maxLevel."""
        assert self.beside is not None
        assert self.spare is not None
        max_level = self.beside.result()
        self.beside, self.pusher = None, self.device
        self.psi, self.spare = self.spare, self.psi
        self.device.launch(adopt, self.mu[1].size, self.mu[1], self.psi.psi_row, self.psi.psi_col)
        self.doubt = True
        self.take_stock(loop, max_level)
        return max_level

    def take_stock(self, loop: int, max_level: int) -> None:
        """Report what there is after a global relabelling; if nothing new for long, go on alone."""
        device, run, stats = self.device, self.run, self.run.stats
        width = np.int64(-(-max(run.graph.shape) // BLOCKS))
        counts = device.empty(3 * BLOCKS, np.int64)
        device.launch(
            count_block, BLOCKS, width, *self.mu, self.psi.psi_col, self.cols[0], self.far, counts
        )
        matched, active, edges = device.download(counts).reshape(BLOCKS, 3).sum(axis=0).tolist()
        gained = matched - run.cardinality
        if gained:
            self.alone, self.gained_at = False, loop
        elif loop - self.gained_at > self.far:
            self.alone = True
        stats.levels += max_level // 2
        stats.traversed_edges += edges
        if len(stats.active) < KEPT:
            stats.active.append([loop, active])
        run.end_phase(gained)

    def revive(self, loop: int) -> bool:
        """Make rows active again that were given up by labels too large; whether there are any."""
        self.leave_beside()
        if not (self.doubt or self.device.read(self.psi.flags, DOUBT)):
            return False
        self.alone = True  # so the labels will be exact
        self.relabel(loop, due=True)
        self.alone, self.doubt = True, False
        self.device.fill(self.psi.flags, 0)
        mu_row = self.mu[0]
        self.device.launch(revive, mu_row.size, mu_row, self.psi.psi_row, self.far, self.psi.flags)
        return self.device.read(self.psi.flags, REVIVED) > 0

    def leave_beside(self) -> None:
        """Stop the global relabelling that runs beside, if there is one."""
        if self.beside is not None:
            self.beside.leave()
            self.beside, self.pusher = None, self.device

    def leave(self) -> None:
        """Hand the matching back, put right, and add up what was counted."""
        device, run = self.device, self.run
        self.leave_beside()
        device.launch(fix_matching, self.mu[0].size, *self.mu)
        run.cardinality = count(device, self.mu[0])
        device.hand_back(self.mu[0], run.row_match)
        device.hand_back(self.mu[1], run.col_match)
        for pushes, looked in self.counted:
            run.stats.pushes += int(device.download(pushes).sum())
            run.stats.traversed_edges += int(device.download(looked).sum())


class Beside:
    """A global relabelling on a Python thread of its own, which launches on its own device."""

    def __init__(self, device: Device, relabel: Callable[[Callable[[], None]], int]):
        self.left = Event()
        pool = ThreadPoolExecutor(1, initializer=device.attach)
        self.future: Future[int] = pool.submit(relabel, self.pause)
        pool.shutdown(wait=False)

    def pause(self) -> None:
        """Stop if nobody waits for the labels any more. Called between kernels."""
        if self.left.is_set():
            raise Stop("left")

    @property
    def done(self) -> bool:
        """Whether it has come to its end."""
        return self.future.done()

    def result(self) -> int:
        """Return maxLevel."""
        return self.future.result()

    def leave(self) -> None:
        """Make it stop, and wait until it has."""
        self.left.set()
        self.future.exception()


def g_gr(device: Device, s: Search, psi: Labels, pause: Callable[[], None]) -> int:
    """G-GR (Algorithm 4): label all vertices by breadth-first search; return maxLevel."""
    n_cols = s.mu[1].size
    device.fill(psi.psi_row, s.far)
    device.launch(init_relabel, n_cols, s.mu[1], psi.psi_col, s.far)
    u_added, c_level = True, 0
    while u_added:
        device.fill(psi.flags[U_ADDED : U_ADDED + 1], 0)
        device.launch(g_gr_krnl, n_cols, np.int64(c_level), *s.cols, *s.mu, *psi, s.far)
        u_added = device.read(psi.flags, U_ADDED) > 0
        c_level += 2
        pause()
    return c_level


class First:
    """Push launches that go over all rows (Algorithm 6)."""

    @staticmethod
    def bytes_needed(run: Run) -> int:
        """Return the bytes that this form needs besides what all do."""
        return 16 * run.graph.n_rows

    def __init__(self, s: Search):
        self.s = s
        self.count(s.mu[0].size)

    def count(self, items: int) -> None:
        """Make room to count pushes, and edges looked at, by item."""
        full = self.s.device.full
        self.counted = full(items, 0, np.int64), full(items, 0, np.int64)
        self.s.counted.append(self.counted)

    def push(self, loop: int, shrink: bool) -> bool:
        """Let every active row push once; whether there was any."""
        s, device = self.s, self.s.pusher
        device.fill(s.psi.flags[ACT_EXISTS : ACT_EXISTS + 1], 0)
        device.launch(
            g_pr_krnl, s.mu[0].size, *s.rows, *s.mu, *s.psi, s.far, *self.counted,
            shape=ONE if s.alone else CT,
        )  # fmt: skip
        return device.read(s.psi.flags, ACT_EXISTS) > 0


class NoShr(First):
    """Push launches that go over a list of active rows (Algorithms 7 to 9)."""

    shrinks = False

    @staticmethod
    def bytes_needed(run: Run) -> int:
        """Return the bytes that this form needs besides what all do."""
        index, n_rows = run.graph.indices.dtype.itemsize, run.graph.n_rows
        return (8 + 2 * index) * n_rows + (16 + 3 * index) * (n_rows - run.cardinality)

    def __init__(self, s: Search):
        device, n_rows, index = s.device, s.mu[0].size, s.mu[0].dtype
        self.s = s
        self.i_a = device.full(n_rows, -1, np.int64)
        capacity = n_rows - s.run.cardinality
        self.a_c, self.a_p = device.empty(capacity, index), device.empty(capacity, index)
        self.places = device.empty(capacity, index)
        unmatched, places = device.empty(n_rows, index), device.empty(n_rows, index)
        device.launch(list_unmatched, n_rows, s.mu[0], unmatched)
        self.size = compact(device, unmatched, n_rows, places, self.a_p)
        self.count(self.size)

    def push(self, loop: int, shrink: bool) -> bool:
        """Let every active row push once, if there is any."""
        s, device, now = self.s, self.s.pusher, np.int64(loop)
        device.fill(s.psi.flags[ACT_EXISTS : ACT_EXISTS + 1], 0)
        device.launch(
            g_pr_initkrnl, self.size, now, *s.mu, self.a_c, self.a_p, self.i_a, s.psi.flags
        )
        act_exists = device.read(s.psi.flags, ACT_EXISTS) > 0
        if act_exists:
            if shrink and self.shrinks and self.size >= SHRINK_FROM:
                self.shrink()
            device.launch(
                g_pr_pushkrnl, self.size, now, *s.rows, *s.mu, *s.psi, s.far,
                self.a_c, self.a_p, self.i_a, *self.counted,
                shape=ONE if s.alone else CT,
            )  # fmt: skip
        self.a_c, self.a_p = self.a_p, self.a_c
        return act_exists

    def shrink(self) -> None:
        """G-PR-SHRKRNL: make the list dense."""
        self.size = compact(self.s.pusher, self.a_c, self.size, self.places, self.a_p)
        self.a_c, self.a_p = self.a_p, self.a_c


class Shr(NoShr):
    """The same with a list that is made dense after global relabellings."""

    shrinks = True


@per_item
def init_relabel(y: int, mu_col: Any, psi_col: Any, far: int) -> None:
    """INITRELABEL: free columns are at level 0, nothing else is reached yet."""
    psi_col[y] = 0 if mu_col[y] < 0 else far


@per_item
def g_gr_krnl(
    y: int,
    c_level: int,
    t_indptr: Any,
    t_indices: Any,
    mu_row: Any,
    mu_col: Any,
    psi_row: Any,
    psi_col: Any,
    flags: Any,
    far: int,
) -> None:
    """G-GR-KRNL (Algorithm 5): a column of this level reaches rows, which stand for columns."""
    if psi_col[y] == c_level:
        for k in range(t_indptr[y], t_indptr[y + 1]):
            x = t_indices[k]
            if psi_row[x] == far:
                psi_row[x] = c_level + 1
                mate = np.int64(mu_row[x])
                if mate > -1 and mu_col[mate] == x:
                    psi_col[mate] = c_level + 2
                    flags[U_ADDED] = 1


@helper
def least(
    x: int, indptr: Any, indices: Any, psi_row: Any, psi_col: Any, far: int
) -> tuple[int, int, int]:
    """Return the neighbour of least label, that label, and the number of edges looked at."""
    y: Any = np.int64(-1)
    psi_min = far
    infimum = np.int64(psi_row[x]) - 1
    looked: Any = np.int64(0)
    for k in range(indptr[x], indptr[x + 1]):
        looked += 1
        next_y = indices[k]
        psi = np.int64(psi_col[next_y])
        if psi < psi_min:
            psi_min = psi
            y = np.int64(next_y)
            if psi_min <= infimum:
                break
    return y, psi_min, looked


@per_item
def g_pr_krnl(
    x: int,
    indptr: Any,
    indices: Any,
    mu_row: Any,
    mu_col: Any,
    psi_row: Any,
    psi_col: Any,
    flags: Any,
    far: int,
    pushes: Any,
    looked: Any,
) -> None:
    """G-PR-KRNL (Algorithm 6): an active row takes its column of least label, or is given up."""
    mate = np.int64(mu_row[x])
    if mate == -1 or (mate > -1 and mu_col[mate] != x):
        flags[ACT_EXISTS] = 1
        y, psi_min, edges = least(x, indptr, indices, psi_row, psi_col, far)
        looked[x] += edges
        if psi_min < far:
            mu_col[y] = x
            mu_row[x] = y
            psi_row[x] = psi_min + 1
            psi_col[y] = psi_min + 2
            pushes[x] += 1
        else:
            mu_row[x] = -2
            if psi_row[x] < far:
                flags[DOUBT] = 1


@per_item
def list_unmatched(x: int, mu_row: Any, unmatched: Any) -> None:
    """List a row that is neither matched nor given up."""
    unmatched[x] = x if mu_row[x] == -1 else -1


@per_item
def g_pr_initkrnl(
    i: int, loop: int, mu_row: Any, mu_col: Any, a_c: Any, a_p: Any, i_a: Any, flags: Any
) -> None:
    """G-PR-INITKRNL (Algorithm 8): put a row back whose column was taken by another."""
    v = np.int64(a_p[i])
    if v != -1:
        mate = np.int64(mu_row[v])
        if mate == -1 or mu_col[mate] != v:
            a_c[i] = v
        else:
            v = np.int64(a_c[i])
        if v != -1:
            i_a[v] = loop
            flags[ACT_EXISTS] = 1


@per_item
def g_pr_pushkrnl(
    i: int,
    loop: int,
    indptr: Any,
    indices: Any,
    mu_row: Any,
    mu_col: Any,
    psi_row: Any,
    psi_col: Any,
    flags: Any,
    far: int,
    a_c: Any,
    a_p: Any,
    i_a: Any,
    pushes: Any,
    looked: Any,
) -> None:
    """G-PR-PUSHKRNL (Algorithm 9): the push of a listed row; who had its column is listed next."""
    x = np.int64(a_c[i])
    if x == -1:
        a_p[i] = -1
        return
    y, psi_min, edges = least(x, indptr, indices, psi_row, psi_col, far)
    looked[i] += edges
    if psi_min < far:
        w = np.int64(mu_col[y])
        if w == -1 or i_a[w] != loop:
            mu_col[y] = x
            mu_row[x] = y
            psi_row[x] = psi_min + 1
            psi_col[y] = psi_min + 2
            a_p[i] = w
            pushes[i] += 1
    else:
        mu_row[x] = -2
        a_c[i] = -1
        a_p[i] = -1
        if psi_row[x] < far:
            flags[DOUBT] = 1


@per_item
def adopt(y: int, mu_col: Any, psi_row: Any, psi_col: Any) -> None:
    """Give a column the label that follows from its row's."""
    mate = np.int64(mu_col[y])
    psi_col[y] = 0 if mate < 0 else psi_row[mate] + 1


@per_item
def revive(x: int, mu_row: Any, psi_row: Any, far: int, flags: Any) -> None:
    """Make a row active that was given up and can reach a free column."""
    if mu_row[x] == -2 and psi_row[x] < far:
        mu_row[x] = -1
        flags[REVIVED] = 1


@per_item
def fix_matching(x: int, mu_row: Any, mu_col: Any) -> None:
    """FIXMATCHING: a row is unmatched unless its column agrees."""
    mate = np.int64(mu_row[x])
    if mate < 0 or mu_col[mate] != x:
        mu_row[x] = -1


@per_item
def count_block(
    b: int, width: int, mu_row: Any, mu_col: Any, psi_col: Any, t_indptr: Any, far: int, counts: Any
) -> None:
    """Count block b: rows matched, rows active, edges that global relabelling looked at."""
    matched = active = edges = np.int64(0)
    for x in range(b * width, min((b + 1) * width, mu_row.size)):
        mate = np.int64(mu_row[x])
        if mate > -1 and mu_col[mate] == x:
            matched += 1
        elif mate != -2:
            active += 1
    for y in range(b * width, min((b + 1) * width, mu_col.size)):
        if psi_col[y] < far:
            edges += np.int64(t_indptr[y + 1]) - np.int64(t_indptr[y])
    counts[3 * b] = matched
    counts[3 * b + 1] = active
    counts[3 * b + 2] = edges
