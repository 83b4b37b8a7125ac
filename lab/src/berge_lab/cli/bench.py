"""``berge bench``: measure suites of graphs, settings and peers."""

from __future__ import annotations

import tomllib
from pathlib import Path

import click

from berge.cli.display import fact_table, out, working
from berge.cli.options import as_json, print_json
from berge.cli.program import Command, Group, examples

from ..report.model import Cell, Table
from ..report.terminal import print_table
from .bench_choose import choose
from .bench_run import run
from .bench_show import show

__all__ = ["bench"]


class Bench(Group):
    """The commands. Options of `choose` need not have its name before them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read `--graphs FILE… --suite NAME` as `choose FILE… --suite NAME`."""
        if args and args[0].startswith("-") and {"--graphs", "--suite"} & set(args):
            args = ["choose", *(word for word in args if word != "--graphs")]
        return super().parse_args(ctx, args)


@click.group(
    cls=Bench,
    short_help="Measure suites of graphs against other codes.",
    epilog=examples(
        "berge bench choose mine/*.mtx -o choose.html",
        "berge bench run quick -o quick.jsonl",
        "berge bench show quick.jsonl --plot profiles.png",
        "berge bench startup",
    ),
)
def bench() -> None:
    """Measure algorithms and other people's codes on suites of graphs.

    Every measurement is made in a process of its own and every matching is proved.

    `berge bench --graphs FILE… --suite NAME` is another way to write `berge bench choose`.
    """


for command in (choose, run, show):
    bench.add_command(command)


@bench.command(
    cls=Command,
    short_help="The suites that come with berge.",
    epilog=examples("berge bench suites", "berge bench suites quick > mine.toml"),
)
@click.argument("name", required=False)
def suites(name: str | None) -> None:
    """List the built-in suites, or print the file of one, to begin one's own with."""
    from ..bench.suite import BUILT_IN

    if name is None:
        titles = ((name, tomllib.loads(_text(path))["title"]) for name, path in BUILT_IN.items())
        out().print(fact_table(titles))
    elif name in BUILT_IN:
        click.echo(_text(BUILT_IN[name]), nl=False)
    else:
        raise click.BadParameter(f"{name!r} is not one of {', '.join(BUILT_IN)}")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@bench.command(
    cls=Command,
    short_help="Time to import, to the first answer, to compile.",
    epilog=examples("berge bench startup", "berge bench startup --repeat 10 --cold 3"),
)
@click.option("-r", "--repeat", type=click.IntRange(min=1), default=5,
              metavar="N", help="New processes for each line; the fastest counts.")  # fmt: skip
@click.option("--cold", type=click.IntRange(min=0), default=1, metavar="N",
              help="New processes for lines that compile everything.")  # fmt: skip
@as_json
def startup(repeat: int, cold: int, as_json: bool) -> None:
    """Measure how long a user waits, each in new processes, from their start.

    "Cold" is with an empty cache of kernels, as on the first call after an installation.
    """
    from ..bench.startup import startup as measure

    with working("starting processes …", not as_json):
        found = measure(repeat, cold)
    if as_json:
        print_json({"seconds": found})
        return
    lines: list[list[Cell]] = [[n, f"{min(some):.3f}", len(some)] for n, some in found.items()]
    head = ["until", "seconds", "best of"]
    print_table(Table("startup", "", "from the start of a process", head, lines))
