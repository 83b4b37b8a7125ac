"""What searches begin with, the graph and the matching; on a device also the loop over phases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..compile.device import Device, per_item
from ..compile.scan import compact
from ..graphs.graph import unsigned
from ..results.run import Run, Stop

__all__ = [
    "finishing", "graph_and_matching", "list_unmatched", "search_in_phases", "uploaded",
]  # fmt: skip


def graph_and_matching(run: Run) -> tuple[Any, Any, Any, Any]:
    """Return ``indptr``, ``indices``, ``row_match`` and ``col_match``, as kernels take them."""
    return unsigned(run.graph.indptr), unsigned(run.graph.indices), run.row_match, run.col_match


@contextmanager
def finishing(finish: Callable[[], None]) -> Iterator[None]:
    """Put things right when a search is left: at its end, when time is up, and by Ctrl-C.

    After any other error nothing more is launched: a device that has failed would only say so
    again, in place of the error that tells why.
    """
    try:
        yield
    except (Stop, KeyboardInterrupt):
        finish()
        raise
    finish()


@contextmanager
def uploaded(run: Run, device: Device) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Upload ``indptr``, ``indices``, ``row_match`` and ``col_match``; hand the matching back."""
    indptr, indices, row_match, col_match = map(device.upload, graph_and_matching(run))

    def hand_back() -> None:
        device.hand_back(row_match, run.row_match)
        device.hand_back(col_match, run.col_match)

    with finishing(hand_back):
        yield indptr, indices, row_match, col_match


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


def list_unmatched(device: Device, row_match: Any, to: Any) -> int:
    """List the rows whose match is −1, in order; return how many there are."""
    rows, places = (device.empty(row_match.size, to.dtype) for _ in range(2))
    device.launch(mark_unmatched, row_match.size, row_match, rows)
    return compact(device, rows, row_match.size, places, to)


@per_item
def mark_unmatched(x: int, row_match: Any, rows: Any) -> None:
    """Name a row that is not matched."""
    rows[x] = x if row_match[x] == -1 else -1
