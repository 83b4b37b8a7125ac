"""Runs attempts in a child process that may die, hang or eat memory; each is put down to its seed.

The child writes the seed into shared memory before it tries it. If it dies by a signal, or has
not moved on for `PATIENCE` seconds of a processor, or for `ASLEEP` times as long by the clock on
the wall, the parent knows which seed it was, notes it, and forks a child that goes on after it.
Memory is limited by the system: what asks for more gets a MemoryError, which is no error of ours.

Findings are kept once for each place in the code: a long run ends in a short list.
"""

from __future__ import annotations

import faulthandler
import mmap
import os
import re
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

PATIENCE = 10.0  # seconds of a processor for one seed, which others may be using too
ASLEEP = 6
MEMORY = 1 << 30  # bytes that an attempt may take, besides what the process has
SEED, SINCE, SPENT, TRIED, ACCEPTED = range(5)  # of the numbers that are shared
_RENEW = 100_000  # attempts of one child


@dataclass
class Outcome:
    """What a run came to: `found` has a seed, a text and a count for each kind of finding."""

    next: int
    tried: int = 0
    accepted: int = 0
    found: dict[str, tuple[int, str, int]] = field(default_factory=dict)

    def note(self, kind: str, seed: int, text: str) -> None:
        """Note a finding; of one kind the first is kept."""
        first, said, times = self.found.get(kind, (seed, text, 0))
        self.found[kind] = first, said, times + 1


def supervise(
    attempt: Callable[[int], int],
    seeds: range,
    *,
    until: float = float("inf"),
    patience: float = PATIENCE,
    memory: int = MEMORY,
) -> Outcome:
    """Try seed after seed until they, or the time, are over.

    `attempt` returns whether the input was accepted, or how much was done. It raises where anything
    is wrong.
    """
    outcome = Outcome(seeds.start)
    while outcome.next < seeds.stop and time.monotonic() < until:
        last = min(seeds.stop, outcome.next + _RENEW)
        _one_child(attempt, range(outcome.next, last), until, patience, memory, outcome)
    return outcome


def _one_child(
    attempt: Callable[[int], int],
    seeds: range,
    until: float,
    patience: float,
    memory: int,
    outcome: Outcome,
) -> None:
    """Fork, watch and wait; note what was found."""
    shared = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("q")
    shared[SEED], shared[SINCE] = seeds.start, time.monotonic_ns()
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _child(attempt, seeds, until, memory, shared, writing)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    os.set_blocking(reading, False)
    text, status = b"", None
    while status is None:
        pid, ended = os.waitpid(child, os.WNOHANG)
        text += _arrived(reading)
        if pid:
            status = ended
        elif (
            time.clock_gettime_ns((~child << 3) | 2) - shared[SPENT] > 1e9 * patience
            or time.monotonic_ns() - shared[SINCE] > 1e9 * patience * ASLEEP
        ):
            os.kill(child, signal.SIGUSR1)  # where is it?
            time.sleep(0.3)
            text += _arrived(reading)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            status = -1
        else:
            time.sleep(0.01)
    os.close(reading)
    seed = shared[SEED]
    outcome.tried += shared[TRIED]
    outcome.accepted += shared[ACCEPTED]
    *reports, trace = text.decode("utf-8", "replace").split("\0")
    for report in reports:
        number, kind, detail = report.split("\1", 2)
        outcome.note(kind, int(number), detail)
    outcome.next = seed + 1
    if status:
        outcome.tried += 1
        kind = "hang" if status == -1 else f"ended by {os.waitstatus_to_exitcode(status)}"
        places = re.findall(r'/berge/(\S+)", line \d+ in (\S+)', trace)
        outcome.note(" in ".join([kind, *map(":".join, places[:1])]), seed, trace[:500])


def _arrived(pipe: int) -> bytes:
    pieces = []
    with suppress(BlockingIOError):
        while piece := os.read(pipe, 1 << 16):
            pieces.append(piece)
    return b"".join(pieces)


def _child(
    attempt: Callable[[int], int],
    seeds: range,
    until: float,
    memory: int,
    shared: memoryview,
    pipe: int,
) -> None:
    """Try seeds; report each kind of error once."""
    with open("/proc/self/statm") as file:
        has = int(file.read().split()[0]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_AS, (has + memory, has + memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable(pipe, all_threads=False)
    faulthandler.register(signal.SIGUSR1, pipe, all_threads=False)
    for seed in seeds:
        now = time.monotonic_ns()
        if now > 1e9 * until:
            return
        shared[SEED], shared[SINCE], shared[SPENT] = seed, now, time.process_time_ns()
        try:
            shared[ACCEPTED] += attempt(seed)
        except Exception as error:
            report = f"{seed}\1{kind_of(error)}\1{type(error).__name__}: {str(error)[:300]}\0"
            os.write(pipe, report.replace("\0", "").encode("utf-8", "replace")[:3000] + b"\0")
        shared[TRIED] += 1


def kind_of(error: BaseException) -> str:
    """Return the type of an error, and the last place in berge that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "/berge/" in f.filename] or frames
    place = f"{ours[-1].filename.rpartition('/berge/')[2]}:{ours[-1].name}"
    return f"{type(error).__name__} in {place}"
