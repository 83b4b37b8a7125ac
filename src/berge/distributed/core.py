"""A maximum matching of a graph in parts: start, search phase by phase, checkpoints.

Every part runs `match_part`, with any communicator. One thread a part: run as many parts on a
machine as it has cores.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..errors import InvalidMatchingError, OptionError
from ..results.run import PhaseReport
from .communicator import Array, Communicator, Recorder
from .halo import Halo
from .messages import by_owner, deliver, total
from .part import Part, not_neighbours
from .search import ALPHA, Forest
from .start import make_start

__all__ = ["STARTS", "PartResult", "PartStats", "Saver", "match_part", "mates_of_columns"]

STARTS = ("karp-sipser", "greedy", "none")


@dataclass
class PartStats:
    """What a solve in parts did; all but seconds and bytes are of the whole, the same in all parts.

    Attributes
    ----------
    start_cardinality, cardinality, upper_bound
        Edges matched by the start, and at the end; what no matching can exceed.
    phases, exchanges
        Rounds of searching and augmenting, and exchanges from start to end.
    bytes
        Bytes that this part sent to others.
    traversed_edges
        Edges looked at by the search of this part.
    local_fraction
        Share of edges whose both ends are in one part.
    exhausted
        Whether the parts searched to their end before each exchange.
    seconds
        Seconds of this part by step, ``exchange`` among them: waiting for others and for the wire.
    stopped
        None, or ``"time limit"``.
    """

    start_cardinality: int = 0
    cardinality: int = 0
    upper_bound: int = 0
    phases: int = 0
    exchanges: int = 0
    bytes: int = 0
    traversed_edges: int = 0
    local_fraction: float = 1.0
    exhausted: bool = False
    seconds: dict[str, float] = field(default_factory=dict)
    stopped: str | None = None


class Saver(Protocol):
    """What `match_part` hands the matching to: a `Checkpoint`, for one."""

    def save(self, comm: Communicator, part: Part, row_match: Array, phase: int) -> None:
        """Save the matching that a phase ended with. Collective."""
        ...


@dataclass(eq=False)
class PartResult:
    """A part's share of a matching: of its rows and columns, with global numbers.

    Attributes
    ----------
    row_match, col_match
        Mates of this part's rows and columns, −1 where there is none.
    complete
        Whether the matching is maximum.
    row_cover, col_cover
        If it is, which of this part's vertices are in a vertex cover of the same size: what the
        last search leaves behind. `prove_part` checks it.
    stats
        What happened.
    """

    row_match: Array
    col_match: Array
    complete: bool
    row_cover: npt.NDArray[np.bool_] | None
    col_cover: npt.NDArray[np.bool_] | None
    stats: PartStats


def match_part(
    part: Part,
    comm: Communicator,
    *,
    init: str = "karp-sipser",
    row_match: Array | None = None,
    checkpoint: Saver | None = None,
    time_limit: float | None = None,
    on_phase: Callable[[PhaseReport], Any] | None = None,
    seed: int = 0,
    exhaust: bool | None = None,
    alpha: float = ALPHA,
) -> PartResult:
    """Make a maximum matching, together with the other parts. Collective.

    Parameters
    ----------
    part, comm
        What this peer has of the graph, and how it talks to the others.
    init
        The start: ``"karp-sipser"``, ``"greedy"`` or ``"none"``.
    row_match
        A valid matching to begin with: this part's rows, global columns. All parts pass one, or
        none does.
    checkpoint
        What saves the matching after the start and after every phase.
    time_limit
        Seconds after which all parts stop in the same round, with a valid matching.
    on_phase
        Called with a `PhaseReport` after the start and after every phase, on every part that
        passes it.
    seed
        For the random choices of the start. One seed and one number of parts give one matching.
    exhaust
        Whether to search a part to its end before each exchange; by default if nine of ten
        edges lie within parts.
    alpha
        For the direction of the search: 0 is always top-down, infinity always bottom-up.

    Examples
    --------
    >>> import berge
    >>> from berge.distributed.communicator import run_threads
    >>> from berge.distributed.core import match_part
    >>> from berge.distributed.part import Part
    >>> graph = berge.generate.chain(1000)
    >>> def work(comm):
    ...     return match_part(Part.from_graph(graph, comm.rank, comm.size), comm)
    >>> results = run_threads(2, work)
    >>> results[0].stats.cardinality, [int((r.row_match >= 0).sum()) for r in results]
    (1000, [500, 500])
    """
    if init not in STARTS:
        raise OptionError(f"init must be one of {', '.join(STARTS)}, not {init!r}")
    started = time.perf_counter()
    deadline = started + time_limit if time_limit is not None else float("inf")
    recorder = comm if isinstance(comm, Recorder) else Recorder(comm)
    first = recorder.exchanges, recorder.bytes
    stats = PartStats()
    step = partial(_timed, recorder, stats)
    with step("halo"):
        halo = Halo.build(part, recorder)
    stats.local_fraction = halo.local_fraction
    stats.upper_bound = min(halo.nonempty_rows, part.n_cols)
    stats.exhausted = halo.searches_to_end if exhaust is None else exhaust
    with step("init"):
        if row_match is None:
            row_match = np.full(len(part.rows), -1, np.int64)
            col_match = np.full(len(part.cols), -1, np.int64)
        else:
            row_match = np.array(row_match, np.int64)
            col_match = mates_of_columns(part, recorder, row_match)
        if init != "none":
            make_start(
                part,
                halo,
                recorder,
                row_match,
                col_match,
                by_degree=init == "karp-sipser",
                seed=seed,
                deadline=deadline,
                local=stats.exhausted,
            )
        (stats.cardinality,) = total(recorder, int(np.count_nonzero(row_match >= 0)))
    stats.start_cardinality = stats.cardinality
    name = "init"

    def end_phase() -> None:
        if checkpoint is not None:
            with step("checkpoint"):
                checkpoint.save(recorder, part, row_match, stats.phases)
        if on_phase is not None:
            seconds = time.perf_counter() - started
            on_phase(PhaseReport(name, stats.phases, stats.cardinality, stats.upper_bound, seconds))

    end_phase()
    name = "search"
    with step("search"):
        forest = Forest(
            part,
            halo,
            recorder,
            row_match,
            col_match,
            exhaust=stats.exhausted,
            alpha=alpha,
        )
    while True:
        with step("search"):
            phase = forest.phase(deadline)
        stats.phases += 1
        stats.cardinality += phase.gained
        end_phase()
        if phase.gained == 0 or not phase.complete:
            break
        with step("graft"):
            forest.next_forest()
    stats.stopped = None if phase.complete else "time limit"
    if phase.complete:
        stats.upper_bound = stats.cardinality
    row_cover, col_cover = forest.cover() if phase.complete else (None, None)
    stats.traversed_edges = forest.traversed_edges
    stats.exchanges = recorder.exchanges - first[0]
    stats.bytes = recorder.bytes - first[1]
    stats.seconds["exchange"] = sum(record.waited for record in recorder.log[first[0] :])
    stats.seconds["total"] = time.perf_counter() - started
    return PartResult(row_match, col_match, phase.complete, row_cover, col_cover, stats)


def mates_of_columns(part: Part, comm: Communicator, row_match: Array) -> Array:
    """Return the mates of this part's columns, from those of all rows. Two exchanges.

    Raises
    ------
    InvalidMatchingError
        On all parts alike, if a pair is not an edge, or two rows have one column.
    """
    rows = np.flatnonzero(row_match >= 0)
    pairs = np.column_stack([row_match[rows], rows + part.rows.start])
    pairs = pairs[pairs[:, 0] < part.n_cols]
    received, _ = comm.exchange(by_owner(part.col_bounds, pairs))
    cols, mates = np.concatenate(received).reshape(-1, 2).T
    col_match = np.full(len(part.cols), -1, np.int64)
    col_match[cols - part.cols.start] = mates
    strangers = not_neighbours(part, row_match) + part.rows.start
    twice = mates[col_match[cols - part.cols.start] != mates]
    wrong = [int(rows[0]) if rows.size else -1 for rows in (strangers, twice)]
    stranger, second = (int(row) for row in deliver(comm, [], wrong)[1].max(axis=0))
    if stranger >= 0:
        raise InvalidMatchingError(f"row {stranger} is matched to a column that it has no edge to")
    if second >= 0:
        raise InvalidMatchingError(f"row {second} is matched to a column that another row has")
    return col_match


@contextmanager
def _timed(recorder: Recorder, stats: PartStats, step: str) -> Iterator[None]:
    """Name the exchanges of a block, and add its seconds, without those in exchanges, to a step."""
    before, n, begin = recorder.step, recorder.exchanges, time.perf_counter()
    recorder.step = step
    try:
        yield
    finally:
        recorder.step = before
        seconds = time.perf_counter() - begin - sum(r.waited for r in recorder.log[n:])
        stats.seconds[step] = stats.seconds.get(step, 0.0) + seconds
