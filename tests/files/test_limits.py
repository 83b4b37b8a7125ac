"""Limits: what a file may ask for, and how a reader says that it asks for more."""

from __future__ import annotations

import bz2
import gzip
import subprocess
import sys
import time
from pathlib import Path

import pytest

import berge
from berge import Limits
from berge.errors import FormatError, OptionError
from berge.files import read_graph
from berge.graphs.memory import solve_bytes

from ..cli.invoke import run

BANNER = "%%MatrixMarket matrix coordinate pattern general\n"
FORMS = {
    "a.mtx": BANNER + "{n} {n} 1\n1 1\n",
    "a.txt": "# rows {n} cols {n} entries 1\n0 0\n",
    "a.gr": "p sp {n} 1\na 1 1 1\n",
    "a.graph": "{n} 0\n" + "\n" * 1000,
}


def bomb(start: bytes, byte: bytes) -> bytes:
    """Return a few hundred compressed bytes that stand for 1 GiB: a start, then one byte."""
    return bz2.compress(start) + 32 * bz2.compress(byte * (1 << 25))


def test_values():
    assert Limits().memory is None
    assert Limits(memory=5).now().memory == 5
    assert 0 < Limits().now().memory < 1 << 62
    wrong = [{"memory": 0}, {"memory": True}, {"memory": 1.5}, {"line": None}, {"line": 2**63}]
    for values in [*wrong, {"ratio": float("nan")}, {"ratio": "5"}]:
        with pytest.raises(OptionError, match=f"limit {next(iter(values))} must be a number above"):
            Limits(**values)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("read", [berge.read, lambda *a, **k: read_graph(*a, weights=False, **k)])
def test_a_header_is_compared_with_what_a_solve_takes(tmp_path, read, name):
    path = tmp_path / name
    path.write_text(FORMS[name].format(n=1000))
    edges = 0 if name == "a.graph" else 1
    needed = solve_bytes((1000, 1000), edges)
    graph = read(path, limits=Limits(memory=needed))
    assert (getattr(graph, "n_rows", None) or graph.n_vertices) == 1000
    with pytest.raises(FormatError, match=r"memory: .*--limit memory=VALUE, or Limits") as caught:
        read(path, limits=Limits(memory=needed - 1))
    assert caught.value.line == (2 if name == "a.mtx" else 1)


def test_edges_are_counted_where_no_header_does(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text("0 1\n" * 1000)
    for needed in (solve_bytes((0, 0), 1000), solve_bytes((1, 2), 1000)):
        with pytest.raises(FormatError, match="1,000 edges do not fit in memory"):
            berge.read(path, limits=Limits(memory=needed - 1))
    assert berge.read(path, limits=Limits(memory=needed)).nnz == 1000


@pytest.mark.parametrize("chunk", [16, 1 << 22])
def test_long_lines(tmp_path, chunk, monkeypatch):
    monkeypatch.setattr("berge.files.lines.CHUNK", chunk)
    path = tmp_path / "a.graph"
    path.write_text("41 40\n\n" + "1 " * 79 + "1\n" + "\n" * 39)
    assert berge.read(path, limits=Limits(line=160)).nnz == 80
    with pytest.raises(FormatError, match="longer than 159 bytes; --limit line=VALUE") as caught:
        berge.read(path, limits=Limits(line=159))
    assert caught.value.line == 3


def test_ratio(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"\n" * (1 << 25), 9))
    assert berge.read(path).nnz == 0  # as much as gzip can do, and no call for each line
    with pytest.raises(FormatError, match=r"bytes hold more than .* --limit ratio=") as caught:
        berge.read(path, limits=Limits(ratio=500))
    assert caught.value.line > 1 << 24
    path.write_bytes(gzip.compress(b"\n" * (1 << 23)))
    assert berge.read(path, limits=Limits(ratio=1)).nnz == 0  # little in all


def test_conversion_of_a_compressed_file_goes_on(tmp_path):
    from berge.files.streams import open_stream

    path = tmp_path / "a.mtx.bz2"
    path.write_bytes(bz2.compress((BANNER + "9 9 3\n1 1\n2 2\n3 3\n").encode()))
    stream = open_stream(path, "matrix-market", limits=Limits(line=100))
    (piece,) = stream.pieces({"byte": len(BANNER) + 10, "line": 3, "taken": 1})
    assert piece.rows.tolist() == [1, 2]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="VmHWM is Linux's")
@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("a.mtx.bz2", bomb(BANNER.encode(), b"1"), "a.mtx.bz2, line 2: "),
        ("a.graph.bz2", bomb(b"2 1\n1", b" "), "a.graph.bz2, line 2: "),
        ("a.json.bz2", bomb(b"{", b" "), "a.json.bz2: "),
    ],
)
def test_bombs(tmp_path, name, content, place):
    assert len(content) < 3000
    (tmp_path / name).write_bytes(content)
    code = (
        "import sys\n"
        "from berge import FormatError, Matching, read\n"
        "try: (Matching.load if 'json' in sys.argv[1] else read)(sys.argv[1])\n"
        "except FormatError as error: print(error)\n"
        # Not ru_maxrss, in which the parent's memory counts.
        "print(*(line.split()[1] for line in open('/proc/self/status') if 'VmHWM' in line))"
    )
    started = time.perf_counter()
    command = [sys.executable, "-c", code, name]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    message, kilobytes = out.stdout.splitlines()
    assert message.startswith(place)
    assert "--limit ratio=VALUE" in message
    assert int(kilobytes) < 1 << 19
    assert time.perf_counter() - started < 20  # about 1, on a machine of its own


def test_on_the_command_line(tmp_path):
    path = tmp_path / "a.graph"
    path.write_text("41 40\n\n" + "1 " * 79 + "1\n" + "\n" * 39)
    run("match", path, "--limit", "line=160", "--limit", "memory=1M", "--limit", "ratio=2.5")
    for command in (["match"], ["greedy"], ["decompose"], ["info"], ["coarsen"]):
        shown = run(*command, path, "--limit", "line=100", code=1).output
        assert "a.graph, line 3: line is longer than 100 bytes" in shown
    target = tmp_path / "a.mtx"
    assert "100 bytes" in run("convert", path, target, "--limit", "line=100", code=1).output
    for wrong in ("line", "lines=1", "line=x", "memory=1e99", "ratio=0", "line=nan"):
        assert "Usage:" in run("match", path, "--limit", wrong, code=2).output
