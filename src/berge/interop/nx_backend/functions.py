"""networkx's functions on a `BergeGraph`: same arguments, results and errors.

Every function is an adapter: labels to indices, one call of the core or of a kernel, and back.
"""
# ruff: noqa: N803 (arguments have networkx's names)

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import compress
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import numpy.typing as npt
from networkx.algorithms.matching import matching_dict_to_set

from ...errors import ProofError
from ...graphs.graph import BipartiteGraph, Graph, IndexArray, index_type
from ...results.matching import Matching
from ...results.proof import koenig_cover, verify
from ...solve.assign import assign
from ...solve.maximum import maximum_matching
from ...solve.weighted import maximum_weight_matching
from .graph import BergeGraph

__all__ = [
    "bipartite_min_edge_cover",
    "eppstein_matching",
    "hopcroft_karp_matching",
    "is_matching",
    "is_maximal_matching",
    "is_perfect_matching",
    "max_weight_matching",
    "maximal_matching",
    "min_edge_cover",
    "min_weight_matching",
    "minimum_weight_full_matching",
    "to_vertex_cover",
]

# Kernels are imported where they are called: networkx loads this module before it knows whether the
# graph is worth it, and numba takes its time.

Edge = tuple[Any, Any]
Mask = npt.NDArray[np.bool_]


class NotOneSideError(nx.NetworkXError, KeyError):  # type: ignore[misc]  # networkx is untyped
    """`top_nodes` holds both ends of an edge; networkx raises KeyError here."""


def hopcroft_karp_matching(G: BergeGraph, top_nodes: Iterable[Any] | None = None) -> dict[Any, Any]:
    """Return a maximum matching, both ways: ``matches[u] == v`` and ``matches[v] == u``."""
    _, _, u, v = _maximum(G, _top(G, top_nodes))
    return dict(zip(u + v, v + u, strict=True))


def eppstein_matching(G: BergeGraph, top_nodes: Iterable[Any] | None = None) -> dict[Any, Any]:
    """Return a maximum matching; top nodes that are not in G are ignored, as networkx does here."""
    if top_nodes is not None:
        top_nodes = set(top_nodes).intersection(G.labels)
    return hopcroft_karp_matching(G, top_nodes)


def to_vertex_cover(
    G: BergeGraph, matching: Mapping[Any, Any], top_nodes: Iterable[Any] | None = None
) -> set[Any]:
    """Return the smallest vertex cover that Kőnig's theorem finds from a maximum matching."""
    top = _top(G, top_nodes)
    graph, _, _, place = _sides(G, top)
    if 2 * graph.nnz != G.indices.size:
        raise NotOneSideError("two nodes outside top_nodes are neighbours")
    row_match = np.full(graph.n_rows, -1, graph.indices.dtype)
    col_match = np.full(graph.n_cols, -1, graph.indices.dtype)
    try:
        ends = np.fromiter(map(G.index.__getitem__, matching), np.intp, len(matching))
        others = np.fromiter(map(G.index.__getitem__, matching.values()), np.intp, len(matching))
        if np.any(top[ends] == top[others]):
            raise ProofError("two nodes of the same side are matched")
        # Either or both directions may be given.
        rows = place[np.where(top[ends], ends, others)]
        cols = place[np.where(top[ends], others, ends)]
        row_match[rows], col_match[cols] = cols, rows
        found = Matching(row_match, col_match, upper_bound=graph.n_rows)
        cover = koenig_cover(graph, found)
        verify(graph, found, cover)
    except (KeyError, ProofError) as error:
        raise nx.NetworkXError("matching is not a maximum matching of the graph") from error
    covered = np.empty(len(G), np.bool_)
    covered[top], covered[~top] = cover.rows, cover.cols
    return set(_names(G, np.flatnonzero(covered)))


def maximal_matching(G: BergeGraph) -> set[Edge]:
    """Return the edges that a greedy pass over all edges takes."""
    from .kernels import greedy

    mate = np.full(len(G), -1, G.indices.dtype)
    greedy(G.indptr, G.indices, mate)
    ends = np.flatnonzero(mate > np.arange(len(G)))
    return set(zip(_names(G, ends), _names(G, mate[ends]), strict=True))


def is_matching(G: BergeGraph, matching: Any) -> bool:
    """Whether the edges, a set or a dictionary, are edges of the graph and share no node."""
    return _mates(G, matching) is not None


def is_maximal_matching(G: BergeGraph, matching: Any) -> bool:
    """Whether it is a matching to which no edge can be added."""
    mate = _mates(G, matching)
    if mate is None:
        return False
    from .kernels import has_free_edge

    return not has_free_edge(G.indptr, G.indices, mate)


