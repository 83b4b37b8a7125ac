"""A report as one page of HTML that needs nothing else: plotly.js, data and text in one file.

The text stands in the page; ``page.html`` has the style and the little script that draws the
figures and redraws them when graphs, scale or colours are chosen.

plotly is an extra (``berge[lab]``), imported when a page is written.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from berge.errors import OptionError

from .cells import (
    COLOURS,
    column,
    in_colours,
    label,
    machine_table,
    named,
    numeric,
    papers,
    shown,
    ticks,
)
from .model import Cell, Claim, Figure, Report, Table

__all__ = ["page", "plotly_js", "write_html"]

_TEMPLATE = Path(__file__).with_name("page.html")
_CLAIM = ("verdict", "claim", "published", "here", "shown by")
_VERDICTS = {"held": "yes", "not held": "no", "not testable here": "untested"}


def write_html(report: Report, path: str | PathLike[str]) -> None:
    """Write a report as one HTML file of some 5 MB, most of it plotly.js."""
    Path(path).write_text(page(report), encoding="utf-8")


def plotly_js() -> str:
    """Return plotly.js."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise OptionError("a page needs plotly: pip install 'berge[lab]'") from None
    return str(get_plotlyjs())


def page(report: Report) -> str:
    """Return the page."""
    graphs = _graphs(report)
    known = set(graphs)
    parts = {
        "title": escape(report.title),
        "contents": _contents(report),
        "graphs": "".join(
            f'<label><input type="checkbox" checked value="{escape(graph)}">{escape(graph)}</label>'
            for graph in graphs
        ),
        "filter": "" if len(graphs) > 1 else "hidden",
        "scale": "" if report.figures else "hidden",
        "body": "\n".join(_body(report, known)),
        "data": _data(report),
        "plotly": plotly_js() if report.figures else "",
    }
    text = _TEMPLATE.read_text(encoding="utf-8")
    # plotly.js last: what stands in it is not looked at.
    for name, part in parts.items():
        text = text.replace(f"<!--{name}-->", part)
    return text


