"""A Dask worker's share of a solve: the thread that does the matching, and who answers for it.

The matching loop runs in a thread of its own, the actor's methods on the worker's event loop, so
they are answered at any moment. Each member keeps the matching of its last phases: what is left to
go on from, or to hand over, when a peer is lost or the driver wants to stop.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, cast

import numpy as np
from distributed.comm import Comm
from distributed.core import Status
from distributed.protocol.pickle import dumps, loads

from distributed import Worker, get_worker

from ..errors import ClusterError, ProofError
from ..graphs.graph import index_type
from ..results.run import PhaseReport
from .checkpoint import Checkpoint
from .communicator import Array, Communicator
from .core import PartResult, PartStats, match_part, mates_of_columns
from .links import LINK, Links, Stopped
from .messages import by_owner, total
from .part import Part

__all__ = ["Job", "Member", "Progress", "fetch", "give"]


class Sessions:
    """What a worker keeps of solves under way; an extension of the worker, made on first use."""

    def __init__(self, worker: Worker):
        self.open: dict[str, Session] = {}
        worker.handlers[LINK] = self.receive

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
        For `match_part`.
    checkpoint
        Folder, or None.
    threads
        Threads of kernels; None for as many as the worker has, or numba if that is fewer.
    before
        A session that failed and the phase whose matching its members have kept, or None.
    prove
        Whether to check the matching and a cover.
    output
        Folder for the result, or None to hold it until it is fetched.
    """

    make_part: Callable[[Communicator, list[Any]], Part]
    options: dict[str, Any]
    threads: int | None
    checkpoint: str | PathLike[str] | None = None
    before: tuple[str, int] | None = None
    prove: bool = False
    output: str | PathLike[str] | None = None


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
    """

    reports: list[PhaseReport] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    done: bool = False
    error: BaseException | None = None


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


class Session:
    """One member's state in one attempt at a solve."""

    def __init__(self, worker: Worker, name: str, rank: int, addresses: Sequence[str]):
        self.name, self.nthreads = name, worker.state.nthreads
        self.sessions = Sessions.of(worker)
        self.sessions.open[name] = self
        self.links = Links(worker, name, rank, addresses)
        self.pieces: list[Any] = []
        self.progress = Progress()
        self.keeper = _Keeper(None)
        self.part: Part | None = None
        self.result: PartResult | None = None
        self.last: PhaseReport | None = None
        self.resumed: int | None = None  # the checkpoint's phase that it went on from
        self.facts: dict[str, Any] = {}

    def close(self) -> None:
        """Free the peers, and forget everything."""
        self.links.close()
        self.sessions.open.pop(self.name, None)

    def run(self, job: Job) -> None:
        """Do the job; the body of the matching thread."""
        from ..compile import thread_count, threads_of

        try:
            self.links.connect()
            threads = job.threads or min(self.nthreads, threads_of(None))
            with thread_count(threads_of(threads)):
                self._work(job)
        except BaseException as error:
            self.progress.error = error
            self.links.close()
        finally:
            self.progress.done = True

    def _work(self, job: Job) -> None:
        links = self.links
        try:
            self.part = part = job.make_part(links, self.pieces)
            self.pieces = []
            (nnz,) = total(links, part.nnz)
            first = self._first(job, part)
            options = job.options
            if first is not None:
                self.keeper.keep(part, first, -1)
            if self.resumed is not None:
                options = options | {"init": "none"}  # a checkpoint has the start in it
            self.result = match_part(
                part,
                links,
                row_match=first,
                checkpoint=cast("Checkpoint", self.keeper),
                on_phase=self._note if links.rank == 0 else None,
                **options,
            )
        except Stopped:
            if self.part is None:
                return
            (nnz,) = total(links, self.part.nnz)
            self.result = self._last_kept(self.part)
        assert self.part is not None
        self.facts = {"edges": nnz}
        if job.prove and self.result.complete:
            with suppress(Stopped):
                self._prove()
        links.heed_no_stop()
        if job.output is not None:
            self._write(job.output)

    def _note(self, report: PhaseReport) -> None:
        self.last = report
        self.progress.reports.append(report)

    def _first(self, job: Job, part: Part) -> Array | None:
        """Return the matching to begin with: the checkpoint's, what survivors kept, or none."""
        links = self.links
        if job.checkpoint is not None:
            self.keeper.checkpoint = checkpoint = Checkpoint(job.checkpoint)
            (seen,) = total(links, checkpoint.exists())
            if 0 < seen < links.size:
                raise ClusterError(
                    f"the checkpoint {job.checkpoint} is seen by {seen} of {links.size} workers: "
                    "it must lie on storage that they share"
                )
            if seen:
                row_match, self.resumed = checkpoint.load(links, part)
                return row_match
        if job.before is not None:
            name, phase = job.before
            survivor = self.sessions.open.get(name)
            empty = np.zeros((0, 2), np.int64)
            pairs = empty if survivor is None else survivor.keeper.pairs(phase)
            received, _ = links.exchange(by_owner(part.row_bounds, pairs))
            rows, cols = np.concatenate(received).reshape(-1, 2).T
            row_match = np.full(len(part.rows), -1, np.int64)
            row_match[rows - part.rows.start] = cols
            return row_match
        return None

    def _last_kept(self, part: Part) -> PartResult:
        """Make a result of the matching of the last phase, which is the same one in all parts."""
        kept = self.keeper.kept
        row_match = kept[max(kept)][1] if kept else np.full(len(part.rows), -1, np.int64)
        col_match = mates_of_columns(part, self.links, row_match)
        (cardinality,) = total(self.links, int(np.count_nonzero(row_match >= 0)))
        stats = PartStats(
            cardinality=cardinality,
            upper_bound=min(part.n_rows, part.n_cols),
            exchanges=self.links.exchanges,
            bytes=self.links.bytes,
            stopped="interrupted",
        )
        if self.last is not None:
            stats.upper_bound, stats.phases = self.last.upper_bound, self.last.phase
        return PartResult(row_match, col_match, False, None, None, stats)

    def _prove(self) -> None:
        from .proof import prove_part

        assert self.part is not None
        assert self.result is not None
        begin = time.perf_counter()
        result = self.result
        cover = None
        if result.row_cover is not None and result.col_cover is not None:
            cover = result.row_cover, result.col_cover
        proof = prove_part(self.part, self.links, result.row_match, result.col_match, cover)
        if not (proof.valid and proof.maximum):
            raise ProofError(proof.reason)
        result.row_cover, result.col_cover = proof.row_cover, proof.col_cover
        sizes = (int(np.count_nonzero(side)) for side in (proof.row_cover, proof.col_cover))
        self.facts["cover"] = total(self.links, *sizes)
        result.stats.seconds["prove"] = time.perf_counter() - begin

    def _write(self, folder: str | PathLike[str]) -> None:
        from .session import save_parts

        assert self.part is not None
        assert self.result is not None
        begin = time.perf_counter()
        stats = self.result.stats
        facts = {"cardinality": stats.cardinality, "upper_bound": stats.upper_bound}
        save_parts(folder, self.links, self.part, self.arrays(), facts | self.facts)
        stats.seconds["write"] = time.perf_counter() - begin

    def arrays(self) -> dict[str, Any]:
        """Return the result's arrays by name, with the cover if it was proved."""
        part, result = self.part, self.result
        assert part is not None
        assert result is not None
        index = index_type(part.n_rows, part.n_cols)
        arrays: dict[str, Any] = {
            "row_match": result.row_match.astype(index),
            "col_match": result.col_match.astype(index),
        }
        if "cover" in self.facts:
            arrays |= {"row_cover": result.row_cover, "col_cover": result.col_cover}
        return arrays


