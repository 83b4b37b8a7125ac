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

    from ..checker.independent import Verdict


@command(
    "berge verify web.mtx matching.npz",
    "berge verify web.mtx matching.txt --json",
    "berge verify web.mtx matching.npz && echo maximum",
    "berge verify mesh.graph pairs.txt",
    "berge verify web.mtx matching.npz --independent",
    "berge verify huge.berge matching.npz --within 1%",
    "berge verify scores.csv plan.npz --left person --right job --score points",
)
@options.graph_file
@options.columns("Column of the rows, in Parquet and in tables of labels.",
                 "Column of the columns.")  # fmt: skip
@click.option("--score", metavar="COLUMN", help="Column with the weights, for an assignment.")
@click.argument("matching", type=options.AnyPath(read=True))
@click.option(
    "--independent",
    is_flag=True,
    help="Share nothing with the readers and solvers, from the files on: plain Python and numpy, "
    "which are slow, and all of the graph in memory.",
)
@options.within(
    help="Say yes too if a cover in MATCHING (.npz) proves that no matching is larger by more."
)
@options.as_json
@click.pass_context
def verify(
    ctx: click.Context,
    /,
    file: options.GraphFile,
    matching: Path,
    score: str | None,
    independent: bool,
    within: float | None,
    as_json: bool,
) -> None:
    """Check that MATCHING is a maximum matching of the graph in FILE, or a maximal one.

    The checker is independent of the solver. That a matching is maximum it proves with a vertex
    cover of the same size, and that it is not with an augmenting path. The exit code is 0 for a
    maximum matching, and 6 for one that is not maximum. It is 5 if it is no matching of this graph.

    Of what `berge match --general` wrote it proves the same, with a Tutte–Berge set. Of what `berge
    greedy` wrote it checks the pairs, the weight, and that it is maximal: 0, or 6. Some files have
    their proof in them, prices or a cover: what `berge assign` wrote to .npz or .json, `berge
    weighted` to .npz, and `berge match` with capacities.

    What reads the files, and what finds the cover, is compiled code that `berge match` uses too.
    With --independent nothing is: not even numba is imported.

    What `berge match --within` wrote to .npz has a cover for its upper bound, which is checked.
    Such a matching is not maximum, so the exit code is 6, unless --within permits it.
    """
    if not independent and (kind := _kind_of(matching)):
        from . import verify_pairs

        if kind == "prices":
            checked = verify_pairs.check_assignment_file(file, score, matching, not as_json)
        else:
            check = {
                "units": verify_pairs.check_units_file,
                "odd sets": verify_pairs.check_odd_sets,
            }
            checked = check[kind](file, matching, not as_json)
        checked = {"file": file.path, "matching": matching, **checked}
        report(checked, verify_pairs.lines, f"{matching} in {file}", as_json=as_json)
        if not checked["is_valid"]:
            ctx.exit(exit_codes.NOT_A_MATCHING)
        ctx.exit(exit_codes.OK if checked["is_best"] else exit_codes.NOT_MAXIMUM)
    found = (_check_independently if independent else _check)(file, matching, not as_json)
    facts = {"file": file.path, "matching": matching, **_facts(found)}
    lines = _independent_lines if independent else _lines
    report(facts, lines, f"{matching} in {file}", as_json=as_json)
    if not found.valid:
        ctx.exit(exit_codes.NOT_A_MATCHING)
    near = within is not None and found.bound is not None
    near = near and found.bound <= (1 + within) * (found.size or 0)  # type: ignore[operator]
    ctx.exit(exit_codes.OK if found.best or near else exit_codes.NOT_MAXIMUM)


def _kind_of(path: Path) -> str | None:
    from ..files.assignments import kind_of

    return kind_of(path)


def _check_independently(file: options.GraphFile, path: Path, shown: bool) -> Verdict:
    """Read and check by `berge.checker` alone; limits can only refuse, so they are berge's own."""
    from ..checker.graphs import Source
    from ..checker.independent import verify
    from ..checker.matchings import has_prices_or_units
    from ..checker.untrusted import Limits
    from ..graphs.memory import available

    limits = Limits(available())
    if file.limits is not None:
        given = file.limits.now()
        limits = Limits(given.memory or 0, given.line, given.ratio)
    if has_prices_or_units(path, limits):
        raise click.UsageError("--independent is for matchings, not for prices and capacities")
    with working("reading and checking", shown):
        return verify(Source(file.path, limits, file.form, file.base, file.left, file.right), path)


