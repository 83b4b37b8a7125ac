"""Greedy matchings: every method on every kind of graph, against networkx and each other."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import berge
from berge import Graph, GreedyMatching, ProofError
from berge.compile.device import CpuDevice
from berge.errors import DeviceError, FormatError, InvalidMatchingError, OptionError
from berge.graphs.owned import settle
from berge.methods.greedy import edges, global_paths, single_pass
from berge.methods.greedy.colour import is_blue, multiplier, threshold
from berge.methods.greedy.proposals import first_round

from ...conftest import COMPILED

pytestmark = pytest.mark.kernels

METHODS = [entry.name for entry in berge.algorithms("greedy")]
BY_WEIGHT = ["sorted", "suitor", "locally-dominant"]  # all give the same matching
HALF = [*BY_WEIGHT, "global-paths"]  # at least half as heavy as any matching
DETERMINISTIC = [entry.name for entry in berge.algorithms("greedy") if entry.deterministic]

every_method = pytest.mark.parametrize("method", METHODS)


def random_graph(n: int, m: int, seed: int, weights: Callable | None = None) -> Graph:
    rng = np.random.default_rng(seed)
    ends, others = rng.integers(0, max(n, 1), (2, m if n else 0))
    return Graph.from_edges(ends, others, n, None if weights is None else weights(rng, ends.size))


def uniform(rng, size):
    return rng.random(size)


def path(n: int, weights=None) -> Graph:
    return Graph.from_edges(np.arange(n - 1), np.arange(1, n), n, weights)


CORPUS: dict[str, Callable[[], Graph]] = {
    "nothing": lambda: Graph([0], []),
    "one vertex": lambda: Graph([0, 0], []),
    "isolated vertices": lambda: Graph.from_edges([1], [3], 6, [2.5]),
    "self-loops": lambda: Graph.from_edges([0, 1, 2, 1], [0, 1, 2, 2], 3, [9, 9, 9, 1]),
    "parallel edges": lambda: Graph.from_edges([0, 1, 0, 1], [1, 0, 1, 2], 3, [1, 7, 3, 2]),
    "star": lambda: Graph.from_edges(np.zeros(20, int), np.arange(1, 21), 21, np.arange(20)),
    "complete": lambda: Graph.from_edges(*np.triu_indices(9, 1), 9, np.arange(36) % 7),
    "complete, unweighted": lambda: Graph.from_edges(*np.triu_indices(8, 1), 8),
    "long path": lambda: path(300),
    "path of falling weights": lambda: path(60, np.arange(59, 0, -1)),
    "path of rising weights": lambda: path(60, np.arange(1, 60)),
    "triangles": lambda: Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], 6, [3, 2, 1] * 2),
    "even cycle": lambda: Graph.from_edges(np.arange(10), (np.arange(10) + 1) % 10, 10, [5, 4] * 5),
    "odd cycle": lambda: Graph.from_edges(np.arange(9), (np.arange(9) + 1) % 9, 9, np.arange(9)),
    "equal weights": lambda: random_graph(40, 90, 1, lambda rng, size: np.full(size, 3.25)),
    "zero weights": lambda: random_graph(30, 60, 2, lambda rng, size: -np.zeros(size)),
    "zero and not": lambda: random_graph(30, 60, 3, lambda rng, size: rng.integers(0, 2, size)),
    "huge and tiny": lambda: random_graph(40, 90, 4, lambda r, n: 10.0 ** r.integers(-300, 300, n)),
    "few weights": lambda: random_graph(50, 120, 5, lambda rng, size: rng.integers(1, 4, size)),
    "sparse": lambda: random_graph(60, 50, 6, uniform),
    "denser": lambda: random_graph(40, 200, 7, uniform),
    "unweighted": lambda: random_graph(50, 110, 8),
}  # fmt: skip


def network(graph: Graph) -> nx.Graph:
    result = nx.Graph()
    result.add_nodes_from(range(graph.n_vertices))
    coo = graph.to_scipy().tocoo()
    columns = (column.tolist() for column in (coo.row, coo.col, coo.data))
    result.add_weighted_edges_from(zip(*columns, strict=True))
    return result


def best_weight(graph: Graph) -> float:
    graph_, total = network(graph), 0.0
    for u, v in nx.max_weight_matching(graph_):
        total += graph_[u][v]["weight"]
    return total


def check(graph: Graph, matching: GreedyMatching) -> None:
    """Valid and maximal by networkx, and by our own checker."""
    berge.verify(graph, matching)
    assert matching.is_maximal
    pairs = {tuple(pair) for pair in matching.pairs().tolist()}
    assert len(pairs) == matching.size == np.count_nonzero(matching.mate >= 0) / 2
    assert nx.is_maximal_matching(network(graph), pairs)
    assert matching.rounds >= 1
    assert matching.matched_fraction[-1] == pytest.approx(
        2 * matching.size / max(graph.n_vertices, 1)
    )


@pytest.fixture
def shared_out(monkeypatch):
    """Threads meet on small graphs too."""
    monkeypatch.setattr("berge.compile.device.SERIAL_ITEMS", 0)


@pytest.mark.parametrize("threads", [1, 3])
@every_method
@pytest.mark.parametrize("name", CORPUS)
def test_corpus(name, method, threads, shared_out):
    graph = CORPUS[name]()
    matching = berge.greedy_matching(graph, method=method, threads=threads)
    check(graph, matching)
    if method in HALF and "huge" not in name:
        assert 2 * matching.weight >= best_weight(graph) * (1 - 1e-12)


@pytest.mark.parametrize("name", CORPUS)
def test_by_weight_is_one_matching(name, shared_out):
    """Sorting, suitors and dominant edges give the same pairs, ties and all; also a naive loop."""
    graph = CORPUS[name]()
    free, pairs = set(range(graph.n_vertices)), set()
    listed = sorted(network(graph).edges(data="weight"), key=lambda e: (-e[2], sorted(e[:2])))
    for u, v, _ in listed:
        if {u, v} <= free:
            free -= {u, v}
            pairs.add((min(u, v), max(u, v)))
    for method in BY_WEIGHT:
        for threads in (1, 2, 4):
            found = berge.greedy_matching(graph, method=method, threads=threads).pairs()
            assert {tuple(pair) for pair in found.tolist()} == pairs, (method, threads)


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 9))
    vertex = st.integers(0, max(n - 1, 0))
    weight = st.one_of(st.integers(0, 3), st.floats(0, 1e9))
    listed = draw(st.lists(st.tuples(vertex, vertex, weight), max_size=24 if n else 0))
    ends, others, weights = (
        np.array([edge[i] for edge in listed], (int, int, float)[i]) for i in range(3)
    )
    return ends, others, n, weights


@settings(max_examples=150 if COMPILED else 40, deadline=None)
@given(graphs(), st.integers(0, 5), st.sampled_from([1, 2]))
def test_any_graph(edges_, seed, threads):
    graph = Graph.from_edges(*edges_)
    ends, others, _, weights = edges_
    heaviest: dict[tuple[int, int], float] = {}
    for u, v, w in zip(ends.tolist(), others.tolist(), weights.tolist(), strict=True):
        if u != v:
            heaviest[u, v] = heaviest[v, u] = max(w, heaviest.get((u, v), 0.0))
    stored = graph.to_scipy().tocoo()
    assert dict(zip(zip(stored.row, stored.col), stored.data)) == heaviest  # noqa: B905
    best = best_weight(graph)
    found = {}
    for method in METHODS:
        found[method] = berge.greedy_matching(graph, method=method, seed=seed, threads=threads)
        check(graph, found[method])
    for method in HALF:
        assert 2 * found[method].weight >= best * (1 - 1e-12), method
    assert len({found[method].mate.tobytes() for method in BY_WEIGHT}) == 1


@pytest.mark.parametrize("method", DETERMINISTIC)
def test_one_seed_one_result(method, shared_out):
    size = 4000 if COMPILED else 150
    graph = random_graph(size, 3 * size, 9, lambda rng, n: rng.integers(1, 50, n))
    first = berge.greedy_matching(graph, method=method, seed=3, threads=1)
    for threads in (1, 2, 4):
        again = berge.greedy_matching(graph, method=method, seed=3, threads=threads)
        assert np.array_equal(again.mate, first.mate)
        assert again.weight == first.weight
        if "proposals" in method:
            assert again.matched_fraction == first.matched_fraction
    if any(o.name == "permute" for o in entry_of(method).options):
        other = berge.greedy_matching(graph, method=method, seed=4)
        assert not np.array_equal(other.mate, first.mate)


def entry_of(method: str) -> berge.methods.registry.Algorithm:
    return next(entry for entry in berge.algorithms("greedy") if entry.name == method)


@pytest.mark.skipif(not COMPILED, reason="races need threads")
@every_method
def test_races(method):
    """Many threads on graphs of some thousand vertices, whatever order they come in."""
    for seed in range(4):
        for graph in (
            random_graph(5000, 4000, seed, uniform),
            random_graph(2000, 20_000, seed),
            path(20_000, np.random.default_rng(seed).integers(0, 9, 19_999)),
            Graph.from_edges(np.arange(6000) % 3, np.arange(6000), 6000),
        ):
            for threads in (2, 4):
                matching = berge.greedy_matching(graph, method=method, seed=seed, threads=threads)
                berge.verify(graph, matching)
                assert matching.is_maximal


@every_method
def test_64_bit_indices(method):
    graph = random_graph(40, 80, 3, uniform)
    wide = Graph._trusted(
        graph.indptr.astype(np.int64), graph.indices.astype(np.int64), graph.weights
    )
    narrow = berge.greedy_matching(graph, method=method, threads=1)
    matching = berge.greedy_matching(wide, method=method, threads=1)
    assert matching.mate.dtype == np.int64
    assert np.array_equal(matching.mate, narrow.mate)


class TestColour:
    """Algorithm 4 against MD5 written out with Python's integers."""

    @staticmethod
    def quarter(v: int, r: int) -> int:
        rotate = lambda x, c: ((x << c) | (x >> (32 - c))) % 2**32  # noqa: E731
        h = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476]
        a, b, c, d = h
        for i in range(16):
            k = int(abs(math.sin(i + 1)) * 2**32)
            f = (b & c) | (~b & d)
            word = v * r**i % 2**32
            new = (b + rotate((a + f + k + word) % 2**32, [7, 12, 17, 22][i % 4])) % 2**32
            a, b, c, d = d, new, b, c
            h = [(x + y) % 2**32 for x, y in zip(h, (a, b, c, d), strict=True)]
        return sum(h) % 2**32

    def test_steps_are_those_of_md5(self):
        """With 48 more steps, added up once, the same round function gives real MD5."""
        import hashlib

        message = b"berge".ljust(55, b"\0")[:55] + b"\x80" + (440).to_bytes(8, "little")
        words = np.frombuffer(message, "<u4").tolist()
        a, b, c, d = h = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476]
        turns = ([7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21])
        for i in range(64):
            f, g = [
                ((b & c) | (~b & d), i),
                ((d & b) | (~d & c), (5 * i + 1) % 16),
                (b ^ c ^ d, (3 * i + 5) % 16),
                (c ^ (b | ~d % 2**32), 7 * i % 16),
            ][i // 16]
            x = (a + f + int(abs(math.sin(i + 1)) * 2**32) + words[g]) % 2**32
            turn = turns[i // 16][i % 4]
            a, b, c, d = d, (b + ((x << turn | x >> (32 - turn)) % 2**32)) % 2**32, b, c
        digest = b"".join(
            ((x + y) % 2**32).to_bytes(4, "little") for x, y in zip(h, (a, b, c, d), strict=True)
        )
        assert digest == hashlib.md5(message[:55]).digest()

    @pytest.mark.parametrize("r", [1, 3, 2**31 + 1, 2**32 - 1, 123456789])
    def test_hash_is_as_printed(self, r):
        """Blue below the hash plus one, and not below the hash."""
        for v in [*range(6), 1000, 2**31 - 1, 2**32 - 1, 987654321]:
            expected = self.quarter(v, r)
            assert is_blue(np.int64(v), np.int64(r), np.int64(expected + 1))
            assert not is_blue(np.int64(v), np.int64(r), np.int64(expected))

    def test_colours_are_blue_with_probability_p(self):
        rng, limit = np.random.default_rng(1), threshold(0.3)
        r = multiplier(rng)
        assert r % 2 == 1
        colours = [is_blue(np.int64(v), r, limit) for v in range(4000)]
        assert np.mean(colours) == pytest.approx(0.3, abs=4 * math.sqrt(0.21 / 4000))
        other = [is_blue(np.int64(v), multiplier(rng), limit) for v in range(4000)]
        assert np.corrcoef(colours, other)[0, 1] == pytest.approx(0, abs=4 / math.sqrt(4000))


@pytest.mark.skipif(not COMPILED, reason="takes a large graph")
def test_first_round_fraction_is_that_of_the_formula():
    n = 400_000
    graph = random_graph(n, 12 * n, 1)
    for p in (0.3, 0.53406, 0.7):
        found = berge.greedy_matching(graph, method="proposals", p=p).matched_fraction
        # Vertices without a red neighbour cannot propose; the formula is for growing degrees.
        sparse = 2 * (1 - p) * (1 - math.exp(-p / (1 - p) * (1 - math.exp(-24 * (1 - p)))))
        assert found[0] == pytest.approx(sparse, abs=2e-3)
        assert sparse == pytest.approx(first_round(p), abs=1e-3)
        assert list(found) == sorted(found)


def test_formula_is_greatest_at_p():
    values = [first_round(p) for p in (0.5, 0.53, 0.53406, 0.54, 0.6)]
    assert max(values) == first_round(0.53406)


def test_auto_depends_on_weights():
    graph = random_graph(30, 50, 1, uniform)
    assert berge.greedy_matching(graph).method == "suitor"
    without = berge.greedy_matching(graph, weights=False)
    assert without.method == "single-pass"
    assert without.weight == without.size


def test_global_paths_beats_the_greedy_choice():
    """3 + 3 instead of 4 in the middle; and the best of a cycle, whichever edges it takes."""
    assert berge.greedy_matching(path(4, [3, 4, 3]), method="global-paths").weight == 6
    for shift in range(6):
        weights = np.roll([4, 5, 4, 5, 4, 6], shift)
        cycle = Graph.from_edges(np.arange(6), (np.arange(6) + 1) % 6, 6, weights)
        assert berge.greedy_matching(cycle, method="global-paths").weight == 16
    for seed in range(10):
        weights = np.random.default_rng(seed).random(40)
        line = path(41, weights)
        found = berge.greedy_matching(line, method="global-paths").weight
        assert found == pytest.approx(best_weight(line))


def test_edges_in_portions(monkeypatch):
    """A kernel comes back after so many edges, and goes on."""
    graph = random_graph(60, 300, 4, uniform)
    expected = {m: berge.greedy_matching(graph, method=m, threads=1).mate for m in DETERMINISTIC}
    for module in ("results.greedy_run", "methods.greedy.edges"):
        monkeypatch.setattr(f"berge.{module}.EDGES_PER_CALL", 40)
    for method, mate in expected.items():
        pauses = []
        again = berge.greedy_matching(graph, method=method, threads=1, on_phase=pauses.append)
        assert np.array_equal(again.mate, mate), method
        assert len(pauses) > 3
        assert pauses[-1].step == "greedy"


@every_method
def test_stopped_early(method, monkeypatch):
    """At whatever pause: the matching is valid, and the reason is told."""
    graph = random_graph(80, 300, 5, uniform)
    for module in ("results.greedy_run", "methods.greedy.edges"):
        monkeypatch.setattr(f"berge.{module}.EDGES_PER_CALL", 60)
    for number in (1, 3, 6):
        pauses = []

        def stop(report, number=number, pauses=pauses):
            pauses.append(report)
            if len(pauses) == number:
                raise KeyboardInterrupt

        matching = berge.greedy_matching(graph, method=method, threads=2, on_phase=stop)
        berge.verify(graph, matching)
        if len(pauses) == number:
            assert matching.stopped == "interrupted"
        assert matching.is_maximal or "not maximal (interrupted)" in repr(matching)
    matching = berge.greedy_matching(graph, method=method, time_limit=0)
    assert matching.stopped == "time limit"
    assert not matching.is_maximal
    berge.verify(graph, matching)


def test_missed_vertices_are_matched_in_the_end():
    """What a locked neighbour kept from its mate is on the list: played through by hand."""
    graph = path(4)
    mate = np.full(4, -1, np.int32)
    mate[1] = single_pass.LOCKED  # as another thread has it at this moment
    missed, count = np.empty(4, np.int32), np.zeros(1, np.int64)
    rows = graph.indptr.view(np.uint32), graph.indices.view(np.uint32)
    arrays = single_pass.Arrays(*rows, mate, missed, count)
    CpuDevice(1).launch(single_pass.match_vertex, 1, np.int64(0), arrays, np.bool_(True))
    assert mate.tolist() == [-1, -2, -1, -1]
    assert missed[: count[0]].tolist() == [0]
    mate[1] = -1  # it was unlocked without a mate
    single_pass.match_missed(arrays)
    assert mate.tolist() == [1, 0, -1, -1]
    single_pass.match_missed(arrays)  # matched by now: left alone
    assert mate.tolist() == [1, 0, -1, -1]


def test_stale_floors_are_found_out():
    """What a suitor was offered is looked at again; as another thread may have it at a moment."""
    from berge.methods.greedy import suitor

    graph = Graph.from_edges([0, 0], [1, 2], 3, [5.0, 1.0])
    taken, offer, floor = np.array([-1, 2, -1], np.int32), np.array([0, 0, 9.0]), np.full(3, -1.0)
    rows = graph.indptr.view(np.uint32), graph.indices.view(np.uint32), graph.weights
    arrays = suitor.Arrays(*rows, taken, offer, floor)
    CpuDevice(1).launch(suitor.propose, 1, np.int64(0), arrays, np.bool_(True))
    assert taken.tolist() == [-1, 2, 0]
    assert floor.tolist() == [-1, 9, 1]


def test_candidates_that_are_taken_are_replaced():
    """As another thread may leave them: 0 points at 1, which is matched to 2 meanwhile."""
    from berge.methods.greedy import locally_dominant

    graph = Graph.from_edges([0, 0, 1], [1, 3, 2], 4, [5.0, 1.0, 9.0])
    mate, candidate = np.array([-1, 2, 1, -1], np.int32), np.array([1, 2, 1, 0], np.int32)
    rows = graph.indptr.view(np.uint32), graph.indices.view(np.uint32), graph.weights
    below, changed = np.empty(4, np.int32), np.zeros(1, np.int64)
    arrays = locally_dominant.Arrays(*rows, mate, candidate, below, changed)
    CpuDevice(1).launch(locally_dominant.dominate, 1, np.int64(0), arrays)
    assert changed[0] == 1
    assert mate.tolist() == [3, 2, 1, 0]


@pytest.mark.kernels
@pytest.mark.parametrize("threads", [2, 4])
def test_threads_that_share_the_sort_change_nothing(threads, monkeypatch):
    graph = random_graph(300, 2000, 8, lambda rng, size: rng.integers(0, 50, size) / 4)
    alone = berge.greedy_matching(graph, method="sorted", threads=1)
    monkeypatch.setattr("berge.methods.greedy.edges.SHARED_SORT", 0)
    monkeypatch.setattr("berge.tuning.SHARED_SORT", 0)  # of the check of a graph
    again = Graph(graph.indptr, graph.indices, graph.weights)
    shared = berge.greedy_matching(again, method="sorted", threads=threads)
    assert shared.mate.tolist() == alone.mate.tolist()


def test_edges_come_by_weight_then_by_ends():
    graph = random_graph(30, 200, 6, lambda rng, size: rng.integers(0, 5, size) / 4)
    run = edges_run(graph)
    pairs, weights = edges.edges_by_weight(run)
    ends = [(-w, int(p) >> 32, int(p) & 0xFFFFFFFF) for p, w in zip(pairs, weights, strict=True)]
    assert ends == sorted(ends)
    assert len(ends) == graph.n_edges
    assert all(run.graph.to_scipy()[u, v] == -w for w, u, v in ends)
    settle(run.graph, "indptr", np.broadcast_to(graph.indptr[:1], (2**32 + 2,)))
    with pytest.raises(OptionError, match="2³² vertices"):
        edges.edges_by_weight(run)


def edges_run(graph: Graph):
    from berge.results.greedy_run import GreedyRun

    return GreedyRun(graph, np.full(graph.n_vertices, -1, np.int32), CpuDevice(1), 1, 0)


def test_sorted_on_threads_is_stable():
    """Enough edges for the radix sort to be shared out."""
    size = 60_000 if COMPILED else 50
    graph = random_graph(size // 3, size, 7, lambda rng, n: rng.integers(1, 30, n))
    mates = [
        berge.greedy_matching(graph, method=method, threads=threads).mate
        for method, threads in (("sorted", 1), ("sorted", 4), ("suitor", 2))
    ]
    assert all(np.array_equal(mate, mates[0]) for mate in mates)


def test_global_paths_takes_rounds():
    """What stays free after the first round is matched in another."""
    assert global_paths.ODD & global_paths.COUNT == 0
    rounds = [
        berge.greedy_matching(random_graph(200, 500, seed, uniform), method="global-paths").rounds
        for seed in range(3)
    ]
    assert max(rounds) > 1


class TestChecker:
    graph = path(5, [1.0, 2.0, 3.0, 4.0])

    def test_accepts_what_is_right(self):
        berge.verify(self.graph, berge.greedy_matching(self.graph))
        berge.verify(self.graph.to_scipy(), berge.greedy_matching(self.graph, weights=False))

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"mate": np.array([-1, -1])}, "is for 2 vertices, the graph has 5"),
            ({"mate": np.array([1, 0, -1, 4, 7])}, "vertex 4 is matched to vertex 7: out of range"),
            ({"mate": np.array([1, 0, -1, 4, -1])}, "vertex 3 is matched to vertex 4, which is"),
            ({"mate": np.array([2, -1, 0, 4, 3])}, "vertex 0 is matched to vertex 2, not a nei"),
            ({"size": 1}, "has 2 pairs, and says it has 1"),
            ({"weight": 99.0}, "weighs 6.0, not 99.0"),
            ({"mate": np.array([-1, -1, -1, 4, 3]), "size": 1, "weight": 4.0}, "not maximal"),
        ],
    )
    def test_refuses_what_is_wrong(self, change, message):
        right = berge.greedy_matching(self.graph)
        assert right.mate.tolist() == [-1, 2, 1, 4, 3]
        with pytest.raises(ProofError, match=message):
            berge.verify(self.graph, replace(right, **change))

    def test_a_stopped_one_need_not_be_maximal(self):
        early = berge.greedy_matching(self.graph, time_limit=0)
        berge.verify(self.graph, early)
        assert not early.is_maximal

    def test_names_what_it_needs(self):
        right = berge.greedy_matching(self.graph)
        with pytest.raises(ProofError, match=r"weighs 2.0, not 6.0: .* as_graph\(graph, weights"):
            berge.verify(self.graph.to_scipy(), right)
        with pytest.raises(InvalidMatchingError, match="or a GreedyMatching, not ndarray"):
            berge.verify(self.graph, right.mate)

    def test_takes_no_cover(self):
        bipartite = berge.generate.chain(3)
        cover = berge.maximum_matching(bipartite).prove(bipartite)
        with pytest.raises(ProofError, match="bipartite graphs only"):
            berge.verify(self.graph, berge.greedy_matching(self.graph), cover)


