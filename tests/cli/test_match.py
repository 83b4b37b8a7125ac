"""``berge match``."""

from __future__ import annotations

import os
import re
import signal

import pytest

import berge
from berge import generate
from berge.cli import exit_codes

from .invoke import run, run_json


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
        assert "if it counts from 1: --base 1" in run("match", path).stderr
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
        assert "name the columns by --left … and --right …" in run("match", path, code=2).stderr
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


def test_any_graph(tmp_path):
    """Two triangles: perfect as a matrix, but not as a graph."""
    path, output = tmp_path / "g.mtx", tmp_path / "m.txt"
    edges = [(2, 1), (3, 2), (3, 1), (5, 4), (6, 5), (6, 4)]
    lines = ["%%MatrixMarket matrix coordinate pattern symmetric", "6 6 6"]
    path.write_text("\n".join([*lines, *(f"{i} {j}" for i, j in edges)]) + "\n")
    assert "--general" in run("match", path).stdout
    facts = run_json("match", path, "--general", "-o", output)
    assert (facts["cardinality"], facts["odd_parts"], facts["proved"]) == (2, 2, True)
    assert "2 odd parts" in run("match", path, "--general").stdout
    verified = run_json("verify", path, output)
    assert verified["is_maximum"]
    assert verified["odd_parts"] == 2
    output.write_text("# vertices 6 pairs 1 method graft upper_bound 1\n0 1\n")
    refused = run("verify", path, output, code=exit_codes.NOT_MAXIMUM)
    assert "augmenting path" in refused.stdout
    assert "bipartite" in run("info", path).stdout
    run("match", path, "--general", "--algorithm", "pothen-fan", code=2)
    run("match", path, "--general", "--left", "a", code=2)
