"""``berge assign``: the best assignment of a table of scores, or of a sparse matrix."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..results.interrupts import held_interrupts, single_interrupt
from ..results.under_way import UnderWay
from ..wording import in_words, plural
from . import options
from .display import in_steps, report, sides, working
from .program import command, leave

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..results.assignment import Assignment

SUFFIXES = (".csv", ".tsv", ".json", ".parquet", ".npz")
_ASKED = {
    "min": "the least sum",
    "max": "the largest sum",
    "product": "the largest product",
    "bottleneck": "the largest smallest weight",
}
_SHOWN = 10  # names of who is unmatched


@command(
    "berge assign scores.csv --left person --right job --score points --objective max",
    "berge assign scores.csv --left person --right job --score points --capacity jobs.csv "
    "--match any --objective max -o plan.csv",
    "berge assign matrix.mtx --objective product -o plan.npz",
    "berge assign costs.npz --match maximum --time-limit 60 --json",
    "berge assign links.csv --left a --right b --score weight --match any --unmatched-cost 0.5",
)
@options.algorithm("assign", "-a", "--algorithm", help="Algorithm; see `berge algorithms assign`.")
@click.option("--objective", type=click.Choice(["min", "max", "product", "bottleneck"]),
              default="min", help="Least or largest sum, largest product of absolute values, or "
              "largest smallest weight.")  # fmt: skip
@click.option("--match", type=click.Choice(["full", "maximum", "any"]), default="full",
              help="Match all of the smaller side, as many as can be, or any.")  # fmt: skip
@click.option("--unmatched-cost", type=float, metavar="COST",
              help="What it costs to leave one unmatched where that is allowed.")  # fmt: skip
@options.units
@click.option("--score", metavar="COLUMN", help="Column with the weights, of a table.")
@options.threads
@options.time_limit(help="Stop after so many seconds, with the assignment so far.")
@options.path("-o", "--output", help="Write the pairs to a .csv, .tsv or .parquet file; or all of "
              "it, with prices, to .json or .npz.")  # fmt: skip
@options.graph_file
@options.columns("Column of a table with labels: its name on the first line, or its number.",
                 "Column with what to match them to.")  # fmt: skip
@options.as_json
@click.option("--no-prove", is_flag=True, help="Do not check the result with prices.")
@options.quiet()
@click.pass_context
def assign(
    ctx: click.Context,
    /,
    file: options.GraphFile,
    score: str | None,
    output: Path | None,
    as_json: bool,
    no_prove: bool,
    quiet: bool,
    **settings: Any,
) -> None:
    """Find the best assignment by the weights in FILE, and prove that it is the best.

    With --left, --right or --score, FILE is a table with two columns of labels and one of scores.
    Else it is a Matrix Market, .npz, Parquet or edge list file: rows are matched to columns by the
    values of its entries.

    The exit code is 3 if the time limit came first, 4 after Ctrl-C; what there is, is written.
    """
    output = options.output(output, SUFFIXES)
    shown = sys.stderr.isatty() and not quiet
    clock = UnderWay()
    units = {name: settings.pop(name) for name in options.UNITS}
    with working("reading", shown), clock.timed("read"):
        from ..solve.assign import assign as solve
        from .scores import read_scores, read_units

        source, weights, names = read_scores(file, score)
        settings |= read_units(units, file, labelled=names is not None)
    with single_interrupt():
        plan = solve(source, weights, progress=shown, **settings)
        if output is not None and output.suffix != ".json":
            with held_interrupts(), working("writing", shown), clock.timed("write"):
                plan.save(output, names or ("left", "right", "weight"))
    if plan.is_optimal and not no_prove:
        with working("proving", shown), clock.timed("prove"):
            plan.prove()
    if output is not None and output.suffix == ".json":  # which says that it is proved
        with held_interrupts(), clock.timed("write"):
            plan.save(output)
    clock.seconds["total"] = clock.elapsed
    seconds = {"solve": plan.stats.seconds["total"], **clock.seconds}
    facts = {
        "file": file.path,
        "columns": names,
        **plan.facts(),
        "output": output,
        "seconds": seconds,
    }
    if as_json or not quiet:
        report(facts, lambda facts: _lines(facts, plan), file, as_json=as_json)
    leave(ctx, plan.stopped, f"the assignment so far is in {output}" if output else "", quiet=quiet)


def asked_in_words(facts: dict[str, Any]) -> str:
    """Return what was asked for."""
    pairs = {"full": "all of the smaller side", "maximum": "as many as can be", "any": "any"}
    return f"{_ASKED[facts['objective']]}, matching {pairs[facts['match']]}"


def _lines(facts: dict[str, Any], plan: Assignment) -> Iterator[tuple[str, RenderableType]]:
    """Yield the lines of the summary."""
    from rich.text import Text

    from ..results.price_proof import in_digits

    left, right, score = facts["columns"] or ("left", "right", "")
    of_table = f", scores in column {score}" if score else ""
    ends = f"{facts['rows']:,} in {left} × {facts['cols']:,} in {right}" if score else sides(facts)
    yield "graph", f"{ends}, {plural(facts['edges'], 'edge')}{of_table}"
    yield "asked", asked_in_words(facts)
    state = ("the best, not proved", "yellow")
    if facts["proved"]:
        state = ("the best, proved", "bold green")
    elif not facts["is_optimal"]:
        bound = (
            f": no better than {in_digits(facts['bound'])}" if facts["bound"] is not None else ""
        )
        state = (f"not the best ({facts['stopped']}){bound}", "yellow")
    yield "total", Text.assemble((in_digits(facts["total"]), "bold"), "  ", state)
    yield "pairs", f"{facts['size']:,}"
    for side, name in (("left", left), ("right", right)):
        free = facts[f"unmatched_{side}"]
        listed = f": {in_words(free, _SHOWN)}" if free else ""
        yield f"unmatched {name}", f"{len(free):,}{listed}"
    if plan.certificate is not None:
        proof = plan.certificate
        exact = "exactly" if proof.is_exact else f"to {in_digits(proof.apart)}"
        yield "proof", f"prices of rows and columns, which leave no room, {exact}"
    yield "algorithm", plan.stats.algorithm
    yield "seconds", in_steps(facts["seconds"])
    if facts["output"] is not None:
        yield "written to", str(facts["output"])
