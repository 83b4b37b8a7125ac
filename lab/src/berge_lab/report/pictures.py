"""Figures of a report as PNG and SVG, drawn by matplotlib.

SVGs keep text as text and carry no date: a few KB each, and the same bytes for the same figures.

matplotlib is an extra (``berge[lab]``), imported when something is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

from berge.errors import OptionError

from .cells import COLOURS, in_colours, label, named, step_points, ticks
from .model import Figure, Report, Series

__all__ = ["write_pictures", "write_sheet"]

_DASHES, _MARKS = ("-", "--", ":", "-."), "osD^"
_STYLE = {
    "font.size": 10,
    "svg.fonttype": "none",
    "svg.hashsalt": "berge",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#9aa5b4",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e9ed",
    "xtick.color": "#3d4653",
    "ytick.color": "#3d4653",
}


def write_pictures(
    report: Report, folder: str | PathLike[str], suffixes: Sequence[str] = (".svg", ".png")
) -> list[Path]:
    """Draw every figure to ``folder/ID.svg`` and ``folder/ID.png``; return the files."""
    plt, numbers = _pyplot(), in_colours(report.figures)
    written = []
    for figure in report.figures:
        with plt.rc_context(_STYLE):
            lines = -(-len(figure.series) // _columns(figure)) if len(figure.series) > 1 else 0
            drawn = plt.figure(figsize=(7.6, 4.2 + 0.19 * lines), layout="constrained")
            axis = drawn.subplots()
            _draw(axis, figure, [numbers[figure.paper, s.name] for s in figure.series])
            if len(figure.series) > 1:
                drawn.legend(loc="outside lower left", ncols=_columns(figure), frameon=False,
                             fontsize=9)  # fmt: skip
            for suffix in suffixes:
                path = Path(folder, figure.id + suffix)
                path.parent.mkdir(parents=True, exist_ok=True)
                _save(drawn, path)
                written.append(path)
            plt.close(drawn)
    return written


def write_sheet(figures: Sequence[Figure], path: str | PathLike[str]) -> None:
    """Draw several figures to one image file, two in a row; many names take a row of their own."""
    if not figures:
        raise OptionError("nothing to draw: no measurement came to its end")
    plt, numbers = _pyplot(), in_colours(replace(figure, paper="") for figure in figures)
    rows: list[list[Figure]] = []
    for figure in figures:
        wide = _many(figure)
        if wide or not rows or len(rows[-1]) == 2 or _many(rows[-1][0]):
            rows.append([])
        rows[-1].append(figure)
    with plt.rc_context(_STYLE):
        drawn = plt.figure(figsize=(13, 4.4 * len(rows)), layout="constrained")
        for part, row in zip(drawn.subfigures(len(rows), squeeze=False)[:, 0], rows, strict=True):
            places = part.subplots(1, 1 if _many(row[0]) else 2, squeeze=False)[0]
            for axis, figure in zip(places, row, strict=False):
                _draw(axis, figure, [numbers["", s.name] for s in figure.series])
                if len(figure.series) > 1:
                    axis.legend(frameon=False, fontsize=8, ncols=1 + len(figure.series) // 9)
            for axis in places[len(row) :]:
                axis.axis("off")
        _save(drawn, Path(path))
        plt.close(drawn)


def _pyplot() -> Any:
    try:
        from berge.drawn import pyplot

        return pyplot()
    except OptionError:
        raise OptionError("pictures need matplotlib: pip install 'berge[lab]'") from None


def _save(drawn: Any, path: Path) -> None:
    drawn.savefig(path, dpi=130, metadata={"Date": None} if path.suffix == ".svg" else {})


def _names(figure: Figure) -> list[str]:
    return list(dict.fromkeys(str(x) for s in figure.series for x in s.x))


def _many(figure: Figure) -> bool:
    return named(figure) and len(_names(figure)) > 12


def _columns(figure: Figure) -> int:
    """Return how many names of series stand beside each other in the legend."""
    longest = max((len(label(s)) for s in figure.series), default=0)
    return max(1, min(len(figure.series), round(105 / (longest + 6))))


def _draw(axis: Any, figure: Figure, numbers: Sequence[int]) -> None:
    names = _names(figure)
    bars = max(sum(bool(s.x) for s in figure.series), 1)
    width = 0.8 * (1.0 if named(figure) else _gap(figure)) / bars
    for place, (series, number) in enumerate(zip(figure.series, numbers, strict=True)):
        colour = COLOURS[number % len(COLOURS)]
        turn = number // len(COLOURS) % len(_DASHES)
        x, y = step_points(figure, series) if figure.kind == "steps" else (series.x, series.y)
        if named(figure):
            x = [names.index(str(value)) for value in x]
        if figure.kind == "bars" or (named(figure) and figure.kind == "points"):  # side by side
            x = [value + (place - (bars - 1) / 2) * width for value in x]
        style: dict[str, Any] = {"color": colour, "label": label(series)}
        if figure.kind == "bars":
            fill = {"color": "white", "edgecolor": colour} if series.published else {}
            axis.bar(x, [value or 0.0 for value in y], width, **{**style, **fill})
        elif figure.kind == "steps":
            axis.step(x, _gaps(y), where="post", linestyle=_DASHES[turn], linewidth=1.8, **style)
        else:
            line = (
                "none" if figure.kind == "points" else "--" if series.published else _DASHES[turn]
            )
            face = "none" if series.published else colour
            marked = figure.kind == "points" or len(x) <= 60
            mark = {"marker": _MARKS[turn] if marked else "", "markerfacecolor": face}
            axis.plot(x, _gaps(y), linestyle=line, linewidth=1.8, markersize=5, **mark, **style)
        _error_bars(axis, series, x, colour)
    _axes(axis, figure, names)
    axis.set_title(figure.title, loc="left", fontsize=11, fontweight="bold")


def _gap(figure: Figure) -> float:
    """Return the distance between neighbouring numbers on the axis, 1 if there is only one."""
    every = sorted({x for series in figure.series for x in series.x})
    return min((b - a for a, b in pairwise(every)), default=1.0)


def _gaps(y: Sequence[float | None]) -> list[float]:
    return [float("nan") if value is None else value for value in y]


def _error_bars(axis: Any, series: Series, x: Sequence[Any], colour: str) -> None:
    if series.low is None or series.high is None:
        return
    ends = zip(x, series.y, series.low, series.high, strict=True)
    kept = [(a, y, y - low, high - y) for a, y, low, high in ends
            if y is not None and low is not None and high is not None]  # fmt: skip
    if kept:
        xs, ys, below, above = zip(*kept, strict=True)
        axis.errorbar(xs, ys, yerr=(below, above), fmt="none", ecolor=colour, elinewidth=1,
                      capsize=2)  # fmt: skip


def _axes(axis: Any, figure: Figure, names: list[str]) -> None:
    axis.set(xlabel=figure.x_label, ylabel=figure.y_label)
    if named(figure):
        slanted = sum(map(len, names)) > 70
        axis.set_xticks(range(len(names)), names, rotation=35 if slanted else 0,
                        ha="right" if slanted else "center", fontsize=8.5)  # fmt: skip
        axis.grid(visible=False, axis="x")
    elif figure.log_x:
        _logarithmic(axis, "x")
    if figure.log_y:
        _logarithmic(axis, "y")
    few = ticks(figure)
    if few is not None:
        axis.set_xticks(few, [f"{x:g}" for x in few])
        axis.set_xticks([], minor=True)
    if figure.kind == "steps" and all(series.graphs for series in figure.series):
        axis.set_ylim(0, 1.03)


def _logarithmic(axis: Any, which: str) -> None:
    """Make an axis logarithmic, with plain numbers, and few of them."""
    from matplotlib.ticker import LogFormatter

    class Plain(LogFormatter):
        def _num_to_string(self, x: float, vmin: float, vmax: float) -> str:
            return f"{x:g}"

    axis.set(**{f"{which}scale": "log"})
    side = getattr(axis, f"{which}axis")
    side.set_major_formatter(Plain())
    side.set_minor_formatter(Plain(minor_thresholds=(1.2, 0.4)))
