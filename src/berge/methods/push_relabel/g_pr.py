"""G-PR: push–relabel without atomics or locks, for a GPU or for CPU threads.

An active row, which is an unmatched one, takes its neighbour of least label: a push. If that column
was matched, its row becomes active instead, and the column's label rises. All active rows push at
the same time, once a kernel launch, with no regard to each other. Of several rows that take one
column the last to write gets it. The others notice and stay active. G-GR, global relabelling, makes
labels exact now and then (`g_gr`).

The option ``form`` has the paper's three:

- first (Algorithms 3 to 6): a launch goes over all rows and looks which are active;
- noshr (Algorithms 7 to 9): it goes over a list of active rows. Where row v took a column, the row
  w that had it comes into its place; where v turns out to have lost it, v is put back;
- shr: the list is made dense after a global relabelling, while it is longer than 511.

``strategy`` and ``k`` say after how many launches labels are made exact again: k of them (fix), or
k times maxLevel, the depth in edges that the last global relabelling came to (adaptive).
``concurrent`` is the paper's future work: from the second one on, a global relabelling runs beside
the push launches (`beside`). ``statistics`` says whether pushes and edges are counted.

Work O(nnz + n · levels) a global relabelling; O(n² · nnz) of pushes: up to n launches may gain
nothing, and each reads the edges of all active rows. Every launch looks at all rows besides
(first), or at as many entries as there were unmatched rows when the list was last made dense.
Memory: the transpose, a label a vertex, and 8 bytes a row and three indices an unmatched one
(noshr, shr); to count, 16 bytes an entry. ``concurrent``: another label a vertex.

Papers → here (theirs push from columns; here, as everywhere in berge, rows look for columns)
    columns v, w   rows x, `w`
    row u          column y
    μ(v), μ(u)     ``mu_row[x]``, ``mu_col[y]``: the run's ``row_match`` and ``col_match``
    ψ(v), ψ(u)     ``psi_row[x]``, ``psi_col[y]``
    m + n          `far`: the same, and one more if that is odd
    A_c, A_p, iA   `a_c`, `a_p`, `i_a`

Slips and changes
    - Algorithm 6 tests μ(u) = −1 in line 3 and means μ(v).
    - Algorithm 6 stops looking at a label equal to ψ(v) − 1; here at one that is no larger, since
      labels may be lower than that (see below).
    - Algorithm 9 reads μ(u) twice, for w and for the test; here once, or w might be another one.
    - G-PR-SHRKRNL is a prefix sum and a launch that moves entries (`compact`).
    - ActiveExists holds the last iteration that had an active row. So it is not reset, and several
      iterations are launched before it is read (`Device.ahead`).
    - Patience, going on alone, doubt and REVIVE are our own: the paper does not show that it ends.
    - No gap relabelling: see `g_gr`.

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

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...compile import helper
from ...compile.device import CT, ONE, Device, ItemKernel, per_item, summed
from ...compile.scan import compact, count
from ...compile.shared_count import counts
from ...graphs.graph import unsigned
from ...results.run import Run
from ...tuning import SHRINK_FROM
from ..phases import finishing, list_unmatched, uploaded
from .beside import Beside, adopt
from .g_gr import ACT_EXISTS, DOUBT, REVIVED, Arrays, g_gr

KEPT = 10_000  # entries of `stats.active`


class Lists(NamedTuple):
    """Active rows, and for each entry how many pushes there were, and edges looked at."""

    a_c: Any
    a_p: Any
    i_a: Any
    pushes: Any
    looked: Any


def g_pr(
    run: Run,
    *,
    form: str = "shr",
    strategy: str = "adaptive",
    k: float = 0.7,
    concurrent: bool = False,
    statistics: str = "auto",
) -> None:
    """Make the matching maximum: Algorithm 3, or 7 where there are lists."""
    with searching(run, form, concurrent, statistics) as s:
        active = s.new_active()
        loop = iter_gr = 0
        act_exists = True
        while act_exists and not run.done:
            max_level = s.relabel(loop, due=loop == iter_gr)
            if max_level:
                iter_gr = get_iter_gr(strategy, k, max_level, loop)
                iter_gr = min(iter_gr, loop + s.a.far)  # where a lack of gain is noticed
            with run.timed("push"):
                act_exists, loop = s.push(
                    active, loop, iter_gr, shrink=max_level > 0 and form == "shr"
                )
            run.stats.iterations = loop
            run.pause()
            if not act_exists and s.revive(loop):
                active = s.new_active()
                act_exists, iter_gr = True, loop


def get_iter_gr(strategy: str, k: float, max_level: int, loop: int) -> int:
    """GETITERGR: the iteration of the next global relabelling."""
    return loop + max(1, int(k if strategy == "fix" else k * max_level))


class First:
    """Push launches that go over all rows (Algorithm 6)."""

    def __init__(self, s: Search):
        self.s, self.size = s, s.a.mu_row.size
        none = s.device.empty(0, np.int64)
        self.lists = self.new_lists(none, none, none)

    def new_lists(self, a_c: Any, a_p: Any, i_a: Any) -> Lists:
        """Return lists, with room to count what was done for each entry."""
        size = self.size if self.s.counted else 0
        return Lists(a_c, a_p, i_a, *(self.s.device.full(size, 0, np.int64) for _ in range(2)))

    def launch(self, kernel: ItemKernel, *more: Any) -> None:
        """Push, on one thread if the search goes on alone."""
        shape = ONE if self.s.alone else CT
        self.s.pusher.launch(kernel, self.size, self.s.a, self.lists, *more, shape=shape)

    def push(self, loop: int, shrink: bool) -> None:
        """Let every active row push once."""
        self.launch(counted_krnl if self.s.counted else g_pr_krnl, np.int64(loop))


class Listed(First):
    """Push launches that go over a list of active rows (Algorithms 7 to 9)."""

    def __init__(self, s: Search):
        self.s = s
        device, n_rows, index = s.device, s.a.mu_row.size, s.a.mu_row.dtype
        i_a = device.full(n_rows, -1, np.int64)
        capacity = n_rows - s.run.cardinality
        a_c, a_p, self.places = (device.empty(capacity, index) for _ in range(3))
        self.size = list_unmatched(device, s.a.mu_row, a_p)
        self.lists = self.new_lists(a_c, a_p, i_a)

    def push(self, loop: int, shrink: bool) -> None:
        """Let every active row push once: an iteration of Algorithm 7 after its relabelling."""
        now = np.int64(loop)
        self.s.pusher.launch(g_pr_initkrnl, self.size, self.s.a, self.lists, now)
        if shrink and self.size >= SHRINK_FROM:
            self.shrink()
        self.launch(counted_pushkrnl if self.s.counted else g_pr_pushkrnl, now)
        self.swap()

    def shrink(self) -> None:
        """G-PR-SHRKRNL: make the list dense."""
        a_c, a_p, *_ = self.lists
        self.size = compact(self.s.pusher, a_c, self.size, self.places, a_p)
        self.swap()

    def swap(self) -> None:
        """Swap A_c and A_p."""
        self.lists = self.lists._replace(a_c=self.lists.a_p, a_p=self.lists.a_c)


@per_item
def g_pr_initkrnl(i: int, a: Arrays, lists: Lists, loop: int) -> None:
    """G-PR-INITKRNL (Algorithm 8): put a row back whose column was taken by another."""
    v = np.int64(lists.a_p[i])
    if v != -1:
        mate = np.int64(a.mu_row[v])
        if mate == -1 or a.mu_col[mate] != v:
            lists.a_c[i] = v
        else:
            v = np.int64(lists.a_c[i])
        if v != -1:
            lists.i_a[v] = loop
            a.flags[ACT_EXISTS] = loop + 1


@per_item
def g_pr_pushkrnl(i: int, a: Arrays, lists: Lists, loop: int) -> None:
    """G-PR-PUSHKRNL (Algorithm 9): the push of a listed row."""
    push_listed(i, a, lists, loop)


@per_item
def counted_pushkrnl(i: int, a: Arrays, lists: Lists, loop: int) -> None:
    """G-PR-PUSHKRNL that counts."""
    pushed, edges = push_listed(i, a, lists, loop)
    lists.pushes[i] += pushed
    lists.looked[i] += edges


@helper
def push_listed(i: int, a: Arrays, lists: Lists, loop: int) -> tuple[bool, int]:
    """Let the row of an entry push; who had its column is listed next in its place."""
    x = np.int64(lists.a_c[i])
    if x == -1:
        lists.a_p[i] = -1
        return False, np.int64(0)  # type: ignore[return-value]
    y, psi_min, edges = least(x, a)
    if psi_min < a.far:
        w = np.int64(a.mu_col[y])
        if w == -1 or lists.i_a[w] != loop:
            take(x, y, psi_min, a)
            lists.a_p[i] = w
            return True, edges
    else:
        give_up(x, a)
        lists.a_c[i] = -1
        lists.a_p[i] = -1
    return False, edges


@per_item
def g_pr_krnl(x: int, a: Arrays, lists: Lists, loop: int) -> None:
    """G-PR-KRNL (Algorithm 6): an active row takes its column of least label, or is given up."""
    push_active(x, a, loop)


@per_item
def counted_krnl(x: int, a: Arrays, lists: Lists, loop: int) -> None:
    """G-PR-KRNL that counts."""
    pushed, edges = push_active(x, a, loop)
    if edges > 0:
        lists.pushes[x] += pushed
        lists.looked[x] += edges


@helper
def push_active(x: int, a: Arrays, loop: int) -> tuple[bool, int]:
    """Let a row push if it is active; say whether it did, and how many edges it looked at."""
    mate = np.int64(a.mu_row[x])
    if not (mate == -1 or (mate > -1 and a.mu_col[mate] != x)):
        return False, np.int64(0)  # type: ignore[return-value]
    a.flags[ACT_EXISTS] = loop + 1
    y, psi_min, edges = least(x, a)
    if psi_min < a.far:
        take(x, y, psi_min, a)
        return True, edges
    give_up(x, a)
    return False, edges


@helper
def least(x: int, a: Arrays) -> tuple[int, int, int]:
    """Return the neighbour of least label, that label, and the number of edges looked at."""
    y: Any = np.int64(-1)
    psi_min: Any = a.far
    infimum = np.int64(a.psi_row[x]) - 1
    looked: Any = np.int64(0)
    for k in range(a.indptr[x], a.indptr[x + 1]):
        looked += 1
        next_y = a.indices[k]
        psi = np.int64(a.psi_col[next_y])
        if psi < psi_min:
            psi_min = psi
            y = np.int64(next_y)
            if psi_min <= infimum:
                break
    return y, psi_min, looked


@helper
def take(x: int, y: int, psi_min: int, a: Arrays) -> None:
    """Row x takes column y, and labels follow: the push itself."""
    a.mu_col[y] = x
    a.mu_row[x] = y
    a.psi_row[x] = psi_min + 1
    a.psi_col[y] = psi_min + 2


@helper
def give_up(x: int, a: Arrays) -> None:
    """Row x reaches no free column, by the labels."""
    a.mu_row[x] = -2
    if a.psi_row[x] < a.far:
        a.flags[DOUBT] = 1


@contextmanager
def searching(run: Run, form: str, concurrent: bool, statistics: str) -> Iterator[Search]:
    """Yield a search whose arrays are on the device; in the end, hand the matching back."""
    n_rows, index = run.graph.n_rows, run.graph.indices.dtype.itemsize
    more = 16 * n_rows
    if form != "first":
        more = (8 + 2 * index) * n_rows + (16 + 3 * index) * (n_rows - run.cardinality)
    per_vertex = 4 if concurrent else 3
    device = run.open_device(edges=2, rows=per_vertex, cols=per_vertex, more=more)
    with uploaded(run, device) as graph_and_matching:
        counted = counts(statistics, device)
        s = Search(run, device, graph_and_matching, form, concurrent, counted)
        with finishing(s.leave):
            yield s


class Search:
    """The arrays on the device, and what is done to all of them."""

    def __init__(
        self,
        run: Run,
        device: Device,
        graph_and_matching: tuple[Any, Any, Any, Any],
        form: str,
        concurrent: bool,
        counted: bool,
    ):
        self.run, self.device, self.form, self.counted = run, device, form, counted
        self.pusher = device
        transpose, n = run.transpose(), sum(run.graph.shape)
        t_indptr = device.upload(unsigned(transpose.indptr))
        t_indices = device.upload(unsigned(transpose.indices))
        far = np.int64(n + n % 2)
        self.a = Arrays(*graph_and_matching, t_indptr, t_indices, *self.new_labels(), far)
        self.spare: Arrays | None = None  # the same with labels for a relabelling beside
        if concurrent:
            psi_row, psi_col, flags = self.new_labels()
            self.spare = self.a._replace(psi_row=psi_row, psi_col=psi_col, flags=flags)
        self.beside: Beside | None = None
        self.lists: list[Lists] = []  # all that were counted in
        self.alone = False  # one thread pushes, until it has matched a row
        self.gained_at = 0  # the iteration in which the matching was last seen to grow
        self.doubt = False  # labels may have been out of date

    def new_labels(self) -> tuple[Any, Any, Any]:
        """Return room for a labelling, and its flags."""
        n_rows, n_cols = self.run.graph.shape
        label = np.int32 if n_rows + n_cols < 2**31 - 3 else np.int64
        empty = self.device.empty
        return empty(n_rows, label), empty(n_cols, label), self.device.full(4, 0, np.int64)

    def new_active(self) -> First:
        """Return the active rows, in the form that was asked for."""
        active = First(self) if self.form == "first" else Listed(self)
        if self.counted:
            self.lists.append(active.lists)
        return active

    def push(self, active: First, loop: int, iter_gr: int, shrink: bool) -> tuple[bool, int]:
        """Do iterations up to a global relabelling, as many as are launched before a flag is read.

        Returns whether the last one had an active row, and the iteration that comes next.
        """
        last = loop + 1 if self.beside else min(iter_gr, loop + self.device.ahead)
        for now in range(loop, max(last, loop + 1)):
            active.push(now, shrink and now == loop)
        reached = self.pusher.read(self.a.flags, ACT_EXISTS)
        if reached > now:
            return True, reached
        return False, max(reached, loop) + 1

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
            max_level = g_gr(self.device, self.a, self.run.pause)
            self.take_stock(loop, max_level)
            return max_level

    def begin_beside(self) -> bool:
        """Begin a global relabelling that runs beside the push launches, if the device can."""
        pair = self.device.split()
        if pair is None:
            return False
        assert self.spare is not None
        self.pusher, other = pair
        self.beside = Beside(other, partial(g_gr, other, self.spare))
        return True

    def adopt(self, loop: int) -> int:
        """Take over the labels of the global relabelling that ran beside; return maxLevel."""
        assert self.beside is not None
        assert self.spare is not None
        max_level = self.beside.result()
        self.beside, self.pusher = None, self.device
        self.a, self.spare = self.spare, self.a
        self.device.launch(adopt, self.a.mu_col.size, self.a)
        self.doubt = True
        self.take_stock(loop, max_level)
        return max_level

    def take_stock(self, loop: int, max_level: int) -> None:
        """Report what there is after a global relabelling; if nothing new for long, go on alone."""
        device, run, stats = self.device, self.run, self.run.stats
        matched = device.sum(is_matched, self.a.mu_row.size, self.a)
        gained = matched - run.cardinality
        if gained:
            self.alone, self.gained_at = False, loop
        elif loop - self.gained_at > self.a.far:
            self.alone = True
        stats.levels += max_level // 2
        if self.counted:
            stats.traversed_edges += device.sum(edges_looked_at, self.a.mu_col.size, self.a)
            if len(stats.active) < KEPT:
                given_up = device.sum(is_given_up, self.a.mu_row.size, self.a)
                stats.active.append([loop, self.a.mu_row.size - matched - given_up])
        run.end_phase(gained)

    def revive(self, loop: int) -> bool:
        """Make rows active again that were given up by labels too large; whether there are any."""
        self.leave_beside()
        if not (self.doubt or self.device.read(self.a.flags, DOUBT)):
            return False
        self.alone = True  # so the labels will be exact
        self.relabel(loop, due=True)
        self.alone, self.doubt = True, False
        self.device.fill(self.a.flags, 0)
        self.device.launch(revive, self.a.mu_row.size, self.a)
        return self.device.read(self.a.flags, REVIVED) > 0

    def leave_beside(self) -> None:
        """Stop the global relabelling that runs beside, if there is one."""
        if self.beside is not None:
            self.beside.leave()
            self.beside, self.pusher = None, self.device

    def leave(self) -> None:
        """Put the matching right, and add up what was counted."""
        device, run = self.device, self.run
        self.leave_beside()
        device.launch(fix_matching, self.a.mu_row.size, self.a)
        run.cardinality = count(device, self.a.mu_row)
        for lists in self.lists:
            run.stats.pushes += device.sum(entry, lists.pushes.size, lists.pushes)
            run.stats.traversed_edges += device.sum(entry, lists.looked.size, lists.looked)


@per_item
def revive(x: int, a: Arrays) -> None:
    """Make a row active that was given up and can reach a free column."""
    if a.mu_row[x] == -2 and a.psi_row[x] < a.far:
        a.mu_row[x] = -1
        a.flags[REVIVED] = 1


@per_item
def fix_matching(x: int, a: Arrays) -> None:
    """FIXMATCHING: a row is unmatched unless its column agrees."""
    mate = np.int64(a.mu_row[x])
    if mate < 0 or a.mu_col[mate] != x:
        a.mu_row[x] = -1


@summed
def is_matched(x: int, a: Arrays) -> Any:
    """Count a row that is matched."""
    mate = np.int64(a.mu_row[x])
    return np.int64(mate > -1 and a.mu_col[mate] == x)


@summed
def is_given_up(x: int, a: Arrays) -> Any:
    """Count a row that was given up."""
    return np.int64(a.mu_row[x] == -2)


@summed
def edges_looked_at(y: int, a: Arrays) -> Any:
    """Count the edges of a column that global relabelling has reached."""
    return np.int64(a.t_indptr[y + 1] - a.t_indptr[y]) * np.int64(a.psi_col[y] < a.far)


@summed
def entry(i: int, array: Any) -> Any:
    """Add up an array."""
    return np.int64(array[i])
