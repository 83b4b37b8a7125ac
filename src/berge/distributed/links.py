"""Communicators over Dask: `Links`, from each member of a solve to every other.

What peers send arrives on a worker's event loop, which keeps it in `Incoming` and does nothing
else. So nobody ever waits for a peer to be ready to receive, and there is nothing to deadlock on.
Every member sends its array and its flag to every other one (flat all-to-all). The connections are
Dask's, hence its encryption and its ports.

A message is written without waiting for an answer, and small arrays are written as bytes, not as
Dask serialises arrays. So a small exchange is several times as quick as calls of actors' methods
(docs/cluster.md has figures). When a process dies its connections close, and whoever waits for it
raises `PeerLost`.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, cast

import numpy as np
from distributed.comm import Comm, connect
from distributed.protocol import Serialize, to_serialize

from distributed import Worker

from ..errors import PeerLost
from .communicator import Array

LINK = "berge-link"  # the operation that opens a connection between two members
_SMALL = 1 << 16  # bytes: copying so many is cheaper than a frame of their own


class Incoming:
    """Messages by sender: filled by the event loop, emptied by the matching thread."""

    def __init__(self, size: int):
        self._boxes: list[deque[Any]] = [deque() for _ in range(size)]
        self._lost: dict[int, str] = {}
        self._changed = threading.Condition()

    def put(self, peer: int, message: Any) -> None:
        """Leave a message."""
        with self._changed:
            self._boxes[peer].append(message)
            self._changed.notify()

    def lose(self, peer: int, why: str) -> None:
        """Note that no more will come from a peer."""
        with self._changed:
            self._lost.setdefault(peer, why)
            self._changed.notify()

    def take(self, peer: int) -> Any:
        """Return the next message of a peer, when it is there."""
        with self._changed:
            while not self._boxes[peer]:
                if peer in self._lost:
                    raise PeerLost(f"part {peer} is gone: {self._lost[peer]}")
                self._changed.wait()
            return self._boxes[peer].popleft()


class Links:
    """The `Communicator` of one member.

    Attributes
    ----------
    rank, size
        Number of this member, and how many there are.
    """

    def __init__(self, worker: Worker, session: str, rank: int, addresses: Sequence[str]):
        self.rank, self.size = rank, len(addresses)
        self.incoming = Incoming(self.size)
        self._worker, self._session, self._addresses = worker, session, addresses
        self._comms: dict[int, Comm] = {}
        self._order = asyncio.Lock()
        self._closed = False

    def connect(self) -> None:
        """Open a connection to every peer; called by the matching thread."""
        asyncio.run_coroutine_threadsafe(self._connect(), self._loop).result()

    def exchange(self, arrays: Sequence[Array], flag: int = 0) -> tuple[list[Array], int]:
        """Send to all peers, then wait for what they send; see `Communicator`."""
        messages = {p: (flag, _packed(arrays[p])) for p in range(self.size) if p != self.rank}
        self._loop.call_soon_threadsafe(lambda: asyncio.ensure_future(self._send(messages)))
        received = []
        for peer in range(self.size):
            if peer == self.rank:
                received.append(arrays[peer])
                continue
            its_flag, content = self.incoming.take(peer)
            flag += its_flag
            received.append(_unpacked(content))
        return received, flag

    def close(self) -> None:
        """Close the connections, from any thread; peers that wait for this one are freed."""
        with suppress(RuntimeError):  # the worker itself is closing: its loop has ended
            self._loop.call_soon_threadsafe(self._close)

    @property
    def _loop(self) -> asyncio.AbstractEventLoop:
        return cast("asyncio.AbstractEventLoop", self._worker.loop.asyncio_loop)

    async def _connect(self) -> None:
        for peer, address in enumerate(self._addresses):
            if peer != self.rank:
                try:
                    comm = await connect(address, **self._worker.connection_args)
                    await comm.write({"op": LINK, "session": self._session, "rank": self.rank})
                except OSError as error:
                    raise PeerLost(f"part {peer} at {address} is gone: {error}") from None
                self._comms[peer] = comm
        if self._closed:
            self._close()

    async def _send(self, messages: dict[int, Any]) -> None:
        async with self._order:  # one exchange after the other
            for peer, message in messages.items():
                try:
                    await self._comms[peer].write(message)
                except OSError as error:
                    self.incoming.lose(peer, str(error))

    def _close(self) -> None:
        self._closed = True
        for comm in self._comms.values():
            comm.abort()
        for peer in range(self.size):
            self.incoming.lose(peer, "closed")


def _packed(array: Array) -> Any:
    """Copy an array, which its owner may change before it is on its way."""
    return array.tobytes() if array.nbytes <= _SMALL else to_serialize(array.copy())


def _unpacked(content: Any) -> Array:
    if isinstance(content, Serialize):  # workers of one process hand it over as it is
        content = content.data
    array: Array = np.frombuffer(content, np.int64) if isinstance(content, bytes) else content
    return array
