"""Columns dealt out anew: each to the part that has most of its edges, where that pays.

Parts are blocks of rows, and columns are cut at the same fractions. Rows that lie near each other
in the file often belong together, but columns may be numbered in any order: by a hash, or as they
came. Then most edges lie between parts, and need not. So where that is the case, each column goes
to the part with most of its edges: a step of label propagation. A sample of the columns (`SAMPLED`)
tells beforehand what share of the edges would be local. If that is not most of them, all stays as
it is.

Columns get new numbers, so that those of a part are a block again: by the new part, the old one,
and the old number. In the end each part hands the mates and the cover of its columns back to the
parts whose blocks they are from, in that order; so no numbers travel.

Work O(nnz), a pass for the sample and three if columns are dealt out. Two exchanges, and five more
if they are. Memory: an index an edge, and two a column and ghost.

Reference: U. N. Raghavan, R. Albert, S. Kumara, "Near linear time algorithm to detect community
structures in large-scale networks", Physical Review E 76, 2007.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..compile import kernel
from ..graphs.graph import unsigned
from ..tuning import SAMPLED, SAMPLED_FROM
from .communicator import Array, Communicator
from .halo import MOSTLY, number
from .messages import Messages, by_owner, deliver, total
from .part import Part


@dataclass(eq=False)
class Dealt:
    """A part by new numbers of columns.

    Attributes
    ----------
    part
        The part as it is now.
    first
        Its old first column.
    order
        The old block's columns in the order of their new numbers.
    sizes
        ``sizes[p, q]``: columns of part p's old block that are part q's now.
    new, old
        Numbers of the columns that the part's rows have edges to, by ascending new ones.
    """

    part: Part
    first: int
    order: Array
    sizes: Array
    new: Array
    old: Array

    def rows_back(self, row_match: Array) -> Array:
        """Return mates of rows by old numbers."""
        mates = row_match.copy()
        matched = row_match >= 0
        mates[matched] = self.old[np.searchsorted(self.new, row_match[matched])]
        return mates

    def cols_back(self, comm: Communicator, *sides: Array) -> list[Array]:
        """Return what is known of the new columns, by old ones. One exchange."""
        cuts = np.cumsum(self.sizes[:, self.part.rank])[:-1]
        kinds = deliver(comm, [np.split(side.astype(np.int64), cuts) for side in sides])[0]
        found = []
        for side, messages in zip(sides, kinds, strict=True):
            back = np.empty(self.order.size, side.dtype)
            back[self.order] = np.concatenate(messages)
            found.append(back)
        return found


def deal_columns(part: Part, comm: Communicator, n_edges: int) -> Dealt | None:
    """Deal columns out anew, if most edges are then within parts; else return None."""
    if not _pays(part, comm, n_edges):
        return None
    numbers, ghosts = number(part)
    first, n_own = part.cols.start, len(part.cols)
    edges = np.bincount(numbers, minlength=n_own + ghosts.size)
    asked, owner, _ = _most(part, comm, edges[:n_own], ghosts, edges[n_own:])
    sizes = np.bincount(owner, minlength=comm.size)
    matrix = deliver(comm, [], sizes.tolist())[1]
    col_bounds = np.concatenate([[0], np.cumsum(matrix.sum(axis=0))])
    order = np.argsort(owner, kind="stable")
    begin = col_bounds[:-1] + matrix[: comm.rank].sum(axis=0)
    new = np.empty(n_own, np.int64)
    new[order] = np.concatenate([b + np.arange(n) for b, n in zip(begin, sizes, strict=True)])
    (answers,), _, _ = deliver(comm, [[new[cols - first] for cols in asked]])
    names = np.concatenate([new, *answers])  # ghosts ascend, and so are in the order of owners
    ascending = np.argsort(names)
    old = np.concatenate([np.arange(first, first + n_own), ghosts])[ascending]
    indices = names.astype(part.indices.dtype)[numbers]
    dealt = replace(part, col_bounds=col_bounds, indices=indices)
    return Dealt(dealt, first, order, matrix, names[ascending], old)


def _pays(part: Part, comm: Communicator, n_edges: int) -> bool:
    """Tell by a sample of the columns whether most edges could be within parts."""
    step = SAMPLED if part.n_cols >= SAMPLED_FROM else 1
    sample = np.empty(part.nnz, part.indices.dtype)
    sample = sample[: take_sample(unsigned(part.indices), step, unsigned(sample))]
    cols, edges = np.unique(sample, return_counts=True)
    inside = (cols >= part.cols.start) & (cols < part.cols.stop)
    own = np.zeros(len(part.cols), np.int64)
    own[cols[inside] - part.cols.start] = edges[inside]
    outside = cols[~inside].astype(np.int64), edges[~inside]
    _, owner, most = _most(part, comm, own, *outside)
    kept = np.bincount(owner[most > 0], minlength=comm.size)
    local, seen, *sizes = total(comm, int(most.sum()), sample.size, *kept.tolist())
    even = max(sizes) <= 2 * sum(sizes) / comm.size + 16  # parts have memory for so many
    return even and local >= MOSTLY * seen > 0


def _most(
    part: Part, comm: Communicator, own: Array, cols: Array, edges: Array
) -> tuple[Messages, Array, Array]:
    """Return which columns each part asks about, who has most edges of own ones, and how many.

    `own` are edges of own columns here, `edges` those of the others. One exchange.
    """
    counts = by_owner(part.col_bounds, np.column_stack([cols, edges]))
    (received,), _, _ = deliver(comm, [counts])
    most, owner = own.astype(np.int64), np.full(own.size, comm.rank)
    asked = []
    for peer, message in enumerate(received):
        places, count = message.reshape(-1, 2).T
        asked.append(places)
        here = places - part.cols.start
        more = count > most[here]
        most[here[more]], owner[here[more]] = count[more], peer
    return asked, owner, most


@kernel
def take_sample(cols: Any, step: int, sample: Any) -> int:
    """List the columns whose numbers are multiples of `step`, once for each edge."""
    size = 0
    for k in range(cols.size):
        if np.int64(cols[k]) % step == 0:
            sample[size] = cols[k]
            size += 1
    return size
