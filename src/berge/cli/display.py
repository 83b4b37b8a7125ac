"""How results look in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..wording import in_seconds, plural, visible
from .options import print_json
from .pipes import as_named, stdout_is_taken

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress, ProgressColumn
    from rich.table import Table

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def out(*, stderr: bool = False) -> Console:
    """Return the console; colours only where that is a terminal."""
    from rich.console import Console

    return Console(stderr=stderr or stdout_is_taken(), highlight=False)


def plain_table(*numbers: str, first: str | None = None, **settings: Any) -> Table:
    """Return a table without lines: a first column, then columns of numbers under their headings.

    Without a heading, the first column is left out.
    """
    from rich.table import Table

    look: Any = {"box": None, "pad_edge": False, "padding": (0, 2, 0, 0), "header_style": "bold"}
    table = Table(**look, **settings)
    if first is not None:
        table.add_column(first, style="cyan", no_wrap=True)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def fact_table(facts: Iterable[tuple[str, RenderableType]], title: str | None = None) -> Table:
    """Return a table of names and values without lines around them."""
    from rich.text import Text

    heading = Text(visible(title), "bold") if title else None
    table = plain_table(first="", show_header=False, title=heading, title_justify="left")
    table.add_column(overflow="fold")
    for name, value in facts:
        shown = Text(value) if isinstance(value, str) else value
        if isinstance(shown, Text):  # names in files may be anything
            shown.plain = visible(shown.plain)
        table.add_row(visible(name), shown)
    return table


def report(
    facts: dict[str, Any],
    lines: Callable[[dict[str, Any]], Iterable[tuple[str, RenderableType]]],
    title: object,
    *,
    as_json: bool,
    more: Callable[[dict[str, Any], Console], RenderableType] | None = None,
) -> None:
    """Print what a command found: one JSON object, or a summary and what is drawn below it."""
    if as_json:
        print_json(facts)
        return
    facts = {k: as_named(str(v)) if isinstance(v, Path) else v for k, v in facts.items()}
    console = out()
    console.print(fact_table(lines(facts), title=as_named(str(title))))
    if more is not None:
        console.print()
        console.print(more(facts, console))


@contextmanager
def working(what: str, shown: bool = True) -> Iterator[Callable[[str], object]]:
    """Show on a terminal's stderr that something is under way; yield how to change the words."""
    console = out(stderr=True)
    if not shown or not console.is_terminal or console.is_dumb_terminal:
        yield lambda what: None
        return
    with console.status(what) as status:
        yield status.update


def progress_bars(*columns: ProgressColumn) -> Progress:
    """Return bars on stderr that vanish in the end: a text, a bar, these columns, the time left."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = out(stderr=True)
    console.width = max(console.width - 4, 20)  # room for the ^C that a terminal echoes
    all_columns = (TextColumn("{task.description}"), BarColumn(bar_width=None), *columns)
    left = TimeRemainingColumn(compact=True)
    return Progress(*all_columns, left, console=console, transient=True, expand=True)


def in_steps(seconds: Mapping[str, float]) -> str:
    """Return the total, and the steps that it has, as in ``2.5: read 0.5, search 2``."""
    steps = [f"{name} {in_seconds(s)[:-2]}" for name, s in seconds.items() if name != "total"]
    return f"{in_seconds(seconds['total'])[:-2]}: {', '.join(steps)}"


def graph_sizes(facts: Mapping[str, Any]) -> str:
    """Return the sizes of a graph in words, of a bipartite one or of one with vertices."""
    return f"{sides(facts)}, {plural(facts['edges'], 'edge')}"


def sides(facts: Mapping[str, Any]) -> str:
    """Return how many vertices a graph has, in words."""
    if "vertices" in facts:
        return plural(facts["vertices"], "vertex", "vertices")
    return f"{plural(facts['rows'], 'row')} × {plural(facts['cols'], 'column')}"


def verdict_of(facts: dict[str, Any]) -> tuple[str, str]:
    """Return what is known of the matching in words, and the style to say it in."""
    if not facts["is_maximum"]:
        bound = f"at most {facts['upper_bound']:,} ({facts['stopped']})"
        if facts["stopped"] is None and facts["cardinality"]:
            more = f"{facts['upper_bound'] / facts['cardinality'] - 1:.2%} more"
            proved = ("proved", "bold green") if facts["proved"] else ("not proved", "yellow")
            return f"at most {facts['upper_bound']:,} are possible, {more}: {proved[0]}", proved[1]
        return f"not proved maximum: {bound}", "yellow"
    size = "perfect" if facts["is_perfect"] else "maximum"
    return (
        (f"{size}, proved", "bold green") if facts["proved"] else (f"{size}, not proved", "yellow")
    )


def verdict(good: bool, more: str = "") -> RenderableType:
    """Return a yes or a no that is seen at a glance."""
    from rich.text import Text

    return Text.assemble(("yes", "bold green") if good else ("no", "bold red"), more)


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
