"""When the default's searches stop, and what goes on from there."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse

import berge
from berge import BipartiteGraph, generate
from berge.methods.combined import budgeted, mixed
from berge.methods.combined.budgeted import OWN, ROUNDS, SEARCHES, STATE
from berge.methods.counters import LONGEST, TALLY

from ...conftest import COMPILED
from ...corpus import SMALL
from ..runs import new_run, random_graphs, share_cheap_starts, solve

compiled = pytest.mark.skipif(not COMPILED, reason="races need threads")


class Staged:
    """Searches from 640 roots in a graph of 1000 edges that end as a script says.

    An entry of it says how many roots are left after a call, and how many searches there were; the
    call after the last ends with a maximum matching.
    """

    def __init__(self, monkeypatch, *script, rounds=0, longest=0, alone=False, phases=False):
        self.script, self.log, self.left = list(script), [], 640
        self.alone, self.phases = alone, phases
        self.arrays = self.new_arrays(1)
        self.arrays.state[ROUNDS], self.arrays.tally[0, LONGEST] = rounds, longest
        for name in ("search_before_others", "shared", "search_with_limits", "roots_left",
                     "match_in_phases", "p_push_relabel", "push_relabel", "report"):  # fmt: skip
            monkeypatch.setattr(mixed, name, getattr(self, name))
        monkeypatch.setattr(mixed, "READ_IN_NO_TIME", 0)
        monkeypatch.setattr(mixed, "SHARED_SEARCHES", 1000)
        monkeypatch.setattr(mixed, "SHARED_ROWS", 0)
        monkeypatch.setattr(mixed, "LOOKS", mixed.LOOKS[-1:])

    def new_arrays(self, threads):
        return SimpleNamespace(
            roots=np.zeros(640),
            own=np.zeros((threads, OWN), np.int64),
            state=np.zeros(STATE, np.int64),
            tally=np.zeros((threads, TALLY), np.int64),
        )

    def search_before_others(self, run, arrays, worth, most):
        self.log.append(("alone", worth, most))
        return self.alone

    def shared(self, arrays):
        self.log.append("share")
        return self.new_arrays(3)

    def search_with_limits(self, run, arrays, most):
        self.log.append(most)
        if not self.script:
            return True
        self.left, arrays.own[-1, SEARCHES] = self.script.pop(0)
        return False

    def roots_left(self, arrays):
        return self.left

    def match_in_phases(self, run, threads, least):
        assert threads == run.threads
        assert least == mixed.LEAST_FOUND
        self.log.append("phases")
        return self.phases

    def p_push_relabel(self, run):
        self.log.append(("shared push", run.graph.shape))

    def push_relabel(self, run):
        self.log.append(("push", run.graph.shape))

    def report(self, run, tally):
        assert tally.shape[1] == TALLY
        self.log.append("report")


def edges_1000(n_rows=50, n_cols=20) -> BipartiteGraph:
    graph = generate.complete(n_rows, n_cols)
    assert graph.nnz == 1000
    return graph


def go_on(staged, graph=None, threads=1, **effort):
    mixed.go_on(new_run(graph or edges_1000(), threads), staged.arrays, **effort)
    return staged.log


PUSH = ("push", (50, 20))
LAST_CALLS = [1000.0, 2750.0, 3000.0]  # edges, at a pass, some before the last, and the last


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("script", "facts", "log"),
    [
        # It ends, at a pass or later.
        ([], {}, [1000.0, "report"]),
        ([(9, 640)], {}, [1000.0, 2750.0, "report"]),
        ([(9, 640), (9, 640)], {}, [*LAST_CALLS, "report"]),
        # Slow: 30 % of the rows are dealt with at a pass, or one less.
        ([(449, 640)], {}, [1000.0, "report", ("push", (20, 50))]),
        ([(448, 640), (448, 700), (448, 800)], {}, [*LAST_CALLS, "report", PUSH]),
        # The effort is spent. Few roots are left: the search ends what it has begun.
        ([(9, 640), (9, 700), (4, 800)], {}, [*LAST_CALLS, inf, "report"]),
        ([(9, 640), (9, 700), (5, 800)], {}, [*LAST_CALLS, "report", PUSH]),
        # A mesh, by long paths and few rows left; then Pothen–Fan, to the end or not.
        (
            [(11, 640), (11, 700), (10, 800)],
            {"longest": 32},
            [*LAST_CALLS, "report", "phases", PUSH],
        ),
        (
            [(11, 640), (11, 700), (10, 800)],
            {"longest": 32, "phases": True},
            [*LAST_CALLS, "report", "phases"],
        ),
        ([(11, 640), (11, 700), (11, 800)], {"longest": 32}, [*LAST_CALLS, "report", PUSH]),
        ([(11, 640), (11, 700), (10, 800)], {"longest": 31}, [*LAST_CALLS, "report", PUSH]),
        # A first round that went well in the last part, by 96 of 100 searches, goes on; by 95 not.
        (
            [(300, 640), (250, 700), (154, 800), (153, 802)],
            {"phases": True},
            [*LAST_CALLS, 3250.0, "report", "phases"],
        ),
        ([(300, 640), (250, 700), (155, 800)], {}, [*LAST_CALLS, "report", PUSH]),
        ([(300, 640), (250, 700), (154, 800)], {"rounds": 1}, [*LAST_CALLS, "report", PUSH]),
    ],
)
def test_what_goes_on(script, facts, log, monkeypatch):
    assert go_on(Staged(monkeypatch, *script, **facts)) == log


@pytest.mark.kernels
@pytest.mark.parametrize(("rows", "push"), [(10, "shared push"), (11, "push")])
def test_threads_share_pushes_of_many_rows_only(rows, push, monkeypatch):
    """Ten rows can be matched here."""
    staged = Staged(monkeypatch, (640, 640))
    monkeypatch.setattr(mixed, "SHARED_PUSHES", 0)
    monkeypatch.setattr(mixed, "SHARED_ROWS", rows)
    assert go_on(staged, edges_1000(100, 10), threads=2)[-1] == (push, (10, 100))


@pytest.mark.kernels
def test_effort_under_one_pass(monkeypatch):
    staged = Staged(monkeypatch, (400, 640), (390, 700), (380, 800))
    assert go_on(staged, effort=0.5) == [500.0, 250.0, 500.0, "report", PUSH]


@pytest.mark.kernels
def test_graphs_that_are_read_in_no_time(monkeypatch):
    staged = Staged(monkeypatch)
    monkeypatch.setattr(mixed, "READ_IN_NO_TIME", 1001)
    assert go_on(staged) == [1001.0, "report"]


@pytest.mark.kernels
@pytest.mark.parametrize("n_cols", [49, 50, 51])
def test_slow_searches_go_on_from_the_smaller_side(n_cols, monkeypatch):
    """By vertices with an edge; the graph as it is where there is nothing in it."""
    graph = BipartiteGraph.from_edges(np.arange(51) % 50, np.arange(51) % n_cols, (60, 60))
    staged = Staged(monkeypatch, (640, 640))
    run = new_run(graph)
    before = run.row_match
    mixed.go_on(run, staged.arrays)
    assert (run.row_match is before) == (n_cols >= 50)


@pytest.mark.kernels
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("least", [1000, 1001])
def test_several_threads_on_large_graphs(threads, least, monkeypatch):
    """One begins alone; then they read some more edges together, and share the pushes."""
    for pushes in (1000, 1001):
        staged = Staged(monkeypatch, (640, 640))
        monkeypatch.setattr(mixed, "SHARED_SEARCHES", least)
        monkeypatch.setattr(mixed, "SHARED_PUSHES", pushes)
        shape = (20, 50)
        if threads == 1 or least == 1001:
            assert go_on(staged, threads=threads) == [1000.0, "report", ("push", shape)]
        else:
            begin = [("alone", 20 + mixed.WAKING, 3000.0), "share", 1500.0, "report"]
            push = "shared push" if pushes == 1000 else "push"
            assert go_on(staged, threads=threads) == [*begin, (push, shape)]
    staged = Staged(monkeypatch, alone=True)
    assert go_on(staged, threads=2) == [("alone", 20 + mixed.WAKING, 3000.0), "report"]


@pytest.mark.kernels
@pytest.mark.parametrize(("least", "threads"), [(1000, 3), (1001, 1)])
def test_memory_for_threads_where_they_may_be_needed(least, threads, monkeypatch):
    prepared, went_on = [], []
    monkeypatch.setattr(mixed, "SHARED_SEARCHES", least)
    monkeypatch.setattr(mixed, "prepare", lambda run, threads: prepared.append(threads) or "it")
    monkeypatch.setattr(mixed, "go_on", lambda run, *rest: went_on.append(rest))
    mixed.mixed(new_run(edges_1000(), threads=3), effort=7)
    assert prepared == [threads]
    assert went_on == [("it", 7)]


SIZE = 1000, 1500, 20_000, 100_000  # roots, unmatched columns, rows, edges


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("share", "left", "found", "longest", "size", "expected"),
    [
        # At the first look: hardly any row is dealt with, and few of these found a path.
        (0.0, 850, 45, 7, SIZE, mixed.TURN),
        (0.0, 849, 45, 7, SIZE, mixed.SEARCH),
        (0.0, 850, 46, 7, SIZE, mixed.SEARCH),
        (0.0, 850, 45, 7, (1000, 1500, 20_000, mixed.WORTH_LOOKING - 1), mixed.SEARCH),
        # Later: most rows dealt with found one, but there is much left.
        (0.5, 800, 100, 7, SIZE, mixed.PUSH),
        (0.5, 800, 99, 7, SIZE, mixed.SEARCH),
        (0.5, 80, 920, 7, SIZE, mixed.PUSH),
        (0.5, 79, 921, 7, SIZE, mixed.SEARCH),
        (0.5, 800, 100, 6, SIZE, mixed.SEARCH),
        (0.5, 800, 100, 7, (1000, 2000, 20_000, 100_000), mixed.SEARCH),
        (0.5, 800, 100, 7, (1000, 1500, 31_000, 100_000), mixed.SEARCH),
        # Nearly all did, but it takes long.
        (0.5, 850, 147, 7, SIZE, mixed.DEEP),
        (0.5, 850, 146, 7, SIZE, mixed.PUSH),
        (0.5, 849, 151, 7, SIZE, mixed.PUSH),
        # Few rows, and most are still left.
        (0.5, 40, 38, 99, (78, 100, 20_000, 65_900), mixed.DEEP),
        (0.5, 39, 39, 99, (78, 100, 20_000, 65_900), mixed.SEARCH),
        (0.5, 40, 39, 99, (79, 100, 20_000, 65_900), mixed.SEARCH),
        (0.0, 40, 38, 99, (78, 100, 20_000, 65_900), mixed.SEARCH),
        # Nobody has begun.
        (0.5, 1000, 0, 0, SIZE, mixed.SEARCH),
        (2.0, 10, 990, 99, SIZE, mixed.SEARCH),
    ],
)
def test_what_a_look_says(share, left, found, longest, size, expected):
    state, own, tally = (np.zeros(n, np.int64) for n in (STATE, (2, OWN), (2, TALLY)))
    state[budgeted.ROOTS], state[budgeted.FOUND] = left + 7, found
    own[:, budgeted.DEALT_WITH], tally[1, LONGEST] = (3, 4), longest
    assert mixed.outlook(state, own, tally, size, share) == expected


def drawn(n_rows, n_cols, of, degree, seed):
    """Rows with edges to some of the first columns."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n_rows), degree)
    return BipartiteGraph.from_edges(rows, rng.integers(0, of, rows.size), (n_rows, n_cols))


