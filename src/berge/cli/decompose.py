"""``berge decompose``: the Dulmage–Mendelsohn decomposition of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..results.under_way import UnderWay
from ..wording import in_seconds, in_words, plural
from . import options
from .display import plain_table, report, sides, working
from .pipes import as_named
from .program import command

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from ..analysis.decomposition import DulmageMendelsohn
    from ..graphs.graph import BipartiteGraph

OUTPUTS = (".npz", ".json")
_PARTS = ("underdetermined", "square", "overdetermined")


@command(
    "berge decompose jacobian.mtx",
    "berge decompose jacobian.mtx --plot blocks.png",
    "berge decompose jacobian.mtx --permuted triangular.mtx -o order.npz",
    "berge decompose jacobian.mtx --json | jq .structural_rank",
    "berge decompose incidence.csv --left equation --right variable",
)
@options.path("--matching", "matching_file", read=True, metavar="MATCHING",
             help="Use this maximum matching, written by `berge match -o`; "
             "any gives the same parts.",
)  # fmt: skip
@click.option("--sizes", "n_sizes", type=click.IntRange(min=0), default=8,
              metavar="N", help="How many sizes of blocks to show, from the largest.")  # fmt: skip
@options.path("--plot", help="Draw the matrix before and after to a .png, .svg or .pdf file.")
@options.path("--permuted",
             help="Write the pattern of the permuted matrix, in any format that berge writes.",
)  # fmt: skip
@options.path("-o", "--output",
             help="Write the permutations and block bounds to a .npz or .json file.")  # fmt: skip
@options.graph_file
@options.columns(
    "Column of a CSV or TSV file with the names of rows: its name on the first line, or its "
    "number; of Parquet or Feather, with names or numbers of rows.",
    "Column with the names of columns.",
)
@options.as_json
def decompose(
    file: options.GraphFile,
    matching_file: Path | None,
    n_sizes: int,
    plot: Path | None,
    permuted: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Decompose the matrix in FILE into its under-, square and overdetermined part.

    Whatever values the entries have, the equations (rows) of the overdetermined part are too many
    for their unknowns (columns), those of the underdetermined part too few. The square part is
    solvable for almost all values, one irreducible block after the other. With the permutations
    that --output writes, the matrix is block upper triangular.
    """
    output = options.output(output, OUTPUTS)
    permuted = options.output(permuted, option="'--permuted'")
    options.check_plot(plot)
    with working("reading"):
        from ..analysis.decomposition import dulmage_mendelsohn
        from ..compile import kernel  # noqa: F401 (the compiler, which takes longest)
        from ..results.matching import Matching

        graph = file.read()
        matching = None if matching_file is None else Matching.load(matching_file)
    clock = UnderWay()
    with working("decomposing"):
        with clock.timed("decompose"):
            dm = dulmage_mendelsohn(graph, matching=matching)
        facts = {
            "file": file.path,
            **_facts(graph, dm, n_sizes),
            "seconds": clock.seconds["decompose"],
        }
    if output is not None:
        _save(dm, output)
    if permuted is not None:
        from ..files import write

        with working("writing"):
            write(dm.permuted(graph), permuted)
    if plot is not None:
        from ..analysis.plots import draw_decomposition

        with working("drawing"):
            draw_decomposition(graph, dm, plot, file.path.name.partition(".")[0])
    written = [as_named(str(path)) for path in (output, permuted, plot) if path is not None]
    report(facts | {"written": written}, _lines, file, as_json=as_json, more=_part_table)


