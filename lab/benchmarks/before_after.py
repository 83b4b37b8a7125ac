"""How long the default takes in another state of the sources, beside this one.

    git worktree add /elsewhere COMMIT
    python lab/benchmarks/before_after.py /elsewhere/src FOLDER [--seconds 100]

Two processes, one of either state, take turns on every .npz graph of the folder: on a scipy array
and on a `BipartiteGraph`. Of each the best time counts. What is printed are ratios, this state's
time over the other's, and their geometric means.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

LEAST = 5  # turns, unless these take long
FORMS = ("scipy", "graph")

# In either process: a line names a graph, or a form to time.
WORK = """
import json, sys, time
import berge, numpy as np
from scipy.sparse import csr_array

for line in sys.stdin:
    word = line.rstrip()
    if word.endswith(".npz"):
        graph = berge.read(word)
        forms = {"graph": graph, "scipy": graph.to_scipy()}
        for source in forms.values():
            berge.maximum_matching(source)
        print(0.0, flush=True)
        continue
    begin = time.perf_counter()
    berge.maximum_matching(forms[word])
    print(time.perf_counter() - begin, flush=True)
"""


def start(sources: Path) -> subprocess.Popen[str]:
    """Start a process that works with these sources."""
    return subprocess.Popen(
        [sys.executable, "-c", WORK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(sources)},
    )


def ask(process: subprocess.Popen[str], word: str) -> float:
    """Have a process read a graph, or match it; return the seconds."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(word + "\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def main() -> None:
    """Take turns until the time is over, and print a line for each graph."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("other", type=Path, help="src folder of the other state")
    parser.add_argument("folder", type=Path, help="of .npz graphs")
    parser.add_argument("--seconds", type=float, default=100.0, help="for all graphs together")
    here = Path(__file__).parents[2] / "src"
    parser.add_argument("--here", type=Path, default=here, help="src folder of this state")
    parser.add_argument("--output", type=Path, help="write the best seconds here, as JSON")
    given = parser.parse_args()
    processes = start(given.other), start(given.here)
    graphs = sorted(given.folder.glob("*.npz"))
    ratios: dict[str, list[float]] = {form: [] for form in FORMS}
    found = {}
    until = time.monotonic() + given.seconds
    for number, path in enumerate(graphs):
        for process in processes:
            ask(process, str(path))
        share = (until - time.monotonic()) / (len(graphs) - number) / len(FORMS)
        for form in FORMS:
            best, turns, end = [math.inf, math.inf], 0, time.monotonic() + share
            while turns < LEAST or (time.monotonic() < end and turns < 1000):
                for k in ((0, 1), (1, 0))[turns % 2]:
                    best[k] = min(best[k], ask(processes[k], form))
                turns += 1
            ratios[form].append(best[1] / best[0])
            found[f"{path.stem} {form}"] = best
            print(
                f"{path.stem:24} {form:6} {1e3 * best[0]:9.3f} ms before,"
                f" {1e3 * best[1]:9.3f} now: {ratios[form][-1]:.3f} ({turns} turns)",
                flush=True,
            )
    for process in processes:
        process.communicate()
    if given.output:
        given.output.write_text(json.dumps(found, indent=1) + "\n")
    for form, values in ratios.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"{form}: {mean:.3f} in geometric mean of {len(values)}, worst {max(values):.3f}")


if __name__ == "__main__":
    main()
