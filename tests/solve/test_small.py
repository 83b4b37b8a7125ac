"""Small graphs in one compiled call: nothing but the time must differ from the pipeline."""

from __future__ import annotations

import gc

import numba
import numpy as np
import pytest
import scipy.sparse

import berge
from berge import BipartiteGraph, InvalidGraphError, generate, tuning
from berge.graphs import workspace
from berge.methods.combined import mixed
from berge.solve import maximum as solve
from berge.solve import small

from ..conftest import COMPILED
from ..corpus import LARGE, SMALL

LIMIT = 1e9  # seconds; a call with a limit is the pipeline's


def tune(monkeypatch, name, value):
    """Set a number for the default, in the one compiled call and in what goes on from there."""
    for module in (mixed, tuning):
        monkeypatch.setattr(module, name, value)


@pytest.fixture
def calls(monkeypatch):
    """What `match_small` returned, call by call."""
    returned = []

    def watch(*arguments):
        returned.append(small.match_small(*arguments))
        return returned[-1]

    monkeypatch.setattr(solve, "_small", lambda: watch)
    return returned


def check_same(graph, threads=1):
    """Solve in both ways; return the matching."""
    directly, by_steps = (
        berge.maximum_matching(graph, threads=threads, time_limit=limit) for limit in (None, LIMIT)
    )
    assert np.array_equal(directly.row_match, by_steps.row_match)
    assert np.array_equal(directly.col_match, by_steps.col_match)
    assert directly.row_match.dtype == by_steps.row_match.dtype
    assert directly.cardinality == by_steps.cardinality
    assert directly.is_maximum
    assert not directly.row_match.flags.writeable
    assert not directly.col_match.flags.writeable
    mine, its = directly.stats.as_dict(), by_steps.stats.as_dict()
    for name in mine.keys() - {"seconds", "search_rate", "threads"}:
        assert mine[name] == its[name], name
    assert directly.prove(graph).size == directly.cardinality
    return directly


@pytest.mark.kernels
@pytest.mark.parametrize("name", SMALL)
def test_same_as_by_steps(name, calls):
    graph, expected = SMALL[name][0](), SMALL[name][1]
    for source in (graph, graph.to_scipy()):
        assert check_same(source).cardinality == expected or expected is None
    assert len(calls) == 2
    assert None not in calls


@pytest.mark.skipif(not COMPILED, reason="too slow")
@pytest.mark.parametrize("name", LARGE)
def test_same_on_larger_graphs(name):
    check_same(LARGE[name][0]().to_scipy())


@pytest.mark.kernels
@pytest.mark.parametrize("degree", [1, 2, 3, 60])
def test_same_on_random_graphs(degree, monkeypatch):
    """Some of them need more than is done at once, and rows of 60 edges look ahead."""
    tune(monkeypatch, "READ_IN_NO_TIME", 0)
    rng = np.random.default_rng(degree)
    for _ in range(20):
        n_rows, more = rng.integers(1, 90 if degree < 60 else 12), rng.integers(0, 20)
        rows = rng.integers(0, n_rows, degree * n_rows)
        cols = rng.integers(0, n_rows + more, rows.size)
        graph = BipartiteGraph.from_edges(rows, cols, (n_rows, n_rows + more))
        check_same(graph.to_scipy())
        check_same(graph.T.to_scipy())


@pytest.mark.kernels
@pytest.mark.parametrize("dense", [False, True])
def test_goes_on_by_steps(dense, monkeypatch):
    """A search that is not at its end goes on where it was, from the same working memory."""
    tune(monkeypatch, "READ_IN_NO_TIME", 0)
    monkeypatch.setattr(tuning, "LITTLE_MEMORY", 0)
    # Pairs of rows want one column each: the last has a way out through all of the others.
    graph = generate.permute(generate.chain(60), seed=3)
    if dense:
        times = 60  # too many edges a row for the kernel: it makes the start alone
        indptr, indices = graph.indptr * times, np.repeat(graph.indices, times)
        graph = BipartiteGraph(indptr, indices, graph.shape)
    went_on = []
    go_on = small._go_on
    monkeypatch.setattr(small, "_go_on", lambda *a: went_on.append(1) or go_on(*a))
    for seed in range(8):
        source = generate.permute(graph, seed=seed)
        check_same(source.to_scipy())
        check_same(source)
    assert went_on


