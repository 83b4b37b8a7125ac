"""When the default should leave its searches for push-relabel: fitted on one half of the graphs,
judged on the other.

    BERGE_DATA=FOLDER python lab/benchmarks/looks.py [--repeats 3] [NAME …]

Graphs are those of the suite ``choice``, from the side that the default begins with, on one thread,
in processor time (so that other work on the machine matters little). Each is solved without looks,
and with push-relabel from the first and from the second look on, whatever is seen there. The first
table has what is seen and these times. From them alone the time of any rule is known. So the
numbers of the rule are tried, one after the other, on every other graph, until no other value of
one makes the geometric mean better. The second table has these numbers and those of the default,
over either half: the time as a multiple of the best of the three.
"""

from __future__ import annotations

import argparse
import time
from contextlib import contextmanager
from typing import Any, NamedTuple

from common import print_table

import berge
from berge import tuning
from berge.methods.combined import mixed
from berge.methods.combined.budgeted import FOUND, ROOTS
from berge_lab.bench.loop import in_turns
from berge_lab.bench.ratios import geometric_mean
from berge_lab.bench.suite import read_suite

LOOKS = tuning.LOOKS[1:3]
NAMES = ("share 1", "share 2", "left", "supply", "degree", "path")
DEFAULT = (*(share for _, share in LOOKS), tuning.HARD_LEFT, tuning.MOST_SUPPLY, tuning.THICK,
           tuning.SHORT_PATH)  # fmt: skip
TRIED = ((0.5, 0.6, 0.7, 0.8, 0.9), (0.45, 0.55, 0.65, 0.75), (0, 0.04, 0.08, 0.16, 0.32),
         (1.1, 2.0, 3.0, 20.0), (0, 2.2, 3.3, 4.5, 6.5), (0, 4, 6, 8, 10))  # fmt: skip


class Seen(NamedTuple):
    """What is seen at a look, by the names of the rule's numbers."""

    share: float
    left: float
    supply: float
    degree: float
    path: int


class Case(NamedTuple):
    """A graph: what is seen at the looks that it comes to, and seconds without and with a stop."""

    name: str
    seen: list[Seen]
    seconds: list[float]


@contextmanager
def stopping(at: int, seen: list[Seen] | None = None) -> Any:
    """Have push-relabel go on from a look on; from none if there is no such look."""
    original, number = mixed.outlook, 0

    def outlook(state: Any, own: Any, tally: Any, size: Any, share: float) -> int:
        nonlocal number
        if share not in [share for _, share in LOOKS]:
            number = 0
            return original(state, own, tally, size, share)
        number += 1
        roots, free, rows, edges = size
        left = state[ROOTS] - own[:, mixed.DEALT_WITH].sum()
        if seen is not None:
            found, longest = int(state[FOUND]), int(tally[:, mixed.LONGEST].max())
            dealt_with = max(roots - left, 1)
            seen.append(Seen(found / dealt_with, left / roots, free / roots, edges / rows, longest))
        return mixed.PUSH if number == at else mixed.SEARCH

    mixed.outlook = outlook
    try:
        yield
    finally:
        mixed.outlook = original


def measure(name: str, graph: berge.BipartiteGraph, repeats: int) -> Case:
    """Return what is seen, and the least times of the three."""
    matrix = graph.to_scipy()

    def solve(at: int, seen: list[Seen] | None = None) -> berge.Matching:
        with stopping(at, seen):
            return berge.maximum_matching(matrix, algorithm="mixed", threads=1)

    seen: list[Seen] = []
    solve(0, seen).prove(matrix)
    stops = {str(at): lambda at=at: solve(at) for at in range(len(seen) + 1)}
    found = in_turns(stops, repeats, clock=time.thread_time, enough=3.0)
    return Case(name, seen, [timing.best for timing in found.values()])


def chosen(case: Case, rule: tuple[float, ...]) -> float:
    """Return the seconds that a rule leads to."""
    for at, seen in enumerate(case.seen):
        if (
            seen.share >= rule[at]
            and seen.left >= rule[2]
            and seen.supply < rule[3]
            and seen.degree >= rule[4]
            and seen.path > rule[5]
        ):
            return case.seconds[at + 1]
    return case.seconds[0]


def lost(cases: list[Case], rule: tuple[float, ...]) -> float:
    """Return the mean of what a rule takes as a multiple of the best of the three."""
    return geometric_mean([chosen(case, rule) / min(case.seconds) for case in cases])


def fitted(cases: list[Case]) -> tuple[float, ...]:
    """Return numbers of which no single one can be bettered."""
    rule, before = tuple(values[0] for values in TRIED), ()
    while rule != before:
        before = rule
        for k, values in enumerate(TRIED):
            rules = [(*rule[:k], value, *rule[k + 1 :]) for value in values]
            rule = min(rules, key=lambda one: (lost(cases, one), one != before))
    return rule


def main() -> None:
    """Measure, fit, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only graphs of such names")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    cases = []
    for source in read_suite("choice").graphs:
        if not options.names or any(name in source.name for name in options.names):
            case = measure(source.name, source.load(), options.repeats)
            print(f"{case.name}: {len(case.seen)} looks", flush=True)
            if case.seen:
                cases.append(case)
    rows = []
    for case in cases:
        both = zip(*case.seen, strict=True)
        seconds = [*case.seconds, None][:3]
        rows.append([case.name, *(" / ".join(f"{x:.3g}" for x in some) for some in both),
                     *(s and 1e3 * s for s in seconds)])  # fmt: skip
    print_table(["graph", *Seen._fields, "no stop, ms", "stop 1", "stop 2"], rows)
    rule = fitted(cases[::2])
    never = (2.0, 2.0, *DEFAULT[2:])
    print_table(
        ["rule", *NAMES, "fitted on", "judged on"],
        [
            [name, *numbers, lost(cases[::2], numbers), lost(cases[1::2], numbers)]
            for name, numbers in (("never", never), ("fitted", rule), ("the default", DEFAULT))
        ],
    )


if __name__ == "__main__":
    main()
