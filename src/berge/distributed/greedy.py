"""Maximal matchings of general graphs in parts, weighted or not, checked where the data lives.

A part of an undirected graph is a `Part` whose columns are the same vertices as its rows, cut
alike, with every edge in both directions. Weights go along as an array beside ``part.indices``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import OptionError
from ..graphs.graph import BipartiteGraph, Graph, index_type, not_square
from ..results.greedy_matching import GreedyMatching
from ..results.proof import chunks
from .communicator import Array, Communicator, Recorder
from .halo import Halo
from .locally_dominant import locally_dominant
from .messages import by_owner, deliver
from .part import Part
from .proof import check_cover, check_pairs
from .proposals import proposals

__all__ = ["METHODS", "GreedyPart", "cut", "greedy_part", "scattered", "undirected"]

METHODS = ("locally-dominant", "proposals", "weighted-proposals")
Weights = npt.NDArray[np.float64]


@dataclass(eq=False)
class GreedyPart:
    """A part's share of a matching; all but `mate`, `bytes` and `seconds` is of the whole.

    Attributes
    ----------
    mate
        Mates of this part's vertices, by global number; −1 where there is none.
    size, weight
        Number of pairs, and the sum of the weights of their edges.
    valid, is_maximal
        What the check found, edge by edge.
    reason
        The first thing that it found wrong, in words.
    method, rounds, exchanges, bytes, seconds
        How it was found: exchanges with those of the check, bytes that this part sent.
    """

    mate: Array
    size: int
    weight: float
    valid: bool
    is_maximal: bool
    reason: str
    method: str
    rounds: int
    exchanges: int
    bytes: int
    seconds: dict[str, float] = field(default_factory=dict)

    def joined(self, mate: Array, seed: int) -> GreedyMatching:
        """Return the matching of the whole, given the mates of all parts."""
        mate.flags.writeable = False
        return GreedyMatching(
            mate=mate,
            size=self.size,
            weight=self.weight,
            is_maximal=self.is_maximal,
            matched_fraction=(2 * self.size / max(mate.size, 1),),
            method=self.method,
            seed=seed,
            seconds=self.seconds,
        )


def greedy_part(
    part: Part,
    comm: Communicator,
    weights: Weights | None = None,
    *,
    method: str = "auto",
    p: float = 0.53406,
    seed: int = 0,
) -> GreedyPart:
    """Make a maximal matching, together with the other parts, and check it. Collective.

    Parameters
    ----------
    part
        A part of an undirected graph: see `scattered` and `undirected`.
    comm
        How it talks to the others.
    weights
        A weight ≥ 0 for every entry of ``part.indices``, the same in both directions; all parts
        pass them, or none does.
    method
        ``"locally-dominant"``, at least half as heavy as any matching, and the same on any number
        of parts; ``"proposals"`` or ``"weighted-proposals"``, which take some 2 · log n exchanges
        whatever the graph. By default the first with weights, and proposals without.
    p, seed
        Of proposals: how many vertices are blue, and their colours.

    Examples
    --------
    >>> import berge
    >>> from berge.distributed.communicator import run_threads
    >>> from berge.distributed.greedy import greedy_part, scattered
    >>> graph = berge.Graph.from_edges([0, 1, 2], [1, 2, 3], weights=[1, 5, 1])
    >>> def work(comm):
    ...     part, weights = scattered(graph if comm.rank == 0 else None, comm)
    ...     return greedy_part(part, comm, weights)
    >>> results = run_threads(2, work)
    >>> [r.mate.tolist() for r in results], results[0].weight, results[0].is_maximal
    ([[-1, 2], [1, -1]], 5.0, True)
    """
    if method == "auto":
        method = "proposals" if weights is None else "locally-dominant"
    if method not in METHODS:
        raise OptionError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    started = time.perf_counter()
    recorder = comm if isinstance(comm, Recorder) else Recorder(comm)
    before = recorder.exchanges, recorder.bytes
    recorder.step = "greedy"
    halo = Halo.build(part, recorder)
    mate = np.full(len(part.rows), -1, np.int64)
    values = np.ones(part.nnz) if weights is None else weights
    if method == "locally-dominant":
        rounds = locally_dominant(part, halo, recorder, values, mate)
    else:
        heaviest = method == "weighted-proposals"
        rounds = proposals(part, halo, recorder, values, mate, heaviest=heaviest, p=p, seed=seed)
    matched = time.perf_counter()
    recorder.step = "check"
    size, reason = check_pairs(part, recorder, mate, mate)
    valid = not reason
    if valid:
        # The matched vertices cover every edge: that is what maximal means.
        reason = check_cover(part, recorder, mate >= 0, mate >= 0)[1]
    heavy = np.array([_weight(part, values, mate) / 2]).view(np.int64)[0]
    notes = deliver(recorder, [], [int(heavy)])[1]
    now = time.perf_counter()
    return GreedyPart(
        mate,
        size // 2,
        float(notes[:, 0].copy().view(np.float64).sum()),
        valid,
        valid and not reason,
        reason,
        method,
        rounds,
        recorder.exchanges - before[0],
        recorder.bytes - before[1],
        {"match": matched - started, "check": now - matched, "total": now - started},
    )


def cut(graph: Graph, rank: int, size: int) -> tuple[Part, Weights | None]:
    """Return a part of a graph that is here as a whole, with its weights."""
    n = graph.n_vertices
    part = Part.from_graph(BipartiteGraph._trusted(graph.indptr, graph.indices, (n, n)), rank, size)
    if graph.weights is None:
        return part, None
    first, last = graph.indptr[part.rows.start], graph.indptr[part.rows.stop]
    return part, graph.weights[first:last]


def scattered(graph: Graph | None, comm: Communicator) -> tuple[Part, Weights | None]:
    """Share out a graph that peer 0 has, with its weights; the others pass None. Two exchanges."""
    n, whole = 0, None
    if graph is not None:
        n = graph.n_vertices
        whole = BipartiteGraph._trusted(graph.indptr, graph.indices, (n, n))
    part = Part.scattered(whole, comm)
    messages, weighted = [np.empty(0, np.int64)] * comm.size, 0
    if graph is not None and graph.weights is not None:
        cuts = graph.indptr[part.row_bounds]
        messages = np.split(graph.weights.view(np.int64), cuts[1:-1])
        weighted = 1
    received, weighted = comm.exchange(messages, weighted)
    return part, received[0].view(np.float64) if weighted else None


def undirected(part: Part, comm: Communicator) -> Part:
    """Make any square graph undirected: every entry in both directions, no loops. One exchange."""
    if part.n_rows != part.n_cols:
        raise not_square((part.n_rows, part.n_cols))
    rows = np.repeat(np.arange(part.rows.start, part.rows.stop), np.diff(part.indptr))
    cols = part.indices.astype(np.int64)
    apart = rows != cols
    rows, cols = rows[apart], cols[apart]
    edges = np.column_stack([np.concatenate([rows, cols]), np.concatenate([cols, rows])])
    received, _ = comm.exchange(by_owner(part.row_bounds, edges))
    rows, cols = np.concatenate(received).reshape(-1, 2).T
    # In order of row and column, each once.
    keys = np.unique((rows - part.rows.start) * part.n_cols + cols)
    rows, cols = np.divmod(keys, max(part.n_cols, 1))
    indptr = np.searchsorted(rows, np.arange(len(part.rows) + 1)).astype(index_type(keys.size))
    return Part(
        part.rank,
        part.size,
        part.n_rows,
        part.n_cols,
        part.row_bounds,
        part.row_bounds,
        indptr,
        cols.astype(part.indices.dtype),
    )


def _weight(part: Part, weights: Any, mate: Array) -> float:
    """Return the weights of this part's matched vertices' edges, added up."""
    total = 0.0
    for first, last in chunks(part.indptr):
        entries = slice(int(part.indptr[first]), int(part.indptr[last]))
        rows = np.repeat(np.arange(first, last), np.diff(part.indptr[first : last + 1]))
        total += float(weights[entries][part.indices[entries] == mate[rows]].sum())
    return total
