"""From a file to a graph, beside what others take to parse it alone: scipy, polars, pandas.

    .venv/bin/python lab/benchmarks/reading.py --folder FOLDER [--entries 1e7] [--repeats 3]

Random entries in 10⁶ rows and columns, sorted by rows, as Matrix Market and as an edge list,
without and with weights, plain and compressed. Files are made in the folder unless they are there.
berge makes compressed rows of what has no weights, and returns edges and weights of the rest; the
others return a table or coordinates. "ratio" is berge ÷ the fastest of them.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import print_table

import berge
from berge.files import read_weighted
from berge_lab.bench.loop import in_turns

N = 1_000_000


def make(folder: Path, entries: int) -> None:
    """Write the files that are not there."""
    rng = np.random.default_rng(0)
    graph = berge.BipartiteGraph.from_edges(*rng.integers(0, N, (2, entries)), (N, N))
    for name in ("plain.mtx", "plain.txt"):
        if not (folder / name).exists():
            berge.write(graph, folder / name)
    if not (folder / "weighted.mtx").exists():
        with (folder / "weighted.mtx").open("wb") as mtx, (folder / "weighted.txt").open("wb") as t:
            mtx.write(
                b"%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n" % (N, N, entries)
            )
            rows = np.repeat(np.arange(N), graph.row_degrees)
            for lo in range(0, entries, 1 << 20):
                part = slice(lo, lo + (1 << 20))
                values = rng.random(rows[part].size)
                table = zip(rows[part].tolist(), graph.indices[part].tolist(), values, strict=True)
                text = "".join(f"{i + 1} {j + 1} {w:.6f}\n" for i, j, w in table).encode()
                mtx.write(text)
                t.write(text)
    if not (folder / "plain.mtx.gz").exists():
        text = (folder / "plain.mtx").read_bytes()
        (folder / "plain.mtx.gz").write_bytes(gzip.compress(text, 1))


def readers(path: Path) -> dict[str, Callable[[], Any]]:
    """Return who reads a file, and how."""
    import pandas
    import polars
    from scipy.io import mmread

    weighted, skipped = path.name.startswith("weighted"), int(path.name == "plain.txt")
    found: dict[str, Callable[[], Any]] = {
        "berge": lambda: (
            read_weighted(path, base=1 if path.suffix == ".txt" else 0)
            if weighted
            else berge.read(path)
        )
    }
    if ".mtx" in path.name:
        found["scipy"] = lambda: mmread(path)
        if not weighted:
            found["scipy, tocsr"] = lambda: mmread(path).tocsr()
    else:
        how = {"separator": " ", "has_header": False, "skip_rows": skipped}
        found["polars"] = lambda: polars.read_csv(path, **how)
        found["pandas"] = lambda: pandas.read_csv(path, sep=" ", header=None, skiprows=skipped)
    return found


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--entries", type=float, default=1e7)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only-make", action="store_true")
    given = parser.parse_args()
    make(given.folder, int(given.entries))
    lines = []
    for path in () if given.only_make else sorted(given.folder.iterdir()):
        timed = {name: run.best for name, run in in_turns(readers(path), given.repeats).items()}
        parsing = [
            seconds for name, seconds in timed.items() if name not in ("berge", "scipy, tocsr")
        ]
        each = (f"{timed[name]:.2f}" if name in timed else "" for name in
                ("berge", "scipy", "scipy, tocsr", "polars", "pandas"))  # fmt: skip
        lines.append([path.name, f"{path.stat().st_size / 1e6:.0f}", *each,
                      f"{timed['berge'] / min(parsing):.2f}"])  # fmt: skip
    columns = ["file", "MB", "berge, s", "scipy", "scipy, tocsr", "polars", "pandas", "ratio"]
    print_table(columns, lines)


if __name__ == "__main__":
    main()
