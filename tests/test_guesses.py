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


SCORES = {"who": ["ann", "bob"], "what": ["cook", "cook"], "points": [3, 4]}
PARTLY = [(0, 1, {"weight": 2}), (1, 2, {})]

WEIGHTS_REFUSED = {
    "three columns of numbers": (
        lambda: berge.assign(frame(np.ones((3, 3), int))),
        "may be a matrix or edges with weights: pass frame.to_numpy",
    ),
    "three columns of numbers with names of rows": (
        lambda: berge.assign(
            frame({"a": [1, 2], "b": [3, 4], "c": [1, 1]}).rename({0: "x", 1: "y"})
        ),
        "the frame's index has labels too",
    ),
    "three columns of fractions": (
        lambda: berge.assign(frame({"a": [1.5, 2], "b": [3, 4], "c": [1, 1]})),
        "may be a matrix or edges with weights",
    ),
    "two columns of numbers": (
        lambda: berge.assign(frame(np.ones((3, 2), int))),
        r"which column of the frame has the weights.*stack\(\)",
    ),
    "two columns of numbers beside the ends": (
        lambda: berge.assign(frame(SCORES | {"age": [1, 2]}), left="who", right="what"),
        "which column of the frame has the weights",
    ),
    "numbers for any graph": (
        lambda: berge.maximum_weight_matching(frame(np.ones((3, 3), int))),
        "pass frame.to_numpy.., or the three columns as a tuple",
    ),
    "too many columns for any graph": (
        lambda: berge.maximum_matching(frame(SCORES), general=True),
        "choose the two with the ends of edges",
    ),
    "no weights for any graph": (
        lambda: berge.maximum_weight_matching(frame({"a": ["x"], "b": ["y"]})),
        "which column of the frame has the weights",
    ),
}
WEIGHTS_WARNED = {
    "edges in three columns": (
        lambda: berge.assign(np.array([[0, 0, 5], [0, 1, 6], [1, 1, 7], [2, 2, 7]])),
        r"read as a matrix of weights.*array\[:, 2\]",
    ),
    "some weights missing": (
        lambda: berge.maximum_weight_matching(graph_of(PARTLY)),
        "1 of 2 edges have no attribute 'weight': they weigh 1",
    ),
    "some weights missing, greedily": (
        lambda: berge.greedy_matching(graph_of(PARTLY), weights=True),
        "1 of 2 edges have no attribute 'weight': they weigh 1",
    ),
}


@pytest.mark.parametrize(("solve", "message"), WEIGHTS_REFUSED.values(), ids=WEIGHTS_REFUSED)
def test_weights_refused(solve, message):
    with pytest.raises((berge.OptionError, berge.InvalidGraphError), match=message):
        solve()


@pytest.mark.parametrize(("solve", "message"), WEIGHTS_WARNED.values(), ids=WEIGHTS_WARNED)
def test_weights_warned_of(solve, message):
    with pytest.warns(berge.GuessWarning, match=message) as found:
        solve()
    assert found[0].filename == __file__


@pytest.mark.parametrize("times", [1, 2], ids=["each pair once", "pairs repeat"])
def test_columns_of_scores_are_said(times):
    columns = {name: values * times for name, values in SCORES.items()}
    plan = berge.assign(frame(columns), match="maximum")
    said = "rows are what is in column 'who', columns what is in 'what', weights in 'points'"
    assert plan.source == said
    assert said in " ".join(value for _, value in plan._facts())
    sized = berge.assign(([0, 1], [1, 0], [5, 5]))
    assert sized.source == "2 × 2 by the largest indices"
    assert berge.assign(([0, 1], [1, 0], [5, 5], (2, 2))).source is None


def test_columns_that_may_be_taken_are_said_by_the_command(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("who,what,points\nann,cook,3\nbob,sew,4\n")
    command = ("assign", path, "--left", "who", "--right", "what")
    assert "scores in column points" in run(*command).stdout
    path.write_text("who,what,points,age\nann,cook,3,9\n")
    assert "say which column has the scores: --score, one of" in run(*command, code=2).stderr
    told = run(*command, "--score", "age").stdout
    assert "scores in column age" in told
    assert "the least sum" in told


def test_a_first_line_that_may_not_be_names(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("ann,cook\nbob,cook\nbob,sew\n")
    for command in ("match", "decompose"):
        told = run(command, path, "--left", "1", "--right", "2")
        assert "line 1: taken for the names of columns, but 'cook' is a label" in told.stderr
        assert "line 1 names its columns" in told.stdout
    path.write_text("ann,cook,3\nbob,cook,4\n")
    told = run("assign", path, "--left", "1", "--right", "2", "--match", "maximum")
    assert "line 1: taken for the names of columns, but 'cook' is a label" in told.stderr
    path.write_text("who,what\nbob,cook\nbob,sew\n")
    assert run("match", path, "--left", "1", "--right", "2").stderr == ""


def test_units_of_what_has_no_edge():
    with pytest.warns(berge.GuessWarning, match="names bake, which no edge has"):
        found = berge.match_pairs([("ann", "cook")], capacity_right={"cook": 2, "bake": 1})
    assert found.is_maximum
    with pytest.raises(berge.OptionError, match="at_least_right names 'bake', which has no edge"):
        berge.match_pairs([("ann", "cook")], at_least_right={"bake": 1})


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