@compiled
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("own", [True, False])
def test_the_other_side_if_it_has_fewer_to_match(threads, own, monkeypatch):
    """Square, but most columns have no edge: a small graph, and one that is not called so."""
    graph = drawn(40_000, 40_000, 6000, 4, 1)
    bound = scipy.sparse.csgraph.maximum_bipartite_matching(graph.to_scipy()) >= 0
    monkeypatch.setattr(mixed, "SHARED_SEARCHES", 0)
    matching = berge.maximum_matching(graph if own else graph.to_scipy(), threads=threads)
    assert matching.prove(graph).size == matching.cardinality == bound.sum()
    assert "transpose" in matching.stats.seconds
    assert "push" not in matching.stats.seconds
    assert matching.stats.traversed_edges < graph.nnz


@compiled
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("own", [True, False])
def test_push_relabel_early_where_paths_are_many_and_long(threads, own):
    graph = generate.erdos_renyi(50_000, 50_000, 300_000, seed=3)
    matching = berge.maximum_matching(graph if own else graph.to_scipy(), threads=threads)
    assert matching.prove(graph).size == matching.cardinality
    assert "push" in matching.stats.seconds
    searched = matching.stats.start_cardinality + matching.stats.augmenting_paths
    assert searched < matching.cardinality - 500


