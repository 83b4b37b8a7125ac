"""Values in text: what is a number, how it is rounded, and what becomes of it as a weight."""

from __future__ import annotations

import math
import random
import struct
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st

import berge
from berge.errors import FormatError
from berge.files import read_graph
from berge.files.decimals import number
from berge.files.lines import Lines
from berge.files.text import first_bytes, numbers

BANNER = "%%MatrixMarket matrix "
REAL = BANNER + "coordinate real general\n"
HARD = [
    "0", "-0", "0.0", "00.0e5", "1", "+1.5", "-.5", "5.", "1e5", "1E+05", "1d-3", "1.0D+3",
    "1e00022", "3e-291", "1e290", "1e-290", "1e281", "1e-400", "9007199254740993",
    "9007199254740992.5", "9007199254740993.0000000000000000000001", "7.2057594037927933e16",
    "4503599627370496.5", "4503599627370497.5", "1e23", "8.5e22", "179769313486231580793e289",
    "99999999999999999999.9", "5e-324", "2.4703282292062327e-324", "2.2250738585072011e-308",
    "1.7976931348623157e308", "123456789012345678901234567890", "18446744073709551615",
    "18446744073709551616", "9999999999999999999",
]  # fmt: skip
HARD += ["0." + "0" * 50 + "12345678901234567890123", "1" + "0" * 60 + "e-60"]
HARD += ["0.1" + "0" * 400 + "1"]
NONE = ["1_000", "١", "1e", "1e+", "e5", ".", "+", "-", "--1", "+-1", "1.2.3", "0x10", "1f", "１"]


def literals(count: int) -> list[str]:
    """Return numbers as they are written in files, near the borders of rounding too."""
    rng = random.Random(3)

    def one() -> str:
        value = rng.random() * 10.0 ** rng.randint(-20, 20)
        halfway = Decimal(2 * (rng.getrandbits(52) | 1 << 52) + 1)
        return rng.choice(
            [
                lambda: repr(struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0]),
                lambda: repr(value),
                lambda: f"{value:.{rng.randint(0, 30)}e}",
                lambda: f"{-value:.{rng.randint(0, 30)}f}",
                lambda: str(rng.getrandbits(rng.randint(1, 90))),
                lambda: f"{rng.getrandbits(70)}.{rng.getrandbits(40)}E{rng.randint(-330, 300)}",
                lambda: str(halfway * 2 ** rng.randint(0, 12)),
                lambda: str(halfway / 2 ** rng.randint(1, 8)),
            ]
        )()

    made = (one() for _ in range(count))
    return [word for word in made if word not in ("nan", "inf", "-inf")]


def numbers_of(path, words, between=" "):
    path.write_text("% a comment\n" + between.join(words) + "\n")
    with Lines(path) as lines:
        first = first_bytes(comments=b"%")
        return np.concatenate(list(numbers(lines, first, len(words), finite=False)))


def assert_same_bits(found, words):
    expected = np.array([float(word.lower().replace("d", "e")) for word in words])
    assert found.size == len(words)
    wrong = np.flatnonzero(found.view(np.int64) != expected.view(np.int64))
    assert [(words[k], found[k], expected[k]) for k in wrong] == []


def test_numbers_are_rounded_as_python_rounds_them(tmp_path):
    words = literals(100_000)
    assert_same_bits(numbers_of(tmp_path / "text", words), words)


@pytest.mark.kernels
@pytest.mark.parametrize("between", [" ", "\n", " \t", "\n\n% 5\n", "\r\n", ", "])
def test_hard_numbers(tmp_path, between):
    words = [*HARD, *literals(200), "inf", "-Infinity"]
    assert_same_bits(numbers_of(tmp_path / "text", words, between), words)


def test_number():
    for word in HARD:
        assert number(word.encode()) == float(word.lower().replace("d", "e"))
    for word in NONE:
        assert number(word.encode()) is None


# Weights


def entries(graph):
    ends = np.repeat(np.arange(graph.n_vertices), graph.degrees).tolist()
    found = zip(ends, graph.indices.tolist(), strict=True)
    return dict(zip(found, graph.weights.tolist(), strict=True))


