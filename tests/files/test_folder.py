"""Folders of CSR arrays, and conversion to them in bounded memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import berge
from berge.errors import FormatError, OptionError
from berge.files import convert, format_of, manifest
from berge.files.folder import Folder, FolderGraph, fingerprint_of, writing
from berge.files.streams import open_stream

from ..corpus import SMALL


def same(a, b):
    return a.shape == b.shape and all(
        np.array_equal(x, y) for x, y in ((a.indptr, b.indptr), (a.indices, b.indices))
    )


@pytest.mark.parametrize("name", SMALL)
def test_round_trip(tmp_path, name):
    graph = SMALL[name][0]().without_duplicates()
    berge.write(SMALL[name][0](), tmp_path / "graph.berge")  # duplicates and order are put right
    opened = Folder(tmp_path / "graph.berge", check=True)
    assert (opened.shape, opened.nnz) == (graph.shape, graph.nnz)
    assert opened.fingerprint == fingerprint_of(graph)
    assert same(berge.read(tmp_path / "graph.berge"), graph)
    assert np.array_equal(np.load(tmp_path / "graph.berge" / "indices.npy"), graph.indices)
    on_disk = FolderGraph(opened)
    assert np.array_equal(on_disk.indices, graph.indices)
    assert np.array_equal(on_disk.col_degrees, graph.col_degrees)
    middle = graph.n_rows // 2
    indptr, indices = opened.slice(middle, graph.n_rows)
    assert np.array_equal(indices, graph.indices[graph.indptr[middle] :])
    assert np.array_equal(np.diff(indptr), graph.row_degrees[middle:])
    assert os.listdir(tmp_path) == ["graph.berge"]


def test_checksums_by_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(manifest, "CHUNK", 64)
    graph = berge.generate.erdos_renyi(30, 30, 200, seed=1).without_duplicates()
    berge.write(graph, tmp_path / "graph.berge")
    assert Folder(tmp_path / "graph.berge", check=True).fingerprint == fingerprint_of(graph)
    place = tmp_path / "graph.berge" / "indices.npy"
    content = bytearray(place.read_bytes())
    content[128 + 3 * 64] ^= 1
    place.write_bytes(content)
    Folder(tmp_path / "graph.berge")  # not looked at before it is asked for
    with pytest.raises(FormatError, match="checksum of part 3") as caught:
        Folder(tmp_path / "graph.berge", check=True)
    assert caught.value.path == str(place)


def test_replaced_or_not(tmp_path):
    path = tmp_path / "graph.berge"
    one, two = berge.generate.chain(5), berge.generate.chain(9)
    berge.write(one, path)
    berge.write(two, path)
    assert same(berge.read(path), two)
    with pytest.raises(RuntimeError), writing(path, (1, 1)):
        raise RuntimeError
    assert same(berge.read(path), two)
    assert os.listdir(tmp_path) == ["graph.berge"]
    (tmp_path / "mine.berge").mkdir()
    (tmp_path / "mine.berge" / "thesis.tex").write_text("x")
    with pytest.raises(FileExistsError, match="other things"):
        berge.write(one, tmp_path / "mine.berge")
    (tmp_path / "file.berge").write_text("x")
    with pytest.raises(FileExistsError, match="is a file"):
        berge.write(one, tmp_path / "file.berge")
    with pytest.raises(FileNotFoundError):
        berge.write(one, tmp_path / "none" / "graph.berge")


def _edit(change):
    def damage(path):
        meta = json.loads((path / "meta.json").read_text())
        change(meta)
        (path / "meta.json").write_text(json.dumps(meta))

    return damage


def _cut(path):
    os.truncate(path / "indices.npy", os.path.getsize(path / "indices.npy") - 1)


def _replaced(name, array):
    return lambda path: np.save(path / f"{name}.npy", array)


def _header(text):
    def damage(path):
        content = bytearray((path / "indptr.npy").read_bytes())
        content[10 : 10 + len(text)] = text
        (path / "indptr.npy").write_bytes(content)

    return damage


def _replaced_by(content):
    return lambda path: (path / "indptr.npy").write_bytes(content)


def _raw(name, at, values):
    def damage(path):
        array = np.load(path / f"{name}.npy", mmap_mode="r+")
        array[at] = values

    return damage


DAMAGE = {
    "no meta": (lambda path: (path / "meta.json").unlink(), "has a file meta.json"),
    "not JSON": (lambda path: (path / "meta.json").write_text("{"), "not JSON"),
    "a list": (lambda path: (path / "meta.json").write_text("[]"), "not the meta.json"),
    "foreign": (_edit(lambda meta: meta.update(format="zarr")), "not the meta.json"),
    "version": (_edit(lambda meta: meta.update(version=2)), "version 2, known is 1"),
    "sizes": (_edit(lambda meta: meta.update(rows=-1)), "rows must be a whole number"),
    "no sums": (_edit(lambda meta: meta.pop("checksums")), "checksums of indptr"),
    "changed": (_edit(lambda meta: meta.update(cols=100)), "fingerprint does not fit"),
    "missing": (lambda path: (path / "indices.npy").unlink(), "indices.npy: the file is missing"),
    "truncated": (_cut, "indices.npy: claims .* but has 67 bytes"),
    "no array": (_replaced_by(b"x" * 300), "does not begin as an .npy file"),
    "deep": (lambda path: (path / "meta.json").write_text("[" * 100_000), "not JSON"),
    "long": (lambda path: os.truncate(path / "meta.json", 1 << 27), "longer than the 64 MiB"),
    "sums": (_edit(lambda meta: meta["checksums"].update(indptr=["x"])), "checksums of indptr"),
    "header": (_header(b"{'descr': ("), "indptr.npy: has a header that is none"),
    "brackets": (_header(b"[" * 40), "indptr.npy: has a header that is none"),
    "version 2": (_replaced_by(b"\x93NUMPY\x07\x00"), r"indptr.npy: version \(7, 0\)"),
    "type": (_replaced("indices", np.zeros(20)), "indices.npy: has shape .* of float64"),
    "length": (_replaced("indptr", np.zeros(3, np.int64)), "indptr.npy: has shape"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_folders(tmp_path, kind):
    path = tmp_path / "graph.berge"
    berge.write(berge.generate.chain(9), path)
    damage, message = DAMAGE[kind]
    damage(path)
    with pytest.raises(FormatError, match=message):
        berge.maximum_matching(path)


def test_what_only_the_content_shows(tmp_path):
    path = tmp_path / "graph.berge"
    graph = berge.generate.chain(9)
    for damage, message in (
        (_raw("indptr", 3, 10**6), "indptr falls"),
        (_raw("indptr", 9, 3), "indptr"),
        (_raw("indices", 4, 10**6), r"indices\[4\] = 1000000 is not in 0 … 8"),
        (_raw("indices", 4, -1), r"indices\[4\] = -1 is not in 0 … 8"),
    ):
        berge.write(graph, path)
        damage(path)
        with pytest.raises(FormatError, match="checksum"):
            Folder(path, check=True)
        with pytest.raises(FormatError, match=r"rows 0|indices\[4\]"):
            Folder(path).slice(0, 9)
        for algorithm in ("auto", "out-of-core"):
            with pytest.raises(FormatError, match=message):
                berge.maximum_matching(path, algorithm=algorithm)
    for damage in (_raw("indices", 4, 7), _raw("indptr", 2, 2)):  # a graph, but another one
        berge.write(graph, path)
        damage(path)
        for algorithm in ("auto", "out-of-core"):
            with pytest.raises(FormatError, match=r"npy: the checksum of part 0"):
                berge.maximum_matching(path, algorithm=algorithm)
    with pytest.raises(FileNotFoundError):
        berge.maximum_matching(tmp_path / "none.berge")
    with pytest.raises(FormatError, match="no weights"):
        berge.files.read_graph(tmp_path / "graph.berge")


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(convert, "LEAST_MEMORY", 1)


@pytest.mark.filterwarnings("ignore::berge.GuessWarning")  # no edge may have row 0
@pytest.mark.parametrize("suffix", ["mtx", "csv", "txt.gz", "parquet"])
@pytest.mark.parametrize("name", ["nothing", "duplicates", "star", "rmat", "sparse random, tall"])
def test_convert(tmp_path, little_memory, name, suffix):
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    graph = SMALL[name][0]()
    source = tmp_path / f"graph.{suffix}"
    berge.write(graph, source)
    read = berge.read(source).without_duplicates()  # Parquet has no empty rows at its end
    # All at once; in many groups; and in groups of single rows that are larger than they should be.
    for memory in (1 << 20, 20 * graph.nnz + 40, 40):
        stream = open_stream(source, format_of(source).name)
        steps = []
        made = convert.convert_stream(
            stream,
            tmp_path / "graph.berge",
            memory=memory,
            progress=lambda *step, steps=steps: steps.append(step),
        )
        made.check()
        assert same(berge.read(tmp_path / "graph.berge"), read)
        assert made.fingerprint == fingerprint_of(read)
        assert not graph.nnz or {"reading", "sorting"} == {step for step, _, _ in steps}
    assert sorted(os.listdir(tmp_path)) == ["graph.berge", source.name]


@pytest.mark.kernels
def test_runs_of_other_widths(tmp_path, little_memory, monkeypatch):
    """Rows that grow along the file: later runs have wider buckets than earlier ones."""
    monkeypatch.setattr(convert, "_BUCKETS", 4)
    rng = np.random.default_rng(3)
    rows = np.sort(rng.integers(0, 5000, 3000)) ** 2 // 5000
    cols = rng.integers(0, 70, 3000)
    source = tmp_path / "edges.txt"
    source.write_text("".join(f"{r} {c}\n" for r, c in zip(rows, cols, strict=True)))
    monkeypatch.setattr(berge.files.lines, "CHUNK", 512)
    stream = open_stream(source, "edge-list")
    convert.convert_stream(stream, tmp_path / "edges.berge", memory=32 * 200)
    assert same(berge.read(tmp_path / "edges.berge"), berge.read(source).without_duplicates())


@pytest.mark.kernels
def test_symmetric_and_one_based(tmp_path):
    source = tmp_path / "graph.mtx"
    source.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n")
    convert.convert_stream(open_stream(source, "matrix-market"), tmp_path / "graph.berge")
    assert same(berge.read(tmp_path / "graph.berge"), berge.read(source))
    source = tmp_path / "edges.csv"
    source.write_text("left,right\n1,2\n3,1\n")
    stream = open_stream(source, "edge-list", base=1)
    convert.convert_stream(stream, tmp_path / "edges.berge")
    assert same(berge.read(tmp_path / "edges.berge"), berge.read(source, base=1))
    with pytest.raises(OptionError, match="memory must be at least"):
        convert.convert_stream(stream, tmp_path / "edges.berge", memory=5)


@pytest.mark.kernels
def test_parquet_columns_and_folders(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "edges.parquet").mkdir()
    for k in range(3):
        table = pyarrow.table({"weight": [0.5, 1.5], "to": [k + 1, 1], "from": [1, k + 2]})
        parquet.write_table(table, tmp_path / "edges.parquet" / f"part-{k}.parquet")
    source = tmp_path / "edges.parquet"
    stream = open_stream(source, "parquet", base=1, left="from", right="to")
    convert.convert_stream(stream, tmp_path / "edges.berge")
    expected = berge.as_bipartite(([0, 1, 0, 2, 0, 3], [0, 0, 1, 0, 2, 0]))
    assert same(berge.read(tmp_path / "edges.berge"), expected.without_duplicates())
    assert same(berge.read(source, base=1, left="from", right="to"), expected)
    with pytest.warns(berge.GuessWarning, match="base=1"):
        assert berge.as_bipartite(source, left="from", right="to").shape == (5, 4)
    with pytest.raises(OptionError, match="left and right name columns of Parquet"):
        berge.read(tmp_path / "edges.berge", left="from")
    # From the middle on, as after a crash.
    rest = [p for piece in stream.pieces({"rows": 3}) for p in piece.rows.tolist()]
    assert rest == [2, 0, 3]
    for settings, message in (
        (
            {"left": "weight", "right": "to"},
            r"'weight' holds double, not numbers .*--left",
        ),
        ({"left": "to", "right": "from", "base": 2}, "row 0: to 1 is below 2"),
    ):
        with pytest.raises(FormatError, match=message):
            list(open_stream(source, "parquet", **settings).pieces(None))
    (tmp_path / "no.parquet").write_bytes(b"PAR0")
    with pytest.raises(FormatError, match="not a Parquet or Arrow file"):
        berge.read(tmp_path / "no.parquet")


CONVERT = """
import sys, time
from berge.files import convert
from berge.files.streams import open_stream

