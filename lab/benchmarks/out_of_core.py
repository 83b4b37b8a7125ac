"""Solve a graph that is larger than the memory given to the process, and report what it took.

    python lab/benchmarks/out_of_core.py big.berge --rows 2_000_000 --degree 700
    python lab/benchmarks/out_of_core.py big.berge --limit 1536M

The first call writes a graph, piece by piece. A call on a folder that is there solves it, in a
process of its own under ``ulimit -v``, and proves the result. It prints a line of JSON: seconds,
peak memory, passes and bytes read.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from functools import cache, partial
from pathlib import Path

import numpy as np

from berge_lab.bench.loop import in_turns

PIECE = 1 << 22  # edges written at a time


@cache
def shuffled(n: int, seed: int) -> np.ndarray:
    """Return the numbers below n in random order."""
    return np.random.default_rng(seed).permutation(n)


def intervals(first: np.ndarray, d: int, n: int) -> np.ndarray:
    """Return d columns from the first on, as far as there are."""
    return np.minimum(first[:, None] + np.arange(d), n - 1)


KINDS = {
    # The columns of rows x, d each, of n in all.
    "random": lambda rng, x, d, n: rng.random((x.size, d)) * n,
    "skewed": lambda rng, x, d, n: rng.random((x.size, d)) ** 4 * n,
    "band": lambda rng, x, d, n: (x[:, None] + rng.random((x.size, d)) * 400) % n,
    # Row x has d columns from x on; then rows and columns are put in random order.
    "permuted-band": lambda rng, x, d, n: shuffled(n, 1)[intervals(shuffled(n, 2)[x], d, n)],
    "intervals": lambda rng, x, d, n: intervals(rng.integers(0, n - d, x.size), d, n),
    # At even distances, half of the rows in a quarter of the columns.
    "crowded": lambda rng, x, d, n: (
        (rng.random((x.size, 1)) + np.arange(d)) * np.where(x % 2, n / d, n / 4 / d)[:, None]
    ),
}


def generate(path: Path, n: int, degree: int, kind: str, seed: int = 0) -> None:
    """Write a graph of n rows and columns, with about `degree` edges a row."""
    from berge.files.folder import writing

    rng = np.random.default_rng(seed)
    with writing(path, (n, n)) as folder:
        rows = max(1, PIECE // degree)
        for lo in range(0, n, rows):
            x = np.arange(lo, min(lo + rows, n))
            cols = KINDS[kind](rng, x, degree, n).astype(np.int64)
            keys = ((x - lo)[:, None] * n + cols).ravel()
            if kind != "crowded":
                keys.sort()
            keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
            local, cols = np.divmod(keys, n)
            folder.append(np.bincount(local, minlength=x.size), cols)


def solve(path: Path, in_memory: bool, kept: float | None, within: float | None) -> None:
    """Solve and prove in this process, and print what it took."""
    import berge
    from berge.files.folder import Folder

    options: dict[str, object] = {"algorithm": "auto" if in_memory else "out-of-core"}
    if within is not None:
        options["within"] = within
    if kept is not None:
        options["kept"] = int(kept * sum(Folder(path).shape))
    solve = partial(berge.maximum_matching, path, **options)
    solved = in_turns({"": solve}, 1, warm_up=False)[""]
    m = solved.told
    proved = in_turns({"": partial(m.prove, path)}, 1, warm_up=False)[""]
    assert m.stats is not None
    print(
        json.dumps(
            {
                "algorithm": m.stats.algorithm,
                "rows": m.n_rows,
                "cardinality": m.cardinality,
                "maximum": m.is_maximum,
                "at most": m.upper_bound,
                "start": m.stats.start_cardinality,
                "passes": m.stats.passes,
                "GB read": round(m.stats.bytes_read / 1e9, 2),
                "of which needed": round(m.stats.bytes_needed / 1e9, 2),
                "times the edges": round(
                    m.stats.bytes_read / (path / "indices.npy").stat().st_size, 1
                ),
                "solve seconds": round(solved.best, 1),
                "prove seconds": round(proved.best, 1),
                "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
                "folder MB": sum(f.stat().st_size for f in path.iterdir()) >> 20,
                "seconds": {k: round(v, 1) for k, v in m.stats.seconds.items()},
            }
        )
    )


def main() -> None:
    """Generate, or solve in a process under a limit."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=lambda text: int(text.replace("_", "")), default=4_000_000)
    parser.add_argument("--degree", type=int, default=64)
    parser.add_argument("--kind", choices=KINDS, default="crowded")
    parser.add_argument("--limit", help="bytes of address space, such as 2G")
    parser.add_argument(
        "--kept", type=float, help="edges kept for each vertex; by memory if not said"
    )
    parser.add_argument("--within", type=float, help="a share: stop so near the maximum")
    parser.add_argument("--in-memory", action="store_true", help="for comparison")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.here:
        solve(args.folder, args.in_memory, args.kept, args.within)
        return
    if not args.folder.exists():
        generate(args.folder, args.rows, args.degree, args.kind)
        return
    from berge.wording import parse_bytes

    def hold() -> None:
        if args.limit:
            resource.setrlimit(resource.RLIMIT_AS, (parse_bytes(args.limit),) * 2)

    own = [sys.executable, __file__, str(args.folder), "--here"]
    own += ["--in-memory"] if args.in_memory else []
    own += [f"--kept={args.kept}"] if args.kept is not None else []
    own += [f"--within={args.within}"] if args.within is not None else []
    # Each pool of memory and each stack of a thread is address space, whether it is used or not.
    few = {"OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    subprocess.run(own, check=True, preexec_fn=hold, env=os.environ | (few if args.limit else {}))


if __name__ == "__main__":
    main()
