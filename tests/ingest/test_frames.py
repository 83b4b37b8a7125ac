"""as_bipartite on data frames, tensors and device arrays."""

from __future__ import annotations

import datetime
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import berge
from berge import InvalidGraphError, OptionError
from berge.ingest.frames import from_frame

from .test_ingest import DENSE, EDGES, edges

LEFT = ["cid", "ann", "cid", "bob", "ann"]
RIGHT = ["drive", "drive", "cook", "cook", "sew"]


def make_pandas(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def make_polars(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def make_lazy(columns):
    return make_polars(columns).lazy()


def make_table(columns):
    return pytest.importorskip("pyarrow").table(columns)


def make_batch(columns):
    return make_table(columns).combine_chunks().to_batches()[0]


def make_chunks(columns):
    """A table in two chunks whose dictionaries would differ."""
    pyarrow = pytest.importorskip("pyarrow")
    table = make_table(columns)
    return pyarrow.concat_tables([table.slice(0, 2), table.slice(2)])


MAKERS = [make_pandas, make_polars, make_lazy, make_table, make_batch, make_chunks]
every_library = pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__[5:])
three_libraries = pytest.mark.parametrize(
    "make", [make_pandas, make_polars, make_table], ids=lambda make: make.__name__[5:]
)


@every_library
def test_labels_in_order_of_appearance(make):
    graph = berge.as_bipartite(make({"who": LEFT, "what": RIGHT}))
    assert list(graph.row_labels) == ["cid", "ann", "bob"]
    assert list(graph.col_labels) == ["drive", "cook", "sew"]
    assert edges(graph) == [(0, 0), (0, 1), (1, 0), (1, 2), (2, 1)]


@every_library
def test_matched_by_label(make):
    frame = make({"who": LEFT, "what": RIGHT})
    matching = berge.maximum_matching(frame)
    assert matching.as_dict() == {"cid": "drive", "ann": "sew", "bob": "cook"}
    assert matching.prove(frame).size == 3


@every_library
def test_integers_are_labels(make):
    graph = berge.as_bipartite(make({"a": [70, 5, 70], "b": [-1, -1, 10**12]}))
    assert [list(graph.row_labels), list(graph.col_labels)] == [[70, 5], [-1, 10**12]]
    assert all(type(label) is int for label in [*graph.row_labels, *graph.col_labels])


@three_libraries
@pytest.mark.parametrize(
    "values",
    [
        [1.5, -0.5, 1.5],
        [True, False, True],
        [datetime.date(2024, 5, 1), datetime.date(2023, 1, 1), datetime.date(2024, 5, 1)],
        [b"x", b"a", b"x"],
        ["", "é", ""],
    ],
    ids=str,
)
def test_kinds_of_labels(make, values):
    graph = berge.as_bipartite(make({"a": values, "b": [0, 1, 1]}))
    assert list(graph.row_labels) == values[:2]
    assert edges(graph) == [(0, 0), (0, 1), (1, 1)]


@every_library
def test_named_columns(make):
    frame = make({"n": [1, 2], "job": ["x", "y"], "worker": ["p", "q"]})
    graph = berge.as_bipartite(frame, left="worker", right="job")
    assert [list(graph.row_labels), list(graph.col_labels)] == [["p", "q"], ["x", "y"]]
    assert graph.source == "rows are what is in column 'worker', columns what is in 'job'"


@every_library
def test_columns_are_not_guessed(make):
    frame = make({"n": [1, 2], "job": ["x", "y"], "worker": ["p", "q"]})
    with pytest.raises(OptionError, match="name the columns by left=… and right=…, of 'n', 'job'"):
        berge.as_bipartite(frame)
    with pytest.raises(OptionError, match="name the column by left=…, of 'n', 'worker'"):
        berge.as_bipartite(frame, right="job")
    two = make({"job": ["x", "y"], "worker": ["p", "q"]})
    assert list(berge.as_bipartite(two).row_labels) == ["x", "y"]
    assert list(berge.as_bipartite(two, left="worker").row_labels) == ["p", "q"]


@three_libraries
def test_wrong_columns(make):
    frame = make({"job": ["x", "y"], "worker": ["p", "q"]})
    with pytest.raises(OptionError, match="no column 'boss'; the columns are 'job', 'worker'"):
        berge.as_bipartite(frame, left="boss")
    with pytest.raises(OptionError, match="both the column 'job'"):
        berge.as_bipartite(frame, left="job", right="job")
    with pytest.raises(InvalidGraphError, match=r"two columns.*only \['job'\]"):
        berge.as_bipartite(make({"job": ["x"]}))


@three_libraries
def test_no_rows(make):
    graph = berge.as_bipartite(make({"a": [1], "b": [1]})[:0])
    assert graph.shape == (0, 0)
    assert berge.maximum_matching(graph).cardinality == 0


@every_library
def test_missing_labels(make):
    with pytest.raises(InvalidGraphError, match=r"row 2 of the frame .* column 'b'"):
        berge.as_bipartite(make({"a": ["x", "y", "x"], "b": ["p", "q", None]}))
    with pytest.raises(InvalidGraphError, match=r"row 1 of the frame .* column 'a'"):
        berge.as_bipartite(make({"a": [1.5, float("nan"), None], "b": [1, 2, 3]}))
    with pytest.raises(InvalidGraphError, match=r"row 0 of the frame .* column 'a'"):
        berge.as_bipartite(make({"a": [None, None, 1], "b": [1, 2, 3]}))


@three_libraries
def test_lists_are_no_labels(make):
    with pytest.raises(InvalidGraphError, match="column 'a' has values that cannot be labels"):
        berge.as_bipartite(make({"a": [[1], [2]], "b": [1, 2]}))


@three_libraries
def test_many_rows_like_one_by_one(make):
    rng = np.random.default_rng(4)
    columns = {side: [f"{side}{k}" for k in rng.integers(0, 900, 3000)] for side in "ab"}
    graph = berge.as_bipartite(make(columns))
    assert list(graph.row_labels) == list(dict.fromkeys(columns["a"]))
    assert list(graph.col_labels) == list(dict.fromkeys(columns["b"]))
    named = [(graph.row_labels[i], graph.col_labels[j]) for i, j in edges(graph)]
    assert sorted(named) == sorted(zip(columns["a"], columns["b"], strict=True))


@three_libraries
def test_an_undirected_graph(make):
    """A label is one vertex, whichever column it is in."""
    graph = berge.as_graph(make({"a": ["x", "y", "z"], "b": ["y", "z", "x"]}))
    assert graph.labels == ("x", "y", "z")
    assert graph.n_edges == 3
    assert graph.weights is None
    source = make({"a": ["x", "y", "z"], "b": ["y", "z", "w"], "c": [-1.0, 5.0, 2.5]})
    assert berge.maximum_weight_matching(source).named() == [("y", "z")]
    assert berge.maximum_weight_matching(source, minimise=True).weight == -1
    heavy = berge.as_graph(make({"a": ["x", "y"], "c": [3, 4], "b": ["y", "z"]}), weights="c")
    assert heavy.weights.tolist() == [3, 3, 4, 4]
    with pytest.raises(InvalidGraphError, match="which column of the frame has the weights"):
        berge.greedy_matching(make({"a": ["x"], "b": ["y"]}), weights=True)


def test_columns_are_for_frames_only():
    with pytest.raises(OptionError, match="ndarray is none"):
        berge.as_bipartite(DENSE, left="a")


def test_categories():
    """Their own order, and categories that do not occur, play no part."""
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    values, b = ["x", "a", "x"], [1, 2, 3]
    frames = [
        pandas.DataFrame({"a": pandas.Categorical(values, list("abx")), "b": b}),
        polars.DataFrame({"a": polars.Series(values, dtype=polars.Enum(list("abx"))), "b": b}),
        polars.DataFrame({"a": polars.Series(values, dtype=polars.Categorical), "b": b}),
        pyarrow.table(
            {
                "a": pyarrow.DictionaryArray.from_arrays(
                    pyarrow.array([2, 0, 2]), pyarrow.array(["a", "b", "x"])
                ),
                "b": b,
            }
        ),
    ]
    for frame in frames:
        assert list(berge.as_bipartite(frame).row_labels) == ["x", "a"]


class TestPandas:
    pandas = pytest.importorskip("pandas")

    def test_names_that_are_not_text(self):
        frame = self.pandas.DataFrame([[1, "x"], [2, "y"]])
        assert list(berge.as_bipartite(frame, left=1).row_labels) == ["x", "y"]

    def test_a_name_twice(self):
        frame = self.pandas.DataFrame([[1, 2, 3]], columns=["a", "b", "b"])
        with pytest.raises(OptionError, match="2 columns are called 'b'"):
            berge.as_bipartite(frame, right="b")

    def test_the_index_plays_no_part(self):
        frame = self.pandas.DataFrame({"a": [1, 2], "b": [3, None]}, index=["p", "p"])
        with pytest.raises(InvalidGraphError, match="row 1 "):
            berge.as_bipartite(frame)

    def test_columns_called_like_methods(self):
        frame = self.pandas.DataFrame({"tocsr": [1], "is_multigraph": [2]})
        assert berge.as_bipartite(frame).shape == (1, 1)

    def test_derived_classes_and_mixed_labels(self):
        class Mine(self.pandas.DataFrame):
            pass

        graph = berge.as_bipartite(Mine({"a": ["x", 1, ("y", 2)], "b": [1, 1, 1]}))
        assert list(graph.row_labels) == ["x", 1, ("y", 2)]


def test_objects_in_polars():
    polars = pytest.importorskip("polars")
    values = [(1, "a"), (2, "b"), (1, "a")]
    column = polars.Series("a", values, dtype=polars.Object)
    graph = berge.as_bipartite(polars.DataFrame([column, polars.Series("b", [1, 2, 3])]))
    assert list(graph.row_labels) == values[:2]


def test_nothing_is_imported():
    code = (
        "import sys, berge; berge.as_bipartite([[1, 0], [1, 1]])\n"
        "assert not {'pandas', 'polars', 'pyarrow', 'torch', 'cupy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_frame_of_no_library():
    with pytest.raises(KeyError):
        from_frame(3)


class TestTorch:
    """The real ones, where torch is installed."""

    # torch warns of its own sparse tensors when one is made.
    pytestmark = pytest.mark.filterwarnings("ignore:.*:UserWarning")

    @pytest.fixture
    def torch(self):
        return pytest.importorskip("torch")

    @pytest.mark.parametrize("form", ["coo", "csr", "csc", "bsr", "strided"])
    def test_layouts(self, torch, form):
        tensor = torch.tensor(DENSE)
        if form == "bsr":
            tensor = torch.nn.functional.pad(tensor, (0, 1)).to_sparse_bsr((2, 2))
            graph = berge.as_bipartite(tensor)
            assert graph.shape == (4, 4)
            assert set(EDGES) <= set(edges(graph))
            return
        tensor = tensor if form == "strided" else getattr(tensor, f"to_sparse_{form}")()
        graph = berge.as_bipartite(tensor)
        assert graph.shape == (4, 3)
        assert edges(graph) == EDGES

    def test_duplicates_and_indices(self, torch):
        rows, cols = torch.tensor([[0, 0, 1], [1, 1, 0]])
        tensor = torch.sparse_coo_tensor(torch.stack([rows, cols]), torch.ones(3), (2, 2))
        assert berge.maximum_matching(tensor).is_perfect
        assert berge.as_bipartite((rows, cols)).nnz == 3

    def test_dimensions(self, torch):
        for tensor in (torch.ones(3), torch.ones(2, 2, 2), torch.ones(2, 2).to_sparse(1)):
            with pytest.raises(InvalidGraphError, match="two-dimensional"):
                berge.as_bipartite(tensor)


def stand_in(library, **attributes):
    """A value that looks as if it came from a library."""
    return type("Array", (), {"__module__": library, **attributes})()


class _Tensor:
    """What of a torch tensor is used."""

    __module__ = "torch"

    def __init__(self, values, layout="torch.strided", **more):
        self.values, self.layout = values, layout
        self.shape = more.pop("shape", np.shape(values))
        for name, result in more.items():
            setattr(self, name, lambda result=result: result)

    def dim(self):
        return len(self.shape)

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return np.asarray(self.values)

    def nonzero(self, *, as_tuple):
        assert as_tuple
        return tuple(map(_Tensor, np.nonzero(self.values)))

    def __iter__(self):
        return map(_Tensor, self.values)

    def coalesce(self):
        return self


class TestTorchStandIns:
    """The same where it is not."""

    coo = _Tensor(
        None,
        "torch.sparse_coo",
        shape=(4, 3),
        sparse_dim=2,
        indices=_Tensor(np.array(EDGES).T),
    )
    csr = _Tensor(
        None,
        "torch.sparse_csr",
        shape=(4, 3),
        crow_indices=_Tensor(sp.csr_array(DENSE).indptr),
        col_indices=_Tensor(sp.csr_array(DENSE).indices),
    )
    csc = _Tensor(
        None,
        "torch.sparse_csc",
        shape=(4, 3),
        ccol_indices=_Tensor(sp.csc_array(DENSE).indptr),
        row_indices=_Tensor(sp.csc_array(DENSE).indices),
    )
    bsr = _Tensor(None, "torch.sparse_bsr", shape=(4, 3), to_sparse_coo=coo)

    @pytest.mark.parametrize("tensor", [_Tensor(DENSE), coo, csr, csc, bsr], ids=lambda t: t.layout)
    def test_layouts(self, tensor):
        graph = berge.as_bipartite(tensor)
        assert graph.shape == (4, 3)
        assert edges(graph) == EDGES

    def test_dimensions(self):
        with pytest.raises(InvalidGraphError, match=r"two-dimensional, not of shape \(3,\)"):
            berge.as_bipartite(_Tensor(np.ones(3)))

    def test_index_arrays(self):
        rows, cols = np.array(EDGES).T
        assert edges(berge.as_bipartite((_Tensor(rows), _Tensor(cols)))) == EDGES


class TestCupyStandIns:
    """Device arrays are asked for a copy on the host by `get`."""

    def test_sparse(self):
        device = stand_in("cupyx.scipy.sparse._csr", get=lambda self: sp.csr_array(DENSE))
        assert edges(berge.as_bipartite(device)) == EDGES

    def test_dense(self):
        device = stand_in("cupy", get=lambda self: DENSE)
        assert edges(berge.as_bipartite(device)) == EDGES

    def test_index_arrays(self):
        rows, cols = (
            stand_in("cupy", get=lambda self, side=side: side) for side in np.array(EDGES).T
        )
        assert berge.as_bipartite((rows, cols), shape=(4, 3)).shape == (4, 3)


def test_pydata_sparse_stand_in():
    array = stand_in("sparse.numba_backend", to_scipy_sparse=lambda self: sp.coo_array(DENSE))
    assert edges(berge.as_bipartite(array)) == EDGES


def test_datasets_and_frames_that_are_not_in_memory(tmp_path):
    """Only the columns that are named come into memory."""
    dataset = pytest.importorskip("pyarrow.dataset")
    pandas = pytest.importorskip("pandas")
    dataframe = pytest.importorskip("dask.dataframe")
    frame = pandas.DataFrame(
        {"who": ["ann", "bob", "ann"], "note": ["", "x", ""], "what": ["cook", "cook", "drive"]}
    )
    frame["hours"] = [3, 1, 2]
    frame[:2].to_parquet(tmp_path / "0.parquet")
    frame[2:].to_parquet(tmp_path / "1.parquet")
    expected = berge.as_bipartite(frame, left="who", right="what")
    whole = dataset.dataset(tmp_path)
    parts = dataframe.from_pandas(frame, npartitions=2)
    for source in (whole, whole.scanner(), whole.to_table().to_reader(), parts):
        graph = berge.as_bipartite(source, left="who", right="what")
        assert (graph.row_labels, graph.col_labels) == (expected.row_labels, expected.col_labels)
        np.testing.assert_array_equal(graph.indices, expected.indices)
    for source in (whole, parts):
        assert berge.assign(source, "hours", left="who", right="what").total == 3
        assert berge.match_pairs(source, left="who", right="what") == {
            "ann": "drive",
            "bob": "cook",
        }
    with pytest.raises(berge.OptionError, match="nobody"):
        berge.as_bipartite(whole, left="who", right="nobody")
    with pytest.raises(berge.OptionError):
        berge.as_bipartite(parts)
