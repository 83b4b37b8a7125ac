"""``berge convert``: from one file format to another."""

from __future__ import annotations

from pathlib import Path

import click

from .display import working
from .options import check_output, read_graph
from .program import Command, examples, say

__all__ = ["convert"]


@click.command(
    cls=Command,
    short_help="Convert a graph from one file format to another.",
    epilog=examples(
        "berge convert web.mtx web.npz",
        "berge convert edges.csv edges.mtx.gz --base 1",
        "berge convert edges.dat edges.mtx --from csv",
    ),
)
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--from", "from_format", metavar="NAME", help="Format of IN, if not by its suffix.")
@click.option("--to", "to_format", metavar="NAME", help="Format of OUT, if not by its suffix.")
@click.option(
    "--base",
    type=click.Choice(["0", "1"]),
    default="0",
    show_default=True,
    help="Number of the first row and column, where IN is an edge list.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def convert(
    source: Path,
    target: Path,
    from_format: str | None,
    to_format: str | None,
    base: str,
    quiet: bool,
) -> None:
    """Read the graph in IN and write it to OUT.

    Formats are known by their suffixes: .mtx (Matrix Market), .csv .tsv .txt .el .edges (edge
    lists), .graph .metis (METIS), .gr (DIMACS), .npz (NumPy). One more suffix .gz, .bz2 or .xz
    has the file compressed.
    """
    check_output(target)
    from ..io import write

    with working("reading", not quiet):
        graph = read_graph(source, from_format, base)
    with working("writing", not quiet):
        write(graph, target, format=to_format)
    if not quiet:
        say("wrote", "green", f"{target}: {graph.n_rows:,} × {graph.n_cols:,}, {graph.nnz:,} edges")
