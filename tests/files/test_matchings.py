"""Matchings in files: they come back as they were, and what is not a matching is refused."""

from __future__ import annotations

import gzip
import json
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import berge
from berge.errors import FormatError
from berge.files import lines

SUFFIXES = [".npz", ".txt", ".json", ".txt.gz", ".json.xz"]


def same(a, b):
    return (
        np.array_equal(a.row_match, b.row_match)
        and np.array_equal(a.col_match, b.col_match)
        and a.upper_bound == b.upper_bound
    )


@st.composite
def matchings(draw):
    n_rows, n_cols = draw(st.integers(0, 8)), draw(st.integers(0, 8))
    row_match, col_match = np.full(n_rows, -1), np.full(n_cols, -1)
    size = draw(st.integers(0, min(n_rows, n_cols)))
    rows = draw(st.permutations(range(n_rows)))[:size]
    cols = draw(st.permutations(range(n_cols)))[:size]
    row_match[rows], col_match[cols] = cols, rows
    return berge.Matching(row_match, col_match, upper_bound=size + draw(st.integers(0, 3)))


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=25, deadline=None)
@given(matching=matchings())
def test_round_trip(tmp_path_factory, suffix, matching):
    path = tmp_path_factory.mktemp("matching") / f"m{suffix}"
    matching.save(path)
    assert same(berge.Matching.load(path), matching)
    assert os.listdir(path.parent) == [path.name]


def test_what_the_files_look_like(tmp_path):
    matching = berge.Matching([2, -1, 0], [2, -1, 0, -1], upper_bound=3)
    matching.save(tmp_path / "m.txt")
    text = (tmp_path / "m.txt").read_text()
    assert text == "# rows 3 cols 4 matched 2 upper_bound 3\n0 2\n2 0\n"
    matching.save(tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text()) == {
        "shape": [3, 4],
        "cardinality": 2,
        "upper_bound": 3,
        "is_maximum": False,
        "pairs": [[0, 2], [2, 0]],
    }


def test_methods_of_matching(tmp_path):
    matching = berge.Matching([0], [0], upper_bound=1)
    matching.save(tmp_path / "m.txt")
    assert same(berge.Matching.load(tmp_path / "m.txt"), matching)


@pytest.mark.parametrize("chunk", [1, 5, None])
@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "expected '# rows N"),
        ("0 0\n", 1, "found '0 0'"),
        ("# rows 3 cols 3 matched 2\n", 1, "expected '# rows N"),
        ("# rows 3 cols 3 matched 2 upper_bound 3\n0 0\n", 1, "2 pairs announced, 1 found"),
        ("# rows 3 cols 3 matched 0 upper_bound 3\n0 0\n", 1, "0 pairs announced, 1 found"),
        ("# rows 3 cols 3 matched 1 upper_bound 0\n0 0\n", 1, "upper bound 0 is below"),
        ("# rows 3 cols 3 matched 2 upper_bound 3\n0 0\n3 1\n", 3, "row 3 is not in 0 … 2"),
        ("# rows 3 cols 3 matched 2 upper_bound 3\n0 0\n1 -1\n", 3, "column -1 is not in 0 … 2"),
        ("# rows 3 cols 3 matched 1 upper_bound 3\n0 x\n", 2, "'x' is not a whole number"),
        (
            "# rows 3 cols 3 matched 3 upper_bound 3\n0 0\n# c\n1 1\n\n2 0\n",
            6,
            "column 0 is matched twice",
        ),
        (
            "# rows 3 cols 3 matched 3 upper_bound 3\n0 0\n1 1\n0 2\n1 0\n",
            4,
            "row 0 is matched twice",
        ),
        (
            "# rows 4 cols 4 matched 4 upper_bound 4\n0 2\n1 2\n2 0\n3 0\n",
            3,
            "column 2 is matched twice",
        ),
        (f"# rows {10**15} cols 3 matched 0 upper_bound 0\n", 1, "do not fit in memory"),
    ],
)
def test_text_errors(tmp_path, monkeypatch, text, line, message, chunk):
    if chunk:
        monkeypatch.setattr(lines, "CHUNK", chunk)
    path = tmp_path / "m.txt"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        berge.Matching.load(path)
    assert message in str(caught.value)
    assert caught.value.line == line
    assert caught.value.path == str(path)


