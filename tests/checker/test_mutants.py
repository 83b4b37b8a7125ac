"""No mutant of the checker passes its tests; see `tests.mutation`, which tries them one by one.

Here all are tried in one process, which takes seconds: their functions take the places of the
checker's in the modules of tests, whose tests are then called.
"""

from __future__ import annotations

import inspect
import signal
import time
from itertools import product
from types import ModuleType

import pytest

from ..mutation import is_equivalent, mutant, places, source_of
from . import (
    test_capacities,
    test_check,
    test_general,
    test_odd_sets,
    test_prices,
    test_tutte_berge,
    test_vertex_prices,
)

FILES = {
    "check": test_check,
    "general": test_general,
    "capacities": test_capacities,
    "tutte_berge": test_tutte_berge,
    "prices": test_prices,
    "odd_sets": test_odd_sets,
    "vertex_prices": test_vertex_prices,
}


def cases(test):
    """Yield the arguments that a test is to be called with."""
    marks = [mark.args for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    for chosen in product(*(values for _, values in marks)):
        arguments = {}
        for (names, _), value in zip(marks, chosen, strict=True):
            many = not isinstance(names, str)
            arguments |= dict(zip(names, value, strict=True)) if many else {names: value}
        yield arguments


def give_up(number, frame):
    raise TimeoutError


def fails(tests, patience):
    """Whether a test of a module fails, or all take so many seconds of the processor."""
    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, patience)
    try:
        return fails_in_time(tests)
    except TimeoutError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def fails_in_time(tests):
    for name, test in list(vars(tests).items()):  # in the order of the file: quick ones first
        for arguments in cases(test) if name.startswith("test_") else ():
            with pytest.MonkeyPatch.context() as patch:
                if "monkeypatch" in inspect.signature(test).parameters:
                    arguments["monkeypatch"] = patch
                try:
                    test(**arguments)
                except (Exception, pytest.fail.Exception):
                    return True
    return False


@pytest.mark.parametrize("name", FILES)
def test_every_mutant_is_noticed(name, monkeypatch):
    source, started = source_of(f"checker/{name}.py"), time.process_time()
    survivors, patience = [], 600.0
    for number in range(-1, places(source)):  # −1 is the source as it is
        broken, done = mutant(source, number)
        module = ModuleType(f"berge.checker.{name}")
        module.__package__ = "berge.checker"
        exec(compile(broken, f"{name}.py", "exec"), vars(module))
        monkeypatch.setattr(FILES[name], name, module, raising=False)
        for function, _ in inspect.getmembers(module, inspect.isfunction):
            if hasattr(FILES[name], function):
                monkeypatch.setattr(FILES[name], function, getattr(module, function))
        if not (is_equivalent(f"checker/{name}.py", done.after) or fails(FILES[name], patience)):
            survivors.append(done.after)
        if number == -1:  # some mutants never end
            patience = 2 + 3 * (time.process_time() - started)
    assert survivors == [""]
