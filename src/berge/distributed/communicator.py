"""How parts talk: one collective method, `exchange`; and communicators that need no cluster.

Everything that travels is a one-dimensional int64 array of global vertex numbers. An exchange
costs time, as a rule by its latency and not by its bytes. So whatever can share an exchange does:
a flag goes with each, and all peers learn the sum of the flags.

- `Alone`: one part.
- `run_threads`: parts on threads of this process, joined by a barrier.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import PeerLost

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
