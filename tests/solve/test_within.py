"""Matchings that are near the maximum, and the covers that prove it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import berge
from berge.errors import OptionError, ProofError
from berge.files.folder import FolderGraph
from berge.results.proof import Certificate
from berge.solve import within as rounds
from berge.solve.within import most_rounds

from ..cli.invoke import run, run_json
from ..corpus import SMALL


def near(graph, m, share):
    """Whether a matching is as near as it was to be, by all that can be said of it."""
    best = berge.maximum_matching(graph).cardinality
    assert m.cardinality <= best <= m.upper_bound <= (1 + share) * m.cardinality
    assert m.stats.passes <= most_rounds(share)
    for check in ("compiled", "numpy"):
        assert m.prove(graph, check=check).size == m.upper_bound
    return True


def band(n, width=16):
    """Rows with columns x … x + width − 1, in random order: one perfect matching."""
    rows, cols = (
        np.repeat(np.arange(n), width),
        np.add.outer(np.arange(n), np.arange(width)).ravel(),
    )
    inside = cols < n
    graph = berge.BipartiteGraph.from_edges(rows[inside], cols[inside], (n, n))
    return berge.generate.permute(graph, seed=1)


@pytest.mark.kernels
@pytest.mark.parametrize("share", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("name", SMALL)
def test_in_memory_and_on_the_disk(tmp_path, monkeypatch, name, share):
    graph = SMALL[name][0]()
    assert near(graph, berge.maximum_matching(graph, within=share), share)
    berge.write(graph, tmp_path / "graph.berge")
    monkeypatch.setattr(rounds, "window_edges", lambda itemsize: 7)  # several batches
    m = berge.maximum_matching(tmp_path / "graph.berge", algorithm="out-of-core", within=share)
    assert near(graph, m, share)
    assert near(FolderGraph(berge.files.folder.Folder(tmp_path / "graph.berge")), m, share)


@pytest.mark.kernels
def test_random_graphs():
    rng = np.random.default_rng(0)
    for seed in range(40):
        n_rows, n_cols = rng.integers(1, 40, 2)
        graph = berge.generate.erdos_renyi(
            int(n_rows), int(n_cols), int(rng.integers(0, n_rows * n_cols + 1)), seed=seed
        )
        for share in (0.3, 0.03):
            assert near(graph, berge.maximum_matching(graph, within=share), share)


@pytest.mark.kernels
def test_the_band_that_takes_thousands_of_phases():
    graph = band(1000)
    m = berge.maximum_matching(graph, within=0.05)
    assert near(graph, m, 0.05)
    assert m.stats.passes < 20
    assert m.stats.traversed_edges < 2 * graph.nnz


@pytest.mark.kernels
def test_from_a_start_or_a_matching():
    graph = SMALL["power law"][0]()
    for settings in (
        {"init": "cheap"},
        {"initial": berge.maximum_matching(graph, algorithm="ss-bfs", time_limit=0)},
        {"initial": berge.maximum_matching(graph)},
    ):
        assert near(graph, berge.maximum_matching(graph, within=0.05, **settings), 0.05)
    matrix = scipy.sparse.csr_array(np.eye(30)[:, ::-1])
    assert near(matrix, berge.maximum_matching(matrix, within=0.05), 0.05)


def test_stopped_in_the_middle():
    graph = band(2000)
    m = berge.maximum_matching(graph, within=0.001, time_limit=0)
    assert m.stats.stopped == "time limit"
    assert m.cardinality < 2000 <= m.upper_bound
    berge.verify(graph, m)


def test_a_bound_that_is_wrong_is_not_proved():
    graph = berge.generate.hidden_perfect(500, 3, seed=2)
    m = berge.maximum_matching(graph, within=0.05)
    cover = m.prove(graph)
    assert m.cardinality < cover.size
    less = Certificate(cover.rows.copy(), cover.cols.copy())
    side = less.rows if less.rows.any() else less.cols
    side[np.flatnonzero(side)[3]] = False
    for check in ("compiled", "numpy"):
        berge.verify(graph, m, cover, bound=cover.size, check=check)
        berge.verify(graph, m, cover, bound=cover.size + 1, check=check)
        with pytest.raises(ProofError, match="not a proof that"):
            berge.verify(graph, m, cover, bound=cover.size - 1, check=check)
        with pytest.raises(ProofError, match="not a proof that it is maximum"):
            berge.verify(graph, m, cover, check=check)
        with pytest.raises(ProofError, match="is not covered"):
            berge.verify(graph, m, less, bound=cover.size, check=check)
    m._cover, m.upper_bound = less, less.size
    with pytest.raises(ProofError, match="is not covered"):
        m.prove(graph)
    # Of a cover that is smaller than the matching nothing is believed.
    nothing = Certificate(np.zeros(2, np.bool_), np.zeros(2, np.bool_))
    empty = berge.BipartiteGraph.from_edges([], [], (2, 2))
    pair = berge.Matching([0, -1], [0, -1], upper_bound=2)
    with pytest.raises(ProofError):
        berge.verify(empty, pair, nothing, bound=2)


def test_kept_in_a_file(tmp_path):
    graph = berge.generate.hidden_perfect(500, 3, seed=2)
    berge.write(graph, tmp_path / "graph.mtx")
    m = berge.maximum_matching(graph, within=0.05)
    assert f"at most {m.upper_bound:,} are possible" in str(dict(m._facts()))
    m.save(tmp_path / "m.npz")
    found = berge.Matching.load(tmp_path / "m.npz")
    assert found.prove(graph).size == m.upper_bound == found.upper_bound
    rows, cols = m._cover.rows.copy(), m._cover.cols.copy()
    rows[np.flatnonzero(rows)[0]] = False
    arrays = {"row_match": m.row_match, "col_match": m.col_match, "upper_bound": m.upper_bound - 1}
    np.savez(tmp_path / "lie.npz", row_cover=rows, col_cover=cols, **arrays)
    assert run_json("verify", tmp_path / "graph.mtx", tmp_path / "lie.npz", code=6)["reason"]
    np.savez(tmp_path / "other.npz", row_cover=rows[1:], col_cover=cols, **arrays)
    with pytest.raises(berge.FormatError, match="cover of another graph"):
        berge.Matching.load(tmp_path / "other.npz")


def test_command_line(tmp_path):
    graph = berge.generate.hidden_perfect(2000, 3, seed=2)
    path, saved = tmp_path / "graph.berge", tmp_path / "m.npz"
    berge.write(graph, path)
    found = run_json("match", path, "-a", "out-of-core", "--within", "1%", "-o", saved)
    assert found["cardinality"] < 2000 == found["upper_bound"] <= 1.01 * found["cardinality"]
    assert (found["is_maximum"], found["proved"], found["stopped"]) == (False, True, None)
    assert "more: proved" in run("match", path, "--within", "0.01").output
    checked = run_json("verify", path, saved, code=6)
    assert (checked["is_valid"], checked["is_maximum"]) == (True, False)
    assert checked["upper_bound"] == 2000
    assert "at most 2,000 are possible" in run("verify", path, saved, "--within", "1%").output
    run("verify", path, saved, "--within", "0.01%", code=6)
    checked = run_json("verify", path, saved, "--independent", "--within", "1%")
    assert (checked["is_maximum"], checked["upper_bound"]) == (False, 2000)
    with np.load(saved) as arrays:
        lie = dict(arrays)
    lie["row_cover"] = lie["row_cover"] & False
    np.savez(saved, **lie)
    checked = run_json("verify", path, saved, "--independent", "--within", "1%", code=6)
    assert checked["upper_bound"] is None
    assert "is not covered" in checked["reason"]
    for wrong in ("200%", "x", "0"):
        run("match", path, "--within", wrong, code=2)
    run("match", path, "--within", "1%", "--general", code=2)
    run("match", path, "--within", "1%", "--cluster", "local", code=2)


def test_what_does_not_go_with_it():
    graph = berge.generate.chain(5)
    for wrong in (0, 1, "1%", True, float("nan")):
        with pytest.raises(OptionError, match="within must be a number"):
            berge.maximum_matching(graph, within=wrong)
    for settings in (
        {"algorithm": "hopcroft-karp"},
        {"side": "cols"},
        {"general": True},
        {"cluster": "local"},
        {"capacity_left": 2},
        {"lookahead": False},
    ):
        with pytest.raises(OptionError, match=r"within is for|is for matchings"):
            berge.maximum_matching(graph, within=0.1, **settings)
