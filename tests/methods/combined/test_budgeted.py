"""Searches with limits, against a model in sets and lists; threads and locks are staged by hand."""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise
from math import inf

import numpy as np
import pytest

import berge
from berge import BipartiteGraph, generate
from berge.graphs.graph import BorrowedGraph
from berge.methods.combined import budgeted
from berge.methods.combined.budgeted import (
    BATCH_LEFT,
    BROKEN,
    BROKEN_OFF,
    DEALT_WITH,
    ENDED,
    FOUND,
    FREE,
    HIDDEN,
    LARGEST,
    LIMIT,
    LINE,
    LOCK,
    NUMBER,
    PASSED,
    READ,
    ROOTS,
    ROUNDS,
    SEARCHES,
    SPENT,
    TAKEN,
    UNLIMITED,
)
from berge.methods.counters import EDGES, PATHS, report
from berge.methods.starts.cheap import cheap
from berge.tuning import DENSE

from ...conftest import COMPILED
from ...corpus import SMALL
from ..runs import new_run

pytestmark = pytest.mark.kernels
plain = pytest.mark.skipif(COMPILED, reason="compiled code has its constants built in")
TINY = {"SEARCH_LIMIT": 6, "GROWTH": 2, "FEW_ROOTS": 2, "FAVOUR": 2, "HEAD_START": 1 / 8}


class Model:
    """The same searches on one thread, from their description."""

    def __init__(self, graph: BipartiteGraph, row_match, look_ahead: bool = False) -> None:
        ends = graph.indptr.tolist()
        indices = graph.indices.tolist()
        self.rows = [indices[lo:hi] for lo, hi in pairwise(ends)]
        self.row_match = row_match.tolist()
        self.col_match = {y: x for x, y in enumerate(self.row_match) if y >= 0}
        self.hidden: set[int] = set()
        self.passed = Counter() if look_ahead else None
        self.edges = self.rounds = self.broken_off = self.unlimited = 0
        self.paths: list[int] = []
        self.free = int(budgeted.HEAD_START * len(indices))

    def solve(self) -> None:
        roots = [x for x, y in enumerate(self.row_match) if y < 0 and self.rows[x]]
        limit = budgeted.SEARCH_LIMIT
        while roots:
            self.limit = limit if len(roots) > budgeted.FEW_ROOTS else inf
            roots = [root for root in roots if not self.is_dealt_with(root)]
            limit *= budgeted.GROWTH
            self.rounds += 1

    def is_dealt_with(self, root: int) -> bool:
        favoured = budgeted.FAVOUR * self.broken_off > self.unlimited + self.free
        before = self.edges
        ended = self.search(root, inf if favoured else self.limit)
        edges = self.edges - before
        if favoured and edges > self.limit:
            self.unlimited += edges
        elif not ended:
            self.broken_off += edges
        return ended

    def search(self, root: int, limit: float) -> bool:
        queue, parent, seen, looked = [root], {root: None}, set(), 1
        enough = self.edges + limit
        for x in queue:
            if self.edges >= enough:
                return False
            while self.passed is not None and looked < len(queue):
                ahead = queue[looked]
                for y in self.rows[ahead][self.passed[ahead] :]:
                    self.edges += 1
                    if y not in self.col_match:
                        return self.augment(ahead, y, parent)
                    self.passed[ahead] += 1
                looked += 1
            for y in self.rows[x]:
                self.edges += 1
                if y in seen or y in self.hidden:
                    continue
                seen.add(y)
                if y not in self.col_match:
                    return self.augment(x, y, parent)
                queue.append(self.col_match[y])
                parent[self.col_match[y]] = x
        self.hidden |= {self.row_match[x] for x in queue[1:]}
        return True

    def augment(self, x: int | None, y: int, parent: dict) -> bool:
        self.paths.append(-1)
        while x is not None:
            self.col_match[y] = x
            self.row_match[x], y = y, self.row_match[x]
            self.paths[-1] += 2
            x = parent[x]
        return True


def histogram(lengths: list[int]) -> list[int]:
    """Return how many paths have 1, 2 to 3, 4 to 7, … edges."""
    counts = Counter(length.bit_length() - 1 for length in lengths)
    return [counts[i] for i in range(max(counts, default=-1) + 1)]


def tune(monkeypatch, **numbers):
    for name, value in numbers.items():
        monkeypatch.setattr(budgeted, name, value)


