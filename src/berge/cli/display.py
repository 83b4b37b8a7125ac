"""How results look in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..wording import plural

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

__all__ = ["bar", "fact_table", "in_bytes", "in_seconds", "out", "plural", "working"]

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def out(*, stderr: bool = False) -> Console:
    """Return the console; colours only where that is a terminal."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


def fact_table(facts: Iterable[tuple[str, RenderableType]], title: str | None = None) -> Table:
    """Return a table of names and values without lines around them."""
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=None,
        show_header=False,
        title=Text(title, "bold") if title else None,
        title_justify="left",
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(name, Text(value) if isinstance(value, str) else value)
    return table


@contextmanager
def working(what: str, shown: bool = True) -> Iterator[Callable[[str], object]]:
    """Show on a terminal's stderr that something is under way; yield how to change the words."""
    console = out(stderr=True)
    if not shown or not console.is_terminal or console.is_dumb_terminal:
        yield lambda what: None
        return
    with console.status(what) as status:
        yield status.update


def in_seconds(seconds: float) -> str:
    """Return a duration with about three digits."""
    if seconds >= 100:
        return f"{seconds:,.0f} s"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds:.3f} s"


def in_bytes(size: float) -> str:
    """Return a size in KB, MB, ... of 1024."""
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TB"


def bar(share: float, width: int) -> str:
    """Return a bar that fills a share of so many characters; what is not nothing shows.

    Examples
    --------
    >>> from berge.cli.display import bar
    >>> bar(0.5, 4), bar(0.001, 4), bar(0.0, 4)
    ('██  ', '▏   ', '    ')
    """
    eighths = max(round(share * width * 8), 1 if share > 0 else 0)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)
