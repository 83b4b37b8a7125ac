"""``berge weighted``: the heaviest matching of the undirected graph in a file."""

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

    from ..results.weighted_matching import WeightedMatching

SUFFIXES = (".npz", ".txt", ".csv", ".tsv", ".parquet")


@command(
    "berge weighted mesh.mtx",
    "berge weighted distances.csv --perfect --minimise -o pairs.txt",
    "berge weighted mesh.graph --max-cardinality --json | jq .weight",
    "berge weighted mesh.mtx --time-limit 60 -o best.npz",
)
@click.option("--max-cardinality", "maxcardinality", is_flag=True,
              help="Of the matchings with as many pairs as there can be.")  # fmt: skip
@click.option("--perfect", is_flag=True,
              help="Of the matchings of all vertices; if there is none, say why.")  # fmt: skip
@click.option("--minimise", is_flag=True, help="The lightest instead of the heaviest.")
@options.time_limit(help="Stop after so many seconds, with the matching so far.")
@options.path(
    "-o",
    "--output",
    help="Write the mates to a .npz file, or the pairs: by number to .txt, by name to .csv.",
)
@options.graph_file
@options.as_json
@options.no_prove
@click.pass_context
def weighted(
    ctx: click.Context,
    /,
    file: options.GraphFile,
    output: Path | None,
    as_json: bool,
    no_prove: bool,
    **settings: Any,
) -> None:
    """Find the heaviest matching of the undirected graph in FILE, and prove that it is one.

    An entry in either direction is an edge, and weighs what the file says, with its sign. Prices of
    vertices and of odd sets prove the result: exactly if all weights are whole numbers.

    The exit code is 3 if the time limit came first, 4 after Ctrl-C; the matching so far is written.
    """
    output = options.output(output, SUFFIXES)
    shown = sys.stderr.isatty() and not as_json
    clock = UnderWay()
    with working("reading", shown), clock.timed("read"):
        from ..solve.weighted import maximum_weight_matching

        graph = file.read_signed(lightest=settings["minimise"])
    with single_interrupt():
        matching = maximum_weight_matching(graph, progress=shown, **settings)
        if output is not None:
            with held_interrupts(), working("writing", shown), clock.timed("write"):
                matching.save(output)
    stats = matching.stats
    assert stats is not None
    stopped = stats.stopped
    try:
        if not (no_prove or stopped):
            with working("proving", shown), clock.timed("prove"):
                matching.prove(graph)
    except KeyboardInterrupt:  # a wish to stop at this point is granted
        stopped = "interrupted"
    clock.seconds["total"] = clock.elapsed
    proof = matching.certificate
    facts = {
        "file": file.path,
        "vertices": matching.n_vertices,
        "edges": graph.n_edges,
        "cardinality": matching.cardinality,
        "weight": matching.weight,
        "weight_bound": matching.weight_bound,
        "competes_with": matching.competes_with,
        "minimise": matching.minimise,
        "is_optimal": matching.is_optimal,
        "is_perfect": matching.is_perfect,
        "proved": proof is not None,
        "odd_sets": None if matching.prices is None else matching.prices.n_sets,
        "interval": None if proof is None else [proof.low, proof.high],
        "unmatched": int(matching.unmatched.size),
        "stopped": stopped,
        "output": output,
        "stats": stats.as_dict(),
        "seconds": clock.seconds | {"solve": stats.seconds["total"]},
    }
    report(facts, lambda facts: _lines(facts, matching), file, as_json=as_json)
    leave(ctx, stopped, f"the matching so far is in {output}" if output else "")


def _lines(
    facts: dict[str, Any], matching: WeightedMatching
) -> Iterator[tuple[str, RenderableType]]:
    """Yield the lines of the summary."""
    from rich.text import Text

    best = "lightest" if facts["minimise"] else "heaviest"
    among = {"all": "", "maximum": " of the maximum ones", "perfect": " of the perfect ones"}
    state = (f"{best}{among[facts['competes_with']]}", "bold green")
    if facts["proved"]:
        state = (f"{state[0]}, proved", "bold green")
    if not facts["is_optimal"]:
        most = "least" if facts["minimise"] else "most"
        state = (f"at {most} {facts['weight_bound']:.10g} ({facts['stopped']})", "yellow")
    yield "graph", graph_sizes(facts)
    yield "weight", Text.assemble((f"{facts['weight']:.10g}", "bold"), "  ", state)
    yield "matching", plural(facts["cardinality"], "pair")
    yield "unmatched", plural(facts["unmatched"], "vertex", "vertices")
    if matching.certificate is not None:
        yield "proof", f"prices of vertices and {plural(facts['odd_sets'], 'odd set')}"
        low, high = facts["interval"]
        if low != high:
            yield "", f"the best is within {abs(high - low):.2g} of it"
    yield "seconds", in_steps(facts["seconds"])
    if facts["output"] is not None:
        yield "written to", str(facts["output"])
