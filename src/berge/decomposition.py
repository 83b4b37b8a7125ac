"""Dulmage–Mendelsohn decomposition and block triangular form.

From a maximum matching, alternating paths from the unmatched rows reach the *overdetermined* part,
those from the unmatched columns the *underdetermined* part; the rest is *square* and has a perfect
matching. Both searches are Kőnig covers, so `proof.koenig_cover` does them, and proves the matching
on the way. The square part is a directed graph on its matched pairs (an entry in row i and in the
column of pair j leads from i to j); its strong components are the fine blocks, and in topological
order they make the matrix block upper triangular.

The coarse parts do not depend on which maximum matching was found, nor do the fine blocks, up to
their order. Work O(n + nnz) after the matching; memory 5 indices a row.

References: A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", Canad. J. Math. 10,
1958; A. Pothen, C.-J. Fan, "Computing the block triangular form of a sparse matrix", ACM TOMS 16,
1990; strong components: R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J.
Comput. 1, 1972.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .errors import InvalidMatchingError, ProofError
from .graph import BipartiteGraph, IndexArray, unsigned
from .ingest import as_bipartite
from .matching import Matching
from .proof import koenig_cover
from .solve import maximum_matching

__all__ = [
    "BlockTriangularForm",
    "Dmperm",
    "DulmageMendelsohn",
    "Part",
    "Singularity",
    "block_triangular_form",
    "dmperm",
    "dulmage_mendelsohn",
    "is_structurally_singular",
    "maximum_transversal",
    "structural_rank",
]


class Part(NamedTuple):
    """Rows and columns of a part, as indices into the matrix."""

    rows: IndexArray
    cols: IndexArray


@dataclass(frozen=True)
class DulmageMendelsohn:
    """The decomposition of a matrix, coarse and fine.

    Attributes
    ----------
    matching
        The maximum matching that it was made from, proved.
    row_order, col_order
        Permutations: ``A[row_order][:, col_order]`` is block upper triangular. From top to bottom
        the rows are those of the underdetermined, square and overdetermined part; the matching is
        on the diagonal of the square part, and of the square blocks within the two others.
    row_bounds, col_bounds
        Coarse bounds in the new order, five each. Rows: underdetermined, square, overdetermined
        and matched, overdetermined and unmatched. Columns: underdetermined and unmatched,
        underdetermined and matched, square, overdetermined.
    row_blocks, col_blocks
        Bounds of the fine blocks in the new order: the underdetermined part as one block if there
        is one, every strong component of the square part, the overdetermined part as one block.

    Examples
    --------
    >>> import berge, numpy as np
    >>> dm = berge.dulmage_mendelsohn(np.array([[1, 0, 1], [1, 1, 0], [1, 0, 0]]))
    >>> dm
    DulmageMendelsohn(under 0 × 0, square 3 × 3 in 3 blocks, over 0 × 0)
    >>> dm.row_order.tolist(), dm.col_order.tolist()
    ([1, 0, 2], [1, 2, 0])
    """

    matching: Matching
    row_order: IndexArray
    col_order: IndexArray
    row_bounds: IndexArray
    col_bounds: IndexArray
    row_blocks: IndexArray
    col_blocks: IndexArray

    @property
    def structural_rank(self) -> int:
        """Size of the maximum matching."""
        return self.matching.cardinality

    @property
    def underdetermined(self) -> Part:
        """What alternating paths reach from unmatched columns: fewer rows than columns."""
        return self._part(0, 1, 0, 2)

    @property
    def square(self) -> Part:
        """The part that every maximum matching matches within itself."""
        return self._part(1, 2, 2, 3)

    @property
    def overdetermined(self) -> Part:
        """What alternating paths reach from unmatched rows: more rows than columns."""
        return self._part(2, 4, 3, 4)

    @property
    def n_square_blocks(self) -> int:
        """Number of fine blocks of the square part."""
        has_under, has_over = (bool(sum(map(len, part))) for part in
                               (self.underdetermined, self.overdetermined))  # fmt: skip
        return self.row_blocks.size - 1 - has_under - has_over

    @cached_property
    def square_blocks(self) -> list[Part]:
        """The fine blocks of the square part, in upper triangular order."""
        first = int(np.searchsorted(self.row_blocks, self.row_bounds[1], side="right")) - 1
        if self.row_bounds[1] == 0:
            first = int(self.col_bounds[2] > 0)  # columns alone make an underdetermined block
        blocks = range(first, first + self.n_square_blocks)
        return [
            Part(
                self.row_order[self.row_blocks[b] : self.row_blocks[b + 1]],
                self.col_order[self.col_blocks[b] : self.col_blocks[b + 1]],
            )
            for b in blocks
        ]

    def _part(self, r0: int, r1: int, c0: int, c1: int) -> Part:
        return Part(
            self.row_order[self.row_bounds[r0] : self.row_bounds[r1]],
            self.col_order[self.col_bounds[c0] : self.col_bounds[c1]],
        )

    def __repr__(self) -> str:
        sizes = [f"{len(p.rows)} × {len(p.cols)}" for p in
                 (self.underdetermined, self.square, self.overdetermined)]  # fmt: skip
        blocks = f"{self.n_square_blocks} block{'' if self.n_square_blocks == 1 else 's'}"
        return (
            f"DulmageMendelsohn(under {sizes[0]}, square {sizes[1]} in {blocks}, over {sizes[2]})"
        )


def dulmage_mendelsohn(
    graph: Any, *, matching: Matching | None = None, **options: Any
) -> DulmageMendelsohn:
    """Decompose a matrix into under-, square and overdetermined part, and the square part finely.

    Parameters
    ----------
    graph
        Anything `as_bipartite` takes.
    matching
        A maximum matching of it, if you have one; any one gives the same parts.
    **options
        For `maximum_matching`.

    Examples
    --------
    >>> import berge
    >>> dm = berge.dulmage_mendelsohn(([0, 0, 1, 2, 3], [0, 1, 2, 2, 2]))
    >>> dm.underdetermined.cols.tolist(), dm.overdetermined.rows.tolist()
    ([1, 0], [1, 2, 3])
    """
    graph = as_bipartite(graph)
    if matching is None:
        matching = maximum_matching(graph, **options)
        if not matching.is_maximum:
            raise ProofError("the matching was stopped before it was maximum: nothing to decompose")
    try:
        over = koenig_cover(graph, matching)
        flipped = Matching(matching.col_match, matching.row_match, upper_bound=matching.upper_bound)
        under = koenig_cover(graph.T, flipped)
    except ProofError as error:
        raise InvalidMatchingError(f"matching is not a maximum one of the graph: {error}") from None
    matching.certificate, matching.upper_bound = over, matching.cardinality
    row_match, col_match = matching.row_match, matching.col_match
    # What a search from one side reaches is the complement of the cover on that side.
    over_rows, over_cols = ~over.rows, over.cols
    under_rows, under_cols = under.cols, ~under.rows
    square_rows = np.flatnonzero(~over_rows & ~under_rows)
    order, bounds = _strong_components(graph, matching, square_rows, ~over_cols & ~under_cols)

    under_matched = np.flatnonzero(under_rows)
    over_matched = np.flatnonzero(over_rows & (row_match >= 0))
    over_unmatched = np.flatnonzero(over_rows & (row_match < 0))
    under_unmatched_cols = np.flatnonzero(under_cols & (col_match < 0))
    row_parts = [under_matched, order, over_matched, over_unmatched]
    col_parts = [under_unmatched_cols, row_match[under_matched], row_match[order],
                 row_match[over_matched]]  # fmt: skip
    row_bounds = np.cumsum([0, *map(len, row_parts)])
    col_bounds = np.cumsum([0, *map(len, col_parts)])
    row_blocks, col_blocks = row_bounds[1] + bounds, col_bounds[2] + bounds
    if col_bounds[2] > 0:
        row_blocks, col_blocks = np.append(0, row_blocks), np.append(0, col_blocks)
    if row_bounds[4] > row_bounds[2]:
        row_blocks = np.append(row_blocks, row_bounds[4])
        col_blocks = np.append(col_blocks, col_bounds[4])
    return DulmageMendelsohn(
        matching,
        np.concatenate(row_parts),
        np.concatenate(col_parts).astype(np.intp),
        row_bounds,
        col_bounds,
        row_blocks,
        col_blocks,
    )


def _strong_components(
    graph: BipartiteGraph, matching: Matching, rows: IndexArray, is_square_col: Any
) -> tuple[IndexArray, IndexArray]:
    """Return the square rows block by block in topological order, and the blocks' bounds."""
    from .spmd.components import strong_components

    n = graph.n_rows
    index = graph.indices.dtype
    component = np.full(n, -1, index)
    number, low, parent, stack, tried = (np.zeros(n, index) for _ in range(5))
    count = strong_components(
        unsigned(graph.indptr), unsigned(graph.indices), matching.col_match, is_square_col,
        rows, component, number, low, parent, stack, tried,
    )  # fmt: skip
    # Tarjan's algorithm finishes components in reverse topological order.
    block = count - 1 - component[rows]
    return rows[np.argsort(block, kind="stable")], np.append(0, np.cumsum(np.bincount(block)))


