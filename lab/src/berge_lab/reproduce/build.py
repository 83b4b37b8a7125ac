"""From lines of results to a report: every paper's figures, tables and claims, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from berge.wording import plural

from ..bench.ratios import usual_and_most
from ..report.model import Claim, Figure, Missing, Report, Table
from .apfb import PAPER as APFB
from .experiment import COMPUTED, IN_PRINT, Paper, Rows
from .g_pr import PAPER as G_PR
from .greedy import PAPER as GREEDY
from .tree_grafting import PAPER as TREE_GRAFTING

__all__ = ["PAPERS", "build_report"]

PAPERS: tuple[Paper, ...] = (APFB, G_PR, GREEDY, TREE_GRAFTING)


def build_report(records: Sequence[dict[str, Any]]) -> Report:
    """Make a report of lines that ``berge reproduce`` wrote, of one or several machines.

    Experiments that were not run are left out with their claims.
    """
    rows = Rows(records)
    figures: list[Figure] = []
    tables: list[Table] = []
    claims: list[Claim] = []
    missing: list[Missing] = []
    covered: list[str] = []
    for paper in PAPERS:
        parts: list[str] = []
        built = [part for e in paper.experiments for part in e.build(rows)]
        for part in built:
            (figures if isinstance(part, Figure) else tables).append(part)  # type: ignore[arg-type]
            parts.append(part.id)
        ran = _ran(paper, rows, parts)
        covered += ran
        for id in ran:
            if not any(part.startswith(id) for part in parts):
                what = id.partition("/")[2].replace("-", " ")
                missing.append(
                    Missing(paper.name, what, "its runs failed, or left nothing to show")
                )
        missing += paper.missing if len(ran) == len(paper.experiments) else ()
        claims += _claims(paper, rows, parts, ran)
    return Report(
        "Four papers on matching, reproduced",
        [*_summary(records, claims), *_covered(covered)],
        rows.machines,
        figures,
        tables,
        claims,
        missing,
        _noise(rows),
        {paper.name: paper.title for paper in PAPERS},
    )


def _ran(paper: Paper, rows: Rows, parts: Sequence[str]) -> list[str]:
    """Return the ids of the experiments that there is something of, or whose settings all ran."""
    return [
        e.id
        for e in paper.experiments
        if any(part.startswith(e.id) for part in parts)
        or {s.name for some in e.needs.values() for s in some} <= rows.settings
    ]


def _claims(paper: Paper, rows: Rows, parts: Sequence[str], ran: Sequence[str]) -> Iterator[Claim]:
    """Yield the claims that could be tested or belong to what was run.

    What needs no run is told where anything of the paper was run, what is computed where all was.
    """
    whole = len(ran) == len(paper.experiments)
    too_little = (*(() if ran else (IN_PRINT,)), *(() if whole else (COMPUTED,)))
    found = [test.claim_of(paper.name, rows, parts) for test in paper.tests]
    kept = [
        claim
        for test, claim in zip(paper.tests, found, strict=True)
        if (claim.verdict != "not testable here" and not claim.ours.endswith(too_little))
        or any(test.figure.startswith(id) for id in ran if test.figure)
    ]
    for claim in kept:
        alone = _head(claim, found) not in kept
        yield replace(claim, claim=_whole(claim, found)) if alone else claim


def _covered(ran: Sequence[str]) -> Iterator[str]:
    """Yield what the report covers, unless that is everything."""
    if not ran:
        yield "Nothing of the papers was measured."
    elif len(ran) < sum(len(paper.experiments) for paper in PAPERS):
        yield f"This report covers only {', '.join(ran)}; the other experiments were not run."


def _summary(records: Sequence[dict[str, Any]], claims: Sequence[Claim]) -> Iterator[str]:
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
        if verdicts:
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
    """Return a claim's words; if it goes on from claims before it, with those of the first."""
    first = _head(claim, claims)
    return claim.claim if first is claim else f"{first.claim} {claim.claim}"


def _head(claim: Claim, claims: Sequence[Claim]) -> Claim:
    """Return the claim that one goes on from; itself if it does not."""
    to_here = claims[: claims.index(claim) + 1]
    return next(c for c in reversed(to_here) if not c.claim.startswith("…"))


def _noise(rows: Rows) -> str:
    spread = rows.spread()
    if not spread:
        return "Too few repeated runs to tell how far they are apart."
    middle, high = usual_and_most(spread)
    return (
        f"Over {len(spread)} measurements the standard deviation of repeated runs is "
        f"{middle:.1f} % of their mean in the middle, and {high:.0f} % or more in a tenth "
        "of them. Times are those of the fastest run; differences below that mean nothing."
    )
