"""Algorithms side by side on one graph: every answer proved, best of several, what each did."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from berge.errors import OptionError, ProofError
from berge.graphs.graph import BipartiteGraph
from berge.methods.registry import Algorithm, algorithms, check_options, find
from berge.results.matching import SolveStats

from .measure import measure, save_graph, warm_up
from .peers import PEERS

__all__ = ["Comparison", "choose", "compare"]


@dataclass(frozen=True)
class Comparison:
    """One algorithm's, or one peer's, runs on one graph.

    Attributes
    ----------
    name, seconds
        Who, and the whole call's seconds of each repeat; empty if none came to its end.
    stats
        `SolveStats` of the fastest repeat; None for a peer.
    cardinality
        The maximum, proved.
    failure
        Why there are no seconds, or None.
    """

    name: str
    seconds: tuple[float, ...]
    stats: SolveStats | None
    cardinality: int
    failure: str | None = None

    @property
    def best(self) -> float:
        """Seconds of the fastest repeat."""
        return min(self.seconds, default=float("inf"))

    @property
    def search(self) -> float | None:
        """Seconds of the fastest repeat without transpose and start."""
        return None if self.stats is None else self.stats.search_seconds

    @property
    def sensitivity(self) -> float:
        """Parallel sensitivity ψ: standard deviation of the seconds in per cent of their mean."""
        if len(self.seconds) < 2:
            return 0.0
        return 100 * statistics.stdev(self.seconds) / statistics.mean(self.seconds)


def choose(names: Sequence[str]) -> dict[str, tuple[Algorithm, dict[str, Any]]]:
    """Return the exact algorithms of these names with their options; all if there are none.

    A name may carry options: ``ms-bfs-graft:alpha=2:grafting=false``.
    """
    chosen = {}
    for name in names or [a.name for a in algorithms("exact")]:
        plain, *texts = name.split(":")
        options = dict(text.partition("=")[::2] for text in texts)
        algorithm = find("exact", plain)
        chosen[name] = algorithm, check_options(algorithm, find("start", "none"), options)[0]
    return chosen


def compare(
    graph: BipartiteGraph,
    names: Sequence[str] = (),
    *,
    init: str = "karp-sipser",
    threads: int | None = None,
    seed: int = 0,
    repeat: int = 3,
    time_limit: float = 60,
    peers: Sequence[str] = (),
    on_run: Callable[[str], Any] | None = None,
) -> list[Comparison]:
    """Run algorithms and peers on a graph, fastest first.

    Every answer is proved; one that cannot be raises ProofError. Kernels are compiled before
    anything is timed, and the transpose is built anew in every run, as in a first call.
    """
    if repeat < 1:
        raise OptionError(f"repeat must be a whole number from 1 on, not {repeat!r}")
    unknown = [peer for peer in peers if peer not in PEERS]
    if unknown:
        raise OptionError(f"peer {unknown[0]!r} is not one of {', '.join(PEERS)}")
    settings = {"init": init, "threads": threads, "seed": seed, "time_limit": time_limit}
    results = []
    for name, (algorithm, options) in choose(names).items():
        if on_run is not None:
            on_run(name)
        results.append(_repeat(graph, name, algorithm.name, repeat, settings | options))
    known = {r.cardinality for r in results if r.failure is None}
    if len(known) > 1:
        raise ProofError(f"proved cardinalities differ: {sorted(known)}")
    with tempfile.TemporaryDirectory(prefix="berge-") as folder:
        file = Path(folder, "graph.npz")
        save_graph(graph, file)
        for peer in peers:
            if on_run is not None:
                on_run(peer)
            found = measure(file, peer=peer, repeats=repeat, time_limit=time_limit)
            if found["status"] == "unproved":
                raise ProofError(f"{peer}: {found['reason']}")
            seconds, cardinality = tuple(found["seconds"]), found["cardinality"] or 0
            results.append(Comparison(peer, seconds, None, cardinality, found["reason"]))
    return sorted(results, key=lambda r: r.best)


def _repeat(
    graph: BipartiteGraph, name: str, algorithm: str, repeat: int, settings: dict[str, Any]
) -> Comparison:
    from berge.solve.maximum import maximum_matching

    warm_up(graph, lambda other: maximum_matching(other, algorithm=algorithm, **settings))
    seconds: list[float] = []
    best, cardinality = None, 0
    for _ in range(repeat):
        fresh = BipartiteGraph._trusted(graph.indptr, graph.indices, graph.shape)
        matching = maximum_matching(fresh, algorithm=algorithm, **settings)
        stats = matching.stats
        assert stats is not None
        if stats.stopped == "interrupted":
            raise KeyboardInterrupt
        if stats.stopped is not None:
            return Comparison(name, tuple(seconds), best, 0, f"over {settings['time_limit']:g} s")
        seconds.append(stats.seconds["total"])
        if seconds[-1] == min(seconds):
            best = stats
        cardinality = matching.prove(fresh).size
    return Comparison(name, tuple(seconds), best, cardinality)