class BlockTriangularForm(NamedTuple):
    """Permutations to block upper triangular form, and where its diagonal blocks begin.

    Block b of ``A[row_order][:, col_order]`` is in rows ``row_blocks[b]`` to ``row_blocks[b + 1]``
    and columns ``col_blocks[b]`` to ``col_blocks[b + 1]``; below the blocks it is zero.
    """

    row_order: IndexArray
    col_order: IndexArray
    row_blocks: IndexArray
    col_blocks: IndexArray


def block_triangular_form(graph: Any, **options: Any) -> BlockTriangularForm:
    """Permute a matrix to block upper triangular form with the matching on the diagonal.

    For a structurally nonsingular matrix all blocks are square and irreducible. Otherwise the
    underdetermined part is the first block and the overdetermined part the last.

    Examples
    --------
    >>> import berge, numpy as np
    >>> A = np.array([[1, 0, 0], [1, 1, 1], [0, 1, 1]])
    >>> btf = berge.block_triangular_form(A)
    >>> A[btf.row_order][:, btf.col_order]
    array([[1, 1, 1],
           [1, 1, 0],
           [0, 0, 1]])
    >>> btf.row_blocks.tolist()
    [0, 2, 3]
    """
    dm = dulmage_mendelsohn(graph, **options)
    return BlockTriangularForm(dm.row_order, dm.col_order, dm.row_blocks, dm.col_blocks)


