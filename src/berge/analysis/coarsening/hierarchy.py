"""What coarsening gives: graphs from fine to coarse, and the maps between them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ...drawn import draw_bars
from ...errors import FormatError, OptionError
from ...graphs.graph import Graph, IndexArray
from ...shown import Shown
from ...wording import plural

if TYPE_CHECKING:
    from .nets import Hypergraph

__all__ = ["Hierarchy", "Level"]

Operation = Literal["sum", "mean", "max"]

TOLD = "levels.json"
_WRITTEN = re.compile(r"level-\d+\.(graph|hgr)|map-\d+\.npy")  # by `Hierarchy.save`


@dataclass(frozen=True, repr=False)
class Level:
    """One level of a hierarchy.

    Attributes
    ----------
    graph
        The graph, with weights from the second level on.
    coarse
        For every vertex the vertex of the next coarser level that it is part of; None on the
        coarsest level.
    reduction
        How many times fewer vertices than on the level before.
    weight_kept
        How much of the finest level's edge weight still is between two vertices of this one.
    seconds
        What it took to make this level from the one before.
    """

    graph: Graph | Hypergraph
    coarse: IndexArray | None = None
    reduction: float = 1.0
    weight_kept: float = 1.0
    seconds: float = 0.0

    def __repr__(self) -> str:
        vertices = plural(self.graph.n_vertices, "vertex", "vertices")
        return (
            f"Level({vertices}, {plural(self.graph.n_edges, 'edge')}, "
            f"{self.reduction:.2f}× fewer, {self.weight_kept:.1%} of the weight)"
        )


@dataclass(frozen=True, repr=False)
class Hierarchy(Shown):
    """A sequence of ever smaller graphs; ``h[0]`` is the finest level, ``h[-1]`` the coarsest.

    Attributes
    ----------
    levels
        The levels, from fine to coarse.
    reason
        Why there are not more of them.
    limit
        What no vertex was allowed to weigh by being merged.

    Examples
    --------
    >>> import berge, numpy as np
    >>> h = berge.coarsen(berge.generate.grid(30, 30), until=100)
    >>> h[0]
    Level(900 vertices, 1,740 edges, 1.00× fewer, 100.0% of the weight)
    >>> y = h.restrict(np.ones(900))       # from fine to coarse
    >>> float(y.sum())
    900.0
    >>> h.project(y).shape                 # and back
    (900,)
    """

    levels: tuple[Level, ...]
    reason: str
    limit: float = float("inf")

    def __len__(self) -> int:
        return len(self.levels)

    def __getitem__(self, level: int) -> Level:
        try:
            return self.levels[level]
        except IndexError:
            raise IndexError(f"there is no level {level} among {len(self)}") from None

    def __iter__(self) -> Iterator[Level]:
        return iter(self.levels)

    @property
    def finest(self) -> Any:
        """The graph that was coarsened."""
        return self.levels[0].graph

    @property
    def coarsest(self) -> Any:
        """The smallest graph."""
        return self.levels[-1].graph

    def map(self, level: int = 0, to: int = -1) -> IndexArray:
        """Return for every vertex of a level its vertex on a coarser one.

        Examples
        --------
        >>> import berge
        >>> berge.coarsen(berge.generate.grid(2, 1), levels=1).map()
        array([0, 0], dtype=int32)
        """
        fine, coarse = self._place(level), self._place(to)
        if fine > coarse:
            raise OptionError(f"level {to} is finer than level {level}, not coarser")
        found: IndexArray = np.arange(self[fine].graph.n_vertices)
        for step in self.levels[fine:coarse]:
            assert step.coarse is not None  # only the coarsest level has none
            found = step.coarse[found]
        return found

    def project(self, x: npt.ArrayLike, level: int = -1, to: int = 0) -> npt.NDArray[Any]:
        """Take values from the vertices of a level to those of a finer one: each gets its own.

        Examples
        --------
        >>> import berge
        >>> berge.coarsen(berge.generate.grid(2, 1), levels=1).project([7])
        array([7, 7])
        """
        values = self._values(x, level)
        return values[self.map(to, level)]

    def prolongation(self, level: int = 0, to: int = -1) -> Any:
        """Return the matrix that takes vectors of a coarser level to a finer one, in scipy's CSR.

        Row v has a one in the column of v's vertex on the coarser level. ``P @ y`` is ``project``,
        ``P.T @ x`` is ``restrict``, and ``P.T @ A @ P`` the coarse matrix of A.

        Examples
        --------
        >>> import berge
        >>> berge.coarsen(berge.generate.grid(2, 1), levels=1).prolongation().toarray()
        array([[1.],
               [1.]])
        """
        from scipy.sparse import csr_array

        coarse = self.map(level, to)
        shape = coarse.size, self[to].graph.n_vertices
        return csr_array((np.ones(coarse.size), coarse, np.arange(coarse.size + 1)), shape)

    def restrict(
        self, x: npt.ArrayLike, level: int = 0, to: int = -1, op: Operation = "sum"
    ) -> npt.NDArray[Any]:
        """Take values from the vertices of a level to those of a coarser one.

        Parameters
        ----------
        x
            A value, or a row of values, for every vertex of `level`.
        level, to
            From where and to where; by default from the finest to the coarsest.
        op
            What becomes of the values of the vertices merged into one: ``"sum"``, ``"mean"`` or
            ``"max"``. ``restrict(project(x), op="mean")`` is x again.

        Examples
        --------
        >>> import berge
        >>> h = berge.coarsen(berge.generate.grid(2, 1), levels=1)
        >>> h.restrict([3, 5]), h.restrict([3, 5], op="mean"), h.restrict([3, 5], op="max")
        (array([8]), array([4.]), array([5]))
        """
        if op not in ("sum", "mean", "max"):
            raise OptionError(f"op must be 'sum', 'mean' or 'max', not {op!r}")
        values, coarse = self._values(x, level), self.map(level, to)
        if not coarse.size:
            return values
        order = np.argsort(coarse, kind="stable")
        begins = np.flatnonzero(np.diff(coarse[order], prepend=-1))
        if op == "max":
            return np.asarray(np.maximum.reduceat(values[order], begins, axis=0))
        if values.dtype == np.bool_:
            values = values.astype(np.intp)
        sums = np.add.reduceat(values[order], begins, axis=0)
        if op == "sum":
            return np.asarray(sums)
        counts = np.diff(begins, append=order.size)
        return np.asarray(sums / counts.reshape(-1, *[1] * (sums.ndim - 1)))

    def to_scipy(self, level: int = -1) -> Any:
        """Return the weighted adjacency of a level as a ``scipy.sparse.csr_array``.

        Of a hypergraph it is the incidence: a row for each net, whose entries are its weight.
        """
        return self[self._place(level)].graph.to_scipy()

    def save(self, folder: str | PathLike[str], *, scale: float = 1.0) -> list[Path]:
        """Write every level as a METIS graph and every map as a .npy file; return the files.

        Level i becomes ``level-i.graph`` (a hypergraph ``level-i.hgr``, as hMETIS has it), with
        weights of vertices and edges; its map to the next is ``map-i.npy``. ``levels.json`` has
        what the levels say of themselves. A folder with an earlier hierarchy is replaced in one
        step. If it has other files too, these stay, and the new ones are written one by one.

        Parameters
        ----------
        folder
            Where to.
        scale
            METIS knows whole numbers only. Weights are multiplied by this, and rounded if it is not
            1. If it is 1, they must be whole numbers.
        """
        folder = Path(folder)
        if folder.exists() and not folder.is_dir():
            raise OptionError(f"{str(folder)!r} is a file, not a folder")
        from ...files.aside import new_folder
        from ...files.files import naming

        there = {path.name for path in folder.iterdir()} if folder.exists() else set()
        ours = {name for name in there if name == TOLD or _WRITTEN.fullmatch(name)}
        folder.parent.mkdir(parents=True, exist_ok=True)
        with naming(folder):
            if there == ours and (TOLD in there or not there):
                with new_folder(folder) as place:
                    names = self._write(place, scale)
            else:
                for name in ours if TOLD in there else ():
                    (folder / name).unlink()
                names = self._write(folder, scale)
        return [folder / name for name in names]

    def _write(self, folder: Path, scale: float) -> list[str]:
        """Write the files of `save`; return their names."""
        from ...files import hmetis, metis
        from ...files.files import replacing

        names = [TOLD]  # first: it marks the others as ours
        limit = self.limit if self.limit < float("inf") else None  # which JSON does not have
        facts = {"reason": self.reason, "limit": limit, "levels": self.facts()}
        with replacing(folder / TOLD) as file:
            file.write(json.dumps(facts, indent=1).encode() + b"\n")
        for i, level in enumerate(self.levels):
            if isinstance(level.graph, Graph):
                names.append(f"level-{i}.graph")
                metis.write_graph(level.graph, folder / names[-1], scale=scale)
            else:
                names.append(f"level-{i}.hgr")
                hmetis.write_hypergraph(level.graph, folder / names[-1], scale=scale)
            if level.coarse is not None:
                names.append(f"map-{i}.npy")
                with replacing(folder / names[-1]) as file:
                    np.save(file, level.coarse)
        return names

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> Hierarchy:
        """Read the graphs, or hypergraphs, and maps that `save` wrote.

        Weights are as in the files, that is scaled if they were; `check` tells whether all fits.

        Raises
        ------
        FormatError
            ``levels.json``, or a graph, is not what `save` writes.

        Examples
        --------
        >>> import berge, tempfile
        >>> h = berge.coarsen(berge.generate.grid(9, 9), until=20)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = h.save(folder)
        ...     repr(h.load(folder)) == repr(h)
        True
        """
        from ...files import metis, npy
        from ...files.aside import in_place
        from .nets import read_hypergraph

        folder = in_place(folder)
        told = folder / TOLD
        try:
            facts = json.loads(told.read_text(encoding="utf-8"))
            reason, limit = str(facts["reason"]), facts["limit"]
            limit = float("inf") if limit is None else float(limit)
            names = "reduction", "weight_kept", "seconds"
            known = [tuple(float(x[name]) for name in names) for x in facts["levels"]]
        except (KeyError, OverflowError, TypeError, ValueError, RecursionError):
            raise FormatError("not what Hierarchy.save writes", told) from None
        has_nets = (folder / "level-0.hgr").exists()
        graph: Graph | Hypergraph
        made = []
        for i, numbers in enumerate(known):
            if has_nets:
                graph = read_hypergraph(folder / f"level-{i}.hgr")
            else:
                graph = metis.read_graph(folder / f"level-{i}.graph")
            coarse = None
            if i + 1 < len(known):
                kinds = np.dtype(np.int32), np.dtype(np.int64)
                coarse = npy.load(folder / f"map-{i}.npy", (graph.n_vertices,), *kinds)
            made.append(Level(graph, coarse, *numbers))
        return cls(tuple(made), reason, limit)

    def facts(self) -> list[dict[str, Any]]:
        """Return what the levels say of themselves, one dictionary each."""
        return [
            {
                "level": i,
                "vertices": level.graph.n_vertices,
                "edges": level.graph.n_edges,
                "reduction": level.reduction,
                "weight_kept": level.weight_kept,
                "seconds": level.seconds,
            }
            for i, level in enumerate(self.levels)
        ]

    def check(self) -> None:
        """Check every level against the one before it; return only if all is right.

        scipy adds up every vertex and edge of a level anew, in code that the coarsening does not
        share. So no weight of a vertex or an edge is lost, and none is invented.

        Raises
        ------
        ProofError
            Names the first thing that is wrong.
        """
        from .check import check_level

        for i, (fine, coarse) in enumerate(pairwise(self.levels)):
            check_level(fine.graph, fine.coarse, coarse.graph, f"level {i + 1}", self.limit)

    def _place(self, level: int) -> int:
        """Return the number of a level, counted from the finest."""
        if not isinstance(level, (int, np.integer)) or not -len(self) <= level < len(self):
            raise OptionError(f"there is no level {level!r} among {len(self)}")
        return int(level) % len(self)

    def _values(self, x: npt.ArrayLike, level: int) -> npt.NDArray[Any]:
        values = np.asarray(x)
        n = self[self._place(level)].graph.n_vertices
        if values.ndim == 0 or values.shape[0] != n:
            size = plural(n, "vertex", "vertices")
            raise OptionError(f"level {level} has {size}, x is of shape {values.shape}")
        return values

    def plot(self, path: str | PathLike[str] | None = None, name: str = "graph") -> Any:
        """Draw how many vertices and edges each level has; return matplotlib's figure.

        The picture is written to ``path``, if there is one.
        """
        sizes = {
            "vertices": [level.graph.n_vertices for level in self],
            "edges": [level.graph.n_edges for level in self],
        }
        title = f"{name}: {repr(self)[len('Hierarchy(') : -1]}"
        return draw_bars(sizes, path, title=title, below="level")

    def _facts(self) -> Iterator[tuple[str, str]]:
        for number, level in enumerate(self.levels):
            yield f"level {number}", repr(level)[len("Level(") : -1]
        yield "ended", self.reason

    def __repr__(self) -> str:
        coarsest = plural(self.coarsest.n_vertices, "vertex", "vertices")
        steps = plural(len(self) - 1, "step")
        return f"Hierarchy({self.finest.n_vertices:,} → {coarsest} in {steps}: {self.reason})"
