"""The Dulmage–Mendelsohn decomposition against CSparse's ``cs_dmperm``, in the same process.

    python lab/benchmarks/dulmage_mendelsohn.py [--data FOLDER] [--repeat N] [NAME …]

Both take index arrays in memory, berge by rows and CSparse by columns, and give permutations and
block bounds. Times are the best of several calls in turn. berge's graph is a new one each time, so
a transpose that it needs is in its time. Sizes of parts and number of blocks must agree. A ratio
above 1 says how many times faster berge is.

With --data the first of the real graphs are those in `REAL`. After the table, a Jacobian of 15 000
rows on which scipy's ``structural_rank`` is given some seconds (--scipy-limit) in a process of its
own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from common import fresh, with_real

import berge
from berge import BipartiteGraph, generate
from berge_lab.bench import csparse
from berge_lab.bench.loop import in_turns
from berge_lab.bench.ratios import geometric_mean

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


def race(graph: BipartiteGraph, repeat: int) -> tuple[float, float, int]:
    """Return berge's and CSparse's best times, and the number of blocks."""
    graphs = iter([fresh(graph) for _ in range(repeat + 1)])
    contenders = {"berge": lambda: berge.dmperm(next(graphs))}
    if csparse.available():
        contenders["CSparse"] = lambda: csparse.dmperm(graph)
    found = in_turns(contenders, repeat, enough=_ENOUGH)
    ours = found["berge"].told
    if "CSparse" not in found:
        return found["berge"].best, float("nan"), ours.r.size - 1
    theirs = found["CSparse"].told
    assert theirs.rr == tuple(ours.rr.tolist())
    assert theirs.cc == tuple(ours.cc.tolist())
    assert theirs.nb == ours.r.size - 1
    # Its own clock: without what ctypes takes.
    seconds = min(run.told.seconds for run in found["CSparse"].runs)
    return found["berge"].best, seconds, ours.r.size - 1


def against_scipy(limit: float) -> None:
    graph = generate.jacobian(15_000)
    graphs = iter([fresh(graph) for _ in range(2)])
    calls = {"rank": lambda: berge.structural_rank(next(graphs)),
             "blocks": lambda: berge.dulmage_mendelsohn(next(graphs))}  # fmt: skip
    rank, dm = (in_turns({"": call}, 1, warm_up=False)[""] for call in calls.values())
    print(f"\nJacobian of {graph.n_rows:,} rows, {graph.nnz:,} entries")
    print(f"  berge: structural rank {rank.told:,} in {rank.best * 1e3:.1f} ms; ", end="")
    print(f"{dm.told.n_square_blocks:,} blocks in {dm.best * 1e3:.1f} ms")
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
        sources = with_real({}, options.data, options.names or REAL) | sources
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
    print(f"{'geometric mean':86}{geometric_mean(ratios):>11.2f}")
    if not options.names:
        against_scipy(options.scipy_limit)


if __name__ == "__main__":
    main()
