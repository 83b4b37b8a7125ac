r"""Matchings in files, as the arrays and numbers that `Matching` and `GreedyMatching` are made of.

A matching of a bipartite graph is kept in .npz, .txt (a pair a line) or .json, one of a general
graph in .npz or as text. The text begins with one of::

    # rows N cols M matched K upper_bound U
    # vertices N pairs K weight W maximal yes method M upper_bound U

where the last four of a general graph may be missing. Rows, columns and vertices count from 0.
Reading checks everything that can be checked without the graph: ranges, that nothing is matched
twice, and the counts. Labels and statistics are not written.
"""

from __future__ import annotations

import json
import re
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import FormatError, InvalidMatchingError
from ..graphs.graph import IndexArray, index_type
from .archive import Archive
from .blocks import weighted_edges
from .decimals import number
from .digits import write_pairs
from .files import PathName, damage_reported, open_bytes, replacing, split_suffix
from .limits import Limits
from .lines import Lines
from .remote import anywhere
from .text import Head, first_bytes, shown

_SIZE = r"([0-9]{1,18})"
_HEADERS = {
    "# rows N cols M matched K upper_bound U": re.compile(
        f"# rows {_SIZE} cols {_SIZE} matched {_SIZE} upper_bound {_SIZE}"
    ),
    "# vertices N pairs K weight W maximal yes method M upper_bound U": re.compile(
        f"# vertices {_SIZE} pairs {_SIZE}"
        r"(?: weight (\S+))?(?: maximal (yes|no))?(?: method ([\w-]+))?"
        f"(?: upper_bound {_SIZE})?"
    ),
}
_BIPARTITE, _GENERAL = _HEADERS
_FIRST = first_bytes(comments=b"#%")

Pairs = tuple[IndexArray, IndexArray]
Flags = npt.NDArray[np.bool_]
_COVER = "row_cover", "col_cover"


class VertexFacts(NamedTuple):
    """What is kept with the mates of a general graph; None is not written."""

    weight: float | None = None
    is_maximal: bool | None = None
    method: str | None = None
    upper_bound: int | None = None


class NoMatchingError(FormatError, InvalidMatchingError):
    """A file that can be read, but what it holds is no matching."""


def write_matching(
    path: PathName,
    row_match: IndexArray,
    col_match: IndexArray,
    upper_bound: int,
    cover: tuple[Flags, Flags] | None = None,
) -> None:
    """Write a matching of a bipartite graph; the suffix .npz, .txt or .json says how.

    The `cover` that proves the upper bound is kept in .npz.
    """
    suffix = _suffix(path)
    shape, matched = (row_match.size, col_match.size), row_match >= 0
    size = int(np.count_nonzero(matched))
    with replacing(path) as file:
        if suffix == ".npz":
            bound = np.int64(upper_bound)
            flags: dict[str, Any] = (
                {} if cover is None else {"row_cover": cover[0], "col_cover": cover[1]}
            )
            mates: dict[str, Any] = {"row_match": row_match, "col_match": col_match}
            np.savez_compressed(file, **mates, upper_bound=bound, **flags)
        elif suffix == ".json":
            facts = {
                "shape": shape,
                "cardinality": size,
                "upper_bound": upper_bound,
                "is_maximum": size == upper_bound,
                "pairs": np.stack([np.flatnonzero(matched), row_match[matched]], 1).tolist(),
            }
            file.write(json.dumps(facts).encode() + b"\n")
        else:
            sizes = (*shape, size, upper_bound)
            file.write(b"# rows %d cols %d matched %d upper_bound %d\n" % sizes)
            _write_pairs(file, row_match, matched)


