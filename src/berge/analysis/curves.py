"""The paper's two curves of proposals: matched vertices by round, and what p does.

matplotlib is an extra (``berge[plot]``), imported when something is drawn.

Reference: B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
Facing the Multicore-Challenge II, 2012, figures 2 and 3.
"""

from __future__ import annotations

from os import PathLike
from statistics import fmean
from typing import Any

import numpy as np

from ..drawn import pyplot
from ..errors import InvalidGraphError
from ..graphs.graph import Graph
from ..methods.greedy.proposals import first_round
from ..results.greedy_matching import GreedyMatching
from ..settings import GreedyName
from ..solve.greedy import BLUE, greedy_matching
from ..wording import plural

__all__ = ["draw_proposals"]

PROBABILITIES = np.round(np.linspace(0.1, 0.9, 17), 2)
SEEDS = 3  # runs with each p: the average is drawn, of times the shortest
# Told apart by colour-blind people too.
_BLUE, _ORANGE, _GREEN, _GREY = "#0072b2", "#d55e00", "#009e73", "#8a8a8a"
_LEGEND: dict[str, Any] = {"framealpha": 1.0, "edgecolor": "white"}


def draw_proposals(
    graph: Graph,
    path: str | PathLike[str],
    *,
    name: str = "graph",
    seed: int = 0,
    p: float = BLUE,
    threads: int | None = None,
) -> None:
    """Match by proposals with many p, weighted if the graph is, and draw it to an image file."""
    plt = pyplot()
    if not graph.n_edges:
        raise InvalidGraphError(f"{name} has no edges: there is nothing to draw")

    def match(method: GreedyName, p: float = BLUE, more: int = 0) -> GreedyMatching:
        return greedy_matching(graph, method=method, seed=seed + more, p=p, threads=threads)

    weighted = graph.weights is not None
    method: GreedyName = "weighted-proposals" if weighted else "proposals"
    match(method)  # compiled before anything is timed
    runs = [[match(method, float(p), more) for more in range(SEEDS)] for p in PROBABILITIES]
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
    sizes = f"{plural(graph.n_vertices, 'vertex', 'vertices')}, {plural(graph.n_edges, 'edge')}"
    figure.suptitle(f"{name}: {method}, {sizes}", fontweight="bold")
    serial = match("weighted" if weighted else "random")
    _rounds(axes[0], match(method, p), serial, p)
    _by_probability(axes[1], runs, weighted)
    _first_round(axes[2], runs)
    for axis in axes:
        axis.grid(color="#e4e4e4")
        axis.set_axisbelow(True)
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def _rounds(axis: Any, run: GreedyMatching, serial: GreedyMatching, p: float) -> None:
    fractions = [0.0, *run.matched_fraction]
    level = serial.matched_fraction[-1]
    axis.axhline(100 * level, color=_GREY, linestyle="--", label=f"{serial.method} (Algorithm 1)")
    axis.plot(range(len(fractions)), [100 * f for f in fractions], "o-", color=_BLUE, markersize=4,
              label=f"{run.method}, p = {p:g}")  # fmt: skip
    axis.set(xlabel="rounds", ylabel="vertices matched (%)", ylim=(0, 103), title="Rounds")
    axis.set_xlim(left=0)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.legend(loc="lower right", **_LEGEND)


def _by_probability(axis: Any, runs: list[list[GreedyMatching]], weighted: bool) -> None:
    curves = [("size", _BLUE, [fmean(run.size for run in some) for some in runs])]
    if weighted:
        curves.append(("weight", _ORANGE, [fmean(run.weight for run in some) for some in runs]))
    curves.append(("time", _GREEN, [min(run.seconds["match"] for run in some) for some in runs]))
    for name, colour, values in curves:
        most = max(values)
        label = f"{name} (most: {_shown(name, most)})"
        shares = [100 * value / (most or 1) for value in values]
        axis.plot(PROBABILITIES, shares, "o-", color=colour, markersize=4, label=label)
    axis.axvline(BLUE, color=_GREY, linestyle=":")
    axis.set(xlabel="p, the probability of blue", ylabel="% of the most", ylim=(0, 140),
             xlim=(0, 1), yticks=range(0, 101, 20), title="What p does")  # fmt: skip
    axis.legend(loc="upper center", **_LEGEND)  # above the curves, which end at 100


def _first_round(axis: Any, runs: list[list[GreedyMatching]]) -> None:
    observed = [100 * fmean(run.matched_fraction[0] for run in some) for some in runs]
    fine = np.linspace(0.005, 0.995, 199)
    axis.plot(fine, [100 * first_round(float(p)) for p in fine], color=_GREY,
              label=r"random graph: $2(1-p)(1-e^{-p/(1-p)})$")  # fmt: skip
    axis.plot(PROBABILITIES, observed, "o", color=_BLUE, markersize=5, label="observed")
    axis.axvline(BLUE, color=_GREY, linestyle=":")
    axis.annotate(f"p = {BLUE}", (BLUE, 4), xytext=(4, 0), textcoords="offset points",
                  color="#555555", fontsize=9)  # fmt: skip
    axis.set(xlabel="p, the probability of blue", ylabel="vertices matched (%)", xlim=(0, 1),
             title="The first round")  # fmt: skip
    axis.set_ylim(0, 1.25 * max(axis.get_ylim()[1], 1))
    axis.legend(loc="upper left", **_LEGEND)


def _shown(name: str, value: float) -> str:
    return f"{value:.3g} s" if name == "time" else f"{value:,.0f}"
