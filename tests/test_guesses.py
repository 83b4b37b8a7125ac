"""What can be read in two ways is refused, warned of, or said in ``source``: the whole list."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import berge

from .cli.invoke import run


def frame(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def graph_of(kind):
    return pytest.importorskip("networkx").Graph(kind)


REFUSED = {
    "a frame of many columns": (
        lambda: frame(np.eye(5)),
        "name the columns by left=… and right=…, of 0, 1, 2",
    ),
    "a square frame of two": (lambda: frame(np.eye(2)), "may be a matrix or two edges"),
    "a list of pairs": (lambda: [(0, 1), (1, 2)], "a list of pairs: pass"),
}
WARNED = {
    "edges in two columns": (lambda: np.array([[0, 1], [1, 2], [2, 0]]), r"array\[:, 0\]"),
    "edges in two rows": (lambda: np.array([[0, 1, 2], [1, 2, 0]]), r"array\[0\], array\[1\]"),
}
SAID = {
    "sizes of index arrays": (lambda: ([0, 1], [1, 2]), "2 × 3 by the largest indices"),
    "columns of a frame": (
        lambda: frame({"who": ["ann"], "what": ["cook"]}),
        "rows are what is in column 'who', columns what is in 'what'",
    ),
    "sides of a networkx graph": (
        lambda: graph_of([(0, 1), (1, 2)]),
        "rows are one of two colours: nodes lack the attribute bipartite",
    ),
}
CERTAIN = {
    "index arrays with a shape": lambda: ([0, 1], [1, 2], (2, 3)),
    "a sparse matrix": lambda: sp.csr_array([[1, 0, 2]]),
    "a dense matrix of ones": lambda: np.array([[0, 1, 1], [1, 1, 0]]),
    "a matrix of numbers": lambda: np.array([[0.5, 2.0], [1.0, 2.0], [3.0, 3.0]]),
    "nothing": lambda: np.zeros((2, 0), int),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(make, message):
    source = make()
    with pytest.raises((berge.OptionError, berge.InvalidGraphError), match=message):
        berge.maximum_matching(source)


@pytest.mark.parametrize(("make", "message"), WARNED.values(), ids=WARNED)
def test_warned_of(make, message):
    with pytest.warns(berge.GuessWarning, match=message) as found:
        berge.maximum_matching(make())
    assert found[0].filename == __file__


@pytest.mark.parametrize(("make", "source"), SAID.values(), ids=SAID)
def test_said(make, source):
    assert berge.maximum_matching(make()).source == source
    assert berge.maximum_matching(berge.as_bipartite(make()).T).source is None


@pytest.mark.parametrize("make", CERTAIN.values(), ids=CERTAIN)
def test_certain(make):
    assert berge.maximum_matching(make()).source is None


@pytest.mark.parametrize("text", ["1 2\n2 3\n3 1\n", "from,to\n1,1\n", "4,1\n1,1\n"])
@pytest.mark.parametrize("read", [berge.read, berge.files.read_graph])
def test_an_edge_list_that_may_count_from_1(tmp_path, text, read):
    path = tmp_path / "edges.csv"
    path.write_text(text)
    with pytest.warns(berge.GuessWarning, match=r"row 0 and column 0 are empty.*base=1"):
        large = read(path, **({"weights": False} if read is not berge.read else {}))
    small = read(path, base=1, **({"weights": False} if read is not berge.read else {}))
    sizes = [g.shape if read is berge.read else (g.n_vertices,) for g in (large, small)]
    assert all(a == b + 1 for a, b in zip(*sizes, strict=True))
    if read is berge.read:
        assert run("match", path).stderr.endswith("if it counts from 1: --base 1\n")


@pytest.mark.parametrize("text", ["0 1\n1 2\n", "1 0\n2 1\n", "# rows 4 cols 4 entries 1\n1 1\n"])
def test_an_edge_list_that_counts_from_0(tmp_path, text):
    path = tmp_path / "edges.txt"
    path.write_text(text)
    assert berge.read(path).source is None


class TestLabels:
    def test_what_no_pair_mentions(self):
        wishes = [("ann", "cook"), ("bob", "cook")]
        found = berge.match_pairs(wishes, row_labels=["bob", "ann"], col_labels=["sew", "cook"])
        assert found.unmatched_right == ["sew"]
        assert str(found.reasons("right")[0]) == "sew is wanted by nobody"
        assert found.prove().size == 1

    def test_order_and_names(self):
        graph = berge.as_bipartite(([0, 2], [1, 1]), row_labels=["a", "b", "c", "d"])
        assert graph.shape == (4, 2)
        assert berge.maximum_matching(graph).as_dict() == {"a": 1}
        table = frame({"who": ["y", "x", "y"], "what": [5, 6, 6]})
        graph = berge.as_bipartite(table, row_labels=["x", "y", "z"], col_labels=[7, 6, 5])
        assert graph.to_scipy().toarray().tolist() == [[0, 1, 0], [0, 1, 1], [0, 0, 0]]
        assert graph.row_labels == ("x", "y", "z")
        assert graph.source == berge.as_bipartite(table).source
        named = berge.as_bipartite(sp.eye_array(2, format="csr"), col_labels=["p", "q"])
        assert (named.row_labels, named.col_labels) == (None, ("p", "q"))

    @pytest.mark.parametrize(
        ("labels", "message"),
        [
            (["ann"], "lacks 'bob', which an edge has"),
            (["ann", "bob", "ann"], "'ann' twice"),
            ("ann", "must be a list of labels, not 'ann'"),
            ([["ann"], "bob"], "cannot be a label"),
            (7, "must be a list of labels"),
        ],
    )
    def test_wrong(self, labels, message):
        with pytest.raises(berge.InvalidGraphError, match=message):
            berge.match_pairs([("ann", 1), ("bob", 1)], row_labels=labels)

    def test_wrong_number(self):
        with pytest.raises(berge.InvalidGraphError, match="row_labels"):
            berge.as_bipartite(np.eye(3), row_labels=["a", "b"])
        with pytest.raises(berge.InvalidGraphError, match="row indices"):
            berge.as_bipartite(([0, 5], [0, 0]), row_labels=["a", "b"])
