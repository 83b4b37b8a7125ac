"""Covers, independent sets, and which edges and vertices maximum matchings need.

Kőnig: a minimum vertex cover is as large as a maximum matching, and what is not in it is a maximum
independent set. Gallai: a maximum matching, and one edge for each vertex that it leaves out, is a
minimum edge cover. The roles of edges follow from the Dulmage–Mendelsohn decomposition. Below, M is
the maximum matching that it was made from, and C and R are the columns and rows of a part. To
switch along a path or cycle is to take its edges of M out of the matching, and to put its others
in. Two maximum matchings differ only by alternating cycles and by alternating paths of even length
from an unmatched vertex (Berge), and switching along one of these gives another maximum matching.
So an edge is in some but not all maximum matchings just if it lies on such a path or cycle.

1. An edge (x, y) of the underdetermined part is in some maximum matching. For y is unmatched, or an
   even path leads to it from an unmatched column; after switching along that, y is unmatched. Row x
   is matched then, else (x, y) could be added; give it y instead. No edge there is in all of them:
   if (x, y) is in M, the path ends with it, and switching takes it out. The overdetermined part is
   the transpose.
2. An edge between different parts is in none. Both R_under ∪ R_square ∪ C_over and R_under ∪
   C_square ∪ C_over are covers of the size of M. So every edge of a maximum matching has just one
   end in each. Edges from R_under to C_square or C_over, and from R_square to C_over, have two ends
   in one of them. Other edges between parts would have no end in a cover: there are none.
3. The square part has no path from an unmatched vertex: those lead to the other parts. An
   alternating cycle is a directed cycle of matched pairs. So the edges on cycles are those of M in
   fine blocks of more than one pair, and those not in M whose ends are in the same block. Hence an
   edge within a block is in some maximum matching, and in all of them if the block is 1 × 1
   (repeated entries count as one edge). An edge between blocks is in none.
4. A row is left out by some maximum matching just if it is overdetermined (switch along the even
   path that leads to it), a column just if it is underdetermined.

References: D. Kőnig 1931; T. Gallai 1959; C. Berge, "Two theorems in graph theory", PNAS 43, 1957;
A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", Canad. J. Math. 10, 1958.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Unpack, overload

import numpy as np
import numpy.typing as npt

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph, Graph, IndexArray
from ..graphs.names import named
from ..ingest import as_bipartite, graph_of_library
from ..results.general_matching import GeneralMatching
from ..results.proof import Certificate, koenig_cover, verify
from ..settings import GeneralSettings, GivenSettings, Settings
from .decomposition import DulmageMendelsohn, Part, dulmage_mendelsohn
from .gallai_edmonds import GeneralEdgeRoles, general_edge_roles
from .roles import EVERY, NONE, SOME, Codes
from .structure import certain_matching

__all__ = [
    "EdgeRoles",
    "edge_roles",
    "maximum_independent_set",
    "minimum_edge_cover",
    "minimum_vertex_cover",
]


def minimum_vertex_cover(graph: Any, **options: Unpack[Settings]) -> Certificate:
    """Return a smallest set of rows and columns that has an end of every edge.

    Parameters
    ----------
    graph
        Anything `as_bipartite` takes.
    **options
        For `maximum_matching`; by default on one thread.

    Returns
    -------
    Certificate
        Masks of rows and columns; ``named()`` has their names. The cover proves that the matching
        is maximum, and the matching proves that the cover is minimum; both have been checked.

    Examples
    --------
    >>> import berge
    >>> cover = berge.minimum_vertex_cover(([0, 0, 0, 1, 2], [0, 1, 2, 2, 2]))
    >>> cover.size, cover.rows.tolist(), cover.cols.tolist()
    (2, [True, False, False], [False, False, True])

    Notes
    -----
    O(rows + columns + edges) besides the matching.
    """
    graph = as_bipartite(graph)
    matching = certain_matching(graph, options)
    cover = koenig_cover(graph, matching)
    verify(graph, matching, cover)
    return replace(cover, row_labels=graph.row_labels, col_labels=graph.col_labels)


def maximum_independent_set(graph: Any, **options: Unpack[Settings]) -> Part:
    """Return a largest set of rows and columns with no edge between them, as indices.

    The names of these are in ``named()`` of what is returned, where the graph has any.

    Arguments as for `minimum_vertex_cover`, of which it is the complement.

    Examples
    --------
    >>> import berge
    >>> rows, cols = berge.maximum_independent_set(([0, 0, 0, 1, 2], [0, 1, 2, 2, 2]))
    >>> rows.tolist(), cols.tolist()
    ([1, 2], [0, 1])

    Notes
    -----
    O(rows + columns + edges) besides the matching.
    """
    cover = minimum_vertex_cover(graph, **options)
    rows, cols = np.flatnonzero(~cover.rows), np.flatnonzero(~cover.cols)
    return Part(rows, cols).with_labels(cover.row_labels, cover.col_labels)


class Edges(np.ndarray[Any, np.dtype[Any]]):
    """Rows and columns of edges; `named` has their names."""

    row_labels: Any = None
    col_labels: Any = None

    def __array_finalize__(self, other: Any) -> None:
        for side in ("row_labels", "col_labels"):
            setattr(self, side, getattr(other, side, None))

    def named(self) -> list[tuple[Any, Any]]:
        """Return the names of both ends of each edge; numbers where there are none.

        Examples
        --------
        >>> import berge
        >>> wishes = berge.match_pairs([("ann", "cook"), ("bob", "cook")]).graph
        >>> berge.minimum_edge_cover(wishes).named()
        [('ann', 'cook'), ('bob', 'cook')]
        """
        rows, cols = np.asarray(self).T
        ends = named(self.row_labels, rows), named(self.col_labels, cols)
        return list(zip(*ends, strict=True))


def minimum_edge_cover(graph: Any, **options: Unpack[Settings]) -> Edges:
    """Return a smallest set of edges that has every row and column as an end.

    Parameters
    ----------
    graph, **options
        As for `minimum_vertex_cover`.

    Returns
    -------
    array of shape (edges, 2)
        Row and column of each edge, in order: rows + columns − structural rank of them. Their
        names are in ``named()``.

    Raises
    ------
    InvalidGraphError
        If a row or column has no entry; names the first.

    Examples
    --------
    >>> import berge
    >>> berge.minimum_edge_cover(([0, 0, 0, 1, 2], [0, 1, 2, 2, 2])).tolist()
    [[0, 0], [0, 1], [1, 2], [2, 2]]

    Notes
    -----
    O(rows + columns + edges) besides the matching.
    """
    graph = as_bipartite(graph)
    sides = (
        ("row", graph.row_degrees, graph.row_labels),
        ("column", graph.col_degrees, graph.col_labels),
    )
    for side, degrees, labels in sides:
        isolated = np.flatnonzero(degrees == 0)
        if isolated.size:
            first = named(labels, isolated[:1])[0]
            raise InvalidGraphError(f"{side} {first} has no entry: no edge can cover it")
    matching = certain_matching(graph, options)
    rows, cols = matching.unmatched_rows, matching.unmatched_cols
    edges = np.concatenate(
        [
            matching.pairs(),
            np.column_stack([rows, _first_neighbours(graph, rows)]),
            np.column_stack([_first_neighbours(graph.T, cols), cols]),
        ]
    )
    cover = edges[np.lexsort((edges[:, 1], edges[:, 0]))].astype(graph.indices.dtype).view(Edges)
    cover.row_labels, cover.col_labels = graph.row_labels, graph.col_labels
    return cover


def _first_neighbours(graph: BipartiteGraph, rows: IndexArray) -> IndexArray:
    return graph.indices[graph.indptr[rows]]


@dataclass(frozen=True, repr=False)
class EdgeRoles(Codes):
    """Which edges are in every, some or no maximum matching, and which vertices in every one.

    Attributes
    ----------
    codes
        A number for every stored entry: 2 if it is in every maximum matching, 1 if in some but not
        in every one, 0 if in none. Repeated entries count as one edge. The order is that of
        ``as_bipartite(graph).indices``, and of a CSR array's data.
    graph
        Whose edges these are.
    rows, cols
        Masks: which rows and columns every maximum matching matches.
    decomposition
        What it was read from.

    Examples
    --------
    >>> import berge
    >>> roles = berge.edge_roles([[1, 0], [1, 1]])
    >>> roles.in_every.tolist(), roles.in_none.tolist()
    ([True, False, True], [False, True, False])
    """

    rows: npt.NDArray[np.bool_]
    cols: npt.NDArray[np.bool_]
    decomposition: DulmageMendelsohn


@overload
def edge_roles(
    graph: Graph, *, matching: GeneralMatching | None = None, **options: Unpack[GeneralSettings]
) -> GeneralEdgeRoles: ...
@overload
def edge_roles(graph: Any, **options: Unpack[GivenSettings]) -> EdgeRoles: ...
def edge_roles(graph: Any, **options: Any) -> EdgeRoles | GeneralEdgeRoles:
    """Tell which edges are in every, some or no maximum matching, and which vertices in every one.

    Parameters
    ----------
    graph
        Anything `as_bipartite` takes; or a `Graph`, or a networkx or igraph graph with an odd
        cycle, whose roles are read from `gallai_edmonds`.
    **options
        As for `dulmage_mendelsohn`, which it is read from: `matching`, or options for
        `maximum_matching`.

    Examples
    --------
    >>> import berge, numpy as np
    >>> A = berge.as_bipartite(np.array([[1, 1, 1], [0, 1, 1], [0, 1, 1]]))
    >>> roles = berge.edge_roles(A)
    >>> roles
    EdgeRoles(1 in every maximum matching, 4 in some, 2 in none)
    >>> roles.codes.tolist()
    [2, 0, 0, 1, 1, 1, 1]
    >>> roles.rows.all() and roles.cols.all()
    np.True_

    Notes
    -----
    O(rows + columns + edges) besides the matching; memory 6 bytes an edge. Of graphs that are not
    bipartite, a search from each vertex of C: O(C · edges) at most.
    """
    graph = graph_of_library(graph)
    if isinstance(graph, Graph):
        return general_edge_roles(graph, **options)
    graph = as_bipartite(graph)
    dm = dulmage_mendelsohn(graph, **options)
    row_sizes, col_sizes = np.diff(dm.row_blocks), np.diff(dm.col_blocks)
    row_block, col_block = np.empty(graph.n_rows, np.int32), np.empty(graph.n_cols, np.int32)
    row_block[dm.row_order] = np.repeat(np.arange(row_sizes.size), row_sizes)
    col_block[dm.col_order] = np.repeat(np.arange(col_sizes.size), col_sizes)
    # Within a block SOME; within a block of one row and one column EVERY.
    role = np.where((row_sizes == 1) & (col_sizes == 1), EVERY, SOME).astype(np.uint8)
    same_block = np.repeat(row_block, graph.row_degrees) == col_block[graph.indices]
    codes = np.where(same_block, role[col_block[graph.indices]], np.uint8(NONE))
    rows, cols = np.ones(graph.n_rows, np.bool_), np.ones(graph.n_cols, np.bool_)
    rows[dm.overdetermined.rows] = False
    cols[dm.underdetermined.cols] = False
    return EdgeRoles(codes, graph, rows, cols, dm)
