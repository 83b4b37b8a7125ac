"""Small graphs whose work threads share: thresholds are lowered before kernels are compiled.

    NUMBA_CACHE_DIR=… python -m tests.fuzz.lowered [--go-on] [--seconds N]

Kernels have these numbers built in, so they need a cache of their own.
"""

from __future__ import annotations

import os
import sys

from berge import tuning

LOWERED = {
    "CHUNK": 2, "SERIAL": 0, "PRIVATE": 2, "CHUNK_OF_ROOTS": 1, "SERIAL_EDGES": 0, "SERIAL_STEP": 0,
    "SERIAL_ITEMS": 0, "SMALLEST_TO_SUM": 2, "SHARED_TRANSPOSE": 0, "SHARED_WRITES": 0,
    "SHARED_READS": 0, "LARGE": 0, "SHARED_SORT": 0, "SHARED_START": 0, "SHARED_VERTICES": 0,
    "ROWS_IN_TURN": 2, "SEARCH_LIMIT": 4, "FEWEST_ROOTS": 1, "ROOTS_AT_A_TIME": 1,
    "SHARED_SEARCHES": 0, "SHARED_PUSHES": 0, "WAKING": 0, "READ_IN_NO_TIME": 1, "SMALL_GRAPH": 0,
    "ROWS_SHARED_PHASES": 0, "SHARED_PHASES": 0, "TRIED_LEAST": 8, "TRIED_ROOTS": 0,
}  # fmt: skip

for name, number in LOWERED.items():
    assert getattr(tuning, name) > number, name
    setattr(tuning, name, number)

if __name__ == "__main__":
    if not os.environ.get("NUMBA_CACHE_DIR"):
        sys.exit("set NUMBA_CACHE_DIR: kernels with lowered thresholds are no others' business")
    from .differential import long_run, solve_small

    sys.exit(long_run("graphs-lowered", solve_small, "solves"))
