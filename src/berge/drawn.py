"""Results as pictures, on paper or in a notebook.

Matrices: a pixel has the colours of the entries in it, and is the darker the more there are. So a
matrix of a million rows is as readable as one of ten, where a pixel is an entry. Graphs of few
vertices have these on a circle; larger ones are drawn as their matrix.

matplotlib is an extra (``berge[plot]``), imported when something is drawn.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .errors import OptionError
from .shown import COLOURS

__all__ = [
    "Kind",
    "colours_of",
    "draw_bars",
    "draw_graph",
    "draw_matches",
    "draw_matrix",
    "finish",
    "pyplot",
    "write_names",
]

GREY, BLUE = "#b8b8b8", COLOURS[0]

_PIXELS = 600  # of a square picture; no more than are drawn, so that none is lost
_CHUNK = 1 << 21  # entries counted at a time
_MOST_NAMES = 40  # of a side, and vertices on a circle
_MOST_NUMBERS = 16  # of a side, if each entry has its weight in it
_LONGEST_NAME = 24

Path = str | PathLike[str] | None
Array = npt.NDArray[Any]


class Kind(NamedTuple):
    """Entries of one colour, and what they are called."""

    name: str
    colour: str
    rows: Array
    cols: Array


def pyplot() -> Any:
    """Import matplotlib to draw to files, or to what a notebook or its user has chosen."""
    try:
        import matplotlib
    except ImportError:
        raise OptionError("drawing needs matplotlib: pip install 'berge[plot]'") from None
    if not {"IPython", "matplotlib.pyplot"} & set(sys.modules):
        matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def finish(figure: Any, path: Path) -> Any:
    """Write a figure if there is a path, close it, and return it."""
    if path is not None:
        figure.savefig(path, dpi=130)
    pyplot().close(figure)
    return figure


def write_names(
    plt: Any, side: Any, labels: Any, size: int, order: Any = None, **look: Any
) -> None:
    """Write names beside few rows or columns, numbers beside many."""
    if size > _MOST_NAMES:
        side.set_major_locator(plt.MaxNLocator(6, integer=True, steps=[1, 2, 2.5, 5, 10]))
        side.set_major_formatter(lambda value, _: f"{value:,.0f}")
        return
    names = _names(labels, range(size) if order is None else order)
    look = {"fontsize": 9 if size <= _MOST_NAMES // 2 else 7} | (look if labels else {})
    side.set_ticks(np.arange(size) + 0.5, names, **look)
    side.set_tick_params(length=0)


def colours_of(counts: Array, colours: Sequence[str], weigh: Array) -> npt.NDArray[np.float64]:
    """Return the colour of every pixel, from how many entries of each kind are in it."""
    from matplotlib.colors import to_rgb

    total = counts.sum(axis=0)
    most = max(float(total.max()), 1.0)
    # What is not empty shows; beyond that by the logarithm, as densities span many decades.
    shade = np.where(total > 0, 0.45 + 0.55 * np.log1p(total) / np.log1p(most), 0.0)
    weighed = counts * weigh[:, None, None]
    whole = np.maximum(weighed.sum(axis=0), 1e-300)
    mixed = np.tensordot(weighed / whole, np.array([to_rgb(c) for c in colours]), axes=(0, 0))
    picture: npt.NDArray[np.float64] = 1 - shade[..., None] * (1 - mixed)
    return picture


def draw_matches(graph: Any, pairs: Array, path: Path = None, **look: Any) -> Any:
    """Draw the edges of a graph, and which of them are chosen.

    ``pairs`` are rows and columns of a `BipartiteGraph`, or lower and higher vertices of a `Graph`.
    """
    general = hasattr(graph, "n_vertices")
    sizes = (graph.n_vertices,) * 2 if general else graph.shape
    rows = np.repeat(np.arange(sizes[0], dtype=graph.indices.dtype), np.diff(graph.indptr))
    cols = graph.indices
    if general:
        rows, cols = (side[rows < cols] for side in (rows, cols))
    keys = rows.astype(np.int64) * sizes[1] + cols
    taken = np.isin(keys, pairs[:, 0].astype(np.int64) * sizes[1] + pairs[:, 1])
    kinds = [Kind("other edges", GREY, rows[~taken], cols[~taken]),
             Kind("matched", BLUE, rows[taken], cols[taken])]  # fmt: skip
    if general:
        filled = np.isin(np.arange(min(sizes[0], _MOST_NAMES)), pairs)
        vertices = [BLUE if matched else "white" for matched in filled]
        return draw_graph(sizes[0], kinds, path, labels=graph.labels, vertices=vertices, **look)
    labels = graph.row_labels, graph.col_labels
    return draw_matrix(graph.shape, kinds, path, labels=labels, **look)


def draw_matrix(
    shape: tuple[int, int],
    kinds: Sequence[Kind],
    path: Path = None,
    *,
    title: str,
    labels: tuple[Any, Any] = (None, None),
    orders: tuple[Any, Any] = (None, None),
    numbers: tuple[Array, Array, Array] | None = None,
) -> Any:
    """Draw entries of a matrix by kind; each kind counts as much as all of another one.

    ``numbers`` are rows, columns and what to write there, if there are few.
    """
    plt = pyplot()
    n_rows, n_cols = (max(size, 1) for size in shape)
    tall = min(max(n_rows / n_cols, 0.4), 2.5)
    high, wide = min(tall, 1.3), min(1.3 / tall, 1.0)
    figure, axis = plt.subplots(figsize=(max(5.4 * wide, 4) + 1, 5.4 * high + 1.2),
                                layout="constrained")  # fmt: skip
    figure.suptitle(title, fontsize=10, fontweight="bold")
    pixels = min(n_rows, round(_PIXELS * high)), min(n_cols, round(_PIXELS * wide))
    counts = np.stack([_count(kind, shape, pixels, orders) for kind in kinds])
    weigh = 1 / np.maximum([kind.rows.size for kind in kinds], 1)
    axis.imshow(
        colours_of(counts, [kind.colour for kind in kinds], weigh),
        extent=(0, n_cols, n_rows, 0), aspect="auto", interpolation="nearest",
    )  # fmt: skip
    axis.set_box_aspect(tall)
    axis.xaxis.tick_top()
    if max(shape) <= _MOST_NAMES:  # lines between entries
        axis.vlines(range(1, n_cols), 0, n_rows, color="white", linewidth=2)
        axis.hlines(range(1, n_rows), 0, n_cols, color="white", linewidth=2)
    write_names(plt, axis.xaxis, labels[1], shape[1], orders[1], rotation=90)
    write_names(plt, axis.yaxis, labels[0], shape[0], orders[0])
    if numbers is not None and max(shape) <= _MOST_NUMBERS:
        dark = set(zip(kinds[-1].rows.tolist(), kinds[-1].cols.tolist(), strict=True))
        look = {"ha": "center", "va": "center", "fontsize": 10}
        for i, j, number in zip(*(array.tolist() for array in numbers), strict=True):
            colour = "white" if (i, j) in dark else "black"
            axis.text(j + 0.5, i + 0.5, f"{number:.4g}", color=colour, **look)
    marks = [plt.Rectangle((0, 0), 1, 1, color=kind.colour, label=kind.name) for kind in kinds]
    figure.legend(
        handles=marks, loc="outside lower center", ncols=len(kinds), frameon=False, fontsize=9
    )
    return finish(figure, path)


def draw_graph(
    n: int,
    kinds: Sequence[Kind],
    path: Path = None,
    *,
    title: str,
    labels: Any = None,
    order: Any = None,
    vertices: Sequence[str] | None = None,
) -> Any:
    """Draw the edges of any graph by kind: few vertices on a circle, in colours; else a matrix."""
    if n > _MOST_NAMES:
        both = [
            Kind(name, colour, np.append(rows, cols), np.append(cols, rows))
            for name, colour, rows, cols in kinds
        ]
        return draw_matrix((n, n), both, path, title=title, labels=(labels, labels),
                           orders=(order, order))  # fmt: skip
    plt = pyplot()
    figure, axis = plt.subplots(figsize=(5.6, 5.9), layout="constrained")
    figure.suptitle(title, fontsize=10, fontweight="bold")
    angle = np.empty(n)
    angle[np.arange(n) if order is None else order] = np.pi * (0.5 - 2 * np.arange(n) / max(n, 1))
    x, y = np.cos(angle), np.sin(angle)
    for number, kind in enumerate(kinds):
        thick = 1.2 if number == 0 else 3.0
        ends = np.column_stack([kind.rows, kind.cols]).astype(np.intp).T
        axis.plot(x[ends], y[ends], color=kind.colour, linewidth=thick, zorder=1 + number)
        axis.plot([], [], color=kind.colour, linewidth=thick, label=kind.name)
    colours = [BLUE] * n if vertices is None else list(vertices)
    edges = [BLUE if colour == "white" else colour for colour in colours]
    axis.scatter(x, y, s=60, color=colours, edgecolors=edges, linewidths=1.5, zorder=9)
    for v, name in enumerate(_names(labels, range(n))):
        side = "left" if x[v] > 0.1 else "right" if x[v] < -0.1 else "center"
        axis.text(1.09 * x[v], 1.09 * y[v], name, ha=side, va="center", fontsize=9)
    axis.set(xlim=(-1.5, 1.5), ylim=(-1.25, 1.25), aspect="equal")
    axis.axis("off")
    _legend(figure, len(kinds))
    return finish(figure, path)


def draw_bars(series: dict[str, list[int]], path: Path = None, *, title: str, below: str) -> Any:
    """Draw counts side by side, by the logarithm."""
    plt = pyplot()
    figure, axis = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    figure.suptitle(title, fontsize=10, fontweight="bold")
    wide = 0.8 / len(series)
    for k, (name, counts) in enumerate(series.items()):
        places = np.arange(len(counts)) + (k - (len(series) - 1) / 2) * wide
        axis.bar(places, counts, wide, color=COLOURS[k], label=name)
    axis.set_yscale("symlog", linthresh=1)
    axis.set_ylim(bottom=0)
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.set_xlabel(below)
    axis.spines[["top", "right"]].set_visible(False)
    _legend(figure, len(series))
    return finish(figure, path)


def _legend(figure: Any, columns: int, **look: Any) -> None:
    figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=9, **look)


def _names(labels: Any, places: Any) -> list[str]:
    return [str(k if labels is None else labels[k])[:_LONGEST_NAME] for k in places]


def _count(kind: Kind, shape: tuple[int, int], pixels: tuple[int, int], orders: Any) -> Array:
    """Return how many entries are in each pixel."""
    height, width = pixels
    places = []
    for size, cells, order in zip(shape, pixels, orders, strict=True):
        place = np.arange(size)
        if order is not None:
            place[order] = np.arange(size)
        places.append(place * cells // max(size, 1))
    flat = np.zeros(height * width)
    for first in range(0, kind.rows.size, _CHUNK):
        rows, cols = (side[first : first + _CHUNK] for side in (kind.rows, kind.cols))
        flat += np.bincount(places[0][rows] * width + places[1][cols], minlength=flat.size)
    return flat.reshape(height, width)
