"""The APFB/APsB paper: tables 1 and 2, figures 2 to 5.

All runs begin with one cheap start and search from columns, as in the paper; seconds are without
the start. What the paper ran on a GPU runs here on CPU threads, from the same source. Counts of
iterations and launches can be compared, seconds cannot.

Reference: M. Deveci, K. Kaya, B. Uçar, Ü. Çatalyürek, "GPU accelerated maximum cardinality matching
algorithms for bipartite graphs", Euro-Par 2013.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

from ..bench.ratios import geometric_mean, sensitivity
from ..report.figures import performance, speedups
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
    in_print,
    on_graphs,
)
from .published import APFB_TABLE_1, APFB_TABLE_2, printed

__all__ = ["PAPER"]

NAME = "apfb"
NO_GPU = "a GPU's seconds: nothing here has run on one"
SHAPES = [f"{driver}-{bfs}-{shape}" for driver in ("apfb", "apsb")
          for bfs in ("gpubfs", "gpubfs-wr") for shape in ("mt", "ct")]  # fmt: skip
EIGHT = [f"{name} cheap" for name in SHAPES]
APFB, APFB_WR, APSB, APSB_WR = (
    f"{name} cheap"
    for name in ("apfb-gpubfs-ct", "apfb-gpubfs-wr-ct", "apsb-gpubfs-ct", "apsb-gpubfs-wr-ct")
)
PFP, HK = "pothen-fan cheap", "hopcroft-karp cheap"
P_PFP, P_DBFS, P_HK = (f"{name} cheap" for name in ("p-pothen-fan", "p-dbfs", "p-hopcroft-karp"))
PARALLEL = {"APFB-GPUBFS-WR": APFB_WR, "P-PFP": P_PFP, "P-DBFS": P_DBFS, "P-HK": P_HK}

_ALL = (cores(),)
_exact = partial(exact, init="cheap", side="cols")
_EIGHT = tuple(chain(*(_exact(name, threads=_ALL, keep=("launches",)) for name in SHAPES)))
_SERIAL = _exact("pothen-fan") + _exact("hopcroft-karp")
_MULTICORE = tuple(
    chain(*(_exact(a, threads=_ALL) for a in ("p-pothen-fan", "p-dbfs", "p-hopcroft-karp")))
)
_BEST = tuple(s for s in _EIGHT if s.arguments["algorithm"] == "apfb-gpubfs-wr-ct")
_AGAINST = (*_BEST, *_SERIAL, *_MULTICORE)


def _sets(rows: Rows, *labels: str) -> dict[str, list[str]]:
    """Return graphs as they come and permuted (RCP), and of both the hardest half.

    A graph is as hard as the slower of the sequential codes found it.
    """
    found = {}
    graphs = rows.having(PFP, HK, *labels)
    for name, permuted in (("O", False), ("RCP", True)):
        some = [graph for graph in graphs if rows.permuted(graph) == permuted]
        by_time = sorted(
            some, key=lambda graph: max(rows.seconds(graph, la) for la in (PFP, HK)), reverse=True
        )
        found[name] = some
        found[f"{name}_Hardest"] = by_time[: (len(some) + 1) // 2]
    return {name: some for name, some in found.items() if some}


def _table_1(rows: Rows) -> list[Table]:
    lines: list[list[str | float | int | None]] = [
        [name, "CPU threads, ours", *(rows.mean_seconds(graphs, label) for label in EIGHT)]
        for name, graphs in _sets(rows, *EIGHT).items()
    ]
    if not lines:
        return []
    lines += [[name, "GPU, published", *printed(*v)] for name, v in APFB_TABLE_1.items()]
    return [
        Table(
            f"{NAME}/table-1", NAME, "Table 1: geometric means of seconds, eight variants",
            ["graphs", "where", *(name.upper() for name in SHAPES)], lines,
            note="O: graphs as they come; RCP: rows and columns permuted; Hardest: the half that "
            "took the slower of the sequential codes longest.",
            published="CT is always faster than MT, and WR than plain, on a GPU.",
        )
    ]  # fmt: skip


def _launches(rows: Rows, graph: str, label: str) -> int:
    return int(rows.stat(graph, label, "levels"))


def _figure_2(rows: Rows) -> list[Figure]:
    four = {"APFB": APFB, "APFB-WR": APFB_WR, "APsB": APSB, "APsB-WR": APSB_WR}
    graphs = [g for g in rows.having(*four.values()) if rows.stat(g, APSB, "phases") > 2]
    if not graphs:
        return []

    def gain(graph: str) -> float:
        return _launches(rows, graph, APSB_WR) / max(_launches(rows, graph, APFB_WR), 1)

    found = []
    for letter, graph in (("a", max(graphs, key=gain)), ("b", min(graphs, key=gain))):
        series = []
        for name, label in four.items():
            launches = rows.stat(graph, label, "launches")
            series.append(Series(name, list(range(1, len(launches) + 1)), launches))
        found.append(
            Figure(
                f"{NAME}/figure-2{letter}", NAME,
                f"Figure 2({letter}): BFS launches of every iteration, {graph}", "lines",
                "iteration", "kernels launched", series, log_y=True,
                note=f"APsB launches {gain(graph):.2g} times as many kernels as APFB in all (WR): "
                f"the {'most' if letter == 'a' else 'least'} of our graphs.",
                published="APFB needs fewer iterations, and on most graphs fewer launches "
                "(Hamrle3); on some APsB has fewer launches (delaunay_n23).",
            )
        )  # fmt: skip
    return found


def _orders(
    letters: str, make: Callable[[str, str, list[str]], Figure], rows: Rows
) -> list[Figure]:
    sets = _sets(rows, *PARALLEL.values())
    words = (("O", "original graphs"), ("RCP", "permuted graphs"))
    return [
        make(letter, text, sets[name])
        for letter, (name, text) in zip(letters, words, strict=True)
        if name in sets
    ]


def _figure_3(rows: Rows) -> list[Figure]:
    return _orders("ab", lambda letter, words, graphs: speedups(
        f"{NAME}/figure-3{letter}",
        f"Figure 3({letter}): speed-ups over {'HK' if letter == 'a' else 'PFP'}, {words}",
        {graph: rows.seconds(graph, HK if letter == "a" else PFP) for graph in graphs},
        rows.times(graphs, PARALLEL),
        note="All on CPU threads; the paper's APFB is on a GPU.",
        published="The GPU is faster than HK on 86 % of the original, and than PFP on 76 % of the "
        "permuted graphs; P-DBFS is the best multicore code.",
    ), rows)  # fmt: skip


def _figure_4(rows: Rows) -> list[Figure]:
    return _orders("ab", lambda letter, words, graphs: performance(
        f"{NAME}/figure-4{letter}", f"Figure 4({letter}): performance profiles, {words}",
        rows.times(graphs, PARALLEL),
        note="All on CPU threads; the paper's APFB is on a GPU.",
        published="The GPU is the best on 61 % of the original and 74 % of the permuted graphs.",
    ), rows)  # fmt: skip


def _figure_5(rows: Rows) -> list[Figure]:
    sets = _sets(rows, APFB_WR)
    series = [
        Series(f"over {name}", list(sets), [rows.ratio(some, label, APFB_WR)
                                            for some in sets.values()])
        for name, label in (("PFP", PFP), ("HK", HK))
    ]  # fmt: skip
    series.append(
        Series("GPU over the faster, published", ["O", "O_Hardest", "RCP", "RCP_Hardest"],
               [3.61, 3.96, 3.54, 9.29], published=True)
    )  # fmt: skip
    return [
        Figure(
            f"{NAME}/figure-5", NAME, "Figure 5: speed-up of APFB-GPUBFS-WR-CT on CPU threads",
            "bars", "graphs", "times as fast", series,
            note="On CPU threads every launch goes over all rows; the paper's is on a GPU.",
            published="At least 3.61 and 3.54 on the original and permuted graphs, 3.96 and 9.29 "
            "on the hardest.",
        )
    ] if sets else []  # fmt: skip


_FOUR = {"APFB-GPUBFS-WR-CT": APFB_WR, "P-DBFS": P_DBFS, "PFP": PFP, "HK": HK}


def _table_2(rows: Rows) -> list[Table]:
    sets = _sets(rows, *_FOUR.values())
    columns = ["graph", "order", *_FOUR, "σ of the first in %"]
    lines: list[list[str | float | int | None]] = [
        [graph, words, *(rows.seconds(graph, label) for label in _FOUR.values()),
         sensitivity(rows.row(graph, APFB_WR)["search_seconds"])]
        for name, words in (("O_Hardest", "original"), ("RCP_Hardest", "permuted"))
        for graph in sets.get(name, [])
    ]  # fmt: skip
    published: list[list[str | float | int | None]] = [
        [name, words, *printed(*values[k : k + 4])]
        for k, words in ((0, "original"), (4, "permuted"))
        for name, values in APFB_TABLE_2
    ]
    return [
        Table(f"{NAME}/table-2", NAME, "Table 2: seconds on the hardest of our graphs", columns,
              lines, "All on the CPU; σ is the standard deviation of repeated runs, in per cent of "
              "their mean."),
        Table(f"{NAME}/table-2-published", NAME, "Table 2, as published",
              ["graph", "order", "GPU", "P-DBFS", "PFP", "HK"], published,
              "P-DBFS on 8 threads; PFP and HK on one."),
    ] if lines else []  # fmt: skip


# --- claims ---------------------------------------------------------------------------------------


def _with_paths(rows: Rows, *labels: str) -> list[str]:
    """Return the graphs on which the start left something to do."""
    return [g for g in rows.having(*labels) if rows.stat(g, labels[0], "augmenting_paths")]


def _less(stat: str, left: str, right: str, needed: float, *, equal: bool = False) -> Check:
    def outcome(rows: Rows) -> Outcome | None:
        graphs = _with_paths(rows, left, right)
        pairs = {g: (rows.stat(g, left, stat), rows.stat(g, right, stat)) for g in graphs}
        sums = [sum(pair[k] for pair in pairs.values()) for k in (0, 1)]
        return on_graphs(
            graphs,
            lambda g: pairs[g][0] < pairs[g][1] or (equal and pairs[g][0] == pairs[g][1]),
            needed,
            f"{sums[0]} against {sums[1]} in all",
        )

    return outcome


def _harder(rows: Rows) -> Outcome | None:
    labels = PFP, HK
    twins = {g: f"{g} permuted" for g in rows.having(*labels) if f"{g} permuted" in rows.graphs}
    ratios = {
        (g, label): rows.seconds(twin, label) / rows.seconds(g, label)
        for g, twin in twins.items()
        for label in labels
    }
    if not ratios:
        return None
    good = sum(ratio > rows.margin for ratio in ratios.values())
    return Outcome(
        f"in {good} of {len(ratios)} cases by more than noise; "
        f"{geometric_mean(ratios.values()):.2f} times as long",
        good > len(ratios) / 2,
    )


def _ratios_in_print(step: int) -> list[float]:
    """Return how many times as fast a variant is as the one so many places before it in table 1."""
    pairs = [(k, k + step) for k in range(8) if (k // step) % 2 == 0]
    return [values[a] / values[b] for values in APFB_TABLE_1.values() for a, b in pairs]


def _always(step: int) -> Check:
    ratios = _ratios_in_print(step)
    good = sum(ratio > 1 for ratio in ratios)
    words = f"{min(ratios):.2f} to {max(ratios):.2f} times, in {good} of {len(ratios)} pairs"
    return in_print(words, good == len(ratios))


def _sooner(at: int, than: Sequence[int]) -> int:
    """Return on how many graphs of table 2 a column is below all of some others."""
    return sum(values[at] < min(values[k] for k in than) for _, values in APFB_TABLE_2)


def _some_the_other_way(rows: Rows) -> Outcome | None:
    """Whether APsB launches fewer kernels than APFB on a few graphs, and on no more than that."""
    graphs = _with_paths(rows, APFB_WR, APSB_WR)
    if not graphs:
        return None
    few = [g for g in graphs if _launches(rows, g, APSB_WR) < _launches(rows, g, APFB_WR)]
    words = f"on {len(few)} of {len(graphs)} graphs" + (f": {', '.join(few[:3])}" if few else "")
    return Outcome(words, 0 < len(few) <= len(graphs) / 4)


def _gain_in_print(at: int) -> float:
    """Return by how much the GPU is faster than the better of PFP and HK in table 2, in mean."""
    return min(
        geometric_mean(values[at + k] / values[at] for _, values in APFB_TABLE_2) for k in (2, 3)
    )


def _first_of(name: str, labels: Sequence[str], *, last: bool = False) -> Check:
    """Return a test that the first label is the fastest (or slowest) on a set of graphs."""

    def outcome(rows: Rows) -> Outcome | None:
        graphs = _sets(rows, *labels).get(name)
        if not graphs:
            return None
        means = {label: rows.mean_seconds(graphs, label) for label in labels}
        words = ", ".join(f"{la.removesuffix(' cheap')} {1e3 * s:.3g}" for la, s in means.items())
        others = [means[label] for label in labels[1:]]
        ratio = means[labels[0]] / max(others) if last else min(others) / means[labels[0]]
        return by_margin(rows, ratio, f"ms: {words}")

    return outcome


def _degrades(rows: Rows) -> Outcome | None:
    def slower(label: str) -> float:
        sets = _sets(rows, P_DBFS, P_PFP)
        return rows.mean_seconds(sets["RCP"], label) / rows.mean_seconds(sets["O"], label)

    if not {"O", "RCP"} <= _sets(rows, P_DBFS, P_PFP).keys():
        return None
    dbfs, pfp = slower(P_DBFS), slower(P_PFP)
    words = f"P-DBFS takes {dbfs:.2f} times as long permuted, P-PFP {pfp:.2f}"
    return by_margin(rows, dbfs / pfp, words)


_CLAIMS: Claims = (
    ("APFB needs fewer iterations than APsB (GPUBFS)", "clearly, on two graphs", "figure-2",
     _less("phases", APFB, APSB, 1.0)),
    ("… and with GPUBFS-WR", "clearly, on two graphs", "figure-2",
     _less("phases", APFB_WR, APSB_WR, 1.0)),
    ("on most graphs APFB launches fewer BFS kernels than APsB", "most graphs", "figure-2",
     _less("levels", APFB_WR, APSB_WR, 0.501)),
    ("for a small set of graphs it is APsB that launches fewer", "delaunay_n23", "figure-2",
     _some_the_other_way),
    ("GPUBFS goes on from columns whose path is found, and finds fewer paths: it needs at least "
     "as many iterations as GPUBFS-WR", "the reason given for WR's speed", "figure-2",
     _less("phases", APFB_WR, APFB, 0.75, equal=True)),
    ("… and looks at more edges", "unnecessary BFSs", "figure-2",
     _less("traversed_edges", APFB_WR, APFB, 0.75)),
    ("permuted graphs are usually harder for augmenting paths", "usually", "figure-3", _harder),
    ("of the sequential codes HK is faster on the original graphs", "as said of 70 matrices",
     "figure-3a", _first_of("O", (HK, PFP))),
    ("… and PFP on the permuted ones", "as said of 70 matrices", "figure-3b",
     _first_of("RCP", (PFP, HK))),
    ("P-DBFS is the fastest multicore code on the original graphs", "figure 3", "figure-3a",
     _first_of("O", (P_DBFS, P_PFP, P_HK))),
    ("P-DBFS suffers more from permutation than P-PFP", "figure 3", "figure-3b", _degrades),
    ("… but is faster than it on the permuted graphs, too", "figure 3", "figure-3b",
     _first_of("RCP", (P_DBFS, P_PFP))),
    ("P-HK is the slowest multicore code on the original graphs", "figure 3", "figure-3a",
     _first_of("O", (P_HK, P_PFP, P_DBFS), last=True)),
    ("… and on the permuted ones", "figure 3", "figure-3b",
     _first_of("RCP", (P_HK, P_PFP, P_DBFS), last=True)),
    ("a constant number of threads (CT) is always faster than a thread a vertex (MT)",
     "always", "table-1", _always(1)),
    ("GPUBFS-WR is always faster than GPUBFS", "always", "table-1", _always(2)),
    ("P-DBFS is faster than the GPU on five of the 20 hardest original "
     "graphs", "five", "table-2",
     in_print(f"on {_sooner(1, (0,))}", _sooner(1, (0,)) == 5)),
    ("APFB-GPUBFS-WR-CT is faster than HK on most original graphs", "86 %", "figure-3a", None),
    ("… and than PFP on most permuted ones", "76 %", "figure-3b", None),
    ("it is the fastest of all on most graphs", "61 % and 74 % permuted", "figure-4", None),
    ("its speed-up is largest on the hardest permuted graphs", "3.61, 3.54; 3.96, 9.29",
     "figure-5", None),
    ("it is faster than the best sequential code on all but six of the 20 hardest original graphs",
     "14 of 20, permuted 18", "table-2",
     in_print(f"on {_sooner(0, (2, 3))} of 20, permuted {_sooner(4, (6, 7))}",
              (_sooner(0, (2, 3)), _sooner(4, (6, 7))) == (14, 18))),
    ("on the 20 hardest original graphs its speed-up over the better of PFP and HK is 3.96",
     "3.96", "table-2", in_print(f"{_gain_in_print(0):.2f}", abs(_gain_in_print(0) - 3.96) < 0.02)),
    ("the deviation of its repeated runs is below 10 % on most graphs", "below 10, 18 and 47 % on "
     "20, 5 and 3 graphs", "table-2", None),
)  # fmt: skip

PAPER = Paper(
    NAME,
    "GPU accelerated augmenting paths (APFB, APsB)",
    "M. Deveci, K. Kaya, B. Uçar, Ü. Çatalyürek, Euro-Par 2013",
    "breadth-first searches by kernels without locks, whose paths are turned over at once and "
    "repaired",
    (
        Experiment(f"{NAME}/table-1", {"permuted": (*_EIGHT, *_SERIAL)}, _table_1),
        Experiment(f"{NAME}/figure-2", {"permuted": _EIGHT}, _figure_2),
        Experiment(f"{NAME}/figure-3", {"permuted": _AGAINST}, _figure_3),
        Experiment(f"{NAME}/figure-4", {"permuted": _AGAINST}, _figure_4),
        Experiment(f"{NAME}/figure-5", {"permuted": (*_BEST, *_SERIAL)}, _figure_5),
        Experiment(f"{NAME}/table-2", {"permuted": _AGAINST}, _table_2),
    ),
    claims_of(NAME, _CLAIMS, NO_GPU),
    (
        Missing(NAME, "the GPU's seconds in tables 1 and 2 and figures 3 to 5",
                "nothing here has run on a GPU; shown are CPU threads, and the published values"),
        Missing(NAME, "figure 1", "an illustration"),
    ),
)  # fmt: skip