def check_model(graph: BipartiteGraph, look_ahead: bool = False, start: bool = False) -> Model:
    """Search on one thread; everything that is counted must be as the model has it."""
    run = new_run(graph)
    if start:
        cheap(run)
    model = Model(graph, run.row_match, look_ahead)
    a = budgeted.prepare(run, 1)
    run.upper_bound += 1  # so that it does not end before all roots are dealt with
    assert budgeted.search_with_limits(run, a, inf)
    report(run, a.tally)
    model.solve()
    assert run.row_match.tolist() == model.row_match
    assert {y: x for y, x in enumerate(run.col_match.tolist()) if x >= 0} == model.col_match
    assert run.cardinality == len(model.col_match)
    assert run.stats.traversed_edges == a.state[READ] == model.edges
    assert run.stats.phases == a.state[ROUNDS] == model.rounds
    assert run.stats.path_lengths == histogram(model.paths)
    assert run.stats.path_edges == sum(model.paths)
    assert a.state[FOUND] == len(model.paths)
    assert a.own[0, BROKEN_OFF] == model.broken_off
    assert a.own[0, UNLIMITED] == model.unlimited
    assert (a.ahead is not None) == look_ahead
    return model


def test_every_count_is_the_models():
    """On graphs where searches are broken off, come to their ends, and look ahead."""
    seen = [
        check_model(generate.hidden_perfect(1500, 4, seed=1)),
        check_model(generate.permute(generate.grid(40, 40), seed=2)),
        check_model(generate.erdos_renyi(1500, 1400, 4500, seed=3), start=True),
        check_model(generate.complete(60, 50), look_ahead=True),
    ]
    assert max(model.rounds for model in seen) > 1
    for what in ("broken_off", "unlimited", "hidden", "passed"):
        assert any(getattr(model, what) for model in seen), what


@plain
@pytest.mark.parametrize("start", [False, True])
@pytest.mark.parametrize("dense", [0, 10**9])
def test_small_graphs_with_small_limits(dense, start, monkeypatch):
    tune(monkeypatch, **TINY, DENSE=dense)
    rounds = []
    for make, _ in SMALL.values():
        graph = make()
        run = new_run(graph)
        if start:
            cheap(run)
        look_ahead = dense == 0 and run.unmatched_rows().size > budgeted.FEW_ROOTS
        rounds.append(check_model(graph, look_ahead, start).rounds)
    assert max(rounds) > 2


def diagonal(n: int) -> BipartiteGraph:
    """Every row next to the column of its number, and to nothing else."""
    return BipartiteGraph.from_edges(np.arange(n), np.arange(n), (n, n))


def rows_of(*rows: list[int], n_cols: int) -> BipartiteGraph:
    """A graph by its rows, whose order is kept."""
    indptr = np.cumsum([0, *map(len, rows)])
    return BipartiteGraph(indptr, np.array([*chain(*rows)], np.int64), (len(rows), n_cols))


def test_what_a_search_begins_with():
    few, limit = budgeted.FEW_ROOTS, budgeted.SEARCH_LIMIT
    for n in (few, few + 1):
        graph = diagonal(n)
        a = budgeted.prepare(new_run(graph), 3)
        assert a.state[LIMIT] == (LARGEST if n == few else limit)
        assert (a.state[ROOTS], a.state[HIDDEN], a.roots.tolist()) == (n, 2**31 - 1, [*range(n)])
        assert a.cols.tolist()[0] == [0, -1] * n
        assert a.queue.shape == a.via.shape == a.parent.shape == (3, n)
        assert a.cols.shape == (3, 2 * n)
        assert a.own.shape[0] == a.tally.shape[0] == 1
        assert a.own[0, FREE] == 0
    most = budgeted.MOST_THREADS
    assert budgeted.prepare(new_run(graph), most + 1).cols.shape[0] == most
    wide = BipartiteGraph._trusted(*(x.astype(np.int64) for x in (graph.indptr, graph.indices)),
                                   graph.shape)  # fmt: skip
    assert budgeted.prepare(new_run(wide), 1).state[HIDDEN] == 2**63 - 1
    large = generate.complete(20, 10)
    assert budgeted.prepare(new_run(large), 1).own[0, FREE] == int(budgeted.HEAD_START * 200) > 0


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_who_looks_ahead(threads):
    """Dense graphs with some more than few roots: one number a row, or one for each direction."""
    few, dense = budgeted.FEW_ROOTS, budgeted.DENSE
    for n_rows, degree in ((few, dense), (few + 1, dense - 1), (few + 1, dense)):
        a = budgeted.prepare(new_run(generate.complete(n_rows, degree)), threads)
        if n_rows > few and degree == dense:
            assert a.ahead.shape == (min(threads, 2), n_rows)
            assert not a.ahead.any()
        else:
            assert a.ahead is None


