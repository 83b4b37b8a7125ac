"""Numbers and names in sentences."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["did_you_mean", "plural"]


def plural(count: int, noun: str, several: str | None = None) -> str:
    """Return a count and its noun; `several` is the plural where that is not the noun and an s.

    Examples
    --------
    >>> from berge.wording import plural
    >>> plural(1, "row"), plural(2000, "row"), plural(2, "vertex", "vertices")
    ('1 row', '2,000 rows', '2 vertices')
    """
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


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
