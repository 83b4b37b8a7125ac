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
    if format == "matrix-market":
        with Lines(path) as lines:
            header = matrix_market.read_header(lines)
        if header.entries is None:
            return None  # an array, of values
        mirror = header.symmetry != "general"
        edges = header.entries * (2 if mirror else 1)
        return Stream(path, header.shape, edges, settings, partial(_matrix_market, path))
    if format == "edge-list":
        with Lines(path) as lines:
            sizes = edge_list.read_heading(lines)
        shape, known = (None, None) if sizes is None else ((sizes[0], sizes[1]), sizes[2])
        return Stream(path, shape, known, settings, partial(_edge_list, path, base))
    return None


def _matrix_market(path: PathName, position: Position | None = None) -> Iterator[Piece]:
    with Lines(path) as lines:
        header = matrix_market.read_header(lines)
        scan = matrix_market.scan_settings(header)
        for piece in _text(lines, scan, header.entries, position):
            if header.symmetry == "general":
                yield piece
            else:
                both = mirrored(piece.rows, piece.cols)
                yield Piece(*both, piece.position, piece.share)


def _edge_list(path: PathName, base: int, position: Position | None = None) -> Iterator[Piece]:
    with Lines(path) as lines:
        sizes = edge_list.read_heading(lines)
        scan = edge_list.scan_settings(sizes, base)
        yield from _text(lines, scan, None if sizes is None else sizes[2], position)


def _text(
    lines: Lines, scan: dict[str, Any], total: int | None, position: Position | None
) -> Iterator[Piece]:
    """Yield the edges after a head; a position is a byte, a line, and the entries before it."""
    size = plain_size(lines.path)
    taken = 0
    if position is not None:
        lines.seek(position["byte"], position["line"])
        taken = position["taken"]
    for rows, cols in pairs(lines, **scan, limit=total, taken=taken):
        taken += rows.size
        byte = lines.tell()
        share = byte / size if size else taken / total if total else None
        yield Piece(rows, cols, {"byte": byte, "line": lines.line, "taken": taken}, share)
    if total is not None and taken != total:
        raise lines.error(f"file ends after {taken} of {total} entries")


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
