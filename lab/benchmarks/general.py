"""Maximum matchings of any graph by number: berge beside LEMON and Boost, networkx and rustworkx.

python lab/benchmarks/general.py --data FOLDER [--graphs NAME …] [--repeats 3]
    [--slow | --two-sides]

On the symmetric graphs of a folder of .npz files. LEMON and Boost are C++: the programs below are
compiled with ``g++ -O3`` in a temporary folder (Debian: liblemon-dev, libboost-graph-dev). Every
graph is solved by turns, best of `repeats`, but by Boost once, for ten seconds at most; times are
of the processor, since other work on the machine does not change these much. Neither reading nor
building the graph is counted; berge gets a new one each time, which knows nothing of earlier
solves. `--slow` adds Boost, and networkx and rustworkx once, on graphs of up to 3000 edges.

`--two-sides` compares with the bipartite default instead, by the clock: every graph of the folder
as rows and columns, and as a `Graph` of both. There, rows have the lower numbers, or both sides are
mixed. Of the first kind there is the second solve, too, for which the graph has kept its sides.
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

READ = r"""
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>
static int64_t head[2];
static std::vector<int32_t> ends;
static bool read(const char *name) {
  FILE *file = fopen(name, "rb");
  if (fread(head, 8, 2, file) != 2) return false;
  ends.resize(2 * head[1]);
  return fread(ends.data(), 4, ends.size(), file) == ends.size();
}
"""
LEMON = r"""
#include <lemon/smart_graph.h>
#include <lemon/matching.h>
using namespace lemon;
int main(int, char **argv) {
  if (!read(argv[1])) return 1;
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
BOOST = r"""
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/max_cardinality_matching.hpp>
using namespace boost;
typedef adjacency_list<vecS, vecS, undirectedS> Graph;
int main(int, char **argv) {
  if (!read(argv[1])) return 1;
  Graph graph(head[0]);
  for (int64_t e = 0; e < head[1]; e++) add_edge(ends[2 * e], ends[2 * e + 1], graph);
  std::vector<graph_traits<Graph>::vertex_descriptor> mate(head[0]);
  clock_t begin = clock();
  edmonds_maximum_cardinality_matching(graph, &mate[0]);
  double seconds = double(clock() - begin) / CLOCKS_PER_SEC;
  printf("%d %.6f\n", (int)matching_size(graph, &mate[0]), seconds);
}
"""
PATIENCE = 10  # seconds for Boost
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
    "bundle1",
    "ecology1",
]