class TestResult:
    def test_reads_well(self):
        matching = berge.greedy_matching(path(3))
        assert repr(matching) == "GreedyMatching(1 pair of 3 vertices, maximal; by single-pass)"
        assert matching.unmatched.tolist() == [2]
        assert not matching.mate.flags.writeable
        facts = matching.as_dict()
        assert facts["size"] == 1
        assert facts["matched_fraction"] == [2 / 3]

    def test_saves(self, tmp_path):
        matching = berge.greedy_matching(path(5))
        matching.save(tmp_path / "m.npz")
        assert np.array_equal(np.load(tmp_path / "m.npz")["mate"], matching.mate)
        matching.save(tmp_path / "m.txt")
        header = "# vertices 5 pairs 2 weight 2.0 maximal yes method single-pass"
        assert (tmp_path / "m.txt").read_text() == f"{header}\n0 1\n2 3\n"

    @pytest.mark.parametrize("name", ["m.npz", "m.txt", "m.txt.gz", "m.pairs"])
    def test_loads(self, tmp_path, name):
        graph = path(5, [0.1, 2.0, 3.0, 4e-20])
        for limit in (None, 0):
            matching = berge.greedy_matching(graph, time_limit=limit)
            matching.save(tmp_path / name)
            loaded = GreedyMatching.load(tmp_path / name)
            for field in ("size", "weight", "is_maximal", "method"):
                assert getattr(loaded, field) == getattr(matching, field)
            assert np.array_equal(loaded.mate, matching.mate)
            assert loaded.mate.dtype == matching.mate.dtype
            berge.verify(graph, loaded)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "line 1: expected '# vertices N pairs K"),
            ("# vertices 3 pairs 1 weight 1e\n0 1\n", "line 1: weight 1e must be a finite number"),
            ("# vertices 3 pairs 2\n0 1\n", "line 1: 2 pairs announced, 1 found"),
            ("# vertices 3 pairs 1\n0 3\n", "line 2: vertex 3 is not in 0 … 2"),
            ("# vertices 3 pairs 2\n0 1\n2 1\n", "vertex 1 is matched twice"),
            ("# vertices 3 pairs 1\n1 1\n", "vertex 1 is matched twice"),
        ],
    )
    def test_loads_no_other_text(self, tmp_path, text, message):
        (tmp_path / "m.txt").write_text(text)
        with pytest.raises(FormatError, match=message):
            GreedyMatching.load(tmp_path / "m.txt")

    @pytest.mark.parametrize(
        ("mate", "message"),
        [([1, 2, 1], "vertex 0 is matched to 1, but that to 2"), ([0], "vertex 0 cannot be"),
         ([-2], "matched to -2"), ([1], "matched to 1")],
    )  # fmt: skip
    def test_loads_no_other_arrays(self, tmp_path, mate, message):
        np.savez(tmp_path / "m.npz", mate=mate)
        with pytest.raises(InvalidMatchingError, match=message):
            GreedyMatching.load(tmp_path / "m.npz")


