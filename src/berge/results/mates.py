"""What matchings of general graphs have in common: an array of mates."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from ..files.assignments import TABLES, write_pairs_of
from ..files.files import split_suffix
from ..graphs.graph import IndexArray
from ..graphs.names import named
from ..shown import Shown

__all__ = ["Mates"]


class Mates(Shown):
    """Vertices and their mates: ``mate[v]`` is the vertex that v is matched to, or −1."""

    mate: IndexArray
    labels: Sequence[Any] | None = None

    @property
    def unmatched(self) -> IndexArray:
        """Vertices without a mate."""
        return np.flatnonzero(self.mate < 0)

    @property
    def unmatched_names(self) -> list[Any]:
        """Names of the vertices without a mate; numbers where there are none."""
        return named(self.labels, self.unmatched)

    def _is_table(self, path: str | PathLike[str]) -> bool:
        """Write the pairs by name if the path is that of a table."""
        if split_suffix(path)[0] not in TABLES:
            return False
        write_pairs_of(path, ("left", "right"), self.named())
        return True

    def pairs(self) -> IndexArray:
        """Return the matched pairs as an array of (lower, higher), by the lower."""
        lower = np.flatnonzero(self.mate > np.arange(self.mate.size)).astype(self.mate.dtype)
        return np.column_stack([lower, self.mate[lower]])

    def plot(self, graph: Any, path: str | PathLike[str] | None = None, name: str = "graph") -> Any:
        """Draw the graph with the matched edges in blue; return matplotlib's figure.

        Few vertices are drawn on a circle, many as the rows and columns of a matrix.

        Parameters
        ----------
        graph
            What was matched.
        path
            Where to write the picture, if anywhere: .png, .svg or .pdf.
        name
            What to call it.
        """
        from ..drawn import draw_matches
        from ..ingest import as_graph

        words = repr(self)[len(type(self).__name__) + 1 : -1]
        return draw_matches(as_graph(graph), self.pairs(), path, title=f"{name}: {words}")

    def named(self) -> list[tuple[Any, Any]]:
        """Return the pairs by the names of their vertices; by number where there are none.

        Examples
        --------
        >>> import berge, networkx
        >>> berge.greedy_matching(networkx.path_graph(["ann", "bob"])).named()
        [('ann', 'bob')]
        """
        ends = self.pairs()
        return list(zip(*(named(self.labels, ends[:, side]) for side in (0, 1)), strict=True))