source, target, slowly = sys.argv[1:]

def show(step, share, edges):
    print(step, edges, flush=True)
    time.sleep(0.05 if step == slowly else 0)

stream = open_stream(source, "edge-list")
convert.convert_stream(stream, target, memory=1 << 20, progress=show)
print("end")
"""


@pytest.mark.parametrize("step", ["reading", "sorting"])
def test_goes_on_after_a_kill(tmp_path, monkeypatch, step):
    source, target = tmp_path / "edges.txt", tmp_path / "edges.berge"
    rng = np.random.default_rng(5)
    edges = rng.integers(0, 3000, (300_000, 2))
    np.savetxt(source, edges, fmt="%d")
    script = "import berge.files.lines as lines; lines.CHUNK = 1 << 16\n" + textwrap.dedent(CONVERT)
    command = [sys.executable, "-c", script, str(source), str(target)]
    seen = 0
    with subprocess.Popen([*command, step], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            seen += line.startswith(step)
            if seen == 6:  # some pieces are finished, some are not
                process.send_signal(signal.SIGKILL)
                break
        process.wait()
    assert not target.exists()
    work = convert.work_folder(target)
    runs = {path.name: path.stat().st_mtime_ns for path in work.glob("run-*.json")}
    assert runs or step == "reading"
    again = subprocess.run([*command, "none"], capture_output=True, text=True, check=True)
    steps = again.stdout.split("\n")
    # Finished pieces were not made again.
    first = next(int(line.split()[1]) for line in steps if line.startswith(("read", "sort")))
    if step == "reading":
        assert first > 30_000
    else:
        assert not any(line.startswith("reading") for line in steps)
    assert same(berge.read(target), berge.read(source).without_duplicates())
    assert not work.exists()


@pytest.mark.kernels
def test_work_of_another_source_is_thrown_away(tmp_path, little_memory):
    source, target = tmp_path / "edges.txt", tmp_path / "edges.berge"
    source.write_text("".join(f"{k} {k}\n" for k in range(200)))

    class BrokenOffError(Exception):
        pass

    def stop(step, share, edges):
        if step == "sorting":
            raise BrokenOffError

    with pytest.raises(BrokenOffError):
        convert.convert_stream(
            open_stream(source, "edge-list"), target, memory=32 * 50, progress=stop
        )
    assert (convert.work_folder(target) / "run-00000.bin").exists()
    assert convert.edges_read(open_stream(source, "edge-list"), target) == 200
    time.sleep(0.01)
    source.write_text("0 0\n1 0\n")
    assert convert.edges_read(open_stream(source, "edge-list"), target) == 0
    convert.convert_stream(open_stream(source, "edge-list"), target)
    assert same(berge.read(target), berge.read(source))


@pytest.mark.kernels
def test_one_at_a_time(tmp_path):
    source, target = tmp_path / "edges.txt", tmp_path / "edges.berge"
    source.write_text("0 0\n")
    with (
        convert._working(convert.work_folder(target)),
        pytest.raises(BlockingIOError, match="another process"),
    ):
        convert.convert_stream(open_stream(source, "edge-list"), target)


@pytest.mark.kernels
def test_nothing_is_left_of_a_bad_source(tmp_path):
    source, target = tmp_path / "edges.txt", tmp_path / "edges.berge"
    source.write_text("0 0\n1 x\n")
    with pytest.raises(FormatError, match="line 2"):
        convert.convert_stream(open_stream(source, "edge-list"), target)
    assert os.listdir(tmp_path) == ["edges.txt"]


@pytest.mark.kernels
def test_nothing_and_what_it_takes():
    assert list(convert._groups([], (0, 5), 100)) == []
    assert convert.disk_bytes(10, 4) == 80
