"""The Dulmage–Mendelsohn decomposition against CSparse's ``cs_dmperm``, in the same process.

    python benchmarks/dulmage_mendelsohn.py [--data FOLDER] [--repeat N] [--scipy-limit S] [NAME …]

Both take index arrays in memory, berge by rows and CSparse by columns as each wants them, and give
permutations and block bounds; best of several calls in turn. berge's graph is a new one each time,
so a transpose that it needs is in its time. Sizes of parts and number of blocks must agree. A ratio
above 1 says how many times faster berge is.

With --data the first of the real graphs are those in `REAL`. After the table, a Jacobian of 15 000
rows on which scipy's ``structural_rank`` is given some seconds in a process of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import berge
from berge import BipartiteGraph, generate
from berge_lab.bench import csparse

REAL = ("cnr-2000", "NotreDame_actors")
GRAPHS = {
    "grid": lambda: generate.permute(generate.grid(300, 300)),
    "road": lambda: generate.road(250, 250),
    "random": lambda: generate.erdos_renyi(200_000, 200_000, 600_000),
    "random, wide": lambda: generate.erdos_renyi(100_000, 150_000, 300_000),
    "random, tall": lambda: generate.erdos_renyi(150_000, 100_000, 300_000),
    "rmat": lambda: generate.rmat(16, 8),
    "power law": lambda: generate.power_law(200_000, 150_000, 4),
    "Jacobian": lambda: generate.jacobian(15_000),
    "Jacobian, permuted": lambda: generate.permute(generate.jacobian(150_000)),
}
_ENOUGH = 20.0  # seconds of CSparse's after which it is not called again

_SCIPY = """
import time
from scipy.sparse.csgraph import structural_rank
from berge import generate
matrix = generate.jacobian(15_000).to_scipy()
start = time.perf_counter()
rank = structural_rank(matrix)
print(rank, time.perf_counter() - start)
"""


def new(graph: BipartiteGraph) -> BipartiteGraph:
    """Return the same arrays as a graph that has no transpose yet."""
    return BipartiteGraph(graph.indptr, graph.indices, graph.shape)


def race(graph: BipartiteGraph, repeat: int) -> tuple[float, float, int]:
    """Return berge's and CSparse's best times, and the number of blocks."""
    ours, theirs = [], []
    for _ in range(repeat):
        fresh = new(graph)
        start = time.perf_counter()
        found = berge.dmperm(fresh)
        ours.append(time.perf_counter() - start)
        if csparse.available() and sum(theirs) < _ENOUGH:
            expected = csparse.dmperm(graph)
            theirs.append(expected.seconds)
            assert expected.rr == tuple(found.rr.tolist())
            assert expected.cc == tuple(found.cc.tolist())
            assert expected.nb == found.r.size - 1
    return min(ours), min(theirs, default=float("nan")), found.r.size - 1


def against_scipy(limit: float) -> None:
    graph = generate.jacobian(15_000)
    start = time.perf_counter()
    rank = berge.structural_rank(new(graph))
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    dm = berge.dulmage_mendelsohn(new(graph))
    print(f"\nJacobian of {graph.n_rows:,} rows, {graph.nnz:,} entries")
    print(f"  berge: structural rank {rank:,} in {seconds * 1e3:.1f} ms; ", end="")
    print(f"{dm.n_square_blocks:,} blocks in {(time.perf_counter() - start) * 1e3:.1f} ms")
    if limit <= 0:
        return
    try:
        command = [sys.executable, "-c", _SCIPY]
        done = subprocess.run(command, timeout=limit, capture_output=True, text=True, check=True)
        print(f"  scipy: structural rank and seconds {done.stdout.strip()}")
    except subprocess.TimeoutExpired:
        print(f"  scipy: no structural rank within {limit:g} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="graphs to take; default: all")
    parser.add_argument("--data", type=Path, help="a folder of real graphs")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--scipy-limit", type=float, default=60, help="0: without scipy")
    options = parser.parse_args()
    sources = dict(GRAPHS)
    if options.data:
        files = {p.stem: p for p in sorted(options.data.glob("*.npz"))}
        chosen = options.names or [name for name in REAL if name in files]
        real = {name: lambda p=files[name]: berge.read(p) for name in chosen if name in files}
        sources = real | sources
    if not csparse.available():
        print("libcxsparse is not installed (Debian: libcxsparse3): berge's times alone\n")
    berge.dmperm(generate.layered(3))  # loads the compiled code
    berge.dmperm(generate.permute(generate.mesh3(5000)).T)
    head = ("rows", "columns", "edges", "blocks", "berge", "CSparse", "ratio")
    print(f"{'graph':20}" + "".join(f"{title:>11}" for title in head))
    ratios = []
    for name in options.names or sources:
        graph = sources[name]()
        ours, theirs, blocks = race(graph, options.repeat)
        ratios.append(theirs / ours)
        sizes = (*graph.shape, graph.nnz, blocks)
        print(f"{name:20}" + "".join(f"{size:>11,}" for size in sizes), end="")
        print(f"{ours * 1e3:>8.1f} ms{theirs * 1e3:>8.1f} ms{ratios[-1]:>11.2f}", flush=True)
    print(f"{'geometric mean':86}{float(np.exp(np.mean(np.log(ratios)))):>11.2f}")
    if not options.names:
        against_scipy(options.scipy_limit)


if __name__ == "__main__":
    main()
