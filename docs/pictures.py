"""Draw the two pictures of the start page: python docs/pictures.py.

The second takes its numbers from the table in performance.md.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import berge

HERE = Path(__file__).parent
BLUE, GREY = "#0072b2", "#999999"


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


if __name__ == "__main__":
    plt.rcParams.update({"svg.hashsalt": "berge", "font.family": "sans-serif"})
    what(HERE / "figures" / "what.svg")
    speed(HERE / "figures" / "speed.svg")
