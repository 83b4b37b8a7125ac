"""Running a suite: every setting on every graph in random order, a line of JSON each.

A line is written as soon as it is there, so that a run can be stopped at any time; the same suite
with the same file goes on where it stopped. A measurement is known by a key made of everything that
decides it; a file counts by its content, not by where it lies. Measurements that failed are made
again.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from berge.errors import BergeError, OptionError
from berge.graphs.graph import Graph

from .machine import machine
from .measure import UNMEASURED, measure, measure_several, save_graph
from .results import FORMAT, identity, read_lines
from .suite import GraphSource, Setting, Suite

__all__ = ["Task", "changed", "fastest_so_far", "keys", "left", "limit_of", "plan", "run_tasks"]

_LEAST_LIMIT = 2.0  # seconds: with less, what is stopped is chance
_DONE = ("ok", "time limit")

Task = tuple[GraphSource, Setting]


def plan(
    suite: Suite,
    output: Path,
    *,
    graphs: Sequence[str] = (),
    settings: Sequence[str] = (),
    again: bool = False,
) -> list[Task]:
    """Return what is to be measured, in random order: what the patterns choose and is not done."""
    chosen = [
        (graph, setting)
        for graph in _matching("graph", suite.graphs, graphs)
        for setting in _matching("setting", suite.settings, settings)
    ]
    return left(suite, chosen, output, again=again)


def left(suite: Suite, tasks: Sequence[Task], output: Path, *, again: bool = False) -> list[Task]:
    """Return the tasks that are not done, in random order."""
    shuffled = list(tasks)
    random.Random(suite.seed).shuffle(shuffled)
    there = read_lines(output) if output.exists() else []  # also with `again`: is it such a file?
    done = set() if again else {row["key"] for row in there if row["status"] in _DONE}
    return [task for task in shuffled if _key(suite, *task) not in done]


def changed(tasks: Sequence[Task], output: Path) -> list[str]:
    """Return the graphs of tasks that differ from those of the same name in the output."""
    known = {row["graph"]: identity(row) for row in read_lines(output)} if output.exists() else {}
    sources = {graph.name: graph.source for graph, _ in tasks if graph.name in known}
    return [name for name, of in sources.items() if identity({"source": of}) != known[name]]


def fastest_so_far(suite: Suite, output: Path) -> dict[str, float]:
    """Return the seconds of the fastest run on each graph that the output has."""
    wanted, best = keys(suite), dict[str, float]()
    for row in read_lines(output) if output.exists() else ():
        if row["status"] == "ok" and row["key"] in wanted:
            best[row["graph"]] = min(best.get(row["graph"], math.inf), *row["seconds"])
    return best


def limit_of(suite: Suite, graph: str, best: dict[str, float], patience: float) -> float:
    """Return how many seconds a run may take: the suite's limit, or less."""
    return min(suite.time_limit, max(_LEAST_LIMIT, patience * best.get(graph, math.inf)))


def keys(suite: Suite) -> set[str]:
    """Return the keys of all of a suite's measurements."""
    return {_key(suite, graph, setting) for graph in suite.graphs for setting in suite.settings}


def run_tasks(
    suite: Suite,
    tasks: Sequence[Task],
    output: Path,
    *,
    together: Callable[[Task], str] | None = None,
    patience: float = math.inf,
    on_begin: Callable[[str, str], object] = lambda graph, setting: None,
    on_row: Callable[[dict[str, Any]], object] = lambda row: None,
) -> None:
    """Measure, and append a line for each to the output.

    Every measurement has a process of its own; tasks of which `together` says the same share one.
    A run may take `patience` times as long as the fastest so far on its graph; see `limit_of`.
    """
    best = fastest_so_far(suite, output)
    groups: dict[Any, list[Task]] = {}
    for number, task in enumerate(tasks):
        groups.setdefault(number if together is None else together(task), []).append(task)
    with _appending(output) as file, tempfile.TemporaryDirectory(prefix="berge-") as folder:
        prepared: dict[str, dict[str, Any]] = {}
        for group in groups.values():
            on_begin(group[0][0].name, group[0][1].name)
            for graph, _ in group:
                if graph.name not in prepared:
                    place = Path(folder, f"{len(prepared)}.npz")
                    prepared[graph.name] = _prepare(graph, place)
            limits = {graph.name: limit_of(suite, graph.name, best, patience) for graph, _ in group}
            for row in _rows(suite, group, prepared, limits):
                if row["status"] == "ok":
                    so_far = best.get(row["graph"], math.inf)
                    best[row["graph"]] = min(so_far, *row["seconds"])
                file.write(json.dumps(row) + "\n")
                file.flush()
                on_row(row)


