"""Half of a number, in its own type: for kernels that take whole numbers and floats alike."""

from __future__ import annotations

from typing import Any


def halve(number: Any) -> Any:
    """Return half of a float, or of an even whole number."""
    return number >> 1 if number.dtype.kind == "i" else number * 0.5
