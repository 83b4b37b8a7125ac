"""Seconds from the start of a process to its first proved answer, beside scipy's same script.

    python lab/benchmarks/first_answer.py WHEEL_PYTHON PURE_PYTHON [--runs 10] [--cold 3]

Each argument is the Python of an environment that has nothing but berge: from the wheel with
compiled kernels, and from the pure one. Runs are interleaved. Those of the wheel have an empty
cache each. Those of the pure one have a cache that is filled ("pure, again") or empty ("pure, new
machine").
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MAKE = {
    "3 × 3": "A = csr_array(np.array([[1, 1, 0], [1, 0, 0], [1, 0, 1]]))",
    "400 000 entries": (
        "rng = np.random.default_rng(1); n = 100_000; "
        "A = csr_array((np.ones(4 * n, np.int8), rng.integers(0, n, (2, 4 * n))), shape=(n, n))"
    ),
}
HEAD = "import numpy as np; from scipy.sparse import csr_array; {}; "
BERGE = HEAD + "import berge; berge.maximum_matching(A).prove(A)"
SCIPY = HEAD + (
    "from scipy.sparse.csgraph import maximum_bipartite_matching as m; m(A, perm_type='column')"
)
READ = (
    "import sys; from scipy.io import mmread; "
    "from scipy.sparse.csgraph import maximum_bipartite_matching as m; "
    "m(mmread(sys.argv[1]).tocsr(), perm_type='column')"
)


def seconds(command: list[str], cache: str) -> float:
    """Return what a process takes from start to end."""
    started = time.perf_counter()
    subprocess.run(command, env=os.environ | {"NUMBA_CACHE_DIR": cache}, check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    return time.perf_counter() - started


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel")
    parser.add_argument("pure")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--cold", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="berge-") as folder:
        work = {name: (BERGE.format(make), SCIPY.format(make)) for name, make in MAKE.items()}
        file = Path(folder, "graph.mtx")
        make = HEAD.format(MAKE["400 000 entries"]) + (
            f"from scipy.io import mmwrite; mmwrite({str(file)!r}, A.tocoo())"
        )
        subprocess.run([given.wheel, "-c", make], check=True)
        for name in [*work, "berge match, 400 000 entries"]:
            if name in work:
                solve, peer = work[name]
                runs = {"scipy": [given.wheel, "-c", peer]}
                ours = {"wheel": given.wheel, "pure, again": given.pure}
                runs |= {who: [python, "-c", solve] for who, python in ours.items()}
            else:
                runs = {"scipy": [given.wheel, "-c", READ, str(file)]}
                ours = {"wheel": given.wheel, "pure, again": given.pure}
                runs |= {
                    who: [python, "-m", "berge", "match", str(file)] for who, python in ours.items()
                }
            took: dict[str, list[float]] = {who: [] for who in [*runs, "pure, new machine"]}
            kept = str(Path(folder, "kept"))
            seconds(runs["pure, again"], kept)
            for turn in range(given.runs):
                for who, command in runs.items():
                    empty = str(Path(folder, f"{name}{turn}{who}"))
                    took[who].append(seconds(command, kept if "again" in who else empty))
            for turn in range(given.cold):
                empty = str(Path(folder, f"{name}{turn}"))
                took["pure, new machine"].append(seconds(runs["pure, again"], empty))
            for who, times in took.items():
                if times:
                    best, middle = min(times), statistics.median(times)
                    beside = best / min(took["scipy"])
                    print(f"{name:30} {who:20} best {best:6.3f}  median {middle:6.3f}  "
                          f"{beside:5.2f} × scipy  ({len(times)} runs)", flush=True)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
