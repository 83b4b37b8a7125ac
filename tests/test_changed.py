"""Which tests ``make check`` runs, and which files coverage is asked of."""

from __future__ import annotations

import subprocess

import pytest

from . import changed, kernel_files
from .kernel_files import ROOT, has_kernels


@pytest.fixture
def tree(tmp_path):
    """A tree with tests for one module, one folder and the lab."""
    for name in (
        "src/berge/solve/small.py",
        "tests/solve/test_small.py",
        "tests/methods/greedy/test_suitor.py",
        "lab/tests/test_bench.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("src/berge/solve/small.py", "tests/solve/test_small.py"),
        ("src/berge/solve/maximum.py", "tests/solve"),
        ("src/berge/methods/greedy/suitor.py", "tests/methods/greedy/test_suitor.py"),
        ("src/berge/methods/counters.py", "tests/methods"),
        ("src/berge/methods/starts/min_degree.py", None),  # by name
        ("src/berge/mpi.py", "tests/distributed/test_mpi.py"),
        ("src/berge/errors.py", None),  # those of the public names are run anyway
        ("src/berge/cli/match.py", None),  # no tests in this tree
        ("lab/src/berge_lab/cli/bench.py", "lab/tests"),
        ("tests/solve/test_small.py", "tests/solve/test_small.py"),
        ("tests/solve/test_gone.py", None),
        ("README.md", None),
    ],
)
def test_a_file_and_its_tests(tree, name, tests):
    assert changed.their_tests(name, tree) == tests


def test_every_module_has_tests_of_its_folder():
    for path in (ROOT / "src" / "berge").rglob("*/*.py"):
        name = str(path.relative_to(ROOT))
        tests = changed.their_tests(name)
        assert (ROOT / tests).exists() if tests else changed.their_names(name), name


def test_an_algorithm_and_its_names():
    assert changed.their_names("src/berge/methods/starts/min_degree.py") == ["min-degree"]
    assert "g-pr-shr" in changed.their_names("src/berge/methods/push_relabel/g_pr.py")
    assert changed.their_names("src/berge/methods/counters.py") == []


def test_kernels_run_in_plain_python_too(tree):
    (tree / "src/berge/solve/small.py").write_text("@kernel\ndef f(): ...")
    assert changed.in_plain_python(["README.md"], tree) is None
    assert changed.in_plain_python(["src/berge/solve/gone.py"], tree) is None
    assert changed.in_plain_python(["src/berge/solve/small.py"], tree) == [
        "tests/solve/test_small.py"
    ]
    assert changed.in_plain_python(["src/berge/graphs/csr.py"], tree) == []  # all there are


def test_what_git_says(tmp_path, monkeypatch):
    """Committed on the branch, changed since, and untracked."""
    monkeypatch.setattr(changed, "ROOT", tmp_path)

    def git(*arguments):
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "--initial-branch=main")
    for name in ("same.py", "edited.py"):
        (tmp_path / name).write_text("")
    git("add", ".")
    git("commit", "-m", "first")
    git("checkout", "-b", "branch")
    (tmp_path / "added.py").write_text("")
    git("add", ".")
    git("commit", "-m", "second")
    (tmp_path / "edited.py").write_text("1")
    (tmp_path / "new.py").write_text("")
    assert changed.changed_files() == ["added.py", "edited.py", "new.py"]
    assert changed.changed_files("HEAD") == ["edited.py", "new.py"]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("@kernel\ndef f(): ...", True),
        ("@kernel(parallel=True)\ndef f(): ...", True),
        ("@compile.helper\ndef f(): ...", True),
        ("def make():\n    @per_item\n    def f(): ...", True),
        ("from x import kernel\n# @kernel\ndef f(): ...", False),
        ("@property\ndef kernel(self): ...", False),
    ],
)
def test_files_with_kernels(source, found):
    assert has_kernels(source) is found


def test_the_default_path_is_among_them():
    names = {str(path.relative_to(ROOT)) for path in kernel_files.kernel_files()}
    assert {"src/berge/solve/small.py", "src/berge/graphs/passes.py"} <= names
    assert len(names) > 40