def test_edges_end_a_search():
    """It stops soon after so many edges, goes on when called again, and counts from the first."""
    graph = generate.hidden_perfect(1000, 3, seed=5)
    run = new_run(graph)
    a = budgeted.prepare(run, 1)
    pauses = []
    run.on_phase = lambda report: pauses.append(report.cardinality)
    for most in (500, 1000, 1000, 3000):
        before = int(a.state[READ])
        assert not budgeted.search_with_limits(run, a, most)
        assert most < a.state[READ] < most + 2 * budgeted.SEARCH_LIMIT or before >= most
        assert before == a.state[READ] or before < most
        assert budgeted.roots_left(a) == 1000 - run.cardinality
    assert pauses == sorted(set(pauses))
    assert len(pauses) == 3
    assert budgeted.search_with_limits(run, a, inf)
    assert run.done


@plain
@pytest.mark.parametrize("threads", [1, 2])
def test_kernels_return_after_so_many_edges(threads, monkeypatch):
    """The last call is for what is left, and one edge more."""
    tune(monkeypatch, EDGES_PER_CALL=100)
    run = new_run(diagonal(300))
    a = budgeted.prepare(run, threads)
    if threads > 1:
        a = budgeted.shared(a)
    budgets = []

    def search(a, budget):
        budgets.append(budget)
        a.state[READ] += [100, 100, 50, 1][len(budgets) - 1]

    tune(monkeypatch, **{"search_alone" if threads == 1 else "share_roots": search})
    assert not budgeted.search_with_limits(run, a, 251)
    assert budgets == [101, 101, 52, 2]
    # As long as the next search may have a number: one is kept for hidden columns.
    a.state[HIDDEN] = a.state[NUMBER] + a.state[ROOTS]
    assert not budgeted.search_with_limits(run, a, inf)
    assert len(budgets) == 4


def test_what_a_call_adds_is_counted():
    run = new_run(diagonal(9))
    a = budgeted.prepare(run, 1)
    pauses = []
    run.on_phase = pauses.append

    def search(a, *edges):
        assert edges == (5, 6)
        a.state[[FOUND, ROUNDS]] += [4, 3]

    for call in (1, 2):
        budgeted._search(run, a, search, 5, 6)
        assert (run.cardinality, run.stats.phases, len(pauses)) == (4 * call, 3 * call, call)
    assert "search" in run.seconds


def test_nothing_is_searched_for_without_roots():
    run = new_run(diagonal(3))
    a = budgeted.prepare(run, 1)
    a.state[ROOTS] = 0
    assert budgeted.search_with_limits(run, a, 0)
    a.state[ROOTS], run.cardinality = 1, 3
    assert budgeted.search_with_limits(run, a, 0)
    a.state[ROOTS], run.cardinality = 1, 2
    assert not budgeted.search_with_limits(run, a, 0)
    assert a.state[READ] == 0


@plain
def test_one_thread_goes_from_round_to_round(monkeypatch):
    run = new_run(diagonal(9))
    a = budgeted.prepare(run, 1)
    calls, rounds = [], []

    def search_roots(a, t, budget, beside):
        calls.append((t, budget, beside))
        a.state[READ] += 10
        a.state[ROOTS] -= 1

    tune(monkeypatch, search_roots=search_roots, end_round=lambda a: rounds.append(1))
    a.state[READ] = 5
    budgeted.search_alone(a, 30)
    assert calls == [(0, 30, False), (0, 20, False), (0, 10, False)]
    budgeted.search_alone(a, 10**6)
    assert len(calls) == len(rounds) == 9
    a.state[ROOTS], a.state[NUMBER] = 1, a.state[HIDDEN]
    budgeted.search_alone(a, 10)
    assert len(calls) == 9


@plain
@pytest.mark.parametrize(
    ("n", "most", "rate", "budgets"),
    [
        (70, 10**6, 1, [10, 10, 20, 30]),  # 20 edges, and 1 for each of 50 roots: that may pay
        (70, 35, 1, [10, 10, 15, 0]),
        (71, 10**6, 1, [10, 10]),
        (40, 10**6, 2, [10, 10]),
        (6, 10**6, inf, [10, 10]),  # where no root is dealt with, 10 edges for each
        (5, 10**6, inf, [10, 10, 20]),
    ],
)
def test_one_thread_stops_where_others_should_help(n, most, rate, budgets, monkeypatch):
    """Of what is worth 80 edges it reads 70 at most, in four parts."""
    a = budgeted.prepare(new_run(diagonal(n)), 2)
    asked = []

    def search_alone(a, budget):
        asked.append(budget)
        a.state[READ] += budget
        a.own[0, DEALT_WITH] += int(budget / rate)

    tune(monkeypatch, search_alone=search_alone)
    budgeted.begin_alone(a, 80, most)
    assert asked == budgets


