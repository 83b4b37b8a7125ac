"""Pictures of matrices before and after they are put in block triangular form.

A pixel has the colour of the parts that its entries belong to, and is the darker the more there
are. So a matrix of a million rows is as readable as one of ten, where a pixel is an entry.

matplotlib is an extra (``berge[plot]``), imported when something is drawn.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..drawn import colours_of, finish, pyplot, write_names
from ..graphs.graph import BipartiteGraph, IndexArray
from ..shown import COLOURS
from ..wording import plural

if TYPE_CHECKING:
    from .decomposition import DulmageMendelsohn

__all__ = ["draw_decomposition"]

PIXELS = 600  # of a square picture; no more than are drawn, so that none is lost
_CHUNK = 1 << 21  # entries counted at a time
_SMALLEST_BORDER = 1 / 90  # of a side: smaller blocks are too small to have a border
_SMALLEST_SEEN = 1 / 40  # of a side: smaller parts get a ring around them
_MOST_BORDERS = 1000

_NAMES = ("underdetermined", "square", "overdetermined", "between the parts")


def draw_decomposition(
    graph: BipartiteGraph,
    dm: DulmageMendelsohn,
    path: str | PathLike[str] | None = None,
    name: str = "matrix",
) -> Any:
    """Draw a matrix as it is and in block triangular form, side by side; return the figure.

    O(rows + columns + edges) and a few MB of memory.
    """
    plt = pyplot()
    n_rows, n_cols = graph.shape
    shape = min(max(n_rows / max(n_cols, 1), 0.4), 2.5) if n_rows and n_cols else 1.0
    high, wide = min(shape, 1.3), min(1.3 / shape, 1.0)  # 1 is the size of a square one
    size = (max(10.9 * wide, 7) + 1.5, 5.45 * high + 1.45)
    figure, axes = plt.subplots(1, 2, figsize=size, layout="constrained")
    rank = f"structural rank {dm.structural_rank:,}"
    figure.suptitle(
        f"{name}: {n_rows:,} × {n_cols:,}, {graph.nnz:,} entries, {rank}", fontweight="bold"
    )
    blocks = dm.row_blocks.size - 1
    titles = ("as given", f"permuted: {plural(blocks, 'block')}")
    orders = ((None, None), (dm.row_order, dm.col_order))
    for axis, title, (row_order, col_order) in zip(axes, titles, orders, strict=True):
        axis.set_title(title, fontsize=11)
        axis.imshow(
            _picture(graph, dm, row_order, col_order, round(PIXELS * high), round(PIXELS * wide)),
            extent=(0, max(n_cols, 1), max(n_rows, 1), 0),
            aspect="auto",
            interpolation="nearest",
        )
        axis.set_box_aspect(shape)
        axis.set(xlabel="column", ylabel="row")
        axis.xaxis.tick_top()
        axis.xaxis.set_label_position("top")
        write_names(plt, axis.xaxis, graph.col_labels, n_cols, col_order, rotation=90)
        write_names(plt, axis.yaxis, graph.row_labels, n_rows, row_order)
    _borders(plt, axes[1], dm)
    _legend(plt, figure, dm)
    return finish(figure, path)


def _picture(
    graph: BipartiteGraph,
    dm: DulmageMendelsohn,
    row_order: IndexArray | None,
    col_order: IndexArray | None,
    most_high: int,
    most_wide: int,
) -> npt.NDArray[np.float64]:
    """Return the colour of every pixel."""
    n_rows, n_cols = max(graph.n_rows, 1), max(graph.n_cols, 1)
    height, width = min(n_rows, most_high), min(n_cols, most_wide)
    row_part, col_part = (
        _parts(size, part) for size, part in
        ((graph.n_rows, [dm.underdetermined.rows, dm.square.rows, dm.overdetermined.rows]),
         (graph.n_cols, [dm.underdetermined.cols, dm.square.cols, dm.overdetermined.cols]))
    )  # fmt: skip
    row_pixel = _places(graph.n_rows, row_order) * height // n_rows
    col_pixel = _places(graph.n_cols, col_order) * width // n_cols
    flat = np.zeros(4 * height * width)
    for first in range(0, graph.nnz, _CHUNK):
        entries = np.arange(first, min(first + _CHUNK, graph.nnz))
        rows = np.searchsorted(graph.indptr, entries, side="right") - 1
        cols = graph.indices[entries]
        part = np.where(row_part[rows] == col_part[cols], row_part[rows].astype(np.intp), 3)
        pixel = (part * height + row_pixel[rows]) * width + col_pixel[cols]
        flat += np.bincount(pixel, minlength=flat.size)
    return colours_of(flat.reshape(4, height, width), COLOURS, np.ones(4))


def _parts(size: int, parts: list[IndexArray]) -> npt.NDArray[np.int8]:
    """Return which part each vertex is in."""
    part_of = np.zeros(size, np.int8)
    for number, vertices in enumerate(parts):
        part_of[vertices] = number
    return part_of


def _places(size: int, order: IndexArray | None) -> npt.NDArray[np.int64]:
    """Return where each vertex is drawn."""
    place = np.arange(size, dtype=np.int64)
    if order is not None:
        place[order] = np.arange(size)
    return place


def _borders(plt: Any, axis: Any, dm: DulmageMendelsohn) -> None:
    """Draw the parts in their colours, and the fine blocks that are large enough to see."""
    r, c = dm.row_bounds.tolist(), dm.col_bounds.tolist()
    parts = ((0, r[1], 0, c[2]), (r[1], r[2], c[2], c[3]), (r[2], r[4], c[3], c[4]))
    for (top, bottom, left, right), colour in zip(parts, COLOURS, strict=False):
        at = ((left, top), right - left, bottom - top)
        axis.add_patch(plt.Rectangle(*at, color=colour, alpha=0.10, linewidth=0))
        axis.add_patch(plt.Rectangle(*at, fill=False, edgecolor=colour, linewidth=1.4))
        if 0 < max(bottom - top, right - left) < _SMALLEST_SEEN * max(r[4], c[4]):
            middle = (left + right) / 2, (top + bottom) / 2
            axis.plot(*middle, "o", markersize=13, fillstyle="none", color=colour, clip_on=False)
    # Columns, and rows, that stay without a partner.
    dotted = {"color": "black", "linewidth": 0.8, "linestyle": ":"}
    if 0 < c[1] < c[2]:
        axis.plot([c[1], c[1]], [0, r[1]], **dotted)
    if r[2] < r[3] < r[4]:
        axis.plot([c[3], c[4]], [r[3], r[3]], **dotted)
    first = int(c[1] > 0)
    begins = dm.row_blocks[first : first + dm.n_square_blocks + 1]
    sizes = np.diff(begins)
    shown = np.flatnonzero(sizes >= _SMALLEST_BORDER * max(r[4], c[4]))
    for b in shown[np.argsort(-sizes[shown], kind="stable")[:_MOST_BORDERS]]:
        top, size = int(begins[b]), int(sizes[b])
        at = ((c[2] + top - r[1], top), size, size)
        axis.add_patch(plt.Rectangle(*at, fill=False, edgecolor="black", linewidth=0.8))


def _legend(plt: Any, figure: Any, dm: DulmageMendelsohn) -> None:
    sizes = [f" {len(p.rows):,} × {len(p.cols):,}" for p in
             (dm.underdetermined, dm.square, dm.overdetermined)]  # fmt: skip
    sizes[1] += f" in {plural(dm.n_square_blocks, 'block')}"
    handles = [
        plt.Rectangle((0, 0), 1, 1, color=colour, label=name + size)
        for colour, name, size in zip(COLOURS, _NAMES, [*sizes, ""], strict=True)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
