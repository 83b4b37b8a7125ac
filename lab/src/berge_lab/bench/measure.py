"""One measurement, in a process of its own: a graph, a setting or a peer, repeated.

``python -m berge_lab.bench.measure`` is that process. It reads a request from standard input. After
each step it prints what it has as a line of JSON, so that nothing is lost if it is ended: the
seconds of the gather pass, of converting, and of every run. It may get several requests, one after
the other. That is for many small measurements of one algorithm, where starting processes would take
most of the time.

The time of a run of ours is that of ``maximum_matching`` on a scipy CSR array in memory, from
validation to the finished matching. Kernels have been loaded before, on other graphs. After each
run the matching, ours or a peer's, is proved by a vertex cover, timed apart. Runs are repeated
until there are enough, or until together they have taken a fifth of what a single one may.

Greedy matchings are measured in the same way, of the matrix as an undirected graph. Every run has a
seed of its own, and so another order of the vertices. Every result is verified to be a maximal
matching.

Memory is the peak of the resident size during the first run, above what was held before it: the
result, the transpose, and all buffers (on Linux only).
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from os import PathLike, fspath
from typing import Any

import numpy as np

from berge.errors import BergeError, ProofError
from berge.graphs.graph import BipartiteGraph, Graph
from berge.results.matching import Matching

from .loop import Run, in_turns
from .peers import PEERS, Prepared

__all__ = ["UNMEASURED", "measure", "measure_several", "save_graph", "warm_up"]

_KEPT = ("algorithm", "init", "threads", "start_cardinality", "phases", "traversed_edges",
         "augmenting_paths", "average_path", "longest_path", "levels", "iterations", "seconds"
         )  # fmt: skip


UNMEASURED: dict[str, Any] = {
    "status": "failed",
    "reason": None,
    "seconds": [],
    "search_seconds": [],
    "proof_seconds": [],
    "convert_seconds": None,
    "gather_seconds": None,
    "memory": None,
    "cardinality": None,
    "stats": None,
    "runs": [],
}
_TOGETHER = 1 / 5  # of the time limit: slow runs scatter less
_WARM: set[str] = set()  # what this process has loaded kernels for
_OF_EACH_RUN = ("seconds", "search_seconds", "proof_seconds")


def measure(
    file: str | PathLike[str],
    *,
    peer: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    repeats: int = 3,
    time_limit: float = 60,
    memory_limit: float | None = None,
    keep: Sequence[str] = (),
) -> dict[str, Any]:
    """Measure a peer, or `maximum_matching` with arguments, on a graph that `save_graph` saved.

    With the argument ``one_start`` the start is made beforehand, on one thread. With the argument
    ``method`` it is `greedy_matching`; ``weights="uniform"`` then draws weights from 0 to 1 for a
    graph that has none. `keep` names more of `SolveStats` to be kept.
    Returns the keys of `UNMEASURED`, which docs/benchmarks.md explains.
    """
    request = {
        "file": fspath(file),
        "peer": peer,
        "arguments": dict(arguments or {}),
        "repeats": repeats,
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "keep": list(keep),
    }
    return next(measure_several([request]))


def measure_several(requests: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Do requests, given by the arguments of `measure`, one after the other in one process.

    Where one ends the process, the rest goes to a new one.
    """
    left = [dict(request) for request in requests]
    while left:
        peer = left[0]["peer"]
        if peer is not None and PEERS[peer].missing:
            left.pop(0)
            yield UNMEASURED | {"status": "not available", "reason": PEERS[peer].missing}
            continue
        command = [sys.executable, "-m", __name__]
        with (
            tempfile.TemporaryFile("w+", encoding="utf-8") as errors,
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            ) as process,
        ):
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(left))
            process.stdin.close()
            told: list[dict[str, Any]] = []
            for line in process.stdout:
                told.append(json.loads(line))
                if "done" in told[-1]:
                    left.pop(0)
                    yield _put_together(told)
                    told = []
            code = process.wait()
            errors.seek(0)
            if code and left:
                found = _put_together(told)
                limit = float(left.pop(0)["time_limit"])
                found["status"], found["reason"] = _failure(code, errors.read(), limit)
                yield found


