"""Pairs between two lists in parts: labels, the matching, the prices that bound it, and tables."""

from __future__ import annotations

import os

import numpy as np
import pytest

import berge
from berge.distributed.communicator import run_threads
from berge.distributed.greedy import check_prices, greedy_part
from berge.distributed.part import Part
from berge.distributed.session import Session
from berge.distributed.sources import read_pairs, table_names
from berge.distributed.two_lists import Names, part_of_tables
from berge.errors import InvalidGraphError, OptionError, ProofError
from berge.ingest.two_lists import as_two_lists

pyarrow = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402 (only where there is pyarrow)

NAMES = table_names("mine", "yours", "score")
RNG = np.random.default_rng(1)
ENDS = RNG.integers(0, 40, (2, 220))
TABLE = pyarrow.table(
    {
        "mine": ENDS[0] * 1_000_003 - 7,
        "note": ["x"] * 220,
        "yours": [f"ü{k}" * (k % 3 + 1) for k in ENDS[1]],
        "score": RNG.permutation(220) / 8,  # no two alike: which of equal pairs is first may differ
    }
)


def rows_of(path):
    return sorted(zip(*parquet.read_table(path).to_pydict().values(), strict=True))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    for k in range(3):
        piece = TABLE.slice(k * 80, 80)
        parquet.write_table(piece, tmp_path / f"in/{k}.parquet", row_group_size=17)
    return tmp_path


@pytest.mark.kernels
@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_the_same_pairs_on_any_number_of_parts(folder, size):
    one = berge.greedy_matching(
        folder / "in", left="mine", right="yours", weights="score",
        method="locally-dominant", output=folder / "one.parquet",
    )  # fmt: skip

    def work(comm):
        session = Session(comm)
        read = lambda comm: read_pairs(str(folder / "in"), NAMES, comm)  # noqa: E731
        return session.greedy(read, prove=True, output=folder / "out")

    results = run_threads(size, work)
    assert rows_of(folder / "out") == rows_of(folder / "one.parquet")
    assert len(os.listdir(folder / "out")) == size
    assert all(part.weight == pytest.approx(one.weight) for part in results)
    assert results[0].is_maximal
    best = berge.assign(TABLE, "score", left="mine", right="yours", objective="max", match="any")
    assert best.total <= results[0].upper_bound <= 2.001 * one.weight
    # A folder of pairs is replaced, of anything else it is not.
    run_threads(size, work)
    (folder / "out" / "notes.txt").write_text("mine")
    with pytest.raises(berge.ClusterError, match="not replaced"):
        run_threads(size, work)


@pytest.mark.kernels
def test_on_one_machine(folder):
    for source in (TABLE, folder / "in", str(folder / "in/*.parquet"), TABLE.to_pandas()):
        m = berge.greedy_matching(source, left="mine", right="yours", weights="score", prove=True)
        graph, n_left = as_two_lists(TABLE, "score", "mine", "yours")
        assert graph.labels[:n_left] == tuple(dict.fromkeys(TABLE["mine"].to_pylist()))
        berge.verify(graph, m, m.certificate)
        assert all(isinstance(a, int) and isinstance(b, str) for a, b in m.named())
    best = berge.assign(TABLE, "score", left="mine", right="yours", objective="max", match="any")
    assert m.weight <= best.total <= m.upper_bound < 1.2 * best.total
    assert f"at least {m.of_best:.1%} of the heaviest" in repr(m)
    berge.greedy_matching(
        TABLE, left="mine", right="yours", weights="score", output=folder / "pairs.csv"
    )
    text = (folder / "pairs.csv").read_text(encoding="utf-8").splitlines()
    assert text[0] == "mine,yours,score"
    assert len(text) == m.size + 1


