"""``berge coarsen``: a hierarchy of ever smaller graphs of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..results.interrupts import single_interrupt
from ..results.under_way import UnderWay
from ..wording import in_seconds
from . import exit_codes
from .display import out, plain_table, plural, working
from .options import (
    GraphFile,
    as_json,
    graph_file,
    path_option,
    print_json,
    seed_option,
    thread_option,
    time_limit_option,
)
from .program import command, say

if TYPE_CHECKING:
    from rich.table import Table

    from ..analysis.coarsening.hierarchy import Hierarchy, Level

__all__ = ["coarsen"]


@command(
    "berge coarsen mesh.mtx",
    "berge coarsen mesh.graph --weights --until 200 -o levels/",
    "berge coarsen netlist.mtx --hypergraph --levels 3 --json",
)
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
@seed_option("Chooses among equally good edges.")
@thread_option
@time_limit_option("Begin no further level after this.")
@click.option("--check/--no-check", default=True, show_default=True,
              help="Add up every level anew: no weight is lost.")  # fmt: skip
@path_option("-o", "--output", folder=True, metavar="FOLDER",
             help="Write the levels as METIS graphs, and the maps between them.")  # fmt: skip
@click.option("--scale", type=float, default=1.0, metavar="X",
              help="Multiply weights by X and round them to write them.")  # fmt: skip
@graph_file()
@as_json
@click.pass_context
def coarsen(
    ctx: click.Context,
    /,
    file: GraphFile,
    balance: float,
    weights: bool,
    hypergraph: bool,
    check: bool,
    output: Path | None,
    scale: float,
    as_json: bool,
    **settings: Any,
) -> None:
    """Coarsen the graph in FILE: merge matched vertices, level by level.

    Weights of vertices and edges add up, so a partition of a coarse level cuts as much weight as
    the same partition of the graph itself. "weight kept" is what still lies between two vertices.
    The exit code is 3 if the time limit came first, 4 after Ctrl-C; what there is is written.
    """
    if hypergraph and weights:
        raise click.UsageError("--weights is for the edges of a graph, not for --hypergraph", ctx)
    with working("reading", not as_json):
        from ..analysis.coarsening.coarsen import coarsen as coarsen_graph
        from ..analysis.coarsening.hypergraph import coarsen_hypergraph

        graph: Any = file.read() if hypergraph else file.read_undirected(weights=weights)
        coarsen_it: Any = coarsen_hypergraph if hypergraph else coarsen_graph
    clock = UnderWay()
    with single_interrupt(), working("coarsening", not as_json) as show, clock.timed("coarsen"):

        def on_level(level: Level) -> None:
            show(f"coarsening: {plural(level.graph.n_vertices, 'vertex', 'vertices')}")

        hierarchy = coarsen_it(graph, balance=balance or None, on_level=on_level, **settings)
    if check:
        with working("checking", not as_json), clock.timed("check"):
            hierarchy.check()
    if output is not None:
        with working("writing", not as_json):
            hierarchy.save(output, scale=scale)
    taken, checked = clock.seconds["coarsen"], clock.seconds.get("check")
    if as_json:
        print_json(
            {
                "file": file.path,
                "reason": hierarchy.reason,
                "seconds": taken,
                "check_seconds": checked,
                "levels": hierarchy.facts(),
                "written": output,
            }
        )
    else:
        console = out()
        console.print(_table(file.path.name, hierarchy))
        lost = f"; checked in {in_seconds(checked)}: no weight is lost" if checked else ""
        console.print(f"{hierarchy.reason}; {in_seconds(taken)}{lost}")
        if output is not None:
            console.print(f"written to {output}")
    if hierarchy.reason == "time limit":
        ctx.exit(exit_codes.TIME_LIMIT)
    if hierarchy.reason == "interrupted":
        say("interrupted", "yellow", "these are the levels made before")
        ctx.exit(exit_codes.INTERRUPTED)


def _table(name: str, hierarchy: Hierarchy) -> Table:
    joined = "edges" if hasattr(hierarchy.finest, "degrees") else "nets"
    headings = ("level", "vertices", joined, "reduction", "weight kept", "seconds")
    table = plain_table(*headings, title=name, title_justify="left", title_style="bold")
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
