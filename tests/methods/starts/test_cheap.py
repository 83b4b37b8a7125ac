"""The cheap start, alone and on threads that share the rows out."""

from __future__ import annotations

from itertools import chain, pairwise

import numpy as np
import pytest

import berge
from berge import BipartiteGraph, generate
from berge.graphs.graph import unsigned
from berge.methods.starts import cheap

from ...conftest import COMPILED
from ...corpus import SMALL
from ..runs import new_run, random_graphs, share_cheap_starts, solve

compiled = pytest.mark.skipif(not COMPILED, reason="races need threads")
plain = pytest.mark.skipif(COMPILED, reason="compiled code has its constants built in")


def arrays(*rows: list[int], n_cols: int, matched: dict[int, int] | None = None):
    """A graph by its rows, and a matching: what the kernels work on."""
    indptr = np.cumsum([0, *map(len, rows)]).astype(np.uint32)
    row_match, col_match = np.full(len(rows), -1, np.int32), np.full(n_cols, -1, np.int32)
    for x, y in (matched or {}).items():
        row_match[x], col_match[y] = y, x
    indices = np.array([*chain(*rows)], np.uint32)
    return cheap.Arrays(indptr, indices, row_match, col_match)


def model(graph: BipartiteGraph) -> list[int]:
    """Every row in turn takes its first free column."""
    taken, match = set(), []
    for lo, hi in pairwise(graph.indptr.tolist()):
        free = [y for y in graph.indices[lo:hi].tolist() if y not in taken]
        match.append(free[0] if free else -1)
        taken |= set(free[:1])
    return match


@pytest.mark.kernels
def test_every_row_takes_its_first_free_column():
    for make, _ in SMALL.values():
        run = new_run(make())
        cheap.cheap(run)
        assert run.row_match.tolist() == model(run.graph)
        assert run.cardinality == np.count_nonzero(run.row_match >= 0)


@pytest.mark.kernels
def test_some_rows():
    """From `lo` to `hi`, those with a match left out."""
    a = arrays([0], [2, 0, 1], [0, 3], [0, 3], [4], n_cols=5, matched={2: 2})
    assert cheap.match_rows(a, 1, 4) == 2
    assert a.row_match.tolist() == [-1, 0, 2, 3, -1]
    assert a.col_match.tolist() == [1, -1, 2, 3, -1]


@plain
@pytest.mark.kernels
def test_portions_of_rows(monkeypatch):
    """As many as have so many edges; then the run pauses."""
    graph = BipartiteGraph.from_edges(
        np.repeat(np.arange(7), [4, 6, 1, 25, 0, 9, 2]), np.arange(47), (8, 47)
    )
    stretches, match_rows = [], cheap.match_rows

    def watch(*arguments):
        stretches.append(arguments[1:])
        return match_rows(*arguments)

    monkeypatch.setattr(cheap, "match_rows", watch)
    for limit, expected in (
        (48, [(0, 8)]),
        (47, [(0, 4), (4, 8)]),  # 36 edges and 11: half of them lie behind row 3
        (16, [(0, 4), (4, 4), (4, 8)]),  # both thirds of the edges end in row 3
    ):
        monkeypatch.setattr(cheap, "EDGES_PER_CALL", limit)
        stretches.clear()
        pauses = []
        run = new_run(graph)
        run.on_phase = lambda report, pauses=pauses: pauses.append(report.cardinality)
        cheap.cheap(run)
        assert stretches == expected
        assert len(pauses) == len(expected)
        assert pauses[-1] == run.cardinality == 6


@pytest.mark.kernels
def test_rows_in_random_order(monkeypatch):
    graph = generate.erdos_renyi(60, 60, 150, seed=2)
    monkeypatch.setattr(cheap, "EDGES_PER_CALL", 20)
    run, pauses = new_run(graph, seed=4), []
    run.on_phase = lambda report: pauses.append(report.cardinality)
    cheap.cheap_random(run)
    order = np.random.default_rng(4).permutation(60)
    taken, expected = set(), np.full(60, -1)
    for x in order.tolist():
        row = graph.indices[graph.indptr[x] : graph.indptr[x + 1]].tolist()
        free = [y for y in row if y not in taken]
        if free:
            expected[x] = free[0]
            taken.add(free[0])
    assert run.row_match.tolist() == expected.tolist()
    assert run.cardinality == len(taken) == pauses[-1]
    assert len(pauses) == 1 + graph.nnz // 20
    assert pauses == sorted(pauses)


