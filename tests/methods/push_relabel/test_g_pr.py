"""G-PR: relabelling by schedule, roll-back, dense lists, labels that cannot be trusted."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import berge
import berge.results.run
from berge import BipartiteGraph, generate
from berge.compile.device import ONE, CpuDevice
from berge.graphs.graph import unsigned
from berge.methods.push_relabel import beside, g_gr, g_pr

from ...conftest import COMPILED

FORMS = {"g-pr-first": g_pr.First, "g-pr-noshr": g_pr.Listed, "g-pr-shr": g_pr.Listed}
pytestmark = pytest.mark.kernels
each_form = pytest.mark.parametrize("form", FORMS)


def solve(graph, form, **settings):
    matching = berge.maximum_matching(
        graph, **({"algorithm": form, "init": "none", "threads": 1} | settings)
    )
    matching.prove(graph)
    return matching


@pytest.mark.parametrize(
    ("strategy", "k", "max_level", "launches"),
    [
        ("fix", 5, 100, 5),
        ("fix", 0.7, 100, 1),
        ("adaptive", 0.7, 100, 70),
        ("adaptive", 0.7, 2, 1),
        ("adaptive", 0, 40, 1),
        ("adaptive", 2, 6, 12),
    ],
)
def test_when_to_relabel_next(strategy, k, max_level, launches):
    assert g_pr.get_iter_gr(strategy, k, max_level, 30) == 30 + launches


@each_form
def test_relabelling_keeps_to_its_schedule(form, monkeypatch):
    graph = generate.permute(generate.grid(9, 9), seed=2)
    planned = [0]

    def note(strategy, k, max_level, loop, plan=g_pr.get_iter_gr):
        assert max_level % 2 == 0
        planned.append(plan(strategy, k, max_level, loop))
        return planned[-1]

    monkeypatch.setattr(g_pr, "get_iter_gr", note)
    fixed = solve(graph, form, strategy="fix", k=3).stats
    assert [loop for loop, _ in fixed.active] == list(range(0, fixed.iterations, 3))
    assert len(fixed.active) == fixed.phases > 1
    planned[1:] = []
    adaptive = solve(graph, form, k=0.2).stats
    assert [loop for loop, _ in adaptive.active] == planned[:-1]
    assert planned[-1] >= adaptive.iterations


@each_form
def test_stats_tell_the_story(form):
    """Rows without an edge are active, too, until they are given up in the first iteration."""
    graph = BipartiteGraph.from_edges([0, 1, 2, 2, 4], [1, 1, 1, 0, 3], (6, 5))
    stats = solve(graph, form, strategy="fix", k=1).stats
    assert stats.active[0] == [0, 6]
    actives = [active for _, active in stats.active]
    assert actives[1] < 5
    assert actives == sorted(actives, reverse=True)
    assert 3 <= stats.pushes <= stats.traversed_edges
    assert stats.iterations >= len(actives) == stats.phases
    assert stats.levels >= stats.phases


def prepare(graph):
    """A search before its first push, with labels as G-GR makes them."""
    empty = berge.Matching.empty(graph)
    run = berge.results.run.Run(
        graph, empty.row_match.copy(), empty.col_match.copy(), 0, 1, 0, berge.SolveStats()
    )
    rows = unsigned(graph.indptr), unsigned(graph.indices)
    arrays = *rows, run.row_match, run.col_match
    s = g_pr.Search(run, CpuDevice(1), arrays, form="noshr", concurrent=False, counted=True)
    assert s.relabel(0, due=True) == 2
    return s, s.new_active()


def launch_what_is_seldom_needed(graph) -> None:
    """Launch the kernels that come into play only when threads got in each other's way."""
    s, _ = prepare(graph)
    s.device.launch(beside.adopt, graph.n_cols, s.a)
    s.device.launch(g_pr.revive, graph.n_rows, s.a)


def test_of_two_who_take_a_column_one_is_put_back():
    """Rows 0 and 1 took column 0 from row 2 at a time, and row 1 was the last to write."""
    s, active = prepare(generate.complete(3, 1))
    s.a.mu_row[:] = 0
    s.a.mu_col[:] = 1
    taken, now = np.array([0, 1, -1], np.int32), np.array([2, 2, -1], np.int32)
    lists = active.lists._replace(a_c=now, a_p=taken)
    s.device.launch(g_pr.g_pr_initkrnl, 3, s.a, lists, np.int64(7))
    assert now.tolist() == [0, 2, -1]
    assert lists.i_a.tolist() == [7, -1, 7]
    assert s.a.flags[g_gr.ACT_EXISTS] == 8


