"""Graphs of `berge.generate`: shape, structure, known maxima, and the same graph every time."""

from __future__ import annotations

import subprocess
import sys
import zlib
from collections.abc import Callable
from functools import partial

import numba
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from berge import BipartiteGraph, OptionError, generate
from berge.generate import KINDS

pytestmark = pytest.mark.kernels

# One small graph of each kind, as a command line would ask for it.
SMALL = {
    "rmat": {"scale": "7", "edges_per_vertex": "4"},
    "erdos-renyi": {"n_rows": "60", "n_cols": "40", "average_degree": "2.5"},
    "power-law": {"n_rows": "200", "n_cols": "100", "average_degree": "3"},
    "delaunay": {"n": "150"},
    "geometric": {"n": "150"},
    "mesh3": {"n": "150"},
    "grid": {"width": "7", "height": "5"},
    "road": {"width": "12", "height": "9"},
    "hidden-perfect": {"n": "80"},
    "chain": {"links": "30"},
    "layered": {"levels": "6"},
    "jacobian": {"n": "100", "levels": "4", "states": "7"},
    "star": {"n": "9"},
    "complete": {"n_rows": "4", "n_cols": "7"},
    "karp-sipser-hard": {"n": "20", "t": "3"},
    "nested-blossoms": {"levels": "20"},
    "triangle-chain": {"triangles": "7"},
    "odd-chain": {"links": "9"},
}
RANDOM = [name for name in KINDS if any(p.name == "seed" for p in KINDS[name].parameters)]
SYMMETRIC = ["delaunay", "geometric", "mesh3", "grid", "road"]
SYMMETRIC += ["nested-blossoms", "triangle-chain", "odd-chain"]


def small(name: str, **more: str) -> BipartiteGraph:
    return KINDS[name].from_text(SMALL[name] | more)


def same(one: BipartiteGraph, other: BipartiteGraph) -> bool:
    return (
        one.shape == other.shape
        and np.array_equal(one.indptr, other.indptr)
        and np.array_equal(one.indices, other.indices)
    )


def maximum(graph: BipartiteGraph) -> int:
    return int((maximum_bipartite_matching(graph.to_scipy()) >= 0).sum())


def edges(graph: BipartiteGraph) -> set[tuple[int, int]]:
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    return set(zip(rows.tolist(), graph.indices.tolist(), strict=True))


def greedy_in_order(graph: BipartiteGraph) -> tuple[list[int], list[int]]:
    """Each row takes its first free column."""
    row_match, col_match = [-1] * graph.n_rows, [-1] * graph.n_cols
    for r in range(graph.n_rows):
        for c in graph.indices[graph.indptr[r] : graph.indptr[r + 1]].tolist():
            if col_match[c] < 0:
                row_match[r], col_match[c] = c, r
                break
    return row_match, col_match


# Every kind ----------------------------------------------------------------------------------


def test_every_kind_is_tried():
    assert SMALL.keys() == KINDS.keys()


@pytest.mark.parametrize("name", KINDS)
def test_is_a_valid_graph_with_sorted_rows_and_no_duplicates(name):
    graph = small(name)
    BipartiteGraph(graph.indptr, graph.indices, graph.shape)  # validates
    assert graph.indptr.dtype == graph.indices.dtype == np.int32
    assert graph.nnz == graph.indices.size > 0
    assert not graph.has_transpose
    for r in range(graph.n_rows):
        assert np.all(np.diff(graph.indices[graph.indptr[r] : graph.indptr[r + 1]]) > 0)


@pytest.mark.parametrize("name", RANDOM)
def test_seed_decides(name):
    assert same(small(name), small(name, seed="0"))
    assert not same(small(name), small(name, seed="1"))


def on_threads(threads: int, make: Callable[[], BipartiteGraph]) -> BipartiteGraph:
    before = numba.get_num_threads()
    numba.set_num_threads(threads)
    try:
        return generate.permute(make(), seed=5)
    finally:
        numba.set_num_threads(before)


several_threads = pytest.mark.skipif(
    numba.config.NUMBA_NUM_THREADS < 2, reason="numba was started with one thread"
)


