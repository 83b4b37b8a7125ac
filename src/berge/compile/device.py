"""One kernel body, every device: the work of one item, done on CPU threads or on a CUDA grid.

``@per_item`` makes a launchable kernel of a function whose first argument is the item, a column
say, and whose others are arrays and numbers. A `Device` allocates arrays, launches kernels over n
items, and reads flags back:

    device = open_device("cpu", threads=2)
    values = device.upload(numpy_array)
    device.launch(double, values.size, values)
    device.download(values)

Items are done in no stated order, many at a time; between launches all is settled. A body may use
other functions marked ``@helper``, and the atomics of this package. It takes the arrays of a named
tuple by their names: numba loses what is written to arrays that were unpacked from a tuple. What a
body reads while others write it is a race that its file has to explain.

``@summed`` makes one of a function that returns a number; `Device.sum` adds up those of n items.

Launch shapes say who does which items, as in Deveci et al. 2013: `CT`, a constant number of threads
that stride over the items, on CUDA as many as the device has at a time; `PAPER`, the same with the
paper's 256 × 256; `MT`, one thread an item. On CPU threads `CT` and `PAPER` deal the items out in
small chunks by turns, and `MT` gives every thread one range of them. `ONE`: one thread does all
items in order.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import DeviceError
from ..tuning import CHUNK, ROWS_PER_CALL, SERIAL_ITEMS, TURNS
from .kernel import helper, prange, write_loop
from .kernel import kernel as compile_kernel
from .threads import side_by_side, thread_count, threads_of

__all__ = [
    "CT", "MT", "ONE", "SERIAL_ITEMS", "CpuDevice", "Device", "ItemKernel", "Shape", "Sum",
    "per_item", "summed",
]  # fmt: skip


class Shape(Enum):
    """Who does which items of a launch."""

    CT = "ct"
    PAPER = "256x256"
    MT = "mt"
    ONE = "one"


CT, MT, ONE = Shape.CT, Shape.MT, Shape.ONE


_ON_THREADS = """
def {name}(n, workers, chunk, {args}):
    for t in prange(workers):
        for lo in range(t * chunk, n, workers * chunk):
            for i in range(lo, min(lo + chunk, n)):
                body(i, {args})
"""

_SUM_ON_THREADS = """
def {name}(n, workers, chunk, {args}):
    total = 0
    for t in prange(workers):
        mine = 0
        for lo in range(t * chunk, n, workers * chunk):
            for i in range(lo, min(lo + chunk, n)):
                mine += body(i, {args})
        total += mine
    return total
