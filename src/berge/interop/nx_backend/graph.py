"""A networkx graph as arrays: what networkx's dispatch hands to the functions of this backend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from ...graphs.graph import BipartiteGraph, IndexArray
from ...graphs.owned import OwnClasses, Owner, fixed, sealed

__all__ = ["BergeGraph"]


class BergeGraph(Owner, OwnClasses):
    """The nodes and neighbours of an undirected networkx graph, in the graph's own order.

    Node i is called ``labels[i]``; its neighbours are ``indices[indptr[i]:indptr[i + 1]]``. Every
    edge is there from both ends, a self-loop once. Parallel edges become one. Attributes are left
    behind but for those of edges that are asked for: ``weights[name]`` has one for each neighbour.
    What was checked stays as it is, as in `berge.graphs.owned`.

    Examples
    --------
    >>> import networkx as nx
    >>> G = nx.Graph([("a", "x"), ("b", "x"), ("b", "y")])
    >>> B = BergeGraph.from_networkx(G)
    >>> B
    BergeGraph(4 nodes, 3 edges)
    >>> nx.bipartite.maximum_matching(B, top_nodes=["a", "b"])
    {'a': 'x', 'b': 'y', 'x': 'a', 'y': 'b'}

    Notes
    -----
    Memory: 4 bytes for each end of an edge and 16 for a node; the labels are the caller's objects.
    """

    __slots__ = ("_multigraph",)

    __networkx_backend__ = "berge"
    indptr = fixed[IndexArray]()
    indices = fixed[IndexArray]()
    labels = fixed[Sequence[Any]]()
    weights = fixed[Mapping[str, Any]]()

    def __init__(
        self,
        indptr: npt.NDArray[np.int64],
        indices: IndexArray,
        labels: Sequence[Any],
        *,
        multigraph: bool = False,
        weights: Mapping[str, list[Any]] | None = None,
    ):
        self.labels = tuple(labels)
        checked = BipartiteGraph(indptr, indices, (len(self.labels),) * 2)
        self.indptr, self.indices = checked.indptr, checked.indices
        self.weights = MappingProxyType(dict(weights or {}))
        self._multigraph = multigraph

    def __reduce__(self) -> Any:
        make = partial(BergeGraph, multigraph=self._multigraph, weights=dict(self.weights))
        return make, (self.indptr, self.indices, self.labels)

    @classmethod
    def from_networkx(cls, graph: Any, edge_attrs: Mapping[str, Any] | None = None) -> BergeGraph:
        """Convert in one pass over the graph's dictionaries; O(nodes + edges).

        `edge_attrs` has names of attributes to keep, each with the value where there is none.
        """
        if graph.is_directed():
            raise NotImplementedError("berge matches undirected graphs only")
        adjacency: Mapping[Any, Mapping[Any, Any]] = graph._adj  # what `adj` wraps; 4 × as fast
        labels = list(adjacency)
        indptr = np.zeros(len(labels) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, adjacency.values()), np.int64, len(labels)), out=indptr[1:])
        indices = _positions(labels, adjacency, int(indptr[-1]))
        weights = {
            name: [data.get(name, missing) for row in adjacency.values() for data in row.values()]
            for name, missing in (edge_attrs or {}).items()
        }
        arrays = sealed(indptr), sealed(indices)
        return cls(*arrays, labels, multigraph=graph.is_multigraph(), weights=weights)

    def to_networkx(self) -> Any:
        """Return a networkx graph with the same nodes and neighbours in the same order."""
        graph = nx.MultiGraph() if self._multigraph else nx.Graph()
        graph.add_nodes_from(self.labels)
        # Edges in networkx's order would not give back the order of the neighbours, so both ends
        # are put down here, sharing their attributes as networkx wants it.
        bounds, indices = self.indptr.tolist(), self.indices.tolist()
        for i, u in enumerate(self.labels):
            for j in indices[bounds[i] : bounds[i + 1]]:
                v = self.labels[j]
                new: dict[Any, Any] = {0: {}} if self._multigraph else {}
                graph._adj[u][v] = graph._adj[v][u] if j < i else new
        return graph

    @fixed
    def index(self) -> Mapping[Any, int]:
        """The place of every label."""
        return MappingProxyType(dict(zip(self.labels, range(len(self.labels)), strict=True)))

    def is_directed(self) -> bool:
        """Return False."""
        return False

    def is_multigraph(self) -> bool:
        """Whether this was made of a graph that allows parallel edges."""
        return self._multigraph

    def number_of_nodes(self) -> int:
        """Return the number of nodes."""
        return len(self.labels)

    def number_of_edges(self) -> int:
        """Return the number of edges, parallel ones counted once."""
        ends = np.repeat(np.arange(len(self)), np.diff(self.indptr))
        loops = int(np.count_nonzero(ends == self.indices))
        return (self.indices.size + loops) // 2

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.labels)

    def __contains__(self, node: Any) -> bool:
        try:
            return node in self.index
        except TypeError:  # not hashable
            return False

    def __repr__(self) -> str:
        return f"BergeGraph({len(self):,} nodes, {self.number_of_edges():,} edges)"


def _positions(
    labels: list[Any], adjacency: Mapping[Any, Mapping[Any, Any]], size: int
) -> IndexArray:
    """Return all neighbours of all nodes by their place in `labels`.

    Small whole numbers, which most graphs have for labels, go through a table instead of a
    dictionary: three times as fast.
    """
    dtype = np.int32 if len(labels) <= np.iinfo(np.int32).max else np.int64
    if _are_small_integers(labels):
        table = np.empty(max(labels) + 1, dtype)
        table[np.fromiter(labels, np.intp, len(labels))] = np.arange(len(labels))
        try:
            neighbours = np.fromiter(_chained(adjacency), np.intp, size)
        except TypeError:
            pass  # a label such as 1 + 0j: equal to a node, but no integer
        else:
            return table[neighbours]
    index = dict(zip(labels, range(len(labels)), strict=True))
    return np.fromiter(map(index.__getitem__, _chained(adjacency)), dtype, size)


def _chained(adjacency: Mapping[Any, Mapping[Any, Any]]) -> Iterator[Any]:
    return chain.from_iterable(adjacency.values())


def _are_small_integers(labels: list[Any]) -> bool:
    if not labels or not all(
        issubclass(kind, (int, np.integer)) for kind in set(map(type, labels))
    ):
        return False
    return bool(min(labels) >= 0 and max(labels) < 4 * len(labels))
