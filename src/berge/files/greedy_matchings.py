"""Matchings of general graphs in files: .npz, or text with a pair on each line.

The text begins with ``# vertices N pairs K weight W maximal yes method M``, the last three of which
may be missing; vertices count from 0. Loading checks what can be checked without the graph.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FormatError
from .archive import Archive
from .files import PathName, check_memory, replacing, split_suffix
from .lines import Lines
from .matchings import NoMatchingError
from .text import first_bytes, join, pairs, shown

if TYPE_CHECKING:
    from ..results.greedy_matching import GreedyMatching

__all__ = ["is_greedy", "load_greedy", "save_greedy"]

_FIRST = first_bytes(comments=b"#%")
_HEADER = re.compile(
    r"# vertices (\d{1,18}) pairs (\d{1,18})"
    r"(?: weight (\d[\d.e+-]*))?(?: maximal (yes|no))?(?: method ([\w-]+))?"
)


def save_greedy(matching: GreedyMatching, path: PathName) -> None:
    """Write a matching; see `GreedyMatching.save`."""
    with replacing(path) as file:
        if split_suffix(path) == (".npz", ""):
            np.savez_compressed(
                file,
                mate=matching.mate,
                weight=np.float64(matching.weight),
                is_maximal=np.bool_(matching.is_maximal),
                method=np.str_(matching.method),
            )
        else:
            header = (
                f"# vertices {matching.mate.size} pairs {matching.size} weight "
                f"{float(matching.weight)!r} maximal {'yes' if matching.is_maximal else 'no'} "
                f"method {matching.method}\n"
            )
            file.write(header.encode())
            np.savetxt(file, matching.pairs(), fmt="%d")


def is_greedy(path: PathName) -> bool:
    """Tell whether a file is of the kind that `save_greedy` writes to .npz and .txt."""
    suffix, compression = split_suffix(path)
    if suffix == ".npz" and not compression:
        with Archive(path) as archive:
            return "mate" in archive
    if suffix != ".txt":
        return False
    with Lines(path) as lines:
        return (lines.peek() or b"").startswith(b"# vertices")


def load_greedy(path: PathName) -> GreedyMatching:
    """Read a matching; see `GreedyMatching.load`."""
    from ..results.greedy_matching import GreedyMatching

    read = _load_npz if split_suffix(path) == (".npz", "") else _load_text
    mate, weight, maximal, method = read(path)
    n = mate.size
    places = np.arange(n)
    bad = np.flatnonzero((mate < -1) | (mate >= n) | (mate == places))
    if bad.size:
        raise NoMatchingError(f"vertex {bad[0]} cannot be matched to {mate[bad[0]]}", path)
    matched = np.flatnonzero(mate >= 0)
    bad = matched[mate[mate[matched]] != matched]
    if bad.size:
        v = bad[0]
        raise NoMatchingError(
            f"vertex {v} is matched to {mate[v]}, but that to {mate[mate[v]]}", path
        )
    mate.flags.writeable = False
    size = matched.size // 2
    return GreedyMatching(
        mate=mate,
        size=size,
        weight=float(size) if weight is None else weight,
        is_maximal=maximal,
        matched_fraction=(matched.size / max(n, 1),),
        method=method,
    )


def _load_npz(path: PathName) -> tuple[Any, float | None, bool, str]:
    with Archive(path) as archive:
        mate = archive.array("mate", "i", 1)
        weight = float(archive.array("weight", "f", 0)) if "weight" in archive else None
        maximal = "is_maximal" in archive and bool(archive.array("is_maximal", "b", 0))
        method = str(archive.array("method", "U", 0)) if "method" in archive else "unknown"
    return mate, weight, maximal, method


def _load_text(path: PathName) -> tuple[Any, float | None, bool, str]:
    with Lines(path) as lines:
        line = lines.peek() or b""
        header = _HEADER.fullmatch(line.decode("utf-8", "replace").strip())
        if header is None:
            expected = "# vertices N pairs K weight W maximal yes method M"
            raise lines.error(f"expected {expected!r}, found {shown(line)}", 1)
        lines.skip()
        n, size = int(header[1]), int(header[2])
        try:
            weight = None if header[3] is None else float(header[3])
        except ValueError:
            raise lines.error(f"weight {header[3]} is not a number") from None
        check_memory((n, 0), path, 1)
        ends, others = join(pairs(lines, _FIRST, row_high=n - 1, col_high=n - 1,
                                  names=("vertex", "vertex")))  # fmt: skip
    if ends.size != size:
        raise FormatError(f"{size} pairs announced, {ends.size} found", path, 1)
    both = np.sort(np.concatenate([ends, others]))
    twice = both[1:][both[1:] == both[:-1]]
    if twice.size:
        raise NoMatchingError(f"vertex {twice[0]} is matched twice", path)
    mate = np.full(n, -1, np.int32 if n <= np.iinfo(np.int32).max else np.int64)
    mate[ends], mate[others] = others, ends
    return mate, weight, header[4] == "yes", header[5] or "unknown"