@several_threads
@pytest.mark.parametrize("name", RANDOM)
def test_threads_do_not_matter(name):
    assert same(on_threads(1, lambda: small(name)), on_threads(2, lambda: small(name)))


@several_threads
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="too large without the compiler")
@pytest.mark.parametrize("name", ["rmat", "erdos-renyi", "hidden-perfect"])
def test_threads_do_not_matter_where_they_work(name):
    # Large enough that sorting is shared too.
    sizes = {
        "rmat": {"scale": "13"},
        "erdos-renyi": {"n_rows": "9000", "n_cols": "8000", "n_edges": "100000"},
        "hidden-perfect": {"n": "20000", "extra": "4"},
    }
    make = partial(KINDS[name].from_text, sizes[name])
    assert same(on_threads(1, make), on_threads(2, make))


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric(name):
    graph = small(name)
    assert same(graph, graph.T)
    diagonal = {(v, v) for v in range(graph.n_rows)}
    assert edges(graph) & diagonal == (diagonal if name == "grid" else set())


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (lambda: generate.rmat(6, 4, seed=3), 0x795A155E),
        (lambda: generate.rmat(5, 8, probabilities="paper", duplicates=True), 0x3833B9E6),
        (lambda: generate.erdos_renyi(50, 70, 200, seed=2**63), 0xCDFB88C2),
        (lambda: generate.hidden_perfect(40, 2, seed=1), 0x0177D187),
        (lambda: generate.permute(generate.grid(6, 4), seed=9), 0x0E7BBE76),
        (lambda: generate.jacobian(100, 4, 7, seed=3), 0x2DAB8B8D),
    ],
    ids=["rmat", "rmat-paper", "erdos-renyi", "hidden-perfect", "permute", "jacobian"],
)
def test_numbers_stay_the_same(graph, expected):
    # Compiled or not, on any machine, in any version: results of others depend on it.
    found = zlib.crc32(graph().indices.astype("<i4").tobytes())
    assert found == expected


# Random numbers ------------------------------------------------------------------------------


def test_random_numbers_are_splitmix64():
    from berge.generate.kernels import draw, wrapping

    # The published numbers for seed 1234567.
    with wrapping:
        drawn = [int(draw(np.uint64(1234567), k)) for k in range(3)]
    assert drawn == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_uniform_and_permutation():
    from berge.generate.kernels import integers, key_of, permutation, uniform

    u = uniform(key_of(0, 0), 4000)
    assert u.min() >= 0
    assert u.max() < 1
    assert abs(u.mean() - 0.5) < 0.02
    assert set(integers(key_of(0, 1), 5, 200).tolist()) == set(range(5))
    assert sorted(permutation(key_of(0, 2), 100).tolist()) == list(range(100))
    firsts = np.bincount([permutation(key_of(seed, 0), 4)[0] for seed in range(400)])
    assert firsts.min() > 70


# The classes of the papers -------------------------------------------------------------------


def test_rmat_follows_its_probabilities():
    graph = generate.rmat(1, 2000, probabilities=(0.5, 0.3, 0.15, 0.05), duplicates=True)
    counts = np.zeros((2, 2))
    np.add.at(counts, (np.repeat([0, 1], graph.row_degrees), graph.indices), 1)
    shares = counts / graph.nnz
    if shares[0, 0] < shares[1, 1]:  # renamed
        shares = shares[::-1, ::-1]
    assert np.abs(shares - [[0.5, 0.3], [0.15, 0.05]]).max() < 0.03


def test_rmat_names_of_probabilities():
    assert same(generate.rmat(5), generate.rmat(5, probabilities="graph500"))
    assert same(
        generate.rmat(5, probabilities=generate.PAPER_RMAT), generate.rmat(5, probabilities="paper")
    )
    assert generate.rmat(5, 3, duplicates=True).nnz == 3 * 32
    assert generate.rmat(5, 3).nnz < 3 * 32
    assert edges(generate.rmat(5, 3)) == edges(generate.rmat(5, 3, duplicates=True))


def test_rmat_has_hubs_and_lonely_vertices():
    degrees = generate.rmat(9, 8).row_degrees
    assert degrees.max() > 6 * degrees.mean()
    assert degrees.min() == 0


