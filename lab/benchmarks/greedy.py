"""Greedy matchings: what each method finds, and how fast, beside networkx and networkit.

    python lab/benchmarks/greedy.py quality FOLDER      sizes and weights, averages over 10 seeds
    python lab/benchmarks/greedy.py first-round         against the formula, on a random graph
    python lab/benchmarks/greedy.py speed FOLDER        ratios, best of several by turns

FOLDER has the graphs as .npz files; those that are missing are left out. networkit is optional
(pip install networkit). Times are from a graph in memory to the finished matching, berge's with its
check that the matching is maximal; every contender has its own data structure, and two threads.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import numpy as np

import berge
import berge.results.run
from berge import Graph
from berge.methods.greedy.proposals import first_round
from berge_lab.bench.loop import in_turns

MESHES = ("ecology1", "delaunay-geonames", "wave", "road-moscow", "dragon-dual")
WITH_WEIGHTS = ("delaunay-geonames", "road-moscow", "road-seattle", "ak2010", "cond-mat-2005")
TIMED = ("ecology1", "delaunay-geonames", "wave", "road-moscow", "dragon-dual",
         "kkt-opf-SyntheticUSA", "ego-Twitter")  # fmt: skip
SEEDS = range(10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["quality", "first-round", "speed"])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--only", action="append", help="a graph to time; default: all")
    options = parser.parse_args()
    if options.what == "first-round":
        first_rounds()
    elif options.what == "quality":
        quality(options.folder)
    else:
        speed(load(options.folder, tuple(options.only or TIMED)), options.repeat)


def load(folder: Path, names: tuple[str, ...]) -> dict[str, Path]:
    return {name: folder / f"{name}.npz" for name in names if (folder / f"{name}.npz").exists()}


def with_random_weights(graph: Graph, draw: Callable = np.random.Generator.random) -> Graph:
    """The same graph with weights that are the same in both directions."""
    coo = graph.to_scipy().tocoo()
    once = coo.row < coo.col
    weights = draw(np.random.default_rng(0), int(once.sum()))
    return Graph.from_edges(coo.row[once], coo.col[once], graph.n_vertices, weights)


def heavy_tailed(rng: np.random.Generator, size: int) -> np.ndarray:
    return 10.0 ** rng.uniform(0, 6, size)


def quality(folder: Path) -> None:
    print("| graph | random | proposals | of random | rounds |\n|---|---|---|---|---|")
    shares = []
    for name, path in load(folder, MESHES).items():
        graph = berge.as_graph(path)
        runs = [
            [berge.greedy_matching(graph, method=m, seed=s) for m in ("random", "proposals")]
            for s in SEEDS
        ]
        shares.append(fmean(b.size / a.size for a, b in runs))
        random, rounds = fmean(a.size for a, _ in runs), fmean(b.rounds for _, b in runs)
        proposals = fmean(b.size for _, b in runs)
        print(f"| {name} | {random:,.0f} | {proposals:,.0f} | {shares[-1]:.2%} | {rounds:.1f} |")
    print(f"| average | | | {fmean(shares):.2%} | |\n")
    print("| graph, weights | of weighted | of sorted | global-paths over suitor |")
    print("|---|---|---|---|")
    cases = [(f"{n}, its own", berge.as_graph(p, weights=True))
             for n, p in load(folder, WITH_WEIGHTS).items()]  # fmt: skip
    for name, path in load(folder, MESHES).items():
        graph = berge.as_graph(path)
        cases.append((f"{name}, uniform", with_random_weights(graph)))
        cases.append((f"{name}, 10^(0…6)", with_random_weights(graph, heavy_tailed)))
    ratios: dict[str, list[tuple[float, float]]] = {}
    for name, graph in cases:
        best = berge.greedy_matching(graph, method="sorted").weight
        paths = berge.greedy_matching(graph, method="global-paths").weight / best
        pairs = [
            [berge.greedy_matching(graph, method=m, seed=s).weight
             for m in ("weighted", "weighted-proposals")]
            for s in SEEDS
        ]  # fmt: skip
        found = fmean(b / a for a, b in pairs), fmean(b / best for _, b in pairs)
        ratios.setdefault(name.partition(", ")[2], []).append(found)
        print(f"| {name} | {found[0]:.1%} | {found[1]:.1%} | {paths - 1:+.1%} |")
    for kind, some in ratios.items():
        first, second = (fmean(ratio[i] for ratio in some) for i in (0, 1))
        print(f"| average, {kind} | {first:.1%} | {second:.1%} | |")


def after_one_round(report: berge.results.run.PhaseReport) -> None:
    """Stop as Ctrl-C would: what was matched is kept."""
    if report.phase == 1:
        raise KeyboardInterrupt


def first_rounds() -> None:
    rng, n = np.random.default_rng(0), 1_000_000
    graph = Graph.from_edges(*rng.integers(0, n, (2, 16 * n)), n)
    print(f"{graph}\n\n| p | formula | measured |\n|---|---|---|")
    for p in (0.1, 0.2, 0.3, 0.4, 0.5, 0.52, 0.53406, 0.55, 0.6, 0.7, 0.8, 0.9):
        found = [
            berge.greedy_matching(graph, method="proposals", p=p, seed=s, on_phase=after_one_round)
            .matched_fraction[0] for s in SEEDS
        ]  # fmt: skip
        print(f"| {p} | {first_round(p):.4f} | {fmean(found):.4f} |")


def speed(graphs: dict[str, Path], repeat: int) -> None:
    for name, path in graphs.items():
        graph = berge.as_graph(path)
        weighted = with_random_weights(graph)
        for kind, source in (("auto", graph), ("suitor", weighted), ("global-paths", weighted)):
            contenders: dict[str, Callable[[], object]] = {
                "1 thread": lambda s=source, m=kind: berge.greedy_matching(s, method=m, threads=1),
                "2 threads": lambda s=source, m=kind: berge.greedy_matching(s, method=m, threads=2),
            }
            contenders |= peers(source, networkx=kind == "auto" and name in MESHES[:2])
            found = in_turns(contenders, repeat, check=shown)
            print(f"{name}, {graph.n_edges:,} edges, {kind}:")
            for peer, timing in found.items():
                ratio = timing.best / found["2 threads"].best
                print(f"    {peer:34}{timing.best * 1e3:10.2f} ms{ratio:9.2f}×   {timing.told}")


def peers(graph: Graph, networkx: bool) -> dict[str, Callable[[], object]]:
    found: dict[str, Callable[[], object]] = {}
    coo = graph.to_scipy().tocoo()
    once = coo.row < coo.col
    rows, cols, values = coo.row[once], coo.col[once], coo.data[once].astype(float)
    try:
        import networkit as nk
    except ImportError:
        pass
    else:
        nk.setNumberOfThreads(2)
        weighted = graph.weights is not None
        ends = rows.astype(np.uint64), cols.astype(np.uint64)
        theirs = nk.GraphFromCoo((values, ends), graph.n_vertices, weighted=weighted)

        def run(matcher: Callable) -> Callable[[], object]:
            def go() -> object:
                made = matcher()
                made.run()
                return lambda: (made.getMatching().size(theirs), made.getMatching().weight(theirs))

            return go

        found["networkit SuitorMatcher"] = run(lambda: nk.matching.SuitorMatcher(theirs, False))
        if weighted:
            in_order = nk.GraphFromCoo((values, ends), graph.n_vertices, weighted=True)
            nk.graphtools.sortEdgesByWeight(in_order, True)
            found["networkit SuitorMatcher, sorted"] = run(
                lambda: nk.matching.SuitorMatcher(in_order, True)
            )
        found["networkit PathGrowingMatcher"] = run(lambda: nk.matching.PathGrowingMatcher(theirs))
    if networkx:
        import networkx as nx

        network = nx.Graph(zip(rows.tolist(), cols.tolist(), strict=True))
        found["networkx maximal_matching"] = lambda: nx.maximal_matching(network)
    return found


def shown(result: object) -> str:
    if isinstance(result, berge.GreedyMatching):
        return f"{result.size:,} pairs, weight {result.weight:.8g}"
    if isinstance(result, set):
        return f"{len(result):,} pairs"
    size, weight = result()
    return f"{size:,} pairs, weight {weight:.8g}"


if __name__ == "__main__":
    main()
