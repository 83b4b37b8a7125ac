"""The CUDA form of kernels: the only module that imports numba's CUDA target.

A body is compiled as a device function, with CUDA's own atomics in place of the ones for CPU
threads, and called from a grid-stride loop. Nothing else changes. In numba's simulator
(``NUMBA_ENABLE_CUDASIM=1``) a CUDA thread is a Python thread, so few of them are launched there.

This has been run in the simulator and compiled for compute capabilities 7.5 to 12.0; it has not
been run on a GPU.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dis import get_instructions
from functools import cache
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np

from ..errors import DeviceError
from ..tuning import FEW_ON_CUDA
from .atomics import compare_and_swap, fetch_add, load_acquire, store_release
from .device import MT, ONE, Device, ItemKernel, Shape, per_item
from .kernel import write_loop

try:
    from numba import cuda
except ImportError as error:  # pragma: no cover (numba has shipped without it since 0.62)
    raise DeviceError(
        'device "cuda" needs numba-cuda, which is not installed: pip install "berge[cuda]"'
    ) from error

__all__ = ["CudaDevice", "compile_for", "grid_kernel"]

BLOCK = 256  # threads a block, in both launch shapes
CONSTANT = 256  # blocks of the shape CT
SIMULATED = numba.config.ENABLE_CUDASIM
SIMULATED_GRID = (2, 8)

_ON_GRID = """
def {name}(n, {args}):
    i = cuda.grid(1)
    while i < n:
        body(i, {args})
        i += cuda.gridsize(1)
"""


@cache
def grid_kernel(body: Callable[..., None]) -> Any:
    """Compile a body for a CUDA grid: ``[blocks, threads](n, *arguments)``."""
    return cuda.jit(write_loop(_ON_GRID, body, cuda=cuda, body=_device_function(body)))


@cache
def _device_function(function: Callable[..., Any]) -> Any:
    """Compile a function for the device, and the helpers that it calls, with CUDA's atomics."""
    scope = dict(function.__globals__)
    called = (step.argval for step in get_instructions(function) if step.opname == "LOAD_GLOBAL")
    for name in set(called):
        value: Any = scope.get(name)
        if isinstance(value, types.FunctionType) and value in _ATOMICS:
            scope[name] = _ATOMICS[value]
        elif hasattr(value, "py_func"):  # pragma: no cover (a helper, compiled for the CPU)
            scope[name] = _device_function(value.py_func)
        elif isinstance(value, types.FunctionType) and value.__module__.startswith("berge."):
            scope[name] = _device_function(value)  # a helper, where the compiler is off
    scope["cuda"] = cuda
    clone = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
    return cuda.jit(device=True)(clone)


# CUDA's own atomics keep no order. A fence has what was written before it seen before what comes
# after it; a read by an atomic operation passes by the caches that are one multiprocessor's own.


@cuda.jit(device=True)
def _compare_and_swap(array: Any, index: int, expected: Any, new: Any) -> Any:
    cuda.threadfence()
    swapped = cuda.atomic.cas(array, index, expected, new) == expected
    cuda.threadfence()
    return swapped


@cuda.jit(device=True)
def _fetch_add(array: Any, index: int, amount: Any) -> Any:
    return cuda.atomic.add(array, index, amount)


@cuda.jit(device=True)
def _load_acquire(array: Any, index: int) -> Any:
    value = cuda.atomic.add(array, index, 0)
    cuda.threadfence()
    return value


@cuda.jit(device=True)
def _store_release(array: Any, index: int, value: Any) -> None:
    cuda.threadfence()
    array[index] = value


_ATOMICS: dict[Any, Any] = {
    compare_and_swap: _compare_and_swap,
    fetch_add: _fetch_add,
    load_acquire: _load_acquire,
    store_release: _store_release,
}