def _prepare(source: GraphSource, place: Path) -> dict[str, Any]:
    """Make the graph's file; return its sizes, or why there is none."""
    try:
        graph = source.load()
    except (BergeError, OSError, MemoryError, TypeError) as error:
        return {"reason": f"{type(error).__name__}: {error}"}
    save_graph(graph, place)
    rows, cols = (graph.n_vertices,) * 2 if isinstance(graph, Graph) else graph.shape
    return {"file": place, "rows": rows, "cols": cols, "edges": graph.indices.size}


def _rows(
    suite: Suite,
    tasks: Sequence[Task],
    prepared: dict[str, dict[str, Any]],
    limits: dict[str, float],
) -> Iterator[dict[str, Any]]:
    """Measure tasks in one process, all but those whose graph could not be made."""
    requests = [
        _request(suite, setting, prepared[graph.name], limits[graph.name])
        for graph, setting in tasks
    ]
    real = [request for request in requests if request is not None]
    measured = measure_several(real) if len(real) > 1 else (measure(**one) for one in real)
    for (graph, setting), request in zip(tasks, requests, strict=True):
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
        found = UNMEASURED if request is None else next(measured)
        limit = limits[graph.name]
        yield _row(suite, graph, setting, prepared[graph.name], found, load, limit)


def _request(
    suite: Suite, setting: Setting, prepared: dict[str, Any], limit: float
) -> dict[str, Any] | None:
    if "file" not in prepared:
        return None
    return {
        "file": str(prepared["file"]),
        "peer": setting.peer,
        "arguments": setting.arguments,
        "repeats": setting.repeats or suite.repeats,
        "time_limit": limit,
        "memory_limit": suite.memory_limit,
        "keep": list(setting.keep),
    }


def _row(
    suite: Suite,
    graph: GraphSource,
    setting: Setting,
    prepared: dict[str, Any],
    found: dict[str, Any],
    load: float | None,
    limit: float,
) -> dict[str, Any]:
    sizes = {key: value for key, value in prepared.items() if key != "file"}
    return {
        "format": FORMAT,
        "key": _key(suite, graph, setting),
        "suite": suite.name,
        "graph": graph.name,
        "setting": setting.name,
        **found,
        **sizes,
        "source": graph.source,
        "peer": setting.peer,
        "arguments": setting.arguments,
        "repeats": setting.repeats or suite.repeats,
        "time_limit": limit,
        "memory_limit": suite.memory_limit,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "load": load,
        "machine": machine(),
    }


def _key(suite: Suite, graph: GraphSource, setting: Setting) -> str:
    limits = [setting.repeats or suite.repeats, suite.time_limit, suite.memory_limit]
    known = identity({"source": graph.source})
    what = [graph.name, known, setting.name, setting.peer, setting.arguments, *limits]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]


def _matching(what: str, items: Sequence[Any], patterns: Sequence[str]) -> list[Any]:
    """Return the items whose names fit a pattern; all if there is none."""
    for pattern in patterns:
        if not any(fnmatchcase(item.name, pattern) for item in items):
            names = ", ".join(item.name for item in items)
            raise OptionError(f"no {what} is named {pattern!r}; there are {names}")
    return [i for i in items if not patterns or any(fnmatchcase(i.name, p) for p in patterns)]


def _appending(output: Path) -> Any:
    """Open a file to append to; a last line that was cut off is dropped."""
    if output.exists():
        text = output.read_bytes()
        os.truncate(output, text.rfind(b"\n") + 1)
    return output.open("a", encoding="utf-8")
