"""No start: the exact algorithm begins with the matching as it is."""

from __future__ import annotations

from ...results.run import Run


def none(run: Run) -> None:
    """Leave the matching as it is."""
