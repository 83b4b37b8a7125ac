"""``berge verify``: whether a file is a maximum, or a maximal, matching of a graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..wording import plural
from . import exit_codes, options
from .display import graph_sizes, report, verdict, working
from .program import command

if TYPE_CHECKING:
    from rich.console import RenderableType


@command(
    "berge verify web.mtx matching.npz",
    "berge verify web.mtx matching.txt --json",
    "berge verify web.mtx matching.npz && echo maximum",
    "berge verify mesh.graph pairs.txt",
)
@options.graph_file
@options.parquet_columns
@click.argument("matching", type=click.Path(path_type=Path))
@options.as_json
@click.pass_context
def verify(ctx: click.Context, /, file: options.GraphFile, matching: Path, as_json: bool) -> None:
    """Check that MATCHING is a maximum matching of the graph in FILE, or a maximal one.

    The checker is independent of the solver. That a matching is maximum it proves with a vertex
    cover of the same size, and that it is not with an augmenting path. The exit code is 0 for a
    maximum matching, 5 if it is not a matching of this graph, 6 if it is but not a maximum one.

    Of what `berge greedy` wrote it checks the pairs, the weight, and that it is maximal: 0, or 6.
    """
    code, found = _check(file, matching, not as_json)
    facts = {"file": file.path, "matching": matching, **found}
    report(facts, _lines, f"{matching} in {file}", as_json=as_json)
    ctx.exit(code)


def _check(file: options.GraphFile, path: Path, shown: bool) -> tuple[int, dict[str, Any]]:
    """Check a matching of a general or a bipartite graph; return the exit code, and what is known.

    A general graph is read with weights if the matching weighs something else than its pairs.
    """
    from ..errors import InvalidMatchingError, ProofError
    from ..files.folder import FolderGraph
    from ..files.matchings import has_vertices
    from ..results import proof
    from ..results.greedy_matching import GreedyMatching
    from ..results.matching import Matching

    general, code, reason = has_vertices(path), exit_codes.NOT_A_MATCHING, None
    matching: Any = None
    with working("reading", shown):
        try:
            matching = (GreedyMatching if general else Matching).load(path)
        except InvalidMatchingError as error:  # the file contradicts itself
            reason = str(error)
        weighted = general and matching is not None and matching.weight != matching.size
        graph: Any = file.read_undirected(weights=weighted) if general else file.read()
    with working("checking", shown):
        if isinstance(graph, FolderGraph):  # what is read into memory was compared there
            graph.folder.check()
        try:
            if matching is not None and general:
                maximal = proof.verify_greedy(graph, replace(matching, is_maximal=False))
                code = exit_codes.NOT_MAXIMUM
                if not maximal:
                    raise ProofError("an edge has two unmatched ends")
            elif matching is not None:
                proof.verify(graph, matching)
                code = exit_codes.NOT_MAXIMUM
                matching.prove(graph)
            code = code if matching is None else exit_codes.OK
        except ProofError as error:
            reason = str(error)
    valid, best = code != exit_codes.NOT_A_MATCHING, code == exit_codes.OK
    if general:
        return code, {
            "vertices": graph.n_vertices,
            "edges": graph.n_edges,
            "size": matching.size if matching else None,
            "weight": matching.weight if matching else None,
            "is_valid": valid,
            "is_maximal": best,
            "reason": reason,
        }
    cover = matching.certificate if matching else None
    return code, {
        "rows": graph.n_rows,
        "cols": graph.n_cols,
        "edges": graph.nnz,
        "cardinality": matching.cardinality if matching else None,
        "is_valid": valid,
        "is_maximum": best,
        "is_perfect": best and matching.is_perfect,
        "cover_rows": None if cover is None else int(cover.rows.sum()),
        "cover_cols": None if cover is None else int(cover.cols.sum()),
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
