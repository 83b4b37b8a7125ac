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
from .display import graph_sizes, in_steps, report, working
from .program import command, leave

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..graphs.graph import Graph
    from ..results.greedy_matching import GreedyMatching

SUFFIXES = (".npz", ".txt")
DRAWN = ("auto", "proposals", "weighted-proposals")


@command(
    "berge greedy mesh.graph",
    "berge greedy matrix.mtx --weights -o pairs.txt",
    "berge greedy matrix.mtx --weights --method global-paths --json",
    "berge greedy mesh.graph --method proposals --seed 7 --plot rounds.png",
)
@options.algorithm("greedy", "-m", "--method", help="Greedy method; see `berge algorithms`.")
@click.option("--weights", is_flag=True,
              help="Edges weigh what the file says, not 1; of matrices the absolute value.",
)  # fmt: skip
@options.seed(help="For the random order, and the colours of proposals.")
@click.option("--p", type=click.FloatRange(0.01, 0.99), default=0.53406,
              metavar="P", help="Probability of blue in a round of proposals.")  # fmt: skip
@click.option("--permute/--no-permute", default=True,
              help="Take vertices in random order, in methods that have one.")  # fmt: skip
@options.device(help="Where to run.")
@options.threads
@options.time_limit(help="Stop after so many seconds, with the matching so far.")
@options.path("--plot", metavar="PICTURE",
             help="Draw proposals: matched by round; size, weight, time and first round by p.",
)  # fmt: skip
@options.path("-o", "--output", help="Write the mates to a .npz file, or the pairs to a .txt file.")
@options.graph_file
@options.as_json
@click.pass_context
def greedy(
    ctx: click.Context,
    /,
    file: options.GraphFile,
    weights: bool,
    plot: Path | None,
    output: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Find a maximal matching of the undirected graph in FILE.

    An entry in either direction is an edge. Every result is checked: that it pairs neighbours, that
    it is maximal, and what it weighs.

    The exit code is 3 if the time limit came first, 4 after Ctrl-C; the matching so far is written.
    """
    options.check_output(output, SUFFIXES)
    options.check_plot(plot)
    if plot is not None and settings["method"] not in DRAWN:
        names = f"{', '.join(DRAWN[:-1])} or {DRAWN[-1]}"
        raise click.UsageError(f"--plot draws proposals: --method must be {names}", ctx)
    shown = sys.stderr.isatty() and not as_json
    with working("reading", shown):
        from ..results.proof import verify_greedy
        from ..solve.greedy import greedy_matching

        graph = file.read_undirected(weights=weights)
    with single_interrupt():
        matching = greedy_matching(graph, progress=shown, **settings)
        if output is not None:
            with held_interrupts(), working("writing", shown):
                matching.save(output)
    clock = UnderWay()
    with working("checking", shown), clock.timed("verify"):
        verify_greedy(graph, matching)
    matching.seconds.update(clock.seconds)
    if plot is not None:
        with working("drawing", shown):
            from ..analysis.curves import draw_proposals

            same = {name: settings[name] for name in ("seed", "p", "threads")}
            draw_proposals(graph, plot, name=file.path.stem, **same)
    facts = {
        "file": file.path,
        "vertices": graph.n_vertices,
        "edges": graph.n_edges,
        "weighted": graph.weights is not None,
        **matching.as_dict(),
        "output": output,
        "plot": plot,
    }
    report(facts, lambda facts: _lines(facts, graph, matching), file, as_json=as_json)
    leave(ctx, matching.stopped, f"the matching so far is in {output}" if output else "")


def _lines(
    facts: dict[str, Any], graph: Graph, matching: GreedyMatching
) -> Iterator[tuple[str, RenderableType]]:
    """Yield the lines of the summary."""
    from rich.text import Text

    n, left = graph.n_vertices, graph.n_vertices - 2 * matching.size
    yield "graph", graph_sizes(facts)
    state = ("maximal, checked", "bold green")
    if not matching.is_maximal:
        state = (f"not maximal ({matching.stopped})", "yellow")
    yield "matching", Text.assemble((plural(matching.size, "pair"), "bold"), "  ", state)
    if graph.weights is not None:
        share = matching.weight / graph.total_weight if graph.total_weight else 0.0
        yield "weight", f"{matching.weight:.10g} ({share:.1%} of all edges)"
    yield "unmatched", f"{plural(left, 'vertex', 'vertices')} ({left / max(n, 1):.1%})"
    rounds = f", {plural(matching.rounds, 'round')}" if matching.rounds > 1 else ""
    where = plural(matching.threads, "thread") if matching.device == "cpu" else matching.device
    yield "method", f"{matching.method} on {where}{rounds}"
    yield "seconds", in_steps(matching.seconds)
    if facts["output"] is not None:
        yield "written to", str(facts["output"])
    if facts["plot"] is not None:
        what = "proposals" if graph.weights is None else DRAWN[-1]
        yield "drawn to", f"{facts['plot']}, for {what}"
