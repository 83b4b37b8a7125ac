"""What the papers' files are made of: experiments, claims, and the rows that both look at.

An `Experiment` says which graphs and settings a figure or table of a paper needs, and how rows
become one. A `Test` is a claim of the paper with the function that finds out whether it holds.
`Rows` are results by graph, setting and number of threads. The papers compare seconds after a
common start, so `seconds` here are those of the search alone, of the fastest run.

One policy for claims. Counts and sizes are compared as they are. Seconds are compared with those of
the same machine, and only for codes that the paper ran on a CPU; they decide if the ratio is beyond
`Rows.margin`, which no noise of these runs makes, else nothing is said. What the paper says of its
own printed numbers is recomputed from these. What it says of a GPU's seconds is not tested.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import Any

from ..bench.ratios import geometric_mean, sensitivity
from ..bench.suite import Setting
from ..report.bench import by_machine
from ..report.model import Claim, Figure, Missing, Table, Verdict

__all__ = [
    "COMPUTED",
    "IN_PRINT",
    "Check",
    "Claims",
    "Experiment",
    "Outcome",
    "Paper",
    "Rows",
    "Test",
    "by_margin",
    "claims_of",
    "cores",
    "exact",
    "greedy",
    "in_print",
    "on_graphs",
    "thread_counts",
]

IN_PRINT = "by the printed table"
COMPUTED = "computed for this report"
Row = dict[str, Any]
Check = Callable[["Rows"], "Outcome | None"]
# claim, as published, the end of a figure's or table's id, and what looks whether it holds
Claims = Sequence[tuple[str, str, str, Check | None]]
_SETTING = re.compile(r"(?P<label>.+) t(?P<threads>\d+)(?P<machine> \[\w+\])?")


def cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def thread_counts() -> list[int]:
    """Return 1, 2, 4, … and all cores."""
    return sorted({2**k for k in range(cores().bit_length()) if 2**k <= cores()} | {cores()})


def exact(
    algorithm: str,
    init: str,
    threads: Iterable[int] = (1,),
    *,
    name: str = "",
    repeats: int | None = None,
    keep: tuple[str, ...] = (),
    **options: Any,
) -> tuple[Setting, ...]:
    """Return settings of `maximum_matching`, one for each number of threads.

    The name ends with the threads, and says of options only their values: `Rows` look for it. All
    begin with one start, that of one thread; searches begin at rows, or at columns by ``side``.
    """
    said = (str(value) for option, value in options.items() if option != "side")
    label = name or " ".join([algorithm, init, *said])
    arguments = {"algorithm": algorithm, "init": init, "one_start": True, **options}
    return tuple(
        Setting(f"{label} t{n}", None, arguments | {"threads": n}, repeats, keep) for n in threads
    )


def greedy(
    method: str,
    threads: Iterable[int] = (1,),
    *,
    repeats: int | None = None,
    weights: str | None = None,
    p: float | None = None,
) -> tuple[Setting, ...]:
    """Return settings of `greedy_matching`, one for each number of threads; see `exact`."""
    chosen = {k: v for k, v in (("weights", weights), ("p", p)) if v is not None}
    label = " ".join([method, *map(str, chosen.values())])
    arguments = {"method": method, **chosen}
    return tuple(
        Setting(f"{label} t{n}", None, arguments | {"threads": n}, repeats) for n in threads
    )


class Rows:
    """Results that count, by graph, label (a setting's name without threads) and threads.

    Of several lines the last counts. If there are several machines, their letters are put to the
    names of graphs, so that whatever is compared on a graph was measured on one machine.
    """

    def __init__(self, records: Sequence[Row]):
        parts = by_machine(records)
        self.machines = [machine for machine, _ in parts]
        last: dict[tuple[str, str, int], Row] = {}
        for row in (row for _, some in parts for row in some):
            named = _SETTING.fullmatch(row["setting"])
            if named is not None:
                graph = row["graph"] + (named["machine"] or "")
                last[graph, named["label"], int(named["threads"])] = row
        self.settings = {row["setting"] for row in records}  # also those that failed
        self._rows = {key: row for key, row in last.items() if row["status"] == "ok"}
        self._some = {graph: row for (graph, *_), row in self._rows.items()}
        self.graphs = sorted(self._some, key=lambda graph: (self._some[graph]["edges"], graph))
        self._threads: dict[tuple[str, str], list[int]] = {}
        for graph, label, threads in sorted(self._rows):
            self._threads.setdefault((graph, label), []).append(threads)

    def row(self, graph: str, label: str, threads: int | None = None) -> Row:
        """Return a row; of the most threads that there are unless they are given."""
        return self._rows[graph, label, threads or self._threads[graph, label][-1]]

    def threads(self, graph: str, label: str) -> list[int]:
        """Return the numbers of threads that there are rows of."""
        return self._threads[graph, label]

    def having(self, *labels: str, of: Sequence[str] | None = None) -> list[str]:
        """Return the graphs (of these) that all these settings ran on, by their edges."""
        graphs = self.graphs if of is None else of
        return [g for g in graphs if all((g, label) in self._threads for label in labels)]

    def seconds(self, graph: str, label: str, threads: int | None = None) -> float:
        """Return the seconds of the search of the fastest run."""
        return max(float(min(self.row(graph, label, threads)["search_seconds"])), 1e-9)

    def times(
        self, graphs: Sequence[str], labels: Mapping[str, str]
    ) -> dict[str, dict[str, float]]:
        """Return the seconds of settings, given by name → label, on graphs."""
        return {
            name: {graph: self.seconds(graph, label) for graph in graphs}
            for name, label in labels.items()
        }

    def stat(self, graph: str, label: str, name: str, threads: int | None = None) -> Any:
        """Return one of `SolveStats`."""
        return self.row(graph, label, threads)["stats"][name]

    def mean_seconds(self, graphs: Iterable[str], label: str, threads: int | None = None) -> float:
        """Return the geometric mean of `seconds` over graphs."""
        return geometric_mean(self.seconds(graph, label, threads) for graph in graphs)

    def ratio(
        self, graphs: Iterable[str], slow: str, fast: str, threads: int | None = None
    ) -> float:
        """Return how many times as fast the second is as the first: the geometric mean."""
        return geometric_mean(
            self.seconds(g, slow, threads) / self.seconds(g, fast, threads) for g in graphs
        )

    def spread(self) -> list[float]:
        """Return ψ of every row with three runs or more: deviation in per cent of the mean."""
        return [
            sensitivity(row["search_seconds"])
            for row in self._rows.values()
            if len(row["search_seconds"]) > 2 and "method" not in row["arguments"]
        ]

    @cached_property
    def margin(self) -> float:
        """A ratio of seconds that says something: twice the usual ψ from 1, and at least 1.05."""
        spread = self.spread()
        return max(1.05, 1 + 2 * median(spread) / 100) if spread else 1.05

    def permuted(self, graph: str) -> bool:
        """Whether rows and columns were put in random order."""
        return "permute" in self._some[graph]["source"]

    def size(self, graph: str) -> Row:
        """Return some row of the graph: its rows, columns, edges."""
        return self._some[graph]


@dataclass(frozen=True)
class Experiment:
    """A figure or table of a paper: what has to be run, and what is made of the rows.

    `needs` has the settings to run on a set of `berge_lab.reproduce.graphs`. `build` returns the
    parts, whose ids begin with `id`; none if there is nothing to show.
    """

    id: str
    needs: Mapping[str, tuple[Setting, ...]]
    build: Callable[[Rows], Sequence[Figure | Table]]


@dataclass(frozen=True)
class Outcome:
    """What came out for a claim: in words, and whether it held; None if that cannot be told."""

    ours: str
    held: bool | None
    reason: str = ""


@dataclass(frozen=True)
class Test:
    """A claim of a paper, as published, and the function that looks whether it holds.

    Without a function it cannot be tested here, for the reason given.
    """

    __test__ = False  # not one of pytest's

    id: str
    claim: str
    published: str
    figure: str | None
    outcome: Check | None = None
    reason: str = ""

    def claim_of(self, paper: str, rows: Rows, parts: Sequence[str]) -> Claim:
        """Return the claim with its verdict."""
        told = self.outcome(rows) if self.outcome is not None else Outcome("", None, self.reason)
        if told is None:
            told = Outcome("", None, "nothing of this kind was measured")
        verdict: Verdict = "not testable here"
        if told.held is not None:
            verdict = "held" if told.held else "not held"
        link = next((part for part in parts if self.figure and part.startswith(self.figure)), None)
        return Claim(
            self.id, paper, self.claim, self.published, told.ours, verdict, told.reason, link
        )


@dataclass(frozen=True)
class Paper:
    """A paper: its experiments and claims, and what of it cannot be made here, with the reason."""

    name: str
    title: str
    reference: str
    about: str
    experiments: tuple[Experiment, ...]
    tests: tuple[Test, ...]
    missing: tuple[Missing, ...] = field(default=())


def claims_of(paper: str, claims: Claims, reason: str) -> tuple[Test, ...]:
    """Return a paper's tests, numbered; the reason is why those without a function have none."""
    return tuple(
        Test(f"{paper}/claim-{number}", claim, published, f"{paper}/{figure}", check, reason)
        for number, (claim, published, figure, check) in enumerate(claims, 1)
    )


def by_margin(rows: Rows, ratio: float, ours: str) -> Outcome:
    """Return whether a ratio of seconds is above one; None where that may be noise."""
    if 1 / rows.margin < ratio < rows.margin:
        return Outcome(ours, None, f"within the noise of these runs, {rows.margin:.2f} times")
    return Outcome(ours, ratio > 1)


def in_print(words: str, held: bool) -> Check:
    """Return a claim about the printed numbers, recomputed from these."""
    return lambda rows: Outcome(f"{words}, {IN_PRINT}", held)


def on_graphs(
    graphs: Sequence[str], holds: Callable[[str], bool], needed: float, more: str = ""
) -> Outcome | None:
    """Return whether something holds on at least a share of the graphs, and on how many it did.

    None if there are no graphs.
    """
    if not graphs:
        return None
    good = [graph for graph in graphs if holds(graph)]
    least = -int(-needed * len(graphs) // 1)
    bad = [graph for graph in graphs if graph not in good]
    text = f"on {len(good)} of {len(graphs)} graphs (asked for: {least})"
    if bad and good:
        text += f"; not on {', '.join(bad[:3])}" + (f" and {len(bad) - 3} more" * (len(bad) > 3))
    return Outcome(f"{text}; {more}" if more else text, len(good) >= least)
