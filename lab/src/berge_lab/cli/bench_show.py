"""``berge bench show``: tables and plots of what ``berge bench run`` measured."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from berge.cli.options import as_json, check_plot, print_json
from berge.cli.program import Command, examples
from berge.wording import in_bytes

from ..report.cells import in_units, shown
from ..report.model import Cell, Table
from ..report.terminal import print_table

if TYPE_CHECKING:
    from ..bench.results import Results

__all__ = ["reason_of", "show", "write_csv"]


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
@click.option("--by", type=click.Choice(["graph", "setting", "choice", "memory"]),
              help="One table only.  [default: all]")  # fmt: skip
@click.option("--measure",
              type=click.Choice(["seconds", "median", "gathers", "with-convert", "memory"]),
              default="seconds",
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
    from ..report.bench import memory_table

    results = Results.read(files)
    chosen = results.reference(reference)
    tables = {
        "graph": lambda: _by_graph(results, measure, chosen if ratio else None),
        "setting": lambda: _by_setting(results, chosen),
        "choice": lambda: _by_choice(results, chosen),
        "memory": lambda: memory_table(results),
    }
    if as_json:
        print_json(
            {
                "reference": chosen,
                "settings": [_no_nan(line) for line in results.summary(chosen)],
                "choices": results.choices(chosen),
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
        from ..report.bench import figures
        from ..report.pictures import write_sheet

        drawn = figures(results, baseline=baseline)
        write_sheet([f for f in drawn if f.id not in ("times", "memory")], plot)


def _by_graph(results: Results, measure: str, reference: str | None) -> Table:
    from ..bench.ratios import geometric_mean
    from ..report.bench import by_graph_table

    plain = {"memory": in_bytes, "gathers": shown}.get(measure, in_units)
    text = shown if reference else plain
    made = by_graph_table(
        results, results.settings, {"edges": "edges"}, measure, reference, text=text
    )
    means = [
        geometric_mean(v for v in found.values() if v > 0)
        for found in (
            results.ratios(s, reference, measure) if reference else results.values(s, measure)
            for s in results.settings
        )
    ]
    made.rows.append(["geometric mean", None, *("" if math.isnan(m) else text(m) for m in means)])
    return made


def _by_setting(results: Results, reference: str) -> Table:
    lines: list[list[Cell]] = [
        [line["setting"], line["graphs"], line["over"] or None, line["void"] or None,
         line["fastest"], in_units(line["seconds"]),
         *(line[key] for key in ("gathers", "ratio", "least", "most"))]
        for line in results.summary(reference)
    ]  # fmt: skip
    head = ["setting", "graphs", "over limit", "void", "fastest on", "time", "gather passes",
            f"÷ {reference}", "least", "most"]  # fmt: skip
    return Table("by-setting", "", "all graphs, geometric means", head, lines)


def _by_choice(results: Results, reference: str) -> Table:
    from ..bench.ratios import geometric_mean

    keys = ("graph", "peer", "ahead", "best", "choice")
    found = results.choices(reference)
    lines: list[list[Cell]] = [[line[key] for key in keys] for line in found]
    if found:
        ahead, lost = ([line[key] for line in found] for key in ("ahead", "choice"))
        lines.append(["geometric mean", "", geometric_mean(ahead), "", geometric_mean(lost)])
        lines.append(["worst", "", min(ahead), "", max(lost)])
    head = ["graph", "fastest peer", f"its time ÷ {reference}", "best of ours", f"{reference} ÷"]
    title = f"{reference} against the fastest peer and the best of ours on each graph"
    return Table("by-choice", "", title, head, lines)


def _against_targets(results: Results, reference: str, file: Path) -> Table:
    from berge.errors import FormatError

    from ..bench.ratios import geometric_mean

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
    columns = [[found[g], float(targets[g]), found[g] / targets[g]] for g in both]
    lines: list[list[Cell]] = [[g, *values] for g, values in zip(both, columns, strict=True)]
    lines.append(["geometric mean", *map(geometric_mean, zip(*columns, strict=True))])
    head = ["graph", reference, "target", "÷ target"]
    return Table("targets", "", "gather passes against targets", head, lines)


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


def _no_nan(line: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in line.items()}


def reason_of(row: dict[str, Any]) -> str:
    """Return why a row has no time."""
    status, reason = row["status"], row["reason"]
    return reason if status in ("time limit", "not available") else f"{status}: {reason}"


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write a line for each row, under the names of the first one's keys."""
    import csv

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
