"""The command line: ``berge``. A file a command; `program` is what they have in common."""

from __future__ import annotations

import io
import sys

import click

from . import (
    algorithms,
    coarsen,
    convert,
    decompose,
    demo,
    fetch,
    generate,
    greedy,
    info,
    match,
    verify,
    warmup,
)
from .program import Program, examples

__all__ = ["cli", "main"]


@click.group(
    cls=Program,
    sections={
        "Matchings": [
            match.match,
            greedy.greedy,
            verify.verify,
            decompose.decompose,
        ],
        "Graphs": [coarsen.coarsen, info.info, generate.generate, convert.convert, fetch.fetch],
        "About this program": [
            algorithms.algorithms,
            warmup.warmup,
            demo.demo,
        ],
    },
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "berge demo",
        "berge match matrix.mtx -o matching.npz",
        "berge match $(berge fetch HB/west0479)",
    ),
)
@click.version_option(None, "-V", "--version", package_name="berge")
@click.option("--debug", is_flag=True, help="Show the traceback of errors.")
def cli(debug: bool) -> None:
    """Find matchings in graphs: fast, multicore, and proved.

    `berge COMMAND --help` explains a command and has examples.
    """


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without × is no reason to fail
    cli(prog_name="berge")
