"""Coarsening of many graphs: how far, how fast, and against contraction by others.

    python lab/benchmarks/coarsening.py [--repeat N] [--data FOLDER] [NAME …]

Every hierarchy is checked: no weight of a vertex or an edge is lost. "least" and "mean" tell how
many times fewer vertices a level has than the one before it; "heaviest" how many times heavier than
the average the heaviest vertex of the coarsest level is. "seconds" is processor time of one thread
for the whole hierarchy, "contract" for its first contraction, each the best of several. Further
columns tell how many times as long scipy (Pᵀ A P) and networkit (ParallelPartitionCoarsening, if
installed) take for the same contraction. They run on one thread too, from data structures of their
own. "speed-up" is what all threads gain on the clock, and means something only on a machine that
has nothing else to do.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import berge
from berge import generate
from berge.analysis.coarsening.contract import contract
from berge.compile import thread_count, threads_of
from berge_lab.bench.loop import in_turns

GRAPHS = {
    "grid": lambda: generate.grid(500, 500),
    "delaunay": lambda: generate.delaunay(100_000),
    "mesh3": lambda: generate.mesh3(200_000),
    "road": lambda: generate.road(250, 250),
    "rmat": lambda: generate.rmat(16, 8),
    "power law": lambda: generate.power_law(100_000, 100_000, 4),
    "star": lambda: ([0] * 100_000, list(range(1, 100_001))),
}


def best(call: Callable[[], Any], repeat: int, clock: Callable[[], float]) -> float:
    return in_turns({"": call}, repeat, check=lambda found: None, clock=clock)[""].best


def by_scipy(graph: berge.Graph, coarse: Any, n_coarse: int) -> Callable[[], Any]:
    n = graph.n_vertices
    adjacency = graph.to_scipy().astype(np.float64)
    merging = csr_array((np.ones(n), coarse, np.arange(n + 1)), shape=(n, n_coarse))
    back = merging.T.tocsr()
    return lambda: back @ adjacency @ merging


def by_networkit(graph: berge.Graph, coarse: Any) -> Callable[[], Any] | None:
    try:
        import networkit
    except ImportError:
        return None
    networkit.setNumberOfThreads(1)
    edges = graph.to_scipy().tocoo()
    up = edges.row < edges.col
    ends = (edges.row[up].astype(np.uint64), edges.col[up].astype(np.uint64))
    theirs = networkit.GraphFromCoo(
        (np.ones(int(up.sum())), ends), n=graph.n_vertices, weighted=True
    )
    partition = networkit.Partition(graph.n_vertices)
    partition.setUpperBound(int(coarse.max()) + 1)
    for v, c in enumerate(coarse.tolist()):
        partition.addToSubset(c, v)
    return lambda: networkit.coarsening.ParallelPartitionCoarsening(theirs, partition).run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="graphs to take; default: all generated ones")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--data", type=Path, help="a folder of .npz graphs to take names from")
    options = parser.parse_args()
    threads, repeat = threads_of(None), options.repeat
    print("| graph | vertices | edges | levels | coarsest | least | mean | heaviest | weight kept "
          f"| seconds | speed-up on {threads} | contract | scipy | networkit |")  # fmt: skip
    print("|---" * 14 + "|")
    for name in options.names or GRAPHS:
        source = GRAPHS[name]() if name in GRAPHS else options.data / f"{name}.npz"
        graph = berge.as_graph(source)
        h = berge.coarsen(graph)
        h.check()
        steps = [level.reduction for level in h.levels[1:]]
        weights = h.coarsest.vertex_weights
        alone, together = (partial(berge.coarsen, graph, threads=t) for t in (1, threads))
        seconds = best(alone, repeat, time.process_time)
        both = in_turns({"alone": alone, "together": together}, repeat, check=lambda found: None)
        gain = both["alone"].best / both["together"].best
        coarse, n_coarse = h[0].coarse, h[1].graph.n_vertices
        with thread_count(1):
            ours = best(partial(contract, graph, coarse, n_coarse, 1), repeat, time.process_time)
        peers = [by_scipy(graph, coarse, n_coarse), by_networkit(graph, coarse)]
        ratios = [
            f"{best(peer, repeat, time.process_time) / ours:.1f}×" if peer else "" for peer in peers
        ]
        print(
            f"| {name} | {graph.n_vertices:,} | {graph.n_edges:,} | {len(steps)} "
            f"| {h.coarsest.n_vertices:,} | {min(steps):.2f}× | {np.mean(steps):.2f}× "
            f"| {weights.max() / weights.mean():.1f}× | {h[-1].weight_kept:.1%} "
            f"| {seconds:.3f} | {gain:.2f}× | {ours * 1e3:.1f} ms | {' | '.join(ratios)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