def heaviest(dense):
    """Return the edges of an undirected graph by the absolute values, without loops."""
    sizes = np.maximum(np.abs(dense), np.abs(dense.T))
    np.fill_diagonal(sizes, 0)
    return {(int(i), int(j)): sizes[i, j] for i, j in np.argwhere(sizes)}


def value_text(rng, field):
    if field in ("integer", "unsigned-integer"):
        return str(rng.integers(1, 1000) * (-1 if field == "integer" and rng.random() < 0.5 else 1))
    one = rng.choice([repr(rng.normal()), f"{rng.normal():.6e}", f"{-rng.random():f}", "1.", ".25"])
    return f"{one} {rng.normal()!r}" if field == "complex" else one


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric", "hermitian"])
@pytest.mark.parametrize(
    "field", ["real", "double", "integer", "unsigned-integer", "complex", "pattern"]
)
@pytest.mark.parametrize("form", ["coordinate", "array"])
def test_every_kind_of_matrix_as_scipy_reads_it(tmp_path, form, field, symmetry):
    if (field, symmetry) == ("unsigned-integer", "skew-symmetric") or (form, field) == (
        "array",
        "pattern",
    ):
        pytest.skip("there are none")
    path = tmp_path / "a.mtx"
    rng = np.random.default_rng(7)
    for n in (1, 2, 9):
        low = 1 if symmetry == "skew-symmetric" else 0
        places = [
            (i, j)
            for j in range(n)
            for i in (range(n) if symmetry == "general" else range(j + low, n))
        ]
        if form == "coordinate":
            places = [place for place in places if rng.random() < 0.5]
            lines = [
                f"{i + 1} {j + 1} {value_text(rng, field) if field != 'pattern' else ''}"
                for i, j in places
            ]
        else:
            zero = "0 0" if field == "complex" else "0"
            lines = [zero if rng.random() < 0.4 else value_text(rng, field) for _ in places]
        sizes = f"{n} {n} {len(lines)}" if form == "coordinate" else f"{n} {n}"
        text = [f"{BANNER}{form} {field} {symmetry}", "% c", sizes, *lines]
        path.write_text("\n".join(text) + "\n")
        matrix = scipy.io.mmread(path)
        if form == "coordinate":
            assert edges(berge.read(path)) == sorted(zip(matrix.row, matrix.col, strict=True))
            matrix = matrix.toarray()
        else:
            assert edges(berge.read(path)) == sorted(zip(*np.nonzero(matrix), strict=True))
        if field == "pattern":
            with pytest.raises(FormatError, match="line 1: a pattern has no values"):
                read_graph(path)
        else:
            # The absolute value of a complex number may differ in its last bit.
            tolerance = 4e-16 if field == "complex" else 0
            assert entries(read_graph(path)) == pytest.approx(heaviest(matrix), tolerance, 0)


def edges(graph):
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    return sorted(zip(rows.tolist(), graph.indices.tolist(), strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff{banner}2 2 1\n1 2 5\n",
        "{banner}+2 +2 +1\n+1 +2 +5\n",
        "{banner}2 2 1\n1,2,5\n",
        "{banner}2 2 1\n1;2;5 ; rest\n",
        "{banner}\n  \n% c\n2 2 1\n\n% inner\n  % too\n1 2 5\n\n% last",
        "{banner}2 2 1\r\n1 2 5\r\n",
        "{banner}2 2 1\n\t1  2\t5.0D0   \n",
        "{banner}2 2 2\n1 2 5\n2 1 4.9999999999999999999999\n",
        "{upper}2 2 1\n1 2 5 % c\n",
    ],
)
def test_the_same_with_weights_and_without(tmp_path, text):
    path = tmp_path / "a.mtx"
    path.write_text(text.format(banner=REAL, upper=REAL.upper()))
    expected = {(0, 1): 5, (1, 0): 5}
    assert entries(read_graph(path)) == expected
    unweighted = read_graph(path, weights=False)
    assert unweighted.indices.tolist() == [1, 0]


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_damage_is_the_same_with_weights_and_without(tmp_path_factory, data):
    """Only what a value is can be wrong with weights alone."""
    text = REAL.encode() + b"% c\n3 3 3\n1 1 1\n2 1 5.5e1\n3 2 1e5\n"
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 5)))
    piece = data.draw(st.text("0123456789 \n\r\t-+%,.e", max_size=6).map(str.encode))
    path = tmp_path_factory.mktemp("damage") / "a.mtx"
    path.write_bytes(text[:start] + piece + text[stop:])
    said = []
    for weights in (False, True):
        try:
            said.append(set(edges_of(read_graph(path, weights=weights))))
        except FormatError as error:
            said.append(str(error))
    plain, weighted = said
    value = isinstance(weighted, str) and ("weight" in weighted or "is not a number" in weighted)
    assert weighted == plain or value


