"""Draw the pictures of the start page and of matching in any graph: python docs/pictures.py.

The second takes its numbers from the table in performance.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import berge

HERE = Path(__file__).parent
BLUE, GREY, ORANGE = "#0072b2", "#999999", "#e69f00"


def what(path: Path) -> None:
    """A small graph, a matching that berge finds, and the cover that proves it."""
    choices = {
        "ann": ["cook"], "bob": ["cook", "drive"], "cid": ["drive"],
        "dan": ["sew", "iron", "paint"], "eve": ["drive", "sew"],
    }  # fmt: skip
    m = berge.match_pairs(choices)
    cover = m.prove()
    people, jobs = m.graph.row_labels, m.graph.col_labels
    fig, axes = plt.subplots(figsize=(6.4, 3.2))
    place = {name: (0, -i) for i, name in enumerate(people)}
    place |= {name: (2, -i - 0.5) for i, name in enumerate(jobs)}
    for person, wanted in choices.items():
        for job in wanted:
            chosen = m.get(person) == job
            axes.plot(
                *np.transpose([place[person], place[job]]),
                color=BLUE if chosen else GREY, lw=3.5 if chosen else 1.2, zorder=1,
            )  # fmt: skip
    covering = {people[i] for i in np.flatnonzero(cover.rows)}
    covering |= {jobs[j] for j in np.flatnonzero(cover.cols)}
    for name, (x, y) in place.items():
        full = name in covering
        axes.scatter(x, y, s=130, color=BLUE if full else "white", edgecolor=BLUE, lw=1.5, zorder=2)
        axes.text(x + (0.18 if x else -0.18), y, name, ha="left" if x else "right", va="center")
    lines = [
        f"{len(m)} pairs, and no more are possible:",
        f"the {cover.size} filled vertices touch every line,",
        "and no two chosen lines share one.",
        "",
        *[str(reason).replace(" want", "\nwant") for reason in m.reasons()],
    ]
    axes.text(3.1, -2.2, "\n".join(lines), va="center")
    axes.set(xlim=(-0.7, 6.6), ylim=(-len(jobs) + 0.1, 0.5))
    axes.axis("off")
    fig.savefig(path, bbox_inches="tight")


def speed(path: Path) -> None:
    """Times of other codes as multiples of berge's, graph by graph."""
    text = (HERE / "performance.md").read_text(encoding="utf-8")
    lines = text.partition("Real graphs, limit 45 s:")[2].strip().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    header, graphs = rows[0], rows[2 : next(i for i, row in enumerate(rows) if "mean" in row[0])]
    peers = ["scipy", "igraph", "btf", "cxsparse"]
    fig, axes = plt.subplots(figsize=(6.4, 2.6))
    rng = np.random.default_rng(0)
    for y, peer in enumerate(reversed(peers)):
        cells = [row[header.index(peer)].replace(",", "") for row in graphs]
        times = np.array([float(cell.strip("> ")) for cell in cells])
        hollow = np.array([cell.startswith(">") for cell in cells])
        at = y + rng.uniform(-0.22, 0.22, times.size)
        axes.scatter(times[~hollow], at[~hollow], s=16, color=GREY)
        axes.scatter(times[hollow], at[hollow], s=16, facecolor="none", edgecolor=GREY)
        mean = np.exp(np.log(times).mean())
        axes.plot([mean, mean], [y - 0.35, y + 0.35], color=BLUE, lw=2.5)
        axes.text(mean * 1.12, y + 0.3, f"{mean:.0f}×", color=BLUE, va="bottom", fontsize=9)
    axes.axvline(1, color=BLUE, lw=1)
    axes.text(1, len(peers) - 0.4, "berge", color=BLUE, ha="center", va="bottom")
    names = {"btf": "SuiteSparse BTF", "cxsparse": "CXSparse"}
    axes.set_yticks(range(len(peers)), [names.get(peer, peer) for peer in reversed(peers)])
    axes.set(xscale="log", xlim=(0.6, 9000), ylim=(-0.5, len(peers) - 0.4))
    axes.set_xlabel("times as long as berge (dots: graphs; lines: geometric means)")
    axes.spines[["top", "right"]].set_visible(False)
    fig.savefig(path, bbox_inches="tight")


def edges_drawn(axes: Any, place: Any, pairs: Any, mate: Any) -> None:
    """Draw edges; those of a matching are thick."""
    for v, w in pairs:
        matched = mate[v] == w
        axes.plot(
            *np.transpose([place[v], place[w]]),
            color=BLUE if matched else GREY, lw=3.5 if matched else 1.2, zorder=1,
        )  # fmt: skip


