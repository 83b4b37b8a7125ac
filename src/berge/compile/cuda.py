"""The CUDA form of kernels: the only module that imports numba's CUDA target.

A body is compiled as a device function, with CUDA's own atomics in place of the ones for CPU
threads, and called from a grid-stride loop. Nothing else changes. In numba's simulator
(``NUMBA_ENABLE_CUDASIM=1``) a CUDA thread is a Python thread, so few of them are launched there.

All of a device goes through one stream that neither waits for CUDA's default stream nor holds it
off: launches, and copies, of which small ones (flags, counters) go to memory that is pinned.
Compiled kernels are kept on the disk as those for the CPU are, by all source that they are made of,
the compute capability and the versions of numba-cuda and its compiler.

This has been run in the simulator and compiled for compute capabilities 7.5 to 12.0; it has not
been run on a GPU.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from dis import get_instructions
from functools import cache, cached_property, lru_cache
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
from numba.core.caching import NullCache

from ..errors import DeviceError
from ..tuning import AHEAD_ON_CUDA, ALONE_ON_CUDA, FEW_ON_CUDA
from .atomics import compare_and_swap, fetch_add, load_acquire, store_release
from .cache import CacheFiles, KernelCache
from .device import MT, ONE, Device, ItemKernel, Shape, Sum, per_item
from .kernel import wake, write_loop

try:
    import numba_cuda
    from numba import cuda

    if not numba.config.ENABLE_CUDASIM:
        from numba.cuda import dispatcher
except ImportError as error:  # pragma: no cover (numba has shipped without it since 0.62)
    raise DeviceError(
        'device "cuda" needs numba-cuda, which is not installed: pip install "berge[cuda]"'
    ) from error

__all__ = ["CudaDevice", "compile_for", "grid_kernel"]

wake()  # its forms for CPU threads give way to those of CUDA
SIMULATED = numba.config.ENABLE_CUDASIM
BLOCK = 8 if SIMULATED else 256  # threads a block, a power of two
PAPER = 2 if SIMULATED else 256  # blocks of the paper's shape
SMALL = 4096  # bytes that are read by way of pinned memory
KEPT = 16  # tuples of arrays whose words are kept

_ON_GRID = """
def {name}(n, first, {args}):
    i = first + cuda.grid(1)
    while i < n:
        body(i, {args})
        i += cuda.gridsize(1)
