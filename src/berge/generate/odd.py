"""Graphs with odd cycles that are hard on searches with blossoms; for ``general=True``.

Each is returned as the symmetric biadjacency of its vertices, like all that stands for a graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graphs.graph import BipartiteGraph
from .build import check_size, graph_of, whole

__all__ = ["nested_blossoms", "odd_chain", "triangle_chain"]


def nested_blossoms(levels: int) -> BipartiteGraph:
    """Ladder with an apex: a blossom around a blossom, and so on, in one search from the apex.

    The apex is joined to both vertices of the first rung, and the last rung to one vertex more. If
    the rungs are matched, one augmenting path leads from the apex to that vertex, through all
    blossoms. As a graph it has a perfect matching.

    Parameters
    ----------
    levels
        Number of rungs; there are 2 · levels + 2 vertices.

    Examples
    --------
    >>> import berge
    >>> berge.maximum_matching(berge.generate.nested_blossoms(1000), general=True)
    GeneralMatching(1,001 pairs of 2,002 vertices, perfect)
    """
    levels = whole("levels", levels)
    check_size(2 * levels + 2, 6 * levels + 4, levels=levels)
    one, other = 2 * np.arange(levels), 2 * np.arange(levels) + 1
    apex, end = 2 * levels, 2 * levels + 1
    first: list[Any] = [
        one,
        one[:-1],
        other[:-1],
        [apex, apex][: 2 * levels],
        [one[-1] if levels else apex],
    ]
    second: list[Any] = [other, one[1:], other[1:], [0, 1][: 2 * levels], [end]]
    return _symmetric(first, second, 2 * levels + 2)


def triangle_chain(triangles: int) -> BipartiteGraph:
    """Triangles in a row, each joined to the next by an edge: every one may be a blossom.

    As a graph, it has a perfect matching if there are an even number of triangles.

    Parameters
    ----------
    triangles
        Number of triangles.

    Examples
    --------
    >>> import berge
    >>> berge.maximum_matching(berge.generate.triangle_chain(4), general=True)
    GeneralMatching(6 pairs of 12 vertices, perfect)
    """
    n = whole("triangles", triangles)
    check_size(3 * n, 8 * n, triangles=triangles)
    a = 3 * np.arange(n)
    return _symmetric([a, a + 1, a, a[:-1] + 2], [a + 1, a + 2, a + 2, a[1:]], 3 * n)


def odd_chain(links: int) -> BipartiteGraph:
    """Path with a triangle at its end, on which a greedy start leaves both ends unmatched.

    If every vertex takes its first free neighbour, the one augmenting path visits all vertices:
    searches that recurse end there. As a graph it has a perfect matching.

    Parameters
    ----------
    links
        Number of pairs on the path; there are 2 · links + 4 vertices.

    Examples
    --------
    >>> import berge
    >>> m = berge.maximum_matching(berge.generate.odd_chain(500), general=True, init="first-free")
    >>> m, m.stats.longest_path
    (GeneralMatching(502 pairs of 1,004 vertices, perfect), 1003)
    """
    k = whole("links", links)
    n = 2 * k + 4
    check_size(n, 2 * n + 2, links=links)
    # Along the path: n − 2, then 0, 1, 2, …, then n − 1.
    path = np.concatenate([[n - 2], np.arange(n - 2), [n - 1]])
    return _symmetric([path[:-1], [n - 4]], [path[1:], [n - 1]], n)


def _symmetric(first: list[Any], second: list[Any], n: int) -> BipartiteGraph:
    """Return the graph with these edges, each in both directions."""
    u, v = (
        np.concatenate([np.asarray(part, np.int64) for part in side]) for side in (first, second)
    )
    return graph_of(np.concatenate([u, v]), np.concatenate([v, u]), (n, n))
