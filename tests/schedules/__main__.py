"""Run schedules for so many seconds: ``python -m tests.schedules --help``.

Adds what was run to a file, so that a long run can be done in slices.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import pytest

os.environ |= {"NUMBA_DISABLE_JIT": "1", "NUMBA_NUM_THREADS": "4"}  # before numba is imported

from .cases import cases
from .explorer import scheduled


def main() -> None:
    """Do what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m tests.schedules", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--only", default="", help="part of the names of cases")
    parser.add_argument("--count", type=Path, help="JSON file of schedules so far, by case")
    parser.add_argument("--share", default="0/1", help="k/n: every n-th case, from the k-th on")
    given = parser.parse_args()
    k, n = map(int, given.share.split("/"))
    tried = {name: case for name, case in cases().items() if given.only in name}
    tried = dict(list(tried.items())[k::n])
    counts: dict[str, int] = {}
    if given.count and given.count.exists():
        counts = json.loads(given.count.read_text())
    warnings.simplefilter("error")
    stop = time.monotonic() + given.seconds
    with pytest.MonkeyPatch.context() as patch, scheduled(patch) as schedules:
        while time.monotonic() < stop:
            for name, case in tried.items():
                for number in range(counts.get(name, 0), counts.get(name, 0) + 10):
                    schedules.begin(number)
                    try:
                        case(number)
                    except Exception as error:
                        error.add_note(f"{name}, schedule {number}")
                        raise
                counts[name] = counts.get(name, 0) + 10
    if given.count:
        given.count.write_text(json.dumps(counts, indent=1))
    for name in tried:
        print(f"{counts[name]:9,} {name}")
    print(f"{sum(counts[name] for name in tried):9,} schedules, {schedules.steps:,} steps now")


if __name__ == "__main__":
    main()
