"""Run the tests of what was changed since the branch left main, committed or not.

python -m tests.changed [BASE]

A module's tests are those of its name (``solve/small.py``: ``tests/solve/test_small.py``), else
those of its folder, and always those of the public names and imports. For an algorithm it is what
``tests/methods`` asks of all of them, with this one. Where kernels changed, or anything in
``compile`` and ``graphs`` that all kernels rest on, the tests marked `kernels` run in plain Python
as well.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from berge.methods.registry import variants

from .kernel_files import ROOT, has_kernels

ALWAYS = ("tests/test_public.py", "tests/test_imports.py")
EVERYWHERE = ("src/berge/compile/", "src/berge/graphs/", "tests/conftest.py", "tests/corpus.py")
OTHER_HOMES = {"src/berge/mpi.py": "tests/distributed/test_mpi.py"}
PLAIN = {"NUMBA_DISABLE_JIT": "1"}
PYTEST = [sys.executable, "-m", "pytest", "-q", "--numprocesses=logical", "--dist=worksteal"]


def changed_files(base: str | None = None) -> list[str]:
    """Return what differs from where this branch left `base`, untracked files included."""
    if base is None:
        base = next(
            (b for b in ("origin/main", "main") if _git("rev-parse", "--verify", b)), "HEAD"
        )
    since = _git("merge-base", base, "HEAD") or ["HEAD"]
    return sorted({
        *_git("diff", "--name-only", *since),
        *_git("ls-files", "--others", "--exclude-standard"),
    })  # fmt: skip


def their_tests(changed: str, root: Path = ROOT) -> str | None:
    """Return the file or folder of tests for a changed file, or None if it has none."""
    path = PurePosixPath(changed)
    if path.suffix != ".py":
        return None
    if path.name.startswith("test_"):
        return changed if (root / path).exists() else None
    if changed in OTHER_HOMES:
        return OTHER_HOMES[changed]
    for source, tests in (("src/berge", "tests"), ("lab/src/berge_lab", "lab/tests")):
        if path.is_relative_to(source):
            folder = PurePosixPath(tests) / path.relative_to(source).parent
            own = folder / f"test_{path.stem.strip('_')}.py"
            if (root / own).exists():
                return str(own)
            if their_names(changed):
                return None
            while folder != PurePosixPath(tests) and not (root / folder).exists():
                folder = folder.parent
            return None if str(folder) == "tests" else str(folder)
    return None


def their_names(changed: str) -> list[str]:
    """Return the names of the algorithms that a file has."""
    module = changed.removeprefix("src/berge/").removesuffix(".py").replace("/", ".")
    return [a.name for a in variants() if a.function.startswith(f"{module}:")]


def in_plain_python(changed: Iterable[str], root: Path = ROOT) -> list[str] | None:
    """Return where the tests of changed kernels are, [] for all tests, None if none changed."""
    folders = set()
    for name in changed:
        if name.startswith(EVERYWHERE) and name.endswith(".py"):
            return []
        is_source = name.startswith("src/") and name.endswith(".py") and (root / name).exists()
        if is_source and has_kernels((root / name).read_text(encoding="utf-8")):
            folders.add(their_tests(name, root))
    return sorted(filter(None, folders)) or None


def main() -> int:
    """Run pytest once or twice; return the first exit code that is not 0."""
    changed = changed_files(*sys.argv[1:2])
    selected = {test for name in changed if (test := their_tests(name))}
    selected |= {test for test in ALWAYS if (ROOT / test).exists()}
    whole = {test for test in selected if not any(PurePosixPath(test).is_relative_to(other)
                                                  for other in selected - {test})}  # fmt: skip
    runs = [(sorted(whole), {})]
    if names := [name for file in changed for name in their_names(file)]:
        runs.append((["tests/methods", "-k", " or ".join(names)], {}))
        runs.append((["-m", "kernels", *runs[-1][0]], PLAIN))
    kernels = in_plain_python(changed)
    if kernels is not None:
        runs.append((["-m", "kernels", *kernels], PLAIN))
    for arguments, settings in runs:
        code = _run([*PYTEST, *arguments], **settings)
        if code not in (0, 5):  # 5: nothing there is marked
            return code
    return 0


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


def _run(command: list[str], **settings: str) -> int:
    print(*(f"{key}={value}" for key, value in settings.items()), *command[1:], flush=True)
    return subprocess.run(command, cwd=ROOT, env=os.environ | settings).returncode


if __name__ == "__main__":
    sys.exit(main())
