r"""Matchings in files: .npz, .txt (a pair a line) or .json.

The text form begins with ``# rows N cols M matched K upper_bound U``; rows and columns count from
0. Loading checks everything that can be checked without the graph: ranges, that no row and no
column is there twice, and the counts. Labels and statistics are not written.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FormatError
from ..graph import IndexArray
from .files import PathName, check_memory, open_bytes, replacing, split_suffix

if TYPE_CHECKING:
    from ..matching import Matching

__all__ = ["load_matching", "save_matching"]

_HEADER = re.compile(
    rb"# rows (\d{1,18}) cols (\d{1,18}) matched (\d{1,18}) upper_bound (\d{1,18})"
)


def save_matching(matching: Matching, path: PathName) -> None:
    """Write a matching; the suffix .npz, .txt or .json says how.

    Examples
    --------
    >>> import berge, tempfile
    >>> from berge.io import load_matching, save_matching
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

    Raises
    ------
    FormatError
        The file is not of the form its suffix says, or what it has is not a matching.

    Notes
    -----
    O(rows + columns + size of the file).
    """
    suffix = _suffix(path)
    if suffix == ".npz":
        return _load_npz(path)
    return _load_json(path) if suffix == ".json" else _load_text(path)


def _suffix(path: PathName) -> str:
    suffix, compression = split_suffix(path)
    if suffix not in (".npz", ".txt", ".json") or (suffix == ".npz" and compression):
        raise FormatError("a matching is kept in .npz, .txt or .json", path)
    return suffix


def _load_npz(path: PathName) -> Matching:
    from .archive import Archive

    with Archive(path) as archive:
        row_match, col_match = (archive.array(k, "i", 1) for k in ("row_match", "col_match"))
        upper_bound = int(archive.array("upper_bound", "iu", 0))
    rows = np.flatnonzero(row_match != -1)
    cols = np.flatnonzero(col_match != -1)
    _check_range(rows, row_match[rows], col_match.size, "row_match", path)
    _check_range(cols, col_match[cols], row_match.size, "col_match", path)
    for name, ends, match, back in (
        ("row", rows, row_match, col_match),
        ("column", cols, col_match, row_match),
    ):
        wrong = np.flatnonzero(back[match[ends]] != ends)
        if wrong.size:
            i = ends[wrong[0]]
            raise FormatError(
                f"{name} {i} is matched to {match[i]}, which is matched to {back[match[i]]}", path
            )
    return _matching(row_match, col_match, rows.size, upper_bound, path, None)


def _load_text(path: PathName) -> Matching:
    from .lines import Lines
    from .text import first_bytes, join, pairs, shown

    first = first_bytes(comments=b"#%")
    with Lines(path) as lines:
        line = lines.peek() or b""
        header = _HEADER.fullmatch(line.strip())
        if header is None:
            raise FormatError(
                "expected '# rows N cols M matched K upper_bound U', found " + shown(line), path, 1
            )
        lines.skip()
        n_rows, n_cols, matched, upper_bound = (int(word) for word in header.groups())
        check_memory((n_rows, n_cols), path, 1)
        highs = {"row_high": n_rows - 1, "col_high": n_cols - 1}
        rows, cols = join(
            pairs(lines, first, row_high=highs["row_high"], col_high=highs["col_high"])
        )
        last = lines.line
    twice = _first_repeat(rows, cols)
    if twice is not None:
        k, name, number = twice
        raise FormatError(f"{name} {number} is matched twice", path, _line_of_pair(path, k))
    if rows.size != matched:
        raise FormatError(f"{rows.size} pairs, but line 1 says {matched}", path, last)
    return _from_pairs(rows, cols, (n_rows, n_cols), upper_bound, path, 1)


def _line_of_pair(path: PathName, k: int) -> int | None:
    """Return the line of pair k: where a reader complains that wants no more than k of them."""
    from .lines import Lines
    from .text import first_bytes, pairs

    try:
        with Lines(path) as lines:
            for _ in pairs(lines, first_bytes(comments=b"#%"), limit=k):
                pass
    except FormatError as error:
        return error.line
    return None


def _load_json(path: PathName) -> Matching:
    try:
        with open_bytes(path) as file:
            facts = json.loads(file.read())
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", path, error.lineno) from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", path) from error
    shape, bound, found = _json_facts(facts, path)
    check_memory(shape, path)
    rows, cols = found[:, 0], found[:, 1]
    for name, numbers, size in (("row", rows, shape[0]), ("column", cols, shape[1])):
        wrong = np.flatnonzero((numbers < 0) | (numbers >= size))
        if wrong.size:
            k = wrong[0]
            raise FormatError(f"pair {k}: {name} {numbers[k]} is not in 0 … {size - 1}", path)
    twice = _first_repeat(rows, cols)
    if twice is not None:
        raise FormatError(f"pair {twice[0]}: {twice[1]} {twice[2]} is matched twice", path)
    matching = _from_pairs(rows, cols, shape, bound, path, None)
    for name in ("cardinality", "is_maximum"):
        if facts.get(name, getattr(matching, name)) != getattr(matching, name):
            raise FormatError(f"{name!r} is {facts[name]}, must be {getattr(matching, name)}", path)
    return matching


def _json_facts(facts: Any, path: PathName) -> tuple[tuple[int, int], int, IndexArray]:
    """Return shape, upper bound and pairs, if they are what they must be."""
    if not isinstance(facts, dict):
        raise FormatError("expected an object with shape, upper_bound, pairs", path)
    shape, bound = facts.get("shape"), facts.get("upper_bound")
    if not isinstance(shape, list) or len(shape) != 2 or not all(type(n) is int for n in shape):
        raise FormatError(f"'shape' must be two whole numbers, not {shape!r}", path)
    if min(shape) < 0:
        raise FormatError(f"'shape' must not be negative, but is {shape}", path)
    if type(bound) is not int:
        raise FormatError(f"'upper_bound' must be a whole number, not {bound!r}", path)
    try:
        found = np.array(facts.get("pairs"))
    except ValueError:
        found = np.array(None)
    if found.size == 0 and facts.get("pairs") == []:
        found = np.zeros((0, 2), np.int64)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind != "i":
        raise FormatError("'pairs' must be a list of [row, column]", path)
    return (shape[0], shape[1]), bound, found


def _first_repeat(rows: IndexArray, cols: IndexArray) -> tuple[int, str, int] | None:
    """Return the first pair whose row or column has been there before: place, side, number."""
    found = []
    for name, numbers in (("row", rows), ("column", cols)):
        order = np.argsort(numbers, kind="stable")
        repeats = order[1:][numbers[order[1:]] == numbers[order[:-1]]]
        if repeats.size:
            k = int(repeats.min())
            found.append((k, name, int(numbers[k])))
    return min(found, default=None)


def _check_range(
    ends: IndexArray, match: IndexArray, size: int, name: str, path: PathName
) -> None:
    wrong = np.flatnonzero((match < 0) | (match >= size))
    if wrong.size:
        k = wrong[0]
        raise FormatError(f"{name}[{ends[k]}] = {match[k]} is not -1 or in 0 … {size - 1}", path)


def _from_pairs(
    rows: IndexArray,
    cols: IndexArray,
    shape: tuple[int, int],
    upper_bound: int,
    path: PathName,
    line: int | None,
) -> Matching:
    kind = np.int32 if max(shape) <= np.iinfo(np.int32).max else np.int64
    row_match, col_match = np.full(shape[0], -1, kind), np.full(shape[1], -1, kind)
    row_match[rows], col_match[cols] = cols, rows
    return _matching(row_match, col_match, rows.size, upper_bound, path, line)


def _matching(
    row_match: IndexArray,
    col_match: IndexArray,
    size: int,
    upper_bound: int,
    path: PathName,
    line: int | None,
) -> Matching:
    from ..matching import Matching

    if upper_bound < size:
        raise FormatError(f"upper bound {upper_bound} is below the {size} pairs", path, line)
    return Matching(row_match, col_match, upper_bound=upper_bound)
