"""What people who were new to the program stumbled over."""

from __future__ import annotations

import zipfile

import pytest

import berge

from .invoke import run

SCORES = "name;job;points\nann;cook;{}\nbob;cook;4\n"


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(SCORES.format("5"))
    return path


def test_scores(scores):
    columns = "--right", "job", "--objective", "max"
    wrong = run("assign", scores, "--left", "Name", *columns, code=2).stderr
    assert "there is no column 'Name'" in wrong
    assert "did you mean 'name'?" in wrong
    assert "--left NAME --right NAME" in run("assign", scores, code=1).stderr
    scores.write_text(SCORES.format("0,9"))
    wrong = run("assign", scores, "--left", "name", *columns, code=1).stderr
    assert "'0,9' in column 'points' is not a number; write 0.9" in wrong


def test_excel(tmp_path):
    path = tmp_path / "scores.xlsx"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("xl/workbook.xml", "<a/>")
    assert "suffix '.xlsx' tells no format" in run("match", path, code=1).stderr
    labelled = run("match", path, "--left", "a", "--right", "b", code=1).stderr
    assert labelled.endswith("save the table as CSV\n")


def test_networkx():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph([("ann", "cook"), ("bob", "cook")])
    with pytest.raises(berge.InvalidGraphError, match="pass the graph"):
        berge.match_pairs(graph.edges())
    assert "1 pair, maximum" in berge.match_pairs(graph)._repr_html_()
    for option in ("top_nodes", "left"):
        with pytest.raises(berge.OptionError, match=rf"berge\.as_bipartite\(.*{option}="):
            berge.maximum_matching(graph, **{option: "ann"})


def test_more_unknowns_than_equations():
    assert berge.is_structurally_singular([[1, 1, 0]]).reason.endswith(", with 2 columns too many")


def test_reading_of_a_graph_that_is_gone():
    triangle = berge.as_bipartite([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    matching = berge.maximum_matching(triangle)
    assert "though symmetric" in matching.reading
    del triangle
    assert matching.reading.endswith("the graph is gone")
