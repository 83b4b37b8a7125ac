"""Parallel algorithms in plain Python, their threads scheduled by a `Memory`."""

from __future__ import annotations

import importlib
import pkgutil
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

import berge
from berge.compile import atomics
from berge.compile.device import CT, ONE, CpuDevice

from . import memory

THREADS = 3

# Numbers that keep small graphs on one thread, and what they are here.
# fmt: off
TURNED = {
    "SERIAL": 0, "SERIAL_STEP": 0, "SERIAL_EDGES": 0, "SERIAL_ITEMS": 0, "SHARED_START": 0,
    "SHARED_VERTICES": 0, "SHARED_TRANSPOSE": 0, "SHARED_SORT": 0, "SHARED_CHECK": 0,
    "SHARED_READS": 0, "SHARED_WRITES": 0, "SMALL_GRAPH": 0,
    "CHUNK": 1, "CHUNK_OF_ROOTS": 1, "FEWEST_ROOTS": 1, "ROWS_IN_TURN": 1,
    "ROOTS_AT_A_TIME": 1, "PRIVATE": 2, "BLOCKS_TO_COUNT": 2, "COUNTERS": 2,
    "FEW_ROOTS": 2, "DENSE": 2, "SEARCH_LIMIT": 3, "PATIENCE": 3,
}
# fmt: on


class Schedules:
    """Numbers for schedules, one for each parallel step of a solve."""

    def __init__(self) -> None:
        self.steps = 0  # parallel steps so far
        self.there: set[Any] = set()  # what threads share, all over the package
        self.done: set[Any] = set()  # and of that what they have shared
        self.begin(0)

    def begin(self, number: int) -> None:
        """Begin a schedule: the same number gives the same one."""
        self.seed = random.Random(number)

    def memory(self, *, counts_only: bool = False) -> memory.Memory:
        self.steps += 1
        return memory.Memory(self.seed.getrandbits(64), counts_only=counts_only)

    def launch(self, device: CpuDevice, kernel: Any, n: int, *arguments: Any, shape: Any = CT):
        """Do the items of a per-item kernel, in any order, as `CpuDevice.launch`."""
        words = self.memory(counts_only=True)
        arguments = memory.shared(words, arguments) if n > 0 else ()
        items = list(range(n))
        workers = 1
        if shape is not ONE and device.threads > 1:
            words.random.shuffle(items)
            workers = THREADS

        def work(t: int) -> None:
            for i in items[t::workers]:
                kernel.body(np.int64(i), *arguments)

        words.run(partial(work, t) for t in range(min(workers, n)))

    def share(self, share: Callable[..., None], threads: int, *arguments: Any) -> None:
        """Do the shares of all threads, as the kernel that `share_out` makes."""
        if threads == 1:
            share(np.int64(0), False, *arguments)
            return
        words = self.memory()
        self.done.add(share)
        arguments = memory.shared(words, arguments)
        words.run(partial(share, np.int64(t), True, *arguments) for t in range(threads))


def modules() -> list[Any]:
    """Return all modules of berge but those that have to do with neither kernels nor threads."""
    for _, name, _ in pkgutil.walk_packages(berge.__path__, "berge."):
        if name.startswith(("berge.methods.", "berge.solve.", "berge.analysis.coarsening.")):
            importlib.import_module(name)
    return [module for name, module in sys.modules.items() if name.startswith("berge.")]


@contextmanager
def scheduled(patch: Any) -> Iterator[Schedules]:
    """Have every parallel step of berge scheduled."""
    schedules = Schedules()
    replaced = {
        getattr(atomics, name): getattr(memory, name)
        for name in ("compare_and_swap", "fetch_add", "load_acquire", "store_release")
    }
    for module in modules():
        if module is atomics:
            continue
        for name, value in list(vars(module).items()):
            if name in TURNED and isinstance(value, int):
                patch.setattr(module, name, TURNED[name])
            elif not isinstance(value, FunctionType):
                continue
            elif value in replaced:
                patch.setattr(module, name, replaced[value])
            elif "share" in value.__globals__ and value.__name__.endswith("_of_items"):
                share = value.__globals__["share"]
                schedules.there.add(share)
                patch.setattr(module, name, partial(schedules.share, share))
    patch.setattr(CpuDevice, "launch", partial_method(schedules.launch))
    yield schedules


def partial_method(function: Callable[..., None]) -> Callable[..., None]:
    """Return a method that passes its object on."""
    return lambda self, *arguments, **shape: function(self, *arguments, **shape)
