"""Ctrl-C while there is something to lose."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

__all__ = ["heeded_interrupts", "held_interrupts", "single_interrupt"]

_SAME_WISH = 2.0  # seconds in which pressing again means the same


@contextmanager
def single_interrupt() -> Iterator[None]:
    """Treat Ctrl-C pressed several times in a row as pressed once.

    At the first the solver stops and returns what it has. A second, by someone impatient, would
    interrupt that.
    """
    ignored_until = 0.0

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal ignored_until
        now = time.monotonic()
        if now >= ignored_until:
            ignored_until = now + _SAME_WISH
            raise KeyboardInterrupt

    with _handler(interrupt):
        yield


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C for the time of a block."""
    with _handler(signal.SIG_IGN):
        yield


@contextmanager
def heeded_interrupts(stop: Callable[[], object]) -> Iterator[None]:
    """Let Ctrl-C call a function in the time of a block, and raise nothing."""
    with _handler(lambda number, frame: stop()):
        yield


@contextmanager
def _handler(handler: Callable[[int, FrameType | None], Any] | signal.Handlers) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
