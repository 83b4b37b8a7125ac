"""A global relabelling beside the push launches of G-PR: the outlook of its paper.

It has a device of its own, which is a stream or a part of the threads, a Python thread that
launches there, and labels of its own. It reads the matching while that changes, so that its labels
belong to no single matching. They are adopted as they are for rows; a column gets one more than its
row has by then. What that may do to a search, and why it ends in spite of it, is said in `g_pr`.

Reference: M. Deveci, K. Kaya, B. Uçar, Ü. V. Çatalyürek, "A push-relabel-based maximum cardinality
bipartite matching algorithm on GPUs", ICPP 2013, section VI.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import numpy as np

from ...compile.device import Device, per_item
from ...results.run import Stop
from .g_gr import Arrays


class Beside:
    """A global relabelling on a Python thread of its own, which launches on its own device."""

    def __init__(self, device: Device, relabel: Callable[[Callable[[], None]], int]):
        self.left = Event()
        pool = ThreadPoolExecutor(1, initializer=device.attach)
        self.future: Future[int] = pool.submit(relabel, self.pause)
        pool.shutdown(wait=False)

    def pause(self) -> None:
        """Stop if nobody waits for the labels any more. Called between kernels."""
        if self.left.is_set():
            raise Stop("left")

    @property
    def done(self) -> bool:
        """Whether it has come to its end."""
        return self.future.done()

    def result(self) -> int:
        """Return maxLevel."""
        return self.future.result()

    def leave(self) -> None:
        """Make it stop, and wait until it has."""
        self.left.set()
        self.future.exception()


@per_item
def adopt(y: int, a: Arrays) -> None:
    """Give a column the label that follows from its row's."""
    mate = np.int64(a.mu_col[y])
    a.psi_col[y] = 0 if mate < 0 else a.psi_row[mate] + 1
