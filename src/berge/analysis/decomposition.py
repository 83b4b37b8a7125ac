"""Dulmage–Mendelsohn decomposition and block triangular form.

Given a maximum matching, alternating paths from the unmatched rows reach the *overdetermined* part.
`proof.koenig_cover` follows them, and so proves the matching on the way. The rows from which an
alternating path reaches an unmatched column are the *underdetermined* part. The rest is *square*
and has a perfect matching. Its matched pairs are the vertices of a directed graph: an entry in row
i and in the column of pair j leads from i to j. The strong components of that graph are the fine
blocks: in topological order they make the matrix block upper triangular. `components` finds the
underdetermined part and the blocks in one search, by rows alone.

The coarse parts do not depend on which maximum matching was found, nor do the fine blocks, up to
their order. Work O(n + nnz) after the matching; memory 6 indices a row.

References: A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", Canad. J. Math. 10,
1958; A. Pothen, C.-J. Fan, "Computing the block triangular form of a sparse matrix", ACM TOMS 16,
1990.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple, Unpack

import numpy as np

from ..errors import InvalidGraphError, InvalidMatchingError, OptionError, ProofError
from ..graphs.graph import BipartiteGraph, IndexArray, unsigned
from ..graphs.names import named
from ..ingest import as_bipartite
from ..results.matching import Matching
from ..results.proof import koenig_cover, verify
from ..settings import GivenSettings, Settings
from ..shown import COLOURS, Shown, rectangles
from ..wording import in_words, plural
from .structure import certain_matching

__all__ = [
    "BlockTriangularForm",
    "Dmperm",
    "DulmageMendelsohn",
    "Part",
    "block_triangular_form",
    "dmperm",
    "dulmage_mendelsohn",
]


class _Indices(NamedTuple):
    rows: IndexArray
    cols: IndexArray


class Part(_Indices, Shown):
    """Rows and columns of a part, as indices into the matrix; `named` has their names."""

    row_labels: Sequence[Any] | None = None
    col_labels: Sequence[Any] | None = None

    def with_labels(self, rows: Sequence[Any] | None, cols: Sequence[Any] | None) -> Part:
        """Return this part, which from now on knows the names of all rows and columns."""
        self.row_labels, self.col_labels = rows, cols
        return self

    def named(self) -> tuple[list[Any], list[Any]]:
        """Return the names of its rows and of its columns; numbers where there are none.

        Examples
        --------
        >>> import berge
        >>> wishes = berge.match_pairs([("ann", "cook"), ("bob", "cook")]).graph
        >>> berge.dulmage_mendelsohn(wishes).overdetermined.named()
        (['ann', 'bob'], ['cook'])
        """
        return named(self.row_labels, self.rows), named(self.col_labels, self.cols)

    def _facts(self) -> Iterator[tuple[str, str]]:
        for side, names in zip(("rows", "columns"), self.named(), strict=True):
            yield f"{len(names):,} {side}", in_words(names, 10) or "none"

    def __repr__(self) -> str:
        return f"Part({plural(len(self.rows), 'row')}, {plural(len(self.cols), 'column')})"


@dataclass(frozen=True, repr=False)
class DulmageMendelsohn(Shown):
    """The decomposition of a matrix, coarse and fine.

    Attributes
    ----------
    matching
        The maximum matching that it was made from, proved.
    row_order, col_order
        Permutations: ``A[row_order][:, col_order]`` is block upper triangular. From top to bottom
        the rows are those of the underdetermined, square and overdetermined part. The matching is
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
        return self.row_blocks.size - 1 - self._has_under - self._has_over

    @cached_property
    def square_blocks(self) -> list[Part]:
        """The fine blocks of the square part, in upper triangular order."""
        first = self._has_under
        rows, cols = self.row_blocks, self.col_blocks
        return [
            self._slice(rows[b], rows[b + 1], cols[b], cols[b + 1])
            for b in range(first, first + self.n_square_blocks)
        ]

    def permuted(self, graph: BipartiteGraph) -> BipartiteGraph:
        """Return the graph that was decomposed with rows and columns in the new order.

        O(rows + columns + edges).

        Examples
        --------
        >>> import berge, numpy as np
        >>> A = berge.as_bipartite(np.array([[1, 0, 0], [1, 1, 1], [0, 1, 1]]))
        >>> berge.dulmage_mendelsohn(A).permuted(A).to_scipy().toarray()
        array([[1, 1, 1],
               [1, 1, 0],
               [0, 0, 1]], dtype=int8)
        """
        if graph.shape != (self.row_order.size, self.col_order.size):
            raise InvalidGraphError(
                f"the decomposition is of {self.row_order.size} × {self.col_order.size} vertices, "
                f"the graph has {graph.n_rows} × {graph.n_cols}"
            )
        return graph.reordered(self.row_order, self.col_order)

    # The one part has a column that is not matched, the other such a row, if they are not empty.
    @property
    def _has_under(self) -> int:
        return int(self.col_bounds[1] > 0)

    @property
    def _has_over(self) -> int:
        return int(self.row_bounds[4] > self.row_bounds[3])

    def _part(self, r0: int, r1: int, c0: int, c1: int) -> Part:
        rows, cols = self.row_bounds, self.col_bounds
        return self._slice(rows[r0], rows[r1], cols[c0], cols[c1])

    def _slice(self, r0: int, r1: int, c0: int, c1: int) -> Part:
        part = Part(self.row_order[r0:r1], self.col_order[c0:c1])
        return part.with_labels(self.matching.row_labels, self.matching.col_labels)

    def plot(
        self, graph: Any, path: str | PathLike[str] | None = None, name: str = "matrix"
    ) -> Any:
        """Draw the matrix that was decomposed before and after; return matplotlib's figure.

        Parameters
        ----------
        graph
            The matrix, as it was decomposed.
        path
            Where to write the picture, if anywhere: .png, .svg or .pdf.
        name
            What to call it.
        """
        from .plots import draw_decomposition

        return draw_decomposition(as_bipartite(graph), self, path, name)

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "structural rank", f"{self.structural_rank:,}"
        for name, part in self._parts():
            yield name, repr(part)[len("Part(") : -1]
        yield "blocks", plural(self.n_square_blocks, "irreducible block")

    def _parts(self) -> tuple[tuple[str, Part], ...]:
        names = "underdetermined", "square", "overdetermined"
        return tuple((name, getattr(self, name)) for name in names)

    def _picture(self) -> str:
        r, c = self.row_bounds.tolist(), self.col_bounds.tolist()
        places = ((0, r[1], 0, c[2]), (r[1], r[2], c[2], c[3]), (r[2], r[4], c[3], c[4]))
        parts = [
            (name, colour, place)
            for (name, _), colour, place in zip(self._parts(), COLOURS, places, strict=False)
        ]
        return rectangles((r[4], c[4]), parts, "in the new order")

    def __repr__(self) -> str:
        sizes = [f"{len(p.rows):,} × {len(p.cols):,}" for p in
                 (self.underdetermined, self.square, self.overdetermined)]  # fmt: skip
        blocks = plural(self.n_square_blocks, "block")
        return (
            f"DulmageMendelsohn(under {sizes[0]}, square {sizes[1]} in {blocks}, over {sizes[2]})"
        )


