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
from .lines import Lines
from .text import mirrored, pairs

__all__ = ["Piece", "Position", "Stream", "open_stream"]

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
    path: PathName, format: str, *, base: int = 0, left: Any = None, right: Any = None
) -> Stream | None:
    """Return the stream of a file in a format by its name; None if it cannot be read in pieces.

    The columns `left` and `right` are for Parquet.
    """
    settings = {"format": format, "base": base, "left": left, "right": right}
    if format == "parquet":
        from .parquet import files_of

        files = files_of(path)
        edges = sum(file.metadata.num_rows for file in files)
        columns = {"base": base, "left": left, "right": right}
        return Stream(path, None, edges, settings, partial(_batches, path, files, edges, columns))
    if format not in ("matrix-market", "edge-list"):
        return None
    shape = edges = None
    mirror = False
    with Lines(path) as lines:
        if format == "edge-list":
            sizes = edge_list.read_heading(lines)
            scan = edge_list.scan_settings(sizes, base)
            if sizes is not None:
                shape, edges = sizes[:2], sizes[2]
        else:
            header = matrix_market.read_header(lines)
            if header.entries is None:
                return None  # an array, of values
            scan = matrix_market.scan_settings(header)
            mirror = header.symmetry != "general"
            shape, edges = header.shape, header.entries * (2 if mirror else 1)
        begin = {"byte": lines.tell(), "line": lines.line, "taken": 0}
    return Stream(path, shape, edges, settings, partial(_text, path, scan, mirror, begin))


def _text(
    path: PathName,
    scan: dict[str, Any],
    mirror: bool,
    begin: Position,
    position: Position | None = None,
) -> Iterator[Piece]:
    """Yield the edges after a head; a position is a byte, a line, and the entries before it."""
    size, total = plain_size(path), scan.get("limit")
    with Lines(path) as lines:
        start = position or begin
        lines.seek(start["byte"], start["line"])
        taken = start["taken"]
        for rows, cols in pairs(lines, **scan, taken=taken):
            taken += rows.size
            byte = lines.tell()
            share = byte / size if size else taken / total if total else None
            place = {"byte": byte, "line": lines.line, "taken": taken}
            yield Piece(*(mirrored(rows, cols) if mirror else (rows, cols)), place, share)


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
