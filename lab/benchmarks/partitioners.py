"""berge's coarsening beside those of METIS and Mt-KaHyPar: how fast it shrinks, what is kept.

    pip install pymetis mtkahypar
    python lab/benchmarks/partitioners.py [GRAPH.mtx …]

METIS says by its debug level 6 what each level has, and what coarsening took: CPU seconds of one
thread. So all run on one thread, and CPU seconds are counted; they are the best of several runs,
taken by turns. Mt-KaHyPar tells of its coarsest level only: for eight blocks, so that this has some
1300 vertices and more. Its seconds are by the clock, from the line that begins coarsening to the
next: it tells no other. The weight kept is that of the edges that still are between two vertices,
read at the first level of at most 2000 vertices.
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
MT_KAHYPAR = """
import sys, numpy, mtkahypar
graph = numpy.load(sys.argv[1])
n = graph["indptr"].size - 1
rows = numpy.repeat(numpy.arange(n), numpy.diff(graph["indptr"]))
once = rows < graph["indices"]
edges = numpy.stack([rows[once], graph["indices"][once]], 1).tolist()
machine = mtkahypar.initialize(1)
context = machine.context_from_preset(mtkahypar.PresetType.DEFAULT)
context.set_partitioning_parameters(8, 0.03, mtkahypar.Objective.CUT)
context.logging = True
machine.create_graph(context, n, len(edges), [tuple(e) for e in edges]).partition(context)
"""
Levels = list[tuple[int, float]]  # vertices, and the part of the weight that is kept


def said_by(code: str, graph: berge.Graph) -> list[tuple[float, str]]:
    """Return the lines that a partitioner says of a graph, and when."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "graph.npz")
        np.savez(file, indptr=graph.indptr, indices=graph.indices)
        command = [sys.executable, "-c", code, str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            found = [(time.perf_counter(), line) for line in process.stdout]
        assert process.returncode == 0
    return found


def by_mt_kahypar(graph: berge.Graph) -> tuple[Levels, float]:
    """Return the first and the last level of Mt-KaHyPar, and its seconds."""
    said = said_by(MT_KAHYPAR, graph)
    begin, end = (
        next(when for when, line in said if step in line)
        for step in ("Coarsening...", "Initial Partitioning...")
    )
    text = "".join(line for when, line in said if begin <= when <= end)
    n, edges = map(int, re.findall(r"# HNs: (\d+)\s+# HEs: (\d+)", text)[0])
    mean = float(re.findall(r"avg= ([\d.e+]+)", text)[1])  # of the columns, the edges' weight
    return [(graph.n_vertices, 1.0), (n, mean * edges / graph.n_edges)], end - begin


def by_metis(graph: berge.Graph) -> tuple[Levels, float]:
    """Return the levels of METIS, and its CPU seconds."""
    said = "".join(line for _, line in said_by(METIS, graph))
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
    codes = {"METIS": by_metis, "Mt-KaHyPar": by_mt_kahypar, "berge": by_berge}
    graphs = {"delaunay, 60 000 points": berge.as_graph(berge.generate.delaunay(60_000))}
    graphs |= {Path(path).stem: berge.as_graph(path) for path in sys.argv[1:]}
    print("| graph | by | vertices a level, times fewer | weight kept | CPU s |")
    print("|---|---|---:|---:|---:|")
    for name, graph in graphs.items():
        berge.coarsen(graph, until=40, threads=1)  # compiles
        best: dict[str, float] = {}
        levels: dict[str, Levels] = {}
        for _ in range(RUNS):
            for code, run in codes.items():
                levels[code], seconds = run(graph)
                best[code] = min(best.get(code, seconds), seconds)
        for code, found in levels.items():
            steps = [a / b for (a, _), (b, _) in pairwise(found) if a > SMALL]
            fewer = f"{float(np.exp(np.mean(np.log(steps)))):.2f}" if len(found) > 2 else "not told"
            n, kept = next((level for level in found if level[0] <= SMALL), found[-1])
            print(f"| {name} | {code} | {fewer} | {100 * kept:.1f} % at {n} | {best[code]:.3f} |")


if __name__ == "__main__":
    main()