def is_perfect_matching(G: BergeGraph, matching: Any) -> bool:
    """Whether it is a matching of all nodes."""
    mate = _mates(G, matching)
    return mate is not None and bool((mate >= 0).all())


def min_edge_cover(G: BergeGraph, matching_algorithm: None = None) -> set[Edge]:
    """Return a smallest set of edges that touches every node."""
    if len(G) == 0:
        return set()
    _check_edge_cover(G)
    top, _, bipartite = _two_colour(G)
    return _edge_cover(G, top) if bipartite else _general_edge_cover(G)


def bipartite_min_edge_cover(G: BergeGraph, matching_algorithm: None = None) -> set[Edge]:
    """Return the same with every edge in both directions."""
    if len(G) == 0:
        return set()
    _check_edge_cover(G)
    cover = _edge_cover(G, _top(G, None))
    return cover | {(v, u) for u, v in cover}


def max_weight_matching(
    G: BergeGraph, maxcardinality: bool = False, weight: str | None = "weight"
) -> set[Edge]:
    """Return the edges of a heaviest matching, or of a heaviest maximum one."""
    return _by_weight(G, weight, maxcardinality=bool(maxcardinality))


def min_weight_matching(G: BergeGraph, weight: str | None = "weight") -> set[Edge]:
    """Return the edges of the lightest of the maximum matchings."""
    return _by_weight(G, weight, maxcardinality=True, minimise=True)


def _by_weight(
    G: BergeGraph, weight: str | None, *, maxcardinality: bool, minimise: bool = False
) -> set[Edge]:
    if weight is not None and weight not in G.weights:
        raise nx.NetworkXError(
            f"this graph was converted without {weight!r}: "
            f"BergeGraph.from_networkx(G, edge_attrs={{{weight!r}: 1}})"
        )
    values = [1] * G.indices.size if weight is None else G.weights[weight]
    if not all(isinstance(value, (int, float, np.integer, np.floating)) for value in values):
        raise NotImplementedError("berge takes weights of int and float only")
    ends = np.repeat(np.arange(len(G)), np.diff(G.indptr))
    kept = ends < G.indices
    edges = ends[kept], G.indices[kept], (len(G), len(G))
    found = maximum_weight_matching(
        edges, list(compress(values, kept)), maxcardinality=maxcardinality, minimise=minimise
    )
    if found.stats is not None and found.stats.stopped:
        raise KeyboardInterrupt  # as in _maximum
    u, v = found.pairs().T
    return set(zip(_names(G, u), _names(G, v), strict=True))


def minimum_weight_full_matching(
    G: BergeGraph, top_nodes: Iterable[Any] | None = None, weight: str = "weight"
) -> dict[Any, Any]:
    """Return a matching of all of the smaller side whose weights have the least sum, both ways."""
    top = _top(G, top_nodes)
    sides = _sides(G, top)
    if not min(sides.graph.shape):
        raise nx.NetworkXError("a side of the graph has no nodes")
    weights = np.array(G.weights.get(weight, np.ones(G.indices.size)))
    plan = assign(sides.graph, weights[np.repeat(top, np.diff(G.indptr))])
    if plan.stopped:
        raise KeyboardInterrupt  # networkx has no way to hand over half a matching
    u, v = _names(G, sides.rows[plan.rows]), _names(G, sides.cols[plan.cols])
    return dict(zip(u + v, v + u, strict=True))


def _top(G: BergeGraph, top_nodes: Iterable[Any] | None) -> Mask:
    """Return which nodes are on the first side; raise what ``networkx.bipartite.sets`` raises."""
    if top_nodes is not None:
        nodes = set(top_nodes)
        top = np.fromiter(map(nodes.__contains__, G.labels), np.bool_, len(G))
        if np.count_nonzero(top) < len(nodes):
            raise KeyError(next(iter(nodes.difference(G.labels))))
        return top
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    top, components, bipartite = _two_colour(G)
    if components > 1:
        raise nx.AmbiguousSolution("Disconnected graph: Ambiguous solution for bipartite sets.")
    if not bipartite:
        raise nx.NetworkXError("Graph is not bipartite.")
    return top


def _two_colour(G: BergeGraph) -> tuple[Mask, int, bool]:
    from ...graphs.symmetry import two_colour

    colour = np.full(len(G), -1, np.int8)
    queue = np.empty(len(G), G.indices.dtype)
    components, bipartite = two_colour(G.indptr, G.indices, colour, queue, False)
    return colour == 1, components, bipartite


