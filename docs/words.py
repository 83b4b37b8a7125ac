"""Words and sentences of the pages: `python docs/words.py`.

A sentence ends at . ! or ?, at the end of a paragraph, and in lists at the end of an item. Code,
tables, headings and pictures have no sentences; their words are counted with those of the page,
as `wc` does.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_NO_PROSE = re.compile(r"^(```|~~~|:::).*?^\1|^\|.*?$|^#.*?$|^<!--.*?-->|^!\[.*?\)$", re.S | re.M)
_END = re.compile(r"(?<=[.!?])[)\"”*]*\s+|\n\s*\n|\n\s*(?:[-*]|\d+\.)\s+")


def sentences(text: str) -> list[int]:
    """Return the words of each sentence of a page."""
    prose = re.sub(r"\]\([^)]*\)", "", _NO_PROSE.sub("\n\n", text))
    lengths = (len(re.findall(r"[^\s–—]*\w[^\s–—]*", part)) for part in _END.split(prose))
    return [length for length in lengths if length > 2]


def docstrings() -> str:
    """Return what the docstrings of the package say, without their examples."""
    texts = []
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                said = ast.get_docstring(node) or ""
                texts.append(re.split(r"\n(?:Examples|References)\n-+", said)[0])
    return re.sub(r"^\w+\n-+$|^[\w, *]+$", "", "\n\n".join(texts), flags=re.M)


def main() -> None:
    """Print a line a page, and the whole."""
    total, lengths = 0, []
    print("words  median  over 30  page")
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        found = sentences(text)
        words = len(text.split())
        long = sum(length > 30 for length in found)
        print(f"{words:5}  {median(found or [0]):6}  {long:7}  {page.relative_to(ROOT)}")
        total += words
        lengths += found
    said = docstrings()
    found = sentences(said)
    print(f"{len(said.split()):5}  {median(found):6}  {sum(x > 30 for x in found):7}  docstrings")
    long = sum(length > 30 for length in lengths)
    print(f"{total:5}  {median(lengths):6}  {long:7}  all pages, of {len(lengths)} sentences")


if __name__ == "__main__":
    main()
