"""A Dask worker's share of a solve: the thread that does the matching, and who answers for it.

The matching loop runs in a thread of its own. The actor's methods run on the worker's event loop,
so they are answered at any moment. Each member keeps the matching of its last phases: that is what
is left to go on from when a peer is lost.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from distributed.comm import Comm
from distributed.core import Status
from distributed.protocol.pickle import dumps, loads

from distributed import Worker, get_worker

from ..errors import ClusterError
from ..results.run import PhaseReport
from ..wording import in_bytes
from .checkpoint import Checkpoint
from .communicator import Array, Communicator
from .core import PartStats, Saver
from .greedy import GreedyPart
from .links import LINK, Links
from .messages import by_owner, together
from .part import Part
from .session import Session


class Sessions:
    """What a worker keeps of solves under way; an extension of the worker, made on first use."""

    def __init__(self, worker: Worker):
        self.open: dict[str, WorkerSession] = {}
        worker.handlers[LINK] = self.receive
        # Columns of the dashboard's table of workers; they come with the worker's heartbeats.
        worker.metrics["berge phase"] = lambda worker: self._latest("phase")
        worker.metrics["berge matched"] = lambda worker: self._latest("cardinality")

    def _latest(self, name: str) -> int:
        """Return what the last report of a solve under way says, 0 if there is none."""
        reports = [session.latest for session in self.open.values() if session.latest is not None]
        return int(getattr(reports[-1], name)) if reports else 0

    @classmethod
    def of(cls, worker: Worker) -> Sessions:
        """Return those of a worker."""
        sessions = worker.extensions.get("berge")
        if not isinstance(sessions, cls):
            worker.extensions["berge"] = sessions = cls(worker)
        return sessions

    async def receive(self, comm: Comm, session: str, rank: int) -> Status:
        """Read what a peer sends until it is gone."""
        if session in self.open:
            incoming = self.open[session].links.incoming
            try:
                while True:
                    incoming.put(rank, await comm.read())
            except OSError as error:
                incoming.lose(rank, str(error) or "its connection was closed")
        comm.abort()
        return Status.dont_reply


@dataclass
class Job:
    """What the members are to do; the same for all.

    Attributes
    ----------
    make_part
        From a communicator and the pieces that were handed to this member, its part.
    options
        For `Session.search`, or `Session.greedy`.
    threads
        Threads of kernels; None for as many as the worker has, or numba if that is fewer.
    greedy
        Whether to find a maximal matching, by `Session.greedy`, and none of what follows.
    before
        A session that failed and the phase whose matching its members have kept, or None.
    prove
        Whether to check the matching and a cover.
    output
        Folder for the result, or None to hold it until it is fetched.
    time_limit
        Seconds that are left.
    """

    make_part: Callable[[Communicator, list[Any]], Part]
    options: dict[str, Any]
    threads: int | None = None
    greedy: bool = False
    before: tuple[str, int] | None = None
    prove: bool = False
    output: str | None = None
    time_limit: float | None = None


@dataclass
class Progress:
    """What a member tells the driver.

    Attributes
    ----------
    reports
        Phases since the driver last asked.
    kept
        Phases whose matching this member has.
    done, error
        Whether its thread has ended, and why, if not well.
    limit
        Bytes of memory that its worker may take, 0 if that is not limited.
    needed
        Bytes that it takes to solve its part of the graph, once it is read.
    """

    reports: list[PhaseReport] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    done: bool = False
    error: BaseException | None = None
    limit: int = 0
    needed: int = 0


class _Keeper:
    """Keeps the matching of the last two phases, and hands it on to the checkpoint if there is one.

    Two, since members may be one phase apart when one is lost. Takes the place of a `Checkpoint`.
    """

    def __init__(self, checkpoint: Checkpoint | None):
        self.checkpoint = checkpoint
        self.kept: dict[int, tuple[int, Array]] = {}

    def keep(self, part: Part, row_match: Array, phase: int) -> None:
        self.kept[phase] = part.rows.start, row_match.copy()
        for old in sorted(self.kept)[:-2]:
            del self.kept[old]

    def save(self, comm: Communicator, part: Part, row_match: Array, phase: int) -> None:
        self.keep(part, row_match, phase)
        if self.checkpoint is not None:
            self.checkpoint.save(comm, part, row_match, phase)

    def pairs(self, phase: int) -> Array:
        """Return matched rows and their columns, side by side."""
        first, row_match = self.kept[phase]
        rows = np.flatnonzero(row_match >= 0)
        return np.column_stack([first + rows, row_match[rows]]).astype(np.int64)


class WorkerSession(Session):
    """A `Session` on a worker, in one attempt at a solve: also for when others are lost."""

    def __init__(self, worker: Worker, name: str, rank: int, addresses: Sequence[str]):
        self.links = Links(worker, name, rank, addresses)
        super().__init__(self.links)
        self.name, self.nthreads = name, worker.state.nthreads
        self.shares_process = len(addresses) > 1 and worker.address.startswith("inproc:")
        self.sessions = Sessions.of(worker)
        self.sessions.open[name] = self
        self.pieces: list[Any] = []
        limit = getattr(worker.memory_manager, "memory_limit", None)
        self.progress = Progress(limit=int(limit or 0))
        self.latest: PhaseReport | None = None
        self.keeper = _Keeper(None)
        self.before: tuple[str, int] | None = None

    def close(self) -> None:
        """Free the peers, and forget everything."""
        self.links.close()
        self.sessions.open.pop(self.name, None)

    def work(self, job: Job) -> None:
        """Do the job; the body of the matching thread."""
        from ..compile import thread_count, threads_of
        from ..compile.threads import side_by_side

        self.run.started, self.run.time_limit = time.perf_counter(), job.time_limit
        self.run.on_phase = self._told
        self.before = job.before
        solve = self.greedy if job.greedy else self.search
        try:
            self.links.connect()
            threads = threads_of(job.threads or min(self.nthreads, threads_of(None)))
            if self.shares_process and not side_by_side():
                threads = 1
            more: dict[str, Any] = {} if job.greedy else {"threads": threads}
            with thread_count(threads):
                solve(lambda comm: job.make_part(comm, self.pieces), **job.options, **more)
                if job.prove:
                    self.prove()
                if job.output is not None:
                    self.write(job.output)
        except BaseException as error:
            self.progress.error = error
            self.links.close()
        finally:
            self.progress.done = True

    def _told(self, report: PhaseReport) -> None:
        """Keep a report for the dashboard, and hand it on if it is this part's turn to do so."""
        self.latest = report
        if self.run.rank == 0:
            self.progress.reports.append(report)

    def _read(self, make_part: Callable[[Communicator], Part]) -> tuple[Part, int]:
        """Make the part, and stop at once if there is no memory on this worker to go on."""
        part, edges = super()._read(make_part)
        index = part.indices.itemsize
        more = 2 * index * part.nnz + 60 * (len(part.rows) + len(part.cols))
        there = part.indices.nbytes + part.indptr.nbytes
        self.progress.needed = there + more
        limit = self.progress.limit
        with together(self.run):
            if limit and (taken := _resident()) + more > limit:
                raise ClusterError(
                    f"part {part.rank} of {part.size} of the graph, {part.nnz:,} edges, takes "
                    f"{in_bytes(there + more)}: {in_bytes(more)} more than the {in_bytes(taken)} "
                    f"that its worker has, which may have {in_bytes(limit)}; use more workers, or "
                    "a larger --memory-limit"
                )
        return part, edges

    def first(self, part: Part) -> Array | None:
        """Return what the survivors of the attempt before have kept, or None."""
        if self.before is None:
            return None
        name, phase = self.before
        survivor = self.sessions.open.get(name)
        empty = np.zeros((0, 2), np.int64)
        pairs = empty if survivor is None else survivor.keeper.pairs(phase)
        received, _ = self.run.exchange(by_owner(part.row_bounds, pairs))
        rows, cols = np.concatenate(received).reshape(-1, 2).T
        row_match = np.full(len(part.rows), -1, np.int64)
        row_match[rows - part.rows.start] = cols
        return row_match

    def saver(self, part: Part, first: Array | None) -> Saver:
        """Return what keeps the matching of the last phases, besides the checkpoint."""
        self.pieces = []  # the part is made
        self.keeper.checkpoint = self.checkpoint
        if first is not None:
            self.keeper.keep(part, first, -1)
        return self.keeper


