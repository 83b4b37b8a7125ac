"""The command line: what it prints, what it writes, and how it exits."""

from __future__ import annotations

import gzip
import http.server
import io
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import threading
import time
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner

import berge
from berge import generate
from berge.cli import cli, exit_codes, program
from berge.cli.display import bar
from berge.results.run import PhaseReport
from berge.solve.progress import ProgressLine
from berge.wording import in_bytes, in_seconds

BERGE = [sys.executable, "-m", "berge"]
COMMANDS = sorted(cli.commands)


def run(*args, code=0):
    """Run a command in this process and check its exit code."""
    result = CliRunner().invoke(cli, [str(a) for a in args], prog_name="berge")
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result


def run_json(*args, code=0):
    result = run(*args, "--json", code=code)
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def thinned_grid(size):
    """A grid without half of its entries."""
    grid = generate.grid(size, size)
    rows = np.repeat(np.arange(grid.n_rows), grid.row_degrees)
    kept = np.random.default_rng(7).random(grid.nnz) < 0.5
    return berge.BipartiteGraph.from_edges(rows[kept], grid.indices[kept], grid.shape)


@pytest.fixture(scope="module")
def mesh(tmp_path_factory):
    """A file whose maximum matching is neither perfect nor found by a start alone."""
    path = tmp_path_factory.mktemp("graphs") / "mesh.mtx"
    berge.write(thinned_grid(40), path)
    return path


@pytest.fixture(scope="module")
def cardinality(mesh):
    """What another library finds."""
    graph = berge.read(mesh)
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    edges = zip(rows.tolist(), (~graph.indices.astype(int)).tolist(), strict=True)
    matched = nx.bipartite.hopcroft_karp_matching(nx.Graph(list(edges)), set(rows.tolist()))
    return len(matched) // 2


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
        codes = {getattr(exit_codes, name) for name in exit_codes.__all__ if name != "MEANINGS"}
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


