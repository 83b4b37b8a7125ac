"""What comes out of a solve: `Matching`, and `SolveStats` about how it was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from os.path import isdir
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidMatchingError, ProofError
from ..graphs.graph import BipartiteGraph, IndexArray
from ..graphs.owned import is_sealed, sealed
from ..settings import Checker
from ..shown import Shown
from ..wording import in_seconds, plural

if TYPE_CHECKING:
    from .proof import Certificate

__all__ = ["UNMATCHED", "Matching", "SolveStats"]

UNMATCHED = -1


@dataclass(repr=False)
class SolveStats(Shown):
    """What a solve did. Collected always; it costs next to nothing.

    Attributes
    ----------
    algorithm, init, device, threads, seed
        How it was run.
    start_cardinality
        Size of the matching that the exact algorithm began with.
    phases
        Rounds of searching and augmenting; of push-relabel, global relabellings.
    traversed_edges
        Edges looked at by the exact algorithm.
    augmenting_paths, path_edges, longest_path
        Number of augmenting paths, the sum of their lengths in edges, and the longest.
        Push-relabel has none.
    path_lengths
        ``path_lengths[b]`` paths had a length from 2ᵇ to 2ᵇ⁺¹ − 1 edges.
    levels
        Levels of breadth-first search, over all phases.
    frontiers
        Size of the frontier by level, one list a phase. Only the first 10 000 levels are kept.
    grafts
        Of MS-BFS-Graft: how many columns each phase but the first began with by grafting; 0 if it
        began with the unmatched rows.
    launches
        Of algorithms for GPUs: how many kernels a phase launched to search, one number a phase.
    iterations, pushes, active
        Of G-PR: push launches; columns taken; and ``[iteration, active rows]`` at every global
        relabelling, of which the first 10 000 are kept.
    passes, bytes_read, bytes_needed
        Out of core: how often the edges were gone through, or some of them; what was read; and that
        without what lies between the rows that were asked for.
    seconds
        Seconds by step: ``transpose``, ``init``, and the steps of the algorithm (``search``, or
        ``top-down`` and ``bottom-up``; ``augment``, ``graft``, ``extra``; ``push``, ``relabel``;
        ``pass``, ``mark``); ``total`` is the whole call.
    stopped
        None, ``"interrupted"`` or ``"time limit"``.
    cluster
        Of a solve on several machines: ``workers``, ``restarts`` after a worker was lost,
        ``exchanges`` between them, ``bytes`` sent in these, and ``edges`` of the graph. If it went
        on from a checkpoint, ``resumed_phase`` is the phase after which that was saved.

    Examples
    --------
    >>> import berge
    >>> berge.maximum_matching([[1, 0], [1, 1]]).stats.algorithm
    'mixed'
    """

    algorithm: str = ""
    init: str = ""
    device: str = "cpu"
    threads: int = 1
    seed: int = 0
    start_cardinality: int = 0
    phases: int = 0
    traversed_edges: int = 0
    augmenting_paths: int = 0
    path_edges: int = 0
    longest_path: int = 0
    path_lengths: list[int] = field(default_factory=list)
    levels: int = 0
    frontiers: list[list[int]] = field(default_factory=list)
    grafts: list[int] = field(default_factory=list)
    launches: list[int] = field(default_factory=list)
    iterations: int = 0
    pushes: int = 0
    active: list[list[int]] = field(default_factory=list)
    passes: int = 0
    bytes_read: int = 0
    bytes_needed: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    stopped: str | None = None
    cluster: dict[str, int] = field(default_factory=dict)

    def _facts(self) -> Iterator[tuple[str, str]]:
        for name, value in self.as_dict().items():
            if value not in (None, [], {}, "", 0):
                text = str(value)
                yield name, text if len(text) < 200 else f"{text[:200]} …"

    @property
    def average_path(self) -> float:
        """Average length of the augmenting paths in edges; 0 if there were none."""
        return self.path_edges / self.augmenting_paths if self.augmenting_paths else 0.0

    @property
    def search_seconds(self) -> float:
        """Seconds of the exact algorithm: all steps but the transpose and the start."""
        apart = {"total", "connect", "transpose", "init"}
        return sum(s for step, s in self.seconds.items() if step not in apart)

    @property
    def search_rate(self) -> float:
        """Millions of edges traversed per second (MTEPS) of the exact algorithm's time."""
        seconds = self.search_seconds
        return self.traversed_edges / seconds / 1e6 if seconds else 0.0

    def in_words(self) -> str:
        """Return by what it was found, and in how long."""
        total = self.seconds.get("total")
        took = "" if total is None else f" in {in_seconds(total)}"
        return f"by {self.algorithm} with start {self.init}{took}" if self.algorithm else took

    def __repr__(self) -> str:
        stopped = f", stopped: {self.stopped}" if self.stopped else ""
        return f"SolveStats({self.in_words()}, {plural(self.phases, 'phase')}{stopped})"

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain Python values, fit for JSON."""
        return asdict(self) | {
            "average_path": self.average_path,
            "search_rate": self.search_rate,
        }


class Matching(Shown):
    """A matching of a bipartite graph.

    Attributes
    ----------
    row_match, col_match
        ``row_match[i]`` is the column of row i or −1, ``col_match[j]`` the row of column j or −1.
        Both are the matching's own, and read-only.
    upper_bound
        No matching of the graph is larger than this. Equal to `cardinality` once an exact
        algorithm has run to its end.
    stats
        `SolveStats` of the solve, or None.
    certificate
        The `Certificate` of the last successful `prove`, or None.
    row_labels, col_labels
        Names of rows and columns, where the graph had any.
    source
        How the input was read where it did not say so itself, in words; else None.

    Examples
    --------
    >>> import berge
    >>> m = berge.maximum_matching(([0, 0, 1], [0, 1, 0]))
    >>> m
    Matching(cardinality=2, perfect)
    >>> m.pairs()
    array([[0, 1],
           [1, 0]], dtype=int32)
    """

    certificate: Certificate | None = None
    row_labels: Sequence[Any] | None = None
    col_labels: Sequence[Any] | None = None
    source: str | None = None
    _cover: Certificate | None = None  # that the solver came upon; not checked yet
    _reached: tuple[npt.NDArray[np.bool_], bool] | None = None  # the same: see `cover_of_reached`
    _graph: Any = None  # what was matched, if it is square; weak

    def __init__(
        self,
        row_match: npt.ArrayLike,
        col_match: npt.ArrayLike,
        *,
        upper_bound: int,
        stats: SolveStats | None = None,
        row_labels: Sequence[Any] | None = None,
        col_labels: Sequence[Any] | None = None,
    ):
        self.row_match: IndexArray = _frozen("row_match", row_match)
        self.col_match: IndexArray = _frozen("col_match", col_match)
        shorter = min(self.row_match, self.col_match, key=len)
        self.cardinality = int(np.count_nonzero(shorter >= 0))
        self.upper_bound = int(upper_bound)
        self.stats = stats
        self.row_labels, self.col_labels = row_labels, col_labels
        if self.upper_bound < self.cardinality:
            raise InvalidMatchingError(
                f"upper_bound {upper_bound} is below the cardinality {self.cardinality}"
            )

    @classmethod
    def _found(
        cls, row_match: IndexArray, col_match: IndexArray, cardinality: int, stats: SolveStats
    ) -> Matching:
        """Wrap the arrays of a maximum matching, which are known to be right."""
        matching = cls.__new__(cls)
        row_match.flags.writeable = col_match.flags.writeable = False
        matching.row_match, matching.col_match = row_match, col_match
        matching.cardinality = matching.upper_bound = cardinality
        matching.stats = stats
        return matching

    @property
    def n_rows(self) -> int:
        """Number of rows of the graph."""
        return int(self.row_match.shape[0])

    @property
    def n_cols(self) -> int:
        """Number of columns of the graph."""
        return int(self.col_match.shape[0])

    @property
    def reading(self) -> str:
        """How the graph was read, in a line; who has a symmetric matrix may mean something else.

        The graph is looked at for this, if it is still there. O(rows + edges).

        Examples
        --------
        >>> import berge, numpy as np
        >>> triangle = np.ones((3, 3))
        >>> berge.maximum_matching(triangle).reading
        'rows × columns, though symmetric: general=True takes it for a graph of one set of vertices'
        """
        graph = self._graph and self._graph()
        if self.n_rows != self.n_cols:
            return "rows × columns"
        if graph is None:
            return "rows × columns; whether it was symmetric is not known: the graph is gone"
        from ..graphs.symmetry import is_symmetric
        from ..ingest import as_bipartite

        if not is_symmetric(as_bipartite(graph)):
            return "rows × columns"
        hint = "general=True takes it for a graph of one set of vertices"
        return f"rows × columns, though symmetric: {hint}"

    @property
    def is_maximum(self) -> bool:
        """Whether no larger matching exists, as the solver says; `prove` proves it."""
        return self.cardinality == self.upper_bound

    @property
    def is_perfect(self) -> bool:
        """Whether every row and every column is matched."""
        return self.cardinality == self.n_rows == self.n_cols

    @property
    def unmatched_rows(self) -> IndexArray:
        """Rows without a column."""
        return np.flatnonzero(self.to_host().row_match < 0)

    @property
    def unmatched_cols(self) -> IndexArray:
        """Columns without a row."""
        return np.flatnonzero(self.to_host().col_match < 0)

    def pairs(self) -> IndexArray:
        """Return the matched pairs as an array of (row, column), by row."""
        row_match = self.to_host().row_match
        rows = np.flatnonzero(row_match >= 0)
        return np.column_stack([rows.astype(row_match.dtype), row_match[rows]])

    def as_dict(self) -> dict[Any, Any]:
        """Return row → column of all matched rows, by label where the graph had labels."""
        pairs = ((int(i), int(j)) for i, j in self.pairs())
        rows, cols = self.row_labels, self.col_labels
        return {rows[i] if rows else i: cols[j] if cols else j for i, j in pairs}

    def prove(self, graph: Any, *, check: Checker = "compiled") -> Certificate:
        """Prove that this is a maximum matching of the graph, by a vertex cover of equal size.

        Every matching edge needs a vertex of its own in any cover, so a cover as large as the
        matching shows that no larger matching exists (Kőnig). O(vertices + edges).

        Of a matching that was asked for ``within`` a share it proves the `upper_bound`, by the
        cover that came with it, of that size.

        Parameters
        ----------
        graph
            What was matched.
        check
            What checks the matching and the cover: see `verify`. ``"numpy"`` shares no compiled
            code with what it checks, and takes some ten times as long as ``"compiled"``.

        Raises
        ------
        ProofError
            If it is not a matching of the graph, or not a maximum one.

        Examples
        --------
        >>> import berge
        >>> A = berge.generate.layered(40)
        >>> berge.maximum_matching(A).prove(A)
        Certificate(a vertex cover of size 121: 121 rows, 0 columns)
        """
        from ..ingest import as_bipartite
        from .proof import cover_of_reached, find_cover, verify

        graph = as_bipartite(graph)
        certificate = self._cover or cover_of_reached(self)
        labels = {"row_labels": graph.row_labels, "col_labels": graph.col_labels}
        if self._cover is not None and self._cover.size == self.upper_bound > self.cardinality:
            verify(graph, self, self._cover, bound=self.upper_bound, check=check)
            self.certificate = replace(self._cover, **labels)
            return self.certificate
        if certificate is not None:
            try:
                verify(graph, self, certificate, check=check)
            except ProofError:  # of another graph, perhaps
                certificate = None
        if certificate is None:
            certificate = find_cover(graph, self.to_host())
            verify(graph, self, certificate, check=check)
        self.certificate = certificate = replace(certificate, **labels)
        self.upper_bound = self.cardinality
        return certificate

    def settled(self) -> Matching:
        """Return the same pairs in arrays that no other thread puts others in the place of."""
        here = self.to_host()
        rows, cols = here.row_match, here.col_match
        return Matching(rows, cols, upper_bound=min(np.size(rows), np.size(cols)))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_graph"}

    def turned(self) -> Matching:
        """Return the matching of the transposed graph."""
        here = self.to_host()
        return Matching(here.col_match, here.row_match, upper_bound=self.upper_bound)

    def to_host(self) -> Matching:
        """Return the same matching with numpy arrays: itself, unless it lies on a device."""
        return self

    def save(self, path: str | PathLike[str]) -> None:
        """Write to ``.npz``, ``.txt`` or ``.json``, by the suffix.

        The cover that proves an upper bound above the cardinality is kept in ``.npz``.

        Examples
        --------
        >>> import berge, tempfile
        >>> m = berge.Matching([1, -1], [-1, 0], upper_bound=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     m.save(f"{folder}/m.txt")
        ...     berge.Matching.load(f"{folder}/m.txt")
        Matching(cardinality=1, maximum)
        """
        from ..files.matchings import write_matching

        here = self.to_host()
        cover = here.certificate or here._cover
        bound = cover is not None and cover.size == here.upper_bound > here.cardinality
        masks = (cover.rows, cover.cols) if bound and cover is not None else None
        write_matching(path, here.row_match, here.col_match, here.upper_bound, masks)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Matching:
        """Read what `save` wrote, or a folder of parts, as a cluster writes it.

        What a folder says is no more proved than what any file says. If it has a cover, `prove`
        checks that first.

        Raises
        ------
        FormatError
            The file is not of the form its suffix says, or what it has is not a matching.
        """
        from ..files.aside import in_place
        from ..files.remote import is_url

        if not is_url(path) and isdir(path := in_place(path)):
            from ..files.matchings import check_mates
            from ..files.parts import MatchingFolder
            from .proof import Certificate

            parts = MatchingFolder(path)
            row_match, col_match = parts.mates("row_match"), parts.mates("col_match")
            check_mates(row_match, col_match, path)
            matching = Matching(row_match, col_match, upper_bound=parts.upper_bound)
            if parts.cover is not None:
                matching._cover = Certificate(parts.flags("row_cover"), parts.flags("col_cover"))
            return matching
        from ..files.matchings import read_matching
        from .proof import Certificate

        row_match, col_match, upper_bound, cover = read_matching(path)
        matching = Matching(row_match, col_match, upper_bound=upper_bound)
        matching._cover = None if cover is None else Certificate(*cover)
        return matching

    @classmethod
    def empty(cls, graph: BipartiteGraph) -> Matching:
        """Return the matching without edges."""
        return cls(
            np.full(graph.n_rows, UNMATCHED, graph.indices.dtype),
            np.full(graph.n_cols, UNMATCHED, graph.indices.dtype),
            upper_bound=min(graph.shape),
        )

    def plot(
        self, graph: Any, path: str | PathLike[str] | None = None, name: str = "matrix"
    ) -> Any:
        """Draw the matrix with the matched entries in blue; return matplotlib's figure.

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
        from ..ingest import as_bipartite

        title = f"{name}: {plural(self.cardinality, 'pair')}, {self._state()}"
        return draw_matches(as_bipartite(graph), self.pairs(), path, title=title)

    def _state(self) -> str:
        return "perfect" if self.is_perfect else "maximum" if self.is_maximum else "not maximum"

    def _facts(self) -> Iterator[tuple[str, str]]:
        state = "perfect" if self.is_perfect else "maximum"
        if not self.is_maximum:
            state = f"at most {self.upper_bound:,} are possible"
            if self.cardinality:
                state += f" ({(self.upper_bound / self.cardinality - 1):.2%} more)"
        proved = ", proved" if self.certificate is not None else ""
        yield "matched", f"{self.cardinality:,} pairs: {state}{proved}"
        rows, cols = self.n_rows - self.cardinality, self.n_cols - self.cardinality
        yield "unmatched", f"{rows:,} of {self.n_rows:,} rows, {cols:,} of {self.n_cols:,} columns"
        if self.source:
            yield "read as", self.source
        elif "symmetric: " in (reading := self.reading):
            yield "read as", reading
        if self.stats is not None:
            yield "found", self.stats.in_words()

    def __repr__(self) -> str:
        state = "maximum" if self.is_maximum else f"upper_bound={self.upper_bound}"
        if self.is_perfect:
            state = "perfect"
        return f"Matching(cardinality={self.cardinality}, {state})"


def _frozen(name: str, values: npt.ArrayLike) -> IndexArray:
    """Return integers that nobody can change: a copy, unless they are `sealed` already."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind != "i" and array.size):
        raise InvalidMatchingError(f"{name} must be a one-dimensional array of signed integers")
    if is_sealed(array):
        return array
    return sealed(np.array(array, None if array.dtype.kind == "i" else np.int32, subok=False))
