"""``berge verify``: whether a file is a maximum, or a maximal, matching of a graph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import exit_codes
from .display import fact_table, graph_sizes, out, plural, verdict, working
from .options import PARQUET_COLUMNS, GraphFile, as_json, graph_file, print_json
from .program import command

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["verify"]

Checked = tuple[int, dict[str, Any]]  # the exit code, and what is known


@command(
    "berge verify web.mtx matching.npz",
    "berge verify web.mtx matching.txt --json",
    "berge verify web.mtx matching.npz && echo maximum",
    "berge verify mesh.graph pairs.txt",
)
@graph_file(columns=PARQUET_COLUMNS)
@click.argument("matching", type=click.Path(path_type=Path))
@as_json
@click.pass_context
def verify(ctx: click.Context, /, file: GraphFile, matching: Path, as_json: bool) -> None:
    """Check that MATCHING is a maximum matching of the graph in FILE, or a maximal one.

    The checker is independent of the solver. That a matching is maximum it proves with a vertex
    cover of the same size, and that it is not with an augmenting path. The exit code is 0 for a
    maximum matching, 5 if it is not a matching of this graph, 6 if it is but not a maximum one.

    Of what `berge greedy` wrote it checks the pairs, the weight, and that it is maximal: 0, or 6.
    """
    from ..files.matchings import has_vertices

    check = _check_general if has_vertices(matching) else _check_bipartite
    code, found = check(file, matching, not as_json)
    facts = {"file": file.path, "matching": matching, **found}
    if as_json:
        print_json(facts)
    else:
        out().print(fact_table(_lines(facts), title=f"{matching} in {file}"))
    ctx.exit(code)


def _check_bipartite(file: GraphFile, path: Path, shown: bool) -> Checked:
    """Check a matching of a bipartite graph."""
    from ..errors import InvalidMatchingError, ProofError
    from ..files.folder import FolderGraph
    from ..results.matching import Matching
    from ..results.proof import verify

    matching, code, reason = None, exit_codes.NOT_A_MATCHING, None
    with working("reading", shown):
        graph = file.read()
        try:
            matching = Matching.load(path)
        except InvalidMatchingError as error:  # the file contradicts itself
            reason = str(error)
    with working("checking", shown):
        if isinstance(graph, FolderGraph):  # what is read into memory was compared there
            graph.folder.check()
        if matching is not None:
            try:
                verify(graph, matching)
                code = exit_codes.NOT_MAXIMUM
                matching.prove(graph)
                code = exit_codes.OK
            except ProofError as error:
                reason = str(error)
    proof = matching.certificate if matching else None
    return code, {
        "rows": graph.n_rows,
        "cols": graph.n_cols,
        "edges": graph.nnz,
        "cardinality": matching.cardinality if matching else None,
        "is_valid": code != exit_codes.NOT_A_MATCHING,
        "is_maximum": code == exit_codes.OK,
        "is_perfect": code == exit_codes.OK and matching is not None and matching.is_perfect,
        "cover_rows": None if proof is None else int(proof.rows.sum()),
        "cover_cols": None if proof is None else int(proof.cols.sum()),
        "reason": reason,
    }


def _check_general(file: GraphFile, path: Path, shown: bool) -> Checked:
    """Check a matching of a general graph."""
    from dataclasses import replace

    from ..errors import InvalidMatchingError, ProofError
    from ..results.greedy_matching import GreedyMatching
    from ..results.proof import is_maximal, verify_greedy

    matching, code, reason = None, exit_codes.NOT_A_MATCHING, None
    with working("reading", shown):
        try:
            matching = GreedyMatching.load(path)
        except InvalidMatchingError as error:  # the file contradicts itself
            reason = str(error)
        weighted = matching is not None and matching.weight != matching.size
        graph = file.read_undirected(weights=weighted)
    with working("checking", shown):
        if matching is not None:
            try:
                verify_greedy(graph, replace(matching, is_maximal=False))
                code = exit_codes.OK
                if not is_maximal(graph, matching.mate):
                    code, reason = exit_codes.NOT_MAXIMUM, "an edge has two unmatched ends"
            except ProofError as error:
                reason = str(error)
    return code, {
        "vertices": graph.n_vertices,
        "edges": graph.n_edges,
        "size": matching.size if matching else None,
        "weight": matching.weight if matching else None,
        "is_valid": code != exit_codes.NOT_A_MATCHING,
        "is_maximal": code == exit_codes.OK,
        "reason": reason,
    }


def _lines(facts: dict[str, Any]) -> Iterator[tuple[str, RenderableType]]:
    """Yield the lines of the summary, of either kind of matching."""
    yield "graph", graph_sizes(facts)
    if facts.get("cardinality") is not None:
        yield "matching", plural(facts["cardinality"], "edge")
    elif facts.get("size") is not None:
        weight = f", weight {facts['weight']:.10g}" if facts["weight"] != facts["size"] else ""
        yield "matching", plural(facts["size"], "pair") + weight
    yield "valid", verdict(facts["is_valid"])
    if facts["is_valid"] and "is_maximal" in facts:
        yield "maximal", verdict(facts["is_maximal"])
    elif facts["is_valid"]:
        yield "maximum", verdict(facts["is_maximum"], " (perfect)" * facts["is_perfect"])
    if facts.get("is_maximum"):
        rows, cols = plural(facts["cover_rows"], "row"), plural(facts["cover_cols"], "column")
        yield "proof", f"a vertex cover of {rows} and {cols}: the same size"
    if facts["reason"]:
        yield "because", facts["reason"]