@pytest.mark.parametrize("n_edges", [0, 1, 7, 34, 35])
def test_erdos_renyi_is_exact(n_edges):
    graph = generate.erdos_renyi(5, 7, n_edges)
    assert graph.nnz == len(edges(graph)) == n_edges


def test_erdos_renyi_is_uniform():
    counts = np.zeros((3, 3))
    for seed in range(300):
        for edge in edges(generate.erdos_renyi(3, 3, 3, seed=seed)):
            counts[edge] += 1
    assert np.abs(counts / 300 - 1 / 3).max() < 0.1


def test_power_law_has_hubs_on_both_sides():
    graph = generate.power_law(600, 300, 4)
    assert graph.nnz <= 2400
    for degrees in (graph.row_degrees, graph.col_degrees):
        assert degrees.max() > 5 * degrees.mean()
        assert np.argmax(degrees) != 0  # renamed
    flat = generate.power_law(600, 300, 4, exponent=50)
    assert flat.row_degrees.max() < graph.row_degrees.max() / 2


def test_delaunay_is_a_triangulation():
    graph = generate.delaunay(300)
    assert connected_components(graph.to_scipy())[0] == 1
    # 3 n - 3 - h edges, h of them on the hull.
    assert 3 * 300 - 3 - 40 < graph.nnz / 2 <= 3 * 300 - 6
    assert maximum(graph) == 300


@pytest.mark.parametrize("n", range(5))
def test_tiny_geometry(n):
    assert generate.delaunay(n).nnz in [{0}, {0}, {2}, {6}, {10, 12}][n]
    assert generate.random_geometric(n).shape == (n, n)
    assert generate.random_geometric(n, 2).nnz == n * (n - 1)
    assert generate.mesh3(n).shape == (n, n)


def test_random_geometric_keeps_the_distance():
    from berge.generate.build import random_points

    graph = generate.random_geometric(80, 0.2, seed=4)
    points = random_points(80, 4)
    distance = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    assert edges(graph) == {(i, j) for i, j in np.argwhere(distance <= 0.2).tolist() if i != j}


def test_mesh3_has_degree_three():
    graph = generate.mesh3(500)
    assert graph.shape == (500, 500)
    assert graph.row_degrees.max() == 3
    assert graph.row_degrees.mean() > 2.7
    assert connected_components(graph.to_scipy())[0] < 5


def test_grid():
    graph = generate.grid(4, 3)
    expected = {
        (y * 4 + x, (y + dy) * 4 + x + dx)
        for x in range(4)
        for y in range(3)
        for dx, dy in [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]
        if 0 <= x + dx < 4 and 0 <= y + dy < 3
    }
    assert edges(graph) == expected
    assert maximum(graph) == 12
    assert generate.grid(0, 5).shape == (0, 0)
    assert generate.grid(1000, 1000).nnz == 4_996_000  # ecology1


def test_road_is_like_a_road_network():
    graph = generate.road(40, 40)
    assert 2.3 < graph.row_degrees.mean() < 2.5
    assert graph.row_degrees.min() == 1
    assert graph.row_degrees.max() <= 4
    assert (graph.row_degrees == 2).mean() > 0.3
    labels = connected_components(graph.to_scipy())[1]
    assert np.bincount(labels).max() > 0.8 * graph.n_rows


def test_road_without_chance_is_the_grid():
    road, grid = generate.road(6, 5, drop=0, subdivide=0), generate.grid(6, 5)
    assert edges(road) == {edge for edge in edges(grid) if edge[0] != edge[1]}
    assert generate.road(6, 5, drop=1).shape == (0, 0)
    assert generate.road(0, 5).shape == generate.road(5, 0).shape == generate.road(1, 1).shape


def test_jacobian_has_stages_of_equations_and_states():
    graph = generate.jacobian(3 * 20 + 4, 4, 7)  # 13 equations and 7 states, four more in the end
    there = graph.to_scipy().toarray()
    for begin in (0, 20, 40):
        assert np.array_equal(
            there[begin : begin + 13, begin : begin + 13], generate.layered(4).to_scipy().toarray()
        )
        assert not there[begin : begin + 13, begin + 13 :].any()
    assert np.array_equal(np.flatnonzero(there[60]), [59, 60, 61])
    assert not there[40:, :40].any()
    coupled = there[13:20, 20:40].sum(axis=1)
    assert coupled.min() >= 1
    assert coupled.max() <= 2


