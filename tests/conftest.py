"""Settings that must be made before numba is imported, and what several tests share."""

from __future__ import annotations

import os
from pathlib import Path

# More threads than this machine may have cores: oversubscription is a case of its own.
os.environ.setdefault("NUMBA_NUM_THREADS", "4")

import pytest

import berge.compile  # noqa: F401 (before numba is used: it shows it where tbb is)

DATA = Path(os.environ.get("BERGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
COMPILED = os.environ.get("NUMBA_DISABLE_JIT") != "1"


@pytest.fixture(autouse=True)
def _caller_settings_survive():
    """No call may leave another thread count behind."""
    import numba

    before = numba.get_num_threads()
    yield
    assert numba.get_num_threads() == before
