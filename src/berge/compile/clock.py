"""A clock that compiled code can read, so that steps inside one kernel can be timed.

``ticks()`` counts nanoseconds of the system's monotonic clock; a read takes some 25 ns. On Windows
there is no ``clock_gettime``: there it returns 0 in compiled code, and times inside a kernel read
as zero.
"""

from __future__ import annotations

import time


def ticks() -> int:
    """Nanoseconds since some fixed moment."""
    return time.monotonic_ns()
