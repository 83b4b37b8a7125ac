"""A report of what `berge bench` measured: ranking, profiles, times, gather passes, memory.

Rows from several machines stand side by side: settings then carry the machine's letter.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from berge.wording import plural

from ..bench.ranking import Advice, Rank, advise, call, rank, spread
from ..bench.results import Results, Row, counts, over
from .model import Cell, Figure, Missing, Report, Series, Table

__all__ = ["advice_lines", "build_report", "by_machine", "profile"]

DRAWN = 8  # settings in a figure: the best, and auto
SHORT = 0.005  # seconds; below, starting threads and reading clocks are much of a time
_RANKING, _BY_GRAPH, _MEMORY = "Ranking", "By graph", "Memory"


def build_report(records: Sequence[Row], title: str | None = None) -> Report:
    """Make a report of rows of results files; of the same graph and setting the last row counts."""
    parts = by_machine(records)
    machines = [machine for machine, _ in parts]
    results = Results({"": [row for _, rows in parts for row in rows]})
    # What is best is a question to each machine; figures and times have them side by side.
    apart = [Results({"": rows}) for _, rows in parts]
    ranks = [rank(found) for found in apart]
    suites = ", ".join(dict.fromkeys(str(row.get("suite", "")) for row in records))
    usual, most = spread(results.rows.values())
    figures = _figures(results, [setting for some in ranks for setting in _drawn(some)])
    return Report(
        title or f"berge bench: {suites}",
        [_counted(results, len(machines)), *_advised(machines, apart, ranks)],
        machines,
        [figure for figure in figures if figure.series],
        [table for table in _tables(results, ranks) if table.rows],
        missing=_failures(results),
        noise=f"Runs of the same measurement were apart by {usual:.0%} at the median, and by "
        f"{most:.0%} or less in nine of ten: slowest against fastest. The fastest counts; error "
        "bars show all.",
    )


def by_machine(records: Sequence[Row]) -> list[tuple[dict[str, Any], list[Row]]]:
    """Return each machine with its rows; their settings carry its letter if there are several.

    A machine is known by its processor, cores and memory; of versions that changed all are told.
    """
    parts: dict[tuple[str, ...], tuple[dict[str, Any], list[Row]]] = {}
    for row in records:
        machine = row.get("machine") or {}
        key = tuple(str(machine.get(name)) for name in ("cpu", "cores", "caches", "memory"))
        known, rows = parts.setdefault(key, ({**machine, "versions": {}}, []))
        rows.append(row)
        for name, version in machine.get("versions", {}).items():
            before = known["versions"].get(name, "")
            if version not in before.split(", "):
                known["versions"][name] = f"{before}, {version}" if before else version
    if len(parts) == 1:
        return list(parts.values())
    lettered = []
    for number, (machine, rows) in enumerate(parts.values()):
        letter = string.ascii_uppercase[number] if number < 26 else str(number + 1)
        renamed = [row | {"setting": f"{row['setting']} [{letter}]"} for row in rows]
        lettered.append((machine | {"name": f"machine {letter}"}, renamed))
    return lettered


def _counted(results: Results, machines: int) -> str:
    rows = results.rows.values()
    limits = sum(map(over, rows))
    void = sum(not counts(row) for row in rows)
    where = f" on {machines} machines" if machines > 1 else ""
    bad = [f"{limits} ended by the time limit"] if limits else []
    bad += [f"{void} failed or were not available"] if void else []
    return (
        f"{plural(len(results.settings), 'setting')} on {plural(len(results.graphs), 'graph')}"
        f"{where}: {plural(len(rows), 'measurement')}, every matching proved"
        + (f"; {', '.join(bad)}." if bad else ", none failed.")
    )


def _advised(
    machines: Sequence[dict[str, Any]],
    apart: Sequence[Results],
    ranks: Sequence[Sequence[Rank]],
) -> Iterator[str]:
    for machine, found, some in zip(machines, apart, ranks, strict=True):
        advice = advise(found, some)
        if advice is not None:
            yield from (f"On {machine['name']}:",) if len(machines) > 1 else ()
            yield from advice_lines(advice, len(found.graphs))


def advice_lines(advice: Advice, graphs: int) -> list[str]:
    """Return what to use, in sentences."""
    best, auto = advice.best, advice.auto
    threads = best.arguments.get("threads")
    on = f" (on {plural(threads, 'thread')})" if threads else ""
    fails = f"; it left {best.unsolved} unsolved" if best.unsolved else ""
    lines = [
        f"Best on these graphs: {best.setting}{on}, on average {best.score:.2f} times as long as "
        f"the fastest on each graph (at worst {best.worst:.2f} times, on {best.worst_graph}), and "
        f"itself the fastest on {best.wins} of {graphs}{fails}.",
        f"To use it: `{call(best.arguments)}`",
    ]
    if auto is not None and auto is best:
        lines.append(f"That is what auto chooses ({auto.chose}): nothing need be set.")
    elif auto is not None:
        worst = f"at worst {auto.worst:.2f} times the fastest's time, on {auto.worst_graph}"
        lines.append(
            f"auto ({auto.chose}) takes {advice.factor:.2f} times as long on average, {worst}"
            + (
                "; runs of the same setting are as far apart as that, so auto does as well."
                if advice.same
                else "."
            )
        )
    close = [setting for setting in advice.close if auto is None or setting != auto.setting]
    if close:
        others = ", ".join(close[:3]) + " …" * (len(close) > 3)
        lines.append(
            f"Too close to call: runs of the same setting are {advice.noise:.0%} apart, and "
            f"{plural(len(close), 'other setting')} within that of the best ({others})."
        )
    if advice.longest < SHORT:
        lines.append(
            f"Every graph is solved within {1000 * SHORT:g} ms: so short times vary much and the "
            "choice matters little; larger graphs would tell more."
        )
    return lines


def profile(values: Mapping[str, Mapping[str, float]], rising: bool = True) -> list[Series]:
    """Return a series for each setting: on which share of the graphs its value is at most x.

    With `rising` False: at least x. Takes setting → graph → value. Graphs that a setting has no
    value for count too, so that it does not reach 1.

    Examples
    --------
    >>> from berge_lab.report.bench import profile
    >>> one, _ = profile({"a": {"g": 2.0, "h": 1.0}, "b": {"h": 3.0}})
    >>> one.x, one.y, one.graphs
    ([1.0, 2.0], [0.5, 1.0], ['h', 'g'])
    """
    graphs = {graph for found in values.values() for graph in found}
    drawn = []
    for setting, found in values.items():
        order = sorted(found, key=lambda graph: found[graph] if rising else -found[graph])
        shares: list[float | None] = [(k + 1) / len(graphs) for k in range(len(order))]
        drawn.append(Series(setting, [found[g] for g in order], shares, graphs=order))
    return drawn


def _drawn(ranks: Sequence[Rank]) -> list[str]:
    """Return the settings that figures show."""
    return [one.setting for place, one in enumerate(ranks) if place < DRAWN or one.auto]


def _figures(results: Results, settings: Sequence[str]) -> list[Figure]:
    times = results.times()
    solved = {s: {g: t for g, t in times[s].items() if t < float("inf")} for s in settings}
    best: dict[str, float] = {}
    for found in times.values():
        for graph, seconds in found.items():
            best[graph] = min(seconds, best.get(graph, seconds))
    slower = {s: {g: t / best[g] for g, t in found.items()} for s, found in solved.items() if found}
    some = len(settings) < len(results.settings)
    which = "The best settings; the tables have all. " if some else ""
    base = results.baseline(None)
    faster = {
        setting: {graph: 1 / ratio for graph, ratio in results.ratios(setting, base).items()}
        for setting in settings
        if setting != base
    }
    return [
        Figure("performance-profile", _RANKING, "Performance profile", "steps",
               "times as long as the fastest", "share of graphs", profile(slower), log_x=True,
               note=f"{which}A point (x, y): on a share y of the graphs, a setting took at most x "
               "times as long as the fastest there. Further up and to the left is better; what was "
               "ended by the time limit never reaches 1."),
        Figure("speed-up", _RANKING, f"Speed-up over {base}", "steps",
               f"times as fast as {base}", "share of graphs",
               profile({s: found for s, found in faster.items() if found}, rising=False),
               log_x=True,
               note=f"A point (x, y): on a share y of the graphs, a setting was at least x times "
               f"as fast as {base}. Right of 1 it is faster."),
        Figure("times", _BY_GRAPH, "Time by graph", "points", "graph", "seconds",
               _by_graph(results, settings, "median"), log_y=True,
               note="The median of the runs, with bars from the fastest to the slowest. Runs ended "
               "by the time limit are drawn at it."),
        Figure("gather-passes", _BY_GRAPH, "Time in gather passes", "points",
               "graph", "gather passes", _by_graph(results, settings, "gathers"), log_y=True,
               note="One pass reads every edge from both sides, so that figures travel between "
               "machines."),
        Figure("memory", _MEMORY, "Extra memory", "points", "graph", "MB at the peak",
               _by_graph(results, settings, "memory", 2.0**-20), log_y=True,
               note="Besides the graph: result, transpose and buffers."),
    ]  # fmt: skip


def _by_graph(
    results: Results, settings: Sequence[str], measure: str, scale: float = 1.0
) -> list[Series]:
    """Return a series for each setting; of the median with the fastest and slowest run."""
    drawn = []
    for setting in settings:
        found = {g: v for g, v in results.values(setting, measure).items() if v > 0}
        graphs = list(found)
        low: list[float | None] | None = None
        high: list[float | None] | None = None
        if measure == "median":
            runs = [results.rows[g, setting]["seconds"] for g in graphs]
            low = [min(r, default=None) for r in runs]
            high = [max(r, default=None) for r in runs]
        values: list[float | None] = [found[g] * scale for g in graphs]
        if graphs:
            drawn.append(Series(setting, graphs, values, low, high, graphs))
    return drawn


def _tables(results: Results, ranks: Sequence[Sequence[Rank]]) -> list[Table]:
    order = [one.setting for some in ranks for one in some]
    lines: list[list[Cell]] = [
        [
            place,
            one.setting + (f" ({one.chose})" if one.auto and one.chose else ""),
            one.score,
            one.worst,
            one.worst_graph,
            one.wins,
            one.unsolved or None,
        ]
        for some in ranks
        for place, one in enumerate(some, 1)
    ]
    memory: list[list[Cell]] = [
        [line["setting"], line["most"] / 2**20, line["vertex"], line["edge"]]
        for line in results.memory()
    ]
    single = any(one.arguments.get("threads") == 1 for some in ranks for one in some)
    head = ["graph", "rows", "columns", "edges", "maximum", *order]
    return [
        Table("ranking", _RANKING, "Ranking",
              ["", "setting", "× fastest", "at worst", "on", "fastest on", "unsolved"],
              lines, note="× fastest: the geometric mean, over the graphs, of the time as a "
              "multiple of the fastest's." + " t1: on one thread." * single),
        Table("table-times", _BY_GRAPH, "Seconds, fastest run", head,
              [_times_row(results, graph, order) for graph in results.graphs]),
        Table("table-memory", _MEMORY, "Extra memory, fitted",
              ["setting", "most, MB", "bytes a vertex", "bytes an edge"], memory),
    ]  # fmt: skip


def _times_row(results: Results, graph: str, settings: Sequence[str]) -> list[Cell]:
    rows = {s: row for s in results.settings if (row := results.rows.get((graph, s))) is not None}

    def first(key: str) -> Cell:
        return next((row[key] for row in rows.values() if row.get(key) is not None), None)

    def cell(setting: str) -> Cell:
        row = rows.get(setting)
        if row is None:
            return None
        if over(row):
            return f"> {row['time_limit']:g}"
        return results.value(graph, setting, "seconds") if counts(row) else "—"

    sizes = [first(key) for key in ("rows", "cols", "edges", "cardinality")]
    return [graph, *sizes, *map(cell, settings)]


def _failures(results: Results) -> list[Missing]:
    """Return once for each setting and reason what has no time."""
    why: dict[tuple[str, str], list[str]] = {}
    for (graph, setting), row in results.rows.items():
        if row["status"] != "ok":
            why.setdefault((setting, row["reason"] or row["status"]), []).append(graph)
    return [
        Missing("", f"{setting} on {', '.join(graphs)}", reason)
        for (setting, reason), graphs in why.items()
    ]
