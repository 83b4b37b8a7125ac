"""``berge generate``: graphs to try things on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..wording import did_you_mean
from . import options
from .display import out, plain_table, working
from .program import Command, command, say

if TYPE_CHECKING:
    from ..generate import Kind, Parameter


class _GenerateCommand(Command):
    """A command whose help lists the kinds of graphs."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, then the kinds with their parameters."""
        super().format_options(ctx, formatter)
        from ..generate import KINDS

        with formatter.section("Kinds"):
            formatter.write_dl(
                (" ".join([name, *map(_with_default, kind.parameters)]), kind.summary)
                for name, kind in KINDS.items()
            )


@command(
    "berge generate grid width=1000 height=1000 -o ecology.mtx",
    "berge generate rmat scale=20 probabilities=paper -o rmat20.npz",
    "berge generate road width=500 height=500 seed=7 --permute 1 -o road.mtx.gz",
    "berge generate --list",
    cls=_GenerateCommand,
)
@click.argument("kind", required=False)
@click.argument("values", metavar="[KEY=VALUE]...", nargs=-1)
@options.path("-o", "--output", help="File to write it to.")
@click.option("--permute", type=click.IntRange(min=0), metavar="SEED",
              help="Put rows and columns in random order.")  # fmt: skip
@click.option("--list", "listing", is_flag=True, help="Explain the kinds, or only KIND.")
@options.quiet()
def generate(
    kind: str | None,
    values: tuple[str, ...],
    output: Path | None,
    permute: int | None,
    listing: bool,
    quiet: bool,
) -> None:
    """Generate a graph of some KIND and write it to a file.

    The same parameters, seed included, always give the same graph.
    """
    if kind is None and not listing:
        raise click.UsageError("which kind? `berge generate --list` explains them")
    from ..generate import KINDS

    chosen = list(KINDS.values()) if kind is None else [_find(kind, KINDS)]
    if listing:
        _explain(chosen)
        return
    bare = [value for value in values if "=" not in value]
    if bare:
        named = " ".join(f"{p.name}={v}" for p, v in zip(chosen[0].parameters, bare, strict=False))
        wrong = f"{bare[0]!r} is not KEY=VALUE; did you mean {named}?"
        raise click.BadParameter(wrong, param_hint="'KEY=VALUE'")
    target = options.output(output)
    if target is None:
        raise click.UsageError("where to? give a file name with -o")
    from ..files import write
    from ..generate import permute as permuted

    with working("generating", not quiet):
        graph = chosen[0].from_text(options.key_values(values, "'KEY=VALUE'"))
        if permute is not None:
            graph = permuted(graph, seed=permute)
    with working("writing", not quiet):
        write(graph, target)
    if not quiet:
        say("wrote", "green", f"{target}: {graph.n_rows:,} × {graph.n_cols:,}, {graph.nnz:,} edges")


def _find(name: str, kinds: dict[str, Kind]) -> Kind:
    wanted = name.replace("_", "-")
    if wanted in kinds:
        return kinds[wanted]
    wrong = f"{name!r} is not one of {', '.join(kinds)}{did_you_mean(wanted, kinds)}"
    raise click.BadParameter(wrong, param_hint="'KIND'")


def _with_default(parameter: Parameter) -> str:
    """Return a parameter as it would be typed, with its default."""
    default = parameter.default
    if parameter.required:
        return f"{parameter.name}=…"
    if isinstance(default, bool):
        default = "yes" if default else "no"
    elif isinstance(default, tuple):
        default = ",".join(map(str, default))
    return f"[{parameter.name}={'…' if default is None else default}]"


def _explain(kinds: Sequence[Kind]) -> None:
    from rich.text import Text

    console = out()
    for kind in kinds:
        if kind is not kinds[0]:
            console.print()
        console.print(Text.assemble((kind.name, "bold cyan"), "  ", kind.summary))
        table = plain_table(show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(style="dim")
        for parameter in kind.parameters:
            table.add_row(Text("  " + _with_default(parameter)), Text(parameter.description))
        console.print(table)
