"""Give readers what they should not be given: seed after seed, of every target.

    python -m tests.fuzz.fuzz --go-on [--seconds N] [--target NAME]      what `make fuzz` does
    python -m tests.fuzz.fuzz [--seconds N] [--target NAME] [--first SEED] [--count N]
    python -m tests.fuzz.fuzz --target NAME --first SEED --show DIR      write one input, and try it

What is found is printed, and its input is put into tests/fuzz/corpus, where an ordinary test tries
it for ever.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
import zlib
from functools import cache, partial
from itertools import cycle
from pathlib import Path

os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # others reserve much in advance
os.environ.setdefault("ARROW_IO_THREADS", "1")

import berge.compile  # noqa: F401 (before numba is used)
from berge.files import limits

from . import tally
from .inputs import MAKERS, make
from .supervise import Outcome, supervise
from .targets import TARGETS, put

CORPUS = Path(__file__).parent / "corpus"
SHARED_MEMORY = Path("/dev/shm")
ROUND = 20.0  # seconds for a target before the next has its turn


def attempt(target: str, place: Path, seed: int) -> bool:
    """Make an input, and give it to its target."""
    place.mkdir()
    try:
        return TARGETS[target](put(make(target, seed), place))
    finally:
        shutil.rmtree(place, ignore_errors=True)


def fuzz(target: str, seeds: range, until: float = float("inf")) -> Outcome:
    """Try the inputs of a target; save those that something is found by."""
    folder = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=folder) as place:
        here = Path(place, "input")

        def once(seed: int) -> bool:
            shutil.rmtree(here, ignore_errors=True)  # of an attempt that was killed
            return attempt(target, here, seed)

        _warm(partial(attempt, target, here))
        asked = limits.available
        limits.available = cache(asked)  # asked once a child: else it takes most of the time
        try:
            return supervise(once, seeds, until=until)
        finally:
            limits.available = asked


def _warm(once) -> None:
    """Load all that is compiled before the first child is forked."""
    for seed in range(-20, 0):
        try:
            once(seed)
        except Exception:  # it will come again, where it is noted
            continue


def save(target: str, seed: int) -> Path:
    """Put an input into the corpus; return where."""
    files = make(target, seed)
    name = f"{zlib.crc32(b''.join(files.values())):08x}"
    return put(files, CORPUS / target / name)


def main() -> int:
    """Run all targets in turn, or one; return 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--target", choices=sorted(TARGETS), action="append")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--go-on", action="store_true", help="after the last seed; note it")
    parser.add_argument("--count", type=int, default=10**12, help="seeds of each target at most")
    parser.add_argument("--show", type=Path, help="write the input of the first seed here, try it")
    parser.add_argument("--keep", action="store_true", help="put what is found into the corpus")
    given = parser.parse_args()
    targets = given.target or list(MAKERS)
    if given.show:
        given.show.mkdir(parents=True)
        print(TARGETS[targets[0]](put(make(targets[0], given.first), given.show)))
        return 0
    found, until = 0, time.monotonic() + given.seconds
    share = min(given.seconds / len(targets), ROUND)
    for target in cycle(targets) if given.go_on else targets:
        if (now := time.monotonic()) >= until:
            break
        first = tally.first(target) if given.go_on else given.first
        outcome = fuzz(target, range(first, first + given.count), min(until, now + share))
        if given.go_on:
            tally.add(target, outcome)
        print(f"{target}: {outcome.tried:,} inputs, {outcome.accepted:,} accepted", flush=True)
        for kind, (seed, text, times) in outcome.found.items():
            found += 1
            where = f", kept in {save(target, seed)}" if given.keep else ""
            print(f"  {times} × {kind}; seed {seed}: {text}{where}", flush=True)
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
