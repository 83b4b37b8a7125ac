"""How much memory there is, and how much a solve takes.

A process may get less memory than the machine has. Three reasons are looked at here: its own limits
(``ulimit -v``, ``ulimit -d``), those of its control group (containers, batch systems), and what
other processes have taken.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

__all__ = [
    "available",
    "fits",
    "kept_edges",
    "more_edges",
    "out_of_core_bytes",
    "solve_bytes",
    "window_edges",
]

# Bytes for each row and each column, with 32-bit indices.
_VERTEX = 30  # that the search takes, besides the graph and its transpose
_VERTEX_OUT_OF_CORE = 60  # matching, places, marks, and the search in what is kept
_EDGE_OUT_OF_CORE = 16  # an edge that is kept: its two ends, by rows, and by columns
_FEWEST = 4  # edges that are kept for each row and column
_RESERVE = 1 / 8  # of the memory there is: left to the interpreter, to threads and to others
_WINDOW = 1 << 25  # bytes of edges at most; one buffer is in use while the next one is read


def solve_bytes(shape: tuple[int, int], edges: int) -> int:
    """Return about how many bytes a solve in memory takes: graph, transpose and search."""
    index = 4 if max(shape) < 2**31 else 8
    pointer = 4 if edges < 2**31 else 8
    both_ways = 2 * index * edges + pointer * (sum(shape) + 2)
    return both_ways + sum(shape) * _VERTEX * index // 4


def out_of_core_bytes(shape: tuple[int, int], edges: int, kept: int | None = None) -> int:
    """Return about how many bytes a solve takes that leaves the edges on the disk.

    It keeps `kept` of the edges in memory, or as few as it can do with.
    """
    kept = min(edges, _FEWEST * sum(shape)) if kept is None else kept
    vertices = sum(shape) * _VERTEX_OUT_OF_CORE * _wide(shape)
    return vertices + kept * _EDGE_OUT_OF_CORE * _wide(shape) + 2 * _WINDOW


def _wide(shape: tuple[int, int]) -> int:
    return 1 if max(shape) < 2**31 else 2


def kept_edges(shape: tuple[int, int], edges: int) -> int:
    """Return how many edges a solve out of core should keep: all that there is memory for."""
    left = (1 - _RESERVE) * available() - out_of_core_bytes(shape, edges, 0)
    return min(edges, max(_FEWEST * sum(shape), int(left) // _EDGE_OUT_OF_CORE // _wide(shape)))


def more_edges(shape: tuple[int, int]) -> int:
    """Return how many more of them there is still memory for, in the arrays that wait for them."""
    return int((1 - _RESERVE / 2) * available()) // _EDGE_OUT_OF_CORE // _wide(shape)


def window_edges(itemsize: int) -> int:
    """Return how many edges, of so many bytes each, to read at a time; fewer in little memory."""
    return max(1 << 16, min(_WINDOW, available() // 16) // itemsize)


def fits(shape: tuple[int, int], edges: int, memory: int | None = None) -> bool:
    """Tell whether a solve has room in the memory there is, or in that, with a fifth to spare."""
    return solve_bytes(shape, edges) <= 0.8 * (available() if memory is None else memory)


def available() -> int:
    """Return how many bytes this process may still take; very many if the system does not tell."""
    return max(0, min(_limits(), default=1 << 62))


def _limits() -> Iterator[int]:
    machine = _numbers("/proc/meminfo").get("MemAvailable")
    if machine is not None:
        yield 1024 * machine
    else:
        with suppress(AttributeError, ValueError, OSError):  # not every system tells
            yield os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    yield from _own_limits()
    yield from _group_limits()


def _own_limits() -> Iterator[int]:
    with suppress(ImportError):  # Windows has none
        import resource

        status = _numbers("/proc/self/status")
        for name, taken in (("RLIMIT_AS", "VmSize"), ("RLIMIT_DATA", "VmData")):
            limit = resource.getrlimit(getattr(resource, name))[0]
            if limit != resource.RLIM_INFINITY:
                yield limit - 1024 * status.get(taken, 0)


def _group_limits() -> Iterator[int]:
    """Yield what the control groups of this process, and those above them, leave."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, kinds, place = line.split(":", 2)
            if kinds == "":  # version 2
                root, names = Path("/sys/fs/cgroup"), ("memory.max", "memory.current")
            elif "memory" in kinds.split(","):
                root = Path("/sys/fs/cgroup/memory")
                names = "memory.limit_in_bytes", "memory.usage_in_bytes"
            else:
                continue
            group = root / place.lstrip("/")
            for folder in (group, *group.parents):
                # "max", or a file that is not there: no limit.
                with suppress(OSError, ValueError):
                    limit = int((folder / names[0]).read_text())
                    yield limit - int((folder / names[1]).read_text())
                if folder == root:
                    break


def _numbers(path: str) -> dict[str, int]:
    """Return the lines ``name: number …`` of a file of the system, none if it is not there."""
    found = {}
    with suppress(OSError):
        for line in Path(path).read_text().splitlines():
            name, _, rest = line.partition(":")
            words = rest.split()
            if words and words[0].isdecimal():
                found[name] = int(words[0])
    return found
