"""``berge algorithms``: what there is to choose from."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from .options import as_json, print_json
from .program import Command, examples

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from ..registry import Algorithm

__all__ = ["algorithms"]

_WIDE = 110  # columns that the whole table needs to be readable


@click.command(
    cls=Command,
    short_help="List the algorithms and starts.",
    epilog=examples("berge algorithms", "berge algorithms --json | jq '.algorithms[].name'"),
)
@as_json
def algorithms(as_json: bool) -> None:
    """List the algorithms for --algorithm (exact) and --init (start) of `berge match`.

    And those for --method (greedy) of `berge greedy`.

    Bounds are for n vertices and m edges. Below an algorithm are its switches for --option, with
    their defaults.
    """
    from ..registry import algorithms as listed

    if as_json:
        print_json({"algorithms": [_facts(a) for a in listed()]})
        return
    from .display import out

    console = out()
    console.print(_table(listed()) if console.width >= _WIDE else _blocks(listed()))


def _facts(algorithm: Algorithm) -> dict[str, Any]:
    facts = asdict(algorithm)
    del facts["function"]
    facts["options"] = [
        {"name": o.name, "default": o.default, "values": o.values, "summary": o.summary}
        for o in algorithm.options
    ]
    return facts


def _threads(algorithm: Algorithm) -> str:
    return "all" if algorithm.threads else "1"


def _table(listed: tuple[Algorithm, ...]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("name", style="cyan", no_wrap=True)
    for name in ("kind", "threads", "bound"):
        table.add_column(name, no_wrap=True)
    table.add_column("paper")
    table.add_column("summary")
    for a in listed:
        table.add_row(a.name, a.kind, _threads(a), a.bound, a.paper or "–", _summary(a))
    return table


def _summary(algorithm: Algorithm) -> Text:
    """Return how it works, and below that its switches."""
    from rich.text import Text

    summary = Text(algorithm.summary)
    for option in algorithm.options:
        default = str(option.default).lower()
        summary.append(f"\n{option.name}={default}", "green").append(f"  {option.summary}", "dim")
    return summary


def _blocks(listed: tuple[Algorithm, ...]) -> Table:
    """Return the same for narrow terminals: an algorithm on two or three lines."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for a in listed:
        threads = "all threads" if a.threads else "1 thread"
        facts = " · ".join(part for part in (a.kind, threads, a.bound, a.paper) if part)
        table.add_row(a.name, Text.assemble((facts, "dim"), "\n", _summary(a)))
    return table