class CudaDevice(Device):
    """The current CUDA device, or numba's simulator of one."""

    name = "cuda"
    serial = FEW_ON_CUDA

    def __init__(self, stream: Any = 0) -> None:
        if not cuda.is_available():
            raise DeviceError(f'device "cuda": {_what_is_missing()}')
        self.stream = stream
        self.most = BLOCK
        if not SIMULATED:  # pragma: no cover (of a GPU)
            device = cuda.get_current_device()
            self.number = device.id
            self.most = device.MULTIPROCESSOR_COUNT * device.MAX_THREADS_PER_MULTIPROCESSOR

    def launch(self, kernel: ItemKernel, n: int, *arguments: Any, shape: Shape = Shape.CT) -> None:
        """Launch items 0 … n − 1 of a kernel; returns before they are done."""
        if n <= 0:
            return
        if shape is ONE:
            grid = (1, 1)
        elif SIMULATED:
            grid = SIMULATED_GRID
        else:  # pragma: no cover (of a GPU)
            grid = (-(-min(n, self.most) // BLOCK), BLOCK) if shape is MT else (CONSTANT, BLOCK)
        grid_kernel(kernel.body)[*grid, self.stream](n, *arguments)

    def upload(self, array: Any) -> Any:
        """Copy an array to the device; what lies there already is used as it is."""
        if hasattr(array, "__cuda_ndarray__"):
            return array
        if hasattr(array, "__cuda_array_interface__"):
            if SIMULATED:  # where the device's memory is the host's
                host = SimpleNamespace(__array_interface__=array.__cuda_array_interface__)
                return cuda.to_device(np.asarray(host))
            return cuda.as_cuda_array(array)  # pragma: no cover (of a GPU)
        return cuda.to_device(array)

    def download(self, array: Any) -> Any:
        """Copy an array to the host, after all that was launched before."""
        self.synchronize()
        return array.copy_to_host()

    def hand_back(self, array: Any, to: Any) -> None:
        """Copy an array to where it was uploaded from, unless it never left the device."""
        if isinstance(to, np.ndarray):
            to[:] = self.download(array)
        else:
            self.synchronize()

    def empty(self, size: int, dtype: Any) -> Any:
        """Return an array of any content."""
        return cuda.device_array(size, dtype)

    def fill(self, array: Any, value: Any) -> None:
        """Set all entries."""
        self.launch(set_all, array.size, array, array.dtype.type(value))

    def library_prefix_sum(self, array: Any) -> int | None:
        """Do what `scan.prefix_sum` does by CuPy, where it is installed."""
        usable = not (SIMULATED or self.stream or array.size == 0)
        if usable and find_spec("cupy") is not None:  # pragma: no cover (of a GPU)
            import cupy

            entries = cupy.asarray(array)
            sums = cupy.cumsum(entries, dtype=entries.dtype)
            entries[0] = 0
            entries[1:] = sums[:-1]
            return int(sums[-1])
        return None

    def room(self) -> float:
        """Return the bytes that are free on the device."""
        return float(cuda.current_context().get_memory_info().free)

    def synchronize(self) -> None:
        """Wait until all launches are done."""
        if self.stream:  # pragma: no cover (the simulator has but one)
            self.stream.synchronize()
        else:
            cuda.synchronize()

    def split(self) -> tuple[Device, Device] | None:
        """Return two devices with a stream each; the simulator has but one."""
        if SIMULATED:
            return None
        self.synchronize()  # pragma: no cover (of a GPU)
        return CudaDevice(cuda.stream()), CudaDevice(cuda.stream())  # pragma: no cover

    def attach(self) -> None:  # pragma: no cover (of a GPU)
        """Make this the device that this Python thread uses."""
        cuda.select_device(self.number)


@per_item
def set_all(i: int, array: Any, value: Any) -> None:
    """Set an entry."""
    array[i] = value


def _what_is_missing() -> str:
    """Say in words why numba finds no device."""
    try:
        cuda.current_context()
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(": ")
        return f"numba finds none ({reason}); a driver and a GPU are needed"
    return "numba finds none"


def compile_for(  # pragma: no cover (for the compiler; every kernel goes through it in its tests)
    kernel: ItemKernel, arguments: tuple[Any, ...], capability: tuple[int, int]
) -> tuple[str, bytes, str]:
    """Compile a kernel with no device present: PTX, the cubin made of it, and ptxas's report.

    `arguments` are examples of what is passed after the number of items.
    """
    from unittest.mock import patch

    from cuda.core import Linker, LinkerOptions, ObjectCode

    signature = (numba.int64, *(numba.typeof(argument) for argument in arguments))
    loop = write_loop(_ON_GRID, kernel.body, cuda=cuda, body=_device_function(kernel.body))
    # Inlined device functions ask for the current device, and there is none.
    device = SimpleNamespace(compute_capability=capability)
    with patch("numba.cuda.dispatcher.get_current_device", lambda: device):
        ptx, _ = cuda.compile_ptx(loop, signature, cc=capability)
    options = LinkerOptions(arch="sm_{}{}".format(*capability), ptxas_options=["-v"])
    linker = Linker(ObjectCode.from_ptx(ptx.encode()), options=options)
    cubin = linker.link("cubin")
    return ptx, bytes(cubin.code), linker.get_info_log()
