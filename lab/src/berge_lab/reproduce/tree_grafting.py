"""The tree-grafting paper: figures 1 and 3 to 8, table II, parallel sensitivity.

All runs begin with one Karp–Sipser start, as in the paper; seconds are without it. Only generated
scale-free and web graphs, which Karp–Sipser solves, start with ``cheap``. Claims are tested on
graphs whose start left something to do. "One core" is one thread of the same code as on all cores;
the sequential codes of figure 1 are those of one thread.

Reference: A. Azad, A. Buluç, A. Pothen, "A parallel tree grafting algorithm for maximum cardinality
matching in bipartite graphs", IPDPS 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from statistics import fmean
from typing import Any

from ..bench.ratios import geometric_mean, sensitivity
from ..bench.suite import Setting
from ..report.figures import by_graph
from ..report.model import Figure, Missing, Series, Table
from .experiment import (
    Check,
    Claims,
    Experiment,
    Outcome,
    Paper,
    Rows,
    by_margin,
    claims_of,
    cores,
    exact,
    on_graphs,
    thread_counts,
)
from .graphs import CLASSES, class_of
from .published import TREE_NAMES, TREE_TABLE_II

__all__ = ["PAPER"]

NAME = "tree-grafting"
SS_DFS, SS_BFS, PF, HK, MS_BFS, MS_BFS_DO, GRAFT, P_PF, P_PR, TOP_DOWN = (
    f"{name} ({NAME})"
    for name in ("ss-dfs", "ss-bfs", "pothen-fan", "hopcroft-karp", "ms-bfs", "ms-bfs-do",
                 "ms-bfs-graft", "p-pothen-fan", "p-push-relabel", "graft-top-down")
)  # fmt: skip
FIVE = {"SS-DFS": SS_DFS, "SS-BFS": SS_BFS, "PF": PF, "MS-BFS": MS_BFS, "HK": HK}
THREE = {"MS-BFS-Graft": GRAFT, "PR": P_PR, "PF": P_PF}

_Needs = dict[str, tuple[Setting, ...]]


def _runs(label: str, threads: Sequence[int] = (1,), *, algorithm: str = "", **more: Any) -> _Needs:
    """Return an algorithm from the start that leaves it something to do, by sets of graphs."""
    chosen = algorithm or label.partition(" ")[0]
    if label in (GRAFT, MS_BFS_DO, TOP_DOWN):
        more["as_printed"] = True  # Algorithm 6
    # The rule of degree one for rows only, as in the paper's own code.
    return {
        "by karp-sipser": exact(chosen, "karp-sipser", threads, name=label, rows_only=True, **more),
        "by cheap": exact(chosen, "cheap", threads, name=label, **more),
    }


def _all(*needs: _Needs) -> _Needs:
    return {name: tuple(chain(*(need[name] for need in needs))) for name in needs[0]}


_ENDS = sorted({1, cores()})
_SERIAL = _all(*(_runs(label, repeats=1) for label in (SS_DFS, SS_BFS, PF, HK)))
_MS_BFS = _runs(MS_BFS, _ENDS, keep=("frontiers",))
_KEPT = ("frontiers", "grafts")
_SCALING = _runs(GRAFT, thread_counts(), repeats=10, keep=_KEPT)
_GRAFT = _runs(GRAFT, _ENDS, repeats=10, keep=_KEPT)
_PF = _runs(P_PF, _ENDS, repeats=10)
_PR = _runs(P_PR, _ENDS, repeats=10)
_STEPWISE = _all(
    _MS_BFS,
    _GRAFT,
    _runs(MS_BFS_DO, _ENDS),
    _runs(TOP_DOWN, _ENDS, algorithm="ms-bfs-graft", direction_optimising=False),
)


def _open(rows: Rows, *labels: str) -> list[str]:
    """Return the graphs on which the start was not maximum already: there is something to see."""
    return [g for g in rows.having(GRAFT, *labels) if rows.stat(g, GRAFT, "augmenting_paths")]


def _share(rows: Rows, graph: str) -> float:
    """Return the maximum cardinality as a share of all vertices."""
    row = rows.row(graph, GRAFT)
    return float(2 * row["cardinality"] / max(row["rows"] + row["cols"], 1))


def _figure_1(rows: Rows) -> list[Figure]:
    graphs = rows.having(MS_BFS, HK)
    parts = (
        ("a", "traversed_edges", "edges traversed", "PF and MS-BFS traverse fewer edges than HK; "
         "SS-BFS the fewest where few vertices are matched."),
        ("b", "phases", "phases", "Multi-source algorithms need far fewer phases; HK needs more "
         "than MS-BFS."),
        ("c", "average_path", "average length of a path in edges", "HK's paths are the shortest, "
         "those of depth-first searches the longest."),
    )  # fmt: skip

    def value(name: str, label: str) -> Callable[[str], float | None]:
        # Single-source searches may be over the time limit.
        return lambda graph: (
            rows.stat(graph, label, name, 1) or None if rows.having(label, of=[graph]) else None
        )

    return list(chain(*(
        by_graph(f"{NAME}/figure-1{letter}", f"Figure 1({letter}): {words}, five algorithms",
                 words, graphs, {n: value(stat, label) for n, label in FIVE.items()},
                 log_y=True, published=published)
        for letter, stat, words, published in parts
    )))  # fmt: skip


def _table_ii(rows: Rows) -> list[Table]:
    lines: list[list[str | float | int | None]] = []
    graphs = rows.having(GRAFT)
    for kind in (*CLASSES, "other"):
        for graph in (g for g in graphs if class_of(g) == kind):
            row = rows.row(graph, GRAFT)
            n, m = row["rows"] + row["cols"], 2 * row["edges"]
            start = 2 * row["stats"]["start_cardinality"] / max(n, 1)
            lines.append([kind, graph, n, m, m / max(n, 1), row["arguments"]["init"], 100 * start,
                          100 * _share(rows, graph)])  # fmt: skip
    if not lines:
        return []
    columns = ["class", "graph", "vertices", "edges", "average degree", "start", "maximal %",
               "maximum %"]  # fmt: skip
    published: list[list[str | float | int | None]] = [
        [kind, name, f"{n} M", f"{m} M", degree, "karp-sipser", *shares]
        for kind, name, n, m, degree, *shares in TREE_TABLE_II
    ]
    note = (
        "Both directions of an edge count, and rows and columns; maximal is what the start gives."
    )
    return [
        Table(f"{NAME}/table-II", NAME, "Table II: our graphs", columns, lines, note),
        Table(f"{NAME}/table-II-published", NAME, "Table II, as published", columns, published),
    ]


def _figure_3(rows: Rows) -> list[Figure]:
    found = []
    for letter, words, threads in (("a", "one core", 1), ("b", "all cores", None)):
        graphs = rows.having(*THREE.values())

        def relative(label: str, threads: int | None = threads) -> Callable[[str], float | None]:
            return lambda graph: (
                max(rows.seconds(graph, other, threads) for other in THREE.values())
                / rows.seconds(graph, label, threads)
            )

        found += by_graph(
            f"{NAME}/figure-3{letter}",
            f"Figure 3({letter}): speed relative to the slowest, {words}",
            "times as fast as the slowest",
            graphs,
            {name: relative(label) for name, label in THREE.items()},
            published="MS-BFS-Graft is 5.7 and 4.8 times as fast as PR and PF on one core, 7.5 and "
            "11.4 times on 40; more so on scale-free graphs and networks.",
        )
    return found


def _rate(rows: Rows, label: str, graph: str) -> float:
    return float(rows.stat(graph, label, "traversed_edges") / rows.seconds(graph, label) / 1e6)


def _figure_4(rows: Rows) -> list[Figure]:
    both = {"MS-BFS-Graft": GRAFT, "Pothen–Fan": P_PF}
    return by_graph(
        f"{NAME}/figure-4",
        "Figure 4: search rate on all cores",
        "million edges a second",
        rows.having(*both.values()),
        {name: partial(_rate, rows, label) for name, label in both.items()},
        published="MS-BFS-Graft searches 2 to 12 times as fast as PF on 40 threads.",
    )


def _speedup(rows: Rows, graph: str, threads: int) -> float:
    return rows.seconds(graph, GRAFT, 1) / rows.seconds(graph, GRAFT, threads)


def _figure_5(rows: Rows) -> list[Figure]:
    graphs = rows.having(GRAFT)
    series = []
    for kind in dict.fromkeys(map(class_of, graphs)):
        some = [g for g in graphs if class_of(g) == kind]
        counts = sorted({n for g in some for n in rows.threads(g, GRAFT)})
        having = {n: [g for g in some if n in rows.threads(g, GRAFT)] for n in counts}
        means: list[float | None] = [
            fmean(_speedup(rows, graph, n) for graph in having[n]) for n in counts
        ]
        series.append(Series(CLASSES.get(kind, kind), counts, means))
    if not series:
        return []
    most = max(s.x[-1] for s in series)
    series.append(Series("ideal", [1, most], [1.0, float(most)]))
    return [
        Figure(
            f"{NAME}/figure-5", NAME, "Figure 5: strong scaling of MS-BFS-Graft", "lines",
            "threads", "speed-up over one thread", series,
            published="15 on 40 cores and 12 on 24, on average.",
        )
    ]  # fmt: skip


_STEPS = {"top-down": "top-down", "bottom-up": "bottom-up", "augment": "augment",
          "graft": "tree grafting", "extra": "the rest"}  # fmt: skip


def _part(rows: Rows, steps: Sequence[str], graph: str) -> float:
    """Return the share of the search's time that some steps took, in per cent."""
    seconds = rows.stat(graph, GRAFT, "seconds")
    whole = sum(s for step, s in seconds.items() if step not in ("total", "transpose", "init"))
    return float(100 * sum(seconds.get(step, 0.0) for step in steps) / (whole or 1.0))