@plain
@pytest.mark.kernels
@pytest.mark.parametrize(
    ("tries", "outcome"),
    [
        ([(0.51, 0)], "race"),
        ([(0.5, 0), (1 / 32, 1)], "blocks"),
        ([(0.5, 0), (0.04, 0.97)], "blocks"),
        ([(0.5, 0), (0.04, 0.98)], "alone"),
    ],
)
def test_what_tried_rows_tell(tries, outcome, monkeypatch):
    graph = generate.erdos_renyi(cheap.SAMPLE_PART * 40, 300, 500)
    share_cheap_starts(monkeypatch)
    monkeypatch.setattr(cheap, "SAMPLE", 30)
    monkeypatch.setattr(cheap, "FIRST_SAMPLE", 20)
    sizes, shared = [], []

    def try_rows(*arguments):
        blocks, tried = arguments[1:]
        sizes.append((blocks, tried.size))
        return tries[len(sizes) - 1]

    def match_on_threads(*arguments):
        race, done, left = arguments[1:]
        shared.append("race" if race else "blocks")
        assert (done.shape, left.size) == ((3, cheap.LINE), graph.n_rows)
        assert not done.any()
        return 77

    monkeypatch.setattr(cheap, "try_rows", try_rows)
    monkeypatch.setattr(cheap, "match_on_threads", match_on_threads)
    run = new_run(graph, threads=3)
    cheap.cheap(run)
    assert sizes == [(3, 20), (3, 40)][: len(tries)]
    assert shared == ([] if outcome == "alone" else [outcome])
    assert (run.cardinality == 77) == (outcome != "alone")


@plain
@pytest.mark.kernels
def test_where_threads_share(monkeypatch):
    """On large graphs with many vertices on both sides, and more threads than one."""
    graph = generate.erdos_renyi(300, 200, 900)
    tried = []
    monkeypatch.setattr(cheap, "try_rows", lambda *a: tried.append(1) or (0.1, 1.0))
    for threads, edges, vertices in ((2, 900, 200), (1, 900, 200), (2, 901, 200), (2, 900, 201)):
        monkeypatch.setattr(cheap, "SHARED_START", edges)
        monkeypatch.setattr(cheap, "SHARED_VERTICES", vertices)
        cheap.cheap(new_run(graph, threads))
        assert len(tried) == 2  # the first alone


@plain
@pytest.mark.kernels
def test_rows_before_a_cut_are_tried():
    """Of 9 rows and 12 columns in 3 blocks: the last before row 3; the cut is at column 4."""
    rows = [[x] for x in range(9)]
    for first, size, outcome in (
        ([[0], [2], [3]], 2, (0, 1)),
        ([[0], [1, 4], [3]], 2, (0, 1)),  # column 1 lies behind 1/9 of the columns, too
        ([[0], [0, 4], [3]], 2, (1 / 2, 1)),  # column 0 does not
        ([[0], [0, 3], [3, 4]], 2, (1 / 2, 1)),
        ([[0], [1], [3]], 1, (0, 1)),
        ([[0], [1], [1, 5]], 1, (1, 1)),
        ([[3], [3], [3, 11]], 9, (1 / 2, 2 / 3)),
        ([[], [], []], 2, (0, 0)),
    ):
        a = arrays(*first, *rows[3:], n_cols=12, matched={8: 8})
        before = [x.copy() for x in a]
        assert cheap.try_rows(a, 3, np.empty(size, np.int64)) == outcome, first
        assert all(map(np.array_equal, a, before))
    a = arrays(*rows, n_cols=12, matched={0: 0, 1: 1, 2: 2})
    assert cheap.try_rows(a, 3, np.empty(3, np.int64)) == (0, 0)


@plain
@pytest.mark.kernels
def test_jobs_of_a_thread(monkeypatch):
    """Rows in turn; blocks; counts of a block."""
    monkeypatch.setattr(cheap, "ROWS_IN_TURN", 2)
    calls = []
    a = arrays(*([x] for x in range(9)), n_cols=9, matched={0: 0, 1: 1, 5: 5, 8: 8})
    done, left = np.zeros((2, cheap.LINE), np.int64), np.empty(9, np.int32)
    cheap.do_job(2, cheap.COUNT, a, done, left)
    assert done[:, [cheap.ROWS, cheap.COLS]].tolist() == [[2, 2], [2, 2]]
    with monkeypatch.context() as m:
        m.setattr(cheap, "match_lent", lambda *arguments: calls.append(arguments[1:]))
        cheap.do_job(2, cheap.RACE, a, done, left)
        assert calls == [(0, 2), (4, 6), (8, 9), (2, 4), (6, 8)]
        calls.clear()
        m.setattr(cheap, "match_block", lambda *b: calls.append(b[1:4]) or 5)
        cheap.do_job(2, cheap.BLOCKS, a, done, left)
        assert calls == [(0, 4, 0), (4, 9, 4)]
        assert done[:, cheap.LEFT].tolist() == [5, 5]
    done[:] = 0
    a.col_match[[1, 5, 8]] = 7, 3, 3  # rows 1, 5 and 8 have lost their columns
    cheap.do_job(2, cheap.CHECK, a, done, left)
    assert done[:, cheap.LEFT].tolist() == [1, 2]
    assert left[[0, 4, 5]].tolist() == [1, 5, 8]
    assert a.row_match.tolist() == [0] + [-1] * 8


