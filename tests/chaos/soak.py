"""All calls again and again, for long: memory, threads and open files must not grow.

    python -m tests.chaos.soak [--seconds 600] [--plot docs/figures/soak.svg] [--note]

What `calls` lists is called in random order, sometimes interrupted, and each answer is checked.
Every second it is noted what the process has. The first third is for warming up:
kernels are loaded, and caches fill. Flat means that after it no count of threads or files is above
its largest one before, and that memory grows by less than a tenth: the median of the last sixth of
the run against that of the sixth after the warming up.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from ..fuzz import tally
from .calls import Call
from .storms import INTERRUPTED, in_a_storm, warm

MOST_GROWTH = 0.1


def what_it_has() -> tuple[float, int, int]:
    """Return megabytes in memory, threads and open files of this process."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    files = len(os.listdir("/proc/self/fd"))
    return int(status["VmRSS"].split()[0]) / 1024, int(status["Threads"]), files


def soak(seconds: float, known: list[Call]) -> tuple[list[tuple[float, float, int, int]], int, int]:
    """Call until the time is over; return what was noted, and how many calls and interrupts."""
    rng = random.Random(0)
    noted: list[tuple[float, float, int, int]] = []
    started = time.monotonic()
    done = interrupted = 0
    while (now := time.monotonic() - started) < seconds or not interrupted or len(noted) < 3:
        if not noted or now >= noted[-1][0] + 1:
            noted.append((now, *what_it_has()))
        call = rng.choice(known)
        done += 1
        if rng.random() < 0.2:
            answer = in_a_storm(call.work, 10 ** rng.uniform(-4, -1.5), 1.0)
            if answer is INTERRUPTED:
                interrupted += 1
                call.left()
                continue
        else:
            answer = call.work()
        call.check(answer)
    return noted, done, interrupted


def judge(noted: list[tuple[float, float, int, int]]) -> dict[str, object]:
    """Say what grew, by the rule above."""
    n = len(noted)
    warm, rest = noted[: n // 3], noted[n // 3 :]
    early = statistics.median(x[1] for x in rest[: max(1, n // 6)])
    late = statistics.median(x[1] for x in rest[-max(1, n // 6) :])
    most = [max(x[k] for x in warm) for k in (2, 3)]
    grown = [max(x[k] for x in rest) for k in (2, 3)]
    return {
        "megabytes": [round(early), round(late)],
        "threads": grown[0],
        "files": grown[1],
        "flat": late <= (1 + MOST_GROWTH) * early and grown[0] <= most[0] and grown[1] <= most[1],
    }


def draw(noted: list[tuple[float, float, int, int]], path: Path) -> None:
    """Draw the three curves, one above the other."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(3, sharex=True, figsize=(7, 5), layout="constrained")
    for k, (ax, name) in enumerate(
        zip(axes, ("memory, MB", "threads", "open files"), strict=True), 1
    ):
        ax.plot([x[0] / 60 for x in noted], [x[k] for x in noted], lw=1)
        ax.set_ylim(0, 1.2 * max(x[k] for x in noted))
        ax.set_ylabel(name)
    axes[-1].set_xlabel("minutes")
    figure.savefig(path, metadata={"Date": None})


def main() -> int:
    """Run, print a line, and return 1 if anything grew."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--plot", type=Path, help="draw what was noted here")
    parser.add_argument("--note", action="store_true", help="keep the line in trust/soak.json")
    given = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with TemporaryDirectory() as folder:
        known = list(warm(Path(folder)).values())
        noted, done, interrupted = soak(given.seconds, known)
    line: dict[str, object] = {
        "seconds": round(given.seconds),
        "calls": done,
        "interrupted": interrupted,
        **judge(noted),
        "last": datetime.now(UTC).date().isoformat(),
    }
    print(json.dumps(line))
    if given.plot:
        draw(noted, given.plot)
    if given.note:
        tally.PLACE.with_name("soak.json").write_text(json.dumps(line) + "\n")
    return 0 if line["flat"] else 1


if __name__ == "__main__":
    sys.exit(main())
