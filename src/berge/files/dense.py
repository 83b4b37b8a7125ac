"""The array form of Matrix Market: all values of a matrix, column after column.

Of a symmetric matrix there is the lower triangle only, of a skew-symmetric one without the
diagonal. Values that are not zero are edges. A value is a number, or two of them if it is complex.

This is not left to ``scipy.io.mmread``, which can crash on a damaged file of this form.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..graphs.graph import IndexArray
from .lines import Lines
from .text import check_claim, mirrored, shown


def read_array(lines: Lines, head: Any) -> tuple[IndexArray, IndexArray]:
    """Return rows and columns of the values that are not zero; `lines` is past the head.

    Work O(values); memory 1 byte a number while reading.
    """
    n_rows, n_cols = head.shape
    skip = 1 if head.symmetry == "skew-symmetric" else 0
    triangle = n_rows * (n_rows + 1 - 2 * skip) // 2
    size = triangle if head.mirror else n_rows * n_cols
    width = 2 if head.field == "complex" else 1
    check_claim(lines, size * width, "numbers", 2)
    lines.limits.check(head.shape, size, lines.path, lines.line)
    nonzero = np.concatenate([np.zeros(0, np.bool_), *_nonzeros(lines, size * width)])
    if nonzero.size != size * width:
        raise lines.error(f"file ends after {nonzero.size} of {size * width} numbers")
    places = np.flatnonzero(nonzero.reshape(-1, width).any(axis=1))
    if not head.mirror:
        cols, rows = np.divmod(places, max(n_rows, 1))
        return rows, cols
    # Column j begins at row j + skip; starts[j] is the place of its first value.
    starts = np.concatenate([[0], np.cumsum(np.arange(n_rows - skip, 0, -1))])
    cols = np.searchsorted(starts, places, side="right") - 1
    return mirrored(places - starts[cols] + cols + skip, cols)


def _nonzeros(lines: Lines, limit: int) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield for every number to come whether it is not zero, an array per chunk."""
    while lines.fill():
        text = bytes(lines.data[lines.start : lines.stop])
        if b"%" in text:
            # Comments lose their words but keep their line.
            kept = (b"" if part.lstrip()[:1] == b"%" else part for part in text.split(b"\n"))
            text = b"\n".join(kept)
        words = text.split()
        values = _floats(words)
        if values is None or len(words) > limit:
            _complain(lines, text, limit)
        else:
            limit -= len(words)
            lines.take(text.count(b"\n"))
            yield values != 0


def _floats(words: list[bytes]) -> npt.NDArray[Any] | None:
    try:
        return np.array([float(word) for word in words])
    except ValueError:
        return None


def _complain(lines: Lines, text: bytes, limit: int) -> None:
    """Raise at the first line with a word that is no number, or with one number too many."""
    for k, part in enumerate(text.split(b"\n"), lines.line + 1):
        words = part.split()
        if _floats(words) is None:
            raise lines.error(f"{shown(part.strip())} is not a number", k)
        limit -= len(words)
        if limit < 0:
            raise lines.error("more numbers than the header announces", k)
