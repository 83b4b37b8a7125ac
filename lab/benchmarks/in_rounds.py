"""The default on several threads, against one thread and other codes, in rounds.

    python lab/benchmarks/in_rounds.py [--data FOLDER] [--edges 1000000] [--rounds 5] [NAME …]
    python lab/benchmarks/in_rounds.py [NAME …] --data FOLDER --edges 0 --peers btf [--limit 1]

Graphs are generated ones, or those of a folder, that have at least so many edges. Each round
measures every graph by every code, each in a process of its own, in random order. So differences
between processes, in caches and on a shared machine, even out. A figure is the best of all rounds;
every matching is proved. A peer that takes over the limit, in seconds, is not asked again.
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
from pathlib import Path

from common import print_table

import berge
from berge import generate
from berge_lab.bench.measure import measure, save_graph
from berge_lab.bench.peers import PEERS
from berge_lab.bench.ratios import geometric_mean

GENERATED = {
    "rmat-18": lambda: generate.rmat(18, 16),
    "random": lambda: generate.erdos_renyi(300_000, 300_000, 1_800_000),
    "road": lambda: generate.road(600, 600),
    "delaunay": lambda: generate.delaunay(300_000),
    "delaunay permuted": lambda: generate.permute(generate.delaunay(300_000)),
    "grid permuted": lambda: generate.permute(generate.grid(600, 600)),
    "mesh3 permuted": lambda: generate.permute(generate.mesh3(500_000)),
    "jacobian": lambda: generate.jacobian(100_000),
    "layered": lambda: generate.layered(40),
}


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these graphs")
    parser.add_argument("--data", type=Path, help="folder of .npz files, in place of generated")
    parser.add_argument("--edges", type=int, default=1_000_000, help="leave smaller graphs out")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--peers", nargs="+", default=[], choices=PEERS, help="in place of one thread"
    )
    parser.add_argument("--limit", type=float, default=1.0, help="seconds for a peer's run")
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
        codes: dict[str, dict] = {
            f"{options.threads} threads": {"arguments": {"threads": options.threads}}
        }
        codes |= {peer: {"peer": peer} for peer in options.peers}
        if not options.peers:
            codes["1 thread"] = {"arguments": {"threads": 1}}
        best = in_rounds(files, codes, options.rounds, options.limit)
    show(list(files), list(codes), best)


def in_rounds(
    files: dict[str, Path], codes: dict[str, dict], rounds: int, limit: float
) -> dict[tuple[str, str], float]:
    """Return the best seconds of each code on each graph; the limit where it took longer."""
    best: dict[tuple[str, str], float] = {}
    tasks = [(name, code) for name in files for code in codes]
    for number in range(rounds):
        random.Random(number).shuffle(tasks)
        for name, code in list(tasks):
            peer = codes[code].get("peer")
            time_limit = limit if peer else 60
            found = measure(files[name], repeats=10, time_limit=time_limit, **codes[code])
            if found["status"] == "time limit" and peer:
                tasks.remove((name, code))
                best.setdefault((name, code), limit)
            elif found["status"] != "ok":
                raise SystemExit(f"{name}, {code}: {found['status']} ({found['reason']})")
            else:
                seconds = min(found["seconds"])
                best[name, code] = min(seconds, best.get((name, code), math.inf))
    return best


def show(names: list[str], codes: list[str], best: dict[tuple[str, str], float]) -> None:
    """Print milliseconds, and how many times the first code's each of the others takes."""
    others = codes[1:]
    head = ["graph", *(f"{code}, ms" for code in codes), *(f"{code} ÷" for code in others)]
    ratios = {code: [best[name, code] / best[name, codes[0]] for name in names] for code in others}
    rows = [
        [name, *(1e3 * best[name, code] for code in codes), *(ratios[c][k] for c in others)]
        for k, name in enumerate(names)
    ]
    for word, of in (("geometric mean", geometric_mean), ("least", min)):
        rows.append([word, *[None] * len(codes), *(of(ratios[code]) for code in others)])
    print_table(head, rows)


if __name__ == "__main__":
    main()
