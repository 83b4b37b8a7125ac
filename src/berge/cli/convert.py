"""``berge convert``: from one file format to another."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from ..wording import parse_bytes, plural
from . import options
from .display import progress_bars, working
from .exit_codes import INTERRUPTED_BEFORE
from .pipes import as_named, kept_from_stdin, kept_from_url, sent_to_stdout
from .program import command, say

_SECONDS_BETWEEN_LINES = 5.0  # where stderr is no terminal

Show = Callable[[str, "float | None", int], object]


def _size(ctx: click.Context, param: click.Parameter, value: str) -> int:
    try:
        return parse_bytes(value)
    except ValueError:
        wrong = f"{value!r} is not a size such as 800M or 2G"
        raise click.BadParameter(wrong, ctx, param) from None


@command(
    "berge convert web.mtx web.npz",
    "berge convert edges.csv edges.mtx.gz --base 1",
    "berge convert edges.dat edges.mtx --from csv",
    "berge convert huge.mtx.gz huge.berge --memory 2G",
    "berge convert edges.parquet edges.berge --left user --right item",
)
@click.argument("path", metavar="IN", type=options.AnyPath(as_it_is=True))
@click.argument("target", metavar="OUT", type=options.AnyPath())
@click.option("--from", "form", metavar="NAME", help="Format of IN, if not by its suffix.")
@click.option("--to", "to_format", metavar="NAME", help="Format of OUT, if not by its suffix.")
@options.base("Number of the first row and column, where IN is an edge list.")
@options.columns(
    "Column of the rows, where IN is Parquet.", "Column of the columns, where IN is Parquet."
)
@options.limits
@click.option("--memory", metavar="SIZE", default="1G", callback=_size,
              help="Memory to work in, where OUT is a .berge folder.")  # fmt: skip
@options.quiet()
@click.pass_context
def convert(
    ctx: click.Context,
    /,
    path: Any,
    target: Path,
    to_format: str | None,
    memory: int,
    quiet: bool,
    **source_options: object,
) -> None:
    """Read the graph in IN and write it to OUT.

    Formats are known by their suffixes: .mtx (Matrix Market), .csv .tsv .txt .el .edges (edge
    lists), .graph .metis (METIS), .hgr (hMETIS), .gr (DIMACS), .npz (NumPy), .parquet .feather
    .arrow (edge lists), .berge (a folder of CSR arrays); .graphml and .net (Pajek) are read. One
    more suffix .gz, .bz2 or .xz has a text file compressed.

    Matrix Market, edge lists and Parquet of any size become .berge folders in the memory that is
    given. If the command is stopped, the same command goes on where it was: OUT.partial keeps what
    is done so far.
    """
    from ..errors import FormatError
    from ..files import check_base, format_at, format_of, write
    from ..files.manifest import check_target

    form: Any = source_options["form"]
    path = kept_from_stdin(form) if str(path) == "-" else path
    limits: Any = source_options["limits"]
    path = kept_from_url(path, limits) if isinstance(path, str) else path
    source = options.GraphFile(path, **source_options)  # type: ignore[arg-type]  # click's types
    if str(target) == "-":
        target = sent_to_stdout(f".{to_format or 'mtx'}")
    try:
        to_folder = format_of(target, to_format).name == "folder"
    except FormatError as error:
        raise click.BadParameter(
            str(error).replace("format=", "--to"), param_hint="'OUT'"
        ) from None
    (check_target if to_folder else options.check_output)(target)
    source_format = format_at(source.path, source.form)
    check_base(source_format, source.base)
    if (source.left or source.right) and source_format.name != "parquet":
        raise click.UsageError("--left and --right name columns of Parquet, and IN is none")
    sizes = _convert_stream(ctx, source, target, memory, quiet) if to_folder else None
    if sizes is None:
        with working("reading", not quiet):
            graph = source.read()
        with working("writing", not quiet):
            write(graph, target, format=to_format)
        sizes = (*graph.shape, graph.nnz)
    if not quiet:
        say(
            "wrote",
            "green",
            f"{as_named(str(target))}: {sizes[0]:,} × {sizes[1]:,}, {sizes[2]:,} edges",
        )


def _convert_stream(
    ctx: click.Context, source: options.GraphFile, target: Path, memory: int, quiet: bool
) -> tuple[int, int, int] | None:
    """Convert what can be read in portions; return rows, columns and edges, or None."""
    from ..files.convert import convert_stream, edges_read, work_folder

    stream = source.stream()
    if stream is None:
        return None
    if (before := edges_read(stream, target)) and not quiet:
        say("going on", "green", f"after {plural(before, 'edge')} that were read before")
    try:
        with _progress(not quiet) as show:
            folder = convert_stream(stream, target, memory=memory, progress=show)
    except KeyboardInterrupt:
        done = f"what is done is in {work_folder(target)}"
        say("interrupted", "yellow", f"the same command goes on; {done}")
        ctx.exit(INTERRUPTED_BEFORE)
    return (*folder.shape, folder.nnz)


@contextmanager
def _progress(shown: bool) -> Iterator[Show]:
    """Show each step with the time that it will still take: a bar, or now and then a line."""
    if not shown:
        yield lambda step, share, edges: None
    elif not sys.stderr.isatty():
        yield _lines()
    else:
        from rich.progress import TextColumn

        with progress_bars(TextColumn("{task.fields[edges]:,} edges")) as bars:
            tasks = {}

            def move(step: str, share: float | None, edges: int) -> None:
                if step not in tasks:
                    tasks[step] = bars.add_task(step, total=None, edges=0)
                total = None if share is None else 1.0
                bars.update(tasks[step], completed=share or 0.0, total=total, edges=edges)

            yield move


def _lines() -> Show:
    """Return what prints a line every few seconds."""
    began: dict[str, tuple[float, float]] = {}
    following = time.monotonic() + _SECONDS_BETWEEN_LINES

    def show(step: str, share: float | None, edges: int) -> None:
        nonlocal following
        now = time.monotonic()
        start, from_share = began.setdefault(step, (now, share or 0.0))
        if now < following:
            return
        following = now + _SECONDS_BETWEEN_LINES
        text = f"berge: {step}, {edges:,} edges"
        if share is not None and share > from_share:
            left = (now - start) * (1 - share) / (share - from_share)
            text += f", {share:.0%}, {left:.0f} s left"
        print(text, file=sys.stderr, flush=True)

    return show
