"""``berge match --general``: the maximum matching of a graph that need not be bipartite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..results.interrupts import held_interrupts, single_interrupt
from ..results.under_way import UnderWay
from ..wording import plural
from . import options
from .display import graph_sizes, in_steps, report, verdict_of, working
from .program import leave

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..results.general_matching import GeneralMatching

SUFFIXES = (".npz", ".txt", ".csv", ".tsv", ".parquet")
READING = "rows × columns, though symmetric; --general: a graph of one set of vertices"


def match_general(
    ctx: click.Context,
    file: options.GraphFile,
    settings: dict[str, Any],
    initial: Path | None,
    output: Path | None,
    *,
    as_json: bool,
    no_prove: bool,
    quiet: bool,
    shown: bool,
) -> None:
    """Match, prove, write and report, as `berge match` does for bipartite graphs."""
    output = options.output(output, SUFFIXES)
    clock = UnderWay()
    with working("reading", shown), clock.timed("read"):
        from ..results.general_matching import GeneralMatching
        from ..solve.maximum import maximum_matching

        graph = file.read_undirected(weights=False)
        first = None if initial is None else GeneralMatching.load(initial)
    with single_interrupt():
        matching = maximum_matching(graph, initial=first, progress=shown, **settings)
        if output is not None:
            with held_interrupts(), working("writing", shown), clock.timed("write"):
                matching.save(output)
    assert matching.stats is not None
    stopped = matching.stats.stopped
    try:
        if matching.is_maximum and not no_prove and stopped != "interrupted":
            with working("proving", shown), clock.timed("prove"):
                matching.prove(graph)
    except KeyboardInterrupt:
        stopped = "interrupted"
    proof = matching.certificate
    facts = {
        "file": file.path,
        "vertices": matching.n_vertices,
        "edges": graph.n_edges,
        "cardinality": matching.cardinality,
        "upper_bound": matching.upper_bound,
        "is_maximum": matching.is_maximum,
        "is_perfect": matching.is_perfect,
        "proved": proof is not None,
        "barrier": None if proof is None else proof.size,
        "odd_parts": None if proof is None else proof.odd_parts,
        "unmatched": matching.n_vertices - 2 * matching.cardinality,
        "stopped": stopped,
        "output": output,
        "stats": matching.stats.as_dict(),
        "seconds": clock.seconds | {"solve": matching.stats.seconds["total"]},
    }
    if as_json or not quiet:
        report(facts, lambda facts: _lines(facts, matching), file, as_json=as_json)
    done = matching.is_maximum and stopped != "interrupted"
    where = f"the best matching so far is in {output}" if output else "nothing was written"
    leave(ctx, None if done else stopped, where, quiet=quiet)


def _lines(
    facts: dict[str, Any], matching: GeneralMatching
) -> Iterator[tuple[str, RenderableType]]:
    """Yield the lines of the summary."""
    from rich.text import Text

    stats = matching.stats
    assert stats is not None
    yield "graph", graph_sizes(facts)
    yield "matching", Text.assemble((f"{facts['cardinality']:,}", "bold"), "  ", verdict_of(facts))
    yield "unmatched", plural(facts["unmatched"], "vertex", "vertices")
    yield "start", f"{stats.start_cardinality:,} by {stats.init}"
    paths = plural(stats.augmenting_paths, "augmenting path")
    if stats.longest_path:
        longest = plural(stats.longest_path, "edge")
        paths += f" (average {stats.average_path:.1f}, longest {longest})"
    yield "search", f"{stats.algorithm}: {paths}"
    yield "", f"{plural(stats.traversed_edges, 'edge')} traversed"
    if matching.certificate is not None:
        size, odd = facts["barrier"], plural(facts["odd_parts"], "odd part")
        yield (
            "proof",
            f"a Tutte–Berge set of {plural(size, 'vertex', 'vertices')}, {odd} without it",
        )
    seconds = {step: s for step, s in facts["seconds"].items() if step != "solve"}
    yield "seconds", in_steps(stats.seconds | seconds)
    if facts["output"] is not None:
        yield "written to", str(facts["output"])
