"""``berge demo``."""

from __future__ import annotations

import re

from berge import generate

from .invoke import run


class TestDemo:
    def test_with_scipy(self):
        """On a small network scipy answers, on the maze it does not."""
        text = run("demo", "--size", 5, "--scipy-limit", 1).stdout
        assert text.count("no matching has more than") == 2
        assert re.search(r"maze .* no answer within 1 s +over [\d,]+×", text)
        assert re.search(r"streets .*(as long|faster)", text)

    def test_without_scipy(self):
        text = run("demo", "--size", 5, "--no-scipy").stdout
        assert text.count("no matching has more than") == 2
        assert "no answer" not in text

    def test_words(self):
        from berge.cli.demo import _Case, _scipy_cells

        case = _Case("", "", lambda: generate.chain(1), cardinality=5, seconds=0.03)
        assert _scipy_cells(case, 10.0) == ("no answer within 10 s", "over 330×")
        case.scipy_seconds, case.scipy_cardinality = 0.3, 5
        assert _scipy_cells(case, 10.0) == ("0.300 s", "10× as long")
        case.scipy_seconds = 0.015
        assert _scipy_cells(case, 10.0) == ("0.015 s", "scipy is 2× faster")
        case.scipy_cardinality = 4
        assert _scipy_cells(case, 10.0) == ("0.015 s", "found 4!")
