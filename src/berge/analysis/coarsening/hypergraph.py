"""Hypergraphs: vertices joined by nets of any size, coarsened by heavy connectivity.

A hypergraph is an incidence matrix: a row for each net, a column for each vertex. Two vertices are
rated by the nets that they share, Σ w / (size − 1): small nets and heavy ones count most. Nets of
more than `largest_net` vertices do not count: they would make the ratings quadratic, and say
little. Matching by these ratings and pairing what is left over are as for graphs, but what is left
over may share a net in place of a neighbour.

When vertices are merged, nets lose pins. A net with a single pin left is dropped, since no cut can
touch it; nets with the same pins become one, and their weights add up.

Work O(pins · largest_net) a level, in scipy and numpy; the matching runs on all threads. Memory:
12 bytes for every two vertices that share a net which counts.

Reference: Ü. V. Çatalyürek, C. Aykanat, "Hypergraph-partitioning-based decomposition for parallel
sparse-matrix vector multiplication", IEEE Trans. Parallel Distrib. Syst. 10, 1999 (heavy
connectivity matching); B. Vastenhouw, R. H. Bisseling, SIAM Rev. 47, 2005.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import OptionError
from ...graphs.graph import BipartiteGraph, Graph, IndexArray, _check_weights
from ...hints import with_hints
from ...settings import GreedyName
from .coarsen import Aims, clusters, descend
from .hierarchy import Hierarchy, Level
from .nets import Hypergraph

__all__ = ["coarsen_hypergraph"]


@with_hints
def coarsen_hypergraph(
    incidence: Any,
    *,
    levels: int | None = None,
    until: int | None = None,
    method: GreedyName = "auto",
    balance: float | None = 3.0,
    net_weights: npt.ArrayLike | None = None,
    vertex_weights: npt.ArrayLike | None = None,
    largest_net: int = 64,
    seed: int = 0,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    on_level: Callable[[Level], object] | None = None,
) -> Hierarchy:
    """Make a hypergraph smaller step by step, by merging vertices that share nets.

    Parameters
    ----------
    incidence
        A `Hypergraph`, a `BipartiteGraph`, or anything that `as_bipartite` takes: a row for each
        net, a column for each vertex. For a sparse matrix, rows are nets of the columns that they
        hold together; pass the transpose for the other way round.
    net_weights, vertex_weights
        Weights ≥ 0; those of a `Hypergraph`, or ones, if not given.
    largest_net
        Nets of more vertices do not count when vertices are rated.
    levels, until, method, balance, seed, threads, time_limit, progress, on_level
        As in `coarsen`.

    Returns
    -------
    Hierarchy
        Its graphs are hypergraphs: ``incidence``, ``weights`` of the nets, ``vertex_weights``. The
        weight kept is that of the nets which still have two vertices.

    Examples
    --------
    >>> import berge
    >>> nets = berge.generate.power_law(3000, 2000)
    >>> h = berge.coarsen_hypergraph(nets, until=300)
    >>> h.check()
    >>> h.coarsest.n_vertices <= 300
    True
    """
    from ...ingest import as_bipartite
    from .contract import exact_weights

    aims = Aims(
        levels, until, method, balance, seed, threads, time_limit, progress, on_level
    ).checked()
    if not isinstance(largest_net, (int, np.integer)) or largest_net < 2:
        raise OptionError(f"largest_net must be a whole number from 2 on, not {largest_net!r}")
    if isinstance(incidence, Hypergraph):
        net_weights = incidence.weights if net_weights is None else net_weights
        if vertex_weights is None:
            vertex_weights = incidence.vertex_weights
        incidence = incidence.incidence
    nets = as_bipartite(incidence).without_duplicates()
    weights = _check_weights("net_weights", net_weights, nets.n_rows)
    finest = Hypergraph(
        nets,
        np.ones(nets.n_rows) if weights is None else exact_weights(weights),
        _check_weights("vertex_weights", vertex_weights, nets.n_cols),
    )

    def cluster(graph: Hypergraph, limit: float, level: int) -> tuple[IndexArray, int]:
        nets_of, sizes = graph.incidence.T, graph.incidence.row_degrees
        shared = similarity(graph, int(largest_net))
        return clusters(shared, nets_of.indptr, nets_of.indices, sizes, limit, level, aims)

    return descend(finest, finest, cluster, contract_nets, aims)


def similarity(hypergraph: Hypergraph, largest_net: int) -> Graph:
    """Return the graph of vertices that share a net, weighted by their connectivity."""
    from scipy.sparse import csr_array, diags_array

    nets = hypergraph.incidence
    sizes = nets.row_degrees
    counted = np.flatnonzero((sizes >= 2) & (sizes <= largest_net))
    pins = nets.indices[_spans(nets.indptr[counted], sizes[counted])]
    indptr = np.concatenate([[0], np.cumsum(sizes[counted])])
    rows = csr_array((np.ones(pins.size), pins, indptr), shape=(counted.size, nets.n_cols))
    share = hypergraph.weights[counted] / (sizes[counted] - 1)
    # Nets of a vertex are sorted, so both directions of an edge add up in the same order.
    shared = rows.T.tocsr() @ (diags_array(share, shape=(share.size,) * 2) @ rows)
    shared = shared - diags_array(shared.diagonal())
    shared.eliminate_zeros()
    shared.sort_indices()
    index, place = nets.indices.dtype, np.promote_types(nets.indptr.dtype, shared.indptr.dtype)
    return Graph._trusted(
        shared.indptr.astype(place),
        shared.indices.astype(index, copy=False),
        shared.data,
        hypergraph.vertex_weights,
    )


def contract_nets(
    hypergraph: Hypergraph, coarse: IndexArray, n_coarse: int, threads: int
) -> Hypergraph:
    """Return the hypergraph of the clusters: nets of one pin dropped, equal nets merged."""
    nets, weights = hypergraph.incidence, hypergraph.weights
    pins = coarse[nets.indices]
    merged = BipartiteGraph._trusted(nets.indptr, pins, (nets.n_rows, n_coarse))
    merged = merged.without_duplicates()
    kept, group = _distinct(merged)
    sizes = merged.row_degrees[kept]
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(nets.indptr.dtype)
    pins = merged.indices[_spans(merged.indptr[kept], sizes)]
    return Hypergraph(
        BipartiteGraph._trusted(indptr, pins, (kept.size, n_coarse)),
        np.bincount(group[group >= 0], weights[group >= 0], kept.size).astype(np.float64),
    )


def _distinct(nets: BipartiteGraph) -> tuple[IndexArray, IndexArray]:
    """Return the first of all equal nets of two pins or more, and for each net its number there.

    Nets of fewer pins have the number −1. Equal fingerprints are compared pin by pin.
    """
    sizes = nets.row_degrees
    live = np.flatnonzero(sizes >= 2)
    group = np.full(nets.n_rows, -1, np.intp)
    if not live.size:
        return live, group
    hashes = np.random.default_rng(0).integers(0, 2**64, nets.n_cols, np.uint64)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(hashes[nets.indices])])
    prints = (sums[nets.indptr[1:]] - sums[nets.indptr[:-1]])[live]
    rank = np.lexsort((prints, sizes[live]))
    order, prints = live[rank], prints[rank]
    # A net may equal the one before it in this order, if size and fingerprint do.
    same = np.zeros(order.size, np.bool_)
    same[1:] = (np.diff(sizes[order]) == 0) & (np.diff(prints) == 0)
    at = np.flatnonzero(same)
    lengths = sizes[order[at]]
    equal = (
        nets.indices[_spans(nets.indptr[order[at]], lengths)]
        == nets.indices[_spans(nets.indptr[order[at - 1]], lengths)]
    )
    if at.size:
        same[at] = np.logical_and.reduceat(equal, np.cumsum(lengths) - lengths)
    first = order[~same]  # the lowest of its group: the sort is stable
    ranks = np.empty(first.size, np.intp)
    ranks[np.argsort(first)] = np.arange(first.size)
    group[order] = ranks[np.cumsum(~same) - 1]
    return np.sort(first), group


def _spans(begins: IndexArray, lengths: IndexArray) -> IndexArray:
    """Return the places of all entries of rows, one row after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if ends.size else 0
    return np.repeat(begins - (ends - lengths), lengths) + np.arange(total)
