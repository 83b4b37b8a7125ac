"""Matching by name: pairs of labels in, a dict out, and in words why someone is left over.

Left labels are rows, right labels are columns, numbered in the order in which they first appear.

Hall's theorem says why someone is unmatched: some set on one side has fewer neighbours than
members. Alternating paths from the unmatched vertices reach exactly such sets; the same search
finds the Kőnig cover in `berge.results.proof`. Every neighbour of what they reach is reached, and
matched within it. Cut into connected parts, each part is a shortage of its own.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from typing import Any, Unpack, cast

import numpy as np

from ..errors import InvalidGraphError, OptionError
from ..graphs.graph import BipartiteGraph, IndexArray
from ..graphs.names import named
from ..hints import with_hints
from ..ingest import as_bipartite
from ..ingest.frames import is_frame
from ..ingest.named import with_labels
from ..ingest.pairs import graph_of_mapping, graph_of_pairs
from ..results.capacity_matching import CapacityMatching
from ..results.proof import Certificate, koenig_cover
from ..settings import PairSettings, Side
from ..shown import Shown
from ..solve.maximum import maximum_matching
from ..wording import in_words, plural

__all__ = [
    "LabelledMatching",
    "Shortage",
    "explain_unmatched",
    "match_pairs",
]


_PAIRS_SHOWN = 20


class LabelledMatching(dict[Any, Any], Shown):
    """A matching as a dict from left labels to right labels.

    Attributes
    ----------
    graph
        The `BipartiteGraph` that was matched; its rows are the left labels.
    matching
        The `Matching` by numbers, with its statistics.

    Examples
    --------
    >>> import berge
    >>> m = berge.match_pairs({"ann": ["cook"], "bob": ["cook", "drive"], "cid": ["drive"]})
    >>> len(m), len(m.unmatched_left), m.unmatched_right
    (2, 1, [])
    >>> for reason in m.reasons():
    ...     print(reason)
    ann, bob and cid want only cook and drive: 3 for 2
    """

    def __init__(self, graph: BipartiteGraph, matching: Any):
        super().__init__(matching.as_dict())
        self.graph, self.matching = graph, matching

    @property
    def unmatched_left(self) -> list[Any]:
        """Left labels without a partner, in order of appearance."""
        return named(self.graph.row_labels, self.matching.unmatched_rows)

    @property
    def unmatched_right(self) -> list[Any]:
        """Right labels without a partner, in order of appearance."""
        return named(self.graph.col_labels, self.matching.unmatched_cols)

    @property
    def is_maximum(self) -> bool:
        """Whether no larger matching exists; False only if the solve was stopped."""
        return bool(self.matching.is_maximum)

    def reasons(self, side: Side = "left") -> list[Shortage]:
        """Return why some on the left (or right) are unmatched; see `explain_unmatched`."""
        return explain_unmatched(self.graph, self.matching, side)

    def prove(self) -> Certificate:
        """Prove that no larger matching exists; see `Matching.prove`."""
        proof: Certificate = self.matching.prove(self.graph)
        return proof

    def plot(self, path: str | PathLike[str] | None = None, name: str = "pairs") -> Any:
        """Draw who could have whom, and has whom in blue; see `Matching.plot`."""
        return self.matching.plot(self.graph, path, name)

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "matched", f"{plural(len(self), 'pair')}, {'' if self.is_maximum else 'not '}maximum"
        for name, labels in (("left", self.unmatched_left), ("right", self.unmatched_right)):
            yield f"unmatched {name}", in_words(labels, 10) or "none"
        for reason in self.reasons()[:5] if self.is_maximum else ():
            yield "why", str(reason)
        shown = islice(self.items(), _PAIRS_SHOWN)
        pairs = ", ".join(f"{left} → {right}" for left, right in shown)
        yield "pairs", pairs + (" …" if len(self) > _PAIRS_SHOWN else "")

    def __repr__(self) -> str:
        if len(self) <= _PAIRS_SHOWN:
            return super().__repr__()
        return f"LabelledMatching({len(self):,} pairs, {self.matching!r})"


@dataclass(frozen=True, repr=False)
class Shortage:
    """Too many for too few: a set of labels, and the fewer ones that they are joined to.

    Attributes
    ----------
    side
        ``"left"`` or ``"right"``: where the members are.
    members
        The labels that compete.
    choices
        Everything on the other side that any of them is joined to.
    unmatched
        Those of the members that got nothing in this matching. In another one it may be others,
        but never fewer. With capacities: those that could have more partners.
    units
        With capacities: how many partners the members could have, how many the choices could, and
        how many pairs of members there are with others, who are not short.

    Examples
    --------
    >>> from berge import Shortage
    >>> str(Shortage("right", ["cook", "drive"], ["ann"], ["drive"]))
    'cook and drive are wanted only by ann: 2 for 1'
    """

    side: str
    members: list[Any]
    choices: list[Any]
    unmatched: list[Any]
    units: tuple[int, int, int] | None = None
    nouns: tuple[str, str] | None = None

    @property
    def missing(self) -> int:
        """How many of the members, or of their units, must stay unmatched in any matching."""
        if self.units is not None:
            wanted, room, others = self.units
            return wanted - room - others
        return len(self.members) - len(self.choices)

    def describe(self, limit: int = 5) -> str:
        """Return it in words, with about `limit` names on either side."""
        own, theirs = self.nouns or ("", "")
        who, whom = in_words(self.members, limit, own), in_words(self.choices, limit, theirs)
        many = len(self.members) > 1
        if self.units is not None:
            wanted, room, others = self.units
            parts = [f"{room:,} with {whom}"] if self.choices else []
            parts += [f"{others:,} with others"] if others else []
            most = f"at most {room + others:,} can be: {', '.join(parts)}" if parts else "none can"
            return f"{who} could have {wanted:,} pairs, and {most}"
        counts = f"{len(self.members):,} for {len(self.choices):,}"
        if self.nouns is not None:
            to = f"only to {whom}: {counts}" if self.choices else f"to no {theirs}"
            return f"{who} {'are' if many else 'is'} joined {to}"
        if self.side == "left":
            verb = "want" if many else "wants"
            return (
                f"{who} {verb} only {whom}: {counts}" if self.choices else f"{who} {verb} nothing"
            )
        verb = "are" if many else "is"
        if not self.choices:
            return f"{who} {verb} wanted by nobody"
        return f"{who} {verb} wanted only by {whom}: {counts}"

    def __str__(self) -> str:
        return self.describe()

    def __repr__(self) -> str:
        return f"Shortage({self.describe()})"


def match_pairs(
    edges: Any,
    *,
    left: Any = None,
    right: Any = None,
    row_labels: Iterable[Any] | None = None,
    col_labels: Iterable[Any] | None = None,
    **options: Unpack[PairSettings],
) -> LabelledMatching:
    """Match labels: as many left ones as can be to right ones of their own.

    Parameters
    ----------
    edges
        - an iterable of ``(left, right)`` pairs of labels, also an array with two columns;
        - a mapping from each left label to the right labels that it may get;
        - a frame (pandas, polars, pyarrow) with two columns of labels;
        - a networkx or igraph graph, or a `BipartiteGraph` with labels.

        Labels are anything hashable but None and NaN. Pairs may repeat. A label on the left and
        the same on the right are two different things.
    left, right
        Names of the two columns, for a frame; needed where it has more than two.
    row_labels, col_labels
        All on the left, and all on the right, where some may be in no pair: these are unmatched
        then, and explained.
    **options
        For `berge.maximum_matching`: ``threads``, ``time_limit``, ``seed`` … With
        ``capacity_left`` or ``capacity_right`` a label may have several partners; both are a number
        or a mapping from labels to numbers. See docs/capacities.md.

    Returns
    -------
    LabelledMatching
        A dict from left to right labels that also knows who is left over, and why. With
        capacities: to lists of right labels.

    Raises
    ------
    InvalidGraphError
        Something is no pair, or no label; names the position.

    Examples
    --------
    >>> import berge
    >>> berge.match_pairs({"ann": ["cook", "sew"], "bob": ["cook"]})
    {'ann': 'sew', 'bob': 'cook'}
    >>> berge.match_pairs([("ann", "cook"), ("bob",)])
    Traceback (most recent call last):
        ...
    berge.errors.InvalidGraphError: pair 1: ('bob',) is not (left, right)

    Notes
    -----
    A few microseconds a pair to number the labels, besides the solve. Left labels come in order of
    appearance.
    """
    graph = with_labels(_as_labelled(edges, left, right), row_labels, col_labels)
    return LabelledMatching(graph, maximum_matching(graph, **cast("Any", options)))


@with_hints
def explain_unmatched(graph: Any, matching: Any, side: Side = "left") -> list[Shortage]:
    """Say why some vertices cannot be matched, all of them at once.

    Parameters
    ----------
    graph
        Anything `as_bipartite` takes; without labels, indices stand in their place.
    matching
        A maximum matching of it, a `Matching` or a `CapacityMatching`.
    side
        Explain unmatched rows (``"left"``) or columns (``"right"``).

    Returns
    -------
    list of Shortage
        One for each connected part of the graph that has too few on the other side, the largest
        shortage first; those joined to nothing at all are in one together. Their shortages add up
        to the number of unmatched vertices, so together they prove the matching maximum.

    Raises
    ------
    ProofError
        If the matching is not maximum.

    Examples
    --------
    >>> import berge, numpy as np
    >>> A = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 1], [0, 0, 0, 1]])
    >>> m = berge.maximum_matching(A)
    >>> for side in ("left", "right"):
    ...     print(*berge.explain_unmatched(A, m, side))
    rows 0 and 1 are joined only to column 0: 2 for 1
    columns 1 and 2 are joined only to row 2: 2 for 1

    Notes
    -----
    O(vertices + edges).
    """
    graph = as_bipartite(graph)
    if side not in ("left", "right"):
        raise OptionError(f"side must be 'left' or 'right', not {side!r}")
    if isinstance(matching, CapacityMatching):
        return _explain_units(graph, matching, side)
    if side == "right":
        graph, matching = graph.T, matching.turned()
    cover = koenig_cover(graph, matching)
    rows, cols = np.flatnonzero(~cover.rows), np.flatnonzero(cover.cols)
    row_parts, col_parts = _parts(graph, rows, cols)
    found = []
    for own, theirs in zip(row_parts, col_parts, strict=True):
        members, choices = rows[own], cols[theirs]
        unmatched = members[matching.row_match[members] < 0]
        found.append(
            Shortage(
                side,
                named(graph.row_labels, members),
                named(graph.col_labels, choices),
                named(graph.row_labels, unmatched),
                nouns=_nouns(graph, side),
            )
        )
    return sorted(found, key=lambda shortage: -shortage.missing)


def _explain_units(graph: BipartiteGraph, matching: CapacityMatching, side: str) -> list[Shortage]:
    """Say why vertices cannot have as many partners as they could, by the cover."""
    proof = matching.prove(graph)
    graph = graph.without_duplicates()
    covered, others, units, other_units = proof.rows, proof.cols, *(
        most for _, most in (matching.row_units, matching.col_units)
    )  # fmt: skip
    ends = matching.rows
    if side == "right":
        graph, ends = graph.T, matching.cols
        covered, others, units, other_units = others, covered, other_units, units
    rows, cols = np.flatnonzero(~covered), np.flatnonzero(others)
    of_edges = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    inside = ~covered[of_edges] & others[graph.indices]
    outside = np.bincount(of_edges[~inside], minlength=graph.n_rows)
    joined = BipartiteGraph.from_edges(of_edges[inside], graph.indices[inside], graph.shape)
    free = units - np.bincount(ends, minlength=units.size)
    found = []
    for own, theirs in zip(*_parts(joined, rows, cols), strict=True):
        members, choices = rows[own], cols[theirs]
        unmatched = members[free[members] > 0]
        if unmatched.size:
            found.append(
                Shortage(
                    side,
                    named(graph.row_labels, members),
                    named(graph.col_labels, choices),
                    named(graph.row_labels, unmatched),
                    (
                        int(units[members].sum()),
                        int(other_units[choices].sum()),
                        int(outside[members].sum()),
                    ),
                    _nouns(graph, side),
                )
            )  # fmt: skip
    return sorted(found, key=lambda shortage: -shortage.missing)


def _nouns(graph: BipartiteGraph, side: str) -> tuple[str, str] | None:
    """Return what the vertices of a side and of the other one are called, if not by labels."""
    if graph.row_labels is not None or graph.col_labels is not None:
        return None
    return ("row", "column") if side == "left" else ("column", "row")


def _parts(
    graph: BipartiteGraph, rows: IndexArray, cols: IndexArray
) -> tuple[list[IndexArray], list[IndexArray]]:
    """Cut the subgraph of `rows` and their neighbours `cols` into connected parts.

    Returns the places of each part's rows in `rows` and of its columns in `cols`, in order of the
    first row. Rows without entries count as one part.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    chosen = np.zeros(graph.n_rows, np.bool_)
    chosen[rows] = True
    degrees = graph.row_degrees[rows]
    neighbours = graph.indices[np.repeat(chosen, graph.row_degrees)]
    # Rows and columns are vertices 0 … of one graph, columns after rows; all edges leave rows.
    n = rows.size + cols.size
    indptr = np.concatenate([[0], np.cumsum(degrees), np.full(cols.size, neighbours.size)])
    indices = rows.size + np.searchsorted(cols, neighbours)
    adjacency = csr_array((np.ones(indices.size, np.int8), indices, indptr), shape=(n, n))
    part = connected_components(adjacency, directed=False)[1]
    empty = np.flatnonzero(degrees == 0)
    part[empty] = part[empty[:1]]
    # Numbered by first appearance, which is among the rows: every column has one.
    _, first, number = np.unique(part, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))[number]
    count = first.size
    return _split(rank[: rows.size], count), _split(rank[rows.size :], count)