@pytest.mark.kernels
def test_labels_of_all_kinds():
    """Texts here and whole numbers there are one list of texts; parts may have nothing."""

    def work(comm, columns):
        tables = [pyarrow.table(columns[comm.rank])] if comm.rank < len(columns) else []
        part = part_of_tables(tables, Names("a", "b"), comm, "the test")
        found = greedy_part(part, comm)
        return part.table(found.mate, comm).to_pydict()

    for kind in (pyarrow.int8(), pyarrow.uint64(), pyarrow.int64()):
        column = pyarrow.array([1, 2], kind)
        pairs = run_threads(3, lambda comm, c=column: work(comm, [{"a": c, "b": c}]))
        together = [pair for part in pairs for pair in zip(part["a"], part["b"], strict=True)]
        assert sorted(together) == [(1, 1), (2, 2)]
    texts = pyarrow.array(["", "é"])
    for kind in (pyarrow.large_string(), pyarrow.dictionary(pyarrow.int8(), pyarrow.string())):
        column = texts.cast(kind)
        pairs = run_threads(2, lambda comm, c=column: work(comm, [{"a": c, "b": c}]))
        together = [pair for part in pairs for pair in zip(part["a"], part["b"], strict=True)]
        assert sorted(together) == [("", ""), ("é", "é")]
    mixed = [{"a": pyarrow.array([5]), "b": texts[:1]}, {"a": texts[1:], "b": texts[1:]}]
    pairs = run_threads(2, lambda comm: work(comm, mixed))
    assert sorted(pairs[0]["a"] + pairs[1]["a"]) == ["5", "é"]
    assert run_threads(2, lambda comm: work(comm, []))[0] == {"a": [], "b": []}


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ({"score": [1.0, -2.0]}, "'score' has the weight -2.0: not a finite number"),
        ({"score": [1.0, float("nan")]}, "'score' has the weight nan"),
        ({"score": [1.0, None]}, "'score' has no value somewhere"),
        ({"score": ["1", "2"]}, "'score' holds string, not numbers"),
        ({"mine": [1, None]}, "'mine' has no value somewhere"),
        ({"yours": [1.5, 2.5]}, "'yours' holds double; labels are whole numbers or texts"),
    ],
)
def test_what_is_refused(column, message):
    table = pyarrow.table({"mine": [1, 2], "yours": [1, 2], "score": [1.0, 2.0]} | column)
    with pytest.raises(InvalidGraphError, match=message):
        run_threads(2, lambda comm: part_of_tables([table], NAMES, comm, "the test"))


def test_names_of_columns(folder):
    with pytest.raises(OptionError, match="must both name a column"):
        table_names("mine", None, None)
    with pytest.raises(OptionError, match="must both name a column"):
        berge.greedy_matching(TABLE, left="mine")
    with pytest.raises(OptionError, match="weights must name a column"):
        table_names("mine", "yours", True)
    with pytest.raises(OptionError, match="none"):
        berge.greedy_matching(folder / "in", left="mine", right="none")
    with pytest.raises(OptionError, match="output is for pairs between two lists"):
        berge.greedy_matching(([0], [1]), output="pairs.parquet")
    with pytest.raises(OptionError, match="name columns of a frame, and tuple is none"):
        berge.greedy_matching(([0], [1]), left="mine", right="yours")


@pytest.mark.kernels
@pytest.mark.parametrize("size", [1, 3])
def test_prices_of_any_graph(size):
    """Of graphs with odd cycles too; what is too low is noticed, wherever it is."""
    rng = np.random.default_rng(3)
    ends = rng.integers(0, 30, (2, 90))
    graph = berge.Graph.from_edges(*ends, 30, rng.random(90))
    best = berge.maximum_weight_matching(graph).weight

    def work(comm, less=0.0):
        part = Part.from_graph(graph, comm.rank, comm.size)
        found = greedy_part(part, comm, prove=True)
        prices = found.certificate.prices.copy()
        prices[-1] -= less
        return found.upper_bound, check_prices(part, comm, part.weights, prices)

    here = berge.greedy_matching(graph, prove=True)
    for bound, again in run_threads(size, work):
        assert best <= bound == again
        assert bound == pytest.approx(here.upper_bound)
    with pytest.raises(ProofError, match=r"prices of vertices .* are below|not a finite number"):
        run_threads(size, lambda comm: work(comm, 0.05 + (comm.rank + 1 < comm.size)))
