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
