"""What a part must know of its neighbours: the *ghosts* that it has, and the *holders* of its own.

A ghost is a column of another part that a row of this part has an edge to. Within a part columns
have local numbers: its own come first, in order, then its ghosts, in order of their global numbers
and so by owner. That is all that searches from rows need (`Halo.build`). Searches from columns
need more (`Halo.complete`): the local transpose, which lists the part's rows at each local column;
and the holders of a column that is a ghost elsewhere, the parts that the owner tells what became of
it.

Ghosts are numbered by a bit for each column of the graph: the bits before it tell how many ghosts
there are before it. That is two passes over the edges, and no search.

Memory: an index an edge, with the transpose two; a place in each of two arrays a ghost and a
holder. While ghosts are numbered, a fifth of a byte for each column of the whole graph. One
exchange, and one to be complete.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..compile import helper, kernel
from ..graphs.csr import count_entries, place_entries
from ..graphs.graph import index_type, unsigned
from .communicator import Array, Communicator
from .messages import Messages, by_owner, deliver
from .part import Part

MOSTLY = 0.9  # of the edges are within parts


class LocalGraph(NamedTuple):
    """A part's edges by local numbers, as kernels take them.

    Rows `indptr`, `indices`; the local rows at every local column, `t_indptr`, `t_indices`, which
    are empty until the halo is complete; and the global numbers of the ghosts, ascending.
    """

    indptr: Any
    indices: Any
    t_indptr: Any
    t_indices: Any
    ghosts: Any


class Counts(NamedTuple):
    """Of the whole graph: edges, those within parts, rows that have an edge; and these here."""

    n_edges: int
    n_local: int
    nonempty_rows: int
    nonempty: int

    @classmethod
    def of(cls, part: Part, comm: Communicator, note: int = 0) -> tuple[Counts, int]:
        """Count, and pass on a note of part 0. One exchange."""
        inside = count_inside(unsigned(part.indices), part.cols.start, part.cols.stop)
        nonempty = int(np.count_nonzero(part.indptr[1:] > part.indptr[:-1]))
        notes = deliver(comm, [], [part.nnz, int(inside), nonempty, note])[1]
        edges, local, rows = (int(n) for n in notes[:, :3].sum(axis=0))
        return cls(edges, local, rows, nonempty), int(notes[0, 3])

    @property
    def local_fraction(self) -> float:
        """Share of the edges whose two ends are in one part."""
        return self.n_local / self.n_edges if self.n_edges else 1.0

    @property
    def searches_to_end(self) -> bool:
        """Whether parts should search to their end before each exchange."""
        return self.local_fraction >= MOSTLY


@dataclass(eq=False)
class Halo:
    """Local numbers, ghosts, holders.

    Attributes
    ----------
    part
        Whose they are.
    n_own
        Number of own columns; ghost g has the local number ``n_own + g``.
    graph
        Its edges.
    counts
        Of edges and rows.
    held, holders
        Once it is complete, the parts that have column c as a ghost:
        ``holders[held[c]:held[c + 1]]``.
    """

    part: Part
    n_own: int
    graph: LocalGraph
    counts: Counts
    held: Array
    holders: Array

    @classmethod
    def build(
        cls, part: Part, comm: Communicator, counts: Counts | None = None, *, complete: bool = True
    ) -> Halo:
        """Give columns local numbers; with all that searches from columns need, if `complete`."""
        if counts is None:
            counts, _ = Counts.of(part, comm)
        indices, ghosts = number(part)
        indptr = unsigned(part.indptr)
        nothing = unsigned(np.empty(0, part.indptr.dtype))
        no_rows = unsigned(np.empty(0, index_type(len(part.rows))))
        graph = LocalGraph(indptr, indices, nothing, no_rows, ghosts)
        none = np.empty(0, np.int64)
        halo = cls(part, len(part.cols), graph, counts, none, none)
        if complete:
            halo.complete(comm)
        return halo

    def complete(self, comm: Communicator) -> None:
        """Build the local transpose, and tell the owners of ghosts. One exchange, if any."""
        if self.held.size:
            return
        part, indptr, indices = self.part, self.graph.indptr, self.graph.indices
        n = self.n_own + self.ghosts.size
        t_indptr = np.zeros(n + 1, part.indptr.dtype)
        t_indices = np.empty(part.nnz, index_type(len(part.rows)))
        blocks = np.array([0, len(part.rows)], np.intp)
        counts = np.zeros((1, n), indptr.dtype)
        count_entries(indptr, indices, blocks, counts, 0)
        np.cumsum(counts[0], out=t_indptr[1:])
        counts[0] = t_indptr[:-1]
        place_entries(indptr, indices, blocks, counts, t_indices, 0)
        (wanted,), _, _ = deliver(comm, [by_owner(part.col_bounds, self.ghosts[:, None])])
        cols = np.concatenate(wanted) - part.cols.start
        holders = np.repeat(np.arange(comm.size), [w.size for w in wanted])
        order = np.argsort(cols, kind="stable")
        self.held = np.searchsorted(cols[order], np.arange(self.n_own + 1))
        self.holders = holders[order]
        columns = {"t_indptr": unsigned(t_indptr), "t_indices": unsigned(t_indices)}
        self.graph = self.graph._replace(**columns)

    @property
    def ghosts(self) -> Array:
        """Global numbers of the ghosts, ascending."""
        ghosts: Array = self.graph.ghosts
        return ghosts

    def to_owners(self, ghosts: Array, *columns: Any) -> Messages:
        """Messages (column, …) to the owners of some ghosts, given by local number less n_own."""
        return by_owner(self.part.col_bounds, np.column_stack([self.ghosts[ghosts], *columns]))

    def to_holders(self, cols: Array, *columns: Any) -> Messages:
        """Messages (column, …) to all who hold some own columns, given by local number."""
        begin, sizes = self.held[cols], self.held[cols + 1] - self.held[cols]
        ends = np.cumsum(sizes)
        places = np.arange(ends[-1] if ends.size else 0) + np.repeat(begin - ends + sizes, sizes)
        told = (np.repeat(each, sizes) for each in (cols + self.part.cols.start, *columns))
        return by_owner(
            np.arange(self.part.size + 1), np.column_stack([*told]), self.holders[places]
        )


def number(part: Part) -> tuple[Any, Array]:
    """Return the columns of a part's edges by local numbers, and the ghosts."""
    cols = unsigned(part.indices)
    first, last = np.int64(part.cols.start), np.int64(part.cols.stop)
    words = np.zeros(part.n_cols // 64 + 1, np.uint64)
    mark_ghosts(cols, first, last, words)
    before = np.empty(words.size, index_type(part.n_cols))
    ghosts = np.empty(int(count_before(words, before)), np.int64)
    list_ghosts(words, ghosts)
    if first == 0 and not ghosts.size:
        return cols, ghosts
    numbers = unsigned(np.empty(cols.size, index_type(len(part.cols) + ghosts.size)))
    number_columns(cols, first, last, words, before, numbers)
    return numbers, ghosts


@kernel
def count_inside(cols: Any, first: int, last: int) -> int:
    """Count the columns that are within bounds, by a loop that the compiler makes vectors of."""
    inside = np.int64(0)
    for k in range(cols.size):
        col = np.int64(cols[k])
        inside += np.int64(col >= first) & np.int64(col < last)
    return int(inside)


@kernel
def mark_ghosts(cols: Any, first: int, last: int, words: Any) -> None:
    """Set the bit of every column that is not within bounds."""
    for k in range(cols.size):
        col = np.int64(cols[k])
        if not first <= col < last:
            words[np.uint64(col >> 6)] |= np.uint64(1) << np.uint64(col & 63)


@helper
def bits_in(word: Any) -> Any:
    """Count the bits of a word that are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    twos = np.uint64(0x3333333333333333)
    word = (word & twos) + ((word >> np.uint64(2)) & twos)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word += word >> np.uint64(8)
    word += word >> np.uint64(16)
    word += word >> np.uint64(32)
    return np.int64(word & np.uint64(127))


@kernel
def count_before(words: Any, before: Any) -> int:
    """Count the bits before each word; return how many there are."""
    size = np.int64(0)
    for w in range(words.size):
        before[w] = size
        size += bits_in(words[w])
    return int(size)


@kernel
def list_ghosts(words: Any, ghosts: Any) -> None:
    """List the numbers of the bits."""
    size = 0
    for w in range(words.size):
        word = words[w]
        if word == np.uint64(0):
            continue
        for b in range(64):
            if (word >> np.uint64(b)) & np.uint64(1) != np.uint64(0):
                ghosts[size] = 64 * w + b
                size += 1


@kernel
def number_columns(cols: Any, first: int, last: int, words: Any, before: Any, numbers: Any) -> None:
    """Fill `numbers` with the local numbers of columns."""
    for k in range(cols.size):
        col = np.int64(cols[k])
        if first <= col < last:
            numbers[k] = col - first
        else:
            w = np.uint64(col >> 6)
            lower = (np.uint64(1) << np.uint64(col & 63)) - np.uint64(1)
            numbers[k] = last - first + np.int64(before[w]) + bits_in(words[w] & lower)