class TestMatch:
    def test_table(self, mesh, cardinality):
        text = run("match", mesh).stdout
        assert re.search(rf"matching +{cardinality:,}  maximum, proved", text)
        assert "a vertex cover of" in text
        assert "cheap" in text
        assert re.search(r"phases?, .* augmenting paths? \(average", text)
        assert re.search(r"seconds .*import .*read", text)

    def test_perfect(self, tmp_path):
        berge.write(generate.grid(5, 5), tmp_path / "grid.mtx")
        assert re.search(r"25  perfect, proved", run("match", tmp_path / "grid.mtx").stdout)
        unproved = run("match", tmp_path / "grid.mtx", "--no-prove").stdout
        assert "perfect, not proved" in unproved
        assert "cover" not in unproved

    def test_json(self, mesh, cardinality):
        graph = berge.read(mesh)
        facts = run_json("match", mesh)
        assert (facts["rows"], facts["cols"], facts["edges"]) == (*graph.shape, graph.nnz)
        assert facts["cardinality"] == facts["upper_bound"] == cardinality
        assert facts["is_maximum"] is facts["proved"] is True
        assert facts["is_perfect"] is False
        assert facts["cover_rows"] + facts["cover_cols"] == cardinality
        assert facts["unmatched_rows"] == graph.n_rows - cardinality
        assert facts["stopped"] is facts["output"] is None
        assert facts["stats"]["algorithm"] == "mixed"
        assert facts["stats"]["start_cardinality"] <= cardinality
        assert {"read", "prove", "solve", "total"} <= set(facts["seconds"])

    def test_no_prove(self, mesh, cardinality):
        facts = run_json("match", mesh, "--no-prove")
        assert (facts["cardinality"], facts["is_maximum"]) == (cardinality, True)
        assert facts["proved"] is False
        assert facts["cover_rows"] is None

    @pytest.mark.parametrize("algorithm", ["pothen-fan", "hopcroft-karp"])
    def test_options(self, mesh, cardinality, algorithm):
        facts = run_json("match", mesh, "-a", algorithm, "-i", "cheap", "-t", 1, "--seed", 5)
        assert facts["cardinality"] == cardinality
        stats = facts["stats"]
        assert (stats["algorithm"], stats["init"]) == (algorithm, "cheap")
        assert (stats["threads"], stats["seed"]) == (1, 5)

    def test_device(self, mesh, cardinality):
        args = ("match", mesh, "-a", "apfb-gpubfs-wr-ct", "-i", "none", "-t", 2)
        facts = run_json(*args, "--device", "cpu")
        assert facts["proved"]
        assert facts["cardinality"] == cardinality
        assert len(facts["stats"]["launches"]) == facts["stats"]["phases"]
        assert "kernels launched to search" in run(*args).stdout
        refused = run("match", mesh, "-a", "pothen-fan", "--device", "cuda", code=1)
        assert "pothen-fan runs on cpu only" in refused.stderr

    def test_side_and_settings(self, mesh, cardinality):
        facts = run_json(
            "match", mesh, "--side", "cols", "-a", "pothen-fan", "--option", "fairness=false"
        )
        assert facts["cardinality"] == cardinality
        wrong = run("match", mesh, "--option", "alfa=1", code=exit_codes.USAGE)
        assert "alfa" in wrong.stderr
        wrong = run("match", mesh, "--option", "alpha", code=exit_codes.USAGE)
        assert "'alpha' is not KEY=VALUE" in wrong.stderr

    @pytest.mark.parametrize("suffix", [".npz", ".txt", ".json"])
    def test_output_and_warm_start(self, mesh, cardinality, tmp_path, suffix):
        saved = tmp_path / f"matching{suffix}"
        assert str(saved) in "".join(run("match", mesh, "-o", saved).stdout.split())
        berge.verify(mesh, berge.Matching.load(saved))
        assert run_json("verify", mesh, saved)["cardinality"] == cardinality
        again = run_json("match", mesh, "--initial", saved)
        assert again["stats"]["start_cardinality"] == again["cardinality"] == cardinality
        assert again["stats"]["phases"] <= 1

    def test_base(self, tmp_path):
        path = tmp_path / "edges.csv"
        path.write_text("1,1\n1,2\n2,1\n")
        assert run_json("match", path, "--base", 1)["rows"] == 2
        assert run_json("match", path)["rows"] == 3
        path.rename(tmp_path / "edges")
        assert run_json("match", tmp_path / "edges", "--format", "csv")["cardinality"] == 2

    def test_quiet(self, mesh):
        result = run("match", mesh, "--quiet")
        assert result.output == ""

    def test_time_limit(self, mesh, tmp_path, cardinality):
        saved = tmp_path / "best.npz"
        facts = run_json("match", mesh, "--time-limit", 0, "-o", saved, code=exit_codes.TIME_LIMIT)
        assert facts["is_maximum"] is facts["proved"] is False
        assert facts["stopped"] == "time limit"
        assert facts["upper_bound"] >= cardinality
        berge.verify(mesh, berge.Matching.load(saved))
        text = run("match", mesh, "--time-limit", 0, code=exit_codes.TIME_LIMIT).stdout
        assert re.search(r"not proved maximum: at most [\d,]+ \(time limit\)", text)
        assert run_json("match", mesh, "--time-limit", 1e6)["is_maximum"] is True

    @pytest.mark.parametrize("suffix", [".npz", ".txt", ".json"])
    def test_a_stopped_run_leaves_a_larger_matching(self, mesh, tmp_path, cardinality, suffix):
        saved = tmp_path / f"best{suffix}"
        stop = "match", mesh, "--time-limit", 0, "-o", saved
        assert run_json(*stop, code=exit_codes.TIME_LIMIT)["kept"] is None
        assert run_json("match", mesh, "-o", saved)["kept"] is None
        assert run_json(*stop, code=exit_codes.TIME_LIMIT)["kept"] == cardinality
        told = run(*stop, code=exit_codes.TIME_LIMIT)
        assert told.stderr.startswith(f"kept: {saved} has a matching of")
        assert berge.Matching.load(saved).cardinality == cardinality
        # What is none of this shape goes.
        berge.maximum_matching(generate.complete(3, 3)).save(saved)
        assert run_json(*stop, code=exit_codes.TIME_LIMIT)["kept"] is None
        assert berge.Matching.load(saved).n_rows > 3

    def test_a_stopped_run_leaves_more_pairs_of_labels(self, tmp_path):
        path, saved = tmp_path / "jobs.csv", tmp_path / "pairs.tsv"
        path.write_text("who,job\nann,cook\nbob,cook\nbob,sew\n")
        columns = "match", path, "--left", "who", "--right", "job", "-o", saved
        run_json(*columns)
        stop = *columns, "--time-limit", 0
        assert run_json(*stop, code=exit_codes.TIME_LIMIT)["kept"] == 2
        assert saved.read_text() == "who\tjob\nann\tcook\nbob\tsew\n"
        for other in ("who\tjob\neve\tcook\n", "who\tjob\nann\tcook\nann\tsew\n", "", "x\n"):
            saved.write_text(other)
            assert run_json(*stop, code=exit_codes.TIME_LIMIT)["kept"] is None

    def test_parquet_columns(self, tmp_path):
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        path, saved = tmp_path / "edges.parquet", tmp_path / "m.npz"
        table = {"w": [0.5, 1.5, 2.5], "item": [1, 1, 2], "user": [1, 2, 2]}
        parquet.write_table(pyarrow.table(table), path)
        columns = "--left", "user", "--right", "item", "--base", 1
        assert run_json("match", path, *columns, "-o", saved)["cardinality"] == 2
        assert run_json("verify", path, saved, *columns)["is_perfect"] is True
        assert run_json("info", path, *columns)["edges"] == 3
        run("convert", path, tmp_path / "edges.npz", *columns)
        assert "--left" in run("match", path, code=exit_codes.ERROR).stderr
        wrong = run("match", path, "--left", "users", code=exit_codes.USAGE).stderr
        assert "the columns are 'w', 'item', 'user'" in wrong

    @pytest.mark.parametrize("moment", ["berge.files.read", "berge.solve.maximum.maximum_matching"])
    def test_interrupted_before_there_is_a_matching(self, mesh, tmp_path, monkeypatch, moment):
        def interrupt(*args, **kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr(moment, interrupt)
        result = run("match", mesh, "-o", tmp_path / "m.npz", code=exit_codes.INTERRUPTED_BEFORE)
        assert result.stderr == "interrupted\n"
        assert not (tmp_path / "m.npz").exists()

    def test_interrupted_while_proving(self, mesh, tmp_path, cardinality, monkeypatch):
        def interrupt(self, graph):
            raise KeyboardInterrupt

        monkeypatch.setattr(berge.Matching, "prove", interrupt)
        saved = tmp_path / "m.npz"
        facts = run_json("match", mesh, "-o", saved, code=exit_codes.INTERRUPTED)
        assert facts["proved"] is False
        assert facts["stopped"] == "interrupted"
        assert berge.Matching.load(saved).cardinality == cardinality

    def test_a_failing_proof_leaves_the_file(self, mesh, tmp_path, monkeypatch):
        def fail(self, graph):
            raise berge.ProofError("not so")

        monkeypatch.setattr(berge.Matching, "prove", fail)
        result = run("match", mesh, "-o", tmp_path / "m.npz", code=exit_codes.ERROR)
        assert result.stderr == "error: not so\n"
        assert (tmp_path / "m.npz").exists()

    def test_interrupts_are_held_while_writing(self, mesh, tmp_path, monkeypatch):
        save = berge.Matching.save

        def save_interrupted(self, path):
            os.kill(os.getpid(), signal.SIGINT)
            save(self, path)

        monkeypatch.setattr(berge.Matching, "save", save_interrupted)
        run("match", mesh, "-o", tmp_path / "m.npz")
        assert (tmp_path / "m.npz").exists()


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
        ],
    )
    def test_bad_options(self, mesh, args, says):
        result = run("match", mesh, *args, code=exit_codes.USAGE)
        assert result.stdout == ""
        assert result.stderr.startswith("Usage: berge match")
        assert says in result.stderr

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
        assert re.match(r"warning: threads=1000, but numba was started with \d+", result.stderr)

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


