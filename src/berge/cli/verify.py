"""``berge verify``: whether a file is a maximum matching of a graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import exit_codes
from .display import fact_table, out, plural, working
from .options import as_json, graph_file, print_json, read_graph, read_options
from .program import Command, examples

if TYPE_CHECKING:
    from ..graph import BipartiteGraph
    from ..matching import Matching

__all__ = ["verify"]


@click.command(
    cls=Command,
    short_help="Check a saved matching: valid? maximum? with a proof.",
    epilog=examples(
        "berge verify web.mtx matching.npz",
        "berge verify web.mtx matching.txt --json",
        "berge verify web.mtx matching.npz && echo maximum",
    ),
)
@graph_file
@click.argument("matching", type=click.Path(path_type=Path))
@read_options
@as_json
@click.pass_context
def verify(
    ctx: click.Context, file: Path, matching: Path, form: str | None, base: str, as_json: bool
) -> None:
    """Check that MATCHING is a maximum matching of the graph in FILE.

    The checker is independent of the solver. That a matching is maximum it proves with a vertex
    cover of the same size, and that it is not with an augmenting path. The exit code is 0 for a
    maximum matching, 5 if it is not a matching of this graph, 6 if it is but not a maximum one.
    """
    from ..errors import InvalidMatchingError
    from ..matching import Matching

    with working("reading", not as_json):
        graph = read_graph(file, form, base)
        try:
            loaded, reason = Matching.load(matching), ""
        except InvalidMatchingError as error:  # the file contradicts itself
            loaded, reason = None, str(error)
    with working("checking", not as_json):
        code, reason = (exit_codes.NOT_A_MATCHING, reason) if not loaded else _check(graph, loaded)
    proof = loaded.certificate if loaded else None
    facts = {
        "file": str(file),
        "matching": str(matching),
        "rows": graph.n_rows,
        "cols": graph.n_cols,
        "edges": graph.nnz,
        "cardinality": loaded.cardinality if loaded else None,
        "is_valid": code != exit_codes.NOT_A_MATCHING,
        "is_maximum": code == exit_codes.OK,
        "is_perfect": code == exit_codes.OK and loaded is not None and loaded.is_perfect,
        "cover_rows": None if proof is None else int(proof.rows.sum()),
        "cover_cols": None if proof is None else int(proof.cols.sum()),
        "reason": reason or None,
    }
    if as_json:
        print_json(facts)
    else:
        _show(facts)
    ctx.exit(code)


def _check(graph: BipartiteGraph, matching: Matching) -> tuple[int, str]:
    """Return the exit code and what is wrong."""
    from ..errors import ProofError
    from ..proof import verify

    try:
        verify(graph, matching)
    except ProofError as error:
        return exit_codes.NOT_A_MATCHING, str(error)
    try:
        matching.prove(graph)
    except ProofError as error:
        return exit_codes.NOT_MAXIMUM, str(error)
    return exit_codes.OK, ""


def _show(facts: dict[str, object]) -> None:
    from rich.text import Text

    def number(name: str) -> int:
        return int(str(facts[name]))

    rows, cols = plural(number("rows"), "row"), plural(number("cols"), "column")
    lines: list[tuple[str, str | Text]] = [
        ("graph", f"{rows} × {cols}, {plural(number('edges'), 'edge')}"),
    ]
    if facts["cardinality"] is not None:
        lines.append(("matching", plural(number("cardinality"), "edge")))
    good, bad = ("yes", "bold green"), ("no", "bold red")
    lines.append(("valid", Text.assemble(good if facts["is_valid"] else bad)))
    if facts["is_valid"]:
        perfect = " (perfect)" if facts["is_perfect"] else ""
        lines.append(("maximum", Text.assemble(good if facts["is_maximum"] else bad, perfect)))
    if facts["is_maximum"]:
        cover = (plural(number("cover_rows"), "row"), plural(number("cover_cols"), "column"))
        lines.append(("proof", f"a vertex cover of {cover[0]} and {cover[1]}: the same size"))
    if facts["reason"]:
        lines.append(("because", str(facts["reason"])))
    out().print(fact_table(lines, title=f"{facts['matching']} in {facts['file']}"))
