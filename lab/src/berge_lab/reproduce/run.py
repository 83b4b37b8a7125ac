"""What has to be measured for a suite, and what is written when it is.

Measurements that several figures need are made once. Those of one family of algorithms share a
process: starting one for each would take longer than all of them. In the suite full each has its
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from berge.errors import OptionError

from ..bench.runner import Task, left
from ..bench.suite import Suite
from ..report.model import Report
from .build import PAPERS
from .graphs import graph_sets, suite_of

__all__ = ["plan", "together", "write_pages", "write_report"]


def plan(
    suite: str,
    output: Path,
    *,
    data: Path | None = None,
    files: Sequence[str] = (),
    only: Sequence[str] = (),
) -> tuple[Suite, list[Task]]:
    """Return the suite, and what is left to measure, in random order.

    `only` has patterns of experiments, such as ``tree-grafting/*``; `files` are graphs to take
    besides the suite's and those of the data folder.
    """
    experiments = [experiment for paper in PAPERS for experiment in paper.experiments]
    for pattern in only:
        if not any(fnmatchcase(experiment.id, pattern) for experiment in experiments):
            names = ", ".join(experiment.id for experiment in experiments)
            raise OptionError(f"no experiment is named {pattern!r}; there are {names}")
    chosen = suite_of(suite)
    sets = graph_sets(suite, data, files)
    tasks: dict[tuple[str, str], Task] = {}
    for experiment in experiments:
        if not only or any(fnmatchcase(experiment.id, pattern) for pattern in only):
            for name, settings in experiment.needs.items():
                for graph in sets[name]:
                    for setting in settings:
                        known = tasks.setdefault((graph.name, setting.name), (graph, setting))
                        assert known == (graph, setting), f"two settings are named {setting.name}"
    return chosen, left(chosen, list(tasks.values()), output)


def together(task: Task) -> str:
    """Return the family of the algorithm: what measurements share a process, but in full."""
    arguments: dict[str, Any] = task[1].arguments
    return str(arguments.get("method") or arguments["algorithm"]).partition("-")[0]


def write_report(report: Report, folder: Path) -> Path:
    """Write report.html, report.md and the pictures; return the page."""
    from ..report.html import write_html
    from ..report.markdown import write_markdown
    from ..report.pictures import write_pictures

    page, pictures = folder / "report.html", folder / "pictures"
    write_html(report, page)
    write_pictures(report, pictures)
    write_markdown(report, folder / "report.md", pictures)
    return page


def write_pages(report: Report, folder: Path) -> list[Path]:
    """Write a page for each paper that was run, with small pictures in the folder ``figures``."""
    from ..report.markdown import write_markdown
    from ..report.pictures import write_pictures

    pictures = folder / "figures"
    write_pictures(report, pictures, (".svg",))
    written = []
    for paper in PAPERS:
        page = folder / f"{paper.name}.md"
        lines = [
            f"{paper.reference}: {paper.about}.",
            "Made by `berge reproduce --docs`; how, and what held means: "
            "[reproduce.md](../reproduce.md).",
            *(line for line in report.summary if not _of_another(line, paper.title)),
        ]
        parts: dict[str, Any] = {
            name: [part for part in getattr(report, name) if part.paper == paper.name]
            for name in ("figures", "tables", "claims", "missing")
        }
        if not any(parts.values()):
            continue
        write_markdown(replace(report, title=paper.title, summary=lines, **parts), page, pictures)
        written.append(page)
    return written


def _of_another(line: str, title: str) -> bool:
    """Whether a line of the summary speaks of another paper, or of all of them."""
    others = any(line.startswith(paper.title) for paper in PAPERS if paper.title != title)
    return others or line.startswith("Not held")
