"""The tokenizer: what it takes, where it says things are wrong, and that chunks leave no trace."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from berge.errors import FormatError
from berge.files import files
from berge.files.lines import Lines
from berge.files.text import Head, first_bytes, join, pairs, rows, whole_numbers

CHUNKS = [1, 2, 3, 4, 5, 6, 7, 64, 1 << 20]
COMMENTS = first_bytes(comments=b"#%")


def read_pairs(path, text, chunk=None, first=COMMENTS, **limits):
    path.write_bytes(text)
    with Lines(path, chunk) as lines:
        found = join(pairs(lines, Head(first, **limits)))
        return list(zip(found[0].tolist(), found[1].tolist(), strict=True)), lines.line


def read_rows(path, text, chunk=None, lead=0, stride=1, high=100, limit=100):
    path.write_bytes(text)
    with Lines(path, chunk) as lines:
        found = rows(lines, COMMENTS, lead=lead, stride=stride, high=high, limit=limit)
        values, counts = join((values, counts) for values, counts, *_ in found)
    return (
        [part.tolist() for part in np.split(values, np.cumsum(counts)[:-1])] if len(counts) else []
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "text"


@pytest.mark.kernels
@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize(
    ("text", "expected", "line_count"),
    [
        (b"", [], 0),
        (b"\n", [], 1),
        (b"\n\n  \t\n", [], 3),
        (b"1 2\n3 4\n", [(1, 2), (3, 4)], 2),
        (b"1 2\n3 4", [(1, 2), (3, 4)], 2),
        (b"1 2\r\n3 4\r\n", [(1, 2), (3, 4)], 2),
        (b"1 2\r\n\r\n3 4\r", [(1, 2), (3, 4)], 3),
        (b"\xef\xbb\xbf1 2\n", [(1, 2)], 1),
        (b"\xef\xbb\xbf# c\n1 2\n", [(1, 2)], 2),
        (b"1,2\n3;4\n5\t6\n7 , 8\n", [(1, 2), (3, 4), (5, 6), (7, 8)], 4),
        (b"  1   2   \n", [(1, 2)], 1),
        (b"1 2 3.5e-7 x\n3 4,rest\n", [(1, 2), (3, 4)], 2),
        (b"# 1 2\n  % 3 4\n5 6\n#", [(5, 6)], 4),
        (b"+1 +2\n007 0\n", [(1, 2), (7, 0)], 2),
        (b"9223372036854775806 9223372036854775807\n", [(2**63 - 2, 2**63 - 1)], 1),
        ("1 2 é\n# ü\n3 4".encode(), [(1, 2), (3, 4)], 3),
    ],
)
def test_pairs(path, text, expected, line_count, chunk):
    assert read_pairs(path, text, chunk) == (expected, line_count)


@pytest.mark.kernels
@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (b"x", 1, "'x' is not a whole number"),
        (b"1 2\n\n# c\n3 b4 5\n", 4, "'b4' is not a whole number"),
        (b"1 2\n3 4b\n", 2, "'4b' is not a whole number"),
        (b"1.0 2\n", 1, "'1.0' is not a whole number"),
        (b"1 2\n1-2 3\n", 2, "'1-2' is not a whole number"),
        (b"1 -\n", 1, "'-' is not a whole number"),
        (b"1 2\n3\n4 5\n", 2, "line ends where another number must follow"),
        (b"1 2\r\n3\r\n", 2, "line ends where another number must follow"),
        (b"1 2\n3", 2, "line ends where another number must follow"),
        (b"1 2\n3   ,", 2, "line ends where another number must follow"),
        (b"9223372036854775808 1\n", 1, "9223372036854775808 does not fit in 64 bits"),
        (b"1 2\n1 99999999999999999999\n", 2, "99999999999999999999 does not fit in 64 bits"),
        (b"1 2\n3 4\n5 -6\n", 3, "column -6 is below 0"),
        (b"-5 6\n", 1, "row -5 is below 0"),
        (b"1 2\n3 4 \x00\n", 2, "NUL byte"),
        (b"1 2\n\n\x00", 3, "NUL byte"),
        ("1 2\n".encode("utf-16"), 1, "NUL byte"),
        (b"1 2\r3 4\r", 1, "carriage return without a line feed"),
        (b"1 2\r\n3 4\r5 6\r\n", 2, "carriage return without a line feed"),
        (b"\xc3\xa9 1\n", 1, "'é' is not a whole number"),
        (b"\xff\xff 1\n", 1, "is not a whole number"),
        (b"a" * 100 + b" 1\n", 1, "'" + "a" * 40 + "' is not"),
    ],
)
def test_pairs_errors(path, text, line, message, chunk):
    with pytest.raises(FormatError) as caught:
        read_pairs(path, text, chunk)
    assert caught.value.line == line
    assert caught.value.path == str(path)
    assert message in str(caught.value)


@pytest.mark.kernels
@pytest.mark.parametrize("chunk", [3, 1 << 20])
def test_limits(path, chunk):
    limits = {"low": 1, "shape": (3, 5), "entries": 2}
    assert read_pairs(path, b"1 1\n3 5\n", chunk, **limits)[0] == [(0, 0), (2, 4)]
    for text, line, message in [
        (b"1 1\n0 1\n", 2, "row 0 is not in 1 … 3"),
        (b"1 1\n\n4 1\n", 3, "row 4 is not in 1 … 3"),
        (b"1 0\n", 1, "column 0 is not in 1 … 5"),
        (b"1 6\n", 1, "column 6 is not in 1 … 5"),
        (b"1 1\n2 2\n# \n\n3 3\n", 5, "more than the 2 entries"),
    ]:
        with pytest.raises(FormatError, match=message) as caught:
            read_pairs(path, text, chunk, **limits)
        assert caught.value.line == line


@pytest.mark.kernels
def test_tags(path):
    tagged = first_bytes(comments=b"c", tag=b"a")
    assert read_pairs(path, b"c a 1 2\na 1 2 9\n\n a\t3 4\n", first=tagged)[0] == [(1, 2), (3, 4)]
    for text in (b"a 1 2\n1 2\n", b"a 1 2\ne 1 2\n", b"a 1 2\na1 2\n"):
        with pytest.raises(FormatError, match="line begins with") as caught:
            read_pairs(path, text, first=tagged)
        assert caught.value.line == 2


@pytest.mark.kernels
@pytest.mark.parametrize("chunk", CHUNKS)
def test_rows(path, chunk):
    text = b"2 3\n\n% c\n1\r\n  \n1 2 3 4 5 6 7 8 9 10"
    expected = [[1, 2], [], [0], [], list(range(10))]
    assert read_rows(path, text, chunk) == expected
    # A size and a weight first, a weight after each neighbour.
    weighted = b"7 0 2 50 3 60\n7 0\n9 9 1 -5\n"
    assert read_rows(path, weighted, chunk, lead=2, stride=2) == [[1, 2], [], [0]]
    assert read_rows(path, b"1\n2\n\n \n% c\n\n", chunk, limit=2) == [[0], [1]]


@pytest.mark.kernels
@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize(
    ("text", "line", "message", "options"),
    [
        (b"1 2\n\n% c\n1 x\n", 4, "'x' is not a whole number", {}),
        (b"1\n0\n", 2, "neighbour 0 is not in 1 … 100", {}),
        (b"1\n\n1 101\n", 3, "neighbour 101 is not in 1 … 100", {}),
        (b"1\n2\n\n3\n", 4, "more than the 2 entries", {"limit": 2}),
        (b"1 2\n1\n", 2, "line ends where another number", {"stride": 2}),
        (b"5 1\n\n", 2, "line ends where another number", {"lead": 1}),
        (b"1 99999999999999999999\n", 1, "does not fit in 64 bits", {}),
    ],
)
def test_rows_errors(path, text, line, message, options, chunk):
    with pytest.raises(FormatError, match=message) as caught:
        read_rows(path, text, chunk, **options)
    assert caught.value.line == line


def test_narrow_where_it_fits(path):
    path.write_bytes(b"1 2\n3 2147483647\n")
    with Lines(path) as lines:
        assert {side.dtype for side in join(pairs(lines, Head(COMMENTS)))} == {np.dtype(np.int32)}
    # A later chunk with a large number widens both sides.
    path.write_bytes(b"1 2\n" * 10 + b"3 2147483648\n")
    with Lines(path, 8) as lines:
        found = join(pairs(lines, Head(COMMENTS)))
    assert {side.dtype for side in found} == {np.dtype(np.int64)}
    assert found[1].tolist() == [2] * 10 + [2**31]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1))),
    st.sampled_from([b" ", b"\t", b",", b" ; "]),
    st.sampled_from([b"\n", b"\r\n", b"\n\n", b" \n# comment\n"]),
    st.integers(1, 40),
)
def test_any_pairs(tmp_path_factory, numbers, between, end, chunk):
    path = tmp_path_factory.mktemp("any") / "text"
    text = b"".join(b"%d%s%d%s" % (a, between, b, end) for a, b in numbers)
    assert read_pairs(path, text, chunk)[0] == numbers


def test_peek_and_skip(path):
    path.write_bytes(b"one\r\n\n# c\n two \nthree")
    with Lines(path, 2) as lines:
        assert lines.peek() == b"one"
        assert lines.peek() == b"one"
        lines.skip()
        assert lines.line == 1
        assert lines.heading(b"#", "the sizes") == b"two"
        assert lines.line == 4
        lines.skip() if lines.peek() else None
        assert lines.peek() is None
        with pytest.raises(FormatError, match="file ends before the sizes") as caught:
            lines.heading(b"#", "the sizes")
        assert caught.value.line == 5


def test_long_binary_line_is_not_read_whole(path):
    path.write_bytes(bytes(1 << 16))
    with Lines(path, 16) as lines, pytest.raises(FormatError, match="NUL byte"):
        lines.fill()
    assert len(lines.data) < 100


def test_whole_numbers():
    assert whole_numbers(b" 1  -2 +3 ") == [1, -2, 3]
    for text in (b"1 x", b"1_000", b"1.0", b"", "١".encode()):
        assert whole_numbers(text) == []


@pytest.mark.parametrize("suffix", files.COMPRESSIONS)
def test_damaged_compression(tmp_path, suffix):
    path = tmp_path / f"edges.txt{suffix}"
    with files.replacing(path) as file:
        file.write(b"1 2\n" * 1000)
    whole = path.read_bytes()
    for damaged in (whole[:-12], b"plain text\n", whole[:20] + b"\x55" * 12 + whole[32:]):
        path.write_bytes(damaged)
        with Lines(path) as lines, pytest.raises(FormatError, match="compressed data is damaged"):
            join(pairs(lines, Head(COMMENTS)))
