"""as_bipartite on everything people would pass."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import berge
from berge import InvalidGraphError

DENSE = np.array([[1, 0, 2], [0, 0, 3], [0, 4, 0], [0, 0, 0]], float)
EDGES = [(0, 0), (0, 2), (1, 2), (2, 1)]


def edges(graph):
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    return sorted(zip(rows.tolist(), graph.indices.tolist(), strict=True))


@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix], ids=["array", "matrix"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_scipy_formats(make, form):
    source = make(DENSE).asformat(form)
    graph = berge.as_bipartite(source)
    assert graph.shape == (4, 3)
    assert edges(graph) == EDGES
    assert berge.maximum_matching(source).cardinality == 3


def test_dense_and_lists():
    assert edges(berge.as_bipartite(DENSE)) == EDGES
    assert edges(berge.as_bipartite(DENSE.astype(bool))) == EDGES
    assert edges(berge.as_bipartite(DENSE.tolist())) == EDGES


def test_index_arrays_with_and_without_shape():
    rows, cols = np.array(EDGES).T
    assert berge.as_bipartite((rows, cols)).shape == (3, 3)
    assert berge.as_bipartite((rows, cols), shape=(4, 3)).shape == (4, 3)
    assert berge.as_bipartite((rows, cols, (4, 3))).shape == (4, 3)
    assert edges(berge.as_bipartite((rows, cols, (4, 3)))) == EDGES


def test_explicit_zeros_are_edges():
    a = sp.csr_array((np.zeros(2), ([0, 1], [1, 0])), shape=(2, 2))
    assert berge.maximum_matching(a).cardinality == 2


def test_duplicates_in_coo_are_kept_and_harmless():
    a = sp.coo_array((np.ones(4), ([0, 0, 0, 1], [0, 0, 0, 0])), shape=(2, 2))
    assert berge.as_bipartite(a).nnz == 4
    assert berge.maximum_matching(a).cardinality == 1


def test_int64_indices():
    a = sp.csr_array(DENSE)
    a.indices, a.indptr = a.indices.astype(np.int64), a.indptr.astype(np.int64)
    assert edges(berge.as_bipartite(a)) == EDGES


def test_broken_scipy_matrix_is_refused():
    a = sp.csr_array(DENSE)
    a.indices[1] = 7
    with pytest.raises(InvalidGraphError, match=r"indices\[1\] = 7"):
        berge.maximum_matching(a)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (3, "cannot make a bipartite graph of int"),
        (None, "NoneType"),
        (np.zeros(3), "two-dimensional"),
        (np.array([["a"]]), "must hold numbers"),
        (([0],), "not 1 things"),
        (([0.5], [0]), "must be integers, not float64"),
    ],
)
def test_refuses(source, message):
    with pytest.raises(InvalidGraphError, match=message) as caught:
        berge.as_bipartite(source)
    assert type(caught.value) is InvalidGraphError  # the class that people can look up


def test_a_path_is_read(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 2\n")
    assert berge.maximum_matching(path).cardinality == 1
    assert berge.maximum_matching(str(path)).cardinality == 1


class TestNetworkx:
    nx = pytest.importorskip("networkx")

    def graph(self):
        graph = self.nx.Graph()
        graph.add_nodes_from(["ann", "bob"], bipartite=0)
        graph.add_nodes_from(["cook", "drive"], bipartite=1)
        graph.add_edges_from([("cook", "ann"), ("bob", "cook"), ("bob", "drive")])
        return graph

    def test_attribute(self):
        graph = berge.as_bipartite(self.graph())
        assert list(graph.row_labels) == ["ann", "bob"]
        assert list(graph.col_labels) == ["cook", "drive"]
        assert edges(graph) == [(0, 0), (1, 0), (1, 1)]

    def test_result_has_the_labels(self):
        matching = berge.maximum_matching(self.graph())
        assert matching.as_dict() == {"ann": "cook", "bob": "drive"}

    def test_top_nodes_beat_the_attribute(self):
        graph = berge.as_bipartite(self.graph(), top_nodes=["cook", "drive"])
        assert list(graph.row_labels) == ["cook", "drive"]

    def test_coloured_where_nothing_is_said(self):
        graph = berge.as_bipartite(self.nx.disjoint_union(self.nx.path_graph(4), self.nx.Graph([])))
        assert list(graph.row_labels) == [0, 2]
        assert berge.maximum_matching(self.nx.cycle_graph(6)).is_perfect

    def test_directed_and_multigraphs(self):
        directed = self.nx.DiGraph([(0, 1), (2, 1), (3, 2)])
        assert berge.maximum_matching(directed).cardinality == 2
        assert berge.as_bipartite(self.nx.MultiGraph([(0, 1), (0, 1)])).nnz == 2

    def test_odd_cycle(self):
        odd = self.nx.cycle_graph("abcde")
        with pytest.raises(InvalidGraphError, match="odd cycle"):
            berge.maximum_matching(odd, general=False)
        matching = berge.maximum_matching(odd)
        assert len(matching.as_dict()) == 4
        assert set(matching.as_dict()) < set("abcde")
        assert matching.prove(odd).unmatched == 1

    def test_edge_within_a_side(self):
        graph = self.graph()
        graph.add_edge("ann", "bob")
        with pytest.raises(InvalidGraphError, match=r"\('ann', 'bob'\) joins two rows"):
            berge.as_bipartite(graph)

    def test_wrong_attribute_and_unknown_top_node(self):
        graph = self.graph()
        graph.nodes["ann"]["bipartite"] = 2
        with pytest.raises(InvalidGraphError, match="'ann' has bipartite=2"):
            berge.as_bipartite(graph)
        with pytest.raises(InvalidGraphError, match="'zoe', which is not in the graph"):
            berge.as_bipartite(graph, top_nodes=["zoe"])

    def test_chain_on_which_networkx_recurses_too_deep(self):
        path = self.nx.path_graph(4000)
        assert berge.maximum_matching(path, init="cheap").is_perfect


class TestIgraph:
    igraph = pytest.importorskip("igraph")

    def test_types_and_names(self):
        graph = self.igraph.Graph.Bipartite([1, 0, 0, 1], [(0, 1), (2, 3), (1, 3)])
        graph.vs["name"] = list("abcd")
        ours = berge.as_bipartite(graph)
        assert list(ours.row_labels) == ["b", "c"]
        assert list(ours.col_labels) == ["a", "d"]
        assert edges(ours) == [(0, 0), (0, 1), (1, 1)]
        assert berge.maximum_matching(graph).cardinality == len(graph.maximum_bipartite_matching())

    def test_coloured_where_there_are_no_types(self):
        assert berge.maximum_matching(self.igraph.Graph.Ring(8)).is_perfect
        with pytest.raises(InvalidGraphError, match="odd cycle"):
            berge.as_bipartite(self.igraph.Graph.Ring(5))

    def test_wrong_types(self):
        graph = self.igraph.Graph([(0, 1), (1, 2)])
        graph.vs["type"] = [0, 0, 1]
        with pytest.raises(InvalidGraphError, match=r"\(0, 1\) joins two rows: not bipartite"):
            berge.as_bipartite(graph)
        graph.vs["type"] = [0, None, 1]
        with pytest.raises(InvalidGraphError, match="vertex 1 has type None"):
            berge.as_bipartite(graph)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: berge.as_bipartite(([10**13], [0])), "do not fit in memory"),
        (lambda: berge.as_bipartite(([0], [0]), shape=(10**30, 1)), "do not fit in memory"),
        (lambda: berge.as_graph(([0], [10**13])), "do not fit in memory"),
        (lambda: berge.as_bipartite([[1, 0], [1]]), "not a dense array"),
        (lambda: berge.as_bipartite(([0], [0]), shape=(np.complex128(1), 1)), "whole number"),
        (lambda: berge.as_bipartite(np.ma.masked_array(np.eye(2), np.eye(2))), "masked"),
    ],
)
def test_what_numpy_would_refuse_or_forget(make, said):
    with pytest.raises(berge.InvalidGraphError, match=said):
        make()


def test_more_columns_than_fit_in_memory():
    wide = sp.coo_array(([1.0], ([0], [0])), shape=(3, 2**44)).tocsr()
    with pytest.raises(InvalidGraphError, match="vertices do not fit in memory"):
        berge.maximum_matching(wide)


@pytest.mark.parametrize("name", ["indptr", "indices"])
def test_arrays_of_scipy_that_have_rows(name):
    matrix = sp.csr_array(np.eye(3))
    setattr(matrix, name, getattr(matrix, name).reshape(1, -1))
    with pytest.raises(berge.InvalidGraphError, match=f"{name} must be one-dimensional"):
        berge.maximum_matching(matrix)


@pytest.mark.parametrize("limit", ["3", True, float("nan"), -1])
def test_time_limits_that_are_no_seconds(limit):
    with pytest.raises(berge.OptionError, match="time_limit"):
        berge.maximum_matching(([0], [0]), time_limit=limit)
