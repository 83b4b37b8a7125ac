"""`berge.assign`: every source, every mode, and what is said where something is wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from numpy.random import default_rng
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array, csr_array

import berge
from berge import FormatError, InvalidGraphError, InvalidMatchingError, OptionError, ProofError

from ..conftest import COMPILED
from ..fuzz import assignments

COSTS = [[4, 1, 3], [2, 0, 5], [3, 2, 2]]  # scipy: 5
TRIPLES = [(i, j, COSTS[i][j]) for i in range(3) for j in range(3)]
ROWS, COLS, WEIGHTS = map(list, zip(*TRIPLES, strict=True))
KINDS = ("int8", "int32", "int64", "uint16", "float32", "float64", "bool")


def test_small_cases_of_every_kind():
    assert sum(map(assignments.solve, range(300 if COMPILED else 40))) > 0


def test_small_cases_side_by_side():
    assert sum(map(assignments.solve_many, range(60 if COMPILED else 2))) > 0


def frames():
    import pandas
    import polars
    import pyarrow

    columns = {"who": ROWS, "what": COLS, "score": WEIGHTS}
    return [pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)]


def sources():
    graph = nx.Graph()
    graph.add_nodes_from(range(3), bipartite=0)
    for i, j, w in TRIPLES:
        graph.add_edge(i, f"c{j}", weight=w)
    dense = np.array(COSTS)
    shape = (3, 3)
    coo = coo_array((WEIGHTS, (ROWS, COLS)), shape=shape)  # keeps the zero
    return {
        "list": COSTS,
        "dense": dense,
        "masked": np.ma.MaskedArray(dense, mask=[[0, 0, 0], [0, 1, 0], [0, 0, 0]]),
        "coo": coo,
        "csr": coo.tocsr(),
        "csc": coo.tocsc(),
        "arrays": (ROWS, COLS, WEIGHTS),
        "with shape": (np.array(ROWS), np.array(COLS), np.array(WEIGHTS), shape),
        "triples": [(f"r{i}", f"c{j}", w) for i, j, w in TRIPLES],
        "mapping": {i: {j: COSTS[i][j] for j in range(3)} for i in range(3)},
        "networkx": graph,
        **dict(zip(("pandas", "polars", "pyarrow"), frames(), strict=True)),
    }


@pytest.mark.parametrize("source", sources().values(), ids=sources())
def test_sources(source):
    plan = berge.assign(source)
    assert plan.total == 5
    assert plan.prove().is_exact
    assert plan.prove(source).best == 5
    assert berge.assign(source, objective="max").total == 11


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("match", ["full", "maximum", "any"])
@pytest.mark.parametrize("objective", ["min", "max"])
def test_types_of_weights(kind, match, objective):
    dense = default_rng(1).integers(0, 2 if kind == "bool" else 9, (6, 9)).astype(kind)
    plan = berge.assign(dense, objective=objective, match=match, unmatched_cost=(7, None))
    rows, cols = linear_sum_assignment(dense.astype(float), maximize=objective == "max")
    assert plan.total == dense[rows, cols].sum(dtype=float)  # leaving a row costs too much
    assert isinstance(plan.total, int if np.dtype(kind).kind in "iub" else float)
    assert plan.prove(dense).is_exact


def test_weights_apart():
    graph = berge.BipartiteGraph([0, 2, 3], [0, 1, 0], (2, 2))
    assert berge.assign(graph, [5, 1, 2]).total == 3
    assert berge.assign((ROWS, COLS), WEIGHTS).total == 5
    assert berge.assign((ROWS, COLS, (3, 3)), WEIGHTS).total == 5
    ones = csr_array(np.ones((3, 3)))
    assert berge.assign(ones, WEIGHTS).total == 5


def test_files(tmp_path: Path):
    lines = [f"{i + 1} {j + 1} {w}" for i, j, w in TRIPLES]
    mtx = tmp_path / "a.mtx"
    head = "%%MatrixMarket matrix coordinate integer general\n3 3 9\n"
    mtx.write_text(head + "\n".join(lines) + "\n")
    csv = tmp_path / "a.csv"
    csv.write_text("\n".join(f"{i},{j},{-w}" for i, j, w in TRIPLES) + "\n")
    npz = tmp_path / "a.npz"
    from scipy.sparse import save_npz

    save_npz(npz, coo_array((WEIGHTS, (ROWS, COLS))).tocsc())
    assert berge.assign(mtx).total == berge.assign(npz).total == 5
    assert berge.assign(csv, objective="max").total == -5
    assert isinstance(berge.assign(csv, objective="max").total, int)
    skew = tmp_path / "s.mtx"
    skew.write_text("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1.5\n")
    assert berge.assign(skew).pair_weights.tolist() == [-1.5, 1.5]
    csv.write_text("0,0,nan\n")
    with pytest.raises(FormatError, match=r"line 1.*nan"):
        berge.assign(csv)
    pattern = tmp_path / "p.mtx"
    pattern.write_text("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n")
    with pytest.raises(FormatError, match="pattern"):
        berge.assign(pattern)


def test_what_is_forbidden():
    inf = math.inf
    assert berge.assign([[1.0, inf], [inf, 1.0]]).total == 2
    assert berge.assign([[1.0, -inf], [-inf, 1.0]], objective="max").total == 2
    with pytest.raises(InvalidGraphError, match="row 0 and column 1 is -inf"):
        berge.assign([[1.0, -inf], [2.0, 1.0]])
    assert berge.assign([[0.0, 2.0], [3.0, 5.0]], objective="product").total == 6


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: berge.assign([[1.0, math.nan]]), InvalidGraphError, "row 0 and column 1"),
        (lambda: berge.assign([("a", "b", math.nan)]), InvalidGraphError, "'a' and 'b'"),
        (lambda: berge.assign((ROWS, COLS), WEIGHTS[:-1]), InvalidGraphError, "9 edges.*are 8"),
        (lambda: berge.assign((ROWS, COLS)), InvalidGraphError, "no weights"),
        (lambda: berge.assign([[2**61, 1], [1, 2]]), InvalidGraphError, "2\\^62"),
        (lambda: berge.assign([[2**70]]), InvalidGraphError, "64 bits"),
        (lambda: berge.assign([["x"]]), InvalidGraphError, "must be numbers"),
        (lambda: berge.assign([[1j]]), InvalidGraphError, "complex"),
        (lambda: berge.assign(COSTS, objective="best"), OptionError, "objective"),
        (lambda: berge.assign(COSTS, match="most"), OptionError, "match"),
        (lambda: berge.assign(COSTS, algorithm="magic"), OptionError, "magic"),
        (
            lambda: berge.assign([[2**54, 1]], match="any", unmatched_cost=0.5),
            OptionError,
            r"whole.*2\^53",
        ),
        (lambda: berge.assign(COSTS, unmatched_cost=(1, 2, 3)), OptionError, "left, right"),
        (lambda: berge.assign(COSTS, unmatched_cost=([1, 2], 0)), OptionError, "each of 3"),
        (lambda: berge.assign(COSTS, capacity_left=-1), OptionError, "capacity_left of 0 is -1"),
        (lambda: berge.assign(COSTS, at_least_left=2), OptionError, "from 0 to the capacity"),
        (lambda: berge.assign(COSTS, capacity_right={7: 2}), OptionError, "names 7"),
        (lambda: berge.assign(COSTS, left="who"), OptionError, "frame"),
        (lambda: berge.assign(COSTS, time_limit=-1), OptionError, "time_limit"),
        (lambda: berge.assign(COSTS, weights=False), OptionError, "weights=False"),
        (lambda: berge.assign([(1, 2)]), InvalidGraphError, "edge 0"),
        (lambda: berge.assign({"a": ["b"]}), InvalidGraphError, "'a'"),
        (lambda: berge.assign(COSTS, initial=[1, 2]), InvalidMatchingError, "3 columns"),
        (lambda: berge.assign(COSTS, initial=([0], [1, 2, 3])), InvalidMatchingError, "of 3 rows"),
        (lambda: berge.assign([[1], [1, 2]]), InvalidGraphError, "one length"),
    ],
)
def test_errors_name_the_place(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_full_that_cannot_be():
    wishes = {"ann": {"cook": 1}, "bob": {"cook": 2}, "cid": {"cook": 1, "drive": 1, "sew": 3}}
    with pytest.raises(InvalidGraphError, match="ann and bob want only cook: 2 for 1"):
        berge.assign(wishes)
    turned = [(j, i, w) for i, choices in wishes.items() for j, w in choices.items()]
    with pytest.raises(InvalidGraphError, match="drive and sew want only cid"):
        berge.assign(turned)
    with pytest.raises(InvalidGraphError, match="wanted only by cid: 2 for 1"):
        berge.assign(wishes, match="any", at_least_right={"drive": 1, "sew": 1})
    assert berge.assign(wishes, match="maximum").total == 2
    numbers = np.array([0, 1, 2, 2]), np.array([0, 0, 0, 1]), np.ones(4)
    with pytest.raises(InvalidGraphError, match="rows 0 and 1 are joined only to column 0: 2 for"):
        berge.assign(numbers, match="any", at_least_left=[1, 1, 0])


def test_nothing_is_said_aloud():
    with pytest.warns(RuntimeWarning, match="unmatched_cost"):
        assert berge.assign(COSTS, match="any").size == 0
    assert berge.assign(COSTS, match="any", unmatched_cost=(3, None)).total == 5


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
@pytest.mark.parametrize("match", ["full", "maximum", "any"])
@pytest.mark.parametrize("objective", ["min", "product"])
def test_empty_sides(shape, match, objective):
    plan = berge.assign(np.zeros(shape), match=match, objective=objective)
    assert plan.size == 0
    assert plan.prove().is_exact
    assert berge.assign(csr_array((2, 3)), match="maximum").size == 0


def test_warm_start():
    dense = default_rng(0).integers(0, 100, (40, 50))
    plan = berge.assign(dense)
    dense[3] += 7
    again = berge.assign(dense, initial=plan)
    assert again.total == berge.assign(dense).total == again.prove(dense).best
    assert berge.assign(dense, initial=np.full(50, 1e9)).total == again.total


@pytest.mark.parametrize("objective", ["min", "max", "product"])
@pytest.mark.parametrize("algorithm", ["auto", "cost-scaling", "capacity-paths"])
def test_warm_start_from_pairs_and_prices(objective, algorithm):
    """What is still right is kept; nonsense does no harm."""
    dense = default_rng(0).integers(1, 100, (40, 50))
    plan = berge.assign(dense, objective=objective)
    nonsense = default_rng(1).integers(-1, 60, 40), plan.col_prices
    for first in (plan, (plan.row_match, plan.col_prices), nonsense):
        again = berge.assign(dense, objective=objective, algorithm=algorithm, initial=first)
        assert again.total == pytest.approx(plan.total, rel=1e-12)
        again.prove(dense)
        if first is not nonsense and algorithm == "auto" and objective != "product":
            assert again.pairs().tolist() == plan.pairs().tolist()
            assert again.stats.bids == again.stats.searches == 0


@pytest.mark.parametrize("several", [1, 2])
def test_progress(several):
    """Who watches is told how many have a pair, of how many."""
    seen: list[berge.PhaseReport] = []
    dense = default_rng(0).random((30, 40))
    berge.assign(dense, capacity_left=several, on_phase=seen.append)
    assert {report.upper_bound for report in seen} == {30 * several if several == 1 else 40}
    assert seen[-1].cardinality == seen[-1].upper_bound
    assert all(0 <= report.cardinality <= report.upper_bound for report in seen)


def test_stopped_says_so():
    dense = default_rng(0).random((300, 300))
    plan = berge.assign(dense, time_limit=0)
    assert plan.stopped == "time limit"
    assert not plan.is_optimal
    assert not plan.is_complete
    assert plan.bound <= berge.assign(dense).total
    assert "not the best: time limit" in repr(plan)


def test_numbers_by_label_of_pandas():
    """A Series has labels: its order does not matter."""
    import pandas

    frame = pandas.DataFrame(
        [(f"r{i}", f"c{j}", w) for i, j, w in TRIPLES], columns=["row", "col", "cost"]
    )
    places = pandas.Series({"c2": 1, "c1": 3, "c0": 0})
    assert set(berge.assign(frame, "cost", capacity_right=places).as_dict().values()) <= {
        "c1",
        "c2",
    }
    assert berge.assign(frame, "cost", capacity_right=places[["c1"]]).size == 3
    with pytest.raises(OptionError, match="names one twice"):
        berge.assign(frame, "cost", capacity_right=pandas.Series([1, 2], index=["c1", "c1"]))
    wide = pandas.DataFrame(COSTS, index=["ann", "bob", "cid"], columns=["cook", "drive", "sew"])
    with pytest.raises(InvalidGraphError, match="index has labels"):
        berge.assign(wide)


def test_price_of_leaving_that_is_no_integer():
    plan = berge.assign(COSTS, match="any", unmatched_cost=(1.5, None))
    assert plan.total == 3.0
    assert plan.prove(COSTS).is_exact


@pytest.mark.parametrize("weight", [1e300, 1e-300])
def test_products_beyond_floats(weight):
    plan = berge.assign(np.full((40, 40), weight), objective="product")
    size = math.log10(weight) * 40
    assert float(plan.total.log10()) == pytest.approx(size)
    proof = plan.prove()
    assert min(proof.best, proof.worst) <= plan.total <= max(proof.best, proof.worst)
    assert f"e{size:+.0f}" in repr(plan)


def test_capacities_that_come_to_one_each():
    """What is left once the pairs are chosen that all largest choices have may have one unit."""
    plan = berge.assign(([0], [2], [0.5], (1, 3)), match="maximum", capacity_left=2,
                        capacity_right=[1, 1, 2])  # fmt: skip
    assert plan.pairs().tolist() == [[0, 2]]
    plan.prove()


def test_nothing_seems_to_gain_by_rounding():
    """Huge weights of vertices without a unit, and prices of leaving several units."""
    huge = [[-7e91, 6e204], [5e-194, 1e10]]
    plan = berge.assign(huge, objective="max", capacity_left=2, capacity_right=0,
                        unmatched_cost=(4e-109, None))  # fmt: skip
    plan.prove()
    links = ([0, 0, 3, 0, 2], [0, 1, 2, 2, 1], [0.0, 0.2, 0.2, 0.4, 0.1], (4, 4))
    plan = berge.assign(links, objective="max", match="maximum", capacity_left=[3, 1, 2, 1],
                        capacity_right=3, unmatched_cost=(None, 0.1))  # fmt: skip
    proof = plan.prove()
    assert min(proof.best, proof.worst) <= plan.total <= max(proof.best, proof.worst)


def test_bottleneck():
    dense = default_rng(3).integers(0, 30, (7, 9))
    plan = berge.assign(dense, objective="bottleneck")
    best = max(
        t for t in range(30)
        if berge.maximum_matching((dense >= t).astype(int)).cardinality == 7
    )  # fmt: skip
    assert plan.total == plan.prove(dense).best == best
    with pytest.raises(OptionError, match="needs match"):
        berge.assign(dense, objective="bottleneck", match="any")
    with pytest.raises(OptionError, match="one pair a vertex"):
        berge.assign(dense, objective="bottleneck", capacity_left=2)


def test_a_plan_that_says_what_is_not_so():
    """Each of these was proved to be the best."""
    costs = [[4, 1, 9], [2, 3, 9]]

    def forged(source, **changes):
        plan = berge.assign(source)
        for name, value in changes.items():
            setattr(plan, name, value)
        return plan

    wrong = {
        "out of range": forged(costs, rows=np.array([0, 0]), cols=np.array([1, 3])),  # row 1's
        "says": forged(costs, total=10**9),
        "twice": forged(costs, rows=np.zeros(2, int), cols=np.zeros(2, int),
                        pair_weights=np.array([4, 4])),
        "not 2": forged(costs, cols=np.array([1, 0, 0])),
    }  # fmt: skip
    for message, plan in wrong.items():
        with pytest.raises(ProofError, match=message):
            plan.prove()


def test_prices_as_large_as_a_forger_likes_prove_nothing_more():
    """What may be missing was a share of the prices too."""
    costs = np.array([[4.0, 1.0], [2.0, 3.5]])
    plan = berge.assign(costs)
    plan.cols, plan.pair_weights = np.array([0, 1]), np.array([4.0, 3.5])  # not the best
    far = 2.0**45
    plan.row_side = plan.row_side._replace(prices=plan.row_side.prices + far)
    plan.col_side = plan.col_side._replace(prices=plan.col_side.prices - far)
    with pytest.raises(ProofError, match="leave room"):
        plan.prove(costs)


@pytest.mark.parametrize("side", [{"capacity": [2, 0]}, {"least": [0, 1]}, {"leave": [0, 3]}])
def test_a_bottleneck_is_for_one_pair_a_vertex(side):
    plan = berge.assign([[4, 1], [2, 3]], objective="bottleneck", match="maximum")
    plan.row_side = plan.row_side._replace(**{name: np.array(x) for name, x in side.items()})
    with pytest.raises(ProofError, match="one pair a vertex"):
        plan.prove()


def test_rows_that_are_others_when_they_are_read_again():
    """Weights were put in the order of the second look: fewer of them than edges."""
    rows = np.array([2, 1, 0, 0])

    class Other:
        looks = 0

        def __array__(self, *_, **__):
            self.looks += 1
            return rows if self.looks == 1 else rows[:2]

        def __len__(self):
            return 4

    plan = berge.assign((Other(), [0, 1, 2, 1], [1, 2, 3, 9]))
    assert plan.total == 6
    assert plan.weights.size == plan.graph.nnz


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("objective", value) for value in ([], {}, 1, "least")),
        *(("match", value) for value in (["full"], None)),
        *(("pair_weights", value) for value in (["a", "b"], [None, 1], [2**64, 1], [True, 1], 5)),
        *(("row_leave", value) for value in ([True, False], ["1", "2"], "12", {"1": 1, "2": 2})),
        *(("row_prices", value) for value in ([2**64, 1], [[1], [2]], None)),
        *(("rows", value) for value in ([0.0, 1.0], [-1, 0], [0, 2])),
    ],
)
def test_damaged_json(tmp_path, name, value):
    path = tmp_path / "plan.json"
    berge.assign([[4, 1], [2, 3]]).save(path)
    content = json.loads(path.read_text())
    content["proof"][name] = value
    path.write_text(json.dumps(content))
    with pytest.raises(FormatError, match=r"plan\.json"):
        berge.Assignment.load(path)
