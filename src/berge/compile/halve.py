"""Half of a number, in its own type: for kernels that take whole numbers and floats alike."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import overload


def halve(number: Any) -> Any:
    """Return half of a float, or of an even whole number."""
    return number >> 1 if number.dtype.kind == "i" else number * 0.5


@overload(halve, inline="always")
def _compile_halve(number: Any) -> Any:
    def whole(number: Any) -> Any:
        return number >> 1

    def fraction(number: Any) -> Any:
        return number * 0.5

    return whole if isinstance(number, types.Integer) else fraction
