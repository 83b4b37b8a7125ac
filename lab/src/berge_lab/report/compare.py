"""What `berge compare` found as bar charts, after the tree-grafting paper's figures 1, 3 and 6."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from berge.results.matching import SolveStats

from ..bench.compare import Comparison
from .figures import by_graph
from .model import Figure

__all__ = ["figures"]

# Steps of figure 6 in the order of a phase; "search", "push" and "relabel" are other algorithms'.
_STEPS = ("transpose", "init", "search", "top-down", "bottom-up", "augment", "graft", "push",
          "relabel")  # fmt: skip


def figures(results: Mapping[str, Sequence[Comparison]]) -> list[Figure]:
    """Return what algorithms did on graphs: work, phases, paths, speed, and where the time goes."""
    shown = {g: {r.name: r for r in rows if r.seconds} for g, rows in results.items()}
    names = list(dict.fromkeys(name for rows in shown.values() for name in rows))
    stats = {
        name: {g: s for g, rows in shown.items() if name in rows and (s := rows[name].stats)}
        for name in names
    }
    if not names:
        return []

    def bars(what: str, value: Callable[[SolveStats], float], log: bool = True) -> list[Figure]:
        found = {n: {g: float(value(s)) or None for g, s in of.items()} for n, of in stats.items()}
        values = {n: of.get for n, of in found.items() if of}  # peers tell only their time
        return by_graph(what, what, "", list(shown), values, log_y=log) if values else []

    speeds = {
        name: {g: max(r.best for r in rows.values()) / rows[name].best
               for g, rows in shown.items() if name in rows}
        for name in names
    }  # fmt: skip
    return [
        *bars("traversed edges", lambda s: s.traversed_edges),
        *bars("phases", lambda s: s.phases),
        *bars("average augmenting path, edges", lambda s: s.average_path),
        *by_graph("speed relative to the slowest", "speed relative to the slowest", "",
                  list(shown), {name: of.get for name, of in speeds.items()}),
        *_breakdown({name: of for name, of in stats.items() if of}),
    ]  # fmt: skip


def _breakdown(stats: Mapping[str, Mapping[str, SolveStats]]) -> list[Figure]:
    """Return where the time goes of auto, or else of the first algorithm."""
    if not stats:
        return []
    chosen = "auto" if "auto" in stats else next(iter(stats))
    title = f"where {chosen} spends its time"

    def share(step: str) -> dict[str, float | None]:
        found: dict[str, float | None] = {}
        for graph, of in stats[chosen].items():
            whole = sum(s for name, s in of.seconds.items() if name != "total") or 1.0
            found[graph] = 100 * of.seconds.get(step, 0.0) / whole
        return found

    shares = {step: share(step) for step in _STEPS}
    some = {step: of.get for step, of in shares.items() if any(of.values())}
    return by_graph(title, title, "%", list(stats[chosen]), some)