class Member:
    """The actor on a worker. Its methods are answered by the event loop, also during a solve.

    They take and return bytes: a call whose arguments or answer Dask fails to pickle never returns.
    """

    def __init__(self, name: str, rank: int, addresses: Sequence[str]):
        self._session = session = Session(get_worker(), name, rank, addresses)
        # Dask lets go of the actor when the client does, or is gone.
        weakref.finalize(self, session.close)

    async def start(self, job: bytes) -> None:
        """Begin a job, in a thread."""
        threading.Thread(
            target=self._session.run, args=(loads(job),), name="berge-matching", daemon=True
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
        """Wish that all members stop in the next exchange."""
        self._session.links.stop_wanted = True

    async def leave(self) -> None:
        """End the work, but keep the matching of the last phases."""
        self._session.links.close()

    async def close(self) -> None:
        """End the session; its thread, if it still runs, ends with the next exchange."""
        self._session.close()


def give(name: str, piece: Any) -> None:
    """Hand a piece to the member on this worker; a task."""
    Sessions.of(get_worker()).open[name].pieces.append(piece)


def fetch(name: str, arrays: bool) -> tuple[Any, Any, Any]:
    """Return the result's arrays, the statistics and the facts of the member here; a task."""
    session = Sessions.of(get_worker()).open[name]
    result = session.result
    return (
        session.arrays() if arrays and result is not None else None,
        None if result is None else result.stats,
        session.facts | {"resumed_phase": session.resumed},
    )
