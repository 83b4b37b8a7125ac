"""Who imports whom: the table in ARCHITECTURE.md, held against every import of the package.

Statements inside functions count like those at the top of a file; those for type checkers do not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import berge

SOURCE = Path(berge.__file__).parent
PAGE = Path(__file__).parents[1] / "ARCHITECTURE.md"
HEADING = "| where | what | may import |"


def modules() -> dict[str, Path]:
    """Return the files of the package by the names of their modules."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def statements(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the import statements of a file, less those under ``if TYPE_CHECKING``."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield node
        return
    for field, value in ast.iter_fields(node):
        if field == "body" and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from statements(child)


def imports(module: str, path: Path) -> Iterator[tuple[str, int]]:
    """Yield what a module imports and on which line, submodules by their full names."""
    inside = path.name == "__init__.py"
    for statement in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield alias.name, statement.lineno
            continue
        origin = statement.module or ""
        if statement.level:
            above = module.split(".")[: len(module.split(".")) - statement.level + inside]
            origin = ".".join([*above, *filter(None, [origin])])
        for alias in statement.names:
            whole = f"{origin}.{alias.name}"
            ours = origin.partition(".")[0] == "berge"
            yield (origin if ours and whole not in MODULES else whole), statement.lineno


IMPORTS = {module: list(imports(module, path)) for module, path in MODULES.items()}


def rooms() -> dict[str, set[str]]:
    """Return the rooms of the table, each with those that it may import."""
    lines = PAGE.read_text(encoding="utf-8").partition(HEADING)[2].splitlines()[2:]
    table: dict[str, set[str]] = {}
    for line in lines:
        if not line.startswith("|"):
            break
        where, _, allowed = (cell.strip() for cell in line.strip("|").split("|"))
        here = [Path(name).stem for name in re.findall(r"`([\w./]+)`", where)]
        below = {Path(name).stem for name in re.findall(r"`([\w./]+)`", allowed)}
        if allowed == "all above":
            below = set(table)
        assert below <= set(table), f"{where}: rooms may import only what stands above them"
        table |= {room: below | {room} for room in here}
    return table


ROOMS = rooms()


def room_of(module: str) -> str:
    """Return the folder or file right below the package that a module is in."""
    return [*module.split("."), "__init__"][1]


def test_table_has_every_room() -> None:
    """Nothing stands outside the table, and nothing is in it that is not there."""
    assert set(ROOMS) == {room_of(module) for module in MODULES}


@pytest.mark.parametrize("room", ROOMS)
def test_room_imports_what_the_table_allows(room: str) -> None:
    """No import, lazy or not, leads to a room that the table does not name."""
    wrong = [
        f"{MODULES[module]}:{line}: {module} imports {target}"
        for module, targets in IMPORTS.items()
        for target, line in targets
        if room_of(module) == room
        and target.partition(".")[0] == "berge"
        and room_of(target) not in ROOMS[room]
    ]
    assert not wrong, "\n" + "\n".join(wrong)


def test_no_cycle() -> None:
    """No module needs itself, not even by way of lazy imports."""
    graph = {
        module: {target for target, _ in targets if target in MODULES and target != module}
        for module, targets in IMPORTS.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def importers(name: str) -> set[str]:
    """Return the modules that import a library or a part of it."""
    return {
        module
        for module, targets in IMPORTS.items()
        if any(f"{target}.".startswith(f"{name}.") for target, _ in targets)
    }


def test_numba_is_behind_compile() -> None:
    """Kernels are compiled in one room, and CUDA is in one file of it."""
    assert {room_of(module) for module in importers("numba")} == {"compile"}
    assert importers("numba.cuda") == {"berge.compile.cuda"}


def test_lab_is_above() -> None:
    """What is installed does without the laboratory."""
    assert not importers("berge_lab")


def test_lazy_imports_are_seen() -> None:
    """The statements that this file looks at include those inside functions."""
    tree = ast.parse(
        "if TYPE_CHECKING:\n    import a\nelse:\n    import b\ndef f():\n    import c\n"
    )
    assert [s.names[0].name for s in statements(tree)] == ["b", "c"]


def test_who_imports_by_name() -> None:
    """What no statement names is in few hands: public names, the catalogue, and rooms' own."""
    by_name = {
        module for module, path in MODULES.items() if "import_module(" in path.read_text("utf-8")
    }
    own_room = {"berge.cli.program", "berge.files"}  # but for .ingest.named_files
    libraries = {"berge.files.files", "berge.ingest.frames"}  # not ours
    assert by_name == {"berge", "berge.methods.algorithm"} | own_room | libraries
