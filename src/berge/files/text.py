"""Text files of numbers: from lines to arrays, with errors that name the line.

`pairs` reads what has an edge a line, as a `Head` describes it; `rows` what has a vertex a line;
`numbers` what has nothing but values. They yield arrays chunk by chunk. `blocks` takes all edges of
a file, from several threads.

Memory of edges: 8 bytes each (16 from 2³¹ vertices on), twice that while `join` runs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from os import fspath
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import FormatError
from ..graphs.graph import IndexArray
from ..wording import warn
from . import tokens
from .decimals import number, powers
from .files import PathName, plain_size
from .limits import Limits
from .lines import Lines, Run
from .tokens import LARGEST

# Rows, columns, their weights, and the shape.
WeightedEdges = tuple[IndexArray, IndexArray, npt.NDArray[Any], tuple[int, int]]
_WORD = re.compile(rb"[^ \t,;\r\n]+")


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
    width, signed
        How many numbers after the ends are the weight: 2 of them are a complex one. Weights must be
        ≥ 0; absolute values of what is signed (ABSOLUTE) or complex; AS_IS keeps signs.
    """

    first: bytes
    low: int = 0
    shape: tuple[int, int] | None = None
    entries: int | None = None
    mirror: bool = False
    names: tuple[str, str] = ("row", "column")
    unit: str = "entries"
    width: int = 0
    signed: int = 0


def pairs(lines: Lines, head: Head, taken: int = 0) -> Iterator[tuple[Any, ...]]:
    """Yield rows and columns of all lines to come, counted from 0, an array of each per chunk.

    Weights follow where the head has them. So many edges were `taken` before.
    """
    while lines.fill():
        seen, arrays = parse(lines.run, head, taken)
        lines.take(seen)
        taken += arrays[0].size
        yield arrays
    complete(lines, head, taken)


def complete(lines: Lines, head: Head, taken: int) -> None:
    """Raise if a file has ended before all of the edges that it announces."""
    if head.entries is not None and taken < head.entries:
        raise lines.error(f"file ends after {taken} of {head.entries} {head.unit}")


def parse(run: Run, head: Head, taken: int) -> tuple[int, tuple[Any, ...]]:
    """Return the number of lines of a run, and arrays of its edges; `taken` came before."""
    low, limit = head.low, head.entries
    left = LARGEST if limit is None else limit - taken
    sizes = head.shape or (LARGEST + 1, LARGEST + 1)
    row_high, col_high = (min(size - 1 + low, LARGEST) for size in sizes)
    at, stop = run.start, run.stop
    size = (stop - at) // 4 + 1
    found = np.empty((2, size), np.int64)
    weights = np.empty(size) if head.width else None
    count = seen = 0
    while at < stop:
        room = None if weights is None else weights[count:]
        ends = found[:, count:]
        more, passed, error, at = tokens.scan_pairs(
            run.data, at, stop, head.first, low, row_high, col_high, left - count,
            ends[0], ends[1], room, head.width, head.signed, powers(),
        )  # fmt: skip
        count, seen = count + more, seen + passed
        if error == tokens.UNDECIDED and weights is not None:
            weights[count] = _weight(run, head, at, run.line + seen)
            count, at = count + 1, run.data.index(b"\n", at) + 1
        elif error != tokens.OK:
            is_row = error == tokens.ROW_RANGE
            name, high = (head.names[0], row_high) if is_row else (head.names[1], col_high)
            raise _error(run, seen, error, at, name, low, high, limit)
    sides = _narrowed(*found[:, :count])
    return seen, sides if weights is None else (*sides, weights[:count].copy())


def _weight(lines: Run, head: Head, at: int, line: int) -> float:
    """Return the weight at a place that the compiled code has left to us."""
    end = lines.data.index(b"\n", at)
    words = [word[0] for word in islice(_WORD.finditer(lines.data, at, end), head.width)]
    if len(words) < head.width:
        raise lines.error("line ends where a weight must follow", line)
    values = [_number(lines, word, line) for word in words]
    weight = math.hypot(*values) if head.width == 2 else values[0]
    if head.signed == tokens.ABSOLUTE:
        weight = abs(weight)
    as_is = head.signed == tokens.AS_IS
    if not (weight >= 0 or as_is) or not abs(weight) < math.inf:
        least = "" if as_is else " ≥ 0"
        raise lines.error(f"weight {weight:g} must be a finite number{least}", line)
    return weight + 0.0


