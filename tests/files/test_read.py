"""Suffixes, the table of formats, and writes that happen whole or not at all."""

from __future__ import annotations

import gzip
import os
import stat
import subprocess
import sys

import pytest

import berge
from berge.errors import FormatError, InvalidGraphError, OptionError
from berge.files import FORMATS, Limits, files

GRAPH = berge.BipartiteGraph([0, 2, 3, 3], [1, 0, 2], (3, 3))


def edges(graph):
    rows = (i for i in range(graph.n_rows) for _ in range(graph.row_degrees[i]))
    return graph.shape, sorted(zip(rows, graph.indices.tolist(), strict=True))


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("a.mtx", (".mtx", "")),
        ("a.b.MTX.GZ", (".mtx", ".gz")),
        ("a.gz", ("", ".gz")),
        ("a", ("", "")),
        ("a.tar.xz", (".tar", ".xz")),
    ],
)
def test_split_suffix(name, parts):
    assert files.split_suffix(name) == parts


NOT_ROUND = ("metis", "graphml", "pajek")  # undirected; not written


@pytest.mark.parametrize("compression", ["", *files.COMPRESSIONS])
@pytest.mark.parametrize(
    "suffix",
    [s for f in FORMATS if f.compressible and f.name not in NOT_ROUND for s in f.suffixes],
)
def test_every_suffix_and_compression(tmp_path, suffix, compression):
    path = tmp_path / f"graph{suffix}{compression}"
    berge.write(GRAPH, path)
    assert edges(berge.read(path)) == edges(GRAPH)
    assert edges(berge.read(str(path))) == edges(GRAPH)
    assert os.listdir(tmp_path) == [path.name]


def test_format_by_name_or_suffix(tmp_path):
    path = tmp_path / "graph.dat"
    for form in ("matrix-market", "mtx", ".mtx", "MTX"):
        berge.write(GRAPH, path, format=form)
        assert path.read_bytes().startswith(b"%%MatrixMarket")
        assert edges(berge.read(path, format=form)) == edges(GRAPH)
    for use in (lambda f: berge.read(path, format=f), lambda f: berge.write(GRAPH, path, format=f)):
        for form in ("nope", "", "."):
            with pytest.raises(OptionError, match=r"edge-list \(\.txt \.tsv"):
                use(form)


def test_unknown_suffix(tmp_path):
    for name, found in (
        ("graph.dat", "suffix '.dat'"),
        ("graph", "a name without a suffix"),
        ("graph.tar.gz", "suffix '.tar'"),
        ("graph.npz.gz", "not compressed once more"),
    ):
        path = tmp_path / name
        with pytest.raises(FormatError, match=found):
            berge.write(GRAPH, path)
        path.write_bytes(b"")
        with pytest.raises(FormatError, match=found) as caught:
            berge.read(path)
        assert caught.value.path == str(path)
        if "known are" in str(caught.value):
            assert all(form.name in str(caught.value) for form in FORMATS)


def test_missing_file_and_folder(tmp_path):
    for name in ("none.mtx", "none.txt.gz", "none"):
        with pytest.raises(FileNotFoundError):
            berge.read(tmp_path / name)
    for name in ("", "folder.mtx"):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        with pytest.raises(IsADirectoryError, match="is a folder, not a graph file"):
            berge.read(folder)
    with pytest.raises(IsADirectoryError):
        berge.write(GRAPH, tmp_path / "folder.mtx")
    with pytest.raises(FileNotFoundError, match="no such folder"):
        berge.write(GRAPH, tmp_path / "none" / "graph.mtx")


def test_base_is_for_edge_lists(tmp_path):
    berge.write(GRAPH, tmp_path / "graph.mtx")
    with pytest.raises(OptionError, match="base=1, but the format matrix-market"):
        berge.read(tmp_path / "graph.mtx", base=1)
    for base in (2, -1, 0.5, "1"):
        with pytest.raises(OptionError, match="base must be 0 or 1"):
            berge.read(tmp_path / "graph.mtx", base=base)


def test_write_takes_graphs_only(tmp_path):
    with pytest.raises(InvalidGraphError, match="not list"):
        berge.write([[0, 1]], tmp_path / "graph.mtx")


def test_failed_write_leaves_what_was_there(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def half_a_write():
        with files.replacing(path) as file:
            file.write(b"new, but not all of it")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half_a_write()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_nothing_is_seen_before_the_end(tmp_path):
    path = tmp_path / "file.gz"
    with files.replacing(path) as file:
        file.write(b"content")
        assert not path.exists()
    assert gzip.decompress(path.read_bytes()) == b"content"


@pytest.mark.skipif(os.name != "posix", reason="modes, links and devices as POSIX has them")
def test_modes_links_and_devices(tmp_path):
    old = os.umask(0o027)
    try:
        with files.replacing(tmp_path / "new") as file:
            file.write(b"x")
    finally:
        os.umask(old)
    assert stat.S_IMODE(os.stat(tmp_path / "new").st_mode) == 0o640
    os.chmod(tmp_path / "new", 0o604)
    os.symlink(tmp_path / "new", tmp_path / "link")
    with files.replacing(tmp_path / "link") as file:
        file.write(b"y")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "new").read_bytes() == b"y"
    assert stat.S_IMODE(os.stat(tmp_path / "new").st_mode) == 0o604
    berge.write(GRAPH, "/dev/null", format="mtx")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_reads_pipes(tmp_path):
    pipe = tmp_path / "pipe.mtx"
    os.mkfifo(pipe)
    code = "import sys; open(sys.argv[1], 'w').write(sys.argv[2])"
    text = "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n"
    with subprocess.Popen([sys.executable, "-c", code, str(pipe), text]):
        assert edges(berge.read(pipe)) == ((2, 2), [(0, 1), (1, 0)])


def test_gzip_has_no_time_stamp(tmp_path):
    for name in ("a.mtx.gz", "b.mtx.gz"):
        berge.write(GRAPH, tmp_path / name)
    assert (tmp_path / "a.mtx.gz").read_bytes() == (tmp_path / "b.mtx.gz").read_bytes()


def test_memory_check():
    Limits().check((10**6, 10**6), 0, "path")
    with pytest.raises(FormatError, match="do not fit in memory") as caught:
        Limits().check((10**15, 1), 0, "path", 3)
    assert caught.value.line == 3


def test_import_is_light():
    code = "import sys, berge.files; print([m for m in ('numba', 'scipy') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_lazy_names():
    from berge.files.suitesparse import fetch

    assert berge.files.fetch is fetch
    with pytest.raises(AttributeError, match="nonsense"):
        _ = berge.files.nonsense
