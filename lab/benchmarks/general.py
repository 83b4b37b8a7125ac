"""Maximum matchings of any graph by number: berge beside LEMON, and networkx and rustworkx.

python lab/benchmarks/general.py --data FOLDER [--graphs NAME …] [--repeats 3] [--slow]

On the symmetric graphs of a folder of .npz files. LEMON is C++: the program below is compiled with
``g++ -O3`` in a temporary folder (Debian: liblemon-dev). Every graph is solved by turns, best of
`repeats`; times are of the processor, since other work on the machine does not change these much.
Neither reading nor building the graph is counted. `--slow` times networkx and rustworkx once, on
graphs of up to 3000 edges.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from common import print_table

import berge

LEMON = r"""
#include <lemon/smart_graph.h>
#include <lemon/matching.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>
using namespace lemon;
int main(int, char **argv) {
  FILE *file = fopen(argv[1], "rb");
  int64_t head[2];
  if (fread(head, 8, 2, file) != 2) return 1;
  std::vector<int32_t> ends(2 * head[1]);
  if (fread(ends.data(), 4, ends.size(), file) != ends.size()) return 1;
  SmartGraph graph;
  graph.reserveNode(head[0]);
  graph.reserveEdge(head[1]);
  for (int64_t v = 0; v < head[0]; v++) graph.addNode();
  for (int64_t e = 0; e < head[1]; e++)
    graph.addEdge(graph.nodeFromId(ends[2 * e]), graph.nodeFromId(ends[2 * e + 1]));
  clock_t begin = clock();
  MaxMatching<SmartGraph> matching(graph);
  matching.run();
  printf("%d %.6f\n", matching.matchingSize(), double(clock() - begin) / CLOCKS_PER_SEC);
}
"""
GRAPHS = [
    "email-Enron",
    "cond-mat-2005",
    "musae-github",
    "road-moscow",
    "delaunay-geonames",
    "ego-Twitter",
    "wave",
    "dragon-dual",
    "blogcatalog",
    "musae-crocodile",
    "as-22july06",
    "delaunay_n16",
    "mdual",
    "ak2010",
    "power-SyntheticUSA",
    "rgg_n_2_15_s0",
    "road-seattle",
    "road-delhi",
    "road-rome",
    "luxembourg_osm",
    "malta_osm",
    "rhein-neckar_osm",
    "soc-Slashdot0902",
    "kkt-opf-SyntheticUSA",
    "cnr-2000",
]


def timed(solve: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of the processor, and the result."""
    begin = time.process_time()
    result = solve()
    return time.process_time() - begin, result


def compile_lemon(folder: Path) -> Path:
    """Return the program."""
    source, program = folder / "lemon.cpp", folder / "lemon"
    source.write_text(LEMON)
    subprocess.run(["g++", "-O3", "-o", program, source], check=True)
    return program


def edges_of(graph: berge.Graph) -> Any:
    """Return each edge once, as a row."""
    ends = np.repeat(np.arange(graph.n_vertices, dtype=np.int32), graph.degrees)
    once = ends < graph.indices
    return np.column_stack([ends[once], graph.indices[once]]).astype(np.int32)


def run_lemon(program: Path, file: Path) -> tuple[float, int]:
    """Return the seconds, and the number of pairs."""
    words = subprocess.run([program, file], check=True, capture_output=True).stdout.split()
    return float(words[1]), int(words[0])


def compare(name: str, graph: berge.Graph, program: Path, repeats: int) -> list[Any]:
    """Return a row of the table."""
    file, edges = program.parent / "graph", edges_of(graph)
    with file.open("wb") as out:
        np.array([graph.n_vertices, len(edges)], np.int64).tofile(out)
        edges.tofile(out)
    ours, theirs, proof = [], [], []
    for _ in range(repeats):
        seconds, pairs = run_lemon(program, file)
        theirs.append(seconds)
        for _ in range(2):
            seconds, matching = timed(lambda: berge.maximum_matching(graph))
            ours.append(seconds)
        proof.append(timed(partial(matching.prove, graph))[0])
        assert matching.cardinality == pairs, f"{name}: LEMON has {pairs} pairs, {matching}"
    here, there = min(ours), min(theirs)
    sizes = [name, graph.n_vertices, graph.n_edges, matching.cardinality]
    times = [f"{1e3 * s:.1f}" for s in (here, min(proof), there)]
    return [*sizes, *times, f"{there / here:.2f}", f"{min(proof) / here:.2f}"]


def compare_slow() -> None:
    """Print networkx and rustworkx beside, on random graphs that they can do."""
    import networkx
    import rustworkx

    rows = []
    for n, m in ((200, 600), (1000, 3000)):
        rng = np.random.default_rng(0)
        graph = berge.Graph.from_edges(*rng.integers(0, n, (2, m)), n)
        pairs = edges_of(graph).tolist()
        theirs, other = networkx.Graph(pairs), rustworkx.PyGraph()
        other.add_nodes_from(range(n))
        other.add_edges_from([(u, v, 1) for u, v in pairs])
        berge.maximum_matching(graph)
        ours, found = timed(lambda: berge.maximum_matching(graph))  # noqa: B023
        times = [
            timed(lambda: networkx.max_weight_matching(theirs, maxcardinality=True)),  # noqa: B023
            timed(lambda: rustworkx.max_weight_matching(other, max_cardinality=True)),  # noqa: B023
        ]
        assert {len(result) for _, result in times} == {found.cardinality}
        rows.append([n, graph.n_edges, *(f"{1e3 * s:.2f}" for s in (ours, *(t for t, _ in times)))])
    print_table(["vertices", "edges", "berge, ms", "networkx, ms", "rustworkx, ms"], rows)


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--graphs", nargs="*", default=GRAPHS)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--slow", action="store_true")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = compile_lemon(Path(folder))
        for name in given.graphs:
            graph = berge.as_graph(str(given.data / f"{name}.npz"))
            rows.append(compare(name, graph, program, given.repeats))
            print(*rows[-1], flush=True)
    columns = ["graph", "vertices", "edges", "pairs", "berge, ms", "proof, ms", "LEMON, ms"]
    print_table([*columns, "LEMON / berge", "proof / berge"], rows)
    ratios = [float(row[-2]) for row in rows]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"LEMON / berge: geometric mean {mean:.2f}, least {min(ratios)}")
    if given.slow:
        compare_slow()


if __name__ == "__main__":
    main()
