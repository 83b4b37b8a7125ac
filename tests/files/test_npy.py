"""The .npy format against numpy's reader, and what is refused before anything is allocated."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from berge.errors import FormatError
from berge.files.npy import load, read_array, read_header


def npy(array, version=(1, 0)):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version)
    return file.getvalue()


def read(content):
    file = io.BytesIO(content)
    header = read_header(file, len(content))
    return read_array(file, header)


ARRAYS = [
    np.arange(6, dtype=dtype).reshape(shape)
    for dtype in ("<i4", ">i4", "<i8", ">u8", "i1", "<f8", ">f4", "<c16", "<u2")
    for shape in ((6,), (2, 3), (1, 2, 3), (6, 1))
]
ARRAYS += [np.asfortranarray(np.arange(6).reshape(2, 3)), np.array(7), np.array([True, False])]
ARRAYS += [np.array(b"csr"), np.array("grün"), np.zeros(0, np.int32), np.zeros((0, 5)), np.zeros(1)]


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_reads_what_numpy_writes(version):
    for array in ARRAYS:
        found = read(npy(array, version))
        assert found.dtype == array.dtype.newbyteorder("=")
        assert found.dtype.isnative
        assert found.shape == array.shape
        assert np.array_equal(found, array)
        assert found.flags.f_contiguous == array.flags.f_contiguous


def with_header(text, size=8, version=b"\x01\x00"):
    length = len(text).to_bytes(2 if version == b"\x01\x00" else 4, "little")
    return b"\x93NUMPY" + version + length + text + bytes(size)


@pytest.mark.parametrize(
    "text",
    [
        b"{'shape': (1,), 'descr': '<i8', 'fortran_order': False}",
        b" {  'descr' :'<i8','fortran_order':True , 'shape':( 1 , ) , } \n",
    ],
)
def test_other_ways_to_write_it(text):
    assert np.array_equal(read(with_header(text)), [0])
    assert np.array_equal(np.load(io.BytesIO(with_header(text))), [0])


def pairs(descr=b"'<i8'", order=b"False", shape=b"(1,)"):
    return b"{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)


REFUSED = {
    "minuses": (b"-" * 8999, "a header that is none"),
    "brackets": (b"[" * 9000, "a header that is none"),
    "unclosed": (b"{'descr': '<i8", "a header that is none"),
    "code": (pairs(b"__import__('os').abort()"), "a header that is none"),
    "no descr": (b"{'fortran_order': False, 'shape': (1,), }", "without all of descr"),
    "twice": (pairs()[:-2] + b"'shape': (1,), }", "a header that is none"),
    "another key": (pairs()[:-2] + b"'more': 1, }", "a header that is none"),
    "nothing": (b"", "a header that is none"),
    "empty": (b"{}", "a header that is none"),
    "objects": (pairs(b"'|O'"), "holds Python objects"),
    "records": (pairs(b"[('a', '<i8')]"), "a header that is none"),
    "no type": (pairs(b"'<i3'"), "of the type '<i3'"),
    "wide text": (pairs(b"'<U999999999'"), "'<U999999999'|claims the shape"),
    "no width": (pairs(b"'|S0'", shape=b"(0,)"), "claims the shape"),
    "negative": (pairs(shape=b"(-1,)"), "a header that is none"),
    "30 digits": (pairs(shape=b"(0, 1%s)" % (b"0" * 30)), "a header that is none"),
    "16 digits": (pairs(shape=b"(0, %d, %d)" % (10**15, 10**15)), "claims the shape"),
    "two numbers": (pairs(shape=b"(1 1,)"), "a header that is none"),
    "no tuple": (pairs(shape=b"1"), "a header that is none"),
    "no comma": (pairs(shape=b"(1)"), "a header that is none"),
    "64 sides": (pairs(shape=b"(%s)" % (b"1," * 64)), "a header that is none"),
    "too many": (pairs(shape=b"(2,)"), "but has 8 bytes"),
    "too few": (pairs(shape=b"(0,)"), "but has 8 bytes"),
    "not ASCII": (pairs("'<i８'".encode()), "a header that is none"),
    "huge": (pairs(shape=b"(%d,)" % 10**17), "but has 8 bytes|claims the shape"),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("version", [b"\x01\x00", b"\x02\x00"])
def test_refused(kind, version):
    text, message = REFUSED[kind]
    with pytest.raises(ValueError, match=message):
        read(with_header(text, version=version))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "does not begin as"),
        (b"\x93NUMPY\x01", "does not begin as"),
        (b"PK\x03\x04 and so on", "does not begin as"),
        (b"\x93NUMPY\x09\x00", "version"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "a header of 4294967295 bytes"),
        (b"\x93NUMPY\x01\x00\x76\x00{'descr'", "ends in its header"),
    ],
)
def test_beginnings(content, message):
    with pytest.raises(ValueError, match=message):
        read(content)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(ARRAYS), st.integers(0, 140), st.binary(min_size=1, max_size=3))
def test_damage_is_an_error_or_what_numpy_reads(array, place, piece):
    content = bytearray(npy(array))
    content[place : place + len(piece)] = piece
    try:
        found = read(bytes(content))
    except ValueError:
        return
    expected = np.load(io.BytesIO(content))
    assert found.shape == expected.shape
    assert found.tobytes() == expected.astype(found.dtype).tobytes()  # as bytes: NaN is NaN


def test_files(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.arange(3, dtype=np.int32))
    assert load(path, (3,), np.dtype(np.int64), np.dtype(np.int32)).tolist() == [0, 1, 2]
    for shape, dtype in (((4,), np.int32), ((3, 1), np.int32), ((3,), np.int64)):
        with pytest.raises(FormatError, match="has the shape") as caught:
            load(path, shape, np.dtype(dtype))
        assert caught.value.path == str(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FormatError, match="but has 11 bytes"):
        load(path, (3,), np.dtype(np.int32))
