"""What `berge bench` measured as tables and figures, and as a report of all of them.

Rows from several machines stand side by side: settings then carry the machine's letter.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from berge.wording import plural

from ..bench.ranking import Advice, Rank, advise, call, rank, spread
from ..bench.ratios import fastest
from ..bench.results import Results, Row, counts, over
from .cells import shown
from .figures import performance, speedups
from .model import Cell, Figure, Missing, Report, Series, Table

__all__ = ["advice_lines", "build_report", "by_graph_table", "by_machine", "caveats", "figures",
           "memory_table", "ranking_table"]  # fmt: skip

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
    drawn = [setting for some in ranks for setting in _drawn(some)]
    unsure = [advise(found, some) for found, some in zip(apart, ranks, strict=True)]
    doubts = [line for advice in unsure if advice is not None for line in caveats(advice)]
    return Report(
        title or f"berge bench: {suites}",
        [_counted(results, len(machines)), *_advised(machines, apart, ranks)],
        machines,
        figures(results, drawn),
        [table for table in _tables(results, ranks) if table.rows],
        missing=_failures(results),
        noise=f"Runs of the same measurement were apart by {usual:.0%} at the median, and by "
        f"{most:.0%} or less in nine of ten: slowest against fastest. The fastest counts; error "
        f"bars show all. {' '.join(doubts)}".rstrip(),
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
            best, use, *auto = advice_lines(advice, len(found.graphs))
            yield f"{best.removesuffix('.')}; {use[:1].lower()}{use[1:]}."
            yield from auto


def advice_lines(advice: Advice, graphs: int) -> list[str]:
    """Return what to use, how to say so, and how `auto` does if that was measured."""
    best, auto = advice.best, advice.auto
    threads = best.arguments.get("threads")
    on = f" (on {plural(threads, 'thread')})" if threads else ""
    fails = f"; it left {best.unsolved} unsolved" if best.unsolved else ""
    lines = [
        f"Best on these graphs: {best.setting}{on}, the fastest on {best.wins} of {graphs}, and "
        f"{best.score:.2f} times the fastest's time on average ({best.worst:.2f} at worst, on "
        f"{best.worst_graph}){fails}.",
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
    return lines


def caveats(advice: Advice) -> list[str]:
    """Return what the measurements cannot tell, in sentences."""
    auto, lines = advice.auto, []
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


def _drawn(ranks: Sequence[Rank]) -> list[str]:
    """Return the settings that figures show."""
    return [one.setting for place, one in enumerate(ranks) if place < DRAWN or one.auto]


def figures(
    results: Results, settings: Sequence[str] | None = None, baseline: str | None = None
) -> list[Figure]:
    """Return profiles, times, gather passes and memory, of some settings; those that have any."""
    chosen = results.settings if settings is None else settings
    times = results.times()
    some = len(chosen) < len(results.settings)
    which = "The best settings; the tables have all. " if some else ""
    base = results.baseline(baseline)
    faster = {s: results.values(s, "seconds") for s in chosen if s != base}
    made = [
        performance("performance-profile", "Performance profile",
                    {s: times[s] for s in chosen}, fastest(times), paper=_RANKING,
                    x_label="times as long as the fastest",
                    note=f"{which}A point (x, y): on a share y of the graphs, a setting took at "
                    "most x times as long as the fastest there. Further up and to the left is "
                    "better; what was ended by the time limit never reaches 1."),
        speedups("speed-up", f"Speed-up over {base}", results.values(base, "seconds"), faster,
                 paper=_RANKING, x_label=f"times as fast as {base}",
                 note=f"A point (x, y): on a share y of the graphs, a setting was at least x times "
                 f"as fast as {base}. Right of 1 it is faster."),
        Figure("times", _BY_GRAPH, "Time by graph", "points", "graph", "seconds",
               _by_graph(results, chosen, "median"), log_y=True,
               note="The median of the runs, with bars from the fastest to the slowest. Runs ended "
               "by the time limit are drawn at it."),
        Figure("gather-passes", _BY_GRAPH, "Time in gather passes", "points",
               "graph", "gather passes", _by_graph(results, chosen, "gathers"), log_y=True,
               note="One pass reads every edge from both sides, so that figures travel between "
               "machines."),
        Figure("memory", _MEMORY, "Extra memory", "points", "graph", "MB at the peak",
               _by_graph(results, chosen, "memory", 2.0**-20), log_y=True,
               note="Besides the graph: result, transpose and buffers."),
    ]  # fmt: skip
    return [figure for figure in made if figure.series]


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


def ranking_table(ranks: Sequence[Rank], star: str = "") -> Table:
    """Return settings, best first; `star` marks auto, else what it stood for is told."""
    lines: list[list[Cell]] = []
    for one in ranks:
        mark = star or (f"({one.chose})" if one.chose else "")
        name = f"{one.setting} {mark}" if one.auto and mark else one.setting
        lines.append([name, one.score, one.worst, one.worst_graph, one.wins, one.unsolved or None])
    single = any(one.arguments.get("threads") == 1 for one in ranks)
    return Table("ranking", _RANKING, "Ranking",
                 ["setting", "× fastest", "at worst", "on", "fastest on", "unsolved"], lines,
                 note="× fastest: the geometric mean, over the graphs, of the time as a multiple "
                 "of the fastest's." + " t1: on one thread." * single)  # fmt: skip


def by_graph_table(
    results: Results,
    settings: Sequence[str],
    sizes: Mapping[str, str],
    measure: str = "seconds",
    reference: str | None = None,
    text: Callable[[float], Cell] = lambda value: value,
) -> Table:
    """Return a measure by graph, as multiples of a reference if there is one.

    `sizes` are the columns before: a key of the rows and its heading.
    """
    columns = {
        setting: results.ratios(setting, reference, measure)
        if reference
        else results.values(setting, measure)
        for setting in settings
    }

    def cell(graph: str, setting: str) -> Cell:
        row, value = results.rows.get((graph, setting)), columns[setting].get(graph)
        if value is None:
            return None if row is None or counts(row) else "—"
        late = row is not None and over(row) and measure != "memory"
        return f"> {shown(text(value))}" if late else text(value)

    def size(graph: str, key: str) -> Cell:
        of = (row.get(key) for (name, _), row in results.rows.items() if name == graph)
        return next((value for value in of if value is not None), None)

    lines = [
        [graph, *(size(graph, key) for key in sizes), *(cell(graph, s) for s in columns)]
        for graph in results.graphs
    ]
    words = {"seconds": "time, fastest run", "median": "time, median",
             "gathers": "gather passes, fastest run", "memory": "extra memory at its peak",
             "with-convert": "time with converting, fastest run"}  # fmt: skip
    title = words[measure] + (f", as multiples of {reference}'s" if reference else "")
    return Table("table-times", _BY_GRAPH, title, ["graph", *sizes.values(), *columns], lines)


def memory_table(results: Results) -> Table:
    """Return what is fitted to the extra memory of each setting."""
    lines: list[list[Cell]] = [
        [one["setting"], one["graphs"], one["most"] / 2**20, one["vertex"], one["edge"],
         f"{100 * one['error']:.0f} %"]
        for one in results.memory()
    ]  # fmt: skip
    head = ["setting", "graphs", "most, MB", "bytes / vertex", "bytes / edge", "worst error"]
    return Table("table-memory", _MEMORY, "extra memory at its peak, fitted", head, lines)


def _tables(results: Results, ranks: Sequence[Sequence[Rank]]) -> list[Table]:
    order = [one.setting for some in ranks for one in some]
    ranking = ranking_table([one for some in ranks for one in some])
    places = [place for some in ranks for place, _ in enumerate(some, 1)]
    sizes = {"rows": "rows", "cols": "columns", "edges": "edges", "cardinality": "maximum"}
    return [
        replace(ranking, columns=["", *ranking.columns],
                rows=[[place, *row] for place, row in zip(places, ranking.rows, strict=True)]),
        replace(by_graph_table(results, order, sizes), title="Seconds, fastest run"),
        replace(memory_table(results), title="Extra memory, fitted"),
    ]  # fmt: skip


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
