"""``berge match``: the maximum matching of a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..results.interrupts import held_interrupts, single_interrupt
from ..results.under_way import UnderWay
from ..wording import in_bytes, plural
from . import options
from .capacities import match_with_units
from .display import graph_sizes, in_steps, report, verdict_of, working
from .general import READING, match_general
from .labels import SUFFIXES as LABEL_SUFFIXES
from .labels import LabelledFile, labels_hinted, read_labelled
from .pipes import as_named, stands_for_url
from .program import command, leave, say

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..graphs.graph import BipartiteGraph
    from ..results.matching import Matching, SolveStats

SUFFIXES = (".npz", ".txt", ".json")


@command(
    "berge match web.mtx",
    "berge match web.mtx.gz -o matching.npz --threads 8",
    "berge match edges.csv --base 1 --algorithm pothen-fan --option lookahead=false",
    "berge match jobs.csv --left worker --right job -o result.csv",
    "berge match papers.csv --left paper --right reviewer --capacity-left 3 --capacity-right 4",
    "berge match huge.berge --algorithm out-of-core",
    "berge match huge.berge --within 1% -o matching.npz",
    "berge match web.mtx --time-limit 60 -o best.npz",
    "berge match web.mtx --initial best.npz -o matching.npz",
    "berge match mesh.graph --general -o pairs.txt",
    "berge match web.mtx --json | jq .cardinality",
    "berge match https://example.org/web.mtx.gz",
    "berge match 's3://bucket/pairs/*.parquet' --left a --right b -o s3://bucket/m.npz",
    "berge match web.berge --cluster local[4] --checkpoint saved -o parts",
    "berge match web.berge --cluster local[4] --checkpoint saved --resume -o parts",
)
@options.algorithm(
    "exact", "-a", "--algorithm", also="general", help="Exact algorithm; see `berge algorithms`."
)
@options.algorithm("start", "-i", "--init", also="general-start", help="Start that it begins with.")
@options.device(help="Where it runs; cuda for algorithms made for it.")
@options.threads
@options.seed(help="For starts with random choices.")
@click.option("--general", is_flag=True,
              help="The graph need not be bipartite: a matrix is the adjacency of its vertices.",
)  # fmt: skip
@click.option("--side", type=click.Choice(["auto", "rows", "cols"]), default="auto",
              help="Search from unmatched rows or columns.")  # fmt: skip
@options.switches(help="Option of the algorithm or the start; `berge algorithms` lists them.")
@options.time_limit(
    help="Stop after so many seconds of start and search, with the best matching so far."
)
@options.within(
    help="Stop once no matching can be larger by more than this, such as 1%, and prove that."
)
@options.units
@options.path(
    "--initial", read=True, metavar="MATCHING", help="Begin with this matching, saved by --output."
)
@options.graph_file
@options.columns(
    "Column of a CSV or TSV file with labels: its name on the first line, or its number; "
    "of Parquet or Feather, with labels or numbers of rows.",
    "Column with what to match them to.",
)
@options.path(
    "-o",
    "--output",
    help="Write the matching to a .npz, .txt or .json file; pairs of labels to .csv or .tsv; "
    "with --cluster also to a folder, by parts. A run that was stopped leaves a file with a larger "
    "matching as it is.",
)
@options.cluster
@options.checkpoint("On a cluster: save the matching after every phase.", "workers")
@options.as_json
@options.no_prove
@options.quiet()
@click.option("--progress/--no-progress", default=None,
              help="Show the search on stderr.  [default: if that is a terminal]")  # fmt: skip
@click.pass_context
def match(
    ctx: click.Context,
    /,
    file: options.GraphFile,
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
    general: bool,
    **settings: Any,
) -> None:
    """Find a maximum matching of the bipartite graph in FILE, and prove that it is one.

    Rows and columns of a sparse matrix are the two sides, its entries are the edges: the size of
    the maximum matching is the structural rank.

    With --left or --right, FILE is a table with two columns of labels: CSV, TSV, Parquet, Feather.
    The summary then tells who cannot be matched, and why; of GraphML and Pajek files too. Whole
    numbers in Parquet and Feather are numbers of vertices.

    With capacities or lower bounds a vertex may be in several pairs, each pair once.

    With --within, the matching may be smaller than a maximum one by a share; a vertex cover that is
    larger by no more proves it. `berge verify` finds that in a .npz file.

    With --general, FILE is any undirected graph: an entry in either direction is an edge, and the
    proof is a Tutte–Berge set.

    Ctrl-C stops the search and keeps the best matching found so far.
    """
    if resume and checkpoint is None:
        raise click.UsageError("--resume needs --checkpoint")
    more: dict[str, Any] = dict(options.key_values(switches, "'--option'"))
    columns, labelled = {"left": file.left, "right": file.right}, file.labelled
    in_parts = remote = False
    if cluster is not None:
        in_parts = output is not None and not output.suffix and str(output) != "-"
        remote = file.shared
        if output is not None and in_parts and stands_for_url(output):
            raise click.UsageError("--output in parts is a folder that all workers see, and no URL")
        more = options.plain_values(more) | (columns if remote else {})
        more |= {"cluster": cluster, "prove": not no_prove, "resume": resume}
        more |= {"checkpoint": checkpoint, "output": output if in_parts else None}
    elif checkpoint is not None:
        raise click.UsageError("--checkpoint is for solves on a cluster: say which, by --cluster")
    units = {name: text for name in options.UNITS if (text := settings.pop(name)) is not None}
    shown = (sys.stderr.isatty() and not quiet) if progress is None else progress
    how = {"as_json": as_json, "no_prove": no_prove, "quiet": quiet, "shown": shown}
    within = settings.pop("within") if units or general else settings["within"]
    if within is not None and (units or general or cluster is not None):
        raise click.UsageError(
            "--within is for bipartite graphs on one machine, without capacities"
        )
    if units:
        if general or cluster is not None or switches or initial is not None:
            raise click.UsageError(
                "capacities are not for --general, --cluster, --option and --initial"
            )
        match_with_units(ctx, file, units, settings, output, **how)
        return
    if not (in_parts or general):
        output = options.output(output, LABEL_SUFFIXES if labelled and not remote else SUFFIXES)
    if general:
        if any(columns.values()) or cluster is not None or switches:
            raise click.UsageError("--general has no --left, --right, --cluster and --option")
        match_general(ctx, file, settings, initial, output, **how)
        return
    clock = UnderWay()
    graph: Any = file.source
    labels = first = kept = None
    with working("reading", shown):
        with clock.timed("import"):
            from ..compile import kernel  # noqa: F401 (the compiler, which takes longest)
            from ..results.matching import Matching
            from ..solve.maximum import maximum_matching
        with clock.timed("read"):
            if not remote:
                graph, labels = _read(file, labelled, settings["algorithm"])
            if initial is not None:
                first = Matching.load(initial)
    with single_interrupt():
        matching = maximum_matching(graph, initial=first, progress=shown, **settings, **more)
        if output is not None and not in_parts:
            # Before anything else that may fail, and whatever keys are pressed.
            with held_interrupts(), working("writing", shown), clock.timed("write"):
                kept = _save(output, matching, labels)
    stats = matching.stats
    assert stats is not None
    stopped = stats.stopped
    try:
        claims = matching.is_maximum or (settings["within"] is not None and stopped is None)
        if claims and not (no_prove or stopped == "interrupted" or stats.cluster):
            with working("proving", shown), clock.timed("prove"):
                matching.prove(graph)
    except KeyboardInterrupt:  # a wish to stop at this point is granted
        stopped = "interrupted"
    clock.seconds["total"] = clock.elapsed
    facts = {
        "file": file.source,
        **_facts(matching, stats.cluster["edges"] if remote else graph.nnz),
        "symmetric": None if remote or labels is not None else _is_symmetric(graph),
        "stopped": stopped,
        "output": output,
        "kept": kept,
        "stats": stats.as_dict(),
        "seconds": clock.seconds | {"solve": stats.seconds["total"]},
    }
    try:
        if labels is not None and as_json:
            facts["labels"] = labels.facts(matching)
        if as_json or not quiet:
            lines = partial(_lines, stats=stats, matching=matching, labels=labels)
            report(facts, lines, file, as_json=as_json)
    except KeyboardInterrupt:
        stopped = "interrupted"
    if kept is not None and not quiet:
        told = f"the {matching.cardinality:,} of this run, which was stopped"
        say("kept", "yellow", f"{output} has a matching of {kept:,} edges, more than {told}")
    where = f"the best matching so far is in {output}" if output else "nothing was written"
    done = matching.is_maximum and stopped != "interrupted"
    leave(ctx, None if done else stopped, where, quiet=quiet)


def _is_symmetric(graph: BipartiteGraph) -> bool:
    """Tell whether a matrix may as well be meant as the adjacency of a graph."""
    if graph.on_disk or graph.n_rows != graph.n_cols or graph.nnz == 0:
        return False
    from ..graphs.symmetry import is_symmetric

    return is_symmetric(graph)


def _read(
    file: options.GraphFile, labelled: bool, algorithm: str
) -> tuple[BipartiteGraph, LabelledFile | None]:
    """Read the graph, or open it where it lies; labels come with it if there are any."""
    from ..files.folder import open_if_large
    from ..solve.default import ON_DISK

    if labelled:
        labels = read_labelled(file)
        return labels.graph, labels
    opened = open_if_large(file.path, always=algorithm == ON_DISK)
    if opened is not file.path:
        return opened, None
    with labels_hinted(file.path):
        return file.read(), None


def _save(output: Path, matching: Matching, labels: LabelledFile | None) -> int | None:
    """Write the matching; return the size of a larger one that was there, and was kept."""
    there = 0 if matching.is_maximum else _size_there(output, matching, labels)
    if there > matching.cardinality:
        return there
    if labels is None:
        matching.save(output)
    else:
        labels.save(matching, output)
    return None


def _size_there(output: Path, matching: Matching, labels: LabelledFile | None) -> int:
    """Return the size of a matching of this graph that is in a file, 0 if there is none."""
    from ..errors import BergeError
    from ..results.matching import Matching

    try:
        at_url = stands_for_url(output)
        if not (at_url or output.is_file()):
            return 0
        if labels is not None and output.suffix.lower() != ".npz":
            return 0 if at_url else labels.size_of(output)
        there = Matching.load(as_named(str(output)) if at_url else output)
    except (BergeError, OSError):
        return 0  # something else
    same = (there.n_rows, there.n_cols) == (matching.n_rows, matching.n_cols)
    return there.cardinality if same else 0


def _facts(matching: Matching, edges: int) -> dict[str, Any]:
    """Return what --json says of a matching."""
    size, proof = matching.cardinality, matching.certificate
    cover: Any = getattr(matching, "cover", None)  # sizes, of a proof that workers made
    if cover is None:
        cover = (None, None) if proof is None else (int(proof.rows.sum()), int(proof.cols.sum()))
    return {
        "rows": matching.n_rows,
        "cols": matching.n_cols,
        "edges": edges,
        "cardinality": size,
        "upper_bound": matching.upper_bound,
        "is_maximum": matching.is_maximum,
        "is_perfect": matching.is_perfect,
        "proved": cover[0] is not None,
        "cover_rows": cover[0],
        "cover_cols": cover[1],
        "unmatched_rows": matching.n_rows - size,
        "unmatched_cols": matching.n_cols - size,
    }


def _lines(
    facts: dict[str, Any], stats: SolveStats, matching: Matching, labels: LabelledFile | None
) -> Iterator[tuple[str, RenderableType]]:
    """Yield the lines of the summary."""
    from rich.text import Text

    k, cluster = facts["cardinality"], stats.cluster
    if labels is None:
        yield "graph", graph_sizes(facts)
    else:
        sizes = f"{facts['rows']:,} in {labels.left} × {facts['cols']:,} in {labels.right}"
        yield "graph", f"{sizes}, {plural(facts['edges'], 'edge')}"
    if matching.source:
        yield "read as", matching.source
    elif facts["symmetric"]:
        yield "read as", READING
    yield "matching", Text.assemble((f"{k:,}", "bold"), "  ", verdict_of(facts))
    if labels is not None:
        yield from labels.lines(matching)
    else:
        rows, cols = facts["unmatched_rows"], facts["unmatched_cols"]
        yield "unmatched", f"{plural(rows, 'row')}, {plural(cols, 'column')}"
    share = f" ({stats.start_cardinality / k:.1%} of that)" if stats.start_cardinality else ""
    by = "its first pass" if stats.passes and stats.init == "none" else stats.init
    yield "start", f"{stats.start_cardinality:,} by {by}{share}"
    where = plural(stats.threads, "thread") if stats.device == "cpu" else stats.device
    yield (
        "search",
        f"{stats.algorithm} on {plural(cluster['workers'], 'worker') if cluster else where}",
    )
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
        yield "", "nothing left to search" if facts["is_maximum"] else "not begun"
    if stats.passes:
        passes = plural(stats.passes, "pass", "passes")
        read = f", {in_bytes(stats.bytes_read)} read" if stats.bytes_read else ""
        yield "", f"{passes} over the edges{read}"
    if cluster:
        lost = cluster["restarts"]
        again = f"; begun again {plural(lost, 'time')}: workers were lost" if lost else ""
        yield "", f"{plural(cluster['exchanges'], 'exchange')}, {cluster['bytes']:,} bytes{again}"
    if facts["proved"]:
        rows, cols = plural(facts["cover_rows"], "row"), plural(facts["cover_cols"], "column")
        yield "proof", f"a vertex cover of {rows} and {cols}"
    # In the order it happened; the solver's own total is the sum of its steps.
    seconds = {step: s for step, s in facts["seconds"].items() if step != "solve"}
    yield "seconds", in_steps({s: seconds[s] for s in ("import", "read")} | stats.seconds | seconds)
    if facts["kept"] is not None:
        yield "not written", f"{facts['output']} has a matching of {facts['kept']:,} edges, kept"
    elif facts["output"] is not None:
        yield "written to", str(facts["output"])
