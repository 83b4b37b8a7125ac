"""Bytes of files that are not trusted, as lines of text and as arrays. Plain Python and numpy.

Nothing is evaluated, nothing is allocated by what a header claims, and what is read stays within
`Limits`. Whatever is wrong is a `FormatError` that names the file.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import json
import lzma
import math
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import BergeError, FormatError

Shape = tuple[int, int]
Entry = tuple[int, int, float]  # row, column, weight

DECOMPRESS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
FREE = 1 << 24  # bytes of text that any compressed file may hold
EACH = 64  # bytes for a vertex or an edge, while it is read and checked
MOST = 2**63 - 1

_DAMAGE = (
    *(ArithmeticError, EOFError, LookupError, RuntimeError, TypeError, ValueError),
    *(lzma.LZMAError, struct.error, zipfile.BadZipFile, zlib.error),
)
_BLANKS = bytes.maketrans(b",;\x0b\x0c", b"  ??")  # what else Python splits at is not blank here
_WHOLE = re.compile(rb"[+-]?[0-9]{1,4000}")
_NUMBER = re.compile(
    rb"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([ed][+-]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE
)
_NPY = re.compile(
    rb"\{'descr': '([<>|=]?[biufcSU][0-9]{1,9})', 'fortran_order': (True|False), "
    rb"'shape': \(([0-9]{1,18},|[0-9]{1,18}(?:, [0-9]{1,18})+|)\),? *\} *\n?"
)
_LENGTH = {b"\1\0": 2, b"\2\0": 4, b"\3\0": 4}  # version of .npy -> bytes of the header's length
_RATIO = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}  # bytes that one can stand for


class Limits(NamedTuple):
    """What a file may ask for: bytes in memory, in a line, and of text for a compressed byte."""

    memory: int
    line: int = 1 << 28
    ratio: float = 30_000

    def check(self, path: Path, needed: int) -> None:
        """Refuse to go on where that takes too much memory."""
        if needed > self.memory:
            raise FormatError(
                f"takes {needed:,} bytes of memory to check, more than {self.memory:,}; "
                "--limit memory=VALUE permits more",
                path,
            )


@contextmanager
def damage_told(path: Path, line: int | None = None, what: str = "damaged") -> Iterator[None]:
    """Turn all that Python raises over damaged content into an error of ours."""
    try:
        yield
    except BergeError:
        raise
    except MemoryError:
        raise FormatError("there is no memory to read it", path, line) from None
    except (*_DAMAGE, OSError) as error:
        # What the system says has a number. Seeking to a place that cannot be gives EINVAL.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise FormatError(f"{what}: {error}", path, line) from error


def suffixes(path: Path) -> tuple[str, str]:
    """Return the suffix of the format, and that of the compression or nothing."""
    last = path.suffix.lower()
    return (path.with_suffix("").suffix.lower(), last) if last in DECOMPRESS else (last, "")


class Lines:
    """The lines of a text file, without their ends; `number` is that of the last one."""

    def __init__(self, path: Path, limits: Limits):
        self.path, self.limits, self.number = path, limits, 0
        self._lines: Iterator[bytes] = self._read()

    def __iter__(self) -> Iterator[bytes]:
        return self._lines

    def _read(self) -> Iterator[bytes]:
        unpack: Any = DECOMPRESS.get(suffixes(self.path)[1])
        size = 0
        with (
            open(self.path, "rb") as raw,
            damage_told(self.path, what="compressed data is damaged"),
            unpack(raw) if unpack else raw as text,
        ):
            while line := text.readline(self.limits.line + 2):
                self.number += 1
                size += len(line)
                if unpack and size > FREE + self.limits.ratio * raw.tell():
                    raise self.error("too much text in few bytes; --limit ratio=VALUE permits more")
                line = line.removesuffix(b"\n").removesuffix(b"\r")
                if self.number == 1:
                    line = line.removeprefix(b"\xef\xbb\xbf")
                if len(line) > self.limits.line:
                    raise self.error("line is too long; --limit line=VALUE permits more")
                if b"\0" in line or b"\r" in line:
                    raise self.error("NUL byte, or carriage return without a line feed")
                yield line

    def back(self, line: bytes) -> None:
        """Have the last line come again."""
        self._lines = chain([line], self._lines)

    def error(self, message: str) -> FormatError:
        """Return an error at the last line."""
        return FormatError(message, self.path, self.number)

    def words(self, line: bytes, most: int = -1) -> list[bytes]:
        """Split a line at blanks, tabs, commas and semicolons, so many times at most."""
        if most < 0:
            self.limits.check(self.path, EACH * len(line) // 2)  # a word has two bytes or more
        return line.translate(_BLANKS).split(None, most)

    def heading(self, comments: bytes, most: int) -> list[bytes]:
        """Return the words of the next line that is neither empty nor a comment."""
        for line in self:
            words = line.split(None, most)
            if words and words[0][:1] not in comments:
                return words
        raise self.error("file ends before its header")

    def sizes(self, words: list[bytes], names: str) -> list[int]:
        """Return the numbers of a header, which must be those that are named, each ≥ 0."""
        sound = all(re.fullmatch(rb"[+-]?[0-9]{1,30}", word) for word in words)
        found = [int(word) for word in words] if sound else []
        if len(found) != len(names.split()) or min(found) < 0:
            raise self.error(f"expected {names}, found {b' '.join(words)[:60]!r}")
        return found

    def whole(self, word: bytes, low: int, high: int = MOST) -> int:
        """Return the whole number that a word is, which must be in low … high."""
        if not _WHOLE.fullmatch(word):
            raise self.error(f"{word[:40]!r} is not a whole number")
        if not low <= int(word) <= high:
            raise self.error(f"{word[:40].decode()} is not in {low} … {high}")
        return int(word)

    def number_of(self, word: bytes) -> float:
        """Return the number that a word is; its exponent may have a D, as Fortran writes it."""
        if not _NUMBER.fullmatch(word):
            raise self.error(f"{word[:40]!r} is not a number")
        return float(word.lower().replace(b"d", b"e"))

    def weight(self, words: list[bytes], count: int, signed: bool) -> float:
        """Return the absolute value of so many words: a number, or the two of a complex one."""
        values = [self.number_of(word) for word in words[:count]]
        weight = math.hypot(*values)
        if len(values) < count or not weight < math.inf or (not signed and values[0] < 0):
            raise self.error("no weight that is a finite number ≥ 0")
        return weight

    def pairs(
        self,
        comments: bytes,
        low: int = 0,
        shape: Shape | None = None,
        count: int | None = None,
        *,
        tag: bytes = b"",
        numbers: int = 0,
        signed: bool = False,
    ) -> Iterator[Entry]:
        """Yield the entries of lines with one each, counted from `low`; there must be so many.

        The lines begin with the tag. So many numbers behind the ends are a weight.
        """
        highs = (MOST, MOST) if shape is None else (shape[0] - 1 + low, shape[1] - 1 + low)
        taken, parts = 0, (tag != b"") + 2 + numbers  # and the rest of the line, in one piece
        for line in self:
            words = self.words(line, parts)
            if not words or words[0][:1] in comments:
                continue
            if tag and words.pop(0) != tag:
                raise self.error(f"line does not begin with {tag.decode()!r}")
            if taken == count:
                raise self.error(f"more than the {count} edges that the header announces")
            if len(words) < 2:
                raise self.error("line ends where another number must follow")
            row, col = self.whole(words[0], low, highs[0]), self.whole(words[1], low, highs[1])
            weight = self.weight(words[2:], numbers, signed) if numbers else 0.0
            yield row - low, col - low, weight
            taken += 1
        if count is not None and taken < count:
            raise self.error(f"file ends after {taken} of {count} edges")


def read_bytes(path: Path, limits: Limits) -> bytes:
    """Return all of a file that is not compressed."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        limits.check(path, size)
        return file.read(size)


