"""``berge decompose``, and what it writes."""

from __future__ import annotations

import json
import sys
from functools import partial

import numpy as np
import pytest

import berge
from berge import generate

from . import invoke

run = partial(invoke.run, "decompose")
run_json = partial(invoke.run_json, "decompose")


@pytest.fixture
def singular(tmp_path):
    """A matrix with all three parts."""
    path = tmp_path / "singular.mtx"
    berge.write(generate.erdos_renyi(40, 40, 78, seed=8), path)
    return path


def test_table(singular):
    text = run(singular).stdout
    assert "40 rows × 40 columns, 78 entries" in text
    assert "34 of 40  structurally singular" in text
    assert "13 rows have entries in only 7 columns" in text
    assert "22 irreducible blocks: 22 of 1 × 1" in text
    lines = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.split()}
    assert lines["underdetermined"] == ["5", "11", "12", "6", "columns"]
    assert lines["square"][:3] == ["22", "22", "40"]
    assert lines["overdetermined"] == ["13", "7", "14", "6", "rows"]
    assert lines["between"] == ["them", "12"]


def test_json(singular):
    facts = run_json(singular)
    dm = berge.dulmage_mendelsohn(berge.read(singular))
    assert facts["structural_rank"] == dm.structural_rank
    assert facts["singular"] is True
    assert facts["blocks"] == dm.row_blocks.size - 1
    assert facts["square_blocks"] == dm.n_square_blocks
    assert facts["block_sizes"] == [{"size": 1, "blocks": 22}]
    assert facts["written"] == []
    entries = sum(part["entries"] for part in facts["parts"].values())
    assert entries + facts["entries_between_parts"] == facts["edges"] == 78


@pytest.mark.parametrize(
    ("matrix", "rank", "reason"),
    [
        (np.eye(3), "3 of 3  full", None),
        (np.ones((2, 5)), "2 of 2  full", None),
        ([[1, 1], [0, 0]], "1 of 2  structurally singular", "1 row has no entry"),
        ([[1, 0], [1, 0], [1, 0]], "1 of 2  structurally singular", "1 column has no entry"),
        (np.zeros((0, 0)), "0 of 0  full", None),
    ],
)
def test_rank_and_reason(tmp_path, matrix, rank, reason):
    path = tmp_path / "matrix.npz"
    berge.write(berge.as_bipartite(np.array(matrix)), path)
    assert rank in run(path).stdout
    facts = run_json(path)
    assert facts["reason"] == reason
    assert facts["singular"] is (reason is not None)


def test_sizes_of_blocks(tmp_path):
    path = tmp_path / "jacobian.npz"
    berge.write(generate.jacobian(600, 6, 14), path)
    text = " ".join(run(path).stdout.split())
    assert "360 irreducible blocks: 20 × 20, 17 of 14 × 14, 342 of 1 × 1" in text
    assert "360 irreducible blocks: 20 × 20, …" in " ".join(run(path, "--sizes", 1).stdout.split())
    assert run_json(path, "--sizes", 0)["block_sizes"] == []


def test_output_and_permuted_matrix(singular, tmp_path):
    graph = berge.read(singular)
    npz, text, permuted = tmp_path / "order.npz", tmp_path / "order.json", tmp_path / "p.mtx.gz"
    assert run_json(singular, "-o", npz, "--permuted", permuted)["written"] == [
        str(npz),
        str(permuted),
    ]
    run(singular, "-o", text)
    with np.load(npz) as stored:
        arrays = dict(stored)
    lists = json.loads(text.read_text())
    assert set(arrays) == set(lists)
    for name in arrays:
        assert arrays[name].tolist() == lists[name]
    dm = berge.dulmage_mendelsohn(graph)
    assert np.array_equal(arrays["row_order"], dm.row_order)
    assert np.array_equal(arrays["col_blocks"], dm.col_blocks)
    expected = graph.to_scipy().toarray()[dm.row_order][:, dm.col_order]
    assert np.array_equal(berge.read(permuted).to_scipy().toarray(), expected)


def test_a_saved_matching(singular, tmp_path):
    path = tmp_path / "matching.txt"
    berge.maximum_matching(berge.read(singular), algorithm="pothen-fan").save(path)
    found, expected = run_json(singular, "--matching", path), run_json(singular)
    assert found["parts"] == expected["parts"]
    berge.Matching([-1] * 40, [-1] * 40, upper_bound=40).save(path)
    assert "not a maximum one" in run(singular, "--matching", path, code=1).stderr


@pytest.mark.parametrize(
    ("option", "name", "message"),
    [
        ("--output", "order.txt", "must end in .npz or .json"),
        ("--plot", "picture.bmp", "must end in .png, .svg or .pdf"),
        ("--permuted", "no/such/folder.mtx", "there is no folder"),
    ],
)
def test_wrong_places_are_said_first(tmp_path, option, name, message):
    error = run("there-is-no-such-file", option, tmp_path / name, code=2).stderr
    assert f"'{option}'" in error
    assert message in error


def test_permuted_labels_and_shape():
    graph = berge.BipartiteGraph(
        [0, 1, 3], [0, 0, 1], (2, 2), row_labels=["a", "b"], col_labels=["x", "y"]
    )
    dm = berge.dulmage_mendelsohn(graph)
    permuted = dm.permuted(graph)
    assert list(permuted.row_labels) == [graph.row_labels[i] for i in dm.row_order]
    assert list(permuted.col_labels) == [graph.col_labels[j] for j in dm.col_order]
    with pytest.raises(berge.InvalidGraphError, match="2 × 2 vertices, the graph has 3 × 3"):
        dm.permuted(generate.chain(3))


# Pictures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_plot(singular, tmp_path, suffix):
    picture = tmp_path / f"picture.{suffix}"
    assert run_json(singular, "--plot", picture)["written"] == [str(picture)]
    assert picture.stat().st_size > 5000


def test_without_matplotlib(singular, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    error = run(singular, "--plot", tmp_path / "p.png", code=2).stderr
    assert "pip install 'berge[plot]'" in error
