"""What a report holds: figures, tables, claims, and what is missing; to and from JSON.

`berge_lab.reproduce` and `report.bench` make a `Report` of measurements, `report.html`,
`report.pictures` and `report.markdown` write it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from berge.errors import OptionError

__all__ = ["Claim", "Figure", "Kind", "Missing", "Report", "Series", "Table", "Verdict"]

Kind = Literal["lines", "steps", "bars", "points"]
Verdict = Literal["held", "not held", "not testable here"]
Cell = str | float | int | None


@dataclass(frozen=True)
class Series:
    """One curve, or one colour of bars; None in `y` is a gap.

    `low` and `high` are the ends of error bars. `graphs` names the graph of each point, for the
    page's filter; a series without them stands for all graphs. `published` are a paper's values.
    """

    name: str
    x: list[Any]
    y: list[float | None]
    low: list[float | None] | None = None
    high: list[float | None] | None = None
    graphs: list[str] | None = None
    published: bool = False

    def __post_init__(self) -> None:
        for key in ("y", "low", "high", "graphs"):
            values = getattr(self, key)
            if values is not None and len(values) != len(self.x):
                raise OptionError(
                    f"series {self.name!r}: {len(values)} values of {key}, but {len(self.x)} of x"
                )


@dataclass(frozen=True)
class Figure:
    """A figure; `published` says in words what the paper's shows, `note` what to see in ours.

    "steps" whose series have `graphs` are profiles: x is a graph's value, in rising or falling
    order, and y the share of the figure's graphs up to there. The page computes y anew for the
    graphs that are chosen.
    """

    id: str
    paper: str
    title: str
    kind: Kind
    x_label: str
    y_label: str
    series: list[Series]
    log_x: bool = False
    log_y: bool = False
    note: str = ""
    published: str = ""

    def __post_init__(self) -> None:
        _one_of(f"figure {self.id!r}", "kind", self.kind, get_args(Kind))


@dataclass(frozen=True)
class Table:
    """A table; None in a row is an empty cell."""

    id: str
    paper: str
    title: str
    columns: list[str]
    rows: list[list[Cell]]
    note: str = ""
    published: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise OptionError(
                    f"table {self.id!r}: a row of {len(row)} for {len(self.columns)} columns"
                )


@dataclass(frozen=True)
class Claim:
    """A paper's claim: what was published, what we found; `figure` is a figure's or table's id."""

    id: str
    paper: str
    claim: str
    published: str
    ours: str
    verdict: Verdict
    reason: str = ""
    figure: str | None = None

    def __post_init__(self) -> None:
        _one_of(f"claim {self.id!r}", "verdict", self.verdict, get_args(Verdict))


@dataclass(frozen=True)
class Missing:
    """A figure or table that cannot be made here."""

    paper: str
    what: str
    reason: str


@dataclass(frozen=True)
class Report:
    """All of it; `summary` are plain sentences, `noise` says how far repeated runs were apart.

    `papers` has headings for the names in `paper`, where these are short.

    Examples
    --------
    >>> report = Report("Two graphs", ["Nothing was measured."])
    >>> Report.from_json(report.to_json()) == report
    True
    """

    title: str
    summary: list[str]
    machine: list[dict[str, Any]] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    noise: str = ""
    papers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ids = [item.id for item in self.items]
        twice = next((name for name in ids if ids.count(name) > 1), None)
        if twice is not None:
            raise OptionError(f"two figures or tables have the id {twice!r}")
        for claim in self.claims:
            if claim.figure is not None and claim.figure not in ids:
                raise OptionError(f"claim {claim.id!r}: there is no figure or table {claim.figure}")

    @property
    def items(self) -> list[Figure | Table]:
        """Figures and tables."""
        return [*self.figures, *self.tables]

    def heading(self, paper: str) -> str:
        """Return what a section is called."""
        return self.papers.get(paper, paper) or "Results"

    def __add__(self, other: Report) -> Report:
        """Return both in one, under the first one's title."""
        return Report(
            self.title,
            self.summary + other.summary,
            self.machine + [m for m in other.machine if m not in self.machine],
            self.figures + other.figures,
            self.tables + other.tables,
            self.claims + other.claims,
            self.missing + other.missing,
            " ".join(dict.fromkeys([self.noise, other.noise])).strip(),
            self.papers | other.papers,
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as dicts, lists, text and numbers."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Report:
        """Make a report of what `to_json` returned."""
        parts: dict[str, Any] = dict(value)
        parts["figures"] = [
            Figure(**{**f, "series": [Series(**s) for s in f["series"]]}) for f in value["figures"]
        ]
        for key, kind in (("tables", Table), ("claims", Claim), ("missing", Missing)):
            parts[key] = [kind(**item) for item in value[key]]
        return cls(**parts)


def _one_of(where: str, key: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise OptionError(f"{where}: {key} must be one of {', '.join(known)}, not {value!r}")
