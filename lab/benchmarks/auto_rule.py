"""What `auto` stands for, against what else it could: chosen on one half of the graphs, checked on
the other.

    python lab/benchmarks/auto_rule.py [--data FOLDER] [--repeats 3]

Every candidate runs on every graph on one thread, best of several, processor time (so that other
work on the machine matters little), from CSR arrays in memory to the finished matching. The first
table is over the generated graphs and every other real one, by name, the second over the rest.
Times are multiples of the fastest candidate's on the graph: geometric mean, worst, and how often it
was the fastest. The second table needs a folder of .npz graphs.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path

from common import print_table

import berge
from berge import generate
from berge_lab.bench.loop import in_turns
from berge_lab.bench.ratios import geometric_mean, slowdowns

GENERATED = {
    "rmat": lambda: generate.rmat(16, 8),
    "power law": lambda: generate.power_law(120_000, 100_000, 5, 2.2),
    "random, degree 2.5": lambda: generate.erdos_renyi(100_000, 100_000, 250_000),
    "random, degree 4": lambda: generate.erdos_renyi(100_000, 100_000, 400_000),
    "random, tall": lambda: generate.erdos_renyi(150_000, 100_000, 450_000),
    "hidden perfect": lambda: generate.hidden_perfect(100_000, 3),
    "grid": lambda: generate.grid(300, 300),
    "grid, permuted": lambda: generate.permute(generate.grid(300, 300)),
    "delaunay": lambda: generate.delaunay(60_000),
    "delaunay, permuted": lambda: generate.permute(generate.delaunay(60_000)),
    "mesh3, permuted": lambda: generate.permute(generate.mesh3(100_000)),
    "road": lambda: generate.road(220, 220),
    "jacobian": lambda: generate.jacobian(50_000),
    "chain": lambda: generate.chain(100_000),
}

AUTO = {"algorithm": "auto"}
CANDIDATES = {
    "auto": AUTO,
    "auto, effort 1": AUTO | {"effort": 1.0},
    "auto, effort 2": AUTO | {"effort": 2.0},
    "auto, effort 5": AUTO | {"effort": 5.0},
    "auto, effort 10": AUTO | {"effort": 10.0},
    "auto, from rows": AUTO | {"side": "rows"},
    "auto, karp-sipser": AUTO | {"init": "karp-sipser"},
    "auto, min-degree": AUTO | {"init": "min-degree"},
    "cheap, push-relabel": {"algorithm": "push-relabel", "init": "cheap"},
    "cheap, pothen-fan": {"algorithm": "pothen-fan", "init": "cheap"},
    "cheap, ms-bfs-graft": {"algorithm": "ms-bfs-graft", "init": "cheap"},
    "cheap, hkdw": {"algorithm": "hkdw", "init": "cheap"},
    "karp-sipser, ms-bfs-graft": {"algorithm": "ms-bfs-graft", "init": "karp-sipser"},
}
LIMIT = 5.0  # seconds, which count as the time where it is not enough


def seconds(graph: berge.BipartiteGraph, repeats: int) -> dict[str, float]:
    """Return the least processor time of each candidate on a graph that berge sees anew."""
    matrix = graph.to_scipy()

    def check(matching: berge.Matching) -> None:
        if matching.stats.stopped:
            raise TimeoutError
        matching.prove(matrix)

    settings = {"threads": 1, "time_limit": LIMIT}
    solves = {
        name: partial(berge.maximum_matching, matrix, **settings, **own)
        for name, own in CANDIDATES.items()
    }
    found = in_turns(solves, repeats, check=check, clock=time.thread_time)
    return {name: LIMIT if t.failure is not None else t.best for name, t in found.items()}


def show(title: str, times: dict[str, dict[str, float]]) -> None:
    """Print a table of all candidates."""
    print(f"\n{title}: {len(times)} graphs")
    by_candidate = {name: {g: row[name] for g, row in times.items()} for name in CANDIDATES}
    rows = []
    for name, ratios in slowdowns(by_candidate).items():
        worst = max(ratios, key=ratios.__getitem__)
        wins = sum(ratio <= 1 for ratio in ratios.values())
        rows.append([name, geometric_mean(ratios.values()), ratios[worst], worst, wins])
    print_table(["candidate", "mean", "worst", "on", "fastest"], rows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--data", type=Path, help="folder of .npz graphs")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    files = sorted(args.data.glob("*.npz")) if args.data else []
    halves = [GENERATED | {f.stem: lambda f=f: berge.read(f) for f in files[::2]}]
    halves.append({f.stem: lambda f=f: berge.read(f) for f in files[1::2]})
    for title, graphs in zip(("Chosen on", "Checked on"), halves, strict=True):
        times = {}
        for name, make in graphs.items():
            graph = make()
            times[name] = seconds(graph, args.repeats)
            fastest = min(times[name], key=times[name].__getitem__)
            print(f"{name}: auto {1e3 * times[name]['auto']:.2f} ms, fastest {fastest}", flush=True)
        if times:
            show(title, times)


if __name__ == "__main__":
    main()