def blossom(path: Path) -> None:
    """A search meets an odd cycle, which becomes one vertex; the path found is led round it."""
    pairs = [(0, 1), (1, 2), (2, 3), (2, 4), (3, 5), (4, 6), (5, 6), (3, 7)]
    place = np.array([(0, 0), (1, 0), (2, 0), (2.7, 0.8), (2.7, -0.8), (3.7, 0.6), (3.7, -0.6),
                      (4.9, 1.1)])  # fmt: skip
    graph = berge.Graph.from_edges(*zip(*pairs, strict=True))
    before = berge.GeneralMatching([-1, 2, 1, 5, 6, 3, 4, -1], upper_bound=4)
    after = berge.maximum_matching(graph, algorithm="blossom", init="none", initial=before)
    assert after.is_perfect
    fig, (left, middle, right) = plt.subplots(1, 3, figsize=(9.6, 2.3))
    edges_drawn(left, place, pairs, before.mate)
    edges_drawn(right, place, pairs, after.mate)
    x, y = 3.0, 0
    shrunk = np.array([(0, 0), (1, 0), (x, y), (4.9, 1.1)])
    edges_drawn(middle, shrunk, [(0, 1), (1, 2), (2, 3)], [-1, 2, 1, -1])
    middle.scatter(x, y, s=900, facecolor="white", edgecolor=BLUE, lw=1.5, zorder=2)
    middle.text(x, y, "5 in 1", ha="center", va="center", fontsize=8)
    left.fill(*place[[2, 3, 5, 6, 4]].T, color=BLUE, alpha=0.12, lw=0)
    shown = (left, place, (0, 7)), (middle, shrunk[[0, 1, 3]], (0, 2)), (right, place, ())
    for axes, places, free in shown:
        full = np.isin(np.arange(len(places)), free)
        face = ["white" if hollow else BLUE for hollow in full]
        axes.scatter(*places.T, s=90, facecolor=face, edgecolor=BLUE, lw=1.5, zorder=2)
        axes.set(xlim=(-0.4, 5.3), ylim=(-1.2, 1.4))
        axes.axis("off")
    left.set_title(
        "two vertices are free (hollow);\nthe way from one meets an odd cycle", fontsize=9
    )
    middle.set_title("the cycle becomes one vertex:\na path leads to the other", fontsize=9)
    right.set_title(
        "the path goes through the cycle\nthe even way round: all are matched", fontsize=9
    )
    fig.savefig(path, bbox_inches="tight")


def gallai_edmonds(path: Path) -> None:
    """The three classes of vertices of a graph, and a maximum matching."""
    pairs = [(0, 1), (1, 2), (2, 0), (3, 11), (4, 11), (4, 12), (5, 12), (2, 11), (5, 6), (6, 7),
             (7, 8), (8, 9), (9, 5), (11, 12), (12, 13), (13, 14), (14, 15), (15, 16), (16, 13),
             (13, 15), (10, 11)]  # fmt: skip
    place = np.array([(0, -0.4), (0.9, -0.4), (0.45, 0.3), (1.9, 0.3), (3.3, 0.3), (4.4, 0.3),
                      (5.1, 0), (4.9, -0.6), (3.9, -0.6), (3.7, 0), (2.6, 0.3), (2.1, 1.4),
                      (3.9, 1.4), (5.9, 1.4), (6.9, 1.4), (6.9, 0.5), (5.9, 0.5)])  # fmt: skip
    graph = berge.Graph.from_edges(*zip(*pairs, strict=True))
    matching = berge.maximum_matching(graph)
    parts = berge.gallai_edmonds(graph)
    fig, axes = plt.subplots(figsize=(6.8, 2.6))
    edges_drawn(axes, place, pairs, matching.mate)
    classes = (
        ("D: some maximum matching leaves them out", parts.D, BLUE),
        ("A: their neighbours, always matched into D", parts.A, ORANGE),
        ("C: all others, matched among themselves", parts.C, GREY),
    )
    for name, vertices, colour in classes:
        face = [colour if matching.mate[v] >= 0 else "white" for v in vertices]
        axes.scatter(*place[vertices].T, s=110, facecolor=face, edgecolor=colour, lw=1.8, zorder=2)
        axes.scatter([], [], s=110, color=colour, label=name)
    axes.scatter([], [], s=110, color="white", edgecolor=BLUE, lw=1.8, label="unmatched here")
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0, -0.02), ncols=2)
    axes.axis("off")
    fig.savefig(path, bbox_inches="tight")


if __name__ == "__main__":
    plt.rcParams.update({"svg.hashsalt": "berge", "font.family": "sans-serif"})
    what(HERE / "figures" / "what.svg")
    speed(HERE / "figures" / "speed.svg")
    blossom(HERE / "figures" / "blossom.svg")
    gallai_edmonds(HERE / "figures" / "gallai-edmonds.svg")
