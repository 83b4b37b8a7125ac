"""How `make docs` builds the site: the pages of this folder, the docstrings, the command line.

The source folder is the repository, so that links to files beside docs/ hold on the site too.
"""

import importlib.metadata
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent))
import notebooks

project = "berge"
author = "The berge authors"
copyright = author
release = importlib.metadata.version("berge")
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
root_doc = "docs/index"
source_suffix = {".md": "markdown"}
include_patterns = ["docs/**", "*.md", "lab/README.md"]
exclude_patterns = [".*", "build", "dist", "examples", "lab/src", "lab/tests", "src", "tests"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_mock_imports = ["cupy"]
# Lists of names would be long: `berge.algorithms` has them.
autodoc_type_aliases = {
    name: "str"
    for name in (Path(__file__).parents[1] / "src/berge/settings.py").read_text().split()
    if name.endswith("Name")
}
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

default_role = "py:obj"  # `name` in a docstring: a link if it is a public name, code else

highlight_language = "text"  # of blocks that name none: mostly commands

html_theme = "furo"
html_title = "berge"
html_static_path = ["_static"]
html_css_files = ["site.css"]
templates_path = ["_templates"]
html_additional_pages = {"index": "start.html"}  # the site's address leads to docs/index.html
html_copy_source = False
html_show_sphinx = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def help_of_commands(app: Any, page: str, source: list[str]) -> None:
    """Add what `berge COMMAND --help` says to the page of commands."""
    if page != "docs/command-line":
        return
    from click import Context, Group
    from click.testing import CliRunner

    from berge.cli import cli

    def add(words: list[str], command: Any) -> None:
        said = CliRunner().invoke(cli, [*words, "--help"], prog_name="berge", terminal_width=90)
        title = " ".join(["berge", *words])
        source[0] += f"\n##{'#' * len(words[1:])} {title}\n\n```text\n{said.output.strip()}\n```\n"
        if isinstance(command, Group):
            context = Context(command)
            for name in command.list_commands(context):
                add([*words, name], command.get_command(context, name))

    add([], cli)


def link_to_notebook(app: Any, page: str, source: list[str]) -> None:
    """Say on a page that it can be had as a notebook."""
    name = page.removeprefix("docs/")
    if name in notebooks.PAGES:
        title, rest = source[0].split("\n", 1)
        link = f'<a href="{name}.ipynb" download>This page as a notebook</a>'
        source[0] = f"{title}\n\n{link}\n{rest}"


def write_notebooks(app: Any, error: Any) -> None:
    """Put the notebooks beside their pages."""
    notebooks.write(Path(app.outdir, "docs"))


def setup(app: Any) -> None:
    """Have Sphinx call the above."""
    app.connect("source-read", help_of_commands)
    app.connect("source-read", link_to_notebook)
    app.connect("build-finished", write_notebooks)
