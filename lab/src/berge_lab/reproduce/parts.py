"""Figures that several papers have: values by graph, speed-up and performance profiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..report.bench import profile
from ..report.model import Figure, Series
from .experiment import Rows

__all__ = ["by_graph", "performance", "speedups", "times"]

Times = Mapping[str, Mapping[str, float]]  # name → graph → seconds


def by_graph(
    id: str,
    title: str,
    y_label: str,
    graphs: Sequence[str],
    values: Mapping[str, Callable[[str], float | None]],
    **more: Any,
) -> list[Figure]:
    """Return a figure with a group of bars for each graph; nothing without graphs."""
    names = list(graphs)
    series = [
        Series(name, names, [value(graph) for graph in names], graphs=names)
        for name, value in values.items()
    ]
    paper = id.partition("/")[0]
    return [Figure(id, paper, title, "bars", "graph", y_label, series, **more)] if names else []


def times(rows: Rows, graphs: Sequence[str], labels: Mapping[str, str]) -> Times:
    """Return the seconds of settings, given by name → label, on graphs."""
    return {
        name: {graph: rows.seconds(graph, label) for graph in graphs}
        for name, label in labels.items()
    }


def speedups(id: str, title: str, over: Mapping[str, float], found: Times, **more: Any) -> Figure:
    """Return speed-up profiles: the share of graphs with at least so large a speed-up."""
    ratios = {name: {g: over[g] / s for g, s in seconds.items()} for name, seconds in found.items()}
    series = profile(ratios, rising=False)
    label = "at least so many times as fast"
    paper = id.partition("/")[0]
    return Figure(id, paper, title, "steps", label, "share of graphs", series, log_x=True, **more)


def performance(id: str, title: str, found: Times, **more: Any) -> Figure:
    """Return performance profiles: the share of graphs with at most so many times the best."""
    graphs = next(iter(found.values()))
    best = {graph: min(seconds[graph] for seconds in found.values()) for graph in graphs}
    ratios = {name: {g: s / best[g] for g, s in seconds.items()} for name, seconds in found.items()}
    series = profile(ratios)
    label = "at most so many times the best time"
    paper = id.partition("/")[0]
    return Figure(id, paper, title, "steps", label, "share of graphs", series, log_x=True, **more)