def _put_together(told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Make one row of what was told step by step."""
    found = UNMEASURED | {"status": "ok"}
    steps = [step for step in told if "done" not in step]
    runs = [step for step in steps if "seconds" in step]
    for step in steps:
        found |= step
    for name in _OF_EACH_RUN:
        found[name] = [run[name] for run in runs if name in run]
    found["runs"] = [run["run"] for run in runs if "run" in run]
    found.pop("run", None)
    if runs:
        found["stats"] = min(runs, key=lambda run: float(run["seconds"])).get("stats")
    return found


def _failure(code: int, errors: str, time_limit: float) -> tuple[str, str]:
    if code == -signal.SIGALRM:
        return "time limit", f"over {time_limit:g} s"
    last = errors.strip().rpartition("\n")[2][:200]
    if "MemoryError" in last or "bad_alloc" in errors:
        return "memory limit", last
    return "failed", last if code > 0 else f"ended by {signal.Signals(-code).name}"


def save_graph(graph: BipartiteGraph | Graph, path: str | PathLike[str]) -> None:
    """Save a graph as `measure` reads it, fast to load."""
    weights = getattr(graph, "weights", None)
    shape = (graph.n_vertices,) * 2 if isinstance(graph, Graph) else graph.shape
    more = {} if weights is None else {"weights": weights}
    np.savez(path, indptr=graph.indptr, indices=graph.indices, shape=shape, **more)


def warm_up(like: BipartiteGraph, arguments: Mapping[str, Any]) -> None:
    """Load what `maximum_matching` with these arguments needs for the index types of a graph.

    Solves a star and random graphs, once in a process. The working memory that this takes is given
    back, or the next solve would seem to need less.
    """
    from berge.graphs import workspace
    from berge.graphs.passes import largest
    from berge.solve.maximum import maximum_matching

    kind = repr((sorted(arguments.items()), like.indptr.dtype, like.indices.dtype))
    if kind in _WARM:
        return
    for array in (like.indptr, like.indices):
        largest(array[:1])  # what validates large ones
    # The default shares its work among threads on large graphs only. Others may be slow there.
    n = 150_000 if arguments.get("algorithm", "auto") == "auto" else 20_000
    ends = np.random.default_rng(0).integers(0, n, (2, 4 * n))
    star = np.arange(4096), np.zeros(4096, np.int64)
    small = ends[:, :2000] % 500  # solved in a way of its own
    for (rows, cols), shape in ((star, (4096, 1)), (small, (500, 500)), (ends, (n, n))):
        graph = BipartiteGraph.from_edges(rows, cols, shape)
        indptr, indices = graph.indptr.astype(like.indptr.dtype), graph.indices
        typed = BipartiteGraph._trusted(indptr, indices.astype(like.indices.dtype), shape)
        maximum_matching(typed, **arguments)
    workspace.release()
    _WARM.add(kind)


def work(request: Mapping[str, Any], tell: Callable[[dict[str, Any]], object]) -> None:
    """Do what a request asks for, and tell what comes out, step by step."""
    from .gather import gather_seconds

    stored = np.load(request["file"])
    indptr, indices = stored["indptr"], stored["indices"]
    graph = BipartiteGraph(indptr, indices, tuple(stored["shape"]))
    if "method" in request["arguments"]:
        greedy = _Greedy(graph, stored.get("weights"), dict(request["arguments"]))
        _repeat(request, tell, greedy.solve, greedy.check)
        return
    matrix = graph.to_scipy()
    tell({"gather_seconds": gather_seconds(matrix)})
    if request["peer"] is None:
        solve, match = _ours(graph, matrix, request["arguments"])
    else:
        begin = time.perf_counter()
        solve, match = PEERS[request["peer"]].prepare(matrix)
        tell({"convert_seconds": time.perf_counter() - begin})
    none = BipartiteGraph._trusted(indptr[:1], indices[:0], (0, 0))
    Matching.empty(none).prove(none)  # loads what proving needs
    keep = (*_KEPT, *request.get("keep", ()))

    def check(found: Any) -> dict[str, Any]:
        matching = _as_matching(match(found), graph)
        told: dict[str, Any] = {"cardinality": matching.prove(graph).size}
        if isinstance(found, Matching) and found.stats is not None:
            stats = found.stats.as_dict()
            told["search_seconds"] = found.stats.search_seconds
            told["stats"] = {name: stats[name] for name in keep}
        return told

    _repeat(request, tell, solve, check)


def _repeat(
    request: Mapping[str, Any],
    tell: Callable[[dict[str, Any]], object],
    solve: Callable[[], Any],
    check: Callable[[Any], dict[str, Any]],
) -> None:
    """Do the runs, and tell of each what `check` has to say."""

    def proved(found: Any) -> dict[str, Any]:
        begin = time.perf_counter()
        return check(found) | {"proof_seconds": time.perf_counter() - begin}

    def tell_of(_: str, run: Run) -> None:
        memory = {} if run.memory is None else {"memory": run.memory}
        tell({"seconds": run.seconds, **memory, **run.told})

    limit = float(request["time_limit"])
    try:
        in_turns(
            {"": solve},
            int(request["repeats"]),
            warm_up=False,  # on other graphs, before
            check=proved,
            enough=_TOGETHER * limit,
            time_limit=limit,
            memory=True,
            memory_limit=request["memory_limit"],
            on_run=tell_of,
        )
    except BergeError as error:
        tell({"status": "unproved", "reason": str(error)})


class _Greedy:
    """`greedy_matching` on a matrix as an undirected graph; run number k has the seed k."""

    def __init__(self, graph: BipartiteGraph, own: Any, arguments: dict[str, Any]):
        from berge.ingest import as_graph

        drawn = arguments.pop("weights", None) == "uniform"
        self.graph = as_graph(graph, weights=own)
        if drawn and own is None:
            self.graph = _uniform_weights(self.graph)
        self.arguments, self.seeds = arguments, count()
        types = self.graph.indices.dtype, self.graph.weights is None
        kind = repr((sorted(arguments.items()), types))
        if kind not in _WARM:
            self._warm_up()
            _WARM.add(kind)

    def _warm_up(self) -> None:
        """Match a random graph of the same types, which loads the kernels."""
        n, index = 20_000, self.graph.indices.dtype
        ends, others = np.random.default_rng(0).integers(0, n, (2, 3 * n))
        small = Graph.from_edges(ends, others, n)
        if self.graph.weights is not None:
            small = _uniform_weights(small)
        indptr = small.indptr.astype(self.graph.indptr.dtype)
        self._match(Graph(indptr, small.indices.astype(index), small.weights), 0)

    def _match(self, graph: Graph, seed: int) -> Any:
        from berge.solve.greedy import greedy_matching

        return greedy_matching(graph, seed=seed, **self.arguments)

    def solve(self) -> Any:
        return self._match(self.graph, next(self.seeds))

    def check(self, found: Any) -> dict[str, Any]:
        from berge.results.proof import verify

        verify(self.graph, found)
        if not found.is_maximal:
            raise ProofError("the matching is not maximal")
        rounds = list(found.matched_fraction)
        run = {"size": found.size, "weight": found.weight, "rounds": rounds}
        return {"cardinality": found.size, "search_seconds": found.seconds["match"], "run": run}


def _uniform_weights(graph: Graph) -> Graph:
    """Return the graph with weights from 0 to 1, the same in every measurement."""
    ends = graph.to_scipy().tocoo()
    once = ends.row < ends.col
    weights = np.random.default_rng(0).random(int(once.sum()))
    return Graph.from_edges(ends.row[once], ends.col[once], graph.n_vertices, weights)


def _ours(graph: BipartiteGraph, matrix: Any, arguments: Mapping[str, Any]) -> Prepared:
    from berge.solve.maximum import maximum_matching

    arguments = dict(arguments)
    from_one_start = arguments.pop("one_start", False)
    warm_up(graph, arguments)
    if from_one_start:
        arguments = _with_start(graph, arguments)
    return lambda: maximum_matching(matrix, **arguments), lambda matching: matching


def _with_start(graph: BipartiteGraph, arguments: dict[str, Any]) -> dict[str, Any]:
    """Make the start once, on one thread: the one that codes on any number of threads get."""
    from berge.methods.algorithm import load
    from berge.methods.registry import algorithms
    from berge.results.matching import SolveStats
    from berge.results.run import Run

    start = next(a for a in algorithms("start") if a.name == arguments["init"])
    names = [option.name for option in start.options if option.name in arguments]
    none = Matching.empty(graph)
    run = Run(graph, none.row_match.copy(), none.col_match.copy(), 0, 1, 0, SolveStats())
    if arguments.get("side") == "cols":
        run.swap_sides()
    load(start.function)(run, **{name: arguments.pop(name) for name in names})
    found = run.result()
    made = Matching(found.row_match, found.col_match, upper_bound=min(graph.shape))
    return arguments | {"init": "none", "initial": made}


def _as_matching(found: Any, graph: BipartiteGraph) -> Matching:
    """Return a matching as it is, or make one of the column of each row."""
    if isinstance(found, Matching):
        return found
    col_match = np.full(graph.n_cols, -1, graph.indices.dtype)
    rows = np.flatnonzero((found >= 0) & (found < graph.n_cols))
    col_match[found[rows]] = rows
    return Matching(found, col_match, upper_bound=max(graph.shape))


if __name__ == "__main__":
    for request in json.load(sys.stdin):
        work(request, lambda told: print(json.dumps(told), flush=True))
        print(json.dumps({"done": True}), flush=True)