SOUND = {
    "shape": [2, 3],
    "cardinality": 1,
    "upper_bound": 2,
    "is_maximum": False,
    "pairs": [[0, 2]],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape": None}, "'shape' must be two whole numbers"),
        ({"shape": [2]}, "'shape' must be two whole numbers"),
        ({"shape": [2, -3]}, "'shape' must be two whole numbers"),
        ({"shape": [2, 3.0]}, "'shape' must be two whole numbers"),
        ({"shape": [10**15, 3]}, "do not fit in memory"),
        ({"upper_bound": "2"}, "'upper_bound' must be a whole number"),
        ({"upper_bound": 0, "is_maximum": False}, "upper bound 0 is below"),
        ({"cardinality": True}, "'cardinality' must be a whole number"),
        ({"cardinality": 2, "is_maximum": True}, "2 pairs announced, 1 found"),
        ({"is_maximum": True}, "'is_maximum' does not fit"),
        ({"pairs": None}, "'pairs' must be a list"),
        ({"pairs": [[0, 1], [1]]}, "'pairs' must be a list"),
        ({"pairs": [[0, 1, 2]]}, "'pairs' must be a list"),
        ({"pairs": [[0, 0.5]]}, "'pairs' must be a list"),
        ({"pairs": [[0, 10**30]]}, "'pairs' must be a list"),
        ({"pairs": [["0", "1"]]}, "'pairs' must be a list"),
        ({"pairs": [[2, 0]]}, "pair 0: row 2 is not in 0 … 1"),
        ({"pairs": [[0, 0], [1, 3]]}, "pair 1: column 3 is not in 0 … 2"),
        ({"pairs": [[0, -1]]}, "pair 0: column -1 is not in 0 … 2"),
        ({"pairs": [[0, 0], [0, 1]]}, "pair 1: row 0 is matched twice"),
        ({"pairs": [[0, 1], [1, 1]]}, "pair 1: column 1 is matched twice"),
    ],
)
def test_json_errors(tmp_path, change, message):
    path = tmp_path / "m.json"
    path.write_text(json.dumps(SOUND))
    assert berge.Matching.load(path).row_match.tolist() == [2, -1]
    path.write_text(json.dumps(SOUND | change))
    with pytest.raises(FormatError, match=message):
        berge.Matching.load(path)


def test_not_json(tmp_path):
    path = tmp_path / "m.json"
    path.write_text('{"shape": [1, 1],\n "pairs": oops}')
    with pytest.raises(FormatError, match="not JSON") as caught:
        berge.Matching.load(path)
    assert caught.value.line == 2
    for content in (b"\xff\xfe\xff", b"[" * 100_000, b"[1, 2]", b""):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=r"JSON|expected an object"):
            berge.Matching.load(path)
    short = tmp_path / "m.json.gz"
    short.write_bytes(gzip.compress(json.dumps(SOUND).encode())[:-9])
    with pytest.raises(FormatError, match="compressed data is damaged"):
        berge.Matching.load(short)


@pytest.mark.parametrize(
    ("row_match", "col_match", "upper_bound", "message"),
    [
        ([0, 5], [0, -1], 2, "row 1 is matched to 5 of 2"),
        ([0, -2], [0, -1], 2, "row 1 is matched to -2 of 2"),
        ([0, -1], [0, 7], 2, "column 1 is matched to 7 of 2"),
        ([0, 0], [0, -1], 2, "row 1 is matched to 0, but that to 0"),
        ([0, 1], [0, -1], 2, "row 1 is matched to 1, but that to -1"),
        ([0, -1], [0, 1], 2, "column 1 is matched to 1, but that to -1"),
        ([0, 1], [0, 1], 1, "upper bound 1 is below"),
        ([0.0, 1.0], [0, 1], 2, "'row_match' must not be an array of float64"),
        ([[0, 1]], [0, 1], 2, "'row_match' must not be"),
        ([0, 1], [0, 1], [2], "'upper_bound' must not be"),
    ],
)
def test_npz_errors(tmp_path, row_match, col_match, upper_bound, message):
    path = tmp_path / "m.npz"
    np.savez(path, row_match=row_match, col_match=col_match, upper_bound=upper_bound)
    with pytest.raises(FormatError, match=message):
        berge.Matching.load(path)


def test_other_files(tmp_path):
    matching = berge.Matching([0], [0], upper_bound=1)
    for name in ("m", "m.mtx", "m.npz.gz"):
        with pytest.raises(FormatError, match=r"kept in \.npz, \.txt or \.json"):
            matching.save(tmp_path / name)
        with pytest.raises(FormatError, match=r"kept in \.npz, \.txt or \.json"):
            berge.Matching.load(tmp_path / name)
    for suffix in SUFFIXES:
        with pytest.raises(FileNotFoundError):
            berge.Matching.load(tmp_path / f"none{suffix}")
    np.savez(tmp_path / "graph.npz", indptr=[0], indices=[0], shape=[0, 0])
    with pytest.raises(FormatError, match="no array 'row_match'"):
        berge.Matching.load(tmp_path / "graph.npz")


@pytest.mark.parametrize("weight", ["inf", "nan", "1e999", "1_0", "١", "x"])
def test_a_weight_that_is_none(tmp_path, weight):
    path = tmp_path / "m.txt"
    path.write_text(f"# vertices 2 pairs 1 weight {weight} maximal yes method suitor\n0 1\n")
    with pytest.raises(FormatError, match=f"line 1: weight {weight} must be a finite number"):
        berge.GreedyMatching.load(path)
    if weight in ("inf", "nan"):
        np.savez(tmp_path / "m.npz", mate=[1, 0], weight=float(weight))
        with pytest.raises(FormatError, match="must be a finite number"):
            berge.GreedyMatching.load(tmp_path / "m.npz")


def test_digits_of_a_header_are_ascii(tmp_path):
    path = tmp_path / "m.txt"
    path.write_text("# rows ٣ cols 3 matched 0 upper_bound 0\n")
    with pytest.raises(FormatError, match="expected '# rows N"):
        berge.Matching.load(path)
