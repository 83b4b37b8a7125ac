"""Numbers, sizes and names in sentences."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from .errors import BergeError, GuessWarning


def plural(count: int, noun: str, several: str | None = None) -> str:
    """Return a count and its noun; `several` is the plural where that is not the noun and an s.

    Examples
    --------
    >>> from berge.wording import plural
    >>> plural(1, "row"), plural(2000, "row"), plural(2, "vertex", "vertices")
    ('1 row', '2,000 rows', '2 vertices')
    """
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def in_words(labels: Sequence[Any], limit: int, noun: str = "") -> str:
    """Return a list as people say it; "others" stands for what is over the limit.

    A noun goes before what has numbers only.

    Examples
    --------
    >>> from berge.wording import in_words
    >>> in_words(["ann"], 3), in_words(["ann", "bob", "cid"], 3)
    ('ann', 'ann, bob and cid')
    >>> in_words(range(1000), 3)
    '0, 1, 2 and 997 others'
    >>> in_words([0, 4], 3, "row")
    'rows 0 and 4'
    """
    if len(labels) <= limit + 1:  # one name is as short as "1 other"
        names = [_in_text(label) for label in labels]
    else:
        names = [_in_text(label) for label in labels[:limit]]
        names.append(f"{len(labels) - limit:,} others")
    said = " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
    return f"{noun}{'s' * (len(labels) > 1)} {said}" if noun and said else said


def _in_text(label: Any) -> str:
    """Return a label as it is, in quotes where it would not be seen as one."""
    text = str(label)
    plain = text and text == text.strip() and text.isprintable() and "," not in text
    return text if plain or not isinstance(label, str) else repr(label)


# Characters that terminals act on, or that turn the writing round, as ones that are seen.
_SEEN = {k: 0x2400 + k for k in range(32) if k != ord("\n")} | {0x7F: 0x2421}
_SEEN |= dict.fromkeys((*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD)


def visible(text: str) -> str:
    """Return a text of the same length without characters that a terminal would act on.

    Examples
    --------
    >>> from berge.wording import visible
    >>> visible(chr(27) + "[31mann")
    '␛[31mann'
    """
    return text.translate(_SEEN)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the most similar known one, or nothing.

    Examples
    --------
    >>> from berge.wording import did_you_mean
    >>> did_you_mean("chaep", ["cheap", "none"]), did_you_mean("x", ["cheap"])
    ("; did you mean 'cheap'?", '')
    """
    near = difflib.get_close_matches(str(name), known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def warn(message: str) -> None:
    """Say how something was read that could be read in two ways, at the caller's line."""
    place = sys._getframe()
    depth = 1
    while place.f_back and place.f_globals.get("__name__", "").partition(".")[0] == "berge":
        place, depth = place.f_back, depth + 1
    warnings.warn(message, GuessWarning, stacklevel=depth)


def message_of(error: Exception) -> str:
    """Return what an error says, as a command prints it."""
    if isinstance(error, BergeError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        name = f"{error.filename}: " if error.filename else ""
        return f"{name}{error.strerror[:1].lower()}{error.strerror[1:]}"
    if isinstance(error, MemoryError):
        return f"out of memory ({error})" if str(error) else "out of memory"
    return f"{type(error).__name__}: {error} (not expected; --debug shows where)"


def in_seconds(seconds: float) -> str:
    """Return a duration with about three digits."""
    if seconds >= 100:
        return f"{seconds:,.0f} s"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds:.3f} s"


def in_bytes(size: float) -> str:
    """Return a size in KB, MB, ... of 1024."""
    size = min(size, 1e300)  # files may claim any
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < (1024 if unit == "bytes" else 999.5):  # three digits, and no more
            return f"{size:.3g} {unit}" if size < 999.5 else f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.3g} TB"


def parse_bytes(text: str) -> int:
    """Return a size such as ``800M`` or ``2G`` as a number of bytes.

    Examples
    --------
    >>> from berge.wording import parse_bytes
    >>> parse_bytes("800M"), parse_bytes("1.5g"), parse_bytes("4096")
    (838860800, 1610612736, 4096)
    """
    digits = text.strip().upper().removesuffix("IB").removesuffix("B")
    unit = {"K": 10, "M": 20, "G": 30, "T": 40}.get(digits[-1:], 0)
    size = float(digits[:-1] if unit else digits) * 2**unit
    if not 0 <= size < 2**63:
        raise ValueError(f"{text!r} is not a size")
    return int(size)
