"""Heaviest matchings of any graph: berge against LEMON, rustworkx and networkx.

    python lab/benchmarks/weighted_general.py [--data FOLDER] [--most 200000] [--perfect]

Delaunay triangulations with the lengths of their edges, random graphs, and road graphs of the data
folder with random lengths. All weights are whole. Every weight found is compared, and berge's is
proved. Times are processor seconds, the best of three, codes in turn on one thread; so other work
on the machine matters little. LEMON's `MaxWeightedMatching` is compiled from the driver below; a
C++ compiler and its headers (Debian: liblemon-dev) must be there. berge's time is that of
`maximum_weight_matching` on a `Graph`, result and bound included; that of LEMON does not have the
making of its graph, that of rustworkx and networkx neither.
"""

from __future__ import annotations

import argparse
import math
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import Delaunay

import berge
from berge.graphs.graph import Graph

ROADS = ("road-", "malta_osm", "luxembourg_osm", "rhein-neckar_osm", "delaunay-geonames")
NETWORKX, RUSTWORKX = 2000, 5000  # vertices up to which these are run
DRIVER = r"""
#include <lemon/smart_graph.h>
#include <lemon/matching.h>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>
using namespace lemon;
typedef SmartGraph::EdgeMap<int64_t> Weights;
template <class Matching> void run(SmartGraph& g, Weights& w) {
  clock_t begin = clock();
  Matching m(g, w);
  m.run();
  printf("%.6f %lld\n", double(clock() - begin) / CLOCKS_PER_SEC, (long long)m.matchingWeight());
}
int main(int, char** args) {
  FILE* f = fopen(args[1], "rb");
  int64_t n, m;
  if (fread(&n, 8, 1, f) != 1 || fread(&m, 8, 1, f) != 1) return 1;
  std::vector<int64_t> edges(3 * m);
  if (fread(edges.data(), 24, m, f) != (size_t)m) return 1;
  SmartGraph g;
  for (int64_t v = 0; v < n; v++) g.addNode();
  Weights w(g);
  for (int64_t e = 0; e < m; e++)
    w[g.addEdge(g.nodeFromId(edges[3 * e]), g.nodeFromId(edges[3 * e + 1]))] = edges[3 * e + 2];
  if (args[2][0] == 'p') run<MaxWeightedPerfectMatching<SmartGraph, Weights> >(g, w);
  else run<MaxWeightedMatching<SmartGraph, Weights> >(g, w);
}
"""


def graph_of(ends: Any, others: Any, n: int, lengths: Any) -> Graph:
    """Return a graph whose edges have these lengths."""
    graph = Graph.from_edges(ends, others, n, lengths)
    graph_weights = np.rint(np.asarray(graph.weights)).astype(np.int64)
    return Graph._trusted(graph.indptr, graph.indices, graph_weights)


def delaunay(n: int, seed: int = 0) -> Graph:
    """Return the triangulation of random points; edges weigh their length in millionths."""
    points = np.random.default_rng(seed).random((n, 2))
    corners = Delaunay(points).simplices
    ends, others = corners.ravel(), np.roll(corners, 1, axis=1).ravel()
    return graph_of(ends, others, n, 1e6 * np.hypot(*(points[ends] - points[others]).T))


def random(n: int, m: int, seed: int = 0) -> Graph:
    """Return a random graph with random weights."""
    rng = np.random.default_rng(seed)
    return graph_of(*rng.integers(0, n, (2, m)), n, 1 + 1e6 * rng.random(m))


def instances(data: Path | None, most: int) -> Iterator[tuple[str, Graph]]:
    """Yield graphs by name."""
    for n in (1000, 2000, 5000, 20_000, 200_000):
        if n <= most:
            yield f"Delaunay {n}", delaunay(n)
    for n, m in ((1000, 9903), (5000, 50_000), (20_000, 200_000), (200_000, 600_000)):
        if n <= most:
            yield f"random {n} / {m}", random(n, m)
    for name in ROADS if data else ():
        for path in sorted(data.glob(f"{name}*.npz")) if data else ():
            graph = berge.as_graph(path)
            if graph.n_vertices <= most:
                lower = np.repeat(np.arange(graph.n_vertices), graph.degrees)
                once = lower < graph.indices
                weights = np.random.default_rng(1).integers(1, 1_000_000, int(once.sum()))
                yield (
                    path.stem,
                    graph_of(lower[once], graph.indices[once], graph.n_vertices, weights),
                )