@anywhere
def read_matching(
    path: PathName,
) -> tuple[IndexArray, IndexArray, int, tuple[Flags, Flags] | None]:
    """Read ``row_match``, ``col_match``, the upper bound, and the cover for it if there is one.

    Raises
    ------
    FormatError
        The file is not of the form its suffix says, or what it has is not a matching.

    Notes
    -----
    O(n log n) for n rows and columns.
    """
    suffix, cover = _suffix(path), None
    if suffix == ".npz":
        with Archive(path) as archive:
            row_match, col_match = (archive.array(k, "i", 1) for k in ("row_match", "col_match"))
            upper_bound = int(archive.array("upper_bound", "iu", 0))
            flags = [archive.array(k, "b", 1) for k in _COVER if k in archive]
        check_mates(row_match, col_match, path)
        if len(flags) == 2:
            if (flags[0].size, flags[1].size) != (row_match.size, col_match.size):
                raise NoMatchingError("has a cover of another graph", path)
            cover = flags[0], flags[1]
        matched = int(np.count_nonzero(row_match >= 0))
    else:
        is_text = suffix == ".txt"
        sizes, (rows, cols) = _read_text(path, _BIPARTITE) if is_text else _read_json(path)
        n_rows, n_cols, matched, upper_bound = map(int, sizes)
        _refuse_repeats(path, is_text, row=rows, column=cols)
        _check_count(path, is_text, matched, rows.size)
        kind = index_type(n_rows, n_cols)
        row_match, col_match = np.full(n_rows, -1, kind), np.full(n_cols, -1, kind)
        row_match[rows], col_match[cols] = cols, rows
    if upper_bound < matched:
        message = f"upper bound {upper_bound} is below the number of pairs"
        raise FormatError(message, path, 1 if suffix == ".txt" else None)
    return row_match, col_match, upper_bound, cover


def write_vertex_matching(
    path: PathName, mate: IndexArray, facts: VertexFacts, proof: dict[str, Any] | None = None
) -> None:
    """Write a matching of a general graph: to .npz as `mate`, else as a pair on each line.

    What proves it goes to .npz only.
    """
    known: Any = {name: fact for name, fact in facts._asdict().items() if fact is not None}
    with replacing(path) as file:
        if split_suffix(path) == (".npz", ""):
            np.savez_compressed(file, mate=mate, **known, **(proof or {}))
        else:
            first = mate > np.arange(mate.size)
            words = {"vertices": mate.size, "pairs": np.count_nonzero(first), **known}
            if "is_maximal" in known:
                words["maximal"] = "yes" if words.pop("is_maximal") else "no"
            names = ("vertices", "pairs", "weight", "maximal", "method", "upper_bound")
            head = " ".join(f"{name} {words[name]}" for name in names if name in words)
            file.write(f"# {head}\n".encode())
            _write_pairs(file, mate, first)


@anywhere
def read_vertex_matching(path: PathName) -> tuple[IndexArray, VertexFacts]:
    """Read ``mate``, and what else the file has."""
    if split_suffix(path) == (".npz", ""):
        with Archive(path) as archive:
            mate = archive.array("mate", "i", 1)
            text = str(archive.array("weight", "fi", 0)) if "weight" in archive else None
            maximal = bool(archive.array("is_maximal", "b", 0)) if "is_maximal" in archive else None
            method = archive.text("method") if "method" in archive else None
            bound = int(archive.array("upper_bound", "iu", 0)) if "upper_bound" in archive else None
        n, line = mate.size, None
        v = _first((mate < -1) | (mate >= n) | (mate == np.arange(n)))
        if v is not None:
            raise NoMatchingError(f"vertex {v} cannot be matched to {mate[v]}", path)
        _check_mutual("vertex", mate, mate, path)
    else:
        (size, pairs, text, word, method, most), (ends, others) = _read_text(path, _GENERAL)
        maximal, bound, line = word and word == "yes", None if most is None else int(most), 1
        _check_count(path, True, int(pairs), ends.size)
        _refuse_repeats(path, True, vertex=np.stack([ends, others], 1))
        mate = np.full(int(size), -1, index_type(int(size)))
        mate[ends], mate[others] = others, ends
    if bound is not None and 2 * bound < np.count_nonzero(mate >= 0):
        raise FormatError(f"upper bound {bound} is below the number of pairs", path, line)
    return mate, VertexFacts(_weight(text, path, line), maximal, method, bound)


