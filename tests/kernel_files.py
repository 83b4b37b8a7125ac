"""The files with kernels, and how much of each the tests have run in plain Python.

python -m tests.kernel_files        the files, one a line
python -m tests.kernel_files 95     coverage of each (from .coverage); fails where one has less
"""

from __future__ import annotations

import ast
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DECORATORS = {"kernel", "helper", "per_item", "share_out"}


def has_kernels(source: str) -> bool:
    """Whether a function is marked for the compiler."""
    for node in ast.walk(ast.parse(source)):
        for mark in getattr(node, "decorator_list", ()):
            called = mark.func if isinstance(mark, ast.Call) else mark
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in DECORATORS:
                return True
    return False


def kernel_files() -> list[Path]:
    """Return the files of the package that have kernels."""
    found = (path for folder in ("src", "lab/src") for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in found if has_kernels(path.read_text(encoding="utf-8")))


def below(least: float) -> dict[str, float]:
    """Print what was covered of each file; return those with less than `least` percent."""
    import coverage

    measured = coverage.Coverage(data_file=str(ROOT / ".coverage"))
    measured.load()
    files = [str(path) for path in kernel_files()]
    measured.report(include=files, show_missing=True)
    with tempfile.TemporaryDirectory() as folder:
        outfile = Path(folder, "coverage.json")
        measured.json_report(include=files, outfile=str(outfile))
        facts = json.loads(outfile.read_text())["files"]
    percent = {name: entry["summary"]["percent_covered"] for name, entry in facts.items()}
    unseen = {str(Path(name).relative_to(ROOT)) for name in files} - set(percent)
    return {name: p for name, p in percent.items() if p < least} | dict.fromkeys(unseen, 0.0)


def main() -> None:
    """Do what the arguments ask for."""
    if not sys.argv[1:]:
        print(*(path.relative_to(ROOT) for path in kernel_files()), sep="\n")
    elif few := below(float(sys.argv[1])):
        listed = ", ".join(f"{name} ({percent:.1f} %)" for name, percent in few.items())
        raise SystemExit(f"covered by less than {sys.argv[1]} %: {listed}")


if __name__ == "__main__":
    main()
