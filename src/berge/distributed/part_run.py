"""`PartRun`: one part's share of a solve under way, and how all parts stop in the same round.

It is the communicator of the solve: it passes exchanges on to another one, logs them, and tells
their seconds from those of the steps that asked for them. What it knows of deadlines, Ctrl-C,
progress and seconds is `UnderWay`'s.

A part must not stop alone: the others would wait for it. So each puts its *wish* into the exchanges
of the search, as a number: 0 to go on, 1 for the time limit, 2 for an interrupt. All parts see the
same wishes, and the gravest counts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..results.under_way import UnderWay
from .communicator import Array, Communicator

REASONS = (None, "time limit", "interrupted")  # by wish


@dataclass(frozen=True)
class Record:
    """One exchange of one part.

    Attributes
    ----------
    step
        Name of the step that asked for it.
    work
        Seconds since the last exchange had come back: local work.
    waited
        Seconds in the exchange.
    sent
        Bytes sent to each peer, itself among them.
    flag
        What this part put in.
    """

    step: str
    work: float
    waited: float
    sent: tuple[int, ...]
    flag: int


@dataclass
class PartRun(UnderWay):
    """One part's solve under way: a communicator that logs what goes through another.

    Attributes
    ----------
    comm
        The other communicator.
    step
        What the exchanges to come belong to.
    log
        A `Record` for every exchange.
    interrupted
        To be set when all parts are to stop.
    fractions
        Of a greedy matching: the fraction of vertices that are matched after every round.

    Examples
    --------
    >>> import numpy as np
    >>> from berge.distributed.communicator import Alone
    >>> from berge.distributed.part_run import PartRun
    >>> run = PartRun(Alone())
    >>> with run.timed("greeting"):
    ...     _ = run.exchange([np.zeros(4, np.int64)])
    >>> run.exchanges, run.bytes, run.log[0].step, sorted(run.seconds)
    (1, 0, 'greeting', ['exchange', 'greeting'])
    """

    comm: Communicator
    step: str = ""
    log: list[Record] = field(default_factory=list)
    interrupted: bool = False
    fractions: list[float] = field(default_factory=list)
    _back: float = field(default_factory=time.perf_counter)

    @classmethod
    def of(cls, comm: Communicator) -> PartRun:
        """Return a communicator as the run that it is, or as a new one."""
        return comm if isinstance(comm, PartRun) else cls(comm)

    @property
    def rank(self) -> int:
        """Number of this part."""
        return self.comm.rank

    @property
    def size(self) -> int:
        """Number of parts."""
        return self.comm.size

    @property
    def exchanges(self) -> int:
        """Number of exchanges so far."""
        return len(self.log)

    @property
    def bytes(self) -> int:
        """Bytes sent to other peers so far."""
        return sum(sum(r.sent) - r.sent[self.rank] for r in self.log)

    def exchange(self, arrays: Sequence[Array], flag: int = 0) -> tuple[list[Array], int]:
        """Exchange, and log it; its seconds are not those of the step."""
        begin = time.perf_counter()
        result = self.comm.exchange(arrays, flag)
        back = time.perf_counter()
        sent = tuple(array.nbytes for array in arrays)
        self.log.append(Record(self.step, begin - self._back, back - begin, sent, flag))
        self._back = back
        if self.step:
            self.spent("exchange", back - begin)
            self.spent(self.step, begin - back)
        return result

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Name the exchanges of a block, and add its seconds without theirs to a step."""
        before, self.step = self.step, step
        try:
            with super().timed(step):
                yield
        finally:
            self.step = before

    @property
    def wish(self) -> int:
        """What this part puts into an exchange: whether to stop, and why."""
        return 2 if self.interrupted else int(self.late)

    def heed(self, wishes: Array) -> bool:
        """Tell whether all parts stop, given the wishes of all."""
        if (gravest := int(wishes.max())) > 0:
            self.stopped = REASONS[gravest]
        return gravest > 0

    def end_round(self, notes: Array, n_vertices: int) -> bool:
        """Report a greedy round, given the wish of every part and how many vertices it matched.

        Tells whether all parts stop.
        """
        matched = int(notes[:, 1].sum())
        self.fractions.append(matched / max(n_vertices, 1))
        self.tell("greedy", len(self.fractions), matched // 2, n_vertices // 2)
        return self.heed(notes[:, 0])
