"""The command line: ``berge``. A file a command, of the same name, and a line about it here.

`program` is what the commands have in common.
"""

from __future__ import annotations

import gc
import io
import sys

import click

from .program import Program, examples

__all__ = ["cli", "main"]


@click.group(
    cls=Program,
    sections={
        "Matchings": {
            "match": "Find a maximum matching of a graph, and prove that it is one.",
            "assign": "Find the best assignment by weight, with capacities, and prove it.",
            "greedy": "Match a general graph quickly: maximal, and heavy if it has weights.",
            "weighted": "Find the heaviest matching of any graph, or the lightest, with a proof.",
            "verify": "Check a saved matching: valid? maximum? with a proof.",
            "decompose": "Show the Dulmage–Mendelsohn decomposition: "
            "which part of a matrix is singular.",
        },
        "Graphs": {
            "coarsen": "Make a graph smaller, level by level, by merging matched vertices.",
            "info": "Show sizes, degrees and memory of a graph.",
            "generate": "Generate a graph: meshes, road networks, RMAT, random ones, hard ones.",
            "convert": "Convert a graph from one file format to another.",
            "fetch": "Download a matrix of the SuiteSparse collection.",
        },
        "About this program": {
            "algorithms": "List the algorithms and starts.",
            "warmup": "Compile the kernels now, so that later runs start at once.",
            "gpu-check": "Run everything for GPUs on yours, and prove every answer.",
            "completion": "Have the shell complete commands, options and names of algorithms.",
            "demo": "Solve two sparse matrices step by step, and time scipy beside it.",
        },
    },
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog=examples(
        "berge demo",
        "berge match matrix.mtx -o matching.npz",
        "berge match $(berge fetch HB/west0479)",
        "zcat web.mtx.gz | berge match -",
        "berge match jobs.csv --left worker --right job -o - | sort",
    ),
)
@click.version_option(None, "-V", "--version", package_name="berge")
@click.option("--debug", is_flag=True, help="Show the traceback of errors.")
@click.option("--no-clobber", is_flag=True, help="Never write over a file that is there already.")
def cli(debug: bool, no_clobber: bool) -> None:
    """Find matchings in graphs: fast, multicore, and proved.

    `berge COMMAND --help` explains a command and has examples. A FILE of - is standard input,
    `-o -` standard output.
    """


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without × is no reason to fail
    try:
        cli(prog_name="berge")
    finally:
        gc.freeze()  # nothing to clean up is left: Python would look through all of numba for it