@compiled
@pytest.mark.parametrize("threads", [2, 3, 4])
@pytest.mark.parametrize("effort", [0.5, 1e9])
@pytest.mark.parametrize("dense", [0, budgeted.DENSE])
def test_races_of_the_default(threads, effort, dense, monkeypatch):
    """Searches side by side on graphs that one thread would do alone."""
    monkeypatch.setattr(budgeted, "DENSE", dense)
    monkeypatch.setattr(mixed, "SHARED_SEARCHES", 0)
    monkeypatch.setattr(mixed, "SHARED_PUSHES", 0)
    monkeypatch.setattr(mixed, "WAKING", -(10**9))
    monkeypatch.setattr(budgeted, "EDGES_PER_CALL", 5000)
    for init in ("none", "cheap"):
        for graph, expected in random_graphs(7):
            settings = {"init": init, "threads": threads, "effort": effort}
            stats = solve(graph, expected, algorithm="mixed", **settings).stats
            if effort > 1:
                assert stats.start_cardinality + stats.augmenting_paths == expected


@pytest.mark.kernels
@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@pytest.mark.parametrize("dense", [0, budgeted.DENSE])
def test_the_default_shared_out_on_small_graphs(threads, dense, monkeypatch):
    monkeypatch.setattr(budgeted, "DENSE", dense)
    monkeypatch.setattr(mixed, "SHARED_SEARCHES", 0)
    monkeypatch.setattr(mixed, "SHARED_PUSHES", 0)
    monkeypatch.setattr(mixed, "WAKING", -(10**9))
    share_cheap_starts(monkeypatch)
    for make, expected in SMALL.values():
        graph = make()
        for init in ("none", "cheap"):
            matching = berge.maximum_matching(graph, init=init, algorithm="mixed", threads=threads)
            assert matching.prove(graph).size == matching.cardinality
            assert expected is None or matching.cardinality == expected


