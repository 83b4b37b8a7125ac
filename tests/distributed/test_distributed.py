"""Graphs in parts, on threads of this process; answers are checked by code that knows no parts."""

from __future__ import annotations

import json
import math
import shutil
import threading

import numpy as np
import pytest

import berge
from berge.distributed import halo as halo_module
from berge.distributed import part as distributed_part
from berge.distributed import search, start, whole, within
from berge.distributed.checkpoint import Checkpoint
from berge.distributed.communicator import Alone, run_threads
from berge.distributed.core import match_part
from berge.distributed.greedy import greedy_part, make_undirected
from berge.distributed.halo import Halo
from berge.distributed.messages import together
from berge.distributed.part import Part
from berge.distributed.part_run import PartRun
from berge.distributed.proof import prove_part
from berge.distributed.search import Forest
from berge.files.manifest import digest
from berge.methods.combined import budgeted
from berge.methods.starts import cheap
from berge.solve.default import GREEDY_IN_PARTS as METHODS

from ..conftest import COMPILED
from ..corpus import LARGE, SMALL

SIZES = (1, 2, 3, 4)


def joined(graph, results):
    """The matching of all parts, with the solver's word on whether it is maximum."""
    stats = results[0].stats
    return berge.Matching(
        np.concatenate([r.row_match for r in results]),
        np.concatenate([r.col_match for r in results]),
        upper_bound=stats.upper_bound,
    )


def solve(graph, size, time_limit=None, on_phase=None, **options):
    def work(comm):
        part = Part.from_graph(graph, comm.rank, comm.size)
        run = PartRun(comm, time_limit=time_limit, on_phase=on_phase)
        return match_part(part, run, **options)

    return run_threads(size, work)


def check(graph, size, known=None, **options):
    """Solve, and prove both in one place and in parts; return the results of the parts."""

    def work(comm):
        part = Part.from_graph(graph, comm.rank, comm.size)
        result = match_part(part, comm, **options)
        cover = result.row_cover, result.col_cover
        return result, prove_part(part, comm, result.row_match, result.col_match, cover)

    results, proofs = zip(*run_threads(size, work), strict=True)
    m = joined(graph, results)
    m.prove(graph)
    assert known in (None, m.cardinality)
    for result, proof in zip(results, proofs, strict=True):
        assert result.complete
        assert result.stats.cardinality == m.cardinality
        assert (proof.valid, proof.maximum, proof.reason) == (True, True, "")
        assert proof.cardinality == proof.cover_size == m.cardinality
    rows, cols = (
        np.concatenate([getattr(p, s) for p in proofs]) for s in ("row_cover", "col_cover")
    )
    berge.verify(graph, m, berge.Certificate(rows, cols))
    return results


@pytest.mark.kernels
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SMALL)
def test_corpus(name, size):
    make, known = SMALL[name]
    check(make(), size, known)


@pytest.mark.kernels
@pytest.mark.parametrize("alpha", [0.0, math.inf])
@pytest.mark.parametrize("exhaust", [True, False])
@pytest.mark.parametrize("init", ["none", "greedy"])
def test_options(init, exhaust, alpha):
    for name in ("unsorted", "chain", "layered", "ladder", "road", "sparse random, tall", "star"):
        make, known = SMALL[name]
        check(make(), 3, known, init=init, exhaust=exhaust, alpha=alpha)


@pytest.mark.parametrize("name", ["hidden perfect", "road", "ladder"])
def test_wide_indices(name, monkeypatch):
    """As from 2³¹ vertices on."""
    for module in (distributed_part, halo_module, search, start):
        monkeypatch.setattr(module, "index_type", lambda *sizes: np.int64)
    make, known = SMALL[name]
    graph = make()

    def work(comm):
        part = Part.from_graph(graph, comm.rank, comm.size)
        part.indices = part.indices.astype(np.int64)
        return match_part(part, comm)

    m = joined(graph, run_threads(3, work))
    assert known in (None, m.prove(graph).size)


