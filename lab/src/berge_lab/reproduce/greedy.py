"""The greedy paper: figures 2 to 5.

Every run takes the vertices in another random order, which is not timed, as in the paper; there are
32 of each. With one seed all methods get one order, and the same shuffled rows. Weights are the
graph's own where it has any, else drawn from 0 to 1.

Reference: B. O. Fagginger Auer, R. H. Bisseling, "A GPU algorithm for greedy graph matching",
Facing the Multicore-Challenge II, 2012.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from statistics import fmean, stdev

from berge.methods.greedy.proposals import first_round
from berge.solve.greedy import BLUE

from ..bench.ratios import geometric_mean
from ..report.model import Figure, Missing, Series
from .apfb import NO_GPU
from .colours import free_pairs, full_md5, matched, mesh, quarter_md5, size
from .experiment import (
    COMPUTED,
    Check,
    Claims,
    Experiment,
    Outcome,
    Paper,
    Rows,
    by_margin,
    claims_of,
    cores,
    greedy,
    on_graphs,
    thread_counts,
)

__all__ = ["PAPER"]

NAME = "greedy"
PERMUTATIONS = 32
RANDOM, PROPOSALS = "random", "proposals"
WEIGHTED, SORTED, HEAVY = "weighted uniform", "sorted uniform", "weighted-proposals uniform"
# p of the sweep: 0.1 to 0.9, and around the value that the paper recommends
PROBABILITIES = (0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.53406, 0.57, 0.6, 0.65, 0.7, 0.8, 0.9)

_PROPOSALS = greedy("proposals", thread_counts(), repeats=PERMUTATIONS)
_MOST = tuple(s for s in _PROPOSALS if s.arguments["threads"] == cores())
_SIZES = (*greedy("random", repeats=PERMUTATIONS), *_MOST)
_WEIGHTS = (
    *greedy("weighted", weights="uniform", repeats=PERMUTATIONS),
    *greedy("sorted", weights="uniform", repeats=8),
    *greedy("weighted-proposals", (cores(),), weights="uniform", repeats=PERMUTATIONS),
)
_SWEEP = tuple(chain(*(greedy("proposals", p=p, repeats=8) for p in PROBABILITIES)))
_HEAVY_SWEEP = tuple(
    chain(*(greedy("weighted-proposals", weights="uniform", p=p, repeats=8) for p in PROBABILITIES))
)


def _runs(rows: Rows, graph: str, label: str, name: str) -> list[float]:
    if name == "seconds":
        return list(rows.row(graph, label)["search_seconds"])
    return [float(run[name]) for run in rows.row(graph, label)["runs"]]


def _rounds(rows: Rows, graph: str) -> list[float]:
    return [0.0, *rows.row(graph, PROPOSALS)["runs"][0]["rounds"]]


def _figure_2(rows: Rows) -> list[Figure]:
    series = []
    for graph in rows.having(PROPOSALS):
        shares: list[float | None] = [100 * share for share in _rounds(rows, graph)]
        names = [graph] * len(shares)
        series.append(Series(graph, list(range(len(shares))), shares, graphs=names))
    return [
        Figure(
            f"{NAME}/figure-2", NAME, "Figure 2: matched vertices by round", "lines", "rounds",
            "% of the vertices", series,
            published="Most vertices are matched after a few rounds, then the curves flatten.",
        )
    ] if series else []  # fmt: skip


def _swept(rows: Rows, graph: str, label: str) -> list[float]:
    return [p for p in PROBABILITIES if rows.having(f"{label} {p}", of=[graph])]


def _first(rows: Rows, graph: str, p: float) -> float:
    """Return the fraction of vertices matched in the first round."""
    runs = rows.row(graph, f"{PROPOSALS} {p}")["runs"]
    return fmean(run["rounds"][0] for run in runs)


def _sweeps(rows: Rows) -> list[str]:
    return [graph for graph in rows.graphs if _swept(rows, graph, PROPOSALS)]


def _figure_3(rows: Rows) -> list[Figure]:
    found = []
    for graph in rows.graphs:
        some = _swept(rows, graph, HEAVY)
        if some:
            series = []
            for name in ("size", "weight", "seconds"):
                least = min if name == "seconds" else fmean
                values = [least(_runs(rows, graph, f"{HEAVY} {p}", name)) for p in some]
                shares: list[float | None] = [100 * v / (max(values) or 1) for v in values]
                series.append(Series("time" if name == "seconds" else name, some, shares))
            found.append(
                Figure(
                    f"{NAME}/figure-3a", NAME, f"Figure 3, left: what p does on {graph}", "lines",
                    "p, the probability of blue", "% of the largest", series,
                    published="On ecology1 size and weight hardly depend on p; the time is least "
                    "around 0.5.",
                )
            )  # fmt: skip
            break
    fine = [k / 100 for k in range(5, 96)]
    curve: list[float | None] = [100 * first_round(p) for p in fine]
    series = [Series("2(1 − p)(1 − exp(−p/(1 − p)))", list(fine), curve, published=True)]
    for graph in _sweeps(rows):
        some = _swept(rows, graph, PROPOSALS)
        series.append(
            Series(f"observed, {graph}", some, [100 * _first(rows, graph, p) for p in some])
        )
    if len(series) > 1:
        found.append(
            Figure(
                f"{NAME}/figure-3b", NAME, "Figure 3, right: matched in the first round", "lines",
                "p, the probability of blue", "% of the vertices", series,
                published="On ecology1 the observed fractions follow the formula for random "
                f"graphs, which is largest at p = {BLUE}.",
            )
        )  # fmt: skip
    return found


def _relative(rows: Rows, graph: str, threads: int) -> float:
    return rows.seconds(graph, PROPOSALS, threads) / rows.seconds(graph, PROPOSALS, 1)


def _figure_4(rows: Rows) -> list[Figure]:
    graphs = [g for g in rows.having(PROPOSALS) if 1 in rows.threads(g, PROPOSALS)]
    series = []
    for graph in graphs:
        counts = rows.threads(graph, PROPOSALS)
        names = [graph] * len(counts)
        values: list[float | None] = [_relative(rows, graph, n) for n in counts]
        series.append(Series(graph, counts, values, graphs=names))
    if not series:
        return []
    counts = max((s.x for s in series), key=len)
    series.append(Series("ideal", counts, [1 / n for n in counts]))
    return [
        Figure(
            f"{NAME}/figure-4", NAME, "Figure 4: time of random matching by threads", "lines",
            "threads", "time relative to one thread", series, log_x=True, log_y=True,
            published="Good speed-ups to 8 threads on 8 cores, smaller ones by hyperthreading.",
        )
    ]  # fmt: skip


def _ratios(rows: Rows, graph: str, ours: str, other: str, name: str) -> tuple[float, float]:
    """Return the ratio of averages (for times, theirs over ours), and its standard deviation."""
    a, b = (_runs(rows, graph, label, name) for label in (ours, other))
    if name == "seconds":
        a, b = b, a
    ratio = fmean(a) / (fmean(b) or 1e-9)
    spread = [(stdev(some) / (fmean(some) or 1e-9)) ** 2 for some in (a, b) if len(some) > 1]
    return ratio, ratio * sum(spread) ** 0.5


_PANELS = (
    ("a", PROPOSALS, RANDOM, "size", "size: proposals of serial random matching (Alg. 1)"),
    ("b", PROPOSALS, RANDOM, "seconds", "speed: proposals over serial random matching (Alg. 1)"),
    ("c", HEAVY, WEIGHTED, "weight", "weight: proposals of serial weighted matching (Alg. 1)"),
    ("d", HEAVY, WEIGHTED, "seconds", "speed: proposals over serial weighted matching (Alg. 1)"),
    ("e", HEAVY, SORTED, "weight", "weight: proposals of sorted matching (Alg. 2)"),
    ("f", HEAVY, SORTED, "seconds", "speed: proposals over sorted matching (Alg. 2)"),
)


def _figure_5(rows: Rows) -> list[Figure]:
    found = []
    for letter, ours, other, name, words in _PANELS:
        graphs = rows.having(ours, other)
        ratios = [_ratios(rows, graph, ours, other, name) for graph in graphs]
        scale = 1 if name == "seconds" else 100
        if graphs:
            series = Series(
                "CPU threads",
                [rows.size(graph)["edges"] // 2 for graph in graphs],
                [scale * ratio for ratio, _ in ratios],
                [scale * (ratio - spread) for ratio, spread in ratios],
                [scale * (ratio + spread) for ratio, spread in ratios],
                graphs,
            )
            found.append(
                Figure(
                    f"{NAME}/figure-5{letter}", NAME, f"Figure 5: {words}", "points", "edges",
                    "times as fast" if name == "seconds" else "%", [series], log_x=True,
                    note=f"Averages over {PERMUTATIONS} permutations, error bars of one standard "
                    "deviation.",
                    published="Over 99 % of Alg. 1's size, 115 % of its weight, 85 % of Alg. 2's "
                    "weight; on a multicore CPU up to 1.1, 0.7 and 13 times as fast.",
                )
            )  # fmt: skip
    return found


# --- claims ---------------------------------------------------------------------------------------


def _mean_ratio(ours: str, other: str, name: str, holds: Callable[[float], bool]) -> Check:
    def outcome(rows: Rows) -> Outcome | None:
        graphs = rows.having(ours, other)
        if not graphs:
            return None
        ratios = [_ratios(rows, graph, ours, other, name)[0] for graph in graphs]
        words = f"{100 * fmean(ratios):.2f} % on average ({100 * min(ratios):.1f} to "
        return Outcome(f"{words}{100 * max(ratios):.1f} %)", holds(fmean(ratios)))

    return outcome


def _fastest(ours: str, other: str, ratio: Callable[[float], float]) -> Check:
    """Return a test of the largest speed-up; `ratio` of it is above one if the claim holds."""

    def outcome(rows: Rows) -> Outcome | None:
        graphs = rows.having(ours, other)
        if not graphs:
            return None
        most = max(_ratios(rows, graph, ours, other, "seconds")[0] for graph in graphs)
        threads = max(rows.row(graph, ours)["arguments"]["threads"] for graph in graphs)
        return by_margin(rows, ratio(most), f"up to {most:.2f} times on {threads} threads")

    return outcome


def _quickly(rows: Rows) -> Outcome | None:
    def share(graph: str) -> float:
        rounds = _rounds(rows, graph)
        return rounds[min(3, len(rounds) - 1)] / (rounds[-1] or 1.0)

    graphs = rows.having(PROPOSALS)
    least = f"at least {100 * min(map(share, graphs)):.0f} %" if graphs else ""
    return on_graphs(graphs, lambda g: share(g) >= 7 / 8, 1.0, f"{least} after three rounds")


def _stuck(rows: Rows) -> Outcome:
    """Count the free neighbours that are left when colours never change."""
    graph = mesh()
    free = free_pairs(graph, matched(graph, lambda v, r: full_md5(v, 1)))
    words = f"{free} edges with both ends free on a grid of {graph.n_vertices} points"
    return Outcome(f"{words}, {COMPUTED}", free > 0)


def _quarter(rows: Rows) -> Outcome:
    """Compare sizes of matchings, in the mean of some runs."""
    graph = mesh()
    ours, whole = (
        fmean(size(matched(graph, colour, seed)) for seed in range(8))
        for colour in (quarter_md5, full_md5)
    )
    words = f"{100 * ours / whole:.2f} % on a grid of {graph.n_vertices} points"
    return Outcome(f"{words}, {COMPUTED}", abs(ours / whole - 1) <= 0.01)


def _best_p(rows: Rows) -> Outcome | None:
    graphs = _sweeps(rows)
    best = {g: max(_swept(rows, g, PROPOSALS), key=lambda p: _first(rows, g, p)) for g in graphs}
    words = ", ".join(f"{p:g} ({graph})" for graph, p in best.items())
    return on_graphs(graphs, lambda g: abs(best[g] - BLUE) < 0.05, 1.0, words)


def _formula(random: bool, points: float) -> Check:
    """Return a test that the formula is right within so many points, on random graphs or others."""

    def outcome(rows: Rows) -> Outcome | None:
        graphs = [g for g in _sweeps(rows) if g.startswith("random") == random]
        apart = {
            g: max(abs(_first(rows, g, p) - first_round(p)) for p in _swept(rows, g, PROPOSALS))
            for g in graphs
        }
        words = ", ".join(f"{100 * a:.2f} points apart at most ({g})" for g, a in apart.items())
        return on_graphs(graphs, lambda g: 100 * apart[g] < points, 1.0, words)

    return outcome


def _scales(rows: Rows) -> Outcome | None:
    graphs = [g for g in rows.having(PROPOSALS) if 1 in rows.threads(g, PROPOSALS)]
    if not graphs:
        return None
    most = max(max(rows.threads(g, PROPOSALS)) for g in graphs)
    if most < 2:
        return Outcome("", None, "only one thread was measured")
    some = [g for g in graphs if most in rows.threads(g, PROPOSALS)]
    mean = fmean(1 / _relative(rows, graph, most) for graph in some)
    asked = (1 + most) / 2
    words = f"{mean:.2f} times on {most} threads (asked for: {asked:g})"
    return by_margin(rows, mean / asked, words)


def _with_size(rows: Rows) -> Outcome | None:
    graphs = rows.having(PROPOSALS, RANDOM)
    if len(graphs) < 3:
        return None
    speeds = [_ratios(rows, graph, PROPOSALS, RANDOM, "seconds")[0] for graph in graphs]
    found = _rank_correlation([rows.size(graph)["edges"] for graph in graphs], speeds)
    words = f"rank correlation of speed-up and edges {found:+.2f}"
    return (
        Outcome(words, None, "too weak to tell") if abs(found) < 0.3 else Outcome(words, found > 0)
    )


def _less_by_weight(rows: Rows) -> Outcome | None:
    some, others = rows.having(PROPOSALS, RANDOM), rows.having(HEAVY, WEIGHTED)
    graphs = [g for g in others if g in some]
    if not graphs:
        return None
    plain, heavy = (
        fmean(_ratios(rows, g, ours, other, "seconds")[0] for g in graphs)
        for ours, other in ((PROPOSALS, RANDOM), (HEAVY, WEIGHTED))
    )
    return by_margin(
        rows, plain / (heavy or 1e-9), f"{heavy:.2f} times by weight, {plain:.2f} at random"
    )


def _flat(name: str, points: float) -> Check:
    """Return a test that size or weight hardly changes with p."""

    def spread(rows: Rows, graph: str) -> float:
        values = [fmean(_runs(rows, graph, f"{HEAVY} {p}", name))
                  for p in _swept(rows, graph, HEAVY)]  # fmt: skip
        return 100 * (1 - min(values) / (max(values) or 1))

    def outcome(rows: Rows) -> Outcome | None:
        graphs = [g for g in rows.graphs if _swept(rows, g, HEAVY)]
        words = ", ".join(f"{spread(rows, g):.2f} % from least to most ({g})" for g in graphs)
        return on_graphs(graphs, lambda g: spread(rows, g) <= points, 1.0, words)

    return outcome


def _least_time(rows: Rows) -> Outcome | None:
    """Whether runs are shortest with a p near the recommended one."""
    graphs = [g for g in rows.graphs if len(_swept(rows, g, HEAVY)) > 2]
    if not graphs:
        return None
    times = {p: geometric_mean(rows.seconds(g, f"{HEAVY} {p}") for g in graphs)
             for p in _swept(rows, graphs[0], HEAVY)}  # fmt: skip
    near = min(s for p, s in times.items() if abs(p - BLUE) <= 0.1)
    far = min(s for p, s in times.items() if abs(p - BLUE) > 0.1)
    best = min(times, key=lambda p: times[p])
    return by_margin(rows, far / near, f"at p = {best:g}; {far / near:.2f} times as long elsewhere")


def _rank_correlation(left: Sequence[float], right: Sequence[float]) -> float:
    """Return Spearman's coefficient, ties by order."""
    n = len(left)
    ranks = [sorted(range(n), key=lambda i: some[i]) for some in (left, right)]
    place = [{item: rank for rank, item in enumerate(order)} for order in ranks]
    return 1 - 6 * sum((place[0][i] - place[1][i]) ** 2 for i in range(n)) / (n * (n * n - 1))


