"""Messages of several kinds in one exchange, with some numbers that everybody gets from everybody.

What goes to a peer is one int64 array: the length of each kind, the notes, then the messages.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from .communicator import Array, Communicator

__all__ = [
    "agree",
    "by_owner",
    "collect",
    "deliver",
    "from_text",
    "nothing",
    "to_all",
    "to_first",
    "to_text",
    "total",
]

Messages = Sequence[Array]  # one array a peer


def deliver(
    comm: Communicator, kinds: Sequence[Messages], notes: Sequence[int] = (), flag: int = 0
) -> tuple[list[list[Array]], Array, int]:
    """Exchange messages: ``kinds[k][p]`` goes to peer p. One exchange.

    Returns what came, by kind and sender; the notes, whose row p is what peer p wrote, the same for
    everybody; and the sum of the flags.
    """
    head = len(kinds) + len(notes)
    packets = []
    for p in range(comm.size):
        messages = [kind[p] for kind in kinds]
        sizes = [message.size for message in messages]
        packets.append(np.concatenate([np.array([*sizes, *notes], np.int64), *messages]))
    received, flags = comm.exchange(packets, flag)
    sorted_out: list[list[Array]] = [[] for _ in kinds]
    for packet in received:
        begin = head
        for kind, size in zip(sorted_out, packet[: len(kinds)].tolist(), strict=True):
            kind.append(packet[begin : begin + size])
            begin += size
    return sorted_out, np.array([packet[len(kinds) : head] for packet in received]), flags


def by_owner(bounds: Array, items: Array) -> Messages:
    """Cut the rows of a 2-D array into flat messages by who owns the vertex in the first column."""
    keys = items[:, 0]
    if keys.size > 1 and np.any(keys[1:] < keys[:-1]):
        items = items[np.argsort(keys, kind="stable")]
        keys = items[:, 0]
    cuts = np.searchsorted(keys, bounds).tolist()
    return [items[a:b].ravel() for a, b in pairwise(cuts)]


def agree(comm: Communicator, problem: str, error: type[Exception]) -> None:
    """Raise an error on all peers if one has a problem: that of the first one. One exchange."""
    (problems,), _, _ = deliver(comm, [to_all(comm, to_text(problem))])
    for message in problems:
        if message.size:
            raise error(from_text(message))


def collect(comm: Communicator, content: Any) -> list[Any]:
    """Return on part 0 what all parts pass, anything that JSON can hold. One exchange."""
    received, _ = comm.exchange(to_first(comm, to_text(json.dumps(content))))
    return [json.loads(from_text(text)) for text in received if text.size]


def to_text(text: str) -> Array:
    """Return a text as a message."""
    return np.frombuffer(text.encode(), np.uint8).astype(np.int64)


def from_text(message: Array) -> str:
    """Return the text of a message."""
    return bytes(message.astype(np.uint8)).decode()


def to_all(comm: Communicator, message: Array) -> Messages:
    """Address the same message to everybody."""
    return [message] * comm.size


def to_first(comm: Communicator, message: Array) -> Messages:
    """Address a message to part 0."""
    return [message, *nothing(comm)[1:]]


def nothing(comm: Communicator) -> Messages:
    """Return an empty message for everybody."""
    return [np.empty(0, np.int64)] * comm.size


def total(comm: Communicator, *values: int) -> list[int]:
    """Return the sums of some numbers over all peers. One exchange."""
    return [int(v) for v in deliver(comm, [], values)[1].sum(axis=0)]