def _text(text: str) -> str:
    """Return text with what stands between backticks as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _graphs(report: Report) -> list[str]:
    """Return the graphs that points of figures belong to, as they come."""
    every = (g for f in report.figures for s in f.series for g in s.graphs or [])
    return list(dict.fromkeys(every))


def _data(report: Report) -> str:
    """Return what the script draws."""
    numbers = in_colours(report.figures)
    figures = [
        {
            "id": figure.id,
            "kind": figure.kind,
            "labels": [figure.x_label, figure.y_label],
            "log": [figure.log_x, figure.log_y],
            "names": named(figure),
            "ticks": ticks(figure),
            "series": [
                {
                    "name": label(series),
                    "number": numbers[figure.paper, series.name],
                    "published": series.published,
                    "x": _plain(series.x),
                    "y": _plain(series.y),
                    "low": _plain(series.low),
                    "high": _plain(series.high),
                    "graphs": series.graphs,
                }
                for series in figure.series
            ],
        }
        for figure in report.figures
    ]
    text = json.dumps({"colours": COLOURS, "figures": figures}, allow_nan=False, ensure_ascii=False)
    return text.replace("<", "\\u003c")  # no end of the script in there


def _plain(values: Sequence[Any] | None) -> list[Any] | None:
    """Return numbers with six digits; None for what is not one."""
    if values is None:
        return None
    return [
        (float(f"{v:.6g}") if math.isfinite(v) else None) if isinstance(v, float) else v
        for v in values
    ]


def _contents(report: Report) -> str:
    items = [("summary", "Summary", "")]
    items += [("claims", "Claims", "")] if report.claims else []
    for number, paper in enumerate(papers(report)):
        mine = [item for item in report.items if item.paper == paper]
        if mine:
            items.append((f"paper-{number}", report.heading(paper), ""))
            items += [(item.id, item.title, "sub") for item in mine]
    items += [("missing", "What is missing", "")] if report.missing else []
    items += [("machine", "Machine and noise", "")] if report.machine or report.noise else []
    return "".join(
        f'<li class="{kind}"><a href="#{escape(place)}">{escape(name)}</a></li>'
        for place, name, kind in items
    )


def _body(report: Report, graphs: set[str]) -> Iterable[str]:
    summary = "".join(f"<p>{_text(line)}</p>" for line in report.summary)
    yield '<section id="summary"><h2>Summary</h2>'
    yield f'<div class="card">{_verdicts(report.claims)}{summary}</div></section>'
    if report.claims:
        yield _claims(report)
    for number, paper in enumerate(papers(report)):
        figures = [figure for figure in report.figures if figure.paper == paper]
        tables = [table for table in report.tables if table.paper == paper]
        if figures or tables:
            yield f'<section id="paper-{number}"><h2>{escape(report.heading(paper))}</h2>'
            yield from map(_figure, figures)
            yield from (_table(table, graphs) for table in tables)
            yield "</section>"
    if report.missing:
        yield '<section id="missing"><h2>What is missing, and why</h2>'
        rows: list[list[Cell]] = [
            [m.what, report.heading(m.paper), m.reason] for m in report.missing
        ]
        yield _rows(["figure or table", "paper", "why"], rows, "stack") + "</section>"
    if report.machine or report.noise:
        yield '<section id="machine"><h2>Machine and noise</h2>'
        yield f"<p>{_text(report.noise)}</p>" if report.noise else ""
        machines = machine_table(report.machine)
        yield _rows(machines.columns, machines.rows) if report.machine else ""
        yield "</section>"


def _verdicts(claims: Sequence[Claim]) -> str:
    """Return how many claims held and how many did not; each leads to the first of its kind."""
    chips = []
    for verdict, colour in _VERDICTS.items():
        mine = [claim for claim in claims if claim.verdict == verdict]
        if mine:
            place = f'href="#claim-{escape(mine[0].id)}"'
            chips.append(f'<a class="chip {colour}" {place}>{len(mine)} {verdict}</a>')
    return f'<p class="chips">{"".join(chips)}</p>' if chips else ""


def _claims(report: Report) -> str:
    titles = {item.id: item.title for item in report.items}
    lines = []
    for paper in papers(report):
        mine = [claim for claim in report.claims if claim.paper == paper]
        if mine:
            name = escape(report.heading(paper))
            lines.append(f'<tr class="group"><th colspan="5">{name}</th></tr>')
        lines += [_claim(claim, titles) for claim in mine]
    head = "".join(f"<th>{name}</th>" for name in _CLAIM)
    return (
        '<section id="claims"><h2>Claims of the papers</h2><div class="box"><table class="stack">'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div></section>"
    )


def _claim(claim: Claim, titles: Mapping[str, str]) -> str:
    link = ""
    if claim.figure is not None:
        name = titles[claim.figure].partition(":")[0]
        link = f'<a href="#{escape(claim.figure)}">{escape(name)}</a>'
    reason = f"<small>{_text(claim.reason)}</small>" if claim.reason else ""
    cells = (
        f'<span class="chip {_VERDICTS[claim.verdict]}">{claim.verdict}</span>',
        _text(claim.claim),
        _text(claim.published),
        _text(claim.ours) + reason,
        link,
    )
    pairs = zip(_CLAIM, cells, strict=True)
    filled = "".join(f'<td data-head="{name}">{cell}</td>' for name, cell in pairs)
    return f'<tr id="claim-{escape(claim.id)}">{filled}</tr>'


def _words(item: Figure | Table) -> str:
    """Return what the paper shows, and what is seen here."""
    if not item.published:
        return f"<p>{_text(item.note)}</p>" if item.note else ""
    both = (("Published", item.published), ("Here", item.note))
    words = (f"<div><h4>{head}</h4><p>{_text(text)}</p></div>" for head, text in both if text)
    return f"<aside>{''.join(words)}</aside>"


def _figure(figure: Figure) -> str:
    plot = f'<div class="plot" data-figure="{escape(figure.id)}"></div>'
    words = _words(figure)
    both = f'<div class="beside">{plot}{words}</div>' if figure.published else plot + words
    return (
        f'<figure class="card" id="{escape(figure.id)}"><h3>{escape(figure.title)}</h3>{both}'
        "</figure>"
    )


def _table(table: Table, graphs: set[str]) -> str:
    return (
        f'<div class="card" id="{escape(table.id)}"><h3>{escape(table.title)}</h3>'
        f"{_words(table)}{_rows(table.columns, table.rows, '', graphs)}</div>"
    )


def _short(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[bool]:
    """Return which columns have so short cells that none need be broken."""
    return [all(len(shown(row[k])) <= 36 for row in rows) for k in range(len(columns))]


def _rows(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    kind: str = "",
    graphs: set[str] | frozenset[str] = frozenset(),
) -> str:
    """Return a table in a box that scrolls; a row that begins with a graph obeys the filter."""
    marks = [
        ' class="number"' if number else ' class="short"' if short else ""
        for number, short in zip(numeric(columns, rows), _short(columns, rows), strict=True)
    ]
    head = "".join(f"<th{m}>{escape(c)}</th>" for c, m in zip(columns, marks, strict=True))
    texts = [column([row[k] for row in rows]) for k in range(len(columns))]
    lines = []
    for place, row in enumerate(rows):
        first = str(row[0]) if row else ""
        graph = f' data-graph="{escape(first)}"' if first in graphs else ""
        cells = "".join(
            f'<td{m} data-head="{escape(c)}">{_text(some[place])}</td>'
            for some, c, m in zip(texts, columns, marks, strict=True)
        )
        lines.append(f"<tr{graph}>{cells}</tr>")
    return (
        f'<div class="box"><table class="{kind}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