# Exchanges on 4 parts, from the halo to the end: what was measured, and a third on top. Long chains
# and meshes take few because parts are searched to their end, others because part 0 finishes alone.
MOST_EXCHANGES = {
    "chain of 10⁵ links": 20,
    "10⁵ duplicates": 20,
    "layered, 40 levels": 20,
    "hidden perfect, permuted": 85,
    "grid, permuted": 100,
    "road": 40,
    "rmat": 70,
    "rmat, paper": 95,
    "random, tall": 60,
    "random, wide": 65,
    "power law": 75,
    "mesh of degree 3": 20,
    "Karp–Sipser-hard": 65,
    "star": 35,
    "complete": 40,
}


@pytest.mark.skipif(not COMPILED, reason="large")
@pytest.mark.parametrize("name", LARGE)
def test_exchanges(name):
    make, known = LARGE[name]
    results = check(make(), 4, known)
    exchanges = {r.stats.exchanges for r in results}
    assert len(exchanges) == 1
    assert exchanges.pop() <= MOST_EXCHANGES[name]


@pytest.mark.skipif(not COMPILED, reason="large")
@pytest.mark.parametrize(
    ("name", "most"),
    [("hidden perfect, permuted", 270), ("rmat, paper", 330), ("grid, permuted", 700)],
)
def test_parts_may_do_without_part_0(name, most):
    """By plain phases, and then with the transpose; and from the start by the degree-one rule."""
    make, known = LARGE[name]
    for options in ({"gather": False}, {"init": "karp-sipser"}):
        results = check(make(), 4, known, **options)
        assert "gathered" not in results[0].stats.seconds
        assert results[0].stats.exchanges <= most
    assert "gathered" in check(make(), 4, known)[0].stats.seconds


@pytest.mark.kernels
@pytest.mark.parametrize("size", [2, 3])
def test_columns_are_dealt_out(size, tmp_path):
    """A road network whose columns have numbers in no order is cut as one whose columns have."""
    road = berge.generate.road(16, 16)
    names = np.random.default_rng(0).permutation(road.n_cols)
    graph = berge.BipartiteGraph(road.indptr, names[road.indices], road.shape)
    known = berge.maximum_matching(road).cardinality
    results = check(graph, size, known, checkpoint=Checkpoint(tmp_path))
    assert results[0].stats.exhausted
    assert results[0].stats.local_fraction > 0.9
    saved = load(graph, tmp_path, 2)  # by the numbers of the graph
    rows = np.flatnonzero(saved >= 0)
    assert rows.size == known
    edges = set(zip(*(side.tolist() for side in graph_edges(graph)), strict=True))
    assert set(zip(rows.tolist(), saved[rows].tolist(), strict=True)) <= edges
    # Where it would not help, all stays as it is.
    other = check(berge.generate.erdos_renyi(60, 60, 240), size)
    assert other[0].stats.local_fraction < 0.9


def graph_edges(graph):
    return np.repeat(np.arange(graph.n_rows), graph.row_degrees), graph.indices


@pytest.mark.skipif(not COMPILED, reason="large")
def test_threads_within_a_part():
    graph = berge.generate.road(400, 400)
    best = berge.maximum_matching(graph).cardinality
    for options in ({"threads": 2}, {"threads": 2, "gather": False}):
        result = check(graph, 1, best, **options)[0]
        assert result.stats.init == "within-parts"
        assert 0.9 * best < result.stats.start_cardinality <= best


@pytest.mark.kernels
@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize(
    "name", ["chain", "complete", "hidden perfect", "sparse random, tall", "power law"]
)
def test_start_by_degree_across_parts(name, size):
    make, known = SMALL[name]
    graph = berge.generate.permute(make(), seed=1)
    results = check(graph, size, known, init="karp-sipser", exhaust=False)
    stats = results[0].stats
    assert stats.init == "karp-sipser"
    assert stats.local_fraction < 0.9
    assert 0.9 * stats.cardinality <= stats.start_cardinality <= stats.cardinality
    again = solve(graph, size, init="karp-sipser", exhaust=False)
    for one, other in zip(results, again, strict=True):
        np.testing.assert_array_equal(one.row_match, other.row_match)


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("init", "module", "edges"), [("karp-sipser", start, 1), ("within-parts", cheap, 8)]
)
def test_starts_stop_when_time_is_up(init, module, edges, monkeypatch):
    monkeypatch.setattr(module, "EDGES_PER_CALL", edges)  # and then it looks at the time
    graph = berge.generate.permute(berge.generate.chain(300))
    results = solve(graph, 3, time_limit=0.0, init=init)
    stats = results[0].stats
    assert (stats.init, stats.stopped) == (init, "time limit")
    assert not results[0].complete
    m = joined(graph, results)
    berge.verify(graph, m)
    assert 0 < stats.start_cardinality < 100
    assert stats.start_cardinality <= m.cardinality < 300


