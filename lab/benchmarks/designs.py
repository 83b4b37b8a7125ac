"""Two other ways to choose a route, made to be measured beside the default (`choosing.py`).

`race`: the default and a second route on two threads, each on matches of its own; the first to end
stops the other. `turns`: the same two routes by turns on one thread; turns get twice as long each
time. The second route is Pothen–Fan from the columns, after the cheap start: of all pairs on the 55
graphs of the suite ``choice``, this one came out best, by times measured one after the other.

Either route is a solve of its own from start to end on a thread that stays, kernels release the
interpreter's lock, and both look for the end, or for the end of their turn, at every pause: here
after an ``EIGHTH`` of a pass at most, but that transposes, starts and each depth-first search have
none. What the loser of a race takes until it sees its end is not timed: `wait` comes after.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import berge
from berge import tuning
from berge.graphs import workspace
from berge.methods.augmenting import roots
from berge.methods.combined import budgeted
from berge.methods.push_relabel import push_relabel
from berge.results.under_way import Stop

SECOND = {"algorithm": "pothen-fan", "init": "cheap", "side": "cols"}
EIGHTH, LEAST = 8, 1 << 15  # of all edges, and edges, between two pauses
FIRST_TURN = 2e-9  # seconds an edge of the first turn: some four passes

_pool = ThreadPoolExecutor(1)
_others: list[Any] = []


class _Kept(dict[int, Any]):
    """Working memory that is kept, a block a thread."""

    def pop(self) -> Any:  # type: ignore[override]
        try:
            return super().pop(threading.get_ident())
        except KeyError:
            raise IndexError from None

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(threading.get_ident(), value[0])


@contextmanager
def _pausing_often(edges: int) -> Iterator[None]:
    """Have kernels come back after fewer edges, and keep working memory for both threads."""
    often = max(edges // EIGHTH, LEAST)
    modules = (budgeted, push_relabel, roots)
    before = tuning.EDGES_PER_CALL
    for module in modules:
        module.EDGES_PER_CALL = min(often, before)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for module in modules:
            module.EDGES_PER_CALL = before  # type: ignore[attr-defined]


def _solve(matrix: Any, pause: Callable[[Any], None], **route: Any) -> Any:
    return berge.maximum_matching(matrix, threads=1, on_phase=pause, **route)


def race(matrix: Any) -> Any:
    """Return the matching of the route that ends first."""
    over = threading.Event()
    first: list[Any] = []

    def pause(_: Any) -> None:
        if over.is_set():
            raise Stop("lost")

    def run(**route: Any) -> None:
        found = _solve(matrix, pause, **route)
        if found.stats.stopped is None:
            first.append(found)
            over.set()

    with _pausing_often(matrix.nnz):
        _others.append(_pool.submit(partial(run, **SECOND)))
        run()
        while not first:  # the other has won, and is about to say so
            time.sleep(0)
    return first[0]


def wait() -> None:
    """Wait for the loser of a race; not timed, as a real race would stop it anywhere."""
    while _others:
        _others.pop().result()


def turns(matrix: Any) -> Any:
    """Return the matching of the route that ends first, of two that take turns."""
    mine: list[Any] = []
    turn, over = [0], threading.Event()
    may_go = [threading.Semaphore(1), threading.Semaphore(0)]
    limit = [FIRST_TURN * matrix.nnz] * 2
    begun = [0.0, 0.0]

    def take(who: int) -> None:
        may_go[who].acquire()
        turn[0], begun[who] = who, time.perf_counter()

    def pause(who: int, _: Any) -> None:
        if not over.is_set() and time.perf_counter() - begun[who] > limit[who]:
            limit[who] *= 2
            may_go[1 - who].release()
            take(who)
        if over.is_set():
            raise Stop("lost")

    def run(who: int, **route: Any) -> None:
        take(who)
        found = None
        if not over.is_set():
            found = _solve(matrix, partial(pause, who), **route)
        if found is not None and found.stats.stopped is None:
            over.set()
            mine.append(found)
        may_go[1 - who].release()

    with _pausing_often(matrix.nnz):
        other = _pool.submit(partial(run, 1, **SECOND))
        run(0)
        other.result()
    return mine[0]


workspace._kept = _Kept()  # type: ignore[assignment]
