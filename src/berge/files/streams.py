"""Edges out of files in pieces, for what is too large to be read at once.

A stream begins at any position that it has named before, so work that was broken off goes on
there. Positions are plain values, fit for JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..graphs.graph import IndexArray
from . import edge_list, matrix_market
from .files import PathName, plain_size
from .limits import Limits
from .lines import Lines
from .text import Head, mirrored, pairs

Position = dict[str, int]


@dataclass(frozen=True)
class Piece:
    """Some edges, the position after them, and the share of the file that is behind it."""

    rows: IndexArray
    cols: IndexArray
    position: Position
    share: float | None


@dataclass
class Stream:
    """The edges of a file.

    Attributes
    ----------
    shape, edges
        As far as the head of the file tells them.
    settings
        How it is read: with others it would be another graph.
    pieces
        Yields the edges from a position on, or from the beginning.
    """

    path: PathName
    shape: tuple[int, int] | None
    edges: int | None
    settings: dict[str, Any]
    pieces: Callable[[Position | None], Iterator[Piece]]


def open_stream(
    path: PathName,
    format: str,
    *,
    base: int = 0,
    left: Any = None,
    right: Any = None,
    limits: Limits | None = None,
) -> Stream | None:
    """Return the stream of a file in a format by its name; None if it cannot be read in pieces.

    The columns `left` and `right` are for Parquet.
    """
    settings = {"format": format, "base": base, "left": left, "right": right}
    if format == "parquet":
        from .parquet import damage_told, files_of

        files = files_of(path)
        with damage_told(path):
            edges = sum(file.metadata.num_rows for file in files)
        columns = {"base": base, "left": left, "right": right}
        return Stream(path, None, edges, settings, partial(_batches, path, files, edges, columns))
    if format not in ("matrix-market", "edge-list"):
        return None
    with Lines(path, limits=limits) as lines:
        is_list = format == "edge-list"
        head = edge_list.read_head(lines, base) if is_list else matrix_market.read_head(lines)
        if head.entries is None and not is_list:
            return None  # an array, of values
        if head.shape is not None:  # edges stay on the disk, so that only vertices matter
            lines.limits.check(head.shape, 0, path, lines.line, needed=4 * sum(head.shape))
        begin = {"byte": lines.tell(), "line": lines.line, "taken": 0}
    edges = head.entries and head.entries * (2 if head.mirror else 1)
    return Stream(path, head.shape, edges, settings, partial(_text, path, head, limits, begin))


def _text(
    path: PathName,
    head: Head,
    limits: Limits | None,
    begin: Position,
    position: Position | None = None,
) -> Iterator[Piece]:
    """Yield the edges after a head; a position is a byte, a line, and the entries before it."""
    size, total = plain_size(path), head.entries
    with Lines(path, limits=limits) as lines:
        start = position or begin
        lines.seek(start["byte"], start["line"])
        taken = start["taken"]
        for rows, cols in pairs(lines, head, taken):
            taken += rows.size
            byte = lines.tell()
            share = byte / size if size else taken / total if total else None
            place = {"byte": byte, "line": lines.line, "taken": taken}
            if head.mirror:
                rows, cols = mirrored(rows, cols)
            yield Piece(rows, cols, place, share)


def _batches(
    path: PathName,
    files: list[Any],
    total: int,
    columns: dict[str, Any],
    position: Position | None = None,
) -> Iterator[Piece]:
    """Yield the edges of Parquet files; a position is the number of rows before it."""
    from .parquet import batches

    done = position["rows"] if position is not None else 0
    for rows, cols in batches(path, files, skip=done, **columns):
        done += rows.size
        yield Piece(rows, cols, {"rows": done}, done / total)
