"""``berge fetch``: a matrix of the SuiteSparse Matrix Collection."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from .program import Command, examples

__all__ = ["fetch"]


@click.command(
    cls=Command,
    short_help="Download a matrix of the SuiteSparse collection.",
    epilog=examples(
        "berge fetch HB/west0479",
        "berge match $(berge fetch SNAP/roadNet-CA)",
        "berge fetch DIMACS10/hugetrace-00000 --cache data",
    ),
)
@click.argument("name", metavar="GROUP/NAME")
@click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder to keep it in.  [default: $BERGE_CACHE, else ~/.cache/berge]",
)
@click.option(
    "--url",
    metavar="URL",
    help="Where the collection is.  [default: $BERGE_SUITESPARSE_URL, else its home]",
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but the path and errors.")
def fetch(name: str, cache: Path | None, url: str | None, quiet: bool) -> None:
    """Download a matrix of the SuiteSparse Matrix Collection, once, and print its path.

    A download that broke off goes on where it stopped. All that is printed to stdout is the path
    of the .mtx file.
    """
    from ..files.suitesparse import fetch as fetch_matrix

    with _bar(name, shown=not quiet and sys.stderr.isatty()) as progress:
        path = fetch_matrix(name, cache=cache, url=url, progress=progress)
    click.echo(path)


@contextmanager
def _bar(name: str, *, shown: bool) -> Iterator[Callable[[int, int | None], None] | None]:
    """Show a bar on stderr, fed by the callable that is returned."""
    if not shown:
        yield None
        return
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    from .display import out

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(compact=True),
    )
    console = out(stderr=True)
    console.width = max(console.width - 4, 20)  # room for the ^C that a terminal echoes
    with Progress(*columns, console=console, transient=True, expand=True) as progress:
        task = progress.add_task(name, total=None)

        def arrived(have: int, total: int | None) -> None:
            done = have == total
            progress.update(
                task, completed=have, total=total, description="unpacking" if done else name
            )

        yield arrived
