"""The default on several threads against one.

    python benchmarks/two_threads.py [--data FOLDER] [--edges 1000000] [--rounds 5] [NAME …]

Graphs are generated ones, or those of a folder, that have at least so many edges.
Each round measures every graph on one thread and on several, each in a process of its own, in
random order: what a process gets of the caches, and of a shared machine, then evens out. A figure
is the best of all rounds; every matching is proved.
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
from pathlib import Path

import berge
from berge import generate
from berge.bench.measure import measure, save_graph

GENERATED = {
    "rmat-18": lambda: generate.rmat(18, 16),
    "random": lambda: generate.erdos_renyi(300_000, 300_000, 1_800_000),
    "road": lambda: generate.road(600, 600),
    "delaunay": lambda: generate.delaunay(300_000),
    "delaunay permuted": lambda: generate.permute(generate.delaunay(300_000)),
    "grid permuted": lambda: generate.permute(generate.grid(600, 600)),
    "mesh3 permuted": lambda: generate.permute(generate.mesh3(500_000)),
}


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these graphs")
    parser.add_argument("--data", type=Path, help="folder of .npz files, in place of generated")
    parser.add_argument("--edges", type=int, default=1_000_000, help="leave smaller graphs out")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    sources = dict(GENERATED)
    if options.data:
        sources = {f.stem: lambda f=f: berge.read(f) for f in sorted(options.data.glob("*.npz"))}
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for name, make in sources.items():
            graph = make()
            if graph.nnz >= options.edges and (not options.names or name in options.names):
                files[name] = Path(folder, f"{len(files)}.npz")
                save_graph(graph, files[name])
        best: dict[tuple[str, int], float] = {}
        tasks = [(name, threads) for name in files for threads in (1, options.threads)]
        for number in range(options.rounds):
            random.Random(number).shuffle(tasks)
            for name, threads in tasks:
                found = measure(files[name], arguments={"threads": threads}, repeats=10)
                if found["status"] != "ok":
                    raise SystemExit(f"{name}: {found['status']} ({found['reason']})")
                seconds = min(found["seconds"])
                best[name, threads] = min(seconds, best.get((name, threads), math.inf))
    gains = []
    print(f"| graph | 1 thread, ms | {options.threads} threads, ms | gain |\n|---|---:|---:|---:|")
    for name in files:
        one, many = best[name, 1], best[name, options.threads]
        gains.append(one / many)
        print(f"| {name} | {one * 1e3:.3g} | {many * 1e3:.3g} | {one / many:.2f} |")
    print(f"| geometric mean | | | {math.exp(sum(map(math.log, gains)) / len(gains)):.2f} |")


if __name__ == "__main__":
    main()
