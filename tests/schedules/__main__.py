"""Run schedules for so many seconds: ``python -m tests.schedules --help``."""

from __future__ import annotations

import argparse
import os
import time
import warnings

import pytest

os.environ |= {"NUMBA_DISABLE_JIT": "1", "NUMBA_NUM_THREADS": "4"}  # before numba is imported

from ..fuzz.supervise import Outcome
from ..fuzz.tally import add, first
from .cases import cases
from .explorer import scheduled

NAME = "schedules"  # in trust/tried.json; the next one is the next of every case
AT_A_TIME = 10


def main() -> None:
    """Do what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m tests.schedules", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--only", default="", help="part of the names of cases")
    parser.add_argument("--first", type=int, default=0, help="the first schedule of each case")
    parser.add_argument("--go-on", action="store_true", help="after the last one; note it")
    given = parser.parse_args()
    if given.go_on and given.only:
        parser.error("--go-on is for all cases")
    chosen = {name: case for name, case in cases().items() if given.only in name}
    outcome = Outcome(next=first(NAME) if given.go_on else given.first)
    warnings.simplefilter("error")
    stop = time.monotonic() + given.seconds
    with pytest.MonkeyPatch.context() as patch, scheduled(patch) as schedules:
        while time.monotonic() < stop:
            for name, case in chosen.items():
                for number in range(outcome.next, outcome.next + AT_A_TIME):
                    schedules.begin(number)
                    try:
                        case(number)
                    except Exception as error:
                        error.add_note(f"{name}, schedule {number}")
                        raise
            outcome.next += AT_A_TIME
            outcome.tried += AT_A_TIME * len(chosen)
    outcome.accepted = schedules.steps
    if given.go_on:
        add(NAME, outcome, "steps")
    print(f"{outcome.tried:,} schedules of {len(chosen)} cases, {schedules.steps:,} shared steps")


if __name__ == "__main__":
    main()
