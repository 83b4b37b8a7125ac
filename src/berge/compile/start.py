"""Imports numba, before any other file here does.

The import makes hundreds of thousands of objects, and none is garbage. Not to look for garbage
meanwhile, and not to go through all of them soon after, saves a fifth of a first answer.
"""

from __future__ import annotations

import gc

_collects = gc.isenabled()
gc.disable()
try:
    import numba  # noqa: F401
finally:
    if _collects:
        gc.enable()
        if gc.get_freeze_count() == 0:  # else somebody wants it otherwise
            gc.freeze()  # and back: so they count as old, and are not gone through at once
            gc.unfreeze()
