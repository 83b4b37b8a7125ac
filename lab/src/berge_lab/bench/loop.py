"""The measuring loop: how often something is run, in which order, and what is kept of it.

Whatever is timed is timed by `in_turns`: `berge bench` and `berge reproduce` in processes of their
own (`measure`), `berge compare`, the gather pass, `berge bench startup`, and the scripts in
``lab/benchmarks``. Contenders run by turns, so that all of them have the same quiet moments.
"""

from __future__ import annotations

import ctypes
import gc
import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from berge.errors import OptionError

__all__ = ["Run", "Timing", "in_turns"]

_WORTH_COLLECTING = 1e-3  # seconds of a run after which collecting its garbage is short beside it


class Run(NamedTuple):
    """Seconds of one run, what was told of it, and the bytes that it took, where these are known.

    The bytes are the peak of the resident size above what was held before: result and buffers.
    """

    seconds: float
    told: Any
    memory: int | None = None


@dataclass
class Timing:
    """The runs of a contender, and why there are no more of them, if it was over its limit."""

    runs: list[Run] = field(default_factory=list)
    failure: str | None = None

    @property
    def seconds(self) -> list[float]:
        """Of each run."""
        return [run.seconds for run in self.runs]

    @property
    def best(self) -> float:
        """Seconds of the fastest run; infinity if there is none."""
        return min(self.seconds, default=math.inf)

    @property
    def told(self) -> Any:
        """What was told of the fastest run; None if there is none."""
        return min(self.runs, key=lambda run: run.seconds).told if self.runs else None


def in_turns(
    contenders: Mapping[str, Callable[[], Any]],
    repeats: int,
    *,
    warm_up: bool = True,
    check: Callable[[Any], Any] = lambda found: found,
    least: int = 1,
    enough: float = math.inf,
    time_limit: float | None = None,
    memory: bool = False,
    memory_limit: float | None = None,
    clock: Callable[[], float] | None = None,
    on_run: Callable[[str, Run], object] = lambda name, run: None,
) -> dict[str, Timing]:
    """Run contenders by turns, several times each.

    Parameters
    ----------
    contenders
        By their names: what is timed.
    repeats, least, enough
        How many runs of each; fewer, but at least so many, if they have taken enough seconds.
    warm_up
        Whether each is called, and checked, once before, untimed.
    check
        Looks at a result outside of the time and returns what is told of it. A contender for which
        it raises TimeoutError is not run again.
    time_limit
        Seconds after which a run ends this process, by SIGALRM.
    memory, memory_limit
        Whether to measure the memory of first runs; GB that a run may take, then MemoryError.
    clock
        By default that on the wall; `time.process_time` does not see other processes.
    on_run
        Is called after each run.

    Examples
    --------
    >>> from berge_lab.bench.loop import in_turns
    >>> found = in_turns({"sum": lambda: sum([1, 2]), "max": lambda: max(1, 2)}, 3)
    >>> found["sum"].told, len(found["max"].seconds)
    (3, 3)
    """
    clock = clock or time.perf_counter
    if warm_up:
        for solve in contenders.values():
            with suppress(TimeoutError):
                check(solve())
    found = {name: Timing() for name in contenders}
    left = dict(contenders)
    gc.collect()
    gc.freeze()  # what is loaded stays; looking through it after every run takes longer than many
    try:
        for number in range(1, repeats + 1):
            for name, solve in list(left.items()):
                held = _reset_peak() if memory and number == 1 else None
                with _limited(time_limit, memory_limit):
                    begin = clock()
                    result = solve()
                    seconds = clock() - begin
                used = None if held is None else max(_status("VmHWM") - held, 0)
                try:
                    run = Run(seconds, check(result), used)
                except TimeoutError as error:
                    found[name].failure = str(error)
                    del left[name]
                    continue
                del result
                found[name].runs.append(run)
                on_run(name, run)
                if seconds > _WORTH_COLLECTING:
                    gc.collect()
                if number >= least and sum(found[name].seconds) > enough:
                    del left[name]
    finally:
        gc.unfreeze()
    return found


def _reset_peak() -> int | None:
    """Have the peak of the resident size begin anew; return what is held, None if it cannot be."""
    gc.collect()
    try:
        with suppress(AttributeError):  # glibc's; elsewhere freed memory goes back by itself
            ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return _status("VmRSS")
    except OSError:
        return None


def _status(name: str) -> int:
    """Return a size of this process in bytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(name + ":"):
            return 1024 * int(line.split()[1])
    raise OSError(f"/proc/self/status has no {name}")


@contextmanager
def _limited(seconds: float | None, gigabytes: float | None) -> Iterator[None]:
    """End the process after so long; let no more than this be allocated on top of what there is."""
    if seconds is None and gigabytes is None:
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    if gigabytes is not None:
        try:
            most = _status("VmSize") + int(gigabytes * 2**30)
        except OSError:
            raise OptionError("memory_limit needs Linux") from None
        resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    # Compiled code does not look at signals, but the default action needs no looking.
    signal.setitimer(signal.ITIMER_REAL, 0 if seconds is None else max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)
