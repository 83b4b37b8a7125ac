"""Other people's codes, each called in its own way on its own data structure.

A peer's time is that of its own call. To make its data structure from the CSR array is timed apart
(`convert_seconds` of a measurement), which favours the peers. scipy, BTF and CXSparse take the
arrays as they are. What a call makes for itself, such as CXSparse's transpose or the residual graph
of ortools, is in its time.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import csparse

__all__ = ["PEERS", "Peer"]

_Match = npt.NDArray[Any]
# The timed call, and what makes the match of each row (a column or −1) of what it returned.
Prepared = tuple[Callable[[], Any], Callable[[Any], _Match]]


@dataclass(frozen=True)
class Peer:
    """A code: what is called, how to get it, and how to call it on a scipy CSR array."""

    name: str
    call: str
    package: str
    prepare: Callable[[Any], Prepared]
    available: Callable[[], bool]

    @property
    def missing(self) -> str | None:
        """Why it cannot run here, or None."""
        return None if self.available() else f"not installed ({self.package})"


def _scipy(matrix: Any) -> Prepared:
    from scipy.sparse import csgraph

    matrix = matrix.copy()
    matrix.sum_duplicates()  # scipy's matching reads past its arrays if there are any
    return lambda: csgraph.maximum_bipartite_matching(matrix, "column"), np.asarray


def _edges(matrix: Any) -> npt.NDArray[np.int64]:
    """Edges of one graph in which columns come after rows."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return np.column_stack([rows, matrix.indices + np.int64(matrix.shape[0])])


def _igraph(matrix: Any) -> Prepared:
    import igraph

    n_rows, n_cols = matrix.shape
    graph = igraph.Graph(n=n_rows + n_cols, edges=_edges(matrix))
    graph.vs["type"] = [False] * n_rows + [True] * n_cols

    def match(found: Any) -> _Match:
        mates = np.array([-1 if mate is None else mate for mate in found.matching[:n_rows]])
        return np.where(mates >= 0, mates - n_rows, -1)

    return graph.maximum_bipartite_matching, match


def _networkx(matrix: Any) -> Prepared:
    import networkx as nx

    n_rows, n_cols = matrix.shape
    graph = nx.Graph()
    graph.add_nodes_from(range(n_rows + n_cols))
    graph.add_edges_from(_edges(matrix).tolist())
    hopcroft_karp = nx.bipartite.hopcroft_karp_matching

    def match(found: Any) -> _Match:
        return np.array([found.get(row, n_rows - 1) - n_rows for row in range(n_rows)])

    # The keyword: its own code, whatever backend the user has made the default.
    return lambda: hopcroft_karp(graph, range(n_rows), backend="networkx"), match


def _ortools(matrix: Any) -> Prepared:
    from ortools.graph.python import max_flow

    n_rows, n_cols = matrix.shape
    source, sink = n_rows + n_cols, n_rows + n_cols + 1
    edges = _edges(matrix)
    rows, cols = np.arange(n_rows), n_rows + np.arange(n_cols)
    tails = np.concatenate([edges[:, 0], np.full(n_rows, source), cols])
    heads = np.concatenate([edges[:, 1], rows, np.full(n_cols, sink)])
    flow = max_flow.SimpleMaxFlow()
    flow.add_arcs_with_capacity(tails, heads, np.ones(tails.size, np.int64))

    def solve() -> Any:
        status = flow.solve(source, sink)
        if status != flow.OPTIMAL:
            raise RuntimeError(f"max_flow returned {status}")
        return flow.flows(np.arange(len(edges)))

    def match(flows: Any) -> _Match:
        mates = np.full(n_rows, -1)
        used = edges[flows > 0]
        mates[used[:, 0]] = used[:, 1] - n_rows
        return mates

    return solve, match


def _cxsparse(matrix: Any) -> Prepared:
    return lambda: csparse.cs_maxtrans(matrix.indptr, matrix.indices, matrix.shape), np.asarray


def _btf(matrix: Any) -> Prepared:
    def match(row_of: _Match) -> _Match:
        mates = np.full(matrix.shape[0], -1)
        mates[row_of[row_of >= 0]] = np.flatnonzero(row_of >= 0)
        return mates

    return lambda: csparse.btf_maxtrans(matrix.indptr, matrix.indices, matrix.shape), match


def _btf_cols(matrix: Any) -> Prepared:
    def solve() -> _Match:
        by_columns = matrix.tocsc()
        return csparse.btf_maxtrans(by_columns.indptr, by_columns.indices, matrix.shape[::-1])

    return solve, np.asarray


def _module(name: str, call: str, prepare: Callable[[Any], Prepared]) -> Peer:
    return Peer(
        name,
        call,
        f"pip install {name}",
        prepare,
        lambda: importlib.util.find_spec(name) is not None,
    )


_DEBIAN_BTF = "Debian: libbtf1 or libbtf2"
PEERS = {
    peer.name: peer
    for peer in (
        _module("scipy", "csgraph.maximum_bipartite_matching", _scipy),
        _module("igraph", "Graph.maximum_bipartite_matching", _igraph),
        _module("networkx", "bipartite.hopcroft_karp_matching", _networkx),
        _module("ortools", "max_flow.SimpleMaxFlow.solve, unit capacities", _ortools),
        Peer("btf", "btf_maxtrans from the rows", _DEBIAN_BTF, _btf, csparse.btf_available),
        Peer(
            "btf-cols",
            "btf_maxtrans from the columns, scipy's transpose included",
            _DEBIAN_BTF,
            _btf_cols,
            csparse.btf_available,
        ),
        Peer("cxsparse", "cs_maxtrans", "Debian: libcxsparse3 or 4", _cxsparse, csparse.available),
    )
}