def test_a_column_taken_in_this_iteration_is_left_alone():
    """One thread, three rows, one column: the first row takes it, the others wait."""
    s, lists = prepare(generate.complete(3, 1))
    assert s.push(lists, 0, 1, shrink=False) == (True, 1)
    assert s.a.mu_col.tolist() == [0]
    assert s.a.psi_col.tolist() == [2]
    assert [lists.pushes.sum() for lists in s.lists] == [1]
    # What comes next: all columns have their label from the row that has them.
    assert s.push(lists, 1, 2, shrink=False) == (True, 2)
    assert s.a.mu_col.tolist() == [1]
    assert s.a.psi_col.tolist() == [4]
    s.leave()
    assert s.run.row_match.tolist() == [-1, 0, -1]
    assert s.run.cardinality == 1


def test_a_row_is_given_up_for_good_or_in_doubt():
    """A column matched by others, out of reach: certain. One that labels put there: in doubt."""
    for psi_row, doubt in ((4, 0), (1, 1)):
        s, lists = prepare(generate.complete(3, 1))
        s.a.psi_col[:] = s.a.far
        s.a.psi_row[:] = psi_row
        s.push(lists, 0, 1, shrink=False)
        assert s.a.mu_row.tolist() == [-2, -2, -2]
        assert s.a.flags[g_gr.DOUBT] == doubt
        assert s.push(lists, 1, 2, shrink=False) == (False, 2)


@pytest.mark.parametrize("threshold", [2, 10**6])
def test_lists_are_made_dense_from_a_length_on(threshold, monkeypatch):
    graph = generate.erdos_renyi(70, 60, 190, seed=3)
    sizes = []

    def note(self, shrink=g_pr.Listed.shrink):
        before = self.lists.a_c[: self.size]
        before = before[before >= 0].tolist()
        shrink(self)
        assert self.lists.a_c[: self.size].tolist() == before
        sizes.append(self.size)

    monkeypatch.setattr(g_pr, "SHRINK_FROM", threshold)
    monkeypatch.setattr(g_pr.Listed, "shrink", note)
    for form in list(FORMS)[:2]:
        solve(graph, form, strategy="fix", k=2)
    assert sizes == []
    stats = solve(graph, "g-pr-shr", strategy="fix", k=2).stats
    if threshold == 2:
        assert sizes[0] == stats.active[0][1] == 70
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[-1] < 20
    else:
        assert sizes == []


@each_form
@pytest.mark.parametrize("concurrent", [False, True])
def test_labels_may_lie(form, concurrent, monkeypatch):
    """Rows given up though they can be matched are found out, and one thread goes on alone."""
    graph = generate.hidden_perfect(40, 3, seed=1)
    shapes = set()

    def give_up_all(self, loop, shrink, push=FORMS[form].push):
        if loop == 2:
            self.s.a.mu_row[active_rows(self.s)] = -2
            self.s.a.flags[g_gr.DOUBT] = 1
            if form != "g-pr-first":
                for rows in self.lists[:2]:
                    rows.fill(-1)
        push(self, loop, shrink)

    def note(self, *arguments, shape=g_pr.CT, launch=CpuDevice.launch):
        shapes.add(shape)
        launch(self, *arguments, shape=shape)

    monkeypatch.setattr(FORMS[form], "push", give_up_all)
    monkeypatch.setattr(CpuDevice, "launch", note)
    matching = solve(graph, form, concurrent=concurrent, threads=2)
    assert matching.cardinality == 40
    assert ONE in shapes


def active_rows(s):
    mu_row, mu_col = s.a.mu_row, s.a.mu_col
    return np.flatnonzero((mu_row < 0) | (mu_col[mu_row] != np.arange(mu_row.size)))


@each_form
def test_a_long_time_without_gain_is_ended_by_one_thread_alone(form, monkeypatch):
    """Patience is as many iterations as there are vertices; here it has run out at once."""
    graph = generate.permute(generate.grid(8, 8), seed=2)
    alone = []

    def impatient(self, loop, due, relabel=g_pr.Search.relabel):
        self.gained_at -= 1000
        max_level = relabel(self, loop, due)
        alone.append(self.alone)
        return max_level

    monkeypatch.setattr(g_pr.Search, "relabel", impatient)
    assert solve(graph, form, strategy="fix", k=1).cardinality == 64
    assert set(alone) == {False, True}


