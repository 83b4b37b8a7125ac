"""The tests themselves: each can fail."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from berge import tuning

from .kernel_files import ROOT

FILES = sorted(path for folder in ("tests", "lab/tests") for path in (ROOT / folder).rglob("*.py"))
# What raises an error of its own where something is wrong.
CHECKS = {"raises", "warns", "fail", "verify", "prove"}


def functions(tree: ast.AST) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def can_fail(function: ast.FunctionDef, checks: set[str]) -> bool:
    """Whether it asserts something, or calls one of these."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in checks:
            return True
    return False


def always_holds(test: ast.expr) -> bool:
    """Whether a condition is a constant, ``… or True``, or compares a thing with itself."""
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.Or) and any(map(always_holds, test.values))
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        called = any(isinstance(node, ast.Call) for node in ast.walk(test))
        return not called and ast.dump(test.left) == ast.dump(test.comparators[0])
    return isinstance(test, ast.Constant | ast.Tuple)


def empty_checks(tree: ast.AST) -> list[str]:
    """Return assertions that always hold, and errors asked for of any kind."""
    return [
        ast.unparse(node)
        for node in ast.walk(tree)
        if (isinstance(node, ast.Assert) and always_holds(node.test))
        or (isinstance(node, ast.Call) and ast.unparse(node).startswith("pytest.raises(Exception"))
    ]


def test_every_test_can_fail():
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
    helpers = [f for tree in trees.values() for f in functions(tree) if f.name[:5] != "test_"]
    checks: set[str] = set()
    more = CHECKS
    while more - checks:
        checks |= more
        more = {helper.name for helper in helpers if can_fail(helper, checks)}
    tests = [(path, f) for path in FILES for f in functions(trees[path]) if f.name[:5] == "test_"]
    assert len(tests) > 500
    assert [(str(path), f.name) for path, f in tests if not can_fail(f, checks)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_check_is_empty_and_no_test_hides_another(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert empty_checks(tree) == []
    names = Counter(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize(
    "source",
    ["assert x or True", "assert a.b == a.b", "assert (x, 'text')", "pytest.raises(Exception)"],
)
def test_empty_checks_are_found(source):
    assert empty_checks(ast.parse(source))


def test_a_call_of_what_asserts_is_a_check():
    (function,) = functions(ast.parse("def test_it():\n    it.check(1)"))
    assert can_fail(function, {"check"})
    assert not can_fail(function, set())


def test_every_threshold_for_threads_is_lowered_somewhere():
    """Graphs of the tests are too small for most: what threads share would never be run."""
    thresholds = [name for name in vars(tuning) if "SHARED" in name or name.startswith("SERIAL")]
    assert len(thresholds) > 8
    texts = [node.value for path in FILES for node in ast.walk(ast.parse(path.read_text("utf-8")))
             if isinstance(node, ast.Constant) and isinstance(node.value, str)]  # fmt: skip
    lowered = {text.rpartition(".")[2] for text in texts}
    assert [name for name in thresholds if name not in lowered] == []
