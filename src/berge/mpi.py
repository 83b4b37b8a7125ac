"""The command line of ranks: ``mpiexec -n 4 python -m berge.mpi match graph.berge/ -o out/``.

Every rank runs this file; the graph and the matching are spread over them. Rank 0 prints. Exit
codes are those of ``berge``.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .cli import exit_codes, options
from .cli.display import graph_sizes, in_steps, report
from .cli.program import Command, Group, examples, say
from .errors import BergeError, ClusterError, PeerLost
from .results.interrupts import heeded_interrupts
from .wording import plural

if TYPE_CHECKING:
    from .distributed.communicator import Array
    from .distributed.mpi import MPICommunicator
    from .distributed.part import Part
    from .distributed.session import Session

graph_argument = click.argument("graph", type=options.AnyPath(as_it_is=True))
progress_option = click.option(
    "--progress/--no-progress", default=False, help="Show the search on stderr."
)


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog=examples("mpiexec -n 4 python -m berge.mpi match graph.berge/ -o out/"),
)
def program() -> None:
    """Match graphs that are spread over the ranks of an MPI job."""


@program.command(
    cls=Command,
    short_help="Find a maximum matching, and prove that it is one.",
    epilog=examples(
        "mpiexec -n 4 python -m berge.mpi match graph.berge/ -o out/ --checkpoint ck/",
        "mpiexec -n 3 python -m berge.mpi match graph.berge/ -o out/ --checkpoint ck/ --resume",
        "srun -n 64 python -m berge.mpi match graph.berge/ -o out/ --time-limit 3000",
    ),
)
@graph_argument
@options.path(
    "-o",
    "--output",
    help="A folder, to which each rank writes its share; or one .npz, .txt or .json file.",
)
@options.checkpoint("Save the matching there after every phase; all ranks must see it.", "ranks")
@click.option(
    "-i",
    "--init",
    type=click.Choice(["auto", "within-parts", "karp-sipser", "greedy", "none"]),
    default="auto",
    help="Start that the search begins with; auto is within-parts, or karp-sipser where many edges "
    "lie between parts and no rank has room for all.",
)
@click.option(
    "-t",
    "--threads",
    type=click.IntRange(1),
    default=1,
    help="Threads of a rank, for the start and for what it solves alone.",
)
@options.seed(help="Of the start.")
@options.time_limit(help="Stop after so many seconds, with the best matching so far.")
@options.columns("Column of Parquet files with numbers of rows.", "Column with numbers of columns.")
@options.switches(
    help="exhaust=true or false: search parts to their end; alpha: direction of the search; "
    "gather=true or false: rank 0 may finish alone."
)
@options.no_prove
@progress_option
@options.as_json
@options.quiet()
def match(
    graph: str | Path,
    output: Path | None,
    checkpoint: Path | None,
    resume: bool,
    init: str,
    threads: int,
    seed: int,
    time_limit: float | None,
    left: str | None,
    right: str | None,
    switches: tuple[str, ...],
    no_prove: bool,
    progress: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Find a maximum matching of GRAPH, and prove it where the data lives.

    Of a .berge folder each rank reads its own slice, of Parquet files some of the row groups; any
    other file is read by rank 0, and shared out.

    SIGINT to a rank stops all of them, and keeps the best matching found so far.
    """
    from .compile import thread_count, threads_of
    from .distributed.messages import gather, together
    from .distributed.session import Session, check_options
    from .distributed.sources import read_part
    from .files.parts import check_place
    from .results.matching import Matching

    if resume and checkpoint is None:
        raise click.UsageError("--resume needs --checkpoint")
    comm = _world()
    with together(comm):
        given = options.plain_values(options.key_values(switches, "'--option'"))
        chosen = check_options(init, given)
        if output is not None and output.suffix:
            options.check_output(output, (".npz", ".txt", ".json"))
        elif output is not None:
            check_place(output)
    if checkpoint is not None and comm.rank == 0 and not quiet:
        say("checkpoints", "bold", f"in {checkpoint}; if a rank is lost, go on with --resume")
    session, threads = Session(comm, time_limit=time_limit), threads_of(threads)
    with _heeding(session, progress), thread_count(threads):
        result = session.search(
            lambda comm: read_part(graph, comm, left=left, right=right),
            checkpoint=checkpoint,
            resume=resume,
            seed=seed,
            threads=threads,
            **chosen,
        )
        if not no_prove:
            session.prove()
        if output is not None and not output.suffix:
            session.write(output)
        elif output is not None:
            sides = (session.arrays()[name] for name in ("row_match", "col_match"))
            mates = [gather(comm, side) for side in sides]
            with together(comm):
                if comm.rank == 0:
                    Matching(*mates, upper_bound=result.stats.upper_bound).save(output)
    if comm.rank == 0:
        facts = _facts(graph, session) | {"output": output}
        if as_json or not quiet:
            report(facts, _lines, graph, as_json=as_json)
    return _exit_code(result.stats.stopped)


