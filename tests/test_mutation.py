"""That mutants are made: whether tests kill them is for ``make mutants``."""

from __future__ import annotations

import ast
from pathlib import Path

from .kernel_files import ROOT
from .mutation import TESTS, mutant, places, source_of

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
    assert [done.after for _, done in found] == [
        "f: if not (a[i] < 2 and i):",
        "f: if a[i] < 2 or i:",
        "f: if a[i] <= 2 and i:",
        "f: if a[i] < 3 and i:",
        "f: 'without a[i] = n - i'",
        "f: a[i] = n + i",
        "f: continue",
    ]
    assert {(done.line, done.before) for _, done in found} == {
        (5, "if a[i] < 2 and i:"),
        (6, "a[i] = n - i"),
        (7, "break"),
    }
    for source, _ in found:
        differ = [a != b for a, b in zip(source.split("\n"), plain.split("\n"), strict=True)]
        assert sum(differ) == 1


def test_files_and_tests_are_there():
    for name, tests in TESTS.items():
        assert places(source_of(name)) > 20
        assert all(Path(ROOT, test).exists() for test in tests)
