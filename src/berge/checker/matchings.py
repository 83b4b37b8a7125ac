"""Matchings out of files of every form that berge writes, by readers of the checker's own.

What a file says of its matching is compared with what it holds, as far as that goes without the
graph. A file that cannot be read is a `FormatError`. One that can, but whose pairs contradict each
other, is a `ProofError`: what it holds is no matching of any graph. What a file says of methods,
of being maximal and of covers is not read: all that is found anew. Of a matching that is only near
the maximum the cover is read, to be checked (`read_cover`).
"""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError, ProofError
from .check import check_mates
from .untrusted import (
    EACH,
    Archive,
    Limits,
    Lines,
    Shape,
    array_of,
    damage_told,
    read_bytes,
    read_json,
    suffixes,
)

SIZE = "([0-9]{1,18})"
BIPARTITE = re.compile(f"# rows {SIZE} cols {SIZE} matched {SIZE} upper_bound {SIZE}")
GENERAL = re.compile(
    rf"# vertices {SIZE} pairs {SIZE}(?: weight (\S+))?(?: maximal (?:yes|no))?(?: method [\w-]+)?"
    f"(?: upper_bound {SIZE})?"
)


def is_general(path: Path, limits: Limits) -> bool:
    """Tell whether a file has the matching of a general graph, not of a bipartite one."""
    suffix = suffixes(path)
    if path.is_dir() or suffix[0] == ".json":
        return False
    if suffix == (".npz", ""):
        with Archive(path, limits) as archive:
            return "mate" in archive
    if suffix[0] != ".txt":
        raise FormatError("a matching is kept in .npz, .txt or .json", path)
    return next(iter(Lines(path, limits)), b"").startswith(b"# vertices")


def has_prices_or_units(path: Path, limits: Limits) -> bool:
    """Tell whether a file has an answer whose proof comes with it, which is not checked here."""
    names = ("row_prices", "row_most", "set_prices")
    if suffixes(path) == (".npz", ""):
        with Archive(path, limits) as archive:
            return any(name in archive for name in names)
    if path.is_dir() or suffixes(path)[0] != ".json":
        return False
    return any(f'"{name}"'.encode() in line for line in Lines(path, limits) for name in names)


def has_bound(path: Path, limits: Limits) -> bool:
    """Tell whether the matching of a general graph is said to be that of an exact algorithm."""
    if suffixes(path) == (".npz", ""):
        with Archive(path, limits) as archive:
            return "upper_bound" in archive
    return b" upper_bound " in next(iter(Lines(path, limits)), b"")


