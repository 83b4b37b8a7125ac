"""Figures that several reports have: values by graph, speed-up and performance profiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..bench.ratios import Values, profiles, slowdowns
from ..bench.ratios import speedups as times_as_fast
from .model import Figure, Series

__all__ = ["by_graph", "performance", "speedups"]


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
    made = Figure(id, _paper(id), title, "bars", "graph", y_label, series, **more)
    return [made] if names else []


def speedups(
    id: str, title: str, baseline: Mapping[str, float], times: Values, **more: Any
) -> Figure:
    """Return speed-up profiles: the share of graphs with at least so large a speed-up."""
    return _steps(id, title, times_as_fast(times, baseline), False,
                  {"x_label": "at least so many times as fast", **more})  # fmt: skip


def performance(
    id: str, title: str, times: Values, best: Mapping[str, float] | None = None, **more: Any
) -> Figure:
    """Return performance profiles: the share of graphs with at most so many times the best."""
    return _steps(id, title, slowdowns(times, best), True,
                  {"x_label": "at most so many times the best time", **more})  # fmt: skip


def _steps(id: str, title: str, values: Values, rising: bool, more: dict[str, Any]) -> Figure:
    found = profiles({name: some for name, some in values.items() if some}, rising)
    series = [Series(name, p.x, [*p.y], graphs=p.graphs) for name, p in found.items()]
    more = {"paper": _paper(id), "y_label": "share of graphs", "log_x": True, **more}
    return Figure(id=id, title=title, kind="steps", series=series, **more)


def _paper(id: str) -> str:
    return id.partition("/")[0]
