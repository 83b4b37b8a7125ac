"""Write the table of algorithms into the pages that show it; `--check` only compares.

python docs/tables.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

import berge

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs" / "algorithms.md")
BEGIN, END = "<!-- algorithms: this table is written by docs/tables.py -->", "<!-- end -->"


def table() -> str:
    """Return the registry as Markdown."""
    lines = ["| name | kind | threads | how it works | bound | paper |", "|---" * 6 + "|"]
    for a in berge.algorithms():
        threads = "many" if a.threads else "one"
        lines.append(f"| `{a.name}` | {a.kind} | {threads} | {a.summary} | {a.bound} | {a.paper} |")
    return "\n".join(lines)


def main() -> None:
    """Rewrite what stands between the marks, or say which page is not up to date."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        before, _, rest = text.partition(BEGIN)
        after = rest.partition(END)[2]
        new = f"{before}{BEGIN}\n{table()}\n{END}{after}"
        if "--check" in sys.argv:
            if new != text:
                raise SystemExit(f"{page.name} is not up to date: run python docs/tables.py")
        else:
            page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
