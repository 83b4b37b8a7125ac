"""A solve under way: since when, until when, who is told, what took how long, why it stopped.

This is the one mechanism of every pipeline: exact (`Run`), greedy (`GreedyRun`), coarsening,
out-of-core, and the parts of a graph on Dask and MPI. What is being worked on is valid whenever no
kernel is running, so a solve may stop between any two kernels. Time limits take effect in
`UnderWay.pause`. `UnderWay.running` turns these and Ctrl-C into a reason.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

__all__ = ["PhaseReport", "Stop", "UnderWay"]


class Stop(Exception):  # noqa: N818 (a signal from `pause` to the pipeline, not an error)
    """Raised inside an algorithm when it has to stop early; the message is the reason."""


@dataclass(frozen=True)
class PhaseReport:
    """What `on_phase` callbacks get: where the solve stands.

    Attributes
    ----------
    step
        ``"init"`` while the start is being made, then ``"search"``; or ``"greedy"``.
    phase, cardinality, upper_bound, seconds
        Phases done, edges matched so far, what no matching can exceed, seconds since the call.
    """

    step: str
    phase: int
    cardinality: int
    upper_bound: int
    seconds: float


@dataclass(kw_only=True)
class UnderWay:
    """One solve under way.

    Attributes
    ----------
    started, time_limit
        When the call began, and how many seconds it may take.
    on_phase
        Gets every `PhaseReport`.
    seconds
        Seconds by step.
    stopped
        Why it ended early, or None.

    Examples
    --------
    >>> way = UnderWay(time_limit=0)
    >>> with way.running(), way.timed("search"):
    ...     while True:
    ...         way.pause()
    >>> way.stopped, list(way.seconds)
    ('time limit', ['search'])
    """

    started: float = field(default_factory=time.perf_counter)
    time_limit: float | None = None
    on_phase: Callable[[PhaseReport], object] | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    stopped: str | None = None

    @property
    def elapsed(self) -> float:
        """Seconds since the call."""
        return time.perf_counter() - self.started

    @property
    def left(self) -> float:
        """Seconds until the time is up, below 0 if it is."""
        return math.inf if self.time_limit is None else self.time_limit - self.elapsed

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self.left < 0

    @contextmanager
    def running(self, progress: bool = False) -> Iterator[None]:
        """Do a block, which Ctrl-C and `Stop` end without an error; show progress if asked to."""
        with ExitStack() as stack:
            if progress:
                from .progress import ProgressLine

                self.on_phase = stack.enter_context(ProgressLine(self.on_phase))
            try:
                yield
            except Stop as stop:
                self.stopped = str(stop)
            except KeyboardInterrupt:
                self.stopped = "interrupted"

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the seconds of a block to a step."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.spent(step, time.perf_counter() - start)

    def spent(self, step: str, seconds: float) -> None:
        """Add seconds to a step."""
        self.seconds[step] = self.seconds.get(step, 0.0) + seconds

    def tell(self, step: str, phase: int, cardinality: int, upper_bound: int) -> None:
        """Report where the solve stands to whoever wants to know."""
        if self.on_phase is not None:
            self.on_phase(PhaseReport(step, phase, cardinality, upper_bound, self.elapsed))

    def pause(self) -> None:
        """Stop if time is up. Called between kernels; a `Run` also reports where it stands."""
        if self.late:
            raise Stop("time limit")
