"""What a proof takes beside the solve: `prove` ÷ solve, and in gather passes, graph by graph.

    .venv/bin/python lab/benchmarks/proofs.py --data FOLDER [--repeats 7] [NAME …]

Each run solves a graph that has no transpose yet, then proves the matching on it, as the command
line does: by the compiled check, and again by numpy's. Times are the best of all runs. The unit of
the last column is the gather pass of `berge bench`.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

from common import fresh, print_table

import berge
from berge_lab.bench.gather import gather_seconds


def seconds(call: Any) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    lines, ratios, before = [], [], []
    for file in sorted(given.data.glob("*.npz")):
        if given.names and file.stem not in given.names:
            continue
        graph: Any = berge.read(file)
        unit = sum(gather_seconds(graph.to_scipy()))
        solve = compiled = by_numpy = math.inf
        for number in range(given.repeats + 1):
            here = fresh(graph)
            took, found = seconds(lambda g=here: berge.maximum_matching(g))
            proof, _ = seconds(lambda m=found, g=here: m.prove(g))
            found._cover = None
            slow, _ = seconds(lambda m=found, g=here: m.prove(g, check="numpy"))
            if number:  # the first loads what is compiled
                solve, compiled = min(solve, took), min(compiled, proof)
                by_numpy = min(by_numpy, slow)
        ratios.append(compiled / solve)
        before.append(by_numpy / solve)
        shown = (f"{1e3 * t:.2f}" for t in (solve, compiled, by_numpy))
        lines.append([file.stem, *shown, f"{ratios[-1]:.2f}", f"{before[-1]:.2f}",
                      f"{solve / unit:.1f}", f"{compiled / unit:.2f}"])  # fmt: skip
    columns = ["graph", "solve, ms", "prove", "by numpy", "prove ÷ solve", "numpy ÷ solve",
               "solve, passes", "prove, passes"]  # fmt: skip
    print_table(columns, lines)
    for name, found in (("compiled", ratios), ("numpy", before)):
        mean = math.exp(sum(map(math.log, found)) / len(found))
        print(f"{name}: geometric mean {mean:.2f}, at most {max(found):.1f}")


if __name__ == "__main__":
    main()
