"""What a part must know of its neighbours: columns of others that it has edges to, and who has its.

Within a part columns have local numbers: its own come first, in order, then the *ghosts*, the
columns of others that its rows have edges to, in order of their global numbers and so by owner. The
local transpose lists the part's rows at each of them. A column that is the ghost of others has
*holders*; the owner's word of what became of it goes to them.

Memory: two indices an edge, a place in each of two arrays a ghost and a holder. One exchange.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..compile import helper, kernel
from ..graphs.csr import count_entries, place_entries
from ..graphs.graph import index_type, unsigned
from .communicator import Array, Communicator
from .messages import Messages, deliver
from .part import Part

__all__ = ["Halo", "find"]

MOSTLY = 0.9  # of the edges are within parts


@dataclass(eq=False)
class Halo:
    """Local numbers, ghosts, holders.

    Attributes
    ----------
    n_own
        Number of own columns; ghost g has the local number ``n_own + g``.
    ghosts, ghost_bounds
        Global numbers of the ghosts, ascending; those of owner p from ``ghost_bounds[p]`` on.
    indptr, indices
        The part's rows, with local numbers of columns.
    t_indptr, t_indices
        The local rows at every local column.
    held, holders
        Parts that have column c as a ghost: ``holders[held[c]:held[c + 1]]``.
    n_edges, n_local, nonempty_rows
        Of the whole graph: edges, those within parts, rows that have an edge.
    """

    n_own: int
    ghosts: Array
    ghost_bounds: Array
    indptr: Any
    indices: Any
    t_indptr: Any
    t_indices: Any
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
        bounds = np.searchsorted(ghosts, part.col_bounds)
        messages = [ghosts[a:b] for a, b in pairwise(bounds)]
        nonempty = int(np.count_nonzero(np.diff(part.indptr)))
        (wanted,), notes, _ = deliver(comm, [messages], [part.nnz, n_local, nonempty])
        cols = np.concatenate(wanted) - first
        holders = np.repeat(np.arange(comm.size), [w.size for w in wanted])
        order = np.argsort(cols, kind="stable")
        held = np.searchsorted(cols[order], np.arange(n_own + 1))
        return cls(
            n_own,
            ghosts,
            bounds,
            indptr,
            unsigned(indices),
            unsigned(t_indptr),
            unsigned(t_indices),
            held,
            holders[order],
            *(int(n) for n in notes.sum(axis=0)),
        )

    @property
    def local_fraction(self) -> float:
        """Share of the edges whose two ends are in one part."""
        return self.n_local / self.n_edges if self.n_edges else 1.0

    @property
    def searches_to_end(self) -> bool:
        """Whether parts should search to their end before each exchange."""
        return self.local_fraction >= MOSTLY

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays besides the part's own."""
        arrays = (self.ghosts, self.indices, self.t_indptr, self.t_indices, self.held, self.holders)
        return sum(array.nbytes for array in arrays)

    def to_owners(self, ghosts: Array, *columns: Any) -> Messages:
        """Messages (column, …) to the owners of some ghosts, given by local number less n_own."""
        order = np.argsort(ghosts, kind="stable")
        ghosts = ghosts[order]
        items = np.column_stack([self.ghosts[ghosts], *(column[order] for column in columns)])
        cuts = np.searchsorted(ghosts, self.ghost_bounds)
        return [items[a:b].ravel() for a, b in pairwise(cuts)]

    def to_holders(self, comm: Communicator, cols: Array, first: int) -> Messages:
        """Messages (column) to all who hold some own columns, given by local number."""
        begin, sizes = self.held[cols], self.held[cols + 1] - self.held[cols]
        ends = np.cumsum(sizes)
        places = np.arange(ends[-1] if ends.size else 0) + np.repeat(begin - ends + sizes, sizes)
        holders, cols = self.holders[places], np.repeat(cols + first, sizes)
        order = np.argsort(holders, kind="stable")
        cuts = np.searchsorted(holders[order], np.arange(comm.size + 1))
        cols = cols[order]
        return [cols[a:b] for a, b in pairwise(cuts)]


@kernel
def number_columns(cols: Any, first: int, last: int, ghosts: Any, numbers: Any) -> None:
    """Fill `numbers` with the local numbers of columns."""
    for k in range(cols.size):
        col = np.int64(cols[k])
        if first <= col < last:
            numbers[k] = col - first
        else:
            numbers[k] = last - first + find(ghosts, col)


@helper
def find(values: Any, value: int) -> Any:
    """Return the place of a value in an ascending array that has it."""
    low, high = np.int64(0), np.int64(values.size - 1)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
