"""Maximum matchings of graphs that need not be bipartite: against a search of the tests' own."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import berge
from berge.errors import InvalidMatchingError, OptionError, ProofError
from berge.graphs.sides import sides_of
from berge.graphs.symmetry import is_symmetric
from berge.methods.general import blossom
from berge.results.compiled_general import size_if_right
from berge.results.general_matching import barrier_of_sides
from berge.results.tutte_berge import find_barrier, verify_general


def random_graph(rng: np.random.Generator, most: int = 12) -> berge.Graph:
    n = int(rng.integers(1, most))
    m = int(rng.integers(0, 2 * n + 1))
    return berge.Graph.from_edges(rng.integers(0, n, m), rng.integers(0, n, m), n)


def largest(graph: berge.Graph) -> int:
    """Return the size of a maximum matching, by trying all."""
    rows = [
        tuple(graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist())
        for v in range(graph.n_vertices)
    ]

    @cache
    def most(free: int) -> int:
        if not free:
            return 0
        v = free.bit_length() - 1
        rest = free & ~(1 << v)
        return max([most(rest), *(1 + most(rest & ~(1 << w)) for w in rows[v] if rest >> w & 1)])

    return most((1 << graph.n_vertices) - 1)


def check(graph: berge.Graph, matching: berge.GeneralMatching) -> None:
    """Check the proof that came with the solve, and one that is found apart."""
    proof = matching._proof  # there is one after all searches but those of the bipartite default
    verify_general(graph, matching, proof or barrier_of_sides(graph, matching._half))
    verify_general(graph, matching, find_barrier(graph, matching.mate))
    assert matching.is_maximum


@pytest.mark.kernels
def test_small_graphs():
    rng = np.random.default_rng(0)
    for _ in range(300):
        graph = random_graph(rng)
        matching = berge.maximum_matching(graph)
        assert matching.cardinality == largest(graph)
        check(graph, matching)


@pytest.mark.kernels
def test_a_matching_that_is_not_maximum_has_no_proof():
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(100):
        graph = random_graph(rng)
        best = berge.maximum_matching(graph)
        mate = np.array(best.mate)
        if best.cardinality:
            v, w = best.pairs()[0]
            mate[[v, w]] = -1
            smaller = berge.GeneralMatching(mate, upper_bound=graph.n_vertices)
            verify_general(graph, smaller)
            with pytest.raises(ProofError, match="not maximum"):
                smaller.prove(graph)
            with pytest.raises(ProofError, match="not a proof"):
                verify_general(graph, smaller, best.prove(graph))
            refused += 1
    assert refused > 50


@pytest.mark.kernels
def test_initial_is_gone_on_from():
    graph = berge.Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 0])
    first = berge.GeneralMatching([-1, 2, 1, -1, -1], upper_bound=2)
    matching = berge.maximum_matching(graph, initial=first)
    assert matching.cardinality == 2
    wrong = berge.GeneralMatching([2, -1, 0, -1, -1], upper_bound=2)
    with pytest.raises(InvalidMatchingError, match="not a neighbour"):
        berge.maximum_matching(graph, initial=wrong)
    with pytest.raises(OptionError, match="side is for bipartite graphs"):
        berge.maximum_matching(graph, side="rows")


def test_time_limit_leaves_a_valid_matching():
    graph = berge.Graph.from_edges([0, 1, 2], [1, 2, 0])
    matching = berge.maximum_matching(graph, time_limit=0)
    verify_general(graph, matching)
    assert matching.stats is not None
    assert matching.stats.stopped == "time limit"
    assert not matching.is_maximum


@pytest.mark.parametrize("suffix", [".npz", ".txt"])
def test_files(tmp_path, suffix):
    graph = berge.Graph.from_edges([0, 1, 2, 3], [1, 2, 0, 4])
    matching = berge.maximum_matching(graph)
    matching.save(tmp_path / f"m{suffix}")
    loaded = berge.GeneralMatching.load(tmp_path / f"m{suffix}")
    assert loaded.mate.tolist() == matching.mate.tolist()
    assert loaded.upper_bound == matching.upper_bound
    loaded.prove(graph)


@pytest.mark.kernels
def test_how_a_matrix_is_read():
    triangle = np.ones((3, 3)) - np.eye(3)
    assert berge.maximum_matching(triangle).cardinality == 3
    assert berge.maximum_matching(triangle, general=False).cardinality == 3
    assert berge.maximum_matching(triangle, general=True).cardinality == 1


@pytest.mark.kernels
@pytest.mark.parametrize("algorithm", [a.name for a in berge.algorithms("general")])
@pytest.mark.parametrize("init", ["none", *(a.name for a in berge.algorithms("general-start"))])
def test_every_algorithm_from_every_start(algorithm, init):
    rng = np.random.default_rng(2)
    for _ in range(60):
        graph = random_graph(rng)
        matching = berge.maximum_matching(graph, algorithm=algorithm, init=init)
        assert matching.cardinality == largest(graph)
        check(graph, matching)
        matching.prove(graph, check="numpy")
        assert matching.stats is not None
        assert matching.stats.start_cardinality + matching.stats.augmenting_paths == largest(graph)


@pytest.mark.parametrize("algorithm", [a.name for a in berge.algorithms("general")])
def test_larger_graphs(algorithm):
    """Sizes at which queues wrap around and memory is asked for ahead, with 64-bit indices too."""
    rng = np.random.default_rng(3)
    for n, degree in ((3000, 1.5), (3000, 2.5), (3000, 6), (500, 40)):
        m = int(n * degree / 2)
        graph = berge.Graph.from_edges(rng.integers(0, n, m), rng.integers(0, n, m), n)
        sizes = set()
        for init in ("none", "first-free", "degree-one"):
            matching = berge.maximum_matching(graph, algorithm=algorithm, init=init)
            check(graph, matching)
            sizes.add(matching.cardinality)
        assert len(sizes) == 1
        wide = (np.array(a, np.int64) for a in (graph.indptr, graph.indices))
        matching = berge.maximum_matching(berge.Graph._trusted(*wide), algorithm=algorithm)
        assert {matching.cardinality} == sizes


@pytest.mark.kernels
def test_forged_proofs_are_refused():
    """Whatever is changed in a proof: it is refused, or proves the same number."""
    rng = np.random.default_rng(4)
    refused = 0
    for _ in range(200):
        graph = random_graph(rng)
        matching = berge.maximum_matching(graph, algorithm="graft")
        part = np.array(matching._proof.part)
        part[rng.integers(part.size)] = rng.integers(-2, part.size + 1)
        forged = berge.TutteBerge(part)
        outcomes = set()
        for how in ("compiled", "numpy"):
            try:
                verify_general(graph, matching, forged, how)
                outcomes.add(True)
            except ProofError:
                outcomes.add(False)
        assert len(outcomes) == 1
        refused += outcomes == {False}
    assert 50 < refused < 200


@pytest.mark.kernels
def test_a_start_goes_on_from_what_is_matched():
    """Degrees of what is left count only what is not matched."""
    chain = berge.Graph.from_edges(range(8), range(1, 9))
    first = berge.GeneralMatching([-1, -1, -1, 4, 3, -1, -1, -1, -1], upper_bound=4)
    matching = berge.maximum_matching(chain, init="degree-one", initial=first)
    assert matching.cardinality == 4
    check(chain, matching)


@pytest.mark.kernels
def test_searches_in_rounds_and_stamps_that_run_out(monkeypatch):
    """In plain Python: limits as of large graphs, and stamps of which there are only a few."""
    monkeypatch.setattr(blossom, "FEW_ROOTS", 0)
    monkeypatch.setattr(blossom, "SEARCH_LIMIT", 1)
    monkeypatch.setattr(blossom, "HEAD_START", 0)
    monkeypatch.setattr(blossom, "FAVOUR", 0)
    prepare = blossom.prepare

    def with_few_stamps(run):
        arrays = prepare(run)
        arrays.state[blossom.HIDDEN] = 20
        return arrays

    monkeypatch.setattr(blossom, "prepare", with_few_stamps)
    rng = np.random.default_rng(3)
    for _ in range(150):
        graph = random_graph(rng, 25)
        matching = berge.maximum_matching(graph, algorithm="blossom", init="none")
        check(graph, matching)
        other = berge.maximum_matching(graph, algorithm="graft")
        assert matching.cardinality == other.cardinality


@pytest.mark.kernels
def test_what_the_compiled_check_has_doubts_about():
    graph = berge.Graph.from_edges([0, 1, 2], [1, 2, 0])
    right = np.array([1, 0, -1], np.int32)
    part = np.zeros(3, np.int32)
    assert size_if_right(graph, right, None) == 1
    assert size_if_right(graph, right, part) == 1
    for mate in ([1, 0], [1, 0, 3], [1, 0, 2], [1, 2, 0], [-2, -1, -1]):
        assert size_if_right(graph, np.array(mate, np.int32), None) is None
    for wrong in ([0, 0], [0, 0, 3], [0, 0, -2], [0, 1, 2]):
        assert size_if_right(graph, right, np.array(wrong, np.int32)) is None
    assert size_if_right(graph, right.tolist(), None) is None
    assert size_if_right(graph, right.astype(float), None) is None
    path = berge.Graph.from_edges([0, 1], [1, 2])
    for proof in (None, part):
        assert size_if_right(path, np.array([2, -1, 0], np.int32), proof) is None
    assert size_if_right(path, np.full(3, -1, np.int32), part) is None
    assert size_if_right(path, np.array([1, 0, -1], np.int32), part + 3) is None


@pytest.mark.kernels
def test_symmetry():
    assert is_symmetric(berge.as_bipartite(np.ones((3, 3))))
    assert not is_symmetric(berge.as_bipartite(np.triu(np.ones((3, 3)))))
    assert not is_symmetric(berge.as_bipartite(np.ones((2, 3))))


@pytest.mark.kernels
@pytest.mark.parametrize("numbers", ["rows first", "columns first", "any"])
def test_graphs_of_two_sides_take_the_bipartite_default(numbers):
    rng = np.random.default_rng(5)
    for _ in range(60):
        n_rows, n_cols, m = (int(k) for k in rng.integers(1, (6, 9, 16)))
        n = n_rows + n_cols
        number = {"rows first": np.arange(n), "columns first": np.arange(n)[::-1]}.get(numbers)
        number = rng.permutation(n) if number is None else number
        ends, others = rng.integers(n_rows, size=m), n_rows + rng.integers(n_cols, size=m)
        graph = berge.Graph.from_edges(number[ends], number[others], n)
        matching = berge.maximum_matching(graph)
        assert matching.stats.algorithm == "mixed"
        assert matching.cardinality == largest(graph)
        check(graph, matching)
        sides = sides_of(graph)
        assert sides.graph.nnz == graph.n_edges
        assert sorted([*sides.rows.tolist(), *sides.cols.tolist()]) == list(range(n))
        assert sides.graph.shape == (sides.rows.size, sides.cols.size)
        for i, row in enumerate(sides.rows.tolist()):
            found = sides.cols[sides.graph.indices[slice(*sides.graph.indptr[i : i + 2])]]
            assert sorted(found) == graph.indices[slice(*graph.indptr[row : row + 2])].tolist()


@pytest.mark.kernels
def test_an_odd_cycle_is_noticed():
    rng = np.random.default_rng(6)
    odd = 0
    for _ in range(200):
        graph = random_graph(rng)
        doubled = set()  # vertices that have a walk of odd length to themselves
        for v in range(graph.n_vertices):
            seen, todo = {(v, 0)}, [(v, 0)]
            while todo:
                u, parity = todo.pop()
                for w in graph.indices[graph.indptr[u] : graph.indptr[u + 1]].tolist():
                    if (w, 1 - parity) not in seen:
                        seen.add((w, 1 - parity))
                        todo.append((w, 1 - parity))
            doubled |= {v} if (v, 1) in seen else set()
        assert (sides_of(graph) is None) == bool(doubled)
        odd += bool(doubled)
    assert 20 < odd < 180


@pytest.mark.kernels
def test_what_the_start_settles():
    """A leaf and its neighbour, and what that leaves alone; the rest is a core to search."""
    triangle = berge.Graph.from_edges([0, 1, 2, 2, 3, 3], [1, 2, 0, 3, 4, 5])
    matching = berge.maximum_matching(triangle)
    assert matching.cardinality == 2
    assert matching.stats.traversed_edges == 0  # 3 is the set; 4, 5 and the triangle are the parts
    assert matching._proof.size == 1
    assert matching._proof.odd_parts == 3
    check(triangle, matching)


@pytest.mark.kernels
def test_a_start_that_takes_vertices_in_order_or_backwards():
    """Graphs whose numbers run along a path, forwards or backwards, and such as are mixed up."""
    rng = np.random.default_rng(7)
    for _ in range(20):
        n = 300
        order = rng.permutation(n) if rng.random() < 0.5 else np.arange(n)[:: rng.choice([1, -1])]
        ends = np.concatenate([np.arange(n - 1), rng.integers(0, n, 60)])
        others = np.concatenate([np.arange(1, n), rng.integers(0, n, 60)])
        graph = berge.Graph.from_edges(order[ends], order[others], n)
        matching = berge.maximum_matching(graph)
        check(graph, matching)
        other = berge.maximum_matching(graph, algorithm="blossom", init="none")
        assert matching.cardinality == other.cardinality
