"""What a release needs: one version everywhere, notes, and workflows that name what there is."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
notes = runpy.run_path(str(ROOT / ".ci" / "notes.py"))["notes"]


def test_one_version():
    lab = tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text())["project"]
    citation = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.M)
    assert citation
    assert {lab["version"], citation[1]} == {VERSION}
    assert f"berge=={VERSION}" in lab["dependencies"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(VERSION)} \(", changelog, re.M)


def test_licence_of_both():
    assert (ROOT / "LICENSE").read_bytes() == (ROOT / "lab" / "LICENSE").read_bytes()


def test_notes():
    changelog = (
        "# Changelog\n\n## 1.1.0 (unreleased)\n\n- New.\n\n## 1.0.0 (2030-01-01)\n\n- Old.\n"
    )
    assert notes(changelog, "1.0.0") == "- Old."
    with pytest.raises(SystemExit, match="unreleased"):
        notes(changelog, "1.1.0")
    with pytest.raises(SystemExit, match="has no version 1"):
        notes(changelog, "1.0")


@pytest.mark.parametrize("path", sorted(ROOT.glob(".github/workflows/*.yml")), ids=lambda p: p.name)
def test_workflows_name_what_there_is(path):
    text = path.read_text(encoding="utf-8")
    scripts = re.findall(r"(?:run: |python )(\.ci/\S+)", text)
    extras = re.findall(r'"\.\[(\w+)\]"', text)
    assert scripts or extras
    assert [name for name in scripts if not (ROOT / name).is_file()] == []
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(extras) <= set(known["optional-dependencies"])