def _split(numbers: IndexArray, count: int) -> list[IndexArray]:
    """Return the places of 0, of 1, … of count − 1."""
    order = np.argsort(numbers, kind="stable")
    bounds = np.cumsum(np.bincount(numbers, minlength=count))
    return np.split(order, bounds[:-1]) if count else []


def _as_labelled(edges: Any, left: Any, right: Any) -> BipartiteGraph:
    library = type(edges).__module__.partition(".")[0]
    if left is not None or right is not None or is_frame(edges):
        return as_bipartite(edges, left=left, right=right)
    if (
        isinstance(edges, BipartiteGraph)
        or hasattr(edges, "is_multigraph")
        or (library in ("igraph", "scipy"))
    ):
        return as_bipartite(edges)
    if library == "networkx":
        raise InvalidGraphError("a view of edges does not say which end is left: pass the graph")
    if isinstance(edges, Mapping):
        return graph_of_mapping(edges)
    if isinstance(edges, np.ndarray):
        edges = edges.tolist()  # labels as Python has them
    if isinstance(edges, (str, bytes, PathLike)) or not isinstance(edges, Iterable):
        raise InvalidGraphError(
            "edges must be an iterable of (left, right) pairs, a mapping from left to several "
            f"right, or a frame, not {reprlib.repr(edges)}"
        )
    return graph_of_pairs(edges)
