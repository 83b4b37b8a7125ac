"""What comes out of `assign`: `Assignment`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..checker.check import ends_of
from ..checker.prices import Side, products
from ..errors import FormatError, InvalidMatchingError, ProofError
from ..files.files import split_suffix
from ..graphs.graph import BipartiteGraph, IndexArray
from ..graphs.names import named
from ..shown import Shown
from ..wording import plural
from .assignment_run import AssignmentStats
from .objective import OBJECTIVES, chosen_places, exponential, in_floats, priced, product_of
from .price_proof import PriceProof, bounds_of, in_digits, is_required, price_proof

if TYPE_CHECKING:
    from .sensitivity import PriceRange

__all__ = ["Assignment"]

Values = npt.NDArray[Any]


@dataclass(repr=False, eq=False)
class Assignment(Shown):
    """An assignment: pairs of rows and columns, and prices that prove that no choice is better.

    Attributes
    ----------
    rows, cols, pair_weights
        The pairs, by row and then by column, and their weights.
    total
        The sum of the weights of the pairs, and with it what is paid for what stays unmatched; the
        product of absolute values with ``objective="product"``, a `decimal.Decimal` where no float
        is as large or small; the smallest weight with ``"bottleneck"``.
    objective, match
        What was asked for.
    is_optimal
        Whether no better assignment exists, as the solver says; `prove` proves it. False if the
        solve was stopped.
    is_complete
        Whether as many are matched as was asked for. False only if the solve was stopped.
    stats
        What the solver did: `AssignmentStats`.
    certificate
        What the last `prove` found.
    graph, weights
        What was solved: pairs that are forbidden left out, each pair once. None after `load`.

    Examples
    --------
    >>> import berge
    >>> plan = berge.assign([("ann", "cook", 5), ("ann", "drive", 4), ("bob", "cook", 3)],
    ...                     objective="max", match="maximum")
    >>> plan
    Assignment(2 pairs, total 7, best of the largest)
    >>> plan.as_dict(), plan.prove()
    ({'ann': 'drive', 'bob': 'cook'}, PriceProof(no assignment is better than 7))
    """

    rows: IndexArray
    cols: IndexArray
    pair_weights: Values
    objective: str
    match: str
    row_side: Side  # in the words of the checker, which knows costs only
    col_side: Side
    is_optimal: bool
    is_complete: bool = True
    stats: AssignmentStats = field(default_factory=AssignmentStats)
    graph: BipartiteGraph | None = None
    weights: Values | None = None
    costs: Values | None = None
    above: tuple[Values, Values] | None = None  # bottleneck: a cover of all edges that are better
    certificate: PriceProof | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.row_side.prices.size, self.col_side.prices.size

    @property
    def size(self) -> int:
        """Number of pairs."""
        return int(self.rows.size)

    @property
    def stopped(self) -> str | None:
        """None, ``"interrupted"`` or ``"time limit"``."""
        return self.stats.stopped

    @cached_property
    def total(self) -> Any:
        """What the assignment comes to: an int for integer weights."""
        return self._added_up()

    def _added_up(self) -> Any:
        """Return what pairs and units come to."""
        values = self.pair_weights.tolist()
        if self.objective == "product":
            return product_of(values)
        if self.objective == "bottleneck":
            return min(values, default=math.inf)
        left = self._left_out()
        return _sum([*values, *left] if self._sign > 0 else [*values, *(-x for x in left)])

    def _left_out(self) -> list[Any]:
        """Return what is paid for units that stay unused."""
        paid: list[Any] = []
        for side, ends in ((self.row_side, self.rows), (self.col_side, self.cols)):
            unused = side.capacity - np.bincount(ends, minlength=side.prices.size)
            costly = np.flatnonzero((unused > 0) & (side.leave != 0) & ~is_required(side.leave))
            paid += products(side.leave[costly], unused[costly])
        return paid

    @cached_property
    def bound(self) -> Any:
        """The total that no assignment beats, by the prices; that of this one if it is the best."""
        if self.is_optimal:
            return self.total
        if self.objective == "bottleneck" or self.costs is None:
            return math.inf
        return self._in_weights(bounds_of(self, only_low=True)[0])

    @property
    def row_match(self) -> IndexArray:
        """The column of each row or −1, where no row may have two."""
        return self._match(self.row_side, self.rows, self.cols, "rows")

    @property
    def col_match(self) -> IndexArray:
        """The row of each column or −1, where no column may have two."""
        return self._match(self.col_side, self.cols, self.rows, "columns")

    @staticmethod
    def _match(side: Side, ends: IndexArray, others: IndexArray, name: str) -> IndexArray:
        if side.capacity.max(initial=0) > 1:
            raise InvalidMatchingError(f"{name} may be matched more than once: use pairs()")
        match = np.full(side.prices.size, -1, others.dtype)
        match[ends] = others
        return match

    @property
    def unmatched_left(self) -> list[Any]:
        """Rows without a column: labels, or indices."""
        return self._unmatched(self.rows, self.row_labels, self.shape[0])

    @property
    def unmatched_right(self) -> list[Any]:
        """Columns without a row: labels, or indices."""
        return self._unmatched(self.cols, self.col_labels, self.shape[1])

    @staticmethod
    def _unmatched(ends: IndexArray, labels: Any, size: int) -> list[Any]:
        return named(labels, np.bincount(ends, minlength=size) == 0)

    @property
    def source(self) -> str | None:
        """How the input was read, where it did not say so itself."""
        return None if self.graph is None else self.graph.source

    @property
    def row_labels(self) -> Sequence[Any] | None:
        """Names of the rows, where the source had any."""
        return None if self.graph is None else self.graph.row_labels

    @property
    def col_labels(self) -> Sequence[Any] | None:
        """Names of the columns, where the source had any."""
        return None if self.graph is None else self.graph.col_labels

    @property
    def row_prices(self) -> Values:
        """What each row is worth, in units of weight (of its logarithm, with ``"product"``).

        With objective ``"min"`` a pair is chosen only if it costs no more than its row and column
        are worth together; with ``"max"``, only if it brings no less. They are one unit's.
        """
        prices: Values = self._sign * self.row_side.prices
        return prices

    @property
    def col_prices(self) -> Values:
        """What each column is worth; see `row_prices`."""
        prices: Values = self._sign * self.col_side.prices
        return prices

    @property
    def reduced_costs(self) -> Values:
        """How much worse than its ends are worth each edge of `graph` is.

        0 for pairs that are chosen, or could be as well; where several units of a vertex are in
        use, below 0 for pairs that are better than needed.
        """
        graph, costs = self._known()
        rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
        reduced: Values = costs - self.row_side.prices[rows] - self.col_side.prices[graph.indices]
        return reduced

    @property
    def _sign(self) -> int:
        return -1 if self.objective in ("max", "bottleneck") else 1

    def _in_weights(self, cost: Any) -> Any:
        """Return a sum of costs as a total."""
        if self.objective == "product":
            return exponential(-cost)
        return self._sign * cost

    def pairs(self) -> IndexArray:
        """Return the pairs as an array of (row, column), by row."""
        return np.column_stack([self.rows, self.cols])

    def labelled_pairs(self) -> Iterator[tuple[Any, Any, Any]]:
        """Yield (left, right, weight) of each pair, with labels where the source had any."""
        left, right = named(self.row_labels, self.rows), named(self.col_labels, self.cols)
        return zip(left, right, self.pair_weights.tolist(), strict=True)

    def as_dict(self) -> dict[Any, Any]:
        """Return row → column by label; row → columns where a row may have several."""
        if self.row_side.capacity.max(initial=0) <= 1:
            return {left: right for left, right, _ in self.labelled_pairs()}
        several: dict[Any, list[Any]] = {}
        for left, right, _ in self.labelled_pairs():
            several.setdefault(left, []).append(right)
        return several

    def prove(self, graph: Any = None, weights: Any = None) -> PriceProof:
        """Prove that no assignment is better, by prices.

        Parameters
        ----------
        graph, weights
            As for `assign`, if what is to be trusted is what you have, not what was kept of it.

        Returns
        -------
        PriceProof
            With an interval of the best total. All is checked by ``berge/checker/prices.py``,
            which is short and shares nothing with the solvers: integers exactly, and of floating-
            point numbers with rounding outwards, so that the interval is certain.

        Raises
        ------
        ProofError
            Something does not hold, or the interval is wider than 2⁻³⁶ of all that is added up.

        Examples
        --------
        >>> import berge
        >>> costs = [[4, 1], [2, 3]]
        >>> berge.assign(costs).prove(costs)
        PriceProof(no assignment is better than 3)
        """
        if graph is not None:
            self.known_by(graph, weights)
        self.certificate = price_proof(self)
        self.is_optimal = True
        return self.certificate

    def known_by(self, source: Any, weights: Any = None) -> None:
        """Take edges and costs from a source, in place of those that were kept.

        Raises
        ------
        ProofError
            It has another shape, not all of the pairs, or other weights for them.
        """
        from ..ingest.weighted import as_weighted

        found = priced(as_weighted(source, weights), self.objective)
        if self.row_side.prices.dtype.kind == "f":
            found = in_floats(found)
        graph, known, costs = found
        if graph.shape != self.shape:
            raise ProofError(f"the assignment is for {self.shape}, the graph has {graph.shape}")
        self._check_weights(graph, known)
        self.graph, self.weights, self.costs = graph, known, costs

    def _check_weights(self, graph: BipartiteGraph, known: Any) -> None:
        """Raise `ProofError` unless the pairs have the weights of the graph."""
        weights = known[self._places(graph)]
        if weights.size != np.size(self.pair_weights):
            raise ProofError(f"{weights.size} pairs have {np.size(self.pair_weights)} weights")
        other = np.flatnonzero(weights != self.pair_weights)
        if other.size:
            i, j = self.rows[other[0]], self.cols[other[0]]
            raise ProofError(f"row {i} and column {j} have another weight in the graph")

    def _known(self) -> tuple[BipartiteGraph, Values]:
        """Return the graph and its costs."""
        if self.graph is None or self.costs is None:
            raise InvalidMatchingError("a file has no graph: pass it, as in prove(graph, weights)")
        return self.graph, self.costs

    def _places(self, graph: BipartiteGraph) -> Values:
        """Return where the pairs are among the edges, each once."""
        rows = ends_of("row", self.rows, graph.n_rows)
        cols = ends_of("column", self.cols, graph.n_cols, rows.size)
        places = chosen_places(graph, rows, cols)
        if places is None:
            raise ProofError("a pair of the assignment is not an edge of the graph")
        if np.unique(places).size < places.size:
            raise ProofError("a pair is in the assignment twice")
        return places

    def explain(self, left: Any, right: Any) -> str:
        """Say in words why a pair is in or out, by prices.

        Examples
        --------
        >>> import berge
        >>> plan = berge.assign([[4, 1], [2, 3]])
        >>> print(plan.explain(0, 0))
        0 and 0 are not paired: costs 4, too much at ...
        """
        from .sensitivity import explain

        return explain(self, left, right)

    def price_range(self, edges: Any = None) -> list[PriceRange]:
        """Return between which weights of a pair this assignment stays a best one.

        Parameters
        ----------
        edges
            (left, right) pairs, by label where the source had labels; by default the chosen ones.

        Returns
        -------
        list of PriceRange
            The weight of that pair alone may move within the range, ends included, and this
            assignment stays one of the best. Outside it does not: the ranges are exact for
            integers, and up to rounding for others. Each takes a search for a shortest path.

        Examples
        --------
        >>> import berge
        >>> plan = berge.assign([[4, 1], [2, 3]])
        >>> plan.price_range([(0, 0), (0, 1)])
        [PriceRange(0, 0, out at 4: from 0 on), PriceRange(0, 1, in at 1: up to 5)]
        """
        from .sensitivity import price_ranges

        return price_ranges(self, edges)

    def save(
        self,
        path: str | PathLike[str],
        names: tuple[str, str, str] = ("left", "right", "weight"),
    ) -> None:
        """Write to ``.npz`` or ``.json`` with what `prove` needs, or the pairs as a table.

        Tables are ``.csv``, ``.tsv`` and ``.parquet``. They have labels where the source had any,
        in columns with these names.

        Examples
        --------
        >>> import berge, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     berge.assign([[4, 1], [2, 3]]).save(f"{folder}/plan.npz")
        ...     berge.Assignment.load(f"{folder}/plan.npz").prove([[4, 1], [2, 3]])
        PriceProof(no assignment is better than 3)
        """
        from ..files import assignments

        suffix = split_suffix(path)[0]
        if suffix not in assignments.SUFFIXES:
            raise FormatError(f"must end in {', '.join(assignments.SUFFIXES)}", path)
        if suffix not in (".npz", ".json"):
            assignments.write_pairs_of(path, names, self.labelled_pairs())
            return
        arrays: dict[str, Any] = {
            "rows": self.rows,
            "cols": self.cols,
            "pair_weights": self.pair_weights,
        }
        above: Any = self.above or (None, None)
        for name, side, better in zip(
            assignments.SIDES, (self.row_side, self.col_side), above, strict=True
        ):
            arrays |= {f"{name}_{key}": value for key, value in side._asdict().items()}
            arrays[f"{name}_above"] = better
        told = {"objective": self.objective, "match": self.match, "is_optimal": self.is_optimal}
        whole = {"is_whole": self.row_side.prices.dtype.kind == "i"}
        assignments.write_assignment(path, arrays | told | whole, self.facts())

    def facts(self) -> dict[str, Any]:
        """Return what there is to say of it as plain Python values, fit for JSON."""
        proof = self.certificate
        return {
            "rows": self.shape[0],
            "cols": self.shape[1],
            "edges": None if self.graph is None else self.graph.nnz,
            "objective": self.objective,
            "match": self.match,
            "size": self.size,
            "total": self.total,
            "bound": self.bound if abs(self.bound) < math.inf else None,
            "is_optimal": self.is_optimal,
            "is_complete": self.is_complete,
            "proved": proof is not None,
            "proved_between": None if proof is None else sorted((proof.best, proof.worst)),
            "pairs": [list(pair) for pair in self.labelled_pairs()],
            "unmatched_left": self.unmatched_left,
            "unmatched_right": self.unmatched_right,
            "stopped": self.stopped,
            "stats": asdict(self.stats),
        }

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Assignment:
        """Read what `save` wrote to ``.npz`` or ``.json``; the graph is not in it.

        Raises
        ------
        FormatError
            The file is not of that form.
        """
        from ..files.assignments import EACH, SIDES, read_assignment

        found = read_assignment(path)
        row_side, col_side = (Side(*(found[f"{name}_{key}"] for key in EACH[:5])) for name in SIDES)
        above = found["row_above"], found["col_above"]
        if found["objective"] not in OBJECTIVES or found["match"] not in ("full", "maximum", "any"):
            raise FormatError("objective or match is none that berge has", path)
        return cls(
            found["rows"],
            found["cols"],
            found["pair_weights"],
            found["objective"],
            found["match"],
            row_side,
            col_side,
            is_optimal=found["is_optimal"],
            above=None if above[0] is None else above,
        )

    def plot(self, path: str | PathLike[str] | None = None, name: str = "assignment") -> Any:
        """Draw the matrix of weights with the pairs in blue; return matplotlib's figure.

        Few entries have their weights in them. The picture is written to ``path``, if there is one.
        """
        from ..drawn import draw_matches

        graph, _ = self._known()
        rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
        known = None if self.weights is None else (rows, graph.indices, self.weights)
        title = f"{name}: {repr(self)[len('Assignment(') : -1]}"
        return draw_matches(graph, self.pairs(), path, title=title, numbers=known)

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "assigned", repr(self)[len("Assignment(") : -1]
        yield "asked for", f"objective {self.objective}, match {self.match}"
        if self.source:
            yield "read as", self.source

    def __repr__(self) -> str:
        kind = {"full": "best", "maximum": "best of the largest", "any": "best"}[self.match]
        if not self.is_optimal:
            kind = f"not the best: {self.stopped}"
            kind += "" if self.is_complete else ", not complete"
        return f"Assignment({plural(self.size, 'pair')}, total {in_digits(self.total)}, {kind})"


def _sum(values: list[Any]) -> Any:
    """Return the sum of numbers: exact for integers, correctly rounded for others."""
    if all(isinstance(value, int) for value in values):
        return sum(values)
    return math.fsum(values)
