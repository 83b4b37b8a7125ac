"""Break the kernels of the default on purpose, one place at a time, and see whether tests notice.

python -m tests.mutation [--sample N] [--seed S] [FILE …]

A mutant differs from the source in one comparison, sign, number, condition or statement of a
function. Its tests run in plain Python on a copy of the sources, up to the first failure. A mutant
whose tests fail, or run five times as long as they should, is killed. Survivors are listed; those
that change nothing but the speed, such as a threshold, are no fault of the tests.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from .kernel_files import ROOT

SMALL = ["tests/solve/test_small.py"]
MIXED = [*SMALL, "tests/methods/test_algorithms.py", "tests/methods/test_multicore.py"]
# What to break, and what should notice; the tests that know most about it come first.
TESTS = {
    "methods/starts/cheap.py": [*SMALL, "tests/methods/test_starts.py", *MIXED[1:]],
    "methods/combined/budgeted.py": MIXED,
    "methods/combined/mixed.py": MIXED,
    "graphs/passes.py": [*SMALL, "tests/graphs", "tests/compile/test_kernels.py", *MIXED[1:]],
    "solve/small.py": SMALL,
}
# Of the tests of all algorithms and starts, those of these.
NAMES = "mixed or cheap or budget or small or graph or sharing or passes"

SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.And: ast.Or, ast.Or: ast.And,
    ast.Break: ast.Continue, ast.Continue: ast.Break,
}  # fmt: skip


class Breaker(ast.NodeTransformer):
    """Counts the places of functions that can be broken, and breaks one of them."""

    def __init__(self, wanted: int = -1) -> None:
        self.wanted, self.places, self.inside = wanted, 0, False
        self.done = ""

    def _here(self) -> bool:
        self.places += self.inside
        return self.inside and self.places - 1 == self.wanted

    def visit(self, node: ast.AST) -> ast.AST:
        """Break this node if it is the one; go on with what it consists of."""
        if isinstance(node, ast.FunctionDef):
            outer, self.inside = self.inside, True
            node.body = [self.visit(child) for child in node.body]  # no defaults, no annotations
            self.inside = outer
            return node
        if isinstance(node, ast.AnnAssign | ast.Raise) or _is_text(node):
            return node
        before = _first_line(node) if self.inside else ""
        broken = self._broken(node)
        if broken is None:
            return self.generic_visit(node)
        ast.copy_location(broken, node)
        self.done = f"line {getattr(node, 'lineno', '?')}: {before} → {_first_line(broken)}"
        return broken

    def _broken(self, node: ast.AST) -> ast.AST | None:
        """Return what to put in the place of a node, None to leave it."""
        for field in ("op", "ops"):
            value = getattr(node, field, None)
            op = value[0] if isinstance(value, list) else value
            if type(op) in SWAPS and self._here():
                new = SWAPS[type(op)]()
                setattr(node, field, [new, *value[1:]] if isinstance(value, list) else new)
                return node
        if isinstance(node, ast.Break | ast.Continue) and self._here():
            return SWAPS[type(node)]()
        if isinstance(node, ast.Constant) and type(node.value) is int and self._here():
            return ast.Constant(node.value + 1)
        if isinstance(node, ast.If | ast.While | ast.IfExp) and self._here():
            node.test = ast.UnaryOp(ast.Not(), node.test)
            return node
        if isinstance(node, ast.AugAssign | ast.Expr) or _writes_to_an_array(node):
            return ast.Pass() if self._here() else None
        return None


def _first_line(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _writes_to_an_array(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)


def mutant(source: str, number: int) -> tuple[str, str]:
    """Return the source with one place broken, and what was done."""
    breaker = Breaker(number)
    tree = ast.fix_missing_locations(breaker.visit(ast.parse(source)))
    return ast.unparse(tree), breaker.done


def places(source: str) -> int:
    """Return how many places of a source can be broken."""
    breaker = Breaker()
    breaker.visit(ast.parse(source))
    return breaker.places


def run_tests(sources: Path, tests: list[str], limit: float | None) -> tuple[bool, float]:
    """Return whether the tests pass on these sources, and the seconds they took."""
    paths = [str(sources), str(ROOT / "lab" / "src")]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    command += ["-m", "kernels", "-k", NAMES, "-n", "0", *tests]
    environment = {"NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    began = time.monotonic()
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            passed = process.wait(limit) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # and what it has started
            passed = False
    return passed, time.monotonic() - began


def survivors(chosen: list[tuple[str, int]]) -> Iterator[tuple[str, str, bool]]:
    """Yield file, what was broken and whether the tests passed all the same, for each mutant."""
    workers = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for worker in range(workers):
            copy = Path(folder, str(worker))
            shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
            copies.put(copy)
        limits = {}
        for name in sorted({name for name, _ in chosen}):
            passed, seconds = run_tests(copy, TESTS[name], None)
            if not passed:
                raise SystemExit(f"the tests of {name} fail as it is")
            limits[name] = 10 + 5 * seconds

        def try_one(choice: tuple[str, int]) -> tuple[str, str, bool]:
            name, number = choice
            copy = copies.get()
            file = copy / "berge" / name
            source = file.read_text(encoding="utf-8")
            broken, done = mutant(source, number)
            try:
                file.write_text(broken, encoding="utf-8")
                return name, done, run_tests(copy, TESTS[name], limits[name])[0]
            finally:
                file.write_text(source, encoding="utf-8")
                copies.put(copy)

        with ThreadPoolExecutor(workers) as pool:
            yield from pool.map(try_one, chosen)


def main() -> None:
    """Try a sample of all mutants, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sample", type=int, default=100, help="how many to try (0: all)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("files", nargs="*", choices=[[], *TESTS], help="to break; default: all")
    asked = parser.parse_args()
    every = [
        (name, number)
        for name in asked.files or TESTS
        for number in range(places((ROOT / "src" / "berge" / name).read_text(encoding="utf-8")))
    ]
    chosen = every
    if 0 < asked.sample < len(every):
        chosen = sorted(random.Random(asked.seed).sample(every, asked.sample))
    print(f"{len(chosen)} of {len(every)} mutants", flush=True)
    killed = 0
    for name, done, passed in survivors(chosen):
        killed += not passed
        if passed:
            print(f"survived: {name}, {done}", flush=True)
    print(f"killed: {killed} of {len(chosen)} ({100 * killed / max(len(chosen), 1):.0f} %)")


if __name__ == "__main__":
    main()
