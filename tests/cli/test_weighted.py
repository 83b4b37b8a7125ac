"""``berge weighted``."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
import scipy.sparse

import berge
from berge.cli import exit_codes

from . import invoke

run = partial(invoke.run, "weighted")


@pytest.fixture
def path(tmp_path):
    """A path of 5 vertices; an edge weighs less than nothing."""
    (tmp_path / "path.csv").write_text("0 1 4\n1 2 -5\n2 3 6\n3 4 7\n")
    return tmp_path / "path.csv"


def test_table(path):
    output = run(path).output
    assert "5 vertices, 4 edges" in output
    assert "11  heaviest, proved" in output
    assert "odd set" in output
    assert "lightest of the maximum ones" in run(path, "--max-cardinality", "--minimise").output
    assert "proved" not in run(path, "--no-prove").output


def test_json_and_file(path, tmp_path):
    out = tmp_path / "pairs.npz"
    facts = json.loads(run(path, "--minimise", "--json", "-o", out).stdout)
    assert (facts["weight"], facts["is_optimal"], facts["proved"]) == (-5, True, True)
    assert facts["interval"] == [-5, -5]
    path.write_text("0 1 5\n1 0 3\n")
    assert json.loads(run(path, "--perfect", "--json").stdout)["weight"] == 5
    assert json.loads(run(path, "--perfect", "--minimise", "--json").stdout)["weight"] == 3
    loaded = berge.GeneralMatching.load(out)
    assert (loaded.weight, loaded.pairs().tolist()) == (-5, [[1, 2]])


def test_what_it_wrote_is_verified(path, tmp_path):
    verify = partial(invoke.run, "verify", path)
    out, text = tmp_path / "m.npz", tmp_path / "m.txt"
    for asked in ([], ["--minimise"], ["--max-cardinality", "--minimise"]):
        run(path, *asked, "-o", out)
        facts = json.loads(verify(out, "--json").stdout)
        assert (facts["is_valid"], facts["is_best"]) == (True, True)
    assert "lightest maximum one  yes" in verify(out).output
    arrays = dict(np.load(out))
    np.savez(out, **arrays | {"prices": arrays["prices"] - 1})
    assert "a price is below the floor" in verify(out, code=exit_codes.NOT_MAXIMUM).output
    np.savez(out, **arrays | {"mate": np.array([2, -1, 0, -1, -1])})
    assert "not a neighbour" in verify(out, code=exit_codes.NOT_A_MATCHING).output
    verify(out, "--independent", code=exit_codes.USAGE)
    run(path, "-o", text)
    assert "kept in .npz" in verify(text, code=exit_codes.NOT_MAXIMUM).output


def test_formats(tmp_path):
    matrix = scipy.sparse.coo_array(([3, -2, 9], ([0, 1, 2], [1, 2, 3])), shape=(4, 4))
    scipy.sparse.save_npz(tmp_path / "m.npz", matrix)
    (tmp_path / "m.mtx").write_text(
        "%%MatrixMarket matrix coordinate integer symmetric\n4 4 3\n2 1 3\n3 2 -2\n4 3 9\n"
    )
    (tmp_path / "m.graph").write_text("4 3 1\n2 3\n1 3 3 2\n2 2 4 9\n3 9\n")
    for name in ("m.npz", "m.mtx", "m.graph"):
        for given in (["--perfect"], []):
            facts = json.loads(run(tmp_path / name, *given, "--json").stdout)
            assert (facts["weight"], facts["vertices"]) == (12, 4)
        expected = 2 if name == "m.graph" else -2
        found = berge.maximum_weight_matching(tmp_path / name, minimise=True, maxcardinality=False)
        assert found.weight == min(0, expected)
    (tmp_path / "wide.mtx").write_text(
        "%%MatrixMarket matrix coordinate integer general\n2 3 1\n1 3 5\n"
    )
    result = run(tmp_path / "wide.mtx", code=exit_codes.ERROR)
    assert "square" in result.output


def test_errors_and_limits(path, tmp_path):
    assert "5 is an odd number" in run(path, "--perfect", code=exit_codes.ERROR).output
    n = 2000
    ends, others = np.random.default_rng(0).integers(0, n, (2, 4 * n))
    matrix = scipy.sparse.coo_array((np.ones(4 * n), (ends, others)), shape=(n, n))
    scipy.sparse.save_npz(tmp_path / "m.npz", matrix)
    result = run(tmp_path / "m.npz", "--time-limit", 0, code=exit_codes.TIME_LIMIT)
    assert "at most" in result.output
