"""MS-BFS-Graft over parts: trees from all unmatched rows at once, kept from phase to phase.

The algorithm is that of `berge.methods.augmenting.ms_bfs_graft`, and so are the words. A *phase*
grows a forest of alternating trees. A tree that finds a free column is *renewable*, and stops; the
others are *active*. The paths found are augmented. Then columns of renewable trees are *grafted*
onto active trees that they have an edge to, and the next phase begins at their mates. A phase that
finds no path is the last. Its forest gives a vertex cover: the rows that it does not reach, and the
columns that it does.

A round of a phase is local work and one exchange that carries everything:

- *announcements*: trees that have become renewable here, to all. If several parts announce a tree,
  the lowest part has it. All see the same announcements, so they agree without asking. The tree's
  path begins at once (`augment`).
- *proposals* (y, x, tree): row x of the tree wants column y of another part. The first one has it.
- *activations* (x, tree): the mate x of a column that was taken is in the tree now.
- *notices* (y): column y of a renewable tree, which you have as a ghost, can be had again. A part
  with an active row at it proposes. So grafting needs no exchange of its own.
- pairs of the paths that walk (`augment`).

The phase is over when an exchange had nothing of all this. A part may still grow a tree that has
become renewable elsewhere, until it knows that. This does no harm: such growth belongs to a
renewable tree, and is handed out again. So is a column that is proposed for such a tree. It is
taken, since nobody will propose it again, but its mate is not activated.

*Local exhaustion*: before an exchange a part grows its trees until nothing is left to do in it.
This saves rounds where most edges are within parts, as on meshes. On random graphs it makes long
paths and few trees; there, a part grows its trees by one level.

*Direction*: each part decides for itself, level by level. It goes top-down, where rows of the
frontier look for columns, while α · frontier < unseen. It goes bottom-up, where columns look for a
row, otherwise. Unseen are its columns and ghosts that it does not know to be taken; they count as a
64th of all at least.

*Plain phases*: what a good start has left is found in few phases. So at first they need no
transpose: parts go top-down only, and every phase begins anew from the roots that are left. Once
these have read ``PLAIN_PASSES`` times the edges, the halo is completed, and trees are kept.

*Dead trees*: where parts search to their end, the first growth joins trees that meet to groups. A
group that has met no ghost and no free column is closed: no path will ever lead out of it. Its
trees stay as they are, and are not grown again.

Grafting pays if α · |active| > |renewable|, counted in columns. Otherwise the active trees regrow
from their roots. Every exchange has each part's counts, so all decide alike.

Work O(nnz) a phase over all parts, O(n · nnz) in all. Memory besides the part and its halo: 16
bytes a row and 25 a column with 32-bit indices, 9 a ghost, and 5 for every unmatched row of the
whole graph at the start: the only arrays that do not shrink as parts are added.

Paper → here
    mate[x], mate[y]   ``row_match[x]``, ``col_match[y]``: local arrays of global numbers
    visited[y]         ``seen[y]``: of own columns; of ghosts: it was proposed
    parent[y]          ``parent[y]``: the row, by global number
    root[x], root[y]   ``root[x]``, ``tree[y]``: number of the tree, or −1. Trees are numbered
                       through all parts in the order of their roots
    leaf[x] ≥ 0        ``renewed[tree]``; ``SETTLED`` once all parts know, or ``DEAD``
    F, Q               ``queue[LO:HI]``, ``queue[HI:TAIL]``: frontier and next frontier, local rows
    R                  ``released``: own columns of renewable trees

Reference: A. Azad, A. Buluç, A. Pothen, "A parallel tree grafting algorithm for maximum cardinality
matching in bipartite graphs", IPDPS 2015, whose last section asks for it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compile import helper, kernel
from ..graphs.graph import index_type
from ..tuning import EDGES_PER_CALL, PLAIN_PASSES
from .augment import advance, to_next
from .communicator import Array, Communicator
from .halo import Halo
from .lists import drain, find, push
from .messages import by_owner, count, deliver
from .part_run import PartRun

# Entries of `state`: bounds of the frontier and the next one in `queue`; sizes of the lists to
# send, and of `released`; columns and ghosts not known to be taken; edges looked at.
LO, HI, TAIL, FOUND, PROPOSED, RELEASED, UNSEEN, EDGES = range(8)

ALPHA = 5.0  # the paper's

WISH, GAINED, ACTIVE, RENEWABLE, READ = range(5)  # the notes of an exchange

SETTLED, DEAD = 2, 3  # values of ``renewed[tree]``


class Arrays(NamedTuple):
    """What the kernels work on; the names are explained above."""

    graph: Any  # a `LocalGraph`
    row_match: Any
    col_match: Any
    seen: Any
    parent: Any
    tree: Any
    root: Any
    renewed: Any
    sizes: Any  # own columns in each tree
    queue: Any
    found: Any  # own columns whose mates are to be activated elsewhere, or that end a path
    proposed: Any  # ghosts
    proposer: Any  # the local row that wants a ghost
    released: Any
    bounds: Any  # first row, first column
    state: Any


class Groups(NamedTuple):
    """Trees of this part that have met: a tree of each group, and whether there is a way out."""

    above: Any
    open: Any
    first: Any  # number of this part's first tree


class PhaseResult(NamedTuple):
    """How a phase ended, the same in all parts: paths augmented, and whether it came to its end."""

    gained: int
    complete: bool


class Forest:
    """The trees of one part.

    Parameters
    ----------
    row_match, col_match
        A valid matching, changed in place; valid again whenever `phase` returns.
    exhaust
        Whether to grow locally to the end before each exchange.
    alpha
        For the direction: 0 is always top-down, infinity always bottom-up.
    plain
        Whether to begin with plain phases; else the halo is complete.
    """

    def __init__(
        self,
        halo: Halo,
        comm: Communicator,
        row_match: Array,
        col_match: Array,
        *,
        exhaust: bool,
        alpha: float = ALPHA,
        plain: bool = False,
    ):
        self.plain, self.groups_trees = plain, plain and exhaust
        self.halo, self.part, self.run = halo, halo.part, PartRun.of(comm)
        self.exhaust, self.alpha, part = exhaust, alpha, halo.part
        self.roots = np.flatnonzero((row_match < 0) & (np.diff(part.indptr) > 0))
        roots = deliver(comm, [], [self.roots.size])[1][:, 0]
        self.first_tree, n_trees = int(roots[: comm.rank].sum()), int(roots.sum())
        n_rows, n_own, n = row_match.size, halo.n_own, halo.n_own + halo.ghosts.size
        index = index_type(part.n_rows, part.n_cols, n)
        self.arrays = Arrays(
            graph=halo.graph,
            row_match=row_match,
            col_match=col_match,
            seen=np.zeros(n, np.uint8),
            parent=np.empty(n_own, index),
            tree=np.empty(n_own, index),
            root=np.full(n_rows, -1, index),
            renewed=np.zeros(n_trees, np.uint8),
            sizes=np.zeros(n_trees, index),
            queue=np.empty(n_rows, index),
            found=np.empty(n_own, index),
            proposed=np.empty(n - n_own, index),
            proposer=np.empty(n - n_own, index),
            released=np.empty(n_own, index),
            bounds=np.array([part.rows.start, part.cols.start], np.int64),
            state=np.zeros(8, np.int64),
        )
        self._plant()

    @property
    def traversed_edges(self) -> int:
        """Edges that this part has looked at."""
        return int(self.arrays.state[EDGES])

    def phase(self) -> PhaseResult:
        """Grow the forest and augment along every path that is found (steps 1 and 2)."""
        a, state, run = self.arrays, self.arrays.state, self.run
        pairs = np.empty((0, 2), np.int64)
        gained, stopping = 0, False
        counts = np.zeros(2, np.int64)
        while True:
            if not stopping:
                self._grow()
            found = drain(a.found, state, FOUND)
            mates = a.col_match[found]
            leaves = found[mates < 0]
            messages = [
                [a.tree[leaves].astype(np.int64)] * run.size,
                to_next(self.part, pairs),
                *self._growth(found[mates >= 0], mates[mates >= 0]),
            ]
            pending = count(messages) + int(state[HI] - state[LO])
            if not pending and not self.plain:
                counts = self._counts()
            notes = [run.wish, gained, *counts, self.traversed_edges]
            kinds, self._notes, pending = deliver(run, messages, notes, pending)
            if not pending:
                break
            announced, walking, proposals, activations, notices = kinds
            won = leaves[self._settle(announced)] + a.bounds[1]
            start = np.column_stack([np.full_like(won, -1), won])
            pairs = np.concatenate([start, *(pair.reshape(-1, 2) for pair in walking)])
            before = len(pairs)
            pairs = pairs[: advance(pairs, a.parent, a.row_match, a.col_match, *a.bounds)]
            gained += before - len(pairs)  # the others have come to their roots
            stopping = run.heed(self._notes[:, WISH]) or stopping
            if stopping:
                state[LO] = state[HI] = state[TAIL] = 0
            else:
                receive(a, *(np.concatenate(kind) for kind in (proposals, activations, notices)))
        return PhaseResult(int(self._notes[:, GAINED].sum()), not stopping)

    def next_forest(self) -> None:
        """Construct the frontier for the next phase: graft or regrow (step 3).

        No exchange, but for the one that completes the halo after plain phases.
        """
        a, sums = self.arrays, self._notes.sum(axis=0)
        if not self.plain:
            sort_out(a)
            if ALPHA * sums[ACTIVE] > sums[RENEWABLE]:
                graft(a)
                return
        elif sums[READ] > PLAIN_PASSES * self.halo.counts.n_edges:
            self.halo.complete(self.run)
            self.arrays, self.plain = a._replace(graph=self.halo.graph), False
        clear(self.arrays)
        self._plant()

    def cover(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Return this part's share of the cover, after a phase that gained nothing."""
        a = self.arrays
        isolated = np.diff(self.part.indptr) == 0
        return (a.root < 0) & ~isolated, a.seen[: self.halo.n_own].astype(np.bool_)

    def _plant(self) -> None:
        """Begin a forest of single rows: the roots that are left."""
        a, state = self.arrays, self.arrays.state
        trees = np.arange(self.first_tree, self.first_tree + self.roots.size)
        left = a.renewed[trees] == 0
        rows = self.roots[left]
        a.root[rows] = trees[left]
        a.queue[: rows.size] = rows
        state[LO], state[HI], state[TAIL] = 0, rows.size, rows.size
        state[UNSEEN] = a.seen.size

    def _grow(self) -> None:
        a, state = self.arrays, self.arrays.state
        state[HI] = state[TAIL]
        alpha = 0.0 if self.plain else float(self.alpha)
        groups = None
        if self.groups_trees:
            above = np.arange(self.roots.size, dtype=a.sizes.dtype)
            groups = Groups(above, np.zeros(above.size, np.uint8), np.int64(self.first_tree))
        while state[LO] < state[HI]:
            grow(a, alpha, self.exhaust, EDGES_PER_CALL, groups)
            if not self.exhaust or self.run.wish:
                break
        if groups is not None and state[LO] == state[HI]:
            bury(a, groups)
        self.groups_trees = False

    def _growth(self, cols: Array, mates: Array) -> list[Any]:
        """Messages of proposals, activations and notices."""
        a, part = self.arrays, self.part
        ghosts = drain(a.proposed, a.state, PROPOSED)
        rows = a.proposer[ghosts].astype(np.int64)
        return [
            self.halo.to_owners(ghosts, rows + part.rows.start, a.root[rows]),
            by_owner(part.row_bounds, np.column_stack([mates, a.tree[cols]])),
            self.halo.to_holders(drain(a.released, a.state, RELEASED)),
        ]

    def _counts(self) -> Array:
        """Own columns in active trees, and in renewable ones."""
        a = self.arrays
        renewable = int(a.sizes[a.renewed != 0].sum())
        return np.array([int(a.sizes.sum()) - renewable, renewable])

    def _settle(self, announced: list[Array]) -> Array:
        """Mark announced trees as renewable; return which of this part's own it has won."""
        begin = sum(message.size for message in announced[: self.run.rank])
        won = np.empty(announced[self.run.rank].size, np.int64)
        trees = np.concatenate(announced)
        return won[: settle(trees, begin, self.arrays.renewed, won)]