class TestArguments:
    @every_method
    def test_options_are_those_of_the_function(self, method):
        keywords = inspect.signature(entry_of(method).load()).parameters.values()
        declared = {k.name: k.default for k in keywords if k.kind is k.KEYWORD_ONLY}
        assert declared == {option.name: option.default for option in entry_of(method).options}
        call = inspect.signature(berge.greedy_matching).parameters
        assert all(call[name].default == default for name, default in declared.items())

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"method": "suiter"}, "did you mean 'suitor'"),
            ({"method": "proposals", "p": 0}, "p must be a number from 0.01 to 0.99"),
            ({"method": "proposals", "p": float("nan")}, "p must be"),
            ({"method": "random", "permute": "perhaps"}, "permute must be true or false"),
            ({"seed": -1}, "seed must be"),
            ({"time_limit": -1}, "time_limit must be"),
            ({"threads": 0}, "threads must be"),
        ],
    )
    def test_wrong_options(self, wrong, message):
        with pytest.raises(OptionError, match=message):
            berge.greedy_matching(path(3), **wrong)

    def test_wrong_device(self):
        with pytest.raises(DeviceError, match="sorted runs on cpu only"):
            berge.greedy_matching(path(3), method="sorted", device="cuda")

    def test_without_permutation_order_counts(self):
        line = path(9)
        matching = berge.greedy_matching(line, method="random", permute=False)
        assert matching.pairs().tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]

    def test_progress(self, capsys):
        berge.greedy_matching(path(50), progress=True)
        assert capsys.readouterr().out == ""
