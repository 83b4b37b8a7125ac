"""Print what CHANGELOG.md says of a version; fail if it says nothing, or that it is not released.

python .ci/notes.py 0.1.0
"""

from __future__ import annotations

import sys
from pathlib import Path


def notes(changelog: str, version: str) -> str:
    """Return the section of a version, without its heading."""
    for section in changelog.split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        if heading.split()[:1] == [version]:
            if "unreleased" in heading:
                raise SystemExit(f"CHANGELOG.md calls {version} unreleased: give it a date")
            return text.strip()
    raise SystemExit(f"CHANGELOG.md has no version {version}")


if __name__ == "__main__":
    path = Path(__file__).resolve().parents[1] / "CHANGELOG.md"
    print(notes(path.read_text(encoding="utf-8"), sys.argv[1]))
