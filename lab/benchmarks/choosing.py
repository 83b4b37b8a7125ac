"""What choosing costs: the default, every route that it chooses from, and other codes, by turns.

    BERGE_DATA=FOLDER python lab/benchmarks/choosing.py -o FILE [--peers btf …] [NAME …]
    BERGE_DATA=FOLDER python lab/benchmarks/choosing.py -o FILE --alone [NAME …]
    python lab/benchmarks/choosing.py --show FILE [--targets lab/benchmarks/native.toml]

Graphs are those of the suite ``choice``. On each, all contenders run by turns in one process, from
a scipy array in memory to the matching, which is proved; the best run of each counts, in gather
passes of the graph. A route that takes over ``FAR`` times as long as the default is not run again.
`FILE` gets a line of JSON a graph, and graphs that it has are not measured again, so that a run can
be split. ``--again auto`` measures contenders whose names begin so once more; the best run counts.
``--alone`` measures what takes one thread, in processor time, for a machine that is busy.

The tables: auto on 1 and on 2 threads, the best of our own routes, the fastest code of the targets
and of the peers, and two other designs (`designs.py`); the means over real graphs, permuted ones,
and generated ones.
"""

from __future__ import annotations

import argparse
import json
import time
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import designs
from common import print_table

import berge
from berge_lab.bench.gather import gather_seconds
from berge_lab.bench.loop import in_turns
from berge_lab.bench.peers import PEERS
from berge_lab.bench.ratios import geometric_mean
from berge_lab.bench.suite import read_suite

FAR, LIMIT = 4, 3.0  # a route that takes longer is not run again; seconds of a route at most
ENOUGH = 0.3  # seconds of a contender in all
AUTO_2, AUTO_1 = "auto, 2 threads", "auto, 1 thread"
ONE = {"threads": 1, "init": "cheap", "time_limit": LIMIT}
TWO = ONE | {"threads": 2}
RACE, TURNS = "race, 2 threads", "turns, 1 thread"
DESIGNS = {RACE: designs.race, TURNS: designs.turns}
CONTENDERS: dict[str, dict[str, Any]] = {
    AUTO_2: {"threads": 2},
    AUTO_1: {"threads": 1},
}
ONES = ("mixed", "pothen-fan", "push-relabel")
TWOS = ("mixed", "p-pothen-fan", "p-push-relabel", "ms-bfs-graft")
for side in ("rows", "cols"):
    for name in ONES:
        CONTENDERS[f"{name}, {side}"] = {"algorithm": name, "side": side, **ONE}
    for name in TWOS:
        CONTENDERS[f"{name}, {side}, 2 threads"] = {"algorithm": name, "side": side, **TWO}


def measure(
    graph: Any, repeats: int, peers: list[str], chosen: tuple[str, ...], alone: bool
) -> dict[str, Any]:
    """Return gather passes' seconds, and the best seconds of every contender."""
    matrix = graph.to_scipy()
    first = in_turns({"": partial(berge.maximum_matching, matrix)}, 2)[""].best

    def check(matching: Any) -> None:
        designs.wait()
        if isinstance(matching, berge.Matching):
            assert matching.stats is not None
            if matching.stats.stopped:
                raise TimeoutError
            matching.prove(matrix)

    contenders: dict[str, Callable[[], Any]] = {}
    for name, arguments in CONTENDERS.items():
        if name.startswith(chosen) and not (alone and arguments["threads"] > 1):
            solve: Callable[[], Any] = partial(berge.maximum_matching, matrix, **arguments)
            far = in_turns({"": solve}, 1, warm_up=False)[""].best
            if far < FAR * first + 2e-3 or name.startswith("auto"):
                contenders[name] = solve
    for name, design in DESIGNS.items():
        if name.startswith(chosen) and not alone:
            contenders[name] = partial(design, matrix)
    for peer in peers:
        solve, _ = PEERS[peer].prepare(matrix)
        if in_turns({"": solve}, 1, warm_up=False)[""].best < FAR * first + 2e-3:
            contenders[peer] = solve
    clock = time.thread_time if alone else time.perf_counter
    found = in_turns(contenders, repeats, check=check, least=3, enough=ENOUGH, clock=clock)
    seconds = {name: timing.best for name, timing in found.items() if not timing.failure}
    return {"gather": sum(gather_seconds(matrix)), "edges": matrix.nnz, "seconds": seconds}


