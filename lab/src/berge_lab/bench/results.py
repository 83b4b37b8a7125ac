"""What the lines of a results file say: times, gather passes, memory, by graph and setting.

A run over the time limit counts as the limit in ratios and means, and as not solved in performance
profiles. A line that failed, or whose matching was not proved, counts nowhere.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from berge.errors import FormatError, OptionError

from .peers import PEERS
from .ratios import fastest, geometric_mean, ratios

__all__ = ["FORMAT", "MEASURES", "Results", "Row", "counts", "identity", "over", "read_lines"]

FORMAT = 1  # of the lines

Row = dict[str, Any]


def _best(row: Row) -> float:
    return float(row["time_limit"] if over(row) else min(row["seconds"]))


def _median(row: Row) -> float:
    return float(row["time_limit"] if over(row) else statistics.median(row["seconds"]))


def _gathers(row: Row) -> float | None:
    unit = sum(row["gather_seconds"] or [])
    return _best(row) / unit if unit else None


MEASURES: dict[str, Callable[[Row], float | None]] = {
    "seconds": _best,
    "median": _median,
    "gathers": _gathers,
    "with-convert": lambda row: _best(row) + (row["convert_seconds"] or 0.0),
    "memory": lambda row: row["memory"],
}


def over(row: Row) -> bool:
    """Whether it was ended by the time limit."""
    return bool(row["status"] == "time limit")


def counts(row: Row | None) -> bool:
    """Whether there is a row, and it is not void."""
    return row is not None and row["status"] in ("ok", "time limit")


def read_lines(path: str | PathLike[str]) -> list[Row]:
    """Read a results file; a last line that was cut off is left out.

    Lines are left out too if the graph of that name was another one when last measured.
    """
    rows = []
    try:
        *lines, _ = Path(path).read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        raise FormatError("not lines of text", path) from None
    for number, line in enumerate(lines, 1):
        try:
            rows.append(json.loads(line))
            found, *names = (rows[-1][key] for key in ("format", "graph", "setting"))
            if not all(isinstance(name, str) for name in names):
                raise TypeError
            identity(rows[-1])
        except (AttributeError, ValueError, TypeError, KeyError, RecursionError):
            raise FormatError("not a line of `berge bench run`", path, number) from None
        if found != FORMAT:
            raise FormatError(f"format {found!r} is not known, only {FORMAT}", path, number)
    last = {row["graph"]: identity(row) for row in rows}
    return [row for row in rows if identity(row) == last[row["graph"]]]


def identity(row: Row) -> Row:
    """Return what a row's graph is known by: a file by its content, wherever it lies.

    Examples
    --------
    >>> from berge_lab.bench.results import identity
    >>> identity({"source": {"file": "mine/a.mtx", "content": "1f", "permute": 1}})
    {'content': '1f', 'permute': 1}
    """
    return {key: value for key, value in row.get("source", {}).items() if key != "file"}


def _where(row: Row) -> tuple[str, str]:
    return row["graph"], repr(row.get("machine"))


def _least_units(rows: Iterable[Row]) -> dict[tuple[str, str], tuple[float, ...]]:
    """Return the least times to read each graph, and its transpose, on each machine."""
    least: dict[tuple[str, str], tuple[float, ...]] = {}
    for row in rows:
        if row["gather_seconds"]:
            unit = tuple(row["gather_seconds"])
            least[_where(row)] = tuple(map(min, unit, least.get(_where(row), unit)))
    return least


class Results:
    """Lines by graph and setting, the last one where there are several.

    If two files have the same setting on the same graph, the files' names are put to the settings.
    The gather pass of a graph is the fastest of all that were timed on the machine. It belongs to
    the graph, and the speed of a shared machine changes from one moment to the next.
    """

    def __init__(self, files: Mapping[str, Sequence[Row]]):
        pairs = [{(row["graph"], row["setting"]) for row in rows} for rows in files.values()]
        alone = len(set().union(*pairs)) == sum(map(len, pairs))
        self.rows: dict[tuple[str, str], Row] = {}
        units = _least_units(row for rows in files.values() for row in rows)
        for name, rows in files.items():
            for given in rows:
                row = given | {"gather_seconds": units.get(_where(given))}
                setting = row["setting"] if alone else f"{row['setting']} [{name}]"
                self.rows[row["graph"], setting] = row
        if not self.rows:
            raise OptionError("there are no results to show")
        graphs = {graph: row.get("edges") or 0 for (graph, _), row in self.rows.items()}
        self.graphs = sorted(graphs, key=lambda graph: (graphs[graph], graph))
        peers = {setting: row["peer"] for (_, setting), row in self.rows.items()}
        order = [None, *PEERS]  # ours first
        self.settings = sorted(peers, key=lambda setting: (order.index(peers[setting]), setting))

    @classmethod
    def read(cls, paths: Iterable[str | PathLike[str]]) -> Results:
        """Read one or more files."""
        return cls({Path(path).stem: read_lines(path) for path in paths})

    def reference(self, name: str | None) -> str:
        """Return the setting of that name, or the first of ours, "auto" if it is there."""
        if name is None:
            return next((s for s in self.settings if s.startswith("auto")), self.settings[0])
        if name not in self.settings:
            raise OptionError(f"setting {name!r} is not one of {', '.join(self.settings)}")
        return name

    def baseline(self, name: str | None) -> str:
        """Return the setting of that name, or the first peer, or the reference."""
        if name is not None:
            return self.reference(name)
        known = {s for (_, s), row in self.rows.items() if row["peer"] is not None and counts(row)}
        return next((s for s in self.settings if s in known), self.reference(None))

    def value(self, graph: str, setting: str, measure: str) -> float | None:
        """Return a measure of a row, None if there is no such row or it is void."""
        row = self.rows.get((graph, setting))
        return MEASURES[measure](row) if row is not None and counts(row) else None

    def values(self, setting: str, measure: str) -> dict[str, float]:
        """Return a measure of a setting on every graph that has it."""
        found = {graph: self.value(graph, setting, measure) for graph in self.graphs}
        return {graph: value for graph, value in found.items() if value is not None}

    def ratios(self, setting: str, reference: str, measure: str = "seconds") -> dict[str, float]:
        """Return how many times the reference's time a setting took, on each graph with both."""
        return ratios(self.values(setting, measure), self.values(reference, measure))

    def times(self, everywhere: bool = True) -> dict[str, dict[str, float]]:
        """Return seconds by setting and graph; infinity over the time limit.

        Only of graphs that every setting was tried on, if there are such and unless told otherwise.
        """
        every = ((g, all((g, s) in self.rows for s in self.settings)) for g in self.graphs)
        tried = [graph for graph, by_all in every if by_all and everywhere]
        return {
            setting: {
                graph: math.inf if over(self.rows[graph, setting]) else seconds
                for graph, seconds in self.values(setting, "seconds").items()
                if not tried or graph in tried
            }
            for setting in self.settings
        }

    def summary(self, reference: str, measure: str = "seconds") -> list[Row]:
        """Return a line for each setting: means, ratios to the reference, how often fastest."""
        best = fastest({setting: self.values(setting, measure) for setting in self.settings})
        lines = []
        for setting in self.settings:
            values = self.values(setting, measure)
            rows = [self.rows[g, setting] for g in self.graphs if (g, setting) in self.rows]
            found = self.ratios(setting, reference, measure).values()
            lines.append(
                {
                    "setting": setting,
                    "graphs": len(values),
                    "over": sum(map(over, rows)),
                    "void": sum(not counts(row) for row in rows),
                    "fastest": sum(values[graph] <= best[graph] for graph in values),
                    "seconds": geometric_mean(values.values()),
                    "gathers": geometric_mean(self.values(setting, "gathers").values()),
                    "ratio": geometric_mean(found),
                    "least": min(found, default=math.nan),
                    "most": max(found, default=math.nan),
                }
            )
        return lines

    def choices(self, reference: str, measure: str = "seconds") -> list[Row]:
        """Return a line for each graph: what the reference loses by not being another setting.

        Its time as a multiple of the fastest of ours, which it may be itself, and the fastest
        peer's as a multiple of its own. Only where there is a peer.
        """
        found = {setting: self.values(setting, measure) for setting in self.settings}
        lines = []
        for graph, own in found[reference].items():
            ours: dict[str, float] = {}
            peers: dict[str, float] = {}
            for setting, values in found.items():
                if graph in values:
                    side = ours if self.rows[graph, setting]["peer"] is None else peers
                    side[setting] = values[graph]
            if not peers:
                continue
            peer, best = min(peers, key=peers.__getitem__), min(ours, key=ours.__getitem__)
            line = {"graph": graph, "peer": peer, "ahead": peers[peer] / own}
            lines.append(line | {"best": best, "choice": own / ours[best]})
        return lines

    def memory(self) -> list[Row]:
        """Return a line for each setting: extra bytes per vertex and per edge, fitted to graphs.

        The fit is of relative errors, with neither number below 0, over three graphs at least.
        Graphs on which less than 4 MB were taken are left out, since whole pages are counted.
        """
        import numpy as np
        from scipy.optimize import nnls

        lines = []
        for setting in self.settings:
            taken = {g: v for g, v in self.values(setting, "memory").items() if v >= 4 * 2**20}
            if len(taken) < 3:
                continue
            rows = [self.rows[graph, setting] for graph in taken]
            sizes = np.array([[row["rows"] + row["cols"], row["edges"]] for row in rows], float)
            scale = np.array(list(taken.values()))
            vertex, edge = nnls(sizes / scale[:, None], np.ones(scale.size))[0]
            worst = float(np.max(np.abs(sizes @ [vertex, edge] / scale - 1)))
            lines.append(
                {
                    "setting": setting,
                    "graphs": len(taken),
                    "most": max(taken.values()),
                    "vertex": float(vertex),
                    "edge": float(edge),
                    "error": worst,
                }
            )
        return lines
