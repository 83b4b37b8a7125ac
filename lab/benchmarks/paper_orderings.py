"""The tree-grafting paper's orderings that do not depend on the machine, on our graphs.

    python lab/benchmarks/paper_orderings.py [--init karp-sipser] [--data FOLDER]

Prints edges traversed, phases and the average length of the augmenting paths, for every graph and
algorithm on one thread, all with the same start. Then it prints each claim of the paper's figures 1
and 7, graph by graph. With a folder of .npz graphs some real ones are taken as well.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from common import with_real

from berge import generate
from berge_lab.bench.compare import compare

GRAPHS = {
    "web-like (rmat)": lambda: generate.rmat(16, 6),
    "web-like (power law)": lambda: generate.power_law(120_000, 100_000, 5, 2.2),
    "road-like": lambda: generate.road(220, 220),
    "mesh, degree 3": lambda: generate.permute(generate.mesh3(100_000)),
    "random, degree 3": lambda: generate.erdos_renyi(80_000, 80_000, 240_000),
    "delaunay": lambda: generate.permute(generate.delaunay(60_000)),
}
REAL = ("cnr-2000", "npm-dependencies", "NotreDame_actors", "acl-paper-author", "cit-HepPh",
        "soc-Slashdot0902", "road-seattle", "luxembourg_osm", "ak2010", "wave", "bayer10",
        "cond-mat-2005")  # fmt: skip
GRAFT_ALONE = "ms-bfs-graft:direction_optimising=false"
ALGORITHMS = ("ss-dfs", "ss-bfs", "pothen-fan", "hopcroft-karp", "ms-bfs", "ms-bfs-do",
              "ms-bfs-graft", GRAFT_ALONE)  # fmt: skip
SHORT = {GRAFT_ALONE: "graft, top-down"}

# What the paper says, as a comparison of two figures of one graph: claim, left, right.
CLAIMS = [
    ("grafting traverses fewer edges than plain MS-BFS, both top-down",
     ("traversed_edges", GRAFT_ALONE), ("traversed_edges", "ms-bfs")),
    ("MS-BFS-Graft with direction optimisation does so too", ("traversed_edges", "ms-bfs-graft"),
     ("traversed_edges", "ms-bfs")),
    ("PF traverses fewer edges than HK", ("traversed_edges", "pothen-fan"),
     ("traversed_edges", "hopcroft-karp")),
    ("MS-BFS traverses fewer edges than HK", ("traversed_edges", "ms-bfs"),
     ("traversed_edges", "hopcroft-karp")),
    ("MS-BFS needs fewer phases than SS-BFS", ("phases", "ms-bfs"), ("phases", "ss-bfs")),
    ("PF needs fewer phases than SS-DFS", ("phases", "pothen-fan"), ("phases", "ss-dfs")),
    ("MS-BFS needs no more phases than HK", ("phases", "ms-bfs"), ("phases", "hopcroft-karp")),
    *(
        (f"HK's paths are no longer than those of {other}", ("average_path", "hopcroft-karp"),
         ("average_path", other))
        for other in ("ss-dfs", "ss-bfs", "pothen-fan", "ms-bfs", "ms-bfs-graft")
    ),
]  # fmt: skip
MAY_BE_EQUAL = ("no more", "no longer")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, help="a folder of .npz graphs")
    parser.add_argument("--init", default="karp-sipser", help="the start; default: karp-sipser")
    options = parser.parse_args()
    sources = with_real(GRAPHS, options.data, REAL)
    facts = {}
    print(
        f"{'graph':22}{'matched':>9}  {'figure':15}",
        "".join(f"{SHORT.get(a, a):>16}" for a in ALGORITHMS),
    )
    for name, make in sources.items():
        graph = make()
        results = {
            r.name: r for r in compare(graph, ALGORITHMS, init=options.init, repeat=1, threads=1)
        }
        facts[name] = {a: r.stats for a, r in results.items() if r.stats is not None}
        share = 2 * results["ms-bfs-graft"].cardinality / (graph.n_rows + graph.n_cols)
        for i, (figure, digits) in enumerate(
            (("traversed_edges", 0), ("phases", 0), ("average_path", 1))
        ):
            head = f"{name:22}{100 * share:>7.1f} %" if i == 0 else " " * 31
            values = [f"{getattr(facts[name][a], figure):>16,.{digits}f}" for a in ALGORITHMS]
            print(f"{head}  {figure:15}", "".join(values), flush=True)
    print()
    for claim, (figure, left), (_, right) in CLAIMS:
        # Where the start was maximum already there is no path to compare.
        told = {
            n: f for n, f in facts.items() if f[left].augmenting_paths or figure != "average_path"
        }
        held, broken = [], []
        for name, stats in told.items():
            a, b = getattr(stats[left], figure), getattr(stats[right], figure)
            equal_counts = any(words in claim for words in MAY_BE_EQUAL)
            holds = a <= b * (1 + 1e-9) if equal_counts else a < b
            (held if holds else broken).append(f"{name} ({a:,.4g} against {b:,.4g})")
        print(f"{claim}: held on {len(held)} of {len(told)}")
        for case in broken:
            print(f"    not on {case}")


if __name__ == "__main__":
    main()
