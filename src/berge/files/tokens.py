"""The compiled tokenizer: numbers out of runs of whole lines.

`scan_pairs` takes the first two integers of every line, and a weight if it is wanted, and ignores
the rest. `scan_rows` takes all integers of every line and keeps their number; `scan_numbers` takes
all numbers. They get a run of lines that ends in a line feed (see `lines`), so they look for no
other end. They stop at the first thing that is wrong, and return an error kind, the line and the
place of the token. UNDECIDED is a number that is left to plain Python (see `decimals`), which then
goes on behind it.

What a line is depends on its first byte that is not blank: ``first[byte]`` is DATA, SKIP (comment
or empty), TAG (one letter before the data) or WRONG.

Work O(bytes); nothing is allocated.
"""

from __future__ import annotations

import math
from typing import Any

from ..compile import helper, kernel
from .decimals import decimal

LARGEST = 2**63 - 1
TENTH = LARGEST // 10

DATA, SKIP, TAG, WRONG = range(4)
OK, NOT_INTEGER, TOO_LARGE, MISSING, ROW_RANGE, COL_RANGE, TOO_MANY, WRONG_START = range(8)
BELOW_0, UNDECIDED = 8, 9
ABSOLUTE, AS_IS = 1, 2  # what weights are that may be below 0

NEWLINE, MINUS, PLUS, ZERO, NINE = b"\n-+09"


@helper
def _is_blank(byte: int) -> bool:
    """Tell whether a byte is a space, tab, comma, semicolon or carriage return."""
    return byte == 32 or byte == 9 or byte == 44 or byte == 59 or byte == 13


@helper
def _integer(data: Any, at: int) -> Any:
    """Parse the integer at `at`; return it, the place after it, and the error kind."""
    byte = data[at]
    sign = -1 if byte == MINUS else 1
    if sign < 0 or byte == PLUS:
        at += 1
        byte = data[at]
    if byte < ZERO or byte > NINE:
        return 0, at, NOT_INTEGER
    value = 0
    while byte >= ZERO and byte <= NINE:
        digit = byte - ZERO
        if value >= TENTH and (value > TENTH or digit > 7):
            return 0, at, TOO_LARGE
        value = value * 10 + digit
        at += 1
        byte = data[at]
    if byte != NEWLINE and not _is_blank(byte):
        return 0, at, NOT_INTEGER
    return sign * value, at, OK


@kernel
def scan_pairs(
    data: Any,
    start: int,
    stop: int,
    first: Any,
    low: int,
    row_high: int,
    col_high: int,
    limit: int,
    rows: Any,
    cols: Any,
    weights: Any,
    width: int,
    signed: int,
    table: Any,
) -> Any:
    """Fill ``rows, cols``, counted from `low`; return pairs, lines, error kind, place.

    Fill `weights` too, if that is not None: numbers ≥ 0, or the absolute values of what is `signed`
    (as they are if it is AS_IS), or of complex numbers, whose `width` is 2.
    """
    count = 0
    line = 0
    at = start
    while at < stop:
        line += 1
        while _is_blank(data[at]):
            at += 1
        kind = first[data[at]]
        if kind == WRONG:
            return count, line, WRONG_START, at
        if kind == TAG:
            at += 1
            if not _is_blank(data[at]):
                return count, line, WRONG_START, at - 1
            while _is_blank(data[at]):
                at += 1
        if kind != SKIP:
            if count == limit:
                return count, line, TOO_MANY, at
            row, end, error = _integer(data, at)
            if error != OK:
                return count, line, error, at
            if row < low or row > row_high:
                return count, line, ROW_RANGE, at
            at = end
            while _is_blank(data[at]):
                at += 1
            if data[at] == NEWLINE:
                return count, line, MISSING, at
            col, end, error = _integer(data, at)
            if error != OK:
                return count, line, error, at
            if col < low or col > col_high:
                return count, line, COL_RANGE, at
            at = end
            rows[count] = row - low
            cols[count] = col - low
            if weights is not None:
                while _is_blank(data[at]):
                    at += 1
                weight, end = decimal(data, at, table)
                if width == 2:
                    while _is_blank(data[end]):
                        end += 1
                    second, end = decimal(data, end, table)
                    weight = math.hypot(weight, second)
                elif signed == ABSOLUTE:
                    weight = abs(weight)
                # That is false for NaN.
                sound = (weight >= 0 or signed == AS_IS) and abs(weight) < math.inf
                if not sound or (data[end] != NEWLINE and not _is_blank(data[end])):
                    return count, line, UNDECIDED, at
                weights[count] = weight + 0.0  # which has no sign if it is 0
                at = end
            count += 1
        while data[at] != NEWLINE:
            at += 1
        at += 1
    return count, line, OK, at


