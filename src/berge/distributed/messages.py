"""Letters of several kinds in one exchange, with some numbers that everybody gets from everybody.

What goes to a peer is one int64 array: the length of each kind, the notes, then the letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .communicator import Array, Communicator

__all__ = ["agree", "by_owner", "deliver", "from_text", "to_all", "to_text", "total"]

Letters = Sequence[Array]  # one array a peer


def deliver(
    comm: Communicator, kinds: Sequence[Letters], notes: Sequence[int] = (), flag: int = 0
) -> tuple[list[list[Array]], Array, int]:
    """Exchange letters: ``kinds[k][p]`` goes to peer p. One exchange.

    Returns what came, by kind and sender; the notes, whose row p is what peer p wrote, the same for
    everybody; and the sum of the flags.
    """
    head = len(kinds) + len(notes)
    packets = []
    for p in range(comm.size):
        letters = [kind[p] for kind in kinds]
        sizes = [letter.size for letter in letters]
        packets.append(np.concatenate([np.array([*sizes, *notes], np.int64), *letters]))
    received, flags = comm.exchange(packets, flag)
    sorted_out: list[list[Array]] = [[] for _ in kinds]
    for packet in received:
        begin = head
        for kind, size in zip(sorted_out, packet[: len(kinds)].tolist(), strict=True):
            kind.append(packet[begin : begin + size])
            begin += size
    return sorted_out, np.array([packet[len(kinds) : head] for packet in received]), flags


def by_owner(bounds: Array, items: Array) -> Letters:
    """Cut the rows of a 2-D array into flat letters by who owns the vertex in the first column."""
    keys = items[:, 0]
    if keys.size > 1 and np.any(keys[1:] < keys[:-1]):
        items = items[np.argsort(keys, kind="stable")]
        keys = items[:, 0]
    cuts = np.searchsorted(keys, bounds).tolist()
    return [items[a:b].ravel() for a, b in pairwise(cuts)]


def agree(comm: Communicator, problem: str, error: type[Exception]) -> None:
    """Raise an error on all peers if one has a problem: that of the first one. One exchange."""
    (problems,), _, _ = deliver(comm, [to_all(comm, to_text(problem))])
    for letter in problems:
        if letter.size:
            raise error(from_text(letter))


def to_text(text: str) -> Array:
    """Return a text as a letter."""
    return np.frombuffer(text.encode(), np.uint8).astype(np.int64)


def from_text(letter: Array) -> str:
    """Return the text of a letter."""
    return bytes(letter.astype(np.uint8)).decode()


def to_all(comm: Communicator, letter: Array) -> Letters:
    """Address the same letter to everybody."""
    return [letter] * comm.size


def total(comm: Communicator, *values: int) -> list[int]:
    """Return the sums of some numbers over all peers. One exchange."""
    return [int(v) for v in deliver(comm, [], values)[1].sum(axis=0)]