@anywhere
def read_odd_set_proof(path: PathName) -> dict[str, Any]:
    """Read what proves that a matching of a general graph is the best by weight.

    Raises
    ------
    FormatError
        The file has none: it was found by number, or is a text.
    """
    if split_suffix(path) != (".npz", ""):
        raise FormatError("prices of odd sets are kept in .npz", path)
    kinds = {"prices": "if", "parent": "i", "set_prices": "if"}
    with Archive(path) as archive:
        proof: dict[str, Any] = {name: archive.array(name, kinds[name], 1) for name in kinds}
        for name in ("floor", "weight", "weight_bound", "tolerance"):
            proof[name] = archive.array(name, "if", 0).item()
        proof["minimise"] = bool(archive.array("minimise", "b", 0))
        proof["competes_with"] = archive.text("competes_with")
    if proof["competes_with"] not in ("all", "maximum", "perfect"):
        raise FormatError(f"competes_with is {proof['competes_with'][:40]!r}", path)
    if not 0 <= proof["tolerance"] < np.inf:
        raise FormatError(f"tolerance is {proof['tolerance']}, not a finite number ≥ 0", path)
    return proof


def _weight(text: str | None, path: PathName, line: int | None = None) -> float | None:
    """Return a weight if there is one, which must be a finite number."""
    if text is None:
        return None
    weight = number(text.encode())
    if weight is None or not np.isfinite(weight):
        raise FormatError(f"weight {text[:40]} must be a finite number", path, line)
    return weight


def has_vertices(path: PathName) -> bool:
    """Tell whether a file has the matching of a general graph, not of a bipartite one."""
    suffix, compression = split_suffix(path)
    if suffix == ".npz" and not compression:
        with Archive(path) as archive:
            return "mate" in archive
    if suffix != ".txt":
        return False
    with Lines(path) as lines:
        return (lines.peek() or b"").startswith(b"# vertices")


def has_bound(path: PathName) -> bool:
    """Tell whether the matching of a general graph was found by an exact algorithm."""
    if split_suffix(path) == (".npz", ""):
        with Archive(path) as archive:
            return "upper_bound" in archive
    with Lines(path) as lines:
        return b" upper_bound " in (lines.peek() or b"")


def check_mates(row_match: IndexArray, col_match: IndexArray, path: PathName) -> None:
    """Refuse mates that are out of range, or do not agree with each other."""
    sides = (("row", row_match, col_match), ("column", col_match, row_match))
    for side, match, back in sides:
        if (i := _first((match < -1) | (match >= back.size))) is not None:
            raise NoMatchingError(f"{side} {i} is matched to {match[i]} of {back.size}", path)
    for side, match, back in sides:
        _check_mutual(side, match, back, path)


def _check_mutual(side: str, match: IndexArray, back: IndexArray, path: PathName) -> None:
    ends = np.flatnonzero(match >= 0)
    if (k := _first(back[match[ends]] != ends)) is not None:
        i = ends[k]
        message = f"{side} {i} is matched to {match[i]}, but that to {back[match[i]]}"
        raise NoMatchingError(message, path)


def _first(wrong: npt.NDArray[np.bool_]) -> int | None:
    """Return the first place that is wrong."""
    return int(np.argmax(wrong)) if wrong.any() else None


def _suffix(path: PathName) -> str:
    suffix, compression = split_suffix(path)
    if suffix not in (".npz", ".txt", ".json") or (suffix == ".npz" and compression):
        tables = (".csv", ".tsv", ".parquet")
        hint = "; a table has pairs only: write .npz or .json besides" if suffix in tables else ""
        raise FormatError(f"a matching is kept in .npz, .txt or .json{hint}", path)
    return suffix


def _write_pairs(file: IO[bytes], match: IndexArray, written: npt.NDArray[np.bool_]) -> None:
    write_pairs(file, np.concatenate([[0], np.cumsum(written)]), match[written])


