"""Break the checker and the default's kernels on purpose, and see whether tests notice.

python -m tests.mutation [--sample N] [--seed S] [FILE …]

Of the checker, which everything is trusted to, all mutants are tried, and none may survive. Of the
kernels a sample is tried. A mutant differs from the source in one comparison, sign, number, truth
value, condition or statement of a function. The tests of its file run in plain Python on a copy of
the sources, up to the first failure. A mutant whose tests fail, or take twice as long, is killed.
Survivors are listed.

Some mutants do what the source does, or differ in nothing but the speed: no test can notice.
``EQUIVALENT`` has them, with the reason; they are not tried, and counted apart.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import random
import resource
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .kernel_files import ROOT

# What to break, and the tests that should notice.
CHECKER = {
    f"checker/{name}.py": [f"tests/checker/test_{name}.py"]
    for name in (
        "check",
        "general",
        "capacities",
        "tutte_berge",
        "prices",
        "odd_sets",
        "vertex_prices",
    )
}
TESTS = CHECKER | {
    "methods/combined/budgeted.py": ["tests/methods/combined/test_budgeted.py"],
    "methods/combined/trial.py": ["tests/methods/combined/test_trial.py"],
    "methods/combined/mixed.py": ["tests/methods/combined/test_mixed.py"],
    "results/compiled_check.py": ["tests/results/test_compiled_check.py"],
    "methods/starts/cheap.py": ["tests/methods/starts/test_cheap.py"],
    "solve/small.py": ["tests/solve/test_small.py"],
}

# For a file, reasons why mutants of it are as good as the source, and what they have in its place.
EQUIVALENT = {
    "checker/prices.py": {
        "there are two sides": {
            "check_assignment: for end, d, f in zip((i, j), degrees, forced, strict=False):",
            "check_assignment: for name, side, d, f in "
            "zip(('row', 'column'), sides, degrees, forced, strict=False):",
        },
        "an edge has an end on either": {
            "check_assignment: most = forced[1].sum()",
            "check_assignment: if covered and degrees[1].sum() != most:",
            "check_assignment: wrong = f'{degrees[1].sum()} pairs are chosen, and the cover allows "
            "{most}: no proof'",
        },
        "at the price of leaving, both ends of the range cost the same": {
            "check_assignment: used, left = (np.where(p < a, k, least), np.where(must, 0, a))",
        },
        "of what is required nothing is left": {
            "check_assignment: used, left = (np.where(p <= a, k, least), np.where(must, 1, a))",
        },
        "0 × ∞ is not a number, and all else × ∞ is ±∞": {
            "sum_of: return math.nextafter(total, towards) if lost * towards >= 0 else total",
            "sum_of: return math.nextafter(total, towards) if lost * towards > 1 else total",
        },
    },
    "checker/odd_sets.py": {
        "no edge has its ends in a single vertex": {
            "__init__: sizes, inside = ([1] * n + [0] * k, [1] * n + self.z.tolist() + [0])",
            "__init__: for i in range(n + k - 2, n - 2, -1):",
        },
        "an edge that has room keeps it, since sets pay nothing below 0": {
            "edges: short = np.flatnonzero((slack <= 0) & (u != v))",
            "edges: short = np.flatnonzero((slack < 1) & (u != v))",
        },
        "no vertex is its own mate": {
            "check_weight: weights = dual.weight[np.arange(n) <= m].tolist()",
        },
        "only different nodes are compared": {"edges: lower = a[apart] <= b[apart]"},
    },
    "methods/combined/budgeted.py": {
        "memory is asked for early, or is not": {
            "search: if not head + SEARCH_AHEAD < tail:",
            "search: if head + SEARCH_AHEAD <= tail:",
            "search: if head - SEARCH_AHEAD < tail:",
            "search: 'without prefetch(indptr, np.int64(queue[head + SEARCH_AHEAD]))'",
            "search: prefetch(indptr, np.int64(queue[head - SEARCH_AHEAD]))",
            "search: if not head + SEARCH_NEAR < tail:",
            "search: if head + SEARCH_NEAR <= tail:",
            "search: if head - SEARCH_NEAR < tail:",
            "search: 'without prefetch(indices, np.int64(indptr[queue[head + SEARCH_NEAR]]))'",
            "search: prefetch(indices, np.int64(indptr[queue[head - SEARCH_NEAR]]))",
            "search: 'without prefetch(indptr, np.int64(below))'",
        },
        "the entry behind the last is not used": {
            "shared: own[:, PASSED:BATCH_LEFT + 2] = 0",
        },
    },
    "methods/starts/cheap.py": {
        "no column behind a cut is the first": {"match_block: if a.row_match[x] < 1:"},
    },
    "results/compiled_check.py": {
        "sizes are those of the graph": {
            "size_if_right: if not all((_is_plain(*given, kind) for given in "
            "zip(arrays, sizes, strict=False))):"
        },
    },
    "solve/small.py": {
        "as many are written as there are columns": {
            "begin_small: pairs = block[:3 * n_cols].view(np.uint32)",
        },
        "no graph has so many edges": {
            "match_small: worth = n_cols + tuning.WAKING if many > 1 else 2 << 60",
        },
    },
}

OPTIONS = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider"]

SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.And: ast.Or, ast.Or: ast.And,
    ast.Break: ast.Continue, ast.Continue: ast.Break, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


class Breaker(ast.NodeTransformer):
    """Counts the places of functions that can be broken, and breaks one of them."""

    def __init__(self, wanted: int = -1) -> None:
        self.wanted, self.places, self.function = wanted, 0, ""
        self.broken = False
        self.line, self.before, self.after = 0, "", ""

    def _here(self) -> bool:
        self.places += bool(self.function)
        return bool(self.function) and self.places - 1 == self.wanted

    def visit(self, node: ast.AST) -> ast.AST:
        """Break this node if it is the one; go on with what it consists of."""
        if isinstance(node, ast.FunctionDef):
            outer, self.function = self.function, node.name
            node.body = [self.visit(child) for child in node.body]  # no defaults, no annotations
            self.function = outer
            return node
        if self.broken or isinstance(node, ast.AnnAssign | ast.Raise) or _is_text(node):
            return node
        before = _first_line(node) if isinstance(node, ast.stmt) else ""
        new = self._broken(node)
        if new is None:
            new = self.generic_visit(node)
        else:
            self.broken = True
            ast.copy_location(new, node)
        if self.broken and before and not self.before:  # the statement that it is in
            self.line, self.before = node.lineno, before  # type: ignore[attr-defined]
            self.after = f"{self.function}: {_first_line(ast.fix_missing_locations(new))}"
        return new

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
        if isinstance(node, ast.Constant) and type(node.value) is bool and self._here():
            return ast.Constant(not node.value)
        if isinstance(node, ast.If | ast.While | ast.IfExp) and self._here():
            node.test = ast.UnaryOp(ast.Not(), node.test)
            return node
        if (isinstance(node, ast.AugAssign | ast.Expr) or _writes_to_an_array(node)) and (
            self._here()
        ):
            return ast.Expr(ast.Constant(f"without {_first_line(node)}"))
        return None


def _first_line(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _writes_to_an_array(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)


def mutant(source: str, number: int) -> tuple[str, Breaker]:
    """Return the source with one place broken, and what was done."""
    breaker = Breaker(number)
    tree = ast.fix_missing_locations(breaker.visit(ast.parse(source)))
    return ast.unparse(tree), breaker


def places(source: str) -> int:
    """Return how many places of a source can be broken."""
    breaker = Breaker()
    breaker.visit(ast.parse(source))
    return breaker.places


def is_equivalent(name: str, after: str) -> bool:
    """Whether a mutant of a file is known to do what the source does."""
    return any(after in statements for statements in EQUIVALENT.get(name, {}).values())


def source_of(name: str) -> str:
    return (ROOT / "src" / "berge" / name).read_text(encoding="utf-8")


def start_tests(sources: Path, tests: list[str], seconds: int) -> int:
    """Run tests on these sources in a child that has imported all but them; return its number.

    It may use so many seconds of a processor: some mutants never end.
    """
    if child := os.fork():
        return child
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        sys.path.insert(0, str(sources))
        code = pytest.main([*OPTIONS, *tests])
    finally:
        os._exit(code)  # and nothing that the parent has to do at its end


def survivors(mutants: list[tuple[str, str]], seconds: int) -> Iterator[tuple[int, float]]:
    """Yield place in the list and seconds of the mutants, each a file and its source, that pass."""
    waiting = list(enumerate(mutants))[::-1]
    with tempfile.TemporaryDirectory() as folder:
        idle = [Path(folder, str(number)) for number in range(os.cpu_count() or 1)]
        for copy in idle:
            shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
        busy: dict[int, tuple[int, str, Path]] = {}
        while waiting or busy:
            while waiting and idle:
                place, (name, source) = waiting.pop()
                copy = idle.pop()
                (copy / "berge" / name).write_text(source, encoding="utf-8")
                marked = [] if name in CHECKER else ["-m", "kernels"]
                busy[start_tests(copy, [*marked, *TESTS[name]], seconds)] = place, name, copy
            child, status, usage = os.wait3(0)
            place, name, copy = busy.pop(child)
            (copy / "berge" / name).write_text(source_of(name), encoding="utf-8")
            idle.append(copy)
            if status == 0:
                yield place, usage.ru_utime + usage.ru_stime


def report(name: str, chosen: list[int]) -> tuple[int, int, int]:
    """Try mutants of a file and print survivors; return how many were killed, tried, left out."""
    source = source_of(name)
    every = {mutant(source, number)[1].after for number in range(places(source))}
    if gone := set().union(*EQUIVALENT.get(name, {}).values()) - every:
        raise SystemExit(f"no mutants of {name} any more: {gone}")
    as_it_is = list(survivors([(name, source)], 600))
    if not as_it_is:
        raise SystemExit(f"the tests of {name} fail as it is")
    made = [mutant(source, number) for number in chosen]
    tried = [(new, done) for new, done in made if not is_equivalent(name, done.after)]
    left = 0
    for place, _ in survivors([(name, new) for new, _ in tried], 2 + int(2 * as_it_is[0][1])):
        left += 1
        done = tried[place][1]
        print(f"survived: {name}:{done.line}, {done.before} → {done.after}", flush=True)
    return len(tried) - left, len(tried), len(made) - len(tried)


def main() -> None:
    """Try a sample of the mutants of each file, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sample", type=int, default=50, help="how many of a file (0: all)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("files", nargs="*", choices=[[], *TESTS], help="to break; default: all")
    asked = parser.parse_args()
    os.chdir(ROOT)
    os.environ |= {"NUMBA_DISABLE_JIT": "1", "NUMBA_NUM_THREADS": "4"}
    sys.dont_write_bytecode = True
    for module in ("numba", "scipy.sparse"):  # once, for all children
        importlib.import_module(module)
    assert "berge" not in sys.modules  # children are to import their own
    counts, wrong = [], []
    for name in asked.files or TESTS:
        chosen = range(places(source_of(name)))
        if 0 < asked.sample < len(chosen) and name not in CHECKER:
            chosen = sorted(random.Random(asked.seed).sample(chosen, asked.sample))
        counts.append(report(name, list(chosen)))
        print(f"{name}: {_in_words(*counts[-1])}", flush=True)
        if name in CHECKER and counts[-1][0] < counts[-1][1]:
            wrong.append(name)
    print(f"all: {_in_words(*map(sum, zip(*counts, strict=True)))}")
    if wrong:
        raise SystemExit(f"tests must notice every mutant of {' and '.join(wrong)}")


def _in_words(killed: int, tried: int, skipped: int) -> str:
    share = 100 * killed / max(tried, 1)
    return f"{killed} of {tried} mutants killed ({share:.0f} %); {skipped} as good as the source"


if __name__ == "__main__":
    main()
