"""URLs, patterns and open files: stores in memory, and a server of our own."""

from __future__ import annotations

import bz2
import gc
import gzip
import io
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

import berge
from berge.errors import FetchError, FormatError, OptionError
from berge.files import Limits, download
from berge.files.files import replacing
from berge.files.folder import Folder, FolderElsewhere, FolderGraph
from berge.files.remote import Copy, opened, plain, shown

fsspec = pytest.importorskip("fsspec")
pytest.importorskip("pyarrow")

GRAPH = berge.generate.erdos_renyi(60, 50, 200, seed=1).without_duplicates()
SUFFIXES = ("mtx", "mtx.gz", "npz", "csv", "parquet", "feather", "berge")


def same(graph, other=GRAPH):
    """Whether graphs have the same edges; an edge list does not know of empty rows at the end."""
    ends = [
        set(np.repeat(np.arange(g.n_rows), np.diff(g.indptr)) * 10**6 + g.indices)
        for g in (graph, other)
    ]
    return ends[0] == ends[1]


@pytest.fixture
def store():
    """A folder in a store of objects, which is in memory."""
    system = fsspec.filesystem("memory")
    yield "memory://box"
    if system.exists("/box"):
        system.rm("/box", recursive=True)


class Handler(BaseHTTPRequestHandler):
    """Sends the files of a folder, as the server's attributes say."""

    def log_message(self, *args):
        pass

    def do_GET(self):
        server = self.server
        path = server.folder / self.path.partition("?")[0].lstrip("/")
        server.requests.append(self.headers.get("Range"))
        if not path.is_file():
            self.send_error(404)
            return
        content = path.read_bytes()
        size = len(content)
        wanted = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        ranged = server.ranges and wanted is not None
        if ranged:
            low, high = int(wanted[1]), min(int(wanted[2] or size), size - 1)
            content = content[low : high + 1]
        self.send_response(206 if ranged else 200)
        if ranged:
            self.send_header("Content-Range", f"bytes {low}-{high}/{size}")
        self.send_header("ETag", f'"{server.version()}"')
        if server.length:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def server(monkeypatch, tmp_path):
    monkeypatch.setattr(download, "PAUSE", 0.001)
    monkeypatch.setenv("no_proxy", "*")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.folder = tmp_path / "served"
        server.folder.mkdir()
        server.ranges, server.length, server.requests = True, True, []
        server.version = lambda: "one"
        server.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_there_and_back(store, suffix):
    url = f"{store}/graph.{suffix}"
    berge.write(GRAPH, url)
    assert same(berge.read(url))
    assert berge.maximum_matching(url).cardinality == berge.maximum_matching(GRAPH).cardinality


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_over_http(server, suffix, ranges):
    server.ranges = ranges
    berge.write(GRAPH, server.folder / f"graph.{suffix}")
    assert same(berge.as_bipartite(f"{server.url}/graph.{suffix}"))


def test_hypergraphs(store):
    with fsspec.open(f"{store}/nets.hgr", "w") as file:
        file.write("2 4 1\n7 1 2\n2 2 3 4\n")
    nets = berge.read_hypergraph(f"{store}/nets.hgr")
    assert (nets.weights == [7, 2]).all()


def test_file_urls_are_paths(tmp_path):
    path = tmp_path / "a b#c.mtx"
    berge.write(GRAPH, path.as_uri())
    assert path.is_file()
    assert same(berge.read(path.as_uri()))
    assert plain("file://localhost/a/b") == "/a/b"


def test_matchings_and_greedy_matchings(store):
    matching = berge.maximum_matching(GRAPH)
    for suffix in ("npz", "txt", "json"):
        matching.save(f"{store}/m.{suffix}")
        assert (berge.Matching.load(f"{store}/m.{suffix}").row_match == matching.row_match).all()
    pairs = berge.greedy_matching(([0, 1], [1, 2]))
    pairs.save(f"{store}/pairs.npz")
    assert berge.GreedyMatching.load(f"{store}/pairs.npz").size == pairs.size
    with fsspec.open(f"{store}/m.npz") as file:
        assert berge.maximum_matching(GRAPH, initial=matching).cardinality == matching.cardinality
        assert berge.files.matchings.read_matching(file)[2] == matching.upper_bound


def test_only_what_is_asked_for_is_read_of_parquet(server):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    n = 200_000
    noise = np.random.default_rng(1).bytes(8 * n * 8)
    table = {"a": np.arange(n), "b": np.arange(n)}
    table["other"] = np.frombuffer(noise, np.dtype("S64"), n)
    path = server.folder / "wide.parquet"
    parquet.write_table(pyarrow.table(table), path, use_dictionary=False)
    graph = berge.as_bipartite(f"{server.url}/wide.parquet", left="a", right="b")
    assert graph.nnz == n
    ends = [re.match(r"bytes=(\d+)-(\d+)", wanted).groups() for wanted in server.requests]
    assert sum(int(high) + 1 - int(low) for low, high in ends) < 0.8 * path.stat().st_size


