"""How long a user waits for the first answer: each row in new processes, the best of several.

The clock starts before the process does and stops when it has said that it is done. "Cold" is with
an empty cache of kernels, as on the first call after an installation.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

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


def startup(repeats: int, cold_repeats: int) -> Iterator[tuple[str, list[float]]]:
    """Yield what was timed and its seconds, after running it once untimed where a cache counts."""
    for name, (code, cold) in STEPS.items():
        if not cold:
            _seconds(code, {})
        yield name, [_timed(code, cold) for _ in range(cold_repeats if cold else repeats)]


def _timed(code: str, cold: bool) -> float:
    with _empty_cache() if cold else _no_change() as settings:
        return _seconds(code, settings)


def _seconds(code: str, settings: dict[str, str]) -> float:
    command = [sys.executable, "-c", f"{code}\nprint('done', flush=True)"]
    begin = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | settings
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        seconds = time.perf_counter() - begin
    if said != "done\n":
        raise RuntimeError(f"a new process failed to run: {code}")
    return seconds


@contextmanager
def _empty_cache() -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory(prefix="berge-") as folder:
        yield {"NUMBA_CACHE_DIR": folder}


@contextmanager
def _no_change() -> Iterator[dict[str, str]]:
    yield {}
