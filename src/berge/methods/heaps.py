"""Binary heaps in flat arrays: of things that are due, and of edges that become tight.

A heap of things: ``heap[:size]`` holds numbers, ``due[x]`` is when x is due, ``place[x]`` is where
x stands in the heap, or −1. Each x is there at most once, and may be moved to the front.

A heap of edges: edge i joins ``ends[i]`` and ``others[i]`` and is due at ``times[i]``.

Each call takes O(log size), and returns the new size.
"""

from __future__ import annotations

from typing import Any

from ..compile import helper


@helper
def put(heap: Any, place: Any, due: Any, size: int, x: int, time: Any) -> int:
    """Make x due at a time, or leave it if it is due before."""
    i = place[x]
    if i < 0:
        i = size
        size += 1
    elif due[x] < time:
        return size
    due[x] = time
    while i > 0:
        above = (i - 1) >> 1
        other = heap[above]
        if due[other] <= time:
            break
        heap[i] = other
        place[other] = i
        i = above
    heap[i] = x
    place[x] = i
    return size


@helper
def drop_first(heap: Any, place: Any, due: Any, size: int) -> int:
    """Take ``heap[0]`` out."""
    place[heap[0]] = -1
    size -= 1
    if size > 0:
        x = heap[size]
        time = due[x]
        i = 0
        while True:
            below = 2 * i + 1
            if below >= size:
                break
            if below + 1 < size and due[heap[below + 1]] < due[heap[below]]:
                below += 1
            other = heap[below]
            if due[other] >= time:
                break
            heap[i] = other
            place[other] = i
            i = below
        heap[i] = x
        place[x] = i
    return size


@helper
def put_edge(times: Any, ends: Any, others: Any, size: int, time: Any, u: int, v: int) -> int:
    """Add an edge."""
    i = size
    while i > 0:
        above = (i - 1) >> 1
        if times[above] <= time:
            break
        times[i], ends[i], others[i] = times[above], ends[above], others[above]
        i = above
    times[i], ends[i], others[i] = time, u, v
    return size + 1


@helper
def drop_first_edge(times: Any, ends: Any, others: Any, size: int) -> int:
    """Take edge 0 out."""
    size -= 1
    time, u, v = times[size], ends[size], others[size]
    i = 0
    while True:
        below = 2 * i + 1
        if below >= size:
            break
        if below + 1 < size and times[below + 1] < times[below]:
            below += 1
        if times[below] >= time:
            break
        times[i], ends[i], others[i] = times[below], ends[below], others[below]
        i = below
    times[i], ends[i], others[i] = time, u, v
    return size