def _read_text(path: PathName, expected: str) -> tuple[tuple[Any, ...], Pairs]:
    """Return the words of the header, as text, and the pairs, whose ends are in range."""
    with Lines(path) as lines:
        line = lines.peek() or b""
        header = _HEADERS[expected].fullmatch(line.decode("utf-8", "replace").strip())
        if header is None:
            raise lines.error(f"expected {expected!r}, found {shown(line)}", 1)
        lines.skip()
        words = header.groups()
        bipartite = expected == _BIPARTITE
        n_rows, n_cols = int(words[0]), int(words[1 if bipartite else 0])
        names = ("row", "column") if bipartite else ("vertex", "vertex")
        rows, cols, *_ = weighted_edges(lines, Head(_FIRST, shape=(n_rows, n_cols), names=names))
        return words, (rows, cols)


def _read_json(path: PathName) -> tuple[tuple[int, ...], Pairs]:
    """Return rows, columns, pairs and upper bound as announced, and the pairs, in range."""
    with open_bytes(path) as file, damage_reported(path):
        content = file.read()
    try:
        facts = json.loads(content)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", path, error.lineno) from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", path) from error
    if not isinstance(facts, dict):
        raise FormatError("expected an object with shape, cardinality, upper_bound, pairs", path)
    shape = facts.get("shape")
    if not isinstance(shape, list) or len(shape) != 2 or not all(map(_is_size, shape)):
        raise FormatError(f"'shape' must be two whole numbers ≥ 0, not {shape!r}", path)
    Limits().check((shape[0], shape[1]), 0, path)
    for name in ("cardinality", "upper_bound"):
        if not _is_size(facts.get(name)):
            raise FormatError(f"{name!r} must be a whole number ≥ 0, not {facts.get(name)!r}", path)
    matched, bound = facts["cardinality"], facts["upper_bound"]
    if facts.get("is_maximum", matched == bound) != (matched == bound):
        raise FormatError(f"'is_maximum' does not fit {matched} pairs of at most {bound}", path)
    try:
        listed = facts.get("pairs")
        pairs = np.array(listed if listed != [] else np.zeros((0, 2), np.int64))
    except ValueError:  # lists of different lengths
        pairs = np.array(None)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind != "i":
        raise FormatError("'pairs' must be a list of [row, column]", path)
    for side, numbers, size in zip(("row", "column"), pairs.T, shape, strict=True):
        if (k := _first((numbers < 0) | (numbers >= size))) is not None:
            raise FormatError(f"pair {k}: {side} {numbers[k]} is not in 0 … {size - 1}", path)
    return (*shape, matched, bound), (pairs[:, 0], pairs[:, 1])


def _is_size(value: Any) -> bool:
    return type(value) is int and value >= 0


def _check_count(path: PathName, is_text: bool, announced: int, found: int) -> None:
    if found != announced:
        message = f"{announced} pairs announced, {found} found"
        raise FormatError(message, path, 1 if is_text else None)


def _refuse_repeats(path: PathName, is_text: bool, **ends: npt.NDArray[Any]) -> None:
    """Refuse the first pair with an end that has been there before; `ends` has a row a pair."""
    repeats = []
    for side, of_pairs in ends.items():
        numbers = of_pairs.ravel()
        order = np.argsort(numbers, kind="stable")
        again = order[1:][numbers[order[1:]] == numbers[order[:-1]]]
        if again.size:
            k = int(again.min())
            repeats.append((k // of_pairs[0].size, side, int(numbers[k])))
    if repeats:
        k, side, number = min(repeats)
        place = "" if is_text else f"pair {k}: "
        line = _line_of_pair(path, k) if is_text else None
        raise NoMatchingError(f"{place}{side} {number} is matched twice", path, line)


def _line_of_pair(path: PathName, k: int) -> int | None:
    """Return the line of pair k: where a reader complains that wants no more than k of them."""
    try:
        with Lines(path) as lines:
            weighted_edges(lines, Head(_FIRST, entries=k))
    except FormatError as error:
        return error.line
    return None
