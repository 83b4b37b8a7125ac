"""Running a suite: every setting on every graph in random order, a line of JSON each.

A line is written as soon as it is there, so that a run can be broken off at any time; the same
suite with the same file goes on where it stopped. What is done is known by a key made of everything
that decides a measurement. Lines that failed are measured again.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ..errors import BergeError, OptionError
from .machine import machine
from .measure import UNMEASURED, measure, save_graph
from .results import FORMAT, read_lines
from .suite import GraphSource, Setting, Suite

__all__ = ["Task", "plan", "run_tasks"]

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
    random.Random(suite.seed).shuffle(chosen)
    there = read_lines(output) if output.exists() else []  # also with `again`: is it such a file?
    done = set() if again else {row["key"] for row in there if row["status"] in _DONE}
    return [task for task in chosen if _key(suite, *task) not in done]


def run_tasks(
    suite: Suite,
    tasks: Sequence[Task],
    output: Path,
    *,
    on_begin: Callable[[str, str], object] = lambda graph, setting: None,
    on_row: Callable[[dict[str, Any]], object] = lambda row: None,
) -> None:
    """Measure, and append a line for each to the output."""
    with _appending(output) as file, tempfile.TemporaryDirectory(prefix="berge-") as folder:
        prepared: dict[str, dict[str, Any]] = {}
        for graph, setting in tasks:
            on_begin(graph.name, setting.name)
            if graph.name not in prepared:
                place = Path(folder, f"{len(prepared)}.npz")
                prepared[graph.name] = _prepare(graph, place)
            row = _row(suite, graph, setting, prepared[graph.name])
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
    return {"file": place, "rows": graph.n_rows, "cols": graph.n_cols, "edges": graph.nnz}


def _row(
    suite: Suite, graph: GraphSource, setting: Setting, prepared: dict[str, Any]
) -> dict[str, Any]:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    if "file" in prepared:
        found = measure(
            prepared["file"],
            peer=setting.peer,
            arguments=setting.arguments,
            repeats=suite.repeats,
            time_limit=suite.time_limit,
            memory_limit=suite.memory_limit,
        )
    else:
        found = UNMEASURED
    sizes = {key: value for key, value in prepared.items() if key != "file"}
    return {
        "format": FORMAT,
        "key": _key(suite, graph, setting),
        "suite": suite.name,
        "graph": graph.name,
        "setting": setting.name,
        **found,
        **sizes,
        "source": graph.spec,
        "peer": setting.peer,
        "arguments": setting.arguments,
        "repeats": suite.repeats,
        "time_limit": suite.time_limit,
        "memory_limit": suite.memory_limit,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "load": load,
        "machine": machine(),
    }


def _key(suite: Suite, graph: GraphSource, setting: Setting) -> str:
    limits = [suite.repeats, suite.time_limit, suite.memory_limit]
    what = [graph.name, graph.spec, setting.name, setting.peer, setting.arguments, *limits]
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
