"""``berge verify``: whether a file is a maximum, or a maximal, matching of a graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import exit_codes
from .display import fact_table, out, plural, working
from .options import as_json, column_options, graph_file, print_json, read_graph, read_options
from .program import Command, examples

if TYPE_CHECKING:
    from ..graphs.graph import BipartiteGraph
    from ..results.matching import Matching

__all__ = ["verify"]


@click.command(
    cls=Command,
    short_help="Check a saved matching: valid? maximum? with a proof.",
    epilog=examples(
        "berge verify web.mtx matching.npz",
        "berge verify web.mtx matching.txt --json",
        "berge verify web.mtx matching.npz && echo maximum",
        "berge verify mesh.graph pairs.txt",
    ),
)
@graph_file
@click.argument("matching", type=click.Path(path_type=Path))
@read_options
@column_options
@as_json
@click.pass_context
def verify(
    ctx: click.Context,
    file: Path,
    matching: Path,
    form: str | None,
    base: str,
    left: str | None,
    right: str | None,
    as_json: bool,
) -> None:
    """Check that MATCHING is a maximum matching of the graph in FILE, or a maximal one.

    The checker is independent of the solver. That a matching is maximum it proves with a vertex
    cover of the same size, and that it is not with an augmenting path. The exit code is 0 for a
    maximum matching, 5 if it is not a matching of this graph, 6 if it is but not a maximum one.

    Of what `berge greedy` wrote it checks the pairs, the weight, and that it is maximal: 0, or 6.
    """
    from ..errors import InvalidMatchingError
    from ..files.folder import FolderGraph
    from ..files.matchings import has_vertices
    from ..results.matching import Matching

    if has_vertices(matching):
        ctx.exit(_verify_greedy(file, matching, form, base, as_json))

    with working("reading", not as_json):
        graph = read_graph(file, form, base, left, right)
        try:
            loaded, reason = Matching.load(matching), ""
        except InvalidMatchingError as error:  # the file contradicts itself
            loaded, reason = None, str(error)
    with working("checking", not as_json):
        if isinstance(graph, FolderGraph):  # what is read into memory was compared there
            graph.folder.check()
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


def _verify_greedy(file: Path, matching: Path, form: str | None, base: str, as_json: bool) -> int:
    """Check and show a matching of a general graph; return the exit code."""
    from dataclasses import replace

    from ..errors import InvalidMatchingError, ProofError
    from ..files import read_graph
    from ..results.greedy_matching import GreedyMatching
    from ..results.proof import is_maximal, verify_greedy

    loaded, code, reason = None, exit_codes.NOT_A_MATCHING, ""
    with working("reading", not as_json):
        try:
            loaded = GreedyMatching.load(matching)
        except InvalidMatchingError as error:  # the file contradicts itself
            reason = str(error)
        weighted = loaded is not None and loaded.weight != loaded.size
        graph = read_graph(file, weights=weighted, format=form, base=int(base))
    with working("checking", not as_json):
        if loaded is not None:
            try:
                verify_greedy(graph, replace(loaded, is_maximal=False))
                code = exit_codes.OK if is_maximal(graph, loaded.mate) else exit_codes.NOT_MAXIMUM
            except ProofError as error:
                reason = str(error)
    if code == exit_codes.NOT_MAXIMUM:
        reason = "an edge has two unmatched ends"
    facts = {
        "file": str(file),
        "matching": str(matching),
        "vertices": graph.n_vertices,
        "edges": graph.n_edges,
        "size": loaded.size if loaded else None,
        "weight": loaded.weight if loaded else None,
        "is_valid": code != exit_codes.NOT_A_MATCHING,
        "is_maximal": code == exit_codes.OK,
        "reason": reason or None,
    }
    if as_json:
        print_json(facts)
    else:
        _show_greedy(facts)
    return code


def _show_greedy(facts: dict[str, Any]) -> None:
    from rich.text import Text

    good, bad = ("yes", "bold green"), ("no", "bold red")
    graph = f"{plural(facts['vertices'], 'vertex', 'vertices')}, {plural(facts['edges'], 'edge')}"
    lines: list[tuple[str, str | Text]] = [("graph", graph)]
    if facts["size"] is not None:
        weight = f", weight {facts['weight']:.10g}" if facts["weight"] != facts["size"] else ""
        lines.append(("matching", plural(facts["size"], "pair") + weight))
    lines.append(("valid", Text.assemble(good if facts["is_valid"] else bad)))
    if facts["is_valid"]:
        lines.append(("maximal", Text.assemble(good if facts["is_maximal"] else bad)))
    if facts["reason"]:
        lines.append(("because", facts["reason"]))
    out().print(fact_table(lines, title=f"{facts['matching']} in {facts['file']}"))


def _check(graph: BipartiteGraph, matching: Matching) -> tuple[int, str]:
    """Return the exit code and what is wrong."""
    from ..errors import ProofError
    from ..results.proof import verify

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