def edges_of(graph: Graph) -> tuple[Any, Any, Any]:
    """Return each edge once."""
    weights: Any = graph.weights
    lower = np.repeat(np.arange(graph.n_vertices), graph.degrees)
    once = lower < graph.indices
    return lower[once], graph.indices[once], weights[once]


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return processor seconds, and what was found."""
    begin = time.process_time()
    found = call()
    return time.process_time() - begin, found


def peers(graph: Graph, folder: Path, perfect: bool) -> dict[str, Callable[[], tuple[float, int]]]:
    """Return how to run each peer; a run tells its seconds and the weight."""
    u, v, w = edges_of(graph)
    head = np.array([graph.n_vertices, u.size], np.int64)
    with (folder / "graph").open("wb") as file:
        file.write(head.tobytes() + np.stack([u, v, w], 1).astype(np.int64).tobytes())

    def lemon() -> tuple[float, int]:
        command = [folder / "lemon", folder / "graph", "p" if perfect else "w"]
        seconds, weight = subprocess.run(command, capture_output=True, text=True).stdout.split()
        return float(seconds), int(weight)

    runs = {"LEMON": lemon}
    triples = list(zip(u.tolist(), v.tolist(), w.tolist(), strict=True))
    weight_of = {(a, b): c for a, b, c in triples}

    def weigh(pairs: Any) -> int:
        return sum(weight_of[min(p), max(p)] for p in pairs)

    if graph.n_vertices <= RUSTWORKX:
        try:
            import rustworkx
        except ImportError:
            print("rustworkx is not installed")
        else:
            other = rustworkx.PyGraph()
            other.add_nodes_from(range(graph.n_vertices))
            other.add_edges_from(triples)

            def by_rustworkx() -> tuple[float, int]:
                seconds, pairs = timed(lambda: rustworkx.max_weight_matching(
                    other, max_cardinality=perfect, weight_fn=int))  # fmt: skip
                return seconds, weigh(pairs)

            runs["rustworkx"] = by_rustworkx
    if graph.n_vertices <= NETWORKX:
        import networkx as nx

        named = nx.Graph()
        named.add_weighted_edges_from(triples)

        def by_networkx() -> tuple[float, int]:
            seconds, pairs = timed(
                lambda: nx.max_weight_matching(named, perfect, backend="networkx")
            )
            return seconds, weigh(pairs)

        runs["networkx"] = by_networkx
    return runs


def main() -> None:
    """Print a table of seconds and ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path)
    parser.add_argument("--most", type=int, default=200_000)
    parser.add_argument("--perfect", action="store_true", help="perfect matchings, where there are")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    try:
        (folder / "lemon.cpp").write_text(DRIVER)
        compiler = ["g++", "-O3", "-DNDEBUG", "-o", folder / "lemon", folder / "lemon.cpp"]
        subprocess.run(compiler, check=True)
        table(given, folder)
    finally:
        shutil.rmtree(folder)


def table(given: Any, folder: Path) -> None:
    """Measure instance after instance."""
    berge.maximum_weight_matching(random(100, 300))  # compiles
    ratios: dict[str, list[float]] = {}
    print("| graph | edges | berge, s | proof, s | " + " | ".join(
        f"{name}, s (× berge)" for name in ("LEMON", "rustworkx", "networkx")) + " |")  # fmt: skip
    print("|---|---|---|---|---|---|---|")
    for name, graph in instances(given.data, given.most):
        if given.perfect and not berge.maximum_matching(graph).is_perfect:
            continue
        best, proof = math.inf, math.inf
        runs = peers(graph, folder, given.perfect)
        seconds = dict.fromkeys(runs, math.inf)
        for _ in range(given.repeats):
            took, m = timed(lambda g=graph: berge.maximum_weight_matching(g, perfect=given.perfect))
            best = min(best, took)
            for peer, run in runs.items():
                if seconds[peer] < 5 or seconds[peer] == math.inf:
                    took, weight = run()
                    assert weight == m.weight, f"{name}: {peer} has {weight}, berge {m.weight}"
                    seconds[peer] = min(seconds[peer], took)
        proof, _ = timed(lambda m=m, g=graph: m.prove(g))
        for peer, took in seconds.items():
            ratios.setdefault(peer, []).append(took / best)
        cells = " | ".join(
            f"{seconds[peer]:.4f} ({seconds[peer] / best:.1f})" if peer in seconds else ""
            for peer in ("LEMON", "rustworkx", "networkx")
        )
        print(f"| {name} | {graph.n_edges} | {best:.4f} | {proof:.4f} | {cells} |", flush=True)
    for peer, found in ratios.items():
        mean = math.exp(sum(map(math.log, found)) / len(found))
        print(f"{peer} takes {mean:.1f} × berge's time in geometric mean of {len(found)}, "
              f"{min(found):.1f} at least")  # fmt: skip


if __name__ == "__main__":
    main()
