"""How searches go from the unmatched rows, their roots: in phases, or one root after the other.

In a phase, threads take roots a few at a time. They search over columns that no search of this
phase has visited, and augment as soon as they see a free one. A phase without a path is the last.

- ``above[x]``: the row that the search came to x from, or −1 at a root. Searches of a phase are
  disjoint, so these links are the paths of all threads.

Why threads do no harm to each other
    A thread owns the columns that it has claimed in this phase by compare-and-swap, and the rows
    it came to: its roots, and the mates that those columns had when they were claimed. Nobody else
    can come to such a row: its column is claimed. After augmenting, the rows of the path are
    matched to columns of the same owner. So paths of one phase are disjoint, and an owner alone
    reads and writes what belongs to its rows, and alone writes ``col_match`` of its columns.
Why a phase without a path is conclusive
    All its searches failed, so each row that was come to had all its edges tried, by one thread or
    another: every neighbour of such a row was claimed, by whomever, and was not free, and its mate
    was come to. The rows come to therefore are all that alternating paths from unmatched rows
    reach, and no free column is next to them. By Berge's theorem the matching is maximum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...compile import helper, next_chunk
from ...results.run import Run
from ...tuning import CHUNK_OF_ROOTS, EDGES_PER_CALL, SERIAL_EDGES
from ..counters import EDGES, paths_found, report

NEXT, BATCH = 0, 1  # entries of `state`: the next root to search from, roots to hand out at a time


def repeat_phases(
    run: Run, tally: Any, search: Callable[[Any, int], None], least: float = 0.0
) -> bool:
    """Search until the matching is maximum, which True says.

    Or until a phase has found paths from less than a `least` part of its roots. `search` does a
    phase; it is told the roots, and how many edges were read in the phase before.
    """
    roots, work = run.unmatched_rows(), run.graph.nnz
    try:
        while not run.done:
            found, read = paths_found(tally), int(tally[:, EDGES].sum())
            search(roots, work)
            work = int(tally[:, EDGES].sum()) - read
            gained = paths_found(tally) - found
            run.end_phase(gained)
            if gained == 0:
                break
            if gained < least * roots.size and not run.done:
                return False
            roots = roots[run.row_match[roots] < 0]
    finally:
        report(run, tally)
    return True


def search_from(
    run: Run,
    threads: int,
    a: Any,
    roots: Any,
    work: int,
    search: Callable[..., None],
    *settings: Any,
    step: str = "search",
) -> None:
    """Search from all roots by calls of a kernel ``(threads, a, roots, *settings, budget)``.

    Several threads share the roots if there are enough edges to read; `work` is the best guess.
    """
    a.state[NEXT] = 0
    a.state[BATCH] = max(1, min(CHUNK_OF_ROOTS, roots.size // (4 * threads)))
    threads = threads if roots.size > 1 and work >= SERIAL_EDGES else 1
    while a.state[NEXT] < roots.size:
        with run.timed(step):
            search(threads, a, roots, *settings, EDGES_PER_CALL)
        run.pause()


@helper
def next_roots(state: Any, n_roots: int, shared: bool) -> tuple[int, int]:
    """Take the next few roots; an empty range when there are none left."""
    end = n_roots if shared else min(state[NEXT] + state[BATCH], n_roots)
    return next_chunk(state, NEXT, end, state[BATCH], shared)


@helper
def augment(row_match: Any, col_match: Any, above: Any, x: int, free: int) -> int:
    """Match the rows from x up to its root along the path, and return its length in edges."""
    y = free
    edges = -1
    while x >= 0:
        y_before = row_match[x]
        row_match[x] = y
        col_match[y] = x
        y = y_before
        x = above[x]
        edges += 2
    return edges


def search_one_by_one(
    run: Run, a: Any, roots: Any, search: Callable[..., int], *settings: Any
) -> None:
    """Search by calls of a kernel ``(a, roots, searches, wanted, *settings, budget)``.

    It is told how many searches are done and how many paths there can still be, and returns how
    many searches are done then.
    """
    searches = 0
    try:
        while searches < roots.size and not run.done:
            found, wanted = paths_found(a.tally), run.upper_bound - run.cardinality
            with run.timed("search"):
                done = search(a, roots, searches, wanted, *settings, EDGES_PER_CALL)
            run.stats.phases += done - searches
            run.cardinality += paths_found(a.tally) - found
            searches = done
            run.pause()
    finally:
        report(run, a.tally)
