"""``berge greedy``: a maximal matching of the undirected graph in a file."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import exit_codes
from .display import fact_table, in_seconds, out, plural, working
from .interrupts import held_interrupts, single_interrupt
from .options import (
    algorithm_name,
    as_json,
    check_output,
    check_plot,
    graph_file,
    print_json,
    read_options,
    seconds,
    thread_option,
)
from .program import Command, examples, say

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..graphs.graph import Graph
    from ..results.greedy_matching import GreedyMatching

__all__ = ["greedy"]

SUFFIXES = (".npz", ".txt")
DRAWN = ("auto", "proposals", "weighted-proposals")


@click.command(
    cls=Command,
    short_help="Match a general graph quickly: maximal, and heavy if it has weights.",
    epilog=examples(
        "berge greedy mesh.graph",
        "berge greedy matrix.mtx --weights -o pairs.txt",
        "berge greedy matrix.mtx --weights --method global-paths --json",
        "berge greedy mesh.graph --method proposals --seed 7 --plot rounds.png",
    ),
)
@graph_file
@click.option("-m", "--method", callback=algorithm_name("greedy"), metavar="NAME", default="auto",
              show_default=True, help="Greedy method; see `berge algorithms`.")  # fmt: skip
@click.option("--weights", is_flag=True,
              help="Edges weigh what the file says, not 1; of matrices the absolute value.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N",
              help="For the random order, and the colours of proposals.")  # fmt: skip
@click.option("--p", type=click.FloatRange(0.01, 0.99), default=0.53406, show_default=True,
              metavar="P", help="Probability of blue in a round of proposals.")  # fmt: skip
@click.option("--permute/--no-permute", default=True, show_default=True,
              help="Take vertices in random order, in methods that have one.")  # fmt: skip
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True,
              help="Where to run.")  # fmt: skip
@thread_option
@click.option("--time-limit", type=float, callback=seconds, metavar="SECONDS",
              help="Stop after so many seconds, with the matching so far.")  # fmt: skip
@click.option("--plot", type=click.Path(path_type=Path), metavar="PICTURE",
              help="Draw proposals: matched by round; size, weight, time and first round by p.",
)  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path),
              help="Write the mates to a .npz file, or the pairs to a .txt file.")  # fmt: skip
@read_options
@as_json
@click.pass_context
def greedy(
    ctx: click.Context,
    file: Path,
    method: str,
    weights: bool,
    seed: int,
    p: float,
    permute: bool,
    device: str,
    threads: int | None,
    time_limit: float | None,
    plot: Path | None,
    output: Path | None,
    form: str | None,
    base: str,
    as_json: bool,
) -> None:
    """Find a maximal matching of the undirected graph in FILE.

    An entry in either direction is an edge. Every result is checked: that it pairs neighbours, that
    it is maximal, and what it weighs.

    The exit code is 3 if the time limit came first, 4 after Ctrl-C; the matching so far is written.
    """
    if output is not None:
        check_output(output, SUFFIXES)
    check_plot(plot)
    if plot is not None and method not in DRAWN:
        names = f"{', '.join(DRAWN[:-1])} or {DRAWN[-1]}"
        raise click.UsageError(f"--plot draws proposals: --method must be {names}", ctx)
    shown = sys.stderr.isatty() and not as_json
    with working("reading", shown):
        from .. import files as io
        from ..results.proof import verify_greedy
        from ..solve.greedy import greedy_matching

        graph = io.read_graph(file, weights=weights, format=form, base=int(base))
    with single_interrupt():
        matching = greedy_matching(
            graph,
            method=method,
            seed=seed,
            p=p,
            permute=permute,
            device=device,
            threads=threads,
            time_limit=time_limit,
            progress=shown,
        )
        if output is not None:
            with held_interrupts(), working("writing", shown):
                matching.save(output)
    with working("checking", shown):
        start = time.perf_counter()
        verify_greedy(graph, matching)
        matching.seconds["verify"] = time.perf_counter() - start
    if plot is not None:
        with working("drawing", shown):
            from ..analysis.curves import draw_proposals

            draw_proposals(graph, plot, name=file.stem, seed=seed, p=p, threads=threads)
    if as_json:
        written = {"output": output, "plot": plot}
        print_json(
            {
                "file": str(file),
                "vertices": graph.n_vertices,
                "edges": graph.n_edges,
                "weighted": graph.weights is not None,
                **matching.as_dict(),
                **{name: None if path is None else str(path) for name, path in written.items()},
            }
        )
    else:
        out().print(fact_table(_table(graph, matching, output, plot), title=str(file)))
    if matching.stopped == "interrupted":
        say("interrupted", "yellow", f"the matching so far is in {output}" if output else "")
        ctx.exit(exit_codes.INTERRUPTED)
    if matching.stopped:
        ctx.exit(exit_codes.TIME_LIMIT)


def _table(
    graph: Graph, matching: GreedyMatching, output: Path | None, plot: Path | None
) -> Iterator[tuple[str, RenderableType]]:
    """Yield the lines of the summary."""
    from rich.text import Text

    n, left = graph.n_vertices, graph.n_vertices - 2 * matching.size
    yield "graph", f"{plural(n, 'vertex', 'vertices')}, {plural(graph.n_edges, 'edge')}"
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
    steps = dict(matching.seconds)
    total = steps.pop("total")
    named = (f"{step} {in_seconds(s)[:-2]}" for step, s in steps.items())
    yield "seconds", f"{in_seconds(total)[:-2]}: {', '.join(named)}"
    if output is not None:
        yield "written to", str(output)
    if plot is not None:
        yield "drawn to", f"{plot}, for {'proposals' if graph.weights is None else DRAWN[-1]}"