class TestGenerateAndConvert:
    def test_round_trip(self, tmp_path):
        """What is generated, converted, matched and verified stays the same graph."""
        first = tmp_path / "road.mtx"
        run("generate", "road", "width=20", "height=15", "seed=4", "--permute", 2, "-o", first)
        expected = generate.permute(generate.road(20, 15, seed=4), seed=2)
        cardinality = berge.maximum_matching(expected).cardinality
        for name in ("road.csv", "road.npz", "road.gr.gz", "again.mtx.xz"):
            second = tmp_path / name
            result = run("convert", first, second)
            assert result.stdout == ""
            assert result.stderr.startswith(f"wrote: {second}: ")
            matched = run_json("match", second, "-o", tmp_path / "m.npz")
            assert (matched["edges"], matched["cardinality"]) == (expected.nnz, cardinality)
            assert run_json("verify", second, tmp_path / "m.npz")["is_maximum"] is True
            first = second
        graph = berge.read(first)
        assert (graph.indptr == expected.indptr).all()
        assert (graph.indices == expected.indices).all()

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
            (["grid", "--permute", "x"], "'x' is not a valid integer"),
        ],
    )
    def test_wrong_usage(self, args, says):
        assert says in run("generate", *args, code=exit_codes.USAGE).stderr

    def test_generate_to_unknown_suffix(self, tmp_path):
        result = run("generate", "chain", "links=3", "-o", tmp_path / "g.foo", code=1)
        assert "suffix '.foo' tells no format" in result.stderr

    def test_convert_by_name_of_format(self, tmp_path):
        (tmp_path / "a.dat").write_text("1,1\n2,1\n")
        run("convert", tmp_path / "a.dat", tmp_path / "b.dat", "--from", "csv", "--to", "mtx", "-q")
        run("convert", tmp_path / "a.dat", tmp_path / "c.mtx", "--from", "csv", "--base", 1, "-q")
        assert berge.read(tmp_path / "b.dat", format="mtx").shape == (3, 2)
        assert berge.read(tmp_path / "c.mtx").shape == (2, 1)