def test_a_part_reads_its_own_rows(server, store, tmp_path):
    graph = berge.generate.erdos_renyi(5000, 5000, 40_000, seed=1).without_duplicates()
    berge.write(graph, server.folder / "graph.berge")
    berge.write(graph, f"{store}/graph.berge")
    there = Folder(server.folder / "graph.berge")
    for url in (f"{server.url}/graph.berge", f"{store}/graph.berge"):
        found = FolderElsewhere(url)
        for piece, expected in zip(found.slice(100, 200), there.slice(100, 200), strict=True):
            np.testing.assert_array_equal(piece, expected)
        assert os.stat(found.file("indices")).st_blocks * 512 < 40_000


def test_what_is_larger_than_memory_is_copied(store, monkeypatch):
    berge.write(GRAPH, f"{store}/graph.berge")
    url = f"{store}/graph.berge"
    matching = berge.maximum_matching(url, algorithm="out-of-core")
    assert matching.stats.algorithm == "out-of-core"
    assert matching.cardinality == berge.maximum_matching(GRAPH).cardinality
    graph = berge.read(url, limits=Limits(memory=1000))
    assert isinstance(graph, FolderGraph)
    place = Path(graph.folder.path)
    assert same(graph)
    assert place.is_dir()
    del graph
    gc.collect()
    assert not place.parent.exists()


