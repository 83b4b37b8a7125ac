"""When to relabel, in the manner of figure 1 of the G-PR paper: forms × strategies on CPU threads.

    python lab/benchmarks/g_pr_strategies.py [--data FOLDER] [--figure docs/g-pr-strategies.png]

Prints geometric means over all graphs for every form of G-PR and every strategy: of the seconds of
the search (best of --repeat), of push launches and of global relabellings. All runs begin with the
cheap start, as in the paper. With a folder of .npz graphs some real ones are taken as well. Then
the same for global relabelling beside the pushes (concurrent).
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from common import with_real

import berge
from berge import generate
from berge.drawn import pyplot
from berge_lab.bench.loop import in_turns
from berge_lab.bench.ratios import geometric_mean

GRAPHS = {
    "web-like (rmat)": lambda: generate.rmat(15, 6),
    "web-like (power law)": lambda: generate.power_law(60_000, 50_000, 5, 2.2),
    "road-like": lambda: generate.road(120, 120),
    "mesh, degree 3": lambda: generate.permute(generate.mesh3(30_000)),
    "random, degree 3": lambda: generate.erdos_renyi(40_000, 40_000, 120_000),
    "delaunay": lambda: generate.permute(generate.delaunay(40_000)),
}
REAL = ("cit-HepPh", "ak2010", "bayer10", "cond-mat-2005", "delaunay_n16", "luxembourg_osm",
        "soc-Slashdot0902", "ego-Twitter", "npm-dependencies", "cnr-2000")  # fmt: skip
FORMS = ("g-pr-first", "g-pr-noshr", "g-pr-shr")
STRATEGIES = [("adaptive", k) for k in (0.3, 0.7, 1, 1.5, 2)] + [("fix", k) for k in (10, 50)]
FIGURES = ("seconds of the search", "push launches", "global relabels")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, help="a folder of .npz graphs")
    parser.add_argument("--figure", type=Path, help="an image file to draw")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    sources = with_real(GRAPHS, options.data, REAL)
    settings = [(form, s, False) for form in FORMS for s in STRATEGIES]
    settings += [(form, ("adaptive", 0.7), True) for form in FORMS]
    found: dict[tuple, list[list[float]]] = {setting: [] for setting in settings}
    for name, make in sources.items():
        graph = make()
        graph.T  # noqa: B018 (built beforehand)
        expected = berge.maximum_matching(graph).cardinality
        for setting, figures in measure(graph, expected, settings, options).items():
            found[setting].append(figures)
        print(f"{name}: {graph}", file=sys.stderr, flush=True)
    means = {
        s: [geomean(column) for column in zip(*rows, strict=True)] for s, rows in found.items()
    }
    print_table(means, len(sources), options.threads)
    if options.figure:
        draw(means, options.figure)


def measure(graph, expected: int, settings: list, options: argparse.Namespace) -> dict:
    """Return the figures of one graph for each setting: of the quickest run of several."""

    def check(matching):
        assert matching.cardinality == expected
        stats = matching.stats
        return [stats.search_seconds, stats.iterations, stats.phases]

    solves = {
        setting: partial(
            berge.maximum_matching, graph, algorithm=setting[0], init="cheap",
            threads=options.threads, strategy=setting[1][0], k=setting[1][1],
            concurrent=setting[2],
        )
        for setting in settings
    }  # fmt: skip
    found = in_turns(solves, options.repeat, check=check)
    return {setting: min(run.told for run in timing.runs) for setting, timing in found.items()}


def geomean(values) -> float:
    """Return the geometric mean; a graph that the start had solved counts as one of each."""
    return geometric_mean(value or 1 for value in values)


def label(strategy: tuple[str, float]) -> str:
    return f"({strategy[0]}, {strategy[1]:g})"


def print_table(means: dict, graphs: int, threads: int) -> None:
    print(f"Geometric means over {graphs} graphs, {threads} threads: first / noshr / shr.\n")
    print("| strategy | " + " | ".join(FIGURES) + " |")
    print("|---|---|---|---|")
    for concurrent in (False, True):
        for strategy in STRATEGIES:
            rows = [means.get((form, strategy, concurrent)) for form in FORMS]
            if all(rows):
                cells = [
                    " / ".join(digits.format(row[i]) for row in rows)
                    for i, digits in enumerate(("{:.3f}", "{:.0f}", "{:.1f}"))
                ]
                name = label(strategy) + (", beside" if concurrent else "")
                print(f"| {name} | " + " | ".join(cells) + " |")


def draw(means: dict, path: Path) -> None:
    plt = pyplot()
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    titles = ("seconds of the search", "push launches")
    for axis, i, title in zip(axes, (0, 1), titles, strict=True):
        for f, form in enumerate(FORMS):
            heights = [means[form, s, False][i] for s in STRATEGIES]
            places = [p + (f - 1) * 0.27 for p in range(len(STRATEGIES))]
            axis.bar(places, heights, 0.27, label=form)
        names = [label(s).replace(", ", ",\n") for s in STRATEGIES]
        axis.set_xticks(range(len(STRATEGIES)), names, fontsize=8)
        axis.set_title(f"{title}, geometric mean", loc="left", fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].legend(frameon=False, fontsize=9)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
