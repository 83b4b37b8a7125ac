"""How parts talk: one collective method, `exchange`; and communicators that need no cluster.

Everything that travels is a one-dimensional int64 array of global vertex numbers. An exchange is
what costs time (its latency, not its bytes, as a rule), so what can share one does: the flag, whose
sum all peers learn, rides along.

- `Alone`: one part.
- `run_threads`: parts on threads of this process, joined by a barrier.
- `Recorder`: counts and logs the exchanges of another communicator.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import PeerLost

__all__ = ["Alone", "Array", "Communicator", "Record", "Recorder", "run_threads"]

Array = npt.NDArray[np.int64]
_Result = TypeVar("_Result")


class Communicator(Protocol):
    """What the core asks of an engine.

    Attributes
    ----------
    rank, size
        Number of this part, from 0 on, and how many there are.
    """

    @property
    def rank(self) -> int: ...  # noqa: D102

    @property
    def size(self) -> int: ...  # noqa: D102

    def exchange(self, arrays: Sequence[Array], flag: int = 0) -> tuple[list[Array], int]:
        """Send ``arrays[p]`` to peer p; return what each has sent here, and the sum of the flags.

        Collective: every peer calls it, and none returns before all have called. Arrays that come
        back may be read-only. Raises `PeerLost` when a peer is gone.
        """
        ...


class Alone:
    """The communicator of a single part.

    Examples
    --------
    >>> import numpy as np
    >>> from berge.distributed.communicator import Alone
    >>> Alone().exchange([np.array([1, 2])], flag=3)
    ([array([1, 2])], 3)
    """

    rank = 0
    size = 1

    def exchange(self, arrays: Sequence[Array], flag: int = 0) -> tuple[list[Array], int]:
        """Hand everything back."""
        return list(arrays), flag


class _Thread:
    """One of several communicators in a process: they leave arrays on a table and wait."""

    def __init__(self, rank: int, table: list[Any], barrier: threading.Barrier):
        self.rank, self.size = rank, len(table)
        self._table, self._barrier = table, barrier

    def exchange(self, arrays: Sequence[Array], flag: int = 0) -> tuple[list[Array], int]:
        self._table[self.rank] = [np.array(array, np.int64) for array in arrays], flag
        self._wait()
        sent = list(self._table)
        self._wait()
        return [arrays[self.rank] for arrays, _ in sent], sum(flag for _, flag in sent)

    def _wait(self) -> None:
        try:
            self._barrier.wait()
        except threading.BrokenBarrierError:
            raise PeerLost("another part has failed") from None


def run_threads(size: int, work: Callable[[Communicator], _Result]) -> list[_Result]:
    """Call ``work(communicator)`` on so many threads of this process; return what they return.

    If one fails the others are freed, and its error is raised.

    Examples
    --------
    >>> import numpy as np
    >>> from berge.distributed.communicator import run_threads
    >>> def work(comm):
    ...     received, flags = comm.exchange([np.array([comm.rank])] * 3, flag=1)
    ...     return np.concatenate(received).tolist(), flags
    >>> run_threads(3, work)
    [([0, 1, 2], 3), ([0, 1, 2], 3), ([0, 1, 2], 3)]
    """
    table: list[Any] = [None] * size
    barrier = threading.Barrier(size)
    results: list[Any] = [None] * size
    errors: list[BaseException] = []

    def run(rank: int) -> None:
        try:
            results[rank] = work(_Thread(rank, table, barrier))
        except BaseException as error:
            errors.append(error)
            barrier.abort()

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # The first one is the cause; the others are freed by it.
    if errors:
        raise errors[0]
    return results


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
class Recorder:
    """A communicator that logs what goes through another.

    Attributes
    ----------
    step
        Set by the core: what the exchanges to come belong to.
    log
        A `Record` for every exchange.

    Examples
    --------
    >>> import numpy as np
    >>> from berge.distributed.communicator import Alone, Recorder
    >>> comm = Recorder(Alone())
    >>> comm.step = "greeting"
    >>> _ = comm.exchange([np.zeros(4, np.int64)])
    >>> comm.exchanges, comm.bytes, comm.log[0].step
    (1, 0, 'greeting')
    """

    comm: Communicator
    step: str = ""
    log: list[Record] = field(default_factory=list)
    _back: float = field(default_factory=time.perf_counter)

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
        """Exchange, and log it."""
        begin = time.perf_counter()
        result = self.comm.exchange(arrays, flag)
        back = time.perf_counter()
        sent = tuple(array.nbytes for array in arrays)
        self.log.append(Record(self.step, begin - self._back, back - begin, sent, flag))
        self._back = back
        return result
