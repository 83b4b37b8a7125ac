"""Ctrl-C waits while numba is at work."""

from __future__ import annotations

import signal
import threading
from typing import Any

__all__ = ["held"]


class _Held:
    """Lets Ctrl-C wait while numba is at work, whose tables would else stay half filled for good.

    That is a second or two for each kernel. What the handler does, it does afterwards.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.before: Any = None
        self.came = False

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # signals are the main thread's
        if self.depth == 0:
            self.came = False
            self.before = signal.getsignal(signal.SIGINT)
            if callable(self.before):  # else nobody in Python minds
                signal.signal(signal.SIGINT, self._note)
        self.depth += 1  # last: until then Ctrl-C may end this

    def _note(self, number: int, frame: object) -> None:
        self.came = True

    def __exit__(self, *_: object) -> None:
        if threading.current_thread() is not threading.main_thread() or not self.depth:
            return
        self.depth -= 1
        if self.depth == 0 and callable(self.before):
            signal.signal(signal.SIGINT, self.before)
            if self.came:
                signal.raise_signal(signal.SIGINT)


held = _Held()
