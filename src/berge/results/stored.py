"""`StoredMatching`: a matching that lies in a folder, by parts."""

from __future__ import annotations

from functools import cached_property
from os import PathLike

from ..files.parts import MatchingFolder
from ..graphs.graph import IndexArray
from .matching import Matching, SolveStats
from .proof import Certificate

__all__ = ["StoredMatching"]


class StoredMatching(Matching):
    """A `Matching` that lies in a folder, by parts; its arrays are read when asked for.

    What `maximum_matching` returns with ``cluster=`` and ``output=``.

    Attributes
    ----------
    folder
        Where it lies.
    cover
        Number of rows and of columns in the cover that proved it, or None.
    """

    def __init__(self, folder: str | PathLike[str], stats: SolveStats | None = None):
        self._parts = parts = MatchingFolder(folder)
        self.folder, self.cover = parts.path, parts.cover
        self.cardinality, self.upper_bound = parts.cardinality, parts.upper_bound
        self.stats = stats
        self.row_labels = self.col_labels = None

    @property
    def n_rows(self) -> int:
        """Number of rows of the graph."""
        return self._parts.shape[0]

    @property
    def n_cols(self) -> int:
        """Number of columns of the graph."""
        return self._parts.shape[1]

    @cached_property
    def row_match(self) -> IndexArray:  # type: ignore[override]
        """The column of each row, or −1."""
        return self._parts.mates("row_match")

    @cached_property
    def col_match(self) -> IndexArray:  # type: ignore[override]
        """The row of each column, or −1."""
        return self._parts.mates("col_match")

    @cached_property
    def certificate(self) -> Certificate | None:  # type: ignore[override]
        """The cover that proved it, read from the folder; None if it was not proved."""
        if self.cover is None:
            return None
        return Certificate(self._parts.flags("row_cover"), self._parts.flags("col_cover"))
