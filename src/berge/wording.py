"""Numbers in sentences."""

from __future__ import annotations

__all__ = ["plural"]


def plural(count: int, noun: str, several: str | None = None) -> str:
    """Return a count and its noun; `several` is the plural where that is not the noun and an s.

    Examples
    --------
    >>> from berge.wording import plural
    >>> plural(1, "row"), plural(2000, "row"), plural(2, "vertex", "vertices")
    ('1 row', '2,000 rows', '2 vertices')
    """
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"
