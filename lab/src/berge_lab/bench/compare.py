"""Algorithms side by side on one graph: every answer proved, best of several, what each did."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from berge.errors import OptionError, ProofError
from berge.graphs.graph import BipartiteGraph
from berge.methods.registry import check_options, variants
from berge.results.matching import Matching, SolveStats
from berge.solve import default

from .loop import in_turns
from .measure import measure, save_graph, warm_up
from .peers import PEERS
from .ratios import sensitivity

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
        return sensitivity(self.seconds)


def choose(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the arguments of `maximum_matching` for exact algorithms of these names.

    If there are none, for ``auto`` and all of them. A name may carry options:
    ``ms-bfs-graft:alpha=2:grafting=false``.
    """
    chosen = {}
    for name in names or ["auto", *(a.name for a in variants("exact"))]:
        plain, *texts = name.split(":")
        options = dict(text.partition("=")[::2] for text in texts)
        values, _ = check_options(*default.choose(plain, "none"), options)
        chosen[name] = {"algorithm": plain, **values}
    return chosen


def compare(
    graph: BipartiteGraph,
    names: Sequence[str] = (),
    *,
    init: str = "auto",
    threads: int | None = None,
    seed: int = 0,
    repeat: int = 3,
    time_limit: float = 60,
    peers: Sequence[str] = (),
) -> list[Comparison]:
    """Run algorithms and peers on a graph, fastest first.

    Algorithms run by turns. Every answer is proved; one that cannot be raises ProofError. Kernels
    are compiled before anything is timed, and the transpose is built anew in every run, as in a
    first call.
    """
    if repeat < 1:
        raise OptionError(f"repeat must be a whole number from 1 on, not {repeat!r}")
    unknown = [peer for peer in peers if peer not in PEERS]
    if unknown:
        raise OptionError(f"peer {unknown[0]!r} is not one of {', '.join(PEERS)}")
    settings = {"init": init, "threads": threads, "seed": seed, "time_limit": time_limit}
    results = _ours(graph, {n: settings | chosen for n, chosen in choose(names).items()}, repeat)
    known = {r.cardinality for r in results if r.failure is None}
    if len(known) > 1:
        raise ProofError(f"proved cardinalities differ: {sorted(known)}")
    with tempfile.TemporaryDirectory(prefix="berge-") as folder:
        file = Path(folder, "graph.npz")
        save_graph(graph, file)
        for peer in peers:
            found = measure(file, peer=peer, repeats=repeat, time_limit=time_limit)
            if found["status"] == "unproved":
                raise ProofError(f"{peer}: {found['reason']}")
            seconds, cardinality = tuple(found["seconds"]), found["cardinality"] or 0
            results.append(Comparison(peer, seconds, None, cardinality, found["reason"]))
    return sorted(results, key=lambda r: r.best)


def _ours(
    graph: BipartiteGraph, arguments: dict[str, dict[str, Any]], repeat: int
) -> list[Comparison]:
    """Run our algorithms, given by name → arguments, by turns."""
    from berge.solve.maximum import maximum_matching

    def solve(chosen: dict[str, Any]) -> Matching:
        fresh = BipartiteGraph._trusted(graph.indptr, graph.indices, graph.shape)
        matching: Matching = maximum_matching(fresh, **chosen)
        return matching

    def check(matching: Matching) -> tuple[SolveStats, int]:
        stats = matching.stats
        assert stats is not None
        if stats.stopped == "interrupted":
            raise KeyboardInterrupt
        if stats.stopped is not None:
            raise TimeoutError
        return stats, matching.prove(graph).size

    for chosen in arguments.values():
        warm_up(graph, chosen)
    solves = {name: partial(solve, chosen) for name, chosen in arguments.items()}
    results = []
    for name, timing in in_turns(solves, repeat, warm_up=False, check=check).items():
        stats, size = timing.told or (None, 0)
        late = None if timing.failure is None else f"over {arguments[name]['time_limit']:g} s"
        results.append(Comparison(name, tuple(timing.seconds), stats, 0 if late else size, late))
    return results