def timed(solve: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of the processor, and the result."""
    begin = time.process_time()
    result = solve()
    return time.process_time() - begin, result


def compile_peer(folder: Path, name: str, code: str) -> Path:
    """Return the program."""
    source, program = folder / f"{name}.cpp", folder / name
    source.write_text(READ + code)
    subprocess.run(["g++", "-O3", "-o", program, source], check=True)
    return program


def edges_of(graph: berge.Graph) -> Any:
    """Return each edge once, as a row."""
    ends = np.repeat(np.arange(graph.n_vertices, dtype=np.int32), graph.degrees)
    once = ends < graph.indices
    return np.column_stack([ends[once], graph.indices[once]]).astype(np.int32)


def run_peer(program: Path, file: Path, patience: float | None = None) -> tuple[float, int]:
    """Return the seconds, and the number of pairs."""
    done = subprocess.run([program, file], check=True, capture_output=True, timeout=patience)
    words = done.stdout.split()
    return float(words[1]), int(words[0])


def run_boost(program: Path, file: Path, pairs: int) -> str:
    """Return the milliseconds, as text; Boost may take hours."""
    try:
        seconds, found = run_peer(program, file, PATIENCE)
    except subprocess.TimeoutExpired:
        return f"over {1000 * PATIENCE:,}"
    assert found == pairs, f"Boost has {found} pairs, not {pairs}"
    return f"{1e3 * seconds:.1f}"


def compare(
    name: str, graph: berge.Graph, program: Path, boost: Path | None, repeats: int
) -> list[Any]:
    """Return a row of the table."""
    file, edges = program.parent / "graph", edges_of(graph)
    with file.open("wb") as out:
        np.array([graph.n_vertices, len(edges)], np.int64).tofile(out)
        edges.tofile(out)
    ours, theirs, proof = [], [], []
    for _ in range(repeats):
        seconds, pairs = run_peer(program, file)
        theirs.append(seconds)
        for _ in range(2):
            new = berge.Graph(graph.indptr, graph.indices)
            seconds, matching = timed(partial(berge.maximum_matching, new))
            ours.append(seconds)
        proof.append(timed(partial(matching.prove, graph))[0])
        assert matching.cardinality == pairs, f"{name}: LEMON has {pairs} pairs, {matching}"
    here, there = min(ours), min(theirs)
    sizes = [name, graph.n_vertices, graph.n_edges, matching.cardinality]
    times = [f"{1e3 * s:.1f}" for s in (here, min(proof), there)]
    others = [run_boost(boost, file, pairs)] if boost else []
    return [*sizes, *times, *others, f"{there / here:.2f}", f"{min(proof) / here:.2f}"]


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


def clocked(make: Callable[[], Any], repeats: int) -> tuple[float, int]:
    """Return the least seconds to match a graph made anew, and the pairs."""
    best = math.inf
    for _ in range(repeats):
        graph = make()
        begin = time.perf_counter()
        matching = berge.maximum_matching(graph)
        best = min(best, time.perf_counter() - begin)
    return best, matching.cardinality


def compare_two_sides(data: Path, names: list[str] | None, repeats: int) -> None:
    """Print the bipartite default, and what a graph without an odd cycle takes beside."""
    rows: list[list[Any]] = []
    for path in sorted(data.glob("*.npz")):
        if names and path.stem not in names:
            continue
        half = berge.as_bipartite(str(path))
        (n_rows, n_cols), ends = half.shape, np.repeat(np.arange(half.n_rows), half.row_degrees)
        n, others = n_rows + n_cols, half.indices.astype(np.int64) + n_rows
        is_row = np.random.default_rng(0).permutation(n) < n_rows
        place = np.r_[np.flatnonzero(is_row), np.flatnonzero(~is_row)]  # of rows, then columns
        parted = berge.Graph.from_edges(ends, others, n)
        mixed = berge.Graph.from_edges(place[ends], place[others], n)
        makers: list[Callable[[], Any]] = [
            partial(berge.BipartiteGraph._trusted, half.indptr, half.indices, half.shape),
            partial(berge.Graph._trusted, parted.indptr, parted.indices),
            partial(lambda kept: kept, parted),
            partial(berge.Graph._trusted, mixed.indptr, mixed.indices),
        ]
        found = [clocked(make, repeats) for make in makers]
        assert len({pairs for _, pairs in found}) == 1, f"{path.stem}: {found}"
        times = [1e3 * seconds for seconds, _ in found]
        ratios = [t / times[0] for t in times[1:]]
        rows.append([path.stem, half.nnz, f"{times[0]:.2f}", *(f"{r:.2f}" for r in ratios)])
        print(*rows[-1], flush=True)
    kinds = ["rows first", "again", "mixed"]
    print_table(["graph", "edges", "as rows and columns, ms", *kinds], rows)
    for least in (0.0, 1.0):
        some = [row for row in rows if float(row[2]) >= least]
        means = (math.exp(np.log([float(row[k]) for row in some]).mean()) for k in (3, 4, 5))
        said = ", ".join(f"{kind} {mean:.2f}" for kind, mean in zip(kinds, means, strict=True))
        print(f"geometric means of {len(some)} graphs that take {least} ms at least: {said}")


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--graphs", nargs="*")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--two-sides", action="store_true")
    given = parser.parse_args()
    if given.two_sides:
        compare_two_sides(given.data, given.graphs, given.repeats)
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = compile_peer(Path(folder), "lemon", LEMON)
        boost = compile_peer(Path(folder), "boost", BOOST) if given.slow else None
        for name in given.graphs or GRAPHS:
            graph = berge.as_graph(str(given.data / f"{name}.npz"))
            rows.append(compare(name, graph, program, boost, given.repeats))
            print(*rows[-1], flush=True)
    columns = ["graph", "vertices", "edges", "pairs", "berge, ms", "proof, ms", "LEMON, ms"]
    columns += ["Boost, ms"] if given.slow else []
    print_table([*columns, "LEMON / berge", "proof / berge"], rows)
    ratios = [float(row[-2]) for row in rows]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"LEMON / berge: geometric mean {mean:.2f}, least {min(ratios)}")
    if given.slow:
        compare_slow()


if __name__ == "__main__":
    main()
