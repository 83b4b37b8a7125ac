"""``berge algorithms``."""

from __future__ import annotations

import pytest

import berge

from .invoke import run, run_json


class TestAlgorithms:
    def test_json(self):
        listed = run_json("algorithms")["algorithms"]
        assert [a["name"] for a in listed] == [a.name for a in berge.algorithms()]
        options = {a["name"]: {o["name"]: o["default"] for o in a["options"]} for a in listed}
        assert options["pothen-fan"]["lookahead"] is True

    @pytest.mark.parametrize("width", [60, 80, 160])
    def test_table(self, monkeypatch, width):
        monkeypatch.setenv("COLUMNS", str(width))
        text = run("algorithms").stdout
        assert max(map(len, text.splitlines())) <= width
        words = " ".join(text.split())
        for a in berge.algorithms():
            assert a.name in text
            assert a.bound in text
            assert a.summary.split()[0] in words

    def test_kind_or_name(self, monkeypatch):
        names = [a["name"] for a in run_json("algorithms", "start")["algorithms"]]
        assert names == [a.name for a in berge.algorithms("start")]
        (g_pr,) = run_json("algorithms", "g-pr-shr")["algorithms"]
        assert g_pr["devices"] == ["cpu", "cuda"]
        monkeypatch.setenv("COLUMNS", "80")
        assert "all threads · cuda · O(n²·m)" in run("algorithms", "g-pr-shr").stdout
        assert "1 thread · deterministic · O(" in run("algorithms", "ss-dfs").stdout
        assert "did you mean 'g-pr-shr'?" in run("algorithms", "g-pr-shrr", code=2).stderr
