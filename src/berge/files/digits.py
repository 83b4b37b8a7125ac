"""Compiled writing of integers as text, from compressed rows.

`format_pairs` writes an entry a line, `format_rows` a row a line. Both fill a buffer as far as it
goes and return where they are, so a graph of any size passes through a few MB.

Work O(bytes written).
"""

from __future__ import annotations

from typing import IO, Any

import numpy as np

from ..compile import helper, kernel
from ..graphs.graph import IndexArray

_BUFFER = 1 << 22
_MOST = 20  # the digits of 2⁶³


@helper
def _put_integer(out: Any, at: int, value: int) -> int:
    """Write a number ≥ 0 at `at`; return the place after it."""
    end = at + 1
    rest = value // 10
    while rest > 0:
        end += 1
        rest //= 10
    place = end
    rest = value
    while place > at:
        place -= 1
        out[place] = 48 + rest % 10
        rest //= 10
    return end


@helper
def _put_bytes(out: Any, at: int, text: Any) -> int:
    for i in range(len(text)):
        out[at + i] = text[i]
    return at + len(text)


@kernel
def format_pairs(
    indptr: Any,
    indices: Any,
    row: int,
    k: int,
    base: int,
    before: Any,
    between: Any,
    after: Any,
    out: Any,
) -> Any:
    """Write lines ``before row between column after`` from entry k of a row on."""
    size = 0
    room = out.size - 2 * _MOST - len(before) - len(between) - len(after)
    while row < indptr.size - 1:
        end = int(indptr[row + 1])
        while k < end:
            if size > room:
                return row, k, size
            size = _put_bytes(out, size, before)
            size = _put_integer(out, size, row + base)
            size = _put_bytes(out, size, between)
            size = _put_integer(out, size, int(indices[k]) + base)
            size = _put_bytes(out, size, after)
            k += 1
        row += 1
    return row, k, size


@kernel
def format_rows(indptr: Any, indices: Any, row: int, k: int, base: int, out: Any) -> Any:
    """Write lines of columns with spaces between, from entry k of a row on."""
    size = 0
    room = out.size - _MOST - 1
    while row < indptr.size - 1:
        end = int(indptr[row + 1])
        while k < end:
            if size > room:
                return row, k, size
            size = _put_integer(out, size, int(indices[k]) + base)
            k += 1
            out[size] = 32
            if k < end:
                size += 1
        if size > room:
            # The row is done but for its line feed: come back to it with no entry left.
            return row, k, size
        out[size] = 10
        size += 1
        row += 1
    return row, k, size


def write_pairs(
    file: IO[bytes],
    indptr: IndexArray,
    indices: IndexArray,
    *,
    base: int = 0,
    before: bytes = b"",
    between: bytes = b" ",
    after: bytes = b"\n",
    buffer: int = _BUFFER,
) -> None:
    """Write every entry as a line ``before row between column after``."""
    _write(file, format_pairs, indptr, indices, base, before, between, after, buffer=buffer)


def write_rows(
    file: IO[bytes],
    indptr: IndexArray,
    indices: IndexArray,
    *,
    base: int = 0,
    buffer: int = _BUFFER,
) -> None:
    """Write every row as a line of its columns."""
    _write(file, format_rows, indptr, indices, base, buffer=buffer)


def _write(
    file: IO[bytes], fill: Any, indptr: IndexArray, indices: IndexArray, *how: Any, buffer: int
) -> None:
    """Fill a buffer and write it until all rows are done."""
    out = np.empty(buffer, np.uint8)
    row = k = 0
    while row < indptr.size - 1:
        row, k, size = fill(indptr, indices, row, k, *how, out)
        file.write(out[:size].data)
