"""A memory as weak as processors have it, and threads whose steps are chosen at random.

Threads are greenlets: kernel bodies in plain Python on arrays of `Shared` words, where every read
and write goes through a `Memory`. That may let another thread go on first. It keeps every value
that was ever written to a word, in the order that all threads agree on, and gives threads

- *stale reads*: any value that the word had since the last one that this thread must know of;
- *delayed stores*: a plain write may take its place before writes that others have done already.

What a thread must know of is what it wrote itself, and, by atomic operations, what those knew whose
values it saw. A plain read gives no such knowledge, not even of the word that was read: the next
one may give an older value. This is the view machine for C11's acquire, release and relaxed, with
plain accesses weaker than relaxed. What it cannot do is show a value before the write that makes
it is begun (load buffering), for a body is run in its order.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Callable, Iterable
from contextvars import copy_context
from operator import attrgetter
from typing import Any

import numpy as np
from greenlet import greenlet

from berge.compile import atomics

MOST_STEPS = 300_000  # reads and writes of a parallel step on graphs as small as those here


class StuckError(AssertionError):
    """Threads that wait for each other, or go on for ever."""


class Written:
    """A value that was written to a word: when, by what, and what its writer knew."""

    __slots__ = ("known", "swapped", "time", "value")

    def __init__(self, time: float, value: Any, known: dict | None = None, swapped: bool = False):
        self.time, self.value, self.known, self.swapped = time, value, known, swapped


BY_TIME = attrgetter("time")


class Memory:
    """Words and the threads that work on them; `stale` and `late` are probabilities."""

    def __init__(self, seed: int, *, counts_only: bool = False):
        self.random = random.Random(seed)
        self.burst = self.random.choice((1, 2, 4, 16))  # words that a thread goes on for, about
        self.stale = self.random.choice((0.0, 0.2, 0.6, 0.9))
        self.late = self.random.choice((0.0, 0.2, 0.6))
        self.counts_only = counts_only  # whether `fetch_add` keeps no order, as on CUDA
        self.words: dict[int, list[Written]] = {}  # by address, in time
        self.homes: dict[int, tuple[Any, Any]] = {}  # the array and the index of each
        self.known: dict[int, float] = {}  # by the thread that is on
        self.left = self.steps = 0

    def run(self, tasks: Iterable[Callable[[], None]]) -> None:
        """Do tasks, each on a thread of its own, then let everybody know everything."""
        self.hub = greenlet.getcurrent()
        threads = [(greenlet(task), {}) for task in tasks]
        for thread, _ in threads:
            thread.gr_context = copy_context()  # numpy's errors to be passed over
        while threads:
            thread, self.known = threads[int(self.random.random() * len(threads))]
            self.left = int(self.random.random() * 2 * self.burst)
            thread.switch()
            if thread.dead:
                threads.remove((thread, self.known))
        for word, (array, index) in self.homes.items():
            array[index] = self.words[word][-1].value

    def step(self) -> None:
        """Let another thread go on, now and then."""
        self.steps += 1
        self.left -= 1
        if self.left < 0:
            if self.steps > MOST_STEPS:
                raise StuckError(f"still going on after {self.steps} reads and writes")
            self.hub.switch()

    def seen(self, word: int, history: list[Written]) -> Written:
        """Choose the value that a read of this thread sees."""
        if self.random.random() >= self.stale:
            return history[-1]
        first = bisect_left(history, self.known.get(word, 0.0), key=BY_TIME)
        return history[first + int(self.random.random() * (len(history) - first))]

    def learn(self, word: int, seen: Written) -> None:
        """Know what a value says that was read by an atomic operation."""
        known = self.known
        for other, time in (seen.known or {}).items():
            if known.get(other, 0.0) < time:
                known[other] = time
        known[word] = seen.time

    def history(self, word: int, array: Any, index: Any) -> list[Written]:
        """Return all that was written to a word, to write more."""
        history = self.words.get(word)
        if history is None:
            history = self.words[word] = [Written(0.0, array[index])]
            self.homes[word] = array, index
        return history

    def read(self, word: int, array: Any, index: Any) -> Any:
        """Read plainly."""
        self.step()
        history = self.words.get(word)
        return array[index] if history is None else self.seen(word, history).value

    def load_acquire(self, word: int, array: Any, index: Any) -> Any:
        """Read, and know what the writer knew."""
        self.step()
        history = self.words.get(word)
        if history is None:
            return array[index]
        seen = self.seen(word, history)
        self.learn(word, seen)
        return seen.value

    def write(self, word: int, array: Any, index: Any, value: Any, release: bool = False) -> None:
        """Write, at the end or before what others have written."""
        self.step()
        history = self.history(word, array, index)
        place = len(history)
        if self.random.random() < self.late:
            first = bisect_left(history, self.known.get(word, 0.0), key=BY_TIME) + 1
            place = self.random.randrange(first, place + 1)
            while place < len(history) and history[place].swapped:
                place += 1  # nothing comes between what was seen and what it was swapped for
        time = history[place - 1].time + 1.0
        if place < len(history):
            time = (history[place - 1].time + history[place].time) / 2
        self.known[word] = time
        history.insert(place, Written(time, value, dict(self.known) if release else None))

    def swap(
        self, word: int, array: Any, index: Any, new: Callable[[Any], Any], ordered: bool = True
    ) -> Any:
        """Replace the last value by `new` of it, unless that is None; return what was seen."""
        self.step()
        history = self.history(word, array, index)
        seen = history[-1]
        if new(seen.value) is None or new(self.seen(word, history).value) is None:
            return self.refuse(word, history, new)
        if ordered:
            self.learn(word, seen)
        self.known[word] = time = seen.time + 1.0
        known = dict(self.known) if ordered else seen.known
        history.append(Written(time, new(seen.value), known, swapped=True))
        return seen.value

    def refuse(self, word: Any, history: list[Written], new: Callable[[Any], Any]) -> Any:
        """See a value, not always the last one, that was not expected."""
        first = bisect_left(history, self.known.get(word, 0.0), key=BY_TIME)
        seen = self.random.choice([w for w in history[first:] if new(w.value) is None])
        self.learn(word, seen)
        return seen.value


class Shared:
    """An array of words of a memory, with as much of numpy's ways as kernels use."""

    __slots__ = ("array", "dtype", "ends", "memory", "shape", "size", "start", "strides")

    def __init__(self, memory: Memory, array: Any):
        self.memory, self.array = memory, array
        self.shape, self.dtype, self.size = array.shape, array.dtype, array.size
        self.start, self.strides = array.__array_interface__["data"][0], array.strides
        self.ends = self.size if array.ndim == 1 else 0

    def word(self, index: Any) -> int:
        """Return a word's address; an index that is out of bounds is an error, never a wrap."""
        if type(index) is not tuple and 0 <= index < self.ends:
            return self.start + int(index) * self.strides[0]
        word = self.start
        places = index if type(index) is tuple else (index,)
        if len(places) == len(self.shape):
            for i, step, size in zip(places, self.strides, self.shape, strict=True):
                if not 0 <= i < size:
                    break
                word += int(i) * step
            else:
                return word
        raise IndexError(f"{index} of an array of shape {self.shape}")

    def __getitem__(self, index: Any) -> Any:
        count = len(index) if type(index) is tuple else 1
        if type(index) is slice or count < len(self.shape):
            return Shared(self.memory, self.array[index])
        return self.memory.read(self.word(index), self.array, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.memory.write(self.word(index), self.array, index, self.dtype.type(value))

    def __len__(self) -> int:
        return self.shape[0]


def shared(memory: Memory, argument: Any) -> Any:
    """Return an argument of a kernel whose arrays are words of a memory; read-only ones stay."""
    if isinstance(argument, tuple):
        fields = [shared(memory, field) for field in argument]
        return type(argument)(*fields) if hasattr(argument, "_fields") else tuple(fields)
    if isinstance(argument, np.ndarray) and argument.flags.writeable and argument.size:
        return Shared(memory, argument)
    return argument


def compare_and_swap(array: Any, index: Any, expected: Any, new: Any) -> bool:
    """As `berge.compile.compare_and_swap`."""
    if not isinstance(array, Shared):
        return atomics.compare_and_swap(array, index, expected, new)
    value = array.dtype.type(new)
    seen = array.memory.swap(
        array.word(index), array.array, index, lambda old: value if old == expected else None
    )
    return bool(seen == expected)


def fetch_add(array: Any, index: Any, amount: Any) -> Any:
    """As `berge.compile.fetch_add`."""
    if not isinstance(array, Shared):
        return atomics.fetch_add(array, index, amount)
    kind, memory = array.dtype.type, array.memory
    return memory.swap(
        array.word(index),
        array.array,
        index,
        lambda old: kind(old + kind(amount)),
        ordered=not memory.counts_only,
    )


def load_acquire(array: Any, index: Any) -> Any:
    """As `berge.compile.load_acquire`."""
    if not isinstance(array, Shared):
        return atomics.load_acquire(array, index)
    return array.memory.load_acquire(array.word(index), array.array, index)


def store_release(array: Any, index: Any, value: Any) -> None:
    """As `berge.compile.store_release`."""
    if not isinstance(array, Shared):
        atomics.store_release(array, index, value)
        return
    value = array.dtype.type(value)
    array.memory.write(array.word(index), array.array, index, value, release=True)