@compiled
@pytest.mark.parametrize("least", [0, 10**9])
def test_push_relabel_is_shared_on_large_graphs(least, monkeypatch):
    monkeypatch.setattr(mixed, "SHARED_SEARCHES", 0)
    monkeypatch.setattr(mixed, "SHARED_PUSHES", least)
    monkeypatch.setattr(mixed, "SHARED_ROWS", 0)
    shared, push = [], mixed.p_push_relabel
    monkeypatch.setattr(mixed, "p_push_relabel", lambda run: shared.append(1) or push(run))
    for graph, expected in random_graphs(7):
        solve(graph, expected, algorithm="mixed", init="cheap", threads=2, effort=0.5)
    assert bool(shared) == (least == 0)


@compiled
def test_a_first_round_that_goes_well_goes_on(monkeypatch):
    """Past the effort, to its end; or until it goes badly, and then Pothen–Fan takes over."""
    monkeypatch.setattr(mixed, "SLOW", 0)  # that is another rule
    in_phases = []
    search = mixed.match_in_phases
    monkeypatch.setattr(mixed, "match_in_phases", lambda *a: in_phases.append(a) or search(*a))
    # Three layers of 8 rows, each next to its own columns and those of the next layer; 8 rows more
    # have to go through all of them, so that in all each edge is read five times.
    layers = np.eye(3, 4) + np.eye(3, 4, k=1)
    through = np.kron(np.vstack([layers, np.eye(1, 4)]), np.ones((8, 8)))
    easy = scipy.sparse.block_diag([scipy.sparse.csr_array(through)] * 60, format="csr")
    hard = generate.hidden_perfect(8000, 3).to_scipy()
    both = scipy.sparse.block_diag([easy, hard], format="csr")
    n, settings = easy.shape[0], {"algorithm": "mixed", "init": "cheap", "threads": 1}
    stats = solve(berge.as_bipartite(easy), n, **settings).stats
    assert stats.phases == 1
    assert stats.traversed_edges > 4 * easy.nnz
    assert not in_phases
    solve(berge.as_bipartite(both), n + 8000, **settings)
    assert len(in_phases) == 1
    monkeypatch.setattr(mixed, "WELL", 1)  # never
    assert "push" in solve(berge.as_bipartite(easy), n, **settings).stats.seconds
    assert len(in_phases) == 1


