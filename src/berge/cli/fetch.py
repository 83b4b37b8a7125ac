"""``berge fetch``: a matrix of the SuiteSparse Matrix Collection."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from . import options
from .display import progress_bars
from .program import command


@command(
    "berge fetch HB/west0479",
    "berge match $(berge fetch SNAP/roadNet-CA)",
    "berge fetch DIMACS10/hugetrace-00000 --cache data",
)
@click.argument("name", metavar="GROUP/NAME")
@options.path("--cache", folder=True, metavar="DIR",
             help="Folder to keep it in.  [default: $BERGE_CACHE, else ~/.cache/berge]",
)  # fmt: skip
@click.option("--url", metavar="URL",
              help="Where the collection is.  [default: $BERGE_SUITESPARSE_URL, else its home]",
)  # fmt: skip
@options.quiet(help="Print nothing but the path and errors.")
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
    from rich.progress import DownloadColumn, TransferSpeedColumn

    with progress_bars(DownloadColumn(), TransferSpeedColumn()) as bars:
        task = bars.add_task(name, total=None)

        def arrived(have: int, total: int | None) -> None:
            doing = "unpacking" if have == total else name
            bars.update(task, completed=have, total=total, description=doing)

        yield arrived
