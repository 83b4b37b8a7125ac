"""Matrix Market, edge lists, METIS, hMETIS, DIMACS: what is read, written, and refused."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import berge
from berge.checker.graphs import FORMATS, Source
from berge.checker.untrusted import Limits
from berge.errors import FormatError, InvalidGraphError
from berge.files import digits, lines, matrix_market, read_graph

BANNER = "%%MatrixMarket matrix coordinate "
LARGE = 10**15


def edges(graph):
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    return graph.shape, sorted(zip(rows.tolist(), graph.indices.tolist(), strict=True))


@pytest.fixture(params=[1, 3, 7, None], ids="chunk={}".format)
def chunk(request, monkeypatch):
    if request.param:
        monkeypatch.setattr(lines, "CHUNK", request.param)


@pytest.fixture
def read(tmp_path):
    def read(name, text, **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return edges(berge.read(path, **options))

    return read


# What is read


@pytest.mark.kernels
@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    ("text", "shape", "expected"),
    [
        (BANNER + "pattern general\n2 3 2\n1 3\n2 1\n", (2, 3), [(0, 2), (1, 0)]),
        (BANNER + "real general\n% c\n\n2 2 2\n1 1 0.0\n2 1 5e3", (2, 2), [(0, 0), (1, 0)]),
        (BANNER.upper() + "Integer General\r\n1 1 1\r\n1 1 7\r\n", (1, 1), [(0, 0)]),
        (BANNER + "complex hermitian\n2 2 2\n1 1 0 0\n2 1 1 1\n", (2, 2), [(0, 0), (0, 1), (1, 0)]),
        (BANNER + "double symmetric\n3 3 2\n3 3 1\n1 2 1\n", (3, 3), [(0, 1), (1, 0), (2, 2)]),
        (BANNER + "real skew-symmetric\n2 2 1\n2 1 1\n", (2, 2), [(0, 1), (1, 0)]),
        (BANNER + "pattern general\n2 2 3\n1 1\n1 1\n2 1\n", (2, 2), [(0, 0), (0, 0), (1, 0)]),
        (BANNER + "pattern general\n0 0 0\n", (0, 0), []),
        (BANNER + "pattern general\n4 0 0", (4, 0), []),
        ("%%MatrixMarket matrix array real general\n2 2\n0\n1.5\n0\n2\n", (2, 2), [(1, 0), (1, 1)]),
        ("%%MatrixMarket matrix array integer general\n0 3\n", (0, 3), []),
        (
            "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n0\n",
            (2, 2),
            [(0, 0), (0, 1), (1, 0)],
        ),
    ],
)
def test_matrix_market(read, text, shape, expected):
    assert read("graph.mtx", text) == (shape, expected)
    assert read("graph.mtx.gz", gzip.compress(text.encode())) == (shape, expected)


@pytest.mark.kernels
@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    ("text", "base", "shape", "expected"),
    [
        ("0 1\n2 0\n", 0, (3, 2), [(0, 1), (2, 0)]),
        ("1 2\n3 1\n", 1, (3, 2), [(0, 1), (2, 0)]),
        ("", 0, (0, 0), []),
        ("# nothing\n% at all\n\n", 0, (0, 0), []),
        ("# rows 3 cols 4 entries 1\n1 1\n", 0, (3, 4), [(1, 1)]),
        ("# a\n% rows 3 cols 4 entries 1\n1 1\n", 1, (3, 4), [(0, 0)]),
        ("# rows 2 cols 0 entries 0\n", 0, (2, 0), []),
        ("from,to,weight\n0,1,0.5\n", 0, (1, 2), [(0, 1)]),
        ('# c\n\n"from"\t"to"\n# c\n\n1\t0\n', 0, (2, 1), [(1, 0)]),
        ("0 0\n# rows 9 cols 9 entries 9\n1 1\n", 0, (2, 2), [(0, 0), (1, 1)]),
    ],
)
def test_edge_list(read, text, base, shape, expected):
    assert read("graph.csv", text, base=base) == (shape, expected)


@pytest.mark.kernels
@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    "text",
    [
        "3 2\n2\n1 3\n2\n",
        "% c\n3 2 0\n% c\n2\n1 3\n% c\n2",
        "3 2 1\n2 9\n1 9 3 8\n2 8\n",
        "3 2 10\n5 2\n5 1 3\n5 2\n",
        "3 2 010 2\n5 6 2\n5 6 1 3\n5 6 2\n\n\n",
        "3 2 011 2\n5 6 2 9\n5 6 1 9 3 8\n5 6 2 8\n",
        "3 2 100\n4 2\n4 1 3\n4 2\n",
        "3 2 111 2\n4 5 6 2 9\n4 5 6 1 9 3 8\n4 5 6 2 8\n",
        "3 2 001\n2 -9\n1 9 3 8\n2 8\n",
    ],
)
def test_metis(read, text):
    assert read("graph.graph", text) == ((3, 3), [(0, 1), (1, 0), (1, 2), (2, 1)])


@pytest.mark.kernels
@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    "text",
    [
        "3 4\n1 3\n2\n4 1\n",
        "% c\n3 4 0\n% c\n1 3\n2\n% c\n4 1",
        "3 4 1\n7 1 3\n0 2\n9 4 1\n\n",
        "3 4 10\n1 3\n2\n4 1\n5\n0\n5\n9\n",
        "3 4 11\n7 1 3\n0 2\n9 4 1\n5\n0\n5\n9\n",
    ],
)
def test_hmetis(read, text, tmp_path):
    expected = (3, 4), [(0, 0), (0, 2), (1, 1), (2, 0), (2, 3)]
    assert read("nets.hgr", text) == expected
    source = Source(tmp_path / "nets.hgr", Limits(2**30))
    shape, pieces = FORMATS["hmetis"][1](source)
    found = [edge for rows, cols, _ in pieces for edge in zip(rows, cols, strict=True)]
    assert (shape, sorted(found)) == expected
    nets = berge.read_hypergraph(tmp_path / "nets.hgr")
    fmt = text.split("\n")[0].split()[2:] or text.split("\n")[1].split()[2:]
    assert nets.weights.tolist() == ([7, 0, 9] if fmt in (["1"], ["11"]) else [1, 1, 1])
    weights = nets.vertex_weights
    assert (None if weights is None else weights.tolist()) == (
        [5, 0, 5, 9] if fmt in (["10"], ["11"]) else None
    )


def test_hmetis_nets_without_vertices(read):
    assert read("a.hgr", "3 2\n\n1\n\n") == ((3, 2), [(1, 0)])
    assert read("a.hgr", "1 2 1\n5\n") == ((1, 2), [])
    assert read("a.hgr", "0 0\n") == ((0, 0), [])


def test_hmetis_is_no_graph(tmp_path):
    (tmp_path / "a.hgr").write_text("1 3\n1 2 3\n")
    with pytest.raises(FormatError, match="nets of any size, not edges"):
        read_graph(tmp_path / "a.hgr")


def test_metis_vertices_without_neighbours(read):
    assert read("a.metis", "4 1\n\n4\n\n2\n") == ((4, 4), [(1, 3), (3, 1)])
    assert read("a.metis", "2 0\n\n\n") == ((2, 2), [])
    assert read("a.metis", "0 0\n") == ((0, 0), [])


@pytest.mark.kernels
@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("c x\np sp 3 2\na 1 2 5\nc y\na 3 3 1\n", [(0, 1), (2, 2)]),
        ("p edge 3 2\nn 1 4\ne 1 2\ne 3 3\n", [(0, 1), (1, 0), (2, 2)]),
        ("\np col 3 1\ne 2 3", [(1, 2), (2, 1)]),
        ("p sp 3 0\n", []),
    ],
)
def test_dimacs(read, text, expected):
    assert read("graph.gr", text) == ((3, 3), expected)


# What is refused, and where


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        ("a.mtx", "", 1, "file is empty"),
        ("a.mtx", "1 1 1\n1 1\n", 1, "begins with %%MatrixMarket"),
        ("a.mtx", "\n" + BANNER + "real general\n", 1, "begins with %%MatrixMarket"),
        ("a.mtx", BANNER + "real\n1 1 0\n", 1, "found 4 words, not 5"),
        ("a.mtx", "%%MatrixMarket vector coordinate real general\n", 1, "object 'vector'"),
        ("a.mtx", "%%MatrixMarket matrix list real general\n", 1, "format 'list', must be coord"),
        ("a.mtx", BANNER + "quaternion general\n", 1, "field 'quaternion'"),
        ("a.mtx", BANNER + "real lopsided\n", 1, "symmetry 'lopsided'"),
        ("a.mtx", "%%MatrixMarket matrix array pattern general\n1 1\n", 1, "cannot be pattern"),
        ("a.mtx", BANNER + "real general\n%\n\n", 3, "file ends before the line of sizes"),
        ("a.mtx", BANNER + "real general\n%\n2 2\n", 3, "expected rows, columns, entries"),
        ("a.mtx", BANNER + "real general\n2 2 x\n", 2, "found '2 2 x'"),
        ("a.mtx", BANNER + "real general\n2 2 1.0\n", 2, "found '2 2 1.0'"),
        ("a.mtx", BANNER + "real general\n-2 2 0\n", 2, "-2 rows"),
        ("a.mtx", BANNER + "real general\n2 -2 0\n", 2, "-2 columns"),
        ("a.mtx", BANNER + "real general\n2 2 -1\n", 2, "-1 entries"),
        ("a.mtx", BANNER + "real symmetric\n2 3 1\n1 1 1\n", 2, "symmetric matrix cannot be 2 × 3"),
        ("a.mtx", BANNER + f"real general\n{LARGE} 1 1\n1 1 1\n", 2, "do not fit in memory"),
        ("a.mtx", BANNER + f"real general\n1 1 {LARGE}\n1 1 1\n", 2, "cannot be in a file of"),
        ("a.mtx", BANNER + f"real general\n1 1 {10**25}\n1 1 1\n", 2, f"{10**25} entries"),
        ("a.mtx", BANNER + "real general\n2 2 2\n1 1 1\n", 3, "file ends after 1 of 2 entries"),
        ("a.mtx", BANNER + "real general\n2 2 1\n1 1 1\n%\n2 2 1\n", 5, "more than the 1 entries"),
        ("a.mtx", BANNER + "real general\n2 2 2\n1 1 1\n3 1 1\n", 4, "row 3 is not in 1 … 2"),
        ("a.mtx", BANNER + "real general\n2 2 2\n1 1 1\n1 0 1\n", 4, "column 0 is not in 1 … 2"),
        ("a.mtx", BANNER + "real general\n2 2 2\n1 1 1\n1\n", 4, "another number must follow"),
        ("a.mtx", BANNER + "real general\n2 2 2\n\n1 1 1\n1 x 1\n", 5, "'x' is not a whole number"),
        ("a.mtx", "%%MatrixMarket matrix array real general\n9 9\n1\n", 2, "81 numbers cannot be"),
        ("a.txt", "0 1\n0 -1\n", 2, "column -1 is below 0"),
        ("a.txt", "0 1\nx 1\n", 2, "'x' is not a whole number"),
        ("a.txt", "0 1\n# c\n1\n", 3, "another number must follow"),
        ("a.txt", "0 x\n1 1\n", 1, "'x' is not a whole number"),
        ("a.txt", "# c\nfrom to\n\nwhere\n0 1\n", 2, "neither an edge nor a comment"),
        ("a.txt", "from to\n", 1, "neither an edge nor a comment"),
        ("a.txt", "<html>\n", 1, "neither an edge nor a comment"),
        ("a.txt", "# rows 2 cols 2 entries 1\n2 0\n", 2, "row 2 is not in 0 … 1"),
        ("a.txt", "# rows 2 cols 2 entries 1\n0 0\n0 0\n", 3, "more than the 1 entries"),
        ("a.txt", "# rows 2 cols 2 entries 2\n0 0\n", 2, "file ends after 1 of 2 entries"),
        ("a.txt", f"# c\n# rows 2 cols 2 entries {LARGE}\n0 0\n", 2, "cannot be in a file of"),
        ("a.txt", f"# rows 2 cols {LARGE} entries 1\n0 0\n", 1, "do not fit in memory"),
        ("a.txt", f"0 0\n{LARGE} 0\n", None, "do not fit in memory"),
        ("a.txt", f"{2**63 - 1} 0\n", None, "do not fit in memory"),
        ("a.graph", "", 1, "file ends before the header"),
        ("a.graph", "% c\n", 1, "file ends before the header"),
        ("a.graph", "% c\n3\n", 2, "expected vertices, edges"),
        ("a.graph", "3 2 0 1 5\n", 1, "expected vertices, edges"),
        ("a.graph", "3 x\n", 1, "found '3 x'"),
        ("a.graph", "3 2 2\n2\n1 3\n2\n", 1, "fmt 2 must be"),
        ("a.graph", "3 2 10 -1\n2\n1 3\n2\n", 1, "-1 weights"),
        ("a.graph", f"3 2 10 {10**25}\n2\n1 3\n2\n", 1, f"{10**25} weights of a vertex"),
        ("a.graph", f"{10**25} 2\n2\n1 3\n2\n", 1, f"{10**25} vertices"),
        ("a.graph", f"3 {10**25}\n2\n1 3\n2\n", 1, f"{10**25} edges"),
        ("a.graph", "3 2 001\n2 1_000\n", 2, "'1_000' is not a whole number"),
        ("a.hgr", "3\n", 1, "expected nets, vertices [, fmt], found '3'"),
        ("a.hgr", "1 2 100\n1\n", 1, "fmt 100 must be 1, 10 or 11"),
        ("a.hgr", "1 2\n1 3\n", 2, "vertex 3 is not in 1 … 2"),
        ("a.hgr", "2 2\n1\n", 2, "file ends after 1 of 2 lines of nets and vertices"),
        ("a.hgr", "1 2\n1\n2\n", 3, "more than the 1 entries that the header announces"),
        ("a.hgr", "1 2 1\n\n", 2, "line ends where another number must follow"),
        ("a.hgr", "1 2 1\n-1 2\n", 2, "weight -1 is below 0"),
        ("a.hgr", "1 2 11\n3 1\n1\n1 1\n", 4, "more than a weight for vertex 2"),
        ("a.hgr", "900 2\n", 1, "900 nets cannot be in a file of 6 bytes"),
        ("a.graph", "-3 2\n", 1, "-3 vertices"),
        ("a.graph", f"{LARGE} 2\n2\n", 1, f"{LARGE} vertices cannot be in a file of"),
        ("a.graph", f"2 {LARGE}\n2\n", 1, f"{LARGE} edges cannot be in a file of"),
        ("a.graph", "3 2\n2\n1 3\n", 3, "file ends after 2 of 3 vertices"),
        ("a.graph", "3 2\n2\n1 3\n2\n1\n", 5, "more than the 3 entries"),
        ("a.graph", "3 2\n2\n1 4\n2\n", 3, "neighbour 4 is not in 1 … 3"),
        ("a.graph", "3 2\n2\n% c\n1 3\n0\n", 5, "neighbour 0 is not in 1 … 3"),
        ("a.graph", "3 2\n2\n1\n2\n", 4, "3 neighbours, but 2 edges have 4 ends"),
        ("a.graph", "3 2 1\n2 1\n1 1 3\n2 1\n", 3, "another number must follow"),
        ("a.gr", "c x\n", 1, "file ends before the line 'p'"),
        ("a.gr", "c x\na 1 2 3\n", 2, "expected 'p', sp or edge or col"),
        ("a.gr", "p max 3 2\n", 1, "found 'p max 3 2'"),
        ("a.gr", "p sp 3\n", 1, "found 'p sp 3'"),
        ("a.gr", "p sp -3 2\n", 1, "-3 vertices"),
        ("a.gr", "p sp 3 -2\n", 1, "-2 lines"),
        ("a.gr", f"p sp {LARGE} 2\na 1 1 1\na 1 1 1\n", 1, "do not fit in memory"),
        ("a.gr", f"p sp 3 {LARGE}\na 1 1 1\n", 1, "cannot be in a file of"),
        ("a.gr", "p sp 3 2\na 1 2 3\nc\n", 3, "file ends after 1 of 2 lines 'a'"),
        ("a.gr", "p sp 3 1\na 1 2 3\na 1 2 3\n", 3, "more than the 1 entries"),
        ("a.gr", "p sp 3 1\ne 1 2 3\n", 2, "line begins with 'e'"),
        ("a.gr", "p edge 3 1\na 1 2\n", 2, "line begins with 'a'"),
        ("a.gr", "p sp 3 1\nc\na 1 4 3\n", 3, "vertex 4 is not in 1 … 3"),
        ("a.gr", "p sp 3 1\np sp 3 1\na 1 4 3\n", 2, "line begins with 'p'"),
    ],
)
def test_errors(read, name, text, line, message):
    with pytest.raises(FormatError) as caught:
        read(name, text)
    assert message in str(caught.value)
    assert caught.value.line == line
    assert caught.value.path.endswith(name)


def test_compressed_files_cannot_be_refused_by_size(read):
    text = BANNER + "real general\n1 1 1000\n1 1 1\n"
    with pytest.raises(FormatError, match="file ends after 1 of 1000 entries") as caught:
        read("a.mtx.gz", gzip.compress(text.encode()))
    assert caught.value.line == 3


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("compressed", [False, True])
def test_bad_values_of_an_array(read, compressed):
    for values, line, message in (
        ("1\n%\n3x\n3\n4\n", 5, "'3x' is not a number"),
        ("1\n2\n3\n", 5, "file ends after 3 of 4 numbers"),
        ("1\n2\n% c\n\n3\n4\n5\n6\n", 9, "more numbers than the header announces"),
    ):
        text = ("%%MatrixMarket matrix array real general\n2 2\n" + values).encode()
        with pytest.raises(FormatError, match=message) as caught:
            read("a.mtx.gz" if compressed else "a.mtx", gzip.compress(text) if compressed else text)
        assert caught.value.line == line


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric", "hermitian"])
@pytest.mark.parametrize("field", ["real", "integer", "complex"])
@pytest.mark.parametrize("n", [1, 2, 9])
def test_arrays_same_as_scipy(tmp_path, symmetry, field, n):
    rng = np.random.default_rng(n)
    dense = rng.integers(-1, 2, (n, n)) + (1j * rng.integers(-1, 2, (n, n)) * (field == "complex"))
    if symmetry != "general":
        mirror = {"symmetric": dense.T, "hermitian": dense.conj().T, "skew-symmetric": -dense.T}
        dense = np.tril(dense, -1) + np.triu(mirror[symmetry], 1)
        dense += np.eye(n) * (symmetry != "skew-symmetric")
    dense = dense if field == "complex" else dense.real
    dense = dense.astype(int) if field == "integer" else dense
    symmetry = "symmetric" if symmetry == "hermitian" and field != "complex" else symmetry
    scipy.io.mmwrite(tmp_path / "a.mtx", dense, field=field, symmetry=symmetry)
    assert b"array" in (tmp_path / "a.mtx").read_bytes()
    expected = sorted(zip(*(side.tolist() for side in np.nonzero(dense)), strict=True))
    assert edges(berge.read(tmp_path / "a.mtx")) == ((n, n), expected)


# What is written


@st.composite
def graphs(draw, square=False):
    n_rows = draw(st.integers(0, 6))
    n_cols = n_rows if square else draw(st.integers(0, 6))
    places = st.tuples(st.integers(0, n_rows - 1), st.integers(0, n_cols - 1))
    found = draw(st.lists(places, max_size=20)) if n_rows and n_cols else []
    return berge.BipartiteGraph.from_edges(
        [i for i, _ in found], [j for _, j in found], (n_rows, n_cols)
    )


@pytest.mark.kernels
@pytest.mark.parametrize("suffix", [".mtx", ".mtx.gz", ".txt", ".csv", ".tsv.xz", ".npz"])
@settings(max_examples=25, deadline=None)
@given(graph=graphs())
def test_round_trip(tmp_path_factory, suffix, graph):
    path = tmp_path_factory.mktemp("graph") / f"graph{suffix}"
    berge.write(graph, path)
    assert edges(berge.read(path)) == edges(graph)


@pytest.mark.kernels
@settings(max_examples=25, deadline=None)
@given(graph=graphs(square=True))
def test_round_trip_square(tmp_path_factory, graph):
    path = tmp_path_factory.mktemp("graph")
    berge.write(graph, path / "graph.gr")
    assert edges(berge.read(path / "graph.gr")) == edges(graph)
    undirected = sorted({(i, j) for a, b in edges(graph)[1] if a != b for i, j in ((a, b), (b, a))})
    symmetric = berge.BipartiteGraph.from_edges(
        [i for i, _ in undirected], [j for _, j in undirected], graph.shape
    )
    berge.write(symmetric, path / "graph.graph.bz2")
    assert edges(berge.read(path / "graph.graph.bz2")) == (graph.shape, undirected)


def test_what_the_files_look_like(tmp_path):
    graph = berge.BipartiteGraph([0, 1, 3, 4], [1, 0, 2, 1], (3, 3))
    for name, text in {
        "a.mtx": BANNER + "pattern general\n3 3 4\n1 2\n2 1\n2 3\n3 2\n",
        "a.txt": "# rows 3 cols 3 entries 4\n0 1\n1 0\n1 2\n2 1\n",
        "a.csv": "# rows 3 cols 3 entries 4\n0,1\n1,0\n1,2\n2,1\n",
        "a.tsv": "# rows 3 cols 3 entries 4\n0\t1\n1\t0\n1\t2\n2\t1\n",
        "a.graph": "3 2\n2\n1 3\n2\n",
        "a.gr": "p sp 3 4\na 1 2 1\na 2 1 1\na 2 3 1\na 3 2 1\n",
    }.items():
        berge.write(graph, tmp_path / name)
        assert (tmp_path / name).read_text() == text


def test_metis_writes_symmetric_graphs_only(tmp_path):
    path = tmp_path / "a.graph"
    for rows, cols, shape, message in [
        ([0], [1], (2, 3), "square graphs only, not 2 × 3"),
        ([0, 1], [0, 1], (2, 2), "vertex 0 has one"),
        ([0, 1, 1, 2], [1, 0, 2, 2], (3, 3), "vertex 2 has one"),
        ([0, 1, 1], [1, 0, 2], (3, 3), r"an entry \(1, 2\) but none \(2, 1\)"),
        ([0, 1, 2], [1, 2, 0], (3, 3), r"an entry \(0, 1\) but none \(1, 0\)"),
    ]:
        with pytest.raises(InvalidGraphError, match=message):
            berge.write(berge.BipartiteGraph.from_edges(rows, cols, shape), path)
        assert not path.exists()
    twice = berge.BipartiteGraph.from_edges([0, 0, 1], [1, 1, 0], (2, 2))
    berge.write(twice, path)
    assert path.read_text() == "2 1\n2\n1\n"


def test_dimacs_writes_square_graphs_only(tmp_path):
    with pytest.raises(InvalidGraphError, match="square graphs only, not 1 × 2"):
        berge.write(berge.BipartiteGraph([0, 1], [1], (1, 2)), tmp_path / "a.gr")


@pytest.mark.kernels
@pytest.mark.parametrize("buffer", [*range(50, 80), 1 << 12])
def test_buffer_borders(tmp_path, buffer):
    numbers = np.array([0, 9, 10, 99, 100, 12345, 2**31 - 1, 2**62, 2**63 - 2, 7] * 3)
    indptr = np.array([0, 0, 5, 5, 20, 30, 30])
    rows = np.repeat(np.arange(6), np.diff(indptr))
    with open(tmp_path / "pairs", "wb") as file:
        digits.write_pairs(file, indptr, numbers, base=1, before=b"a ", buffer=buffer)
    expected = [f"a {i + 1} {j + 1}" for i, j in zip(rows, numbers.tolist(), strict=True)]
    assert (tmp_path / "pairs").read_text().splitlines() == expected
    with open(tmp_path / "rows", "wb") as file:
        digits.write_rows(file, indptr, numbers, base=1, buffer=buffer)
    expected = [" ".join(str(int(j) + 1) for j in part) for part in np.split(numbers, indptr[1:-1])]
    assert (tmp_path / "rows").read_text().split("\n") == [*expected, ""]


# Against scipy, and against damage


@pytest.mark.parametrize("kind", ["general", "symmetric", "skew-symmetric", "hermitian"])
@pytest.mark.parametrize("field", ["real", "complex", "pattern", "integer"])
def test_same_as_scipy(tmp_path, kind, field):
    rng = np.random.default_rng(5)
    n = 300
    matrix = scipy.sparse.random_array((n, n), density=0.02, rng=rng, format="coo")
    if kind != "general":
        matrix = scipy.sparse.tril(matrix, -1 if kind == "skew-symmetric" else 0)
        matrix = matrix + {"skew-symmetric": -1}.get(kind, 1) * scipy.sparse.triu(matrix.T, 1)
    if field == "integer":
        matrix = (1000 * matrix).ceil() if kind != "skew-symmetric" else (1000 * matrix).rint()
    path = tmp_path / "a.mtx"
    symmetry = "symmetric" if kind == "hermitian" and field != "complex" else kind
    if field == "pattern" and kind == "skew-symmetric":
        symmetry = "symmetric"
        matrix = abs(matrix)
    matrix = matrix.astype(complex) if field == "complex" else matrix
    scipy.io.mmwrite(path, matrix.tocoo(), field=field, symmetry=symmetry)
    expected = scipy.io.mmread(path).tocoo()
    found = edges(berge.read(path))
    assert found == ((n, n), sorted(zip(expected.row.tolist(), expected.col.tolist(), strict=True)))
    assert len(found[1]) > 1000
    header = matrix_market.check(path)
    assert header.shape == (n, n)
    assert header.symmetry == symmetry


VALID = {
    "a.mtx": BANNER.encode() + b"real symmetric\n% c\n3 3 3\n1 1 1\n2 1 5\n3 2 1e5\n",
    "b.mtx": b"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n",
    "a.txt": b"# rows 3 cols 3 entries 3\n0 1\n1,2 x\n2 2\n",
    "a.csv": b"from,to\n0,1\n1,2\n",
    "a.graph": b"3 2 11 2\n5 6 2 9\n5 6 1 9 3 8\n5 6 2 8\n",
    "a.gr": b"c x\np edge 3 2\ne 1 2\nn 1 1\ne 2 3\n",
}


@pytest.mark.parametrize("name", VALID)
@pytest.mark.filterwarnings("ignore::berge.GuessWarning")
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_damage_is_an_error_or_another_graph(tmp_path_factory, name, data):
    text = VALID[name]
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 5)))
    piece = data.draw(
        st.one_of(
            st.binary(max_size=6), st.text("0123456789 \n\r\t-+%#,.ea", max_size=6).map(str.encode)
        )
    )
    path = tmp_path_factory.mktemp("damage") / name
    path.write_bytes(text[:start] + piece + text[stop:])
    try:
        graph = berge.read(path)
    except FormatError:
        return
    again = berge.BipartiteGraph(graph.indptr, graph.indices, graph.shape)  # looked at anew
    assert again.nnz == graph.nnz