@kernel
def scan_rows(
    data: Any,
    start: int,
    stop: int,
    first: Any,
    lead: int,
    stride: int,
    high: int,
    limit: int,
    values: Any,
    counts: Any,
    leads: Any,
    between: Any,
) -> Any:
    """Read lines of `lead` integers followed by groups of `stride`; each group begins with a value.

    - ``values``: the values, each from 1 to `high`, less 1; ``counts``: how many each line has.
    - ``leads``: the last of the `lead` integers of each line, which must be ≥ 0; may be empty.
    - ``between``: the second integer of each group, which must be ≥ 0; may be empty.

    An empty line has no values. After `limit` lines only empty lines may follow. Return the number
    of values, of lines taken, of lines seen, the error kind and the place.
    """
    size = 0
    taken = 0
    line = 0
    at = start
    while at < stop:
        line += 1
        while _is_blank(data[at]):
            at += 1
        if data[at] != NEWLINE and first[data[at]] == SKIP:
            while data[at] != NEWLINE:
                at += 1
        elif taken < limit:
            before = size
            tokens = -lead
            while data[at] != NEWLINE:
                value, end, error = _integer(data, at)
                if error != OK:
                    return size, taken, line, error, at
                if tokens >= 0 and tokens % stride == 0:
                    if value < 1 or value > high:
                        return size, taken, line, COL_RANGE, at
                    values[size] = value - 1
                    size += 1
                elif value < 0 and leads.size + between.size > 0:
                    return size, taken, line, BELOW_0, at
                elif tokens == -1 and leads.size > 0:
                    leads[taken] = value
                elif tokens > 0 and between.size > 0:
                    between[size - 1] = value
                tokens += 1
                at = end
                while _is_blank(data[at]):
                    at += 1
            if tokens < 0 or tokens % stride != 0:
                return size, taken, line, MISSING, at
            counts[taken] = size - before
            taken += 1
        elif data[at] != NEWLINE:
            return size, taken, line, TOO_MANY, at
        at += 1
    return size, taken, line, OK, at


@kernel
def scan_numbers(
    data: Any, start: int, stop: int, first: Any, limit: int, values: Any, table: Any
) -> Any:
    """Fill `values` with all numbers of all lines; return numbers, lines, error kind, place.

    The start may be within a line. Lines are counted at their ends.
    """
    count = 0
    line = 0
    at = start
    begins = start == 0 or data[start - 1] == NEWLINE
    while at < stop:
        while _is_blank(data[at]):
            at += 1
        if begins and first[data[at]] == SKIP:
            while data[at] != NEWLINE:
                at += 1
        begins = data[at] == NEWLINE
        if begins:
            line += 1
            at += 1
        else:
            if count == limit:
                return count, line, TOO_MANY, at
            value, end = decimal(data, at, table)
            if value != value or (data[end] != NEWLINE and not _is_blank(data[end])):
                return count, line, UNDECIDED, at
            values[count] = value
            count += 1
            at = end
    return count, line, OK, at
