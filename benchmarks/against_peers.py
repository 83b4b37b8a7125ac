"""berge against scipy, igraph and networkx: the same graph, the same run, best of several.

    python benchmarks/against_peers.py [--limit SECONDS] [--repeat N] [--data FOLDER] [NAME …]

One process a measurement, so that a peer can be stopped at the limit; reading and converting the
graph are not timed, and kernels are compiled and loaded beforehand. berge's time runs from a scipy
CSR array in memory to the finished matching, transpose included; the proof is timed apart. A ratio
above 1 says how many times faster berge is; "> 12" that the peer had no answer within the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from berge import generate

GRAPHS = {
    "layered-22": lambda: generate.layered(22),
    "grid": lambda: generate.permute(generate.grid(300, 300)),
    "mesh3": lambda: generate.permute(generate.mesh3(100_000)),
    "road": lambda: generate.road(250, 250),
    "delaunay": lambda: generate.permute(generate.delaunay(50_000)),
    "rmat": lambda: generate.rmat(16, 8),
    "random": lambda: generate.erdos_renyi(100_000, 100_000, 300_000),
}
PEERS = ("berge", "scipy", "igraph", "networkx")


def measure(peer: str, file: str, repeat: int) -> dict[str, float]:
    """Time one peer in this process."""
    stored = np.load(file)
    indptr, indices, shape = stored["indptr"], stored["indices"], tuple(stored["shape"])
    matrix = sp.csr_array((np.ones(indices.size, np.int8), indices, indptr), shape=shape)
    result: dict[str, float] = {}
    if peer == "berge":
        import berge

        small = berge.generate.erdos_renyi(3000, 3000, 6000)
        berge.maximum_matching(small).prove(small)  # load the kernels

        def solve() -> int:
            return berge.maximum_matching(matrix).cardinality

        start = time.perf_counter()
        berge.maximum_matching(matrix).prove(matrix)
        result["solve and prove"] = time.perf_counter() - start
    elif peer == "scipy":

        def solve() -> int:
            found = sp.csgraph.maximum_bipartite_matching(matrix, perm_type="column")
            return int(np.count_nonzero(found >= 0))
    else:
        rows = np.repeat(np.arange(shape[0]), np.diff(indptr))
        edges = list(zip(rows.tolist(), (indices + shape[0]).tolist(), strict=True))
        if peer == "igraph":
            import igraph

            types = [False] * int(shape[0]) + [True] * int(shape[1])
            graph = igraph.Graph.Bipartite(types, edges)

            def solve() -> int:
                return len(graph.maximum_bipartite_matching())
        else:
            import networkx as nx

            network = nx.Graph(edges)
            network.add_nodes_from(range(int(sum(shape))))
            top = range(int(shape[0]))

            def solve() -> int:
                return len(nx.bipartite.hopcroft_karp_matching(network, top)) // 2

    print("ready", flush=True)
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        result["cardinality"] = solve()
        best = min(best, time.perf_counter() - start)
    return result | {"seconds": best}


def in_a_process(peer: str, file: str, repeat: int, limit: float) -> dict[str, float] | str:
    """Run one measurement; the limit counts from when the graph is ready."""
    command = [sys.executable, __file__, "--measure", peer, file, str(repeat)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        try:
            process.wait(timeout=limit * repeat)
        except subprocess.TimeoutExpired:
            process.kill()
            return f"> {limit:.0f} s"
        said, errors = process.stdout.read(), process.stderr.read()
    return json.loads(said) if said else errors.strip().rpartition("\n")[2].partition(":")[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="graphs to take; default: all generated ones")
    parser.add_argument("--limit", type=float, default=20, help="seconds for a peer's one solve")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--data", type=Path, help="a folder of .npz graphs to take as well")
    options = parser.parse_args()
    sources = dict(GRAPHS)
    if options.data:
        sources |= {p.stem: p for p in sorted(options.data.glob("*.npz"))}
    names = options.names or list(sources)
    ratios: dict[str, list[float]] = {peer: [] for peer in PEERS[1:]}
    print(f"{'graph':22}{'rows':>9}{'edges':>10}{'berge':>10}", end="")
    print("".join(f"{peer + ' / berge':>22}" for peer in PEERS[1:]))
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            source = sources[name]
            if isinstance(source, Path):
                file = str(source)
            else:
                graph = source()
                file = os.path.join(folder, f"{name}.npz")
                np.savez(file, indptr=graph.indptr, indices=graph.indices, shape=graph.shape)
            stored = np.load(file)
            ours = in_a_process("berge", file, options.repeat, options.limit)
            if isinstance(ours, str):
                raise SystemExit(f"berge on {name}: {ours}")
            line = f"{name:22}{stored['shape'][0]:>9}{stored['indices'].size:>10}"
            line += f"{ours['seconds'] * 1e3:>7.1f} ms"
            for peer in PEERS[1:]:
                # A slow peer is measured once.
                theirs = in_a_process(peer, file, 1, options.limit)
                if isinstance(theirs, str):
                    least = options.limit / ours["seconds"]
                    over = theirs.startswith(">")
                    line += f"{'> ' + format(least, '.0f') if over else theirs:>22}"
                    if over:
                        ratios[peer].append(least)
                    continue
                if theirs["cardinality"] != ours["cardinality"]:
                    raise SystemExit(f"{name}: {peer} found {theirs['cardinality']}, berge {ours}")
                if theirs["seconds"] < 1 and options.repeat > 1:
                    again = in_a_process(peer, file, options.repeat, options.limit)
                    theirs = again if isinstance(again, dict) else theirs
                ratios[peer].append(theirs["seconds"] / ours["seconds"])
                line += f"{ratios[peer][-1]:>22.1f}"
            print(line, flush=True)
    print(f"{'geometric mean':51}", end="")
    for peer in PEERS[1:]:
        mean = float(np.exp(np.mean(np.log(ratios[peer])))) if ratios[peer] else float("nan")
        print(f"{mean:>22.1f}", end="")
    print("\n(a peer without an answer counts with the limit)")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(sys.argv[2], sys.argv[3], int(sys.argv[4]))))
    else:
        main()
