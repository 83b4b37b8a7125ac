"""A maximum matching of a graph in parts: start, search phase by phase, checkpoints.

Every part runs `match_part`, with any communicator. Threads of a part share the start within it,
and what one part solves alone; all else is one thread's. So run as many parts on a machine as it
has cores.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..errors import InvalidMatchingError
from ..solve.default import choose_start_in_parts
from .communicator import Array, Communicator
from .deal import Dealt, deal_columns
from .halo import Counts, Halo
from .messages import by_owner, deliver, total
from .part import Part, not_neighbours
from .part_run import PartRun
from .search import ALPHA, Forest
from .start import make_start
from .whole import Found, room_for, solve_alone, solve_gathered, worth_it
from .within import start_within


@dataclass
class PartStats:
    """What a solve in parts did; all but seconds and bytes are of the whole, the same in all parts.

    Attributes
    ----------
    init, start_cardinality
        The start, and how many edges it matched.
    cardinality, upper_bound
        Edges matched at the end; what no matching can exceed.
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
        None, ``"time limit"`` or ``"interrupted"``.
    edges, resumed_phase, cover
        Of a `Session`: edges of the graph; the phase of the checkpoint that it went on from, or
        None; the number of rows and of columns in the cover that proved the matching, or None.
    """

    init: str = "none"
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
    edges: int = 0
    resumed_phase: int | None = None
    cover: list[int] | None = None


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
    init: str = "auto",
    row_match: Array | None = None,
    checkpoint: Saver | None = None,
    seed: int = 0,
    threads: int = 1,
    exhaust: bool | None = None,
    alpha: float | None = None,
    gather: bool | None = None,
) -> PartResult:
    """Make a maximum matching, together with the other parts. Collective.

    Parameters
    ----------
    part
        What this peer has of the graph.
    comm
        How it talks to the others. A `PartRun` may have a time limit, after which all parts stop in
        the same round with a valid matching; and its ``on_phase`` is told of the start and of every
        phase.
    init
        The start: ``"within-parts"``, ``"karp-sipser"``, ``"greedy"`` or ``"none"``.
    row_match
        A valid matching to begin with: this part's rows, global columns. All parts pass one, or
        none does.
    checkpoint
        What saves the matching after the start and after every phase.
    seed
        For the random choices of the start. One seed and one number of parts give one matching.
    threads
        Threads that the start within a part may use, and whatever one part solves alone.
    exhaust
        Whether to search a part to its end before each exchange; by default if nine of ten
        edges lie within parts.
    alpha
        For the direction of the search: 0 is always top-down, infinity always bottom-up. By default
        first top-down, in plain phases, and then as in the paper.
    gather
        Whether one part may solve all there is: a single part from the beginning, part 0 of several
        if it has the memory (see `berge.distributed.whole`). By default it may, if neither a start
        nor how to search is asked for.

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
    run = PartRun.of(comm)
    choose_start_in_parts(init)
    stats = PartStats(seconds=run.seconds)
    before = run.exchanges, run.bytes
    given: Part = part
    dealt: Dealt | None = None
    if gather is None:
        gather = init == "auto" and exhaust is None and alpha is None

    def end(complete: bool, rows: Array, cols: Array, row_cover: Any, col_cover: Any) -> PartResult:
        if complete:  # if time was up, it was not for too long
            run.stopped = None
            stats.upper_bound = stats.cardinality
        stats.stopped = run.stopped
        if dealt is not None:
            with run.timed("deal"):
                rows = dealt.rows_back(rows)
                if col_cover is None:
                    (cols,) = dealt.cols_back(run, cols)
                else:
                    cols, col_cover = dealt.cols_back(run, cols, col_cover)
        stats.exchanges = run.exchanges - before[0]
        stats.bytes = run.bytes - before[1]
        run.seconds["total"] = run.elapsed
        return PartResult(rows, cols, complete, row_cover, col_cover, stats)

    def end_phase(step: str) -> None:
        if checkpoint is not None and row_match is not None:
            with run.timed("checkpoint"):
                mates = row_match if dealt is None else dealt.rows_back(row_match)
                checkpoint.save(run, given, mates, stats.phases)
        run.tell(step, stats.phases, stats.cardinality, stats.upper_bound)

    if gather and run.size == 1:
        if row_match is not None:
            mates_of_columns(part, run, row_match)  # which checks it
        with run.timed("search"):
            found = solve_alone(part, run, row_match, threads, seed)
        row_match = found.row_match
        _note(stats, found, "none" if init == "none" else choose_start_in_parts("auto"))
        end_phase("search")
        return end(found.complete, *found[:4])
    with run.timed("halo"):
        counts, room = Counts.of(part, run, room_for(part, run) if gather else 0)
    gather = counts.n_edges <= room
    if row_match is None and run.size > 1 and init == "auto" and not counts.searches_to_end:
        with run.timed("deal"):
            dealt = deal_columns(part, run, counts.n_edges)
            if dealt is not None:
                part = dealt.part
                counts, _ = Counts.of(part, run)
    stats.local_fraction = counts.local_fraction
    stats.upper_bound = min(counts.nonempty_rows, part.n_cols)
    stats.exhausted = counts.searches_to_end if exhaust is None else exhaust
    stats.init = choose_start_in_parts(init, gather or stats.exhausted)
    if row_match is not None and stats.init == "within-parts":
        stats.init = "karp-sipser"  # which goes on from a matching
    plain = alpha is None and stats.init == "within-parts"
    halo = None
    if not plain:
        with run.timed("halo"):
            halo = Halo.build(part, run, counts)
    with run.timed("init"):
        if row_match is None:
            row_match = np.full(len(part.rows), -1, np.int64)
            col_match = np.full(len(part.cols), -1, np.int64)
        else:
            row_match = np.array(row_match, np.int64)
            col_match = mates_of_columns(part, run, row_match)
        if stats.init == "within-parts":
            start_within(part, counts.nonempty, run, row_match, col_match, threads)
        elif halo is not None and stats.init != "none":
            by_degree, local = stats.init == "karp-sipser", stats.exhausted
            make_start(halo, run, row_match, col_match, by_degree=by_degree, seed=seed, local=local)
        (stats.cardinality,) = total(run, int(np.count_nonzero(row_match >= 0)))
    stats.start_cardinality = stats.cardinality
    end_phase("init")
    if stats.cardinality == counts.nonempty_rows:  # no row is left to search from
        return end(True, row_match, col_match, row_match >= 0, np.zeros(col_match.size, np.bool_))
    if halo is None:
        with run.timed("halo"):
            halo = Halo.build(part, run, counts, complete=False)
    with run.timed("search"):
        way: Any = {"exhaust": stats.exhausted, "alpha": ALPHA if alpha is None else alpha}
        forest = Forest(halo, run, row_match, col_match, plain=plain, **way)
    gained = 0
    while True:
        with run.timed("search"):
            phase = forest.phase()
        stats.phases += 1
        stats.cardinality += phase.gained
        end_phase("search")
        if phase.gained == 0 or not phase.complete:
            break
        if gather and worth_it(counts.n_edges, run.exchanges - before[0], gained, phase.gained):
            phases, start = stats.phases, stats.start_cardinality
            with run.timed("gathered"):
                found = solve_gathered(part, run, row_match, threads, seed)
            row_match = found.row_match
            _note(stats, found, stats.init)
            stats.phases, stats.start_cardinality = phases + found.phases, start
            stats.traversed_edges += forest.traversed_edges
            end_phase("search")
            return end(found.complete, *found[:4])
        gained = phase.gained
        with run.timed("graft"):
            forest.next_forest()
    stats.traversed_edges = forest.traversed_edges
    covers = forest.cover() if phase.complete else (None, None)
    return end(phase.complete, row_match, col_match, *covers)


def _note(stats: PartStats, found: Found, init: str) -> None:
    """Note what one part did alone."""
    stats.init, stats.phases = init, found.phases
    stats.start_cardinality, stats.cardinality = found.start_cardinality, found.cardinality
    stats.upper_bound, stats.traversed_edges = found.upper_bound, found.traversed_edges


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
