"""``berge greedy``."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse
from click.testing import CliRunner

import berge
from berge.cli import cli, exit_codes


@pytest.fixture
def run():
    def invoke(*args, code=exit_codes.OK):
        result = CliRunner().invoke(cli, ["greedy", *map(str, args)])
        assert result.exit_code == code, (result.output, result.stderr, result.exception)
        return result

    return invoke


@pytest.fixture
def mesh(tmp_path):
    """A grid of 6 × 7 vertices whose edges weigh 1 to 71."""
    grid = np.arange(42).reshape(6, 7)
    ends = np.concatenate([grid[:, :-1].ravel(), grid[:-1].ravel()])
    others = np.concatenate([grid[:, 1:].ravel(), grid[1:].ravel()])
    matrix = scipy.sparse.coo_array((np.arange(1.0, ends.size + 1), (ends, others)), shape=(42, 42))
    scipy.sparse.save_npz(tmp_path / "mesh.npz", matrix)
    return tmp_path / "mesh.npz"


def test_table(run, mesh):
    output = run(mesh, "--threads", 1).output
    assert "42 vertices, 71 edges" in output
    assert "21 pairs  maximal, checked" in output
    assert "single-pass" in output
    assert "weight" not in output
    assert "weight" in run(mesh, "--weights", "--method", "global-paths").output


@pytest.mark.parametrize("method", [a.name for a in berge.algorithms("greedy")])
def test_json(run, mesh, method):
    facts = json.loads(
        run(mesh, "--weights", "-m", method, "--json", "--threads", 1, "--seed", 3).stdout
    )
    expected = berge.greedy_matching(mesh, weights=True, method=method, threads=1, seed=3)
    assert facts["weight"] == expected.weight
    assert facts["size"] == expected.size
    assert facts["is_maximal"] is True
    assert facts["rounds"] == len(facts["matched_fraction"]) == expected.rounds
    assert facts["seconds"]["total"] >= facts["seconds"]["match"]


def test_output(run, mesh, tmp_path):
    run(mesh, "-o", tmp_path / "m.npz", "--threads", 1)
    mate = np.load(tmp_path / "m.npz")["mate"]
    assert np.array_equal(mate, berge.greedy_matching(mesh, threads=1).mate)
    run(mesh, "-o", tmp_path / "m.txt", "--threads", 1)
    pairs = np.loadtxt(tmp_path / "m.txt", dtype=int)
    assert np.array_equal(mate[pairs[:, 0]], pairs[:, 1])
    assert len(pairs) == 21


def test_plot(run, mesh, tmp_path):
    pytest.importorskip("matplotlib")
    for flags in ([], ["--weights"]):
        run(mesh, "--plot", tmp_path / "curves.png", *flags)
        assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
        (tmp_path / "curves.png").unlink()


def test_time_limit(run, mesh, tmp_path):
    result = run(mesh, "--time-limit", 0, "-o", tmp_path / "m.npz", code=exit_codes.TIME_LIMIT)
    assert "not maximal (time limit)" in result.output
    assert (np.load(tmp_path / "m.npz")["mate"] == -1).all()


def test_interrupt(run, mesh, monkeypatch):
    def stop(self):
        raise KeyboardInterrupt

    monkeypatch.setattr("berge.greedy.run.GreedyRun.pause", stop)
    assert "not maximal (interrupted)" in run(mesh, code=exit_codes.INTERRUPTED).output


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--method", "suiter"], "did you mean 'suitor'"),
        (["--p", "1.5"], "0.01<=x<=0.99"),
        (["-o", "x.csv"], "must end in .npz or .txt"),
        (["--time-limit", "-1"], "not a number of seconds"),
    ],
)
def test_usage(run, mesh, args, message):
    assert message in run(mesh, *args, code=exit_codes.USAGE).output


def test_errors(run, mesh, tmp_path):
    assert "no such file" in run(tmp_path / "no.mtx", code=exit_codes.ERROR).stderr
    result = run(mesh, "--device", "cuda", "--method", "sorted", code=exit_codes.ERROR)
    assert "runs on cpu only" in result.stderr
    berge.write(berge.generate.chain(3), tmp_path / "chain.npz")
    assert "no weights" in run(tmp_path / "chain.npz", "--weights", code=exit_codes.ERROR).stderr
