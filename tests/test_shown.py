"""How graphs and results look: a short repr, and a table for notebooks."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import berge
from berge.results import progress
from berge.results.under_way import PhaseReport
from berge.shown import Shown

CHAIN = berge.generate.chain(3000)
WIDE = np.array([[1, 1, 1], [0, 0, 1], [0, 0, 1]])


TRIANGLE = ["ab", "bc", "ca", "ax"]


def make_all():
    pairs = [(k, k // 2) for k in range(100)]
    matching = berge.maximum_matching(CHAIN)
    graph = berge.as_graph(([0, 1, 2], [1, 2, 0], [1.0, 5.0, 2.0]))
    dm = berge.dulmage_mendelsohn(WIDE)
    return [
        CHAIN,
        graph,
        matching,
        matching.stats,
        matching.prove(CHAIN),
        berge.maximum_matching(graph),
        berge.greedy_matching(graph),
        berge.assign([("a", "x", 3), ("b", "x", 4)], match="any", objective="max"),
        berge.match_pairs(pairs),
        berge.match_pairs(pairs).reasons()[0],
        berge.is_structurally_singular(WIDE),
        dm,
        dm.square,
        berge.block_triangular_form(WIDE),
        berge.edge_roles(CHAIN),
        berge.coarsen(graph, until=1),
        berge.maximum_matching(graph).prove(graph),
        berge.maximum_weight_matching(graph),
        berge.maximum_weight_matching(graph).prove(graph),
        berge.assign(np.eye(2)).prove(),
        berge.maximum_matching(WIDE, capacity_right=2),
        berge.maximum_matching(WIDE, capacity_right=2).prove(WIDE),
        berge.gallai_edmonds(graph),
        berge.edge_roles(graph),
        berge.scale_and_permute(np.eye(2)),
        berge.dmperm(CHAIN),
    ]


@pytest.mark.parametrize("thing", make_all(), ids=lambda thing: type(thing).__name__)
def test_looks(thing):
    assert "\n" not in repr(thing)
    assert len(repr(thing)) < 200
    if isinstance(thing, Shown):
        check_html(thing._repr_html_())
        assert type(thing).__name__ in thing._repr_html_()
    else:
        assert isinstance(thing, (tuple, berge.Shortage))


def make_plots():
    """Every result that can be drawn: small, and of more vertices than have names."""
    networkx = pytest.importorskip("networkx")
    odd = networkx.Graph(TRIANGLE)
    wheel = networkx.wheel_graph(60)
    wishes = [("ann", "cook"), ("bob", "cook"), ("bob", "sew")]
    scores = [("ann", "cook", 3), ("bob", "cook", 4)]
    for graph in (WIDE, CHAIN):
        yield berge.maximum_matching(graph).plot, (graph,)
        yield berge.maximum_matching(graph, capacity_right=2).plot, (graph,)
        yield berge.block_triangular_form(graph).plot, (graph,)
        yield berge.edge_roles(graph).plot, ()
    for graph in (odd, wheel):
        networkx.set_edge_attributes(graph, 1, "weight")
        yield berge.maximum_matching(graph).plot, (graph,)
        yield berge.maximum_weight_matching(graph).plot, (graph,)
        yield berge.greedy_matching(graph).plot, (graph,)
        yield berge.gallai_edmonds(graph).plot, (graph,)
        yield berge.edge_roles(graph).plot, ()
    yield berge.assign(scores, match="any", objective="max").plot, ()
    yield berge.match_pairs(wishes).plot, ()
    yield berge.coarsen(wheel, until=1).plot, ()


def test_plots(tmp_path):
    pytest.importorskip("matplotlib")
    for number, (plot, given) in enumerate(make_plots()):
        path = tmp_path / f"{number}.png"
        figure = plot(*given, path=path)
        assert path.stat().st_size > 1000
        assert type(plot.__self__).__name__ in ("LabelledMatching", "Assignment") or (
            figure.get_suptitle().startswith(("matrix: ", "graph: "))
        )


def colours_at(figure):
    """Return what is drawn where: the picture of a small matrix, an entry a pixel."""
    return np.asarray(figure.axes[0].images[0].get_array())


def test_what_is_drawn_of_a_matrix():
    pytest.importorskip("matplotlib")
    from matplotlib.colors import to_hex

    plan = berge.assign([("ann", "cook", 3), ("bob", "cook", 4), ("bob", "sew", 1)])
    figure = plan.plot()
    drawn = [[to_hex(colour) for colour in row] for row in colours_at(figure)]
    assert drawn == [["#0072b2", "#ffffff"], ["#b8b8b8", "#0072b2"]]
    axis = figure.axes[0]
    assert [text.get_text() for text in axis.texts] == ["3", "4", "1"]
    assert [text.get_text() for text in axis.get_yticklabels()] == ["ann", "bob"]
    assert [text.get_text() for text in axis.get_xticklabels()] == ["cook", "sew"]


def test_what_is_drawn_of_a_graph():
    pytest.importorskip("matplotlib")
    graph = pytest.importorskip("networkx").Graph(["ab", "bc", "ca", "xy"])
    matching = berge.maximum_matching(graph)
    axis = matching.plot(graph).axes[0]
    assert {text.get_text() for text in axis.texts} == set("abcxy")
    thick = [line for line in axis.lines if line.get_linewidth() == 3 and line.get_xdata().size]
    assert len(thick) == matching.cardinality == 2
    white = (axis.collections[0].get_facecolors()[:, :3] == 1).all(axis=1)
    assert white.sum() == 1


def check_html(text):
    """Every tag that is opened is closed, in order."""
    open_tags = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            open_tags.append(tag)

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

    Reader().feed(text)
    assert not open_tags


def test_names_are_escaped():
    shown = berge.match_pairs([("<b>", "x"), ("<i>", "x")])._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<i>" not in shown


def test_small_parts_are_seen():
    """A part of a thousandth is drawn as a square of 4 points."""
    rows, cols = np.arange(4001), np.append(np.arange(4000), 0)
    shown = berge.dulmage_mendelsohn((rows, cols))._repr_html_()
    assert 'width="4.0" height="4.0"' in shown
    assert "overdetermined 2 × 1" in shown


def test_progress_in_a_notebook(monkeypatch):
    told = []
    cell = SimpleNamespace(update=told.append)
    display = ModuleType("IPython.display")
    display.HTML, display.display = str, lambda text, display_id: cell
    notebook = ModuleType("IPython")
    notebook.get_ipython = lambda: SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with progress.ProgressLine() as line:
        line(PhaseReport("search", 2, 30, 40, 1.5))
    assert "30 of at most 40" in told[0]
    assert 'value="0.7500"' in told[0]
    assert told[-1] == ""
