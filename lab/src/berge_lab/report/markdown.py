"""A report as Markdown: summary, claims, tables, what is missing; figures where pictures are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike, path
from pathlib import Path

from .cells import machine_table, numeric, papers, shown
from .model import Cell, Claim, Figure, Report, Table

__all__ = ["as_markdown", "claims_table", "table_lines", "write_markdown"]


def write_markdown(
    report: Report, file: str | PathLike[str], pictures: str | PathLike[str] | None = None
) -> None:
    """Write a report; `pictures` is the folder that `write_pictures` wrote SVGs to."""
    folder = None
    if pictures is not None:
        relative = path.relpath(pictures, Path(file).absolute().parent)
        folder = Path(relative).as_posix()
    Path(file).write_text(as_markdown(report, folder), encoding="utf-8")


def as_markdown(report: Report, folder: str | None = None) -> str:
    """Return the text; figures are taken from a folder if there is one."""
    return "\n\n".join(part for part in _parts(report, folder) if part) + "\n"


def _parts(report: Report, folder: str | None) -> Iterable[str]:
    yield f"# {report.title}"
    yield "\n".join(f"- {line}" for line in report.summary)
    if report.claims:
        yield "## Claims"
        yield claims_table(report.claims)
    for paper in papers(report):
        figures = [figure for figure in report.figures if figure.paper == paper and folder]
        tables = [table for table in report.tables if table.paper == paper]
        if figures or tables:
            yield f"## {report.heading(paper)}"
        for figure in figures:
            yield f"### {figure.title}"
            yield f"![{figure.title}]({folder}/{figure.id}.svg)"
            yield _words(figure)
        for table in tables:
            yield f"### {table.title}"
            yield _words(table)
            yield table_lines(table.columns, table.rows)
    if report.missing:
        yield "## What is missing, and why"
        rows = [[m.what, report.heading(m.paper), m.reason] for m in report.missing]
        yield table_lines(["figure or table", "paper", "why"], rows)
    if report.machine or report.noise:
        yield "## Machine and noise"
        yield report.noise
    if report.machine:
        machines = machine_table(report.machine)
        yield table_lines(machines.columns, machines.rows)


def claims_table(claims: Sequence[Claim]) -> str:
    """Return claims as a Markdown table."""
    rows: list[list[Cell]] = [
        [c.claim, c.published, c.ours, f"**{c.verdict}**" + (f": {c.reason}" if c.reason else "")]
        for c in claims
    ]
    return table_lines(["claim", "published", "here", "verdict"], rows)


def _words(item: Figure | Table) -> str:
    both = (("Published", item.published), ("Here", item.note))
    return "\n\n".join(f"*{head}:* {text}" for head, text in both if text)


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a table; columns in which there are numbers are aligned to the right."""
    rule = ["---:" if number else "---" for number in numeric(columns, rows)]
    lines = [columns, rule, *([shown(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
