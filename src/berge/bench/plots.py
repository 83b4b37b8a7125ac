"""Bar charts of a comparison, in the manner of the tree-grafting paper's figures 1, 3 and 6.

matplotlib is an extra (``berge[plot]``), imported when something is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from ..errors import OptionError
from ..plots import pyplot
from .compare import Comparison

__all__ = ["draw_comparison"]

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