"""

# Each thread adds up its own items, each block its threads', one atomic operation a block.
_SUM_ON_GRID = """
def {name}(n, sum_of_all, {args}):
    sums = cuda.shared.array(BLOCK, int64)
    t = cuda.threadIdx.x
    mine = int64(0)
    i = cuda.grid(1)
    while i < n:
        mine += body(i, {args})
        i += cuda.gridsize(1)
    sums[t] = mine
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            sums[t] += sums[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(sum_of_all, 0, sums[0])
"""


def _loop(kernel: ItemKernel) -> Any:
    """Write the loop of a kernel over the items of a grid."""
    template = _SUM_ON_GRID if isinstance(kernel, Sum) else _ON_GRID
    names = {"cuda": cuda, "int64": numba.int64, "BLOCK": BLOCK}
    return write_loop(template, kernel.body, body=_device_function(kernel.body), **names)


class _GridCache(KernelCache):  # pragma: no cover (for the compiler, as is tested there)
    """The compiled forms of a kernel for grids; none of them come with berge."""

    @cached_property
    def kept(self) -> Any:
        """Numba's cache on the disk, or one that keeps nothing where no folder can be written."""
        from numba.cuda.dispatcher import CUDACache

        try:
            found = CUDACache(self.function)
        except RuntimeError:
            return NullCache()
        stamp = f"{self.stamp} {numba_cuda.__version__}"
        name = f"cuda-{found._impl.filename_base}"  # the form for the CPU has the other
        found._cache_file = CacheFiles(found.cache_path, name, stamp)
        return found

    def _load_shipped(self, sig: Any, target_context: Any) -> Any:
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if the disk is not full."""
        self.keep(sig, data)


def _kept(compiled: Any) -> Any:
    """Have the compiled forms of a kernel kept on the disk; in the simulator there are none."""
    if not SIMULATED:
        compiled._cache = _GridCache(compiled.py_func)
    return compiled


@cache
def grid_kernel(kernel: ItemKernel) -> Any:
    """Compile a kernel for a grid: ``[blocks, threads](n, first, *arguments)``.

    For a `Sum` an array of one number comes in the place of `first`.
    """
    return _kept(cuda.jit(_loop(kernel)))


@lru_cache(0 if SIMULATED else 1024)  # a simulated kernel has one configuration, the last one
def _configured(kernel: Any, blocks: int, threads: int, stream: Any) -> Any:
    """Return what launches a kernel; it is looked up quickly, and warns of nothing."""
    with warnings.catch_warnings():  # of few blocks: some kernels have little to do
        warnings.filterwarnings("ignore", message="Grid size")
        return kernel[blocks, threads, stream]


class _Launcher:
    """Launches kernels; a tuple of arrays is taken apart when it first comes, not at each launch.

    To launch, numba-cuda looks for the type of every argument and makes seven words of each array,
    which takes the host a few microseconds an array; kernels here get ten in a tuple. So the words
    that numba-cuda makes of a tuple are kept with it, and handed to the driver as it would. Where
    its inner functions are others than known here, it launches by itself.
    """

    def __init__(self) -> None:
        self.apart: dict[int, tuple[Any, Any, list[Any]]] = {}  # by id: a tuple, its type, words
        self.ready: dict[Any, tuple[Any, Any, Any]] = {}  # by launch and types: what it takes
        self.knows = not SIMULATED

    def __call__(self, launch: Any, *arguments: Any) -> None:
        """Launch a configured kernel."""
        if self.knows:  # pragma: no cover (for the compiler, in the tests of which it is)
            try:
                prepared = self.prepare(launch, arguments)
            except (AttributeError, ImportError, TypeError):
                self.knows = False
            else:
                dispatcher.launch(*prepared)
                return
        launch(*arguments)

    def prepare(  # pragma: no cover (as above)
        self, launch: Any, arguments: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """Return the stream, how to launch, what, and the words of its arguments."""
        typeof = launch.dispatcher.typeof_pyval
        types_of = [
            self._kept(launch, value)[1] if isinstance(value, tuple) else typeof(value)
            for value in arguments
        ]
        key = launch, *(kind._code for kind in types_of)
        if key not in self.ready:
            kernel = launch.dispatcher.compile(tuple(types_of))
            if kernel.launch_config_sensitive or kernel.debug or kernel.extensions:
                raise TypeError("numba-cuda has more to do for it")
            how = dispatcher.LaunchConfig(
                grid=launch.griddim, block=launch.blockdim, shmem_size=launch.sharedmem,
                is_cooperative=kernel.cooperative,
            )  # fmt: skip
            self.ready[key] = kernel, how, kernel._codelibrary.get_cufunc().kernel
        kernel, how, loaded = self.ready[key]
        words: list[Any] = []
        for kind, value in zip(types_of, arguments, strict=True):
            if not isinstance(value, tuple):
                _words(kernel, kind, value, launch.stream, words)
                continue
            _, _, some = self._kept(launch, value)
            if not some:
                _words(kernel, kind, value, launch.stream, some)
            words += some
        return launch.stream, how, loaded, *words

    def _kept(  # pragma: no cover (as above)
        self, launch: Any, value: Any
    ) -> tuple[Any, Any, list[Any]]:
        """Return a tuple with its type, and a list for its words."""
        found = self.apart.get(id(value))
        if found is None:
            if len(self.apart) == KEPT:
                del self.apart[next(iter(self.apart))]
            self.apart[id(value)] = found = value, launch.dispatcher.typeof_pyval(value), []
        return found


def _words(  # pragma: no cover (as above)
    kernel: Any, kind: Any, value: Any, stream: Any, words: list[Any]
) -> None:
    """Add the words of an argument that is on the device, or a number."""
    copied: list[Any] = []
    kernel._prepare_args(kind, value, stream, copied, words)
    if copied:
        raise TypeError("an array that is not on the device")


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


@_kept
@cuda.jit
def scan_blocks(n: int, array: Any, sums: Any) -> None:
    """Replace every entry by the sum of those before it in its block, whose sum is noted."""
    tile = cuda.shared.array(BLOCK, numba.int64)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    value = numba.int64(0)
    if i < n:
        value = numba.int64(array[i])
    tile[t] = value
    cuda.syncthreads()
    step = 1
    while step < cuda.blockDim.x:
        before = numba.int64(0)
        if t >= step:
            before = tile[t - step]
        cuda.syncthreads()
        tile[t] += before
        cuda.syncthreads()
        step *= 2
    if i < n:
        array[i] = tile[t] - value
    if t == cuda.blockDim.x - 1:
        sums[cuda.blockIdx.x] = tile[t]


@_kept
@cuda.jit
def add_before(n: int, array: Any, sums: Any) -> None:
    """Add to every entry what the blocks before its own come to."""
    i = cuda.grid(1)
    if i < n:
        array[i] += sums[cuda.blockIdx.x]


class CudaDevice(Device):
    """A CUDA device, by default the current one, or numba's simulator of one."""

    name = "cuda"
    serial = FEW_ON_CUDA
    ahead = AHEAD_ON_CUDA
    alone = ALONE_ON_CUDA

    def __init__(self, number: int | None = None, beside: int = 0) -> None:
        if not cuda.is_available():
            raise DeviceError(f'device "cuda": {_what_is_missing()}')
        if number is not None:
            cuda.select_device(number)
        device = cuda.get_current_device()
        self.number: int = 0 if SIMULATED else device.id
        self.beside = beside
        self.stream = _stream(self.number, beside)
        self.pinned = cuda.pinned_array(SMALL, np.uint8)
        self.start = _Launcher()
        self.resident = PAPER
        if not SIMULATED:  # pragma: no cover (of a GPU)
            most = device.MULTIPROCESSOR_COUNT * device.MAX_THREADS_PER_MULTIPROCESSOR
            self.resident = most // BLOCK
            cuda.default_stream().synchronize()  # for what others have put on the device

    def launch(self, kernel: ItemKernel, n: int, *arguments: Any, shape: Shape = Shape.CT) -> None:
        """Launch items 0 … n − 1 of a kernel; returns before they are done."""
        if n <= 0:
            return
        run = grid_kernel(kernel)
        if shape is ONE:  # so many at a time, lest a watchdog ends the kernel
            for first in range(0, n, self.alone):
                last = min(first + self.alone, n)
                self.start(_configured(run, 1, 1, self.stream), last, first, *arguments)
            return
        self.start(_configured(run, self.blocks(n, shape), BLOCK, self.stream), n, 0, *arguments)

    def blocks(self, n: int, shape: Shape) -> int:
        """Return how many blocks do n items."""
        if shape is Shape.PAPER:
            return PAPER
        enough = -(-n // BLOCK)
        return enough if shape is MT else min(enough, self.resident)

    def sum(self, kernel: Sum, n: int, *arguments: Any) -> int:
        """Add up what items 0 … n − 1 return."""
        if n <= 0:
            return 0
        total = self.full(1, 0, np.int64)
        run = _configured(grid_kernel(kernel), self.blocks(n, Shape.CT), BLOCK, self.stream)
        run(n, total, *arguments)
        return self.read(total)

    def upload(self, array: Any) -> Any:
        """Copy an array to the device; what lies there already is used as it is."""
        if hasattr(array, "__cuda_ndarray__"):
            return array
        if hasattr(array, "__cuda_array_interface__"):
            if SIMULATED:  # where the device's memory is the host's
                host = SimpleNamespace(__array_interface__=array.__cuda_array_interface__)
                return cuda.to_device(np.asarray(host))
            there = cuda.as_cuda_array(array)  # pragma: no cover (of a GPU)
            cuda.legacy_default_stream().synchronize()  # pragma: no cover (for DLPack)
            return there  # pragma: no cover
        return cuda.to_device(array, stream=self.stream)

    def download(self, array: Any) -> Any:
        """Copy an array to the host, after all that was launched before."""
        small = array.nbytes <= SMALL
        host = np.empty(array.size, array.dtype)
        to = self.pinned[: array.nbytes].view(array.dtype) if small else host
        if array.size > 0:
            array.copy_to_host(to, stream=self.stream)
        self.synchronize()
        if small:
            host[:] = to
        return host

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

    def own_prefix_sum(self, array: Any) -> int | None:
        """Do what `scan.prefix_sum` does by blocks, then their sums, and so on."""
        blocks = self.blocks(array.size, MT)
        sums = self.empty(blocks, np.int64)
        _configured(scan_blocks, blocks, BLOCK, self.stream)(array.size, array, sums)
        if blocks == 1:
            return self.read(sums)
        total = self.own_prefix_sum(sums)
        _configured(add_before, blocks, BLOCK, self.stream)(array.size, array, sums)
        return total

    def read(self, array: Any, i: int = 0) -> int:
        """Return one entry, a flag or a counter say; waits for what was launched before."""
        whole = array.nbytes <= SMALL
        return int(self.download(array)[i] if whole else self.download(array[i : i + 1])[0])

    def room(self) -> float:
        """Return the bytes that are free on the device."""
        return float(cuda.current_context().get_memory_info().free)

    def synchronize(self) -> None:
        """Wait until all launches are done."""
        self.stream.synchronize()

    def split(self) -> tuple[Device, Device] | None:
        """Return two devices with a stream each; the simulator has but one."""
        if SIMULATED:
            return None
        self.synchronize()  # pragma: no cover (of a GPU)
        return CudaDevice(beside=1), CudaDevice(beside=2)  # pragma: no cover

    def attach(self) -> None:  # pragma: no cover (of a GPU)
        """Make this the device that this Python thread uses."""
        cuda.select_device(self.number)


@cache
def _stream(number: int, beside: int) -> Any:
    """Make a stream of a device, once; CUDA's default stream and it do not wait for each other."""
    if SIMULATED:
        return cuda.stream()
    from cuda.bindings import driver  # pragma: no cover (of a GPU)

    status, handle = driver.cuStreamCreate(  # pragma: no cover
        driver.CUstream_flags.CU_STREAM_NON_BLOCKING
    )
    if status != driver.CUresult.CUDA_SUCCESS:  # pragma: no cover
        raise DeviceError(f"CUDA makes no stream: {status.name}")
    return cuda.external_stream(int(handle))  # pragma: no cover


def describe() -> dict[str, Any]:
    """Say which device this is."""
    device = cuda.get_current_device()
    if SIMULATED:
        return {"gpu": "numba's simulator"}
    return {  # pragma: no cover (of a GPU)
        "gpu": str(device.name, "utf-8") if isinstance(device.name, bytes) else str(device.name),
        "compute_capability": device.compute_capability,
        "multiprocessors": device.MULTIPROCESSOR_COUNT,
        "bytes": cuda.current_context().get_memory_info().total,
    }


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

    second = numba.int64[::1] if isinstance(kernel, Sum) else numba.int64
    signature = (numba.int64, second, *(numba.typeof(argument) for argument in arguments))
    loop = _loop(kernel)
    # Inlined device functions ask for the current device, and there is none.
    device = SimpleNamespace(compute_capability=capability)
    with patch("numba.cuda.dispatcher.get_current_device", lambda: device):
        ptx, _ = cuda.compile_ptx(loop, signature, cc=capability)
    options = LinkerOptions(arch="sm_{}{}".format(*capability), ptxas_options=["-v"])
    linker = Linker(ObjectCode.from_ptx(ptx.encode()), options=options)
    cubin = linker.link("cubin")
    return ptx, bytes(cubin.code), linker.get_info_log()
