"""All edges of a text file, from all threads: `text.pairs`, block by block.

`graph_of` is the graph of them, `weighted_edges` has their weights too.

The file is read here, a run of whole lines at a time, and each run goes to a thread with a buffer
of its own. `parse_plain` takes what nearly all files are made of: lines that begin with two whole
numbers below 2³¹, comments and empty lines. A run in which anything else is found, be it right or
wrong, is parsed again by `text.parse`, which decides. So results and errors are those of `pairs`;
runs are taken up in the order of the file, and lines are counted as that is done.

Memory besides the result: a buffer of `Lines` and room for its edges, for each thread and
two more.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compile import asleep, helper, kernel, threads_for, threads_of
from ..compile.eight import eight_digits
from ..errors import FormatError
from ..graphs.graph import BipartiteGraph, IndexArray
from ..graphs.pieces import graph_of_pieces
from .decimals import decimal, powers
from .files import interrupts_first, plain_size
from .lines import Lines, Run, check_run
from .text import Head, complete, join, pairs, parse, shape_of
from .tokens import ABSOLUTE, AS_IS, NEWLINE, SKIP, TAG, WRONG

__all__ = ["blocks", "graph_of", "weighted_edges"]

SHARED_TEXT = 1 << 22  # bytes of a file from which several threads parse it; guess
LINE = 4  # bytes of a line at least
MOST = 2**31 - 1
RETURN = 13
NOT_PLAIN = -1


class Parsed(NamedTuple):
    """What a thread found in a run: lines and edges; none of them if it is not plain."""

    run: Run
    plain: bool
    seen: int
    arrays: tuple[Any, ...]


def graph_of(lines: Lines, head: Head) -> BipartiteGraph:
    """Return the graph of all edges to come.

    What a solve of them takes is compared with the limit before, and again as edges come.
    """
    pieces = list(_within_memory(lines, head))
    shape = head.shape or shape_of(pieces, lines.path, lines.limits, head.low)
    return graph_of_pieces(pieces, shape, mirror=head.mirror)


def weighted_edges(
    lines: Lines, head: Head
) -> tuple[IndexArray, IndexArray, tuple[int, int], npt.NDArray[np.float64]]:
    """Return rows, columns, the shape and the weights, of edges that are not mirrored."""
    rows, cols, *weights = join(_within_memory(lines, head))
    shape = head.shape or shape_of([(rows, cols)], lines.path, lines.limits, head.low)
    return rows, cols, shape, weights[0] if weights else np.zeros(0)


def _within_memory(lines: Lines, head: Head) -> Iterator[tuple[Any, ...]]:
    shape, times, size = head.shape or (0, 0), 2 if head.mirror else 1, 0
    lines.limits.check(shape, times * (head.entries or 0), lines.path, lines.line)
    for arrays in _all_pairs(lines, head):
        size += times * arrays[0].size
        lines.limits.check(shape, size, lines.path, lines.line)
        yield arrays


def _all_pairs(lines: Lines, head: Head) -> Iterator[tuple[Any, ...]]:
    """Return `pairs`, from several threads if there is enough to do for them."""
    size = plain_size(lines.path)
    little = size is not None and size < SHARED_TEXT and not asleep()
    return pairs(lines, head) if little or head.low < 0 else blocks(lines, head)


def blocks(lines: Lines, head: Head) -> Iterator[tuple[Any, ...]]:
    """Yield what `pairs` yields, in other portions."""
    size = plain_size(lines.path)
    threads = threads_of(None) if size is None else threads_for(size // LINE, 0)
    first = np.frombuffer(head.first, np.uint8)
    low, left = head.low, math.inf if head.entries is None else head.entries
    row_high, col_high = (min(size - 1 + low, MOST) for size in head.shape or (MOST, MOST))
    how = first, low, row_high, col_high, head.width, head.signed, powers()
    spare: list[bytearray] = []
    under_way: deque[Future[Parsed]] = deque()
    taken = 0

    def next_parsed() -> tuple[Any, ...]:
        nonlocal taken
        found = under_way.popleft().result()
        run = found.run._replace(line=lines.line)
        if not found.plain or found.arrays[0].size > left - taken:
            check_run(run)
            seen, arrays = parse(run, head, taken)
        else:
            seen, arrays = found.seen, found.arrays
        spare.append(run.data)
        lines.line += seen
        taken += arrays[0].size
        return arrays

    with interrupts_first(), ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                before = lines.line
                try:
                    more = lines.fill(check=False)
                except FormatError as error:
                    while under_way:  # whatever is wrong further up comes first
                        yield next_parsed()
                    raise error.later(lines.line - before) from None
                if not more:
                    break
                run = lines.hand_over(spare.pop() if spare else None)
                under_way.append(pool.submit(_parsed, run, how))
                if len(under_way) > threads + 1:
                    yield next_parsed()
            while under_way:
                yield next_parsed()
        finally:
            pool.shutdown(cancel_futures=True)
    complete(lines, head, taken)


def _parsed(run: Run, how: tuple[Any, ...]) -> Parsed:
    """Parse a run; called by a thread."""
    size, weighted = (run.stop - run.start) // 4 + 1, how[4] > 0
    rows, cols = np.empty(size, np.int32), np.empty(size, np.int32)
    weights = np.empty(size if weighted else 0)
    data = np.frombuffer(run.data, np.uint8)
    parse: Any = parse_plain
    count, seen = parse(data, run.start, run.stop, *how, rows, cols, weights)
    arrays = (rows, cols, weights) if weighted else (rows, cols)
    return Parsed(run, count >= 0, seen, tuple(array[: max(count, 0)].copy() for array in arrays))


@kernel
def parse_plain(
    data: Any,
    start: int,
    stop: int,
    first: Any,
    low: int,
    row_high: int,
    col_high: int,
    width: int,
    signed: int,
    table: Any,
    rows: Any,
    cols: Any,
    weights: Any,
) -> tuple[int, int]:
    """Fill `rows`, `cols` and `weights` as `scan_pairs` does; return pairs and lines.

    Return ``NOT_PLAIN`` for the pairs if there is anything but plain lines.
    """
    count = 0
    lines = 0
    at = start
    while at < stop:
        lines += 1
        at = past_blanks(data, at)
        kind = first[np.uint64(data[np.uint64(at)])]
        if kind == TAG:
            if not is_blank(data[np.uint64(at + 1)]):
                return NOT_PLAIN, 0
            at = past_blanks(data, at + 1)
        elif kind == WRONG:
            return NOT_PLAIN, 0
        if kind != SKIP and data[np.uint64(at)] != RETURN:
            row, at = whole_number(data, at)
            if row < low or row > row_high or not is_blank(data[np.uint64(at)]):
                return NOT_PLAIN, 0
            col, at = whole_number(data, past_blanks(data, at))
            if col < low or col > col_high or not ends_word(data[np.uint64(at)]):
                return NOT_PLAIN, 0
            rows[np.uint64(count)] = row - low
            cols[np.uint64(count)] = col - low
            if width > 0:
                weight, at = decimal(data, past_blanks(data, at), table)
                if width == 2:
                    second, at = decimal(data, past_blanks(data, at), table)
                    weight = math.hypot(weight, second)
                elif signed == ABSOLUTE:
                    weight = abs(weight)
                # That is false for NaN.
                sound = (weight >= 0 or signed == AS_IS) and abs(weight) < math.inf
                if not sound or not ends_word(data[np.uint64(at)]):
                    return NOT_PLAIN, 0
                weights[np.uint64(count)] = weight + 0.0
            count += 1
        byte = data[np.uint64(at)]
        while byte != NEWLINE:
            at += 1
            after = data[np.uint64(at)]
            if byte == 0 or (byte == RETURN and after != NEWLINE):
                return NOT_PLAIN, 0
            byte = after
        at += 1
    return count, lines


@helper
def is_blank(byte: int) -> bool:
    """Tell whether a byte is a space, tab, comma or semicolon."""
    return byte == 32 or byte == 9 or byte == 44 or byte == 59


@helper
def ends_word(byte: int) -> bool:
    """Tell whether a number may end before this byte, also a line feed or a return."""
    return is_blank(byte) or byte == 10 or byte == 13


@helper
def past_blanks(data: Any, at: int) -> int:
    """Return the place of the next byte that is not blank."""
    while is_blank(data[np.uint64(at)]):
        at += 1
    return at


@helper
def whole_number(data: Any, at: int) -> tuple[Any, Any]:
    """Return the number at a place and the place after it; −1 if it has no or over ten digits."""
    value: Any = np.int64(0)
    count: Any = np.int64(0)
    if at + 8 <= data.size:
        value, count = eight_digits(data, at)
    if count == 8 or at + 8 > data.size:
        digit = np.int64(data[np.uint64(at + count)]) - 48
        while digit >= 0 and digit <= 9 and count <= 10:
            value = value * 10 + digit
            count += 1
            digit = np.int64(data[np.uint64(at + count)]) - 48
    return (np.int64(-1) if count == 0 or count > 10 else value), at + count
