"""``berge report``: results files as a page to look at, as pictures, as Markdown."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from berge.cli.options import check_output
from berge.cli.program import Command, examples, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..report.model import Report

__all__ = ["make_report", "report"]


@click.command(
    cls=Command,
    short_help="Results as a page with figures and tables.",
    epilog=examples(
        "berge report results.jsonl -o report.html",
        "berge report laptop.jsonl server.jsonl -o both.html",
        "berge report results.jsonl --pictures figures --markdown tables.md",
    ),
)
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True,
                metavar="RESULTS.jsonl…")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE.html",
              help="One HTML file that needs no network.")  # fmt: skip
@click.option("--pictures", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
              help="Every figure as PNG and SVG.")  # fmt: skip
@click.option("--markdown", type=click.Path(path_type=Path), metavar="FILE.md",
              help="Summary, claims and tables; figures too with --pictures.")  # fmt: skip
@click.option("--title", metavar="TEXT", help="Of the report.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def report(
    files: tuple[Path, ...],
    output: Path | None,
    pictures: Path | None,
    markdown: Path | None,
    title: str | None,
    quiet: bool,
) -> None:
    """Make a report of what `berge bench` and `berge reproduce` measured.

    Files from several machines are put side by side. Of the same measurement on the same machine
    the last line counts, so that a file may be made longer and shown again.
    """
    if output is None and pictures is None and markdown is None:
        raise click.UsageError("nothing to write: give -o, --pictures or --markdown")
    for path, suffixes, option in (
        (output, (".html", ".htm"), "'--output'"),
        (markdown, (".md", ".markdown"), "'--markdown'"),
    ):
        if path is not None:
            check_output(path, suffixes, option)
    from ..bench.results import read_lines

    rows = [row for file in files for row in read_lines(file)]
    made = make_report(rows)
    if title is not None:
        made = dataclasses.replace(made, title=title)
    if output is not None:
        from ..report.html import write_html

        write_html(made, output)
    if pictures is not None:
        from ..report.pictures import write_pictures

        write_pictures(made, pictures)
    if markdown is not None:
        from ..report.markdown import write_markdown

        write_markdown(made, markdown, pictures)
    if not quiet:
        say("wrote", "green", ", ".join(str(path) for path in (output, pictures, markdown) if path))


def make_report(rows: Sequence[dict[str, Any]]) -> Report:
    """Return the report of rows: those of the papers first, then those of other suites."""
    from berge.errors import OptionError

    from ..report.bench import build_report

    if not rows:
        raise OptionError("there are no results to show")
    papers = [row for row in rows if str(row.get("suite")).startswith("reproduce")]
    others = [row for row in rows if not str(row.get("suite")).startswith("reproduce")]
    made = build_report(others) if others else None
    if not papers:
        assert made is not None
        return made
    from ..reproduce import build_report as build_papers

    first = build_papers(papers)
    return first if made is None else first + made
