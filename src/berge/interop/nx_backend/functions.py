"""networkx's functions on a `BergeGraph`: same arguments, results and errors.

Every function is an adapter: labels to indices, one call of the core or of a kernel, and back.
"""
# ruff: noqa: N803 (arguments have networkx's names)

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
from networkx.algorithms.matching import matching_dict_to_set

from ...errors import ProofError
from ...graphs.graph import BipartiteGraph, IndexArray
from ...results.matching import Matching
from ...results.proof import koenig_cover, verify
from ...solve.maximum import maximum_matching
from .graph import BergeGraph

__all__ = [
    "bipartite_min_edge_cover",
    "eppstein_matching",
    "hopcroft_karp_matching",
    "is_matching",
    "is_maximal_matching",
    "is_perfect_matching",
    "maximal_matching",
    "min_edge_cover",
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
    top = _top(G, top_nodes)
    return _both_ways(G, top, _maximum(G, top))


def eppstein_matching(G: BergeGraph, top_nodes: Iterable[Any] | None = None) -> dict[Any, Any]:
    """Return a maximum matching; unlike Hopcroft–Karp's, top nodes that are not in G are passed."""
    if top_nodes is not None:
        top_nodes = set(top_nodes).intersection(G.labels)
    return hopcroft_karp_matching(G, top_nodes)


def to_vertex_cover(
    G: BergeGraph, matching: Mapping[Any, Any], top_nodes: Iterable[Any] | None = None
) -> set[Any]:
    """Return the smallest vertex cover that Kőnig's theorem finds from a maximum matching."""
    top = _top(G, top_nodes)
    graph = _biadjacency(G, top)
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
        place = _places(top)
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
    """Return a smallest set of edges that touches every node of a bipartite graph."""
    if len(G) == 0:
        return set()
    _check_edge_cover(G)
    top, _, bipartite = _two_colour(G)
    if not bipartite:
        raise NotImplementedError("berge has maximum matchings of bipartite graphs only")
    return _edge_cover(G, top)


def bipartite_min_edge_cover(G: BergeGraph, matching_algorithm: None = None) -> set[Edge]:
    """Return the same with every edge in both directions."""
    if len(G) == 0:
        return set()
    _check_edge_cover(G)
    cover = _edge_cover(G, _top(G, None))
    return cover | {(v, u) for u, v in cover}


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
    from .kernels import two_colour

    colour = np.full(len(G), -1, np.int8)
    queue = np.empty(len(G), G.indices.dtype)
    components, bipartite = two_colour(G.indptr, G.indices, colour, queue)
    return colour == 1, components, bipartite


def _places(top: Mask) -> IndexArray:
    """Return the place of every node among those of its own side."""
    return np.where(top, np.cumsum(top), np.cumsum(~top)) - 1


def _biadjacency(G: BergeGraph, top: Mask) -> BipartiteGraph:
    """Return the edges of the top nodes; rows and columns are in node order."""
    degrees = np.diff(G.indptr)
    neighbours = G.indices[np.repeat(top, degrees)]
    indptr = np.zeros(np.count_nonzero(top) + 1, np.int64)
    np.cumsum(degrees[top], out=indptr[1:])
    inside = np.flatnonzero(top[neighbours])
    if inside.size:
        u = np.flatnonzero(top)[np.searchsorted(indptr, inside[0], side="right") - 1]
        edge = (G.labels[u], G.labels[neighbours[inside[0]]])
        raise NotOneSideError(f"top_nodes has both ends of the edge {edge!r}")
    n_rows = indptr.size - 1
    return BipartiteGraph(indptr, _places(top)[neighbours], (n_rows, len(G) - n_rows))


def _maximum(G: BergeGraph, top: Mask) -> IndexArray:
    """Solve; return the mate of every node or −1."""
    found = maximum_matching(_biadjacency(G, top))
    if found.stats is not None and found.stats.stopped:
        raise KeyboardInterrupt  # networkx has no way to hand over a matching that is not maximum
    # A place for −1 behind the last column and row.
    rows, cols = np.append(top.nonzero()[0], -1), np.append((~top).nonzero()[0], -1)
    mate = np.empty(len(G), np.int64)
    mate[rows[:-1]], mate[cols[:-1]] = cols[found.row_match], rows[found.col_match]
    return mate


def _both_ways(G: BergeGraph, top: Mask, mate: IndexArray) -> dict[Any, Any]:
    """Return top nodes with their mates, then the others with theirs."""
    ends = np.flatnonzero(top & (mate >= 0))
    u, v = _names(G, ends), _names(G, mate[ends])
    return dict(zip(u + v, v + u, strict=True))


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


def _edge_cover(G: BergeGraph, top: Mask) -> set[Edge]:
    """Return a maximum matching and, for every free node, its edge to its first neighbour.

    The neighbours of a free node are matched, so no smaller cover exists (Gallai).
    """
    mate = _maximum(G, top)
    ends = np.flatnonzero(top & (mate >= 0))
    free = np.flatnonzero(mate < 0)
    edges = set(zip(_names(G, ends), _names(G, mate[ends]), strict=True))
    neighbours = G.indices[G.indptr[free]]
    edges.update(zip(_names(G, neighbours), _names(G, free), strict=True))
    return edges
