"""``berge greedy``."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
import scipy.sparse

import berge
from berge.cli import exit_codes

from . import invoke

run = partial(invoke.run, "greedy")


@pytest.fixture
def mesh(tmp_path):
    """A grid of 6 × 7 vertices whose edges weigh 1 to 71."""
    grid = np.arange(42).reshape(6, 7)
    ends = np.concatenate([grid[:, :-1].ravel(), grid[:-1].ravel()])
    others = np.concatenate([grid[:, 1:].ravel(), grid[1:].ravel()])
    matrix = scipy.sparse.coo_array((np.arange(1.0, ends.size + 1), (ends, others)), shape=(42, 42))
    scipy.sparse.save_npz(tmp_path / "mesh.npz", matrix)
    return tmp_path / "mesh.npz"


def test_table(mesh):
    output = run(mesh, "--threads", 1).output
    assert "42 vertices, 71 edges" in output
    assert "21 pairs  maximal, checked" in output
    assert "single-pass" in output
    assert "weight" not in output
    assert "weight" in run(mesh, "--weights", "--method", "global-paths").output


@pytest.mark.parametrize("method", [a.name for a in berge.algorithms("greedy")])
def test_json(mesh, method):
    facts = json.loads(
        run(mesh, "--weights", "-m", method, "--json", "--threads", 1, "--seed", 3).stdout
    )
    expected = berge.greedy_matching(mesh, weights=True, method=method, threads=1, seed=3)
    assert facts["weight"] == expected.weight
    assert facts["size"] == expected.size
    assert facts["is_maximal"] is True
    assert facts["rounds"] == len(facts["matched_fraction"]) == expected.rounds
    assert facts["seconds"]["total"] >= facts["seconds"]["match"]


def test_output(mesh, tmp_path):
    run(mesh, "-o", tmp_path / "m.npz", "--threads", 1)
    mate = np.load(tmp_path / "m.npz")["mate"]
    assert np.array_equal(mate, berge.greedy_matching(mesh, threads=1).mate)
    run(mesh, "-o", tmp_path / "m.txt", "--threads", 1)
    pairs = np.loadtxt(tmp_path / "m.txt", dtype=int)
    assert np.array_equal(mate[pairs[:, 0]], pairs[:, 1])
    assert len(pairs) == 21


@pytest.mark.parametrize("name", ["m.npz", "m.txt"])
@pytest.mark.parametrize("flags", [[], ["--weights"]])
def test_verify(mesh, tmp_path, name, flags):
    def verify(graph, code):
        shown = invoke.run("verify", graph, saved, code=code).output
        return shown, invoke.run_json("verify", graph, saved, code=code)

    saved = tmp_path / name
    expected = json.loads(run(mesh, "-o", saved, "--json", *flags).stdout)
    shown, facts = verify(mesh, exit_codes.OK)
    assert facts["is_valid"]
    assert facts["is_maximal"]
    assert (facts["size"], facts["weight"]) == (expected["size"], expected["weight"])
    assert f"{expected['size']} pairs" in shown
    assert ("weight" in shown) == bool(flags)
    run(mesh, "-o", saved, "--time-limit", 0, code=exit_codes.TIME_LIMIT)
    shown, facts = verify(mesh, exit_codes.NOT_MAXIMUM)
    assert facts["is_valid"]
    assert "two unmatched ends" in shown
    (tmp_path / "other.txt").write_text("0 1\n")
    shown, facts = verify(tmp_path / "other.txt", exit_codes.NOT_A_MATCHING)
    assert "is for 42 vertices, the graph has 2" in facts["reason"]
    if name == "m.txt":
        saved.write_text("# vertices 42 pairs 2\n0 1\n1 2\n")
        assert "matched twice" in verify(mesh, exit_codes.NOT_A_MATCHING)[1]["reason"]


def test_edge_list_need_not_be_square(tmp_path):
    (tmp_path / "one.txt").write_text("1 2 2\n2 3 3\n")
    for flags, weight in ([], 1), (["--weights"], 3):
        facts = json.loads(run(tmp_path / "one.txt", "--base", 1, "--json", *flags).stdout)
        assert (facts["vertices"], facts["edges"], facts["weight"]) == (3, 2, weight)


def test_plot(mesh, tmp_path):
    pytest.importorskip("matplotlib")
    for flags in ([], ["--weights"]):
        run(mesh, "--plot", tmp_path / "curves.png", *flags)
        assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
        (tmp_path / "curves.png").unlink()


def test_plot_is_of_proposals(mesh, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "curves.png"
    drawn = run(mesh, "--plot", picture, "-m", "proposals", "--p", 0.3).output
    assert "for proposals" in drawn
    picture.unlink()
    refused = run(mesh, "--plot", picture, "-m", "suitor", code=exit_codes.USAGE).output
    assert "--method must be auto, proposals or weighted-proposals" in " ".join(refused.split())
    scipy.sparse.save_npz(tmp_path / "empty.npz", scipy.sparse.coo_array((3, 3)))
    result = run(tmp_path / "empty.npz", "--plot", picture, code=exit_codes.ERROR)
    assert "empty has no edges: there is nothing to draw" in result.stderr
    assert not picture.exists()


def test_one_vertex_is_no_vertices(tmp_path):
    scipy.sparse.save_npz(tmp_path / "one.npz", scipy.sparse.coo_array((1, 1)))
    output = run(tmp_path / "one.npz").output
    assert "1 vertex, 0 edges" in output
    assert "1 vertex (100.0%)" in output


def test_time_limit(mesh, tmp_path):
    result = run(mesh, "--time-limit", 0, "-o", tmp_path / "m.npz", code=exit_codes.TIME_LIMIT)
    assert "not maximal (time limit)" in result.output
    assert (np.load(tmp_path / "m.npz")["mate"] == -1).all()


def test_interrupt(mesh, monkeypatch):
    def stop(self):
        raise KeyboardInterrupt

    monkeypatch.setattr("berge.results.greedy_run.GreedyRun.pause", stop)
    assert "not maximal (interrupted)" in run(mesh, code=exit_codes.INTERRUPTED).output


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--method", "suiter"], "did you mean 'suitor'"),
        (["--p", "1.5"], "0.01<=x<=0.99"),
        (["--p", "0.5", "-m", "suitor"], "p is for proposals and weighted-proposals; suitor"),
        (["-o", "x.md"], "must end in .npz, .txt, .csv, .tsv or .parquet"),
        (["--plot", "x.txt"], "must end in .png, .svg or .pdf"),
        (["--time-limit", "-1"], "not a number of seconds"),
    ],
)
def test_usage(mesh, args, message):
    assert message in run(mesh, *args, code=exit_codes.USAGE).output


def test_errors(mesh, tmp_path):
    assert "no such file" in run(tmp_path / "no.mtx", code=exit_codes.ERROR).stderr
    result = run(mesh, "--device", "cuda", "--method", "sorted", code=exit_codes.ERROR)
    assert "runs on cpu only" in result.stderr
    berge.write(berge.generate.chain(3), tmp_path / "chain.npz")
    assert "no weights" in run(tmp_path / "chain.npz", "--weights", code=exit_codes.ERROR).stderr


def test_two_lists(tmp_path, monkeypatch):
    """Parquet in, a row a pair out, and how far it is from the best."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    frame = pandas.DataFrame({"a": [1, 1, 4], "b": ["x", "y", "y"], "score": [4.0, 5.0, 4.5]})
    frame.to_parquet("pairs.parquet")
    asked = ["greedy", "pairs.parquet", "--left", "a", "--right", "b", "--score", "score"]
    found = invoke.run_json(*asked, "--prove", "-o", "links.parquet")
    assert (found["size"], found["weight"]) == (1, 5.0)
    assert found["upper_bound"] >= 8.5
    assert pandas.read_parquet("links.parquet").to_dict("list") == {
        "a": [1], "b": ["y"], "score": [5.0],
    }  # fmt: skip
    shown = " ".join(invoke.run(*asked, "--prove").output.split())
    assert "of the heaviest: no matching weighs more than" in shown
    invoke.run(*asked, "-o", "links.txt", code=2)
    invoke.run(*asked, "--weights", code=2)
    invoke.run("greedy", "pairs.parquet", "--score", "score", code=2)