@each_form
def test_relabelling_beside_the_pushes(form, monkeypatch):
    """Whatever labels it comes to, and whenever they arrive."""
    begun = []

    def note(self, begin=g_pr.Search.begin_beside):
        begun.append(begin(self))
        return begun[-1]

    monkeypatch.setattr(g_pr.Search, "begin_beside", note)
    for seed in range(8):
        graph = generate.permute(generate.grid(9, 8), seed=seed)
        options = {"strategy": "fix", "k": 1, "concurrent": True, "threads": 2}
        assert solve(graph, form, **options).cardinality == 72

        def interrupt(report, seed=seed):
            if report.step == "search" and report.phase > seed // 2:
                raise KeyboardInterrupt

        left = berge.maximum_matching(
            graph, algorithm=form, init="none", on_phase=interrupt, **options
        )
        berge.verify(graph, left)
    assert any(begun)
    begun.clear()
    solve(graph, form, strategy="fix", k=1, concurrent=True, threads=1)
    assert not any(begun)


def test_a_failure_beside_is_not_lost(monkeypatch):
    first = []

    def fail(device, a, pause, g_gr=g_pr.g_gr):
        first.append(a.psi_row)
        if a.psi_row is not first[0]:
            raise ZeroDivisionError
        return g_gr(device, a, pause)

    monkeypatch.setattr(g_pr, "g_gr", fail)
    monkeypatch.setattr(beside.Beside, "done", True)
    graph = generate.permute(generate.grid(9, 8), seed=1)
    with pytest.raises(ZeroDivisionError):
        solve(graph, "g-pr-shr", strategy="fix", k=1, concurrent=True, threads=2)


@each_form
def test_many_small_graphs_on_threads_that_meet(form, monkeypatch):
    """Every launch on all threads, however few the items; no more iterations than proved."""
    monkeypatch.setattr("berge.compile.device.SERIAL_ITEMS", 0)
    monkeypatch.setattr(g_pr, "SHRINK_FROM", 4)
    rng = np.random.default_rng(5)
    choices = itertools.cycle(
        itertools.product([1, 2, 4], [("adaptive", 0.7), ("fix", 1), ("fix", 4)], [False, True])
    )
    for _ in range(360 if COMPILED else 36):
        n_rows, n_cols = rng.integers(1, 40, 2)
        n_edges = int(rng.integers(0, 3 * max(n_rows, n_cols)))
        rows, cols = rng.integers(0, n_rows, n_edges), rng.integers(0, n_cols, n_edges)
        graph = BipartiteGraph.from_edges(rows, cols, (n_rows, n_cols))
        threads, (strategy, k), concurrent = next(choices)
        matching = solve(
            graph, form, threads=threads, strategy=strategy, k=k, concurrent=concurrent
        )
        far = sum(graph.shape)
        a_gain = 2 * far + n_cols * far // 2  # iterations: patience, a relabelling, then alone
        assert matching.stats.iterations <= (matching.cardinality + 2) * a_gain + 2


@pytest.mark.skipif(not COMPILED, reason="too large for uncompiled kernels")
@each_form
def test_threads_get_in_each_other_s_way(form):
    """Thousands of rows that want few columns."""
    for seed in range(3):
        graph = generate.erdos_renyi(6000, 700, 18_000, seed=seed)
        expected = berge.maximum_matching(graph, threads=1).cardinality
        for concurrent in (False, True):
            found = solve(graph, form, threads=4, concurrent=concurrent)
            assert found.cardinality == expected


def test_time_limit_in_the_middle(monkeypatch):
    """Stopped after every number of iterations, the matching is valid and never shrinks."""
    graph = generate.permute(generate.grid(7, 7), seed=4)
    for form in FORMS:
        last, stopped = 0, True
        for steps in itertools.count(2):
            if not stopped:
                break
            pauses = itertools.count()

            def pause(self, pauses=pauses, steps=steps):
                if next(pauses) >= steps:
                    raise berge.results.run.Stop("time limit")

            with monkeypatch.context() as patch:
                patch.setattr(berge.results.run.Run, "pause", pause)
                matching = berge.maximum_matching(graph, algorithm=form, init="none", threads=1)
            berge.verify(graph, matching)
            assert matching.cardinality >= last
            last, stopped = matching.cardinality, matching.stats.stopped
        assert last == 49
