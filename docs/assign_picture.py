"""Draws the pictures of docs/assign.md: ``python docs/assign_picture.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_array, random_array

import berge

HERE = Path(__file__).parent
PEOPLE, JOBS = ("ann", "bob", "cid", "dan"), ("cook", "drive", "sew")
POINTS = {"ann": {"cook": 5, "drive": 4}, "bob": {"cook": 3}, "cid": {"cook": 4},
          "dan": {"drive": -1, "sew": -2}}  # fmt: skip
ASKED: dict[str, dict[str, Any]] = {
    "match='full'\nall of the smaller side": {"match": "full"},
    "match='any'\nonly what helps": {"match": "any"},
    "match='any'\ncapacity_right={'cook': 2}": {"match": "any", "capacity_right": {"cook": 2}},
}


def modes() -> None:
    """Draw what each mode chooses."""
    figure, axes = plt.subplots(1, 3, figsize=(9.5, 3.1))
    for ax, (title, asked) in zip(axes, ASKED.items(), strict=True):
        plan = berge.assign(POINTS, objective="max", **asked)
        pairs = {(left, right) for left, right, _ in plan.labelled_pairs()}
        for i, person in enumerate(PEOPLE):
            for job, points in POINTS[person].items():
                y = (-i, -JOBS.index(job) - 0.5)
                inside = (person, job) in pairs
                ax.plot([0, 1], y, color="#1f6f8b" if inside else "#c8c8c8", lw=3 if inside else 1)
                at = 0.3
                ax.text(at, y[0] + at * (y[1] - y[0]), points, ha="center", va="center",
                        bbox={"fc": "white", "ec": "none", "pad": 1})  # fmt: skip
            ax.text(-0.06, -i, person, ha="right", va="center")
        for j, job in enumerate(JOBS):
            ax.text(1.06, -j - 0.5, job, ha="left", va="center")
        ax.set(xlim=(-0.35, 1.4), ylim=(-3.4, 0.4))
        ax.set_title(f"{title}\ntotal {plan.total}", fontsize=10)
        ax.axis("off")
    figure.tight_layout()
    figure.savefig(HERE / "assign.png", dpi=110)


def scaled() -> None:
    """Draw a matrix before and after `scale_and_permute`."""
    rng = np.random.default_rng(1)
    n = 60
    a = csr_array(random_array((n, n), density=0.06, rng=rng)) + csr_array(
        (np.ones(n), (rng.permutation(n), np.arange(n))), shape=(n, n)
    )
    a.data *= 10.0 ** rng.integers(-8, 8, a.nnz)
    after = berge.scale_and_permute(a).matrix
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.6))
    for ax, matrix, title in zip(axes, (a, after), ("before", "after"), strict=True):
        coo = matrix.tocoo()
        dots = ax.scatter(coo.col, coo.row, c=np.log10(np.abs(coo.data)), s=12, cmap="viridis")
        ax.set(title=title, xlim=(-1, n), ylim=(n, -1), aspect="equal", xticks=[], yticks=[])
        figure.colorbar(dots, ax=ax, label="log10 of the absolute value")
    figure.tight_layout()
    figure.savefig(HERE / "assign-scaled.png", dpi=110)


if __name__ == "__main__":
    modes()
    scaled()