@pytest.mark.kernels
@pytest.mark.parametrize("waking", [1 << 20, 0, -(1 << 20)])
def test_threads_share_the_searches_of_a_part(waking, monkeypatch):
    """One thread begins, and finds it all or wakes the others; or all begin at once."""
    monkeypatch.setattr(within, "SHARED_SEARCHES", 0)
    monkeypatch.setattr(within, "WAKING", waking)
    monkeypatch.setattr(budgeted, "FEWEST_ROOTS", 1)
    graph = berge.generate.permute(berge.generate.grid(16, 16))
    for size in (1, 2):
        stats = check(graph, size, 256, init="within-parts", threads=2)[0].stats
        assert stats.init == "within-parts"
        assert 0.5 * 256 / size <= stats.start_cardinality <= 256


def test_any_part_may_stop_what_part_0_solves_alone(monkeypatch):
    monkeypatch.setattr(whole, "ASK", -1.0)  # at every pause
    graph = berge.generate.permute(berge.generate.grid(20, 20))

    def work(comm, interrupted):
        run = PartRun(comm)
        part = Part.from_graph(graph, comm.rank, comm.size)
        run.interrupted = comm.rank == interrupted
        nobody = np.full(len(part.rows), -1, np.int64)
        return whole.solve_gathered(part, run, nobody, 1, 0), run.stopped

    for interrupted, reason in ((None, None), (1, "interrupted")):
        found, reasons = zip(
            *run_threads(3, lambda comm, i=interrupted: work(comm, i)), strict=True
        )
        assert set(reasons) == {reason}
        assert {share.complete for share in found} == {reason is None}
        m = berge.Matching(
            np.concatenate([share.row_match for share in found]),
            np.concatenate([share.col_match for share in found]),
            upper_bound=found[0].upper_bound,
        )
        berge.verify(graph, m)
        assert (m.cardinality == graph.n_rows) == (reason is None)


@pytest.mark.skipif(not COMPILED, reason="large")
def test_local_exhaustion_saves_exchanges():
    graph = berge.generate.grid(150, 150)
    exchanges = {
        how: check(graph, 4, graph.n_rows, exhaust=how)[0].stats.exchanges for how in (True, False)
    }
    assert 5 * exchanges[True] < exchanges[False]
    assert check(graph, 4)[0].stats.exhausted
    assert not check(berge.generate.permute(graph), 4)[0].stats.exhausted


def test_same_seed_same_matching():
    graph = SMALL["sparse random"][0]()
    first, second = (joined(graph, solve(graph, 3, seed=5)) for _ in range(2))
    np.testing.assert_array_equal(first.row_match, second.row_match)


@pytest.mark.skipif(not COMPILED, reason="large")
def test_memory_shrinks():
    graph = berge.generate.road(90, 90)

    def work(comm):
        part = Part.from_graph(graph, comm.rank, comm.size)
        halo = Halo.build(part, comm)
        mates = (np.full(len(side), -1, np.int64) for side in (part.rows, part.cols))
        forest = Forest(halo, comm, *mates, exhaust=True)
        # One entry for each root of the whole graph: the only arrays that do not shrink.
        mine = forest.arrays._replace(graph=np.empty(0), renewed=np.empty(0), sizes=np.empty(0))
        shared = (part.indices, *halo.graph, halo.held, halo.holders)
        return sum(a.nbytes for a in (*shared, *mine))

    one, two, four = (max(run_threads(size, work)) for size in (1, 2, 4))
    assert two < 0.55 * one
    assert four < 0.55 * two


