"""What a part must know of its neighbours: the *ghosts* that it has, and the *holders* of its own.

A ghost is a column of another part that a row of this part has an edge to. Within a part columns
have local numbers: its own come first, in order, then its ghosts, in order of their global numbers
and so by owner. The local transpose lists the part's rows at each of them. A column that is a ghost
elsewhere has holders: the parts that the owner tells what became of it.

Memory: two indices an edge, a place in each of two arrays a ghost and a holder. One exchange.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..compile import kernel
from ..graphs.csr import count_entries, place_entries
from ..graphs.graph import index_type, unsigned
from .communicator import Array, Communicator
from .lists import find
from .messages import Messages, by_owner, deliver
from .part import Part

MOSTLY = 0.9  # of the edges are within parts


class LocalGraph(NamedTuple):
    """A part's edges by local numbers, as kernels take them.

    Rows `indptr`, `indices`; the local rows at every local column, `t_indptr`, `t_indices`; and the
    global numbers of the ghosts, ascending.
    """

    indptr: Any
    indices: Any
    t_indptr: Any
    t_indices: Any
    ghosts: Any


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
    held, holders
        Parts that have column c as a ghost: ``holders[held[c]:held[c + 1]]``.
    n_edges, n_local, nonempty_rows
        Of the whole graph: edges, those within parts, rows that have an edge.
    """

    part: Part
    n_own: int
    graph: LocalGraph
    held: Array
    holders: Array
    n_edges: int
    n_local: int
    nonempty_rows: int

    @classmethod
    def build(cls, part: Part, comm: Communicator) -> Halo:
        """Give columns local numbers, and tell the owners of ghosts. One exchange."""
        first, last = part.cols.start, part.cols.stop
        n_own = last - first
        outside = part.indices[(part.indices < first) | (part.indices >= last)]
        n_local = part.nnz - outside.size
        ghosts = np.unique(outside).astype(np.int64)
        del outside
        n = n_own + ghosts.size
        indices = np.empty(part.nnz, index_type(n))
        number_columns(unsigned(part.indices), np.int64(first), np.int64(last), ghosts, indices)
        indptr, t_indptr = unsigned(part.indptr), np.zeros(n + 1, part.indptr.dtype)
        t_indices = np.empty(part.nnz, index_type(len(part.rows)))
        blocks = np.array([0, len(part.rows)], np.intp)
        counts = np.zeros((1, n), indptr.dtype)
        count_entries(indptr, unsigned(indices), blocks, counts, 0)
        np.cumsum(counts[0], out=t_indptr[1:])
        counts[0] = t_indptr[:-1]
        place_entries(indptr, unsigned(indices), blocks, counts, t_indices, 0)
        nonempty = int(np.count_nonzero(np.diff(part.indptr)))
        messages = by_owner(part.col_bounds, ghosts[:, None])
        (wanted,), notes, _ = deliver(comm, [messages], [part.nnz, n_local, nonempty])
        cols = np.concatenate(wanted) - first
        holders = np.repeat(np.arange(comm.size), [w.size for w in wanted])
        order = np.argsort(cols, kind="stable")
        held = np.searchsorted(cols[order], np.arange(n_own + 1))
        columns = unsigned(t_indptr), unsigned(t_indices)
        graph = LocalGraph(indptr, unsigned(indices), *columns, ghosts)
        sums = (int(n) for n in notes.sum(axis=0))
        return cls(part, n_own, graph, held, holders[order], *sums)

    @property
    def local_fraction(self) -> float:
        """Share of the edges whose two ends are in one part."""
        return self.n_local / self.n_edges if self.n_edges else 1.0

    @property
    def searches_to_end(self) -> bool:
        """Whether parts should search to their end before each exchange."""
        return self.local_fraction >= MOSTLY

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


@kernel
def number_columns(cols: Any, first: int, last: int, ghosts: Any, numbers: Any) -> None:
    """Fill `numbers` with the local numbers of columns."""
    for k in range(cols.size):
        col = np.int64(cols[k])
        if first <= col < last:
            numbers[k] = col - first
        else:
            numbers[k] = last - first + find(ghosts, col)
