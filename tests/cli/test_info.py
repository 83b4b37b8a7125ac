"""``berge info``."""

from __future__ import annotations

import re

import pytest

import berge
from berge import generate

from .invoke import run, run_json


class TestInfo:
    def test_facts(self, tmp_path):
        path = tmp_path / "edges.csv"
        path.write_text("0,0\n0,1\n0,1\n0,3\n2,1\n")
        facts = run_json("info", path)
        assert (facts["rows"], facts["cols"], facts["edges"]) == (3, 4, 5)
        assert facts["duplicates"] == 1
        assert facts["density"] == pytest.approx(4 / 12)
        assert facts["symmetric"] is False
        assert facts["row_degrees"] == {
            "min": 0,
            "average": pytest.approx(5 / 3),
            "max": 4,
            "isolated": 1,
            "histogram": [1, 0, 1],
        }
        assert facts["col_degrees"]["histogram"] == [2, 1]
        assert facts["col_degrees"]["isolated"] == 1
        assert facts["solve_bytes"] > facts["graph_bytes"] > 0
        text = run("info", path).stdout
        assert "1 of them duplicates" in text
        assert re.search(r"isolated +1 row, 1 column", text)
        assert re.search(r"^ +4–7 +1 +█+", text, re.M)

    def test_symmetric(self, tmp_path):
        berge.write(generate.grid(4, 3), tmp_path / "grid.mtx")
        assert run_json("info", tmp_path / "grid.mtx")["symmetric"] is True
        assert re.search(r"symmetric +yes", run("info", tmp_path / "grid.mtx").stdout)

    def test_square_but_not_symmetric(self, tmp_path):
        berge.write(generate.chain(4), tmp_path / "chain.mtx")
        assert run_json("info", tmp_path / "chain.mtx")["symmetric"] is False

    def test_nothing(self, tmp_path):
        berge.write(generate.complete(0, 0), tmp_path / "empty.mtx")
        facts = run_json("info", tmp_path / "empty.mtx")
        assert (facts["rows"], facts["edges"], facts["density"]) == (0, 0, 0.0)
        assert "0 rows × 0 columns" in run("info", tmp_path / "empty.mtx").stdout
