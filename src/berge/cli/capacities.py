"""``berge match --capacity-right …``: as many pairs as capacities allow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..results.interrupts import held_interrupts, single_interrupt
from ..results.under_way import UnderWay
from ..wording import in_words, plural
from . import options
from .display import graph_sizes, in_steps, report, verdict_of, working
from .program import leave

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..results.capacity_matching import CapacityMatching

SUFFIXES = (".csv", ".tsv", ".json", ".parquet", ".npz")
_SHOWN = 10  # names of who is unmatched


def match_with_units(
    ctx: click.Context,
    file: options.GraphFile,
    units: dict[str, str | None],
    settings: dict[str, Any],
    output: Path | None,
    *,
    as_json: bool,
    no_prove: bool,
    quiet: bool,
    shown: bool,
) -> None:
    """Match, prove, write and report, as `berge match` does where each vertex has one unit."""
    output = options.output(output, SUFFIXES)
    clock = UnderWay()
    names = ("left", "right")
    with working("reading", shown), clock.timed("read"):
        from ..solve.maximum import maximum_matching
        from .labels import read_labelled
        from .scores import read_units

        if file.labelled:
            labels = read_labelled(file)
            graph, names = labels.graph, (labels.left, labels.right)
        else:
            graph = file.read()
        settings |= read_units(units, file, labelled=file.labelled)
    with single_interrupt():
        matching: Any = maximum_matching(graph, progress=shown, **settings)
        if output is not None:
            with held_interrupts(), working("writing", shown), clock.timed("write"):
                matching.save(output, names)
    if matching.is_maximum and not no_prove:
        with working("proving", shown), clock.timed("prove"):
            matching.prove(graph)
    clock.seconds["total"] = clock.elapsed
    seconds = {"solve": matching.stats.seconds["total"], **clock.seconds}
    facts = {"file": file.path, "edges": graph.nnz, **matching.facts(), "output": output,
             "seconds": seconds}  # fmt: skip
    if as_json or not quiet:
        lines = partial(_lines, matching=matching, names=names)
        report(facts, lines, file, as_json=as_json)
    where = f"the best matching so far is in {output}" if output else "nothing was written"
    leave(ctx, None if matching.is_maximum else matching.stats.stopped, where, quiet=quiet)


def _lines(
    facts: dict[str, Any], matching: CapacityMatching, names: tuple[str, str]
) -> Iterator[tuple[str, RenderableType]]:
    """Yield the lines of the summary."""
    from rich.text import Text

    sizes = graph_sizes(facts)
    if names != ("left", "right"):
        ends = " × ".join(
            f"{facts[side]:,} in {name}" for side, name in zip(("rows", "cols"), names, strict=True)
        )
        sizes = f"{ends}, {plural(facts['edges'], 'edge')}"
    yield "graph", sizes
    said = verdict_of({**facts, "is_perfect": False})
    yield "pairs", Text.assemble((f"{facts['cardinality']:,}", "bold"), "  ", said)
    for side, name in zip(("left", "right"), names, strict=True):
        free = facts[f"unmatched_{side}"]
        named = f": {in_words(free, _SHOWN)}" if free else ""
        room = sum(getattr(matching, f"free_{side}").values())
        yield f"unmatched {name}", f"{len(free):,}{named}; room for {room:,} more pairs"
    if (proof := matching.certificate) is not None:
        ends = f"{plural(proof.rows.sum(), 'row')} and {plural(proof.cols.sum(), 'column')}"
        yield "proof", f"a cover of {ends}, which allows {proof.size:,} pairs"
    yield "algorithm", matching.stats.algorithm
    yield "seconds", in_steps(facts["seconds"])
    if facts["output"] is not None:
        yield "written to", str(facts["output"])