@program.command(
    cls=Command,
    short_help="Check a matching, and whether it is maximum.",
    epilog=examples("mpiexec -n 4 python -m berge.mpi verify graph.berge/ out/"),
)
@graph_argument
@click.argument("matching", type=options.AnyPath(read=True))
@options.as_json
@options.quiet()
def verify(graph: str | Path, matching: Path, as_json: bool, quiet: bool) -> int:
    """Check that MATCHING is a matching of GRAPH, and a maximum one.

    Each rank checks what it has of the graph. MATCHING is what `match` wrote.
    """
    from .distributed.proof import prove_part
    from .distributed.sources import read_part

    comm = _world()
    part = read_part(graph, comm)
    proof = prove_part(part, comm, *_read_matching(matching, part, comm))
    if comm.rank == 0:
        facts = {
            "valid": proof.valid,
            "maximum": proof.maximum,
            "cardinality": proof.cardinality,
            "cover": proof.cover_size if proof.maximum else None,
            "reason": proof.reason or None,
        }
        if as_json:
            options.print_json(facts)
        elif not quiet:
            verdict = proof.reason or f"a maximum matching: a vertex cover of {proof.cover_size:,}"
            click.echo(f"{matching}: {plural(proof.cardinality, 'edge')}; {verdict}")
    if not proof.valid:
        return exit_codes.NOT_A_MATCHING
    return exit_codes.OK if proof.maximum else exit_codes.NOT_MAXIMUM


@program.command(
    cls=Command,
    short_help="Match a general graph quickly: maximal, and heavy if it has weights.",
    epilog=examples(
        "mpiexec -n 4 python -m berge.mpi greedy mesh.graph -o pairs.npz",
        "mpiexec -n 4 python -m berge.mpi greedy matrix.mtx --weights",
        "mpiexec -n 4 python -m berge.mpi greedy pairs/ --left a --right b --score s --prove -o o/",
    ),
)
@graph_argument
@options.algorithm(
    "greedy",
    "-m",
    "--method",
    help="locally-dominant, proposals or weighted-proposals; auto is the first with weights, and "
    "the second without.",
)
@click.option("--weights", is_flag=True, help="Edges weigh what the file says, not 1.")
@options.columns("Column with labels of a first list, in Parquet.", "Column of the second list.")
@click.option("--score", metavar="COLUMN", help="Column with the weights, besides these two.")
@click.option("--prove", is_flag=True, help="Bound by prices how far it is from the heaviest.")
@options.seed(help="Of proposals.")
@options.blue
@options.time_limit(help="Stop after so many seconds, with the matching so far.")
@options.path(
    "-o",
    "--output",
    as_it_is=True,
    help="Write the pairs to a .npz or .txt file; those of two lists to a folder of Parquet files.",
)
@progress_option
@options.as_json
@options.quiet()
def greedy(
    graph: str | Path,
    weights: bool,
    left: str | None,
    right: str | None,
    score: str | None,
    seed: int,
    time_limit: float | None,
    output: str | Path | None,
    progress: bool,
    as_json: bool,
    quiet: bool,
    **settings: Any,
) -> int:
    """Find a maximal matching of the undirected graph in GRAPH, and check it where the data lives.

    Of a .berge folder each rank reads its own slice, of pairs between two lists in Parquet some of
    the row groups; any other file is read by rank 0, and shared out.
    """
    from .distributed.messages import gather, together
    from .distributed.session import Session
    from .distributed.sources import read_part

    comm = _world()
    tables = left is not None or right is not None
    with together(comm):
        if not tables:
            options.check_output(Path(output) if output else None, (".npz", ".txt"))
    session = Session(comm, time_limit=time_limit)
    with _heeding(session, progress):
        result = session.greedy(
            lambda comm: read_part(
                graph, comm, undirected=True, weights=score or weights, left=left, right=right
            ),
            seed=seed,
            output=output if tables else None,
            **settings,
        )
        mate = gather(comm, result.mate)
        with together(comm):
            if comm.rank == 0 and output is not None and not tables:
                result.joined(mate).save(output)
    if comm.rank == 0:
        facts = {"graph": graph, "ranks": comm.size, "vertices": mate.size}
        facts |= {"exchanges": result.exchanges} | result.as_dict()
        if as_json:
            options.print_json(facts)
        elif not quiet:
            state = "maximal" if result.is_maximal else f"not maximal ({result.stopped})"
            if result.of_best is not None:
                state += f", at least {result.of_best:.1%} of the heaviest"
            click.echo(
                f"{graph}: {plural(result.size, 'pair')} of {mate.size:,} vertices, "
                f"weight {result.weight:.10g}, {state}; {result.method} on "
                f"{plural(comm.size, 'rank')}, {result.exchanges:,} exchanges, "
                f"{result.seconds['total']:.2f} s"
            )
    return _exit_code(result.stopped)


@contextmanager
def _heeding(session: Session, progress: bool) -> Iterator[None]:
    """Show progress on rank 0 if asked to, and let SIGINT stop all ranks in the same round."""
    run = session.run
    stop = partial(setattr, run, "interrupted", True)
    with run.running(progress and run.rank == 0), heeded_interrupts(stop):
        yield
    if session.result is None and session.pairs is None:
        raise KeyboardInterrupt  # before there was a graph to have a matching of