def read_bipartite(path: Path, limits: Limits) -> tuple[Any, Any]:
    """Read the mates of rows, and those of columns."""
    if path.is_dir():
        rows, cols, bound = _parts(path, limits)
    elif suffixes(path) == (".npz", ""):
        with Archive(path, limits) as archive:
            rows, cols = (archive.array(name, "i", 1) for name in ("row_match", "col_match"))
            bound = int(archive.array("upper_bound", "iu", 0))
    else:
        read = _text if suffixes(path)[0] == ".txt" else _json
        shape, pairs, matched, bound = read(path, limits)
        rows, cols = np.full(shape[0], -1), np.full(shape[1], -1)
        rows[pairs[:, 0]], cols[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
        for side, ends in zip(("row", "column"), pairs.T, strict=True):
            _refuse_repeats(path, side, ends)
        if len(pairs) != matched:
            raise FormatError(f"{matched} pairs announced, {len(pairs)} found", path)
    limits.check(path, EACH * (rows.size + cols.size))
    check_mates("row", "column", rows, cols)
    check_mates("column", "row", cols, rows)
    if bound < np.count_nonzero(rows >= 0):
        raise FormatError(f"upper bound {bound} is below the number of pairs", path)
    return rows, cols


def read_cover(path: Path, limits: Limits) -> tuple[Any, Any] | None:
    """Read the rows and columns of a cover that an .npz file has; None if there is none."""
    if suffixes(path) != (".npz", ""):
        return None
    with Archive(path, limits) as archive:
        if "row_cover" not in archive or "col_cover" not in archive:
            return None
        return archive.array("row_cover", "b", 1), archive.array("col_cover", "b", 1)


def read_general(path: Path, limits: Limits) -> tuple[Any, float]:
    """Read the mates of vertices, and the weight; without one, every pair weighs 1."""
    weight = None
    if suffixes(path) == (".npz", ""):
        with Archive(path, limits) as archive:
            mate = archive.array("mate", "i", 1)
            if "weight" in archive:
                weight = float(archive.array("weight", "fi", 0))
        limits.check(path, EACH * mate.size)
        check_mates("vertex", "vertex", mate, mate)
        if (itself := mate == np.arange(mate.size)).any():
            raise ProofError(f"vertex {itself.argmax()} is matched to itself")
    else:
        lines = Lines(path, limits)
        head = _header(lines, GENERAL)
        n, matched = int(head[1]), int(head[2])
        weight = None if head[3] is None else lines.number_of(head[3].encode())
        pairs = _pairs(lines, (n, n))
        if len(pairs) != matched:
            raise FormatError(f"{matched} pairs announced, {len(pairs)} found", path)
        _refuse_repeats(path, "vertex", pairs.ravel())
        mate = np.full(n, -1)
        mate[pairs[:, 0]], mate[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
    if weight is None:
        weight = np.count_nonzero(mate >= 0) / 2
    if not -math.inf < weight < math.inf:
        raise FormatError(f"weight {weight} must be a finite number", path)
    return mate, weight


def _header(lines: Lines, pattern: re.Pattern[str]) -> re.Match[str]:
    line = next(iter(lines), b"").decode("utf-8", "replace").strip()
    if (found := pattern.fullmatch(line)) is None:
        raise lines.error(f"the first line is not that of a matching: {line[:60]!r}")
    return found


def _pairs(lines: Lines, shape: Shape) -> Any:
    """Return the pairs of all lines to come, in range, as an array with two columns."""
    lines.limits.check(lines.path, EACH * sum(shape))
    ends = (end for pair in lines.pairs(b"#%", 0, shape) for end in pair[:2])
    return np.fromiter(ends, np.int64).reshape(-1, 2)


def _text(path: Path, limits: Limits) -> tuple[Shape, Any, int, int]:
    """Return shape, pairs, and the numbers of pairs and of pairs at most that the file tells."""
    lines = Lines(path, limits)
    n_rows, n_cols, matched, bound = map(int, _header(lines, BIPARTITE).groups())
    return (n_rows, n_cols), _pairs(lines, (n_rows, n_cols)), matched, bound


def _json(path: Path, limits: Limits) -> tuple[Shape, Any, int, int]:
    """Return the same as `_text`."""
    facts = read_json(b"\n".join(Lines(path, limits)), path, limits)
    shape, matched, bound = (facts.get(name) for name in ("shape", "cardinality", "upper_bound"))
    sizes = [*shape, matched, bound] if isinstance(shape, list) else []
    if len(sizes) != 4 or any(type(size) is not int or size < 0 for size in sizes):
        raise FormatError("shape, cardinality and upper_bound must be whole numbers ≥ 0", path)
    if facts.get("is_maximum", matched == bound) != (matched == bound):
        raise FormatError(f"'is_maximum' does not fit {matched} pairs of at most {bound}", path)
    limits.check(path, EACH * (sizes[0] + sizes[1]))
    pairs = facts.get("pairs")
    for pair in pairs if isinstance(pairs, list) else [None]:
        if type(pair) is not list or [type(end) for end in pair] != [int, int]:
            raise FormatError("'pairs' must be a list of [row, column]", path)
        if not (0 <= pair[0] < sizes[0] and 0 <= pair[1] < sizes[1]):
            raise FormatError(f"the pair {pair} is out of range", path)
    return (sizes[0], sizes[1]), np.array(pairs, np.int64).reshape(-1, 2), sizes[2], sizes[3]


def _parts(folder: Path, limits: Limits) -> tuple[Any, Any, int]:
    """Return the mates of rows and of columns out of a folder of parts, and the upper bound."""
    place = folder / "meta.json"
    meta = read_json(read_bytes(place, limits), place, limits)
    if meta.get("format") != "berge matching in parts" or meta.get("version") != 1:
        raise FormatError("not the meta.json of a matching in parts of version 1", place)
    with damage_told(place, what="not all of a matching in parts"):
        parts, (n_rows, n_cols) = meta["parts"], meta["shape"]
        size, bound = meta["cardinality"], meta["upper_bound"]
        bounds = [end for part in parts for side in ("rows", "cols") for end in part[side]]
        if any(type(number) is not int for number in (n_rows, n_cols, size, bound, *bounds)):
            raise FormatError("has sizes that are not whole numbers", place)
        if not 0 <= size <= bound:
            raise FormatError("has a cardinality above its upper bound", place)
        limits.check(place, EACH * (n_rows + n_cols))
        dtype = np.dtype(np.int32 if max(n_rows, n_cols) < 2**31 else np.int64)
        mates = []
        for name, side, n in (("row_match", "rows", n_rows), ("col_match", "cols", n_cols)):
            arrays, end = [np.zeros(0, dtype)], 0
            for number, part in enumerate(parts):
                file = folder / f"{name}-{number:05}-of-{len(parts):05}.npy"
                content = read_bytes(file, limits)
                if hashlib.sha256(content).hexdigest() != part["files"][file.name]:
                    raise FormatError("damaged: its checksum is not the one in meta.json", file)
                with damage_told(file):
                    array = array_of(content, "i", 1)
                first, last = part[side]
                if first != end or array.size != last - first or array.dtype != dtype:
                    raise FormatError(f"is not {side} {first} to {last}", file)
                arrays.append(array)
                end = last
            if end != n:
                raise FormatError(f"the parts do not hold all {n} {side}", place)
            mates.append(np.concatenate(arrays))
        return mates[0], mates[1], bound


def _refuse_repeats(path: Path, side: str, ends: Any) -> None:
    """Refuse pairs of which two have the same end."""
    numbers, counts = np.unique(ends, return_counts=True)
    if (counts > 1).any():
        raise ProofError(f"{path}: {side} {numbers[counts.argmax()]} is matched twice")
