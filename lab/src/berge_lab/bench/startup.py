"""How long a user waits for the first answer: each row in new processes, the best of several.

The clock starts before the process does and stops when it has said that it is done. "Cold" is with
an empty cache of kernels, as on the first call after an installation.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

from .loop import in_turns

__all__ = ["STEPS", "startup"]

_SMALL = "A = scipy.sparse.csr_array([[1, 1, 0], [1, 0, 0], [1, 0, 0]])"
_LARGE = "A = scipy.sparse.random_array((30_000, 30_000), density=1e-4, format='csr', rng=0)"
_SOLVE = "import berge, scipy.sparse; {}; berge.maximum_matching(A)"

# What is run; whether with an empty cache. The larger graph, of 90 000 edges, is one for threads.
STEPS = {
    "python itself": ("pass", False),
    "python, numpy, scipy.sparse": ("import numpy, scipy.sparse", False),
    "import berge": ("import berge", False),
    "first answer, 3 × 3": (_SOLVE.format(_SMALL), False),
    "first answer, 30 000 × 30 000": (_SOLVE.format(_LARGE), False),
    "first answer, 3 × 3, cold": (_SOLVE.format(_SMALL), True),
    "first answer, 30 000 × 30 000, cold": (_SOLVE.format(_LARGE), True),
}


def startup(repeats: int, cold_repeats: int) -> dict[str, list[float]]:
    """Return what was timed and its seconds; run once untimed before, where a cache counts."""
    found: dict[str, list[float]] = {}
    for cold, times in ((False, repeats), (True, cold_repeats)):
        steps = {
            name: partial(_start, code, cold) for name, (code, c) in STEPS.items() if c == cold
        }
        timings = in_turns(steps, times, warm_up=not cold, check=_end)
        found |= {name: timing.seconds for name, timing in timings.items() if timing.seconds}
    return found


class _Started(NamedTuple):
    code: str
    process: subprocess.Popen[str]
    said: str
    cache: tempfile.TemporaryDirectory[str] | None


def _start(code: str, cold: bool) -> _Started:
    """Start a process, and wait until it has said that it is done."""
    cache = tempfile.TemporaryDirectory(prefix="berge-") if cold else None
    settings = os.environ | ({"NUMBA_CACHE_DIR": cache.name} if cache else {})
    command = [sys.executable, "-c", f"{code}\nprint('done', flush=True)"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=settings)
    assert process.stdout is not None
    return _Started(code, process, process.stdout.readline(), cache)


def _end(started: _Started) -> None:
    """Wait for the process to end, which is not in its time."""
    with started.process, started.cache or nullcontext():
        if started.said != "done\n":
            raise RuntimeError(f"a new process failed to run: {started.code}")
