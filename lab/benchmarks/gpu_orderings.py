"""What the APFB paper says of its variants, on our graphs: iterations, and kernels launched.

    python lab/benchmarks/gpu_orderings.py [--threads 2] [--init cheap] [--data FOLDER] [--levels]

Prints a Markdown table of outer iterations and of BFS kernels launched, for APFB and APsB with
GPUBFS and GPUBFS-WR (shape CT). The graphs are Delaunay, road and social ones: generated, and real
ones if a folder of .npz graphs is given. Then it prints each ordering, graph by graph. With
--levels: how many kernels every iteration launched, as in the paper's figure 2. These are counts,
not seconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from common import with_real

import berge
from berge import generate

GRAPHS = {
    "Delaunay, 40 000 points": lambda: generate.delaunay(40_000),
    "Delaunay, permuted": lambda: generate.permute(generate.delaunay(40_000)),
    "road, 220 × 220": lambda: generate.road(220, 220),
    "road, permuted": lambda: generate.permute(generate.road(220, 220)),
    "social (rmat 15)": lambda: generate.rmat(15, 6),
    "social (power law)": lambda: generate.power_law(60_000, 50_000, 5, 2.2),
}
REAL = ("delaunay_n16", "delaunay-geonames", "luxembourg_osm", "road-seattle", "rhein-neckar_osm",
        "soc-Slashdot0902", "ego-Twitter", "musae-github", "email-Enron")  # fmt: skip
NAMES = ("apfb-gpubfs", "apfb-gpubfs-wr", "apsb-gpubfs", "apsb-gpubfs-wr")
CLAIMS = (
    ("APFB needs fewer iterations than APsB, plain", "phases", NAMES[0], NAMES[2], False),
    ("APFB needs fewer iterations than APsB, with roots", "phases", NAMES[1], NAMES[3], False),
    ("WR launches no more kernels than plain, APFB", "levels", NAMES[1], NAMES[0], True),
    ("WR launches no more kernels than plain, APsB", "levels", NAMES[3], NAMES[2], True),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, help="a folder of .npz graphs")
    parser.add_argument("--threads", type=int, default=2, help="default: %(default)s")
    parser.add_argument(
        "--init", default="cheap", help="the start; default: cheap, as in the paper"
    )
    parser.add_argument("--levels", action="store_true", help="kernels of every iteration")
    options = parser.parse_args()
    sources = with_real(GRAPHS, options.data, REAL)
    print("| graph | paths |", " | ".join(f"`{name}`" for name in NAMES), "|")
    print("|---" + "|---:" * 5 + "|")
    facts = {}
    for name, make in sources.items():
        graph = make()
        facts[name] = stats = {}
        for algorithm in NAMES:
            matching = berge.maximum_matching(
                graph, algorithm=f"{algorithm}-ct", init=options.init, threads=options.threads
            )
            matching.prove(graph)
            stats[algorithm] = matching.stats
        cells = [f"{s.phases} / {s.levels}" for s in stats.values()]
        paths = stats[NAMES[0]].augmenting_paths
        print(f"| {name} | {paths} |", " | ".join(cells), "|", flush=True)
        if options.levels:
            for algorithm, s in stats.items():
                print(f"    {algorithm}: {' '.join(map(str, s.launches))}")
    print()
    for claim, figure, left, right, may_be_equal in CLAIMS:
        told = {n: f for n, f in facts.items() if f[left].augmenting_paths}  # else nothing to do
        held, broken = 0, []
        for name, stats in told.items():
            a, b = getattr(stats[left], figure), getattr(stats[right], figure)
            if a < b or (may_be_equal and a == b):
                held += 1
            else:
                broken.append(f"{name} ({a} against {b})")
        totals = [sum(getattr(f[side], figure) for f in told.values()) for side in (left, right)]
        print(f"- {claim}: {totals[0]} against {totals[1]} on all graphs; it holds on {held} of")
        print(f"  {len(told)}" + ", not on " * bool(broken), end="")
        print(", ".join(broken))


if __name__ == "__main__":
    main()
