"""``berge decompose``: the Dulmage–Mendelsohn decomposition of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..results.under_way import UnderWay
from ..wording import in_seconds
from .display import fact_table, out, plain_table, plural, sides, working
from .options import (
    GraphFile,
    as_json,
    check_output,
    check_plot,
    graph_file,
    path_option,
    print_json,
)
from .program import command

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from ..analysis.decomposition import DulmageMendelsohn
    from ..graphs.graph import BipartiteGraph

__all__ = ["decompose"]

OUTPUTS = (".npz", ".json")
_PARTS = ("underdetermined", "square", "overdetermined")


@command(
    "berge decompose jacobian.mtx",
    "berge decompose jacobian.mtx --plot blocks.png",
    "berge decompose jacobian.mtx --permuted triangular.mtx -o order.npz",
    "berge decompose jacobian.mtx --json | jq .structural_rank",
)
@path_option("--matching", "matching_file", metavar="MATCHING",
             help="Use this maximum matching, written by `berge match -o`; "
             "any gives the same parts.",
)  # fmt: skip
@click.option("--sizes", "n_sizes", type=click.IntRange(min=0), default=8, show_default=True,
              metavar="N", help="How many sizes of blocks to show, from the largest.")  # fmt: skip
@path_option("--plot", help="Draw the matrix before and after to a .png, .svg or .pdf file.")
@path_option("--permuted",
             help="Write the pattern of the permuted matrix, in any format that berge writes.",
)  # fmt: skip
@path_option("-o", "--output",
             help="Write the permutations and block bounds to a .npz or .json file.")  # fmt: skip
@graph_file()
@as_json
def decompose(
    file: GraphFile,
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
    solvable for almost all values, one irreducible block after the other: with the permutations
    that --output writes the matrix is block upper triangular.
    """
    check_output(output, OUTPUTS)
    check_output(permuted, option="'--permuted'")
    check_plot(plot)
    with working("reading"):
        from ..analysis.decomposition import dulmage_mendelsohn
        from ..compile import kernel  # noqa: F401 (the compiler, which takes longest)

        graph = file.read()
        options: dict[str, Any] = {}
        if matching_file is not None:
            from ..results.matching import Matching

            options["matching"] = Matching.load(matching_file)
    clock = UnderWay()
    with working("decomposing"):
        with clock.timed("decompose"):
            dm = dulmage_mendelsohn(graph, **options)
        facts = {"file": file.path, **_facts(graph, dm, n_sizes)}
        facts["seconds"] = clock.seconds["decompose"]
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
    written = [str(path) for path in (output, permuted, plot) if path is not None]
    if as_json:
        print_json(facts | {"written": written})
        return
    console = out()
    console.print(fact_table(_table(facts, written), title=str(file)))
    console.print()
    console.print(_part_table(facts))


def _facts(graph: BipartiteGraph, dm: DulmageMendelsohn, n_sizes: int) -> dict[str, Any]:
    """Return the object that --json prints."""
    import numpy as np

    from ..analysis.structure import Singularity

    parts, rows_of = {}, np.empty(graph.n_rows, np.int8)
    cols_of = np.empty(graph.n_cols, np.int8)
    for number, name in enumerate(_PARTS):
        part = getattr(dm, name)
        rows_of[part.rows], cols_of[part.cols] = number, number
    entry = np.repeat(rows_of, graph.row_degrees)
    inside = np.bincount(entry[entry == cols_of[graph.indices]], minlength=3).tolist()
    for name, entries in zip(_PARTS, inside, strict=True):
        part = getattr(dm, name)
        parts[name] = {"rows": part.rows.size, "cols": part.cols.size, "entries": entries}
    first = int(dm.col_bounds[1] > 0)
    sizes, counts = np.unique(
        np.diff(dm.row_blocks[first : first + dm.n_square_blocks + 1]), return_counts=True
    )
    largest = zip(sizes[::-1].tolist(), counts[::-1].tolist(), strict=True)
    rank, full = dm.structural_rank, min(graph.shape)
    reason = None
    if rank < full:
        rows, cols = dm.overdetermined
        why = Singularity("rows", rows, cols)
        if graph.n_rows > graph.n_cols:
            rows, cols = dm.underdetermined
            why = Singularity("columns", cols, rows)
        reason = why.reason
    return {
        "rows": graph.n_rows,
        "cols": graph.n_cols,
        "edges": graph.nnz,
        "structural_rank": rank,
        "singular": rank < full,
        "reason": reason,
        "parts": parts,
        "entries_between_parts": graph.nnz - sum(inside),
        "blocks": dm.row_blocks.size - 1,
        "square_blocks": dm.n_square_blocks,
        "block_sizes": [{"size": s, "blocks": b} for s, b in islice(largest, n_sizes)],
    }


def _table(facts: dict[str, Any], written: list[str]) -> Iterator[tuple[str, RenderableType]]:
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
    shown = facts["block_sizes"]
    sizes = ", ".join(
        (f"{b['blocks']:,} of " if b["blocks"] > 1 else "") + f"{b['size']:,} × {b['size']:,}"
        for b in shown
    )
    more = ", …" if sum(b["blocks"] for b in shown) < facts["square_blocks"] else ""
    blocks = plural(facts["square_blocks"], "irreducible block")
    yield "square part", f"{blocks}{': ' if shown else ''}{sizes}{more if shown else ''}"
    yield "seconds", in_seconds(facts["seconds"])[:-2]
    if written:
        yield "written to", ", ".join(written)


def _part_table(facts: dict[str, Any]) -> Table:
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

    names = [f"{side}_{what}" for what in ("order", "blocks", "bounds") for side in ("row", "col")]
    arrays: dict[str, Any] = {name: getattr(dm, name) for name in names}
    with replacing(path) as file:
        if path.suffix.lower() == ".npz":
            np.savez_compressed(file, **arrays)
        else:
            lists = {name: array.tolist() for name, array in arrays.items()}
            file.write(json.dumps(lists).encode() + b"\n")
