"""What comes out of `maximum_matching` with capacities: `CapacityMatching`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checker.capacities import check_capacities
from ..checker.check import edges_of_rows
from ..errors import FormatError, ProofError
from ..graphs.graph import BipartiteGraph, IndexArray
from ..graphs.names import named
from ..shown import Shown
from ..wording import plural
from .capacity_run import CapacityStats

__all__ = ["CapacityCertificate", "CapacityMatching"]


@dataclass(frozen=True, repr=False)
class CapacityCertificate(Shown):
    """A cover that no matching with these capacities can be larger than.

    No edge can be chosen but those that use up the units of covered vertices, and those with no
    covered end.

    Attributes
    ----------
    rows, cols
        Boolean masks: which rows and which columns are in the cover.
    row_units, col_units, edges
        The units of covered rows and of covered columns, and the number of edges with no end in the
        cover. They add up to the size of the matching.

    Examples
    --------
    >>> import berge
    >>> A = [[1, 1], [1, 0]]
    >>> berge.maximum_matching(A, capacity_left=2).prove(A).size
    2
    """

    rows: npt.NDArray[np.bool_]
    cols: npt.NDArray[np.bool_]
    row_units: int
    col_units: int
    edges: int
    row_labels: Sequence[Any] | None = None
    col_labels: Sequence[Any] | None = None

    @property
    def size(self) -> int:
        """What no matching can exceed."""
        return self.row_units + self.col_units + self.edges

    def named(self) -> tuple[list[Any], list[Any]]:
        """Return the names of covered rows and columns; numbers where there are none."""
        return named(self.row_labels, self.rows), named(self.col_labels, self.cols)

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "no more than", f"{plural(self.size, 'pair')}: {repr(self).partition(': ')[2][:-1]}"

    def __repr__(self) -> str:
        rows, cols = int(self.rows.sum()), int(self.cols.sum())
        return (
            f"CapacityCertificate({self.size} at most: {self.row_units} at {plural(rows, 'row')}, "
            f"{self.col_units} at {plural(cols, 'column')}, {plural(self.edges, 'other edge')})"
        )


@dataclass(repr=False, eq=False)
class CapacityMatching(Shown):
    """A matching in which a vertex may have several partners.

    Attributes
    ----------
    rows, cols
        The pairs, by row and then by column.
    shape
        Number of rows and columns.
    row_units, col_units
        ``(least, most)``: of how many pairs each vertex must be, and may be.
    upper_bound
        No matching with these capacities has more pairs.
    cover
        Rows and columns that prove it, for `prove`; None if the solve was stopped.
    stats
        What the solver did: `CapacityStats`.

    Examples
    --------
    >>> import berge
    >>> m = berge.maximum_matching([[1, 1, 0], [1, 0, 0], [1, 0, 0]], capacity_right=[2, 1, 1])
    >>> m
    CapacityMatching(3 pairs, maximum)
    >>> m.pairs().tolist()
    [[0, 1], [1, 0], [2, 0]]
    """

    rows: IndexArray
    cols: IndexArray
    shape: tuple[int, int]
    row_units: tuple[IndexArray, IndexArray]
    col_units: tuple[IndexArray, IndexArray]
    upper_bound: int
    cover: tuple[Any, Any] | None = None
    row_labels: Sequence[Any] | None = None
    col_labels: Sequence[Any] | None = None
    stats: CapacityStats = field(default_factory=CapacityStats)
    certificate: CapacityCertificate | None = None

    @property
    def cardinality(self) -> int:
        """Number of pairs."""
        return int(self.rows.size)

    @property
    def is_maximum(self) -> bool:
        """Whether no matching has more pairs; False only if the solve was stopped."""
        return self.cardinality == self.upper_bound

    @property
    def unmatched_rows(self) -> IndexArray:
        """Rows without any partner."""
        return np.flatnonzero(np.bincount(self.rows, minlength=self.shape[0]) == 0)

    @property
    def unmatched_cols(self) -> IndexArray:
        """Columns without any partner."""
        return np.flatnonzero(np.bincount(self.cols, minlength=self.shape[1]) == 0)

    @property
    def free_left(self) -> dict[Any, int]:
        """How many more partners each on the left could have; those that are full left out."""
        return self._free(self.rows, self.row_units[1], self.row_labels)

    @property
    def free_right(self) -> dict[Any, int]:
        """How many more partners each on the right could have; those that are full left out."""
        return self._free(self.cols, self.col_units[1], self.col_labels)

    @staticmethod
    def _free(ends: IndexArray, most: IndexArray, labels: Sequence[Any] | None) -> dict[Any, int]:
        free = most - np.bincount(ends, minlength=most.size)
        places = np.flatnonzero(free)
        return dict(zip(named(labels, places), free[places].tolist(), strict=True))

    def pairs(self) -> IndexArray:
        """Return the pairs as an array of (row, column), by row."""
        return np.column_stack([self.rows, self.cols])

    def labelled_pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield (left, right) of each pair, with labels where the source had any."""
        left, right = named(self.row_labels, self.rows), named(self.col_labels, self.cols)
        return zip(left, right, strict=True)

    def as_dict(self) -> dict[Any, list[Any]]:
        """Return left → all of its partners, by label; those without any left out."""
        several: dict[Any, list[Any]] = {}
        for left, right in self.labelled_pairs():
            several.setdefault(left, []).append(right)
        return several

    def prove(self, graph: Any) -> CapacityCertificate:
        """Prove that no matching of the graph with these capacities has more pairs.

        ``berge/checker/capacities.py`` checks it, in numpy alone: pairs, capacities, lower bounds,
        and a cover that allows no more.

        Raises
        ------
        ProofError
            Something does not hold, or the solve was stopped before there was a proof.

        Examples
        --------
        >>> import berge
        >>> A = [[1, 1, 0], [1, 0, 0], [1, 0, 0]]
        >>> berge.maximum_matching(A, capacity_left=2).prove(A)
        CapacityCertificate(2 at most: 0 at 0 rows, 1 at 1 column, 1 other edge)
        """
        from ..ingest import as_bipartite

        if self.cover is None:
            why = self.stats.stopped or "before it was done"
            raise ProofError(f"there is no proof, since the solve was stopped: {why}")
        graph = as_bipartite(graph)
        if graph.shape != self.shape:
            raise ProofError(f"the matching is for {self.shape}, the graph has {graph.shape}")
        rows, cols = map(np.array, self.cover)  # which others may be changing
        size = self.check(graph, (rows, cols))
        of_rows, of_cols = int(self.row_units[1][rows].sum()), int(self.col_units[1][cols].sum())
        edges = size - of_rows - of_cols
        self.upper_bound = size
        sizes, labels = (of_rows, of_cols, edges), (graph.row_labels, graph.col_labels)
        self.certificate = CapacityCertificate(rows, cols, *sizes, *labels)
        return self.certificate

    def check(self, graph: BipartiteGraph, cover: Any = None) -> int:
        """Check pairs and capacities, and the cover if there is one; return how many pairs."""
        edges = edges_of_rows(graph.indptr, graph.window)
        ends = self.rows, self.cols, self.row_units, self.col_units
        return check_capacities(self.shape, edges, *ends, cover)

    def save(self, path: str | PathLike[str], names: tuple[str, str] = ("left", "right")) -> None:
        """Write to ``.npz`` or ``.json`` with what `prove` needs, or the pairs as a table.

        Tables are ``.csv``, ``.tsv`` and ``.parquet``. They have labels where the source had any,
        in columns with these names.

        Examples
        --------
        >>> import berge, tempfile
        >>> A = [[1, 1, 0], [1, 0, 0], [1, 0, 0]]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     berge.maximum_matching(A, capacity_left=2).save(f"{folder}/m.npz")
        ...     berge.CapacityMatching.load(f"{folder}/m.npz").prove(A).size
        2
        """
        from ..files import assignments
        from ..files.files import split_suffix

        suffix = split_suffix(path)[0]
        if suffix not in assignments.SUFFIXES:
            raise FormatError(f"must end in {', '.join(assignments.SUFFIXES)}", path)
        if suffix not in (".npz", ".json"):
            assignments.write_pairs_of(path, names, self.labelled_pairs())
            return
        cover: Any = self.cover or (None, None)
        arrays = {
            "rows": self.rows,
            "cols": self.cols,
            **dict(zip(assignments.UNITS, (*self.row_units, *self.col_units), strict=True)),
            "row_cover": cover[0],
            "col_cover": cover[1],
            "upper_bound": self.upper_bound,
        }
        assignments.write_assignment(path, arrays, self.facts())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> CapacityMatching:
        """Read what `save` wrote to ``.npz`` or ``.json``; labels and statistics are not in it.

        Raises
        ------
        FormatError
            The file is not of that form.
        """
        from ..files.assignments import UNITS, read_units

        found = read_units(path)
        units = [found[name] for name in UNITS]
        cover = found["row_cover"], found["col_cover"]
        return cls(
            found["rows"],
            found["cols"],
            (units[0].size, units[2].size),
            (units[0], units[1]),
            (units[2], units[3]),
            found["upper_bound"],
            None if cover[0] is None else cover,
        )

    def facts(self) -> dict[str, Any]:
        """Return what there is to say of it as plain Python values, fit for JSON."""
        proof = self.certificate
        return {
            "rows": self.shape[0],
            "cols": self.shape[1],
            "cardinality": self.cardinality,
            "upper_bound": self.upper_bound,
            "is_maximum": self.is_maximum,
            "proved": proof is not None,
            "pairs": [list(pair) for pair in self.labelled_pairs()],
            "unmatched_left": named(self.row_labels, self.unmatched_rows),
            "unmatched_right": named(self.col_labels, self.unmatched_cols),
            "stopped": self.stats.stopped,
            "stats": asdict(self.stats),
        }

    def plot(
        self, graph: Any, path: str | PathLike[str] | None = None, name: str = "matrix"
    ) -> Any:
        """Draw the matrix with the pairs in blue, as `Matching.plot` does."""
        from ..drawn import draw_matches
        from ..ingest import as_bipartite

        title = f"{name}: {repr(self)[len('CapacityMatching(') : -1]}"
        return draw_matches(as_bipartite(graph), self.pairs(), path, title=title)

    def _facts(self) -> Iterator[tuple[str, str]]:
        proved = ", proved" if self.certificate is not None else ""
        yield "matched", repr(self)[len("CapacityMatching(") : -1] + proved
        for name, free, ends, size in (
            ("left", self.free_left, self.unmatched_rows, self.shape[0]),
            ("right", self.free_right, self.unmatched_cols, self.shape[1]),
        ):
            yield name, f"{ends.size:,} of {size:,} have no partner, {len(free):,} could have more"

    def __repr__(self) -> str:
        state = "maximum" if self.is_maximum else f"upper_bound={self.upper_bound}"
        return f"CapacityMatching({plural(self.cardinality, 'pair')}, {state})"
