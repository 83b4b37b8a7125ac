"""What searches begin with, the graph and the matching; on a device also the loop over phases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..compile.device import Device
from ..graphs.graph import unsigned
from ..results.run import Run

__all__ = ["graph_and_matching", "search_in_phases", "uploaded"]


def graph_and_matching(run: Run) -> tuple[Any, Any, Any, Any]:
    """Return ``indptr``, ``indices``, ``row_match`` and ``col_match``, as kernels take them."""
    return unsigned(run.graph.indptr), unsigned(run.graph.indices), run.row_match, run.col_match


@contextmanager
def uploaded(run: Run, device: Device) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Upload ``indptr``, ``indices``, ``row_match`` and ``col_match``; hand the matching back."""
    indptr, indices, row_match, col_match = map(device.upload, graph_and_matching(run))
    try:
        yield indptr, indices, row_match, col_match
    finally:
        device.hand_back(row_match, run.row_match)
        device.hand_back(col_match, run.col_match)


def search_in_phases(run: Run, search: Callable[[], bool], augment: Callable[[], int]) -> None:
    """Search and augment until no path is found; `augment` returns by how much it gained."""
    while not run.done:
        found = search()
        with run.timed("augment"):
            gained = augment()
        run.stats.augmenting_paths += gained
        run.end_phase(gained)
        if not found:
            return