@plain
def test_beginning_alone(monkeypatch):
    """Once, before others help; what it may read is bounded."""
    run = new_run(diagonal(60))
    a = budgeted.prepare(run, 2)
    calls = []
    tune(
        monkeypatch,
        EDGES_PER_CALL=50,
        begin_alone=lambda a, *edges: calls.append(edges),
        search_alone=None,
        share_roots=None,
    )
    assert not budgeted.search_before_others(run, a, 40, 7.5)
    assert not budgeted.search_before_others(run, a, 60, inf)
    assert not budgeted.search_before_others(run, a, 0, 7.5)
    assert calls == [(40, 7), (50, LARGEST)]
    a.state[ROOTS] = 0
    assert budgeted.search_before_others(run, a, 40, 7.5)


@plain
def test_enough_roots_for_threads(monkeypatch):
    """Sixteen each; the counts of the first thread are kept, but for those of its round."""
    n = 2 * budgeted.FEWEST_ROOTS
    graph = rows_of(*([i, n + 2] for i in range(n + 2)), n_cols=n + 4)
    run = new_run(graph)
    a = budgeted.prepare(run, 4)
    assert budgeted.search_with_limits(run, a, 3) is False
    assert a.own[0, DEALT_WITH] == 4  # roots 0 to 3
    a.cols[1:] = 77
    a.own[0, FREE], a.own[0, BROKEN_OFF], a.own[0, UNLIMITED] = 31, 5, 6
    a.cols[0, 2 * 9] = a.state[HIDDEN]
    rounds = a.state[ROUNDS]
    b = budgeted.shared(a)
    threads = 1 + (n - 2) // budgeted.FEWEST_ROOTS
    assert b.own.shape[0] == b.tally.shape[0] == threads == 2
    assert b.roots.tolist() == [*range(4, n + 2)]
    assert b.state[ROOTS] == n - 2
    assert b.state[ROUNDS] == rounds
    assert b.state.size == TAKEN + LINE * threads
    assert not b.state[TAKEN:].any()
    assert b.own[:, FREE].tolist() == [15, 15]
    assert b.own[:, SEARCHES].tolist() == [4, 0]
    assert b.own[:, BROKEN_OFF].tolist() == [5, 0]
    assert b.own[:, UNLIMITED].tolist() == [6, 0]
    assert not b.own[:, [PASSED, DEALT_WITH, BATCH_LEFT]].any()
    assert b.tally[:, EDGES].tolist() == [4, 0]
    assert b.tally[:, PATHS].tolist() == [4, 0]
    hidden = [0] * (n + 4)
    hidden[9] = b.state[HIDDEN]
    assert b.cols[1, ::2].tolist() == hidden
    assert b.cols[1, 1::2].tolist() == [0, 1, 2, 3] + [-1] * n
    assert (b.cols[2:] == 77).all()  # of threads that are not needed


@plain
def test_too_few_roots_for_threads():
    n = budgeted.FEWEST_ROOTS
    for size in (n - 1, n):
        a = budgeted.prepare(new_run(diagonal(size)), 4)
        assert (budgeted.shared(a) is a) == (size < n)
    a = budgeted.prepare(new_run(diagonal(n)), 1)
    assert budgeted.shared(a) is a
    a = budgeted.prepare(new_run(diagonal(10 * n)), 3)
    assert budgeted.shared(a).own.shape[0] == 3


