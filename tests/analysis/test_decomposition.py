"""The Dulmage–Mendelsohn decomposition, entry by entry and against other definitions of it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

import berge
from berge import BipartiteGraph, generate
from berge.analysis.structure import Singularity
from berge.methods import registry

from ..conftest import COMPILED
from ..corpus import LARGE, SMALL

relaxed = settings(
    deadline=None,
    max_examples=150 if COMPILED else 30,
    suppress_health_check=[HealthCheck.too_slow],
)


# Oracles -------------------------------------------------------------------------------------


def dense(graph: BipartiteGraph) -> np.ndarray:
    """Which entries there are."""
    matrix = np.zeros(graph.shape, bool)
    matrix[np.repeat(np.arange(graph.n_rows), graph.row_degrees), graph.indices] = True
    return matrix


def rank(matrix: np.ndarray) -> int:
    """Structural rank by augmenting paths, one after the other, as in a textbook."""
    col_match: dict[int, int] = {}

    def augment(row: int, seen: set[int]) -> bool:
        for col in np.flatnonzero(matrix[row]).tolist():
            if col not in seen:
                seen.add(col)
                if col not in col_match or augment(col_match[col], seen):
                    col_match[col] = row
                    return True
        return False

    return sum(augment(row, set()) for row in range(matrix.shape[0]))


def coarse_parts(matrix: np.ndarray) -> tuple[list[set[int]], list[set[int]]]:
    """The parts by definition, without any matching.

    A row that can be missing without lowering the rank is overdetermined, as is a column with an
    entry in such a row; the same with sides exchanged is underdetermined.
    """
    n_rows, n_cols = matrix.shape
    full = rank(matrix)
    over = {i for i in range(n_rows) if rank(np.delete(matrix, i, 0)) == full}
    under = {j for j in range(n_cols) if rank(np.delete(matrix, j, 1)) == full}
    over_cols = set(np.flatnonzero(matrix[sorted(over)].any(axis=0)).tolist())
    under_rows = set(np.flatnonzero(matrix[:, sorted(under)].any(axis=1)).tolist())
    return (
        [under_rows, set(range(n_rows)) - under_rows - over, over],
        [under, set(range(n_cols)) - under - over_cols, over_cols],
    )


def fine_blocks(matrix: np.ndarray) -> set[tuple[frozenset[int], frozenset[int]]]:
    """Strong components of a square matrix with a perfect matching, both by scipy."""
    if not matrix.size:
        return set()
    pattern = sp.csr_array(matrix)
    cols = maximum_bipartite_matching(pattern, perm_type="column")
    assert (cols >= 0).all()
    _, label = connected_components(sp.csr_array(matrix[:, cols]), connection="strong")
    return {
        (frozenset(np.flatnonzero(label == b)), frozenset(cols[label == b]))
        for b in range(label.max() + 1)
    }


# Checks --------------------------------------------------------------------------------------


def parts_of(dm: berge.DulmageMendelsohn) -> tuple[list[set[int]], list[set[int]]]:
    parts = (dm.underdetermined, dm.square, dm.overdetermined)
    return [set(p.rows.tolist()) for p in parts], [set(p.cols.tolist()) for p in parts]


def blocks_of(dm: berge.DulmageMendelsohn) -> set[tuple[frozenset[int], frozenset[int]]]:
    return {(frozenset(b.rows.tolist()), frozenset(b.cols.tolist())) for b in dm.square_blocks}


def check(graph: BipartiteGraph, dm: berge.DulmageMendelsohn) -> None:
    """Every entry of the permuted matrix is where it may be, and the bounds say what they should.

    Linear, so that it serves for large graphs too.
    """
    n_rows, n_cols = graph.shape
    matching, matched = dm.matching, dm.structural_rank
    assert matching.certificate is not None
    berge.verify(graph, matching, matching.certificate)
    assert np.array_equal(np.sort(dm.row_order), np.arange(n_rows))
    assert np.array_equal(np.sort(dm.col_order), np.arange(n_cols))

    # Coarse bounds: five each, rising; sizes fit the matching.
    r, c = dm.row_bounds.tolist(), dm.col_bounds.tolist()
    for bounds, size in ((r, n_rows), (c, n_cols)):
        assert len(bounds) == 5
        assert bounds == sorted(bounds)
        assert bounds[0] == 0
        assert bounds[4] == size
    assert r[3] == matched
    assert n_cols - c[1] == matched
    assert r[1] == c[2] - c[1]
    assert r[2] - r[1] == c[3] - c[2]
    assert r[3] - r[2] == c[4] - c[3]
    assert (matching.col_match[dm.col_order[: c[1]]] == -1).all()
    assert (matching.row_match[dm.row_order[r[3] :]] == -1).all()
    assert (len(dm.underdetermined.rows) < len(dm.underdetermined.cols)) or c[2] == 0
    assert (len(dm.overdetermined.rows) > len(dm.overdetermined.cols)) or r[4] == r[2]

    # The matching is the diagonal of the three square blocks, which all are matched whole.
    assert np.array_equal(matching.row_match[dm.row_order[:matched]], dm.col_order[c[1] :])

    # Fine bounds: the coarse ones among them, all blocks between square.
    rows, cols = dm.row_blocks.tolist(), dm.col_blocks.tolist()
    assert len(rows) == len(cols)
    assert (rows[0], cols[0], rows[-1], cols[-1]) == (0, 0, n_rows, n_cols) or not rows[1:]
    first = int(c[2] > 0)
    last = first + dm.n_square_blocks
    assert (rows[first], cols[first], rows[last], cols[last]) == (r[1], c[2], r[2], c[3])
    assert len(rows) == 1 + last + (r[4] > r[2])
    sizes = np.diff(rows[first : last + 1])
    assert (sizes > 0).all()
    assert np.array_equal(sizes, np.diff(cols[first : last + 1]))
    assert len(dm.square_blocks) == dm.n_square_blocks

    # Block upper triangular: no entry is in a column block before its row block.
    row_block, col_block = np.empty(n_rows, int), np.empty(n_cols, int)
    row_block[dm.row_order] = np.searchsorted(rows, np.arange(n_rows), side="right")
    col_block[dm.col_order] = np.searchsorted(cols, np.arange(n_cols), side="right")
    assert (np.repeat(row_block, graph.row_degrees) <= col_block[graph.indices]).all()


def check_blocks_are_strong(graph: BipartiteGraph, dm: berge.DulmageMendelsohn) -> None:
    """Within the square part the blocks are the strong components, by scipy; linear."""
    square = dm.square
    matrix = sp.csr_array(graph.to_scipy())[square.rows][:, square.cols]
    count, label = connected_components(matrix, connection="strong")
    assert count == dm.n_square_blocks or not square.rows.size
    bounds = dm.row_blocks - dm.row_bounds[1]
    for begin, end in pairwise(bounds[(bounds >= 0) & (bounds <= square.rows.size)].tolist()):
        assert (label[begin:end] == label[begin : begin + 1]).all()


def check_small(graph: BipartiteGraph, dm: berge.DulmageMendelsohn) -> None:
    """As `check`, and all of it in the dense matrix, against the definitions."""
    check(graph, dm)
    matrix = dense(graph)
    permuted = matrix[dm.row_order][:, dm.col_order]
    r, c = dm.row_bounds, dm.col_bounds
    for b, (row, col) in enumerate(zip(dm.row_blocks[1:], dm.col_blocks[1:], strict=True)):
        assert not permuted[row:, :col].any(), f"below block {b}"
    assert not permuted[r[1] :, : c[2]].any()
    assert not permuted[r[2] :, : c[3]].any()
    assert permuted[: r[1], c[1] : c[2]].diagonal().all()
    assert permuted[r[1] : r[2], c[2] : c[3]].diagonal().all()
    assert permuted[r[2] : r[3], c[3] :].diagonal().all()
    assert rank(matrix) == dm.structural_rank
    rows, cols = coarse_parts(matrix)
    assert parts_of(dm) == (rows, cols)
    at = np.ix_(sorted(rows[1]), sorted(cols[1]))
    there = {
        (frozenset(sorted(rows[1])[i] for i in a), frozenset(sorted(cols[1])[j] for j in b))
        for a, b in fine_blocks(matrix[at])
    }
    assert blocks_of(dm) == there


def random_graphs(count: int, largest: int = 11, seed: int = 0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        shape = rng.integers(0, largest, 2)
        yield berge.as_bipartite(rng.random(shape) < rng.choice([0.1, 0.2, 0.3, 0.6]))


@st.composite
def graphs(draw):
    """Small graphs with repeats, in any order."""
    n_rows, n_cols = draw(st.integers(0, 8)), draw(st.integers(0, 8))
    cells = st.tuples(st.integers(0, max(n_rows - 1, 0)), st.integers(0, max(n_cols - 1, 0)))
    edges = draw(st.lists(cells, max_size=30)) if n_rows and n_cols else []
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    return BipartiteGraph.from_edges(pairs[:, 0], pairs[:, 1], (n_rows, n_cols))


# Small matrices ------------------------------------------------------------------------------


@pytest.mark.kernels
def test_random_matrices():
    for graph in random_graphs(400 if COMPILED else 100):
        check_small(graph, berge.dulmage_mendelsohn(graph))


@pytest.mark.kernels
@relaxed
@given(graph=graphs())
def test_any_small_matrix(graph):
    check_small(graph, berge.dulmage_mendelsohn(graph))


@pytest.mark.kernels
@pytest.mark.parametrize("name", SMALL)
def test_small_corpus(name):
    graph = SMALL[name][0]()
    dm = berge.dulmage_mendelsohn(graph)
    check(graph, dm)
    check_blocks_are_strong(graph, dm)


@pytest.mark.kernels
def test_irreducible_blocks_on_a_diagonal():
    """Cycles of known lengths, coupled upwards and shuffled: the blocks come out again."""
    rng = np.random.default_rng(5)
    sizes = [1, 4, 1, 2, 7, 3, 1]
    bounds = np.cumsum([0, *sizes])
    n = int(bounds[-1])
    matrix = np.zeros((n, n), bool)
    for begin, end in pairwise(bounds):
        members = np.arange(begin, end)
        matrix[members, members] = matrix[members, np.roll(members, 1)] = True
        matrix[begin:end, end:] = rng.random((end - begin, n - end)) < 0.2
    rows, cols = rng.permutation(n), rng.permutation(n)
    dm = berge.dulmage_mendelsohn(matrix[rows][:, cols])
    assert sorted(len(b.rows) for b in dm.square_blocks) == sorted(sizes)
    check_small(berge.as_bipartite(matrix[rows][:, cols]), dm)


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("matrix", "parts", "blocks"),
    [
        (np.zeros((0, 0)), "under 0 × 0, square 0 × 0 in 0 blocks, over 0 × 0", ([0], [0])),
        (np.zeros((0, 3)), "under 0 × 3, square 0 × 0 in 0 blocks, over 0 × 0", ([0, 0], [0, 3])),
        (np.zeros((3, 0)), "under 0 × 0, square 0 × 0 in 0 blocks, over 3 × 0", ([0, 3], [0, 0])),
        (np.zeros((2, 3)), "under 0 × 3, square 0 × 0 in 0 blocks, over 2 × 0",
         ([0, 0, 2], [0, 3, 3])),
        (np.eye(1), "under 0 × 0, square 1 × 1 in 1 block, over 0 × 0", ([0, 1], [0, 1])),
        (np.ones((2, 2)), "under 0 × 0, square 2 × 2 in 1 block, over 0 × 0", ([0, 2], [0, 2])),
        (np.ones((2, 3)), "under 2 × 3, square 0 × 0 in 0 blocks, over 0 × 0", ([0, 2], [0, 3])),
        (np.ones((3, 2)), "under 0 × 0, square 0 × 0 in 0 blocks, over 3 × 2", ([0, 3], [0, 2])),
        (np.diag([1, 0, 1]), "under 0 × 1, square 2 × 2 in 2 blocks, over 1 × 0",
         ([0, 0, 1, 2, 3], [0, 1, 2, 3, 3])),
    ],
)  # fmt: skip
def test_corner_cases(matrix, parts, blocks):
    dm = berge.dulmage_mendelsohn(matrix)
    assert repr(dm) == f"DulmageMendelsohn({parts})"
    assert (dm.row_blocks.tolist(), dm.col_blocks.tolist()) == blocks
    check_small(berge.as_bipartite(matrix), dm)


@pytest.mark.kernels
def test_repeated_entries_change_nothing():
    for graph in random_graphs(40, seed=1):
        twice = BipartiteGraph(graph.indptr * 3, np.repeat(graph.indices, 3), graph.shape)
        dm = berge.dulmage_mendelsohn(twice)
        check(twice, dm)
        assert parts_of(dm) == parts_of(berge.dulmage_mendelsohn(graph))
        assert blocks_of(dm) == blocks_of(berge.dulmage_mendelsohn(graph))


@pytest.mark.kernels
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_64_bit_indices(index):
    """Pointers of 64 bits, with indices of 32 (many edges) and of 64 (many vertices)."""
    for graph in random_graphs(40, seed=2):
        wide = BipartiteGraph._trusted(
            graph.indptr.astype(np.int64), graph.indices.astype(index), graph.shape
        )
        dm = berge.dulmage_mendelsohn(wide)
        assert dm.matching.row_match.dtype == index
        check_small(graph, dm)
        narrow = berge.dulmage_mendelsohn(graph)
        assert np.array_equal(dm.row_order, narrow.row_order)
        # A matching of the other width is as good.
        check(graph, berge.dulmage_mendelsohn(graph, matching=dm.matching))


# The same parts from any matching ------------------------------------------------------------


@pytest.mark.kernels
def test_parts_do_not_depend_on_the_matching():
    algorithms = [a.name for a in registry.variants("exact")]
    starts = [a.name for a in berge.algorithms("start")]
    rng = np.random.default_rng(3)
    for graph in random_graphs(30 if COMPILED else 6, largest=15, seed=3):
        expected = berge.dulmage_mendelsohn(graph)
        for algorithm in algorithms:
            options = {"init": str(rng.choice(starts)), "seed": int(rng.integers(99))}
            options["side"] = str(rng.choice(["rows", "cols"]))
            options["threads"] = int(rng.integers(1, 4))
            dm = berge.dulmage_mendelsohn(graph, algorithm=algorithm, **options)
            matching = berge.maximum_matching(graph, algorithm=algorithm, **options)
            given_one = berge.dulmage_mendelsohn(graph, matching=matching)
            assert given_one.matching is matching
            for other in (dm, given_one):
                check(graph, other)
                assert parts_of(other) == parts_of(expected)
                assert blocks_of(other) == blocks_of(expected)


@pytest.mark.kernels
@relaxed
@given(graph=graphs(), random=st.randoms(use_true_random=False))
def test_parts_move_with_rows_and_columns(graph, random):
    rows, cols = list(range(graph.n_rows)), list(range(graph.n_cols))
    random.shuffle(rows)
    random.shuffle(cols)
    moved = berge.dulmage_mendelsohn(dense(graph)[rows][:, cols])
    here = berge.dulmage_mendelsohn(graph)
    row_parts, col_parts = parts_of(moved)
    assert parts_of(here) == (
        [{rows[i] for i in part} for part in row_parts],
        [{cols[j] for j in part} for part in col_parts],
    )
    assert blocks_of(here) == {
        (frozenset(rows[i] for i in a), frozenset(cols[j] for j in b)) for a, b in blocks_of(moved)
    }


@pytest.mark.kernels
def test_transposed_parts_change_places():
    for graph in random_graphs(60, seed=4):
        rows, cols = parts_of(berge.dulmage_mendelsohn(graph))
        assert parts_of(berge.dulmage_mendelsohn(graph.T)) == (cols[::-1], rows[::-1])


def test_same_matrix_gives_the_same_permutations():
    graph = generate.permute(generate.power_law(3000, 2500, 3))
    one, other = berge.dulmage_mendelsohn(graph), berge.dulmage_mendelsohn(graph)
    assert np.array_equal(one.row_order, other.row_order)
    assert np.array_equal(one.col_order, other.col_order)


# Large matrices ------------------------------------------------------------------------------


@pytest.mark.skipif(not COMPILED, reason="too slow without the compiler")
@pytest.mark.parametrize("name", LARGE)
def test_large_corpus(name):
    graph = LARGE[name][0]()
    dm = berge.dulmage_mendelsohn(graph)
    check(graph, dm)
    check_blocks_are_strong(graph, dm)
    other = berge.dulmage_mendelsohn(graph, algorithm="pothen-fan", init="karp-sipser")
    assert parts_of(other) == parts_of(dm)
    assert np.array_equal(np.sort(np.diff(other.row_blocks)), np.sort(np.diff(dm.row_blocks)))


@pytest.mark.skipif(not COMPILED, reason="too slow without the compiler")
def test_long_chains():
    """A hundred thousand blocks in a row, one block as long, and one search as deep."""
    n = 100_000
    ring = BipartiteGraph.from_edges(
        np.repeat(np.arange(n), 2), (np.arange(2 * n) + 1) // 2 % n, (n, n)
    )
    for graph, blocks in ((generate.chain(n), n), (ring, 1)):
        for turned in (graph, graph.T, generate.permute(graph)):
            dm = berge.dulmage_mendelsohn(turned)
            assert dm.n_square_blocks == blocks
            check(turned, dm)
    # A path that is longer by a column, and by a row: all of it lies on one alternating path.
    path = BipartiteGraph.from_edges(
        np.repeat(np.arange(n), 2), (np.arange(2 * n) + 1) // 2, (n, n + 1)
    )
    assert len(berge.dulmage_mendelsohn(path).underdetermined.rows) == n
    assert len(berge.dulmage_mendelsohn(path.T).overdetermined.cols) == n


@pytest.mark.skipif(not COMPILED, reason="too slow without the compiler")
def test_how_the_matching_is_found_unless_told():
    for graph in (generate.grid(20, 20), generate.complete(5, 9)):
        stats = berge.dulmage_mendelsohn(graph).matching.stats
        assert (stats.algorithm, stats.init, stats.threads) == ("mixed", "cheap", 1)
        assert not {"push", "transpose"} & stats.seconds.keys()
    tall = berge.dulmage_mendelsohn(generate.complete(9, 5)).matching.stats
    assert "transpose" in tall.seconds


# Other forms of it ---------------------------------------------------------------------------


@pytest.mark.kernels
def test_block_triangular_form_and_dmperm_say_the_same():
    for graph in random_graphs(30, seed=6):
        dm = berge.dulmage_mendelsohn(graph)
        btf, perm = berge.block_triangular_form(graph), berge.dmperm(graph)
        for mine, theirs in (
            (btf.row_order, dm.row_order), (btf.col_order, dm.col_order),
            (btf.row_blocks, dm.row_blocks), (btf.col_blocks, dm.col_blocks),
            (perm.p, dm.row_order), (perm.q, dm.col_order), (perm.r, dm.row_blocks),
            (perm.s, dm.col_blocks), (perm.rr, dm.row_bounds), (perm.cc, dm.col_bounds),
        ):  # fmt: skip
            assert np.array_equal(mine, theirs)


@pytest.mark.kernels
def test_rank_and_transversal():
    for graph in random_graphs(60, seed=7):
        matrix = dense(graph)
        assert berge.structural_rank(graph) == rank(matrix)
        cols = berge.maximum_transversal(graph)
        rows = np.flatnonzero(cols >= 0)
        assert matrix[rows, cols[rows]].all()
        assert np.unique(cols[rows]).size == rows.size == rank(matrix)


def check_singularity(graph: BipartiteGraph, found: Singularity) -> None:
    """A Hall violator: its neighbours, counted here anew, are fewer."""
    matrix = dense(graph)
    assert bool(found) == (rank(matrix) < min(graph.shape))
    if not found:
        assert found.side is None
        assert found.vertices.size == found.neighbours.size == 0
        return
    if found.side == "columns":
        matrix = matrix.T
    assert len(set(found.vertices.tolist())) == found.vertices.size
    neighbours = {int(j) for i in found.vertices for j in np.flatnonzero(matrix[i])}
    assert sorted(neighbours) == sorted(found.neighbours.tolist())
    assert len(neighbours) < found.vertices.size
    # It tells all that is missing, not only that something is.
    assert found.vertices.size - len(neighbours) == matrix.shape[0] - rank(matrix)


@pytest.mark.kernels
def test_singularity_is_a_hall_violator():
    seen = set()
    for graph in random_graphs(300 if COMPILED else 100, seed=8):
        found = berge.is_structurally_singular(graph)
        check_singularity(graph, found)
        seen.add(found.side)
    assert seen == {None, "rows", "columns"}


@pytest.mark.kernels
@relaxed
@given(graph=graphs())
def test_singularity_of_any_small_matrix(graph):
    check_singularity(graph, berge.is_structurally_singular(graph))


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        ([[1, 0], [0, 1]], "not structurally singular: the smaller side can be matched whole"),
        ([[1, 1], [0, 0]], "1 row has no entry"),
        ([[1, 0, 0], [1, 0, 0], [1, 1, 1]], "2 rows have entries in only 1 column"),
        ([[0, 0], [0, 0], [0, 0]], "2 columns have no entry"),
        ([[1, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]], "2 columns have entries in only 1 row"),
    ],
)
def test_reasons(matrix, reason):
    assert berge.is_structurally_singular(np.array(matrix)).reason == reason


# Errors --------------------------------------------------------------------------------------


class TestErrors:
    graph = berge.as_bipartite(np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]]))

    def rejected(self, matching, message):
        with pytest.raises(berge.InvalidMatchingError, match=message):
            berge.dulmage_mendelsohn(self.graph, matching=matching)

    def test_not_maximum(self):
        some = berge.Matching([0, -1, 2], [0, -1, 2], upper_bound=3)
        self.rejected(some, "not a maximum one of the graph: not maximum")
        claimed = berge.Matching([0, -1, 2], [0, -1, 2], upper_bound=2)
        self.rejected(claimed, "not maximum")

    def test_of_another_graph(self):
        self.rejected(berge.maximum_matching(np.eye(2)), "2 × 2")
        self.rejected(berge.maximum_matching(np.eye(3)[[2, 0, 1]]), "not a neighbour")

    def test_contradicts_itself(self):
        self.rejected(berge.Matching([1, 0, 2], [0, 1, 2], upper_bound=3), "row 0 is matched")
        self.rejected(berge.Matching([1, 0, 7], [1, 0, 2], upper_bound=3), "out of range")

    def test_not_a_matching(self):
        self.rejected([1, 0, 2], "matching must be a Matching, not list")

    def test_options_beside_a_matching(self):
        matching = berge.maximum_matching(self.graph)
        with pytest.raises(berge.OptionError, match="seed, init: options"):
            berge.dulmage_mendelsohn(self.graph, matching=matching, seed=1, init="cheap")

    @pytest.mark.parametrize(
        "function",
        [
            berge.dulmage_mendelsohn,
            berge.block_triangular_form,
            berge.dmperm,
            berge.structural_rank,
            berge.maximum_transversal,
            berge.is_structurally_singular,
        ],
    )
    def test_stopped_by_the_time_limit(self, function):
        graph = generate.permute(generate.mesh3(2000))
        with pytest.raises(berge.ProofError, match="before the matching was maximum: time limit"):
            function(graph, time_limit=0)

    def test_wrong_options_and_graphs(self):
        with pytest.raises(berge.OptionError, match="no-such"):
            berge.structural_rank(self.graph, algorithm="no-such")
        with pytest.raises(berge.InvalidGraphError):
            berge.dulmage_mendelsohn(np.ones(3))
