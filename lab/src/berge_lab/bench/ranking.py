"""Which setting for these graphs: settings by how close they come to the fastest on each.

A setting's score is a geometric mean of its time as a multiple of the fastest's, over the graphs
that any of our settings solved. A run over the time limit counts as the limit. Settings that solved
more of the graphs come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .ratios import fastest, geometric_mean, ratios, usual_and_most
from .results import Results, Row, over

__all__ = ["Advice", "Rank", "advise", "call", "rank", "spread"]


@dataclass(frozen=True)
class Rank:
    """How a setting did: its score, the worst of its ratios and where, and on what it failed."""

    setting: str
    score: float
    worst: float
    worst_graph: str
    wins: int
    solved: int
    unsolved: int
    auto: bool
    peer: bool
    arguments: Mapping[str, Any]
    chose: str  # what `auto` stood for


@dataclass(frozen=True)
class Advice:
    """The best of our settings, what `auto` did, and how many times the best's score that is.

    `close` are the settings that the noise leaves as good as the best, `longest` is the most
    seconds that the fastest took on a graph.
    """

    best: Rank
    auto: Rank | None
    factor: float
    noise: float
    close: tuple[str, ...]
    longest: float

    @property
    def same(self) -> bool:
        """Whether `auto` is as good, up to the noise."""
        return self.auto is not None and (
            self.auto.solved >= self.best.solved and self.factor <= 1 + self.noise
        )


def rank(results: Results) -> list[Rank]:
    """Return the settings, best first."""
    best = fastest(results.times(everywhere=False))
    ranks = []
    for setting in results.settings:
        rows = {g: results.rows[g, setting] for g in best if (g, setting) in results.rows}
        found = ratios(results.values(setting, "seconds"), best)
        if not found:
            continue
        first = next(iter(rows.values()))
        worst = max(found, key=lambda graph: found[graph])
        solved = sum(row["status"] == "ok" for row in rows.values())
        ranks.append(
            Rank(
                setting,
                geometric_mean(found.values()),
                found[worst],
                worst,
                sum(ratio <= 1 and not over(rows[g]) for g, ratio in found.items()),
                solved,
                len(rows) - solved,
                first["peer"] is None and set(first["arguments"].values()) <= {"auto"},
                first["peer"] is not None,
                first["arguments"],
                _chosen(rows.values()),
            )
        )
    return sorted(ranks, key=lambda r: (-r.solved, r.score))


def _chosen(rows: Iterable[Row]) -> str:
    """Return the algorithms and starts that ran."""
    ran = (row["stats"] for row in rows if row.get("stats"))
    return " or ".join(dict.fromkeys(f"{s['algorithm']} after {s['init']}" for s in ran))


def advise(results: Results, ranks: Iterable[Rank]) -> Advice | None:
    """Return what to use; None if nothing of ours was measured."""
    ours = [one for one in ranks if not one.peer]
    if not ours:
        return None
    auto = next((one for one in ours if one.auto), None)
    best, noise = ours[0], spread(results.rows.values())[0]
    factor = auto.score / best.score if auto else 1.0
    near = (one for one in ours[1:] if one.solved == best.solved)
    close = tuple(one.setting for one in near if one.score <= (1 + noise) * best.score)
    longest = max(fastest(results.times(everywhere=False)).values())
    return Advice(best, auto, factor, noise, close, longest)


def spread(rows: Iterable[Row]) -> tuple[float, float]:
    """Return how much longer the slowest repeat is than the fastest, as a share of that.

    These are the median over rows, and what 9 of 10 are at most.

    Examples
    --------
    >>> from berge_lab.bench.ranking import spread
    >>> spread([{"status": "ok", "seconds": [1.0, 1.5]}])
    (0.5, 0.5)
    """
    ok = (row["seconds"] for row in rows if row["status"] == "ok" and len(row["seconds"]) > 1)
    return usual_and_most(max(seconds) / min(seconds) - 1 for seconds in ok)


def call(arguments: Mapping[str, Any]) -> str:
    """Return the line of Python for a setting.

    Examples
    --------
    >>> from berge_lab.bench.ranking import call
    >>> call({"algorithm": "pothen-fan", "threads": 2})
    'berge.maximum_matching(A, algorithm="pothen-fan", threads=2)'
    """
    kept = {k: v for k, v in arguments.items() if v != "auto"}
    texts = (f'{k}="{v}"' if isinstance(v, str) else f"{k}={v!r}" for k, v in kept.items())
    return f"berge.maximum_matching({', '.join(['A', *texts])})"
