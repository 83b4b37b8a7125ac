"""Codes of edges: in every, some or no maximum matching."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..drawn import GREY, Kind, draw_graph, draw_matrix
from ..graphs.graph import BipartiteGraph, Graph, IndexArray
from ..graphs.names import named
from ..shown import COLOURS, Shown

__all__ = ["EVERY", "NONE", "SOME", "Codes"]

NONE, SOME, EVERY = 0, 1, 2


@dataclass(frozen=True, repr=False)
class Codes(Shown):
    """A code for every stored entry of a graph."""

    codes: npt.NDArray[np.uint8]
    graph: BipartiteGraph | Graph

    entries_of_an_edge: ClassVar[int] = 1

    @property
    def in_every(self) -> npt.NDArray[np.bool_]:
        """Mask of the entries that are in every maximum matching."""
        return np.equal(self.codes, EVERY)

    @property
    def in_some(self) -> npt.NDArray[np.bool_]:
        """Mask of the entries that are in at least one maximum matching."""
        return np.not_equal(self.codes, NONE)

    @property
    def in_none(self) -> npt.NDArray[np.bool_]:
        """Mask of the entries that are in no maximum matching: without them it is as large."""
        return np.equal(self.codes, NONE)

    def _counts(self) -> list[int]:
        """Return how many edges are in none, some and every maximum matching."""
        counts: list[int] = np.bincount(self.codes, minlength=3).tolist()
        return [count // self.entries_of_an_edge for count in counts]

    def named(self, role: npt.NDArray[np.bool_]) -> list[tuple[Any, Any]]:
        """Return the edges of a mask such as `in_every`, each once, by the names of their ends.

        Examples
        --------
        >>> import berge, networkx
        >>> wishes = berge.match_pairs([("ann", "cook"), ("bob", "cook"), ("bob", "sew")]).graph
        >>> roles = berge.edge_roles(wishes)
        >>> roles.named(roles.in_none)
        [('bob', 'cook')]
        >>> roles = berge.edge_roles(networkx.Graph(["ab", "bc", "ca", "xy"]))
        >>> roles.named(roles.in_every)
        [('x', 'y')]
        """
        rows, cols = self._ends(role)
        ends = (
            named(names, side) for names, side in zip(self._labels(), (rows, cols), strict=True)
        )
        return list(dict.fromkeys(zip(*ends, strict=True)))

    def plot(self, path: str | PathLike[str] | None = None, name: str = "graph") -> Any:
        """Draw the graph, its edges in colours by their role; return matplotlib's figure.

        The picture is written to ``path``, if there is one.
        """
        title = f"{name}: {repr(self)[len('EdgeRoles(') : -1]}"
        texts = ("in none", GREY), ("in some", COLOURS[1]), ("in every one", COLOURS[0])
        kinds = [
            Kind(text, colour, *self._ends(np.equal(self.codes, code)))
            for code, (text, colour) in enumerate(texts)
        ]
        if isinstance(self.graph, Graph):
            n, labels = self.graph.n_vertices, self.graph.labels
            return draw_graph(n, kinds, path, title=title, labels=labels)
        return draw_matrix(self.graph.shape, kinds, path, title=title, labels=self._labels())

    def _ends(self, role: npt.NDArray[np.bool_]) -> tuple[IndexArray, IndexArray]:
        """Return the ends of the entries of a mask, of any graph the lower one first."""
        places = np.flatnonzero(role)
        rows = np.searchsorted(self.graph.indptr, places, side="right") - 1
        cols = self.graph.indices[places]
        if isinstance(self.graph, Graph):
            return rows[rows < cols], cols[rows < cols]
        return rows, cols

    def _labels(self) -> tuple[Any, Any]:
        if isinstance(self.graph, Graph):
            return self.graph.labels, self.graph.labels
        return self.graph.row_labels, self.graph.col_labels

    def _facts(self) -> Iterator[tuple[str, str]]:
        none, some, every = self._counts()
        yield "edges in every maximum matching", f"{every:,}"
        yield "in some", f"{some:,}"
        yield "in none", f"{none:,}"

    def __repr__(self) -> str:
        none, some, every = self._counts()
        return f"EdgeRoles({every:,} in every maximum matching, {some:,} in some, {none:,} in none)"