@kernel
def settle(trees: Any, begin: int, renewed: Any, won: Any) -> int:
    """Settle trees that several parts may have announced: who was first has it.

    Of those from `begin` on, as many as `won` has room for, list the ones that were; return how
    many.
    """
    size, room = 0, won.size
    for i in range(trees.size):
        if renewed[trees[i]] != SETTLED:
            renewed[trees[i]] = SETTLED
            if begin <= i < begin + room:
                won[size] = i - begin
                size += 1
    return size


@helper
def take(a: Any, col: Any, x: Any, t: Any, at_once: bool) -> None:
    """Hang an own column on row x, by global number, of tree t (Algorithm 5).

    The mate's root is set later if not `at_once`.
    """
    state, bounds, root = a.state, a.bounds, a.root
    a.seen[col] = 1
    a.parent[col] = x
    a.tree[col] = t
    a.sizes[t] += 1
    state[UNSEEN] -= 1
    if a.renewed[t] != 0:
        return  # proposed before that was known
    mate = np.int64(a.col_match[col])
    row = np.uint64(mate - bounds[0])
    if mate >= 0 and row < np.uint64(root.size):
        if at_once:
            root[row] = t
        push(a.queue, state, TAIL, row)
    else:
        if mate < 0:
            a.renewed[t] = 1
        push(a.found, state, FOUND, col)


