"""``berge algorithms``: what there is to choose from."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..wording import did_you_mean
from . import options
from .display import out, plain_table
from .program import command

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from ..methods.registry import Algorithm

_WIDE = 110  # columns that the whole table needs to be readable


@command(
    "berge algorithms",
    "berge algorithms exact",
    "berge algorithms g-pr-shr",
    "berge algorithms --json | jq '.algorithms[].name'",
)
@click.argument("what", required=False, metavar="[KIND|NAME]")
@options.as_json
def algorithms(what: str | None, as_json: bool) -> None:
    """List the algorithms for --algorithm (exact) and --init (start) of `berge match`.

    And those for --method (greedy) of `berge greedy`, for `berge assign` (assign) and with
    capacities (capacity). KIND is one of these words.

    Bounds are for n vertices and m edges. Deterministic ("det."): one seed gives one result on any
    number of threads. "cuda": runs with --device cuda too. Below an algorithm are its options for
    --option, with their defaults, and the names of its variants.
    """
    from ..methods.registry import algorithms as all_of
    from ..methods.registry import variants

    listed = tuple(a for a in all_of() if what in (None, a.kind, a.name))
    listed = listed or tuple(a for a in variants() if a.name == what)
    if not listed:
        hint = did_you_mean(what, [a.name for a in (*all_of(), *variants())])
        raise click.UsageError(
            f"{what!r} is not start, exact, greedy, assign, capacity or an algorithm{hint}"
        )
    if as_json:
        options.print_json({"algorithms": [_facts(a) for a in listed]})
        return
    console = out()
    console.print(_table(listed) if console.width >= _WIDE else _blocks(listed))


def _facts(algorithm: Algorithm) -> dict[str, Any]:
    facts = asdict(algorithm)
    del facts["function"], facts["settled"]
    facts["options"] = [
        {"name": o.name, "default": o.default, "values": o.values, "summary": o.summary}
        for o in algorithm.options
    ]
    return facts


def _table(listed: tuple[Algorithm, ...]) -> Table:
    table = plain_table(first="name")
    for name in ("kind", "threads", "det.", "cuda", "bound"):
        table.add_column(name, no_wrap=True)
    table.add_column("paper")
    table.add_column("summary")
    for a in listed:
        marks = ["✓" if mark else "–" for mark in (a.deterministic, "cuda" in a.devices)]
        threads = "all" if a.threads else "1"
        table.add_row(a.name, a.kind, threads, *marks, a.bound, a.paper or "–", _summary(a))
    return table


def _summary(algorithm: Algorithm) -> Text:
    """Return how it works, and below that its options."""
    from rich.text import Text

    summary = Text(algorithm.summary)
    for option in algorithm.options:
        default = str(option.default).lower()
        summary.append(f"\n{option.name}={default}", "green").append(f"  {option.summary}", "dim")
    if algorithm.aliases:
        summary.append(f"\nas {', '.join(algorithm.aliases)}", "dim")
    return summary


def _blocks(listed: tuple[Algorithm, ...]) -> Table:
    """Return the same for narrow terminals: an algorithm on two or three lines."""
    from rich.text import Text

    table = plain_table(first="", show_header=False)
    table.add_column()
    for a in listed:
        threads = "all threads" if a.threads else "1 thread"
        marks = ("deterministic" * a.deterministic, "cuda" * ("cuda" in a.devices))
        parts = (a.kind, threads, *marks, a.bound, a.paper)
        facts = " · ".join(part for part in parts if part)
        table.add_row(a.name, Text.assemble((facts, "dim"), "\n", _summary(a)))
    return table
