"""What several ways of writing a report share: numbers as text, styles of series, machines."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from .model import Cell, Figure, Report, Series, Table

__all__ = ["COLOURS", "column", "in_colours", "in_units", "label", "machine_table", "named",
           "numeric", "papers", "shown", "step_points", "ticks"]  # fmt: skip

# Told apart on white and on black, the first seven also by colour-blind people.
COLOURS = ("#2878c8", "#e0662b", "#12997a", "#c2629f", "#dd9c1b", "#4fb0e0", "#7d8796", "#8a63d2",
           "#76a63f", "#b0524a")  # fmt: skip


_NUMBER = re.compile(r"[>+]? ?[\d.,]+ ?\S{0,5}$")  # perhaps with a unit


def shown(value: Cell) -> str:
    """Return a cell as text: numbers with three digits, counts with all.

    Examples
    --------
    >>> from berge_lab.report.cells import shown
    >>> shown(1234567), shown(0.12345), shown(98765.4), shown(None), shown("x")
    ('1,234,567', '0.123', '98,765', '', 'x')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, (str, bool)):
        return str(value)
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def in_units(seconds: float) -> str:
    """Return seconds with three digits and a unit; nothing for what is not a number."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= 0.9995 * size:
            return f"{shown(seconds / size)} {unit}"
    return "" if math.isnan(seconds) else f"{shown(seconds / 1e-6)} µs"


def column(values: Sequence[Cell]) -> list[str]:
    """Return the cells of a column as text.

    Fractions get as many decimals as the least needs, unless some are a hundred times the least.

    Examples
    --------
    >>> from berge_lab.report.cells import column
    >>> column([1.0, 12.3, None, 7]), column([0.01, 5.0])
    (['1.00', '12.30', '', '7'], ['0.01', '5'])
    """
    sizes = [abs(v) for v in values if isinstance(v, float) and math.isfinite(v) and v]
    if not sizes or max(sizes) >= 100 * min(sizes):
        return [shown(value) for value in values]
    decimals = max(2 - math.floor(math.log10(min(sizes))), 0)
    return [
        f"{v:,.{decimals}f}" if isinstance(v, float) and not math.isnan(v) else shown(v)
        for v in values
    ]


def numeric(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[bool]:
    """Return which columns have numbers, or nothing but text that begins with one.

    Examples
    --------
    >>> from berge_lab.report.cells import numeric
    >>> numeric(["graph", "edges", "time"], [["g", 20, "> 10 s"], ["h", "—", None]])
    [False, True, True]
    """
    found = []
    for k in range(len(columns)):
        cells = [row[k] for row in rows if row[k] not in (None, "", "—")]
        texts = all(isinstance(c, str) and _NUMBER.match(c) for c in cells) and bool(cells)
        found.append(texts or any(isinstance(c, (int, float)) for c in cells))
    return found


def label(series: Series) -> str:
    """Return what a series is called in a legend."""
    said = not series.published or "published" in series.name
    return series.name if said else f"{series.name}, published"


def in_colours(figures: Iterable[Figure]) -> dict[tuple[str, str], int]:
    """Return the number of the colour of each paper's names: the same in all of its figures."""
    numbers: dict[tuple[str, str], int] = {}
    count: dict[str, int] = {}
    for figure in figures:
        for series in figure.series:
            if (figure.paper, series.name) not in numbers:
                numbers[figure.paper, series.name] = count.get(figure.paper, 0)
                count[figure.paper] = count.get(figure.paper, 0) + 1
    return numbers


def named(figure: Figure) -> bool:
    """Whether there are names on the axis of x."""
    return any(isinstance(x, str) for series in figure.series for x in series.x)


def ticks(figure: Figure) -> list[Any] | None:
    """Return the numbers that alone are worth a tick, such as 1, 2, 4 threads; None if many."""
    every = {x for series in figure.series for x in series.x}
    few = figure.kind in ("lines", "bars") and not named(figure) and len(every) <= 8
    return sorted(every) if few else None


def step_points(figure: Figure, series: Series) -> tuple[list[Any], list[float | None]]:
    """Return the points of a profile from one side of the figure to the other."""
    every = [x for other in figure.series for x in other.x]
    if series.graphs is None or not series.x:
        return series.x, series.y
    begin, end = min(every), 1.1 * max(every)
    if series.x[0] > series.x[-1]:
        begin, end = end, begin
    return [begin, *series.x, end], [0.0, *series.y, series.y[-1]]


def papers(report: Report) -> list[str]:
    """Return the papers in the order in which they come."""
    items: Sequence[Any] = (*report.items, *report.claims, *report.missing)
    return list(dict.fromkeys(item.paper for item in items))


def machine_table(machines: Sequence[dict[str, Any]]) -> Table:
    """Return a table with a column for each machine."""
    facts = [_facts(machine) for machine in machines]
    names = list(dict.fromkeys(name for machine in facts for name in machine))
    return Table(
        "machine",
        "",
        "Machine and versions",
        ["", *(machine.get("name") or "machine" for machine in machines)],
        [[name, *(machine.get(name) for machine in facts)] for name in names],
    )


def _facts(machine: dict[str, Any]) -> dict[str, str]:
    facts: dict[str, str] = {}
    for key, value in machine.items():
        if value is None or key == "name":
            continue
        if key == "memory":
            facts[key] = f"{value / 2**30:.1f} GB"
        elif key == "caches":
            facts[key] = ", ".join(f"{name} {size}" for name, size in value.items())
        elif isinstance(value, dict):
            facts |= {name: str(found) for name, found in value.items()}
        else:
            facts[key] = str(value)
    return facts
