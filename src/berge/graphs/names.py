"""Names of vertices, for those who want them in place of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["named"]


def named(labels: Sequence[Any] | None, places: npt.NDArray[Any]) -> list[Any]:
    """Return the labels at these places, or where a mask is true; numbers if there are no labels.

    Examples
    --------
    >>> import numpy as np
    >>> from berge.graphs.names import named
    >>> named(["ann", "bob"], np.array([1])), named(None, np.array([False, True]))
    (['bob'], [1])
    """
    numbers: list[int] = (np.flatnonzero(places) if places.dtype == np.bool_ else places).tolist()
    return numbers if labels is None else [labels[k] for k in numbers]