class _Collection(http.server.BaseHTTPRequestHandler):
    """A collection with one matrix."""

    def do_GET(self):
        if self.path != "/MM/HB/tiny.tar.gz":
            self.send_error(404)
            return
        text = b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"
        plain = io.BytesIO()
        with tarfile.open(fileobj=plain, mode="w") as tar:
            member = tarfile.TarInfo("tiny/tiny.mtx")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
        body = gzip.compress(plain.getvalue())
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class TestFetch:
    @pytest.fixture
    def url(self):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Collection) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            yield f"http://127.0.0.1:{server.server_address[1]}"
            server.shutdown()
            thread.join()

    def test_prints_the_path_alone(self, tmp_path, url):
        result = run("fetch", "HB/tiny", "--cache", tmp_path, "--url", url)
        path = Path(result.stdout.rstrip("\n"))
        assert path.is_relative_to(tmp_path)
        assert berge.read(path).nnz == 1
        assert result.stderr == ""

    def test_bar_on_a_terminal(self, tmp_path, url, monkeypatch):
        monkeypatch.setattr("berge.cli.fetch.sys", _TerminalSys())
        result = run("fetch", "HB/tiny", "--cache", tmp_path, "--url", url)
        assert Path(result.stdout.rstrip("\n")).is_file()

    def test_errors(self, tmp_path, url):
        where = ["--cache", tmp_path, "--url", url]
        assert "no such matrix: HB/x" in run("fetch", "HB/x", *where, code=1).stderr
        assert "GROUP/NAME" in run("fetch", "tiny", *where, code=1).stderr


class _TerminalSys:
    """Stands for sys where stderr is a terminal."""

    class stderr:  # noqa: N801 (an attribute of sys)
        @staticmethod
        def isatty():
            return True


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


