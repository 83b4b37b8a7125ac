"""Notebooks of pages: `python docs/notebooks.py FOLDER`. `make docs` puts them on the site.

A notebook has nothing that its page does not have. Text becomes cells of text, each Python block a
cell of code. What a page's comments say that the reader knows comes first in the cell.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
PAGES = ("first-matching", "singular-model", "people-and-jobs")
_BLOCK = re.compile(
    r"(?:<!-- (before|needs|not run): (.*?) -->\n)?```python\n(.*?)```\n?", re.DOTALL
)


def notebook(page: str) -> dict[str, Any]:
    """Return the notebook of a page, as JSON has it; code that needs an extra is left as text."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    cells: list[dict[str, Any]] = []
    place = 0
    for block in _BLOCK.finditer(text):
        kind, said, source = block.groups()
        if kind in ("needs", "not run"):
            continue
        _add(cells, "markdown", text[place : block.start()])
        _add(cells, "code", (f"{said}\n" if kind else "") + source)
        place = block.end()
    _add(cells, "markdown", text[place:])
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    facts = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": facts, "nbformat": 4, "nbformat_minor": 5}


def write(folder: Path) -> None:
    """Write the notebooks."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        text = json.dumps(notebook(page), indent=1, ensure_ascii=False)
        (folder / f"{page}.ipynb").write_text(text + "\n", encoding="utf-8")


def _add(cells: list[dict[str, Any]], kind: str, text: str) -> None:
    if not text.strip():
        return
    own = {"execution_count": None, "outputs": []} if kind == "code" else {}
    cell = {"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": {}, "source": text.strip()}
    cells.append(cell | own)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
