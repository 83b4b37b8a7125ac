"""What was tried so far, over all runs: a small file that long runs read, add to, and write.

Each thing that is tried has a line of its own: the seed to go on from, how many were tried, what
that came to, and how many kinds of findings there were, mended since or not.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .supervise import Outcome

PLACE = Path(__file__).parents[2] / "trust" / "tried.json"
_LIBRARIES = ("numba", "numpy", "pyarrow", "scipy")


def first(name: str, place: Path = PLACE) -> int:
    """Return the seed that a run is to go on from."""
    return int(read(place).get(name, {}).get("next", 0))


def read(place: Path = PLACE) -> dict[str, dict[str, Any]]:
    """Return the lines by their names."""
    return json.loads(place.read_bytes()) if place.exists() else {}


def add(name: str, outcome: Outcome, came_to: str = "accepted", place: Path = PLACE) -> None:
    """Add a run to its line; `came_to` says what was counted as accepted."""
    place.parent.mkdir(exist_ok=True)
    with _locked(place.parent):
        lines = read(place)
        line = lines.setdefault(name, {})
        more = {"tried": outcome.tried, came_to: outcome.accepted, "findings": len(outcome.found)}
        line["next"] = outcome.next
        for key, number in more.items():
            line[key] = line.get(key, 0) + number
        line["last"] = datetime.now(UTC).date().isoformat()
        line["with"] = {"python": platform.python_version()} | {k: version(k) for k in _LIBRARIES}
        text = [f"  {json.dumps(key)}: {json.dumps(lines[key])}" for key in sorted(lines)]
        new = place.with_suffix(".new")
        new.write_text("{\n" + ",\n".join(text) + "\n}\n")
        os.replace(new, place)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Wait for other runs that are adding."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
