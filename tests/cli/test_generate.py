"""``berge generate``."""

from __future__ import annotations

import pytest

import berge
from berge import generate
from berge.cli import exit_codes

from .invoke import run


class TestGenerate:
    def test_generate_says_what_it_wrote(self, tmp_path):
        path = tmp_path / "g.mtx"
        assert "10 × 10, 19 edges" in run("generate", "chain", "links=10", "-o", path).stderr
        assert run("generate", "chain", "links=10", "-o", path, "-q").output == ""

    def test_names_as_typed(self, tmp_path):
        path = tmp_path / "er.mtx"
        run("generate", "erdos_renyi", "n-rows=1e2", "n_cols=50", "n_edges=70", "-o", path)
        assert berge.read(path).nnz == 70

    @pytest.mark.parametrize("args", [["--list"], ["--help"]])
    def test_list(self, args):
        text = " ".join(run("generate", *args).stdout.split())
        for kind in generate.KINDS.values():
            assert kind.name in text
            for parameter in kind.parameters:
                assert f"{parameter.name}=" in text
        assert "[edges_per_vertex=16]" in text
        assert "[duplicates=no]" in text

    def test_list_one(self):
        text = run("generate", "grid", "--list").stdout
        assert "width=…" in text
        assert "rmat" not in text

    @pytest.mark.parametrize(
        ("args", "says"),
        [
            ([], "which kind?"),
            (["gird", "width=2"], "did you mean 'grid'?"),
            (["xyzzy"], "'xyzzy' is not one of rmat"),
            (["grid", "width=2", "height=2"], "where to?"),
            (["grid", "width=2", "-o", "g.mtx"], "grid needs height"),
            (["grid", "width=two", "height=2", "-o", "g.mtx"], "width must be int, not 'two'"),
            (["grid", "widht=2", "-o", "g.mtx"], "grid has no parameter 'widht'"),
            (["grid", "width", "-o", "g.mtx"], "'width' is not KEY=VALUE"),
            (["grid", "width=2", "width=3", "-o", "g.mtx"], "width is given twice"),
            (["grid", "width=2", "-o", "no/such/g.mtx"], "there is no folder"),
            (["road", "100", "50"], "did you mean width=100 height=50?"),
            (["grid", "--permute", "x"], "'x' is not a valid integer"),
        ],
    )
    def test_wrong_usage(self, args, says):
        assert says in run("generate", *args, code=exit_codes.USAGE).stderr

    def test_generate_to_unknown_suffix(self, tmp_path):
        result = run("generate", "chain", "links=3", "-o", tmp_path / "g.foo", code=1)
        assert "suffix '.foo' tells no format" in result.stderr
