"""Other people's codes on the same graph, each in a process of its own with a time limit.

Reading and converting the graph are not timed: what counts is the peer's own call on its own data
structure. ``python -m berge.bench.peers NAME FILE REPEAT LIMIT`` is that process.
"""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import OptionError
from ..graph import BipartiteGraph

__all__ = ["PEERS", "PeerTimes", "time_peer"]


@dataclass
class PeerTimes:
    """Seconds of every repeat that came to its end, the cardinality, or why there is none."""

    seconds: list[float] = field(default_factory=list)
    cardinality: int = 0
    failure: str | None = None


def time_peer(name: str, graph: BipartiteGraph, repeat: int, limit: float) -> PeerTimes:
    """Time a peer on a graph; each repeat may take `limit` seconds."""
    if name not in PEERS:
        raise OptionError(f"peer {name!r} is not one of {', '.join(PEERS)}")
    if importlib.util.find_spec(name) is None:
        return PeerTimes(failure="not installed")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "graph.npz")
        np.savez(file, indptr=graph.indptr, indices=graph.indices, shape=graph.shape)
        command = [sys.executable, "-m", __name__, name, str(file), str(repeat), str(limit)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    times = PeerTimes()
    for line in done.stdout.splitlines():
        seconds, times.cardinality = json.loads(line)
        times.seconds.append(seconds)
    if done.returncode == -signal.SIGALRM:
        times.failure = f"over {limit:g} s"
    elif done.returncode:
        times.failure = done.stderr.strip().rpartition("\n")[2].partition(":")[0]
    return times


def _scipy(indptr: Any, indices: Any, shape: Any) -> Callable[[], int]:
    from scipy.sparse import csgraph, csr_array

    matrix = csr_array((np.ones(indices.size, np.int8), indices, indptr), shape=shape)
    matrix.sum_duplicates()  # scipy's matching reads past its arrays if there are any

    def solve() -> int:
        return int(np.count_nonzero(csgraph.maximum_bipartite_matching(matrix, "column") >= 0))

    return solve


def _edges(indptr: Any, indices: Any, shape: Any) -> list[tuple[int, int]]:
    """Edges of one graph in which columns come after rows."""
    rows = np.repeat(np.arange(shape[0]), np.diff(indptr))
    return list(zip(rows.tolist(), (indices + shape[0]).tolist(), strict=True))


def _igraph(indptr: Any, indices: Any, shape: Any) -> Callable[[], int]:
    import igraph

    types = [False] * shape[0] + [True] * shape[1]
    graph = igraph.Graph.Bipartite(types, _edges(indptr, indices, shape))
    return lambda: len(graph.maximum_bipartite_matching())


def _networkx(indptr: Any, indices: Any, shape: Any) -> Callable[[], int]:
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(sum(shape)))
    graph.add_edges_from(_edges(indptr, indices, shape))
    hopcroft_karp = nx.bipartite.hopcroft_karp_matching
    # The keyword: its own code, whatever backend the user has made the default.
    return lambda: len(hopcroft_karp(graph, range(shape[0]), backend="networkx")) // 2


PEERS = {"scipy": _scipy, "igraph": _igraph, "networkx": _networkx}


def _main(name: str, file: str, repeat: str, limit: str) -> None:
    stored = np.load(file)
    shape = tuple(int(n) for n in stored["shape"])
    solve = PEERS[name](stored["indptr"], stored["indices"], shape)
    for _ in range(int(repeat)):
        # Compiled code does not look at signals, but the default action needs no looking.
        signal.setitimer(signal.ITIMER_REAL, float(limit))
        begin = time.perf_counter()
        cardinality = solve()
        seconds = time.perf_counter() - begin
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(json.dumps([seconds, cardinality]), flush=True)


if __name__ == "__main__":
    _main(*sys.argv[1:])
