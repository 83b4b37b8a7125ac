"""Tables in a terminal."""

from __future__ import annotations

import click

from berge.cli.display import out

from .cells import numeric, shown
from .markdown import table_lines
from .model import Table

__all__ = ["print_table"]


def print_table(table: Table, markdown: bool = False) -> None:
    """Print a table, if it has rows: for a terminal, or as Markdown."""
    if not table.rows:
        return
    if markdown:
        click.echo(f"**{table.title}**\n\n{table_lines(table.columns, table.rows)}\n")
        return
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold",
                  title=Text(table.title), title_justify="left", title_style="bold")  # fmt: skip
    for place, (heading, number) in enumerate(
        zip(table.columns, numeric(table.columns, table.rows), strict=True)
    ):
        drawn.add_column(Text(heading.replace(" ", "\n") if place else heading),
                         justify="right" if number else "left", no_wrap=True, vertical="bottom",
                         style=None if place else "cyan")  # fmt: skip
    for row in table.rows:
        mean = row[0] == "geometric mean"
        drawn.add_row(*(Text(shown(cell)) for cell in row), style="bold" if mean else None)
    console = out()
    needed = drawn.__rich_measure__(console, console.options.update(width=10_000)).maximum
    console.width = max(needed, console.width)  # long lines rather than numbers cut short
    console.print(drawn, "", sep="\n")