def _number(lines: Lines | Run, word: bytes, line: int) -> float:
    value = number(word)
    if value is None:
        raise lines.error(f"{shown(word)} is not a number", line)
    return value


def numbers(
    lines: Lines, first: bytes, limit: int, *, finite: bool
) -> Iterator[npt.NDArray[np.float64]]:
    """Yield all numbers to come, which must be so many, an array per chunk."""
    left = limit
    while lines.fill():
        at, stop = lines.start, lines.stop
        values = np.empty((stop - at) // 2 + 1)
        count = seen = 0
        while at < stop:
            more, passed, error, at = tokens.scan_numbers(
                lines.data, at, stop, first, left - count, values[count:], powers()
            )
            count, seen = count + more, seen + passed
            if error == tokens.TOO_MANY:
                raise lines.error("more numbers than the header announces", lines.line + seen + 1)
            if error == tokens.UNDECIDED:
                line = lines.line + seen + 1
                word: Any = _WORD.match(lines.data, at)
                values[count] = _number(lines, word[0], line)
                if finite and not np.isfinite(values[count]):
                    raise lines.error(f"weight {shown(word[0])} must be a finite number", line)
                count, at = count + 1, word.end()
        lines.take(seen)
        left -= count
        yield values[:count].copy()
    if left:
        raise lines.error(f"file ends after {limit - left} of {limit} numbers")


def rows(
    lines: Lines, first: bytes, *, lead: int, stride: int, high: int, limit: int,
    weighs: tuple[bool, bool] = (False, False), name: str = "neighbour",
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
            raise _error(lines, seen, error, at, name, 1, high, limit)
        lines.take(seen)
        left -= taken
        yield *_narrowed(values[:size], counts[:taken]), leads[:taken].copy(), between[:size].copy()


def join(chunks: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Join what `pairs` yields; the first two arrays get one type."""
    parts = list(chunks) or [(np.zeros(0, np.int32),) * 2]
    left, right, *others = (np.concatenate(side) for side in zip(*parts, strict=True))
    wide = np.promote_types(left.dtype, right.dtype)
    return left.astype(wide, copy=False), right.astype(wide, copy=False), *others


def shape_of(
    pieces: Sequence[Any], path: PathName, limits: Limits, base: int = 0
) -> tuple[int, int]:
    """Return the shape that the largest numbers ask for, if it fits in memory.

    Numbers that may be from 1 on though the `base` is 0 are warned of.
    """
    some = [piece for piece in pieces if piece[0].size]
    n_rows, n_cols = (max((int(piece[k].max()) for piece in some), default=-1) + 1 for k in (0, 1))
    limits.check((n_rows, n_cols), sum(piece[0].size for piece in some), path)
    if base == 0 and some and all(side.min() > 0 for piece in some for side in piece[:2]):
        warn(f"{fspath(path)}: row 0 and column 0 are empty; if it counts from 1: base=1")
    return n_rows, n_cols


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
    run: Lines | Run,
    seen: int,
    kind: int,
    at: int,
    name: str,
    low: int,
    high: int,
    limit: int | None,
) -> FormatError:
    token = _token(run.data, at)
    bounds = f"below {low}" if high == LARGEST else f"not in {low} … {high}"
    messages = {
        tokens.NOT_INTEGER: f"{token!r} is not a whole number",
        tokens.TOO_LARGE: f"{token} does not fit in 64 bits",
        tokens.MISSING: "line ends where another number must follow",
        tokens.TOO_MANY: f"more than the {limit} entries that the header announces",
        tokens.BELOW_0: f"weight {token} is below 0",
        tokens.WRONG_START: f"line begins with {token!r}",
    }
    return run.error(messages.get(kind, f"{name} {token} is {bounds}"), run.line + seen)


def _token(data: bytearray, at: int) -> str:
    """Return the token at a place as text, cut to what fits in a message."""
    end = at
    while end < at + 40 and data[end] not in b" \t,;\r\n":
        end += 1
    return data[at:end].decode("utf-8", "replace")