@helper
def propose(a: Any, col: Any, x: Any) -> None:
    """Ask for a ghost, given by its local number, on behalf of local row x."""
    state = a.state
    ghost = np.int64(col) - a.parent.size
    a.seen[col] = 1
    a.proposer[ghost] = x
    push(a.proposed, state, PROPOSED, ghost)
    state[UNSEEN] -= 1


@kernel
def grow(a: Any, alpha: float, exhaust: bool, budget: int, groups: Any) -> None:
    """Grow by one level, or to the end if `exhaust`; come back after some `budget` edges."""
    state = a.state
    stop = state[EDGES] + budget
    while state[LO] < state[HI] and state[EDGES] < stop:
        if alpha * (state[HI] - state[LO]) < max(state[UNSEEN], a.seen.size // 64) or alpha == 0.0:
            top_down(a, groups)
        else:
            bottom_up(a)
        state[LO], state[HI] = state[HI], state[TAIL]
        if not exhaust:
            break


@helper
def group_of(groups: Any, t: Any) -> Any:
    """Return the tree that stands for the group of one, and shorten the way to it."""
    above = groups.above
    t = np.int64(t) - groups.first
    while above[t] != t:
        above[t] = above[above[t]]
        t = np.int64(above[t])
    return t


@helper
def meet(groups: Any, t: Any, other: Any) -> None:
    """Join the groups of two trees; or note that there is a way out, to no tree of this part."""
    if groups is not None:
        group = group_of(groups, t)
        if other < 0:
            groups.open[group] = 1
        elif other != t:
            further = group_of(groups, other)
            groups.above[further] = group
            groups.open[group] |= groups.open[further]


@kernel
def bury(a: Any, groups: Any) -> None:
    """Mark trees of groups without a way out as dead."""
    for i in range(groups.above.size):
        t = i + groups.first
        if a.renewed[t] == 0 and groups.open[group_of(groups, t)] == 0:
            a.renewed[t] = DEAD
            a.sizes[t] = 0


@kernel
def clear(a: Any) -> None:
    """Take all trees apart but the dead ones."""
    seen, tree, root, renewed, state = a.seen, a.tree, a.root, a.renewed, a.state
    for col in range(tree.size):
        if seen[col] != 0 and renewed[tree[col]] != DEAD:
            seen[col] = 0
    seen[tree.size :] = 0
    for x in range(root.size):
        if root[x] >= 0 and renewed[root[x]] != DEAD:
            root[x] = -1
    a.sizes[:] = 0
    state[RELEASED] = 0


@kernel
def top_down(a: Any, groups: Any) -> None:
    """Rows of the frontier look for columns that are not taken (Algorithm 4)."""
    indptr, indices, queue = a.graph.indptr, a.graph.indices, a.queue
    seen, root, renewed, state = a.seen, a.root, a.renewed, a.state
    n_own, first_row = a.parent.size, a.bounds[0]
    edges = 0
    for i in range(state[LO], state[HI]):
        x = np.int64(queue[i])
        t = root[x]
        if renewed[t] != 0:
            continue
        for k in range(indptr[x], indptr[x + 1]):
            edges += 1
            col = indices[k]
            if seen[col] == 0:
                if col < n_own:
                    take(a, col, first_row + x, t, True)
                    if renewed[t] != 0:
                        meet(groups, t, np.int64(-1))
                        break
                else:
                    propose(a, col, x)
                    meet(groups, t, np.int64(-1))
            elif groups is not None:
                meet(groups, t, np.int64(a.tree[col]) if col < n_own else np.int64(-1))
    state[EDGES] += edges


@kernel
def bottom_up(a: Any) -> None:
    """Columns and ghosts that are not taken look for a row in an active tree (Algorithm 6).

    New rows get their roots afterwards: else a level would hold long chains, and few trees would
    take everything.
    """
    seen = a.seen
    for col in range(seen.size):
        if seen[col] == 0:
            look_for_row(a, np.uint64(col))
    set_roots(a)


@helper
def look_for_row(a: Any, col: Any) -> None:
    """Let a column that is not taken, or a ghost, be taken by a local row in an active tree."""
    t_indptr, t_indices, root, renewed = a.graph.t_indptr, a.graph.t_indices, a.root, a.renewed
    for k in range(t_indptr[col], t_indptr[col + np.uint64(1)]):
        a.state[EDGES] += 1
        x = t_indices[k]
        t = root[x]
        if t >= 0 and renewed[t] == 0:
            if col < np.uint64(a.parent.size):
                take(a, col, a.bounds[0] + np.int64(x), t, False)
            else:
                propose(a, col, x)
            break


@kernel
def set_roots(a: Any) -> None:
    """Give the rows of the next frontier their roots."""
    queue, state, first_col = a.queue, a.state, a.bounds[1]
    for i in range(state[HI], state[TAIL]):
        x = np.int64(queue[i])
        a.root[x] = a.tree[a.row_match[x] - first_col]


@kernel
def receive(a: Any, proposals: Any, activations: Any, notices: Any) -> None:
    """Do what the messages of other parts ask for."""
    seen, root, renewed, state = a.seen, a.root, a.renewed, a.state
    first_row, first_col = a.bounds[0], a.bounds[1]
    for i in range(0, proposals.size, 3):
        col = np.uint64(proposals[i] - first_col)
        if seen[col] == 0:
            take(a, col, proposals[i + 1], proposals[i + 2], True)
    for i in range(0, activations.size, 2):
        x, t = activations[i] - first_row, activations[i + 1]
        if renewed[t] == 0:
            root[x] = t
            push(a.queue, state, TAIL, x)
    for i in range(notices.size):
        col = np.uint64(find(a.graph.ghosts, notices[i]) + a.parent.size)
        state[UNSEEN] += seen[col]
        seen[col] = 0
        look_for_row(a, col)


@kernel
def sort_out(a: Any) -> None:
    """Take renewable trees apart, and list their own columns (Algorithm 7, lines 2–7)."""
    seen, tree, root, renewed, sizes, state = a.seen, a.tree, a.root, a.renewed, a.sizes, a.state
    size = 0
    for col in range(tree.size):
        if seen[col] != 0 and 0 < renewed[tree[col]] < DEAD:
            seen[col] = 0
            sizes[tree[col]] = 0
            a.released[size] = col
            size += 1
    for x in range(root.size):
        if root[x] >= 0 and 0 < renewed[root[x]] < DEAD:
            root[x] = -1
    state[RELEASED] = size
    state[UNSEEN] += size
    state[LO] = state[HI] = state[TAIL] = 0


@kernel
def graft(a: Any) -> None:
    """Hang released columns on active trees (Algorithm 7, lines 8–11); keep those left over."""
    released, seen, state = a.released, a.seen, a.state
    left = 0
    for i in range(state[RELEASED]):
        col = np.uint64(released[i])
        look_for_row(a, col)
        if seen[col] == 0:
            released[left] = col
            left += 1
    set_roots(a)
    state[RELEASED] = left