@plain
@pytest.mark.kernels
@pytest.mark.parametrize(
    ("numbers", "left", "matched"),
    [
        # Rows 2 to 7, columns from 2 on: two rows saw free ones before the cut only.
        ({}, [3, 5], {2: 2, 4: 4, 6: 5, 7: 7}),
        # One may be left: the others take any.
        ({"MOST_LEFT": 1}, [3], {2: 2, 4: 4, 5: 0, 6: 5, 7: 7}),
        # Row 3 is the last that met one, for two rows at least.
        ({"FAR_FROM_CUT": 2}, [3], {2: 2, 4: 4, 5: 0, 6: 5, 7: 7}),
        ({"FAR_FROM_CUT": 3}, [3, 5], {2: 2, 4: 4, 6: 5, 7: 7}),
        ({"cut": 0}, [], {2: 2, 3: 1, 4: 4, 5: 0, 6: 5, 7: 7}),
    ],
)
def test_a_block(numbers, left, matched, monkeypatch):
    numbers = {"MOST_LEFT": 9, "FAR_FROM_CUT": 9, "cut": 2} | numbers
    cut = numbers.pop("cut")
    for name, value in numbers.items():
        monkeypatch.setattr(cheap, name, value)
    a = arrays([6], [6], [2], [1], [4], [0], [5], [7], [3], n_cols=8)
    places = np.full(9, -5)
    assert cheap.match_block(a, 2, 8, cut, places) == len(left)
    assert places.tolist() == [-5, -5, *left] + [-5] * (7 - len(left))
    assert {x: y for x, y in enumerate(a.row_match.tolist()) if y >= 0} == matched


@plain
@pytest.mark.kernels
def test_columns_behind_a_cut():
    for row, cut, met, column in (
        ([4, 5], 4, False, 4),
        ([3, 4], 4, True, 4),
        ([3, 2], 4, True, -1),
        ([0, 5], 4, False, 5),  # column 0 is taken
        ([0], 0, False, -1),
        ([5, 3], 4, False, 5),  # it looks no further
    ):
        a = arrays([0], row, n_cols=6, matched={0: 0})
        assert cheap.match_behind(a, 1, cut) == met
        assert a.row_match.tolist() == [0, column]
        assert a.col_match.tolist() == [0 if y == 0 else 1 if y == column else -1 for y in range(6)]


@plain
@pytest.mark.kernels
@pytest.mark.parametrize("race", [False, True])
def test_rows_that_are_left_are_matched_in_the_end(race):
    """Row 3 lies behind the cut, and its column before; row 4 finds nothing."""
    a = arrays([0], [2], [3], [1], [3], n_cols=4)
    done, left = np.zeros((2, cheap.LINE), np.int64), np.empty(5, np.int32)
    assert cheap.match_on_threads(a, race, done, left) == 4
    assert a.row_match.tolist() == [0, 2, 3, 1, -1]
    assert done[:, cheap.LEFT].tolist() == ([0, 0] if race else [0, 1])


@pytest.mark.kernels
def test_counting():
    for kind in (np.int32, np.int64):
        for match, expected in (([], 0), ([-1, 0, 5, -1], 2), ([0], 1)):
            assert cheap.count_matched(np.array(match, kind)) == expected


