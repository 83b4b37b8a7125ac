"""``berge match``: the maximum matching of a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..results.interrupts import held_interrupts, single_interrupt
from ..results.under_way import UnderWay
from ..wording import in_bytes
from . import exit_codes
from .display import fact_table, graph_sizes, in_steps, out, plural, working
from .labels import SUFFIXES as LABEL_SUFFIXES
from .labels import LabelledFile, labels_hinted, read_labelled
from .options import (
    GraphFile,
    algorithm_option,
    as_json,
    check_output,
    checkpoint_options,
    cluster_option,
    device_option,
    graph_file,
    key_values,
    path_option,
    plain_values,
    print_json,
    quiet_option,
    seed_option,
    thread_option,
    time_limit_option,
)
from .program import command, say

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..graphs.graph import BipartiteGraph
    from ..results.matching import Matching, SolveStats

__all__ = ["match"]

SUFFIXES = (".npz", ".txt", ".json")


@dataclass
class _Outcome:
    """What there is to report."""

    file: GraphFile
    output: Path | None
    graph: BipartiteGraph | None  # None where only the cluster has it
    labels: LabelledFile | None
    matching: Matching
    stats: SolveStats
    seconds: dict[str, float]
    kept: int | None = None  # size of a larger matching that was in the output file, and still is
    interrupted: bool = False

    @property
    def edges(self) -> int:
        return self.stats.cluster["edges"] if self.graph is None else self.graph.nnz

    @property
    def cover(self) -> tuple[int, int] | None:
        """Rows and columns in the cover that proves it."""
        stored: tuple[int, int] | None = getattr(self.matching, "cover", None)
        if stored is not None or self.matching.certificate is None:
            return stored
        proof = self.matching.certificate
        return int(proof.rows.sum()), int(proof.cols.sum())

    @property
    def exit_code(self) -> int:
        if self.interrupted:
            return exit_codes.INTERRUPTED
        return exit_codes.OK if self.matching.is_maximum else exit_codes.TIME_LIMIT


@command(
    "berge match web.mtx",
    "berge match web.mtx.gz -o matching.npz --threads 8",
    "berge match edges.csv --base 1 --algorithm pothen-fan --option lookahead=false",
    "berge match jobs.csv --left worker --right job -o result.csv",
    "berge match huge.berge --algorithm out-of-core",
    "berge match web.mtx --time-limit 60 -o best.npz",
    "berge match web.mtx --initial best.npz -o matching.npz",
    "berge match web.mtx --json | jq .cardinality",
    "berge match web.berge --cluster local[4] --checkpoint saved -o parts",
    "berge match web.berge --cluster local[4] --checkpoint saved --resume -o parts",
)
@algorithm_option("exact", "-a", "--algorithm", help="Exact algorithm; see `berge algorithms`.")
@algorithm_option("start", "-i", "--init", help="Start that it begins with.")
@device_option("Where it runs; cuda for algorithms made for it.")
@thread_option
@seed_option("For starts with random choices.")
@click.option("--side", type=click.Choice(["auto", "rows", "cols"]), default="auto",
              show_default=True, help="Search from unmatched rows or columns.")  # fmt: skip
@click.option("--option", "switches", multiple=True, metavar="KEY=VALUE",
              help="Switch of the algorithm or the start; `berge algorithms` lists them.",
)  # fmt: skip
@time_limit_option("Stop after so many seconds of start and search, with the best matching so far.")
@path_option("--initial", metavar="MATCHING", help="Begin with this matching, saved by --output.")
@graph_file(
    columns=(
        "Column of a CSV or TSV file with labels: its name on the first line, or its number; "
        "of Parquet, with the numbers of rows.",
        "Column with what to match them to.",
    )
)
@path_option(
    "-o",
    "--output",
    help="Write the matching to a .npz, .txt or .json file; pairs of labels to .csv or .tsv; "
    "with --cluster also to a folder, by parts. A run that was stopped leaves a file with a larger "
    "matching as it is.",
)
@cluster_option
@checkpoint_options("On a cluster: save the matching after every phase.", "workers")
@as_json
@click.option("--no-prove", is_flag=True, help="Do not check the result with a vertex cover.")
@quiet_option()
@click.option("--progress/--no-progress", default=None,
              help="Show the search on stderr.  [default: if that is a terminal]")  # fmt: skip
@click.pass_context
def match(
    ctx: click.Context,
    /,
    file: GraphFile,
    switches: tuple[str, ...],
    initial: Path | None,
    output: Path | None,
    cluster: str | None,
    checkpoint: Path | None,
    resume: bool,
    as_json: bool,
    no_prove: bool,
    quiet: bool,
    progress: bool | None,
    **settings: Any,
) -> None:
    """Find a maximum matching of the bipartite graph in FILE, and prove that it is one.

    Rows and columns of a sparse matrix are the two sides, its entries are the edges: the size of
    the maximum matching is the structural rank.

    With --left or --right, FILE is a table with two columns of labels, and who cannot be matched
    is told, and why. In Parquet these columns hold numbers of vertices.

    Ctrl-C stops the search and keeps the best matching found so far.
    """
    if resume and checkpoint is None:
        raise click.UsageError("--resume needs --checkpoint")
    options: dict[str, Any] = dict(key_values(switches, "'--option'"))
    columns = {"left": file.left, "right": file.right}
    labelled = columns != {"left": None, "right": None} and file.format != "parquet"
    in_parts = remote = False
    if cluster is not None:
        in_parts = output is not None and not output.suffix
        remote = _is_shared(file.path)
        options = plain_values(options) | {"cluster": cluster, "prove": not no_prove}
        options |= {"checkpoint": checkpoint, "output": output if in_parts else None}
        options["resume"] = resume
        options |= columns if remote else {}
    elif checkpoint is not None:
        raise click.UsageError("--checkpoint is for solves on a cluster: say which, by --cluster")
    if not in_parts:
        check_output(output, LABEL_SUFFIXES if labelled and not remote else SUFFIXES)
    if labelled and file.base:
        raise click.UsageError("--base is for files of numbers, --left and --right are for labels")
    shown = (sys.stderr.isatty() and not quiet) if progress is None else progress
    clock = UnderWay()
    with working("reading", shown):
        with clock.timed("import"):
            from ..compile import kernel  # noqa: F401 (the compiler, which takes longest)
            from ..results.matching import Matching
            from ..solve.maximum import maximum_matching
        with clock.timed("read"):
            graph, labels = (None, None) if remote else _read(file, labelled, settings["algorithm"])
            first = None if initial is None else Matching.load(initial)
    with single_interrupt():
        matching = maximum_matching(
            file.path if graph is None else graph,
            initial=first,
            progress=shown,
            **settings,
            **options,
        )
        kept = None
        if output is not None and not in_parts:
            # Before anything else that may fail, and whatever keys are pressed.
            with held_interrupts(), working("writing", shown), clock.timed("write"):
                kept = _save(output, matching, labels)
    stats = matching.stats
    assert stats is not None
    outcome = _Outcome(file, output, graph, labels, matching, stats, clock.seconds, kept)
    outcome.interrupted = stats.stopped == "interrupted"
    try:
        if matching.is_maximum and not (no_prove or outcome.interrupted or stats.cluster):
            _prove(outcome, clock, shown)
        clock.seconds["total"] = clock.elapsed
        if as_json:
            print_json(_facts(outcome))
        elif not quiet:
            out().print(fact_table(_lines(outcome), title=str(file)))
    except KeyboardInterrupt:
        outcome.interrupted = True
    if outcome.interrupted and not quiet:
        where = f"the best matching so far is in {output}" if output else "nothing was written"
        say("interrupted", "yellow", where)
    if kept is not None and not quiet:
        stopped = f"the {matching.cardinality:,} of this run, which was stopped"
        say("kept", "yellow", f"{output} has a matching of {kept:,} edges, more than {stopped}")
    ctx.exit(outcome.exit_code)


def _is_shared(path: Path) -> bool:
    """Tell whether the workers of a cluster read a file themselves: .berge folders, Parquet."""
    from ..distributed.sources import is_parquet

    return path.suffix.lower() == ".berge" or is_parquet(str(path))


def _read(
    file: GraphFile, labelled: bool, algorithm: str
) -> tuple[BipartiteGraph, LabelledFile | None]:
    """Read the graph, or open it where it lies; labels come with it if there are any."""
    from ..files.folder import open_if_large
    from ..solve.default import ON_DISK

    if labelled:
        labels = read_labelled(file.path, file.left, file.right, file.form)
        return labels.graph, labels
    opened = open_if_large(file.path, always=algorithm == ON_DISK)
    if opened is not file.path:
        return opened, None
    with labels_hinted(file.path):
        return file.read(), None


def _save(output: Path, matching: Matching, labels: LabelledFile | None) -> int | None:
    """Write the matching; return the size of a larger one that was there, and was kept."""
    larger = _larger_there(output, matching, labels)
    if larger is None:
        save = matching.save if labels is None else partial(labels.save, matching)
        save(output)
    return larger


def _larger_there(output: Path, matching: Matching, labels: LabelledFile | None) -> int | None:
    """Return the size of a matching in a file that one that is not maximum should not replace."""
    from ..errors import BergeError
    from ..results.matching import Matching

    if matching.is_maximum or not output.is_file():
        return None
    try:
        if labels is not None and output.suffix.lower() != ".npz":
            size = labels.size_of(output)
        else:
            there = Matching.load(output)
            same = (there.n_rows, there.n_cols) == (matching.n_rows, matching.n_cols)
            size = there.cardinality if same else 0
    except (BergeError, OSError):
        return None  # something else
    return size if size > matching.cardinality else None


def _prove(outcome: _Outcome, clock: UnderWay, shown: bool) -> None:
    """Prove what the solver says is maximum; a wish to stop at this point is granted."""
    try:
        with working("proving", shown), clock.timed("prove"):
            outcome.matching.prove(outcome.graph)
    except KeyboardInterrupt:
        outcome.interrupted = True


def _facts(outcome: _Outcome) -> dict[str, Any]:
    """Return the object that --json prints."""
    matching, stats, cover = outcome.matching, outcome.stats, outcome.cover
    labels = {} if outcome.labels is None else {"labels": outcome.labels.facts(matching)}
    return {
        "file": outcome.file.path,
        "rows": matching.n_rows,
        "cols": matching.n_cols,
        "edges": outcome.edges,
        "cardinality": matching.cardinality,
        "upper_bound": matching.upper_bound,
        "is_maximum": matching.is_maximum,
        "is_perfect": matching.is_perfect,
        "proved": cover is not None,
        "cover_rows": None if cover is None else cover[0],
        "cover_cols": None if cover is None else cover[1],
        "unmatched_rows": matching.n_rows - matching.cardinality,
        "unmatched_cols": matching.n_cols - matching.cardinality,
        "stopped": "interrupted" if outcome.interrupted else stats.stopped,
        "output": outcome.output,
        "kept": outcome.kept,
        "stats": stats.as_dict(),
        "seconds": outcome.seconds | {"solve": stats.seconds["total"]},
    } | labels


def _lines(outcome: _Outcome) -> Iterator[tuple[str, RenderableType]]:
    """Yield the lines of the summary."""
    from rich.text import Text

    matching, stats = outcome.matching, outcome.stats
    n, k = (matching.n_rows, matching.n_cols), matching.cardinality
    labels = outcome.labels
    if labels is None:
        yield "graph", graph_sizes({"rows": n[0], "cols": n[1], "edges": outcome.edges})
    else:
        sizes = f"{n[0]:,} in {labels.left} × {n[1]:,} in {labels.right}"
        yield "graph", f"{sizes}, {plural(outcome.edges, 'edge')}"
    yield "matching", Text.assemble((f"{k:,}", "bold"), "  ", _verdict(outcome))
    if labels is not None:
        yield from labels.lines(matching)
    else:
        yield "unmatched", f"{plural(n[0] - k, 'row')}, {plural(n[1] - k, 'column')}"
    share = f" ({stats.start_cardinality / k:.1%} of that)" if stats.start_cardinality else ""
    by = "its first pass" if stats.passes and stats.init == "none" else stats.init
    yield "start", f"{stats.start_cardinality:,} by {by}{share}"
    where = plural(stats.threads, "thread") if stats.device == "cpu" else stats.device
    if stats.cluster:
        where = plural(stats.cluster["workers"], "worker")
    yield "search", f"{stats.algorithm} on {where}"
    if stats.traversed_edges or stats.phases:
        paths = plural(stats.augmenting_paths, "augmenting path")
        if stats.longest_path:
            longest = plural(stats.longest_path, "edge")
            paths += f" (average {stats.average_path:.1f}, longest {longest})"
        yield "", f"{plural(stats.phases, 'phase')}, {paths}"
        if stats.launches:
            yield "", f"{plural(sum(stats.launches), 'kernel')} launched to search"
        if stats.traversed_edges:
            yield "", f"{plural(stats.traversed_edges, 'edge')} traversed"
    else:
        yield "", "nothing left to search" if matching.is_maximum else "not begun"
    if stats.passes:
        passes = plural(stats.passes, "pass", "passes")
        yield "", f"{passes} over the edges, {in_bytes(stats.bytes_read)} read"
    if stats.cluster:
        sent = f"{plural(stats.cluster['exchanges'], 'exchange')}, {stats.cluster['bytes']:,} bytes"
        lost = stats.cluster["restarts"]
        yield (
            "",
            sent + (f"; begun again {plural(lost, 'time')}: workers were lost" if lost else ""),
        )
    if outcome.cover is not None:
        rows, cols = outcome.cover
        yield "proof", f"a vertex cover of {plural(rows, 'row')} and {plural(cols, 'column')}"
    # In the order it happened; the solver's own total is the sum of its steps.
    before = {step: outcome.seconds[step] for step in ("import", "read")}
    yield "seconds", in_steps(before | stats.seconds | outcome.seconds)
    if outcome.kept is not None:
        yield "not written", f"{outcome.output} has a matching of {outcome.kept:,} edges, kept"
    elif outcome.output is not None:
        yield "written to", str(outcome.output)


def _verdict(outcome: _Outcome) -> tuple[str, str]:
    """Return what is known of the matching in words, and the style to say it in."""
    matching = outcome.matching
    if not matching.is_maximum:
        why = "interrupted" if outcome.interrupted else str(outcome.stats.stopped)
        return f"not proved maximum: at most {matching.upper_bound:,} ({why})", "yellow"
    size = "perfect" if matching.is_perfect else "maximum"
    if outcome.cover is not None:
        return f"{size}, proved", "bold green"
    return f"{size}, not proved", "yellow"
