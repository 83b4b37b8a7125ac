"""``berge greedy``: a maximal matching of the undirected graph in a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..results.interrupts import held_interrupts, single_interrupt
from ..results.under_way import UnderWay
from ..wording import plural
from . import options
from .display import graph_sizes, in_steps, report, sides, working
from .program import command, leave

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..graphs.graph import Graph
    from ..results.greedy_matching import GreedyMatching

SUFFIXES = (".npz", ".txt", ".csv", ".tsv", ".parquet")
TABLES = (".parquet", ".csv", ".tsv")
DRAWN = ("auto", "proposals", "weighted-proposals")


@command(
    "berge greedy mesh.graph",
    "berge greedy matrix.mtx --weights -o pairs.txt",
    "berge greedy matrix.mtx --weights --method global-paths --json",
    "berge greedy mesh.graph --method proposals --seed 7 --plot rounds.png",
    "berge greedy mesh.berge --cluster local[4] -o pairs.npz",
    "berge greedy 'pairs/*.parquet' --left a --right b --score score --prove -o links.parquet",
)
@options.algorithm("greedy", "-m", "--method", help="Greedy method; see `berge algorithms`.")
@click.option("--weights", is_flag=True,
              help="Edges weigh what the file says, not 1; of matrices the absolute value.",
)  # fmt: skip
@click.option("--score", metavar="COLUMN",
              help="Column with the weights, where --left and --right name the others.",
)  # fmt: skip
@click.option("--prove", is_flag=True,
              help="Bound by prices how far it is from the heaviest, and check them.")  # fmt: skip
@options.seed(help="For the random order, and the colours of proposals.")
@options.blue
@click.option("--permute/--no-permute", default=True,
              help="Take vertices in random order, in methods that have one.")  # fmt: skip
@options.device(help="Where to run.")
@options.threads
@options.time_limit(help="Stop after so many seconds, with the matching so far.")
@options.path("--plot", metavar="PICTURE",
             help="Draw proposals: matched by round; size, weight, time and first round by p.",
)  # fmt: skip
@options.path(
    "-o",
    "--output",
    as_it_is=True,
    help="Write the mates to a .npz file, or the pairs: by number to .txt, by name to .csv, .tsv "
    "or .parquet; with --cluster to a folder of Parquet files.",
)
@options.graph_file
@options.columns(
    "Column with labels of a first list, in Parquet: FILE then has pairs between two lists.",
    "Column with labels of the second.",
)
@options.cluster
@options.as_json
@click.pass_context
def greedy(
    ctx: click.Context,
    /,
    file: options.GraphFile,
    weights: bool,
    score: str | None,
    prove: bool,
    plot: Path | None,
    output: Any,
    cluster: str | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Find a maximal matching of the undirected graph in FILE.

    With --left and --right, FILE is a table of pairs between two lists, and each label is in one of
    the pairs that are chosen at most: the best by --score, and so on. With --prove the summary says
    how much heavier any choice could be.

    An entry in either direction is an edge. Every result is checked: that it pairs neighbours, that
    it is maximal, and what it weighs.

    The exit code is 3 if the time limit came first, 4 after Ctrl-C; the matching so far is written.
    """
    tables = file.left is not None or file.right is not None
    if tables and (weights or plot is not None or file.format != "parquet"):
        raise click.UsageError("--left and --right are for Parquet, and not with --weights, --plot")
    if not tables and score is not None:
        raise click.UsageError("--score needs --left and --right")
    in_parts = tables and cluster is not None
    if not in_parts:
        output = options.output(output, TABLES if tables else SUFFIXES)
    options.check_plot(plot)
    if plot is not None and settings["method"] not in DRAWN:
        names = f"{', '.join(DRAWN[:-1])} or {DRAWN[-1]}"
        raise click.UsageError(f"--plot draws proposals: --method must be {names}", ctx)
    if plot is not None and cluster is not None:
        raise click.UsageError("--plot is for one machine, and --cluster is given", ctx)
    shown = sys.stderr.isatty() and not as_json
    # Workers read it, or there are no vertices by number to check by.
    remote = tables or (cluster is not None and file.format == "folder")
    with working("reading", shown):
        from ..results.proof import verify_greedy
        from ..solve.greedy import greedy_matching

        graph = None if remote else file.read_undirected(weights=weights)
    with single_interrupt():
        source: Any = file.source if graph is None else graph
        settings |= {"weights": score or weights or None} if graph is None else {}
        if tables:
            settings |= {"left": file.left, "right": file.right, "output": output}
        matching = greedy_matching(source, progress=shown, cluster=cluster, prove=prove, **settings)
        if output is not None and not tables:
            with held_interrupts(), working("writing", shown):
                matching.save(output)
    if graph is not None:  # else the workers have checked it
        clock = UnderWay()
        with working("checking", shown), clock.timed("verify"):
            verify_greedy(graph, matching)
        matching.seconds.update(clock.seconds)
    if plot is not None and graph is not None:
        with working("drawing", shown):
            from ..analysis.curves import draw_proposals

            same = {name: settings[name] for name in ("seed", "p", "threads")}
            draw_proposals(graph, plot, name=file.path.stem, **same)
    facts = {
        "file": file.source,
        "vertices": matching.mate.size,
        "edges": None if graph is None else graph.n_edges,
        "weighted": score is not None or (graph is not None and graph.weights is not None),
        **matching.as_dict(),
        "cluster": cluster,
        "output": output,
        "plot": plot,
    }
    report(facts, lambda facts: _lines(facts, graph, matching), file, as_json=as_json)
    leave(ctx, matching.stopped, f"the matching so far is in {output}" if output else "")


def _lines(
    facts: dict[str, Any], graph: Graph | None, matching: GreedyMatching
) -> Iterator[tuple[str, RenderableType]]:
    """Yield the lines of the summary."""
    from rich.text import Text

    n, left = matching.mate.size, matching.mate.size - 2 * matching.size
    yield "graph", sides(facts) if graph is None else graph_sizes(facts)
    state = ("maximal, checked", "bold green")
    if not matching.is_maximal:
        state = (f"not maximal ({matching.stopped})", "yellow")
    yield "matching", Text.assemble((plural(matching.size, "pair"), "bold"), "  ", state)
    if graph is not None and graph.weights is not None:
        share = matching.weight / graph.total_weight if graph.total_weight else 0.0
        yield "weight", f"{matching.weight:.10g} ({share:.1%} of all edges)"
    elif facts["weighted"]:
        yield "weight", f"{matching.weight:.10g}"
    if matching.of_best is not None:
        bound = f"no matching weighs more than {matching.upper_bound:.10g}, proved by prices"
        yield "bound", f"at least {matching.of_best:.1%} of the heaviest: {bound}"
    if n:
        yield "unmatched", f"{plural(left, 'vertex', 'vertices')} ({left / n:.1%})"
    rounds = f", {plural(matching.rounds, 'round')}" if matching.rounds > 1 else ""
    where = plural(matching.threads, "thread") if matching.device == "cpu" else matching.device
    yield "method", f"{matching.method} on {facts['cluster'] or where}{rounds}"
    yield "seconds", in_steps(matching.seconds)
    if facts["output"] is not None:
        yield "written to", str(facts["output"])
    if facts["plot"] is not None:
        what = DRAWN[-1] if facts["weighted"] else "proposals"
        yield "drawn to", f"{facts['plot']}, for {what}"
