"""``berge compare``: algorithms side by side on the same graphs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from berge.cli import options
from berge.cli.display import working
from berge.cli.program import Command, examples

from ..report.cells import in_units
from ..report.model import Cell, Table
from ..report.terminal import print_table
from .bench_show import write_csv

if TYPE_CHECKING:
    from berge.graphs.graph import BipartiteGraph

    from ..bench.compare import Comparison

__all__ = ["compare"]


@click.command(
    cls=Command,
    short_help="Run algorithms side by side, each answer proved.",
    epilog=examples(
        "berge compare web.mtx",
        "berge compare web.mtx road.mtx -a auto,pothen-fan --repeat 5 --plot bars.png",
        "berge compare web.mtx --peers scipy,igraph --threads 1 --csv times.csv",
        "berge compare mesh.mtx --permute 1 -a ms-bfs-graft,ms-bfs-graft:alpha=2",
    ),
)
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FILE…")
@click.option(
    "-a",
    "--algorithms",
    "names",
    default="",
    show_default=False,
    metavar="NAME,…",
    help="Algorithms to run, with options if any (NAME:alpha=2).  [default: auto and all]",
)
@options.algorithm(
    "start", "-i", "--init", help="Start that all of them begin with; auto: each with its own."
)
@options.threads
@click.option("-r", "--repeat", type=click.IntRange(min=1), default=3,
              metavar="N", help="Runs of each; the fastest counts.")  # fmt: skip
@options.seed(help="For starts with random choices.")
@click.option("--permute", type=click.IntRange(min=0), metavar="SEED",
              help="Put rows and columns in random order first.")  # fmt: skip
@click.option("--peers", default="", show_default=False, metavar="NAME,…",
              help="Other codes to run beside: scipy, igraph, networkx, ortools, …")  # fmt: skip
@options.time_limit(default=60, help="For every single run.")
@options.path("--csv", "csv_file", help="Write a line a run.")
@options.path("--plot", help="Draw bar charts (.png, .svg, .pdf).")
@options.base()
@options.format
@options.as_json
def compare(
    files: tuple[Path, ...],
    names: str,
    init: str,
    threads: int | None,
    repeat: int,
    seed: int,
    permute: int | None,
    peers: str,
    time_limit: float,
    csv_file: Path | None,
    plot: Path | None,
    form: str | None,
    base: int,
    as_json: bool,
) -> None:
    """Run algorithms on the same graphs and tell what each did.

    Every answer is proved by a vertex cover. Times are of the whole call, transpose and start
    included; "search" is what is left without these two. "path" is the average length of the
    augmenting paths. MTEPS is millions of edges traversed per second of search. ψ is the standard
    deviation over the repeats in per cent of the mean (parallel sensitivity).
    """
    options.check_plot(plot)
    from berge.generate import permute as permuted

    from ..bench.compare import choose
    from ..bench.compare import compare as run_all

    chosen = [name for name in names.split(",") if name]
    choose(chosen)  # a wrong name is said before any file is read
    results: dict[str, list[Comparison]] = {}
    rows: list[dict[str, Any]] = []
    for file in files:
        graph = options.GraphFile(file, form, base).read()
        if permute is not None:
            graph = permuted(graph, seed=permute)
        name = file.name.partition(".")[0]
        with working(f"comparing on {file.name} …", not as_json):
            results[name] = run_all(
                graph,
                chosen,
                init=init,
                threads=threads,
                seed=seed,
                repeat=repeat,
                time_limit=time_limit,
                peers=[peer for peer in peers.split(",") if peer],
            )
        rows += [_facts(name, graph, r) for r in results[name]]
        if not as_json:
            print_table(_table(file, graph, results[name]))
    if as_json:
        options.print_json({"runs": rows})
    if csv_file is not None:
        write_csv(csv_file, [{k: v for k, v in row.items() if k != "runs"} for row in rows])
    if plot is not None:
        from ..report.compare import figures
        from ..report.pictures import write_sheet

        write_sheet(figures(results), plot)


def _facts(name: str, graph: BipartiteGraph, result: Comparison) -> dict[str, Any]:
    stats = result.stats
    return {
        "graph": name,
        "rows": graph.n_rows,
        "cols": graph.n_cols,
        "edges": graph.nnz,
        "algorithm": result.name,
        "cardinality": result.cardinality,
        "seconds": result.best if result.seconds else None,
        "search_seconds": result.search,
        "runs": list(result.seconds),
        "sensitivity": result.sensitivity,
        "threads": stats.threads if stats else 1,
        "traversed_edges": stats.traversed_edges if stats else None,
        "phases": stats.phases if stats else None,
        "average_path": stats.average_path if stats else None,
        "longest_path": stats.longest_path if stats else None,
        "search_rate": stats.search_rate if stats else None,
        "failure": result.failure,
    }


def _table(file: Path, graph: BipartiteGraph, results: list[Comparison]) -> Table:
    cardinality = max((r.cardinality for r in results if not r.failure), default=None)
    proved = f"maximum {cardinality:,}, proved" if cardinality is not None else "no answer"
    fastest = min((r.best for r in results), default=0.0)
    lines: list[list[Cell]] = []
    for r in results:
        if r.failure is not None and not r.seconds:
            lines.append([r.name, r.failure, *[None] * 7])
            continue
        did: list[Cell] = [None] * 5
        if r.stats is not None:
            did = [in_units(r.search or 0.0), r.stats.traversed_edges, r.stats.phases,
                   r.stats.average_path, round(r.stats.search_rate)]  # fmt: skip
        lines.append([r.name, in_units(r.best), r.best / fastest, *did, round(r.sensitivity)])
    head = ["time", "× best", "search", "edges", "phases", "path", "MTEPS", "ψ %"]
    title = f"{file.name}: {graph.n_rows:,} × {graph.n_cols:,}, {graph.nnz:,} edges; {proved}"
    return Table("compare", "", title, ["algorithm", *head], lines)
