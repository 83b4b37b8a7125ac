"""scipy's functions replaced: scipy's own tests run on ours, and ours beside scipy's."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as theirs

import berge
import berge.interop.scipy as ours
from berge import InvalidGraphError

from ..corpus import SMALL

NAMES = ("maximum_bipartite_matching", "structural_rank")

# scipy's test modules, which of their tests are about the two functions, how many those are at
# least, and how often they call them at least.
THEIR_TESTS = {
    "test_matching": (
        "maximum_bipartite or large_random_graph_with_one_edge or full_matching or explicit_zero",
        30,
        50,
    ),
    "test_linear_assignment": ("linear or constant or two_methods", 20, 100),
    "test_reordering": ("structural_rank", 1, 4),
    "test_pydata_sparse": ("csgraph_equiv and (maximum_bipartite or structural)", 2, 4),
}

# Put ours in scipy's place before a test module imports the names; count the calls of each test.
PLUGIN = """
import functools, json, os
import pytest
import scipy.optimize as optimize
import scipy.sparse.csgraph as csgraph
import berge.interop.scipy as ours

calls, passed = [], []

def counted(name):
    function = getattr(ours, name)

    @functools.wraps(function)
    def call(*args, **kwargs):
        calls.append(name)
        return function(*args, **kwargs)

    return call

for name in ours.__all__:
    setattr(optimize if name == "linear_sum_assignment" else csgraph, name, counted(name))

@pytest.hookimpl
def pytest_runtest_logreport(report):
    if report.when == "call" and report.passed:
        passed.append(report.nodeid)

def pytest_sessionfinish():
    with open(os.environ["DROPIN_REPORT"], "w") as file:
        json.dump({"calls": calls, "passed": passed}, file)
