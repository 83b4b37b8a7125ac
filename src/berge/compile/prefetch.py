"""Asking the memory for an array element some steps before it is needed.

Searches wait for memory more than they compute; where the next vertices are known, as in a queue,
asking early hides much of the wait. It never changes a result. Without the compiler nothing
happens.
"""

from __future__ import annotations

from typing import Any

__all__ = ["prefetch"]


def prefetch(array: Any, index: int) -> None:
    """Ask for ``array[index]``, which must exist, and do not wait."""
