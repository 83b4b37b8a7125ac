"""Families of graphs that suites have besides those of `berge.generate`: each upset a default.

They are here, and not there, since nobody wants them but who weighs one setting against another.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from berge.generate import KINDS, Kind
from berge.generate.build import check_size, graph_of, real, whole
from berge.graphs.graph import BipartiteGraph

__all__ = ["ALL_KINDS", "brick", "documents", "few_columns", "preferential", "regular"]

_Indices = npt.NDArray[np.int64]


def brick(width: int, height: int, defects: int, *, seed: int = 0) -> BipartiteGraph:
    """Brick wall on a torus, every vertex of degree 3, from which few vertices were taken.

    A cheap start leaves a handful of rows unmatched, each far from the next free column.

    Parameters
    ----------
    width, height
        Bricks in a course, and courses.
    defects
        So many rows and as many columns, anywhere, lose their edges.
    seed
        Chooses these.
    """
    width, height, n = whole("width", width, 2), whole("height", height, 2), width * height
    check_size(n, 3 * n, width=width, height=height)
    rng, place = np.random.default_rng(seed), np.arange(n)
    course, brick = np.divmod(place, width)
    beside, below = course * width + (brick + 1) % width, (course + 1) % height * width + brick
    rows, cols = np.tile(place, 3), np.concatenate([place, beside, below])
    lost = [rng.choice(n, whole("defects", defects, 0, n), replace=False) for _ in range(2)]
    kept = ~np.isin(rows, lost[0]) & ~np.isin(cols, lost[1])
    return graph_of(rows[kept], cols[kept], (n, n))


def preferential(n: int, degree: int = 4, *, seed: int = 0) -> BipartiteGraph:
    """Preferential attachment: every vertex points at earlier ones, more often at known ones.

    Row v has the vertices that v points at, up to `degree` of them.

    Parameters
    ----------
    n, degree
        Vertices, and how many earlier ones each points at.
    seed
        Chooses them.

    References
    ----------
    V. Batagelj, U. Brandes: Efficient generation of large random networks. Phys. Rev. E 71 (2005).
    """
    n, degree = whole("n", n), whole("degree", degree, 1)
    check_size(n, n * degree, n=n, degree=degree)
    # End 2e of edge e is its own vertex, end 2e + 1 a copy of some end before it.
    edges = np.arange(n * degree)
    copied: _Indices = np.random.default_rng(seed).integers(0, 2 * edges + 1)
    while (odd := copied % 2 == 1).any():
        copied[odd] = copied[copied[odd] // 2]
    rows, cols = edges // degree, copied // 2 // degree
    return graph_of(rows[rows != cols], cols[rows != cols], (n, n), repeats=True)


def regular(n: int, degree: int = 3, *, seed: int = 0) -> BipartiteGraph:
    """Random graph in which all degrees are the same, but for edges drawn twice.

    Parameters
    ----------
    n, degree
        Rows, and as many columns, of so many edges each.
    seed
        Chooses them.
    """
    n, degree = whole("n", n), whole("degree", degree)
    check_size(n, n * degree, n=n, degree=degree)
    rng = np.random.default_rng(seed)
    cols = [rng.permutation(n) for _ in range(degree)] or [np.empty(0, int)]
    return graph_of(np.tile(np.arange(n), degree), np.concatenate(cols), (n, n), repeats=True)


def few_columns(n: int, used: int, degree: float = 4.0, *, seed: int = 0) -> BipartiteGraph:
    """Square, but most columns are empty; popular ones are in most rows.

    Parameters
    ----------
    n, used
        Rows and columns, and how many columns, anywhere, have edges.
    degree
        Edges of a row on average, before repeated ones are dropped.
    seed
        Chooses columns and edges.
    """
    n, used = whole("n", n, 1), whole("used", used, 1, n)
    rng = np.random.default_rng(seed)
    columns = rng.permutation(n)[:used]
    return _drawn(n, columns, rng.geometric(1 / real("degree", degree, 1), n), n, 6.0, rng)


def documents(n: int, terms: int, length: float = 12.0, *, seed: int = 0) -> BipartiteGraph:
    """Documents and the terms in them: terms by Zipf's law, lengths that scatter.

    Parameters
    ----------
    n, terms
        Rows and columns.
    length
        Terms of a document, at the median, before repeated ones are dropped.
    seed
        Chooses terms.
    """
    n, terms = whole("n", n, 1), whole("terms", terms, 1)
    rng = np.random.default_rng(seed)
    lengths = 1 + rng.lognormal(np.log(real("length", length, 1)), 0.8, n).astype(int)
    return _drawn(n, np.arange(terms), lengths, terms, 8.0, rng)


def _drawn(
    n: int,
    columns: _Indices,
    degrees: _Indices,
    n_cols: int,
    skew: float,
    rng: np.random.Generator,
) -> BipartiteGraph:
    """Draw the edges of n rows from some columns, the first ones more often."""
    check_size(max(n, n_cols), int(degrees.sum()), n=n)
    drawn = columns[(columns.size * rng.random(degrees.sum()) ** skew).astype(int)]
    return graph_of(np.repeat(np.arange(n), degrees), drawn, (n, n_cols), repeats=True)


_OWN = (brick, documents, few_columns, preferential, regular)
ALL_KINDS = KINDS | {
    name: Kind(name, make) for make in _OWN for name in [make.__name__.replace("_", "-")]
}
