"""``berge bench run``: measure a suite, with a bar."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from berge.cli.display import out
from berge.cli.exit_codes import INTERRUPTED
from berge.cli.options import check_output
from berge.cli.program import Command, examples, say
from berge.wording import plural

from ..report.cells import in_units
from .bench_show import reason_of

if TYPE_CHECKING:
    from ..bench.runner import Task
    from ..bench.suite import Suite

__all__ = ["carry_out", "complain", "measuring", "run"]


@click.command(
    cls=Command,
    short_help="Run a suite; results are appended to a file.",
    epilog=examples(
        "berge bench run quick -o quick.jsonl",
        "berge bench run my-suite.toml -o results.jsonl",
        "berge bench run standard -o results.jsonl --setting 'auto*' --graph 'road*'",
    ),
)
@click.argument("suite", metavar="NAME|FILE.toml")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True,
              metavar="FILE.jsonl",
              help="Lines of JSON; what is there already is not measured again.")  # fmt: skip
@click.option("--graph", "graphs", multiple=True, metavar="PATTERN",
              help="Only graphs of such a name; may be given several times.")  # fmt: skip
@click.option("--setting", "settings", multiple=True, metavar="PATTERN",
              help="Only settings and peers of such a name.")  # fmt: skip
@click.option("--again", is_flag=True, help="Measure also what is there already.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.pass_context
def run(
    ctx: click.Context,
    suite: str,
    output: Path,
    graphs: tuple[str, ...],
    settings: tuple[str, ...],
    again: bool,
    quiet: bool,
) -> None:
    """Run a suite: one of `berge bench suites`, or a file.

    Ctrl-C keeps what is there; the same command then goes on where it stopped. Time is that of
    `maximum_matching` from a scipy CSR array in memory to the finished matching; of a peer, that of
    its own call. docs/benchmarks.md tells more, and what a suite file looks like.
    """
    from ..bench.runner import plan
    from ..bench.suite import read_suite

    check_output(output, (".jsonl", ".json"))
    chosen = read_suite(suite)
    tasks = plan(chosen, output, graphs=graphs, settings=settings, again=again)
    complain(carry_out(ctx, chosen, tasks, output, quiet))


def carry_out(
    ctx: click.Context,
    suite: Suite,
    tasks: Sequence[Task],
    output: Path,
    quiet: bool,
    together: Callable[[Task], str] | None = None,
    patience: float = math.inf,
) -> int:
    """Measure, and return how many measurements failed; Ctrl-C ends the program."""
    from ..bench.runner import changed, run_tasks

    others = changed(tasks, output)
    if others and not quiet:
        before = f"not what {output} has lines of; those no longer count"
        say("changed", "yellow", f"{', '.join(others)}: {before}")
    bad = 0
    try:
        with measuring(len(tasks), bool(tasks) and not quiet) as (begin, end):

            def note(row: dict[str, Any]) -> None:
                nonlocal bad
                bad += row["status"] in ("failed", "unproved", "memory limit")
                end(row)

            how: Any = {"together": together, "patience": patience}
            run_tasks(suite, tasks, output, **how, on_begin=begin, on_row=note)
    except KeyboardInterrupt:
        say("interrupted", "yellow", f"what was measured is in {output}; run it again to go on")
        ctx.exit(INTERRUPTED)
    if not quiet:
        done = f"{plural(len(tasks), 'measurement')}" if tasks else "nothing left to measure"
        say("wrote" if tasks else "done", "green", f"{output}: {done}")
    return bad


def complain(bad: int) -> None:
    """End the program with an error if measurements failed."""
    if bad:
        raise click.ClickException(f"{plural(bad, 'measurement')} failed: see `berge bench show`")


@contextmanager
def measuring(
    total: int, shown: bool
) -> Iterator[tuple[Callable[[str, str], object], Callable[[dict[str, Any]], object]]]:
    """Yield what to call before and after each measurement."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    if not shown:
        yield lambda graph, setting: None, lambda row: None
        return
    columns = (
        BarColumn(20), MofNCompleteColumn(), TimeRemainingColumn(compact=True),
        TextColumn("{task.description}", markup=False),
    )  # fmt: skip
    # Measurements differ in length by far: the average over all is the best guess there is.
    with Progress(*columns, console=out(stderr=True), speed_estimate_period=1e9) as bar:
        task = bar.add_task("", total=total)

        def end(row: dict[str, Any]) -> None:
            best = in_units(min(row["seconds"])) if row["status"] == "ok" else reason_of(row)
            bar.console.print(Text(f"{row['graph']} · {row['setting']}: {best}"))
            bar.advance(task)

        yield (
            lambda graph, setting: bar.update(task, description=f"{graph} · {setting}"),
            end,
        )
