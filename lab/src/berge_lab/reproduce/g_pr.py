"""The G-PR paper: figures 1 to 4, and table I with the cardinalities that can be checked.

All runs begin with one cheap start and push from columns, as in the paper; seconds are without the
start. G-PR and G-HKDW ran on a GPU; here they run on CPU threads. G-HKDW is APFB with the kernel
GPUBFS-WR, of the same authors. PR is our sequential push-relabel with the paper's frequency of
global relabelling, which is tried besides at others.

Reference: M. Deveci, K. Kaya, B. Uçar, Ü. Çatalyürek, "A push-relabel-based maximum cardinality
bipartite matching algorithm on GPUs", ICPP 2013.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain, pairwise
from typing import Any

from ..bench.ratios import geometric_mean
from ..report.figures import by_graph, performance, speedups
from ..report.model import Figure, Missing, Series, Table
from .apfb import NO_GPU
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
    in_print,
    on_graphs,
)
from .published import TABLE_I, TABLE_I_MEANS, printed

__all__ = ["PAPER"]

NAME = "g-pr"
FORMS = ("g-pr-first", "g-pr-noshr", "g-pr-shr")
STRATEGIES = [("adaptive", k) for k in (0.3, 0.7, 1.0, 1.5, 2.0)]
STRATEGIES += [("fix", k) for k in (10.0, 50.0)]
FREQUENCIES = (0.1, 0.25, 1.0, 2.0)  # of PR's global relabelling, besides 0.5
_ALL = (cores(),)
_exact = partial(exact, init="cheap", side="cols")


def _label(form: str, strategy: tuple[str, float]) -> str:
    return f"{form} cheap {strategy[0]} {strategy[1]}"


G_PR = _label("g-pr-shr", ("adaptive", 0.7))
G_HKDW, P_DBFS, PR = "apfb-gpubfs-wr-ct cheap", "p-dbfs cheap", "push-relabel cheap"
PARALLEL = {"G-PR": G_PR, "G-HKDW": G_HKDW, "P-DBFS": P_DBFS}

_FORMS = tuple(chain(*(
    _exact(form, threads=_ALL, strategy=strategy, k=k, keep=("active",))
    for form in FORMS for strategy, k in STRATEGIES
)))  # fmt: skip
_BEST = tuple(s for s in _FORMS if s.name.startswith(G_PR))
_PR = _exact("push-relabel")
_PR_SWEEP = tuple(chain(*(_exact("push-relabel", relabel_every=k) for k in FREQUENCIES)))
_OTHERS = _exact("apfb-gpubfs-wr-ct", threads=_ALL, keep=("launches",)) + _exact(
    "p-dbfs", threads=_ALL
)
_AGAINST = (*_BEST, *_OTHERS, *_PR)


def _everywhere(rows: Rows) -> list[str]:
    """Return the graphs on which all forms ran with all strategies."""
    return rows.having(*(_label(form, s) for form in FORMS for s in STRATEGIES))


def _figure_1(rows: Rows) -> list[Figure]:
    graphs = _everywhere(rows)
    if not graphs:
        return []
    names = [f"({strategy}, {k:g})" for strategy, k in STRATEGIES]
    found = []
    for letter, words, value in (
        ("a", "milliseconds on CPU threads", lambda g, label: 1e3 * rows.seconds(g, label)),
        ("b", "push launches", lambda g, label: rows.stat(g, label, "iterations") or 1),
    ):
        series = [
            Series(form, names, [geometric_mean(value(g, _label(form, s)) for g in graphs)
                                 for s in STRATEGIES])
            for form in FORMS
        ]  # fmt: skip
        found.append(
            Figure(
                f"{NAME}/figure-1{letter}", NAME,
                f"Figure 1: when to relabel, {words}", "bars", "strategy",
                f"{words}, geometric mean", series,
                note=f"Over {len(graphs)} graphs.",
                published="(adaptive, 0.3) and (adaptive, 0.7) are the best; a list of active "
                "columns brings 14 to 84 %, shrinking it another 2 to 8 %, on a GPU.",
            )
        )  # fmt: skip
    return found


def _against(rows: Rows) -> list[str]:
    return rows.having(PR, *PARALLEL.values())


_ON_CPU = "All on CPU threads; the paper's G-PR and G-HKDW are on a GPU."


def _figure_2(rows: Rows) -> list[Figure]:
    graphs = _against(rows)
    return [speedups(
        f"{NAME}/figure-2", "Figure 2: speed-ups over sequential push-relabel",
        {graph: rows.seconds(graph, PR) for graph in graphs}, rows.times(graphs, PARALLEL),
        note=_ON_CPU,
        published="G-PR is at least 5 times as fast on 39 % of the graphs, G-HKDW on 21 %, P-DBFS "
        "on 14 %; G-PR is faster than PR on 82 %.",
    )] if graphs else []  # fmt: skip


def _figure_3(rows: Rows) -> list[Figure]:
    graphs = _against(rows)
    return [performance(
        f"{NAME}/figure-3", "Figure 3: performance profiles", rows.times(graphs, PARALLEL),
        note=_ON_CPU,
        published="G-PR is the best on 61 % of the graphs, and within 1.5 times on 75 %.",
    )] if graphs else []  # fmt: skip


def _figure_4(rows: Rows) -> list[Figure]:
    return by_graph(
        f"{NAME}/figure-4",
        "Figure 4: speed-up of G-PR over sequential push-relabel, graph by graph",
        "times as fast",
        rows.having(PR, G_PR),
        {"G-PR": lambda graph: rows.seconds(graph, PR) / rows.seconds(graph, G_PR)},
        note=_ON_CPU,
        published="0.31 (hugetrace-00000) to 12.6 (delaunay_n24), 3.05 on average.",
    )


def _table_i(rows: Rows) -> list[Table]:
    four = {**PARALLEL, "PR": PR}
    lines: list[list[str | float | int | None]] = []
    for graph in _against(rows):
        row = rows.row(graph, G_PR)
        seconds = [rows.seconds(graph, label) for label in four.values()]
        start = row["stats"]["start_cardinality"]
        sizes = row["rows"], row["cols"], row["edges"]
        lines.append([graph, *sizes, start, row["cardinality"], *seconds])
    if not lines:
        return []
    columns = ["graph", "rows", "columns", "edges", "IM", "MM", *(f"{name} s" for name in four)]
    title = "Table I: sizes, cardinality of the start (IM) and of a maximum matching (MM), seconds"
    published: list[list[str | float | int | None]] = [
        [*row[:6], *printed(*row[6:])] for row in TABLE_I
    ]
    published.append(["geometric mean", *[None] * 5, *printed(*TABLE_I_MEANS)])
    checks: list[list[str | float | int | None]] = [
        [name, "yes" if not wrong else "", ", ".join(wrong)]
        for name, wrong in _checked(rows).items()
    ]
    return [
        Table(f"{NAME}/table-I", NAME, title, columns, lines, _ON_CPU),
        Table(f"{NAME}/table-I-published", NAME, "Table I, as published", columns, published,
              "Edges of symmetric matrices are counted once there."),
        Table(f"{NAME}/table-I-check", NAME, "Table I: named matrices that were there",
              ["matrix", "rows, columns, edges, IM and MM as published", "not the same"], checks,
              "" if checks else "None was: `berge fetch` gets them, or --data names a folder."),
    ]  # fmt: skip


def _checked(rows: Rows) -> dict[str, list[str]]:
    """Return for each named matrix that was measured what differs from the published values."""
    found = {}
    for name, n_rows, n_cols, edges, start, maximum, *_ in TABLE_I:
        for graph in rows.having(G_PR, of=[g for g in rows.graphs if g.partition(" [")[0] == name]):
            row = rows.row(graph, G_PR)
            pairs = (
                ("rows", row["rows"], (n_rows,)),
                ("columns", row["cols"], (n_cols,)),
                ("edges", row["edges"], (edges, 2 * edges)),  # of symmetric ones half are counted
                ("IM", row["stats"]["start_cardinality"], (start,)),
                ("MM", row["cardinality"], (maximum,)),
            )
            found[graph] = [f"{word} {ours}" for word, ours, known in pairs if ours not in known]
    return found


# --- claims ---------------------------------------------------------------------------------------


def _in_table(words: str, holds: Callable[[tuple[Any, ...]], bool], published: int) -> Check:
    """Return a claim on how many graphs of the printed table I something holds on."""
    count = sum(holds(row) for row in TABLE_I)
    return in_print(words.format(count), count == published)


def _mean_of(column: int, published: float) -> Check:
    mean = geometric_mean(float(row[column]) / row[6] for row in TABLE_I)
    return in_print(f"{mean:.2f} times, the geometric mean", abs(mean - published) < 0.005)


_BY_SPEED = sorted(TABLE_I, key=lambda row: row[9] / row[6])
_ENDS = _BY_SPEED[0], _BY_SPEED[-1]


def _in_per_cent(column: int, published: int) -> Check:
    count = sum(row[9] >= 5 * float(row[column]) for row in TABLE_I)
    share = round(100 * count / len(TABLE_I))
    return in_print(f"{share} % ({count} of {len(TABLE_I)})", share == published)


def _few_active(rows: Rows) -> Outcome | None:
    """Share of push launches with few active rows; known at every global relabelling."""
    shares = {}
    for graph in rows.having(G_PR):
        row = rows.row(graph, G_PR)
        active = [*row["stats"]["active"], [row["stats"]["iterations"], 0]]
        launches = [(after - now, count) for (now, count), (after, _) in pairwise(active)]
        few = sum(n for n, count in launches if count <= 0.01 * row["rows"])
        if row["stats"]["iterations"]:
            shares[graph] = few / row["stats"]["iterations"]
    mean = f"{100 * sum(shares.values()) / len(shares):.0f} % of launches" if shares else ""
    words = f"{mean} with at most 1 % of the rows active"
    return on_graphs(list(shares), lambda graph: shares[graph] > 0.5, 0.75, words)


def _as_published(start: bool) -> Check:
    """Return a claim on the start's cardinalities in table I, or on all its other numbers."""

    def outcome(rows: Rows) -> Outcome | None:
        found = {
            name: [words for words in wrong if words.startswith("IM") == start]
            for name, wrong in _checked(rows).items()
        }
        if not found:
            return Outcome("", None, "none of the 28 matrices was there (`berge fetch`, or --data)")
        good = [name for name, wrong in found.items() if not wrong]
        wrong = "; ".join(f"{name}: {', '.join(w)}" for name, w in found.items() if w)
        words = f"{len(good)} of {len(found)} matrices" + (f"; {wrong}" if wrong else "")
        return Outcome(words, len(good) == len(found))

    return outcome


