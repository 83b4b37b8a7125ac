"""GraphML and Pajek, by igraph and by networkx; Arrow files, by numbers and by labels."""

from __future__ import annotations

import gzip
import struct
import subprocess
import sys

import numpy as np
import pytest

import berge
from berge import generate

from ..cli.invoke import run, run_json

WISHES = [("ann", "cook"), ("bob", "cook"), ("cid", "cook"), ("cid", "drive")]
PAJEK = '*Vertices 4{}\n1 "ann"\n2 "bob"\n3 "cook"\n4 "drive"\n*Edges\n1 3 2.5\n2 3\n2 4\n'


@pytest.fixture
def wishes(tmp_path):
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph(WISHES)
    for node in graph:
        graph.nodes[node]["bipartite"] = int(node in ("cook", "drive"))
    networkx.write_graphml(graph, tmp_path / "wishes.graphml")
    return tmp_path / "wishes.graphml"


@pytest.fixture(params=["igraph", "networkx"])
def reader(request, monkeypatch):
    pytest.importorskip(request.param)
    if request.param == "networkx":
        monkeypatch.setitem(sys.modules, "igraph", None)
    return request.param


def test_graphml(wishes, reader):
    graph = berge.read(wishes)
    assert (set(graph.row_labels), set(graph.col_labels)) == (
        {"ann", "bob", "cid"},
        {"cook", "drive"},
    )
    assert graph.nnz == 4
    packed = wishes.with_name("wishes.graphml.gz")
    packed.write_bytes(gzip.compress(wishes.read_bytes()))
    assert run_json("match", packed)["cardinality"] == 2
    assert "want only cook: 2 for 1" in run("match", wishes).stdout
    assert run("match", wishes, "-o", "-").stdout.startswith("rows,columns\n")


def test_pajek(tmp_path, reader):
    path = tmp_path / "a.net"
    path.write_text(PAJEK.format(""))
    graph = berge.read(path)
    assert {*graph.row_labels, *graph.col_labels} == {"ann", "bob", "cook", "drive"}
    with pytest.warns(berge.GuessWarning, match="2 of 3 edges have no attribute 'weight'"):
        weights = berge.as_graph(path, weights=True).weights
    assert sorted(weights.tolist()) == [1, 1, 1, 1, 2.5, 2.5]
    path.write_text(PAJEK.format(" 2"))
    if reader == "igraph":
        assert berge.read(path).row_labels == ("ann", "bob")
        assert berge.read(path).source is None
    else:
        with pytest.raises(berge.FormatError, match=r"a\.net: cannot be read"):
            berge.read(path)


def test_damaged_or_not_for_this(tmp_path, reader):
    (tmp_path / "a.graphml").write_text("hello")
    with pytest.raises(berge.FormatError, match=r"a\.graphml: cannot be read"):
        berge.read(tmp_path / "a.graphml")
    with pytest.raises(FileNotFoundError):
        berge.read(tmp_path / "none.net")
    with pytest.raises(berge.FormatError, match="read, not written"):
        berge.write(generate.chain(3), tmp_path / "b.graphml")