def test_time_limit():
    graph = SMALL["hidden perfect"][0]()
    results = solve(graph, 3, time_limit=0.0, init="none", exhaust=False)
    assert [r.complete for r in results] == [False] * 3
    assert [r.stats.stopped for r in results] == ["time limit"] * 3
    m = joined(graph, results)
    berge.verify(graph, m)
    assert m.cardinality == results[0].stats.cardinality < m.upper_bound
    assert results[0].row_cover is None


def test_reports_climb():
    graph, reports = SMALL["hidden perfect"][0](), []
    results = solve(graph, 2, init="greedy", on_phase=reports.append)
    mine = reports[::2]  # two parts report, in step
    assert mine[0].step == "init"
    assert {r.step for r in mine[1:]} == {"search"}
    sizes = [r.cardinality for r in mine]
    assert sizes == sorted(sizes)
    assert sizes[-1] == results[0].stats.cardinality == 60
    assert mine[-1].phase == results[0].stats.phases


def test_initial_matching():
    graph = SMALL["road"][0]()
    m = berge.maximum_matching(graph)

    def work(comm, row_match):
        part = Part.from_graph(graph, comm.rank, comm.size)
        mine = row_match[part.rows.start : part.rows.stop].astype(np.int64)
        return match_part(part, comm, row_match=mine)

    results = run_threads(3, lambda comm: work(comm, m.row_match))
    assert results[0].stats.start_cardinality == m.cardinality
    assert results[0].stats.phases == 1
    pairs = m.pairs()
    stranger = m.row_match.copy()
    stranger[pairs[0, 0]] = stranger[pairs[-1, 0]]
    # A row takes another column that it has an edge to, and that has a mate.
    twice = m.row_match.copy()
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    taken = (m.col_match[graph.indices] >= 0) & (m.row_match[rows] != graph.indices)
    edge = np.flatnonzero(taken)[0]
    twice[rows[edge]] = graph.indices[edge]
    for wrong, words in ((stranger, "no edge to"), (twice, "another row has")):
        with pytest.raises(berge.InvalidMatchingError, match=words):
            run_threads(3, lambda comm, wrong=wrong: work(comm, wrong))


def test_unknown_start():
    with pytest.raises(berge.OptionError, match="karp-sipser, greedy, none"):
        solve(SMALL["chain"][0](), 2, init="cheap")


@pytest.fixture(scope="module")
def road():
    graph = SMALL["road"][0]()
    return graph, berge.maximum_matching(graph)


def prove(graph, row_match, col_match, size=3, cover=None):
    def work(comm):
        part = Part.from_graph(graph, comm.rank, comm.size)
        rows, cols = slice(part.rows.start, part.rows.stop), slice(part.cols.start, part.cols.stop)
        mine = None if cover is None else (cover[0][rows], cover[1][cols])
        return prove_part(part, comm, row_match[rows], col_match[cols], mine)

    proofs = run_threads(size, work)
    assert len({(p.valid, p.maximum, p.cardinality, p.cover_size, p.reason) for p in proofs}) == 1
    return proofs[0]


@pytest.mark.kernels
@pytest.mark.parametrize("size", SIZES)
def test_proof_finds_a_cover(road, size):
    graph, m = road
    proof = prove(graph, m.row_match, m.col_match, size)
    assert proof.maximum
    assert proof.cover_size == m.cardinality


def test_proof_refuses_what_is_not_a_matching(road):
    graph, m = road
    rows = np.flatnonzero(m.row_match >= 0)
    a, b = int(rows[0]), int(rows[-1])

    def changed(row=(), col=()):
        row_match, col_match = m.row_match.copy(), m.col_match.copy()
        for i, value in row:
            row_match[i] = value
        for j, value in col:
            col_match[j] = value
        return prove(graph, row_match, col_match)

    ya, yb = int(m.row_match[a]), int(m.row_match[b])
    for proof, words in (
        (changed(row=[(a, graph.n_cols)]), "out of range"),
        (changed(col=[(ya, -2)]), "out of range"),
        (changed([(a, yb), (b, ya)], [(ya, b), (yb, a)]), "not a neighbour"),
        (changed(col=[(ya, b)]), "not matched to"),
        (changed(row=[(a, -1)]), "not matched to it"),
    ):
        assert not proof.valid
        assert not proof.maximum
        assert words in proof.reason


