"""The command line of ranks: ``mpiexec -n 4 python -m berge.mpi match graph.berge/ -o out/``.

Every rank runs this file; the graph and the matching are spread over them. Rank 0 prints. Exit
codes are those of ``berge``.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .cli import exit_codes
from .cli.display import fact_table, out
from .cli.options import key_values, plain_values, print_json, seconds
from .cli.program import Command, Group, examples, say
from .cli.program import _message as message_of
from .errors import BergeError, ClusterError, PeerLost
from .wording import plural

if TYPE_CHECKING:
    from .distributed.communicator import Array, Communicator
    from .distributed.mpi import MPICommunicator
    from .distributed.part import Part
    from .distributed.session import Session

__all__ = ["main", "program"]

graph_argument = click.argument("graph", type=click.Path(path_type=Path))
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"]},
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
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="A folder, to which each rank writes its share; or one .npz, .txt or .json file.",
)
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Save the matching there after every phase; all ranks must see the folder.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Go on from the checkpoint if there is one, whatever the number of ranks was.",
)
@click.option(
    "-i",
    "--init",
    type=click.Choice(["karp-sipser", "greedy", "none"]),
    default="karp-sipser",
    show_default=True,
    help="Start that the search begins with.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the start."
)
@click.option(
    "--time-limit",
    type=float,
    callback=seconds,
    metavar="SECONDS",
    help="Stop after so many seconds, with the best matching so far.",
)
@click.option("--left", metavar="COLUMN", help="Column of Parquet files with numbers of rows.")
@click.option("--right", metavar="COLUMN", help="Column with numbers of columns.")
@click.option(
    "--option",
    "switches",
    multiple=True,
    metavar="KEY=VALUE",
    help="exhaust=true or false: search parts to their end; alpha: direction of the search.",
)
@click.option("--no-prove", is_flag=True, help="Do not check the result with a vertex cover.")
@click.option("--progress/--no-progress", default=False, help="Show the search on stderr.")
@json_option
@quiet_option
def match(
    graph: Path,
    output: Path | None,
    checkpoint: Path | None,
    resume: bool,
    init: str,
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
    """
    from .distributed.session import Session, check_options
    from .results.progress import ProgressLine

    if resume and checkpoint is None:
        raise click.UsageError("--resume needs --checkpoint")
    comm = _world()
    with _together(comm):
        options = check_options(init, plain_values(key_values(switches, "'--option'")))
        if output is not None:
            _check_output(output)
    if checkpoint is not None and comm.rank == 0 and not quiet:
        say("checkpoints", "bold", f"in {checkpoint}; if a rank is lost, go on with --resume")
    session = Session(comm)
    with ProgressLine() as show:
        result = session.search(
            lambda _: _read(graph, comm, left, right),
            checkpoint=checkpoint,
            resume=resume,
            time_limit=time_limit,
            on_phase=show if progress and comm.rank == 0 else None,
            seed=seed,
            **options,
        )
    if not no_prove:
        session.prove()
    if output is not None:
        _write(output, session)
    if comm.rank == 0:
        facts = _facts(graph, session)
        facts["init"] = init if session.resumed is None else "none"
        if as_json:
            print_json(facts)
        elif not quiet:
            out().print(fact_table(_lines(facts, output), title=str(graph)))
    return exit_codes.OK if result.complete else exit_codes.TIME_LIMIT


