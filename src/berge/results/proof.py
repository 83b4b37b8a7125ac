"""Certificates and their checkers.

A certificate is a vertex cover of the matching's size: no matching is larger than a cover, so equal
sizes prove both to be best possible (Kőnig 1931). What is right is for `berge.checker` to say.
`verify` asks it, in numpy alone, if told to, and wherever the compiled check says anything but yes.

Where the last searches of the solve came to their ends, they say what they reached, and
`cover_of_reached` makes the cover of that. Else `find_cover` looks for one where that is least
work. If all rows that have an edge are matched,
these are one, and so are the matched columns if all that have an edge are. Else it is searched for.

`koenig_cover` finds the cover: from the unmatched rows follow any edge to a column and the matching
edge back to a row. The cover is every row not reached and every column reached. It is as large as
the matching. A matched pair is reached whole or not at all, so it gives one vertex to the cover.
Unmatched rows are reached and give none. Unmatched columns are not reached, since one would end an
augmenting path, and give none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..checker.check import (
    check_matching,
    check_mates,
    check_sizes,
    copy_of,
    edges_of_rows,
    ends_of,
)
from ..checker.general import check_general
from ..checker.vertex_prices import check_vertex_prices
from ..errors import InvalidMatchingError, OptionError, ProofError
from ..graphs.graph import BipartiteGraph, Graph, IndexArray, unsigned
from ..graphs.names import named
from ..hints import with_hints
from ..settings import Checker
from ..shown import Shown

if TYPE_CHECKING:
    from .general_matching import GeneralMatching
    from .greedy_matching import GreedyMatching
    from .matching import Matching
    from .tutte_berge import TutteBerge
    from .vertex_prices import VertexPrices

__all__ = [
    "Certificate",
    "chunks",
    "find_cover",
    "is_maximal",
    "koenig_cover",
    "verify",
    "verify_greedy",
]

_CHUNK = 1 << 20  # edges checked at a time, so that the checker's memory stays small
_REACHED, _DONE = 1, 2  # a row of which edges are to be followed, and where they have been


@dataclass(frozen=True, repr=False)
class Certificate(Shown):
    """A vertex cover as large as a matching: the proof that the matching is maximum.

    A larger one proves that no matching is larger than it.

    Attributes
    ----------
    rows, cols
        Boolean masks: which rows and which columns are in the cover.
    row_labels, col_labels
        Names of all rows and columns, where the graph has any.

    Examples
    --------
    >>> import berge
    >>> A = [[1, 1], [1, 0], [1, 0]]
    >>> berge.maximum_matching(A).prove(A)
    Certificate(a vertex cover of size 2: 0 rows, 2 columns)
    """

    rows: npt.NDArray[np.bool_]
    cols: npt.NDArray[np.bool_]
    row_labels: Sequence[Any] | None = None
    col_labels: Sequence[Any] | None = None

    def named(self) -> tuple[list[Any], list[Any]]:
        """Return the names of the rows and of the columns; numbers where there are none."""
        return named(self.row_labels, self.rows), named(self.col_labels, self.cols)

    @property
    def size(self) -> int:
        """Number of vertices in the cover."""
        return int(np.count_nonzero(self.rows) + np.count_nonzero(self.cols))

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "vertex cover", repr(self)[len("Certificate(a vertex cover of size ") : -1]

    def __repr__(self) -> str:
        rows, cols = int(np.count_nonzero(self.rows)), int(np.count_nonzero(self.cols))
        return f"Certificate(a vertex cover of size {rows + cols}: {rows} rows, {cols} columns)"


@with_hints
def verify(
    graph: Any,
    matching: Matching | GreedyMatching | GeneralMatching,
    certificate: Certificate | TutteBerge | VertexPrices | None = None,
    *,
    bound: int | None = None,
    check: Checker = "compiled",
) -> None:
    """Check a matching, and with a certificate that it is maximum; return only if all is right.

    Checks that both arrays agree (so the edges are disjoint), that every pair is an edge of the
    graph, that the cover touches every edge, and that it is as large as the matching, whose edges
    it counts. For a `GreedyMatching` it checks that mates are neighbours, that size and weight are
    right, and that it is maximal if it says so. The graph is then taken as an undirected one, and
    must have the weights that were matched by; of `VertexPrices` it checks that they bound what any
    matching weighs. For a `GeneralMatching` a Tutte–Berge set takes the
    place of the cover. O(vertices + edges).

    Parameters
    ----------
    graph, matching, certificate
        What is checked.
    bound
        With a cover: what no matching exceeds. The cover may then be larger than the matching, up
        to this; by default it must be as large.
    check
        ``"numpy"`` has it done in numpy alone, on copies: ``berge/checker/check.py``, which is
        short, says what it checks. By default, ``"compiled"``, a compiled pass over the arrays does
        the same on all threads (``berge/results/compiled_check.py``); wherever it does not say yes,
        numpy decides. A `GreedyMatching` is always checked in numpy.

    Raises
    ------
    ProofError
        Names the first thing that is wrong.
    InvalidMatchingError
        If it is none of these matchings.
    OptionError
        If there is no such check.

    Notes
    -----
    Both look at the arrays of a `BipartiteGraph` or a `Graph`. If the graph is anything but
    ready-made CSR, the code that makes it one is shared with the solvers, and is compiled:
    ``berge verify --independent`` shares nothing, from the file on.

    Examples
    --------
    >>> import berge
    >>> A = berge.generate.chain(5)
    >>> m = berge.maximum_matching(A)
    >>> berge.verify(A, m, m.prove(A))
    """
    from ..ingest import as_bipartite, as_graph

    if check not in ("compiled", "numpy"):
        raise OptionError(f"check must be 'compiled' or 'numpy', not {check!r}")
    if not (
        bound is None or (isinstance(bound, (int, np.integer)) and not isinstance(bound, bool))
    ):
        raise OptionError(f"bound must be a whole number, not {bound!r}")
    given: Any = matching
    if hasattr(type(given), "of_best"):  # a greedy one, whatever it has
        from .vertex_prices import VertexPrices

        if not isinstance(certificate, VertexPrices | None):
            raise ProofError("a vertex cover proves matchings of bipartite graphs only")
        undirected = as_graph(graph)
        verify_greedy(undirected, given)
        if certificate is not None:
            most = check_prices(undirected, certificate.prices)
            if not certificate.upper_bound >= most:  # nor NaN
                wrong = f"the prices bound it by {most}, not by {certificate.upper_bound}"
                raise ProofError(wrong)
        return
    if hasattr(given, "mate"):
        from .tutte_berge import TutteBerge, verify_general

        if not isinstance(certificate, TutteBerge | None):
            raise ProofError("a vertex cover proves matchings of bipartite graphs only")
        verify_general(as_graph(graph), given, certificate, check)
        return
    if not hasattr(matching, "row_match"):
        raise InvalidMatchingError(
            "verify takes a Matching, a GeneralMatching or a GreedyMatching, "
            f"not {type(matching).__name__}"
        )
    graph, here = as_bipartite(graph), given.to_host()
    if not isinstance(certificate, Certificate | None):
        raise ProofError("a Tutte–Berge set proves matchings of general graphs only")
    cover = None if certificate is None else (certificate.rows, certificate.cols)
    arrays = here.row_match, here.col_match, cover
    size = None
    if check == "compiled":
        from .compiled_check import size_if_right

        size = size_if_right(graph, *arrays, _runs(graph), bound)
    if size is None:
        edges = edges_of_rows(graph.indptr, graph.window)
        size = check_matching(graph.shape, edges, *arrays, bound)
    if here.cardinality != size:
        raise ProofError(f"the matching has {size} edges, and says it has {here.cardinality}")


def verify_greedy(graph: Graph, matching: GreedyMatching) -> bool:
    """Check a matching of a general graph, see `verify`; return whether it is maximal."""
    edges = edges_of_rows(graph.indptr, lambda lo, hi: graph.indices[lo:hi], graph.weights)
    size, weight, maximal = check_general(graph.n_vertices, edges, matching.mate)
    if matching.size != size:
        raise ProofError(f"the matching has {size} pairs, and says it has {matching.size}")
    if not np.isclose(weight, matching.weight, rtol=1e-9, atol=0):
        hint = ""
        if graph.weights is None:
            hint = (
                ": the graph has no weights; as_graph(graph, weights=True) has those of its source"
            )
        raise ProofError(f"the matching weighs {weight}, not {matching.weight}{hint}")
    if matching.is_maximal and not maximal:
        raise ProofError("not maximal: an edge has two unmatched ends")
    return maximal


def check_prices(graph: Graph, prices: Any) -> float:
    """Return what no matching of a graph weighs more than, by prices that are checked."""
    edges = edges_of_rows(graph.indptr, lambda lo, hi: graph.indices[lo:hi], graph.weights)
    return check_vertex_prices(graph.n_vertices, edges, prices)


def is_maximal(graph: Graph, mate: IndexArray) -> bool:
    """Tell whether no edge has two unmatched ends; only rows of unmatched vertices are read."""
    unmatched = mate < 0
    vertices = np.flatnonzero(unmatched)
    starts, ends = graph.indptr[vertices].astype(np.int64), graph.indptr[vertices + 1]
    sizes = ends - starts
    # The entries of these rows, one row after the other.
    before = np.concatenate([[0], np.cumsum(sizes)])
    for first, last in chunks(before):
        entries = np.repeat(starts[first:last] - before[first:last], sizes[first:last])
        entries += np.arange(before[first], before[last])
        if unmatched[graph.indices[entries]].any():
            return False
    return True


def find_cover(graph: BipartiteGraph, matching: Matching) -> Certificate:
    """Find a cover that proves a maximum matching; for any other matching, raise ProofError.

    What is returned is still to be verified: of the matching nothing was checked.
    """
    row_match, col_match, size = matching.row_match, matching.col_match, matching.cardinality
    plain = all(type(array) is np.ndarray and array.ndim == 1 for array in (row_match, col_match))
    if not plain or (row_match.size, col_match.size) != graph.shape:
        return koenig_cover(graph, matching)  # says what is wrong
    if size >= graph.nonempty_rows:
        return Certificate(rows=row_match >= 0, cols=np.zeros(graph.n_cols, np.bool_))
    turned = graph.T if graph.has_transpose and not graph.on_disk else None
    if size >= (graph.n_cols if turned is None else turned.nonempty_rows):
        return Certificate(rows=np.zeros(graph.n_rows, np.bool_), cols=col_match >= 0)
    try:
        if turned is not None and graph.n_cols < graph.n_rows:
            cover = _search(turned, col_match, row_match)
            return Certificate(rows=cover.cols, cols=cover.rows)
        return _search(graph, row_match, col_match)
    except ProofError:
        return koenig_cover(graph, matching)


def cover_of_reached(matching: Matching) -> Certificate | None:
    """Return the cover by what the solver says that it has reached; None if it says nothing.

    These are flags of the columns that can be reached from unmatched rows, or, turned round, of the
    rows that can be reached from unmatched columns. What is returned is still to be verified.
    """
    if matching._reached is None:
        return None
    cols, turned = matching._reached
    match = matching.col_match if turned else matching.row_match
    rows = np.empty(match.size, np.bool_)
    _compiled(_leave_reached)(match, cols, rows)
    return Certificate(cols, rows) if turned else Certificate(rows, cols)


def koenig_cover(graph: BipartiteGraph, matching: Matching) -> Certificate:
    """Find the cover that proves a maximum matching; for any other matching, raise ProofError.

    It is that of what is reached from unmatched rows.
    """
    row_match = copy_of("row_match", matching.row_match, "i")
    col_match = copy_of("col_match", matching.col_match, "i")
    check_sizes("the matching", row_match, col_match, graph.shape)
    check_mates("row", "column", row_match, col_match)
    check_mates("column", "row", col_match, row_match)
    return _search(graph, row_match, col_match)


def _search(graph: BipartiteGraph, row_match: IndexArray, col_match: IndexArray) -> Certificate:
    """Find the cover of these arrays, whatever they say; they are of the right sizes."""
    col_match = np.ascontiguousarray(col_match, graph.indices.dtype)
    rows = np.array(row_match < 0).view(np.uint8)
    cols = np.zeros(graph.n_cols, np.bool_)
    runs = _runs(graph)
    longest = max((last - first for first, last in runs), default=0)
    queue = np.empty(longest, unsigned(graph.indptr).dtype)
    while waiting := [run for run in runs if np.any(rows[slice(*run)] == _REACHED)]:
        for first, last in waiting:
            window = graph.window(int(graph.indptr[first]), int(graph.indptr[last]))
            if graph.on_disk:  # where it may have changed since it was checked
                ends_of("column", window, graph.n_cols)
            arrays = (unsigned(array) for array in (graph.indptr, window))
            reach = _compiled(_reach_in_run)
            end = int(reach(*arrays, first, last, col_match, rows, cols, queue))
            if end >= 0:
                raise ProofError(
                    f"not maximum: an augmenting path leads from an unmatched row to column {end}"
                )
    return Certificate(rows=rows == 0, cols=cols)


def _runs(graph: BipartiteGraph) -> list[tuple[int, int]]:
    """Return the rows that are read at a time: all of them, if they are in memory."""
    return chunks(graph.indptr) if graph.on_disk else [(0, graph.n_rows)]


def chunks(indptr: npt.NDArray[Any]) -> list[tuple[int, int]]:
    """Cut rows into runs of about _CHUNK entries."""
    n = indptr.size - 1
    cuts = np.searchsorted(indptr, np.arange(0, int(indptr[-1]), _CHUNK), side="left")
    bounds = np.unique(np.concatenate([[0], cuts, [n]]))
    return [(int(a), int(b)) for a, b in pairwise(bounds)]


@cache
def _compiled(function: Any) -> Any:
    """Compile one of those below; `verify` must not need the compiler, so only here."""
    from ..compile import kernel

    return kernel(function)


def _leave_reached(match: Any, reached: Any, cover: Any) -> None:
    """Put vertices into the cover that are matched to one that was not reached."""
    for i in range(match.size):
        mate = np.int64(match[np.uint64(i)])
        cover[np.uint64(i)] = mate >= 0 and mate < reached.size and not reached[np.uint64(mate)]


def _reach_in_run(
    indptr: Any,
    window: Any,
    first: int,
    last: int,
    col_match: Any,
    rows: Any,
    cols: Any,
    queue: Any,
) -> int:
    """Mark what alternating paths reach from rows of a run; return an unmatched column or −1.

    Rows that are reached in another run are left for its turn. Mates are compared with bounds.
    """
    base = np.int64(indptr[first])
    head = 0
    tail = 0
    for row in range(first, last):
        if rows[np.uint64(row)] == _REACHED:
            queue[np.uint64(tail)] = row
            tail += 1
    while head < tail:
        reached = queue[np.uint64(head)]
        head += 1
        rows[reached] = _DONE
        lo = np.int64(indptr[reached]) - base
        hi = np.int64(indptr[np.uint64(reached) + np.uint64(1)]) - base
        for k in range(lo, hi):
            col = window[np.uint64(k)]
            if not cols[col]:
                cols[col] = True
                mate = np.int64(col_match[col])
                if mate < 0 or mate >= rows.size:
                    return int(col)
                if rows[np.uint64(mate)] == 0:
                    rows[np.uint64(mate)] = _REACHED
                    if mate >= first and mate < last:
                        queue[np.uint64(tail)] = mate
                        tail += 1
    return -1