def test_proof_refuses_what_is_not_maximum(road):
    graph, m = road
    row_match, col_match = m.row_match.copy(), m.col_match.copy()
    x = int(np.flatnonzero(row_match >= 0)[3])
    col_match[row_match[x]], row_match[x] = -1, -1
    proof = prove(graph, row_match, col_match)
    assert proof.valid
    assert not proof.maximum
    assert "augmenting path" in proof.reason
    # With the cover of the maximum matching, which is one too large for this one.
    cover = m.prove(graph)
    proof = prove(graph, row_match, col_match, cover=(cover.rows, cover.cols))
    assert (proof.valid, proof.maximum) == (True, False)
    assert f"{m.cardinality} vertices and the matching {m.cardinality - 1}" in proof.reason


def test_proof_checks_every_edge_against_the_cover(road):
    graph, m = road
    cover = m.prove(graph)
    for side in ("rows", "cols"):
        for vertex in np.flatnonzero(getattr(cover, side)):
            flags = {"rows": cover.rows.copy(), "cols": cover.cols.copy()}
            flags[side][vertex] = False
            proof = prove(graph, m.row_match, m.col_match, cover=(flags["rows"], flags["cols"]))
            assert not proof.maximum
            assert "not covered" in proof.reason


# Parts.


def edges_of(part):
    rows = np.repeat(np.arange(part.rows.start, part.rows.stop), np.diff(part.indptr))
    return set(zip(rows.tolist(), part.indices.tolist(), strict=True))


@pytest.mark.kernels
@pytest.mark.parametrize("size", SIZES)
def test_every_source_gives_the_same_graph(tmp_path, size):
    graph = SMALL["sparse random, tall"][0]().without_duplicates()
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    berge.write(graph, tmp_path / "graph.berge")

    def work(comm):
        mine = slice(comm.rank, None, comm.size)
        return (
            Part.from_graph(graph, comm.rank, comm.size),
            Part.from_folder(tmp_path / "graph.berge", comm.rank, comm.size),
            Part.scattered(graph if comm.rank == 0 else None, comm),
            Part.from_edges(rows[mine], graph.indices[mine], *graph.shape, comm),
        )

    sources = list(zip(*run_threads(size, work), strict=True))
    whole = set(zip(rows.tolist(), graph.indices.tolist(), strict=True))
    for parts in sources:
        assert set().union(*map(edges_of, parts)) == whole
        assert sum(part.nnz for part in parts) == graph.nnz
        assert [len(part.rows) for part in parts] == np.diff(parts[0].row_bounds).tolist()
    fingerprints = {sum(p.fingerprint for p in parts) % 2**64 for parts in sources}
    assert len(fingerprints) == 1


@pytest.mark.kernels
def test_edges_out_of_range():
    with pytest.raises(berge.InvalidGraphError, match="column index 3 is not in 0 … 2"):
        Part.from_edges([0, 1], [1, 3], 2, 3, Alone())
    with pytest.raises(berge.InvalidGraphError, match="row indices"):
        Part.from_edges([0, 1], [1], 2, 3, Alone())


@pytest.mark.kernels
def test_parts_are_balanced():
    graph = berge.generate.power_law(400, 300)
    sizes = [Part.from_graph(graph, r, 4) for r in range(4)]
    loads = [part.nnz + len(part.rows) for part in sizes]
    widest = int(graph.row_degrees.max())
    assert max(loads) - min(loads) <= 2 * widest + 2


# Communicators.


def test_first_error_frees_the_others():
    def work(comm):
        if comm.rank == 1:
            raise ValueError("mine")
        comm.exchange([np.empty(0, np.int64)] * comm.size)

    with pytest.raises(ValueError, match="mine"):
        run_threads(3, work)