_CLAIMS: Claims = (
    ("the number of unmatched vertices falls rapidly: at least by half in each of three rounds",
     "the figure shows it", "figure-2", _quickly),
    ("with the same colours in every round it gets stuck in a matching that is not maximal", "said",
     "figure-2", _stuck),
    ("a quarter of MD5 costs no quality: sizes are as with all of it, within 1 %", "in experiments",
     "figure-2", _quarter),
    ("on a large random graph the fraction matched in the first round is "
     "2(1 − p)(1 − exp(−p/(1 − p))), within a point", "derived", "figure-3b", _formula(True, 1.0)),
    ("… and on a mesh about that, within five points", "figure 3, on ecology1", "figure-3b",
     _formula(False, 5.0)),
    (f"it is largest at p = {BLUE}", "confirmed on ecology1", "figure-3b", _best_p),
    ("the time is least near that p", "around 0.5", "figure-3a", _least_time),
    ("the size hardly depends on p, by 2 % at most", "the figure shows it", "figure-3a",
     _flat("size", 2.0)),
    ("… nor does the weight, by 5 % at most", "the figure shows it", "figure-3a",
     _flat("weight", 5.0)),
    ("Alg. 3 scales with the number of cores", "good speed-ups up to 8 threads", "figure-4",
     _scales),
    ("random matchings by proposals are as large as serial ones", "over 99 % on average",
     "figure-5a", _mean_ratio(PROPOSALS, RANDOM, "size", lambda ratio: ratio > 0.99)),
    ("weighted matchings by proposals are heavier than by Alg. 1", "115 % on average",
     "figure-5c", _mean_ratio(HEAVY, WEIGHTED, "weight", lambda ratio: ratio > 1.01)),
    ("… and 85 % as heavy as by Alg. 2, within five points", "85 % on average", "figure-5e",
     _mean_ratio(HEAVY, SORTED, "weight", lambda ratio: abs(ratio - 0.85) <= 0.05)),
    ("on a multicore CPU proposals are hardly faster than serial random matching",
     "up to 1.1 times on 16 threads", "figure-5b",
     _fastest(PROPOSALS, RANDOM, lambda most: 1.1 / (most or 1e-9))),
    ("… slower than serial weighted matching", "up to 0.7 times", "figure-5d",
     _fastest(HEAVY, WEIGHTED, lambda most: 1 / (most or 1e-9))),
    ("… and faster than sorting", "up to 13 times", "figure-5f",
     _fastest(HEAVY, SORTED, lambda most: most)),
    ("… and speed-ups by weight are below those at random", "0.7 and 1.1 times", "figure-5d",
     _less_by_weight),
    ("speed-ups increase with the size of the graph", "the figure shows it", "figure-5b",
     _with_size),
    ("on a GPU proposals are faster than serial matching", "up to 6.8, 5.6 and 37 times",
     "figure-5", None),
    ("vertices of high degree keep few GPU threads busy and others waiting", "explains figure 5",
     "figure-5", None),
)  # fmt: skip

PAPER = Paper(
    NAME,
    "A GPU algorithm for greedy graph matching",
    "B. O. Fagginger Auer, R. H. Bisseling, 2012",
    "maximal matchings by rounds of proposals from blue vertices to red ones",
    (
        Experiment(f"{NAME}/figure-2", {"general": _MOST}, _figure_2),
        Experiment(
            f"{NAME}/figure-3", {"mesh": (*_HEAVY_SWEEP, *_SWEEP), "random": _SWEEP}, _figure_3
        ),
        Experiment(f"{NAME}/figure-4", {"general": _PROPOSALS}, _figure_4),
        Experiment(f"{NAME}/figure-5", {"general": _SIZES, "weighted": _WEIGHTS}, _figure_5),
    ),
    claims_of(NAME, _CLAIMS, NO_GPU),
    (
        Missing(NAME, "the GPU's (CUDA) points in figure 5",
                "nothing here has run on a GPU; shown are CPU threads"),
        Missing(NAME, "figure 1", "an illustration"),
    ),
)  # fmt: skip
