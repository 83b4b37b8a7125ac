"""What comes out of `maximum_matching` with capacities: `CapacityMatching`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checker.capacities import check_capacities
from ..checker.check import edges_of_rows
from ..errors import FormatError, ProofError
from ..graphs.graph import BipartiteGraph, IndexArray
from ..wording import plural
from .capacity_run import CapacityStats

__all__ = ["CapacityCertificate", "CapacityMatching"]


@dataclass(frozen=True)
class CapacityCertificate:
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
    """

    rows: npt.NDArray[np.bool_]
    cols: npt.NDArray[np.bool_]
    row_units: int
    col_units: int
    edges: int

    @property
    def size(self) -> int:
        """What no matching can exceed."""
        return self.row_units + self.col_units + self.edges

    def __repr__(self) -> str:
        rows, cols = int(self.rows.sum()), int(self.cols.sum())
        return (
            f"CapacityCertificate({self.size} at most: {self.row_units} at {plural(rows, 'row')}, "
            f"{self.col_units} at {plural(cols, 'column')}, {plural(self.edges, 'other edge')})"
        )


@dataclass(repr=False, eq=False)
class CapacityMatching:
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
        places = np.flatnonzero(free).tolist()
        names = places if labels is None else [labels[k] for k in places]
        return dict(zip(names, free[places].tolist(), strict=True))

    def pairs(self) -> IndexArray:
        """Return the pairs as an array of (row, column), by row."""
        return np.column_stack([self.rows, self.cols])

    def labelled_pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield (left, right) of each pair, with labels where the source had any."""
        left, right = (
            ends.tolist() if labels is None else [labels[k] for k in ends.tolist()]
            for ends, labels in ((self.rows, self.row_labels), (self.cols, self.col_labels))
        )
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
            raise ProofError(
                f"there is no proof, since the solve was stopped: {self.stats.stopped}"
            )
        graph = as_bipartite(graph)
        if graph.shape != self.shape:
            raise ProofError(f"the matching is for {self.shape}, the graph has {graph.shape}")
        size = self.check(graph, self.cover)
        rows, cols = self.cover
        of_rows, of_cols = int(self.row_units[1][rows].sum()), int(self.col_units[1][cols].sum())
        edges = size - of_rows - of_cols
        self.certificate = CapacityCertificate(rows, cols, of_rows, of_cols, edges)
        return self.certificate

    def check(self, graph: BipartiteGraph, cover: Any = None) -> int:
        """Check pairs and capacities, and the cover if there is one; return how many pairs."""
        edges = edges_of_rows(graph.indptr, graph.window)
        ends = self.rows, self.cols, self.row_units, self.col_units
        return check_capacities(self.shape, edges, *ends, cover)

    def save(self, path: str | PathLike[str], names: tuple[str, str] = ("left", "right")) -> None:
        """Write the pairs as a table, .csv, .tsv or .parquet, with labels where there are any."""
        from ..files import assignments
        from ..files.files import split_suffix

        if split_suffix(path)[0] not in (".csv", ".tsv", ".parquet"):
            raise FormatError("must end in .csv, .tsv or .parquet", path)
        assignments.write_pairs_of(path, names, self.labelled_pairs())

    def __repr__(self) -> str:
        state = "maximum" if self.is_maximum else f"upper_bound={self.upper_bound}"
        return f"CapacityMatching({plural(self.cardinality, 'pair')}, {state})"
