"""Every Python block of the pages runs, page by page, as a reader would run it.

A comment on the line above a block says what the reader knows and the test does not:

    <!-- before: frame = … -->      code that the block takes as given
    <!-- needs: pyomo -->           skipped where that is not installed
    <!-- not run: why -->
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from docs import notebooks

from berge.cli import cli

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(?:<!-- (before|needs|not run): (.*?) -->\n)?```python\n(.*?)```", re.DOTALL)
PAGES = {
    path.relative_to(ROOT).as_posix(): BLOCK.findall(path.read_text(encoding="utf-8"))
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
}
LACKING = {
    need
    for blocks in PAGES.values()
    for kind, need, _ in blocks
    if kind == "needs" and not importlib.util.find_spec(need)
}


def program(page: str) -> str:
    """Return what is to be run of a page, each block on the lines that it has there."""
    text = (ROOT / page).read_text(encoding="utf-8")
    code = ""
    for block in BLOCK.finditer(text):
        kind, said, source = block.groups()
        if kind == "not run" or said in LACKING:
            continue
        line = text.count("\n", 0, block.start(3))
        setup = said if kind == "before" else ""
        if ">>>" in source:
            setup, source = f"check({source!r}, {line})", ""
        code += "\n" * (line - 1 - code.count("\n")) + f"{setup}\n{source}"
    return code


# Runs the code of a page, and its doctests in the same names.
RUNNER = """
import doctest, sys
def check(text, line):
    test = doctest.DocTestParser().get_doctest(text, names, sys.argv[1], sys.argv[1], line)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    if runner.run(test, clear_globs=False).failed:
        sys.exit(1)
names = {"__name__": "page", "check": check}
exec(compile(sys.stdin.read(), sys.argv[1], "exec"), names)
"""


@pytest.mark.parametrize(
    "page", sorted(filter(program, PAGES), key=lambda page: len(program(page)))
)
def test_code_of_page_runs(page, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, page],
        input=program(page),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]


def test_blocks_are_found_and_few_are_left_out():
    blocks = [kind for found in PAGES.values() for kind, _, _ in found]
    assert program("README.md")
    assert len(blocks) > 20
    assert blocks.count("not run") < len(blocks) / 3


@pytest.mark.parametrize("page", notebooks.PAGES)
def test_notebook_of_page_runs(page):
    client, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    made = nbformat.from_dict(notebooks.notebook(page))
    nbformat.validate(made)
    client.NotebookClient(made, kernel_name="python3", timeout=120).execute()
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    assert len(code) == len([b for b in PAGES[f"docs/{page}.md"] if b[0] in ("", "before")])


def shown_commands():
    """Yield each `berge …` line of the pages' blocks, as words."""
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ")
        for language, block in re.findall(r"^```([^\n]*)\n(.*?)^```", text, re.S | re.MULTILINE):
            lines = re.findall(r"^(?:\$ )?berge (.*)", block, re.MULTILINE)
            for line in lines if language in ("", "sh") else ():
                yield page, re.split(r"\s{3,}|\s#|[|;]", line)[0].split()


def test_commands_of_pages_exist_with_their_options():
    seen = 0
    for page, words in shown_commands():
        command, rest = cli, list(words)
        while isinstance(command, click.Group):
            name = rest.pop(0)
            if name.startswith("-"):
                break
            command = command.get_command(click.Context(command), name)
            assert command is not None, f"{page}: berge {' '.join(words)}"
        known = {opt for p in command.params for opt in (*p.opts, *p.secondary_opts)} | {"--help"}
        given = {word.partition("=")[0] for word in rest if re.match(r"--\w", word)}
        assert given <= known, f"{page}: berge {' '.join(words)}"
        seen += 1
    assert seen > 50
