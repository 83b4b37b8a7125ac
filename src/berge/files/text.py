"""Text files of integers: from lines to arrays, with errors that name the line.

`pairs` reads what has an edge a line, as a `Head` describes it; `rows` what has a vertex a line.
Both yield arrays chunk by chunk. `edges` is all of the edges at once.

Memory while reading: 8 bytes an edge (16 from 2³¹ vertices on), twice that while `join` runs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import FormatError
from ..graphs.graph import IndexArray
from . import tokens
from .files import PathName, plain_size
from .limits import Limits
from .lines import Lines
from .tokens import LARGEST

_BLANKS = bytes.maketrans(b",;", b"  ")


def first_bytes(*, comments: bytes, tag: bytes = b"") -> bytes:
    """Return the table of what a line is by its first byte; with a `tag`, data must have it."""
    table = bytearray([tokens.WRONG if tag else tokens.DATA] * 256)
    for byte in comments + b"\n":
        table[byte] = tokens.SKIP
    for byte in tag:
        table[byte] = tokens.TAG
    return bytes(table)


@dataclass(frozen=True)
class Head:
    """What is known of a file with an edge a line before its edges, and how to take these.

    Attributes
    ----------
    first
        What a line is by its first byte; see `first_bytes`.
    low
        Number of the first row and column.
    shape, entries
        Rows and columns, and how many edges there must be; None where the file does not say.
    mirror
        Whether an edge (i, j) is also one (j, i).
    names, unit
        What messages call the two ends, and the edges.
    """

    first: bytes
    low: int = 0
    shape: tuple[int, int] | None = None
    entries: int | None = None
    mirror: bool = False
    names: tuple[str, str] = ("row", "column")
    unit: str = "entries"


def pairs(lines: Lines, head: Head, taken: int = 0) -> Iterator[tuple[IndexArray, IndexArray]]:
    """Yield rows and columns of all lines to come, counted from 0, an array of each per chunk.

    So many edges were `taken` before.
    """
    low, limit = head.low, head.entries
    left = LARGEST if limit is None else limit - taken
    row_high, col_high = (size - 1 + low for size in head.shape) if head.shape else (LARGEST,) * 2
    while lines.fill():
        start, stop = lines.start, lines.stop
        found = np.empty((2, (stop - start) // 4 + 1), np.int64)
        count, seen, error, at = tokens.scan_pairs(
            lines.data, start, stop, head.first, low, row_high, col_high, left, *found
        )
        if error != tokens.OK:
            is_row = error == tokens.ROW_RANGE
            name, high = (head.names[0], row_high) if is_row else (head.names[1], col_high)
            raise _error(lines, seen, error, at, name, low, high, limit)
        lines.take(seen)
        left -= count
        yield _narrowed(*found[:, :count])
    if limit is not None and left:
        raise lines.error(f"file ends after {limit - left} of {limit} {head.unit}")


def edges(lines: Lines, head: Head) -> tuple[IndexArray, IndexArray, tuple[int, int]]:
    """Return rows and columns of all edges to come, and the shape.

    What a solve of them takes is compared with the limit before, and again as edges come.
    """
    rows, cols = join(_within_memory(lines, head))
    shape = head.shape or shape_of(rows, cols, lines.path, lines.limits)
    return *(mirrored(rows, cols) if head.mirror else (rows, cols)), shape


def _within_memory(lines: Lines, head: Head) -> Iterator[tuple[IndexArray, IndexArray]]:
    shape, times, size = head.shape or (0, 0), 2 if head.mirror else 1, 0
    lines.limits.check(shape, times * (head.entries or 0), lines.path, lines.line)
    for rows, cols in pairs(lines, head):
        size += times * rows.size
        lines.limits.check(shape, size, lines.path, lines.line)
        yield rows, cols


def rows(
    lines: Lines, first: bytes, *, lead: int, stride: int, high: int, limit: int,
    weighs: tuple[bool, bool] = (False, False),
) -> Iterator[tuple[IndexArray, IndexArray, IndexArray, IndexArray]]:  # fmt: skip
    """Yield the values of all lines to come, as `scan_rows` takes them, and how many a line has.

    Weights of lines, and those of values, follow if `weighs` asks for them.
    """
    left = limit
    while lines.fill():
        start, stop = lines.start, lines.stop
        values = np.empty((stop - start) // 2 + 1, np.int64)
        counts = np.empty(min(stop - start, left), np.int64)
        leads, between = (
            np.empty(like.size if wanted else 0, np.int64)
            for like, wanted in zip((counts, values), weighs, strict=True)
        )
        size, taken, seen, error, at = tokens.scan_rows(
            lines.data, start, stop, first, lead, stride, high, left, values, counts, leads, between
        )
        if error != tokens.OK:
            raise _error(lines, seen, error, at, "neighbour", 1, high, limit)
        lines.take(seen)
        left -= taken
        yield *_narrowed(values[:size], counts[:taken]), leads[:taken].copy(), between[:size].copy()


def column(lines: Lines, number: int, *, comments: bytes) -> npt.NDArray[np.float64]:
    """Return a weight from each of the lines to come: what is in a column, counted from 0.

    Line by line, in plain Python: a second or two for a million lines.
    """
    values = []
    while (line := lines.peek()) is not None:
        lines.skip()
        text = line.strip()
        if text and text[0] not in comments:
            try:
                value = float(text.translate(_BLANKS).split()[number])
            except (IndexError, ValueError):
                raise lines.error(f"no weight in column {number + 1} of {shown(text)}") from None
            if not 0 <= value < math.inf:
                raise lines.error(f"weight {value:g} must be a finite number ≥ 0")
            values.append(value)
    return np.array(values)


def join(chunks: Iterable[tuple[IndexArray, IndexArray]]) -> tuple[IndexArray, IndexArray]:
    """Join what `pairs` yields into two arrays of one type."""
    nothing = np.zeros(0, np.int32)
    parts = [(nothing, nothing), *chunks]
    left, right = (np.concatenate(side) for side in zip(*parts, strict=True))
    wide = np.promote_types(left.dtype, right.dtype)
    return left.astype(wide, copy=False), right.astype(wide, copy=False)


def shape_of(rows: IndexArray, cols: IndexArray, path: PathName, limits: Limits) -> tuple[int, int]:
    """Return the shape that the largest numbers ask for, if it fits in memory."""
    shape = int(rows.max(initial=-1)) + 1, int(cols.max(initial=-1)) + 1
    limits.check(shape, rows.size, path)
    return shape


def mirrored(rows: IndexArray, cols: IndexArray) -> tuple[IndexArray, IndexArray]:
    """Add (j, i) for every (i, j) off the diagonal."""
    off = rows != cols
    return np.concatenate([rows, cols[off]]), np.concatenate([cols, rows[off]])


def whole_numbers(text: bytes) -> list[int]:
    """Return the numbers of a line of nothing else, none if there is anything else."""
    words = text.split()
    if not all(re.fullmatch(rb"[+-]?[0-9]{1,30}", word) for word in words):
        return []
    return [int(word) for word in words]


def shown(text: bytes) -> str:
    """Return the beginning of a line as a message shows it."""
    return repr(text[:60].decode("utf-8", "replace"))


def check_claim(lines: Lines, count: int, name: str, least: int) -> None:
    """Refuse a count from a header if so many, `least` bytes each, cannot be in the file."""
    size = plain_size(lines.path)
    if count < 0 or count > LARGEST:
        raise lines.error(f"{count} {name}")
    # The last line may lack its line feed.
    if size is not None and count * least > size + 1:
        raise lines.error(f"{count} {name} cannot be in a file of {size} bytes")


def _narrowed(left: Any, right: Any) -> tuple[IndexArray, IndexArray]:
    """Copy two arrays out of the scratch space, as int32 where the numbers allow it."""
    most = max(left.max(initial=0), right.max(initial=0))
    narrow = np.int32 if most <= np.iinfo(np.int32).max else np.int64
    return left.astype(narrow), right.astype(narrow)


def _error(
    lines: Lines, seen: int, kind: int, at: int, name: str, low: int, high: int, limit: int | None
) -> FormatError:
    token = _token(lines.data, at)
    bounds = f"below {low}" if high == LARGEST else f"not in {low} … {high}"
    messages = {
        tokens.NOT_INTEGER: f"{token!r} is not a whole number",
        tokens.TOO_LARGE: f"{token} does not fit in 64 bits",
        tokens.MISSING: "line ends where another number must follow",
        tokens.TOO_MANY: f"more than the {limit} entries that the header announces",
        tokens.BELOW_0: f"weight {token} is below 0",
        tokens.WRONG_START: f"line begins with {token!r}",
    }
    return lines.error(messages.get(kind, f"{name} {token} is {bounds}"), lines.line + seen)


def _token(data: bytearray, at: int) -> str:
    """Return the token at a place as text, cut to what fits in a message."""
    end = at
    while end < at + 40 and data[end] not in b" \t,;\r\n":
        end += 1
    return data[at:end].decode("utf-8", "replace")
