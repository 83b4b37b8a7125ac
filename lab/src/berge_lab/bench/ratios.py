"""Ratios, means and profiles: all that is computed of measurements, whoever shows it.

`Values` are what was measured, of whom, on which graph: setting → graph → seconds, or any other
measure. Infinity stands for a run over the time limit.

Reference: E. D. Dolan, J. J. Moré, "Benchmarking optimization software with performance profiles",
Mathematical Programming 91, 2002.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

__all__ = ["Profile", "Values", "fastest", "geometric_mean", "profiles", "ratios", "sensitivity",
           "slowdowns", "speedups", "usual_and_most"]  # fmt: skip

Values = Mapping[str, Mapping[str, float]]


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean; NaN if there are none.

    Examples
    --------
    >>> from berge_lab.bench.ratios import geometric_mean
    >>> geometric_mean([1, 4, 16])
    4.0
    """
    logs = [math.log(value) for value in values]
    return math.exp(statistics.fmean(logs)) if logs else math.nan


def sensitivity(seconds: Sequence[float]) -> float:
    """Return the parallel sensitivity ψ: standard deviation in per cent of the mean."""
    mean = statistics.fmean(seconds) if seconds else 0.0
    return 100 * statistics.stdev(seconds) / mean if len(seconds) > 1 and mean else 0.0


def usual_and_most(values: Iterable[float]) -> tuple[float, float]:
    """Return the median, and what nine of ten are at most; zeros if there are none."""
    found = sorted(values)
    if not found:
        return 0.0, 0.0
    return statistics.median(found), found[min(int(0.9 * len(found)), len(found) - 1)]


def ratios(over: Mapping[str, float], of: Mapping[str, float]) -> dict[str, float]:
    """Return the one divided by the other on each graph that has both."""
    return {graph: value / of[graph] for graph, value in over.items() if of.get(graph)}


def fastest(times: Values) -> dict[str, float]:
    """Return the least time on each graph that somebody solved."""
    best: dict[str, float] = {}
    for found in times.values():
        for graph, seconds in found.items():
            if seconds < best.get(graph, math.inf):
                best[graph] = seconds
    return best


def slowdowns(
    times: Values, best: Mapping[str, float] | None = None
) -> dict[str, dict[str, float]]:
    """Return how many times as long as the fastest each took, on the graphs that it solved."""
    best = fastest(times) if best is None else best
    return {
        who: {graph: ratio for graph, ratio in ratios(found, best).items() if ratio < math.inf}
        for who, found in times.items()
    }


def speedups(times: Values, baseline: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Return how many times as fast as the baseline each was."""
    return {who: ratios(baseline, found) for who, found in times.items()}


class Profile(NamedTuple):
    """Values in their order, the share of all graphs up to each, and whose value it is."""

    x: list[float]
    y: list[float]
    graphs: list[str]


def profiles(values: Values, rising: bool = True) -> dict[str, Profile]:
    """Return on which share of the graphs the value of each is at most x; at least x if falling.

    `slowdowns` give performance profiles, and `speedups`, falling, speed-up profiles. Graphs count
    too if somebody has no value for them; that one's profile then stays below 1.

    Examples
    --------
    >>> from berge_lab.bench.ratios import profiles
    >>> profiles({"a": {"g": 2.0, "h": 1.0}, "b": {"h": 3.0}})["a"]
    Profile(x=[1.0, 2.0], y=[0.5, 1.0], graphs=['h', 'g'])
    """
    every = {graph for found in values.values() for graph in found}
    drawn = {}
    for who, found in values.items():
        order = sorted(found, key=lambda graph: found[graph] if rising else -found[graph])
        shares = [(k + 1) / len(every) for k in range(len(order))]
        drawn[who] = Profile([found[graph] for graph in order], shares, order)
    return drawn
