"""``berge verify``."""

from __future__ import annotations

import re

import pytest

import berge
from berge.cli import exit_codes

from .invoke import run, run_json


class TestVerify:
    @pytest.fixture
    def files(self, tmp_path):
        """A graph with a maximum matching of 2, and what it is matched by."""
        graph = berge.BipartiteGraph([0, 2, 3, 4], [0, 1, 0, 0], (3, 3))
        berge.write(graph, tmp_path / "graph.mtx")

        def save(row_match, col_match):
            path = tmp_path / "matching.npz"
            berge.Matching(row_match, col_match, upper_bound=3).save(path)
            return tmp_path / "graph.mtx", path

        return save

    def test_maximum(self, files):
        pair = files([1, 0, -1], [1, 0, -1])
        facts = run_json("verify", *pair)
        assert facts["is_valid"] is facts["is_maximum"] is True
        assert facts["is_perfect"] is False
        assert facts["cover_rows"] + facts["cover_cols"] == facts["cardinality"] == 2
        text = run("verify", *pair).stdout
        assert re.search(r"valid +yes\s+maximum +yes\s+proof", text)

    def test_not_maximum(self, files):
        pair = files([0, -1, -1], [0, -1, -1])
        facts = run_json("verify", *pair, code=exit_codes.NOT_MAXIMUM)
        assert (facts["is_valid"], facts["is_maximum"]) == (True, False)
        assert "augmenting path" in facts["reason"]
        text = run("verify", *pair, code=exit_codes.NOT_MAXIMUM).stdout
        assert re.search(r"valid +yes\s+maximum +no\s+because +not maximum", text)

    def test_not_an_edge(self, files):
        pair = files([2, -1, -1], [-1, -1, 0])
        facts = run_json("verify", *pair, code=exit_codes.NOT_A_MATCHING)
        assert facts["is_valid"] is facts["is_maximum"] is False
        assert "row 0 is matched to column 2" in facts["reason"]
        text = run("verify", *pair, code=exit_codes.NOT_A_MATCHING).stdout
        assert re.search(r"valid +no\s+because +row 0 is matched to column 2", text)

    def test_another_size(self, files):
        facts = run_json("verify", *files([0], [0]), code=exit_codes.NOT_A_MATCHING)
        assert "1 × 1" in facts["reason"]

    def test_contradictory_file(self, files, tmp_path):
        graph, _ = files([0], [0])
        (tmp_path / "m.txt").write_text("# rows 3 cols 3 matched 2 upper_bound 3\n0 0\n0 1\n")
        pair = graph, tmp_path / "m.txt"
        facts = run_json("verify", *pair, code=exit_codes.NOT_A_MATCHING)
        assert facts["cardinality"] is None
        text = run("verify", *pair, code=exit_codes.NOT_A_MATCHING).stdout
        assert "row 0 is matched twice" in " ".join(text.split())

    def test_not_a_matching_file(self, files, tmp_path):
        graph, _ = files([0], [0])
        (tmp_path / "m.txt").write_text("what\n")
        assert "error: " in run("verify", graph, tmp_path / "m.txt", code=exit_codes.ERROR).stderr
