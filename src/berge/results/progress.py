"""The line that `progress=True` shows: the cardinality climbing towards its upper bound.

On a terminal and in a notebook it is a bar that disappears when the solve is over. Anywhere else,
such as in a log file, it is a plain line every two seconds, so shorter runs print nothing.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress

    from .under_way import PhaseReport

__all__ = ["ProgressLine"]

_REFRESHES = 10  # a second, on a terminal
_SECONDS_BETWEEN_LINES = 2.0  # anywhere else


class ProgressLine:
    """Takes every `PhaseReport` of a solve, in a ``with`` statement.

    Parameters
    ----------
    on_phase
        Gets every report too, if given.

    Examples
    --------
    >>> from berge.results.progress import ProgressLine
    >>> from berge.results.under_way import PhaseReport
    >>> with ProgressLine(lambda report: print(report.cardinality)) as show:
    ...     show(PhaseReport("search", 1, 5, 7, 0.01))
    5
    """

    def __init__(self, on_phase: Callable[[PhaseReport], object] | None = None):
        self._on_phase = on_phase
        self._bar: Progress | None = None
        self._cell: Any = None  # of a notebook: what is shown there, to be changed
        self._next = 0.0

    def __enter__(self) -> ProgressLine:
        if _in_notebook():
            from IPython.display import HTML, display

            self._cell = display(HTML(""), display_id=True)
        elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            self._bar = _bar()
            self._bar.add_task("init", total=None, phase="", counts="")
            self._bar.start()
        else:
            self._next = time.perf_counter() + _SECONDS_BETWEEN_LINES
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        if self._cell is not None:
            self._tell_notebook("")

    def __call__(self, report: PhaseReport) -> None:
        """Show a report if it is time for that; phases may be far more frequent."""
        now = time.perf_counter()
        if now >= self._next:
            often = self._bar is not None or self._cell is not None
            self._next = now + (1 / _REFRESHES if often else _SECONDS_BETWEEN_LINES)
            self._show(report)
        if self._on_phase is not None:
            self._on_phase(report)

    def _show(self, report: PhaseReport) -> None:
        if self._bar is not None:
            self._bar.update(
                self._bar.task_ids[0],
                description=report.step,
                completed=report.cardinality,
                total=report.upper_bound,
                phase=f"phase {report.phase:,}" if report.step == "search" else "",
                counts=f"{report.cardinality:,} / {report.upper_bound:,}",
            )
            return
        share = report.cardinality / report.upper_bound if report.upper_bound else 1.0
        if self._cell is not None:
            self._tell_notebook(
                f'<progress value="{share:.4f}"></progress> {report.step}, phase {report.phase:,}: '
                f"{report.cardinality:,} of at most {report.upper_bound:,}, {report.seconds:.1f} s"
            )
            return
        print(
            f"berge: {report.step}, phase {report.phase:,}: matched {report.cardinality:,} "
            f"of at most {report.upper_bound:,} ({share:.2%}), {report.seconds:.1f} s",
            file=sys.stderr,
            flush=True,
        )

    def _tell_notebook(self, text: str) -> None:
        from IPython.display import HTML

        self._cell.update(HTML(text))


def _in_notebook() -> bool:
    """Tell whether a kernel of Jupyter's runs this; IPython is not imported for that."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    # Narrower than the terminal: the ^C that it echoes must not begin a new line, which would be
    # removed in place of the bar.
    console.width = max(console.width - 4, 20)
    # A thread of its own draws it: the clock goes on while a kernel runs.
    return Progress(
        TextColumn("[bold]{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[counts]}"),
        TextColumn("{task.fields[phase]}"),
        TimeElapsedColumn(),
        console=console,
        refresh_per_second=_REFRESHES,
        transient=True,
        expand=True,
    )