def test_runs_log_every_exchange():
    def work(comm):
        run = PartRun(comm)
        match_part(Part.from_graph(SMALL["grid"][0](), comm.rank, comm.size), run)
        return run

    runs = run_threads(2, work)
    for run in runs:
        assert run.exchanges == len(run.log)
        assert {"halo", "init", "search"} <= {record.step for record in run.log}
        assert run.bytes == sum(r.sent[1 - run.rank] for r in run.log)
        assert all(record.work >= 0 and record.waited >= 0 for record in run.log)
        assert all(seconds >= 0 for seconds in run.seconds.values())
        assert sum(run.seconds.values()) <= 2 * run.seconds["total"]
        waited = sum(record.waited for record in run.log)
        assert run.seconds["exchange"] == pytest.approx(waited)
    assert runs[0].bytes > 0


def test_the_gravest_wish_is_the_reason():
    """Part 1 is interrupted and part 0 is late: both stop in the same round, for one reason."""
    graph = SMALL["hidden perfect"][0]()

    def work(comm):
        run = PartRun(comm, time_limit=0.0 if comm.rank == 0 else None)
        run.interrupted = comm.rank == 1
        return match_part(Part.from_graph(graph, comm.rank, comm.size), run, init="none")

    results = run_threads(3, work)
    assert [r.stats.stopped for r in results] == ["interrupted"] * 3
    berge.verify(graph, joined(graph, results))
    assert not results[0].complete


def test_an_error_of_one_part_is_one_of_all():
    def work(comm, error):
        try:
            with together(comm):
                if comm.rank == 1:
                    raise error
        except Exception as error:
            return type(error), str(error)

    for error, kind, text in (
        (berge.FormatError("is wrong", "a.mtx", 3), berge.FormatError, "a.mtx, line 3: is wrong"),
        (FileNotFoundError(2, "No such file", "a.mtx"), berge.ClusterError, "a.mtx: no such file"),
    ):
        assert run_threads(3, lambda comm, e=error: work(comm, e)) == [(kind, text)] * 3


# Checkpoints.


@pytest.fixture
def saved(tmp_path, road):
    """A checkpoint of three parts."""
    graph, _ = road

    def work(comm):
        part = Part.from_graph(graph, comm.rank, comm.size)
        match_part(part, comm, checkpoint=Checkpoint(tmp_path / "ck"), init="none")

    run_threads(3, work)
    return tmp_path / "ck"


def load(graph, folder, size):
    def work(comm):
        part = Part.from_graph(graph, comm.rank, comm.size)
        return Checkpoint(folder).load(comm, part)

    mates, phases = zip(*run_threads(size, work), strict=True)
    assert len(set(phases)) == 1
    return np.concatenate(mates)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_checkpoint_is_for_any_number_of_parts(road, saved, size):
    graph, m = road
    row_match = load(graph, saved, size)
    assert np.count_nonzero(row_match >= 0) == m.cardinality

    def work(comm):
        part = Part.from_graph(graph, comm.rank, comm.size)
        row_match, _ = Checkpoint(saved).load(comm, part)
        return match_part(part, comm, row_match=row_match, checkpoint=Checkpoint(saved))

    results = run_threads(size, work)
    assert results[0].stats.start_cardinality == m.cardinality
    joined(graph, results).prove(graph)
    # What the run before had written is gone, and nothing is left half-written.
    assert len(list(saved.glob("matching-*.npy"))) == (1 if size == 1 else 2 * size)
    assert not list(saved.glob(".*"))


def test_parts_may_have_one_checkpoint(road, tmp_path):
    """Threads that save in it, one after the other, remove no file of another part."""
    graph, _ = road
    checkpoint, lock = Checkpoint(tmp_path), threading.Lock()

    class InTurn(PartRun):
        def exchange(self, arrays, flag=0):
            lock.release()
            try:
                return super().exchange(arrays, flag)
            finally:
                lock.acquire()

    def work(comm):
        part = Part.from_graph(graph, comm.rank, comm.size)
        for phase in range(3):
            with lock:
                checkpoint.save(InTurn(comm), part, np.full(len(part.rows), -1), phase)

    run_threads(3, work)
    assert len(list(tmp_path.glob("matching-*"))) == 6  # of two phases
    assert (load(graph, tmp_path, 2) == -1).all()


