"""Text parsed on threads: the same edges, and the same errors, as on one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import berge
from berge.compile import kernel, thread_count
from berge.compile.eight import eight_digits
from berge.errors import FormatError
from berge.files import blocks as blocks_file
from berge.files import files, text
from berge.files.blocks import blocks
from berge.files.lines import Lines
from berge.files.text import Head, first_bytes, join, pairs
from berge.graphs.graph import BipartiteGraph
from berge.graphs.pieces import graph_of_pieces

from .test_text import CHUNKS, COMMENTS

pytestmark = pytest.mark.kernels
TAGGED = first_bytes(comments=b"c", tag=b"a")


def found(parse, path, chunk, head):
    """What a file has: its edges and the number of lines, or the error."""
    try:
        with Lines(path, chunk) as lines:
            arrays = join(parse(lines, head))
            return [a.tolist() for a in arrays], lines.line
    except FormatError as error:
        return str(error), error.line


def same(path, content, chunk=None, **how):
    path.write_bytes(content)
    head = Head(how.pop("first", COMMENTS), **how)
    expected = found(pairs, path, chunk, head)
    assert found(blocks, path, chunk, head) == expected
    return expected


@pytest.fixture
def path(tmp_path):
    return tmp_path / "text"


PLAIN = b"1 2\n3 4\r\n\n\r\n# c\n  5\t6 rest 7\n8,9;1\n 12345678 123456789\n0 2147483646\n"


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("threads", [1, 2])
def test_plain_lines(path, chunk, threads):
    with thread_count(threads):
        edges, lines = same(path, PLAIN, chunk)
    assert edges == [[1, 3, 5, 8, 12345678, 0], [2, 4, 6, 9, 123456789, 2**31 - 2]]
    assert lines == 9


@pytest.mark.parametrize("chunk", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize(
    "wrong",
    [
        b"x", b"1", b"1 ", b"1 x", b"1 2x", b"1x 2", b"-1 2", b"1 -2", b"+1 2", b"1 +2", b"1.0 2",
        b"1 2\r3", b"1\r 2", b"\r1 2", b"\r", b"1 2 \x00", b"\x00", b"# \x00", b"# \r c", b"1 2 \r",
        b"2147483647 1", b"2147483648 1", b"1 99999999999", b"123456789012 1", b"1 ,", b"\xff 1",
        b"9223372036854775807 1", b"9223372036854775808 1", b"00000000000001 2", b"1 2\r\r",
    ],
)  # fmt: skip
def test_what_is_not_plain(path, wrong, chunk):
    for after in (b"", b"\n", b"\n3 4\n", b"\r\n5 6\nx\n"):
        same(path, b"1 2\n" * 9 + wrong + after, chunk)


@pytest.mark.parametrize("chunk", [3, 16, 1 << 20])
def test_limits(path, chunk):
    head = {"low": 1, "shape": (3, 5), "entries": 2}
    for content in (b"1 1\n3 5\n", b"1 1\n", b"1 1\n2 2\n#\n\n3 3\n", b"1 0\n", b"4 1\n", b"1 6\n",
                    b"", b"1 1\n2 2\n#\n"):  # fmt: skip
        same(path, content, chunk, **head)


@pytest.mark.parametrize("chunk", [3, 1 << 20])
def test_tags_and_byte_order_marks(path, chunk):
    for content in (
        b"c x\na 1 2\n\n a\t3 4\n",
        b"a 1 2\n1 2\n",
        b"a1 2\n",
        b"a\n",
        b"\xef\xbb\xbfa 1 2",
    ):
        same(path, content, chunk, first=TAGGED)
    same(path, b"\xef\xbb\xbf1 2\n3 4\n", chunk)


@pytest.mark.parametrize("chunk", [5, 1 << 20])
@pytest.mark.parametrize(
    "how", [{"width": 1}, {"width": 1, "signed": 1}, {"width": 1, "signed": 2}, {"width": 2}]
)
def test_weights(path, chunk, how):
    words = b"1.5|-2 3|1e-400 1|1e400 0||nan 1|2.5D3 1|3x 1|-0 0|0.1 0.2 tail|3\r|.5 ,1|0x1 1"
    for end in (*words.split(b"|"), b"12345678901234567890123 1"):
        same(path, b"1 2 3 4\n" * 5 + b"3 4 " + end + b"\n5 6 7 8\n", chunk, **how)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from([b"1 2", b"", b"#", b"3", b"\r", b"\x00", b"99999999999 1", b"1 2 3 x"])
    ),
    st.integers(1, 40),
    st.sampled_from([None, 3]),
)
def test_any_lines(tmp_path_factory, lines, chunk, entries):
    """Which error comes first depends on where runs end, so only one line may be wrong."""
    bad = [line for line in lines if line in (b"3", b"\r", b"\x00")]
    seen, kept = 0, []
    for line in lines:
        seen += line in bad
        if line not in bad or seen == 1:
            kept.append(line)
    path = tmp_path_factory.mktemp("any") / "text"
    same(path, b"\n".join(kept), chunk, entries=entries if not bad else None)


@pytest.mark.parametrize("suffix", files.COMPRESSIONS)
def test_damaged_compression(tmp_path, suffix):
    path = tmp_path / f"edges.txt{suffix}"
    with files.replacing(path) as file:
        file.write(b"".join(b"%d %d\n" % (i, i * i % 977) for i in range(3000)))
    whole = path.read_bytes()
    for damaged in (whole, whole[:-12], b"plain\n", whole[:200] + b"\x55" * 12 + whole[212:]):
        path.write_bytes(damaged)
        for chunk in (64, 1000):
            assert found(blocks, path, chunk, Head(COMMENTS)) == found(
                pairs, path, chunk, Head(COMMENTS)
            )


def test_earlier_errors_come_first(path):
    for wrong, message in ((b"x\n" + b"1 2\n" * 3, "'x' is not a whole"), (b"", "line is longer")):
        path.write_bytes(b"1 2\n" * 50 + wrong + b"1" * 300)
        with (
            Lines(path, 16, limits=berge.Limits(line=256)) as lines,
            pytest.raises(FormatError, match=message) as caught,
        ):
            join(blocks(lines, Head(COMMENTS)))
        assert caught.value.line == 51


def test_large_files_are_shared_out(tmp_path, monkeypatch):
    """Readers give the same graphs, weighted or not, by either way."""
    rng = np.random.default_rng(0)
    graph = berge.generate.erdos_renyi(300, 300, 4000, seed=1)
    names = [tmp_path / name for name in ("g.mtx", "g.txt", "g.csv", "g.gr", "g.mtx.gz")]
    for name in names[:-1]:
        berge.write(graph, name)
    rows, cols = rng.integers(1, 301, (2, 4000))
    entries = "".join(f"{max(i, j)} {min(i, j)} {i / 7}\n" for i, j in zip(rows, cols, strict=True))
    symmetric = f"%%MatrixMarket matrix coordinate real symmetric\n300 300 4000\n{entries}"
    with files.replacing(names[-1]) as file:
        file.write(symmetric.encode())
    kept = [(berge.read(name), files_graph(name)) for name in names]
    monkeypatch.setattr(blocks_file, "SHARED_TEXT", 0)
    for name, (plain, undirected) in zip(names, kept, strict=True):
        again, other = berge.read(name), files_graph(name)
        assert again.shape == plain.shape
        for ours, theirs in ((again, plain), (other, undirected)):
            assert np.array_equal(ours.indptr, theirs.indptr)
            assert np.array_equal(ours.indices, theirs.indices)
        assert np.array_equal(other.weights, undirected.weights)


def files_graph(path):
    return berge.files.read_graph(path, weights=path.name.endswith((".gr", "gz")))


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_pieces_make_the_same_graph(monkeypatch, threads, index):
    monkeypatch.setattr(berge.tuning, "SHARED_TRANSPOSE", 0)
    rng = np.random.default_rng(threads)
    for shape in ((7, 7), (3, 9), (9, 1)):
        for sizes in ([], [0], [40], [3, 0, 50, 1, 9]):
            pieces = [
                tuple(rng.integers(0, n, size).astype(index) for n in shape) for size in sizes
            ]
            rows, cols = join(pieces)
            with thread_count(threads):
                for mirror in (False, True)[: 1 + (shape == (7, 7))]:
                    edges = text.mirrored(rows, cols) if mirror else (rows, cols)
                    expected = BipartiteGraph.from_edges(*edges, shape)
                    graph = graph_of_pieces(pieces, shape, mirror=mirror)
                    assert graph.indptr.tolist() == expected.indptr.tolist()
                    assert graph.indices.tolist() == expected.indices.tolist()
                    assert graph.indices.dtype == expected.indices.dtype


@kernel
def eight(data, at):
    return eight_digits(data, at)


def test_eight_digits():
    """Compiled and in plain Python the same, which is what Python itself says."""
    rng = np.random.default_rng(3)
    for count in range(11):
        for end in (0, 9, 10, 32, 47, 58, 120, 128, 200, 255):
            text = bytes(rng.integers(48, 58, count).tolist()) + bytes([end] * 9)
            data = np.frombuffer(b"7" + text, np.uint8)
            seen = min(count, 8)
            expected = (int(text[:seen] or b"0"), seen)
            assert tuple(map(int, eight(data, 1))) == expected
            assert eight_digits(data, 1) == expected
