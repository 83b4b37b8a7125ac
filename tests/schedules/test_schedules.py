"""Every parallel algorithm under thousands of schedules, on a memory that reorders what it can."""

from __future__ import annotations

import numpy as np
import pytest

from berge.methods.greedy import locally_dominant, suitor

from ..conftest import COMPILED

pytest.importorskip("greenlet", reason="greenlet is not installed")

from .cases import cases
from .explorer import Schedules, scheduled
from .memory import Memory, Shared, StuckError, compare_and_swap, load_acquire, store_release

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.skipif(COMPILED, reason="bodies are scheduled in plain Python"),
]
CASES = cases()
SCHEDULES = 2000


@pytest.fixture
def schedules(monkeypatch):
    with scheduled(monkeypatch) as found:
        yield found


@pytest.mark.parametrize("name", CASES)
def test_right_under_every_schedule(name, schedules):
    check(schedules, name, range(SCHEDULES))
    assert schedules.steps >= SCHEDULES


def test_every_shared_step_is_scheduled(schedules):
    for name in CASES:
        check(schedules, name, range(40))
    names = {f"{share.__module__}.{share.__name__}" for share in schedules.there - schedules.done}
    assert not names, "steps that threads share in no case"
    assert len(schedules.done) > 15


def check(schedules: Schedules, name: str, numbers: range) -> None:
    for number in numbers:
        schedules.begin(number)
        CASES[name](number)


def read(array, index):
    return array[index]


def write(array, index, value):
    array[index] = value


@pytest.mark.parametrize("lost", ["load_acquire", "store_release"])
def test_it_finds_what_suitor_needs_order_for(lost, schedules, monkeypatch):
    """One of the two is a plain access, as both once were."""
    monkeypatch.setattr(suitor, lost, {"load_acquire": read, "store_release": write}[lost])
    with pytest.raises((AssertionError, StuckError)):
        check(schedules, "greedy suitor", range(SCHEDULES))


def test_it_finds_what_locally_dominant_needs_order_for(schedules, monkeypatch):
    monkeypatch.setattr(locally_dominant, "store_release", write)
    with pytest.raises((AssertionError, IndexError)):
        check(schedules, "greedy locally-dominant", range(SCHEDULES))


def outcomes(first, second) -> set:
    """What two threads may see that work on two words, both 0 at first."""
    found = set()
    for seed in range(2000):
        memory = Memory(seed)
        words, seen = Shared(memory, np.zeros(2, int)), [0, 0]
        memory.run([lambda: first(words, seen), lambda: second(words, seen)])  # noqa: B023
        found.add((*map(int, seen), *words.array.tolist()))
    return found


def test_plain_writes_are_seen_in_any_order():
    def first(words, seen):
        words[0] = words[1] = 1

    def second(words, seen):
        seen[0], seen[1] = words[1], words[0]

    assert outcomes(first, second) == {(a, b, 1, 1) for a in (0, 1) for b in (0, 1)}


def test_a_released_write_shows_what_was_written_before():
    def first(words, seen):
        words[0] = 1
        store_release(words, 1, 1)

    def second(words, seen):
        seen[0] = load_acquire(words, 1)
        seen[1] = words[0]

    assert outcomes(first, second) == {(0, 0, 1, 1), (0, 1, 1, 1), (1, 1, 1, 1)}


def test_stores_are_delayed():
    """Each may miss the other's write, and the one that was begun first may come last."""

    def first(words, seen):
        words[0] = 1
        seen[0] = words[1]

    def second(words, seen):
        words[1], words[0] = 2, 2
        seen[1] = words[0]

    found = outcomes(first, second)
    assert {a for a, *_ in found} == {0, 2}
    assert {(b, c) for _, b, c, _ in found} == {(1, 1), (2, 1), (2, 2)}


def test_one_swap_succeeds():
    def swap(k):
        def thread(words, seen):
            words[1] = k
            seen[k - 1] = compare_and_swap(words, 0, 0, k)

        return thread

    found = outcomes(swap(1), swap(2))
    assert {(a, b, c) for a, b, c, _ in found} == {(1, 0, 1), (0, 1, 2)}
    # Who swapped second did not see the first one's write, and yet it may come last.
    assert {d for *_, d in found} == {1, 2}


def test_a_thread_that_waits_for_nothing_is_stuck():
    memory = Memory(0)
    words = Shared(memory, np.zeros(1, int))

    def wait():
        while words[0] == 0:
            pass

    with pytest.raises(StuckError, match="still going on"):
        memory.run([wait])


def test_indices_are_checked():
    words = Shared(Memory(0), np.zeros((2, 3), int))
    for index in ((2, 0), (0, -1), (0, 3)):
        with pytest.raises(IndexError):
            words.word(index)
    assert words.word((1, 2)) - words.start == 5 * words.array.itemsize
    assert words[1].word(2) == words.word((1, 2))