class Dmperm(NamedTuple):
    """MATLAB's and CSparse's form of the decomposition, with indices from 0."""

    p: IndexArray
    q: IndexArray
    r: IndexArray
    s: IndexArray
    cc: IndexArray
    rr: IndexArray


def dmperm(graph: Any, **options: Any) -> Dmperm:
    """Return p, q, r, s, cc, rr as MATLAB's ``dmperm`` and CSparse's ``cs_dmperm`` do, from 0.

    Examples
    --------
    >>> import berge, numpy as np
    >>> berge.dmperm(np.triu(np.ones((3, 3)))).r.tolist()
    [0, 1, 2, 3]
    """
    dm = dulmage_mendelsohn(graph, **options)
    return Dmperm(
        dm.row_order, dm.col_order, dm.row_blocks, dm.col_blocks, dm.col_bounds, dm.row_bounds
    )


def structural_rank(graph: Any, **options: Any) -> int:
    """Return the largest rank that a matrix of this pattern can have.

    Examples
    --------
    >>> import berge, numpy as np
    >>> berge.structural_rank(np.array([[1, 1], [0, 0]]))
    1
    """
    matching = maximum_matching(graph, **options)
    if not matching.is_maximum:
        raise ProofError("the matching was stopped before it was maximum: the rank is not known")
    return matching.cardinality


def maximum_transversal(graph: Any, **options: Any) -> IndexArray:
    """Return the column of each row on a transversal as long as can be, −1 for rows left out.

    Examples
    --------
    >>> import berge, numpy as np
    >>> berge.maximum_transversal(np.array([[1, 1], [1, 0]])).tolist()
    [1, 0]
    """
    return maximum_matching(graph, **options).row_match


@dataclass(frozen=True)
class Singularity:
    """Whether a matrix is structurally singular, and why: false, or a set that proves it.

    Attributes
    ----------
    side
        ``"rows"``, ``"columns"`` or None if it is not singular.
    vertices, neighbours
        A Hall violator: rows (or columns), and the fewer columns (or rows) that they have entries
        in. No choice of values can make them independent.
    """

    side: str | None
    vertices: IndexArray
    neighbours: IndexArray

    def __bool__(self) -> bool:
        return self.side is not None

    @property
    def reason(self) -> str:
        """The proof in words."""
        if self.side is None:
            return "not structurally singular: every row and column can be matched"
        other = "columns" if self.side == "rows" else "rows"
        return (
            f"{len(self.vertices)} {self.side} have entries in only {len(self.neighbours)} {other}"
        )


def is_structurally_singular(graph: Any, **options: Any) -> Singularity:
    """Tell whether no values can give a matrix full rank, with a Hall violator as the proof.

    A matrix that is not square is taken as singular if its smaller side cannot be matched whole.

    Examples
    --------
    >>> import berge, numpy as np
    >>> found = berge.is_structurally_singular(np.array([[1, 1, 1], [0, 0, 1], [0, 0, 1]]))
    >>> bool(found), found.reason
    (True, '2 rows have entries in only 1 columns')
    >>> found.vertices.tolist(), found.neighbours.tolist()
    ([1, 2], [2])
    """
    graph = as_bipartite(graph)
    matching = maximum_matching(graph, **options)
    if matching.cardinality == min(graph.shape):
        nothing: npt.NDArray[np.intp] = np.zeros(0, np.intp)
        return Singularity(None, nothing, nothing)
    if graph.n_rows <= graph.n_cols:
        cover = koenig_cover(graph, matching)
        side = "rows"
    else:
        flipped = Matching(matching.col_match, matching.row_match, upper_bound=matching.upper_bound)
        cover = koenig_cover(graph.T, flipped)
        side = "columns"
    return Singularity(side, np.flatnonzero(~cover.rows), np.flatnonzero(cover.cols))
