"""The harness notices crashes, hangs, much memory, and errors that are not ours."""

from __future__ import annotations

import ctypes
import errno
import time

import numpy as np
import pytest

from berge import FormatError

from .inputs import MAKERS, make
from .supervise import supervise
from .targets import TARGETS, allowed, put, tried


def planted(seed: int) -> bool:
    """Do something that no reader should do, at one seed each."""
    if seed == 3:
        ctypes.string_at(0)
    if seed == 5:
        time.sleep(60)
    if seed == 7:
        np.ones(1 << 27, np.int64)
    if seed == 9:
        raise KeyError("not ours")
    while seed == 11:  # busy, where seed 5 is asleep
        pass
    return seed % 2 == 0


def test_each_is_put_down_to_its_seed_and_the_run_goes_on():
    outcome = supervise(planted, range(20), patience=1.0, memory=1 << 28)
    assert outcome.tried == outcome.next == 20
    assert outcome.accepted == 10
    seeds = {kind.partition(" in ")[0]: seed for kind, (seed, _, _) in outcome.found.items()}
    assert seeds == {"ended by -11": 3, "hang": 5, "MemoryError": 7, "KeyError": 9}
    assert sum(times for _, _, times in outcome.found.values()) == 5


def test_one_kind_of_finding_is_kept_once_and_counted():
    outcome = supervise(lambda seed: bool(1 // (seed % 3 - 1)), range(30))
    ((seed, text, times),) = outcome.found.values()
    assert (seed, times) == (1, 10)
    assert text.startswith("ZeroDivisionError")


def test_a_run_ends_in_time_and_says_where_to_go_on():
    until = time.monotonic() + 0.5
    outcome = supervise(lambda seed: time.sleep(0.01) is None, range(10**9), until=until)
    assert time.monotonic() < until + 5
    assert 0 < outcome.tried == outcome.next < 100


def test_errors_that_readers_may_raise(tmp_path):
    path = tmp_path / "g.mtx"
    assert allowed(FormatError("no edge", path, 3), path)
    assert allowed(FileNotFoundError(errno.ENOENT, "missing", str(path)), path)
    for error in (FormatError("no file named"), OSError("no number"), MemoryError(), KeyError("x")):
        assert not allowed(error, path)
        with pytest.raises(type(error)):
            tried(path, _raise, error)


def test_warnings_count_as_errors(tmp_path):
    with pytest.raises(RuntimeWarning):
        tried(tmp_path, lambda: np.float64(1) / np.array(0.0))


def _raise(error):
    raise error


@pytest.mark.parametrize("target", MAKERS)
def test_a_seed_says_it_all(target):
    for seed in range(5):
        assert make(target, seed) == make(target, seed)
    assert len({str(make(target, seed)) for seed in range(20)}) > 3


@pytest.mark.parametrize("target", TARGETS)
def test_something_is_accepted(target, tmp_path):
    """Else nothing behind the first check of a reader would be tried."""
    for seed in range(100):
        place = tmp_path / str(seed)
        place.mkdir()
        try:
            if TARGETS[target](put(make(target, seed), place)):
                return
        except Exception as error:
            print(f"{target}, seed {seed}: {error!r}")
    pytest.fail("no input was accepted")
