"""Solving and proving with the edges on the disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import berge
from berge.cli import cli, exit_codes
from berge.errors import FormatError, OptionError, ProofError
from berge.files.convert import _working, work_folder
from berge.files.folder import Folder, FolderGraph, writing
from berge.graphs.memory import available, kept_edges, out_of_core_bytes, solve_bytes
from berge.results.run import Run
from berge.solve import out_of_core
from berge.wording import parse_bytes

from ..corpus import LARGE, SMALL


def on_disk(graph, folder):
    path = folder / "graph.berge"
    berge.write(graph, path)
    return path


@pytest.mark.kernels
@pytest.mark.parametrize("name", SMALL)
def test_as_in_memory(tmp_path, name):
    """Batches of a few edges, and hardly any edges kept: many phases, all of the steps."""
    graph = SMALL[name][0]()
    path = on_disk(graph, tmp_path)
    expected = berge.maximum_matching(graph).cardinality
    for window in (3, 40):
        m = berge.maximum_matching(path, algorithm="out-of-core", window=window, kept=1)
        assert m.cardinality == expected
        assert m.is_maximum
        # The cover that the solver came upon is a proof, by the checker's word.
        if m._cover is not None:
            berge.verify(graph, m, m._cover)
        m.prove(graph)


@pytest.mark.kernels
def test_proof_without_a_cover_at_hand(tmp_path):
    graph = berge.generate.power_law(70, 50)
    path = on_disk(graph, tmp_path)
    m = berge.maximum_matching(graph)
    on_the_disk = FolderGraph(Folder(path))
    m.prove(on_the_disk)
    berge.verify(on_the_disk, m, m.certificate)
    rows = m.row_match.copy()
    cols = m.col_match.copy()
    cols[rows[rows >= 0][0]] = -1
    rows[np.flatnonzero(rows >= 0)[0]] = -1
    with pytest.raises(ProofError, match="augmenting path"):
        berge.Matching(rows, cols, upper_bound=50).prove(on_the_disk)


@pytest.mark.parametrize("name", LARGE)
def test_larger(tmp_path, name):
    graph = LARGE[name][0]()
    path = on_disk(graph, tmp_path)
    m = berge.maximum_matching(
        path, algorithm="out-of-core", window=graph.nnz // 7, kept=2 * sum(graph.shape)
    )
    assert m.cardinality == berge.maximum_matching(graph).cardinality
    assert m.stats.bytes_read >= 4 * Folder(path).nnz
    m.prove(FolderGraph(Folder(path)))


def test_rows_of_other_components_are_not_read_again(tmp_path):
    """Two components, far from each other in the file: in one nothing is left to do."""
    dense = berge.generate.complete(60, 60)
    hard = berge.generate.karp_sipser_hard(60, 4)
    rows = np.concatenate(
        [np.repeat(np.arange(60), 60), 60 + np.repeat(np.arange(hard.n_rows), hard.row_degrees)]
    )
    cols = np.concatenate([dense.indices, 60 + hard.indices])
    graph = berge.as_bipartite((rows, cols))
    m = berge.maximum_matching(on_disk(graph, tmp_path), algorithm="out-of-core", window=60, kept=1)
    assert m.cardinality == berge.maximum_matching(graph).cardinality
    assert m.stats.passes > 1
    most = 4 * graph.nnz + 4 * (m.stats.passes - 1) * hard.nnz
    assert 4 * graph.nnz < m.stats.bytes_needed <= m.stats.bytes_read <= most


def permuted_band(n, width):
    """Row x has columns x … x + width − 1: only the diagonal is a perfect matching."""
    rng = np.random.default_rng(1)
    rows, cols = np.repeat(np.arange(n), width), (np.arange(n)[:, None] + np.arange(width)).ravel()
    inside = cols < n
    return berge.as_bipartite((rng.permutation(n)[rows[inside]], rng.permutation(n)[cols[inside]]))


@pytest.mark.kernels
def test_columns_with_one_row_left_are_matched_off(tmp_path):
    """On a band one after the other, from its end to its beginning, each row read twice in all."""
    graph = permuted_band(200, 8)
    few = {"kept": 800, "window": 100}
    m = berge.maximum_matching(on_disk(graph, tmp_path), algorithm="out-of-core", **few)
    assert (m.cardinality, m.stats.start_cardinality, m.stats.passes) == (200, 200, 1)
    assert m.stats.bytes_needed == 2 * 4 * graph.nnz
    m.prove(graph)


@pytest.mark.kernels
def test_rows_with_one_column_come_first(tmp_path):
    """A row with one column takes it from a row that came before and has others."""
    graph = berge.as_bipartite(([0, 0, 1, 2, 2, 3, 3], [0, 1, 0, 2, 3, 2, 3]))

    def interrupt(report):
        if report.cardinality:
            raise KeyboardInterrupt

    few = {"kept": 1, "algorithm": "out-of-core"}
    path = on_disk(graph, tmp_path)
    m = berge.maximum_matching(path, on_phase=interrupt, **few)
    berge.verify(graph, m)
    assert m.row_match[:2].tolist() == [-1, 0]
    assert berge.maximum_matching(path, **few).prove(graph).size == 4


def test_long_paths_take_few_phases(tmp_path):
    """Searches go on as they read: a phase is a search to its end, not a step of one."""
    rng = np.random.default_rng(1)
    starts = rng.integers(0, 2000 - 16, 2000)
    graph = berge.as_bipartite(
        (np.repeat(np.arange(2000), 16), (starts[:, None] + np.arange(16)).ravel())
    )
    best = berge.maximum_matching(graph).cardinality
    m = berge.maximum_matching(on_disk(graph, tmp_path), algorithm="out-of-core", kept=8000)
    assert m.cardinality == best
    left = best - m.stats.start_cardinality
    assert 2 < m.stats.passes <= left
    assert m.stats.bytes_needed <= m.stats.passes * 4 * graph.nnz
    m.prove(graph)


def test_upper_bound_while_it_goes_on(tmp_path, monkeypatch):
    """From a search that has not ended, and never below the answer."""
    graph = berge.generate.rmat(13, 16, seed=4)
    bounds = []
    pause = Run.pause

    def told(run):
        bounds.append(run.upper_bound)
        pause(run)

    monkeypatch.setattr(Run, "pause", told)
    few = {"kept": graph.nnz // 8, "window": graph.nnz // 50}
    m = berge.maximum_matching(on_disk(graph, tmp_path), algorithm="out-of-core", **few)
    monkeypatch.undo()
    assert min(bounds) >= m.cardinality == berge.maximum_matching(graph).cardinality
    nonempty = min(np.count_nonzero(graph.row_degrees), np.count_nonzero(graph.col_degrees))
    assert any(m.cardinality < bound < nonempty for bound in bounds)
    m.prove(graph)


def test_pieces_of_a_file(tmp_path):
    graph = berge.generate.erdos_renyi(100, 90, 900, seed=3)
    folder = Folder(on_disk(graph, tmp_path))
    lows, highs = np.array([3, 50, 50, 700]), np.array([10, 50, 53, 900])
    expected = np.concatenate([graph.indices[a:b] for a, b in zip(lows, highs, strict=True)])
    found = folder.pieces(lows, highs, np.empty(300, np.int32))
    assert found.tolist() == expected.tolist()
    np.load(folder.file("indices"), mmap_mode="r+")[[20, 52]] = 90
    with pytest.raises(FormatError, match=r"indices\[52\] = 90 is not in 0 … 89"):
        folder.pieces(lows, highs, np.empty(300, np.int32))
    os.truncate(folder.file("indices"), 1000)
    with pytest.raises(FormatError, match="shorter"):
        folder.pieces(lows[-1:], highs[-1:], np.empty(300, np.int32))


def test_memory_that_others_take(tmp_path, monkeypatch):
    """S stops to grow; it need not be as large as was thought."""
    graph = permuted_band(1000, 16)
    path = on_disk(graph, tmp_path)
    monkeypatch.setattr("berge.graphs.memory.available", lambda: 10_000)
    m = berge.maximum_matching(path, algorithm="out-of-core", kept=graph.nnz // 2)
    assert m.cardinality == 1000


def test_too_large_for_memory_is_left_on_the_disk(tmp_path, monkeypatch):
    graph = berge.generate.erdos_renyi(300, 300, 3000, seed=2)
    path = on_disk(graph, tmp_path)
    assert berge.maximum_matching(path).stats.algorithm == "mixed"
    monkeypatch.setattr("berge.graphs.memory.available", lambda: 10_000)
    m = berge.maximum_matching(str(path) + "/", time_limit=100)
    assert m.stats.algorithm == "out-of-core"
    assert m.stats.bytes_read > 0
    assert isinstance(berge.read(path), FolderGraph)
    m.prove(path)
    # What works on all edges at once works on a mapping.
    assert berge.structural_rank(path) == m.cardinality
    assert berge.dulmage_mendelsohn(path).matching.cardinality == m.cardinality


def overwrite(path, value):
    indices = np.load(path / "indices.npy", mmap_mode="r+")
    indices[:] = value


@pytest.mark.kernels
@pytest.mark.parametrize("value", [2**31 - 1, -1, 70])
def test_changed_during_a_solve(tmp_path, monkeypatch, value):
    """All that is read is checked, not only in the first pass."""
    graph = berge.generate.karp_sipser_hard(60, 4)
    assert graph.n_cols <= 70
    path = on_disk(graph, tmp_path)
    later = out_of_core._phase

    def changed(*args):
        overwrite(path, value)
        return later(*args)

    monkeypatch.setattr(out_of_core, "_phase", changed)
    with pytest.raises(FormatError, match=rf"indices.npy: indices\[\d+\] = {value} is not in"):
        berge.maximum_matching(path, algorithm="out-of-core", window=60, kept=1)
    with pytest.raises(FormatError, match="is not in"):
        FolderGraph(Folder(path)).col_degrees  # noqa: B018


def test_cut_short_while_it_is_mapped(tmp_path):
    """In a process of its own, which a mapping of the file itself would end."""
    path = on_disk(berge.generate.erdos_renyi(3000, 3000, 30_000, seed=2), tmp_path)
    script = """if True:
        import os, sys
        from berge.files.folder import Folder, FolderGraph
        graph = FolderGraph(Folder(sys.argv[1]))
        before = int(graph.indices.sum())
        os.truncate(sys.argv[1] + "/indices.npy", 0)
        print(int(graph.indices.sum()) == before)
        print(graph.indices.flags.writeable)
        try:
            graph.window(0, 10)
        except Exception as error:
            print(type(error).__name__, error)
    """
    command = [sys.executable, "-c", script, str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    same, writeable, error = done.stdout.splitlines()
    assert (same, writeable) == ("True", "False")
    assert error == f"FormatError {path}/indices.npy: the file has become shorter"
    assert os.listdir(tmp_path) == ["graph.berge"]


@pytest.mark.kernels
def test_edges_at_once_are_checked_too(tmp_path):
    """Where a solve of a graph too large for memory goes by another algorithm."""
    path = on_disk(berge.generate.chain(50), tmp_path)
    overwrite(path, 10**6)
    with pytest.raises(FormatError, match=r"indices\[0\] = 1000000 is not in 0 … 49"):
        berge.maximum_matching(FolderGraph(Folder(path)), algorithm="pothen-fan")
    overwrite(path, 3)
    with pytest.raises(FormatError, match="checksum of part 0"):
        berge.maximum_matching(FolderGraph(Folder(path)), algorithm="pothen-fan")


def test_stopped(tmp_path):
    graph = berge.generate.erdos_renyi(300, 200, 900, seed=2)
    path = on_disk(graph, tmp_path)
    m = berge.maximum_matching(path, algorithm="out-of-core", time_limit=0)
    assert m.stats.stopped == "time limit"
    best = berge.maximum_matching(graph).cardinality
    assert m.cardinality <= best <= m.upper_bound <= 200

    def interrupt(report):
        if report.cardinality:
            raise KeyboardInterrupt

    m = berge.maximum_matching(path, algorithm="out-of-core", window=50, on_phase=interrupt)
    assert m.stats.stopped == "interrupted"
    assert 0 < m.stats.start_cardinality == m.cardinality < best <= m.upper_bound
    berge.verify(graph, m)
    again = berge.maximum_matching(path, algorithm="out-of-core", initial=m, window=50, kept=1)
    assert again.cardinality == best
    with pytest.raises(OptionError, match="searched from its rows"):
        berge.maximum_matching(path, algorithm="out-of-core", side="cols")


def test_memory_is_counted(monkeypatch):
    assert 0 < available() < 1 << 62
    assert solve_bytes((10, 10), 1000) < solve_bytes((10, 10), 2000)
    assert out_of_core_bytes((10, 10), 10**9) < solve_bytes((10, 10), 10**9)
    monkeypatch.setattr("berge.graphs.memory.available", lambda: 1)
    assert kept_edges((1000, 1000), 10**6) == 8000
    monkeypatch.setattr("berge.graphs.memory.available", lambda: 10**12)
    assert kept_edges((1000, 1000), 10**6) == 10**6
    monkeypatch.setattr("berge.graphs.memory.available", lambda: 10**9)
    kept = kept_edges((10**6, 10**6), 10**9)
    assert 0.8e9 < out_of_core_bytes((10**6, 10**6), 10**9, kept) < 0.9e9
    assert kept_edges((1000, 1000), 500) == 500
    with pytest.raises(ValueError, match="X"):
        parse_bytes("x")


def test_command_line(tmp_path):
    def run(*arguments, code=0):
        result = CliRunner().invoke(cli, [str(a) for a in arguments])
        assert result.exit_code == code, result.output
        return result.stdout

    graph = berge.generate.rmat(8, 8)
    berge.write(graph, tmp_path / "graph.mtx")
    path, matching = tmp_path / "graph.berge", tmp_path / "matching.npz"
    head = json.loads(run("info", tmp_path / "graph.mtx", "--head", "--json"))
    assert (head["rows"], head["cols"], head["edges"]) == (*graph.shape, graph.nnz)
    run("convert", tmp_path / "graph.mtx", path, "--memory", "2M")
    assert head["folder_bytes"] >= Folder(path).nbytes
    assert "out of core" in run("info", tmp_path / "graph.mtx", "--head")
    assert "checksums" in run("info", path, "--check")
    facts = json.loads(run("info", path, "--check", "--json"))
    assert facts["out_of_core_bytes"] == out_of_core_bytes(graph.shape, Folder(path).nnz)
    shown = run("match", path, "--algorithm", "out-of-core", "-o", matching)
    assert "proved" in shown
    assert "over the edges" in shown
    assert "by its first pass" in shown
    assert "yes" in run("verify", path, matching)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("berge.graphs.memory.available", lambda: 10_000)
        assert "yes" in run("verify", path, matching)
        np.load(path / "indices.npy", mmap_mode="r+")[:2] = 0, 3
        run("verify", path, matching, code=1)
    run("convert", tmp_path / "graph.mtx", path, "--quiet")
    run("convert", path, tmp_path / "back.npz")
    assert berge.read(tmp_path / "back.npz").nnz == Folder(path).nnz
    (path / "indices.npy").write_bytes(b"")
    run("info", path, "--check", code=1)
    run("convert", path, tmp_path / "back.npz", "--left", "a", code=2)
    run("convert", tmp_path / "graph.mtx", path, "--memory", "much", code=2)


def test_convert_that_is_broken_off(tmp_path, monkeypatch):
    def run(code):
        result = CliRunner().invoke(cli, ["convert", str(source), str(target)])
        assert result.exit_code == code, result.output
        return " ".join(result.stderr.split())

    def interrupt(*_):
        raise KeyboardInterrupt

    source, target = tmp_path / "edges.txt", tmp_path / "edges.berge"
    source.write_text("0 0\n1 0\n1 1\n")
    with monkeypatch.context() as patch:
        patch.setattr("berge.files.convert._sort", interrupt)
        assert "interrupted: the same command goes on" in run(exit_codes.INTERRUPTED_BEFORE)
    with _working(work_folder(target)):
        assert "error: " in run(exit_codes.ERROR)
    assert "going on: after 3 edges" in run(exit_codes.OK)
    assert Folder(target).nnz == 3


def test_head_of_files_without_sizes(tmp_path):
    source = tmp_path / "edges.txt"
    np.savetxt(source, np.random.default_rng(1).integers(1000, 9999, (30_000, 2)), fmt="%d")
    told = CliRunner().invoke(cli, ["info", str(source), "--head", "--json"])
    assert json.loads(told.stdout)["estimated_edges"] == pytest.approx(30_000, rel=0.01)
    assert "up to" in CliRunner().invoke(cli, ["info", str(source), "--head"]).stdout


# Bytes of private memory that the process may have, all of it: interpreter, compiler, arrays. This
# is ``ulimit -d``. It is what a process really takes, and counts each page when it is asked for;
# ``ulimit -v`` counts the code of the libraries as well, some 250 MB of address space before
# anything is computed, so that a graph of twice that would be too large for a quick test.
LIMIT = 200 << 20

SOLVE = """
import json, resource, sys