def _figure_6(rows: Rows) -> list[Figure]:
    graphs = rows.having(GRAFT)
    steps = [s for s in _STEPS if any(_part(rows, (s,), graph) for graph in graphs)]
    return by_graph(
        f"{NAME}/figure-6",
        "Figure 6: where MS-BFS-Graft's time goes, all cores",
        "% of the time",
        graphs,
        {_STEPS[step]: partial(_part, rows, (step,)) for step in steps},
        note="Counting active and renewable vertices (the paper's statistics) is in tree grafting.",
        published="At least 40 % goes to the search; more where most vertices are matched.",
    )


def _gains(rows: Rows, graphs: Sequence[str], measure: str) -> dict[str, float]:
    """Return by how much each step improves on the one before: times, or edges traversed."""

    def value(graph: str, label: str) -> float:
        if measure == "seconds":
            return rows.seconds(graph, label)
        return max(float(rows.stat(graph, label, "traversed_edges")), 1.0)

    return {
        name: geometric_mean(value(g, MS_BFS) / value(g, label) for g in graphs)
        for name, label in (("direction", MS_BFS_DO), ("both", GRAFT), ("graft", TOP_DOWN))
    }


def _figure_7(rows: Rows) -> list[Figure]:
    graphs = rows.having(MS_BFS, MS_BFS_DO, GRAFT, TOP_DOWN)
    kinds = list(dict.fromkeys(map(class_of, graphs)))
    words = {
        "direction": "direction-optimising",
        "graft": "grafting",
        "both": "grafting and direction-optimising",
    }
    found = []
    for letter, measure, label in (("a", "seconds", "times as fast as MS-BFS"),
                                   ("b", "edges", "times fewer edges than MS-BFS")):  # fmt: skip
        sets = {k: [g for g in graphs if class_of(g) == k] for k in kinds} | {"all": graphs}
        gains = {kind: _gains(rows, some, measure) for kind, some in sets.items()}
        series = [
            Series(text, list(gains), [gains[kind][name] for kind in gains])
            for name, text in words.items()
        ]
        found.append(
            Figure(
                f"{NAME}/figure-7{letter}", NAME,
                f"Figure 7: what direction optimisation and grafting bring, {measure}", "bars",
                "class", label, series,
                published="Direction optimisation 1.6 times, grafting another 3 times; 7.8 times "
                "where few vertices are matched.",
            )
        )  # fmt: skip
    return found if graphs else []


