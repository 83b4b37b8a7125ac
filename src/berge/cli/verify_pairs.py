"""``berge verify`` of what `berge assign` wrote, or `berge match` with capacities."""

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
    return {
        "rows": plan.shape[0],
        "cols": plan.shape[1],
        "edges": plan.graph.nnz if plan.graph is not None else None,
        "objective": plan.objective,
        "match": plan.match,
        "size": plan.size,
        "total": plan.total,
        **{f"capacity_{name}": _span(side.capacity) for name, side in sides.items()},
        **{f"at_least_{name}": _span(side.least) for name, side in sides.items()},
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


def _span(units: Any) -> list[int] | None:
    return [int(units.min()), int(units.max())] if units.size else None


def lines(facts: Facts) -> Iterator[tuple[str, RenderableType]]:
    """Yield the lines of the summary."""
    yield "graph", graph_sizes(facts)
    if "total" in facts:
        yield "asked", asked_in_words(facts)
        yield "assignment", f"{plural(facts['size'], 'pair')}, total {facts['total']}"
    else:
        yield "matching", plural(facts["cardinality"], "pair")
    for name in options.UNITS:
        low, high = facts[name] or (0, 0)
        if (low, high) != ((1, 1) if name.startswith("capacity") else (0, 0)):
            yield name.replace("_", " "), f"{low:,}" if low == high else f"{low:,} to {high:,}"
    yield "valid", verdict(facts["is_valid"])
    if facts["is_valid"]:
        yield "the best" if "total" in facts else "maximum", verdict(facts["is_best"])
    if facts["is_best"]:
        yield "proof", "prices of rows and columns" if "total" in facts else "a cover"
    if facts["reason"]:
        yield "because", facts["reason"]
