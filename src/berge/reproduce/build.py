"""From lines of results to a report: every paper's figures, tables and claims, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from ..report.model import Claim, Figure, Missing, Report, Table
from ..words import plural
from .apfb import PAPER as APFB
from .experiment import Paper, Rows
from .g_pr import PAPER as G_PR
from .greedy import PAPER as GREEDY
from .tree_grafting import PAPER as TREE_GRAFTING

__all__ = ["PAPERS", "build_report"]

PAPERS: tuple[Paper, ...] = (APFB, G_PR, GREEDY, TREE_GRAFTING)


def build_report(records: Sequence[dict[str, Any]]) -> Report:
    """Make a report of lines that ``berge reproduce`` wrote, of one or several machines."""
    rows = Rows(records)
    figures: list[Figure] = []
    tables: list[Table] = []
    claims: list[Claim] = []
    missing: list[Missing] = []
    for paper in PAPERS:
        parts: list[str] = []
        built = [part for e in paper.experiments for part in e.build(rows)]
        for part in built:
            (figures if isinstance(part, Figure) else tables).append(part)  # type: ignore[arg-type]
            parts.append(part.id)
        for id in dict.fromkeys(experiment.id for experiment in paper.experiments):
            if not any(part.startswith(id) for part in parts):
                what = id.partition("/")[2].replace("-", " ")
                missing.append(Missing(paper.name, what, "nothing of it was measured in this run"))
        missing += paper.missing
        claims += [test.claim_of(paper.name, rows, parts) for test in paper.tests]
    return Report(
        "Four papers on matching, reproduced",
        list(_summary(records, rows, claims)),
        rows.machines,
        figures,
        tables,
        claims,
        missing,
        _noise(rows),
        {paper.name: paper.title for paper in PAPERS},
    )


def _summary(
    records: Sequence[dict[str, Any]], rows: Rows, claims: Sequence[Claim]
) -> Iterator[str]:
    last = {(str(row["machine"]), row["graph"], row["setting"]): row for row in records}
    status = Counter(row["status"] for row in last.values())
    runs = sum(len(row["seconds"]) for row in last.values())
    bad = ", ".join(f"{n} {word}" for word, n in status.items() if word != "ok")
    graphs = {row["graph"] for row in last.values()}
    suites = ", ".join(sorted({row["suite"].removeprefix("reproduce-") for row in last.values()}))
    counts = f"{plural(len(last), 'measurement')} on {plural(len(graphs), 'graph')}, {runs} runs"
    well = f"{status['ok']} are well and verified, {bad}" if bad else "all verified, none failed"
    yield f"Suite {suites or 'none'}: {counts}; {well}."
    for paper in PAPERS:
        verdicts = Counter(claim.verdict for claim in claims if claim.paper == paper.name)
        tested = verdicts["held"] + verdicts["not held"]
        yield (
            f"{paper.title} ({paper.reference}): of {plural(tested, 'claim')} that could be "
            f"tested, {verdicts['held']} held; {verdicts['not testable here']} could not be."
        )
    broken = [claim for claim in claims if claim.verdict == "not held"]
    if broken:
        yield f"Not held: {'; '.join(_whole(claim, claims) for claim in broken)}."
    yield (
        "Nothing ran on a GPU: what the papers ran on one ran on CPU threads here, where counts "
        "can be compared and seconds can not."
    )


def _whole(claim: Claim, claims: Sequence[Claim]) -> str:
    """Return a claim's words; one that goes on from those before it, with the first."""
    if not claim.claim.startswith("…"):
        return claim.claim
    before = claims[: claims.index(claim)]
    first = next(c for c in reversed(before) if not c.claim.startswith("…"))
    return f"{first.claim} {claim.claim}"


def _noise(rows: Rows) -> str:
    spread = sorted(rows.spread())
    if not spread:
        return "Too few repeated runs to tell how far they are apart."
    high = spread[min(int(0.9 * len(spread)), len(spread) - 1)]
    return (
        f"Over {len(spread)} measurements the standard deviation of repeated runs is "
        f"{median(spread):.1f} % of their mean in the middle, and {high:.0f} % or more in a tenth "
        "of them. Times are those of the fastest run; differences below that mean nothing."
    )