def _exit_code(stopped: str | None) -> int:
    codes = {None: exit_codes.OK, "interrupted": exit_codes.INTERRUPTED}
    return codes.get(stopped, exit_codes.TIME_LIMIT)


def _read_matching(path: Path, part: Part, comm: MPICommunicator) -> tuple[Array, Array]:
    """Let rank 0 read a matching, and share it out."""
    import numpy as np

    from .distributed.messages import nothing, together
    from .results.matching import Matching

    sides = [nothing(comm)] * 2
    with together(comm):
        if comm.rank == 0:
            whole = Matching.load(path)
            if (whole.n_rows, whole.n_cols) != (part.n_rows, part.n_cols):
                raise ClusterError(
                    f"{path} is for {whole.n_rows} × {whole.n_cols} vertices, "
                    f"the graph has {part.n_rows} × {part.n_cols}"
                )
            sides = [
                np.split(np.asarray(mates, np.int64), bounds[1:-1])
                for mates, bounds in (
                    (whole.row_match, part.row_bounds),
                    (whole.col_match, part.col_bounds),
                )
            ]
    row_match, col_match = (comm.exchange(side)[0][0] for side in sides)
    return row_match, col_match


def _facts(graph: str | Path, session: Session) -> dict[str, Any]:
    """Return what --json prints."""
    part, result = session.done
    facts = asdict(result.stats)
    cover = facts.pop("cover")
    return {
        "graph": graph,
        "ranks": session.run.size,
        "rows": part.n_rows,
        "cols": part.n_cols,
        "is_maximum": result.complete,
        "proved": cover is not None,
        "cover_rows": None if cover is None else cover[0],
        "cover_cols": None if cover is None else cover[1],
        "unmatched_rows": part.n_rows - facts["cardinality"],
        "unmatched_cols": part.n_cols - facts["cardinality"],
    } | facts


def _lines(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Say it in words."""
    yield "graph", f"{graph_sizes(facts)}, on {plural(facts['ranks'], 'rank')}"
    verdict = f"at most {facts['upper_bound']:,} ({facts['stopped']})"
    if facts["is_maximum"]:
        verdict = "maximum, proved" if facts["proved"] else "maximum, not proved"
    yield "matching", f"{facts['cardinality']:,}  {verdict}"
    rows, cols = facts["unmatched_rows"], facts["unmatched_cols"]
    yield "unmatched", f"{plural(rows, 'row')}, {plural(cols, 'column')}"
    start, phase = facts["init"], facts["resumed_phase"]
    if phase is not None:
        start = f"phase {phase} of the checkpoint"
    yield "start", f"{facts['start_cardinality']:,} by {start}"
    how = "parts searched to their end" if facts["exhausted"] else "level by level"
    if "gathered" in facts["seconds"]:
        how += ", then by rank 0 alone"
    elif facts["ranks"] == 1 and not facts["exchanges"]:
        how = "as on one machine"
    yield "search", f"{plural(facts['phases'], 'phase')}, {facts['exchanges']:,} exchanges, {how}"
    local = f"{facts['local_fraction']:.0%} of edges local"
    yield "", f"{facts['bytes']:,} bytes sent by rank 0, {local}"
    if facts["proved"]:
        rows, cols = facts["cover_rows"], facts["cover_cols"]
        yield "proof", f"a vertex cover of {plural(rows, 'row')} and {plural(cols, 'column')}"
    yield "seconds", in_steps(facts["seconds"])
    if facts["output"] is not None:
        yield "written to", str(facts["output"])


def main(arguments: list[str] | None = None) -> int:
    """Run a command, and return the exit code; an error of this rank alone ends the whole job."""
    try:
        code = program.main(arguments, prog_name="python -m berge.mpi", standalone_mode=False)
        return int(code or 0)
    except click.ClickException as error:
        if _rank() == 0:
            error.show()
        return error.exit_code
    except click.Abort:
        return _end_all("interrupted", exit_codes.INTERRUPTED_BEFORE)
    except PeerLost as error:
        return _end_all(str(error), exit_codes.ERROR)
    except BergeError as error:  # all ranks have it
        if _rank() == 0:
            say("error", "bold red", str(error))
        return exit_codes.ERROR
    except Exception as error:
        traceback.print_exc()
        return _end_all(repr(error), exit_codes.ERROR)


def _world() -> MPICommunicator:
    from .distributed.mpi import MPICommunicator

    return MPICommunicator()


def _rank() -> int:
    """Return the number of this rank; 0 where there is no MPI."""
    try:
        return _world().rank
    except ClusterError:
        return 0


def _end_all(message: str, code: int) -> int:
    """Say why, and end all ranks: they may be waiting for this one."""
    comm = _world()
    hint = "with --checkpoint, --resume goes on from the last phase"
    say("error", "bold red", f"rank {comm.rank} of {comm.size}: {message} ({hint})")
    sys.stderr.flush()
    if comm.size > 1:
        comm.comm.Abort(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
