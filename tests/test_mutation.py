"""That mutants are made: whether tests kill them is for ``make mutants``."""

from __future__ import annotations

import ast
from pathlib import Path

from .kernel_files import ROOT
from .mutation import TESTS, mutant, places

SOURCE = '''
def f(a, n=1):
    """Text."""
    for i in range(n):
        if a[i] < 2 and i:
            a[i] = n - i
            break
'''


def test_every_place_is_broken_alone():
    found = [mutant(SOURCE, number) for number in range(places(SOURCE))]
    plain = ast.unparse(ast.parse(SOURCE))
    assert [done.partition(": ")[2] for _, done in found] == [
        "if a[i] < 2 and i: → if not (a[i] < 2 and i):",
        "a[i] < 2 and i → a[i] < 2 or i",
        "a[i] < 2 → a[i] <= 2",
        "2 → 3",
        "a[i] = n - i → pass",
        "n - i → n + i",
        "break → continue",
    ]
    for source, _ in found:
        differ = [a != b for a, b in zip(source.split("\n"), plain.split("\n"), strict=True)]
        assert sum(differ) == 1


def test_files_and_tests_are_there():
    for name, tests in TESTS.items():
        assert places((ROOT / "src" / "berge" / name).read_text(encoding="utf-8")) > 20
        assert all(Path(ROOT, test).exists() for test in tests)
