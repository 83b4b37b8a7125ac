"""berge against scipy, igraph and networkx: the same graph, the same run, best of several.

    python benchmarks/against_peers.py [--limit SECONDS] [--repeat N] [--data FOLDER] [NAME …]

berge's time runs from CSR arrays in memory to the finished matching, transpose included, on all
cores; the proof is apart. A peer runs in a process of its own on its own data structure, converting
not timed. A ratio above 1 says how many times faster berge is; "> 12" that the peer had no answer
within the limit, which then counts as its time in the mean.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import berge
from berge import generate
from berge.bench.compare import compare
from berge.bench.peers import PEERS

GRAPHS = {
    "layered-24": lambda: generate.layered(24),
    "grid": lambda: generate.permute(generate.grid(300, 300)),
    "mesh3": lambda: generate.permute(generate.mesh3(200_000)),
    "road": lambda: generate.road(250, 250),
    "delaunay": lambda: generate.permute(generate.delaunay(100_000)),
    "rmat": lambda: generate.rmat(16, 8),
    "random": lambda: generate.erdos_renyi(200_000, 200_000, 600_000),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="graphs to take; default: all generated ones")
    parser.add_argument("--limit", type=float, default=20, help="seconds for a peer's one solve")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--data", type=Path, help="a folder of graphs to take as well")
    options = parser.parse_args()
    sources = dict(GRAPHS)
    if options.data:
        sources |= {p.stem: lambda p=p: berge.read(p) for p in sorted(options.data.glob("*.npz"))}
    ratios: dict[str, list[float]] = {peer: [] for peer in PEERS}
    print(f"{'graph':22}{'rows':>10}{'edges':>11}{'berge':>11}", end="")
    print("".join(f"{peer + ' / berge':>18}" for peer in PEERS))
    for name in options.names or sources:
        graph = sources[name]()
        results = {
            r.name: r
            for r in compare(
                graph,
                ["ms-bfs-graft"],
                repeat=options.repeat,
                time_limit=options.limit,
                peers=list(PEERS),
            )
        }
        ours = results["ms-bfs-graft"].best
        print(f"{name:22}{graph.n_rows:>10}{graph.nnz:>11}{ours * 1e3:>8.1f} ms", end="")
        for peer in PEERS:
            theirs = results[peer]
            late = (theirs.failure or "").startswith("over")
            if theirs.failure is not None and not late:
                print(f"{theirs.failure:>18}", end="")
                continue
            ratios[peer].append((options.limit if late else theirs.best) / ours)
            print(f"{('> ' if late else '') + format(ratios[peer][-1], '.1f'):>18}", end="")
        print(flush=True)
    print(f"{'geometric mean':54}", end="")
    for peer in PEERS:
        print(f"{float(np.exp(np.mean(np.log(ratios[peer] or [np.nan])))):>18.1f}", end="")
    print()


if __name__ == "__main__":
    main()
