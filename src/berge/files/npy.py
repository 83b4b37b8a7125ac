"""The .npy format, of files that are not trusted: a header of our own grammar, then the numbers.

numpy evaluates a header as Python. Here it is three keys with a type, a truth and a shape, or it is
an error. What it claims is compared with the bytes that are there, before anything is allocated.
Arrays of Python objects, which would run code when loaded, and records are refused.
"""

from __future__ import annotations

import math
import os
import re
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import FormatError
from .aside import PathName

_MAGIC = b"\x93NUMPY"
_LENGTH = {(1, 0): 2, (2, 0): 4, (3, 0): 4}  # version -> bytes of the header's length
_LONGEST = 10_000  # bytes, as in numpy
_VALUES = {
    "descr": rb"'([<>=|]?[biufcSUVOmM][0-9]{0,9})'",
    "fortran_order": rb"(True|False)",
    "shape": rb"\( *([0-9]{1,18} *,|[0-9]{1,18}(?: *, *[0-9]{1,18}){1,31} *,?|) *\)",
}
_STEP = 1 << 22  # bytes


class Header(NamedTuple):
    """What an .npy file says of its array: `start` is the byte where the numbers begin."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    in_columns: bool
    start: int

    @property
    def nbytes(self) -> int:
        """Bytes of the numbers."""
        return self.dtype.itemsize * math.prod(self.shape)


def read_header(file: IO[bytes], size: int) -> Header:
    """Read the header of an .npy file of so many bytes; a ValueError says what is wrong with it."""
    magic = file.read(8)
    if len(magic) < 8 or magic[:6] != _MAGIC:
        raise ValueError("does not begin as an .npy file")
    version = magic[6], magic[7]
    if version not in _LENGTH:
        raise ValueError(f"version {version} of the .npy format")
    length = int.from_bytes(file.read(_LENGTH[version]), "little")
    if length > _LONGEST:
        raise ValueError(f"a header of {length} bytes")
    text = file.read(length)
    start = 8 + _LENGTH[version] + length
    if len(text) < length:
        raise ValueError("ends in its header")
    dtype, shape, in_columns = _parsed(text)
    found = Header(dtype, shape, in_columns, start)
    if dtype.hasobject:
        raise ValueError("holds Python objects, which are not loaded")
    # Without the zeros: numpy multiplies the others too.
    if dtype.itemsize * math.prod(n or 1 for n in shape) >= 2**62 or dtype.itemsize == 0:
        raise ValueError(f"claims the shape {shape} of {dtype}")
    if found.nbytes != size - start:
        raise ValueError(f"claims the shape {shape} of {dtype}, but has {size - start} bytes")
    return found


def _parsed(text: bytes) -> tuple[np.dtype[Any], tuple[int, ...], bool]:
    """Return the three values of a header."""
    words = text.strip(b" \n")
    if words[:1] + words[-1:] != b"{}":
        raise ValueError("has a header that is none")
    found, rest = {}, words[1:-1].rstrip(b" ").removesuffix(b",") + b","
    while rest:
        for key, value in _VALUES.items():
            pair = re.match(rb" *'%s' *: *%s *," % (key.encode(), value), rest)
            if pair is not None and key not in found:
                found[key], rest = pair[1].decode(), rest[pair.end() :]
                break
        else:
            raise ValueError(f"has a header that is none: {rest[:40].decode('latin-1')!r}")
    if len(found) < len(_VALUES):
        raise ValueError("has a header without all of " + ", ".join(_VALUES))
    try:
        dtype = np.dtype(found["descr"])
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"has numbers of the type {found['descr']!r}") from None
    shape = tuple(int(n) for n in found["shape"].split(",") if n.strip())
    return dtype, shape, found["fortran_order"] == "True"


def read_array(file: IO[bytes], header: Header) -> npt.NDArray[Any]:
    """Read the numbers after a header, in the byte order of this machine."""
    array = np.empty(header.shape, header.dtype, order="F" if header.in_columns else "C")
    room = memoryview(array.reshape(-1, order="A").view(np.uint8))  # type: ignore[arg-type]
    while room.nbytes:
        count = file.readinto(room[:_STEP])  # type: ignore[attr-defined]
        if not count:
            raise ValueError("ends before its numbers do")
        room = room[count:]
    if array.dtype.isnative:
        return array
    return array.byteswap(inplace=True).view(array.dtype.newbyteorder("="))


def load(path: PathName, shape: tuple[int, ...], *dtypes: np.dtype[Any]) -> npt.NDArray[Any]:
    """Read an .npy file, which must have this shape and one of these types."""
    try:
        with open(path, "rb", buffering=0) as file:
            header = read_header(file, os.fstat(file.fileno()).st_size)
            if header.dtype not in dtypes or header.shape != shape:
                raise ValueError(f"has the shape {header.shape} of {header.dtype}, not {shape}")
            return read_array(file, header)
    except ValueError as error:
        raise FormatError(str(error), path) from None