@plain
@pytest.mark.kernels
def test_claims(monkeypatch):
    """A column that another row is faster with is left for the next."""
    swap = cheap.compare_and_swap
    lost = []

    def too_late(array, i, old, new):
        assert (old, new) == (-1, 1)
        lost.append(int(i))
        return i != 3 and swap(array, i, old, new)

    monkeypatch.setattr(cheap, "compare_and_swap", too_late)
    a = arrays([0], [0, 3, 5, 4], [2], n_cols=6, matched={0: 0})
    for _ in range(2):  # the second time it has a match
        cheap.take_free.body(1, a)
        assert lost == [3, 5]
        assert a.row_match.tolist() == [0, 5, -1]
        assert a.col_match.tolist() == [0, -1, -1, -1, -1, 1]
    a = arrays([0], [0, 3], [2], n_cols=6, matched={0: 0})
    cheap.take_free.body(1, a)
    assert lost == [3, 5, 3]
    assert a.row_match.tolist() == [0, -1, -1]


def cheap_start(graph, threads):
    settings = {"init": "cheap", "algorithm": "ss-bfs", "side": "rows", "threads": threads}
    return berge.maximum_matching(graph, **settings).stats.start_cardinality


@pytest.mark.kernels
def test_the_cheap_start_in_blocks(monkeypatch):
    """Rows in the order of a mesh find on many threads what they find on one."""
    share_cheap_starts(monkeypatch)
    grid = generate.grid(60, 60)
    for threads in (2, 3, 4):
        assert cheap_start(grid, threads) == cheap_start(grid, 1) == 3600
    # A quarter of the rows before the cut take columns behind it, and all find one: done by one
    # thread.
    rows = np.arange(3000)
    shifted = BipartiteGraph.from_edges(rows, (rows + 1500 * (rows % 4 == 0)) % 3000)
    assert cheap_start(shifted, 2) == cheap_start(shifted, 1)


@pytest.mark.kernels
@pytest.mark.parametrize("threads", [2, 4])
def test_the_cheap_start_as_a_race(threads, monkeypatch):
    """Where the order of the rows means nothing, threads claim columns."""
    share_cheap_starts(monkeypatch)
    # Every row before the cut wants a column behind it, and all the same one.
    star = BipartiteGraph.from_edges(np.arange(3000), np.full(3000, 2999), (3000, 3000))
    assert cheap_start(star, threads) == 1
    shifted = BipartiteGraph.from_edges(np.arange(3000), (np.arange(3000) + 1500) % 3000)
    assert cheap_start(shifted, threads) == 3000
    for graph, expected in random_graphs(8) if COMPILED else ():
        assert cheap_start(graph, threads) >= 0.95 * cheap_start(graph, 1)
        solve(graph, expected, algorithm="ss-bfs", init="cheap", threads=threads)


@pytest.mark.kernels
def test_the_cheap_start_in_blocks_that_lead_back(monkeypatch):
    """Rows behind the cut have columns before it only; there are too many to be left for later."""
    share_cheap_starts(monkeypatch)
    before, behind = np.arange(cheap.MOST_LEFT, 2 * cheap.MOST_LEFT), np.arange(2 * cheap.MOST_LEFT)
    rows = np.concatenate([before, behind + behind.size])
    graph = BipartiteGraph.from_edges(rows, np.concatenate([before, behind]), (4096, 4096))
    for threads in (1, 2, 4):
        assert cheap_start(graph, threads) == behind.size


@pytest.mark.kernels
def test_rows_that_lost_a_race_try_again():
    """Rows 0 and 1 have written column 0 at the same time, and one of the writes stayed."""
    graph = BipartiteGraph.from_edges([0, 0, 1, 1, 2], [0, 2, 0, 3, 1], (3, 4))
    done, left = np.zeros((2, cheap.LINE), np.int64), np.empty(3, np.int32)
    for winner in (0, 1):
        row_match = np.array([0, 0, 1], np.int32)
        col_match = np.array([winner, 2, -1, -1], np.int32)
        arrays = (unsigned(graph.indptr), unsigned(graph.indices), row_match, col_match)
        assert cheap.match_on_threads(cheap.Arrays(*arrays), True, done, left) == 3
        done[:] = 0
        assert row_match.tolist() == ([0, 3, 1] if winner == 0 else [2, 0, 1])
        assert np.array_equal(col_match[row_match], [0, 1, 2])


@compiled
@pytest.mark.parametrize("threads", [2, 4])
def test_races_for_few_columns(threads, monkeypatch):
    """All rows want the same columns at the same time."""
    share_cheap_starts(monkeypatch)
    rows = np.repeat(np.arange(20_000), 2)
    for seed in range(20):
        cols = np.random.default_rng(seed).integers(10_000, 10_050, rows.size)
        graph = BipartiteGraph.from_edges(rows, cols, (20_000, 20_000))
        solve(graph, 50, algorithm="ss-bfs", init="cheap", threads=threads)