def _phases(rows: Rows, graph: str) -> list[int]:
    """Return two phases that both algorithms came to: the second, and one in the middle."""
    both = (rows.stat(graph, label, "frontiers", 1) for label in (MS_BFS, GRAFT))
    last = min(len(frontiers) for frontiers in both) - 1
    return sorted({1, max(last // 2, 1)} if last > 0 else {0})


def _figure_8(rows: Rows) -> list[Figure]:
    graphs = [g for g in rows.having(MS_BFS, GRAFT) if rows.stat(g, GRAFT, "phases", 1) > 2]
    if not graphs:
        return []
    graph = max(graphs, key=lambda g: (class_of(g) == "scale-free", rows.stat(g, GRAFT, "phases")))
    series = []
    for phase in _phases(rows, graph):
        for name, label in (("MS-BFS", MS_BFS), ("MS-BFS-Graft", GRAFT)):
            sizes = rows.stat(graph, label, "frontiers", 1)[phase]
            series.append(Series(f"{name}, phase {phase + 1}", list(range(len(sizes))), sizes))
    return [
        Figure(
            f"{NAME}/figure-8", NAME, f"Figure 8: size of the frontier by level, {graph}", "lines",
            "level", "rows in the frontier", series,
            published="On coPapersDBLP a phase begins with a large frontier if there is grafting, "
            "and with a small one that grows if there is not.",
        )
    ]  # fmt: skip


def _psi(rows: Rows, label: str, graph: str) -> float:
    return sensitivity(rows.row(graph, label)["search_seconds"])


def _sensitivity(rows: Rows) -> list[Figure]:
    return by_graph(
        f"{NAME}/psi",
        "Parallel sensitivity ψ on all cores",
        "standard deviation in % of the mean",
        rows.having(*THREE.values()),
        {name: partial(_psi, rows, label) for name, label in THREE.items()},
        note="Over 10 runs of each.",
        published="6 % for MS-BFS-Graft, 10 % for PR, 17 % for PF, on average.",
    )


# --- claims ---------------------------------------------------------------------------------------


def _fewer(
    stat: str,
    left: str,
    right: str,
    needed: float,
    *,
    equal: bool = False,
    where: Callable[[Rows, str], bool] = lambda rows, graph: True,
) -> Check:
    """Return a test that one algorithm has less of something than another, on one core."""

    def outcome(rows: Rows) -> Outcome | None:
        graphs = [g for g in _open(rows, left, right) if where(rows, g)]
        pairs = {g: (rows.stat(g, left, stat, 1), rows.stat(g, right, stat, 1)) for g in graphs}
        ratios = [b / a for a, b in pairs.values() if a and b]
        words = "shorter" if stat == "average_path" else "fewer"
        more = f"{geometric_mean(ratios):,.3g} times {words} on average" if ratios else ""
        return on_graphs(
            graphs,
            lambda g: pairs[g][0] < pairs[g][1] or (equal and pairs[g][0] == pairs[g][1]),
            needed,
            more,
        )

    return outcome


def _is_perfect(rows: Rows, graph: str) -> bool:
    return _share(rows, graph) > 0.999


def _is_network(rows: Rows, graph: str) -> bool:
    return class_of(graph) in ("scale-free", "networks")


def _more_by_depth(rows: Rows) -> Outcome | None:
    """Whether many sources shorten the paths of depth-first searches more than of others."""
    graphs = _open(rows, SS_DFS, PF, SS_BFS, MS_BFS)
    if not graphs:
        return None

    def shorter(many: str, single: str) -> float:
        paths = ([rows.stat(g, label, "average_path", 1) or 1 for g in graphs]
                 for label in (single, many))  # fmt: skip
        return geometric_mean(a / b for a, b in zip(*paths, strict=True))

    dfs, bfs = shorter(PF, SS_DFS), shorter(MS_BFS, SS_BFS)
    return Outcome(f"{dfs:.2f} times shorter by depth, {bfs:.2f} times by breadth", dfs > bfs)


def _first_phases(rows: Rows) -> Outcome | None:
    """Whether the second phase begins anew, as grafting would not pay."""
    grafts = {g: rows.stat(g, GRAFT, "grafts", 1) for g in _open(rows)}
    grafts = {g: some for g, some in grafts.items() if some}
    later = [n > 0 for some in grafts.values() for n in some[3:]]
    words = f"in {sum(later)} of {len(later)} phases from the fifth on there is grafting"
    return on_graphs(list(grafts), lambda g: grafts[g][0] == 0, 0.501, words)


def _of_class(graphs: Sequence[str], kind: str) -> list[str]:
    return [graph for graph in graphs if kind in ("", class_of(graph))]


def _faster(other: str, threads: int | None, kind: str = "") -> Check:
    """Return a test that MS-BFS-Graft is faster than another."""

    def outcome(rows: Rows) -> Outcome | None:
        graphs = _of_class(_open(rows, other), kind)
        if not graphs:
            return None
        ratio = rows.ratio(graphs, other, GRAFT, threads)
        return by_margin(rows, ratio, f"{ratio:.2f} times, on {len(graphs)} graphs")

    return outcome


def _perfect(rows: Rows) -> Outcome | None:
    """PF traverses the fewest edges where the matching is perfect."""
    graphs = [g for g in _open(rows, *FIVE.values()) if _is_perfect(rows, g)]
    return on_graphs(graphs, lambda g: _least(rows, g) == PF, 0.75)


def _low(rows: Rows) -> Outcome | None:
    """SS-BFS traverses the fewest edges where few vertices are matched."""
    graphs = [g for g in _open(rows, *FIVE.values()) if _share(rows, g) < 0.9]
    return on_graphs(
        graphs, lambda g: _edges(rows, g, SS_BFS) <= _edges(rows, g, _least(rows, g)), 0.75
    )


def _edges(rows: Rows, graph: str, label: str) -> int:
    return int(rows.stat(graph, label, "traversed_edges", 1))


def _least(rows: Rows, graph: str) -> str:
    return min(FIVE.values(), key=lambda label: _edges(rows, graph, label))


def _no_gain(rows: Rows) -> Outcome | None:
    graphs = _of_class(_open(rows, *THREE.values()), "scientific")
    if not graphs:
        return None
    pf, pr = (rows.ratio(graphs, other, GRAFT, 1) for other in (P_PF, P_PR))
    return Outcome(f"{pf:.2f} times as fast as PF, {pr:.2f} as PR", max(pf, pr) < rows.margin)


def _named(rows: Rows) -> dict[str, tuple[float, float]]:
    """Return for the named graphs of table II that were measured the maximum, ours and printed."""
    printed = {TREE_NAMES.get(row[1], row[1]): float(row[-1]) for row in TREE_TABLE_II}
    found = {g: g.partition(" [")[0] for g in rows.having(GRAFT)}
    return {g: (100 * _share(rows, g), printed[n]) for g, n in found.items() if n in printed}


def _as_published(rows: Rows) -> Outcome | None:
    found = _named(rows)
    if not found:
        return Outcome("", None, "none of the named graphs was there (`berge fetch`, or --data)")
    words = ", ".join(f"{g} {ours:.2f} for {printed}" for g, (ours, printed) in found.items())
    return Outcome(words, all(abs(ours - printed) <= 0.01 for ours, printed in found.values()))


def _on_threads(rows: Rows) -> Outcome | None:
    graphs = [g for g in _open(rows, P_PF) if max(rows.threads(g, P_PF)) > 1]
    pairs = {g: [rows.stat(g, P_PF, "phases", n) for n in (1, None)] for g in graphs}
    words = ", ".join("{} and {}".format(*map(sum, zip(*pairs.values(), strict=True)))
                      for _ in graphs[:1])  # fmt: skip
    return on_graphs(graphs, lambda g: pairs[g][1] <= pairs[g][0], 0.75, f"{words} phases in all")


def _rates(rows: Rows) -> Outcome | None:
    graphs = _open(rows, P_PF)
    if not graphs:
        return None
    ratios = {g: _rate(rows, GRAFT, g) / (_rate(rows, P_PF, g) or 1e-9) for g in graphs}
    found = f"{min(ratios.values()):.2g} to {max(ratios.values()):.2g} times"
    return on_graphs(graphs, lambda g: ratios[g] > rows.margin, 1.0, found)


def _scaling(needed: int, published: float) -> Check:
    def outcome(rows: Rows) -> Outcome | None:
        graphs = _open(rows)
        if not graphs:
            return None
        most = max(max(rows.threads(g, GRAFT)) for g in graphs)
        some = [g for g in graphs if most in rows.threads(g, GRAFT)]
        mean = fmean(_speedup(rows, graph, most) for graph in some)
        ours = f"{mean:.2f} on {most} threads"
        if most < needed:
            return Outcome(ours, None, f"needs {needed} cores; there were {most}")
        return Outcome(ours, mean >= published)

    return outcome


def _in_search(rows: Rows) -> Outcome | None:
    graphs = _open(rows)
    shares = {g: _part(rows, ("top-down", "bottom-up"), g) for g in graphs}
    least = f"the least is {min(shares.values()):.0f} %" if shares else ""
    return on_graphs(graphs, lambda g: shares[g] >= 40, 1.0, least)


def _in_grafting(rows: Rows) -> Outcome | None:
    graphs = _open(rows)
    low = [g for g in graphs if _share(rows, g) < 0.9]
    high = [g for g in graphs if _share(rows, g) >= 0.97]
    if not low or not high:
        return None
    a, b = (fmean(_part(rows, ("augment", "graft"), g) for g in some) for some in (low, high))
    return Outcome(f"{a:.0f} % where below 90 % are matched, {b:.0f} % where above 97 %", a > b)


def _gain_of(rows: Rows, graphs: Sequence[str], name: str) -> tuple[float, float]:
    """Return a step's gain in time and in edges; of grafting, that on top of direction."""
    both = (_gains(rows, graphs, measure) for measure in ("seconds", "edges"))
    time, edges = (
        found["both"] / found["direction"] if name == "graft" else found[name] for found in both
    )
    return time, edges


def _gain(name: str) -> Check:
    def outcome(rows: Rows) -> Outcome | None:
        graphs = _open(rows, MS_BFS, MS_BFS_DO, TOP_DOWN)
        if not graphs:
            return None
        time, edges = _gain_of(rows, graphs, name)
        words = f"{time:.2f} times as fast, {edges:.2f} times fewer edges"
        return by_margin(rows, time, words)

    return outcome


def _where_few(rows: Rows) -> Outcome | None:
    graphs = _open(rows, MS_BFS, MS_BFS_DO, TOP_DOWN)
    gains = {k: _gain_of(rows, some, "graft")[0] for k in CLASSES if (some := _of_class(graphs, k))}
    if "networks" not in gains or len(gains) < 2:
        return None
    words = ", ".join(f"{kind} {gain:.2f}" for kind, gain in gains.items())
    most = gains.pop("networks")
    return by_margin(rows, most / max(gains.values()), f"times: {words}")


def _frontiers(rows: Rows, graph: str, label: str) -> list[list[int]]:
    """Return the frontiers of all phases but the first, which both begin in the same way."""
    return [f for f in rows.stat(graph, label, "frontiers", 1)[1:] if any(f)]


def _grafted(rows: Rows) -> list[str]:
    return [g for g in _open(rows, MS_BFS)
            if _frontiers(rows, g, MS_BFS) and _frontiers(rows, g, GRAFT)]  # fmt: skip


def _begins_large(rows: Rows) -> Outcome | None:
    def share(graph: str, label: str) -> float:
        found = _frontiers(rows, graph, label)
        return fmean(f[0] / max(f) for f in found)

    graphs = _grafted(rows)
    if not graphs:
        return None
    a, b = (fmean(share(g, label) for g in graphs) for label in (GRAFT, MS_BFS))
    return on_graphs(
        graphs,
        lambda g: share(g, GRAFT) > share(g, MS_BFS),
        0.75,
        f"it begins with {100 * a:.0f} % of its largest frontier, without grafting {100 * b:.0f} %",
    )


def _smaller(of: str) -> Check:
    """Return a test that grafting makes forests lower, or smaller, in later phases."""

    def amount(rows: Rows, graph: str, label: str) -> float:
        found = _frontiers(rows, graph, label)
        return fmean(len(f) if of == "levels" else sum(f) for f in found)

    def outcome(rows: Rows) -> Outcome | None:
        graphs = _grafted(rows)
        ratios = {g: amount(rows, g, MS_BFS) / amount(rows, g, GRAFT) for g in graphs}
        more = f"{geometric_mean(ratios.values()):.2f} times fewer {of} a phase" if ratios else ""
        return on_graphs(graphs, lambda g: ratios[g] > 1, 0.75, more)

    return outcome


def _steadiest(rows: Rows) -> Outcome | None:
    graphs = _open(rows, *THREE.values())
    if not graphs:
        return None
    if max(max(rows.threads(g, GRAFT)) for g in graphs) < 2:
        return Outcome("", None, "only one thread was measured")
    mean = {n: fmean(_psi(rows, label, g) for g in graphs) for n, label in THREE.items()}
    words = ", ".join(f"{name} {value:.0f} %" for name, value in mean.items())
    return Outcome(words, min(mean, key=lambda name: mean[name]) == "MS-BFS-Graft")


_CLAIMS: Claims = (
    ("PF traverses fewer edges than HK", "on all three graphs", "figure-1a",
     _fewer("traversed_edges", PF, HK, 0.75)),
    ("MS-BFS traverses fewer edges than HK", "on all three graphs", "figure-1a",
     _fewer("traversed_edges", MS_BFS, HK, 0.75)),
    ("PF traverses the fewest edges where all vertices can be matched", "on kkt_power",
     "figure-1a", _perfect),
    ("… and multi-source algorithms fewer than single-source ones: MS-BFS than SS-BFS",
     "significantly better on kkt_power", "figure-1a",
     _fewer("traversed_edges", MS_BFS, SS_BFS, 0.75, where=_is_perfect)),
    ("… PF than SS-DFS", "significantly better on kkt_power", "figure-1a",
     _fewer("traversed_edges", PF, SS_DFS, 0.75, where=_is_perfect)),
    ("SS-BFS traverses the fewest edges where few vertices can be matched",
     "on cit-Patents and wikipedia", "figure-1a", _low),
    ("on scale-free and web graphs PF may need more phases than MS-BFS", "might", "figure-1b",
     _fewer("phases", MS_BFS, PF, 0.01, where=_is_network)),
    ("HK needs more phases than MS-BFS, despite its bound", "on all three graphs", "figure-1b",
     _fewer("phases", MS_BFS, HK, 0.75)),
    ("HK's paths are the shortest: no longer than those of MS-BFS", "always", "figure-1c",
     _fewer("average_path", HK, MS_BFS, 1.0, equal=True)),
    ("… of SS-BFS", "always", "figure-1c", _fewer("average_path", HK, SS_BFS, 1.0, equal=True)),
    ("… of PF", "always", "figure-1c", _fewer("average_path", HK, PF, 1.0, equal=True)),
    ("breadth-first searches find shorter paths than depth-first ones: SS-BFS than SS-DFS",
     "on all three graphs", "figure-1c", _fewer("average_path", SS_BFS, SS_DFS, 0.75)),
    ("… MS-BFS than PF", "on all three graphs", "figure-1c",
     _fewer("average_path", MS_BFS, PF, 0.75)),
    ("MS-BFS finds shorter paths than SS-BFS, usually", "usually", "figure-1c",
     _fewer("average_path", MS_BFS, SS_BFS, 0.501)),
    ("… and PF than SS-DFS", "usually", "figure-1c",
     _fewer("average_path", PF, SS_DFS, 0.501)),
    ("… and the difference is larger by depth", "more dramatic", "figure-1c", _more_by_depth),
    ("grafting is usually not beneficial in the first phases", "most graphs", "figure-8",
     _first_phases),
    ("maximum cardinality of the named graphs", "table II", "table-II-published", _as_published),
    ("PF's phases become fewer with threads", "said", "figure-1b", _on_threads),
    ("on one core MS-BFS-Graft is faster than PR", "5.7 times", "figure-3a", _faster(P_PR, 1)),
    ("on one core MS-BFS-Graft is faster than PF", "4.8 times", "figure-3a", _faster(P_PF, 1)),
    ("… but not on scientific and random instances", "no improvement", "figure-3a", _no_gain),
    ("on one core it is faster than PF on scale-free graphs", "8.2 times", "figure-3a",
     _faster(P_PF, 1, "scale-free")),
    ("… and on road and web networks", "5.5 times", "figure-3a", _faster(P_PF, 1, "networks")),
    ("on all cores MS-BFS-Graft is faster than PR", "7.5 times, 40 cores", "figure-3b",
     _faster(P_PR, None)),
    ("on all cores MS-BFS-Graft is faster than PF", "11.4 times, 40 cores", "figure-3b",
     _faster(P_PF, None)),
    ("MS-BFS-Graft traverses edges at a higher rate than PF", "2 to 12 times", "figure-4", _rates),
    ("MS-BFS-Graft scales to 40 cores", "15 times on 40 cores", "figure-5", _scaling(40, 15.0)),
    ("… and to 24", "12 times on 24 cores", "figure-5", _scaling(24, 12.0)),
    ("at least 40 % of the time goes to the search", "on all graphs", "figure-6", _in_search),
    ("augmenting and grafting take a larger share where few vertices are matched",
     "the figure shows it", "figure-6", _in_grafting),
    ("direction optimisation makes MS-BFS faster", "1.6 times", "figure-7a", _gain("direction")),
    ("grafting makes it faster again", "3 times", "figure-7a", _gain("graft")),
    ("… most on networks, where few vertices are matched", "7.8 times", "figure-7a",
     _where_few),
    ("with grafting a phase begins with a large frontier that shrinks", "on coPapersDBLP",
     "figure-8", _begins_large),
    ("grafting lowers the forests of a phase", "on coPapersDBLP", "figure-8", _smaller("levels")),
    ("grafting makes the forests of a phase smaller", "on coPapersDBLP", "figure-8",
     _smaller("vertices")),
    ("MS-BFS-Graft's times vary least from run to run", "6 %, PR 10 %, PF 17 %", "psi",
     _steadiest),
)  # fmt: skip

PAPER = Paper(
    NAME,
    "A parallel tree grafting algorithm",
    "A. Azad, A. Buluç, A. Pothen, IPDPS 2015",
    "breadth-first searches from all unmatched vertices at once, whose trees are kept from phase "
    "to phase by grafting",
    (
        Experiment(f"{NAME}/figure-1", _all(_SERIAL, _MS_BFS), _figure_1),
        Experiment(f"{NAME}/table-II", _GRAFT, _table_ii),
        Experiment(f"{NAME}/figure-3", _all(_GRAFT, _PF, _PR), _figure_3),
        Experiment(f"{NAME}/figure-4", _all(_GRAFT, _PF), _figure_4),
        Experiment(f"{NAME}/figure-5", _SCALING, _figure_5),
        Experiment(f"{NAME}/figure-6", _GRAFT, _figure_6),
        Experiment(f"{NAME}/figure-7", _STEPWISE, _figure_7),
        Experiment(f"{NAME}/figure-8", _all(_MS_BFS, _GRAFT), _figure_8),
        Experiment(f"{NAME}/psi", _all(_GRAFT, _PF, _PR), _sensitivity),
    ),
    claims_of(NAME, _CLAIMS, ""),
    (
        Missing(NAME, "figure 5 on 24 and 40 cores", "shown as far as this machine has cores"),
        Missing(NAME, "figure 2 and table I", "an illustration, and the authors' machines"),
    ),
)