@pytest.mark.skipif(not COMPILED, reason="needs threads")
def test_threads_go_on_with_the_search(monkeypatch):
    tune(monkeypatch, "SHARED_SEARCHES", 0)
    tune(monkeypatch, "WAKING", -9_000)
    graph = generate.erdos_renyi(10_000, 10_000, 30_000)
    expected = berge.maximum_matching(graph, algorithm="pothen-fan", threads=1).cardinality
    matching = berge.maximum_matching(graph, threads=4)
    assert matching.prove(graph).size == matching.cardinality == expected
    assert matching.stats.threads == 4


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("threads", "numbers", "asked"),
    [
        (3, {}, (1, 1 << 60)),
        (3, {"SHARED_SEARCHES": 300}, (3, 100 + tuning.WAKING)),
        (99, {"SHARED_SEARCHES": 300}, (tuning.MOST_THREADS, 100 + tuning.WAKING)),
        (3, {"SHARED_SEARCHES": 301}, (1, 1 << 60)),
        (3, {"SHARED_SEARCHES": 300, "DENSE": 3}, (1, 1 << 60)),
        (3, {"SHARED_PHASES": 300, "ROWS_SHARED_PHASES": 100}, None),
        (1, {"SHARED_PHASES": 300, "ROWS_SHARED_PHASES": 100}, (1, 1 << 60)),
        (
            3,
            {"SHARED_SEARCHES": 0, "SHARED_PHASES": 301, "ROWS_SHARED_PHASES": 100},
            (3, 100 + tuning.WAKING),
        ),
        (
            3,
            {"SHARED_SEARCHES": 0, "SHARED_PHASES": 300, "ROWS_SHARED_PHASES": 101},
            (3, 100 + tuning.WAKING),
        ),
    ],
)
def test_what_the_one_call_is_asked_for(threads, numbers, asked, monkeypatch):
    """Threads to make room for, and edges for which to wake them; None where it is not called."""
    begun = []

    def begin(arrays, worth, most, valid):
        arrays[-2][small.OUTCOME] = small.WRONG
        begun.append((arrays[-1], worth))
        assert (most, valid) == (tuning.READ_IN_NO_TIME, True)

    for name, value in numbers.items():
        monkeypatch.setattr(tuning, name, value)
    monkeypatch.setattr(small, "begin_small", begin)
    monkeypatch.setattr(small, "threads_of", lambda threads: threads)
    graph = generate.erdos_renyi(100, 100, 300)
    assert graph.nnz == 300
    assert small.match_small(graph, threads, 0, 0.0) is None
    assert begun == ([] if asked is None else [asked])


@pytest.mark.kernels
@pytest.mark.parametrize("more", [4, 5])
def test_few_searches_of_dense_graphs_are_made_at_once(more, monkeypatch):
    """More than a few would look ahead, which the one call does not do."""
    went_on = []
    go_on = small._go_on
    monkeypatch.setattr(small, "_go_on", lambda *a: went_on.append(1) or go_on(*a))
    n = tuning.DENSE
    rows, cols = np.repeat(np.arange(n + more), n), np.tile(np.arange(n), n + more)
    matching = check_same(BipartiteGraph.from_edges(rows, cols, (n + more, n + 9)))
    assert matching.cardinality == n
    assert bool(went_on) == (more > tuning.FEW_ROOTS)
    assert 0 < matching.stats.seconds["init"] < matching.stats.seconds["total"] < 1000