class TestWarmup:
    def test_says_what_it_did(self):
        """After a first time everything is in the cache."""
        assert re.match(r"ready: .*(compiled|cache)", run("warmup").stderr)
        done = subprocess.run(
            [*BERGE, "warmup"], capture_output=True, text=True, check=True, timeout=300
        )
        assert re.match(r"ready: everything was in the cache; loaded in ", done.stderr)
        assert done.stdout == ""

    def test_small_graphs_too(self, monkeypatch):
        """These have a kernel of their own."""
        from berge.cli import warmup
        from berge.solve import small as at_once

        called, begin = [], at_once.begin_small
        monkeypatch.setattr(at_once, "begin_small", lambda *a: called.append(1) or begin(*a))
        warmup._use_kernels(False)
        assert called

    def test_all(self, monkeypatch):
        asked = set()
        monkeypatch.setattr("berge.cli.warmup._use_kernels", asked.add)
        run("warmup", "--all")
        assert asked == {True}

    def test_all_uses_everything(self, monkeypatch):
        from berge.cli import warmup

        asked = set()

        def solve(graph, algorithm, init, threads, initial=None):
            asked.add((algorithm, init))
            return berge.maximum_matching(graph, time_limit=0)

        monkeypatch.setattr(berge.Matching, "prove", lambda self, graph: None)
        monkeypatch.setattr(warmup, "_solve", solve)
        warmup._use_kernels(True)
        pairs = {
            (e.name, s.name) for e in berge.algorithms("exact") for s in berge.algorithms("start")
        }
        assert pairs <= asked


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

        case = _Case("", "", "", lambda: generate.chain(1), cardinality=5, seconds=0.03)
        assert _scipy_cells(case, 10.0) == ("no answer within 10 s", "over 330×")
        case.scipy_seconds, case.scipy_cardinality = 0.3, 5
        assert _scipy_cells(case, 10.0) == ("0.300 s", "10× as long")
        case.scipy_seconds = 0.015
        assert _scipy_cells(case, 10.0) == ("0.015 s", "scipy is 2× faster")
        case.scipy_cardinality = 4
        assert _scipy_cells(case, 10.0) == ("0.015 s", "found 4!")


class TestProgressLine:
    REPORT = PhaseReport("search", 3, 1234, 2000, 4.1)

    def test_forwards_every_report(self, capsys):
        got = []
        with ProgressLine(got.append) as show:
            for _ in range(5):
                show(self.REPORT)
        assert got == [self.REPORT] * 5
        assert capsys.readouterr() == ("", "")

    def test_plain_lines_every_two_seconds(self, capsys, monkeypatch):
        clock = [0.0]
        monkeypatch.setattr("berge.solve.progress.time.perf_counter", lambda: clock[0])
        with ProgressLine() as show:
            for tenth in range(51):
                clock[0] = tenth / 10
                show(self.REPORT)
        line = "berge: search, phase 3: matched 1,234 of at most 2,000 (61.70%), 4.1 s\n"
        assert capsys.readouterr() == ("", 2 * line)

    def test_empty_graph(self, capsys, monkeypatch):
        monkeypatch.setattr("berge.solve.progress._SECONDS_BETWEEN_LINES", 0.0)
        with ProgressLine() as show:
            show(PhaseReport("init", 0, 0, 0, 0.0))
        assert "matched 0 of at most 0" in capsys.readouterr().err

    def test_bar_on_a_terminal(self, monkeypatch):
        screen = _Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "100")
        got = []
        with ProgressLine(got.append) as show:
            show(PhaseReport("init", 0, 10, 2000, 0.1))
            deadline = time.monotonic() + 30
            while "phase 3" not in screen.getvalue() and time.monotonic() < deadline:
                show(self.REPORT)
                time.sleep(0.01)
        assert "1,234 / 2,000" in screen.getvalue()
        assert len(got) > 1
        # Gone when it is over: the last thing done is to clear the line.
        assert screen.getvalue().endswith("\x1b[2K")

    def test_dumb_terminal(self, monkeypatch):
        screen = _Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setenv("TERM", "dumb")
        with ProgressLine() as show:
            show(self.REPORT)
        assert screen.getvalue() == ""

    def test_in_a_solve(self, mesh):
        got = []
        m = berge.maximum_matching(berge.read(mesh), progress=True, on_phase=got.append)
        assert got[-1].cardinality == m.cardinality


class _Terminal(io.StringIO):
    def isatty(self):
        return True


class TestDisplay:
    def test_bar(self):
        assert bar(1, 3) == "███"
        assert len(bar(0.37, 10)) == 10

    def test_seconds(self):
        assert [in_seconds(s) for s in (0.00012, 0.5, 12.34, 1234.5)] == [
            "0.000 s",
            "0.500 s",
            "12.3 s",
            "1,234 s",
        ]

    def test_bytes(self):
        assert [in_bytes(b) for b in (5, 2048, 3 << 20, 5 << 40)] == [
            "5 bytes",
            "2 KB",
            "3 MB",
            "5 TB",
        ]


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