def test_damage_names_the_url(store):
    berge.write(GRAPH, f"{store}/graph.berge")
    with fsspec.open(f"{store}/graph.berge/indices.npy", "rb") as file:
        content = bytearray(file.read())
    content[-3] ^= 1
    with fsspec.open(f"{store}/graph.berge/indices.npy", "wb") as file:
        file.write(content)
    with pytest.raises(FormatError, match=r"^memory://box/graph.berge/indices.npy: "):
        berge.read(f"{store}/graph.berge")
    with fsspec.open(f"{store}/bad.mtx", "wb") as file:
        file.write(b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n3 1\n")
    with pytest.raises(FormatError, match=r"^memory://box/bad.mtx, line 3: "):
        berge.read(f"{store}/bad.mtx")
    with fsspec.open(f"{store}/bad.parquet", "wb") as file:
        file.write(b"PAR1, or so it says")
    with pytest.raises(FormatError, match=r"^memory://box/bad.parquet: not a Parquet"):
        berge.read(f"{store}/bad.parquet")


def test_errors_are_of_our_own_and_keep_secrets(server, store):
    for url in (f"{server.url}/none.mtx?key=SECRET", f"{store}/none.npz", f"{store}/none.parquet"):
        with pytest.raises(FetchError, match="not found") as caught:
            berge.read(url)
        assert isinstance(caught.value, FileNotFoundError)
        assert "SECRET" not in str(caught.value)
    with pytest.raises(FetchError, match="not found"):
        berge.read(f"{server.url}/none.parquet?key=SECRET")
    with pytest.raises(FetchError, match="Protocol not known"):
        berge.read("nosuch://box/a.mtx")
    assert shown("s3://me:SECRET@host/a") == "s3://host/a"
    with pytest.raises(OptionError, match="not written to"):
        berge.write(GRAPH, f"{server.url}/a.mtx")


def test_no_network():
    with pytest.raises(FetchError, match="could not reach"):
        berge.read("http://127.0.0.1:9/a.mtx")
    with pytest.raises(FetchError, match=r"http://127.0.0.1:9/a.parquet"):
        berge.read("http://127.0.0.1:9/a.parquet")


def test_without_fsspec(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(OptionError, match=re.escape("berge[remote]")):
        berge.read("s3://box/a.mtx")


@pytest.mark.parametrize("length", [True, False])
def test_a_download_has_a_limit(server, length):
    server.length = length
    berge.write(GRAPH, server.folder / "graph.mtx")
    url = f"{server.url}/graph.mtx"
    with pytest.raises(FetchError, match=r"may be downloaded; --limit download"):
        berge.read(url, limits=Limits(download=100))
    assert berge.read(url, limits=Limits(download=10_000)).nnz == GRAPH.nnz


def test_limits_of_open_files_and_stores(store):
    berge.write(GRAPH, f"{store}/graph.mtx")
    with pytest.raises(FetchError, match="may be downloaded"):
        berge.read(f"{store}/graph.mtx", limits=Limits(download=100))
    berge.write(GRAPH, f"{store}/graph.parquet")
    with pytest.raises(FetchError, match=r"graph.parquet has .* may be downloaded"):
        berge.read(f"{store}/graph.parquet", limits=Limits(download=100))
    with (
        fsspec.open(f"{store}/graph.mtx") as file,
        pytest.raises(FetchError, match="may be downloaded"),
    ):
        berge.read(file, format="mtx", limits=Limits(download=100))


def test_no_more_than_the_disk_has_room_for(server, monkeypatch):
    berge.write(GRAPH, server.folder / "graph.mtx")
    monkeypatch.setattr("shutil.disk_usage", lambda path: os.terminal_size((0, 0)) and Free(50))
    with pytest.raises(FetchError, match="the disk has 50 bytes left"):
        berge.read(f"{server.url}/graph.mtx")


class Free:
    def __init__(self, free):
        self.free = free


def test_a_compressed_file_is_limited_as_any(store):
    with fsspec.open(f"{store}/zeros.mtx.bz2", "wb") as file:
        head = b"%%MatrixMarket matrix coordinate pattern general\n"
        file.write(bz2.compress(head + b"% a remark\n" * 3_000_000))
    with pytest.raises(FormatError, match=r"memory://box/zeros.mtx.bz2.*--limit ratio"):
        berge.read(f"{store}/zeros.mtx.bz2", limits=Limits(ratio=10))


def test_a_file_that_changes_while_it_is_read(server):
    path = server.folder / "graph.parquet"
    path.write_bytes(bytes(10_000_000))
    versions = iter(["one", "two", "three"])
    server.version = lambda: next(versions)
    with pytest.raises(FormatError, match=r"graph.parquet: was changed while it was read"):
        opened(f"{server.url}/graph.parquet").read()


def test_whole_or_not_at_all(store, monkeypatch):
    url = f"{store}/graph.berge"
    before = GRAPH.T
    berge.write(before, f"{store}/graph.mtx")

    def half():
        with replacing(f"{store}/graph.mtx") as file:
            file.write(b"half of it")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert same(berge.read(f"{store}/graph.mtx"), before)
    berge.write(GRAPH, url)
    with pytest.raises(FetchError, match="there already"):
        berge.write(before, url)
    assert same(berge.read(url))
    # A store that breaks off leaves no graph: what makes it one comes last.
    system, sent = fsspec.filesystem("memory"), []

    def put(self, here, there, **more):
        sent.append(there)
        if there.endswith("meta.json"):
            raise ConnectionError("gone")

    monkeypatch.setattr(type(system), "put_file", put)
    with pytest.raises(FetchError, match="gone"):
        berge.write(GRAPH, f"{store}/other.berge")
    assert sent[-1].endswith("meta.json")
    assert len(sent) == 3


def test_patterns(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for k, text in enumerate(("0,1\n1,0\n", "2,2\n1,1\n")):
        Path(f"edges-{k}.csv").write_text(text)
        with fsspec.open(f"{store}/edges-{k}.csv", "w") as file:
            file.write(text)
    whole = berge.as_bipartite(([0, 1, 2, 1], [1, 0, 2, 1]))
    for pattern in ("edges-*.csv", f"{store}/edges-*.csv"):
        assert same(berge.read(pattern), whole)
    Path("w-0.csv").write_text("0,1,5\n")
    Path("w-1.csv").write_text("1,0,2.5\n")
    assert berge.assign("w-*.csv").total == 7.5
    assert berge.greedy_matching("w-*.csv", weights=True).weight == 5
    for k in range(2):
        berge.write(GRAPH, f"graph-{k}.parquet")
        berge.write(GRAPH, f"{store}/graph-{k}.parquet")
        berge.write(GRAPH, f"graph-{k}.mtx")
    for pattern in ("graph-*.parquet", f"{store}/graph-?.parquet"):
        assert same(berge.read(pattern))
    assert same(berge.read("graph-0*.mtx"))
    with pytest.raises(FormatError, match=r"2 files are called so, each a graph of its own"):
        berge.read("graph-*.mtx")
    with pytest.raises(FileNotFoundError, match=r"no file is called none-\*.mtx"):
        berge.read("none-*.mtx")
    Path("odd[1].csv").write_text("0,0\n")
    assert berge.read("odd[1].csv").nnz == 1


def test_open_files(tmp_path):
    for suffix in ("mtx", "mtx.gz", "npz", "csv", "parquet"):
        path = tmp_path / f"graph.{suffix}"
        berge.write(GRAPH, path)
        with path.open("rb") as file:
            assert same(berge.as_bipartite(file))
        with path.open("rb") as file:  # without a name
            assert same(berge.read(io.BytesIO(file.read()), format=suffix.partition(".")[0]))
    with (tmp_path / "graph.mtx").open(encoding="utf-8") as file:
        assert same(berge.read(file))
    with gzip.open(tmp_path / "graph.mtx.gz") as file:  # decompressed, in spite of its name
        assert same(berge.read(file))
    with (tmp_path / "graph.npz").open("rb") as file:  # its beginning tells
        assert same(berge.as_bipartite(io.BytesIO(file.read())))
    with pytest.raises(FormatError, match="a name without a suffix"):
        berge.read(io.BytesIO(b"0 0\n"))
    assert berge.as_graph(_named(b"0 1 2.5\n"), weights=True).weights[0] == 2.5
    assert berge.assign(_named(b"0 1 2.5\n")).total == 2.5
    assert berge.maximum_weight_matching(_named(b"0 1 2\n1 2 -3\n")).weight == 2


def _named(content):
    file = io.BytesIO(content)
    file.name = "edges.csv"
    return file


def test_copies_go(store):
    copy = Copy.at("file")
    folder = Path(copy).parent
    assert folder.is_dir()
    del copy
    assert not folder.exists()