def _facts(graph: BipartiteGraph, dm: DulmageMendelsohn, n_sizes: int) -> dict[str, Any]:
    """Return the object that --json prints."""
    import numpy as np

    from ..analysis.structure import Singularity

    parts = {name: getattr(dm, name) for name in _PARTS}
    rows_of, cols_of = (np.empty(n, np.int8) for n in graph.shape)
    for number, part in enumerate(parts.values()):
        rows_of[part.rows], cols_of[part.cols] = number, number
    entry = np.repeat(rows_of, graph.row_degrees)
    inside = np.bincount(entry[entry == cols_of[graph.indices]], minlength=3).tolist()
    first = int(dm.col_bounds[1] > 0)
    bounds = dm.row_blocks[first : first + dm.n_square_blocks + 1]
    sizes = zip(*np.unique(np.diff(bounds), return_counts=True), strict=True)
    largest = [{"size": int(size), "blocks": int(count)} for size, count in sizes][::-1]
    rank, full = dm.structural_rank, min(graph.shape)
    reason = None
    if rank < full:
        side, (rows, cols) = "rows", dm.overdetermined
        if graph.n_rows > graph.n_cols:
            side, (cols, rows) = "columns", dm.underdetermined
        reason = Singularity(side, rows, cols, graph).reason
    labelled = graph.row_labels is not None
    names: dict[str, Any] = {
        name: dict(zip(("rows", "cols"), part.named(), strict=True))
        for name, part in parts.items()
        if labelled and name != "square"
    }
    return {
        "rows": graph.n_rows,
        "cols": graph.n_cols,
        "edges": graph.nnz,
        "structural_rank": rank,
        "singular": rank < full,
        "reason": reason,
        "parts": {
            name: {"rows": part.rows.size, "cols": part.cols.size, "entries": entries}
            for (name, part), entries in zip(parts.items(), inside, strict=True)
        },
        "entries_between_parts": graph.nnz - sum(inside),
        "blocks": dm.row_blocks.size - 1,
        "square_blocks": dm.n_square_blocks,
        "block_sizes": largest[:n_sizes],
    } | ({"names": names, "source": graph.source} if labelled else {})


def _lines(facts: dict[str, Any]) -> Iterator[tuple[str, RenderableType]]:
    """Yield the lines of the summary."""
    from rich.text import Text

    yield "matrix", f"{sides(facts)}, {plural(facts['edges'], 'entry', 'entries')}"
    verdict = ("structurally singular", "bold yellow") if facts["singular"] else ("full", "green")
    full = min(facts["rows"], facts["cols"])
    yield (
        "structural rank",
        Text.assemble((f"{facts['structural_rank']:,}", "bold"), f" of {full:,}  ", verdict),
    )
    if facts["reason"]:
        yield "", facts["reason"]
    if facts.get("source"):
        yield "read as", facts["source"]
    for name, sides_of in facts.get("names", {}).items():
        if sides_of["rows"] or sides_of["cols"]:
            rows, cols = (in_words(sides_of[side], 10) or "none" for side in ("rows", "cols"))
            yield name, f"rows {rows}; columns {cols}"
    shown = facts["block_sizes"]
    sizes = ", ".join(
        (f"{b['blocks']:,} of " if b["blocks"] > 1 else "") + f"{b['size']:,} × {b['size']:,}"
        for b in shown
    )
    more = ", …" if sum(b["blocks"] for b in shown) < facts["square_blocks"] else ""
    blocks = plural(facts["square_blocks"], "irreducible block")
    yield "square part", f"{blocks}{': ' if shown else ''}{sizes}{more if shown else ''}"
    yield "seconds", in_seconds(facts["seconds"])[:-2]
    if facts["written"]:
        yield "written to", ", ".join(facts["written"])


def _part_table(facts: dict[str, Any], console: Console) -> Table:
    table = plain_table("rows", "columns", "entries", "unmatched", first="part")
    for name, part in facts["parts"].items():
        spare = part["rows"] - part["cols"]
        unmatched = plural(abs(spare), "row" if spare > 0 else "column") if spare else ""
        sizes = (part["rows"], part["cols"], part["entries"])
        table.add_row(name, *(f"{size:,}" for size in sizes), unmatched)
    table.add_row("between them", "", "", f"{facts['entries_between_parts']:,}", "", style="dim")
    return table


def _save(dm: DulmageMendelsohn, path: Path) -> None:
    """Write the permutations and bounds; the file appears when all of it is written."""
    import numpy as np

    from ..files.files import replacing
    from ..graphs.names import named

    names = [f"{side}_{what}" for what in ("order", "blocks", "bounds") for side in ("row", "col")]
    arrays: dict[str, Any] = {name: getattr(dm, name) for name in names}
    for side in ("row", "col"):
        if (labels := getattr(dm.matching, f"{side}_labels")) is not None:
            order = named(labels, arrays[f"{side}_order"])
            arrays[f"{side}_names"] = np.array(list(map(str, order)), np.str_)
    with replacing(path) as file:
        if path.suffix.lower() == ".npz":
            np.savez_compressed(file, **arrays)
        else:
            lists = {name: array.tolist() for name, array in arrays.items()}
            file.write(json.dumps(lists).encode() + b"\n")