def test_road_subdivides_streets():
    road = generate.road(2, 1, drop=0, subdivide=30, seed=1)
    assert road.n_rows > 5
    assert sorted(road.row_degrees.tolist()) == [1, 1] + [2] * (road.n_rows - 2)
    assert connected_components(road.to_scipy())[0] == 1
    square = generate.road(2, 2, drop=0, subdivide=5)
    assert set(square.row_degrees.tolist()) == {2}
    assert connected_components(square.to_scipy())[0] == 1
    assert abs(generate.road(20, 20, drop=0, subdivide=2).n_rows / (400 + 760 * 2) - 1) < 0.1


# Known maxima --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (lambda: generate.hidden_perfect(60, 2), 60),
        (lambda: generate.hidden_perfect(0), 0),
        (lambda: generate.hidden_perfect(1), 1),
        (lambda: generate.chain(0), 0),
        (lambda: generate.chain(1), 1),
        (lambda: generate.chain(50), 50),
        (lambda: generate.layered(0), 1),
        (lambda: generate.layered(1), 4),
        (lambda: generate.layered(9), 28),
        (lambda: generate.jacobian(0), 0),
        (lambda: generate.jacobian(9), 9),
        (lambda: generate.jacobian(130, 4, 7), 130),
        (lambda: generate.jacobian(60, 3, 0), 60),
        (lambda: generate.star(7), 1),
        (lambda: generate.star(7, transpose=True), 1),
        (lambda: generate.star(0), 0),
        (lambda: generate.complete(4, 6), 4),
        (lambda: generate.complete(0, 3), 0),
        (lambda: generate.karp_sipser_hard(0, 0), 0),
        (lambda: generate.karp_sipser_hard(30, 0), 30),
        (lambda: generate.karp_sipser_hard(30, 4), 30),
        (lambda: generate.karp_sipser_hard(30, 15), 30),
    ],
)
def test_known_maximum(graph, expected):
    assert maximum(graph()) == expected


def test_shapes_of_the_small_ones():
    assert generate.star(7).shape == (1, 7)
    assert generate.star(7, transpose=True).shape == (7, 1)
    assert generate.complete(4, 6).nnz == 24
    assert edges(generate.hidden_perfect(9, 0)) < edges(generate.hidden_perfect(9, 2))


def test_chain_leaves_one_path_through_every_vertex():
    n = 40
    graph = generate.chain(n)
    row_match, col_match = greedy_in_order(graph)
    assert row_match == [*range(n - 1), -1]
    assert col_match == [*range(n - 1), -1]
    # From the free row every step is forced.
    row, seen = n - 1, []
    while True:
        seen.append(row)
        start, end = graph.indptr[row : row + 2]
        (col,) = set(graph.indices[start:end].tolist()) - {row_match[row]}
        if col_match[col] < 0:
            break
        row = col_match[col]
    assert sorted(seen) == list(range(n))
    # The same seen from the columns.
    assert greedy_in_order(graph.T)[0] == [*range(n - 1), -1]


def forgetful_search(graph: BipartiteGraph) -> int:
    """Count what is popped from a stack of rows by level, where dead ends are not marked."""
    row_match, col_match = greedy_in_order(graph)
    free = row_match.index(-1)
    level, queue = {free: 0}, [free]
    for row in queue:
        for col in graph.indices[graph.indptr[row] : graph.indptr[row + 1]].tolist():
            mate = col_match[col]
            if mate not in level:
                level[mate] = level[row] + 1
                if mate >= 0:
                    queue.append(mate)
    stack, popped = [free], 0
    while True:
        row = stack.pop()
        popped += 1
        for col in graph.indices[graph.indptr[row] : graph.indptr[row + 1]].tolist():
            mate = col_match[col]
            if level[mate] == level[row] + 1:
                if mate < 0:
                    return popped
                stack.append(mate)