def dulmage_mendelsohn(
    graph: Any, *, matching: Matching | None = None, **options: Unpack[Settings]
) -> DulmageMendelsohn:
    """Decompose a matrix into under-, square and overdetermined part, and the square part finely.

    Parameters
    ----------
    graph
        Anything `as_bipartite` takes.
    matching
        A maximum matching of it, if you have one; any one gives the same parts.
    **options
        For `maximum_matching`; by default on one thread: the same matrix gives the same
        permutations.

    Raises
    ------
    InvalidMatchingError
        If `matching` is not a maximum matching of the graph.
    ProofError
        If a time limit or Ctrl-C stopped the matching before it was maximum.

    Examples
    --------
    >>> import berge
    >>> dm = berge.dulmage_mendelsohn(([0, 0, 1, 2, 3], [0, 1, 2, 2, 2]))
    >>> sorted(dm.underdetermined.cols.tolist()), sorted(dm.overdetermined.rows.tolist())
    ([0, 1], [1, 2, 3])

    Notes
    -----
    O(rows + columns + edges) besides the matching.
    """
    from .components import OVER, order_by_state, strong_components

    graph = as_bipartite(graph)
    if matching is None:
        matching = settled = certain_matching(graph, options)
        over = koenig_cover(graph, matching)
    else:
        settled, over = _check_maximum(graph, matching, options)
    matching.row_labels, matching.col_labels = graph.row_labels, graph.col_labels

    n, index = graph.n_rows, graph.indices.dtype
    row_match = settled.row_match.astype(index, copy=False)
    col_match = settled.col_match.astype(index, copy=False)
    state = np.zeros(n, index)
    state[~over.rows] = OVER  # what the search from unmatched rows reaches is not in the cover
    matching.certificate, matching.upper_bound = over, settled.cardinality
    stack, tried, lowest = (np.empty(n, index) for _ in range(3))
    n_blocks = strong_components(
        unsigned(graph.indptr), unsigned(graph.indices), col_match, state, stack, tried, lowest
    )
    # Where these begin: underdetermined, every block, overdetermined, its unmatched rows.
    bounds = np.zeros(n_blocks + 4, np.intp)
    row_order = np.empty(n, np.intp)
    order_by_state(state, row_match, n_blocks, bounds, row_order)

    matched, free_cols = settled.cardinality, np.flatnonzero(col_match < 0)
    col_order = np.concatenate([free_cols, row_match[row_order[:matched]]]).astype(np.intp)
    row_bounds = bounds[[0, 1, -3, -2, -1]]
    col_bounds = np.append(0, free_cols.size + bounds[[0, 1, -3, -2]])
    row_blocks, col_blocks = bounds[1:-2], free_cols.size + bounds[1:-2]
    if free_cols.size:
        row_blocks, col_blocks = np.append(0, row_blocks), np.append(0, col_blocks)
    if n > matched:
        row_blocks, col_blocks = np.append(row_blocks, n), np.append(col_blocks, graph.n_cols)
    return DulmageMendelsohn(
        matching, row_order, col_order, row_bounds, col_bounds, row_blocks, col_blocks
    )