@pytest.mark.kernels
@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("least", [0, 2])
def test_the_default_ends_with_pothen_fan(threads, least, monkeypatch):
    """Where few rows are left after long paths; if its phases find too little, not with that."""
    for name, value in {
        "READ_IN_NO_TIME": 0,
        "LONG_PATH": 0,
        "REST": 1,
        "SLOW": 0,
        "LEAST_FOUND": least,
    }.items():
        monkeypatch.setattr(mixed, name, value)
    ended_by = set()
    for make, expected in SMALL.values():
        graph = make()
        matching = berge.maximum_matching(
            graph, init="none", algorithm="mixed", threads=threads, effort=0.1
        )
        assert matching.prove(graph).size == matching.cardinality
        assert expected is None or matching.cardinality == expected
        ended_by.add("push" in matching.stats.seconds)
    assert True in ended_by if least else ended_by == {False}


@pytest.mark.kernels
@pytest.mark.parametrize(("used", "turned"), [(12, True), (60, False)])
def test_the_other_side_only_if_few_columns_are_left(used, turned, monkeypatch):
    """A look may say that searches fail; whether columns are few is counted before turning."""
    seen = []
    monkeypatch.setattr(mixed, "outlook", lambda *a: seen.append(1) or mixed.TURN)
    monkeypatch.setattr(mixed, "READ_IN_NO_TIME", 0)
    monkeypatch.setattr(mixed, "try_depth_first", lambda *a: 0)
    rng = np.random.default_rng(2)
    ends = rng.integers(0, 60, 100), rng.integers(0, used, 100)
    if not turned:  # as many rows as columns are left then
        ends = tuple(np.concatenate([ends[k], ends[1 - k]]) for k in (0, 1))
    graph = BipartiteGraph.from_edges(*ends, (60, 60))
    run = new_run(graph)
    begun, begin = [], mixed.mixed
    monkeypatch.setattr(mixed, "mixed", lambda *a, **k: begun.append(1) or begin(*a, **k))
    begin(run)
    matching = run.result()
    assert matching.prove(graph).size == berge.maximum_matching(graph, algorithm="hkdw").cardinality
    assert seen
    assert bool(begun) == turned
