"""``berge coarsen``: a hierarchy of ever smaller graphs of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..results.interrupts import single_interrupt
from ..results.under_way import UnderWay
from ..wording import in_seconds, plural
from . import options
from .display import out, plain_table, working
from .program import command, leave

if TYPE_CHECKING:
    from rich.table import Table

    from ..analysis.coarsening.hierarchy import Hierarchy, Level


@command(
    "berge coarsen mesh.mtx",
    "berge coarsen mesh.graph --weights --until 200 -o levels/",
    "berge coarsen netlist.mtx --hypergraph --levels 3 --json",
)
@click.option("--until", type=click.IntRange(min=1), metavar="N",
              help="Stop at no more than N vertices; 1000, or 1 with --levels.")  # fmt: skip
@click.option("--levels", type=click.IntRange(min=0), metavar="K", help="At most K steps.")
@click.option("-m", "--method", default="auto", metavar="NAME",
              help="How to match, as in `berge greedy`.")  # fmt: skip
@click.option("--balance", type=float, default=3.0, metavar="X",
              help="No vertex heavier than X times the average; 0: no limit.")  # fmt: skip
@click.option("--weights", is_flag=True, help="Edges weigh what the file says; vertices do anyway.")
@click.option("--hypergraph", is_flag=True,
              help="Rows are nets, columns the vertices that they join.")  # fmt: skip
@options.seed(help="Chooses among equally good edges.")
@options.threads
@options.time_limit(help="Begin no further level after this.")
@click.option("--check/--no-check", default=True,
              help="Add up every level anew: no weight is lost.")  # fmt: skip
@options.path("-o", "--output", folder=True, metavar="FOLDER",
             help="Write the levels as METIS graphs, and the maps between them.")  # fmt: skip
@click.option("--scale", type=float, default=1.0, metavar="X",
              help="Multiply weights by X and round them to write them.")  # fmt: skip
@options.graph_file
@options.as_json
@click.pass_context
def coarsen(
    ctx: click.Context,
    /,
    file: options.GraphFile,
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
        from ..analysis.coarsening.nets import read_hypergraph

        graph: Any
        if not hypergraph:
            graph = file.read_undirected(weights=weights)
        elif file.format == "hmetis":
            graph = read_hypergraph(file.path, limits=file.limits)
        else:
            graph = file.read()
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
    reason, taken, checked = hierarchy.reason, clock.seconds["coarsen"], clock.seconds.get("check")
    facts = {"file": file.path, "reason": reason, "seconds": taken, "check_seconds": checked}
    if as_json:
        options.print_json(facts | {"levels": hierarchy.facts(), "written": output})
    else:
        console = out()
        console.print(_table(file.path.name, hierarchy))
        lost = f"; checked in {in_seconds(checked)}: no weight is lost" if checked else ""
        console.print(f"{reason}; {in_seconds(taken)}{lost}")
        if output is not None:
            console.print(f"written to {output}")
    early = reason in ("time limit", "interrupted")
    leave(ctx, reason if early else None, "these are the levels made before")


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