def _check(file: options.GraphFile, path: Path, shown: bool) -> Verdict:
    """Check a matching of a general or a bipartite graph.

    A general graph is read with weights if the matching weighs something else than its pairs.
    """
    from ..checker.independent import Verdict
    from ..errors import InvalidMatchingError, ProofError
    from ..files.folder import FolderGraph
    from ..files.matchings import has_bound, has_vertices
    from ..results import proof
    from ..results.greedy_matching import GreedyMatching
    from ..results.matching import Matching

    general, valid, best, reason = has_vertices(path), False, False, None
    if general and has_bound(path):
        return _check_exact(file, path, shown)
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
                valid = True
                if not maximal:
                    raise ProofError("an edge has two unmatched ends")
            elif matching is not None:
                proof.verify(graph, matching)
                valid = True
                matching.prove(graph)
            best = matching is not None and (general or matching.is_maximum)
        except ProofError as error:
            reason = str(error)
    if general:
        size, weight = (matching.size, matching.weight) if matching else (None, None)
        return Verdict((graph.n_vertices,), graph.n_edges, size, weight, valid, best, None, reason)
    size = matching.cardinality if matching else None
    proved = matching.certificate if matching else None
    cover = None if proved is None else (int(proved.rows.sum()), int(proved.cols.sum()))
    bound = None if proved is None else proved.size
    found = Verdict(graph.shape, graph.nnz, size, None, valid, best, cover, reason)
    return found._replace(bound=bound)


def _check_exact(file: options.GraphFile, path: Path, shown: bool) -> Verdict:
    """Check what an exact algorithm has found in a general graph."""
    from ..checker.independent import Verdict
    from ..errors import ProofError
    from ..results.general_matching import GeneralMatching
    from ..results.tutte_berge import verify_general

    with working("reading", shown):
        matching = GeneralMatching.load(path)
        graph = file.read_undirected(weights=False)
    verdict = Verdict((graph.n_vertices,), graph.n_edges, matching.cardinality, maximum=False)
    with working("checking", shown):
        try:
            verify_general(graph, matching)
            verdict = verdict._replace(valid=True)
            if matching.weight is not None:
                raise ProofError("found by weight: what proves that is kept in .npz files only")
            proof = matching.prove(graph)
        except ProofError as error:
            return verdict._replace(reason=str(error))
    sizes = proof.size, proof.odd_parts
    return verdict._replace(best=True, maximum=True, cover=sizes)


def _facts(found: Verdict) -> dict[str, Any]:
    """Return what is known of a matching, of a general or a bipartite graph, as JSON has it."""
    if found.maximum is not None:
        barrier, odd_parts = found.cover or (None, None)
        return {
            "vertices": found.shape[0],
            "edges": found.edges,
            "cardinality": found.size,
            "is_valid": found.valid,
            "is_maximum": found.best,
            "is_perfect": found.best and 2 * (found.size or 0) == found.shape[0],
            "barrier": barrier,
            "odd_parts": odd_parts,
            "reason": found.reason,
        }
    if len(found.shape) == 1:
        return {
            "vertices": found.shape[0],
            "edges": found.edges,
            "size": found.size,
            "weight": found.weight,
            "is_valid": found.valid,
            "is_maximal": found.best,
            "reason": found.reason,
        }
    rows, cols = found.shape
    cover_rows, cover_cols = found.cover or (None, None)
    return {
        "rows": rows,
        "cols": cols,
        "edges": found.edges,
        "cardinality": found.size,
        "is_valid": found.valid,
        "is_maximum": found.best,
        "is_perfect": found.best and found.size == rows == cols,
        "cover_rows": cover_rows,
        "cover_cols": cover_cols,
        "upper_bound": found.bound,
        "reason": found.reason,
    }


def _independent_lines(facts: dict[str, Any]) -> Iterator[tuple[str, RenderableType]]:
    """Yield the same lines, and what was shared."""
    import sys

    yield from _lines(facts)
    more = ", pyarrow for Parquet" if "pyarrow" in sys.modules else ""
    yield "shared", f"nothing but Python and numpy{more}: no reader, search or solver of berge's"


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
    if facts.get("barrier") is not None:
        size, odd = plural(facts["barrier"], "vertex", "vertices"), facts["odd_parts"]
        yield "proof", f"a Tutte–Berge set of {size}, {plural(odd, 'odd part')} without it"
    elif facts.get("upper_bound") is not None and not facts["is_maximum"]:
        more = f"{facts['upper_bound'] / max(facts['cardinality'], 1) - 1:.2%} more"
        yield "bound", f"at most {facts['upper_bound']:,} are possible, {more}"
        rows, cols = plural(facts["cover_rows"], "row"), plural(facts["cover_cols"], "column")
        yield "proof", f"a vertex cover of {rows} and {cols}"
    elif facts.get("is_maximum"):
        rows, cols = plural(facts["cover_rows"], "row"), plural(facts["cover_cols"], "column")
        yield "proof", f"a vertex cover of {rows} and {cols}: the same size"
    if facts["reason"]:
        yield "because", facts["reason"]
