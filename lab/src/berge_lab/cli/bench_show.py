"""``berge bench show``: tables and plots of what ``berge bench run`` measured."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from berge.cli.display import out
from berge.cli.options import as_json, check_plot, print_json, write_csv
from berge.cli.program import Command, examples
from berge.wording import in_bytes

if TYPE_CHECKING:
    from ..bench.results import Results

__all__ = ["Lines", "in_units", "print_table", "reason_of", "show"]

Lines = tuple[str, list[str], list[list[str]]]  # a table: its title, headings, and lines


@click.command(
    cls=Command,
    short_help="Tables and plots of what was measured.",
    epilog=examples(
        "berge bench show quick.jsonl",
        "berge bench show before.jsonl after.jsonl --by setting",
        "berge bench show results.jsonl --measure gathers --markdown",
        "berge bench show results.jsonl --plot profiles.png --baseline btf",
    ),
)
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FILE…")
@click.option("--by", type=click.Choice(["graph", "setting", "memory"]),
              help="One table only.  [default: all]")  # fmt: skip
@click.option("--measure",
              type=click.Choice(["seconds", "median", "gathers", "with-convert", "memory"]),
              default="seconds", show_default=True,
              help="What is in the table by graph: the fastest run, the median, the fastest run in "
              "gather passes, or with the peers' converting; extra memory.")  # fmt: skip
@click.option("--ratio", is_flag=True, help="Table by graph: as multiples of the reference.")
@click.option("--reference", metavar="SETTING",
              help="What ratios are to.  [default: auto, else the first]")  # fmt: skip
@click.option("--baseline", metavar="SETTING",
              help="What the speed-up profile is over.  [default: the first peer]")  # fmt: skip
@click.option("--targets", type=click.Path(path_type=Path), metavar="FILE.toml",
              help="Gather passes to compare with the reference's: lines `graph = x`.")  # fmt: skip
@click.option("--plot", type=click.Path(path_type=Path),
              help="Draw performance and speed-up profiles (.png, .svg, .pdf).")  # fmt: skip
@click.option("--markdown", is_flag=True, help="Print tables as Markdown.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Write a line a row.")
@as_json
def show(
    files: tuple[Path, ...],
    by: str | None,
    measure: str,
    ratio: bool,
    reference: str | None,
    baseline: str | None,
    targets: Path | None,
    plot: Path | None,
    markdown: bool,
    csv_file: Path | None,
    as_json: bool,
) -> None:
    """Show results of `berge bench run`.

    "> x": ended by the time limit, which counts as its time. "—": void, that is failed or not
    proved; the reasons stand below, and it counts nowhere. Means are geometric, over the graphs
    that a setting has; a gather pass is one read of the graph from both sides.
    """
    check_plot(plot)
    from ..bench.results import Results

    results = Results.read(files)
    chosen = results.reference(reference)
    tables = {
        "graph": lambda: _by_graph(results, measure, chosen if ratio else None),
        "setting": lambda: _by_setting(results, chosen),
        "memory": lambda: _by_memory(results),
    }
    if as_json:
        print_json(
            {
                "reference": chosen,
                "settings": [_no_nan(line) for line in results.summary(chosen)],
                "memory": results.memory(),
                "rows": [_facts(*where, results) for where in results.rows],
            }
        )
    else:
        shown = [tables[name]() for name in ([by] if by else tables)]
        if targets is not None:
            shown.append(_against_targets(results, chosen, targets))
        for table in shown:
            print_table(table, markdown)
        _print_void(results)
    if csv_file is not None:
        write_csv(csv_file, [_facts(*where, results) for where in results.rows])
    if plot is not None:
        from ..bench.plots import draw_profiles

        draw_profiles(results, plot, results.baseline(baseline))


def _by_graph(results: Results, measure: str, reference: str | None) -> Lines:
    from ..bench.results import counts, geometric_mean, over

    def cell(graph: str, setting: str) -> str:
        row = results.rows.get((graph, setting))
        value = columns[setting].get(graph)
        if value is None:
            return "" if row is None or counts(row) else "—"
        return (
            "> " if over(results.rows[graph, setting]) and measure != "memory" else ""
        ) + number(value)

    plain = {"memory": in_bytes, "gathers": _number}.get(measure, in_units)
    number = _number if reference else plain
    columns = {
        setting: results.ratios(setting, reference, measure)
        if reference
        else results.values(setting, measure)
        for setting in results.settings
    }
    lines = [
        [graph, _edges(results, graph), *(cell(graph, setting) for setting in columns)]
        for graph in results.graphs
    ]
    means = [geometric_mean(v for v in c.values() if v > 0) for c in columns.values()]
    lines.append(["geometric mean", "", *("" if math.isnan(m) else number(m) for m in means)])
    words = {"seconds": "time, fastest run", "median": "time, median",
             "gathers": "gather passes, fastest run", "memory": "extra memory at its peak",
             "with-convert": "time with converting, fastest run"}  # fmt: skip
    title = words[measure] + (f", as multiples of {reference}'s" if reference else "")
    return title, ["graph", "edges", *columns], lines


def _by_setting(results: Results, reference: str) -> Lines:
    lines = [
        [
            line["setting"],
            str(line["graphs"]),
            str(line["over"] or ""),
            str(line["void"] or ""),
            str(line["fastest"]),
            in_units(line["seconds"]),
            *(_number(line[key]) for key in ("gathers", "ratio", "least", "most")),
        ]
        for line in results.summary(reference)
    ]
    head = ["setting", "graphs", "over limit", "void", "fastest on", "time", "gather passes",
            f"÷ {reference}", "least", "most"]  # fmt: skip
    return "all graphs, geometric means", head, lines


def _by_memory(results: Results) -> Lines:
    lines = [
        [
            line["setting"],
            str(line["graphs"]),
            in_bytes(line["most"]),
            f"{line['vertex']:.1f}",
            f"{line['edge']:.1f}",
            f"{100 * line['error']:.0f} %",
        ]
        for line in results.memory()
    ]
    head = ["setting", "graphs", "most", "bytes / vertex", "bytes / edge", "worst error"]
    return "extra memory at its peak, fitted", head, lines


def _against_targets(results: Results, reference: str, file: Path) -> Lines:
    from berge.errors import FormatError

    from ..bench.results import geometric_mean

    try:
        targets = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(str(error), file) from None
    found = results.values(reference, "gathers")
    both = [graph for graph in results.graphs if graph in found and graph in targets]
    for graph in both:
        if not isinstance(targets[graph], (int, float)) or not targets[graph] > 0:
            raise FormatError(f"{graph} = {targets[graph]!r} is not a number above 0", file)
    if not both:
        raise FormatError(f"has none of the graphs that {reference} was measured on", file)
    columns = [[found[graph], targets[graph], found[graph] / targets[graph]] for graph in both]
    lines = [[graph, *map(_number, values)] for graph, values in zip(both, columns, strict=True)]
    means = [_number(geometric_mean(column)) for column in zip(*columns, strict=True)]
    lines.append(["geometric mean", *means])
    return "gather passes against targets", ["graph", reference, "target", "÷ target"], lines


def print_table(table: Lines, markdown: bool = False) -> None:
    """Print a table for a terminal or as Markdown; nothing if it has no lines."""
    title, head, lines = table
    if not lines:
        return
    if markdown:
        rule = ["---", *["---:"] * (len(head) - 1)]
        click.echo(f"**{title}**\n")
        for line in (head, rule, *lines):
            click.echo(f"| {' | '.join(line)} |")
        click.echo()
        return
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", title=title,
                  title_justify="left", title_style="bold")  # fmt: skip
    for heading in head:
        left = heading == head[0]
        drawn.add_column(Text(heading.replace(" ", "\n") if not left else heading),
                         justify="left" if left else "right", no_wrap=True, vertical="bottom",
                         style="cyan" if left else None)  # fmt: skip
    for line in lines:
        mean = line[0] == "geometric mean"
        drawn.add_row(*map(Text, line), style="bold" if mean else None)
    console = out()
    needed = drawn.__rich_measure__(console, console.options.update(width=10_000)).maximum
    console.width = max(needed, console.width)  # long lines rather than numbers cut short
    console.print(drawn, "", sep="\n")


def _print_void(results: Results) -> None:
    """Tell once for each reason and setting why there is no time."""
    from ..bench.results import counts

    why: dict[str, list[str]] = {}
    for (graph, setting), row in results.rows.items():
        if not counts(row):
            why.setdefault(f"{setting}: {reason_of(row)}", []).append(graph)
    for reason, graphs in why.items():
        where = "everywhere" if len(graphs) == len(results.graphs) else ", ".join(graphs)
        click.echo(f"— {reason} ({where})")


def _facts(graph: str, setting: str, results: Results) -> dict[str, Any]:
    from ..bench.results import MEASURES

    row = results.rows[graph, setting]
    same = ("status", "reason", "rows", "cols", "edges", "cardinality")
    return {
        "graph": graph,
        "setting": setting,
        **{name: row.get(name) for name in same},
        **{name: results.value(graph, setting, name) for name in MEASURES},
    }


def _edges(results: Results, graph: str) -> str:
    rows = (row for (name, _), row in results.rows.items() if name == graph)
    return next((f"{row['edges']:,}" for row in rows if row.get("edges") is not None), "")


def _number(value: float) -> str:
    """Return three digits; nothing for what is not a number."""
    if math.isnan(value):
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def in_units(seconds: float) -> str:
    """Return three digits and a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= 0.9995 * size:
            return f"{_number(seconds / size)} {unit}"
    return "" if math.isnan(seconds) else f"{_number(seconds / 1e-6)} µs"


def _no_nan(line: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in line.items()}


def reason_of(row: dict[str, Any]) -> str:
    """Return why a row has no time."""
    status, reason = row["status"], row["reason"]
    return reason if status in ("time limit", "not available") else f"{status}: {reason}"