def _best_half(rows: Rows) -> Outcome | None:
    """Whether PR is faster with the paper's frequency of relabelling than with all others."""
    others = [f"{PR} {k}" for k in FREQUENCIES]
    graphs = rows.having(PR, *others)
    if not graphs:
        return None
    means = {label: rows.mean_seconds(graphs, label) for label in (PR, *others)}
    words = ", ".join(f"{la.removeprefix(PR).strip() or '0.5'}: {1e3 * s:.3g}"
                      for la, s in means.items())  # fmt: skip
    ratio = min(means[label] for label in others) / means[PR]
    return by_margin(rows, ratio, f"ms by k: {words}")


_CLAIMS: Claims = (
    ("the best strategies are (adaptive, 0.3) and (adaptive, 0.7)", "on a GPU", "figure-1a", None),
    ("a fixed frequency of relabelling is outperformed by the adaptive one for almost all "
     "configurations", "almost all, on a GPU", "figure-1a", None),
    ("most push launches have only few active columns", "observed", "figure-1b", _few_active),
    ("sizes and maximum cardinalities of the 28 matrices", "table I", "table-I-check",
     _as_published(start=False)),
    ("cardinalities of their cheap start", "table I, IM", "table-I-check",
     _as_published(start=True)),
    ("for the sequential PR k = 0.5 is slightly the best", "slightly better", "table-I",
     _best_half),
    ("keeping a list of active columns improves every configuration", "14 to 84 %", "figure-1a",
     None),
    ("shrinking the list improves it again", "2 to 8 %", "figure-1a", None),
    ("G-PR is faster than sequential push-relabel on most graphs", "82 %, 3.05 times on average",
     "table-I-published", _in_table("on {} of 28 graphs", lambda row: row[6] < row[9], 23)),
    ("G-PR is at least 5 times as fast as it on 39 %", "39 %", "table-I-published",
     _in_per_cent(6, 39)),
    ("… G-HKDW on 21 %", "21 %", "table-I-published", _in_per_cent(7, 21)),
    ("… P-DBFS on 14 %", "14 %", "table-I-published", _in_per_cent(8, 14)),
    ("G-PR is faster than all others on 15 graphs", "15 of 28", "table-I-published",
     _in_table("on {} of 28 graphs", lambda row: row[6] < min(row[7:10]), 15)),
    ("its speed-up over PR is 3.05 on average", "3.05", "table-I-published", _mean_of(9, 3.05)),
    ("G-PR is faster than G-HKDW on average", "1.30 times", "table-I-published", _mean_of(7, 1.30)),
    ("… and than P-DBFS", "2.82 times", "table-I-published", _mean_of(8, 2.82)),
    ("G-PR is the best of the three on 61 %", "61 %", "table-I-published",
     _in_table("on {} of 28 graphs", lambda row: row[6] <= min(row[7:9]), 17)),
    ("… and within 1.5 times of it on 75 %", "75 %", "table-I-published",
     _in_table("on {} of 28 graphs", lambda row: row[6] <= 1.5 * min(row[6:9]), 21)),
    ("… G-HKDW on 46 %", "46 %", "table-I-published",
     _in_table("on {} of 28 graphs", lambda row: row[7] <= 1.5 * min(row[6:9]), 13)),
    ("… P-DBFS on 14 %", "14 %", "table-I-published",
     _in_table("on {} of 28 graphs", lambda row: row[8] <= 1.5 * min(row[6:9]), 4)),
    ("the speed-up is smallest on hugetrace-00000 and largest on delaunay_n24", "0.31 and 12.60",
     "table-I-published", in_print(
         "{}, {}".format(*(f"{end[9] / end[6]:.2f} ({end[0]})" for end in _ENDS)),
         [end[0] for end in _ENDS] == ["hugetrace-00000", "delaunay_n24"])),
)  # fmt: skip

PAPER = Paper(
    NAME,
    "Push-relabel on GPUs (G-PR)",
    "M. Deveci, K. Kaya, B. Uçar, Ü. Çatalyürek, ICPP 2013",
    "push-relabel without locks or atomics, relabelled now and then by a breadth-first search",
    (
        Experiment(f"{NAME}/figure-1", {"base": _FORMS}, _figure_1),
        Experiment(f"{NAME}/figure-2", {"base": _AGAINST}, _figure_2),
        Experiment(f"{NAME}/figure-3", {"base": _AGAINST}, _figure_3),
        Experiment(f"{NAME}/figure-4", {"base": (*_BEST, *_PR)}, _figure_4),
        Experiment(f"{NAME}/table-I", {"base": (*_AGAINST, *_PR_SWEEP)}, _table_i),
    ),
    claims_of(NAME, _CLAIMS, NO_GPU),
    (
        Missing(NAME, "the GPU's seconds in figures 1 to 4 and table I",
                "nothing here has run on a GPU; shown are CPU threads, and the published values"),
    ),
)  # fmt: skip