"""


class ItemKernel:
    """The work of one item, compiled when it is first launched."""

    template = _ON_THREADS

    def __init__(self, body: Callable[..., None]):
        self.body = body
        self.__doc__ = body.__doc__
        self.__name__ = body.__name__
        self.__module__ = body.__module__

    @cached_property
    def on_threads(self) -> Callable[..., Any]:
        """The form for CPU threads: ``(n, workers, chunk, *arguments)``."""
        loop = write_loop(self.template, self.body, prange=prange, body=helper(self.body))
        compiled: Callable[..., Any] = compile_kernel(parallel=True)(loop)
        return compiled

    def __repr__(self) -> str:
        return f"<per-item kernel {self.__module__}.{self.__name__}>"


class Sum(ItemKernel):
    """The number that an item adds to a sum, a whole one."""

    template = _SUM_ON_THREADS


def per_item(body: Callable[..., None]) -> ItemKernel:
    """Make a launchable kernel of a function ``(item, *arguments)``."""
    return ItemKernel(body)


def summed(body: Callable[..., Any]) -> Sum:
    """Make what `Device.sum` takes of a function ``(item, *arguments)`` that returns a number."""
    return Sum(body)


class Device(ABC):
    """Where kernels run and their arrays lie.

    Attributes
    ----------
    name
        ``"cpu"`` or ``"cuda"``.
    serial
        One thread does fewer items than this in the time that it takes to share them out.
    ahead
        How many launches to make before a flag is read that may make some of them vain.
    alone
        What one thread may do in one launch: items that it then goes through by itself.
    """

    name: str
    serial: int
    ahead: int = 1
    alone: int = ROWS_PER_CALL

    @abstractmethod
    def launch(self, kernel: ItemKernel, n: int, *arguments: Any, shape: Shape = CT) -> None:
        """Do items 0 … n − 1 of a kernel."""

    @abstractmethod
    def sum(self, kernel: Sum, n: int, *arguments: Any) -> int:
        """Add up what items 0 … n − 1 return."""

    @abstractmethod
    def upload(self, array: Any) -> Any:
        """Return an array of this device with these entries; on the CPU, the array itself."""

    @abstractmethod
    def download(self, array: Any) -> Any:
        """Return a numpy array with these entries; on the CPU, the array itself."""

    @abstractmethod
    def hand_back(self, array: Any, to: Any) -> None:
        """Copy an array to where it was uploaded from, unless it never left there."""

    @abstractmethod
    def empty(self, size: int, dtype: Any) -> Any:
        """Return an array of any content."""

    @abstractmethod
    def fill(self, array: Any, value: Any) -> None:
        """Set all entries."""

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until all launches are done."""

    def room(self) -> float:
        """Return the bytes that can be allocated; on the CPU nobody knows before trying."""
        return math.inf

    def require(self, needed: int) -> None:
        """Raise DeviceError unless so many bytes can be allocated."""
        room = self.room()
        if needed > room:
            raise DeviceError(
                f"device {self.name!r} has {room / 1e9:.3g} GB free, and this takes "
                f"{needed / 1e9:.3g} GB; docs/gpu.md says what each algorithm needs"
            )

    def split(self) -> tuple[Device, Device] | None:
        """Return two devices for the same arrays whose launches run side by side, if it can be.

        Each is to be launched on from a Python thread of its own, which begins with `attach`.
        """
        return None

    @abstractmethod
    def attach(self) -> None:
        """Make this the device that this Python thread uses."""

    def full(self, size: int, value: Any, dtype: Any) -> Any:
        """Return an array of one value."""
        array = self.empty(size, dtype)
        self.fill(array, value)
        return array

    def own_prefix_sum(self, array: Any) -> int | None:
        """Do what `scan.prefix_sum` does in a way of the device's own, where there is one."""
        return None

    def read(self, array: Any, i: int = 0) -> int:
        """Return one entry, a flag or a counter say; waits for what was launched before."""
        return int(self.download(array[i : i + 1])[0])


class CpuDevice(Device):
    """CPU threads. Arrays are numpy's.

    Fewer items than ``serial`` (by default `SERIAL_ITEMS`) are done by one thread; tests say 0, so
    that threads meet on small graphs too.
    """

    name = "cpu"

    def __init__(self, threads: int | None = None, serial: int | None = None):
        self.threads = threads_of(threads)
        self.serial = SERIAL_ITEMS if serial is None else serial

    def launch(self, kernel: ItemKernel, n: int, *arguments: Any, shape: Shape = CT) -> None:
        """Do items 0 … n − 1 of a kernel on the threads, and wait for them."""
        self._run(kernel, n, arguments, shape)

    def sum(self, kernel: Sum, n: int, *arguments: Any) -> int:
        """Add up what items 0 … n − 1 return."""
        return int(self._run(kernel, n, arguments, CT) or 0)

    def _run(self, kernel: ItemKernel, n: int, arguments: Any, shape: Shape) -> Any:
        if n <= 0:
            return None
        workers = 1 if n < self.serial or shape is ONE else self.threads
        chunk = share = -(-n // workers)
        if shape in (CT, Shape.PAPER):
            chunk = min(max(CHUNK, share // TURNS), share)
        with thread_count(self.threads):
            return kernel.on_threads(np.int64(n), np.int64(workers), np.int64(chunk), *arguments)

    def upload(self, array: Any) -> Any:
        """Return the array itself."""
        return np.ascontiguousarray(array)

    def download(self, array: Any) -> Any:
        """Return the array itself."""
        return array

    def hand_back(self, array: Any, to: Any) -> None:
        """Copy an array to where it was uploaded from, unless it never left there."""
        if array is not to:
            to[:] = array

    def empty(self, size: int, dtype: Any) -> Any:
        """Return an array of any content."""
        return np.empty(size, dtype)

    def fill(self, array: Any, value: Any) -> None:
        """Set all entries."""
        array.fill(value)

    def synchronize(self) -> None:
        """Nothing to wait for: a launch returns when it is done."""

    def attach(self) -> None:
        """Nothing to do: every Python thread may launch."""

    def split(self) -> tuple[Device, Device] | None:
        """Return two devices, each with a share of the threads; None if there is but one."""
        if self.threads < 2 or not side_by_side():
            return None
        half = self.threads // 2
        return CpuDevice(self.threads - half, self.serial), CpuDevice(half, self.serial)
