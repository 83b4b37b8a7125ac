"""``berge coarsen``."""

from __future__ import annotations

import json
from functools import partial

import pytest

import berge
from berge import (
    generate,
)
from berge.files import metis

from . import invoke

run = partial(invoke.run, "coarsen")


@pytest.fixture(scope="module")
def grid_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("graphs") / "grid.mtx"
    berge.write(generate.grid(30, 30), path)
    return path


def test_prints_a_line_a_level(grid_file, tmp_path):
    text = run(grid_file, "--until", 100, "-o", tmp_path / "out").stdout
    h = berge.coarsen(grid_file, until=100)
    for i, level in enumerate(h):
        words = [str(i), f"{level.graph.n_vertices:,}", f"{level.graph.n_edges:,}"]
        assert any(line.split()[:3] == words for line in text.splitlines())
    assert f"{h.reason}; " in text
    assert "no weight is lost" in text
    last = metis.read_graph(tmp_path / "out" / f"level-{len(h) - 1}.graph")
    assert (last.to_scipy() != h.to_scipy()).nnz == 0


def test_as_json(grid_file):
    told = json.loads(run(grid_file, "--levels", 2, "--no-check", "--json").stdout)
    h = berge.coarsen(grid_file, levels=2)
    assert told["reason"] == h.reason
    assert told["check_seconds"] is None
    for found, expected in zip(told["levels"], h.facts(), strict=True):
        assert found | {"seconds": 0} == expected | {"seconds": 0}


def test_takes_hypergraphs(grid_file):
    text = run(grid_file, "--hypergraph", "--until", 300, "--balance", 0).stdout
    assert "nets" in text
    run(grid_file, "--hypergraph", "--weights", code=2)


def test_exit_codes(grid_file):
    assert "time limit" in run(grid_file, "--until", 9, "--time-limit", 0, code=3).stdout
    assert "balance must be" in run(grid_file, "--until", 9, "--balance", 0.5, code=2).stderr
    assert "no such file" in run("missing.mtx", code=1).stderr


def test_takes_weights_of_a_file(tmp_path):
    path = tmp_path / "path.graph"
    path.write_text("4 3 11\n1 2 1\n1 1 1 3 9\n1 2 9 4 1\n5 3 1\n")
    run(path, "--weights", "--levels", 1, "--balance", 1.5, "-o", tmp_path / "out")
    coarse = metis.read_graph(tmp_path / "out" / "level-1.graph")
    assert coarse.vertex_weights.tolist() == [5, 3] or coarse.vertex_weights.tolist() == [3, 5]
    assert coarse.total_weight == 1  # the edge of weight 9 is inside a vertex
