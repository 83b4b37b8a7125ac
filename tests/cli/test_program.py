"""The program as a whole: help, errors, exit codes, pipes and terminals."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

import berge
from berge.cli import cli, exit_codes, program

from .invoke import BERGE, run

COMMANDS = sorted(name for commands in cli.sections.values() for name in commands)


class TestHelp:
    def test_sections_and_exit_codes(self):
        text = run("--help").stdout
        assert re.search(r"^Matchings:$", text, re.M)
        assert re.search(r"^Examples:$", text, re.M)
        for command in COMMANDS:
            assert re.search(rf"^  {command} +\S", text, re.M)
        for code in exit_codes.MEANINGS:
            assert re.search(rf"^  {code} ", text, re.M)

    def test_exit_codes_are_all_explained(self):
        codes = {value for value in vars(exit_codes).values() if type(value) is int}
        assert codes == set(exit_codes.MEANINGS)

    @pytest.mark.parametrize("command", COMMANDS)
    def test_every_command_has_examples(self, command):
        text = run(command, "--help").stdout
        assert re.search(rf"^Examples:\n  berge {command}", text, re.M)
        assert run(command, "-h").stdout == text

    def test_version(self):
        assert berge.__version__ in run("--version").stdout

    def test_unknown_command(self):
        assert "No such command 'mach'" in run("mach", code=exit_codes.USAGE).stderr

    @pytest.mark.parametrize("args", [["--help"], ["algorithms"], ["match", "--help"]])
    def test_quick(self, args):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "berge", *args],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert "berge.cli" in imported
        assert not imported & {"numpy", "scipy", "numba"}


class TestErrors:
    def test_missing_file(self, tmp_path):
        result = run("match", tmp_path / "nope.mtx", "--json", code=exit_codes.ERROR)
        assert result.stdout == ""
        assert result.stderr == f"error: {tmp_path / 'nope.mtx'}: no such file or directory\n"

    def test_folder(self, tmp_path):
        assert "is a folder" in run("info", tmp_path, code=exit_codes.ERROR).stderr

    def test_unknown_suffix(self, tmp_path):
        path = tmp_path / "graph.foo"
        path.write_text("1 1\n")
        result = run("info", path, code=exit_codes.ERROR)
        assert re.match(r"error: .*graph\.foo: suffix '\.foo' tells no format", result.stderr)
        assert result.stderr.count("\n") == 1

    def test_broken_file(self, tmp_path):
        path = tmp_path / "graph.mtx"
        path.write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n5 1\n")
        assert re.match(r"error: .*graph\.mtx, line 3: ", run("match", path, code=1).stderr)

    def test_debug_shows_the_traceback(self, tmp_path):
        result = run("--debug", "match", tmp_path / "nope.mtx", code=exit_codes.ERROR)
        assert isinstance(result.exception, FileNotFoundError)
        result = run("--debug", "fetch", "nope", code=exit_codes.ERROR)
        assert isinstance(result.exception, berge.FetchError)

    @pytest.mark.parametrize(
        ("args", "says"),
        [
            (["-a", "hopcroft"], "did you mean 'hopcroft-karp'?"),
            (["-i", "karp-siper"], "did you mean 'karp-sipser'?"),
            (["-a", "cheap"], "algorithm 'cheap' is not one of auto, "),
            (["-t", "0"], "0 is not in the range"),
            (["-t", "many"], "'many' is not a valid integer"),
            (["--seed", "-1"], "-1 is not in the range"),
            (["--base", "2"], "'2' is not one of '0', '1'"),
            (["--base", "1"], "has a base of its own"),
            (["--time-limit", "nan"], "nan is not a number of seconds"),
            (["--time-limit", "-1"], "-1.0 is not a number of seconds"),
            (["--format", "foo"], "format must be one of matrix-market"),
            (["-o", "m.foo"], "'m.foo' must end in .npz, .txt or .json"),
            (["-o", "no/such/m.npz"], "there is no folder"),
            (["--what"], "No such option"),
            (["--device", "gpu"], "did you mean 'cuda'?"),
            (["--weights"], "no option --weights; the best by weight is found by `berge assign`"),
            (["-a", "suitor"], "that is for --method of `berge greedy`"),
        ],
    )
    def test_bad_options(self, mesh, args, says):
        result = run("match", mesh, *args, code=exit_codes.USAGE)
        assert result.stdout == ""
        assert result.stderr.startswith("Usage: berge match")
        assert says in result.stderr

    def test_advice_names_options_of_the_command(self, tmp_path):
        (tmp_path / "a.blob").write_text("hello")
        said = run("match", tmp_path / "a.blob", code=exit_codes.ERROR).stderr
        assert said.endswith("or give --format\n")
        said = run("convert", tmp_path / "a.blob", "-", code=exit_codes.ERROR).stderr
        assert said.endswith("or give --from\n")
        said = run("convert", tmp_path / "a.mtx", "a.blob", code=exit_codes.USAGE).stderr
        assert said.endswith("or give --to\n")

    def test_completion(self):
        assert run("completion", "fish").stdout.startswith("function _berge_completion")
        asked = {"COMP_WORDS": "berge match -a ms-bfs-", "COMP_CWORD": "3"}
        asked["_BERGE_COMPLETE"] = "bash_complete"
        done = CliRunner().invoke(cli, [], prog_name="berge", env=asked)
        assert "ms-bfs-graft" in done.stdout

    def test_output_is_a_folder(self, mesh, tmp_path):
        (tmp_path / "m.npz").mkdir()
        result = run("match", mesh, "-o", tmp_path / "m.npz", code=exit_codes.USAGE)
        assert "is a folder" in result.stderr

    def test_initial_of_another_graph(self, mesh, tmp_path):
        berge.Matching([0], [0], upper_bound=1).save(tmp_path / "m.npz")
        result = run("match", mesh, "--initial", tmp_path / "m.npz", code=exit_codes.ERROR)
        assert "initial is not a matching of the graph" in result.stderr

    @pytest.mark.parametrize(
        ("error", "says"),
        [
            (MemoryError("8 GB"), "error: out of memory (8 GB)"),
            (MemoryError(), "error: out of memory"),
            (OSError(28, "No space left on device"), "error: no space left on device"),
            (TypeError("odd"), "error: TypeError: odd (not expected; --debug shows where)"),
        ],
    )
    def test_one_line_for_anything(self, mesh, monkeypatch, error, says):
        def fail(*args, **settings):
            raise error

        monkeypatch.setattr("berge.files.read", fail)
        assert run("info", mesh, code=exit_codes.ERROR).stderr == says + "\n"

    def test_warnings_are_lines(self, mesh):
        with program._warnings_as_lines():
            result = run("match", mesh, "-t", 1000, "-q")
        assert re.match(r"warning: --threads 1000, but numba was started with \d+", result.stderr)

    @pytest.mark.parametrize("args", [["algorithms"], ["algorithms", "--json"], ["--help"]])
    def test_closed_pipe(self, args):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = subprocess.run(
                [*BERGE, *args], stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120
            )
        finally:
            os.close(writer)
        assert done.stderr == ""


def test_module_run(mesh, cardinality, tmp_path):
    """The whole way as a user goes it, in a process of its own."""
    done = subprocess.run(
        [*BERGE, "match", str(mesh), "--json", "-o", str(tmp_path / "m.txt"), "--progress"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == exit_codes.OK, done.stderr
    assert json.loads(done.stdout)["cardinality"] == cardinality
    assert berge.Matching.load(tmp_path / "m.txt").cardinality == cardinality


def test_ascii_terminal(mesh):
    """Characters that a terminal does not have are no reason to fail."""
    done = subprocess.run(
        [*BERGE, "info", str(mesh)],
        capture_output=True,
        check=True,
        timeout=300,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert b"rows ? " in done.stdout
