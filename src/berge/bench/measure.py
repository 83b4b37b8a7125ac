"""One measurement, in a process of its own: a graph, a setting or a peer, repeated.

``python -m berge.bench.measure`` is that process. It reads a request from standard input, and after
each step prints what it has as a line of JSON, so that nothing is lost if it is ended: the seconds
of the gather pass, of converting, and of every run.

The time of a run of ours is that of ``maximum_matching`` on a scipy CSR array in memory, from
validation to the finished matching. Kernels have been loaded before, on other graphs. After each
run the matching, ours or a peer's, is proved by a vertex cover, timed apart. Runs are repeated
until there are enough, or until together they have taken as long as a single one may.

Memory is the peak of the resident size during the first run, above what was held before it: the
result, the transpose, and all buffers (on Linux only).
"""

from __future__ import annotations

import ctypes
import gc
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import BergeError, OptionError
from ..graph import BipartiteGraph
from ..matching import Matching
from .peers import PEERS, Prepared

__all__ = ["UNMEASURED", "measure", "save_graph", "warm_up"]

_KEPT = ("algorithm", "init", "threads", "start_cardinality", "phases", "traversed_edges",
         "augmenting_paths", "average_path", "longest_path", "seconds")  # fmt: skip


UNMEASURED: dict[str, Any] = {
    "status": "failed",
    "reason": None,
    "seconds": [],
    "proof_seconds": [],
    "convert_seconds": None,
    "gather_seconds": None,
    "memory": None,
    "cardinality": None,
    "stats": None,
}


def measure(
    file: str | PathLike[str],
    *,
    peer: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    repeats: int = 3,
    time_limit: float = 60,
    memory_limit: float | None = None,
) -> dict[str, Any]:
    """Measure a peer, or `maximum_matching` with arguments, on a graph that `save_graph` saved.

    Returns the keys of `UNMEASURED`, which docs/benchmarks.md explains.
    """
    found = UNMEASURED | {"status": "ok"}
    if peer is not None and PEERS[peer].missing:
        return found | {"status": "not available", "reason": PEERS[peer].missing}
    request = {
        "file": fspath(file),
        "peer": peer,
        "arguments": dict(arguments or {}),
        "repeats": repeats,
        "time_limit": time_limit,
        "memory_limit": memory_limit,
    }
    command = [sys.executable, "-m", __name__]
    done = subprocess.run(
        command, input=json.dumps(request), capture_output=True, text=True, check=False
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    runs = [step for step in told if "seconds" in step]
    for step in told:
        found |= step
    for name in ("seconds", "proof_seconds"):
        found[name] = [run[name] for run in runs]
    if runs:
        found["stats"] = min(runs, key=lambda run: float(run["seconds"])).get("stats")
    if done.returncode:
        found["status"], found["reason"] = _failure(done.returncode, done.stderr, time_limit)
    return found


def _failure(code: int, errors: str, time_limit: float) -> tuple[str, str]:
    if code == -signal.SIGALRM:
        return "time limit", f"over {time_limit:g} s"
    last = errors.strip().rpartition("\n")[2][:200]
    if "MemoryError" in last or "bad_alloc" in errors:
        return "memory limit", last
    return "failed", last if code > 0 else f"ended by {signal.Signals(-code).name}"


def save_graph(graph: BipartiteGraph, path: str | PathLike[str]) -> None:
    """Save a graph as `measure` reads it, fast to load."""
    np.savez(path, indptr=graph.indptr, indices=graph.indices, shape=graph.shape)


def warm_up(like: BipartiteGraph, solve: Callable[[BipartiteGraph], object]) -> None:
    """Solve a star and a random graph with the same index types, which loads the kernels.

    Both are large enough for all threads to get work.
    """
    n = 20_000
    ends = np.random.default_rng(0).integers(0, n, (2, 3 * n))
    star = np.arange(4096), np.zeros(4096, np.int64)
    for (rows, cols), shape in ((star, (4096, 1)), (ends, (n, n))):
        graph = BipartiteGraph.from_edges(rows, cols, shape)
        indptr, indices = graph.indptr.astype(like.indptr.dtype), graph.indices
        solve(BipartiteGraph._trusted(indptr, indices.astype(like.indices.dtype), shape))


def work(request: Mapping[str, Any], tell: Callable[[dict[str, Any]], object]) -> None:
    """Do what a request asks for, and tell what comes out, step by step."""
    from .gather import gather_seconds

    stored = np.load(request["file"])
    indptr, indices = stored["indptr"], stored["indices"]
    graph = BipartiteGraph(indptr, indices, tuple(stored["shape"]))
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
    limit, spent = float(request["time_limit"]), 0.0
    for number in range(int(request["repeats"])):
        before = _reset_peak() if number == 0 else None
        # Compiled code does not look at signals, but the default action needs no looking.
        signal.setitimer(signal.ITIMER_REAL, max(limit, 1e-3))
        with _memory_limited(request["memory_limit"]):
            begin = time.perf_counter()
            found = solve()
            seconds = time.perf_counter() - begin
        signal.setitimer(signal.ITIMER_REAL, 0)
        told: dict[str, Any] = {"seconds": seconds}
        if before is not None:
            told["memory"] = max(_status("VmHWM") - before, 0)
        try:
            matching = _as_matching(match(found), graph)
            begin = time.perf_counter()
            told["cardinality"] = matching.prove(graph).size
            told["proof_seconds"] = time.perf_counter() - begin
        except BergeError as error:
            tell({"status": "unproved", "reason": str(error)})
            return
        if isinstance(found, Matching) and found.stats is not None:
            stats = found.stats.as_dict()
            told["stats"] = {name: stats[name] for name in _KEPT}
        tell(told)
        del found, matching
        gc.collect()
        spent += seconds
        if spent > limit:
            break


def _ours(graph: BipartiteGraph, matrix: Any, arguments: Mapping[str, Any]) -> Prepared:
    from ..solve import maximum_matching

    warm_up(graph, lambda other: maximum_matching(other, **arguments))
    return lambda: maximum_matching(matrix, **arguments), lambda matching: matching


def _as_matching(found: Any, graph: BipartiteGraph) -> Matching:
    """Return a matching as it is, or make one of the column of each row."""
    if isinstance(found, Matching):
        return found
    col_match = np.full(graph.n_cols, -1, graph.indices.dtype)
    rows = np.flatnonzero((found >= 0) & (found < graph.n_cols))
    col_match[found[rows]] = rows
    return Matching(found, col_match, upper_bound=max(graph.shape))


def _reset_peak() -> int | None:
    """Have the peak of the resident size begin anew; return what is held, None if it cannot be."""
    gc.collect()
    try:
        with suppress(AttributeError):  # glibc's; elsewhere freed memory goes back by itself
            ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return _status("VmRSS")
    except OSError:
        return None


def _status(name: str) -> int:
    """Return a size of this process in bytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(name + ":"):
            return 1024 * int(line.split()[1])
    raise OSError(f"/proc/self/status has no {name}")


@contextmanager
def _memory_limited(gigabytes: float | None) -> Iterator[None]:
    """Let no more than this be allocated on top of what there is."""
    if gigabytes is None:
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    try:
        most = _status("VmSize") + int(gigabytes * 2**30)
    except OSError:
        raise OptionError("memory_limit needs Linux") from None
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


if __name__ == "__main__":
    work(json.load(sys.stdin), lambda told: print(json.dumps(told), flush=True))
