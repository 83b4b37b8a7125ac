"""``berge coarsen``: a hierarchy of ever smaller graphs of a file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import exit_codes
from .display import in_seconds, out, plural, working
from .interrupts import single_interrupt
from .options import as_json, graph_file, print_json, read_options, seconds, thread_option
from .program import Command, examples, say

if TYPE_CHECKING:
    from rich.table import Table

    from ..analysis.coarsening.hierarchy import Hierarchy, Level

__all__ = ["coarsen"]


@click.command(
    cls=Command,
    short_help="Make a graph smaller, level by level, by merging matched vertices.",
    epilog=examples(
        "berge coarsen mesh.mtx",
        "berge coarsen mesh.graph --weights --until 200 -o levels/",
        "berge coarsen netlist.mtx --hypergraph --levels 3 --json",
    ),
)
@graph_file
@click.option("--until", type=click.IntRange(min=1), metavar="N",
              help="Stop at no more than N vertices; 1000, or 1 with --levels.")  # fmt: skip
@click.option("--levels", type=click.IntRange(min=0), metavar="K", help="At most K steps.")
@click.option("-m", "--method", default="auto", show_default=True, metavar="NAME",
              help="How to match, as in `berge greedy`.")  # fmt: skip
@click.option("--balance", type=float, default=3.0, show_default=True, metavar="X",
              help="No vertex heavier than X times the average; 0: no limit.")  # fmt: skip
@click.option("--weights", is_flag=True, help="Edges weigh what the file says; vertices do anyway.")
@click.option("--hypergraph", is_flag=True,
              help="Rows are nets, columns the vertices that they join.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N",
              help="Chooses among equally good edges.")  # fmt: skip
@thread_option
@click.option("--time-limit", type=float, callback=seconds, metavar="SECONDS",
              help="Begin no further level after this.")  # fmt: skip
@click.option("--check/--no-check", default=True, show_default=True,
              help="Add up every level anew: no weight is lost.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
              help="Write the levels as METIS graphs, and the maps between them.")  # fmt: skip
@click.option("--scale", type=float, default=1.0, metavar="X",
              help="Multiply weights by X and round them to write them.")  # fmt: skip
@read_options
@as_json
@click.pass_context
def coarsen(
    ctx: click.Context,
    file: Path,
    until: int | None,
    levels: int | None,
    method: str,
    balance: float,
    weights: bool,
    hypergraph: bool,
    seed: int,
    threads: int | None,
    time_limit: float | None,
    check: bool,
    output: Path | None,
    scale: float,
    form: str | None,
    base: str,
    as_json: bool,
) -> None:
    """Coarsen the graph in FILE: merge matched vertices, level by level.

    Weights of vertices and edges add up, so a partition of a coarse level cuts as much weight as
    the same partition of the graph itself. "weight kept" is what still lies between two vertices.
    The exit code is 3 if the time limit came first, 4 after Ctrl-C; what there is is written.
    """
    if hypergraph and weights:
        raise click.UsageError("--weights is for the edges of a graph, not for --hypergraph", ctx)
    with working("reading", not as_json):
        from .. import files as io
        from ..analysis.coarsening.coarsen import coarsen as coarsen_graph
        from ..analysis.coarsening.hypergraph import coarsen_hypergraph

        graph: Any
        if hypergraph:
            graph = io.read(file, format=form, base=int(base))
        else:
            graph = io.read_graph(file, weights=weights, format=form, base=int(base))
    with single_interrupt(), working("coarsening", not as_json) as show:

        def on_level(level: Level) -> None:
            show(f"coarsening: {plural(level.graph.n_vertices, 'vertex', 'vertices')}")

        start = time.perf_counter()
        hierarchy = (coarsen_hypergraph if hypergraph else coarsen_graph)(
            graph,
            levels=levels,
            until=until,
            method=method,
            balance=balance or None,
            seed=seed,
            threads=threads,
            time_limit=time_limit,
            on_level=on_level,
        )
        taken = time.perf_counter() - start
    checked = None
    if check:
        with working("checking", not as_json):
            start = time.perf_counter()
            hierarchy.check()
            checked = time.perf_counter() - start
    if output is not None:
        with working("writing", not as_json):
            hierarchy.save(output, scale=scale)
    if as_json:
        print_json(
            {
                "file": str(file),
                "reason": hierarchy.reason,
                "seconds": taken,
                "check_seconds": checked,
                "levels": hierarchy.facts(),
                "written": None if output is None else str(output),
            }
        )
    else:
        console = out()
        console.print(_table(file, hierarchy))
        console.print(f"{hierarchy.reason}; {in_seconds(taken)}" + (
            f"; checked in {in_seconds(checked)}: no weight is lost" if checked is not None else ""
        ))  # fmt: skip
        if output is not None:
            console.print(f"written to {output}")
    if hierarchy.reason == "time limit":
        ctx.exit(exit_codes.TIME_LIMIT)
    if hierarchy.reason == "interrupted":
        say("interrupted", "yellow", "these are the levels made before")
        ctx.exit(exit_codes.INTERRUPTED)


def _table(file: Path, hierarchy: Hierarchy) -> Table:
    from rich.table import Table

    table = Table(
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="bold",
        title=file.name,
        title_justify="left",
        title_style="bold",
    )
    hyper = not hasattr(hierarchy.finest, "degrees")
    for heading in ("level", "vertices", "nets" if hyper else "edges", "reduction", "weight kept",
                    "seconds"):  # fmt: skip
        table.add_column(heading, justify="right", no_wrap=True)
    for row in hierarchy.facts():
        first = row["level"] == 0
        table.add_row(
            str(row["level"]),
            f"{row['vertices']:,}",
            f"{row['edges']:,}",
            "" if first else f"{row['reduction']:.2f}×",
            f"{row['weight_kept']:.1%}",
            "" if first else f"{row['seconds']:.4f}",
        )
    return table
