"""Proofs of matchings in parts: every check is made where the data lives, and nothing is gathered.

A matching is valid if the mates of rows and columns agree and every pair is an edge. A vertex cover
of its size proves that it is maximum (Kőnig). That a set of vertices is a cover is checked edge by
edge: the columns of rows that are not in it must be. So it does not matter where the cover comes
from: the search's last forest, or, if none is given, one that is grown here.

The checks are in numpy and share nothing with the search but `exchange`. Two exchanges for the
validity, two for the cover; work O(n + nnz) over all parts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .communicator import Array, Communicator
from .halo import Halo
from .messages import by_owner, deliver
from .part import Part, not_neighbours
from .search import Forest

Flags = npt.NDArray[np.bool_]


@dataclass(eq=False)
class PartProof:
    """What was checked; the same in all parts but for the cover, which is of a part's vertices.

    Attributes
    ----------
    valid
        Whether it is a matching: mates agree, pairs are edges.
    maximum
        Whether the cover touches every edge and is as large as the matching.
    cardinality, cover_size
        Of the whole.
    row_cover, col_cover
        This part's share of the cover; all False if there is none.
    reason
        The first thing that is wrong, in words; empty if nothing is.
    """

    cardinality: int
    cover_size: int
    valid: bool
    maximum: bool
    row_cover: Flags
    col_cover: Flags
    reason: str = ""


def prove_part(
    part: Part,
    comm: Communicator,
    row_match: Array,
    col_match: Array,
    cover: tuple[Flags, Flags] | None = None,
) -> PartProof:
    """Check a matching, and a cover of its size; without one, find it first. Collective.

    Parameters
    ----------
    part, comm
        What this peer has of the graph, and how it talks to the others.
    row_match, col_match
        Mates of this part's rows and columns, by global number.
    cover
        This part's rows and columns in the cover, as flags. All parts pass one, or none does.

    Examples
    --------
    >>> import berge
    >>> from berge.distributed.communicator import Alone
    >>> from berge.distributed.core import match_part
    >>> from berge.distributed.part import Part
    >>> from berge.distributed.proof import prove_part
    >>> part = Part.from_graph(berge.generate.layered(40), 0, 1)
    >>> found = match_part(part, Alone())
    >>> proof = prove_part(part, Alone(), found.row_match, found.col_match)
    >>> proof.valid, proof.maximum, proof.cardinality, proof.cover_size
    (True, True, 121, 121)
    """
    nothing = np.zeros(row_match.size, np.bool_), np.zeros(col_match.size, np.bool_)
    cardinality, reason = check_pairs(part, comm, row_match, col_match)
    if reason:
        return PartProof(cardinality, 0, False, False, *nothing, reason)
    if cover is None:
        mates = row_match.astype(np.int64), col_match.astype(np.int64)
        halo = Halo.build(part, comm)
        forest = Forest(halo, comm, *mates, exhaust=halo.counts.searches_to_end)
        gained = forest.phase().gained
        if gained:
            reason = f"not maximum: there are {gained} augmenting paths, disjoint ones"
            return PartProof(cardinality, 0, True, False, *nothing, reason)
        cover = forest.cover()
    size, reason = check_cover(part, comm, *cover)
    if not reason and size != cardinality:
        reason = f"the cover has {size} vertices and the matching {cardinality} edges"
    return PartProof(cardinality, size, True, not reason, *cover, reason)


def check_pairs(
    part: Part, comm: Communicator, row_match: Array, col_match: Array
) -> tuple[int, str]:
    """Return the number of matched rows of the whole, and what is wrong."""
    sides = (row_match, len(part.rows), part.n_cols), (col_match, len(part.cols), part.n_rows)
    fits = all(m.size == n and np.all((m >= -1) & (m < bound)) for m, n, bound in sides)
    pairs = np.empty((0, 2), np.int64)
    strangers = np.empty(0, np.int64)
    if fits:
        rows = np.flatnonzero(row_match >= 0)
        pairs = np.column_stack([row_match[rows], rows + part.rows.start])
        strangers = not_neighbours(part, row_match) + part.rows.start
    received, unfit = comm.exchange(by_owner(part.col_bounds, pairs), int(not fits))
    cols, mates = np.concatenate(received).reshape(-1, 2).T
    # Where all that rows say holds, and columns say no more than that, both say the same.
    apart, more = np.empty(0, np.int64), 0
    if fits:
        apart = cols[col_match[cols - part.cols.start] != mates]
        more = int(np.count_nonzero(col_match >= 0)) - cols.size
    wrong = [int(v[0]) if v.size else -1 for v in (strangers, apart)]
    notes = deliver(comm, [], [*wrong, int(more > 0), len(pairs)])[1]
    row, col, extra = notes[:, :3].max(axis=0).tolist()
    cardinality = int(notes[:, 3].sum())
    if unfit:
        return cardinality, "arrays of a wrong size, or a mate out of range"
    if row >= 0:
        return cardinality, f"row {row} is matched to a column that is not a neighbour"
    if col >= 0:
        return cardinality, f"column {col} is matched by a row that it is not matched to"
    if extra:
        return cardinality, "a column is matched to a row that is not matched to it"
    return cardinality, ""


def check_cover(part: Part, comm: Communicator, rows: Flags, cols: Flags) -> tuple[int, str]:
    """Return the size of the cover of the whole, and what is wrong."""
    wanted = [np.empty(0, np.int64)]
    for entries, ends in part.entries():
        wanted.append(np.unique(part.indices[entries][~rows[ends]]).astype(np.int64))
    needed = np.unique(np.concatenate(wanted))
    received, _ = comm.exchange(by_owner(part.col_bounds, needed[:, None]))
    asked = np.concatenate(received)
    bare = asked[~cols[asked - part.cols.start]]
    size = int(np.count_nonzero(rows)) + int(np.count_nonzero(cols))
    notes = deliver(comm, [], [int(bare[0]) if bare.size else -1, size])[1]
    bad, size = int(notes[:, 0].max()), int(notes[:, 1].sum())
    reason = (
        f"an edge of column {bad} is not covered: neither end is in the cover" if bad >= 0 else ""
    )
    return size, reason