def test_checkpoint_is_that_of_the_last_complete_phase(road, saved):
    graph, _ = road
    before = load(graph, saved, 2)
    newest = sorted(saved.glob("matching-*-00000-of-*.npy"))[-1]
    # A part had written its file of the next phase when it was killed.
    phase = int(newest.name.split("-")[2])
    later = newest.name.replace(f"-{phase:06}-", f"-{phase + 1:06}-")
    np.save(saved / later, np.full(3, -1))
    np.testing.assert_array_equal(load(graph, saved, 2), before)


def damage_array(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    path = folder / manifest["files"][1]["name"]
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    return path.name


def damage_manifest(folder):
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"phase": ', '"phase": 1'))
    return path.name


def cut_manifest(folder):
    path = folder / "manifest.json"
    path.write_bytes(path.read_bytes()[:50])
    return path.name


def lose_array(folder):
    name = json.loads((folder / "manifest.json").read_text())["files"][2]["name"]
    (folder / name).unlink()
    return name


def lose_all(folder):
    shutil.rmtree(folder)
    return "manifest.json: no checkpoint"


@pytest.mark.parametrize(
    "harm", [damage_array, damage_manifest, cut_manifest, lose_array, lose_all]
)
def test_damaged_checkpoints_are_refused(road, saved, harm):
    with pytest.raises(berge.CheckpointError, match=harm(saved)):
        load(road[0], saved, 2)


def forged(**changes):
    """Change the first entry, or the manifest, and have its checksum fit again."""

    def harm(folder):
        content = json.loads((folder / "manifest.json").read_text())
        content["files"][0].update({k: v for k, v in changes.items() if k in content["files"][0]})
        content.update({k: v for k, v in changes.items() if k in content})
        del content["sha256"]
        (folder / "manifest.json").write_text(json.dumps(content | {"sha256": digest(content)}))

    return harm


@pytest.mark.parametrize("name", ["../{}", "/{}", "./{}", "..", "", "x/../{}", "C:{}", "\0", 5, []])
def test_names_in_checkpoints_cannot_leave_their_folder(road, saved, name):
    manifest = json.loads((saved / "manifest.json").read_text())
    real = manifest["files"][0]["name"]
    shutil.copy(saved / real, saved.parent / real)
    forged(name=name.format(real) if isinstance(name, str) else name)(saved)
    with pytest.raises(berge.CheckpointError, match="which is no plain name"):
        load(road[0], saved, 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"files": 5}, "not all of one"),
        ({"files": [5]}, "not all of one"),
        ({"files": [{}]}, "not all of one"),
        ({"rows": [0]}, "not all of one"),
        ({"rows": ["0", "1"]}, "not all of one"),
        ({"rows": [0, 5]}, "has the shape"),
        ({"phase": None}, "not all of one"),
        ({"shape": None}, "another graph, with shape None"),
        ({"version": 2}, "version 2"),
    ],
)
def test_forged_checkpoints(road, saved, changes, message):
    forged(**changes)(saved)
    with pytest.raises(berge.CheckpointError, match=message):
        load(road[0], saved, 2)


def test_checkpoints_of_other_graphs_are_refused(road, saved):
    graph, _ = road
    other = berge.BipartiteGraph(graph.indptr, graph.indices[::-1].copy(), graph.shape)
    with pytest.raises(berge.CheckpointError, match="another graph"):
        load(other, saved, 2)


# Greedy matchings of general graphs.

UNDIRECTED = {
    "nothing": lambda: berge.Graph.from_edges([], [], 0),
    "no edges": lambda: berge.Graph.from_edges([], [], 7),
    "path": lambda: berge.Graph.from_edges(np.arange(40), np.arange(1, 41)),
    "star": lambda: berge.Graph.from_edges(np.zeros(20, int), np.arange(1, 21)),
    "grid": lambda: berge.as_graph(berge.generate.grid(9, 8)),
    "random": lambda: random_graph(60, 150, None),
    "random, weighted": lambda: random_graph(60, 150, lambda rng, m: rng.random(m)),
    "random, equal weights": lambda: random_graph(60, 150, lambda rng, m: rng.integers(0, 3, m)),
}