class Sides(NamedTuple):
    """The edges between both sides, and which nodes are rows and columns there."""

    graph: BipartiteGraph
    rows: IndexArray
    cols: IndexArray
    place: IndexArray  # of every node among those of its own side


def _sides(G: BergeGraph, top: Mask) -> Sides:
    """Take the edges of the top nodes; rows and columns are in node order."""
    rows, cols = top.nonzero()[0], (~top).nonzero()[0]
    place = np.empty(len(G), G.indices.dtype)
    place[rows], place[cols] = np.arange(rows.size), np.arange(cols.size)
    degrees = G.indptr[1:] - G.indptr[:-1]
    neighbours = G.indices[top.repeat(degrees)]
    indptr = np.zeros(rows.size + 1, index_type(neighbours.size))
    degrees[top].cumsum(out=indptr[1:])
    inside = top[neighbours].nonzero()[0]
    if inside.size:
        u = rows[np.searchsorted(indptr, inside[0], side="right") - 1]
        edge = (G.labels[u], G.labels[neighbours[inside[0]]])
        raise NotOneSideError(f"top_nodes has both ends of the edge {edge!r}")
    shape = rows.size, cols.size
    return Sides(BipartiteGraph._trusted(indptr, place[neighbours], shape), rows, cols, place)


def _maximum(G: BergeGraph, top: Mask) -> tuple[Sides, Matching, list[Any], list[Any]]:
    """Solve; return also the names of the matched nodes at the top, and of their mates."""
    sides = _sides(G, top)
    found = maximum_matching(sides.graph)
    if found.stats is not None and found.stats.stopped:
        raise KeyboardInterrupt  # networkx has no way to hand over a matching that is not maximum
    matched = (found.row_match >= 0).nonzero()[0]
    mates = sides.cols[found.row_match[matched]]
    return sides, found, _names(G, sides.rows[matched]), _names(G, mates)


def _names(G: BergeGraph, nodes: IndexArray) -> list[Any]:
    return list(map(G.labels.__getitem__, nodes.tolist()))


def _mates(G: BergeGraph, matching: Any) -> IndexArray | None:
    """Return the mate of every node or −1; None if this is not a matching of the graph.

    networkx takes the edges one by one, so an edge that raises does so only if all before it are
    right.
    """
    from .kernels import match_edges

    ends, others, error = [], [], None
    for edge in matching_dict_to_set(matching) if isinstance(matching, dict) else matching:
        if len(edge) != 2:
            error = nx.NetworkXError(f"matching has non-2-tuple edge {edge}")
            break
        u, v = edge
        if u not in G or v not in G:
            error = nx.NetworkXError(f"matching contains edge {edge} with node not in G")
            break
        ends.append(G.index[u])
        others.append(G.index[v])
    mate = np.full(len(G), -1, G.indices.dtype)
    if not match_edges(
        G.indptr, G.indices, np.array(ends, np.intp), np.array(others, np.intp), mate
    ):
        return None
    if error is not None:
        raise error
    return mate


def _check_edge_cover(G: BergeGraph) -> None:
    if np.any(np.diff(G.indptr) == 0):
        raise nx.NetworkXException(
            "Graph has a node with no edge incident on it, so no edge cover exists."
        )


def _general_edge_cover(G: BergeGraph) -> set[Edge]:
    """Return a smallest edge cover of a graph with an odd cycle, as `_edge_cover` does.

    A node whose only edge is a self-loop is covered by that.
    """
    found = maximum_matching(Graph(G.indptr, G.indices))
    if found.stats is not None and found.stats.stopped:
        raise KeyboardInterrupt
    u, v = found.pairs().T
    edges = set(zip(_names(G, u), _names(G, v), strict=True))
    free = found.unmatched
    neighbours = G.indices[G.indptr[free]]
    edges.update(zip(_names(G, neighbours), _names(G, free), strict=True))
    return edges


def _edge_cover(G: BergeGraph, top: Mask) -> set[Edge]:
    """Return a maximum matching and, for every free node, its edge to its first neighbour.

    The neighbours of a free node are matched, so no smaller cover exists (Gallai).
    """
    sides, found, u, v = _maximum(G, top)
    edges = set(zip(u, v, strict=True))
    free = np.concatenate([sides.rows[found.unmatched_rows], sides.cols[found.unmatched_cols]])
    neighbours = G.indices[G.indptr[free]]
    edges.update(zip(_names(G, neighbours), _names(G, free), strict=True))
    return edges
