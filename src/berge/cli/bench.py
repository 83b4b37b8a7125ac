"""``berge bench``: measure suites of graphs, settings and peers."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from .bench_show import in_units, print_table, reason_of, show
from .display import fact_table, out, plural, working
from .exit_codes import INTERRUPTED
from .options import as_json, check_output, print_json
from .program import Command, Group, examples, say

__all__ = ["bench"]


@click.group(
    cls=Group,
    short_help="Measure suites of graphs against other codes.",
    epilog=examples(
        "berge bench run quick -o quick.jsonl",
        "berge bench show quick.jsonl --plot profiles.png",
        "berge bench startup",
    ),
)
def bench() -> None:
    """Measure algorithms and other people's codes on suites of graphs.

    Every measurement is made in a process of its own and every matching is proved.
    """


bench.add_command(show)


@bench.command(
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
    from ..bench.runner import plan, run_tasks
    from ..bench.suite import read_suite

    check_output(output, (".jsonl", ".json"))
    chosen = read_suite(suite)
    tasks = plan(chosen, output, graphs=graphs, settings=settings, again=again)
    bad = 0
    try:
        with _progress(len(tasks), bool(tasks) and not quiet) as (begin, end):

            def note(row: dict[str, Any]) -> None:
                nonlocal bad
                bad += row["status"] in ("failed", "unproved", "memory limit")
                end(row)

            run_tasks(chosen, tasks, output, on_begin=begin, on_row=note)
    except KeyboardInterrupt:
        say("interrupted", "yellow", f"what was measured is in {output}; run it again to go on")
        ctx.exit(INTERRUPTED)
    if not quiet:
        done = f"{plural(len(tasks), 'measurement')}" if tasks else "nothing left to measure"
        say("wrote" if tasks else "done", "green", f"{output}: {done}")
    if bad:
        raise click.ClickException(f"{plural(bad, 'measurement')} failed: see `berge bench show`")


@contextmanager
def _progress(
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
    with Progress(*columns, console=out(stderr=True), speed_estimate_period=1e9) as progress:
        task = progress.add_task("", total=total)

        def end(row: dict[str, Any]) -> None:
            best = in_units(min(row["seconds"])) if row["status"] == "ok" else reason_of(row)
            progress.console.print(Text(f"{row['graph']} · {row['setting']}: {best}"))
            progress.advance(task)

        yield (
            lambda graph, setting: progress.update(task, description=f"{graph} · {setting}"),
            end,
        )


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
@click.option("-r", "--repeat", type=click.IntRange(min=1), default=5, show_default=True,
              metavar="N", help="New processes for each line; the fastest counts.")  # fmt: skip
@click.option("--cold", type=click.IntRange(min=0), default=1, show_default=True, metavar="N",
              help="New processes for lines that compile everything.")  # fmt: skip
@as_json
def startup(repeat: int, cold: int, as_json: bool) -> None:
    """Measure how long a user waits, each in new processes, from their start.

    "Cold" is with an empty cache of kernels, as on the first call after an installation.
    """
    from ..bench.startup import STEPS
    from ..bench.startup import startup as measure

    found: dict[str, list[float]] = {}
    with working("starting processes …", not as_json):
        found.update((name, seconds) for name, seconds in measure(repeat, cold) if seconds)
    if as_json:
        print_json({"seconds": found})
        return
    lines = [
        [name, f"{min(found[name]):.3f}", str(len(found[name]))] for name in STEPS if name in found
    ]
    print_table(("from the start of a process", ["until", "seconds", "best of"], lines))
