"""Ctrl-C pressed at any moment, once or many times a second, in all that berge does.

    python -m tests.chaos.storms [--seconds 600] [--note]

Whatever is called returns a right answer, or one that says it is less, or raises KeyboardInterrupt
and nothing else. Then the next call finds everything as it was: who handles signals, what is in
files, and how many threads are set, unless Ctrl-C was pressed again while they were set back.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numba

from ..fuzz.differential import long_run
from .calls import Call, calls

INTERRUPTED = object()


def in_a_storm(work: Callable[[], Any], first: float, every: float) -> Any:
    """Call while Ctrl-C is pressed, after so many seconds and every so many; return what comes.

    It is pressed once if `every` is 0.
    """
    blowing = True

    def press(number: int, frame: object) -> None:
        if blowing:
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGALRM, press)
    try:
        signal.setitimer(signal.ITIMER_REAL, first, every)
        answer = work()
        blowing = False
    except KeyboardInterrupt:
        blowing = False
        answer = INTERRUPTED
    finally:
        blowing = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return answer


def try_call(name: str, call: Call, rng: random.Random) -> bool:
    """Make one call in a storm, and see what comes of it; return whether it was interrupted."""
    handler, threads = signal.getsignal(signal.SIGINT), numba.get_num_threads()
    once = rng.random() < 0.5
    every = 0 if once else 10 ** rng.uniform(-3, 0)
    answer = in_a_storm(call.work, 10 ** rng.uniform(-4.5, -1.3), every)
    if answer is INTERRUPTED:
        call.left()
    else:
        call.check(answer)
    assert signal.getsignal(signal.SIGINT) is handler, f"{name}: SIGINT is another's now"
    if not once:  # pressed again while they were set back
        numba.set_num_threads(threads)
    assert numba.get_num_threads() == threads, f"{name}: {numba.get_num_threads()} threads now"
    return answer is INTERRUPTED


def warm(folder: Path) -> dict[str, Call]:
    """Return the calls, each of which has been made once."""
    known = calls(folder)
    for call in known.values():
        call.check(call.work())
    return known


def main() -> int:
    """Try seed after seed, see `fuzz.differential`."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with TemporaryDirectory() as folder:
        known: dict[str, Call] = {}
        if (child := os.fork()) == 0:  # which may take long: on a new machine all is compiled
            warm(Path(folder))
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0

        def attempt(seed: int) -> int:
            if not known:  # in the child, since not every threading layer outlives a fork
                known.update(warm(Path(folder)))
            name = tuple(known)[seed % len(known)]
            return try_call(name, known[name], random.Random(seed))

        return long_run("storms", attempt, "interrupted")


if __name__ == "__main__":
    sys.exit(main())
