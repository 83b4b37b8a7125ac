"""``berge reproduce``: the papers' tables and figures, rerun and set beside what was published."""

from __future__ import annotations

from pathlib import Path

import click

from berge.cli.program import Command, examples, say
from berge.wording import plural

from .bench_run import carry_out

__all__ = ["reproduce"]

SUITES = ("quick", "standard", "full")


@click.command(
    cls=Command,
    short_help="The papers' tables and figures, rerun as a report.",
    epilog=examples(
        "berge reproduce",
        "berge reproduce --suite standard -o reproduced",
        "berge reproduce --suite full --data graphs/ --only 'tree-grafting/*'",
        "berge reproduce --graphs mine/*.mtx",
    ),
)
@click.option("--suite", type=click.Choice(SUITES), default="quick",
              help="How large the graphs are: 2 minutes, half an hour, hours.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False),
              metavar="FOLDER",
              help="For report and results.  [default: reproduce-SUITE]")  # fmt: skip
@click.option("--data", type=click.Path(path_type=Path, file_okay=False, exists=True),
              envvar="BERGE_DATA", show_envvar=True, metavar="FOLDER",
              help="Real graphs (.npz, .mtx): those that the papers' classes know, and the named "
              "matrices of table I.")  # fmt: skip
@click.option("--graphs", "_graphs", is_flag=True, help="The FILEs are graphs to take as well.")
@click.option("--only", multiple=True, metavar="PATTERN",
              help="Experiments, such as 'g-pr/*' or apfb/figure-2; may be repeated.")  # fmt: skip
@click.option("--docs", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
              help="Also write a page for each paper there, with small pictures.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.argument("files", nargs=-1, metavar="[FILE…]")
@click.pass_context
def reproduce(
    ctx: click.Context,
    suite: str,
    output: Path | None,
    data: Path | None,
    _graphs: bool,
    only: tuple[str, ...],
    docs: Path | None,
    quiet: bool,
    files: tuple[str, ...],
) -> None:
    """Rerun the tables and figures of four papers on matching, and test their claims.

    Makes report.html, report.md and pictures in the folder, beside results.jsonl. Ctrl-C keeps what
    was measured; the same command then goes on where it stopped. Every matching is verified. What
    is measured and how: docs/reproduce.md.
    """
    from berge.drawn import pyplot

    from ..bench.results import read_lines
    from ..report.html import plotly_js
    from ..reproduce import build_report
    from ..reproduce.run import plan, together, write_pages, write_report

    plotly_js(), pyplot()  # before anything is measured: raise where they are missing
    folder = output or Path(f"reproduce-{suite}")
    folder.mkdir(parents=True, exist_ok=True)
    results = folder / "results.jsonl"
    chosen, tasks = plan(suite, results, data=data, files=files, only=only)
    carry_out(ctx, chosen, tasks, results, quiet, None if suite == "full" else together)
    rows = {row["key"]: row for row in read_lines(results)}  # the last of each
    report = build_report(list(rows.values()))
    page = write_report(report, folder)
    if docs is not None:
        write_pages(report, docs)
    if not quiet:
        held = [
            sum(c.verdict == verdict for c in report.claims) for verdict in ("held", "not held")
        ]
        claims = (
            f"{held[0]} of {sum(held)} testable claims held" if any(held) else "no testable claim"
        )
        late = sum(row["status"] == "time limit" for row in rows.values())
        say("report", "green", f"{page}: {claims}" + f"; {late} over the time limit" * bool(late))
    bad = [row for row in rows.values() if row["status"] not in ("ok", "time limit")]
    if bad:
        first = f"{bad[0]['graph']} · {bad[0]['setting']}: {bad[0]['reason']}"
        raise click.ClickException(f"{plural(len(bad), 'measurement')} failed, first {first}")