def test_layered_doubles_the_work_of_a_forgetful_search():
    graph = generate.layered(40)
    assert graph.shape == (121, 121)
    assert graph.nnz == 8 * 40 - 1
    row_match, col_match = greedy_in_order(graph)
    assert row_match.index(-1) == 120
    assert row_match.count(-1) == col_match.count(-1) == 1
    popped = [forgetful_search(generate.layered(levels)) for levels in range(6, 11)]
    for levels, count in zip(range(6, 11), popped, strict=True):
        assert count == 2 ** (levels + 1) - 2 + 1 + levels


def test_karp_sipser_hard_is_as_published():
    n, t = 20, 3
    half = n // 2
    graph = generate.karp_sipser_hard(n, t)
    matrix = graph.to_scipy().toarray()
    assert matrix[:half, :half].all()
    assert not matrix[half:, half:].any()
    plain = np.eye(half, dtype=bool)
    full_rows, full_cols = plain.copy(), plain.copy()
    full_rows[half - t :] = True
    full_cols[:, half - t :] = True
    assert np.array_equal(matrix[:half, half:], full_rows)
    assert np.array_equal(matrix[half:, :half], full_cols)
    assert min(graph.row_degrees.min(), graph.col_degrees.min()) > 1
    assert generate.karp_sipser_hard(n, 0).row_degrees.min() == 1


# permute -------------------------------------------------------------------------------------


def test_permute_renames_and_nothing_else():
    plain = generate.erdos_renyi(30, 20, 90)
    labels = [f"r{r}" for r in range(30)], np.arange(20) * 10
    graph = BipartiteGraph(
        plain.indptr, plain.indices, plain.shape, row_labels=labels[0], col_labels=labels[1]
    )
    before = edges(graph)
    other = generate.permute(graph, seed=1)
    assert edges(graph) == before
    assert edges(other) != before
    assert isinstance(other.col_labels, np.ndarray)
    names = {(int(other.row_labels[r][1:]), other.col_labels[c] // 10) for r, c in edges(other)}
    assert names == before
    assert sorted(other.row_labels) == sorted(graph.row_labels)
    assert maximum(other) == maximum(graph)


def test_permute_keeps_duplicates_and_takes_int64_and_empty():
    twice = BipartiteGraph([0, 2, 3], [1, 1, 0], (2, 2))
    assert sorted(generate.permute(twice).row_degrees.tolist()) == [1, 2]
    wide = BipartiteGraph._trusted(
        twice.indptr.astype(np.int64), twice.indices.astype(np.int64), (2, 2)
    )
    assert same(generate.permute(twice), generate.permute(wide))
    assert generate.permute(BipartiteGraph([0], [], (0, 0))).shape == (0, 0)
    assert generate.permute(BipartiteGraph([0, 0], [], (1, 0))).row_labels is None


def test_permute_hides_which_neighbour_was_first():
    # The first neighbours of a grid's rows are all different; after permuting they must not be.
    other = generate.permute(generate.grid(12, 12))
    first = other.indices[other.indptr[:-1]]
    assert len(set(first.tolist())) < 100


# The registry --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_kinds_describe_themselves(name):
    kind = KINDS[name]
    assert kind.name == name
    assert kind.summary.endswith(".")
    for parameter in kind.parameters:
        assert parameter.description.endswith(".")
        assert parameter.type
        if not parameter.required and parameter.default is None:
            assert "None" in parameter.type


def test_kinds_read_text():
    probabilities = KINDS["rmat"].from_text({"scale": "5", "probabilities": "0.25,0.25, 0.25,0.25"})
    assert same(probabilities, generate.rmat(5, probabilities=[0.25] * 4))
    paper = KINDS["rmat"].from_text({"scale": "5", "probabilities": "paper", "duplicates": "yes"})
    assert paper.nnz == 512
    assert KINDS["star"].from_text({"n": "1e2", "transpose": "true"}).shape == (100, 1)
    assert KINDS["geometric"].from_text({"n": "9", "radius": "none"}).n_rows == 9


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("grid", {"width": "2"}, "grid needs height"),
        ("grid", {"width": "2", "height": "2", "depth": "2"}, "no parameter 'depth'"),
        ("grid", {"width": "2", "height": "2.5"}, "height must be int, not '2.5'"),
        ("grid", {"width": "2", "height": "inf"}, "height must be int, not 'inf'"),
        ("star", {"n": "2", "transpose": "maybe"}, "transpose must be bool, not 'maybe'"),
        ("rmat", {"scale": "2", "probabilities": "mine"}, "probabilities .* not 'mine'"),
    ],
)
def test_kinds_refuse_bad_text(name, values, message):
    with pytest.raises(OptionError, match=message):
        KINDS[name].from_text(values)


# Errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: generate.rmat(-1), "scale .* not -1"),
        (lambda: generate.rmat(31), "scale must be from 0 to 30, not 31"),
        (lambda: generate.rmat(30, 10**6), "scale=30, edges_per_vertex=1000000 .* GiB"),
        (lambda: generate.rmat(5, 2.5), "edges_per_vertex .* not 2.5"),
        (lambda: generate.rmat(5, probabilities=(0.5, 0.5, 0.5, 0.5)), "sum to 1"),
        (lambda: generate.rmat(5, probabilities=(1.5, -0.5, 0, 0)), "probabilities .* not 1.5"),
        (lambda: generate.rmat(5, probabilities=(0.5, 0.5)), "four numbers"),
        (lambda: generate.rmat(5, probabilities=None), "four numbers .* not None"),
        (lambda: generate.rmat(5, seed=-3), "seed .* not -3"),
        (lambda: generate.rmat(5, seed="x"), "seed .* not 'x'"),
        (lambda: generate.erdos_renyi(5, 5), "one of n_edges and average_degree"),
        (lambda: generate.erdos_renyi(5, 5, 3, average_degree=2), "one of"),
        (lambda: generate.erdos_renyi(5, 5, 26), "n_edges must be from 0 to 25, not 26"),
        (lambda: generate.erdos_renyi(5, 5, average_degree=9), "average_degree .* not 9"),
        (lambda: generate.erdos_renyi(5, -5, 1), "n_cols .* not -5"),
        (lambda: generate.erdos_renyi(True, 5, 1), "n_rows .* not True"),
        (lambda: generate.power_law(5, 5, 2, 2), "exponent must be above 2"),
        (lambda: generate.power_law(5, 5, float("nan")), "average_degree .* not nan"),
        (lambda: generate.power_law(5, 5, 10**400), "average_degree must be a finite number"),
        (lambda: generate.delaunay(2**31), "n must be from 0 to"),
        (lambda: generate.delaunay(2**31 - 1), "n=2147483647 .* GiB"),
        (lambda: generate.random_geometric(10, -1), "radius .* not -1"),
        (lambda: generate.random_geometric(10**6, 1e200), "radius=1e.200 .* GiB"),
        (lambda: generate.mesh3(-1), "n .* not -1"),
        (lambda: generate.grid(10**5, 10**5), "width=100000, height=100000 .* vertices"),
        (lambda: generate.road(3, 3, drop=1.5), "drop must be from 0 to 1, not 1.5"),
        (lambda: generate.road(3, 3, subdivide=-1), "subdivide .* not -1"),
        (lambda: generate.hidden_perfect(10**6, 10**6), "n=1000000, extra=1000000 .* GiB"),
        (lambda: generate.chain(-1), "links .* not -1"),
        (lambda: generate.layered(2**30), "levels=1073741824 asks for 3,221,225,473 vertices"),
        (lambda: generate.star("7"), "n .* not '7'"),
        (lambda: generate.complete(10**6, 10**6), "n_rows=1000000, n_cols=1000000 .* GiB"),
        (lambda: generate.karp_sipser_hard(7), "n must be even, not 7"),
        (lambda: generate.karp_sipser_hard(8, 5), "t must be from 0 to 4, not 5"),
        (lambda: generate.permute(generate.star(2), seed=1.5), "seed .* not 1.5"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(OptionError, match=message):
        call()


def test_numpy_integers_are_fine():
    assert same(generate.star(np.int32(4)), generate.star(4))
    assert same(generate.rmat(np.int64(4), seed=np.uint64(7)), generate.rmat(4, seed=7))


def test_import_needs_no_compiler():
    code = "import sys, berge.generate; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
