"""Weights of graphs: how they are stored, where they come from, what is refused."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import berge
from berge import FormatError, Graph, InvalidGraphError
from berge.files import read_graph

from ..conftest import COMPILED

pytestmark = pytest.mark.kernels


def entries(graph: Graph) -> dict[tuple[int, int], float]:
    coo = graph.to_scipy().tocoo()
    triples = zip(coo.row.tolist(), coo.col.tolist(), coo.data.tolist(), strict=True)
    return {(i, j): value for i, j, value in triples}


def symmetric(n: int, m: int, seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    return Graph.from_edges(*rng.integers(0, n, (2, m)), n, rng.random(m))


class TestConstruction:
    def test_a_symmetric_graph_is_not_copied(self):
        graph = symmetric(50, 200, 1)
        again = Graph(graph.indptr, graph.indices, graph.weights, np.arange(50))
        for name in ("indptr", "indices", "weights"):
            assert np.shares_memory(getattr(again, name), getattr(graph, name))
        assert again.vertex_weights.dtype == np.int64
        assert again.total_weight == pytest.approx(graph.weights.sum() / 2)

    def test_only_loops_to_drop(self):
        matrix = scipy.sparse.csr_array(np.array([[7, 2, 0], [2, 0, 3], [0, 3, 9.0]]))
        for weights in (None, True):
            graph = berge.as_graph(matrix, weights=weights)
            assert graph.indptr.tolist() == [0, 1, 3, 4]
            assert graph.indices.tolist() == [1, 0, 2, 1]
        assert graph.weights.tolist() == [2, 2, 3, 3]

    def test_one_direction_is_enough(self):
        assert entries(Graph([0, 1, 1], [1], [4.0])) == {(0, 1): 4, (1, 0): 4}

    def test_weights_that_differ_by_direction(self):
        """Same pattern both ways, and the heavier is kept."""
        assert entries(Graph([0, 1, 2], [1, 0], [4.0, 6.0])) == {(0, 1): 6, (1, 0): 6}

    def test_unsorted_rows(self):
        graph = Graph([0, 2, 3, 4], [2, 1, 0, 0], [5.0, 1.0, 1.0, 5.0])
        assert graph.indices.tolist() == [1, 2, 0, 0]
        assert graph.weights.tolist() == [1, 5, 1, 5]

    @settings(max_examples=200 if COMPILED else 50, deadline=None)
    @given(st.integers(1, 7), st.integers(0, 30), st.integers(0, 2**32 - 1), st.booleans())
    def test_any_rows(self, n, m, seed, weighted):
        """Against a dictionary: whatever the rows are like, the graph is what they say."""
        rng = np.random.default_rng(seed)
        rows, cols = np.sort(rng.integers(0, n, m)), rng.integers(0, n, m)
        weights = rng.integers(0, 4, m).astype(float) if weighted else None
        indptr = np.searchsorted(rows, np.arange(n + 1))
        heaviest: dict[tuple[int, int], float] = {}
        for k in range(m):
            i, j = int(rows[k]), int(cols[k])
            if i != j:
                value = max(weights[k] if weighted else 1.0, heaviest.get((i, j), 0.0))
                heaviest[i, j] = heaviest[j, i] = value
        graph = Graph(indptr, cols, weights)
        assert entries(graph) == heaviest
        for v in range(n):
            row = graph.indices[graph.indptr[v] : graph.indptr[v + 1]]
            assert (np.diff(row) > 0).all()
        assert (graph.weights is None) == (not weighted)
        again = Graph(graph.indptr, graph.indices, graph.weights)
        assert np.shares_memory(again.indices, graph.indices) or graph.n_edges == 0

    @pytest.mark.skipif(not COMPILED, reason="takes a large graph")
    def test_large_enough_for_threads(self):
        graph = symmetric(5000, 60_000, 3)
        assert np.shares_memory(
            Graph(graph.indptr, graph.indices, graph.weights).indices, graph.indices
        )
        indices = graph.indices.copy()
        indices[-1] = 0 if indices[-1] else 1
        changed = Graph(graph.indptr, indices)
        matrix = changed.to_scipy()
        assert (matrix != matrix.T).nnz == 0

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ([1, -2], r"weights\[1\] = -2.0 must be a finite number ≥ 0"),
            ([np.nan, 1], r"weights\[0\] = nan"),
            ([1, np.inf], r"weights\[1\] = inf"),
            ([1], r"weights must be 2 numbers, not of shape \(1,\)"),
            ([[1, 2]], "not of shape"),
            ([1j, 2j], "real numbers, not complex128"),
            (["a", "b"], "real numbers"),
        ],
    )
    def test_what_is_refused(self, weights, message):
        for make in (lambda w: Graph([0, 1, 2], [1, 0], w),
                     lambda w: Graph.from_edges([0, 1], [1, 0], 2, w)):  # fmt: skip
            with pytest.raises(InvalidGraphError, match=message):
                make(weights)

    def test_more_that_is_refused(self):
        with pytest.raises(InvalidGraphError, match="2 ends of edges, but 1 other"):
            Graph.from_edges([0, 1], [1])
        with pytest.raises(InvalidGraphError, match=r"vertex indices\[0\] = 5 is not in 0 … 2"):
            Graph.from_edges([5], [1], 3)
        with pytest.raises(InvalidGraphError, match="vertex_weights must be 2 numbers"):
            Graph([0, 1, 2], [1, 0], None, [1])
        with pytest.raises(InvalidGraphError, match=r"vertex_weights\[0\] = -1"):
            Graph([0, 1, 2], [1, 0], None, [-1, 2])

    def test_repr(self):
        assert repr(Graph([0, 0], [])) == "Graph(1 vertex, 0 edges)"
        assert repr(symmetric(9, 1, 2)) == "Graph(9 vertices, 1 edge, weighted)"


class TestSources:
    matrix = np.array([[3, -2, 0], [0, 0, 4], [0, 1, 0.0]])
    expected = {(0, 1): 2, (1, 0): 2, (1, 2): 4, (2, 1): 4}  # noqa: RUF012

    @pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "bsr"])
    def test_matrices(self, form):
        matrix = scipy.sparse.coo_array(self.matrix).asformat(form)
        if form == "bsr":
            matrix = scipy.sparse.bsr_array(self.matrix, blocksize=(1, 1))
        assert entries(berge.as_graph(matrix, weights=True)) == self.expected
        assert set(entries(berge.as_graph(matrix))) == set(self.expected)
        assert berge.as_graph(matrix).weights is None

    def test_dense(self):
        assert entries(berge.as_graph(self.matrix, weights=True)) == self.expected
        rows = [tuple(row) for row in self.matrix]
        assert entries(berge.as_graph(rows, weights=True)) == self.expected

    def test_arrays_of_weights(self):
        matrix = scipy.sparse.csr_array(self.matrix)
        graph = berge.as_graph(matrix, weights=np.arange(matrix.nnz))
        assert entries(graph) == {(0, 1): 1, (1, 0): 1, (1, 2): 3, (2, 1): 3}
        assert entries(berge.as_graph(([0, 1], [1, 2]), weights=[5, 6]))[1, 2] == 6

    def test_graphs(self):
        graph = berge.as_graph(self.matrix, weights=True)
        assert berge.as_graph(graph) is graph
        assert berge.as_graph(graph, weights=True) is graph
        assert berge.as_graph(graph, weights=False).weights is None
        assert berge.as_graph(graph, weights=np.ones(4)).weights.tolist() == [1] * 4
        with pytest.raises(InvalidGraphError, match="has no weights"):
            berge.as_graph(Graph([0], []), weights=True)

    def test_networkx(self):
        graph = nx.Graph([("a", "b"), ("b", "c", {"weight": 4}), ("c", "c")])
        with pytest.warns(berge.GuessWarning, match="2 of 3 edges have no attribute"):
            weighted = berge.as_graph(graph, weights=True)
        assert entries(weighted) == {(0, 1): 1, (1, 0): 1, (1, 2): 4, (2, 1): 4}
        nx.set_edge_attributes(graph, 7, "cost")
        assert set(berge.as_graph(graph, weights="cost").weights) == {7}
        assert berge.as_graph(graph).weights is None
        multi = nx.MultiGraph([(0, 1, {"weight": 2}), (0, 1, {"weight": 5})])
        assert entries(berge.as_graph(multi, weights=True)) == {(0, 1): 5, (1, 0): 5}
        assert berge.as_graph(nx.Graph(), weights=True).n_vertices == 0

    @pytest.mark.parametrize("value", [-1, np.nan, np.inf, "7", None])
    def test_edges_are_named(self, value):
        edges = [("a", "b", 2), ("b", "c", value)]
        graph = nx.Graph()
        graph.add_weighted_edges_from(edges)
        message = r"edge \('b', 'c'\) has weight=.*, not a finite number"
        if value is not None:  # as good as missing in networkx
            with pytest.raises(InvalidGraphError, match=message):
                berge.as_graph(graph, weights=True)
        igraph = pytest.importorskip("igraph")
        with pytest.raises(InvalidGraphError, match=message):
            berge.as_graph(igraph.Graph.TupleList(edges, weights=True), weights=True)

    def test_attributes_that_no_edge_has(self):
        graph = nx.path_graph(3)
        for name, weights in (("weight", True), ("cost", "cost")):
            with pytest.raises(InvalidGraphError, match=f"no attribute '{name}'"):
                berge.as_graph(graph, weights=weights)

    def test_three_arrays(self):
        edges = [0, 1], [1, 2], [5, 6]
        expected = {(0, 1): 5, (1, 0): 5, (1, 2): 6, (2, 1): 6}
        assert entries(berge.as_graph(edges)) == expected
        assert entries(berge.as_graph(edges, weights=True)) == expected
        assert berge.as_graph(edges, weights=False).weights is None
        assert berge.as_graph((*edges[:2], (4, 4))).n_vertices == 4
        with pytest.raises(InvalidGraphError, match="given twice"):
            berge.as_graph(edges, weights=[1, 2])

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            (42, r"cannot make a graph of int: .*\(ends, others\)"),
            ([(0, 1), (1, 2)], r"\(ends, others\), two arrays, not as a list of pairs"),
            (np.array([(0, 1), (1, 0), (1, 1)]), r"\(3, 2\); edges are passed as \(ends, others\)"),
            (berge.generate.star(6), "columns numbered after rows"),
        ],
    )
    def test_what_to_do_instead(self, source, message):
        with pytest.raises(InvalidGraphError, match=message):
            berge.as_graph(source)

    def test_igraph(self):
        igraph = pytest.importorskip("igraph")
        triangle = igraph.Graph([(0, 1), (1, 2), (0, 2)])
        assert berge.as_graph(triangle).n_edges == 3
        with pytest.raises(InvalidGraphError, match="no attribute 'weight'"):
            berge.as_graph(triangle, weights=True)
        triangle.es["weight"] = [1, 2, 3]
        assert entries(berge.as_graph(triangle, weights=True))[0, 2] == 3

    def test_what_has_none(self):
        with pytest.raises(InvalidGraphError, match="BipartiteGraph has no weights"):
            berge.as_graph(berge.generate.chain(3), weights=True)
        with pytest.raises(InvalidGraphError, match="has no attributes of edges"):
            berge.as_graph(np.eye(2), weights="cost")
        with pytest.raises(InvalidGraphError, match="square"):
            berge.as_graph(scipy.sparse.csr_array(np.ones((2, 3))))


class TestFiles:
    expected = {(0, 1): 2.5, (1, 0): 2.5, (1, 2): 4, (2, 1): 4}  # noqa: RUF012

    def read(self, tmp_path, name, text, **settings):
        path = tmp_path / name
        path.write_text(text)
        return read_graph(path, **settings)

    def test_edge_list(self, tmp_path):
        text = "# a comment\nfrom,to,weight\n0,1,2.5\n\n2,1,4\n1,1,9\n"
        assert entries(self.read(tmp_path, "a.csv", text)) == self.expected
        assert entries(berge.as_graph(tmp_path / "a.csv", weights=True)) == self.expected
        with pytest.raises(FormatError, match="line 2: line ends where a weight must follow"):
            self.read(tmp_path, "b.txt", "0 1 3\n1 2\n")
        shifted = self.read(tmp_path, "c.txt", "1 2 2.5\n3 2 4e0\n", base=1)
        assert entries(shifted) == self.expected

    def test_without_weights(self, tmp_path):
        """Any format, and an edge list whose largest numbers differ by column."""
        expected = set(self.expected)
        for name, text in {
            "a.txt": "0 1 2.5\n1 2 4\n",
            "b.gr": "p sp 3 2\na 1 2 2.5\na 3 2 4\n",
            "c.graph": "3 2 001\n2 5\n1 5 3 4\n2 4\n",
            "d.mtx": "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 3 1\n",
        }.items():
            graph = self.read(tmp_path, name, text, weights=False)
            assert set(entries(graph)) == expected
            assert graph.weights is None
            assert set(entries(berge.as_graph(tmp_path / name))) == expected
        given = berge.as_graph(tmp_path / "a.txt", weights=[2.5, 4])
        assert entries(given) == self.expected
        berge.write(berge.generate.star(6), tmp_path / "star.txt")
        scipy.sparse.save_npz(tmp_path / "wide.npz", scipy.sparse.coo_array(np.ones((2, 3))))
        for name, weights in ("star.txt", False), ("wide.npz", False), ("wide.npz", True):
            with pytest.raises(FormatError, match=f"{name}: .* needs a square adjacency"):
                berge.as_graph(tmp_path / name, weights=weights)

    @pytest.mark.parametrize("value", ["-3", "nan", "inf"])
    def test_the_line_of_a_wrong_weight(self, tmp_path, value):
        message = f"line 2: weight {value} must be"
        with pytest.raises(FormatError, match=message):
            self.read(tmp_path, "a.txt", f"0 1 3\n1 2 {value}\n")
        with pytest.raises(FormatError, match=message):
            self.read(tmp_path, "a.gr", f"p sp 3 1\na 1 2 {value}\n")

    def test_weights_of_vertices_are_kept(self, tmp_path):
        with pytest.raises(FormatError, match="no weights of edges; those of vertices are used"):
            self.read(tmp_path, "v.graph", "3 2 010\n7 2\n8 1 3\n9 2\n")
        graph = berge.as_graph(tmp_path / "v.graph")
        assert graph.vertex_weights.tolist() == [7, 8, 9]
        assert graph.weights is None
        assert berge.coarsen(graph, until=1, balance=None).coarsest.vertex_weights.sum() == 24
        both = self.read(tmp_path, "b.graph", "2 1 011\n7 2 5\n8 1 5\n", weights=False)
        assert both.vertex_weights.tolist() == [7, 8]
        assert both.weights is None

    def test_dimacs(self, tmp_path):
        text = "c a comment\np sp 3 2\na 1 2 2.5\na 3 2 4\n"
        assert entries(self.read(tmp_path, "a.gr", text)) == self.expected
        with pytest.raises(FormatError, match="no weights"):
            self.read(tmp_path, "b.gr", "p edge 2 1\ne 1 2\n")

    def test_matrix_market(self, tmp_path):
        matrix = scipy.sparse.coo_array(([-2.5, 4, 7], ([1, 2, 0], [0, 1, 0])), shape=(3, 3))
        for symmetry in ("general", "symmetric"):
            path = tmp_path / f"{symmetry}.mtx"
            both = matrix if symmetry == "general" else matrix + scipy.sparse.triu(matrix.T, 1)
            scipy.io.mmwrite(path, both, symmetry=symmetry)
            assert entries(read_graph(path)) == self.expected
        with pytest.raises(FormatError, match="pattern"):
            self.read(
                tmp_path, "p.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n"
            )
        with pytest.raises(FormatError):
            self.read(
                tmp_path, "w.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 x\n"
            )

    @pytest.mark.parametrize("form", ["csr", "csc", "coo"])
    def test_npz(self, tmp_path, form):
        matrix = scipy.sparse.coo_array(([-2.5, 4], ([1, 2], [0, 1])), shape=(3, 3))
        scipy.sparse.save_npz(tmp_path / "a.npz", matrix.asformat(form))
        assert entries(read_graph(tmp_path / "a.npz")) == self.expected

    def test_npz_without_weights(self, tmp_path):
        berge.write(berge.generate.chain(3), tmp_path / "a.npz")
        with pytest.raises(FormatError, match="no weights"):
            read_graph(tmp_path / "a.npz")
        scipy.sparse.save_npz(tmp_path / "b.npz", scipy.sparse.csr_array([[0, np.nan], [1, 0]]))
        with pytest.raises(FormatError, match="nan must be a finite number"):
            read_graph(tmp_path / "b.npz")

    def test_metis(self, tmp_path):
        text = "3 2 001\n2 5\n1 5 3 4\n2 4\n"
        assert entries(self.read(tmp_path, "a.graph", text)) == self.expected | {
            (0, 1): 5, (1, 0): 5,
        }  # fmt: skip
        with pytest.raises(FormatError, match="no weights of edges"):
            self.read(tmp_path, "b.graph", "2 1\n2\n1\n")