@plain
@pytest.mark.parametrize("threads", [2, 3, 4])
def test_matches_are_copied_by_all(threads):
    n = 50
    a = budgeted.prepare(new_run(diagonal(n)), threads)
    b = budgeted.shared(a._replace(cols=a.cols.copy()))
    b.cols[0] = np.arange(2 * n)
    b.cols[0, 8], b.state[HIDDEN] = 1000, 1000
    b.cols[1:] = -7
    for t in range(threads):
        lo, hi = (2 * (n * i // threads) for i in (t, t + 1))
        budgeted.copy_cols(b, t)
        for other in range(1, threads):
            assert (b.cols[other, hi:] == -7).all()
            assert (b.cols[other, lo + 1 : hi : 2] == np.arange(lo + 1, hi, 2)).all()
    assert b.cols[0, 8] == 1000
    for other in range(1, threads):
        assert np.flatnonzero(b.cols[other, ::2]).tolist() == [4]
        assert b.cols[other, 8] == 1000


def staged(monkeypatch, n, threads, outcome):
    """Roots 0 to n for threads, and a log of searches that end as `outcome(root, limit)` says."""
    log = []

    def search(a, t, beside, root, number, limit):
        log.append((t, int(root), number, limit))
        return outcome(root, limit)

    a = budgeted.prepare(new_run(diagonal(n)), threads)
    if threads > 1:
        a = budgeted.shared(a)
    tune(monkeypatch, search=search)
    return a, log


@plain
def test_roots_one_after_the_other(monkeypatch):
    """Found, ended, broken off: what is counted of each."""
    outcomes = {0: (3, 5), 1: (4, ENDED), 2: (7, BROKEN), 3: (2, 1), 4: (6, 3)}
    a, log = staged(monkeypatch, 5, 1, lambda root, limit: outcomes[root])
    a.state[LIMIT] = 9
    budgeted.search_roots(a, 0, 14, False)
    assert log == [(0, 0, 1, 9), (0, 1, 2, 9), (0, 2, 3, 9)]
    own = a.own[0]
    assert own[[PASSED, DEALT_WITH, SEARCHES, BROKEN_OFF, UNLIMITED]].tolist() == [3, 2, 3, 7, 0]
    assert a.roots.tolist() == [-1, -1, 2, 3, 4]
    assert a.tally[0, [EDGES, PATHS]].tolist() == [14, 1]
    own[FREE] = budgeted.FAVOUR * 7 - 1
    budgeted.search_roots(a, 0, 100, False)
    assert log[3:] == [(0, 3, 4, 100), (0, 4, 5, 98)]
    assert own[[PASSED, DEALT_WITH, UNLIMITED]].tolist() == [5, 4, 0]
    assert a.roots.tolist() == [-1, -1, 2, -1, -1]
    budgeted.search_roots(a, 0, 100, False)  # no root is left
    assert len(log) == 5


@plain
@pytest.mark.parametrize(("edges", "unlimited"), [(9, 0), (10, 10)])
def test_searches_without_limit_are_counted_where_they_need_it(edges, unlimited, monkeypatch):
    a, log = staged(monkeypatch, 2, 1, lambda root, limit: (edges, BROKEN))
    a.state[LIMIT], a.own[0, BROKEN_OFF], a.own[0, FREE] = 9, 5, 19
    budgeted.search_roots(a, 0, 30, False)
    favour = unlimited == 0  # the first was no more expensive than usual
    assert log == [(0, 0, 1, 30), (0, 1, 2, 30 - edges if favour else 9)]
    assert a.own[0, UNLIMITED] == unlimited
    assert a.own[0, BROKEN_OFF] == 5 + (18 if favour else 10)
    assert budgeted.FAVOUR == 4
    a.own[0, FREE] = 10**6  # all but none is favoured
    a.roots[:], a.own[0, PASSED], a.state[TAKEN] = [0, 1], 0, 0
    budgeted.search_roots(a, 0, 30, False)
    assert log[2:] == [(0, 0, 3, 9), (0, 1, 4, 9)]


@plain
def test_a_favoured_search_has_the_usual_limit_at_least(monkeypatch):
    a, log = staged(monkeypatch, 2, 1, lambda root, limit: (5, 1))
    a.state[LIMIT], a.own[0, BROKEN_OFF], a.own[0, FREE] = 9, 5, 19
    budgeted.search_roots(a, 0, 6, False)
    assert log == [(0, 0, 1, 9), (0, 1, 2, 9)]
    # As much as is free is no reason yet.
    a, log = staged(monkeypatch, 1, 1, lambda root, limit: (5, 1))
    a.state[LIMIT], a.own[0, BROKEN_OFF], a.own[0, FREE] = 9, 5, 20
    budgeted.search_roots(a, 0, 60, False)
    assert log == [(0, 0, 1, 9)]


@plain
@pytest.mark.parametrize("threads", [2, 3, 4])
def test_two_and_two_share_a_stretch(threads, monkeypatch):
    """One takes roots from its front, the other from its back; all roots are taken once."""
    n = 200
    a, log = staged(monkeypatch, n, threads, lambda root, limit: (1, 1))
    pairs = (threads + 1) // 2
    stretches = [range(n * p // pairs, n * (p + 1) // pairs) for p in range(pairs)]
    batch = min(budgeted.ROOTS_AT_A_TIME, 1 + (n // pairs) // (4 * budgeted.ROOTS_AT_A_TIME))
    taken = {t: [] for t in range(threads)}
    for turn in range(1000):
        t = (threads - 1 - turn) % threads
        a.state[SPENT] = 0
        log.clear()
        budgeted.search_roots(a, t, 1, True)
        taken[t] += [root for _, root, _, _ in log]
        # The first of a batch; those after it are taken without looking at what others take.
        assert all(who == t for who, *_ in log)
        assert a.state[TAKEN + LINE * (t // 2)] % batch == 0
        assert turn > 0 or a.state[TAKEN + LINE * (t // 2)] == batch
    for t, roots in taken.items():
        stretch = stretches[t // 2]
        expected = stretch[::-1] if t % 2 else stretch
        assert roots == [*expected[: len(roots)]]
        alone = t == threads - 1 and threads % 2
        assert len(roots) == len(stretch) if alone else abs(2 * len(roots) - len(stretch)) <= batch
    assert sorted(chain(*taken.values())) == [*range(n)]
    assert budgeted.roots_left(a) == 0
    assert (a.roots == -1).all()


@plain
def test_threads_share_a_budget(monkeypatch):
    """Whoever takes roots says what it has spent, and stops where all together have spent it."""
    a, log = staged(monkeypatch, 400, 2, lambda root, limit: (10, 1))
    assert min(budgeted.ROOTS_AT_A_TIME, 1 + 400 // 32) == 8
    a.state[SPENT] = 0
    budgeted.search_roots(a, 0, 200, True)
    assert len(log) == 20  # two batches and a half
    assert a.state[SPENT] == 160
    budgeted.search_roots(a, 1, 200, True)
    assert len(log) == 24  # 40 were left when it began
    a.state[SPENT] = 170
    budgeted.search_roots(a, 1, 200, True)  # four of its batch are left; then it looks
    assert len(log) == 24 + 4 + 1
    assert a.state[SPENT] == 210
    assert a.tally[:, EDGES].tolist() == [200, 90]
    budgeted.share_roots(a, 100)
    # The first goes on for 100. The other has seven roots of its batch left, and takes one more.
    assert a.tally[:, EDGES].tolist() == [300, 170]
    assert a.state[READ] == 470


def tree(threads: int, look_ahead: bool = False):
    """Rows 1 to 4 have matches: row 0 comes to 1 and 2 by columns 1 and 2, from there to 3 and 4.

    Column 0 is free, beside row 3 alone.
    """
    graph = rows_of([1, 2], [1, 3], [2, 4, 4], [3, 0], [4], n_cols=5)
    run = new_run(graph)
    run.row_match[1:] = run.col_match[1:] = range(1, 5)
    a = budgeted.prepare(run, threads)
    if look_ahead:
        a = a._replace(ahead=np.zeros((2, 5), np.int32))
    a.cols[:] = a.cols[0]
    return a._replace(own=np.zeros((threads, a.own.shape[1]), np.int64))


def queue_of(a, t: int, size: int) -> list[list[int]]:
    return [x[t, :size].tolist() for x in (a.queue, a.via, a.parent)]


@plain
@pytest.mark.parametrize("t", [0, 1])
def test_every_other_thread_reads_backwards(t):
    """The edges of a row, and so the whole tree."""
    a = tree(2)
    a.queue[t], a.via[t], a.parent[t] = 9, 9, 9
    edges, outcome = budgeted.search(a, t, True, 0, 7, 100)
    assert outcome == 5
    assert a.row_match.tolist() == [1, 3, 2, 0, 4]
    for thread in range(2):
        assert a.cols[thread, 1::2].tolist() == [3, 0, 2, 1, 4]
    assert a.state[LOCK] == 0
    if t == 0:  # [1, 2], [1, 3], [2, 4, 4], [3, 0]
        assert edges == 2 + 2 + 3 + 2
        assert queue_of(a, t, 5) == [[0, 1, 2, 3, 4], [9, 1, 2, 3, 4], [9, 0, 0, 1, 2]]
    else:  # [2, 1], [4, 4, 2], [3, 1], [4], [0]
        assert edges == 2 + 3 + 2 + 1 + 1
        assert queue_of(a, t, 5) == [[0, 2, 1, 4, 3], [9, 2, 1, 4, 3], [9, 0, 0, 1, 2]]
    visited = {0, 1, 2, 3, 4}
    assert a.cols[t, ::2].tolist() == [7 * (y in visited) for y in range(5)]
    assert a.cols[1 - t, ::2].tolist() == [0] * 5


@plain
def test_a_thread_alone_reads_forwards():
    a = tree(2)
    assert budgeted.search(a, 1, False, 0, 1, 100) == (9, 5)


@plain
@pytest.mark.parametrize(("limit", "edges"), [(1, 2), (2, 2), (3, 4), (7, 7), (8, 9)])
def test_a_limit_is_looked_at_row_by_row(limit, edges):
    a = tree(1)
    outcome = 5 if edges == 9 else BROKEN
    assert budgeted.search(a, 0, False, 0, 1, limit) == (edges, outcome)
    assert (a.row_match[0] < 0) == (outcome == BROKEN)


@plain
@pytest.mark.parametrize("t", [0, 1])
def test_looking_ahead(t):
    """Each row that was come to is looked at once, from where looking stopped the last time."""
    a = tree(2, look_ahead=True)
    edges, outcome = budgeted.search(a, t, True, 0, 1, 100)
    # Row 0; rows 1 and 2, ahead; row 1; row 3 ahead; or, backwards, row 2; row 4 ahead; row 1; …
    assert (edges, outcome) == ((2 + 5 + 2 + 2, 5) if t == 0 else (2 + 5 + 3 + 1 + 2 + 1, 5))
    assert a.ahead[t].tolist() == ([0, 2, 3, 1, 0] if t == 0 else [0, 2, 3, 0, 1])
    assert not a.ahead[1 - t].any()
    assert a.row_match.tolist() == [1, 3, 2, 0, 4]


@plain
def test_looking_ahead_goes_on_where_it_was():
    a = tree(1, look_ahead=True)
    a.queue[0, :4] = 0, 1, 2, 3
    a.ahead[0, :] = 0, 1, 2, 0, 0
    cols, queue = a.cols[0], a.queue[0]
    assert budgeted.look_ahead(a, a.ahead, cols, queue, False, 1, 4) == (3, 1 + 1 + 2, 0)
    assert a.ahead[0].tolist() == [0, 2, 3, 1, 0]
    assert budgeted.look_ahead(a, a.ahead, cols, queue, False, 1, 3) == (3, 0, -1)
    assert budgeted.look_ahead(a, a.ahead, cols, queue, False, 3, 4) == (3, 1, 0)
    assert budgeted.look_ahead(a, None, cols, queue, False, 1, 4) == (1, 0, -1)


def at_row_3(threads: int = 2):
    """The tree above, when thread 0 has come from row 0 by way of row 1 to row 3."""
    a = tree(threads)
    a.queue[0, :3], a.via[0, :3], a.parent[0, :3] = (0, 1, 3), (9, 1, 3), (9, 0, 1)
    return a


@plain
@pytest.mark.parametrize("row", [0, 1, 3])
def test_paths_that_others_have_changed_are_left_alone(row):
    a = at_row_3()
    if row:
        a.row_match[row] = 2
    else:
        a.cols[0, 1] = 4  # the free column is taken
    before = [x.copy() for x in (a.row_match, a.col_match, a.cols)]
    assert budgeted.augment(a, 0, True, 2, 0) == BROKEN
    assert a.state[LOCK] == 0
    for old, new in zip(before, (a.row_match, a.col_match, a.cols), strict=True):
        assert old.tolist() == new.tolist()


@plain
@pytest.mark.parametrize("beside", [False, True])
def test_augmenting(beside):
    a = at_row_3()
    a.queue[0, 0] = 4  # the root has no match that matters
    if beside:
        a.via[0, 0] = -5
    assert budgeted.augment(a, 0, beside, 2, 0) == 5
    assert a.row_match.tolist() == [-1, 3, 2, 0, 1]
    assert a.col_match.tolist() == [3, 4, 2, 1, 4]
    for t in range(2):
        assert a.cols[t, 1::2].tolist() == [3, 4, 2, 1, 4]
    assert a.state[LOCK] == 0


@plain
@pytest.mark.parametrize(("row", "outcome"), [(0, ENDED), (1, BROKEN), (3, BROKEN)])
def test_regions_that_others_have_changed_are_not_hidden(row, outcome):
    a = at_row_3()
    a.row_match[row] = 2
    marks = a.cols[:, ::2].copy()
    assert budgeted.hide(a, 0, True, 3) == outcome
    assert a.state[LOCK] == 0
    if outcome == ENDED:
        marks[:, [1, 3]] = a.state[HIDDEN]
    assert a.cols[:, ::2].tolist() == marks.tolist()
    assert a.cols[:, 1::2].tolist() == [[-1, 1, 2, 3, 4]] * 2


@plain
def test_the_lock(monkeypatch):
    """Without it nothing is changed; a root alone needs none to be given up."""
    tune(monkeypatch, PATIENCE=3)
    a = at_row_3()
    a.state[LOCK] = 1
    before = a.row_match.tolist()
    assert budgeted.augment(a, 0, True, 2, 0) == BROKEN
    assert budgeted.hide(a, 0, True, 2) == BROKEN
    assert a.row_match.tolist() == before
    assert not (a.cols[:, ::2] == a.state[HIDDEN]).any()
    assert budgeted.hide(a, 0, True, 1) == ENDED
    assert a.state[LOCK] == 1
    tries = []

    def compare_and_swap(state, i, old, new):
        tries.append((i, old, new))
        return len(tries) == 3

    tune(monkeypatch, compare_and_swap=compare_and_swap)
    assert budgeted.acquire(a.state)
    assert tries == [(LOCK, 0, 1)] * 3
    budgeted.release(a.state)
    assert tries[3] == (LOCK, 1, 0)
    assert not budgeted.acquire(a.state)
    assert len(tries) == 7


@plain
def test_the_end_of_a_round():
    """Once the roots of all threads are passed; those postponed keep their order."""
    few = budgeted.FEW_ROOTS
    a = budgeted.shared(budgeted.prepare(new_run(diagonal(40)), 2))
    a.state[LIMIT] = 10
    a.tally[:, EDGES], a.tally[:, PATHS] = [5, 7], [2, 3]
    a.own[:, SEARCHES], a.own[:, PASSED], a.own[:, DEALT_WITH] = [30, 9], [30, 9], [5, 6]
    a.state[[TAKEN, TAKEN + LINE]] = 40
    a.state[TAKEN - LINE : TAKEN] = 3
    a.roots[[0, 5, 39]] = -1, 0, -1
    assert budgeted.roots_left(a) == 40 - 11
    budgeted.end_round(a)
    assert a.state[[READ, FOUND, NUMBER]].tolist() == [12, 5, 30]
    assert a.state[[ROOTS, ROUNDS, LIMIT, TAKEN]].tolist() == [40, 0, 10, 40]
    a.own[1, PASSED], a.own[0, SEARCHES] = 10, 0
    budgeted.end_round(a)
    assert a.state[[READ, FOUND, NUMBER]].tolist() == [12, 5, 30]
    left = [1, 2, 3, 4, 0, *range(6, 39)]
    assert a.roots[:38].tolist() == left
    assert a.state[[ROOTS, ROUNDS]].tolist() == [38, 1]
    assert a.state[LIMIT] == 10 * budgeted.GROWTH
    assert not a.state[[TAKEN, TAKEN + LINE]].any()
    assert not a.own[:, [PASSED, DEALT_WITH]].any()
    assert (a.state[TAKEN - LINE : TAKEN] == 3).all()
    for size in (few + 1, few):
        a.state[LIMIT], a.roots[:38], a.roots[:size] = LARGEST // 2, -1, 1
        a.own[0, PASSED] = a.state[ROOTS]
        budgeted.end_round(a)
        assert a.state[LIMIT] == LARGEST
        assert a.state[ROOTS] == size
        a.state[ROOTS], a.state[LIMIT] = 38, 10
        a.own[0, PASSED], a.roots[size:38] = 38, -1
        budgeted.end_round(a)
        assert a.state[LIMIT] == (10 * budgeted.GROWTH if size > few else LARGEST)


@plain
def test_making_ready_for_threads(monkeypatch):
    a = budgeted.shared(budgeted.prepare(new_run(diagonal(40)), 2))
    log = []
    tune(
        monkeypatch,
        search_roots=lambda a, t, budget, beside: log.append((int(t), budget, beside)),
        copy_cols=lambda a, t: log.append(int(t)),
    )
    a.state[SPENT] = 5
    budgeted.share_roots(a, 1)
    assert a.state[SPENT] == 0
    budgeted.share_roots(a, 0)
    assert log == [(0, 1, True), (1, 1, True), 0, 1]


@pytest.mark.kernels
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dense", [False, True])
def test_indices_that_others_changed_are_passed_over(threads, dense):
    """Searches read no further than the columns go, whatever an index became meanwhile."""
    graph = generate.karp_sipser_hard(200) if dense else generate.hidden_perfect(400, 3)
    assert (graph.nnz >= DENSE * graph.n_rows) == dense
    matrix = graph.to_scipy()
    spoilt = np.arange(graph.nnz) % 7 == 3
    rest = BipartiteGraph.from_edges(
        np.repeat(np.arange(graph.n_rows), graph.row_degrees)[~spoilt],
        graph.indices[~spoilt],
        graph.shape,
    )
    borrowed = BorrowedGraph.of(matrix)
    matrix.indices[spoilt] = np.resize([-1, graph.n_cols, 2**31 - 1, -(2**31)], spoilt.sum())
    run, right = new_run(borrowed, threads), new_run(rest)
    for each in (run, right):
        cheap(each)
    assert run.row_match.tolist() == right.row_match.tolist()
    run.row_match[::2] = run.col_match[:] = -1
    rows = np.flatnonzero(run.row_match >= 0)
    run.col_match[run.row_match[rows]] = rows
    run.cardinality = rows.size
    a = budgeted.prepare(run, threads)
    assert (a.ahead is not None) == dense
    if threads > 1:
        a = budgeted.shared(a)
        assert a.own.shape[0] == threads
    assert budgeted.search_with_limits(run, a, inf)
    assert run.cardinality == berge.maximum_matching(rest, algorithm="ss-bfs").cardinality
    edges = {*zip(*rest.to_scipy().nonzero(), strict=True)}
    assert all((x, y) in edges for x, y in enumerate(run.row_match) if y >= 0)