def random_graph(n, m, draw):
    rng = np.random.default_rng(1)
    ends, others = rng.integers(0, n, (2, m))
    return berge.Graph.from_edges(ends, others, n, None if draw is None else draw(rng, m))


@pytest.mark.kernels
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", UNDIRECTED)
def test_greedy(name, method):
    graph = UNDIRECTED[name]()
    by_weight = berge.greedy_matching(graph, method="locally-dominant")

    def work(comm):
        part = Part.scattered(graph if comm.rank == 0 else None, comm)
        return greedy_part(part, comm, method=method)

    for size in SIZES:
        results = run_threads(size, work)
        result = results[0]
        mate = np.concatenate([r.mate for r in results])
        assert (result.valid, result.is_maximal, result.reason) == (True, True, "")
        assert result.size == np.count_nonzero(mate >= 0) // 2
        found = berge.GreedyMatching(mate, result.size, result.weight, True, (1.0,), method)
        berge.verify(graph, found)
        if method == "locally-dominant":
            np.testing.assert_array_equal(mate, by_weight.mate)


def test_greedy_default_and_unknown_methods():
    graph = UNDIRECTED["random, weighted"]()

    def work(comm, **options):
        part = Part.from_graph(graph, comm.rank, comm.size)
        if not options.pop("weighted", True):
            part.weights = None
        return greedy_part(part, comm, **options).method

    assert work(Alone()) == "locally-dominant"
    assert work(Alone(), weighted=False) == "proposals"
    with pytest.raises(berge.OptionError, match="not 'suitor'"):
        work(Alone(), method="suitor")
    with pytest.raises(berge.OptionError, match="locally-dominant does not use it"):
        work(Alone(), p=0.4)
    with pytest.raises(berge.OptionError, match="p must be"):
        work(Alone(), p=1.5, method="proposals")


@pytest.mark.parametrize("method", METHODS)
def test_greedy_in_parts_stops_and_tells(method):
    graph, reports = berge.as_graph(berge.generate.permute(berge.generate.grid(40, 40))), []

    def work(comm, **under_way):
        run = PartRun(comm, **under_way)
        return greedy_part(Part.from_graph(graph, comm.rank, comm.size), run, method=method)

    whole = run_threads(
        3, lambda comm: work(comm, on_phase=reports.append if not comm.rank else None)
    )
    assert whole[0].stopped is None
    assert [r.phase for r in reports] == list(range(1, whole[0].rounds + 1))
    assert reports[-1].cardinality == whole[0].size
    assert whole[0].matched_fraction[-1] == 2 * whole[0].size / graph.n_vertices
    results = run_threads(3, lambda comm: work(comm, time_limit=0))
    assert (results[0].stopped, results[0].valid) == ("time limit", True)
    assert not results[0].is_maximal
    assert results[0].rounds == 1 < whole[0].rounds
    assert 0 < results[0].size < whole[0].size
    mate = np.concatenate([r.mate for r in results])
    berge.verify(graph, results[0].joined(mate))


@pytest.mark.parametrize("size", SIZES)
def test_any_square_graph_is_made_undirected(size):
    graph = SMALL["rmat"][0]()

    def work(comm):
        return make_undirected(Part.from_graph(graph, comm.rank, comm.size), comm)

    made, whole = run_threads(size, work), berge.as_graph(graph)
    assert np.concatenate([part.indices for part in made]).tolist() == whole.indices.tolist()
    degrees = np.concatenate([np.diff(part.indptr) for part in made])
    np.testing.assert_array_equal(degrees, whole.degrees)


def test_only_square_graphs_are_made_undirected():
    with pytest.raises(berge.InvalidGraphError, match="square"):
        make_undirected(Part.from_graph(SMALL["complete, wide"][0](), 0, 1), Alone())
