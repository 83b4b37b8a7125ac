"""The page that says where the papers are in the code, against the code."""

from __future__ import annotations

import ast
import re
from itertools import chain

from berge_lab.reproduce import PAPERS

from .kernel_files import ROOT

PAGE = ROOT / "docs" / "papers-in-code.md"
LINES = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| in the paper")
]


def defined(file: str) -> set[str]:
    """Names that a file defines, parameters among them."""
    tree = ast.parse((PAGE.parent / file).read_text(encoding="utf-8"))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            found |= {node.name, *(arg.arg for arg in node.args.kwonlyargs)}
        elif isinstance(node, ast.ClassDef):
            found.add(node.name)
    return found


def test_every_function_is_where_the_page_says():
    checked = 0
    for _, files, functions in LINES:
        names = set().union(*map(defined, re.findall(r"\]\((.+?)\)", files)))
        wanted = set(re.findall(r"`(\w+)`", functions))
        assert wanted <= names, (files, wanted - names)
        checked += len(wanted)
    assert checked > 70


def test_every_experiment_is_on_the_page():
    said = " ".join(chain.from_iterable(LINES))
    for paper in PAPERS:
        for experiment in paper.experiments:
            kind, _, number = experiment.id.partition("/")[2].partition("-")
            name = f"_{kind}_{number.lower()}" if kind in ("figure", "table") else "_sensitivity"
            assert f"`{name}`" in said, experiment.id


def test_every_algorithm_is_on_the_page():
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")[1:5]  # one a paper
    for section, count in zip(sections, (4, 9, 7, 4), strict=True):
        said = {int(k) for pair in re.findall(r"Algorithms? (\d)(?: and (\d))?", section)
                for k in pair if k}  # fmt: skip
        assert said == set(range(1, count + 1))


def test_files_that_follow_a_paper_say_what_they_change():
    for file in ("augmenting/apfb", "push_relabel/g_pr", "push_relabel/g_gr",
                 "augmenting/ms_bfs_graft", "greedy/proposals", "greedy/colour",
                 "greedy/one_by_one"):  # fmt: skip
        text = (ROOT / "src/berge/methods" / f"{file}.py").read_text(encoding="utf-8")
        assert "Slips and changes" in ast.get_docstring(ast.parse(text)), file
