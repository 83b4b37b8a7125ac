"""From files to a verdict on matchings of any graph, by the checker's own search."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import berge
from berge.checker.graphs import Source
from berge.checker.independent import search_any, verify
from berge.checker.tutte_berge import check_cardinality
from berge.checker.untrusted import Limits


def test_the_search_finds_a_set_or_a_larger_matching():
    rng = np.random.default_rng(0)
    larger_ones = 0
    for k in range(400):
        n = int(rng.integers(1, 14))
        edges = [(*rng.integers(0, n, (2, int(rng.integers(0, 2 * n + 1)))), None)]
        best = berge.maximum_matching(berge.Graph.from_edges(*edges[0][:2], n))
        mate = best.mate.astype(np.int64)
        for pair in best.pairs()[: k % 4]:
            mate[pair] = -1
        part, larger = search_any(n, edges, mate)
        if larger is None:
            assert check_cardinality(n, edges, mate, part) == best.cardinality
        else:
            assert check_cardinality(n, edges, larger) == np.count_nonzero(mate >= 0) // 2 + 1
            larger_ones += 1
    assert 200 < larger_ones < 300


@pytest.mark.parametrize("suffix", [".npz", ".txt"])
def test_what_an_exact_algorithm_found_is_verified_independently(tmp_path, suffix):
    graph, file = tmp_path / "g.csv", tmp_path / f"m{suffix}"
    graph.write_text("0 1\n1 2\n2 0\n2 3\n3 4\n4 5\n5 3\n6 3\n")
    source = Source(graph, Limits(10**9))
    best = berge.maximum_matching(graph, general=True)
    best.save(file)
    found = verify(source, file)
    assert (found.valid, found.maximum, found.cover) == (True, True, (1, 2))
    assert (found.size, found.edges) == (3, 8)
    mate = np.array(best.mate)
    mate[[0, mate[0]]] = -1
    berge.GeneralMatching(mate, upper_bound=3).save(file)
    found = verify(source, file)
    assert (found.valid, found.best, found.maximum) == (True, False, False)
    assert found.reason == "not maximum: an augmenting path leads to a matching of 3 pairs"
    berge.GeneralMatching([6, 2, 1, -1, -1, -1, 0], upper_bound=3).save(file)
    found = verify(source, file)
    assert (found.valid, found.reason) == (
        False,
        "vertex 0 is matched to vertex 6, not a neighbour",
    )


LOADED = """
import sys
from click.testing import CliRunner
import berge.cli
done = CliRunner().invoke(berge.cli.cli, ["verify", *sys.argv[1:], "--independent"])
print(done.exit_code)
print(*(m for m in sys.modules if m.split(".")[0] in ("numba", "scipy", "llvmlite", "berge")))
"""


def test_nothing_else_is_loaded(tmp_path):
    """No compiler, no reader but the checker's own, nothing that solves."""
    graph = berge.generate.chain(5)
    berge.write(graph, tmp_path / "g.mtx")
    berge.maximum_matching(graph).save(tmp_path / "m.npz")
    command = [sys.executable, "-c", LOADED, tmp_path / "g.mtx", tmp_path / "m.npz"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    code, *loaded = said.split()
    assert code == "0"
    assert {name.split(".")[0] for name in loaded} == {"berge"}
    read = "archive npz npy matchings parts folder matrix_market metis edge_list blocks text lines"
    assert not {f"berge.files.{name}" for name in read.split()} & set(loaded)
    assert not any(name.startswith(("berge.compile", "berge.solve")) for name in loaded)
    names_of_methods = {"algorithm", "catalogue", "registry"}  # which options of commands may have
    assert {name.split(".")[2] for name in loaded if ".methods." in name} <= names_of_methods