def show(found: dict[str, dict[str, Any]], targets: dict[str, float]) -> None:
    """Print the tables."""
    rows: list[list[Any]] = []
    ratios: dict[str, tuple[str, dict[str, float | None]]] = {}
    for name, one in found.items():
        passes = {who: seconds / one["gather"] for who, seconds in one["seconds"].items()}
        others = {who: passes[who] for who in passes if who in PEERS}
        if name in targets:
            others["native"] = targets[name]
        ours = {who: passes[who] for who in passes if who in CONTENDERS}
        alone = ours[AUTO_1]
        auto = ours.get(AUTO_2, alone)
        best = min(ours, key=ours.__getitem__)
        peer = min(others, key=others.__getitem__, default=None)
        ratios[name] = (
            one["source"],
            {
                "peer ÷ auto, 2": others[peer] / auto if peer else None,
                "peer ÷ auto, 1": others[peer] / alone if peer else None,
                "1 ÷ 2 threads": alone / auto,
                "auto ÷ best": auto / ours[best],
                "race ÷ auto": passes[RACE] / auto if RACE in passes else None,
                "turns ÷ auto": passes[TURNS] / alone if TURNS in passes else None,
            },
        )
        rows.append([name, alone, auto, peer, others.get(peer), best, ours[best],
                     *ratios[name][1].values()])  # fmt: skip
    heads = list(next(iter(ratios.values()))[1])
    print_table(
        ["graph", "1 thread", "2 threads", "peer", "passes", "best", "passes", *heads], rows
    )
    means: list[list[Any]] = []
    for kind in ("real", "permuted", "generated", "all"):
        some = [of for k, of in ratios.values() if kind in (k, "all")]
        for head in heads:
            all_of = [of[head] for of in some]
            values = [value for value in all_of if value is not None]
            if values:
                mean = geometric_mean(values)
                means.append([kind, head, len(values), mean, min(values), max(values)])
    print_table(["graphs", "ratio", "of", "mean", "least", "most"], means)


def merge(known: dict[str, Any], one: dict[str, Any]) -> dict[str, Any]:
    """Let the best of two measurements stay."""
    known["gather"] = min(known["gather"], one["gather"])
    for who, seconds in one["seconds"].items():
        known["seconds"][who] = min(seconds, known["seconds"].get(who, seconds))
    return known


def kind_of(source: Any) -> str:
    """Return whether a graph is generated, real, or a real one permuted."""
    if "file" not in source.source:
        return "generated"
    return "permuted" if "permuted" in source.name else "real"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these graphs")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--show", type=Path)
    parser.add_argument("--targets", type=Path)
    parser.add_argument("--peers", nargs="*", default=[], choices=PEERS)
    parser.add_argument("--again", nargs="+", metavar="NAME", help="contenders to measure anew")
    parser.add_argument("--alone", action="store_true", help="one thread, processor time")
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    file = options.show or options.output
    found: dict[str, dict[str, Any]] = {}
    if file and file.exists():
        for line in file.read_text().splitlines():
            one = json.loads(line)
            merge(found.setdefault(one["name"], one), one)
    targets = tomllib.loads(options.targets.read_text()) if options.targets else {}
    if not options.show:
        for source in read_suite("choice").graphs:
            name = source.name
            if (options.names and name not in options.names) or (
                name in found and not options.again
            ):
                continue
            chosen = tuple(options.again or [""])
            one = measure(source.load(), options.repeats, options.peers, chosen, options.alone)
            one |= {"name": name, "source": kind_of(source)}
            known = merge(found.setdefault(name, one), one)
            with options.output.open("a") as lines:
                lines.write(json.dumps(one) + "\n")
            print(f"{name}: {1e3 * known['seconds'][AUTO_1]:.2f} ms", flush=True)
    show(found, targets)


if __name__ == "__main__":
    main()
