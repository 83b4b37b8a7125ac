"""Pictures of a decomposition."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import berge
from berge import generate
from berge.analysis import plots


@pytest.mark.parametrize(
    "graph",
    [
        generate.complete(0, 0),
        generate.complete(0, 3),
        generate.star(3000),
        generate.star(3000, transpose=True),
        generate.permute(generate.jacobian(3000, 20)),
        generate.power_law(2000, 1500, 3),
    ],
    ids=["nothing", "no rows", "wide", "tall", "square", "all parts"],
)
def test_plots_of_any_shape(graph, tmp_path):
    picture = tmp_path / "picture.png"
    plots.draw_decomposition(graph, berge.dulmage_mendelsohn(graph), picture, "name")
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_the_backend_of_others_stays():
    """In a process of its own: matplotlib has one backend."""
    code = (
        "import matplotlib\nmatplotlib.use('svg')\nimport matplotlib.pyplot, berge\n"
        "berge.dulmage_mendelsohn([[1]]).plot([[1]])\nprint(matplotlib.get_backend())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "svg\n"


def test_small_pictures_have_names():
    graph = berge.as_bipartite([[1, 1], [0, 1]], row_labels=["ann", "bob"], col_labels=["x", "y"])
    dm = berge.dulmage_mendelsohn(graph)
    given, permuted = dm.plot(graph).axes
    assert [t.get_text() for t in given.get_yticklabels()] == ["ann", "bob"]
    names = [graph.row_labels[i] for i in dm.row_order]
    assert [t.get_text() for t in permuted.get_yticklabels()] == names
    assert [t.get_text() for t in given.get_xticklabels()] == ["x", "y"]


def test_every_entry_shows():
    """Each pixel with an entry has a colour, and one without is white, before and after."""
    graph = generate.erdos_renyi(900, 700, 1500)
    dm = berge.dulmage_mendelsohn(graph)
    rows = np.repeat(np.arange(900), graph.row_degrees)
    row_place, col_place = np.argsort(dm.row_order), np.argsort(dm.col_order)
    for orders, places in (
        ((None, None), (rows, graph.indices)),
        ((dm.row_order, dm.col_order), (row_place[rows], col_place[graph.indices])),
    ):
        picture = plots._picture(graph, dm, *orders, 300, 900)
        assert picture.shape == (300, 700, 3)
        there = np.zeros((300, 700), bool)
        there[places[0] // 3, places[1]] = True
        assert np.array_equal(picture.min(axis=2) < 0.8, there)
        assert (picture[~there] == 1).all()


def test_chunks_make_no_difference(monkeypatch):
    graph = generate.power_law(500, 400, 3)
    dm = berge.dulmage_mendelsohn(graph)
    whole = plots._picture(graph, dm, dm.row_order, dm.col_order, 200, 200)
    monkeypatch.setattr(plots, "_CHUNK", 37)
    assert np.array_equal(whole, plots._picture(graph, dm, dm.row_order, dm.col_order, 200, 200))
