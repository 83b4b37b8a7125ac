"""``berge verify`` of what `berge assign` or `weighted` wrote, or `berge match` with capacities."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ProofError
from ..wording import plural
from . import options
from .assign import asked_in_words
from .display import graph_sizes, verdict, working

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..checker.prices import Side

Facts = dict[str, Any]


def check_assignment_file(
    file: options.GraphFile, score: str | None, path: Path, shown: bool
) -> Facts:
    """Prove by the prices in a file that no assignment of the graph is better."""
    from ..results.assignment import Assignment
    from ..results.price_proof import check_choice
    from .scores import read_scores

    with working("reading", shown):
        source, weights, _ = read_scores(file, score)
        plan = Assignment.load(path)
    valid, reason, proof = False, None, None
    with working("checking", shown):
        try:
            plan.known_by(source, weights)
            check_choice(plan)
            valid = True
            proof = plan.prove()
        except ProofError as error:
            reason = str(error)
    sides = {"left": plan.row_side, "right": plan.col_side}
    needed = {name: _needed(side, plan.match) for name, side in sides.items()}
    return {
        "rows": plan.shape[0],
        "cols": plan.shape[1],
        "edges": plan.graph.nnz if plan.graph is not None else None,
        "objective": plan.objective,
        "match": plan.match,
        "size": plan.size,
        "total": plan.total,
        **{f"capacity_{name}": _span(side.capacity) for name, side in sides.items()},
        **{f"at_least_{name}": _span(units) for name, units in needed.items()},
        **{f"unmatched_cost_{name}": _paid(side) for name, side in sides.items()},
        "is_valid": valid,
        "is_best": proof is not None,
        "proved_between": None if proof is None else sorted((proof.best, proof.worst)),
        "reason": reason,
    }


def check_units_file(file: options.GraphFile, path: Path, shown: bool) -> Facts:
    """Prove by the cover in a file that no matching with its capacities has more pairs."""
    from ..results.capacity_matching import CapacityMatching

    with working("reading", shown):
        graph = file.read()
        matching = CapacityMatching.load(path)
    valid, reason = False, None
    with working("checking", shown):
        try:
            matching.check(graph)
            valid = True
            matching.prove(graph)
        except ProofError as error:
            reason = str(error)
    sides = {"left": matching.row_units, "right": matching.col_units}
    return {
        "rows": graph.n_rows,
        "cols": graph.n_cols,
        "edges": graph.nnz,
        "cardinality": matching.cardinality,
        **{f"capacity_{name}": _span(most) for name, (_, most) in sides.items()},
        **{f"at_least_{name}": _span(least) for name, (least, _) in sides.items()},
        "is_valid": valid,
        "is_best": matching.certificate is not None,
        "reason": reason,
    }


def check_odd_sets(file: options.GraphFile, path: Path, shown: bool) -> Facts:
    """Prove by the prices in a file that no matching of a general graph is better."""
    from ..results.tutte_berge import verify_general
    from ..results.weighted_matching import WeightedMatching

    with working("reading", shown):
        matching = WeightedMatching.load(path)
        graph = file.read_signed(lightest=matching.minimise)
    valid, reason = False, None
    with working("checking", shown):
        try:
            verify_general(graph, matching)
            valid = True
            matching.prove(graph)
        except ProofError as error:
            reason = str(error)
    return {
        "vertices": graph.n_vertices,
        "edges": graph.n_edges,
        "cardinality": matching.cardinality,
        "weight": matching.weight,
        "competes_with": matching.competes_with,
        "minimise": matching.minimise,
        "is_valid": valid,
        "is_best": matching.certificate is not None,
        "reason": reason,
    }


def _needed(side: Side, match: str) -> Any:
    """Return how many pairs each must be in, besides what `match` says."""
    import numpy as np

    from ..results.price_proof import is_required

    if match == "full":
        return side.least
    return np.where(is_required(side.leave), side.capacity, side.least)


def _paid(side: Side) -> list[Any]:
    """Return the least and the largest price of a unit that stays unmatched."""
    from ..results.price_proof import is_required

    paid = side.leave[~is_required(side.leave)]
    return [paid.min().item(), paid.max().item()] if paid.size else [0, 0]


def _span(units: Any) -> list[int] | None:
    return [int(units.min()), int(units.max())] if units.size else None


def lines(facts: Facts) -> Iterator[tuple[str, RenderableType]]:
    """Yield the lines of the summary."""
    yield "graph", graph_sizes(facts)
    if "total" in facts:
        from ..results.price_proof import in_digits

        yield "asked", asked_in_words(facts)
        yield "assignment", f"{plural(facts['size'], 'pair')}, total {in_digits(facts['total'])}"
    else:
        weight = f", weight {facts['weight']:.10g}" if "weight" in facts else ""
        yield "matching", plural(facts["cardinality"], "pair") + weight
    for name in options.UNITS:
        low, high = facts.get(name) or (0, 0)
        if name in facts and (low, high) != ((1, 1) if name.startswith("capacity") else (0, 0)):
            yield name.replace("_", " "), f"{low:,}" if low == high else f"{low:,} to {high:,}"
    for name in ("unmatched_cost_left", "unmatched_cost_right"):
        low, high = facts.get(name) or (0, 0)
        if low or high:
            yield name.replace("_", " "), f"{low:,}" if low == high else f"{low:,} to {high:,}"
    yield "valid", verdict(facts["is_valid"])
    kind, proof = "maximum", "a cover"
    if "total" in facts:
        kind, proof = "the best", "prices of rows and columns"
    elif "weight" in facts:
        among = {"all": "", "maximum": " maximum one", "perfect": " perfect one"}
        kind = ("lightest" if facts["minimise"] else "heaviest") + among[facts["competes_with"]]
        proof = "prices of vertices and odd sets"
    if facts["is_valid"]:
        yield kind, verdict(facts["is_best"])
    if facts["is_best"]:
        yield "proof", proof
    if facts["reason"]:
        yield "because", facts["reason"]