class Member:
    """The actor on a worker. Its methods are answered by the event loop, also during a solve.

    They take and return bytes: a call whose arguments or answer Dask fails to pickle never returns.
    """

    def __init__(self, name: str, rank: int, addresses: Sequence[str]):
        self._session = session = WorkerSession(get_worker(), name, rank, addresses)
        # Dask lets go of the actor when the client does, or is gone.
        weakref.finalize(self, session.close)

    async def start(self, job: bytes) -> None:
        """Begin a job, in a thread."""
        threading.Thread(
            target=self._session.work, args=(loads(job),), name="berge-matching", daemon=True
        ).start()

    async def progress(self) -> bytes:
        """Return a `Progress` with what is new."""
        mine = self._session.progress
        count = len(mine.reports)
        told = replace(mine, reports=mine.reports[:count], kept=list(self._session.keeper.kept))
        del mine.reports[:count]
        try:
            return bytes(dumps(told))
        except Exception:
            return bytes(dumps(replace(told, error=ClusterError(repr(told.error)))))

    async def stop(self) -> None:
        """Wish that all members stop."""
        self._session.run.interrupted = True

    async def leave(self) -> None:
        """End the work, but keep the matching of the last phases."""
        self._session.links.close()

    async def close(self) -> None:
        """End the session; its thread, if it still runs, ends with the next exchange."""
        self._session.close()


def _resident() -> int:
    """Return the bytes of memory that this process has."""
    import psutil

    return int(psutil.Process().memory_info().rss)


def give(name: str, piece: Any) -> None:
    """Hand a piece to the member on this worker; a task."""
    Sessions.of(get_worker()).open[name].pieces.append(piece)


def fetch(name: str, arrays: bool) -> tuple[dict[str, Any], PartStats | GreedyPart]:
    """Return the result's arrays, unless they are not asked for, and what there is to tell."""
    session = Sessions.of(get_worker()).open[name]
    told: PartStats | GreedyPart
    if session.pairs is not None:
        told = replace(session.pairs, mate=session.pairs.mate[:0], certificate=None)
    else:
        assert session.result is not None
        told = session.result.stats
    return session.arrays() if arrays else {}, told
