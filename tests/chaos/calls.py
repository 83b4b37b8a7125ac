"""What is called while things go wrong: something of all that berge does, and what must come of it.

Every call takes some milliseconds. Its answer is checked, also when Ctrl-C has made it a smaller
one. If Ctrl-C ended the call, what it was writing is there as it was before, or whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import berge
from berge.errors import ProofError

NO_MATCHING = "stopped before the matching was maximum"  # of those that need a maximum one


class Call(NamedTuple):
    """A call without arguments, a check of its answer, and one of what it leaves behind."""

    work: Callable[[], Any]
    check: Callable[[Any], object]
    left: Callable[[], object] = lambda: None


def calls(folder: Path) -> dict[str, Call]:
    """Return the calls by their names; what they write is in the folder."""
    small = berge.generate.erdos_renyi(300, 280, 900, seed=1)
    middle = berge.generate.erdos_renyi(4000, 4000, 12_000, seed=2)
    large = berge.generate.erdos_renyi(100_000, 100_000, 310_000, seed=3)  # threads share it
    found: dict[str, Call] = {}
    for name, graph in {"small": small, "large": large}.items():
        size = berge.structural_rank(graph)
        matrix = graph.to_scipy()
        for form, source in {"a graph": graph, "scipy's": matrix}.items():
            work = partial(berge.maximum_matching, source)
            found[f"default, {name}, {form}"] = Call(work, partial(is_maximum, graph, size))
    size = berge.structural_rank(middle)
    for entry in berge.algorithms("exact"):
        if entry.name != "out-of-core":
            work = partial(berge.maximum_matching, middle, algorithm=entry.name)
            found[entry.name] = Call(work, partial(is_maximum, middle, size))

    mesh = berge.as_graph(berge.generate.grid(60, 60))
    for entry in berge.algorithms("greedy"):
        work = partial(berge.greedy_matching, mesh, method=entry.name)
        found[entry.name] = Call(work, partial(is_maximal, mesh))
    found["coarsen"] = Call(partial(berge.coarsen, mesh, until=50), lambda levels: levels.check())
    best = berge.maximum_matching(middle)
    found["prove"] = Call(
        lambda: berge.Matching(best.row_match, best.col_match, upper_bound=4000).prove(middle),
        lambda cover: berge.verify(middle, best, cover),
    )
    found["decompose"] = Call(
        partial(or_none, partial(berge.dulmage_mendelsohn, middle)),
        lambda parts: parts is None or equal(parts.structural_rank, size),
    )
    add_weighed(found, middle, mesh)
    pairs = [(f"row {i}", f"column {j}") for i in range(60) for j in (i, i * 7 % 60)]
    found["names"] = Call(
        partial(berge.match_pairs, pairs),
        lambda matched: matched.is_maximum is False or equal(len(matched), 60),
    )
    for name in ("g.mtx", "g.csv.gz", "g.npz", "g.berge"):
        (folder / name).mkdir(exist_ok=True)  # a folder for each, in which nothing else may be left
        add_file(found, folder / name / name, middle)
    saved = folder / "matching.json"
    best.save(saved)
    found["saved"] = Call(partial(best.save, saved), lambda _: None, partial(loads, saved, best))
    disk = partial(
        berge.maximum_matching, folder / "g.berge" / "g.berge", algorithm="out-of-core", threads=1
    )
    found["out-of-core"] = Call(disk, partial(is_maximum, middle, size))
    return found


def add_weighed(found: dict[str, Call], graph: Any, mesh: Any) -> None:
    """Add matchings by weight, with capacities and of any graph; whole ones are proved."""
    matrix = graph.to_scipy()
    matrix.data = np.arange(matrix.nnz) % 97
    small = berge.Graph.from_edges(*np.random.default_rng(4).integers(0, 300, (2, 900)), 300)
    weights = (np.repeat(np.arange(300), small.degrees) + small.indices) % 5
    for name, source, work in (
        ("assign", (), partial(berge.assign, matrix, match="maximum")),
        ("bottleneck", (), partial(berge.assign, matrix, match="maximum", objective="bottleneck")),
        ("capacities", (graph,), partial(berge.maximum_matching, graph, capacity_left=2)),
        ("general", (mesh,), partial(berge.maximum_matching, mesh)),
        ("heaviest", (small,), partial(berge.maximum_weight_matching, small, weights)),
    ):
        found[name] = Call(partial(or_none, work), partial(is_proved, source))


def is_proved(source: Any, found: Any) -> None:
    """Check a result by its proof, unless it was interrupted."""
    if found is not None and found.stats.stopped is None:
        found.prove(*source)


def add_file(found: dict[str, Call], path: Path, graph: Any) -> None:
    """Add calls that write a file, and that read it."""
    berge.write(graph, path)
    read = partial(berge.read, path)

    def check(again: Any) -> None:
        assert (again.shape, again.nnz) == (graph.shape, graph.nnz)

    def left() -> None:
        check(read())
        # Ctrl-C, pressed again while it is cleared away, may leave what the next write removes.
        others = set(os.listdir(path.parent)) - {path.name}
        assert all(name.endswith(".berge-tmp") for name in others), others

    found[f"read {path.name}"] = Call(read, check)
    found[f"write {path.name}"] = Call(partial(berge.write, graph, path), lambda _: left(), left)


def loads(path: Path, matching: Any) -> None:
    """Check a file that a matching was saved to, or was to be."""
    assert (berge.Matching.load(path).row_match == matching.row_match).all()


def or_none(work: Callable[[], Any]) -> Any:
    """Return None if it was stopped before it had what it needs, and says so."""
    try:
        return work()
    except ProofError as error:
        if NO_MATCHING not in str(error):
            raise
        return None


def is_maximum(graph: Any, size: int, matching: Any) -> None:
    """Check a matching: maximum, unless it was interrupted."""
    berge.verify(graph, matching)
    if matching.stats.stopped is None:
        assert matching.cardinality == matching.upper_bound == size
    assert matching.cardinality <= size <= matching.upper_bound


def is_maximal(graph: Any, matching: Any) -> None:
    """Check a greedy matching: maximal, unless it was interrupted."""
    berge.verify(graph, matching)
    assert matching.is_maximal or matching.stopped


def equal(one: int, other: int) -> None:
    """Check that two numbers are equal."""
    assert one == other, f"{one}, not {other}"
