"""berge's coarsening beside METIS's own, on the same graphs: how fast it shrinks, what is kept.

    pip install pymetis
    python lab/benchmarks/partitioners.py [GRAPH.mtx …]

METIS says by its debug level 6 what each level has, and what coarsening took: CPU seconds of one
thread. So berge runs on one thread too, and CPU seconds are counted; both are the best of several
runs, taken by turns. The weight kept is that of the edges that still are between two vertices, read
at the first level of at most 2000 vertices.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("NUMBA_NUM_THREADS", "2")

import numpy as np

import berge

RUNS, SMALL = 5, 2000
METIS = """
import sys, numpy, pymetis
graph = numpy.load(sys.argv[1])
rows = pymetis.CSRAdjacency(graph["indptr"], graph["indices"])
pymetis.part_graph(2, adjacency=rows, options=pymetis.Options(dbglvl=6))
"""
Levels = list[tuple[int, float]]  # vertices, and the part of the weight that is kept


def by_metis(graph: berge.Graph) -> tuple[Levels, float]:
    """Return the levels of METIS, and its CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "graph.npz")
        np.savez(file, indptr=graph.indptr, indices=graph.indices)
        said = subprocess.run(
            [sys.executable, "-c", METIS, file], capture_output=True, text=True, check=True
        ).stdout
    lines = re.findall(r"^\s*(\d+)\s+(\d+)\s+(\d+) \[", said, re.MULTILINE)
    whole = int(lines[0][2])
    seconds = re.search(r"Coarsening:\s+([\d.]+)", said)
    assert seconds is not None
    return [(int(n), int(kept) / whole) for n, _, kept in lines], float(seconds[1])


def by_berge(graph: berge.Graph) -> tuple[Levels, float]:
    """Return the levels of berge, and its CPU seconds."""
    began = time.process_time()
    hierarchy = berge.coarsen(graph, until=40, threads=1)
    seconds = time.process_time() - began
    return [(level.graph.n_vertices, level.weight_kept) for level in hierarchy], seconds


def main() -> None:
    """Print a line for each graph and code."""
    graphs = {"delaunay, 60 000 points": berge.as_graph(berge.generate.delaunay(60_000))}
    graphs |= {Path(path).stem: berge.as_graph(path) for path in sys.argv[1:]}
    print("| graph | by | vertices a level, times fewer | weight kept | CPU s |")
    print("|---|---|---:|---:|---:|")
    for name, graph in graphs.items():
        berge.coarsen(graph, until=40, threads=1)  # compiles
        best: dict[str, float] = {}
        levels: dict[str, Levels] = {}
        for _ in range(RUNS):
            for code, run in (("METIS", by_metis), ("berge", by_berge)):
                levels[code], seconds = run(graph)
                best[code] = min(best.get(code, seconds), seconds)
        for code, found in levels.items():
            steps = [a / b for (a, _), (b, _) in pairwise(found) if a > SMALL]
            fewer = float(np.exp(np.mean(np.log(steps))))
            n, kept = next(level for level in found if level[0] <= SMALL)
            print(
                f"| {name} | {code} | {fewer:.2f} | {100 * kept:.1f} % at {n} | {best[code]:.3f} |"
            )


if __name__ == "__main__":
    main()