def _check_maximum(graph: BipartiteGraph, matching: Matching, options: Settings) -> Any:
    """Return the pairs of a matching which the caller has brought, and the cover that proves it."""
    if options:
        raise OptionError(
            f"{', '.join(options)}: options for finding a matching, but one is given already"
        )
    if not isinstance(matching, Matching):
        raise InvalidMatchingError(f"matching must be a Matching, not {type(matching).__name__}")
    settled = Matching.settled(matching)
    try:
        verify(graph, settled)
        return settled, koenig_cover(graph, settled)
    except ProofError as error:
        raise InvalidMatchingError(f"matching is not a maximum one of the graph: {error}") from None


class _Orders(NamedTuple):
    row_order: IndexArray
    col_order: IndexArray
    row_blocks: IndexArray
    col_blocks: IndexArray


class BlockTriangularForm(_Orders, Shown):
    """Permutations to block upper triangular form, and where its diagonal blocks begin.

    Block b of ``A[row_order][:, col_order]`` is in rows ``row_blocks[b]`` to ``row_blocks[b + 1]``
    and columns ``col_blocks[b]`` to ``col_blocks[b + 1]``; below the blocks it is zero.

    Attributes
    ----------
    row_names, col_names
        Names of rows and columns in the new order, None if the graph had none.
    decomposition
        The `DulmageMendelsohn` that it was read from.

    Examples
    --------
    >>> import berge
    >>> berge.block_triangular_form([[1, 0], [1, 1]])
    BlockTriangularForm(2 × 2 in 2 blocks)
    >>> berge.block_triangular_form({"mass": ["x"], "energy": ["x", "y"]}).row_names
    ['energy', 'mass']
    """

    row_names: list[Any] | None = None
    col_names: list[Any] | None = None
    decomposition: DulmageMendelsohn

    def plot(
        self, graph: Any, path: str | PathLike[str] | None = None, name: str = "matrix"
    ) -> Any:
        """Draw the matrix before and after; see `DulmageMendelsohn.plot`."""
        return self.decomposition.plot(graph, path, name)

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "form", repr(self)[len("BlockTriangularForm(") : -1]
        yield from self.decomposition._facts()

    def _picture(self) -> str:
        return self.decomposition._picture()

    def __repr__(self) -> str:
        size = f"{self.row_order.size:,} × {self.col_order.size:,}"
        return f"BlockTriangularForm({size} in {plural(self.row_blocks.size - 1, 'block')})"


def block_triangular_form(graph: Any, **options: Unpack[GivenSettings]) -> BlockTriangularForm:
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
    form = BlockTriangularForm(dm.row_order, dm.col_order, dm.row_blocks, dm.col_blocks)
    form.decomposition = dm
    if (labels := dm.matching.row_labels) is not None:
        form.row_names = named(labels, dm.row_order)
    if (labels := dm.matching.col_labels) is not None:
        form.col_names = named(labels, dm.col_order)
    return form


class _Permutations(NamedTuple):
    p: IndexArray
    q: IndexArray
    r: IndexArray
    s: IndexArray
    cc: IndexArray
    rr: IndexArray


class Dmperm(_Permutations):
    """MATLAB's and CSparse's form of the decomposition, with indices from 0: p, q, r, s, cc, rr."""

    __slots__ = ()

    def __repr__(self) -> str:
        size = f"{self.p.size:,} × {self.q.size:,}"
        return f"Dmperm({size} in {plural(self.r.size - 1, 'block')})"


def dmperm(graph: Any, **options: Unpack[GivenSettings]) -> Dmperm:
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
