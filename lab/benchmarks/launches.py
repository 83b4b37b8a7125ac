"""What a launch on CUDA takes the host: berge's way beside numba-cuda's own, with no driver.

    python lab/benchmarks/launches.py

The kernel is compiled, and its nine arrays are said to lie on a device. What numba-cuda would hand
to the driver is thrown away: so no GPU is needed, and the driver's part is left out. The two go by
turns; printed is the least of each.
"""

from __future__ import annotations

import ctypes
import time
from contextlib import ExitStack
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
from numba.cuda import codegen, dispatcher
from numba.cuda.cudadrv import driver
from numba.cuda.cudadrv.devicearray import DeviceNDArray

from berge.compile import cuda
from berge.methods.push_relabel.g_gr import Arrays, g_gr_krnl

TURNS, LAUNCHES = 20, 1000


def there(dtype: type, address: int) -> DeviceNDArray:
    """Return an array that is said to be on the device."""
    item = np.dtype(dtype).itemsize
    memory = SimpleNamespace(
        device_ctypes_pointer=ctypes.c_void_p(address), size=30 * item, _cuda_memsize_=30 * item
    )
    return DeviceNDArray((30,), (item,), dtype, gpu_data=memory)


def main() -> None:
    """Print microseconds a launch."""
    device = SimpleNamespace(compute_capability=(8, 0), id=0)
    loaded = SimpleNamespace(kernel=None, module=None)
    with ExitStack() as stack:
        for target, name, fake in (
            (dispatcher, "get_current_device", lambda: device),
            (codegen.devices, "get_context", lambda *_: SimpleNamespace(device=device)),
            (driver, "_to_core_stream", lambda stream: stream),
            (dispatcher._Kernel, "bind", lambda kernel: None),
            (codegen.CUDACodeLibrary, "get_cufunc", lambda library: loaded),
            (dispatcher, "launch", lambda *words: None),
        ):
            stack.enter_context(patch.object(target, name, fake))
        arrays = Arrays(
            *(there(np.int32, 4096 * (k + 1)) for k in range(8)), there(np.int64, 1 << 20),
            np.int64(61),
        )  # fmt: skip
        launch = cuda._configured(cuda.grid_kernel(g_gr_krnl), 200, 256, 0)
        start = cuda._Launcher()
        best: dict[str, float] = {}
        for _ in range(TURNS):
            for name, call in (("numba-cuda", launch), ("berge", lambda *a: start(launch, *a))):
                began = time.perf_counter()
                for level in range(LAUNCHES):
                    call(30, 0, arrays, np.int64(level))
                took = (time.perf_counter() - began) / LAUNCHES
                best[name] = min(best.get(name, took), took)
        assert start.knows
    for name, took in best.items():
        print(f"{name:10} {1e6 * took:6.1f} µs a launch")
    print(f"{best['numba-cuda'] / best['berge']:.1f} times")


if __name__ == "__main__":
    main()