limit, path = int(sys.argv[1]), sys.argv[2]
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
import berge
from berge.files.folder import Folder

try:
    Folder(path).load()
except MemoryError:
    too_large = True
m = berge.maximum_matching(path)
certificate = m.prove(path)
m.save(sys.argv[3])
print(json.dumps({
    "too large": too_large,
    "algorithm": m.stats.algorithm,
    "cardinality": m.cardinality,
    "cover": certificate.size,
    "passes": m.stats.passes,
    "bytes": m.stats.bytes_read,
}))
"""


def write_crowded(path, n, degree):
    """Write a graph piece by piece: every other row has neighbours in a quarter of the columns."""
    rng = np.random.default_rng(4)
    with writing(path, (n, n)) as folder:
        for lo in range(0, n, 4000):
            step = np.where(np.arange(lo, lo + 4000) % 2, n, n // 4).astype(np.int32) // degree
            start = (rng.random(4000) * step).astype(np.int32)
            cols = start[:, None] + np.arange(degree, dtype=np.int32) * step[:, None]
            folder.append(np.full(4000, degree), cols.ravel())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_DATA counts all on Linux")
def test_graph_of_over_twice_the_memory(tmp_path):
    n, degree = 100_000, 1100
    path, matching = tmp_path / "large.berge", tmp_path / "matching.npz"
    # Compiled and cached here: the compiler takes memory too.
    write_crowded(tmp_path / "small.berge", 4000, 8)
    small = berge.maximum_matching(tmp_path / "small.berge", algorithm="out-of-core", threads=1)
    small.prove(tmp_path / "small.berge")
    write_crowded(path, n, degree)
    assert Folder(path).nbytes > 2 * LIMIT
    # A thread's pool of memory is private too.
    few = {"OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    run = subprocess.run(
        [sys.executable, "-c", SOLVE, str(LIMIT), str(path), str(matching)],
        env=os.environ | few,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["too large"]
    assert told["algorithm"] == "out-of-core"
    # Rows of the crowded kind have no more than a quarter of the columns.
    assert told["cardinality"] == told["cover"] <= n // 4 + n // 2
    assert told["bytes"] >= Folder(path).nnz * 4
    # Whatever that process did: the matching that it wrote is one, of that size.
    saved = berge.Matching.load(matching)
    assert saved.cardinality == told["cardinality"]
    berge.verify(FolderGraph(Folder(path)), saved)
