"""Bar charts of a comparison and profiles of a suite.

The first in the manner of the tree-grafting paper's figures 1, 3 and 6, the second of figures 2 and
3 of the paper on push-relabel for GPUs.

matplotlib is an extra (``berge[plot]``), imported when something is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from berge.analysis.plots import pyplot
from berge.errors import OptionError

from .compare import Comparison
from .results import Profile, Results, over, performance_profile, speedup_profile

__all__ = ["draw_comparison", "draw_profiles"]

# Steps of figure 6 in the order of a phase; "search", "push" and "relabel" are other algorithms'.
_STEPS = ("transpose", "init", "search", "top-down", "bottom-up", "augment", "graft", "push",
          "relabel")  # fmt: skip


def draw_comparison(results: Mapping[str, Sequence[Comparison]], path: str | PathLike[str]) -> None:
    """Draw what algorithms did on one or more graphs (name → results) to an image file."""
    plt = pyplot()
    names = list(dict.fromkeys(r.name for rows in results.values() for r in rows if r.seconds))
    if not names:
        raise OptionError("nothing to draw: no algorithm came to its end")
    shown = {g: {r.name: r for r in rows if r.seconds} for g, rows in results.items()}
    wide = max(11.0, 2.5 + 0.16 * len(names) * len(results) * 3)
    figure, axes = plt.subplots(2, 3, figsize=(min(wide, 40), 8.5), layout="constrained")
    colours = plt.get_cmap("tab20").colors
    ours = {r.name for rows in results.values() for r in rows if r.stats is not None}

    def speed(result: Comparison, rows: Iterable[Comparison]) -> float:
        return max(r.best for r in rows) / result.best

    bars: list[tuple[str, Callable[[Any, Any], Any], bool]] = [
        ("(a) traversed edges", lambda r, rows: r.stats and r.stats.traversed_edges, True),
        ("(b) phases", lambda r, rows: r.stats and r.stats.phases, True),
        ("(c) average augmenting path, edges", lambda r, rows: r.stats and r.stats.average_path,
         True),
        ("(d) speed relative to the slowest", speed, False),
    ]  # fmt: skip
    for axis, (title, value, log) in zip(axes.flat, bars, strict=False):
        # Peers tell only their time.
        drawn = [n for n in names if value is speed or n in ours]
        width = 0.85 / max(len(drawn), 1)
        for i, name in enumerate(drawn):
            heights = [
                float(value(rows[name], rows.values()) or 0) if name in rows else 0
                for rows in shown.values()
            ]
            places = [g + (i - (len(drawn) - 1) / 2) * width for g in range(len(shown))]
            colour = colours[names.index(name) % len(colours)]
            axis.bar(places, heights, width, label=name, color=colour)
        axis.set_title(title, loc="left", fontsize=10)
        axis.set_xticks(range(len(shown)), list(shown), rotation=0 if len(shown) < 4 else 20)
        if log:
            axis.set_yscale("symlog" if title.startswith("(c)") else "log")
        axis.grid(axis="y", alpha=0.3)
    _breakdown(axes.flat[4], shown, plt.get_cmap("Set2").colors)
    axes.flat[5].axis("off")
    handles, labels = axes.flat[3].get_legend_handles_labels()
    axes.flat[5].legend(handles, labels, loc="upper left", ncols=2, frameon=False, fontsize=9)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def _breakdown(axis: Any, shown: Mapping[str, Mapping[str, Comparison]], colours: Any) -> None:
    """Where the time of the default algorithm goes, or of the first one that has steps."""
    every = [r for rows in shown.values() for r in rows.values() if r.stats is not None]
    if not every:
        axis.axis("off")
        return
    chosen = next((r.name for r in every if r.name == "ms-bfs-graft"), every[0].name)
    graphs = [g for g, rows in shown.items() if chosen in rows]
    bottoms = [0.0] * len(graphs)
    for i, step in enumerate(_STEPS):
        shares = []
        for graph in graphs:
            stats = shown[graph][chosen].stats
            spent = stats.seconds if stats else {}
            total = sum(s for name, s in spent.items() if name != "total") or 1.0
            shares.append(100 * spent.get(step, 0.0) / total)
        if any(shares):
            axis.bar(graphs, shares, 0.6, bottom=bottoms, label=step, color=colours[i % 8])
            bottoms = [b + s for b, s in zip(bottoms, shares, strict=True)]
    axis.set_title(f"(e) where {chosen} spends its time, %", loc="left", fontsize=10)
    axis.set_ylim(0, 100)
    axis.tick_params(axis="x", rotation=0 if len(graphs) < 4 else 20)
    axis.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)


def draw_profiles(results: Results, path: str | PathLike[str], baseline: str) -> None:
    """Draw performance profiles, speed-ups over a baseline, and gather passes, to an image file."""
    plt = pyplot()
    times = {setting: values for setting, values in results.times().items() if values}
    if not times:
        raise OptionError("nothing to draw: no measurement came to its end")
    colours = dict(zip(times, _distinct(plt, len(times)), strict=True))
    peers = {setting for (_, setting), row in results.rows.items() if row["peer"] is not None}
    style = {
        setting: {"color": colour, "linewidth": 1.3 if setting in peers else 2.2,
                  "linestyle": "--" if setting in peers else "-"}
        for setting, colour in colours.items()
    }  # fmt: skip
    below = 0.6 + 0.22 * len(results.graphs)
    figure = plt.figure(figsize=(11, 4.6 + below), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=[3.8, below])
    left, right = (figure.add_subplot(grid[0, k]) for k in (0, 1))
    _steps(left, performance_profile(times), style, rising=True)
    left.set(
        xlabel="at most x times as long as the fastest", ylabel="share of graphs", xlim=(1, None)
    )
    left.set_title("(a) performance profile", loc="left", fontsize=10)
    ratios = {
        setting: {graph: 1 / ratio for graph, ratio in results.ratios(setting, baseline).items()}
        for setting in times
        if setting != baseline
    }
    _steps(right, speedup_profile(ratios), style, rising=False)
    right.axvline(1, color="grey", linewidth=0.8)
    right.set(xlabel=f"at least x times as fast as {baseline}")
    right.set_title(f"(b) speed-up over {baseline}", loc="left", fontsize=10)
    _dots(figure.add_subplot(grid[1, :]), results, colours)
    handles = [plt.Line2D([], [], marker="o", markersize=4, label=s, **style[s]) for s in times]
    figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 6),
                  frameon=False, fontsize=9, handlelength=3)  # fmt: skip
    figure.savefig(path, dpi=130)
    plt.close(figure)


def _distinct(plt: Any, count: int) -> list[Any]:
    """Return colours that are told apart, also by colour-blind people if they are few."""
    few = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
    return (
        few[:count] if count <= len(few) else [plt.get_cmap("tab20")(k % 20) for k in range(count)]
    )


def _steps(axis: Any, profile: Profile, style: Mapping[str, Any], rising: bool) -> None:
    """Draw shares of graphs as steps over a logarithmic axis, from 1 up or from the right down."""
    axis.set_xscale("log")
    every = [x for xs, _ in profile.values() for x in xs]
    most, least = max(every, default=1.0) * 1.2, min(every, default=1.0) / 1.2
    begin, end = (1.0, most) if rising else (most, least)
    for setting, (xs, ys) in profile.items():
        if xs:
            axis.step([begin, *xs, end], [0, *ys, ys[-1]], where="post", **style[setting])
    axis.set(ylim=(0, 1.02))
    axis.grid(alpha=0.3)


def _dots(axis: Any, results: Results, colours: Mapping[str, Any]) -> None:
    """Draw the gather passes of every setting on every graph; hollow: ended by the time limit."""
    for setting, colour in colours.items():
        for line, graph in enumerate(results.graphs):
            value = results.value(graph, setting, "gathers")
            if value is not None:
                fill = "none" if over(results.rows[graph, setting]) else colour
                axis.plot(value, line, "o", markersize=5, color=colour, markerfacecolor=fill)
    axis.set_yticks(range(len(results.graphs)), results.graphs, fontsize=8)
    axis.set_ylim(len(results.graphs) - 0.5, -0.5)
    axis.set(xscale="log", xlabel="gather passes (hollow: ended by the time limit)")
    axis.set_title("(c) time in gather passes, by graph", loc="left", fontsize=10)
    axis.grid(alpha=0.3)