@pytest.mark.kernels
def test_easy_graphs_need_no_more_than_the_one_call(monkeypatch):
    monkeypatch.setattr(small, "_go_on", None)
    check_same(generate.hidden_perfect(60, 3))


@pytest.mark.kernels
@pytest.mark.skipif(COMPILED, reason="calls inside compiled code")
def test_edges_of_the_first_searches(monkeypatch):
    begun = []
    begin = small.begin_alone
    monkeypatch.setattr(small, "begin_alone", lambda a, *n: begun.append(n) or begin(a, *n))
    check_same(generate.hidden_perfect(60, 3))
    assert begun[0] == (1 << 60, tuning.LOOKS[0][0] * tuning.READ_IN_NO_TIME + 1)
    assert len(begun) == len(tuning.LOOKS)


@pytest.mark.kernels
def test_one_thread_does(calls):
    matching = berge.maximum_matching(generate.chain(50), threads=2)
    assert matching.stats.threads == 1
    assert matching is calls[0]


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("indptr", "indices"),
    [
        ([0, 1, 2], [0, 2]),
        ([0, 1, 2], [0, -1]),
        ([0, 2, 1], [0, 1]),
        ([1, 1, 2], [0, 1]),
        ([0, 1, 3], [0, 1]),
        ([0, -1, 2], [0, 1]),
        ([0, 0, 1], [2]),
    ],
)
@pytest.mark.parametrize("tall", [False, True])
def test_errors_are_told_in_words(indptr, indices, tall, calls):
    matrix = scipy.sparse.csr_array((2, 1 if tall else 2), dtype=np.int8)
    matrix.indptr, matrix.indices = (np.array(a, np.int32) for a in (indptr, indices))
    before = [array.copy() for array in (matrix.indptr, matrix.indices)]
    with pytest.raises(InvalidGraphError):
        berge.maximum_matching(matrix)
    assert calls == ([] if tall else [None])
    assert all(map(np.array_equal, before, (matrix.indptr, matrix.indices)))


@pytest.mark.kernels
def test_other_kinds_are_converted_first(calls):
    """Other index types, strides, formats and shapes are for the pipeline."""
    matrix = generate.chain(30).to_scipy()
    wide, strided, frozen = matrix.copy(), matrix.copy(), matrix.copy()
    wide.indptr, wide.indices = wide.indptr.astype(np.int64), wide.indices.astype(np.int64)
    strided.indices = np.repeat(strided.indices, 2)[::2]
    frozen.indices.flags.writeable = False
    for source in (wide, strided, matrix.tocsc(), matrix.tocoo(), matrix.toarray()):
        found = berge.maximum_matching(source)
        assert found.cardinality == 30
        assert calls[0] is None
        assert calls[1] is found
        calls.clear()
    found = berge.maximum_matching(frozen)
    assert found.cardinality == 30
    assert calls == [found]
    calls.clear()
    flat = scipy.sparse.csr_array(np.ones(1))
    with pytest.raises(InvalidGraphError, match="two-dimensional"):
        berge.maximum_matching(flat)


@pytest.mark.kernels
def test_room_behind_the_last_row(calls):
    matrix = generate.chain(30).to_scipy()
    matrix.indices = np.append(matrix.indices, np.int32(-7))  # scipy allows for it
    assert check_same(matrix).cardinality == 30
    assert calls[0] is not None


@pytest.mark.kernels
def test_graphs_are_validated_once(monkeypatch):
    """A matrix of scipy's every time, as it may have changed; a graph of ours when it is made."""
    valid, begin = [], small.begin_small
    monkeypatch.setattr(small, "begin_small", lambda *a: valid.append(a[-1]) or begin(*a))
    graph = generate.chain(30)
    for source in (graph, graph.to_scipy()):
        assert berge.maximum_matching(source).cardinality == 30
    assert valid == [True, False]