def edges_of(graph):
    ends = np.repeat(np.arange(graph.n_vertices), graph.degrees)
    return zip(ends.tolist(), graph.indices.tolist(), strict=True)


WRONG = {
    "nan": "weight nan must be a finite number",
    "-inf": "weight inf must be a finite number",
    "1e999": "weight inf must be a finite number",
    "1_000": "'1_000' is not a number",
    "١": "'١' is not a number",
    "2r": "'2r' is not a number",
    "": "line ends where a weight must follow",
}


@pytest.mark.parametrize(("value", "message"), WRONG.items())
def test_wrong_weights(tmp_path, value, message):
    message = message.replace("-inf", "inf")
    files = {
        "a.mtx": REAL + f"2 2 2\n1 1 1\n1 2 {value}\n",
        "b.mtx": BANNER + f"coordinate integer general\n2 2 2\n1 1 1\n1 2 {value}\n",
        "a.txt": f"# c\n\n0 1 3\n0 1 {value.removeprefix('-')}\n",
        "a.csv": f"from,to,weight\n# c\n0,1,3\n0,1,{value.removeprefix('-')}\n",
        "a.gr": f"c x\np sp 2 2\na 1 2 3\na 1 2 {value.removeprefix('-')}\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(FormatError) as caught:
            read_graph(tmp_path / name)
        assert message in str(caught.value)
        assert caught.value.line == 4
        assert berge.read(tmp_path / name).nnz == 2


def test_wrong_values_of_arrays(tmp_path):
    path = tmp_path / "a.mtx"
    for value, message in {**WRONG, "nan": "'nan' must be", "-inf": "'-inf' must be"}.items():
        if value and "e999" not in value:
            path.write_text(BANNER + f"array real general\n2 2\n1\n% c\n2 {value}\n4\n")
            with pytest.raises(FormatError) as caught:
                read_graph(path)
            assert caught.value.line == 5
            assert message in str(caught.value)
    path.write_text(BANNER + "array real general\n2 2\n1 nan\n0\n4\n")
    assert berge.read(path).nnz == 3


def test_complex_weights(tmp_path):
    path = tmp_path / "a.mtx"
    banner = BANNER + "coordinate complex general\n2 2 1\n"
    for values, weight in {"3 4": 5, "-3 4 x": 5, "9007199254740993 0": 2.0**53}.items():
        path.write_text(banner + f"1 2 {values}\n")
        assert entries(read_graph(path)) == {(0, 1): weight, (1, 0): weight}
    for values, message in {
        "3": "a weight must follow",
        "3 x": "'x' is not a number",
        "1e308 1.7e308": "weight inf",
    }.items():
        path.write_text(banner + f"1 2 {values}\n")
        with pytest.raises(FormatError, match=message) as caught:
            read_graph(path)
        assert caught.value.line == 3


def test_large_whole_numbers_are_rounded(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text(BANNER + f"coordinate integer general\n2 2 1\n1 2 {10**25 + 1}\n")
    assert entries(read_graph(path))[0, 1] == 1e25
    (tmp_path / "a.txt").write_text(f"0 1 {2**64}\n")
    assert entries(read_graph(tmp_path / "a.txt"))[0, 1] == math.ldexp(1, 64)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 1 2r", 4, "'2r' is not a number"),
        ("array real general\n1000000 1000000\n1\n", 2, "cannot be in a file of"),
        (
            "coordinate real general\n400000000000 400000000000 1\n1 1 1\n",
            2,
            "do not fit in memory",
        ),
    ],
)
def test_what_killed_the_process(tmp_path, text, line, message):
    (tmp_path / "a.mtx").write_text(BANNER + text)
    command = [sys.executable, "-m", "berge", "greedy", "a.mtx", "--weights"]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert out.returncode == 1
    assert f"a.mtx, line {line}: " in out.stderr
    assert message in out.stderr
