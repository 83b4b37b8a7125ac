"""``berge bench choose``: which algorithm for these graphs."""

from __future__ import annotations

import dataclasses
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from berge.cli.options import PICTURES, as_json, check_output, check_plot, print_json
from berge.cli.program import Command, examples, say
from berge.wording import plural

from ..report.terminal import print_table
from .bench_run import carry_out, complain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..bench.ranking import Advice, Rank
    from ..bench.results import Results

__all__ = ["choose"]

_PROCESS = 3.0  # seconds, where nothing was measured yet
_USUAL = 6  # times what the fastest takes: three runs of a setting, on average

TITLE = "Which algorithm for these graphs"


@click.command(
    cls=Command,
    short_help="Which algorithm for your graphs: measure, rank, advise.",
    epilog=examples(
        "berge bench choose mine/*.mtx -o choose.html",
        "berge bench choose web.mtx road.npz --suite my-suite.toml -o profile.png",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--suite", default="choose", metavar="NAME|FILE.toml",
              help="Whose settings and peers to try.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE",
              help="Write a report (.html) or draw the profiles (.png, .svg, .pdf).")  # fmt: skip
@click.option("--results", type=click.Path(path_type=Path), metavar="FILE.jsonl",
              help="Where measurements are kept; what is there is not measured again.  "
              "[default: the output with .jsonl, or choose.jsonl]")  # fmt: skip
@click.option("--patience", type=click.FloatRange(min=1), default=10.0, metavar="X",
              help="Stop a run that takes X times as long as the fastest so far on its graph.",
)  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="No bar; only the answer and errors.")
@as_json
@click.pass_context
def choose(
    ctx: click.Context,
    files: tuple[str, ...],
    suite: str,
    output: Path | None,
    results: Path | None,
    patience: float,
    quiet: bool,
    as_json: bool,
) -> None:
    """Measure algorithms and starts on your graphs, rank them, and say which to use.

    Every measurement has a process of its own, every matching is proved. Ctrl-C keeps what is
    there; the same command then goes on where it stopped. `auto` is measured first: that tells how
    long the rest may take. Slow runs are stopped early.

    "× fastest" is a geometric mean over the graphs: of the time as a multiple of the fastest's.
    ★ marks what `auto` does; t1 is on one thread.
    """
    _check(output)
    kept = results or (output.with_suffix(".jsonl") if output else Path("choose.jsonl"))
    check_output(kept, (".jsonl", ".json"), "'--results'")
    from ..bench.ranking import advise, rank
    from ..bench.results import Results, read_lines
    from ..bench.runner import fastest_so_far, keys, limit_of, plan
    from ..bench.suite import read_suite
    from ..report.bench import ranking_table

    chosen = read_suite(suite, files)
    tasks = plan(chosen, kept)
    quiet = quiet or as_json
    # What `auto` takes tells how long the rest may take, and when to stop it.
    first = [task for task in tasks if set(task[1].arguments.values()) <= {"auto"}]
    rest = [task for task in tasks if task not in first]
    begin, bad = time.monotonic(), 0
    if first and rest:
        if not quiet:
            say("first", "green", f"auto, on {plural(len(first), 'graph')}; then it is clear how "
                "long the rest takes")  # fmt: skip
        bad = carry_out(ctx, chosen, first, kept, quiet, patience=patience)
    if rest and not quiet:
        best = fastest_so_far(chosen, kept)
        each = (time.monotonic() - begin) / len(first) if first else _PROCESS
        limits = {g.name: limit_of(chosen, g.name, best, patience) for g, _ in rest}
        most = sum(each + limits[g.name] for g, _ in rest)
        usual = sum(each + min(_USUAL * best.get(g.name, 0), limits[g.name]) for g, _ in rest)
        say("then", "green", f"{plural(len(rest), 'measurement')}: about {_spoken(usual)}, at most "
            f"{_spoken(most)}; Ctrl-C keeps what is there")  # fmt: skip
    bad += carry_out(ctx, chosen, rest if first else tasks, kept, quiet, patience=patience)
    wanted = keys(chosen)  # the file may have measurements of other graphs
    rows = [row for row in read_lines(kept) if row["key"] in wanted]
    found = Results({"": rows})
    ranks = rank(found)
    advice = advise(found, ranks)
    if as_json:
        print_json(_facts(ranks, advice))
    else:
        title = f"best first, over {plural(len(found.graphs), 'graph')}"
        print_table(dataclasses.replace(ranking_table(ranks, star="★"), title=title))
        _print_advice(found, advice)
    if output is not None:
        _write(output, found, rows)
        if not quiet:
            say("wrote", "green", str(output))
    complain(bad)


def _spoken(seconds: float) -> str:
    """Return a time as people say it."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"


def _check(output: Path | None) -> None:
    """Refuse an output that could not be written, before anything is measured."""
    if output is not None and output.suffix == ".html":
        from ..report.html import plotly_js

        check_output(output)
        plotly_js()  # raises where plotly is missing
    elif output is not None:
        check_output(output, (".html", *PICTURES))
        check_plot(output)


def _write(output: Path, found: Results, rows: list[dict[str, Any]]) -> None:
    if output.suffix != ".html":
        from ..report.bench import figures
        from ..report.pictures import write_sheet

        write_sheet([f for f in figures(found) if f.id not in ("times", "memory")], output)
        return
    from ..report.bench import build_report
    from ..report.html import write_html

    write_html(build_report(rows, TITLE), output)


def _print_advice(found: Results, advice: Advice | None) -> None:
    from ..report.bench import advice_lines, caveats

    if advice is None:
        raise click.ClickException("nothing was solved: there is nothing to advise")
    for line in advice_lines(advice, len(found.graphs)) + caveats(advice):
        click.echo(line.replace("`", ""))


def _facts(ranks: Sequence[Rank], advice: Advice | None) -> dict[str, Any]:
    from ..bench.ranking import call

    def plain(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return {
        "use": call(advice.best.arguments) if advice else None,
        "arguments": dict(advice.best.arguments) if advice else None,
        "auto_factor": plain(advice.factor) if advice and advice.auto else None,
        "auto_is_as_good": advice.same if advice else None,
        "ranking": [
            {
                "setting": one.setting,
                "times_fastest": plain(one.score),
                "worst": plain(one.worst),
                "worst_graph": one.worst_graph,
                "fastest_on": one.wins,
                "unsolved": one.unsolved,
                "auto": one.auto,
                "arguments": dict(one.arguments),
            }
            for one in ranks
        ],
    }