@program.command(
    cls=Command,
    short_help="Check a matching, and whether it is maximum.",
    epilog=examples("mpiexec -n 4 python -m berge.mpi verify graph.berge/ out/"),
)
@graph_argument
@click.argument("matching", type=click.Path(path_type=Path))
@json_option
@quiet_option
def verify(graph: Path, matching: Path, as_json: bool, quiet: bool) -> int:
    """Check that MATCHING is a matching of GRAPH, and a maximum one.

    Each rank checks what it has of the graph. MATCHING is what `match` wrote.
    """
    from .distributed.proof import prove_part

    comm = _world()
    part = _read(graph, comm)
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
            print_json(facts)
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
    ),
)
@graph_argument
@click.option(
    "-m",
    "--method",
    type=click.Choice(["auto", "locally-dominant", "proposals", "weighted-proposals"]),
    default="auto",
    show_default=True,
    help="With weights auto is locally-dominant, and proposals without.",
)
@click.option("--weights", is_flag=True, help="Edges weigh what the file says, not 1.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of proposals."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write the pairs to a .npz or .txt file.",
)
@json_option
@quiet_option
def greedy(
    graph: Path,
    method: str,
    weights: bool,
    seed: int,
    output: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Find a maximal matching of the undirected graph in GRAPH, and check it where the data lives.

    Of a .berge folder each rank reads its own slice; any other file is read by rank 0, and shared
    out.
    """
    from .cli.options import check_output
    from .distributed.session import Session

    comm = _world()
    with _together(comm):
        if output is not None:
            check_output(output, (".npz", ".txt"))
    session = Session(comm)
    result = session.greedy(
        lambda _: _read_undirected(graph, weights, comm), method=method, seed=seed
    )
    if output is not None:
        mate = _gathered(comm, result.mate)
        with _together(comm):
            if comm.rank == 0:
                result.joined(mate, seed).save(output)
    if comm.rank == 0:
        assert session.part is not None
        n = session.part.n_rows
        names = ("size", "weight", "is_maximal", "method", "rounds", "exchanges", "seconds")
        facts = {"graph": str(graph), "ranks": comm.size, "vertices": n}
        facts |= {name: getattr(result, name) for name in names}
        if as_json:
            print_json(facts)
        elif not quiet:
            click.echo(
                f"{graph}: {plural(result.size, 'pair')} of {n:,} vertices, "
                f"weight {result.weight:.10g}, maximal; {result.method} on "
                f"{plural(comm.size, 'rank')}, {result.exchanges:,} exchanges, "
                f"{result.seconds['total']:.2f} s"
            )
    return exit_codes.OK


def _read_undirected(path: Path, weights: bool, comm: MPICommunicator) -> tuple[Part, Any]:
    """Read this rank's part of an undirected graph, and its weights."""
    from .distributed.greedy import scattered, undirected
    from .distributed.part import Part
    from .files.folder import is_folder
    from .ingest import as_graph

    if is_folder(path):
        with _together(comm):
            if weights:
                raise ClusterError(f"{path}: a .berge folder has no weights")
            part = Part.from_folder(path, comm.rank, comm.size)
        return undirected(part, comm), None
    with _together(comm):
        graph = as_graph(path, weights=weights) if comm.rank == 0 else None
    return scattered(graph, comm)


def _read(
    path: Path, comm: MPICommunicator, left: str | None = None, right: str | None = None
) -> Part:
    """Read this rank's part of a graph; `left` and `right` are columns of Parquet files."""
    from .distributed.part import Part
    from .distributed.sources import from_ends, is_parquet, parquet_ends
    from .files import read
    from .files.folder import is_folder

    graph = ends = None
    with _together(comm):
        if is_folder(path):
            return Part.from_folder(path, comm.rank, comm.size)
        if is_parquet(str(path)):
            ends = parquet_ends(str(path), (left, right), comm.rank, comm.size)
        elif left is not None or right is not None:
            raise click.UsageError("--left and --right are for Parquet files")
        elif comm.rank == 0:
            graph = read(path)
    return Part.scattered(graph, comm) if ends is None else from_ends(ends, None, comm)


def _read_matching(path: Path, part: Part, comm: MPICommunicator) -> tuple[Array, Array]:
    """Let rank 0 read a matching, and share it out."""
    import numpy as np

    from .results.matching import Matching

    sides = [[np.empty(0, np.int64)] * comm.size] * 2
    with _together(comm):
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


def _check_output(path: Path) -> None:
    """Refuse a place that cannot be written to, before any work."""
    from .files.parts import check_place

    if path.suffix:
        from .cli.options import check_output

        check_output(path, (".npz", ".txt", ".json"))
    else:
        check_place(path)


def _write(path: Path, session: Session) -> None:
    """Write each rank's share to a folder, or all of it to a file."""
    from .results.matching import Matching

    if not path.suffix:
        session.write(path)
        return
    comm, arrays = session.comm, session.arrays()
    row_match, col_match = (_gathered(comm, arrays[name]) for name in ("row_match", "col_match"))
    with _together(comm):
        if comm.rank == 0:
            assert session.result is not None
            bound = session.result.stats.upper_bound
            Matching(row_match, col_match, upper_bound=bound).save(path)


def _gathered(comm: Communicator, mine: Any) -> Any:
    """Return what all ranks have, one after the other, on rank 0; nothing on others."""
    import numpy as np

    from .distributed.messages import to_first

    received, _ = comm.exchange(to_first(comm, mine.astype(np.int64)))
    return np.concatenate(received).astype(mine.dtype)


def _facts(graph: Path, session: Session) -> dict[str, Any]:
    """Return what --json prints."""
    part, result = session.part, session.result
    assert part is not None
    assert result is not None
    stats, cover = result.stats, session.cover
    return {
        "graph": str(graph),
        "ranks": session.comm.size,
        "rows": part.n_rows,
        "cols": part.n_cols,
        "edges": session.edges,
        "cardinality": stats.cardinality,
        "upper_bound": stats.upper_bound,
        "is_maximum": result.complete,
        "proved": cover is not None,
        "cover_rows": None if cover is None else cover[0],
        "cover_cols": None if cover is None else cover[1],
        "unmatched_rows": part.n_rows - stats.cardinality,
        "unmatched_cols": part.n_cols - stats.cardinality,
        "resumed_phase": session.resumed,
        "start_cardinality": stats.start_cardinality,
        "phases": stats.phases,
        "exchanges": stats.exchanges,
        "bytes": stats.bytes,
        "local_fraction": stats.local_fraction,
        "exhausted": stats.exhausted,
        "seconds": stats.seconds,
        "stopped": stats.stopped,
    }


def _lines(facts: dict[str, Any], output: Path | None) -> Iterator[tuple[str, str]]:
    """Say it in words."""
    sizes = f"{plural(facts['rows'], 'row')} × {plural(facts['cols'], 'column')}"
    where = plural(facts["ranks"], "rank")
    yield "graph", f"{sizes}, {plural(facts['edges'], 'edge')}, on {where}"
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
    yield "search", f"{plural(facts['phases'], 'phase')}, {facts['exchanges']:,} exchanges, {how}"
    yield (
        "",
        f"{facts['bytes']:,} bytes sent by rank 0, {facts['local_fraction']:.0%} of edges local",
    )
    if facts["proved"]:
        rows, cols = facts["cover_rows"], facts["cover_cols"]
        yield "proof", f"a vertex cover of {plural(rows, 'row')} and {plural(cols, 'column')}"
    steps = dict(facts["seconds"])
    whole = steps.pop("total")
    named = ", ".join(f"{step} {spent:.2f}" for step, spent in steps.items())
    yield "seconds", f"{whole:.2f}: {named}"
    if output is not None:
        yield "written to", str(output)


@contextmanager
def _together(comm: Communicator) -> Iterator[None]:
    """Turn an error of one rank into one of all, so that none waits for it."""
    from .distributed.messages import agree

    usage = problem = ""
    try:
        yield
    except click.ClickException as error:
        usage = error.format_message()
    except (BergeError, OSError) as error:
        problem = message_of(error)
    agree(comm, usage, click.UsageError)
    agree(comm, problem, ClusterError)


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