@pytest.mark.kernels
def test_labels_are_kept(calls):
    graph = BipartiteGraph([0, 1], [1], (1, 2), row_labels=["a"], col_labels=["b", "c"])
    assert berge.maximum_matching(graph).as_dict() == {"a": "c"}
    assert berge.maximum_matching(graph.T).as_dict() == {"c": "a"}
    assert None not in calls


def test_transposes_do_not_wait_for_the_garbage_collector():
    gc.collect()
    gc.disable()
    try:
        matrix = generate.erdos_renyi(90, 40, 200).to_scipy()
        before = len(gc.get_objects())
        for _ in range(20):
            berge.maximum_matching(matrix)
        assert len(gc.get_objects()) < before + 20
    finally:
        gc.enable()


@pytest.mark.kernels
def test_tall_graphs_keep_their_transpose(calls):
    graph = generate.erdos_renyi(90, 40, 200)
    check_same(graph)
    assert graph.has_transpose
    assert None not in calls


@pytest.mark.kernels
def test_interrupted(monkeypatch):
    """Ctrl-C while kernels run comes through when they are at their end: the result is kept."""
    tune(monkeypatch, "READ_IN_NO_TIME", 0)
    begin = small.begin_small

    def interrupted(*arguments):
        begin(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(small, "begin_small", interrupted)
    graph = generate.permute(generate.chain(60), seed=3)
    for _ in range(2):
        matching = berge.maximum_matching(graph)
        assert matching.stats.stopped == "interrupted"
        berge.verify(graph, matching)
        assert matching.cardinality <= matching.upper_bound <= 60
        graph = generate.chain(4)
    assert matching.is_maximum

    def too_early(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(small, "begin_small", too_early)
    with pytest.raises(KeyboardInterrupt):
        berge.maximum_matching(graph)


def test_working_memory_is_given_back():
    workspace.release()
    graph = generate.chain(100_000)
    berge.maximum_matching(graph)
    (block,) = workspace._kept
    berge.maximum_matching(graph)
    assert workspace._kept[0] is block


@pytest.mark.skipif(not COMPILED, reason="numba is not told then")
def test_functions_without_a_module_compile():
    """As long as berge is loaded it is told of everything that numba compiles."""
    names = {}
    exec("def one():\n    return 1", names)
    names["one"].__module__ = None
    assert numba.njit(names["one"])() == 1


@pytest.mark.kernels
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("shape", [(30, 40), (40, 30)])
def test_while_numba_sleeps(shape, index, monkeypatch):
    """One thread does it, and small arrays of 64-bit numbers are narrowed."""
    rng = np.random.default_rng(3)
    matrix = scipy.sparse.csr_array(rng.random(shape) < 0.06)
    matrix.indptr, matrix.indices = matrix.indptr.astype(index), matrix.indices.astype(index)
    expected = berge.maximum_matching(matrix, threads=1)
    monkeypatch.setattr(small, "asleep", lambda: True)
    found = small.match_small(matrix, None, 0, 0.0)
    assert found.stats.threads == 1
    assert found.row_match.tolist() == expected.row_match.tolist()
    assert found.prove(matrix).size == expected.cardinality
    if index is np.int64:
        matrix.indices[0] += 1 << 32  # in 32 bits it would be right
        assert small.match_small(matrix, None, 0, 0.0) is None
        with pytest.raises(InvalidGraphError):
            berge.maximum_matching(matrix)


@pytest.mark.kernels
def test_where_threads_may_be_needed(monkeypatch):
    """One thread begins alone, with room for others."""
    for name in ("SHARED_SEARCHES", "SHARED_START", "WAKING"):
        monkeypatch.setattr(tuning, name, 0 if name == "SHARED_SEARCHES" else 1 << 40)
    graph = generate.erdos_renyi(60, 60, 200, seed=1)
    check_same(graph, threads=2)
    dense = generate.erdos_renyi(40, 60, 1200, seed=1)
    monkeypatch.setattr(tuning, "FEW_ROOTS", -1)
    check_same(dense)