def read_json(content: bytes, path: Path, limits: Limits) -> dict[str, Any]:
    """Return the object that some JSON text is, whose values take more memory than the text."""
    limits.check(path, 32 * len(content))
    with damage_told(path, what="not JSON"):
        found = json.loads(content)
    if not isinstance(found, dict):
        raise FormatError("no object of JSON", path)
    return found


def array_of(content: bytes, kinds: str, ndim: int) -> Any:
    """Return the array of an .npy file; it must be of one of the kinds (as in ``dtype.kind``)."""
    width = _LENGTH.get(content[6:8])
    if content[:6] != b"\x93NUMPY" or width is None:
        raise ValueError("does not begin as an .npy file")
    start = 8 + width + int.from_bytes(content[8 : 8 + width], "little")
    head = _NPY.fullmatch(content, 8 + width, start)
    if head is None or start > len(content):
        raise ValueError("has a header that numpy does not write")
    dtype, shape = np.dtype(head[1].decode()), tuple(map(int, re.findall(rb"[0-9]+", head[3])))
    if dtype.kind not in kinds or len(shape) != ndim:
        raise ValueError(f"must not be of {dtype}, shape {shape}")
    if math.prod(shape) * dtype.itemsize != len(content) - start:
        raise ValueError(f"has {len(content) - start} bytes, not {shape} of {dtype}")
    return np.ndarray(shape, dtype, content, start, order="F" if head[2] == b"True" else "C")


class Archive:
    """The arrays of an .npz file: a zip file of .npy files."""

    def __init__(self, path: Path, limits: Limits):
        self.path, self.limits = path, limits
        with damage_told(path, what="not an npz file, or a damaged one"):
            self._zip = zipfile.ZipFile(path)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return f"{name}.npy" in self._zip.NameToInfo

    def array(self, name: str, kinds: str, ndim: int) -> Any:
        """Return an array, as `array_of` does."""
        with damage_told(self.path, what=repr(name)):
            info = self._zip.getinfo(f"{name}.npy")
            if info.file_size > info.compress_size * _RATIO.get(info.compress_type, 0):
                raise ValueError(f"{info.compress_size} bytes cannot hold {info.file_size}")
            self.limits.check(self.path, info.file_size)
            return array_of(self._zip.read(info), kinds, ndim)

    def text(self, name: str) -> str:
        """Return the text that an array is."""
        array = self.array(name, "SU", 0)
        with damage_told(self.path, what=repr(name)):
            code = "utf-32-le" if array.dtype.kind == "U" else "ascii"
            return str(array.tobytes().decode(code)).rstrip("\0")
