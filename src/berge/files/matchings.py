r"""Matchings in files: .npz, .txt (a pair a line) or .json.

The text form begins with ``# rows N cols M matched K upper_bound U``; rows and columns count from
0. Loading checks everything that can be checked without the graph: ranges, that no row and no
column is there twice, and the counts. Labels and statistics are not written.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FormatError, InvalidMatchingError
from ..graphs.graph import IndexArray
from .files import PathName, check_memory, damage_reported, open_bytes, replacing, split_suffix

if TYPE_CHECKING:
    from ..results.matching import Matching

__all__ = ["check_mates", "load_matching", "save_matching"]

_HEADER = re.compile(
    rb"# rows (\d{1,18}) cols (\d{1,18}) matched (\d{1,18}) upper_bound (\d{1,18})"
)


class NoMatchingError(FormatError, InvalidMatchingError):
    """A file that can be read, but what it holds is no matching."""


def save_matching(matching: Matching, path: PathName) -> None:
    """Write a matching; the suffix .npz, .txt or .json says how.

    Examples
    --------
    >>> import berge, tempfile
    >>> from berge.files import load_matching, save_matching
    >>> m = berge.Matching([1, -1], [-1, 0], upper_bound=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_matching(m, f"{folder}/m.txt")
    ...     load_matching(f"{folder}/m.txt")
    Matching(cardinality=1, maximum)
    """
    suffix = _suffix(path)
    with replacing(path) as file:
        if suffix == ".npz":
            np.savez_compressed(
                file,
                row_match=matching.row_match,
                col_match=matching.col_match,
                upper_bound=np.int64(matching.upper_bound),
            )
        elif suffix == ".json":
            facts = {
                "shape": [matching.n_rows, matching.n_cols],
                "cardinality": matching.cardinality,
                "upper_bound": matching.upper_bound,
                "is_maximum": matching.is_maximum,
                "pairs": matching.pairs().tolist(),
            }
            file.write(json.dumps(facts).encode() + b"\n")
        else:
            from .digits import write_pairs

            file.write(
                b"# rows %d cols %d matched %d upper_bound %d\n"
                % (matching.n_rows, matching.n_cols, matching.cardinality, matching.upper_bound)
            )
            matched = matching.row_match >= 0
            indptr = np.concatenate([[0], np.cumsum(matched)])
            write_pairs(file, indptr, matching.row_match[matched])


def load_matching(path: PathName) -> Matching:
    """Read a matching that `save_matching` wrote, or someone else in its form.

    The path may also be that of a folder of per-part arrays, as a cluster writes them.

    Raises
    ------
    FormatError
        The file is not of the form its suffix says, or what it has is not a matching.

    Notes
    -----
    O(n log n) for n rows and columns.
    """
    from ..results.matching import Matching

    if os.path.isdir(path):
        from ..distributed.results import load_parts

        return load_parts(path)
    suffix = _suffix(path)
    if suffix == ".npz":
        return _load_npz(path)
    found = _load_json(path) if suffix == ".json" else _load_text(path)
    if (repeat := _first_repeat(found)) is not None:
        k, side, number = repeat
        place = f"pair {k}: " if suffix == ".json" else ""
        line = None if suffix == ".json" else _line_of_pair(path, k)
        raise NoMatchingError(f"{place}{side} {number} is matched twice", path, line)
    head = 1 if suffix == ".txt" else None
    if found.rows.size != found.matched:
        raise FormatError(f"{found.matched} pairs announced, {found.rows.size} found", path, head)
    if found.upper_bound < found.matched:
        raise FormatError(
            f"upper bound {found.upper_bound} is below the number of pairs", path, head
        )
    kind = np.int32 if max(found.shape) <= np.iinfo(np.int32).max else np.int64
    row_match, col_match = (np.full(size, -1, kind) for size in found.shape)
    row_match[found.rows], col_match[found.cols] = found.cols, found.rows
    return Matching(row_match, col_match, upper_bound=found.upper_bound)


@dataclass(frozen=True)
class _Found:
    """What a text or JSON file says; the pairs are in range, nothing else is checked yet."""

    shape: tuple[int, int]
    matched: int
    upper_bound: int
    rows: IndexArray
    cols: IndexArray


def _suffix(path: PathName) -> str:
    suffix, compression = split_suffix(path)
    if suffix not in (".npz", ".txt", ".json") or (suffix == ".npz" and compression):
        raise FormatError("a matching is kept in .npz, .txt or .json", path)
    return suffix


def _load_npz(path: PathName) -> Matching:
    from ..results.matching import Matching
    from .archive import Archive

    with Archive(path) as archive:
        row_match, col_match = (archive.array(k, "i", 1) for k in ("row_match", "col_match"))
        upper_bound = int(archive.array("upper_bound", "iu", 0))
    check_mates(row_match, col_match, path)
    if upper_bound < np.count_nonzero(row_match >= 0):
        raise FormatError(f"upper bound {upper_bound} is below the number of pairs", path)
    return Matching(row_match, col_match, upper_bound=upper_bound)


def check_mates(row_match: IndexArray, col_match: IndexArray, path: PathName) -> None:
    """Refuse mates that are out of range, or do not agree with each other."""
    sides = (("row", row_match, col_match), ("column", col_match, row_match))
    for side, match, back in sides:
        wrong = np.flatnonzero((match < -1) | (match >= back.size))
        if wrong.size:
            i = wrong[0]
            raise NoMatchingError(f"{side} {i} is matched to {match[i]} of {back.size}", path)
    for side, match, back in sides:
        ends = np.flatnonzero(match >= 0)
        wrong = ends[back[match[ends]] != ends]
        if wrong.size:
            i = wrong[0]
            raise NoMatchingError(
                f"{side} {i} is matched to {match[i]}, but that to {back[match[i]]}", path
            )


def _load_text(path: PathName) -> _Found:
    from .lines import Lines
    from .text import join, pairs, shown

    with Lines(path) as lines:
        line = lines.peek() or b""
        header = _HEADER.fullmatch(line.strip())
        if header is None:
            expected = "# rows N cols M matched K upper_bound U"
            raise lines.error(f"expected {expected!r}, found {shown(line)}", 1)
        lines.skip()
        n_rows, n_cols, matched, upper_bound = (int(word) for word in header.groups())
        check_memory((n_rows, n_cols), path, 1)
        rows, cols = join(pairs(lines, _first(), row_high=n_rows - 1, col_high=n_cols - 1))
    return _Found((n_rows, n_cols), matched, upper_bound, rows, cols)


def _first() -> bytes:
    from .text import first_bytes

    return first_bytes(comments=b"#%")


def _line_of_pair(path: PathName, k: int) -> int | None:
    """Return the line of pair k: where a reader complains that wants no more than k of them."""
    from .lines import Lines
    from .text import pairs

    try:
        with Lines(path) as lines:
            for _ in pairs(lines, _first(), limit=k):
                pass
    except FormatError as error:
        return error.line
    return None


def _load_json(path: PathName) -> _Found:
    try:
        with open_bytes(path) as file, damage_reported(path):
            facts = json.loads(file.read())
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", path, error.lineno) from error
    except (ValueError, RecursionError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"not JSON: {error}", path) from error
    if not isinstance(facts, dict):
        raise FormatError("expected an object with shape, cardinality, upper_bound, pairs", path)
    shape = facts.get("shape")
    if not isinstance(shape, list) or len(shape) != 2 or not all(map(_is_size, shape)):
        raise FormatError(f"'shape' must be two whole numbers ≥ 0, not {shape!r}", path)
    check_memory((shape[0], shape[1]), path)
    for name in ("cardinality", "upper_bound"):
        if not _is_size(facts.get(name)):
            raise FormatError(f"{name!r} must be a whole number ≥ 0, not {facts.get(name)!r}", path)
    matched, bound = facts["cardinality"], facts["upper_bound"]
    if facts.get("is_maximum", matched == bound) != (matched == bound):
        raise FormatError(f"'is_maximum' does not fit {matched} pairs of at most {bound}", path)
    rows, cols = _json_pairs(facts.get("pairs"), path)
    for side, numbers, size in (("row", rows, shape[0]), ("column", cols, shape[1])):
        wrong = np.flatnonzero((numbers < 0) | (numbers >= size))
        if wrong.size:
            k = wrong[0]
            raise FormatError(f"pair {k}: {side} {numbers[k]} is not in 0 … {size - 1}", path)
    return _Found((shape[0], shape[1]), matched, bound, rows, cols)


def _is_size(value: Any) -> bool:
    return type(value) is int and value >= 0


def _json_pairs(pairs: Any, path: PathName) -> tuple[IndexArray, IndexArray]:
    try:
        found = np.array(pairs if pairs != [] else np.zeros((0, 2), np.int64))
    except ValueError:  # lists of different lengths
        found = np.array(None)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind != "i":
        raise FormatError("'pairs' must be a list of [row, column]", path)
    return found[:, 0], found[:, 1]


def _first_repeat(found: _Found) -> tuple[int, str, int] | None:
    """Return the first pair whose row or column has been there before: place, side, number."""
    repeats = []
    for side, numbers in (("row", found.rows), ("column", found.cols)):
        order = np.argsort(numbers, kind="stable")
        again = order[1:][numbers[order[1:]] == numbers[order[:-1]]]
        if again.size:
            k = int(again.min())
            repeats.append((k, side, int(numbers[k])))
    return min(repeats, default=None)
