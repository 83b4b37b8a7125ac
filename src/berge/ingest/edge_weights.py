"""Attributes of edges as weights, with errors that name the edge by its ends."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidGraphError

__all__ = ["checked_weights"]


def checked_weights(
    values: list[Any], edges: Iterable[tuple[Any, Any]], attribute: str
) -> npt.NDArray[np.float64]:
    """Return the values of an attribute, in the order of the edges, if all of them are weights."""
    if values and all(value is None for value in values):
        raise InvalidGraphError(f"the edges of the graph have no attribute {attribute!r}")
    for (u, v, *_), value in zip(edges, values, strict=True):
        if not isinstance(value, (Real, np.bool_)) or not 0 <= float(value) < math.inf:
            raise InvalidGraphError(
                f"the edge ({u!r}, {v!r}) has {attribute}={value!r}, not a finite number ≥ 0"
            )
    return np.array(values, np.float64)
