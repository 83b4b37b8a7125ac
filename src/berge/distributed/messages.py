"""Messages of several kinds in one exchange, with some numbers that everybody gets from everybody.

What goes to a peer is one int64 array: the length of each kind, the notes, then the messages.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np

from ..compile import helper, kernel
from ..errors import ClusterError
from ..wording import message_of
from .communicator import Array, Communicator

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


def by_owner(bounds: Array, items: Array, keys: Array | None = None) -> Messages:
    """Cut the rows of an array into flat messages: part p gets those with keys in its bounds.

    The keys are vertices, by default those in the first column, or parts. Within a message rows
    keep their order.
    """
    items = np.ascontiguousarray(items, np.int64)
    keys = np.ascontiguousarray(items[:, 0] if keys is None else keys, np.int64)
    cuts = np.zeros(bounds.size, np.int64)
    if not count_by_owner(bounds, keys, cuts):
        places = np.empty_like(items)
        place_by_owner(bounds, keys, items, places, cuts.copy())
        items = places
    return [items[a:b].ravel() for a, b in pairwise(cuts.tolist())]


@helper
def owner_of(key: Any, bounds: Any, guess: Any) -> Any:
    """Return the part in whose bounds a key is; most are in those of the key before."""
    if bounds[guess] <= key < bounds[guess + 1]:
        return guess
    low, high = np.int64(0), np.int64(bounds.size - 2)
    while low < high:
        middle = (low + high + 1) // 2
        if bounds[middle] <= key:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def count_by_owner(bounds: Any, keys: Any, cuts: Any) -> bool:
    """Count the keys before each part's; return whether they are in the order of parts."""
    owner, ascend = np.int64(0), True
    for i in range(keys.size):
        before = owner
        owner = owner_of(keys[i], bounds, owner)
        ascend = ascend and owner >= before
        cuts[owner + 1] += 1
    for p in range(1, cuts.size):
        cuts[p] += cuts[p - 1]
    return ascend


@kernel
def place_by_owner(bounds: Any, keys: Any, items: Any, places: Any, cuts: Any) -> None:
    """Copy items to `places` in the order of parts; `cuts`, where each part's begin, move on."""
    owner = np.int64(0)
    for i in range(keys.size):
        owner = owner_of(keys[i], bounds, owner)
        for j in range(items.shape[1]):
            places[cuts[owner], j] = items[i, j]
        cuts[owner] += 1


def count(kinds: Sequence[Messages]) -> int:
    """Return how many numbers messages of some kinds hold."""
    return sum(message.size for kind in kinds for message in kind)


@contextmanager
def together(comm: Communicator) -> Iterator[None]:
    """Turn an error of one part into one of all, so that none waits for it. One exchange."""
    problem = b""
    try:
        yield
    except Exception as error:
        known = ClusterError(message_of(error)) if isinstance(error, OSError) else error
        problem = pickle.dumps(known)
    for message in comm.exchange([_packed(problem)] * comm.size)[0]:
        if message.size:
            raise pickle.loads(_unpacked(message))


def collect(comm: Communicator, content: Any) -> list[Any]:
    """Return on part 0 what all parts pass, anything that JSON can hold. One exchange."""
    received, _ = comm.exchange(_to_first(comm, _packed(json.dumps(content).encode())))
    return [json.loads(_unpacked(text)) for text in received if text.size]


def gather(comm: Communicator, mine: Any) -> Any:
    """Return on part 0 what arrays all parts pass, joined; nothing on others. One exchange."""
    received, _ = comm.exchange(_to_first(comm, mine.astype(np.int64)))
    return np.concatenate(received).astype(mine.dtype)


def _packed(content: bytes) -> Array:
    return np.frombuffer(content, np.uint8).astype(np.int64)


def _unpacked(message: Array) -> bytes:
    return bytes(message.astype(np.uint8))


def _to_first(comm: Communicator, message: Array) -> Messages:
    return [message, *nothing(comm)[1:]]


def nothing(comm: Communicator) -> Messages:
    """Return an empty message for everybody."""
    return [np.empty(0, np.int64)] * comm.size


def total(comm: Communicator, *values: int) -> list[int]:
    """Return the sums of some numbers over all peers. One exchange."""
    return [int(v) for v in deliver(comm, [], values)[1].sum(axis=0)]