"""


@pytest.mark.parametrize("module", THEIR_TESTS)
def test_their_tests(module, tmp_path):
    """Runs in a process of its own, since scipy's module is patched there."""
    name = f"scipy.sparse.csgraph.tests.{module}"
    if module == "test_linear_assignment":
        name = f"scipy.optimize.tests.{module}"
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        found = None
    if found is None:
        pytest.skip("this scipy was installed without its tests")
    if module == "test_pydata_sparse" and importlib.util.find_spec("sparse") is None:
        pytest.skip("the package sparse is not installed")
    which, n_tests, n_calls = THEIR_TESTS[module]
    (tmp_path / "dropin_plugin.py").write_text(PLUGIN)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    path = [str(tmp_path), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "dropin_plugin", "-p", "no:cacheprovider",
         "-c", str(tmp_path / "pytest.ini"), "-k", which, "--pyargs", name],
        cwd=tmp_path,
        env=os.environ
        | {
            "DROPIN_REPORT": str(tmp_path / "report.json"),
            "PYTHONPATH": os.pathsep.join(filter(None, path)),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert len(report["passed"]) >= n_tests, done.stdout
    assert len(report["calls"]) >= n_calls


def outcome(function, *args, **kwargs):
    """What a call gives, and what it warns of."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            result = error
    return result, [(w.category, str(w.message)) for w in warned]


@pytest.mark.parametrize("name", NAMES)
def test_signature(name):
    def bare(function):
        signature = inspect.signature(function)
        return [p.replace(annotation=p.empty) for p in signature.parameters.values()]

    assert bare(getattr(ours, name)) == bare(getattr(theirs, name))


FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]
DENSE = np.array([[1, 1, 0], [1, 0, 0]])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix], ids=["array", "matrix"])
@pytest.mark.parametrize("form", FORMATS)
def test_formats_give_the_same(name, make, form):
    """Also the same errors and warnings."""
    graph = make(DENSE).asformat(form)
    got, warned = outcome(getattr(ours, name), graph)
    expected, expected_warnings = outcome(getattr(theirs, name), graph)
    assert warned == expected_warnings
    assert type(got) is type(expected)
    assert repr(got) == repr(expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [DENSE, [[1, 0]], None, "graph"], ids=type)
def test_not_sparse(name, value):
    got, _ = outcome(getattr(ours, name), value)
    expected, _ = outcome(getattr(theirs, name), value)
    assert type(got) is type(expected) is TypeError
    assert str(got) == str(expected)


@pytest.mark.parametrize("perm_type", ["row", "column", "col", None, 3])
def test_perm_type(perm_type):
    graph = sp.csr_array(DENSE)
    got = ours.maximum_bipartite_matching(graph, perm_type)
    expected = theirs.maximum_bipartite_matching(graph, perm_type=perm_type)
    assert got.tolist() == expected.tolist()


@pytest.mark.parametrize("shape", [(3,), (2, 2, 2)])
def test_dimensions(shape):
    graph = sp.coo_array(np.ones(shape))
    for name in NAMES:
        with pytest.raises(ValueError, match="two-dimensional"):
            getattr(ours, name)(graph)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 3)])
@pytest.mark.parametrize("perm_type", ["row", "column"])
def test_no_entries(shape, perm_type):
    graph = sp.csr_array(shape)
    got = ours.maximum_bipartite_matching(graph, perm_type=perm_type)
    assert got.tolist() == [-1] * (shape[1] if perm_type == "row" else shape[0])
    assert got.dtype == np.int32
    assert ours.structural_rank(graph) == 0


def test_arrays_are_the_callers():
    got = ours.maximum_bipartite_matching(sp.csr_array(DENSE))
    assert (got.dtype, got.flags.writeable, got.flags.owndata) == (np.int32, True, True)
    got[0] = 7


@pytest.mark.parametrize("name", list(SMALL))
def test_same_sizes_as_scipy(name):
    # Each entry once: on duplicates scipy may write where it should not.
    graph = SMALL[name][0]().without_duplicates()
    matrix = graph.to_scipy()
    rank = theirs.structural_rank(matrix)
    assert ours.structural_rank(matrix) == rank
    by_row = ours.maximum_bipartite_matching(matrix, perm_type="column")
    by_col = ours.maximum_bipartite_matching(matrix, perm_type="row")
    assert (by_row.size, by_col.size) == matrix.shape
    berge.verify(graph, berge.Matching(by_row, by_col, upper_bound=int(rank)))
    assert np.count_nonzero(by_row >= 0) == rank


def test_same_result_every_time():
    graph = sp.random_array((500, 480), density=0.006, rng=np.random.default_rng(3), format="csr")
    first = ours.maximum_bipartite_matching(graph)
    for _ in range(3):
        assert (ours.maximum_bipartite_matching(graph) == first).all()


def test_what_scipy_gets_wrong():
    """Duplicates, and layers on which scipy's time doubles each."""
    twice = sp.coo_array((np.ones(5), ([0, 0, 0, 1, 1], [0, 0, 1, 0, 0])), shape=(2, 2))
    assert sorted(ours.maximum_bipartite_matching(twice).tolist()) == [0, 1]
    assert ours.structural_rank(berge.generate.layered(60).to_scipy()) == 181


def test_broken_indices_are_refused():
    graph = sp.csr_array(DENSE)
    graph.indices[0] = 9
    with pytest.raises(InvalidGraphError, match=r"indices\[0\] = 9"):
        ours.maximum_bipartite_matching(graph)


def test_int64_indices():
    graph = sp.csr_array(DENSE)
    graph.indices, graph.indptr = graph.indices.astype(np.int64), graph.indptr.astype(np.int64)
    assert ours.maximum_bipartite_matching(graph).dtype == np.int32


def test_an_interrupt_is_not_swallowed(monkeypatch):
    """`maximum_matching` returns what it has; here that would pass for the answer."""
    matched = berge.maximum_matching

    def interrupted(*args, **kwargs):
        return matched(*args, **kwargs, time_limit=0)

    monkeypatch.setattr(ours, "maximum_matching", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ours.structural_rank(sp.csr_array(DENSE))


def test_pydata_sparse(monkeypatch):
    """Arrays of the package sparse are converted; a stand-in, where that is not installed."""

    class SparseArray:
        def to_scipy_sparse(self):
            return sp.csr_array(DENSE)

    if importlib.util.find_spec("sparse") is None:
        package = type(sys)("sparse")
        package.SparseArray = SparseArray
        monkeypatch.setitem(sys.modules, "sparse", package)
        graph = SparseArray()
    else:
        import sparse

        graph = sparse.COO.from_numpy(DENSE)
    assert ours.maximum_bipartite_matching(graph).tolist() == [1, 0, -1]
    assert ours.structural_rank(graph) == 2