def test_without_either(tmp_path, monkeypatch):
    (tmp_path / "a.net").write_text(PAJEK)
    for name in ("igraph", "networkx"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(berge.OptionError, match="need igraph or networkx"):
        berge.read(tmp_path / "a.net")


@pytest.mark.parametrize("suffix", [".feather", ".arrow"])
def test_arrow_by_numbers(tmp_path, suffix):
    pytest.importorskip("pyarrow")
    graph, path = generate.permute(generate.chain(500)), tmp_path / f"a{suffix}"
    berge.write(graph, path)
    path.with_suffix("").write_bytes(path.read_bytes())
    for source in (path, path.with_suffix("")):  # by its name, and by its beginning
        assert (berge.read(source).to_scipy() != graph.to_scipy()).nnz == 0
    run("convert", path, tmp_path / "a.berge")
    assert berge.read(tmp_path / "a.berge").nnz == graph.nnz
    run("match", path, "-o", tmp_path / "m.txt")
    assert "maximum" in run("verify", path, tmp_path / "m.txt").stdout
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(berge.FormatError, match="not a Parquet or Arrow file, or damaged"):
        berge.read(path)


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_tables_of_labels(tmp_path, suffix):
    frame = pytest.importorskip("pandas").DataFrame(WISHES, columns=["who", "what"])
    frame["score"] = np.arange(4)
    path = tmp_path / f"wishes.{suffix}"
    getattr(frame, f"to_{suffix}")(path)
    columns = "--left", "who", "--right", "what"
    assert "ann and bob want only cook: 2 for 1" in run("match", path, *columns).stdout
    assert "rows ann and bob" in run("decompose", path, *columns).stdout
    best = run("assign", path, *columns, "--objective", "max", "-o", "-")
    assert best.stdout == "who,what,score\nbob,cook,1\ncid,drive,3\n"
    assert "scores in column score" in best.stderr
    assert "--left …" in run("match", path, code=2).stderr


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_names_of_any_graph_go_into_tables(tmp_path, suffix):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_weighted_edges_from([("ann", "bob", 3), ("bob", "cid", 5), ("cid", "ann", 4)])
    path = tmp_path / f"pairs{suffix}"
    for found in (
        berge.maximum_weight_matching(graph),
        berge.greedy_matching(graph, weights=True),
    ):
        found.save(path)
        if suffix == ".parquet":
            import pyarrow.parquet as parquet

            assert parquet.read_table(path).to_pydict() == {"left": ["bob"], "right": ["cid"]}
        else:
            between = "," if suffix == ".csv" else "\t"
            assert path.read_text() == f"left{between}right\nbob{between}cid\n"
        assert found.unmatched_names == ["ann"]


def test_commands_write_names_of_any_graph(tmp_path):
    networkx = pytest.importorskip("networkx")
    source, out = tmp_path / "a.graphml", tmp_path / "out.csv"
    networkx.write_graphml(networkx.Graph([("ann", "bob", {"weight": 2.0})]), source)
    for command in (("weighted",), ("greedy", "--weights"), ("match", "--general")):
        run(*command, source, "-o", out)
        assert out.read_text() == "left,right\nann,bob\n"
        out.unlink()


@pytest.mark.parametrize("where", ["", "%" + " " * 70_000 + "\n*vertices 1\n"])
def test_a_pajek_header_of_many_vertices_takes_no_memory(tmp_path, where):
    """28 bytes took 6 GB."""
    path = tmp_path / "g.net"
    path.write_text(f"{where}*Vertices 1000000000\n*Edges\n1 2\n")
    for read in (berge.read, berge.as_graph):
        with pytest.raises(berge.FormatError, match=r"g\.net: 1,000,000,000 rows.* do not fit"):
            read(path)


def damaged_arrow(path, compression, length, claimed=None):
    """Write an Arrow file whose batch says that it has so many rows, and buffers of that size."""
    pyarrow = pytest.importorskip("pyarrow")
    ipc = pytest.importorskip("pyarrow.ipc")

    zeros = pyarrow.array(np.zeros(77, np.int64))
    table = pyarrow.table({"row": zeros, "col": zeros})
    sink = pyarrow.BufferOutputStream()
    options = ipc.IpcWriteOptions(compression=compression)
    with ipc.new_file(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    data = sink.getvalue().to_pybytes().replace(struct.pack("<q", 77), struct.pack("<q", length))
    if claimed is not None:
        data = data.replace(struct.pack("<q", 8 * 77), struct.pack("<q", claimed))
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("compression", "length", "claimed"),
    [(None, n, None) for n in (10**8, 2**62, -5, 78)]
    + [("lz4", 10**8, None), ("zstd", 77, 2**62), ("lz4", 77, 2**62), ("zstd", 77, -7)],
)
def test_arrow_files_whose_lengths_lead_out_of_them(tmp_path, compression, length, claimed):
    """The bytes behind the file became edges, or the process crashed."""
    damaged_arrow(tmp_path / "g.arrow", compression, length, claimed)
    said = subprocess.run(
        [sys.executable, "-c", READ_ALL, tmp_path / "g.arrow"], capture_output=True, text=True
    )
    assert (said.returncode, said.stderr, said.stdout) == (0, "", "refused\n" * 5)


READ_ALL = """
import sys, berge
from berge.checker.graphs import Source, read
from berge.checker.untrusted import Limits
from berge.files import read_weighted
from berge.files.parquet import table_of_labels
from pathlib import Path

def independent(path):
    for _ in read(Source(Path(path), Limits(1 << 30)))[1]:
        pass

def labels(path):
    from berge.files import parquet
    parquet._import()[0].types.is_integer = lambda kind: False
    return table_of_labels(path, None, None)

for call in (berge.read, berge.as_graph, lambda p: read_weighted(p, weights="row", left="row",
             right="col"), independent, labels):
    try:
        print(call(sys.argv[1]))
    except berge.FormatError as error:
        assert "g.arrow" in str(error), error
        print("refused")
"""


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_more_edges_than_fit_are_refused(tmp_path, suffix):
    pytest.importorskip("pyarrow")
    path = tmp_path / f"g.{suffix}"
    berge.write(generate.erdos_renyi(3000, 3000, 100_000), path)
    with pytest.raises(berge.FormatError, match=r"0 rows, 0 columns, .* do not fit in memory"):
        berge.read(path, limits=berge.Limits(memory=600_000))
    assert berge.read(path, limits=berge.Limits(memory=20 << 20)).nnz > 90_000
