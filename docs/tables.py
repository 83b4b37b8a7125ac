"""Write the table of algorithms into the page that shows it; `--check` only compares.

python docs/tables.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

import berge

PAGE = Path(__file__).parent / "algorithms.md"
BEGIN, END = "<!-- algorithms: this table is written by docs/tables.py -->", "<!-- end -->"


def table() -> str:
    """Return the registry as Markdown."""
    lines = ["| name | kind | threads | how it works | bound | paper |", "|---" * 6 + "|"]
    for a in berge.algorithms():
        threads = "many" if a.threads else "one"
        lines.append(f"| `{a.name}` | {a.kind} | {threads} | {a.summary} | {a.bound} | {a.paper} |")
    lines += ["", "| variant | stands for |", "|---|---|"]
    for a in berge.algorithms():
        for name, settled in a.aliases.items():
            if name == a.name:
                continue
            options = ", ".join(f"{key}={value}".lower() for key, value in settled.items())
            lines.append(f"| `{name}` | `{a.name}` with {options} |")
    return "\n".join(lines)


def main() -> None:
    """Rewrite what stands between the marks, or say that it is not up to date."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    new = f"{before}{BEGIN}\n{table()}\n{END}{after}"
    if "--check" not in sys.argv:
        PAGE.write_text(new, encoding="utf-8")
    elif new != text:
        raise SystemExit(f"{PAGE.name} is not up to date: run make format")


if __name__ == "__main__":
    main()
